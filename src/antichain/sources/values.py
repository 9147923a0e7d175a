"""Sources whose rows are Python values: JSON, Parquet, tables in memory, plain iterables."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from antichain.sources.chunks import Chunk, ChunkSource, Flaw, Text, cut, one_line, table_of
from antichain.sources.spans import Codes

BATCH = 1 << 16
_MISSING = ("NAType", "NaTType")  # what pandas has for it


class Distinct(NamedTuple):
    """The different values of a column, and for each row the place of its value among them."""

    values: Sequence[Any]
    places: Codes


class Batch(NamedTuple):
    """Some rows: the values of each wanted column, unusable rows, and the number of each row."""

    values: Mapping[str, Sequence[Any] | Distinct]
    flaws: Mapping[int, Flaw]
    numbers: Sequence[int]


class ValueSource(ChunkSource):
    """Rows of Python values, which are coded here."""

    word = "row"  # what the numbers of rows count

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows, some tens of thousands at a time."""

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
            yield Chunk(len(batch.numbers), codes, new, batch.flaws, self._placing(batch.numbers))

    def _placing(self, numbers: Sequence[int]) -> Callable[[int], str]:
        return lambda row: f"{self.word} {numbers[row]}"


class TextCodes:
    """Codes 0, 1, 2, … for values as texts, in the order in which the texts are first seen."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self._by_value: dict[Any, int] = {}
        self._by_text: dict[Text, int] = {}

    def codes(self, values: Sequence[Any] | Distinct) -> Codes:
        """A code for each value, including new ones."""
        if isinstance(values, Distinct):
            return self.codes(values.values)[values.places]
        known = self._by_value
        try:
            # Numbers of different types are equal in Python, but True is not the text 1.
            keys = [value if type(value) is str else (type(value), value) for value in values]
            codes = np.array([known.get(key, -1) for key in keys], np.int32)
        except TypeError:  # one of them cannot be a key of a dictionary
            return np.array([self._code(value) for value in values], np.int32)
        for row in np.flatnonzero(codes < 0).tolist():
            code = known.get(keys[row])  # it may have become known in this very loop
            if code is None:
                code = self._code(values[row])
                if _is_itself(values[row]):
                    known[keys[row]] = code
            codes[row] = code
        return codes

    def _code(self, value: Any) -> int:
        text = text_of(value)
        code = self._by_text.setdefault(text, len(self.texts))
        if code == len(self.texts):
            self.texts.append(text)
        return code


def _is_itself(value: Any) -> bool:
    """Whether a value equals itself, as no NaN does: a dictionary would never find it again."""
    return type(value) in (str, int, bool) or (type(value) is float and not math.isnan(value))


def text_of(value: Any) -> Text:
    """A value as it would stand in a CSV file; what is missing is empty.

    >>> text_of(" a "), text_of(3.0), text_of(None), text_of(True)
    ('a', '3', '', 'true')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Enum):  # such as an answer
        value = value.value
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
