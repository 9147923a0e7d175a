"""Compiled kernels for delimited text: where the fields are, and which are equal.

A field is known by a key of 64 bits. Up to seven bytes, the key holds the field itself and its
length; the key of a longer field is a hash, so the bytes are compared as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antichain._kernels import compiled

Bytes = NDArray[np.uint8]
Codes = NDArray[np.int32]
Numbers = NDArray[np.int64]
Keys = NDArray[np.uint64]

_NEWLINE, _RETURN, _SPACE, _TAB, _QUOTE = 10, 13, 32, 9, 34
NOT_STRAY, STRAY_TEXT, EMPTY_ROW = 0, 1, 2
"""Of a row: nothing is wrong; text follows a closing quote; all of its fields are empty."""

_FREE = -1
_SHORT = 7  # bytes that fit into a key beside their number
_BYTE, _TOP = np.uint64(8), np.uint64(56)
_LONG = np.uint64(255 << 56)  # every key from here on is the hash of a long field
_SEED = np.uint64(14695981039346656037)
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_NO_BYTES, _NO_PLACES = np.empty(0, np.uint8), np.empty(0, np.int32)
_NO_BYTES.flags.writeable = False  # as the bytes of a text are, so that one kernel serves both


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
def _is_empty(data: Bytes, start: int, end: int, delimiter: int) -> bool:
    """Whether nothing stands there but blanks and delimiters."""
    for at in range(start, end):
        byte = data[at]
        if byte != delimiter and byte != _SPACE and byte != _TAB and byte != _RETURN:
            return False
    return True


@compiled
def _packed(data: Bytes, start: int, end: int) -> np.uint64:
    value = np.uint64(0)
    for at in range(start, end):
        value = (value << _BYTE) | np.uint64(data[at])
    return value


@compiled
def _mixed(value: np.uint64, word: np.uint64) -> np.uint64:
    value = (value ^ word) * _PRIME
    return value ^ (value >> _HALF)


@compiled
def span_key(data: Bytes, start: int, end: int) -> np.uint64:
    size = np.uint64(end - start)
    if end - start <= _SHORT:
        return _packed(data, start, end) | (size << _TOP)
    value = _SEED
    while end - start >= 8:
        value = _mixed(value, _packed(data, start, start + 8))
        start += 8
    return _mixed(value, _packed(data, start, end) | (size << _TOP)) | _LONG


def _split_fields(
    data: Bytes,
    delimiter: int,
    slot_of: Codes,
    line: int,
    starts: Codes,
    ends: Codes,
    keys: Keys,
    fields: Codes,
    stray: Codes,
    lines: Numbers,
) -> tuple[int, int, int]:
    """Rows found, where the first unfinished one starts, and its line.

    `data` starts with a row and ends with a newline, which may stand in quotes; a delimiter or a
    newline in quotes does not count. Field k of a row goes to slot_of[k], unless that is −1. What
    is found is written into the other arrays: where fields start and end and their keys, by slot
    and row; and for each row the number of its fields, what is wrong with it (`NOT_STRAY`,
    `STRAY_TEXT` or `EMPTY_ROW`), and its line, `line` being that of the first.
    """
    at, row = 0, 0
    while at < data.size:
        begin, first_line, count = at, line, 0
        stray[row], lines[row] = NOT_STRAY, line
        while True:
            start, key = at, np.uint64(0)
            slot = slot_of[count] if count < slot_of.size else -1
            if delimiter != _SPACE:
                while data[at] == _SPACE:
                    at += 1
            if data[at] == _QUOTE:
                at, passed = _past_quoted(data, at)
                if at < 0 or at == data.size:
                    return row, begin, first_line
                line += passed
                closed = at
                while data[at] != delimiter and data[at] != _NEWLINE:
                    at += 1
                if not _is_empty(data, closed, at, _SPACE):
                    stray[row] = STRAY_TEXT
            elif slot < 0:
                # The newline that ends the text ends this loop as well.
                while data[at] != delimiter and data[at] != _NEWLINE:
                    at += 1
            else:
                # Packing what is passed spares short fields a second look.
                while data[at] != delimiter and data[at] != _NEWLINE:
                    key = (key << _BYTE) | np.uint64(data[at])
                    at += 1
            if slot >= 0:
                size = at - start
                starts[slot, row], ends[slot, row] = start, at
                if size > _SHORT or data[start] == _SPACE or data[start] == _QUOTE:
                    keys[slot, row] = span_key(data, start, at)
                else:
                    keys[slot, row] = key | (np.uint64(size) << _TOP)
            count += 1
            at += 1
            if data[at - 1] == _NEWLINE:
                break
        line += 1
        fields[row] = count
        if stray[row] == NOT_STRAY and _is_empty(data, begin, at - 1, delimiter):
            if count == 1:
                continue
            stray[row] = EMPTY_ROW
        row += 1
    return row, at, line


split_fields = compiled(_split_fields, side_by_side=True)


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
    keys: Keys,
    data: Bytes,
    starts: Codes,
    ends: Codes,
    done: int,
    slots: Codes,
    known: Keys,
    arena: Bytes,
    edges: Numbers,
    count: int,
    codes: Codes,
) -> tuple[int, int]:
    """How far it came before it ran out of room, and how many keys are known now."""
    mask = slots.size - 1
    for k in range(done, keys.size):
        key = keys[k]
        is_long = key >= _LONG
        if k > done and key == keys[k - 1] and not is_long:  # rows of a user often come together
            codes[k] = codes[k - 1]
            continue
        at = int((key * _PRIME) >> _HALF) & mask
        code = slots[at]
        while code >= 0 and not (
            known[code] == key
            and (
                not is_long or _same(data, starts[k], ends[k], arena, edges[code], edges[code + 1])
            )
        ):
            at = (at + 1) & mask
            code = slots[at]
        if code < 0:
            size = ends[k] - starts[k] if is_long else 0
            if count == known.size or edges[count] + size > arena.size:
                return k, count
            for byte in range(size):
                arena[edges[count] + byte] = data[starts[k] + byte]
            edges[count + 1] = edges[count] + size
            known[count] = key
            slots[at] = count
            code = count
            count += 1
        codes[k] = code
    return keys.size, count


@compiled
def _place_again(known: Keys, count: int, slots: Codes) -> None:
    mask = slots.size - 1
    for code in range(count):
        at = int((known[code] * _PRIME) >> _HALF) & mask
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = code


class KeyIds:
    """Codes 0, 1, 2, … for keys, in the order in which the keys are first seen.

    A key is a whole number below 255 · 2⁵⁶, or the key of a field (see `span_key`).
    """

    def __init__(self) -> None:
        self._slots = np.full(1 << 9, _FREE, np.int32)
        self._known = np.empty(1 << 8, np.uint64)
        self._arena = np.empty(1 << 12, np.uint8)  # the bytes of long fields
        self._edges = np.zeros((1 << 8) + 1, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def keys(self) -> Keys:
        return self._known[: self._count]

    def codes(
        self,
        keys: Keys,
        data: Bytes = _NO_BYTES,
        starts: Codes = _NO_PLACES,
        ends: Codes = _NO_PLACES,
    ) -> Codes:
        """A code for each key, including new ones; keys of fields come with their bytes."""
        codes = np.empty(keys.size, np.int32)
        done = 0
        while True:
            done, self._count = _intern(
                keys, data, starts, ends, done, self._slots, self._known, self._arena,
                self._edges, self._count, codes,
            )  # fmt: skip
            if done == keys.size:
                return codes
            self._grow(int(ends[done] - starts[done]) if keys[done] >= _LONG else 0)

    def fields_since(self, count: int) -> list[bytes]:
        """The bytes of every field whose code is `count` or more."""
        if count >= self._count:
            return []
        keys = self._known[count : self._count]
        sizes = keys >> _TOP
        # Of short fields the key holds the bytes, which are moved to its front.
        moved = keys << np.where(sizes <= _SHORT, 8 * (8 - sizes), 0).astype(np.uint64)
        fields: list[bytes] = np.frombuffer(moved.astype(">u8").tobytes(), "S8").tolist()
        edges = self._edges[count : self._count + 1]
        held = self._arena[edges[0] : edges[-1]].tobytes()
        # Long ones are held apart; and trailing zeros have been lost.
        wrong = np.fromiter(map(len, fields), np.uint64, len(fields)) != sizes
        for k in np.flatnonzero(wrong | (sizes > _SHORT)).tolist():
            if sizes[k] <= _SHORT:
                fields[k] = fields[k].ljust(int(sizes[k]), b"\0")
            else:
                fields[k] = held[edges[k] - edges[0] : edges[k + 1] - edges[0]]
        return fields

    def _grow(self, needed: int) -> None:
        if self._count == self._known.size:
            room = 4 * self._known.size
            self._known = np.resize(self._known, room)
            self._edges = np.resize(self._edges, room + 1)
            self._slots = np.full(2 * room, _FREE, np.int32)
            _place_again(self._known, self._count, self._slots)
        if self._edges[self._count] + needed > self._arena.size:
            self._arena = np.resize(self._arena, 2 * self._arena.size + needed)
