"""UnchainedBandits: peel with direct duels, then settle with decoys."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from antichain.algorithms._base import Algorithm, Rules, check_decoys_or_epsilon
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan
from antichain.algorithms._ubs import (
    Compare,
    DecoysInStep,
    DecoysOneSided,
    check_peeling,
    peel,
    peeling_floor,
    peeling_schedule,
    ubs_routine,
)
from antichain.evidence._bet import Bet
from antichain.evidence._sequential import SequentialTest


@dataclass(frozen=True)
class UnchainedBandits(Algorithm):
    """The paper's algorithm for partially observable posets.

    N−1 peeling epochs thin the items out with direct duels, at gaps ε_1 > … > ε_{N−1}; the last
    epoch decides between what is left with duels against decoys. Each epoch is one call of
    `ubs_routine`.

    Attributes:
        decoy_gap: Δ, the gap of the decoys; None to do without decoys.
        epsilon: Without decoys, the ε of the approximation.
        gamma: The peeling rate γ.
        epsilon0: Where peeling starts, ε_0.

    Guarantee:
        With decoys built as in Proposition "Extending a poset with a decoy", the front is exact
        with probability at least 1 − δ. Without decoys the answer is an ε-approximation with
        probability at least 1 − δ: it contains the front, and no *member* beats a member by
        more than ε. Assumes order compatibility and independent duels, nothing else. It holds
        for the default rules; the paper's own (`Rules.paper()`) exceed δ in places
        (docs/theory/errata.md, 2).

    Error budget (default rules, K items, S_N entering the decoy epoch):
        - *Throwing a maximal item out* takes a false "a above b". Each ordered pair has one
          process for all epochs, direct and decoy bets multiplied, which passes 1/α with
          probability at most α at any time; α = share·δ/(K(K−1)).
        - *"Indistinguishable" while peeling spends nothing*: it only leaves the pair to a later
          epoch. So a test may end that way as soon as a gap of ε_t is unlikely at
          `peeling_doubt`.
        - *Keeping a dominated item d*: some maximal j is above d, j is never thrown out, so the
          decoy epoch compares j with d, and d stays only if that one test errs. A union over
          the dominated items in S_N, at most |S_N|−1 of them, at (1−share)·δ/(|S_N|−1) each.
          Decoy duels are independent of the direct ones that chose S_N.
        - Without decoys the last peel must be right about every pair: of a pair at most one
          direction has a gap above ε, so (1−share)·δ is split over K(K−1)/2 pairs.

    Departures from the paper:
        `Rules.paper()`: none but docs/theory/errata.md, 1, 3–5 and 10. Default rules: the tests and
        levels above, early exit from a dominated candidate's comparisons, pivots that dominate
        often are tried first, each decoy direction stops by itself.

    Example:
        >>> from antichain import SimulatedArena, find_front, posets
        >>> arena = SimulatedArena(posets.chains(2, 3, seed=1), decoy_gap=0.1, seed=1)
        >>> result = find_front(arena, UnchainedBandits(delta=0.01, decoy_gap=0.1))
        >>> set(result.front) == set(arena.model.front)
        True
    """

    decoy_gap: float | None = 0.01
    epsilon: float | None = None
    gamma: float = 0.9
    epsilon0: float = 0.5

    name: ClassVar[str] = "unchained"
    guarantee: ClassVar[str | None] = (
        "With probability at least 1 − δ the front is exact (with decoys) or an ε-approximation "
        "(without); under the paper's rules, only as far as its intervals, which are read after "
        "every duel, keep their level."
    )
    paper: ClassVar[Mapping[str, Any] | None] = {"rules": Rules.paper()}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_decoys_or_epsilon(self.decoy_gap, self.epsilon)
        check_peeling(self.gamma, self.epsilon0)

    @property
    def needs_decoys(self) -> float | None:
        """The gap of the decoys the arena must offer, or None."""
        return self.decoy_gap

    def schedule(self, items: int) -> tuple[float, ...]:
        """The gaps of the peeling epochs for that many items."""
        if self.decoy_gap is not None:
            floor = peeling_floor(items, self.decoy_gap)
            return peeling_schedule(floor, self.gamma, self.epsilon0)
        assert self.epsilon is not None
        # Without decoys the last peel is the answer: there must be one, however coarse.
        return peeling_schedule(self.epsilon, self.gamma, self.epsilon0) or (self.epsilon,)

    def plan(self, state: PlanState) -> Plan[Indices]:
        """Peel, peel, …, and decide."""
        schedule = self.schedule(state.size)
        tests = _Tests(self, state.size, schedule)
        survivors: Indices = np.arange(state.size)
        survivors = yield from peel(
            state, survivors, schedule, tests.direct, early_exit=self.rules.early_exit
        )
        if self.decoy_gap is None:
            return survivors
        with state.epoch("decoys", self.decoy_gap, survivors.size):
            compare = tests.decoys(self.decoy_gap, survivors.size)
            return (yield from ubs_routine(state, survivors, compare))


class _Tests:
    """Which test at which level in which epoch: the error budget of `UnchainedBandits`."""

    def __init__(
        self, algorithm: UnchainedBandits, items: int, schedule: tuple[float, ...]
    ) -> None:
        self.delta, self.rules = algorithm.delta, algorithm.rules
        self.pairs = max(1, items * (items - 1))
        self.exact = algorithm.decoy_gap is not None
        self.epochs = len(schedule) + self.exact
        # Without decoys the last peel is the answer, and must be right about every pair.
        self.binding = None if self.exact else schedule[-1]
        self.elimination = self.rules.elimination_share * self.delta / self.pairs
        """The level of each ordered pair's process, for all epochs."""
        self.inclusion = (1 - self.rules.elimination_share) * self.delta
        """The budget for keeping dominated items."""
        # Below half the finest gap looked for no duel can tell: the grid ends a little above.
        # Without a peel only counts brought along can be direct ones.
        finest = schedule[-1] / 1.5 if schedule else algorithm.decoy_gap
        assert finest is not None  # without decoys there is always a peel
        self.bet = Bet.geometric(finest)

    def direct(self, gap: float, entering: int) -> SequentialTest:
        """The test of a peeling epoch."""
        if self.rules.tests == "intervals":
            return SequentialTest.direct_interval(self._interval(entering), gap)
        doubt = self.rules.peeling_doubt
        if gap == self.binding:
            # Of a pair at most one direction has a gap above ε: half the ordered pairs.
            doubt = self.inclusion / max(1, self.pairs // 2)
        return SequentialTest.two_sided_bets(self.elimination, self.bet, gap, doubt)

    def decoys(self, gap: float, entering: int) -> Compare:
        """How candidates are compared in the last epoch."""
        early = self.rules.early_exit
        if self.rules.tests == "bets":
            doubt = self.inclusion / max(1, entering - 1)
            test = SequentialTest.one_sided_bets(self.elimination, Bet.geometric(gap), gap, doubt)
            return DecoysOneSided(test, early, self.bet)
        delta = self._interval(entering)
        if self.rules.in_step:
            return DecoysInStep(SequentialTest.decoys_in_step(delta, gap), early)
        return DecoysOneSided(SequentialTest.one_sided_interval(math.log(4 / delta), gap), early)

    def _interval(self, entering: int) -> float:
        """The paper's level of one comparison, δ/(N|S_t|²)."""
        return self.delta / self.epochs / entering**2
