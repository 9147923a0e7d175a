"""PeelToOne: the maximum of a chain under order compatibility alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from antichain import checks
from antichain.algorithms.board import Board
from antichain.algorithms.comparisons import DirectComparisons
from antichain.algorithms.rounds import Indices, Plan
from antichain.algorithms.ubs import ubs_routine
from antichain.evidence.mixture import open_grid
from antichain.evidence.sequential import SequentialTest


@dataclass(frozen=True)
class PeelToOne:
    """Peels a chain, ever finer, until one item is left.

    Each epoch is a call of `ubs_routine` with direct duels at ε_t = ε_0·γ^t: clear losers go
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

    def __post_init__(self) -> None:
        checks.between("gamma", self.gamma, 0, 1)
        checks.between("epsilon0", self.epsilon0, 0, 0.5 / self.gamma)
        checks.probability("doubt", self.doubt)

    def find(self, board: Board, chain: Indices, delta: float) -> Plan[int]:
        """The maximum of `chain`, wrong with probability at most `delta`."""
        grid = open_grid()
        level = delta / max(1, chain.size - 1)
        epsilon = self.epsilon0
        while chain.size > 1:
            epsilon *= self.gamma
            test = SequentialTest.two_sided_bets(level, grid, epsilon, self.doubt)
            compare = DirectComparisons(test, early_exit=True)
            chain = yield from ubs_routine(board, chain, compare, favour_winners=True)
        return int(chain[0])
