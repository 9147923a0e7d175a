"""Which asks were answered, given up or left open, and which rows answer one again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from antichain.sources._chunks import Chunk, TextIds, cut
from antichain.sources._spans import Codes, KeyIds, Keys
from antichain.votes._ask_order import MOST_ORDERED
from antichain.votes._row_marks import GOOD, MOST_ASKS, OPEN, OTHER, OTHER_PAIR, SPARE, Marks
from antichain.votes._vote_log import AskBook, Floats, OpenAsk

_TURNED_SIDES = np.array([0, 2, 1, 3])  # which sides show a decoy, seen from the other side
_FIRST_SHOWN, _BOTH_SHOWN = 1, 3


class AskNumbers:
    """The numbers of asks seen so far, each with its pair and whether a row answers it.

    Of two rows that answer one ask the first counts, and the later one is spare. Beyond
    `MOST_ORDERED` asks nothing is remembered, so that memory is bounded.

    Args:
        names: All names seen so far.

    Attributes:
        last: The largest number.
        again: How many rows answer an ask that an earlier row answers.
        full: Whether there were too many asks to be remembered.
    """

    def __init__(self, names: TextIds) -> None:
        self.last, self.again, self.full = 0, 0, False
        self._names = names
        self._ids = KeyIds()
        self._pairs = np.zeros(256, np.uint64)  # by code, and so are those below
        self._rows = np.zeros(256, np.int64)
        self._closed = np.zeros(256, np.bool_)
        self._starts: list[int] = []
        self._places: list[Callable[[int], str]] = []
        self._passed = 0

    def settle(
        self, chunk: Chunk, numbers: Floats, left: Codes, right: Codes, shown: Marks, marks: Marks
    ) -> None:
        """Mark the rows that answer an ask again, or that give its number to another pair.

        Args:
            chunk: The rows.
            numbers: The number of the ask of each row.
            left: The left items, by the numbers of their names.
            right: The right items.
            shown: On which side a decoy was shown.
            marks: What the rows are.
        """
        start, self._passed = self._passed, self._passed + chunk.rows
        rows = np.flatnonzero((marks <= GOOD) & is_number(numbers))
        if not rows.size:
            return
        self.last = max(self.last, int(numbers[rows].max()))
        # A spare answer tells that its ask was made, and no more.
        rows = rows[marks[rows] != SPARE]
        if self.full or len(self._ids) + rows.size > MOST_ORDERED:
            self._forget()
            return
        self._starts.append(start)
        self._places.append(chunk.place)
        before = len(self._ids)
        codes = self._ids.codes(numbers[rows].astype(np.uint64))
        self._make_room()
        keys = _pair_keys(left[rows], right[rows], shown[rows])
        new = np.arange(rows.size)
        if len(self._ids) - before < rows.size:
            _, new = np.unique(codes, return_index=True)
            new = new[codes[new] >= before]
        self._pairs[codes[new]], self._rows[codes[new]] = keys[new], start + rows[new]
        wrong = self._pairs[codes] != keys
        marks[rows[wrong]] = OTHER_PAIR
        closing = np.flatnonzero(~wrong & (marks[rows] != OPEN))
        self._close(rows[closing], codes[closing], marks)

    def _close(self, rows: Codes, codes: Codes, marks: Marks) -> None:
        _, first = np.unique(codes, return_index=True)
        again = np.ones(rows.size, np.bool_)
        again[first] = self._closed[codes[first]]
        spare = rows[again & (marks[rows] != OTHER)]
        marks[spare] = SPARE
        self.again += spare.size
        self._closed[codes] = True

    def first_open(self) -> int | None:
        """The smallest number from 1 to the last that no row answers or gives up."""
        if self.full:
            return None
        closed = np.sort(self._ids.keys[self._closed[: len(self._ids)]]).astype(np.int64)
        gaps = np.flatnonzero(closed != np.arange(1, closed.size + 1))
        found = int(gaps[0]) + 1 if gaps.size else closed.size + 1
        return found if found <= self.last else None

    def book(self, item_of: Codes) -> AskBook:
        """The largest number, and the asks without an answer.

        Args:
            item_of: The index of each item by the number of its name, −1 for no item of the log.
        """
        waiting = np.flatnonzero(~self._closed[: len(self._ids)])
        numbers = self._ids.keys[waiting].astype(np.int64)
        pairs = self._pairs[waiting].astype(np.int64)
        found = []
        for k in np.argsort(numbers).tolist():
            one, other = (int(item_of[name]) for name in _names_of(int(pairs[k])))
            shown = int(pairs[k]) & _BOTH_SHOWN
            if min(one, other) >= 0 and one != other and shown != _BOTH_SHOWN:
                ends = (other, one) if shown == _FIRST_SHOWN else (one, other)
                found.append(OpenAsk(int(numbers[k]), *ends, shown != 0))
        return AskBook(self.last, tuple(found))

    def sentence(self, number: float, left: int, right: int) -> str:
        """What is wrong about a row that gives an ask's number to another pair."""
        code = int(self._ids.codes(np.array([number], np.uint64))[0])
        pair = int(self._pairs[code])
        row = int(self._rows[code])
        at = bisect_right(self._starts, row) - 1
        where = self._places[at](row - self._starts[at])
        return (
            f"has the ask {number:.0f} for {self._both(left, right)}, but {where} has it for "
            f"{self._both(*_names_of(pair))}, and one pair for each ask was "
            "expected"
        )

    def _both(self, one: int, other: int) -> str:
        return f"{cut(self._names.texts[one])} and {cut(self._names.texts[other])}"

    def _make_room(self) -> None:
        more = len(self._ids) - self._pairs.size
        if more > 0:
            more = max(more, self._pairs.size)
            self._pairs, self._rows, self._closed = (
                np.concatenate([column, np.zeros(more, column.dtype)])
                for column in (self._pairs, self._rows, self._closed)
            )

    def _forget(self) -> None:
        self.full = True
        self._ids = KeyIds()
        self._pairs, self._rows = self._pairs[:0].copy(), self._rows[:0].copy()
        self._closed = self._closed[:0].copy()
        self._starts, self._places = [], []


def is_number(numbers: Floats) -> NDArray[np.bool_]:
    """Whether these can be the numbers of asks."""
    good: NDArray[np.bool_] = numbers == np.floor(numbers)
    return good & (numbers >= 1) & (numbers <= MOST_ASKS)


def _pair_keys(left: Codes, right: Codes, shown: Marks) -> Keys:
    """A number for each unordered pair of names, and of which of them a decoy was shown."""
    turned = left > right
    one, other = np.where(turned, right, left), np.where(turned, left, right)
    sides = np.where(turned, _TURNED_SIDES[shown], shown)
    return ((one.astype(np.int64) << 33) | (other.astype(np.int64) << 2) | sides).astype(np.uint64)


def _names_of(pair: int) -> tuple[int, int]:
    """The names of a pair, by their numbers."""
    return pair >> 33, (pair >> 2) & (2**31 - 1)
