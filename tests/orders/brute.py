"""Slow, obvious twins of what the orders compute."""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from antichain.orders import DuelModel, Poset


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


def strongly_transitive(model: DuelModel) -> bool:
    """Whether γ_ik ≥ max(γ_ij, γ_jk) for all i ≻ j ≻ k, but for rounding."""
    whole, first, second = _two_steps(model)
    return bool((whole >= np.maximum(first, second) - 1e-12).all())


def obeys_triangle_inequality(model: DuelModel) -> bool:
    """Whether γ_ik ≤ γ_ij + γ_jk for all i ≻ j ≻ k, but for rounding."""
    whole, first, second = _two_steps(model)
    return bool((whole <= first + second + 1e-12).all())


def _two_steps(model: DuelModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """γ_ik, γ_ij and γ_jk for all i ≻ j ≻ k."""
    above, gaps = model.poset.above, model.gaps
    i, j, k = np.nonzero(above[:, :, None] & above[None, :, :])
    return gaps[i, k], gaps[i, j], gaps[j, k]
