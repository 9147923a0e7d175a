"""Votes row by row, and sums that grow with them: by pair, by cluster, by voter, and over time."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antichain.sources.spans import Codes, KeyIds
from antichain.votes.vote_log import (
    FORMS,
    MOST_CHECKPOINTS,
    Checkpoint,
    Counts,
    Floats,
    VoteOrder,
)

WIDTH = len(FORMS)
TURNED = np.array([1, 0, 2, 3, 4, 5], np.int32)
"""The forms of answer, as the other side sees them."""

_SHIFT = 32
_MASK = (1 << _SHIFT) - 1
_MOST_CELLS = 1 << 21  # of all checkpoints together: some 32 MiB


@dataclass(frozen=True, eq=False)
class Votes:
    """Rows that are votes.

    Attributes:
        left: The left items, by the numbers of their names.
        right: The right items.
        form: The answers, by their places in `ANSWERS`.
        number: The number of votes that each row stands for.
        voter: The voters, −1 where unknown; None if the log names none.
        cluster: The clusters, if there are any.
        time: The times, if there are any.
    """

    left: Codes
    right: Codes
    form: Codes
    number: Counts
    voter: Codes | None = None
    cluster: Codes | None = None
    time: Floats | None = None

    def turned(self, rows: NDArray[np.bool_]) -> Votes:
        """The same votes, with left and right exchanged in these rows."""
        return replace(
            self,
            left=np.where(rows, self.right, self.left),
            right=np.where(rows, self.left, self.right),
            form=np.where(rows, TURNED[self.form], self.form),
        )

    def only(self, rows: NDArray[np.bool_]) -> Votes:
        """The votes of these rows."""
        columns: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        given = {name: column for name, column in columns.items() if column is not None}
        return Votes(**{name: column[rows] for name, column in given.items()})


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
        """Add a row of numbers to the sums of each code."""
        for k, column in enumerate(columns):
            np.add.at(self._sums[:, k], codes, column)

    def add_cells(self, cells: Counts, numbers: Counts) -> None:
        """Add to single cells: a code times the number of columns, plus the column."""
        np.add.at(self._sums.reshape(-1), cells, numbers)

    @property
    def keys(self) -> tuple[Counts, Counts]:
        """The two numbers of each code."""
        keys = self._ids.keys.view(np.int64)
        return keys >> _SHIFT, keys & _MASK

    @property
    def sums(self) -> Counts:
        """The sums, one row per code."""
        return self._sums[: len(self._ids)]


class Seen:
    """Which small numbers have occurred."""

    def __init__(self) -> None:
        self._met = np.zeros(256, np.bool_)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._met))

    def add(self, numbers: Codes) -> None:
        """Record these numbers."""
        if numbers.size and int(numbers.max()) >= self._met.size:
            more = np.zeros(2 * int(numbers.max()) - self._met.size, np.bool_)
            self._met = np.concatenate([self._met, more])
        self._met[numbers] = True


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


class Order:
    """Votes in the order of the log, for callers that must not mix early and late ones."""

    def __init__(self) -> None:
        self._pairs: list[Codes] = []
        self._forms: list[Codes] = []
        self._numbers: list[Counts] = []
        self._clusters: list[Codes] = []
        self._times: list[Floats] = []

    def add(self, pair: Codes, form: Codes, votes: Votes) -> None:
        """Record further rows: their pairs by code, and the form of each answer."""
        self._pairs.append(pair)
        self._forms.append(form.astype(np.int8))
        self._numbers.append(votes.number)
        if votes.cluster is not None:
            self._clusters.append(votes.cluster)
        if votes.time is not None:
            self._times.append(votes.time)

    def of_pairs(self, row_of: Counts) -> VoteOrder:
        """The rows by time, if there are times, with pairs numbered by `row_of`."""
        if not self._pairs:
            return VoteOrder.empty()
        rows = np.arange(sum(some.size for some in self._pairs))
        if self._times:
            rows = np.argsort(np.concatenate(self._times), kind="stable")
        return VoteOrder(
            row_of[np.concatenate(self._pairs)][rows],
            np.concatenate(self._forms)[rows].astype(np.int64),
            np.concatenate(self._numbers)[rows],
            np.concatenate(self._clusters)[rows].astype(np.int64) if self._clusters else None,
        )


def _together(steps: list[tuple[Counts, Counts]]) -> tuple[Counts, Counts]:
    cells = np.concatenate([cells for cells, _ in steps])
    numbers = np.concatenate([numbers for _, numbers in steps])
    distinct, place = np.unique(cells, return_inverse=True)
    sums = np.zeros(distinct.size, np.int64)
    np.add.at(sums, place, numbers)
    return distinct, sums
