"""An ε-front by direct duels alone: peel, then clear every opponent of every survivor."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain.algorithms._base import Rules
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan, round_of
from antichain.algorithms._ubs import bets_at, peel, peeling_schedule
from antichain.errors import ParameterError
from antichain.evidence._answers import swapped
from antichain.evidence._bet import Bet, Floats, bet_quotas, log_bets
from antichain.evidence._sequential import SequentialTest

Against = Literal["everyone", "field"]

# All set by hand; docs/theory/epsilon-front.md has what runs with them cost. None of them decides
# whether the promise holds.
_PEEL_SHARE = 0.5
"""Of the budget for throwing out, what goes to the processes that begin with the peel; the rest
goes to those of survivors against items thrown out before, which begin after it."""
_FINEST_PEEL = 2 / 3
"""Peeling never looks finer than this share of ε."""
_SUSPICION = 2.0
"""A challenger with this much log-evidence of being above is settled before all others."""
_GROWTH = 1 / 16
"""A pair's next look comes after this share of the duels it has had, so that looking in rounds
instead of after each duel wastes about half of that."""
_LEAST_STEP = 4
"""The fewest duels of a pair between two looks."""


def epsilon_front(
    state: PlanState,
    delta: float,
    epsilon: float,
    rules: Rules,
    *,
    against: Against = "everyone",
    transitive: bool = False,
) -> Plan[Indices]:
    """The members of an ε-front, by a plan of direct duels.

    With probability at least 1 − δ the answer contains every item that nobody beats, and nobody
    in `against`, member or not, beats a member by more than ε. Duels of a pair must be
    independent with the same law; no order is taken for granted, unless `transitive` says so
    (docs/theory/epsilon-front.md).

    `Witness` uses the defaults of the two switches. The weaker promise and the stronger
    assumption are for callers who state which promise and which assumptions they work with.

    Args:
        state: Where eliminations and epochs are noted.
        delta: The probability with which that may fail.
        epsilon: By how much a member may be beaten.
        rules: Must be based on bets.
        against: "everyone", or "field" for the weaker promise about those only who survive the
            peel; all members are among them, so that no member beats a member by more than ε.
        transitive: Take for granted that items are ordered: whoever was shown below an item shown
            below a candidate then needs no duels with it.
    """
    _checks.probability("delta", delta)
    _checks.gap("epsilon", epsilon)
    if rules.tests != "bets":
        raise ParameterError(
            f"rules have tests={rules.tests!r}, but an ε-front is cleared by bets, which are valid "
            "at any time: rules with tests='bets', such as Rules(), were expected."
        )
    if against not in ("everyone", "field"):
        raise ParameterError(
            f"against is {against!r}, but one of 'everyone', 'field' was expected."
        )
    budget = _Budget(delta, rules, everyone=against == "everyone")
    bet = Bet.geometric(_FINEST_PEEL * epsilon)
    field = np.sort((yield from _peel(state, epsilon, rules, budget, bet)))
    claims = _Claims(state, field, epsilon, budget, bet, transitive)
    with state.epoch("clear", epsilon, field.size):
        yield from _clear(state, claims)
    return field[claims.alive[field]]


class _Budget:
    """How δ is split, and about whom the promise is."""

    def __init__(self, delta: float, rules: Rules, everyone: bool) -> None:
        self.everyone = everyone
        # Against the field nobody who was thrown out is met again: all goes to the peel.
        share = _PEEL_SHARE if everyone else 1.0
        throwing_out = rules.elimination_share * delta
        self.peeling = share * throwing_out
        """For all pairs, in processes that begin with the peel."""
        self.later = (1 - share) * throwing_out
        """For those of items thrown out by the peel against survivors, begun after it."""
        self.inclusion = (1 - rules.elimination_share) * delta
        """For keeping whom somebody beats by more than ε."""

    def level(self, items: int) -> float:
        """The level of each ordered pair's process that begins with the peel."""
        return self.peeling / max(1, items * (items - 1))


