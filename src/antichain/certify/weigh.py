"""The evidence in a log of votes: log e-values for everything a certificate may claim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antichain.evidence.bet import Bet, Floats, Whole, total
from antichain.logs.votes import VoteLog


@dataclass(frozen=True, eq=False)
class Weighed:
    """Log e-values, a row for each pair that was asked; two columns are its two directions.

    Attributes:
        size: How many items there are.
        first: The index of one item of each pair.
        second: The index of the other.
        observations: Votes of each pair that score (clusters, if there are any).
        score: The mean score of the first item, 1/2 where nothing scored.
        above: For "the first is above the second", and the other way round.
        within: For "the first does not beat the second by more than ε", and the other way round.
        pooled: Of each item, for "it is not maximal", from all its duels.
        pooled_observations: Votes (or clusters) of each item.
        incomparable: For "most voters cannot compare the two".
        decisive: The share of observations that are no tie; of clusters, four times their mean
            square distance from one half, which is the same thing for votes.
        above_terms: The terms of the bets in `above`, for forecasts: pair, direction, term.
        within_terms: The terms of the bets in `within`.
        bet_above: The bet behind `above` and `pooled`.
        bet_within: The bet behind `within`.
    """

    size: int
    first: Whole
    second: Whole
    observations: Whole
    score: Floats
    above: Floats
    within: Floats
    pooled: Floats
    pooled_observations: Whole
    incomparable: Floats
    decisive: float
    above_terms: Floats
    within_terms: Floats
    bet_above: Bet
    bet_within: Bet

    def cleared(self) -> Floats:
        """Of each item the least log e-value for "that opponent does not beat it by more than ε".

        Nothing is known of opponents it never met.
        """
        met = np.bincount(self.first, minlength=self.size)
        met += np.bincount(self.second, minlength=self.size)
        least = np.where(met < self.size - 1, 0.0, np.inf)
        np.minimum.at(least, self.second, self.within[:, 0])
        np.minimum.at(least, self.first, self.within[:, 1])
        return least

    def strongest_against(self) -> Floats:
        """Of each item the largest of the log e-values for "this one is above it", at least 0."""
        most = np.zeros(self.size)
        np.maximum.at(most, self.second, self.above[:, 0])
        np.maximum.at(most, self.first, self.above[:, 1])
        return most


def weigh(log: VoteLog, epsilon: float) -> Weighed:
    """The evidence in `log`, at the ε given."""
    streams = _Votes(log) if log.clusters is None else _Clusters(log)
    bet_above, bet_within = Bet.open_ended(), Bet.against_gap(epsilon)
    above = np.stack([streams.terms(bet_above, turned) for turned in (False, True)], axis=1)
    within = np.stack([streams.terms(bet_within, turned) for turned in (False, True)], axis=1)
    return Weighed(
        size=len(log.items),
        first=log.pairs.first,
        second=log.pairs.second,
        observations=streams.observations,
        score=streams.score,
        above=_log_evidence(above),
        within=_log_evidence(within),
        pooled=total(streams.pooled(bet_above)) if log.pooling else np.zeros(len(log.items)),
        pooled_observations=streams.pooled_observations,
        incomparable=_cannot_compare(log, bet_above),
        decisive=streams.decisive,
        above_terms=above,
        within_terms=within,
        bet_above=bet_above,
        bet_within=bet_within,
    )


def _log_evidence(terms: Floats) -> Floats:
    pairs, directions, grid = terms.shape
    return total(terms.reshape(-1, grid)).reshape(pairs, directions)


def _cannot_compare(log: VoteLog, bet: Bet) -> Floats:
    """Log e-values against "at most half of the answers are: cannot compare".

    Nothing where votes are clustered: single answers would then be taken as independent.
    """
    pairs = log.pairs
    if log.clusters is not None:
        return np.zeros(pairs.size)
    others = pairs.wins_first + pairs.wins_second + pairs.ties + pairs.both_bad
    return total(bet.terms_of_counts(pairs.incomparable, others, np.zeros_like(others)))


class _Votes:
    """Single votes as observations."""

    def __init__(self, log: VoteLog) -> None:
        self._wins, self._ties, self._losses = log.scored()
        self._ends = log.pairs.first, log.pairs.second
        self._items = len(log.items)
        self.observations = self._wins + self._ties + self._losses
        asked = np.maximum(self.observations, 1)
        self.score = np.asarray(0.5 + (self._wins - self._losses) / (2 * asked))
        votes = int(self.observations.sum())
        self.decisive = 1 - int(self._ties.sum()) / votes if votes else 1.0

    def terms(self, bet: Bet, turned: bool) -> Floats:
        wins, losses = (self._losses, self._wins) if turned else (self._wins, self._losses)
        return bet.terms_of_counts(wins, losses, self._ties)

    def pooled(self, bet: Bet) -> Floats:
        wins = self._by_item(self._wins, self._losses)
        losses = self._by_item(self._losses, self._wins)
        return bet.terms_of_counts(losses, wins, self._by_item(self._ties, self._ties))

    @property
    def pooled_observations(self) -> Whole:
        return self._by_item(self.observations, self.observations)

    def _by_item(self, of_first: Whole, of_second: Whole) -> Whole:
        sums = np.zeros(self._items, dtype=np.int64)
        np.add.at(sums, self._ends[0], of_first)
        np.add.at(sums, self._ends[1], of_second)
        return sums


class _Clusters:
    """The mean score of a cluster as one observation."""

    def __init__(self, log: VoteLog) -> None:
        assert log.clusters is not None
        self._pairs, self._by_items = log.clusters.pairs, log.clusters.items
        self._size, self._items = log.pairs.size, len(log.items)
        rows, scores = self._pairs.pair_row, self._pairs.score
        self.observations = np.bincount(rows, minlength=self._size).astype(np.int64)
        sums = np.bincount(rows, scores - 0.5, minlength=self._size)
        self.score = np.asarray(0.5 + sums / np.maximum(self.observations, 1))
        self.decisive = float(4 * np.mean((scores - 0.5) ** 2)) if len(scores) else 1.0

    def terms(self, bet: Bet, turned: bool) -> Floats:
        scores = 1 - self._pairs.score if turned else self._pairs.score
        return bet.terms_of_scores(self._pairs.pair_row, scores, self._size)

    def pooled(self, bet: Bet) -> Floats:
        return bet.terms_of_scores(self._by_items.item, 1 - self._by_items.score, self._items)

    @property
    def pooled_observations(self) -> Whole:
        return np.bincount(self._by_items.item, minlength=self._items).astype(np.int64)
