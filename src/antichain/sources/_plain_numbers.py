"""Columns of plain numbers, or of dates, read straight from the bytes of a delimited text.

A million different texts take seconds to be told apart and read one by one. Where every field of a
column is a plain number (digits, perhaps with a point and a sign), or every one a date with its
time, that is not needed. Any other field, and the column goes the ordinary way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antichain._kernels import compiled
from antichain.sources._spans import Bytes, Codes

_ZERO, _NINE, _POINT, _SPACE, _RETURN = 48, 57, 46, 32, 13
_DASH, _COLON, _PLUS, _LETTER_T, _LETTER_Z, _LETTER_E = 45, 58, 43, 84, 90, 101
_ROOM = 10**17  # below it there is room for another digit in 64 bits
_MOST_DECIMALS = 22  # such powers of ten fit into a float exactly
_POWERS = np.array([10.0**k for k in range(_MOST_DECIMALS + 1)])
_SPLIT = 134217729.0  # 2²⁷ + 1, which splits a float into halves
_MOST_EXACT = 2**53
_DATE, _MOMENT = 10, 19  # characters of 2024-01-31, and with the time 12:34:56


@compiled
def _trimmed(data: Bytes, start: int, end: int) -> tuple[int, int]:
    while start < end and data[start] == _SPACE:
        start += 1
    while end > start and (data[end - 1] == _SPACE or data[end - 1] == _RETURN):
        end -= 1
    return start, end


@compiled
def _divided(value: int, power: float) -> float:
    """A whole number of up to 18 digits by a power of ten, rounded once (Dekker's division)."""
    high = float(value)
    low = float(value - int(high))
    first = high / power
    product = first * power
    split_first, split_power = _SPLIT * first, _SPLIT * power
    first_high = split_first - (split_first - first)
    power_high = split_power - (split_power - power)
    first_low, power_low = first - first_high, power - power_high
    lost = first_high * power_high - product + first_high * power_low + first_low * power_high
    lost += first_low * power_low
    return first + (high - product - lost + low) / power


@compiled
def _read_numbers(data: Bytes, starts: Codes, ends: Codes, values: NDArray[np.float64]) -> bool:
    """Whether every field is a plain number; then `values` holds them."""
    for k in range(starts.size):
        start, end = _trimmed(data, starts[k], ends[k])
        negative = start < end and data[start] == _DASH
        value, digits, decimals, pointed = 0, 0, 0, False
        for at in range(start + negative, end):
            byte = data[at]
            if _ZERO <= byte <= _NINE and value < _ROOM and decimals < _MOST_DECIMALS:
                value = 10 * value + (byte - _ZERO)
                digits += 1
                decimals += pointed
            elif byte == _POINT and digits > 0 and not pointed:
                pointed = True
            else:
                return False
        if digits == 0:
            return False
        if value <= _MOST_EXACT:
            number = value / _POWERS[decimals]
        else:
            number = _divided(value, _POWERS[decimals])
        values[k] = -number if negative else number
    return True


@compiled
def _skip_digits(data: Bytes, at: int, end: int) -> int:
    """Where digits that start at a place end."""
    while at < end and _ZERO <= data[at] <= _NINE:
        at += 1
    return at


@compiled
def _is_signed(data: Bytes, at: int) -> bool:
    return bool(data[at] == _PLUS or data[at] == _DASH)


@compiled
def _copy_numbers(data: Bytes, starts: Codes, ends: Codes, text: Bytes) -> int:
    """Copy every field and a space after it, if each is a number of any sort; how much that is.

    Otherwise −1. A sign, more digits than a float holds, and powers of ten are allowed.
    """
    size = 0
    for k in range(starts.size):
        start, end = _trimmed(data, starts[k], ends[k])
        at = start
        if at < end and _is_signed(data, at):
            at += 1
        point = _skip_digits(data, at, end)
        digits = point - at
        at = point
        if at < end and data[at] == _POINT:
            at = _skip_digits(data, at + 1, end)
            digits += at - point - 1
        if at < end and digits > 0 and (data[at] | 32) == _LETTER_E:
            power = at + 2 if at + 1 < end and _is_signed(data, at + 1) else at + 1
            at = _skip_digits(data, power, end)
            if not power < at <= power + 3:
                return -1
        if digits == 0 or at < end:
            return -1
        for place in range(start, end):
            text[size] = data[place]
            size += 1
        text[size] = _SPACE
        size += 1
    return size


def _read_long_numbers(
    data: Bytes, starts: Codes, ends: Codes, values: NDArray[np.float64]
) -> bool:
    """Whether every field is a number; then `values` holds them."""
    text = np.empty(int((ends - starts + 1).sum()), np.uint8)
    size = _copy_numbers(data, starts, ends, text)
    if size < 0:
        return False
    values[:] = np.fromstring(text[:size].tobytes(), np.float64, sep=" ")
    return True


@compiled
def _digits(data: Bytes, at: int, count: int) -> int:
    """The number that stands there in so many digits, −1 if there is none."""
    value = 0
    for k in range(at, at + count):
        if not _ZERO <= data[k] <= _NINE:
            return -1
        value = 10 * value + (data[k] - _ZERO)
    return value


@compiled
def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01, by counting years from March on."""
    year -= month <= 2
    since_march = (month + 9) % 12
    days = 365 * year + year // 4 - year // 100 + year // 400
    return days + (153 * since_march + 2) // 5 + day - 719469


@compiled
def _read_moments(data: Bytes, starts: Codes, ends: Codes, values: NDArray[np.float64]) -> bool:
    """Whether every field is 2024-01-31T12:34:56, perhaps with a fraction and Z or +00:00.

    Then `values` holds seconds since 1970. Anything else that may be a date is not read here.
    """
    for k in range(starts.size):
        start, end = _trimmed(data, starts[k], ends[k])
        if end - start > 6 and _is_offset_zero(data, end - 6):
            end -= 6
        elif end - start > _MOMENT and data[end - 1] == _LETTER_Z:
            end -= 1
        size = end - start
        if size != _MOMENT and size != _MOMENT + 4 and size != _MOMENT + 7:
            return False
        year, month = _digits(data, start, 4), _digits(data, start + 5, 2)
        day, hour = _digits(data, start + 8, 2), _digits(data, start + 11, 2)
        minute, second = _digits(data, start + 14, 2), _digits(data, start + 17, 2)
        between = data[start + _DATE]
        if not (
            data[start + 4] == _DASH
            and data[start + 7] == _DASH
            and between in (_LETTER_T, _SPACE)
            and data[start + 13] == _COLON
            and data[start + 16] == _COLON
        ):
            return False
        if year < 1 or not (1 <= month <= 12 and 1 <= day <= 31):
            return False
        # A day that this month does not have.
        if _days(year, month, day) >= _days(year + month // 12, month % 12 + 1, 1):
            return False
        if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59):
            return False
        micros = 0
        if size > _MOMENT:
            fraction = size - _MOMENT - 1
            micros = _digits(data, start + _MOMENT + 1, fraction)
            if data[start + _MOMENT] != _POINT or micros < 0:
                return False
            micros *= 1000 if fraction == 3 else 1
        seconds = _days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
        total = seconds * 1000000 + micros
        if not -_MOST_EXACT <= total <= _MOST_EXACT:
            return False
        values[k] = total / 1000000
    return True


@compiled
def _is_offset_zero(data: Bytes, at: int) -> bool:
    return (
        data[at] == _PLUS
        and data[at + 3] == _COLON
        and _digits(data, at + 1, 2) == 0
        and _digits(data, at + 4, 2) == 0
    )


class PlainTexts(Sequence[Any]):
    """The texts of a column, one per row, that were read already: as numbers, or as dates.

    Attributes:
        values: The numbers, or seconds since 1970.
        dated: Whether they are dates.
    """

    def __init__(
        self, values: NDArray[np.float64], dated: bool, text: Callable[[int], object]
    ) -> None:
        self.values, self.dated, self._text = values, dated, text

    def __len__(self) -> int:
        return self.values.size

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return [self._text(k) for k in range(*row.indices(len(self)))]
        return self._text(range(len(self))[row])


def plain_texts(
    data: Bytes, starts: Codes, ends: Codes, decoded: Callable[[bytes], object]
) -> PlainTexts | None:
    """The fields between these places, if all are plain numbers or all dates; otherwise None."""
    values = np.empty(starts.size, np.float64)
    for read, dated in (
        (_read_numbers, False), (_read_moments, True), (_read_long_numbers, False),
    ):  # fmt: skip
        if read(data, starts, ends, values):
            return PlainTexts(
                values, dated, lambda row: decoded(data[starts[row] : ends[row]].tobytes())
            )
    return None
