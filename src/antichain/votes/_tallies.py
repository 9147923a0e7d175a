"""Votes row by row, and sums that grow with them: by pair, by cluster, by voter, and over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.sources._spans import Codes, KeyIds
from antichain.votes._vote_log import (
    FORMS,
    UNIT,
    Checkpoint,
    Counts,
    Floats,
    VoteOrder,
)

WIDTH = len(FORMS)
MOST_CHECKPOINTS = 200  # set by hand: as many as a plot can show
TURNED = np.array([1, 0, 2, 3, 4, 5, 6], np.int32)
"""The forms of answer, and `GIVEN_UP`, as the other side sees them."""

_SHIFT = 32
_MASK = (1 << _SHIFT) - 1
_MOST_CELLS = 1 << 21  # of all checkpoints together: some 32 MiB


class Votes(NamedTuple):
    """Rows that are votes."""

    left: Codes  # the left items, by the numbers of their names
    right: Codes  # the right items
    form: Codes  # the answers, by their places in `ANSWERS`
    number: Counts  # the number of votes that each row stands for
    voter: Codes | None = None  # the voters, −1 where unknown; None if the log names none
    cluster: Codes | None = None  # the clusters, if there are any
    time: Floats | None = None  # the times, if there are any
    ask: Floats | None = None  # the numbers of the asks, if there are any
    score: Counts | None = None  # the left items' scores in `UNIT`s, where they may be fractions
    judgment: Codes | None = None  # which judgment in both orders each row is a half of
    # The mean score of the side shown first, in `UNIT`s, where a row holds both orders.
    shown_first: Counts | None = None
    criterion: Codes | None = None  # what each vote is about, if there are several criteria

    def turned(self, rows: NDArray[np.bool_]) -> Votes:
        """The same votes, with left and right exchanged in these rows."""
        return self._replace(
            left=np.where(rows, self.right, self.left),
            right=np.where(rows, self.left, self.right),
            form=np.where(rows, TURNED[self.form], self.form),
            score=None if self.score is None else np.where(rows, UNIT - self.score, self.score),
        )

    def only(self, rows: NDArray[np.bool_]) -> Votes:
        columns: list[Any] = [None if column is None else column[rows] for column in self]
        return Votes(*columns)


class KeyedSums:
    """Sums in a few columns, by a pair of numbers below 2³¹."""

    def __init__(self, columns: int) -> None:
        self._ids = KeyIds()
        self._sums = np.zeros((256, columns), np.int64)

    def __len__(self) -> int:
        return len(self._ids)

    def codes(self, one: Counts | Codes, other: Counts | Codes) -> Codes:
        """A code for each pair of numbers, with room for its sums."""
        keys = (one.astype(np.int64) << _SHIFT) | other.astype(np.int64)
        codes = self._ids.codes(keys.view(np.uint64))
        if len(self._ids) > len(self._sums):
            grown = np.zeros((2 * len(self._ids), self._sums.shape[1]), np.int64)
            grown[: len(self._sums)] = self._sums
            self._sums = grown
        return codes

    def add(self, codes: Codes, *columns: Counts) -> None:
        for k, column in enumerate(columns):
            np.add.at(self._sums[:, k], codes, column)

    def add_cells(self, cells: Counts, numbers: Counts) -> None:
        """Add to single cells: a code times the number of columns, plus the column."""
        np.add.at(self._sums.reshape(-1), cells, numbers)

    @property
    def keys(self) -> tuple[Counts, Counts]:
        keys = self._ids.keys.view(np.int64)
        return keys >> _SHIFT, keys & _MASK

    @property
    def sums(self) -> Counts:
        return self._sums[: len(self._ids)]


class Growth:
    """How counts grow, in at most `MOST_CHECKPOINTS` steps however many rows there are.

    All steps have the same number of rows. When there are too many steps, or they hold too much,
    every two become one, so that memory is bounded.
    """

    def __init__(self) -> None:
        self._stride = 1
        self._steps: list[tuple[Counts, Counts]] = []
        self._open: list[tuple[Counts, Counts]] = []  # rows of the step that is not full yet
        self._rows = 0

    def add(self, cells: Counts, numbers: Counts) -> None:
        """Record rows: which cell each adds to, and how much."""
        while (self._rows + cells.size) // self._stride >= MOST_CHECKPOINTS:
            self._halve()
        done = 0
        while done < cells.size:
            free = self._stride - self._rows % self._stride
            taken = slice(done, min(done + free, cells.size))
            self._open.append(_together([(cells[taken], numbers[taken])]))
            self._rows += taken.stop - done
            done = taken.stop
            if self._rows % self._stride == 0:
                self._steps.append(_together(self._open))
                self._open = []
        while sum(step[0].size for step in self._steps) > _MOST_CELLS and len(self._steps) > 2:
            self._halve()

    def _halve(self) -> None:
        self._stride *= 2
        whole = len(self._steps) // 2 * 2
        odd = self._steps[whole:]
        self._steps = [_together(self._steps[k : k + 2]) for k in range(0, whole, 2)]
        self._open = odd + self._open

    def checkpoints(self, row_of: Counts) -> tuple[Checkpoint, ...]:
        """The steps, with pairs numbered by `row_of`."""
        steps = [*self._steps, *([_together(self._open)] if self._open else [])]
        made, votes = [], 0
        for k, (cells, grew) in enumerate(steps, start=1):
            votes += int(grew.sum())
            moved = row_of[cells // WIDTH] * WIDTH + cells % WIDTH
            order = np.argsort(moved)
            rows = min(k * self._stride, self._rows)
            made.append(Checkpoint(rows, votes, moved[order], grew[order]))
        return tuple(made)


OrderedRows = tuple[Codes, NDArray[np.int8], Counts, Codes | None, Floats | None]
"""Rows in the order of the log: pairs by code, forms of answer, numbers, clusters, and numbers of
asks or times."""


def vote_order(chunks: Sequence[OrderedRows], row_of: Counts) -> VoteOrder:
    """The rows by ask or time, if there are any, with pairs numbered by `row_of`."""
    if not chunks:
        return VoteOrder.empty()
    columns: list[Any] = [
        None if column[0] is None else np.concatenate(column)
        for column in zip(*chunks, strict=True)
    ]
    pairs, forms, numbers, clusters, times = columns
    rows = np.arange(pairs.size) if times is None else np.argsort(times, kind="stable")
    return VoteOrder(
        row_of[pairs[rows]],
        forms[rows].astype(np.int64),
        numbers[rows],
        None if clusters is None else clusters[rows].astype(np.int64),
    )


def _together(steps: list[tuple[Counts, Counts]]) -> tuple[Counts, Counts]:
    cells = np.concatenate([cells for cells, _ in steps])
    numbers = np.concatenate([numbers for _, numbers in steps])
    distinct, place = np.unique(cells, return_inverse=True)
    sums = np.zeros(distinct.size, np.int64)
    np.add.at(sums, place, numbers)
    return distinct, sums
