"""What the counts suggest, before anything is shown.

Beliefs choose which duels to ask for; no claim ever rests on one. They take gaps to be spread
evenly, as in the paper's simulations; where that is wrong, duels are wasted and nothing else.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from antichain.algorithms.clearing.table import Mask, Table, mixtures
from antichain.compiled import compiled
from antichain.evidence.mixture import pack
from antichain.evidence.sequential import Floats

_SPREAD = pack(
    [(0.01, 0.04), (0.03, 0.04), (0.05, 0.07), *((g, 0.85 / 8) for g in np.arange(0.1, 0.46, 0.05))]
)
"""Gaps and how often each is met, small ones included: those are what spoils a witness."""
_KIN = 4.0
"""Log-odds against two items having the same items above them, before looking."""
_SURELY = 12.0


class Beliefs(NamedTuple):
    """How likely each row is above each column, and how suspicious each pair of the field."""

    above: Floats
    suspicion: Floats


class Believer:
    """Forms beliefs; what stems from direct duels alone is kept until those change."""

    def __init__(self) -> None:
        self._relatives: Floats | None = None
        self._excused: Floats | None = None
        self._read = 0

    def look_again(self, table: Table) -> None:
        """Read the direct duels afresh, if there are enough new ones to matter."""
        duels = int(table.direct.sum())
        if duels > 1.03 * self._read:
            self._relatives = self._excused = None
            self._read = duels

    def believe(self, table: Table) -> Beliefs:
        """Beliefs on all counts so far."""
        evidence = mixtures(_SPREAD, table.direct + table.decoy)
        told = np.where(table.certified, _SURELY, np.clip(evidence, -8, _SURELY))
        size = table.size
        if self._relatives is None:
            self._relatives = np.zeros_like(told)
            if table.columns.size > size:
                told_of_witnesses = np.ascontiguousarray(np.clip(told[:, size:], -6, 6))
                more = np.clip(from_relatives(told_of_witnesses, _KIN), -8, 8)
                self._relatives[:, size:] = more
        above = _with_common_rate(told + self._relatives, table.certified)
        if self._excused is None:
            self._excused = _unwitnessed(above, size)
        # −1.4: four pairs in five that look even are.
        suspicion = self._excused * chance(evidence[:, :size] - 1.4)
        np.fill_diagonal(suspicion, 0.0)
        return Beliefs(above, suspicion)


def chance(log_odds: Floats) -> Floats:
    """The probability with the given log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -50, 50))))


def _with_common_rate(log_odds: Floats, certified: Mask) -> Floats:
    """Chances, where an item below many is likelier to be below one more."""
    rows = log_odds.shape[0]
    above = chance(log_odds)
    for _ in range(2):
        others = above.sum(axis=0) - above
        above = chance(log_odds + np.log((others + 1) / np.maximum(0.5, rows - others)))
        above[certified] = 1.0
    return above


def _unwitnessed(above: Floats, size: int) -> Floats:
    """How likely row a is above all that row d is above: no witness speaks against a ≻ d."""
    witnesses = above[:, size:]
    if witnesses.shape[1] < 2:
        return np.ones((size, size))
    excused = np.empty((size, size))
    for d in range(size):
        against = 1 - witnesses[d] * (1 - witnesses)
        # The second best witness: the best of many is often lucky.
        excused[:, d] = np.partition(against, 1, axis=1)[:, 1]
    return excused


@compiled
def from_relatives(told: Floats, against_kin: float) -> Floats:
    """More log-odds that rows are above columns, from columns that seem to be related.

    In most orders an item's neighbours have the same items above them. Two columns that agree on
    all other rows, by more than their common rate explains, are probably such neighbours; then
    what is told of one is told of the other. It matters for small gaps, which duels alone are
    slow to find: a relative's gap is another draw.
    """
    rows, columns = told.shape
    ratio = np.exp(told)
    more = np.zeros((rows, columns))
    agreement = np.zeros(rows)
    rates = np.zeros(columns)
    for column in range(columns):
        for row in range(rows):
            rates[column] += ratio[row, column] / (1 + ratio[row, column])
        rates[column] = (rates[column] + 0.5) / (rows + 1)
    for other in range(columns):
        rate = rates[other]
        for column in range(columns):
            if other == column:
                continue
            kinship = -against_kin
            for row in range(rows):
                above = ratio[row, column] / (1 + ratio[row, column])
                agreement[row] = math.log(
                    (above * ratio[row, other] + 1 - above) / (rate * ratio[row, other] + 1 - rate)
                )
                kinship += agreement[row]
                if kinship < -20.0:
                    break
            if kinship < -5.0:
                continue
            for row in range(rows):
                kin = 1 / (1 + math.exp(agreement[row] - kinship))
                common = rate * ratio[row, other] + 1 - rate
                more[row, column] += math.log(1 - kin + kin * ratio[row, other] / common)
    return more
