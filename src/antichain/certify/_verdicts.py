"""Which items are out and which are in, by index: the judge of counts, whatever their order.

`_replay` has the judge of answers in the order of their asks. The proofs are in
docs/theory/certificates.md and docs/theory/few-votes.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.certify._weigh import (
    PairAnswers,
    Weighed,
    WeighedDecoys,
    all_answers,
    all_decoy_answers,
    weigh,
    weigh_decoys,
)
from antichain.evidence._bet import Bet, Floats, Whole
from antichain.referee import Terms
from antichain.referee._standing import POOLED_WEIGHT, SHRINK
from antichain.votes._vote_log import VoteLog

Mask = NDArray[np.bool_]


class Clearing(NamedTuple):
    """A bet that clears opponents: its terms by pair and direction, and where it applies."""

    bet: Bet
    terms: Floats
    applies: Mask


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What is shown of each item, and how far the others are from that.

    Attributes:
        out: Whether each item is out.
        inside: Whether it is in.
        evidence: For items that are in or out, the log-evidence for it; for others, that they are
            not maximal.
        required: The log-evidence that was required.
        above: For each pair and direction, that the one item is above the other.
        cleared: For each pair and direction, that the one item does not beat the other by more
            than ε.
        clearing: The bets behind `cleared`.
        wanted: The log-evidence that clears an opponent of the next item that comes in.
        to_lose: The log-evidence in `above` with which the one item alone would put the other out.
        weakest: Of items that are in, the opponent that is cleared least; None to look it up.
        every: Whether opponents that are out have to be cleared.
    """

    out: Mask
    inside: Mask
    evidence: Floats
    required: Floats
    above: Floats
    cleared: Floats
    clearing: tuple[Clearing, ...]
    wanted: float
    to_lose: Floats
    weakest: Whole | None = None
    every: bool = True


class PairEvidence(NamedTuple):
    """Log e-values of claims on named pairs: by pair and direction, by pair, by pair."""

    above: Floats
    even: Floats
    incomparable: Floats


class Judged(NamedTuple):
    """What the answers that were read amount to."""

    read: PairAnswers
    pairs: PairEvidence
    decoys: WeighedDecoys | None
    verdicts: Verdicts


def judge_counts(log: VoteLog, terms: Terms) -> Judged:
    """Judge a log by its counts, whatever their order."""
    read = all_answers(log, terms.cannot_compare)
    decoys = None
    if terms.decoy_gap is not None:
        decoys = weigh_decoys(all_decoy_answers(log), terms.decoy_gap)
    single = log.clusters is None and log.pooling
    asked = len(read.first)
    if decoys is not None and log.clusters is None:
        read = with_pairs(read, decoys.first, decoys.second)
    weighed = weigh(read, terms.epsilon, terms.cannot_compare)
    cleared = weighed.cleared
    if decoys is not None and log.clusters is None:
        # Under "j beats i by more than ε", j also beats the decoy of i by Δ: both bets are fair.
        cleared = cleared.copy()
        cleared[row_of(read, decoys.first, decoys.second)] += decoys.within
    pooled = weighed.pooled if log.pooling and not terms.cannot_compare else None
    evidence, others = log_not_maximal(read, weighed.above, pooled, single)
    verdicts = _judged(read, weighed, cleared, evidence, others, terms)
    pairs = PairEvidence(
        weighed.above[:asked], weighed.within.min(axis=1)[:asked], weighed.incomparable[:asked]
    )
    return Judged(read, pairs, decoys, verdicts)


def with_pairs(read: PairAnswers, first: Whole, second: Whole) -> PairAnswers:
    """The same answers with rows for these pairs, too, at the end."""
    new = row_of(read, first, second) < 0
    more = int(new.sum())
    if not more:
        return read

    def longer(column: Whole) -> Whole:
        return np.concatenate([column, np.zeros(more, np.int64)])

    scores = read.scores
    longer_scores = replace(
        scores, wins=longer(scores.wins), ties=longer(scores.ties), losses=longer(scores.losses)
    )
    return replace(
        read,
        first=np.concatenate([read.first, first[new]]),
        second=np.concatenate([read.second, second[new]]),
        scores=longer_scores,
        cannot=longer(read.cannot),
        others=longer(read.others),
        lost=longer(read.lost),
    )


def row_of(read: PairAnswers, first: Whole, second: Whole) -> Whole:
    """The row of each of these pairs, first < second; −1 where there is none."""
    keys, wanted = read.first * read.size + read.second, first * read.size + second
    order = np.argsort(keys, kind="stable")
    if not len(keys):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    rows = order[at]
    return np.where(keys[rows] == wanted, rows, -1)


# -- out -----------------------------------------------------------------------------------------


