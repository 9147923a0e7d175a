"""The judge of several criteria and known attributes: who is out and who is in, by index.

An item j is *above* i if it is no worse on any attribute, and either

- better on every voted criterion (its mean score is above one half), or
- not worse by more than ε on any voted criterion, and clearly better on one: on an attribute, or on
  a voted criterion by more than ε.

*Out*: some item is above i. *In*: for each other item j, it is worse on an attribute; or i is not
beaten on some voted criterion; or j is better on no attribute and beats i by no more than ε on any
criterion. With one criterion and no attribute these are the claims of `_verdicts`. The proofs are
in docs/theory/criteria.md.

Arrays have the axes criterion, pair, direction: direction 0 is about the first item of a pair
against its second, direction 1 the other way round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from antichain.certify._verdicts import (
    Judged,
    Mask,
    PairEvidence,
    Verdicts,
    closed_test,
    largest_inside,
    log_not_maximal,
    row_of,
    with_pairs,
)
from antichain.certify._weigh import Observations, PairAnswers, ScoreStreams, all_answers
from antichain.errors import InputError
from antichain.evidence._bet import Bet, Floats, Whole
from antichain.referee import Terms
from antichain.votes._vote_log import VoteLog

_CELLS = 4_000_000  # attributes of items compared with those of all others at a time
_SMALLEST = 1e-4  # the smallest excess over ε that the bet "by more than ε" is on; set by hand


def is_several(log: VoteLog) -> bool:
    """Whether a log is judged by several criteria, or by attributes besides its votes."""
    return log.attributes is not None or (log.criteria is not None and len(log.criteria.logs) > 1)


def criteria_of(log: VoteLog) -> tuple[str, ...]:
    """The names of the voted criteria; one without a name where the log has none."""
    return ("",) if log.criteria is None else log.criteria.names


def check_several(log: VoteLog, terms: Terms) -> None:
    """Refuse what has no meaning with several criteria or attributes."""
    what = "several criteria" if log.attributes is None else "attributes"
    if terms.assume:
        raise InputError(
            f"{terms.assume[0]} is assumed together with {what}, but no assumption was expected "
            "there, because it is about a single order (leave out --assume)"
        )
    if terms.decoy_gap is not None:
        raise InputError(
            f"a decoy gap of {terms.decoy_gap:g} is given together with {what}, but only votes on "
            "two items count there (leave out --decoy-gap)"
        )


# -- attributes ----------------------------------------------------------------------------------


def oriented(log: VoteLog) -> Floats:
    """The attributes of each item (rows), turned so that more is better."""
    known = log.attributes
    if known is None:
        return np.zeros((len(log.items), 0))
    signs = [-1.0 if way == "min" else 1.0 for way in known.directions.values()]
    values = [[known.values[item][name] for name in known.directions] for item in log.items]
    return np.array(values) * signs


class Possible(NamedTuple):
    """What attributes leave open."""

    above: Mask  # by pair and direction: whether the one item may be above the other
    better: Mask  # and whether it is better on an attribute, too
    rivals: Whole  # by item: how many others may be above it


def possible_above(values: Floats, first: Whole, second: Whole) -> Possible:
    ahead = values[first] - values[second]
    above = np.stack([(ahead >= 0).all(axis=1), (ahead <= 0).all(axis=1)], axis=1)
    better = above & (ahead != 0).any(axis=1)[:, None]
    size = len(values)
    if not values.shape[1]:
        return Possible(above, better, np.full(size, size - 1))
    step = max(1, _CELLS // values.size)
    no_worse = [
        (values[None, :, :] >= values[start : start + step, None, :]).all(axis=2).sum(axis=1)
        for start in range(0, size, step)
    ]
    return Possible(above, better, np.concatenate(no_worse).astype(np.int64) - 1)


# -- votes ---------------------------------------------------------------------------------------


def beyond_gap(epsilon: float) -> Bet:
    """The bet against "the mean score is at most 1/2 + ε", at excesses that halve.

    >>> bet = beyond_gap(0.1)
    >>> bool((bet.stakes < 1 / bet.centre).all()), round(float(bet.weights.sum()), 12)
    (True, 1.0)
    """
    centre = 0.5 + epsilon
    largest = 0.9 * (0.5 - epsilon)
    count = 1 + math.ceil(math.log2(largest / _SMALLEST))
    excess = np.array([largest / 2**k for k in range(count)])
    weights = 1 / ((np.arange(count) + 1.0) * (np.arange(count) + 2.0))
    return Bet(centre, excess / (centre * (1 - centre)), weights / weights.sum())


@dataclass(frozen=True, eq=False)
class CriterionEvidence:
    """Log e-values by criterion, pair and direction.

    Attributes:
        above: That the one item is better than the other.
        within: That it does not beat the other by more than ε.
        beyond: That it beats the other by more than ε.
        possible: What attributes leave open.
    """

    above: Floats
    within: Floats
    beyond: Floats
    possible: Possible

    @classmethod
    def weighed(
        cls, streams: list[ScoreStreams], epsilon: float, possible: Possible
    ) -> CriterionEvidence:
        bets = Bet.open_ended(), Bet.against_gap(epsilon), beyond_gap(epsilon)
        above, within, beyond = (
            np.array(
                [
                    np.stack([side.log_evidence(bet) for side in (s, s.turned())], axis=1)
                    for s in streams
                ]
            )
            for bet in bets
        )
        return cls(above, within, beyond, possible)

    @property
    def _one(self) -> bool:
        return len(self.above) == 1

    @cached_property
    def dominates(self) -> Floats:
        """By pair and direction: that the one item is above the other.

        If it is not, then one of the criteria is fair in each `min`, or each is in the mean. Where
        attributes exclude it, nothing is ever shown: the e-value is 1.
        """
        everywhere = self.above.min(axis=0)
        # Not worse by more than ε is what the other does not beat it by.
        no_worse = self.within[:, :, ::-1].min(axis=0)
        clearly = np.minimum(no_worse, _log_mean(self.beyond))
        found = everywhere if self._one else _log_mean(np.stack([everywhere, clearly]))
        found = np.where(self.possible.better, no_worse, found)
        return np.where(self.possible.above, found, 0.0)

    @cached_property
    def cleared(self) -> Floats:
        """By pair and direction: that the one item leaves the other in; infinite by attributes."""
        somewhere = _log_mean(self.above[:, :, ::-1])
        nowhere = self.within.min(axis=0)
        found = nowhere if self._one else _log_mean(np.stack([somewhere, nowhere]))
        found = np.where(self.possible.better, somewhere, found)
        return np.where(self.possible.above, found, np.inf)


def _log_mean(logs: Floats) -> Floats:
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - math.log(len(logs)))


def streams_of(log: VoteLog, read: PairAnswers) -> list[ScoreStreams]:
    """The scores of each criterion, one stream per pair that is read."""
    if log.criteria is None:
        return [read.scores]
    place = {name: k for k, name in enumerate(log.items)}
    return [_stream(part, place, read) for part in log.criteria.logs.values()]


def _stream(part: VoteLog, place: dict[str, int], read: PairAnswers) -> ScoreStreams:
    index = np.array([place[name] for name in part.items], np.int64)
    one, other = index[part.pairs.first], index[part.pairs.second]
    turned = one > other
    rows = row_of(read, np.minimum(one, other), np.maximum(one, other))
    wins, ties, losses = part.scored()
    table = np.zeros((3, len(read.first)), np.int64)
    table[:, rows] = np.where(turned, losses, wins), ties, np.where(turned, wins, losses)
    found = all_answers(part).scores.clusters
    if found is not None:
        at, score, times = found
        found = Observations(rows[at], np.where(turned[at], 1 - score, score), times)
    return ScoreStreams(table[0], table[1], table[2], found)


# -- verdicts ------------------------------------------------------------------------------------


class JudgedCriteria(NamedTuple):
    """What the votes and attributes amount to, and the evidence by criterion behind it."""

    judged: Judged
    evidence: CriterionEvidence
    streams: list[ScoreStreams]


def judge_criteria(log: VoteLog, terms: Terms, every: bool = False) -> JudgedCriteria:
    """Judge a log with several criteria or attributes, whatever the order of its votes.

    With `every`, pairs without votes have a row, too, at the end.
    """
    read = all_answers(log)
    if every:
        read = with_pairs(read, *np.triu_indices(read.size, 1))
    streams = streams_of(log, read)
    possible = possible_above(oriented(log), read.first, read.second)
    evidence = CriterionEvidence.weighed(streams, terms.epsilon, possible)
    single = log.clusters is None and log.pooling
    verdicts = verdicts_of(read, evidence, terms, single)
    pairs = PairEvidence(
        evidence.dominates, evidence.within.min(axis=(0, 2)), np.zeros(len(read.first))
    )
    return JudgedCriteria(Judged(read, pairs, None, verdicts), evidence, streams)


def verdicts_of(
    read: PairAnswers, evidence: CriterionEvidence, terms: Terms, single: bool
) -> Verdicts:
    possible, above = evidence.possible, evidence.dominates
    against, others = log_not_maximal(read, above, None, single)
    # What nothing can be above is no hypothesis: it is maximal, and never tested.
    tested = possible.rivals > 0
    out, required = np.zeros(read.size, np.bool_), np.full(read.size, np.inf)
    out[tested], required[tested] = closed_test(against[tested], terms.shares["out"])
    least = _least(read, evidence)
    inside, level = largest_inside(least, out, terms.shares["in"])
    lowers = np.stack([read.second, read.first], axis=1)
    return Verdicts(
        out=out,
        inside=inside,
        evidence=np.where(inside, least, against),
        required=np.where(inside, level, required),
        above=above,
        cleared=evidence.cleared,
        clearing=(),
        wanted=math.log(max(1, read.size - int(inside.sum())) / terms.shares["in"]),
        to_lose=required[lowers] - others,
    )


def _least(read: PairAnswers, evidence: CriterionEvidence) -> Floats:
    """For each item, the least log-evidence that an opponent leaves it in."""
    least, met = np.full(read.size, np.inf), np.zeros(read.size, np.int64)
    for side, ours in enumerate((read.second, read.first)):
        np.minimum.at(least, ours, evidence.cleared[:, side])
        met += np.bincount(ours, evidence.possible.above[:, side], read.size).astype(np.int64)
    return np.where(evidence.possible.rivals > met, np.minimum(least, 0.0), least)
