"""Which duels to ask for next, by predicted cost.

All numbers in this file are prices, set by simulation on the paper's posets:
docs/measurements/numbers.md, "Fewest duels", has what runs with them cost. They decide what a run
costs and never what it claims.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antichain._kernels import compiled
from antichain.algorithms._rounds import Indices
from antichain.algorithms.witness._cover import cheapest_cover
from antichain.algorithms.witness._table import Mask, Table, played
from antichain.evidence._answers import Floats

# Set by hand; what they cost in duels together is in docs/measurements/numbers.md, "Fewest duels".
# No claim rests on them.
_SURE = 0.03
"""A witness this unlikely to be dominated is not looked at further by direct duels."""
_LONGEST_LOOK = 0.015
"""Direct duels spent on one doubtful witness at most, in units of a test."""
_DOUBTFUL = 0.1
"""After that long a look, a witness still likelier to be dominated is not used."""
_SOURED = 0.5
"""A witness in use is given up when it is likelier dominated than not."""
_CERTIFIABLE = 0.1
"""A certificate that would cost more than this, in units of a test, is not sought."""
_SPOILT = 0.5
"""What a witness that turns out dominated costs each pair it was used for, in nats, roughly."""
_FEE = 0.3
"""What looking at a new witness costs, in nats."""


class Choice(NamedTuple):
    """What to do next: amounts of evidence to gain at the decoys, or direct duels before that."""

    amounts: Floats
    """Nats that each row is to gain from each column's decoy."""
    direct: Floats
    """Direct duels, as totals to reach (0: none). Come first."""


