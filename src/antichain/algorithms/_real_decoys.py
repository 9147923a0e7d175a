"""RealDecoys: peel with direct duels, tell comparable from not with decoys that are degraded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from antichain import _checks
from antichain.algorithms._base import Algorithm
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Ahead, Indices, Plan, Round, round_of
from antichain.algorithms._ubs import (
    Meeting,
    bets_at,
    check_peeling,
    peel,
    peeling_floor,
    peeling_schedule,
    ubs_routine,
)
from antichain.errors import ParameterError
from antichain.evidence._answers import Verdict
from antichain.evidence._bet import Bet
from antichain.evidence._relations import Relation, relation
from antichain.evidence._sequential import SequentialTest

if TYPE_CHECKING:
    from antichain.algorithms._result import Result
    from antichain.orders._model import DuelModel


@dataclass(frozen=True)
class RealDecoys(Algorithm):
    """The front where decoys are degraded versions: direction comes from direct duels only.

    Peeling as in `UnchainedBandits`. Then every two items that are left duel against each other's
    decoys. If neither wins by Δ, they are incomparable; as soon as one is shown to win at all, they
    are comparable, and direct duels look for the direction, down to a gap of ε. Pairs that are
    comparable and closer than that both stay, and the result names them (`Result.too_close`).

    Attributes:
        decoy_gap: Δ, the smallest gap by which a decoy loses to any item at or above its original;
            `check_decoys` says what it can be.
        epsilon: ε, the gap below which the direction is not looked for; by default Δ.
        gamma: The peeling rate γ.
        epsilon0: Where peeling starts, ε_0.

    Guarantee:
        With probability at least 1 − δ all of this holds at once:

        1. no item thrown out is maximal: the front is among the items kept (`Result.front`);
        2. each kept item that is not maximal stands in a too-close pair with a kept maximal item
           above it by at most ε; so kept items in no such pair are maximal (`Result.certain`);
        3. too-close pairs are comparable, and neither beats the other by more than ε.

        With no too-close pair the front is exact. 1 assumes order compatibility and independent
        duels, and nothing about the decoys; 2 also assumes (D1), that every item at or above
        another beats its decoy by at least Δ; 3 also assumes (D2), that an item incomparable to
        another does not beat its decoy. How a decoy fares against items *below* its original does
        not matter. The paper's fourth condition (docs/theory/errata.md, 6) is not needed.

    Error budget (K items, S_N entering the decoy epoch; docs/theory/decoys.md has the proof):
        - Promise 1: share·δ over K(K−1) ordered pairs; one bet on direct duels each.
        - Promise 2: the rest, over the |S_N|−1 items that can be dominated; one decoy test each.
        - Promise 3: share·δ over K(K−1)/2 pairs. For an incomparable pair only "comparable" can be
          wrong, for a comparable one only "within ε", so that they share one level.

    Departures from the paper:
        It is another algorithm; `Rules.paper()` is refused.

    Example:
        >>> from antichain import DegradedArena, DuelModel, find_front
        >>> model = DuelModel.from_relations([("a", "b", 0.01)], items=["a", "b", "c"])
        >>> arena = DegradedArena(model, decoy_gap=0.2)
        >>> result = find_front(arena, RealDecoys(delta=0.01, decoy_gap=0.2))
        >>> result.front, result.too_close, result.certain
        (('a', 'b', 'c'), (('a', 'b'),), ('c',))
    """

    decoy_gap: float = 0.01
    epsilon: float | None = None
    gamma: float = 0.9
    epsilon0: float = 0.5

    name: ClassVar[str] = "real-decoys"
    guarantee: ClassVar[str | None] = (
        "With probability at least 1 − δ the answer contains the front, and each other member "
        "stands in a too-close pair."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _checks.gap("decoy_gap", self.decoy_gap)
        if self.epsilon is not None:
            _checks.gap("epsilon", self.epsilon)
        check_peeling(self.gamma, self.epsilon0)
        if self.rules.tests != "bets":
            raise ParameterError(
                f"rules have tests={self.rules.tests!r}, but RealDecoys rests on bets: rules with "
                "tests='bets', such as Rules(), were expected."
            )
        _checks.between("twice rules.elimination_share", 2 * self.rules.elimination_share, 0, 1)

    @property
    def needs_decoys(self) -> float | None:
        """The gap of the decoys the arena must offer."""
        return self.decoy_gap

    @property
    def closest(self) -> float:
        """ε: pairs closer than this may stay unordered."""
        return self.decoy_gap if self.epsilon is None else self.epsilon

    def schedule(self, items: int) -> tuple[float, ...]:
        """The gaps of the peeling epochs for that many items."""
        floor = peeling_floor(items, self.decoy_gap)
        return peeling_schedule(floor, self.gamma, self.epsilon0)

    def is_right(self, result: Result, model: DuelModel) -> bool:
        """Whether the answer holds the front, and nothing else outside too-close pairs."""
        return set(result.certain) <= set(model.front) <= set(result.front)

    def plan(self, state: PlanState) -> Plan[Indices]:
        """Peel, peel, …, then compare what is left by decoys and order it by direct duels."""
        items, rules, schedule = state.size, self.rules, self.schedule(state.size)
        # The level of each ordered pair, for "above" by direct duels and "comparable" by decoys.
        claim = rules.elimination_share * self.delta / max(1, items * (items - 1))
        # One grid for all epochs, so that a pair's direct duels feed one process.
        bet = Bet.geometric(min([*schedule, self.closest]) / 1.5)
        test_at = bets_at(claim, bet, rules.peeling_doubt)
        survivors: Indices = np.arange(items)
        survivors = yield from peel(
            state, survivors, schedule, test_at, early_exit=rules.early_exit
        )
        # "Within ε" has one level per pair: at most one of its directions has a gap above ε.
        order = SequentialTest.two_sided_bets(claim, bet, self.closest, 2 * claim)
        compare = _DegradedComparisons(self._decoys(claim, survivors.size), order, rules.early_exit)
        with state.epoch("decoys", self.decoy_gap, survivors.size):
            return (yield from ubs_routine(state, survivors, compare))

    def _decoys(self, claim: float, entering: int) -> SequentialTest:
        """Item against decoy: comparable, or not at or above the decoy's original."""
        inclusion = (1 - 2 * self.rules.elimination_share) * self.delta
        doubt = inclusion / max(1, entering - 1)
        bet = Bet.geometric(self.decoy_gap)
        return SequentialTest.one_sided_bets(claim, bet, self.decoy_gap, doubt)


