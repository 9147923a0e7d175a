"""The evidence in votes: log e-values for everything a certificate may claim.

Arrays with a row per pair asked and two columns are about its two directions: column 0 is about
its first item against the second, column 1 the other way round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from antichain.evidence._bet import Bet, Floats, Whole, total
from antichain.referee._terms import CANNOT_HIGH, CANNOT_LOW, on_rates
from antichain.votes._vote_log import FORMS, VoteLog

_CANNOT = FORMS.index("incomparable")


class Observations(NamedTuple):
    """Scores in [0, 1], each of one observation, or of as many as `times` says."""

    stream: Whole  # which stream each belongs to
    score: Floats
    times: Whole | None = None

    def turned(self) -> Observations:
        return self._replace(score=1 - self.score)

    def counts(self, streams: int, weights: Floats | float = 1.0) -> Floats:
        """How many observations each stream has, or the sums of their weights."""
        times = np.ones(len(self.score)) if self.times is None else self.times
        return np.asarray(np.bincount(self.stream, times * weights, minlength=streams), np.float64)


@dataclass(frozen=True, eq=False)
class ScoreStreams:
    """Many streams of scores in [0, 1], given by counts or by one mean score per cluster.

    Attributes:
        wins: The number of wins of each stream.
        ties: Votes that count half.
        losses: Votes that count zero.
        clusters: The mean score of each cluster, or the score of each vote where it may be any
            fraction; then these are the observations, and the counts serve only to count votes.
    """

    wins: Whole
    ties: Whole
    losses: Whole
    clusters: Observations | None = None

    def turned(self) -> ScoreStreams:
        """Return the same streams seen from the other side."""
        clusters = None if self.clusters is None else self.clusters.turned()
        return ScoreStreams(self.losses, self.ties, self.wins, clusters)

    def terms(self, bet: Bet, lost: Whole | int = 0) -> Floats:
        """The log of each weighted term of a bet (columns) for each stream (rows).

        Answers that were `lost` count as what is least favourable to the bet.
        """
        if self.clusters is not None:
            stream, scores, times = self.clusters
            return bet.terms_of_scores(stream, scores, len(self.wins), times)
        if bet.stakes[0] > 0:
            return bet.terms_of_counts(self.wins, self.losses + lost, self.ties)
        return bet.terms_of_counts(self.wins + lost, self.losses, self.ties)

    def log_evidence(self, bet: Bet, lost: Whole | int = 0) -> Floats:
        return total(self.terms(bet, lost))

    @property
    def votes(self) -> Whole:
        return self.wins + self.ties + self.losses

    @property
    def observations(self) -> Whole:
        if self.clusters is None:
            return self.votes
        return self.clusters.counts(len(self.wins)).astype(np.int64)

    @property
    def mean(self) -> Floats:
        """The mean of the observations of each stream, 1/2 if there are none."""
        observed = np.maximum(self.observations, 1)
        if self.clusters is None:
            return np.asarray(0.5 + (self.wins - self.losses) / (2 * observed))
        sums = self.clusters.counts(len(self.wins), self.clusters.score - 0.5)
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
        _, scores, times = self.clusters
        return float(4 * np.average((scores - 0.5) ** 2, weights=times)) if len(scores) else 1.0


@dataclass(frozen=True, eq=False)
class PairAnswers:
    """The answers that are read, one row per pair; counts are seen from its first item.

    Attributes:
        size: The number of items.
        first: The index of one item of each pair.
        second: The index of the other.
        scores: Its votes that score anything.
        cannot: Answers "cannot compare", whatever they score.
        others: All other answers but those that were skipped.
        lost: Asks that were given up; they count against every claim.
        by_item: For each cluster and item (or vote and item), its mean score against anyone.
    """

    size: int
    first: Whole
    second: Whole
    scores: ScoreStreams
    cannot: Whole
    others: Whole
    lost: Whole
    by_item: Observations | None = None

    def per_item(self, of_first: Any, of_second: Any) -> Floats:
        """Sum over each item's pairs: one number where it comes first, another where second."""
        return np.asarray(
            np.bincount(self.first, of_first, minlength=self.size)
            + np.bincount(self.second, of_second, minlength=self.size)
        )

    def losing(self) -> ScoreStreams:
        """All duels of each item as one stream, in which its losses are wins."""
        scores = self.scores
        sides = (scores.wins, scores.losses), (scores.ties,) * 2, (scores.losses, scores.wins)
        won, tied, lost = (self.per_item(*side).astype(np.int64) for side in sides)
        return ScoreStreams(won, tied, lost, self.by_item).turned()

    def given_up(self) -> Whole:
        """How many asks about each item were given up."""
        return self.per_item(self.lost, self.lost).astype(np.int64)


