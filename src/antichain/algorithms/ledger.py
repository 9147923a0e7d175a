"""Counts of direct duels, kept only while both items live."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antichain.algorithms.rounds import Indices
from antichain.evidence.sequential import COUNTS, Counts

_SYMMETRIC = (2, 3)
"""Columns of the counts that read the same from either side: ties and lost answers."""


class Ledger:
    """Wins and ties of every pair of items that has something to remember.

    An item gets a slot in a square matrix when it is first remembered and gives it back when it
    is forgotten, so that memory follows the number of items still in play and not the number
    there were: 100,000 items of which 3,000 survive the first epoch need a 4,096-square matrix.
    """

    def __init__(self, size: int) -> None:
        self._slot = np.full(size, -1, np.int64)
        self._free: list[int] = []
        self._wins: NDArray[np.int64] = np.zeros((0, 0), np.int64)
        # Ties and lost answers, column by column of the counts: most runs never see one, so
        # that these matrices are made on the first.
        self._others: dict[int, NDArray[np.int64]] = {}

    def recall(self, left: int, rights: Indices) -> Counts:
        """What is known of `left` against each of `rights`, seen from `left`."""
        counts = np.zeros((rights.size, COUNTS), np.int64)
        slot = self._slot[left]
        if slot < 0:
            return counts
        others = self._slot[rights]
        known = np.flatnonzero(others >= 0)
        others = others[known]
        counts[known, 0] = self._wins[slot, others]
        counts[known, 1] = self._wins[others, slot]
        for column, matrix in self._others.items():
            counts[known, column] = matrix[slot, others]
        return counts

    def remember(self, left: int, rights: Indices, counts: Counts) -> None:
        """Keep the counts of `left` against each of `rights`, in place of what was there."""
        self._settle_in(left)
        for right in rights[self._slot[rights] < 0]:
            self._settle_in(int(right))
        slot, others = self._slot[left], self._slot[rights]
        self._wins[slot, others] = counts[:, 0]
        self._wins[others, slot] = counts[:, 1]
        for column in _SYMMETRIC:
            if column not in self._others and counts[:, column].any():
                self._others[column] = np.zeros_like(self._wins)
            if column in self._others:
                matrix = self._others[column]
                matrix[slot, others] = matrix[others, slot] = counts[:, column]

    def forget(self, items: Indices) -> None:
        """Drop everything about `items`; their slots go to whoever comes next."""
        slots = self._slot[items]
        self._free.extend(slots[slots >= 0].tolist())
        self._slot[items] = -1

    def _settle_in(self, item: int) -> None:
        if self._slot[item] >= 0:
            return
        if not self._free:
            self._grow()
        slot = self._free.pop()
        for matrix in (self._wins, *self._others.values()):
            matrix[slot, :] = 0
            matrix[:, slot] = 0
        self._slot[item] = slot

    def _grow(self) -> None:
        old = self._wins.shape[0]
        new = max(16, 2 * old)
        self._wins = _enlarged(self._wins, new)
        self._others = {column: _enlarged(m, new) for column, m in self._others.items()}
        self._free = list(range(new - 1, old - 1, -1))


def _enlarged(matrix: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    larger = np.zeros((size, size), np.int64)
    larger[: matrix.shape[0], : matrix.shape[1]] = matrix
    return larger
