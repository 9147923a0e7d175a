"""Slow, obvious twins of what the orders compute."""

from collections.abc import Callable, Iterator
from itertools import combinations

from antichain.orders import Poset


def subsets(items: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every subset, the largest first."""
    for size in range(len(items), -1, -1):
        yield from combinations(items, size)


def largest(items: tuple[str, ...], holds: Callable[[str, str], bool]) -> int:
    """The size of the largest subset of which every two satisfy `holds`."""
    return next(
        len(chosen)
        for chosen in subsets(items)
        if all(holds(a, b) for a, b in combinations(chosen, 2))
    )


def closure(relations: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The transitive closure, by adding until nothing is missing."""
    closed = set(relations)
    while True:
        more = {(a, d) for a, b in closed for c, d in closed if b == c} - closed
        if not more:
            return closed
        closed |= more


def covers(poset: Poset) -> set[tuple[str, str]]:
    """The pairs with nothing between."""
    return {
        (a, b)
        for a in poset.items
        for b in poset.items
        if poset.is_above(a, b)
        and not any(poset.is_above(a, c) and poset.is_above(c, b) for c in poset.items)
    }