def _peel(
    state: PlanState, epsilon: float, rules: Rules, budget: _Budget, bet: Bet
) -> Plan[Indices]:
    """Who is left when peeling no longer pays."""
    schedule = peeling_schedule(_FINEST_PEEL * epsilon)
    before = dict(zip(schedule, (0.5, *schedule), strict=False))

    def pays(gap: float, field: int) -> bool:
        """Whether an epoch should save more duels than it takes.

        Takes gaps for uniform: the nearest dominator's gap of each survivor then lies between
        the last epoch's and this one's with chance twice their difference. Thrown out here, the
        survivor need not be cleared: half the items outside the field are taken to be even with
        it.
        """
        patience = -math.log(rules.peeling_doubt) / 2
        cost = field * (field - 1) / 2 * patience * (1 / gap**2 - 1 / before[gap] ** 2)
        opponents = field - 1 + (state.size - field) / 2 * budget.everyone
        clearing = opponents * -math.log(budget.inclusion) / (2 * epsilon**2)
        return field > 1 and cost < field * 2 * (before[gap] - gap) * clearing

    return (
        yield from peel(
            state,
            np.arange(state.size),
            schedule,
            bets_at(budget.level(state.size), bet, rules.peeling_doubt),
            early_exit=rules.early_exit,
            worthwhile=pays,
        )
    )


