"""The evidence in a log of votes: log e-values for everything a certificate may claim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antichain.evidence._bet import Bet, Floats, Whole, total
from antichain.votes._vote_log import VoteLog


@dataclass(frozen=True, eq=False)
class ScoreStreams:
    """Many streams of scores in [0, 1], given by counts or by one mean score per cluster.

    Attributes:
        wins: The number of wins of each stream.
        ties: Votes that count half.
        losses: Votes that count zero.
        clusters: For each cluster, its stream and its mean score; then each cluster is one
            observation, and the counts serve only to count votes.
    """

    wins: Whole
    ties: Whole
    losses: Whole
    clusters: tuple[Whole, Floats] | None = None

    def turned(self) -> ScoreStreams:
        """Return the same streams seen from the other side."""
        clusters = None if self.clusters is None else (self.clusters[0], 1 - self.clusters[1])
        return ScoreStreams(self.losses, self.ties, self.wins, clusters)

    def terms(self, bet: Bet) -> Floats:
        """The log of each weighted term of a bet (columns) for each stream (rows)."""
        if self.clusters is None:
            return bet.terms_of_counts(self.wins, self.losses, self.ties)
        return bet.terms_of_scores(*self.clusters, len(self.wins))

    def log_evidence(self, bet: Bet) -> Floats:
        return total(self.terms(bet))

    @property
    def votes(self) -> Whole:
        return self.wins + self.ties + self.losses

    @property
    def observations(self) -> Whole:
        if self.clusters is None:
            return self.votes
        return np.bincount(self.clusters[0], minlength=len(self.wins)).astype(np.int64)

    @property
    def mean(self) -> Floats:
        """The mean of the observations of each stream, 1/2 if there are none."""
        observed = np.maximum(self.observations, 1)
        if self.clusters is None:
            return np.asarray(0.5 + (self.wins - self.losses) / (2 * observed))
        stream, scores = self.clusters
        sums = np.bincount(stream, scores - 0.5, minlength=len(self.wins))
        return np.asarray(0.5 + sums / observed)

    @property
    def decisive(self) -> float:
        """The share of observations that are not ties, over all streams.

        For clusters it is four times the mean squared distance from one half, which for single
        votes is the same thing.
        """
        if self.clusters is None:
            votes = int(self.votes.sum())
            return 1 - int(self.ties.sum()) / votes if votes else 1.0
        scores = self.clusters[1]
        return float(4 * np.mean((scores - 0.5) ** 2)) if len(scores) else 1.0


@dataclass(frozen=True, eq=False)
class Weighed:
    """Log e-values, one row per pair that was asked; two columns are its two directions.

    Attributes:
        size: The number of items.
        first: The index of one item of each pair.
        second: The index of the other.
        observations: The number of votes of each pair that score (or of clusters).
        score: The mean score of the first item, 1/2 if nothing scored.
        above_terms: The terms of the bets in `above`: pair, direction, term.
        within_terms: The terms of the bets in `within`.
        pooled: For each item, for "it is not maximal", from all its duels.
        incomparable: For "most voters cannot compare the two".
        decisive: The share of observations that are not ties (see `ScoreStreams.decisive`).
        bet_above: The bet behind `above` and `pooled`.
        bet_within: The bet behind `within`.
    """

    size: int
    first: Whole
    second: Whole
    observations: Whole
    score: Floats
    above_terms: Floats
    within_terms: Floats
    pooled: Floats
    incomparable: Floats
    decisive: float
    bet_above: Bet
    bet_within: Bet

    @cached_property
    def above(self) -> Floats:
        """For "the first is above the second", and the other way round."""
        return _by_direction(self.above_terms)

    @cached_property
    def within(self) -> Floats:
        """For "the first does not beat the second by more than ε", and the other way round."""
        return _by_direction(self.within_terms)

    def cleared(self) -> Floats:
        """For each item, the least log e-value for "this opponent does not beat it by more than ε".

        It is zero if there are opponents that the item never met.
        """
        met = np.bincount(self.first, minlength=self.size)
        met += np.bincount(self.second, minlength=self.size)
        least = np.where(met < self.size - 1, 0.0, np.inf)
        np.minimum.at(least, self.second, self.within[:, 0])
        np.minimum.at(least, self.first, self.within[:, 1])
        return least

    def strongest_against(self) -> Floats:
        """For each item, the largest log e-value for "this opponent is above it", at least 0."""
        most = np.zeros(self.size)
        np.maximum.at(most, self.second, self.above[:, 0])
        np.maximum.at(most, self.first, self.above[:, 1])
        return most


def weigh(log: VoteLog, epsilon: float) -> Weighed:
    clusters = None if log.clusters is None else log.clusters.pairs[:2]
    streams = ScoreStreams(*log.scored(), clusters)
    bet_above, bet_within = Bet.open_ended(), Bet.against_gap(epsilon)
    sides = streams, streams.turned()
    return Weighed(
        size=len(log.items),
        first=log.pairs.first,
        second=log.pairs.second,
        observations=streams.observations,
        score=streams.mean,
        above_terms=np.stack([side.terms(bet_above) for side in sides], axis=1),
        within_terms=np.stack([side.terms(bet_within) for side in sides], axis=1),
        pooled=_losing(log).log_evidence(bet_above) if log.pooling else np.zeros(len(log.items)),
        incomparable=_cannot_compare(log, bet_above),
        decisive=streams.decisive,
        bet_above=bet_above,
        bet_within=bet_within,
    )


def _by_direction(terms: Floats) -> Floats:
    pairs, directions, grid = terms.shape
    return total(terms.reshape(-1, grid)).reshape(pairs, directions)


def _losing(log: VoteLog) -> ScoreStreams:
    """All duels of each item as one stream, in which its losses are wins."""
    wins, ties, losses = log.scored()
    won, tied, lost = (
        by_item(log, *sides).astype(np.int64)
        for sides in ((wins, losses), (ties, ties), (losses, wins))
    )
    clusters = None if log.clusters is None else log.clusters.items[:2]
    return ScoreStreams(won, tied, lost, clusters).turned()


def by_item(log: VoteLog, of_first: Any, of_second: Any) -> Floats:
    """Sum over each item's pairs: one number where it comes first, another where it is second."""
    size = len(log.items)
    return np.asarray(
        np.bincount(log.pairs.first, of_first, minlength=size)
        + np.bincount(log.pairs.second, of_second, minlength=size)
    )


