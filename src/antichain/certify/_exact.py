"""The order in a matrix of win probabilities that are known exactly."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain.errors import InputError
from antichain.orders._closure import find_cycle, strong_components
from antichain.orders._model import eps_front_mask
from antichain.votes._vote_log import VoteLog

_DECIMALS = 12  # in binary 0.55 − 0.5 is slightly above 0.05, and gaps of exactly ε are common
MOST_LISTED = 100_000
"""Triples that are listed: of n items there may be n³/8 of them."""
_MOST_VOTES = 10**12  # in total, so that counts and their sums stay exact


@dataclass(frozen=True)
class ExactMatrix:
    """The order in a matrix of win probabilities.

    Attributes:
        items: The names.
        epsilon: The ε of the ε-front.
        dominances: (upper, lower, gap) for each pair that is not even.
        even: Pairs with a probability of exactly one half.
        front: The items that nothing beats; empty if every item is beaten.
        eps_front: The exact ε-front: the items that no item beats by more than ε.
        cycles: One cycle for each group.
        groups: The sets of items that beat each other in a cycle.
        violations: (a, b, c): a beats b and b beats c, but a does not beat c; at most the first
            100,000 of them.
        violation_count: How many there are.
    """

    items: tuple[str, ...]
    epsilon: float
    dominances: tuple[tuple[str, str, float], ...]
    even: tuple[tuple[str, str], ...]
    front: tuple[str, ...]
    eps_front: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    violations: tuple[tuple[str, str, str], ...]
    violation_count: int

    @property
    def is_poset(self) -> bool:
        return not self.cycles and not self.violations

    def to_dict(self) -> dict[str, Any]:
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"format": "antichain-matrix", "version": 1, **held, "is_poset": self.is_poset}


def exact_matrix(
    items: tuple[str, ...], chances: NDArray[np.float64], epsilon: float
) -> ExactMatrix:
    """Find the order; `chances[i, j]` is the probability that item i wins a duel with item j."""
    _checks.gap("epsilon", epsilon)
    gaps = np.round(chances - 0.5, _DECIMALS)
    np.fill_diagonal(gaps, 0.0)
    beats = gaps > 0
    groups = strong_components(beats)
    uppers, lowers = np.nonzero(beats)
    even = np.argwhere(np.triu(gaps == 0, 1)).tolist()
    cycles = [
        [members[k] for k in find_cycle(beats[np.ix_(members, members)])] for members in groups
    ]

    violations, listed = _violations(beats)

    def named(indices: Any) -> tuple[str, ...]:
        return tuple(items[int(index)] for index in indices)

    return ExactMatrix(
        items=items,
        epsilon=epsilon,
        dominances=tuple(
            (items[i], items[j], gap)
            for i, j, gap in zip(uppers, lowers, gaps[uppers, lowers].tolist(), strict=True)
        ),
        even=tuple((items[i], items[j]) for i, j in even),
        front=named(np.flatnonzero(~beats.any(axis=0))),
        eps_front=named(np.flatnonzero(eps_front_mask(gaps, epsilon))),
        cycles=tuple(named(cycle) for cycle in cycles),
        groups=tuple(named(members) for members in groups),
        violations=tuple((items[a], items[b], items[c]) for a, b, c in listed),
        violation_count=violations,
    )


def _violations(beats: NDArray[np.bool_]) -> tuple[int, list[tuple[int, int, int]]]:
    """Count the triples (a, b, c) with a above b, b above c, and a not above c; list the first."""
    between = beats.astype(np.float32) @ beats.astype(np.float32)  # how many b, which is exact
    between[beats] = 0
    np.fill_diagonal(between, 0)
    found: list[tuple[int, int, int]] = []
    for a in np.flatnonzero(between.any(axis=1)).tolist():
        below = np.flatnonzero(beats[a])
        at, c = np.nonzero(beats[below] & (between[a] > 0))
        found += zip([a] * at.size, below[at].tolist(), c.tolist(), strict=True)
        if len(found) >= MOST_LISTED:
            break
    return int(between.sum(dtype=np.float64)), found[:MOST_LISTED]


def votes_from_matrix(
    items: tuple[str, ...], chances: NDArray[np.float64], votes: int, source: str
) -> VoteLog:
    """Make a log of `votes` votes on each pair, divided according to the probabilities."""
    _checks.whole("votes", votes)
    pairs = len(items) * (len(items) - 1) // 2
    if votes * pairs > _MOST_VOTES:
        raise InputError(
            f"{votes:,} votes on each of {pairs:,} pairs were asked for, but at most "
            f"{_MOST_VOTES:,} votes in total were expected"
        )
    counts = []
    for i, first in enumerate(items):
        for j in range(i + 1, len(items)):
            wins = round(votes * float(chances[i, j]))
            counts.append((first, items[j], wins, votes - wins))
    return VoteLog.from_counts(counts, items, source=source)