class _DegradedComparisons:
    """Decoys tell whether a pair is comparable, direct duels which of the two is above.

    First each pivot against the candidate's decoy, where a dominator shows itself; then, for
    pivots that did not win by Δ there, the candidate against their decoys.
    """

    def __init__(self, decoys: SequentialTest, direct: SequentialTest, early_exit: bool) -> None:
        self.decoys = decoys
        self.direct = direct
        self.early_exit = early_exit

    def __call__(
        self, state: PlanState, candidate: int, pivots: Indices, upcoming: Indices
    ) -> Plan[Meeting]:
        """How the candidate stands to every pivot, or to those up to the first above it."""
        standings = [Relation.OPEN] * pivots.size
        turns = [(pivot_first, k) for pivot_first in (True, False) for k in range(pivots.size)]
        for pivot_first, position in turns:
            if standings[position] is not Relation.OPEN:
                continue
            pivot, rest = int(pivots[position]), pivots[position + 1 :]
            if pivot_first:
                ahead = self._later(state, candidate, pivots, rest, upcoming)
                outcome = yield self._against_decoys(state, pivot, candidate, ahead)
            else:
                ahead = self._later(state, candidate, rest, pivots[:0], upcoming)
                outcome = yield self._against_decoys(state, candidate, pivot, ahead)
            if outcome.said(Verdict.LEFT)[0]:
                standings[position] = yield from self._order(state, candidate, pivot)
            elif not pivot_first:
                standings[position] = Relation.INCOMPARABLE
            if standings[position] is Relation.BELOW and self.early_exit:
                break
        beaten = np.array([standing is Relation.ABOVE for standing in standings], np.bool_)
        dominated = Relation.BELOW in standings
        return Meeting(beaten, standings.index(Relation.BELOW) if dominated else -1)

    def _order(self, state: PlanState, candidate: int, pivot: int) -> Plan[Relation]:
        """How a pair that decoys showed comparable is ordered, by direct duels."""
        others = np.array([pivot], np.int64)
        start = state.counts.direct(candidate, others)
        outcome = yield round_of(candidate, others, self.direct, start=start)
        # Which decoy showed it does not matter here: one that lost is enough.
        standing = relation(Verdict(int(outcome.verdicts[0])), Verdict.LEFT, Verdict.OPEN)
        if standing is Relation.TOO_CLOSE:
            state.too_close.append((candidate, pivot))
        return standing

    def _against_decoys(
        self, state: PlanState, lefts: Indices | int, rights: Indices | int, ahead: Ahead = None
    ) -> Round:
        """Items against the decoys of others."""
        left, right = np.broadcast_arrays(np.atleast_1d(lefts), np.atleast_1d(rights))
        start = state.counts.decoys(left, right)
        return round_of(left, right, self.decoys, start=start, ahead=ahead)

    def _later(
        self, state: PlanState, candidate: int, below: Indices, above: Indices, upcoming: Indices
    ) -> Ahead:
        """What will probably follow: the rest of this candidate's decoy duels, then others'."""
        if not self.early_exit:
            return None

        def ahead() -> Iterable[Round]:
            yield self._against_decoys(state, above, candidate)
            yield self._against_decoys(state, candidate, below)
            everyone = np.append(below, candidate)
            for other in upcoming.tolist():
                yield self._against_decoys(state, everyone, other)
                yield self._against_decoys(state, other, everyone)

        return ahead
