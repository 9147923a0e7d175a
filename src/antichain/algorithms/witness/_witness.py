"""Witness: the exact front for about as few duels as any method can."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from antichain.algorithms._base import Algorithm, check_decoys_or_epsilon
from antichain.algorithms._epsilon_front import epsilon_front
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan
from antichain.algorithms._ubs import (
    DecoysOneSided,
    bets_at,
    peel,
    peeling_floor,
    peeling_schedule,
    ubs_routine,
)
from antichain.algorithms.witness._beliefs import Beliefs, Believer
from antichain.algorithms.witness._choice import Chooser
from antichain.algorithms.witness._table import Budget, Mask, Table, played, test_length
from antichain.errors import ParameterError
from antichain.evidence._answers import Floats
from antichain.evidence._bet import Bet, log_bets
from antichain.evidence._sequential import SequentialTest

if TYPE_CHECKING:
    from antichain.algorithms._result import Result
    from antichain.orders._model import DuelModel

# Set by hand; they decide what a run costs (docs/measurements/numbers.md, "Fewest duels") and never
# what it claims.
_FIRST_LOOK = 16
"""Direct duels of each field item with each possible witness."""
_LOOKING = 0.2
"""What the first look at the witnesses may cost each field item, in units of a test."""
_MOST_WITNESSES = 400
"""Possible witnesses that are looked at, at most."""
_LARGEST_FIELD = 40
"""With more items left, planning with witnesses takes longer than it is worth."""
_LARGEST_TABLE = 1000
"""With more items left than this, a table of all their pairs does not pay."""
_MEETINGS = 0.02
"""Duels of a row with an item that fell before it at most, in units of a test."""
_SUSPICIOUS = 0.1
"""A pair likelier than this to be above and below is settled before all others."""


@dataclass(frozen=True)
class Witness(Algorithm):
    """Settles who is maximal with shared witnesses, near the information limit.

    To show that a is not above b, it is enough that a does not beat the decoy of some c known to
    be below b; duels of a against that one decoy count for every b above c. What is left after
    peeling is settled by a covering program that is solved again and again as evidence comes in.

    Attributes:
        decoy_gap: Δ, the gap of the decoys; None to do without decoys.
        epsilon: Without decoys, the ε of the front looked for.
        meet_fallen: Whether items that are left meet those that fell before them again, which
            saves many duels; runs of earlier versions are repeated without it.
        aim: "duels" for the fewest duels; "regret" to do without witnesses, whose duels cost
            more regret when decoys of poor items count.

    Guarantee:
        With decoys built as in Proposition "Extending a poset with a decoy", the front is exact
        with probability at least 1 − δ, under order compatibility and independent duels: proof
        in docs/theory/witness.md. Without decoys, with probability at least 1 − δ the answer
        contains the front and no item, member or not, beats a member by more than ε: proof in
        docs/theory/epsilon-front.md.

    Departures from the paper:
        The peeling is that of `UnchainedBandits` with the default rules; the decoy epoch is
        another.

    Example:
        >>> from antichain import SimulatedArena, find_front, posets
        >>> arena = SimulatedArena(posets.chains(2, 3, seed=1), decoy_gap=0.1, seed=1)
        >>> result = find_front(arena, Witness(delta=0.01, decoy_gap=0.1))
        >>> set(result.front) == set(arena.model.front)
        True
    """

    decoy_gap: float | None = 0.01
    epsilon: float | None = None
    aim: Literal["duels", "regret"] = "duels"
    _: KW_ONLY
    meet_fallen: bool = True

    name: ClassVar[str] = "witness"
    earlier: ClassVar[Mapping[str, Any]] = {"meet_fallen": False}
    guarantee: ClassVar[str | None] = (
        "With probability at least 1 − δ the front is exact (with decoys), or the answer contains "
        "the front and no item beats a member by more than ε (without)."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_decoys_or_epsilon(self.decoy_gap, self.epsilon)
        if self.rules.tests != "bets":
            raise ParameterError(
                f"rules have tests={self.rules.tests!r}, but Witness rests on bets: rules with "
                "tests='bets', such as Rules(), were expected."
            )
        if self.aim not in ("duels", "regret"):
            raise ParameterError(f"aim is {self.aim!r}, but one of duels, regret was expected.")
        if self.aim == "regret" and self.decoy_gap is None:
            raise ParameterError(
                "aim is 'regret' and decoy_gap is None, but only runs with decoys have witnesses "
                "to do without: aim='duels' was expected, or a decoy_gap."
            )

    @property
    def needs_decoys(self) -> float | None:
        """The gap of the decoys the arena must offer, or None."""
        return self.decoy_gap

    def is_right(self, result: Result, model: DuelModel) -> bool:
        """Whether the answer is the front or, without decoys, an ε-front that contains it."""
        if self.epsilon is None:
            return super().is_right(result, model)
        found = set(result.front)
        return set(model.front) <= found <= set(model.eps_front(self.epsilon))

    def plan(self, state: PlanState) -> Plan[Indices]:
        """Peel, look for witnesses, settle."""
        if self.decoy_gap is None:
            assert self.epsilon is not None  # checked when made
            return (yield from epsilon_front(state, self.delta, self.epsilon, self.rules))
        budget = Budget(self.delta, self.rules.elimination_share)
        field = yield from self._peel(state, self.decoy_gap, budget)
        if field.size == 1:
            return field
        with state.epoch("settle", self.decoy_gap, field.size):
            if field.size > _LARGEST_TABLE:
                return (yield from _pair_by_pair(state, field, self.decoy_gap, budget))
            again = self.meet_fallen and self.aim == "duels"
            settling = _settle(
                state, np.sort(field), self.decoy_gap, budget, self.aim, meet_fallen=again
            )
            return (yield from settling)

    def phases(self, items: int) -> int:
        """How many phases a run has at most, with decoys."""
        assert self.decoy_gap is not None
        return len(_peeling(items, self.decoy_gap)) + 1

    def _peel(self, state: PlanState, gap: float, budget: Budget) -> Plan[Indices]:
        """Throw out by direct duels who falls easily."""
        return (
            yield from peel(
                state,
                np.arange(state.size),
                _peeling(state.size, gap),
                bets_at(*_peeling_bet(state.size, gap, budget), self.rules.peeling_doubt),
                early_exit=self.rules.early_exit,
                worthwhile=lambda gap, entering: entering > 1,
            )
        )


def _peeling(items: int, gap: float) -> tuple[float, ...]:
    """The gaps of the peeling epochs."""
    return peeling_schedule(min(peeling_floor(items, gap), 0.45))


def _peeling_bet(items: int, gap: float, budget: Budget) -> tuple[float, Bet]:
    """The level of each ordered pair's "above" by direct duels, and the bet."""
    schedule = _peeling(items, gap)
    return budget.peeling / max(1, items * (items - 1)), Bet.geometric(schedule[-1] / 1.5)


