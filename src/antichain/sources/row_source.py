"""Rows of JSON, or of any Python iterable."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from antichain.errors import FileError, InputError
from antichain.sources.chunks import Flaw, cut, shown
from antichain.sources.streams import ByteLog
from antichain.sources.values import BATCH, Batch, ValueSource

POSITIONS = ("left", "right", "winner", "count")
"""What the places of a row mean if the row is a tuple."""

Numbered = tuple[int, Any]  # a row (or a Flaw) and its number


class RowSource(ValueSource):
    """Rows that are mappings by column, or sequences of left, right, winner[, count]."""

    def __init__(self, label: str, rows: Iterable[Numbered], word: str = "row") -> None:
        self.label, self.word = label, word
        rest = iter(rows)
        first: list[Numbered] = []
        self._header: list[str] = []
        for number, row in rest:
            first.append((number, row))
            if not isinstance(row, Flaw):
                self._header = self._columns_of(number, row)
                break
            if len(first) == BATCH:
                break
        if first and _is_sequence(first[-1][1]) and len(self._header) == len(POSITIONS):
            self.counts = POSITIONS[-1]
        self._rows = chain(first, rest)
        self._empty = not first
        self._flaw = first[0] if first and isinstance(first[-1][1], Flaw) else None

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
        """The columns of the first row."""
        if self._empty:
            raise FileError(f"{self.label} is empty, but rows were expected")
        if self._flaw is not None:  # and no row says what the columns are
            number, flaw = self._flaw
            raise FileError(f"{self.label}, {self.word} {number} {flaw.sentence}")
        return self._header

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows; those of another shape than the first one are flawed."""
        place_of = {column: POSITIONS.index(column) for column in columns if column in POSITIONS}
        while numbered := list(islice(self._rows, BATCH)):
            numbers = [number for number, _ in numbered]
            rows = [row for _, row in numbered]
            if all(type(row) is dict for row in rows):
                values = {column: [row.get(column) for row in rows] for column in columns}
                yield Batch(values, {}, numbers)
                continue
            flaws: dict[int, Flaw] = {}
            for n, row in enumerate(rows):
                good = _is_sequence(row) and len(row) == len(self._header) and place_of
                if good:
                    rows[n] = {column: row[place] for column, place in place_of.items()}
                elif not isinstance(row, Mapping):
                    flaws[n] = row if isinstance(row, Flaw) else self._odd(row)
                    rows[n] = {}
            values = {column: [row.get(column) for row in rows] for column in columns}
            yield Batch(values, flaws, numbers)

    def _odd(self, row: Any) -> Flaw:
        return Flaw("fields", f"is {shown(row)}, but {len(self._header)} fields were expected")


def _is_sequence(row: Any) -> bool:
    return isinstance(row, list | tuple) and not isinstance(row, Flaw)


def json_lines(log: ByteLog) -> Iterator[Numbered]:
    """The objects in a log with one per line, each with its line number."""
    for n, line in enumerate(log.lines(), start=1):
        if line.strip():
            yield n, _parsed(line)


def json_array(log: ByteLog) -> Iterator[Numbered]:
    """The objects in a log that is one JSON array, read as a whole, each with its number."""
    document = _parsed(b"".join(log.blocks()), whole=True)
    if isinstance(document, Flaw):
        raise FileError(f"{log.label} {document.sentence}")
    for n, row in enumerate(document, start=1):
        yield n, row if isinstance(row, dict) else _no_object(json.dumps(row)[:80])


def _parsed(text: bytes, whole: bool = False) -> Any:
    """The object in a text (or the whole array), or a Flaw."""
    try:
        decoded = text.decode()
        value = json.loads(decoded)
        # A key has a colon: where there are more colons than keys, one may be given twice.
        if not isinstance(value, dict) or decoded.count(":") > len(value):
            value = json.loads(decoded, object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        wrong = text[error.start : error.start + 8]
        return Flaw("encoding", f"has the bytes {wrong!r}, but UTF-8 was expected")
    except RecursionError:
        return Flaw("json", "is nested too deeply to be read")
    except ValueError as error:
        return Flaw("json", f"is not JSON ({error})")
    if whole:
        return value if isinstance(value, list) else _no_object(text[:80], "a list of objects")
    return value if isinstance(value, dict) else _no_object(text[:80])


def _no_object(found: str | bytes, wanted: str = "a JSON object") -> Flaw:
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else found
    return Flaw("json", f"is {cut(text)}, but {wanted} was expected")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found
