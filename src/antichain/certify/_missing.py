"""What undecided items are missing: which opponents are not cleared, and by how many votes.

All of it is a forecast for planning; no claim rests on it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from antichain.certify._certificate import Missing, short_list
from antichain.certify._naming import Naming
from antichain.certify._verdicts import Judged
from antichain.evidence._bet import Bet, Floats

MOST_OPPONENTS = 200
"""The most opponents listed for one undecided item, those nearest to being cleared first."""

MOST_ENTRIES = 100_000
"""The most opponents listed for all undecided items together, if that leaves each a few."""

_FEWEST = 10  # opponents listed for each undecided item at least
_TIES_ADDED = 4  # to the votes of a pair when its rate is estimated; set by hand


def votes_needed(
    bet: Bet, terms: Floats, log_threshold: float | Floats, means: Floats, decisive: float
) -> Floats:
    """Estimate the votes that each stream still needs; infinite if it never gets there.

    This is a forecast, not a promise: it follows the path of average votes, on which a mixture is
    at least its best term.

    Args:
        bet: The bet.
        terms: The log of each weighted term (columns) of each stream (rows) now.
        log_threshold: The log-evidence that is wanted, of all streams or of each.
        means: The mean score of each stream's votes to come.
        decisive: The share of votes that are not ties (for clusters: four times the variance of
            an even one), as far as the means allow.
    """
    lead = 2 * means - 1
    decided = np.maximum(decisive, np.abs(lead))
    chances = np.stack([(decided + lead) / 2, (decided - lead) / 2, 1 - decided], axis=1)
    growth = chances @ bet.steps
    deficit = np.maximum(np.reshape(log_threshold, (-1, 1)) - terms, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        votes = np.where(growth > 0, deficit / growth, np.where(deficit > 0, np.inf, 0.0))
    return np.asarray(np.ceil(votes.min(axis=1)))


class Shortfalls:
    """The opponents that each undecided item has yet to clear.

    Only pairs that were asked are held one by one: there may be millions of others, and they are
    all alike.
    """

    def __init__(self, judged: Judged, naming: Naming) -> None:
        self._at, self._naming, self._names = judged.verdicts, naming, naming.names
        read = judged.read
        self._size, pairs = read.size, len(read.first)
        self._counts = np.ones(read.size, np.bool_) if self._at.every else ~self._at.out
        self._needed = int(self._counts.sum())
        one = np.concatenate([read.first, read.second])
        order = np.argsort(one, kind="stable")
        self._starts = np.searchsorted(one[order], np.arange(read.size + 1))
        self._others = np.concatenate([read.second, read.first])[order]
        self._rows = np.tile(np.arange(pairs), 2)[order]
        self._sides = np.repeat(np.arange(2), pairs)[order]
        self._by_name = sorted(range(read.size), key=self._names.__getitem__)
        self._forecast(judged)

    def of(self, undecided: Sequence[int]) -> dict[int, tuple[tuple[Missing, ...], int]]:
        """For each of these items, return opponents it has yet to clear, and their number."""
        room = max(_FEWEST, MOST_ENTRIES // max(1, len(undecided)))
        most = min(MOST_OPPONENTS, room)
        return {i: self._of_item(i, most) for i in undecided}

    def _of_item(self, i: int, most: int) -> tuple[tuple[Missing, ...], int]:
        met = slice(self._starts[i], self._starts[i + 1])
        others, rows, sides = self._others[met], self._rows[met], self._sides[met]
        is_open = self._at.cleared[rows, 1 - sides] < self._at.wanted
        is_open &= self._counts[others]
        entries = self._entries(others[is_open], rows[is_open], sides[is_open])
        needed = self._needed - int(self._counts[i])
        missing = len(entries) + needed - int(self._counts[others].sum())
        entries += self._never_met(i, others, most)
        return short_list(entries, most), missing

    def _entries(
        self, others: NDArray[np.intp], rows: NDArray[np.intp], sides: NDArray[np.intp]
    ) -> list[Missing]:
        score = self._naming.score[rows]
        votes = self._naming.counted[rows].tolist()
        scores = np.where(sides == 0, score, 1 - score).tolist()
        needs = [
            _whole_or_none(table[rows, 1 - sides])
            for table in (self._if_even, self._at_rate, self._to_lose)
        ]
        return [
            Missing(self._names[j], n, share if n else None, *need)
            for j, n, share, *need in zip(others.tolist(), votes, scores, *needs, strict=True)
        ]

    def _never_met(self, i: int, others: NDArray[np.intp], most: int) -> list[Missing]:
        """List the first few of the opponents that the item never met, by name."""
        met = {i, *others.tolist()}
        (needed,) = _whole_or_none(self._unasked)
        # At most as many are passed over as were met: not all items are looked at for each.
        first = islice((j for j in self._by_name if j not in met and self._counts[j]), most)
        return [Missing(self._names[j], 0, None, needed, needed, None) for j in first]

    def _forecast(self, judged: Judged) -> None:
        """Forecast the votes needed, by pair and direction.

        There are three tables: until the opponent is cleared if the two are even, until it is
        cleared at the rate so far, and until it alone puts the item out at that rate; and one
        number for pairs that were never asked. A few ties are added to estimate a rate, so that
        two votes do not decide it.
        """
        at, scores = judged.verdicts, judged.read.scores
        asked = scores.observations
        rate = 0.5 + (self._naming.score - 0.5) * asked / (asked + _TIES_ADDED)
        rates = np.stack([rate, 1 - rate], axis=1)
        even = np.full_like(rates, 0.5)
        decisive = scores.decisive
        self._if_even, self._at_rate = np.zeros_like(rates), np.zeros_like(rates)
        for bet, terms, applies in at.clearing:
            # What decoys or "cannot compare" have shown besides counts as it is.
            besides = np.maximum(0.0, at.cleared - _sums(terms))
            wanted = at.wanted - besides
            for table, means in ((self._if_even, even), (self._at_rate, rates)):
                table[applies] = _by_direction(bet, terms, wanted, means, decisive)[applies]
        bet = Bet.open_ended()
        terms = np.stack([side.terms(bet, judged.read.lost) for side in (scores, scores.turned())])
        self._to_lose = _by_direction(bet, terms.transpose(1, 0, 2), at.to_lose, rates, decisive)
        fresh = at.clearing[0].bet
        self._unasked = votes_needed(
            fresh, np.log(fresh.weights)[None, :], at.wanted, np.array([0.5]), decisive
        )


def _sums(terms: Floats) -> Floats:
    return np.asarray(np.logaddexp.reduce(terms, axis=2))


def _by_direction(
    bet: Bet, terms: Floats, log_threshold: Floats, means: Floats, decisive: float
) -> Floats:
    sides = (
        votes_needed(bet, terms[:, side], log_threshold[:, side], means[:, side], decisive)
        for side in (0, 1)
    )
    return np.stack(list(sides), axis=1)


def _whole_or_none(votes: Floats) -> list[int | None]:
    return [int(value) if math.isfinite(value) else None for value in votes.tolist()]
