"""Sources whose rows are Python values: JSON, Parquet, tables in memory, plain iterables."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from antichain.logs.duels.chunks import Chunk, Flaw, Source, Text, cut, one_line, table_of
from antichain.logs.ids import Codes

BATCH = 1 << 16
_MISSING = ("NAType", "NaTType")  # what pandas has for it


class Batch(NamedTuple):
    """Rows: the values of each wanted column, rows that are none, and where each row is."""

    values: Mapping[str, Sequence[Any]]
    flaws: Mapping[int, Flaw]
    places: Sequence[str] | range


class ValueSource(Source):
    """Rows of Python values, coded here."""

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows, some ten thousand at a time."""

    def chunks(self, columns: Mapping[str, str], passing: frozenset[str]) -> Iterator[Chunk]:
        """The rows, batch by batch."""
        tables = {table_of(role): TextCodes() for role in columns}
        for batch in self.batches(list(dict.fromkeys(columns.values()))):
            tables |= {role: TextCodes() for role in passing if role in tables}
            known = {name: len(table.texts) for name, table in tables.items()}
            codes = {
                role: tables[table_of(role)].codes(batch.values[column])
                for role, column in columns.items()
            }
            new = {name: table.texts[known[name] :] for name, table in tables.items()}
            yield Chunk(len(batch.places), codes, new, batch.flaws, _Place(batch.places))


class _Place:
    """Where a row of a batch is."""

    def __init__(self, places: Sequence[str] | range) -> None:
        self._places = places

    def __call__(self, row: int) -> str:
        place = self._places[row]
        return place if isinstance(place, str) else f"row {place}"


class TextCodes:
    """Values as texts, coded 0, 1, 2, … in the order in which they are first seen."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self._codes: dict[Text, int] = {}

    def codes(self, values: Sequence[Any]) -> Codes:
        """A code for each value, new ones included."""
        # The same text may have several codes: with spaces around it, or as a number. Texts that
        # mean the same are the reducer's business.
        known = self._codes
        codes = [known.get(value, -1) if type(value) is str else -1 for value in values]
        for row, code in enumerate(codes):
            if code < 0:
                codes[row] = self._code(values[row])
        return np.array(codes, np.int32)

    def _code(self, value: Any) -> int:
        key: Text = value if type(value) is str else text_of(value)
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = len(self.texts)
            self.texts.append(text_of(value))
        return code


def text_of(value: Any) -> Text:
    """A value as it would stand in a CSV file; what is missing is empty.

    >>> text_of(" a "), text_of(3.0), text_of(None), text_of(True)
    ('a', '3', '', 'true')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            return Flaw("encoding", f"has the bytes {value[:20]!r}, but UTF-8 was expected")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return Flaw(
                "encoding", f"has the text {cut(value)}, but whole characters were expected"
            )
        return one_line(value)
    if value is None or type(value).__name__ in _MISSING:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() else repr(value)
    return _other(value)


def _other(value: Any) -> Text:
    """A whole number, a date, or anything else that has a plain text."""
    if isinstance(value, int) or hasattr(value, "isoformat") or hasattr(value, "as_integer_ratio"):
        try:
            return value.isoformat() if hasattr(value, "isoformat") else str(value)
        except (ValueError, OverflowError) as error:  # a number of thousands of digits
            return Flaw("value", f"has a value that cannot be written ({error})")
    kind = type(value).__name__
    return Flaw("value", f"has a value of the type {kind}, but text or a number was expected")