def all_answers(log: VoteLog, cannot_apart: bool = False) -> PairAnswers:
    """All answers of a log, whatever their order; skipped ones say nothing.

    With `cannot_apart` scores are about votes that compare: "cannot compare" scores nothing.
    """
    pairs = log.pairs
    lost = np.zeros(pairs.size, np.int64)
    read = answers_of(log, pairs.first, pairs.second, pairs.table, lost, cannot_apart)
    if log.clusters is not None and log.clusters.single:
        return read
    if log.clusters is not None:
        columns = zip((log.clusters.pairs, log.clusters.items), log.clusters.times, strict=True)
        by_pair, by_item = (Observations(who, mean, times) for (who, mean, _), times in columns)
    elif log.scores is not None:
        by_pair = Observations(*log.scores)
        row, score, times = log.scores
        by_item = Observations(
            np.concatenate([pairs.first[row], pairs.second[row]]),
            np.concatenate([score, 1 - score]),
            np.concatenate([times, times]),
        )
    else:
        return read
    return replace(read, scores=replace(read.scores, clusters=by_pair), by_item=by_item)


def answers_of(
    log: VoteLog, first: Whole, second: Whole, table: Whole, lost: Whole, cannot_apart: bool
) -> PairAnswers:
    """The answers in a table with a row per pair and a column per form (`FORMS`)."""
    meanings = replace(log.meanings, incomparable="ignore") if cannot_apart else log.meanings
    scores = ScoreStreams(*meanings.scored(table))
    cannot, others = table[:, _CANNOT], table[:, :_CANNOT].sum(axis=1)
    return PairAnswers(len(log.items), first, second, scores, cannot, others, lost)


@dataclass(frozen=True, eq=False)
class Weighed:
    """Log e-values of what the answers say of each pair and each item.

    Attributes:
        above: For "the first is above the second", and the other way round.
        within: For "the first does not beat the second by more than ε", and the other way round.
        within_terms: The terms of these bets: pair, direction, term.
        cleared: As `within`, where answers "cannot compare" may show it too.
        pooled: For each item, for "it is not maximal", from all its duels.
        incomparable: For "most voters cannot compare the two".
        bet_within: The bet behind `within`.
    """

    above: Floats
    within: Floats
    within_terms: Floats
    cleared: Floats
    pooled: Floats
    incomparable: Floats
    bet_within: Bet


def weigh(read: PairAnswers, epsilon: float, cannot_compare: bool = False) -> Weighed:
    """Weigh answers; with `cannot_compare`, by what that answer is assumed to mean."""
    bet_above, bet_within = Bet.open_ended(), Bet.against_gap(epsilon)
    sides = read.scores, read.scores.turned()
    above = np.stack([side.log_evidence(bet_above, read.lost) for side in sides], axis=1)
    within_terms = np.stack([side.terms(bet_within, read.lost) for side in sides], axis=1)
    cleared = within = _by_direction(within_terms)
    if cannot_compare:
        can, apart = (bets[:, None] for bets in _on_cannot(read))
        above, cleared = np.minimum(above, can), np.logaddexp(within, apart) - math.log(2)
    return Weighed(
        above=above,
        within=within,
        within_terms=within_terms,
        cleared=cleared,
        pooled=read.losing().log_evidence(bet_above, read.given_up()),
        incomparable=_cannot_compare(read, bet_above),
        bet_within=bet_within,
    )


