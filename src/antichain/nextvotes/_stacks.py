"""The votes of each pair as a queue: each duel that a run asks for takes the next one.

A run that takes its answers from these queues does what it would do live, however the votes were
collected: the k-th answer of a pair is the k-th vote on it, no matter who asked for it and when.
For this reason the votes of a pair are never shuffled and never taken out of turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.algorithms._counts import Counted
from antichain.algorithms._rounds import Indices, Round, close
from antichain.evidence._answers import FORMS, OPEN, Answer, Counts, swapped

SCORES = (Answer.LEFT, Answer.RIGHT, Answer.TIE, Answer.SKIPPED)
"""What a vote in a stack can be, as a column of a pair's counts."""


class RoundInHand(NamedTuple):
    """How far the votes in hand can play a round.

    Attributes:
        counts: The counts of every comparison, as far as its votes go.
        places: The queue of each comparison, −1 if there is none.
        used: How many of its votes the round is sure to use: comparisons after an open one may
            still be dropped.
        missing: The comparisons that are open and surely needed, in order; empty if the round is
            over.
    """

    counts: Counts
    places: Indices
    used: Indices
    missing: Indices


class Stacks:
    """The votes of each pair in order, and how many of them are taken.

    Args:
        size: The number of items.
        keys: The pair of each vote, as `key` numbers it.
        scores: What each vote is, as an index into `SCORES`, seen from the pair's first item.
    """

    def __init__(self, size: int, keys: Indices, scores: Indices) -> None:
        self._size = size
        order = np.argsort(keys, kind="stable")
        self._keys, starts = np.unique(keys[order], return_index=True)
        self._ends = np.append(starts[1:], keys.size).astype(np.int64)
        self._next = starts.astype(np.int64)
        self._begin = self._next.copy()
        one_each = np.eye(len(SCORES), dtype=np.int64)[scores[order]]
        self._sums = np.concatenate([np.zeros((1, len(SCORES)), np.int64), one_each.cumsum(axis=0)])

    @staticmethod
    def key(size: int, lefts: Indices, rights: Indices, decoy: NDArray[np.bool_] | bool) -> Indices:
        """Number each pair; both orders of a direct pair get the same number."""
        low, high = np.minimum(lefts, rights), np.maximum(lefts, rights)
        first, second = np.where(decoy, lefts, low), np.where(decoy, rights, high)
        numbers: Indices = (np.asarray(decoy, np.int64) * size + first) * size + second
        return numbers

    @property
    def taken(self) -> int:
        return int((self._next - self._begin).sum())

    def held(self, left: int, right: int, decoy: bool) -> int:
        """Count the votes of a pair, taken ones included."""
        place = int(self._places(np.array([left]), np.array([right]), decoy)[0])
        return int(self._ends[place] - self._begin[place]) if place >= 0 else 0

    def rest(self, names: tuple[str, ...]) -> Counted:
        """Count the votes that are not taken."""
        tables: tuple[dict[tuple[str, str], tuple[int, ...]], ...] = ({}, {})
        left_over = self._sums[self._ends] - self._sums[self._next]
        for key, counts in zip(self._keys.tolist(), left_over.tolist(), strict=True):
            kind, pair = divmod(key, self._size**2)
            if any(counts):
                tables[kind][names[pair // self._size], names[pair % self._size]] = counts[:3]
        return Counted(*tables)

    # -- rounds ----------------------------------------------------------------------------------

    def settle(self, round_: Round) -> RoundInHand:
        """How far the votes go in a round; nothing is taken."""
        decoy = round_.test.against_decoys
        places = self._places(round_.lefts, round_.rights, decoy)
        turned = (round_.lefts > round_.rights) & (not decoy)
        counts, looked = round_.start.copy(), np.zeros(len(round_), np.int64)
        start = self._next.copy()
        for rows in _apart(places):
            ours = places[rows]
            self._feed(round_, rows, start[ours], self._ends[ours], turned, counts, looked)
            np.add.at(start, places[rows], looked[rows])
        verdicts = round_.verdicts(counts)
        needed, over = close(round_, verdicts)
        if not over:
            # What stands behind an open comparison that may stop the round may be dropped yet.
            needed = needed + 1 if round_.stop else len(round_)
        missing = np.flatnonzero(verdicts[:needed] == OPEN)
        counts[needed:], looked[needed:] = round_.start[needed:], 0
        return RoundInHand(counts, places, looked, missing)

    def take(self, places: Indices, numbers: Indices) -> None:
        there = places >= 0
        np.add.at(self._next, places[there], numbers[there])

    def _places(self, lefts: Indices, rights: Indices, decoy: bool) -> Indices:
        if not self._keys.size:
            return np.full(lefts.size, -1)
        keys = self.key(self._size, lefts, rights, decoy)
        places = np.minimum(np.searchsorted(self._keys, keys), self._keys.size - 1)
        found: Indices = np.where(self._keys[places] == keys, places, -1)
        return found

    def _feed(
        self,
        round_: Round,
        rows: Indices,
        start: Indices,
        ends: Indices,
        turned: NDArray[np.bool_],
        counts: Counts,
        looked: Indices,
    ) -> None:
        """Play comparisons of different pairs on, quota by quota, as far as their votes go."""
        while rows.size:
            quotas = round_.quotas(counts, rows)
            at = start + looked[rows]
            steps = np.minimum(quotas, ends - at)
            going = steps > 0
            rows, start, ends, at, steps = (some[going] for some in (rows, start, ends, at, steps))
            new = self._sums[at + steps] - self._sums[at]
            counts[rows, :FORMS] += np.where(turned[rows, None], swapped(new), new)
            looked[rows] += steps


def _apart(places: Indices) -> list[Indices]:
    """Return the rows that have votes: all at once or, if a pair occurs twice, one by one."""
    rows = np.flatnonzero(places >= 0)
    return [rows] if np.unique(places[rows]).size == rows.size else list(rows[:, None])