class Chooser:
    """Chooses; remembers how much each column was used, which spreads its certificates' cost."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._use = np.ones(table.columns.size)
        self._missing = table.certify()

    def refresh(self) -> None:
        """Read the direct duels again."""
        self._missing = self.table.certify()

    def choose(self, above: Floats, owed: Floats) -> Choice:
        """The cheapest way, as far as one can tell, to get everything that is owed."""
        table = self.table
        met = played(table.direct)
        price = self._missing / _information(table, met)
        covering = table.certified | ((above > 0.6) & (price < _CERTIFIABLE * table.unit))
        covering[:, : table.size] = table.certified[:, : table.size]
        running = played(table.decoy) > 0
        usable = self._usable(above, met, running)
        price = np.where(covering, price, 0.0)
        certificates = 1 + price.sum(axis=0) / (table.unit * np.maximum(self._use, 0.1))
        odds = above / np.maximum(1e-9, 1 - above)
        unseen = np.maximum(0.0, 1 - met / (_LONGEST_LOOK * table.unit))
        amounts = cover_rows(owed, covering, usable, certificates, odds, running, unseen)
        self._use = amounts.sum(axis=0) / table.goal
        direct = self._direct(above, owed, covering, price, met, amounts)
        if not direct.any():
            self._earn(amounts, owed)
        return Choice(amounts, direct)

    def _earn(self, amounts: Floats, owed: Floats) -> None:
        """Change the amounts of rows whose duels would count for nobody to what earns something.

        Too little may be owed for the certificates that the amounts count on. Without them
        nothing would ever change.
        """
        counts = (owed > 0) @ self.table.certified
        idle = (owed > 0).any(axis=1) & ~((amounts > 0) & counts).any(axis=1)
        amounts[idle] = 0.0
        amounts[idle, : self.table.size] = owed[idle]

    def _usable(self, above: Floats, met: Indices, running: Mask) -> Mask:
        """Which columns' decoys a row may be duelled with."""
        table = self.table
        patience = np.where(met < _LONGEST_LOOK * table.unit, 0.9, _DOUBTFUL)
        limit = np.where(running, _SOURED, patience)
        usable = (above < limit) & ~table.certified
        usable[:, : table.size] = False  # a field item's decoy is there for that item alone
        return usable

    def _direct(
        self,
        above: Floats,
        owed: Floats,
        covering: Mask,
        price: Floats,
        met: Indices,
        amounts: Floats,
    ) -> Floats:
        """Direct duels that should come first: doubts to settle, certificates to get."""
        table = self.table
        relied = amounts > 0.02 * table.goal
        relied[:, : table.size] = False
        doubts = relied & (above > _SURE) & (met < _LONGEST_LOOK * table.unit)
        wanted = self._wanted(owed, covering, price, amounts)
        targets = np.where(doubts, met + np.maximum(8, met // 2), 0.0)
        further = met + np.maximum(8, np.minimum(price // 2, 2 * met))
        return np.asarray(np.where(wanted, np.maximum(targets, further), targets))

    def _wanted(self, owed: Floats, covering: Mask, price: Floats, amounts: Floats) -> Mask:
        """Certificates that the amounts count on and cannot do without, dear ones spared first."""
        lacking = covering & ~self.table.certified
        wanted = np.zeros(covering.shape, np.bool_)
        for row in np.flatnonzero(owed.any(axis=1)):
            used = np.flatnonzero((amounts[row] > 0.02) & lacking.any(axis=0))
            if used.size == 0:
                continue
            covered = (covering * amounts[row]).sum(axis=1)
            above, place = np.nonzero(lacking[:, used] & (owed[row] > 0)[:, None])
            below = used[place]
            for k in np.argsort(-price[above, below], kind="stable"):
                if covered[above[k]] - amounts[row, below[k]] >= owed[row, above[k]] - 1e-9:
                    covered[above[k]] -= amounts[row, below[k]]
                else:
                    wanted[above[k], below[k]] = True
        return wanted


@compiled
def cover_rows(
    owed: Floats,
    covering: Mask,
    usable: Mask,
    certificates: Floats,
    odds: Floats,
    running: Mask,
    unseen: Floats,
) -> Floats:
    """The amounts of evidence each row should gain from each column, by covering programs.

    A row's columns are the decoys of those it owes something to, and every usable witness below
    at least two of them.

    Args:
        owed: What each row owes to each row.
        covering: Which row is, or will be, certified above which column.
        usable: Which witnesses each row may use.
        certificates: Cost of each column a nat, its missing certificates included.
        odds: Odds that each column is below each row, and so no witness.
        running: Which pairs have met before.
        unseen: How much of the first look at each pair is still to come.
    """
    rows, columns = covering.shape
    amounts = np.zeros((rows, columns))
    for row in range(rows):
        needy = np.flatnonzero(owed[row])
        if needy.size == 0:
            continue
        needs = owed[row][needy]
        reach = np.zeros(columns)
        for b in needy:
            reach += covering[b]
        chosen = np.flatnonzero((reach >= 2) & usable[row])
        chosen = np.concatenate((needy, chosen))
        covers = np.zeros((needy.size, chosen.size), np.bool_)
        costs = np.ones(chosen.size)
        start = np.zeros(chosen.size)
        typical = np.ones(chosen.size)
        for k in range(chosen.size):
            column = chosen[k]
            for place in range(needy.size):
                covers[place, k] = covering[needy[place], column]
            if k < needy.size:
                continue
            costs[k] = certificates[column]
            typical[k] = (needs * covers[:, k]).sum() / reach[column]
            if running[row, column]:
                costs[k] += 0.1 * odds[row, column] * reach[column]
            else:
                spoilt = _SPOILT * min(odds[row, column], 0.3) * reach[column]
                start[k] = spoilt + _FEE * unseen[row, column]
        found = cheapest_cover(covers, costs + start / typical, needs)
        # A new witness has a fixed price. Dividing it by the amount the last solution gave the
        # column makes the program prefer few columns to many small ones.
        for _ in range(2):
            found = cheapest_cover(covers, costs + start / (found + 0.3), needs)
        for k in range(chosen.size):
            amounts[row, chosen[k]] = found[k]
    return amounts


def _information(table: Table, met: Indices) -> Floats:
    """What a direct duel tells of dominance, at the gap the counts suggest."""
    gap = np.clip((table.direct[..., 0] + 1) / (met + 2) - 0.5, 0.02, 0.49)
    return np.asarray((0.5 + gap) * np.log1p(2 * gap) + (0.5 - gap) * np.log1p(-2 * gap))
