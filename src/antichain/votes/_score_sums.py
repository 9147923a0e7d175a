"""Scores between 0 and 1, and judgments in both orders: sums that grow with the votes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antichain.sources._spans import Codes
from antichain.votes._tallies import KeyedSums, Votes
from antichain.votes._vote_log import UNIT, Counts, PairScores, SideScores


class ScoreSums:
    """How often each pair has each score; of judgments in both orders, the mean of both.

    Args:
        fractions: Whether votes have scores of their own.
        both_orders: Whether several rows are one judgment.
    """

    def __init__(self, fractions: bool, both_orders: bool) -> None:
        self._scores = KeyedSums(1) if fractions and not both_orders else None
        # Sums of the first item's units and of votes: where it was shown first, and second.
        self._halves = KeyedSums(4) if both_orders else None
        self._shown_first: Counter[int] | None = None
        self.fractional = both_orders  # whether any score is none of 0, one half and 1

    def add(
        self, pair: Codes, units: Counts, votes: Votes, first_shown_first: NDArray[np.bool_]
    ) -> None:
        """Add votes on pairs by number, with the scores of their first items (−1 if none)."""
        scored = (units >= 0) & (votes.number > 0)
        number, units = votes.number[scored], units[scored]
        self.fractional = self.fractional or bool(are_fractions(units).any())
        if self._scores is not None:
            self._scores.add(self._scores.codes(pair[scored], units), number)
        if self._halves is not None and votes.judgment is not None:
            codes = self._halves.codes(pair[scored], votes.judgment[scored])
            ours, theirs = first_shown_first[scored], ~first_shown_first[scored]
            sums = units * number
            self._halves.add(codes, sums * ours, number * ours, sums * theirs, number * theirs)
        if votes.shown_first is not None:
            self._shown_first = self._shown_first or Counter()
            told = votes.shown_first >= 0
            values, place = np.unique(votes.shown_first[told], return_inverse=True)
            weights = votes.number[told]
            times = np.bincount(place, weights, minlength=values.size).astype(np.int64)
            self._shown_first.update(dict(zip(values.tolist(), times.tolist(), strict=True)))

    def _means(self) -> tuple[Counts, Counts, Counts]:
        """Per judgment its pair, the mean of its halves, and that of the side shown first.

        Means are in `UNIT`s and those of the pair's first item. A judgment in one order is what
        that order says; of such, the last number is −1.
        """
        assert self._halves is not None
        pair, _ = self._halves.keys
        one, ones, other, others = self._halves.sums.T
        ours = np.rint(one / np.maximum(ones, 1)).astype(np.int64)
        theirs = np.rint(other / np.maximum(others, 1)).astype(np.int64)
        both = (ones > 0) & (others > 0)
        mean = np.where(both, _middle(ours, theirs), np.where(ones > 0, ours, theirs))
        return pair, mean, np.where(both, _middle(ours, UNIT - theirs), -1)

    def table(self, table: Counts, doubled: Counts) -> Counts:
        """The counts by pair, with each judgment in both orders as one vote, as it leans."""
        if self._halves is None:
            return table
        table = np.where(doubled >= 0, 0, table)  # what scores nothing is no judgment
        pair, mean, _ = self._means()
        np.add.at(table, (pair, leaning(mean)), 1)
        return table

    def attributes(self, row_of: Counts, clustered: bool) -> dict[str, Any]:
        """What a `VoteLog` has of all this, with pairs numbered by `row_of`."""
        scores, sides = None, None
        if self._halves is not None:
            pair, mean, first = self._means()
            scores = _histogram(row_of[pair], mean, np.ones_like(mean))
            values, times = np.unique(first[first >= 0], return_counts=True)
            sides = SideScores(values / UNIT, times.astype(np.int64))
        elif self._scores is not None:
            pair, units = self._scores.keys
            scores = _histogram(row_of[pair], units, self._scores.sums[:, 0])
        if self._shown_first:
            values, times = np.array(sorted(self._shown_first.items()), np.int64).reshape(-1, 2).T
            sides = SideScores(values / UNIT, times)
        kept = self.fractional and not clustered
        return {"scores": scores if kept else None, "sides": sides}


def are_fractions(units: Counts) -> NDArray[np.bool_]:
    """Which scores are none of 0, one half and 1."""
    return np.asarray(2 * units % UNIT != 0)


def leaning(units: Counts) -> Codes:
    """The form of a vote with such a score: left, right, or a tie for exactly one half."""
    return np.select([2 * units > UNIT, 2 * units < UNIT], [0, 1], 2).astype(np.int32)


def _middle(one: Counts, other: Counts) -> Counts:
    """The mean of two scores, rounded to the same whichever item comes first."""
    return 2 * np.rint((one + other) / 4).astype(np.int64)


def _histogram(rows: Counts, units: Counts, times: Counts) -> PairScores:
    """How often each pair has each score, sorted."""
    keys, place = np.unique(rows * (UNIT + 1) + units, return_inverse=True)
    summed = np.zeros(len(keys), np.int64)
    np.add.at(summed, place, times)
    return PairScores(keys // (UNIT + 1), keys % (UNIT + 1) / UNIT, summed)
