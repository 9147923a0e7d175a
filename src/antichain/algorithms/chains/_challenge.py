"""Challenge: the maximum of a chain under order compatibility alone, in few duels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain._kernels import compiled
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan, round_of
from antichain.evidence._answers import Counts, Floats, swapped
from antichain.evidence._bet import Bet, bet_quota, log_bet
from antichain.evidence._sequential import SequentialTest
from antichain.orders._implications import UnfitError

_ENDLESS = 2**45
"""Duels of one pair after which nothing is expected of more: a gap of 1e-6 takes fewer."""
_UNDECIDED = (
    f"{{0}} and {{1}} have met more than {_ENDLESS:,} times, and neither is ahead; two items that "
    "can be compared, and are not equal, were expected."
)


@dataclass(frozen=True)
class Challenge:
    """Challenges every item with the opponent that promises to show soonest that it is not maximal.

    To show that an item is not the maximum, any item above it will do. The one that beats it most
    clearly is the cheapest, whether it is the maximum or an item that left long ago. So each round
    estimates, optimistically, how many duels each opponent would still take to prove itself above
    each item left. Every remaining item, except the one that would take the most duels to eliminate
    (it may well be the maximum), duels its best challenger, all pairs side by side.

    Guarantee:
        The maximum, with probability at least 1 − δ, for any order-compatible gaps: no
        stochastic transitivity, no triangle inequality. The maximum m is lost only if one of
        the n−1 processes "a above m" passes its level, each δ/(n−1), at any time; which duels
        are asked has no part in that. Direct duels played before (probes) count. Two items
        closer than 1e-8 are never told apart; with gaps that come arbitrarily close to 0 the
        mean number of duels is infinite.

    Counts of all n² pairs are kept: for chains of many thousands of items, use `PeelToOne`.

    Attributes:
        optimism: What an opponent with n duels is granted on top of its record: optimism/√n.
        growth: A pair that has had n duels is given at most growth·n more at a time, and no
            more than its test surely needs, or n/50 if that is more.
    """

    optimism: float = 0.7
    growth: float = 0.25

    name: ClassVar[str] = "challenge"
    guarantee: ClassVar[str | None] = "The maximum with probability at least 1 − δ."

    def __post_init__(self) -> None:
        _checks.precision("optimism", self.optimism)
        _checks.precision("growth", self.growth)

    def find(self, state: PlanState, chain: Indices, delta: float) -> Plan[int]:
        """Return the maximum of `chain`; it is wrong with probability at most `delta`."""
        counts = np.stack([state.counts.direct(int(item), chain) for item in chain])
        top = yield from self.race(state, chain, delta, counts, np.zeros_like(counts))
        return top

    def race(
        self, state: PlanState, chain: Indices, delta: float, counts: Counts, hints: Counts
    ) -> Plan[int]:
        """Return the maximum of `chain`, given what its pairs have played so far.

        Args:
            state: The state of the plan.
            chain: The items.
            delta: The probability with which the answer may be wrong.
            counts: All duels of each item (rows) with each other one, changed in place.
            hints: Those of them that only say where to look and are not evidence.
        """
        size = chain.size
        threshold = math.log(max(1, size - 1) / delta)
        bet = Bet.open_ended().packed
        evidence = np.full((size, size), -np.inf)
        left = np.ones(size, np.bool_)
        so_many = SequentialTest.fixed()
        uppers, lowers = np.triu_indices(size, 1)
        while True:
            _weigh(uppers, lowers, counts - hints, bet, evidence)
            for winner, loser in _shown(uppers, lowers, evidence, threshold):
                # Never the last one: only errors could show everybody below somebody.
                if left[loser] and left.sum() > 1:
                    left[loser] = False
                    state.eliminate(int(chain[loser]), int(chain[winner]))
            if left.sum() == 1:
                return int(chain[left][0])
            costs, challengers = _best_challengers(counts, evidence, left, threshold, self.optimism)
            uppers, lowers = _pairs(costs[left], np.flatnonzero(left), challengers)
            outcome = yield round_of(
                chain[uppers],
                chain[lowers],
                so_many,
                start=counts[uppers, lowers],
                targets=_targets(counts[uppers, lowers], bet, threshold, self.growth),
            )
            counts[uppers, lowers] = outcome.counts
            counts[lowers, uppers] = swapped(outcome.counts)
            check_end(outcome.counts, zip(chain[uppers], chain[lowers], strict=True))


def check_end(counts: Counts, pairs: Iterable[tuple[int, int]]) -> None:
    """Refuse to go on with pairs that have met more often than any gap worth naming takes.

    Raises:
        UnfitError: There is such a pair: nobody is above the other, though they were to be ordered.
    """
    for pair, duels in zip(pairs, counts.sum(axis=1).tolist(), strict=True):
        if duels > _ENDLESS:
            raise UnfitError(_UNDECIDED, pair)


@compiled
def _weigh(uppers: Indices, lowers: Indices, counts: Counts, bet: Floats, out: Floats) -> None:
    """Note in `out`, for both sides of each pair, the log of the bet that it is above."""
    for row in range(uppers.size):
        a, b = uppers[row], lowers[row]
        wins, losses, ties = counts[a, b, 0], counts[a, b, 1], counts[a, b, 2]
        lost = counts[a, b, 3]
        out[a, b] = log_bet(bet, wins, losses + lost, ties)
        out[b, a] = log_bet(bet, losses, wins + lost, ties)


def _shown(
    uppers: Indices, lowers: Indices, evidence: Floats, threshold: float
) -> Iterator[tuple[int, int]]:
    """(winner, loser) of each pair in which one side is shown above the other."""
    for winners, losers in ((uppers, lowers), (lowers, uppers)):
        above = evidence[winners, losers] >= threshold
        yield from zip(winners[above].tolist(), losers[above].tolist(), strict=True)


@compiled
def _best_challengers(
    counts: Counts,
    evidence: Floats,
    left: NDArray[np.bool_],
    threshold: float,
    optimism: float,
) -> tuple[Floats, Indices]:
    """For each item left, its most promising challenger and the duels that one may need.

    A bet on someone who wins with chance p gains kl(p, 1/2) a duel, at best.
    """
    size = left.size
    costs = np.full(size, np.inf)
    challengers = np.full(size, -1)
    for item in range(size):
        if not left[item]:
            continue
        for other in range(size):
            wins, losses, ties = (
                counts[other, item, 0],
                counts[other, item, 1],
                counts[other, item, 2],
            )
            duels = wins + losses + ties + 1.0
            chance = min(1.0, (wins + 0.5 * (ties + 1)) / duels + optimism / math.sqrt(duels))
            if other == item or chance <= 0.5:
                continue
            gain = math.log(2.0) + chance * math.log(chance)
            if chance < 1.0:
                gain += (1.0 - chance) * math.log(1.0 - chance)
            cost = (threshold - evidence[other, item]) / max(gain, 1e-300)
            if cost < costs[item]:
                costs[item], challengers[item] = cost, other
    return costs, challengers


def _pairs(costs: Floats, left: Indices, challengers: Indices) -> tuple[Indices, Indices]:
    """Who duels: each item left with its challenger, but for the costliest one.

    Of any two items at least one looks beatable by the other, so that only the costliest may
    have no challenger at all, and somebody always duels.
    """
    items = np.delete(left, costs.argmax())
    # Two items may challenge each other: one number for either way round, each taken once.
    one, other = np.minimum(items, challengers[items]), np.maximum(items, challengers[items])
    pairs = np.unique(one * challengers.size + other)
    return pairs // challengers.size, pairs % challengers.size


@compiled
def _targets(counts: Counts, bet: Floats, threshold: float, growth: float) -> Floats:
    """The number of duels each pair is to have had after the next bundle."""
    targets = np.empty(counts.shape[0])
    for row in range(counts.shape[0]):
        wins, losses, ties, lost = counts[row, 0], counts[row, 1], counts[row, 2], counts[row, 3]
        duels = wins + losses + ties + lost
        needed = bet_quota(bet, max(wins, losses), min(wins, losses) + lost, ties, threshold)
        # Close to its verdict a pair surely needs very few: n/50 keeps the rounds few as well.
        bundle = min(max(float(needed), duels / 50), growth * duels)
        targets[row] = duels + max(1.0, math.floor(bundle))
    return targets
