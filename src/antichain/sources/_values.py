"""Sources whose rows are Python values: those of JSON, and of any Python iterable."""

from __future__ import annotations

import hashlib
import json
import math
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from antichain._text import shown
from antichain.errors import FileError, InputError
from antichain.sources._chunks import (
    Chunk,
    ChunkSource,
    Flaw,
    NameRoom,
    RowGroup,
    Text,
    TextIds,
    cut,
    one_line,
    table_of,
)
from antichain.sources._spans import Codes

BATCH = 1 << 16
POSITIONS = ("left", "right", "winner", "count")
"""What the places of a row mean if the row is a tuple."""

# Roles of what rows have in common, and of a whole ranking.
_SHARED = ("voter", "cluster", "judgment", "unit", "ballot")
_MISSING = ("NAType", "NaTType")  # what pandas has for it
_PLACE = re.compile(r"[.\[|&]")  # what the name of a place inside of a row has


class Distinct(NamedTuple):
    """The different values of a column, and for each row the place of its value among them."""

    values: Sequence[Any]
    places: Codes


class Batch(NamedTuple):
    """Some rows: the values of each wanted column, unusable rows, and the number of each row."""

    values: Mapping[str, Sequence[Any] | Distinct]
    """The values of each column."""
    flaws: Mapping[int, Flaw]
    """What is wrong with a row that cannot be used, by its place in the batch."""
    numbers: Sequence[int]
    """The number of each row, for messages: its line in a file, for example."""