def _by_direction(terms: Floats) -> Floats:
    pairs, directions, grid = terms.shape
    return total(terms.reshape(-1, grid)).reshape(pairs, directions)


def _on_cannot(read: PairAnswers) -> tuple[Floats, Floats]:
    """Log e-values that two items can be compared, and that they cannot, by what voters say."""
    compared, none = read.scores.votes, np.zeros_like(read.cannot)
    can, apart = on_rates(CANNOT_HIGH, above=False), on_rates(CANNOT_LOW, above=True)
    return (
        total(can.terms_of_counts(read.cannot + read.lost, compared, none)),
        total(apart.terms_of_counts(read.cannot, compared + read.lost, none)),
    )


def _cannot_compare(read: PairAnswers, bet: Bet) -> Floats:
    """Log e-values against "at most half of the answers are: cannot compare".

    They are zero if votes are clustered, since the bet takes single answers as independent.
    """
    if read.scores.clusters is not None:
        return np.zeros(len(read.first))
    stream = ScoreStreams(read.cannot, np.zeros_like(read.cannot), read.others)
    return stream.log_evidence(bet, read.lost)


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
        within: For "the first does not beat the decoy of the second by Δ", and the other way
            round.
        comparable: Against "incomparable": the mean of the two bets that one item beats the
            other's decoy. By (D2) neither does, so each bet is fair.
        incomparable: Against "comparable": the smaller of the two bets that one item does not beat
            the other's decoy by Δ. By (D1) the upper one does, so one of the bets is fair.
    """

    first: Whole
    second: Whole
    votes: Whole
    score: Floats
    within: Floats
    comparable: Floats
    incomparable: Floats


@dataclass(frozen=True, eq=False)
class DecoyAnswers:
    """The answers to duels of an item against the decoy of another, one row per such two."""

    item: Whole
    original: Whole
    scores: ScoreStreams
    lost: Whole


def all_decoy_answers(log: VoteLog) -> DecoyAnswers:
    duels = log.decoys
    assert duels is not None, "the caller has checked that the log has duels against decoys"
    clusters = None if duels.clusters is None else Observations(*duels.clusters[:2])
    scores = ScoreStreams(*log.meanings.scored(duels.table), clusters)
    return DecoyAnswers(duels.item, duels.original, scores, np.zeros(len(duels.item), np.int64))


def weigh_decoys(duels: DecoyAnswers, decoy_gap: float) -> WeighedDecoys:
    """Return the evidence in duels against decoys, at this Δ."""
    low, high = np.minimum(duels.item, duels.original), np.maximum(duels.item, duels.original)
    pairs, row = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)
    side = (duels.item > duels.original).astype(np.int64)

    def by_side(values: Floats, blank: float = 0.0) -> Floats:
        table = np.full((len(pairs), 2), blank)
        table[row.reshape(-1), side] = values
        return table

    streams, votes = duels.scores, duels.scores.votes
    shares = (streams.wins + streams.ties / 2) / np.maximum(votes, 1)
    above = by_side(streams.log_evidence(Bet.open_ended(), duels.lost))
    within = by_side(streams.log_evidence(Bet.against_gap(decoy_gap), duels.lost))
    return WeighedDecoys(
        pairs[:, 0],
        pairs[:, 1],
        by_side(votes.astype(np.float64)).astype(np.int64),
        by_side(np.where(votes > 0, shares, 0.5), 0.5),
        within,
        np.logaddexp(above[:, 0], above[:, 1]) - math.log(2),
        within.min(axis=1),
    )