def _look(table: Table) -> Plan[None]:
    """A few direct duels of each row with each possible witness."""
    look = np.zeros(table.certified.shape)
    look[:, table.size :] = _FIRST_LOOK
    yield from table.duel(look)


def _meet_again(table: Table, level: float, bet: Bet) -> Plan[None]:
    """Let rows fall to items thrown out before them, whom they may never have met.

    Whoever seems to be above a row meets it again, twice as often each time. The bet is that of
    the peel, on all duels of the pair, so that it has its place in the budget already.
    """
    rows, columns = np.nonzero(~table.certified[:, table.size :])
    columns += table.size
    while True:
        counts = table.plan_state.counts.ever(table.columns[columns], table.field[rows])
        evidence = log_bets(bet.packed, counts)
        for k in np.argsort(-evidence, kind="stable")[: table.size]:
            if evidence[k] < -math.log(level) or table.alive.sum() == 1:
                break
            if table.alive[rows[k]]:
                table.fall_directly(int(rows[k]), int(columns[k]))
        met = played(table.direct[rows, columns])
        lead = table.direct[rows, columns, 1] - table.direct[rows, columns, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            promising = lead / np.sqrt(met) > 0.5 * np.log2(met / 8)
        promising &= table.alive[rows] & (met > 0) & (met < _MEETINGS * table.unit)
        if table.alive.sum() == 1 or not promising.any():
            return
        targets = np.zeros(table.certified.shape)
        targets[rows[promising], columns[promising]] = 2 * met[promising]
        yield from table.duel(targets)


def _settle(
    state: PlanState, field: Indices, gap: float, budget: Budget, aim: str, *, meet_fallen: bool
) -> Plan[Indices]:
    """Those of the field that nobody in it is above, shown with decoys."""
    unit = test_length(gap, budget)
    peeling = _peeling_bet(state.size, gap, budget)
    if meet_fallen and field.size == 2 and state.fallen and _worth_a_look(unit):
        # Too few for witnesses, but one may be below somebody it has never met.
        fallen = state.rng.permutation(sorted(state.fallen))[: _worth_a_look(unit)]
        table = Table(state, field, np.sort(fallen), gap, budget)
        yield from _look(table)
        yield from _meet_again(table, *peeling)
        if not table.alive.all():
            return field[table.alive]
    witnesses = _possible_witnesses(state, field, unit) if aim == "duels" else field[:0]
    table = Table(state, field, witnesses, gap, budget)
    if witnesses.size:
        yield from _look(table)
        if meet_fallen:
            yield from _meet_again(table, *peeling)
    believer, chooser = Believer(table), Chooser(table)
    while (owed := table.owed()).any():
        beliefs = believer.believe(table)
        choice = chooser.choose(beliefs.above, owed)
        if choice.direct.any():
            yield from table.duel(choice.direct)
            believer.look_again(table)
            chooser.refresh()
            continue
        if not table.weighed:
            # Counts of decoy duels brought along have a part in beliefs, and must have none here.
            blind = bool(state.counts.initial_decoys)
            table.weigh(np.zeros_like(beliefs.suspicion) if blind else beliefs.suspicion)
        amounts = choice.amounts
        suspects = _prime_suspects((owed > 0) & (beliefs.suspicion > _SUSPICIOUS), beliefs)
        if suspects.any():
            # Whoever may fall should fall before others spend long tests on it.
            amounts = np.zeros(amounts.shape)
            amounts[:, : field.size] = np.where(suspects, owed, 0.0)
        yield from table.duel_decoys(_targets(table, owed, amounts))
    return field[table.alive]


def _prime_suspects(suspects: Mask, beliefs: Beliefs) -> Mask:
    """For each item the one most likely above it: to fall, falling to one is enough."""
    likeliest = np.where(suspects, beliefs.suspicion, -1.0).argmax(axis=0)
    prime = np.zeros_like(suspects)
    prime[likeliest, np.arange(likeliest.size)] = True
    return prime & suspects


def _pair_by_pair(state: PlanState, field: Indices, gap: float, budget: Budget) -> Plan[Indices]:
    """The paper's decoy epoch, each pair at its own level: for fields too large for a table."""
    others = field.size - 1
    falling = budget.decoys + budget.certificates  # there are none of these
    test = SequentialTest.one_sided_bets(
        falling / (field.size * others), Bet.geometric(gap), gap, budget.inclusion / others
    )
    return (yield from ubs_routine(state, field, DecoysOneSided(test, early_exit=True)))


def _worth_a_look(unit: float) -> int:
    """How many of the items thrown out a first look at them is worth, at most."""
    return min(_MOST_WITNESSES, int(_LOOKING * unit / _FIRST_LOOK))


def _possible_witnesses(state: PlanState, field: Indices, unit: float) -> Indices:
    """Some of the items thrown out: as many as a first look at them is worth."""
    thrown_out = np.array(sorted(state.fallen), np.int64)
    if not 2 < field.size <= _LARGEST_FIELD:
        return thrown_out[:0]
    most = _worth_a_look(unit)
    if thrown_out.size > most:
        thrown_out = np.sort(state.rng.permutation(thrown_out)[:most])
    return thrown_out


def _targets(table: Table, owed: Floats, amounts: Floats) -> Floats:
    """How far to go this time towards the amounts, as total duels against each decoy.

    In steps that do not pass the goal unseen: a bet walks 2Δ a duel, and should not walk a
    quarter of what is owed between two looks. A new pair starts small and grows, so that a
    witness that turns out dominated is found out before it has cost much.
    """
    rows, columns = np.nonzero(amounts > 0)
    whole = amounts[rows, columns] / table.drift
    so_far = played(table.decoy[rows, columns])
    counting = np.where(table.certified.T[columns] & (owed[rows] > 0), owed[rows], np.inf)
    walk = (counting.min(axis=1) / (8 * table.gap)) ** 2
    least = 0.0015 * table.unit
    step = np.minimum(whole, np.maximum(np.minimum(walk, whole / 10), least))
    step = np.maximum(8, np.minimum(step, np.maximum(24, 0.7 * so_far)))
    targets = np.zeros(amounts.shape)
    targets[rows, columns] = so_far + np.ceil(step)
    return targets
