"""Voters who are asked about pairs: by designs that do not look at their answers, and that do."""

from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np

from antichain.votes._vote_log import VoteLog

Ask = Callable[[int, int], bool]  # whether the first of two items wins
Design = Callable[[np.random.Generator, int, int, Ask], None]


def voting(design: Design, seed: int, items: int, voters: int, *, one_mind: bool, spread=1.0):
    """The log of voters with such a design, each voter a cluster.

    Voters of one mind answer by a ranking of their own; others by chance, pair by pair.
    """
    rng = np.random.default_rng(seed)
    strength = spread * rng.normal(size=items)
    rows, clusters = [], []
    for voter in range(voters):
        taste = strength + rng.gumbel(size=items)

        def ask(i: int, j: int, voter: int = voter, taste=taste) -> bool:
            if one_mind:
                won = bool(taste[i] > taste[j])
            else:
                won = bool(rng.random() < 1 / (1 + np.exp(strength[j] - strength[i])))
            left, right, first = (i, j, won) if rng.random() < 0.5 else (j, i, not won)
            tie = not one_mind and rng.random() < 0.1
            answer = "tie" if tie else "left" if first else "right"
            rows.append((f"item {left}", f"item {right}", answer))
            clusters.append(voter)
            return won

        design(rng, items, voter, ask)
    return VoteLog.from_rows(rows, clusters=clusters, history=False)


def _some(rng: np.random.Generator, items: int, count: int) -> list[int]:
    return rng.permutation(items)[:count].tolist()


# -- designs that do not look ---------------------------------------------------------------------


def baseline(rng, items, voter, ask):
    for k in _some(rng, items - 1, 5):
        ask(items - 1, k)


def fixed_round_robin(rng, items, voter, ask):
    for i, j in combinations(range(min(items, 7)), 2):
        ask(i, j)


def all_pairs(rng, items, voter, ask):
    pairs = list(combinations(range(min(items, 7)), 2))
    for k in rng.permutation(len(pairs)).tolist():
        ask(*pairs[k])


def random_pairs(rng, items, voter, ask):
    for _ in range(6):
        ask(*_some(rng, items, 2))


def own_triple(rng, items, voter, ask):
    for i, j in combinations(_some(rng, items, 3), 2):
        ask(i, j)


def in_a_row(rng, items, voter, ask):
    """Each item meets the next of the voter's own list."""
    some = _some(rng, items, 5)
    for i, j in pairwise(some):
        ask(i, j)


def popular_items(rng, items, voter, ask):
    """Some items are asked about more often, and the first ones again and again."""
    weights = 1 / np.arange(1, items + 1)
    for _ in range(5):
        ask(*rng.choice(items, 2, replace=False, p=weights / weights.sum()).tolist())


INNOCENT = (
    baseline, fixed_round_robin, all_pairs, random_pairs, own_triple, in_a_row, popular_items
)  # fmt: skip


# -- designs that do ------------------------------------------------------------------------------


def winner_stays(rng, items, voter, ask):
    champion, *others = _some(rng, items, 3)
    for other in others:
        champion = champion if ask(champion, other) else other


def _knockout(players: list[int], ask: Ask) -> None:
    while len(players) > 1:
        players = [i if ask(i, j) else j for i, j in zip(players[::2], players[1::2], strict=True)]


def knockout_of_4(rng, items, voter, ask):
    _knockout(_some(rng, items, 4), ask)


def knockout_of_8(rng, items, voter, ask):
    _knockout(_some(rng, items, 8), ask)


def merge_sort(rng, items, voter, ask):
    def merged(some: list[int]) -> list[int]:
        if len(some) < 2:
            return some
        half = len(some) // 2
        one, other, found = merged(some[:half]), merged(some[half:]), []
        while one and other:
            found.append((one if ask(one[0], other[0]) else other).pop(0))
        return found + one + other

    merged(_some(rng, items, int(rng.integers(4, 7))))


def insertion_sort(rng, items, voter, ask):
    first, *others = _some(rng, items, 5)
    ranked = [first]
    for new in others:
        at = 0
        while at < len(ranked) and not ask(new, ranked[at]):
            at += 1
        ranked.insert(at, new)


def binary_insertion_sort(rng, items, voter, ask):
    first, *others = _some(rng, items, 6)
    ranked = [first]
    for new in others:
        low, high = 0, len(ranked)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if ask(new, ranked[middle]) else (middle + 1, high)
        ranked.insert(low, new)


GUILTY = (
    winner_stays, knockout_of_4, knockout_of_8, merge_sort, insertion_sort, binary_insertion_sort
)  # fmt: skip
