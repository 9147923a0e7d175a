"""What is known while the front is settled: counts, certificates, and what is still owed.

Everything a guarantee rests on is in this file (docs/theory/witness.md has the proof). Which duels
to ask for is decided elsewhere, by belief and predicted cost, and may be as wrong as it likes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan, round_of
from antichain.evidence._answers import COUNTS, Counts, Floats
from antichain.evidence._bet import Bet, bets_against_gap, divergence_from_even, log_bets, steps
from antichain.evidence._sequential import SequentialTest, Streams

Mask = NDArray[np.bool_]

_LEAST_OWED = 1e-9
"""A bet may lack no more than a rounding error: this much a covering program does not overlook."""
_CERTIFYING = Bet.on_gaps(np.arange(0.05, 0.46, 0.05), np.full(9, 1 / 9)).packed
"""The bet behind the certificates "row above column"; its gaps were set by hand."""


class Budget:
    """How δ is divided: three parts of the elimination share, and the rest."""

    def __init__(self, delta: float, elimination_share: float) -> None:
        self.peeling = self.certificates = elimination_share * delta / 4
        self.decoys = elimination_share * delta / 2
        self.inclusion = (1 - elimination_share) * delta
        self.goal = -math.log(self.inclusion)
        """What the bet against a ≻ b must reach, as long as nobody fell to a decoy."""


def test_length(gap: float, budget: Budget) -> float:
    """Duels that one test takes on average: the unit all costs are compared with."""
    return budget.goal / divergence_from_even(gap)


class Table:
    """The field (items not thrown out), the witnesses below it, and every count between them.

    Rows are the field, columns the field and then the witnesses. Column c stands for the decoy
    of c in `decoy` and for c itself in `direct`.
    """

    def __init__(
        self, state: PlanState, field: Indices, witnesses: Indices, gap: float, budget: Budget
    ) -> None:
        self.plan_state = state
        self.field = field
        self.columns = np.concatenate([field, witnesses])
        self.size = field.size
        rows, columns = self.size, self.columns.size
        self.direct: Counts = np.zeros((rows, columns, COUNTS), np.int64)
        self.decoy: Counts = np.zeros((rows, columns, COUNTS), np.int64)
        for row, item in enumerate(field.tolist()):
            self.direct[row, :rows] = state.counts.direct(item, field)
        self.alive: Mask = np.ones(rows, np.bool_)
        self.gap = gap
        self.goal = budget.goal
        self.drift = divergence_from_even(gap)
        """What a duel adds on average to the bet against the gap, when the two are even."""
        self.unit = test_length(gap, budget)
        # Wins, losses, ties and lost answers that count against "row above column". Whole
        # numbers: sums of floats would depend on the machine's way of adding them up.
        self._counting = np.zeros((rows, rows, COUNTS // 2), np.int64)
        self._steps = steps(gap)
        self._falling_bet = Bet.geometric(gap).packed
        # Without witnesses there are no certificates either, and their part is free.
        self._falling = budget.decoys + (0.0 if witnesses.size else budget.certificates)
        self._certificate = math.log(rows * max(1, witnesses.size) / budget.certificates)
        self._weights: Floats | None = None
        self._shares: Floats = np.zeros((rows, rows))
        self._fallen_weight = 0.0
        self.certified = self._first_certificates()
        if state.counts.initial_decoys:
            self._take_initial_decoys()

    # -- what is shown ---------------------------------------------------------------------------

    def _first_certificates(self) -> Mask:
        """Who is at or above which column, as shown while peeling (by transitivity)."""
        certified = np.zeros((self.size, self.columns.size), np.bool_)
        certified[np.arange(self.size), np.arange(self.size)] = True
        place = {int(item): row for row, item in enumerate(self.field)}
        for column in range(self.size, self.columns.size):
            item = int(self.columns[column])
            while item in self.plan_state.fallen:
                item = self.plan_state.fallen[item]
            certified[place[item], column] = True
        return certified

    def certify(self) -> Floats:
        """Note new certificates "row above column"; returns the log-evidence the others lack."""
        lacking = np.maximum(0.0, self._certificate - log_bets_of(_CERTIFYING, self.direct))
        missing = np.where(self.certified, 0.0, lacking)
        self.certified[:, self.size :] |= missing[:, self.size :] == 0.0
        return missing

    # -- duels -----------------------------------------------------------------------------------

    def duel(self, targets: Floats) -> Plan[None]:
        """Direct duels of rows against columns, up to `targets` in total (0: none)."""
        yield from self._play(self.direct, targets, SequentialTest.fixed())

    def duel_decoys(self, targets: Floats) -> Plan[None]:
        """Duels of rows against columns' decoys, up to `targets` in total (0: none)."""
        if self._weights is None:
            raise AssertionError("weights are set before the first decoy duel")
        before = self.decoy.copy()
        yield from self._play(self.decoy, targets, SequentialTest.fixed(Streams.DECOY))
        # A duel counts for everybody certified above the column *when it was asked*: what was
        # played before a certificate could have been chosen for how it came out.
        self._count(self.decoy - before)
        self._throw_out()

    def _count(self, new: Counts) -> None:
        # As floats, which are multiplied faster: whole numbers below 2^53 add up exactly.
        above = self.certified.T.astype(np.float64)
        for form in range(self._counting.shape[2]):
            more = new[..., form].astype(np.float64) @ above
            self._counting[..., form] += more.astype(np.int64)

    def _play(self, counts: Counts, targets: Floats, test: SequentialTest) -> Plan[None]:
        rows, columns = np.nonzero(targets)
        outcome = yield round_of(
            self.field[rows],
            self.columns[columns],
            test,
            start=counts[rows, columns],
            targets=targets[rows, columns],
        )
        counts[rows, columns] = outcome.counts

    @property
    def credit(self) -> Floats:
        """Log of the bet against "row above column": the product over all that counts."""
        return bets_against_gap(self._counting, self._steps)

    # -- what is owed ----------------------------------------------------------------------------

    def weigh(self, suspicion: Floats) -> None:
        """Divide the budget by how suspicious each pair is; once, before any decoy duel.

        Args:
            suspicion: How likely each row is above each row: any numbers that depend on direct
                duels only keep the guarantee.
        """
        worst = suspicion.max(axis=0)
        self._weights = np.clip(0.02 / np.maximum(worst, 1e-9), 0.05, 1.0)
        self._shares = suspicion + 1e-3
        np.fill_diagonal(self._shares, 0.0)

    @property
    def weighed(self) -> bool:
        """Whether the budget is divided, so that decoys may be asked."""
        return self._weights is not None

    def owed(self) -> Floats:
        """What the bet against "row above column" still lacks; 0 if nothing, or one is out."""
        goals = np.full(self.size, self.goal)
        if self._weights is not None:
            goals += np.log1p(self._fallen_weight / self._weights)
        both = self.alive[:, None] & self.alive[None, :]
        np.fill_diagonal(both, False)
        lacking = goals[None, :] - self.credit
        return np.where(both & (lacking > 0), np.maximum(lacking, _LEAST_OWED), 0.0)

    def fall_directly(self, row: int, column: int) -> None:
        """Throw out a row that direct duels have shown to be below a column.

        Whoever is certified above the column is then certified above all that the row is. (Not so
        where a row falls to a decoy: that shows that it is dominated, and not by whom.)
        """
        above = self.certified[:, column]
        self.certified[above, self.size :] |= self.certified[row, self.size :]
        self._fall(row, column)

    def _fall(self, row: int, column: int) -> None:
        self.alive[row] = False
        if self._weights is not None:
            self._fallen_weight += float(self._weights[row])
        self.plan_state.eliminate(int(self.field[row]), int(self.columns[column]))

    def _throw_out(self) -> None:
        """Throw out whoever was shown below somebody by the duels against its own decoy."""
        assert self._weights is not None
        evidence = log_bets_of(self._falling_bet, self.decoy[:, : self.size])
        # In order of evidence: with each fall, the others' shares of the budget grow.
        order = np.argsort(-(evidence - self._to_fall()), axis=None, kind="stable")
        for above, below in zip(*np.unravel_index(order, evidence.shape), strict=True):
            if evidence[above, below] < self._to_fall()[above, below]:
                break
            if self.alive[above] and self.alive[below]:
                self._fall(below, above)

    def _to_fall(self) -> Floats:
        """The evidence at which each column falls to each row: the fewer left, the less."""
        left = self._shares[:, self.alive].sum()
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(self._falling * self._shares / left))

    def _take_initial_decoys(self) -> None:
        for row, item in enumerate(self.field.tolist()):
            lefts = np.full(self.columns.size, item)
            self.decoy[row] = self.plan_state.counts.decoys(lefts, self.columns)
        self._count(self.decoy)


def log_bets_of(bet: Floats, table: Counts) -> Floats:
    """The log of a packed bet for each cell of a table of counts (rows × columns × 8)."""
    return log_bets(bet, table.reshape(-1, COUNTS)).reshape(table.shape[:2])


def played(counts: Counts) -> NDArray[np.int64]:
    """Duels of each pair, lost ones included."""
    # Added by hand: numpy takes five times as long to sum four numbers at a time.
    return np.asarray(counts[..., 0] + counts[..., 1] + counts[..., 2] + counts[..., 3])
