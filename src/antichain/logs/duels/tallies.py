"""Sums that grow as rows come in: by pair, by cluster, by voter, and over time."""

from __future__ import annotations

import numpy as np

from antichain.logs.ids import Codes, NumberIds, Words
from antichain.logs.votes import FORMS, MOST_CHECKPOINTS, Checkpoint, Counts

WIDTH = len(FORMS)
_SHIFT = 32
_MASK = (1 << _SHIFT) - 1
_MOST_CELLS = 1 << 21  # of all checkpoints together: some 32 MiB


class KeyedSums:
    """Sums by a pair of small numbers, in a few columns."""

    def __init__(self, columns: int) -> None:
        self._ids = NumberIds()
        self._sums = np.zeros((256, columns), np.int64)

    def __len__(self) -> int:
        return len(self._ids)

    def codes(self, one: Words | Codes, other: Words | Codes) -> Codes:
        """A code for each pair of numbers, with room for its sums."""
        codes = self._ids.codes((one.astype(np.int64) << _SHIFT) | other.astype(np.int64))
        if len(self._ids) > len(self._sums):
            grown = np.zeros((2 * len(self._ids), self._sums.shape[1]), np.int64)
            grown[: len(self._sums)] = self._sums
            self._sums = grown
        return codes

    def add(self, codes: Codes, *columns: Counts) -> None:
        """Add a row of numbers to the sums of each code."""
        for k, column in enumerate(columns):
            np.add.at(self._sums[:, k], codes, column)

    def add_cells(self, cells: Counts, numbers: Counts) -> None:
        """Add to single cells: a code times the number of columns, plus the column."""
        np.add.at(self._sums.reshape(-1), cells, numbers)

    @property
    def keys(self) -> tuple[Counts, Counts]:
        """The two numbers of each code."""
        names = self._ids.names
        return names >> _SHIFT, names & _MASK

    @property
    def sums(self) -> Counts:
        """The sums, a row a code."""
        return self._sums[: len(self._ids)]


class Seen:
    """Which small numbers were met."""

    def __init__(self) -> None:
        self._met = np.zeros(256, np.bool_)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._met))

    def add(self, numbers: Codes) -> None:
        """Take note of these numbers."""
        if numbers.size and int(numbers.max()) >= self._met.size:
            more = np.zeros(2 * int(numbers.max()) - self._met.size, np.bool_)
            self._met = np.concatenate([self._met, more])
        self._met[numbers] = True


class Growth:
    """How counts grow, in at most `MOST_CHECKPOINTS` steps whatever comes.

    Steps are of equally many rows. When there are too many, or they hold too much, two become
    one, so that memory is bounded.
    """

    def __init__(self) -> None:
        self._stride = 1
        self._steps: list[tuple[Counts, Counts]] = []
        self._open: list[tuple[Counts, Counts]] = []  # rows of the step that is not full yet
        self._rows = 0

    def add(self, cells: Counts, numbers: Counts) -> None:
        """Take note of rows: which cell each adds to, and how much."""
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
                self._close()
        while sum(step[0].size for step in self._steps) > _MOST_CELLS and len(self._steps) > 2:
            self._halve()

    def _close(self) -> None:
        self._steps.append(_together(self._open))
        self._open = []

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


def _together(steps: list[tuple[Counts, Counts]]) -> tuple[Counts, Counts]:
    cells = np.concatenate([cells for cells, _ in steps])
    numbers = np.concatenate([numbers for _, numbers in steps])
    distinct, place = np.unique(cells, return_inverse=True)
    sums = np.zeros(distinct.size, np.int64)
    np.add.at(sums, place, numbers)
    return distinct, sums