def log_not_maximal(
    read: PairAnswers, above: Floats, pooled: Floats | None, single: bool
) -> tuple[Floats, Floats]:
    """Log N_i, the evidence that each item is not maximal; and what one opponent adds to it.

    The latter is, for each pair and direction, the log of the factor of that opponent's e-value
    in N_i, all others as they are.

    Args:
        read: The pairs.
        above: By pair and direction, the log-evidence that the one item is above the other.
        pooled: By item, the log-evidence of all its duels together, if it is used.
        single: Whether the bets of one item's pairs may be multiplied.
    """
    size = read.size
    lowers = np.concatenate([read.second, read.first])
    logs = above.T.ravel()
    if single:
        shares = [share or 1 / size for share in SHRINK]
        factors = [np.logaddexp(math.log1p(-share), math.log(share) + logs) for share in shares]
        products = np.array([np.bincount(lowers, factor, minlength=size) for factor in factors])
        mean = np.logaddexp.reduce(products) - math.log(len(shares))
        weights = [
            product[lowers] - factor + math.log(share)
            for product, factor, share in zip(products, factors, shares, strict=True)
        ]
        others = np.logaddexp.reduce(np.array(weights)) - math.log(len(shares))
    else:
        # The mean over all opponents; the e-value of one that was never met is 1.
        top = np.zeros(size)
        np.maximum.at(top, lowers, logs)
        sums = np.bincount(lowers, np.exp(logs - top[lowers]), minlength=size)
        unmet = size - 1 - np.bincount(lowers, minlength=size)
        mean = top + np.log(sums + unmet * np.exp(-top)) - math.log(size - 1)
        others = np.full(len(logs), -math.log(size - 1))
    if pooled is not None:
        mean = np.logaddexp(math.log(1 - POOLED_WEIGHT) + mean, math.log(POOLED_WEIGHT) + pooled)
        others = others + math.log(1 - POOLED_WEIGHT)
    return mean, others.reshape(2, -1).T


def closed_test(evidence: Floats, alpha: float) -> tuple[Mask, Floats]:
    """Which hypotheses a closed test by averages of e-values rejects, and what it requires.

    A hypothesis is rejected if in every set that contains it the average e-value reaches 1/α.
    The worst such set takes in all others whose e-value is below 1/α. If a true one is rejected,
    then the average over all true ones, an e-value itself, stands at 1/α or more.

    Args:
        evidence: The log of each e-value; those without any evidence are 0.
        alpha: The probability of ever rejecting a true hypothesis.

    >>> closed_test(np.log([1000.0, 30.0, 1.0]), 0.05)[0]
    array([ True, False, False])
    """
    required = required_by_averages(evidence, alpha)
    return evidence >= required, required


def required_by_averages(evidence: Floats, alpha: float) -> Floats:
    """The log-evidence that the closed test by averages requires of each hypothesis."""
    short = np.maximum(0.0, 1 - alpha * np.exp(np.minimum(evidence, 700.0)))
    return np.asarray(np.log((1 + short.sum() - short) / alpha))


# -- in ------------------------------------------------------------------------------------------


def least_cleared(read: PairAnswers, cleared: Floats, needed: Mask) -> Floats:
    """For each item, the least log-evidence that an opponent does not beat it by more than ε.

    It is zero if an opponent that is `needed` was never met, and infinite if nobody is needed.
    """
    least = np.full(read.size, np.inf)
    met = np.zeros(read.size, np.int64)
    for side, (ours, theirs) in enumerate(((read.second, read.first), (read.first, read.second))):
        counts = needed[theirs]
        np.minimum.at(least, ours[counts], cleared[counts, side])
        met += np.bincount(ours[counts], minlength=read.size)
    missing = needed.sum() - needed - met > 0
    return np.where(missing, np.minimum(least, 0.0), least)


def largest_inside(least: Floats, out: Mask, alpha: float) -> tuple[Mask, Floats]:
    """The largest set of items that are in, and the log-evidence that was required.

    A set of m of K items is in if each of its members clears its opponents at (1 + K − m)/α.
    """
    size = len(least)
    inside, values = np.zeros(size, np.bool_), np.where(out, -np.inf, least)
    order = np.argsort(-values, kind="stable")
    members = np.arange(1, size + 1)
    passing = np.flatnonzero(values[order] >= np.log((1 + size - members) / alpha))
    count = int(passing[-1]) + 1 if len(passing) else 0
    inside[order[:count]] = True
    return inside, np.full(size, math.log((1 + size - count) / alpha))


def _judged(
    read: PairAnswers,
    weighed: Weighed,
    cleared: Floats,
    evidence: Floats,
    others: Floats,
    terms: Terms,
) -> Verdicts:
    out, required = closed_test(evidence, terms.shares["out"])
    needed = ~out if terms.strong else np.ones_like(out)
    least = least_cleared(read, cleared, needed)
    inside, level = largest_inside(least, out, terms.shares["in"])
    lowers = np.stack([read.second, read.first], axis=1)
    return Verdicts(
        out=out,
        inside=inside,
        evidence=np.where(inside, least, evidence),
        required=np.where(inside, level, required),
        above=weighed.above,
        cleared=cleared,
        clearing=(Clearing(weighed.bet_within, weighed.within_terms, np.ones_like(lowers, bool)),),
        wanted=math.log(max(1, read.size - int(inside.sum())) / terms.shares["in"]),
        to_lose=required[lowers] - others,
        every=not terms.strong,
    )
