"""What undecided items are missing: which opponents are not cleared, and by how many votes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antichain.certify.certificate import Missing
from antichain.certify.claims import Claims
from antichain.certify.forecast import votes_needed
from antichain.evidence.bet import Floats, Whole

MOST_OPPONENTS = 200
"""Opponents listed of one undecided item, the nearest to being cleared first."""

MOST_ENTRIES = 100_000
"""Opponents listed of all undecided items together, as far as each is left a few."""

_FEWEST = 10
_TIES_ADDED = 4  # to the votes of a pair, where its rate is guessed for a forecast


class Shortfalls:
    """The opponents that each undecided item has yet to clear.

    Only pairs that were asked are held one by one: of the others there may be millions, and they
    are all alike.
    """

    def __init__(self, claims: Claims, names: Sequence[str], counted: Whole) -> None:
        self._claims, self._names, self._counted = claims, names, counted
        weighed = claims.weighed
        pairs = len(weighed.first)
        one = np.concatenate([weighed.first, weighed.second])
        order = np.argsort(one, kind="stable")
        self._starts = np.searchsorted(one[order], np.arange(weighed.size + 1))
        self._others = np.concatenate([weighed.second, weighed.first])[order]
        self._rows = np.tile(np.arange(pairs), 2)[order]
        self._sides = np.repeat(np.arange(2), pairs)[order]
        self._by_name = np.array(sorted(range(weighed.size), key=names.__getitem__), dtype=np.int64)
        self._if_even, self._at_rate, self._to_lose, self._unasked = self._forecast()

    def of(self, undecided: Sequence[int]) -> dict[int, tuple[tuple[Missing, ...], int]]:
        """Of each of these items the opponents it has yet to clear, as listed, and how many."""
        room = max(_FEWEST, MOST_ENTRIES // max(1, len(undecided)))
        most = min(MOST_OPPONENTS, room)
        return {i: self._of_item(i, most) for i in undecided}

    def _of_item(self, i: int, most: int) -> tuple[tuple[Missing, ...], int]:
        met = slice(self._starts[i], self._starts[i + 1])
        others, rows, sides = self._others[met], self._rows[met], self._sides[met]
        level = self._claims.inside.levels[i]
        wanted = -math.log(level) if level else math.inf
        is_open = self._claims.weighed.within[rows, 1 - sides] < wanted
        entries = self._entries(others[is_open], rows[is_open], sides[is_open])
        missing = len(entries) + self._claims.weighed.size - 1 - len(others)
        entries += self._never_met(i, others, most)
        listed = sorted(entries, key=_nearest_first)[:most]
        threat = min((e for e in entries if e.to_lose is not None), key=_soonest, default=None)
        if threat is not None and threat not in listed:
            listed[-1] = threat  # the one that may decide the item must not be cut off
        return tuple(listed), missing

    def _entries(
        self, others: NDArray[np.intp], rows: NDArray[np.intp], sides: NDArray[np.intp]
    ) -> list[Missing]:
        score = self._claims.weighed.score[rows]
        votes = self._counted[rows].tolist()
        scores = np.where(sides == 0, score, 1 - score).tolist()
        if_even, at_rate, to_lose = (
            _whole_or_none(table[rows, 1 - sides])
            for table in (self._if_even, self._at_rate, self._to_lose)
        )
        return [
            Missing(
                self._names[j],
                votes[k],
                scores[k] if votes[k] else None,
                if_even[k],
                at_rate[k],
                to_lose[k],
            )
            for k, j in enumerate(others.tolist())
        ]

    def _never_met(self, i: int, others: NDArray[np.intp], most: int) -> list[Missing]:
        """The first few of the opponents that were never asked about, by name."""
        free = np.ones(self._claims.weighed.size, dtype=np.bool_)
        free[others] = free[i] = False
        needed = _whole_or_none(np.array([self._unasked]))[0]
        return [
            Missing(self._names[j], 0, None, needed, needed, None)
            for j in self._by_name[free[self._by_name]][:most].tolist()
        ]

    def _forecast(self) -> tuple[Floats, Floats, Floats, float]:
        """Votes needed by pair and direction: cleared if even, cleared at its rate, shown above.

        And the votes that a pair needs which was never asked. A rate is estimated with a few ties
        added, so that two votes do not foretell all.
        """
        weighed, claims = self._claims.weighed, self._claims
        level = claims.inside.levels.max()  # that of those still open, the last in the step-down
        clear = -math.log(level) if level else math.inf
        spent = claims.above_levels[claims.above_levels > 0]
        above = -math.log(spent.max()) if len(spent) else math.inf
        asked = weighed.observations
        rate = 0.5 + (weighed.score - 0.5) * asked / (asked + _TIES_ADDED)
        rates = np.stack([rate, 1 - rate], axis=1)
        even = np.full_like(rates, 0.5)
        fresh = np.log(weighed.bet_within.weights)[None, :]
        unasked = votes_needed(weighed.bet_within, fresh, clear, np.array([0.5]), weighed.decisive)[
            0
        ]
        tables = [
            np.stack(
                [
                    votes_needed(bet, terms[:, side], threshold, means[:, side], weighed.decisive)
                    for side in (0, 1)
                ],
                axis=1,
            )
            for bet, terms, threshold, means in (
                (weighed.bet_within, weighed.within_terms, clear, even),
                (weighed.bet_within, weighed.within_terms, clear, rates),
                (weighed.bet_above, weighed.above_terms, above, rates),
            )
        ]
        return tables[0], tables[1], tables[2], float(unasked)


def _whole_or_none(votes: Floats) -> list[int | None]:
    return [int(value) if math.isfinite(value) else None for value in votes.tolist()]


def _nearest_first(entry: Missing) -> tuple[float, str]:
    return (math.inf if entry.at_rate is None else entry.at_rate, entry.opponent)


def _soonest(entry: Missing) -> tuple[float, str]:
    return (math.inf if entry.to_lose is None else entry.to_lose, entry.opponent)
