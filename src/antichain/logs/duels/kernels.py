"""Compiled kernels for delimited text: where the fields are, and which are the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antichain.compiled import compiled
from antichain.logs.ids import Codes

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_NEWLINE, _RETURN, _SPACE, _TAB, _QUOTE = 10, 13, 32, 9, 34
_FREE = -1
_SEED = np.uint64(14695981039346656037)  # FNV-1a
_PRIME = np.uint64(1099511628211)
_LOW = np.uint64(0x7FFFFFFF)
_HALF = np.uint64(32)


@compiled
def _past_quoted(data: Bytes, at: int) -> tuple[int, int]:
    """Where the field quoted from `at` on is closed (−1: nowhere), and newlines passed."""
    lines = 0
    at += 1
    while at < data.size:
        if data[at] == _QUOTE:
            if at + 1 == data.size or data[at + 1] != _QUOTE:
                return at + 1, lines
            at += 1
        elif data[at] == _NEWLINE:
            lines += 1
        at += 1
    return -1, lines


@compiled
def _is_blank(data: Bytes, start: int, end: int) -> bool:
    for at in range(start, end):
        if data[at] != _SPACE and data[at] != _TAB and data[at] != _RETURN:
            return False
    return True


def _split_fields(
    data: Bytes,
    delimiter: int,
    slot_of: Codes,
    line: int,
    starts: Places,
    ends: Places,
    fields: Codes,
    stray: Codes,
    lines: Places,
) -> tuple[int, int, int]:
    """Rows found, where the first unfinished one starts, and its line.

    Args:
        data: Text that starts with a row; only rows whose newline is in it are found.
        delimiter: Between fields. One in quotes does not count, nor does a newline there.
        slot_of: For each field of a row, the column of `starts` and `ends` it goes to, or −1.
        line: The line of the first row.
        starts: Where the wanted fields of each row start.
        ends: Where they end.
        fields: How many fields each row has.
        stray: Whether a row has something after a closing quote.
        lines: The line each row starts on.
    """
    at, row = 0, 0
    while at < data.size:
        begin, first_line, count = at, line, 0
        fields[row], stray[row], lines[row] = 0, 0, line
        while True:
            start = at
            if delimiter != _SPACE:
                while at < data.size and data[at] == _SPACE:
                    at += 1
            if at < data.size and data[at] == _QUOTE:
                at, passed = _past_quoted(data, at)
                if at < 0:
                    return row, begin, first_line
                line += passed
                closed = at
                while at < data.size and data[at] != delimiter and data[at] != _NEWLINE:
                    at += 1
                if not _is_blank(data, closed, at):
                    stray[row] = 1
            else:
                while at < data.size and data[at] != delimiter and data[at] != _NEWLINE:
                    at += 1
            if at == data.size:
                return row, begin, first_line
            if count < slot_of.size and slot_of[count] >= 0:
                starts[row, slot_of[count]], ends[row, slot_of[count]] = start, at
            count += 1
            at += 1
            if data[at - 1] == _NEWLINE:
                break
        line += 1
        fields[row] = count
        if count > 1 or not _is_blank(data, begin, at - 1):
            row += 1
    return row, at, line


split_fields = compiled(_split_fields)


@compiled
def _hash(data: Bytes, start: int, end: int) -> np.uint64:
    value = _SEED
    for at in range(start, end):
        value = (value ^ np.uint64(data[at])) * _PRIME
    return value ^ (value >> _HALF)


@compiled
def _same(data: Bytes, start: int, end: int, arena: Bytes, known: int, known_end: int) -> bool:
    if end - start != known_end - known:
        return False
    for k in range(end - start):  # noqa: SIM110 (the compiler knows no generators)
        if data[start + k] != arena[known + k]:
            return False
    return True


@compiled
def _intern(
    data: Bytes,
    starts: Places,
    ends: Places,
    done: int,
    slots: Codes,
    hashes: Hashes,
    arena: Bytes,
    edges: Places,
    count: int,
    codes: Codes,
) -> tuple[int, int]:
    """How far it came before there was no more room, and how many texts are known now."""
    mask = slots.size - 1
    for k in range(done, starts.size):
        start, end = starts[k], ends[k]
        value = _hash(data, start, end)
        at = int(value & _LOW) & mask
        code = slots[at]
        while code >= 0 and not (
            hashes[code] == value and _same(data, start, end, arena, edges[code], edges[code + 1])
        ):
            at = (at + 1) & mask
            code = slots[at]
        if code < 0:
            if count == hashes.size or edges[count] + end - start > arena.size:
                return k, count
            for byte in range(end - start):
                arena[edges[count] + byte] = data[start + byte]
            edges[count + 1] = edges[count] + end - start
            hashes[count] = value
            slots[at] = count
            code = count
            count += 1
        codes[k] = code
    return starts.size, count


@compiled
def _place_again(hashes: Hashes, count: int, slots: Codes) -> None:
    mask = slots.size - 1
    for code in range(count):
        at = int(hashes[code] & _LOW) & mask
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = code


class SpanIds:
    """Stretches of bytes, coded 0, 1, 2, … in the order in which they are first seen."""

    def __init__(self) -> None:
        self._slots = np.full(1 << 9, _FREE, np.int32)
        self._hashes = np.empty(1 << 8, np.uint64)
        self._arena = np.empty(1 << 12, np.uint8)
        self._edges = np.zeros((1 << 8) + 1, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def codes(self, data: Bytes, starts: Places, ends: Places) -> Codes:
        """A code for each stretch of `data`, new ones included."""
        codes = np.empty(starts.size, np.int32)
        done = 0
        while True:
            done, self._count = _intern(
                data, starts, ends, done, self._slots, self._hashes, self._arena, self._edges,
                self._count, codes,
            )  # fmt: skip
            if done == starts.size:
                return codes
            self._grow(int(ends[done] - starts[done]))

    def since(self, count: int) -> list[bytes]:
        """The bytes of every code from `count` on."""
        held = self._arena[: self._edges[self._count]].tobytes() if count < self._count else b""
        edges = self._edges[count : self._count + 1].tolist()
        return [held[edges[k] : edges[k + 1]] for k in range(self._count - count)]

    def _grow(self, needed: int) -> None:
        if self._count == self._hashes.size:
            room = 4 * self._hashes.size
            self._hashes = np.resize(self._hashes, room)
            self._edges = np.resize(self._edges, room + 1)
            self._slots = np.full(2 * room, _FREE, np.int32)
            _place_again(self._hashes, self._count, self._slots)
        if self._edges[self._count] + needed > self._arena.size:
            self._arena = np.resize(self._arena, 2 * self._arena.size + needed)
