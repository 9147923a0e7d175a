"""PeelToOne: the maximum of a chain under order compatibility alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, repeat
from operator import mul
from typing import ClassVar

from antichain import _checks
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan
from antichain.algorithms._ubs import bets_at, check_peeling, peel
from antichain.evidence._bet import Bet


@dataclass(frozen=True)
class PeelToOne:
    """Peels a chain, ever finer, until one item is left.

    It peels with direct duels at ε_t = ε_0·γ^t, for as long as it takes: clear losers go
    first, and close pairs are only looked into once nothing cheaper is left.

    Guarantee:
        The maximum, with probability at least 1 − δ, for any order-compatible gaps: no
        stochastic transitivity, no triangle inequality. The maximum m is lost only if one of
        the n−1 processes "a above m" passes its level, each δ/(n−1), at any time. Direct duels
        played before (probes) count. Two items closer than 1e-8 are never told apart; with
        gaps that come arbitrarily close to 0 the mean number of duels is infinite.

    Attributes:
        gamma: How fast the epochs get finer.
        epsilon0: Where they start.
        doubt: How unlikely a gap of ε_t must be for a pair to be left to the next epoch; spends
            nothing of δ.
    """

    gamma: float = 0.8
    epsilon0: float = 0.5
    doubt: float = 0.1

    name: ClassVar[str] = "peel"
    guarantee: ClassVar[str | None] = "The maximum with probability at least 1 − δ."

    def __post_init__(self) -> None:
        check_peeling(self.gamma, self.epsilon0)
        _checks.probability("doubt", self.doubt)

    def find(self, state: PlanState, chain: Indices, delta: float) -> Plan[int]:
        """Return the maximum of `chain`; it is wrong with probability at most `delta`."""
        level = delta / max(1, chain.size - 1)
        top = yield from peel(
            state,
            chain,
            accumulate(repeat(self.gamma), mul, initial=self.epsilon0 * self.gamma),
            bets_at(level, Bet.open_ended(), self.doubt),
            worthwhile=lambda gap, entering: entering > 1,
            phases=False,  # the whole of it is part of the caller's phase
        )
        return int(top[0])