class _Claims:
    """Every "this challenger does not beat this candidate by more than ε" that must be shown.

    Within the field the two directions of a pair are partners: they share their duels. A
    claim's bet takes those duels only that are asked while it is open, so that what it reached
    stays; the process for throwing the candidate out takes all of them.
    """

    def __init__(
        self,
        state: PlanState,
        field: Indices,
        epsilon: float,
        budget: _Budget,
        bet: Bet,
        transitive: bool,
    ) -> None:
        firsts, seconds = (field[side] for side in np.triu_indices(field.size, 1))
        outside = np.setdiff1d(np.arange(state.size), field)[: None if budget.everyone else 0]
        inner, outer = firsts.size, outside.size * field.size
        self.challenger: Indices = np.concatenate([firsts, seconds, np.repeat(outside, field.size)])
        self.candidate: Indices = np.concatenate([seconds, firsts, np.tile(field, outside.size)])
        self.partner: Indices = np.concatenate(
            [np.arange(inner) + inner, np.arange(inner), np.full(outer, -1)]
        )
        self.alive = np.ones(state.size, np.bool_)
        self.thrown_out = 0
        self._transitive = transitive
        self.certain = self._shown_below(state)
        self._inclusion = budget.inclusion
        self._clearing = Bet.clearing(epsilon).packed
        self._dominance = bet.packed
        self.bets = np.zeros((2 * inner + outer, 4), np.int64)
        self.cleared: Floats = np.zeros(2 * inner + outer)
        self.duels = self.bets.copy()
        for left in field[:-1].tolist():
            mine = np.flatnonzero(firsts == left)
            counts = state.counts.direct(left, seconds[mine])[:, :4]
            self.duels[mine] = counts
            self.duels[self.partner[mine]] = swapped(counts)
        self.above: Floats = log_bets(self._dominance, self.duels)
        """Log-evidence that the challenger is above; lost answers are held against it."""
        self.out_at = np.full(2 * inner + outer, -math.log(budget.level(state.size)))
        if outer:
            self.out_at[2 * inner :] = -math.log(budget.later / outer)

    def _shown_below(self, state: PlanState) -> NDArray[np.bool_]:
        """Claims whose challenger fell to the candidate, or to somebody who did and so on."""
        above = np.full(state.size + 1, -1)  # the last is for nobody: nobody is above nobody
        above[list(state.fallen.keys())] = list(state.fallen.values())
        below = np.zeros(self.challenger.size, np.bool_)
        upper = above[self.challenger]
        # Where votes are no order there may be a ring of the fallen: go round it once.
        for _ in range(len(state.fallen) if self._transitive else 1):
            if not (upper >= 0).any():
                break
            below |= upper == self.candidate
            upper = above[upper]
        return below

    @property
    def level(self) -> float:
        """What the log of every claim's bet must reach, given who was thrown out so far."""
        return math.log((self.thrown_out + 1) / self._inclusion)

    def open(self) -> NDArray[np.bool_]:
        """Which claims still need duels."""
        wanted: NDArray[np.bool_] = self.alive[self.candidate] & ~self.certain
        return wanted & (self.cleared < self.level)

    def next_up(self, open_: NDArray[np.bool_]) -> Indices:
        """The open claims to work on: of each candidate those most likely to throw it out.

        Suspects come first, then challengers within the field, then everybody else. Of two
        partners only the first is named.
        """
        claims = np.flatnonzero(open_)
        suspect = self.above[claims] >= _SUSPICION
        turn = np.where(suspect, 0, np.where(self.partner[claims] >= 0, 1, 2))
        first = np.full(self.alive.size, 2)
        np.minimum.at(first, self.candidate[claims], turn)
        claims = claims[turn == first[self.candidate[claims]]]
        partners = self.partner[claims]
        named = np.zeros(open_.size, np.bool_)
        named[claims] = True
        once: Indices = claims[(partners < 0) | (claims < partners) | ~named[partners]]
        return once

    def steps(self, claims: Indices, open_: NDArray[np.bool_]) -> Floats:
        """How many duels each of the claims, or its open partner, can take without much waste."""
        partners = self.partner[claims]
        shared = (partners >= 0) & open_[partners]
        steps = self._steps(claims)
        steps[shared] = np.minimum(steps[shared], self._steps(partners[shared]))
        return steps.astype(np.float64)

    def _steps(self, claims: Indices) -> Indices:
        bets = self.bets[claims]
        grown = (_GROWTH * bets.sum(axis=1)).astype(np.int64)
        surely = bet_quotas(self._clearing, bets, self.level)
        steps: Indices = np.maximum(np.maximum(grown, surely), _LEAST_STEP)
        return steps

    def add(self, claims: Indices, new: NDArray[np.int64], open_: NDArray[np.bool_]) -> None:
        """Count new duels of the claims, and of their partners."""
        shared = self.partner[claims] >= 0
        claims = np.concatenate([claims, self.partner[claims[shared]]])
        new = np.concatenate([new, swapped(new[shared])])
        self.duels[claims] += new
        self.above[claims] = log_bets(self._dominance, self.duels[claims])
        betting = open_[claims]
        claims, new = claims[betting], new[betting]
        self.bets[claims] += new
        self.cleared[claims] = log_bets(self._clearing, self.bets[claims])

    def throw_out(self, state: PlanState) -> None:
        """Eliminate the candidates that somebody was shown to be above, clearest first."""
        shown = np.flatnonzero((self.above >= self.out_at) & self.alive[self.candidate])
        for claim in shown[np.argsort(-self.above[shown], kind="stable")].tolist():
            candidate = int(self.candidate[claim])
            if self.alive[candidate]:
                self.alive[candidate] = False
                self.thrown_out += 1
                state.eliminate(candidate, int(self.challenger[claim]))
        if shown.size:
            self.certain = self._shown_below(state)


def _clear(state: PlanState, claims: _Claims) -> Plan[None]:
    """Duel until every claim about a candidate still alive is shown."""
    so_many = SequentialTest.fixed()
    claims.throw_out(state)  # counts brought along may show as much before any duel
    while (open_ := claims.open()).any():
        asked = claims.next_up(open_)
        lefts, rights = claims.challenger[asked], claims.candidate[asked]
        outcome = yield round_of(lefts, rights, so_many, targets=claims.steps(asked, open_))
        claims.add(asked, outcome.counts[:, :4], open_)
        claims.throw_out(state)
