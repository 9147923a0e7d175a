"""What the counts suggest, before anything is shown.

Beliefs choose which duels to ask for; no claim ever rests on one. They take gaps to be spread
evenly, as in the paper's simulations; where that is wrong, duels are wasted and nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antichain.algorithms.clearing.patterns import Patterns
from antichain.algorithms.clearing.table import Table, mixtures, played
from antichain.evidence.mixture import pack
from antichain.evidence.sequential import Floats

_SPREAD = pack(
    [(0.01, 0.04), (0.03, 0.04), (0.05, 0.07), *((g, 0.85 / 8) for g in np.arange(0.1, 0.46, 0.05))]
)
"""Gaps and how often each is met, small ones included: those are what spoils a witness."""
_SURELY = 12.0


class Beliefs(NamedTuple):
    """How likely each row is above each column, and how suspicious each pair of the field."""

    above: Floats
    suspicion: Floats


class Believer:
    """Forms beliefs; what stems from direct duels alone is kept until those change."""

    def __init__(self, table: Table) -> None:
        self._patterns = Patterns(table.columns.size - table.size, table.board.rng)
        self._played = np.zeros(table.certified.shape, np.int64)
        self._told = np.zeros(table.certified.shape)
        self._relatives: Floats | None = None
        self._excused: Floats | None = None
        self._read = 0

    def _evidence(self, table: Table) -> Floats:
        """Log-odds of "row above column" by their duels; only what changed is worked out."""
        counts = table.direct + table.decoy
        total = played(counts)
        new = total != self._played
        self._told[new] = mixtures(_SPREAD, counts[new][None])[0]
        self._played = total
        return self._told

    def look_again(self, table: Table) -> None:
        """Read the direct duels afresh, if there are enough new ones to matter."""
        duels = int(table.direct.sum())
        if duels > 1.08 * self._read:
            self._relatives = self._excused = None
            self._read = duels

    def believe(self, table: Table) -> Beliefs:
        """Beliefs on all counts so far."""
        evidence = self._evidence(table)
        told = np.where(table.certified, _SURELY, np.clip(evidence, -8, _SURELY))
        size = table.size
        if self._relatives is None:
            self._relatives = np.zeros_like(told)
            if table.columns.size > size:
                self._relatives[:, size:] = self._patterns.expected(told[:, size:])
        above = chance(told + self._relatives)
        above[table.certified] = 1.0
        if self._excused is None:
            self._excused = _unwitnessed(above, size)
        # −1.4: four pairs in five that look even are.
        suspicion = self._excused * chance(evidence[:, :size] - 1.4)
        np.fill_diagonal(suspicion, 0.0)
        return Beliefs(above, suspicion)


def chance(log_odds: Floats) -> Floats:
    """The probability with the given log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -50, 50))))


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