def _cannot_compare(log: VoteLog, bet: Bet) -> Floats:
    """Log e-values against "at most half of the answers are: cannot compare".

    They are zero if votes are clustered, since the bet takes single answers as independent.
    """
    pairs = log.pairs
    if log.clusters is not None:
        return np.zeros(pairs.size)
    others = pairs.wins_first + pairs.wins_second + pairs.ties + pairs.both_bad
    return ScoreStreams(pairs.incomparable, np.zeros_like(others), others).log_evidence(bet)


@dataclass(frozen=True, eq=False)
class WeighedDecoys:
    """Log e-values of the pairs in which at least one item met the other's decoy.

    Decoys are degraded versions, about which no more is assumed than what `evidence._relations`
    says: (D1) whatever is at or above an item beats its decoy by at least Δ; (D2) whatever is
    incomparable to it does not beat its decoy. No decoy ever puts one item above another.

    Attributes:
        first: The index of one item of each pair.
        second: The index of the other.
        votes: The number of votes that score: of the first against the decoy of the second, and
            the other way round.
        score: The mean scores in them, 1/2 if there are none.
        comparable: Against "incomparable": the mean of the two bets that one item beats the
            other's decoy. By (D2) neither does, so each bet is fair.
        incomparable: Against "comparable": the smaller of the two bets that one item does not beat
            the other's decoy by Δ. By (D1) the upper one does, so one of the bets is fair.
    """

    first: Whole
    second: Whole
    votes: Whole
    score: Floats
    comparable: Floats
    incomparable: Floats


def weigh_decoys(log: VoteLog, decoy_gap: float) -> WeighedDecoys:
    """Return the evidence in the log's duels against decoys, at this Δ."""
    duels = log.decoys
    assert duels is not None, "the caller has checked that the log has duels against decoys"
    low, high = np.minimum(duels.item, duels.original), np.maximum(duels.item, duels.original)
    pairs, row = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)
    side = (duels.item > duels.original).astype(np.int64)

    def by_side(values: Floats, blank: float = 0.0) -> Floats:
        table = np.full((len(pairs), 2), blank)
        table[row.reshape(-1), side] = values
        return table

    wins, halves, losses = log.meanings.scored(duels.table)
    clusters = None if duels.clusters is None else duels.clusters[:2]
    streams = ScoreStreams(wins, halves, losses, clusters)
    votes = streams.votes
    score = np.where(votes > 0, (wins + halves / 2) / np.maximum(votes, 1), 0.5)
    above = by_side(streams.log_evidence(Bet.open_ended()))
    within = by_side(streams.log_evidence(Bet.against_gap(decoy_gap)))
    return WeighedDecoys(
        pairs[:, 0],
        pairs[:, 1],
        by_side(votes.astype(np.float64)).astype(np.int64),
        by_side(score, 0.5),
        np.logaddexp(above[:, 0], above[:, 1]) - math.log(2),
        within.min(axis=1),
    )
