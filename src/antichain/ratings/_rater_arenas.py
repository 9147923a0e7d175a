"""Raters as voters: who rated both items prefers the one rated higher."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain.algorithms._rounds import Ask, Indices, Race, Round
from antichain.arenas._leaping import LeapingArena
from antichain.errors import InputError, NotObservableError
from antichain.evidence._answers import Floats, Tally
from antichain.ratings._ballots import Ballots
from antichain.ratings._pair_counts import PairCounts


class RatingsArena(LeapingArena):
    """An arena that answers each duel by a random common rater, and breaks ties by a coin.

    That is a Bernoulli draw with chance (wins + ties/2)/n, so whole comparisons are played by exact
    leaps. If nobody rated both items of a pair, its duels are answered "incomparable".

    Args:
        counts: The pair counts.
        seed: The seed of the draws.
    """

    def __init__(self, counts: PairCounts, *, seed: int = 0) -> None:
        _checks.instance("counts", counts, PairCounts, "a PairCounts")
        lonely = counts.lonely()
        if lonely:
            raise InputError(
                f"{lonely[0]!r} has no common rater with any other item, but every item must have "
                "one with at least one other; leave such items out."
            )
        super().__init__(counts.names, seed)
        self.counts = counts
        self._chances = counts.chances
        self._apart = np.isnan(self._chances)

    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        if decoy:
            raise NotObservableError("Ratings have no decoys.")
        chances: Floats = self._chances[lefts, rights]
        if np.isnan(chances).any():
            k = int(np.isnan(chances).argmax())
            raise InputError(
                f"Nobody rated both {self.items[lefts[k]]!r} and {self.items[rights[k]]!r}, so "
                "their duel has no chance."
            )
        return chances

    def observed_incomparable(self, lefts: Indices, rights: Indices) -> NDArray[np.bool_]:
        apart: NDArray[np.bool_] = self._apart[lefts, rights]
        return apart


class ReplayArena(RatingsArena):
    """The same, with actual raters: each duel draws one of them and looks the ratings up.

    The law is that of `RatingsArena`; what differs is that nothing is taken from the counts, so
    that the one can be held against the other.

    Args:
        counts: The pair counts.
        ballots: The ratings by user, items given by their place among the counts' names.
        seed: The seed of the draws.
    """

    def __init__(self, counts: PairCounts, ballots: Ballots, *, seed: int = 0) -> None:
        super().__init__(counts, seed=seed)
        raters = np.repeat(np.arange(ballots.starts.size - 1), np.diff(ballots.starts))
        order = np.argsort(ballots.items, kind="stable")
        edges = np.searchsorted(ballots.items[order], np.arange(len(counts.names) + 1))
        # A list of raters for each item, in the order of the users.
        self._raters = np.split(raters[order], edges[1:-1])
        self._ratings = np.split(ballots.ratings[order], edges[1:-1])
        self._outcomes: dict[tuple[int, int], NDArray[np.int8]] = {}

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        """Never: a rater is drawn for each duel."""
        return False

    def outcomes(self, left: int, right: int) -> NDArray[np.int8]:
        """What each common rater says: 1 for the left item, −1 for the right one, 0 for a tie."""
        if (left, right) not in self._outcomes:
            _, here, there = np.intersect1d(
                self._raters[left], self._raters[right], assume_unique=True, return_indices=True
            )
            said = np.sign(self._ratings[left][here] - self._ratings[right][there])
            self._outcomes[left, right] = said.astype(np.int8)
        return self._outcomes[left, right]

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        return [self._ask_raters(ask) for ask in asks]

    def _ask_raters(self, ask: Ask) -> Tally:
        left, right = (int(side[0]) for side in self._look_up(ask))
        if ask.decoy:
            raise NotObservableError("Ratings have no decoys.")
        outcomes = self.outcomes(left, right)
        if not outcomes.size:
            return Tally(incomparable=ask.duels)
        said = outcomes[self._generator.integers(outcomes.size, size=ask.duels)]
        ties = int(np.count_nonzero(said == 0))
        wins = int(np.count_nonzero(said > 0)) + int(self._generator.binomial(ties, 0.5))
        return Tally(wins, ask.duels - wins)