class ValueSource(ChunkSource):
    """A source of rows of Python values: the base class for a reader of your own."""

    word = "row"  # what the numbers of rows count

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows, some tens of thousands at a time."""

    def chunks(self, columns: Mapping[str, str], passing: frozenset[str]) -> Iterator[Chunk]:
        tables = {table_of(role): ValueIds(_text_by_role(role)) for role in columns}
        room = NameRoom(self.label, columns, passing)
        for batch in self.batches(list(dict.fromkeys(columns.values()))):
            tables |= {role: ValueIds(_text_by_role(role)) for role in passing if role in tables}
            known = {name: len(table.ids) for name, table in tables.items()}
            codes = {
                role: tables[table_of(role)].codes(batch.values[column])
                for role, column in columns.items()
            }
            new = {name: table.ids.texts[known[name] :] for name, table in tables.items()}
            room.take(new)
            yield Chunk(len(batch.numbers), codes, new, batch.flaws, self._placing(batch.numbers))

    def _placing(self, numbers: Sequence[int]) -> Callable[[int], str]:
        return lambda row: f"{self.word} {numbers[row]}"


class ValueIds:
    """Codes 0, 1, 2, … for values as texts, in the order in which the texts are first seen.

    Args:
        text: The text of a value.
    """

    def __init__(self, text: Callable[[Any], Text] | None = None) -> None:
        self.ids = TextIds()
        self._text = text or text_of
        # Numbers of different types are equal in Python, but True is not the text 1.
        self._by_type: dict[type, _CodesOfType] = {}

    def codes(self, values: Sequence[Any] | Distinct) -> Codes:
        if isinstance(values, Distinct):
            return self.codes(values.values)[values.places]
        known = self._by_type
        kinds = set(map(type, values))
        for kind in kinds - known.keys():
            known[kind] = _CodesOfType(self.ids)
        try:
            if len(kinds) == 1:  # nearly always, and three times as fast
                found: Iterable[int] = map(known[kinds.pop()].__getitem__, values)
            else:
                found = (known[type(value)][value] for value in values)
            return np.fromiter(found, np.int32, len(values))
        except TypeError:  # one of them cannot be a key of a dictionary
            return np.array(self.ids.codes(map(self._text, values)), np.int32)


class _CodesOfType(dict[Any, int]):
    """The codes of values of one type, which come to be known as they are looked up."""

    def __init__(self, ids: TextIds) -> None:
        super().__init__()
        self._ids = ids

    def __missing__(self, value: Any) -> int:
        code = self._ids.code(text_of(value))
        if _is_itself(value):
            self[value] = code
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
                "encoding", f"has the text {cut(value)}, but valid Unicode text was expected"
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


def _text_by_role(role: str) -> Callable[[Any], Text]:
    """How the values of a role become texts.

    What rows share, such as a judge that is given as its model and its prompt, may be any value;
    items and answers are plain ones.
    """
    return _json_text if role.split(" ")[0] in _SHARED else text_of


def _json_text(value: Any) -> Text:
    if not isinstance(value, list | dict):
        return text_of(value)
    try:
        return text_of(json.dumps(value, sort_keys=True, ensure_ascii=False, default=str))
    except (ValueError, TypeError, RecursionError):
        return Flaw("value", "has a value that cannot be written as JSON")


def _other(value: Any) -> Text:
    """A whole number, a date, or anything else that has a plain text."""
    if isinstance(value, int) or hasattr(value, "isoformat") or hasattr(value, "as_integer_ratio"):
        try:
            return value.isoformat() if hasattr(value, "isoformat") else str(value)
        except (ValueError, OverflowError) as error:  # a number of thousands of digits
            return Flaw("value", f"has a value that cannot be written ({error})")
    if isinstance(value, dict) and value:
        inside = f"write COLUMN.{cut(next(iter(value)))[1:-1]}"
        return Flaw(
            "value",
            f"has an object, but text or a number was expected (to name a value in it, {inside})",
        )
    kind = type(value).__name__
    return Flaw("value", f"has a value of the type {kind}, but text or a number was expected")


# -- rows of JSON and of Python ------------------------------------------------------------------


class RowSource(ValueSource):
    """Rows that are mappings by column, or sequences of left, right, winner[, count]."""

    nested = True

    def __init__(self, label: str, groups: Iterable[RowGroup], word: str = "row") -> None:
        self.label, self.word = label, word
        self._times: Counter[str] = Counter()  # how often the two sides of a row were met so
        rest = iter(groups)
        first: list[RowGroup] = []
        self._header: list[str] = []
        self._flaw: tuple[int, Flaw] | None = None
        looked = 0
        for numbers, rows in rest:
            first.append((numbers, rows))
            found = next((n for n, row in enumerate(rows) if not isinstance(row, Flaw)), None)
            if found is not None:
                self._flaw = None
                self._header = self._columns_of(numbers[found], rows[found])
                if _is_sequence(rows[found]) and len(self._header) == len(POSITIONS):
                    self.counts = POSITIONS[-1]
                break
            self._flaw = self._flaw or (numbers[0], rows[0])
            looked += len(rows)
            if looked >= BATCH:
                break
        self._groups = chain(first, rest)
        self._empty = not first

    def _columns_of(self, number: int, row: Any) -> list[str]:
        if isinstance(row, Mapping):
            return [str(column) for column in row]
        if _is_sequence(row) and 3 <= len(row) <= len(POSITIONS):
            return list(POSITIONS[: len(row)])
        raise InputError(
            f"{self.label}, {self.word} {number} is {shown(row)}, but (left, right, winner[, "
            "count]) or a mapping was expected"
        )

    def header(self) -> list[str]:
        if self._empty:
            raise FileError(f"{self.label} is empty, but rows were expected")
        if self._flaw is not None:  # and no row says what the columns are
            number, flaw = self._flaw
            raise FileError(f"{self.label}, {self.word} {number} {flaw.sentence}")
        return self._header

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows; those of another shape than the first one are flawed."""
        place_of = {column: POSITIONS.index(column) for column in columns if column in POSITIONS}
        for numbers, rows in self._groups:
            flaws: dict[int, Flaw] = {}
            if not all(type(row) is dict for row in rows):
                rows = list(rows)
                for n, row in enumerate(rows):
                    good = _is_sequence(row) and len(row) == len(self._header) and place_of
                    if good:
                        rows[n] = {column: row[place] for column, place in place_of.items()}
                    elif not isinstance(row, Mapping):
                        flaws[n] = row if isinstance(row, Flaw) else self._odd(row)
                        rows[n] = {}
            values = {column: self._values(rows, column) for column in columns}
            yield Batch(values, flaws, numbers)

    def _values(self, rows: Sequence[Mapping[str, Any]], column: str) -> list[Any]:
        if column in self._header or not _PLACE.search(column):
            return [row.get(column) for row in rows]
        if "&" in column:
            sides = [side.split(",") for side in column.split("&")]
            return [self._exchanged(row, sides) for row in rows]
        paths = [path_of(part) for part in column.split("|")]
        return [_first_in(row, paths) for row in rows]

    def _exchanged(self, row: Mapping[str, Any], sides: Sequence[Sequence[str]]) -> str:
        """What a row shares with the one in which its two sides are exchanged, and no other."""
        texts = [str(_json_text([row.get(column) for column in side])) for side in sides]
        this, either = (
            hashlib.blake2b("\n".join(part).encode(), digest_size=16).hexdigest()
            for part in (texts, sorted(texts))
        )
        self._times[this] += 1
        return f"{either} {self._times[this]}"

    def _odd(self, row: Any) -> Flaw:
        return Flaw("fields", f"is {shown(row)}, but {len(self._header)} fields were expected")


def path_of(place: str) -> list[str | int]:
    """The keys and indices that lead to a value inside of a row.

    >>> path_of("games[0].score")
    ['games', 0, 'score']
    """
    steps = re.findall(r"\[(\d+)\]|([^.\[\]]+)", place)
    return [int(index) if index else key for index, key in steps] or [place]


def _first_in(row: Mapping[str, Any], paths: Sequence[Sequence[str | int]]) -> Any:
    """What stands at the first of these places that holds anything; None if none does."""
    for path in paths:
        value: Any = row
        for step in path:
            inside = isinstance(value, list) if isinstance(step, int) else isinstance(value, dict)
            try:
                value = value[step] if inside else None
            except (IndexError, KeyError):
                value = None
        if value is not None and value != "":
            return value
    return None


def _is_sequence(row: Any) -> bool:
    return isinstance(row, list | tuple) and not isinstance(row, Flaw)


def row_groups(rows: Iterable[Any]) -> Iterator[RowGroup]:
    """The rows of Python with their numbers, some tens of thousands at a time."""
    rest, done = iter(rows), 0
    while group := list(islice(rest, BATCH)):
        yield range(done + 1, done + len(group) + 1), group
        done += len(group)
