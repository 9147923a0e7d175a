"""What duels against decoys show of pairs: incomparable, comparable, or comparable but too close.

The decoys are degraded versions, of which no more is assumed than `antichain.evidence.relations`
says: (D1) whoever is at or above an item beats its decoy by at least Δ; (D2) whoever is
incomparable to it does not beat its decoy. No decoy ever puts one item above another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from antichain.certify.budget import Rejections
from antichain.evidence.bet import Bet, Floats, Whole, total
from antichain.logs.votes import DecoyVotes, VoteLog


@dataclass(frozen=True, eq=False)
class WeighedDecoys:
    """Log e-values of pairs of which at least one item met the other's decoy.

    Attributes:
        first: The index of one item of each pair.
        second: The index of the other.
        votes: Votes that score: of the first against the decoy of the second, and the other way.
        score: The mean scores in them, 1/2 where there are none.
        comparable: Against "incomparable": the mean of the bets that either item beats the other's
            decoy. By (D2) neither does, so that each is fair.
        incomparable: Against "comparable": the lesser of the bets that either item does not beat
            the other's decoy by Δ. By (D1) whichever is above does, so that one of them is fair.
    """

    first: Whole
    second: Whole
    votes: Whole
    score: Floats
    comparable: Floats
    incomparable: Floats


def weigh_decoys(log: VoteLog, decoy_gap: float) -> WeighedDecoys:
    """The evidence in the log's duels against decoys, at the Δ given."""
    duels = log.decoys
    if duels is None:
        none, nothing = np.zeros(0, np.int64), np.zeros(0)
        return WeighedDecoys(
            none, none, none.reshape(0, 2), nothing.reshape(0, 2), nothing, nothing
        )
    low, high = np.minimum(duels.item, duels.original), np.maximum(duels.item, duels.original)
    pairs, row = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)
    side = (duels.item > duels.original).astype(np.int64)
    place = row.reshape(-1), side

    def laid_out(values: Floats, blank: float = 0.0) -> Floats:
        table = np.full((len(pairs), 2), blank)
        table[place] = values
        return table

    wins, halves, losses = log.meanings.scored(duels.table)
    votes = wins + halves + losses
    above = laid_out(_evidence(duels, Bet.open_ended(), wins, losses, halves))
    within = laid_out(_evidence(duels, Bet.against_gap(decoy_gap), wins, losses, halves))
    return WeighedDecoys(
        pairs[:, 0],
        pairs[:, 1],
        laid_out(votes.astype(np.float64)).astype(np.int64),
        laid_out(np.where(votes > 0, (wins + halves / 2) / np.maximum(votes, 1), 0.5), 0.5),
        np.logaddexp(above[:, 0], above[:, 1]) - math.log(2),
        within.min(axis=1),
    )


def _evidence(duels: DecoyVotes, bet: Bet, wins: Whole, losses: Whole, halves: Whole) -> Floats:
    if duels.clusters is None:
        return total(bet.terms_of_counts(wins, losses, halves))
    rows, scores, _ = duels.clusters
    return total(bet.terms_of_scores(rows, scores, len(duels.item)))


def decoy_claims(weighed: WeighedDecoys, items: int, alpha: float) -> tuple[Rejections, Rejections]:
    """Which pairs are shown to be comparable, and which to be incomparable.

    Of each pair exactly one of the two is false, so that a union over pairs is enough for both
    together. There is no step-down: a true claim on a pair leaves the false one to be made.
    """
    level = alpha / max(1, items * (items - 1) // 2)
    threshold = -math.log(level) if level else math.inf
    levels = np.full(len(weighed.first), level)
    return (
        Rejections(weighed.comparable >= threshold, levels),
        Rejections(weighed.incomparable >= threshold, levels),
    )
