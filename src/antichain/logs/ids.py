"""Identifiers as they stand in a file, and the small numbers that stand for them inside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antichain.compiled import compiled

Codes = NDArray[np.int32]
Words = NDArray[np.int64]

_FREE = -1
_DIRECT = 1 << 19
"""Numbers from 0 up to this one, as most identifiers are, are looked up without a search."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class NumberIds:
    """Whole numbers, coded 0, 1, 2, … in the order in which they are first seen."""

    def __init__(self) -> None:
        self._direct = np.full(_DIRECT, _FREE, np.int32)
        self._slots = np.full(1 << 12, _FREE, np.int32)
        self._seen = np.empty(1 << 11, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def names(self) -> Words:
        """The numbers, in the order of their codes."""
        return self._seen[: self._count]

    def codes(self, numbers: Words) -> Codes:
        """A code for each number, new ones included."""
        codes = np.empty(numbers.size, np.int32)
        done = 0
        while True:
            done, self._count = _intern(
                numbers, done, self._direct, self._slots, self._seen, self._count, codes
            )
            if done == numbers.size:
                return codes
            self._grow()

    def _grow(self) -> None:
        self._slots = np.full(4 * self._slots.size, _FREE, np.int32)
        self._seen = np.concatenate([self._seen, np.empty(3 * self._seen.size, np.int64)])
        _rehash(self._seen, self._count, self._slots)


class TextIds:
    """Texts, coded 0, 1, 2, … in the order in which they are first seen."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def names(self) -> NDArray[np.object_]:
        """The texts, in the order of their codes."""
        return np.array(list(self._codes), dtype=object)

    def codes(self, texts: Sequence[str]) -> list[int]:
        """A code for each text, new ones included."""
        return [self._codes.setdefault(text, len(self._codes)) for text in texts]


@compiled
def _slot(number: int, slots: Codes, seen: Words) -> int:
    """Where `number` stands among the slots, or the free one where it belongs."""
    mask = slots.size - 1
    # The high bits of the product depend on all bits of the number; the low ones do not.
    at = int((np.uint64(number) * _SPREAD) >> np.uint64(32)) & mask
    while slots[at] >= 0 and seen[slots[at]] != number:
        at = (at + 1) & mask
    return at


@compiled
def _intern(
    numbers: Words,
    start: int,
    direct: Codes,
    slots: Codes,
    seen: Words,
    count: int,
    codes: Codes,
) -> tuple[int, int]:
    """How far it came before there was no more room, and how many numbers are known now."""
    for k in range(start, numbers.size):
        number = numbers[k]
        if k > start and number == numbers[k - 1]:  # rows of one user often follow each other
            codes[k] = codes[k - 1]
            continue
        small = 0 <= number < direct.size
        at = number if small else _slot(number, slots, seen)
        code = direct[at] if small else slots[at]
        if code < 0:
            if count == seen.size:
                return k, count
            seen[count] = number
            code = count
            count += 1
            if small:
                direct[at] = code
            else:
                slots[at] = code
        codes[k] = code
    return numbers.size, count


@compiled
def _rehash(seen: Words, count: int, slots: Codes) -> None:
    for code in range(count):
        if not 0 <= seen[code] < _DIRECT:
            slots[_slot(seen[code], slots, seen)] = code
