"""Votes as rows: of JSON, or of any iterable in Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from antichain.errors import FileError, InputError
from antichain.logs.duels.chunks import Flaw, cut, shown
from antichain.logs.duels.streams import ByteLog
from antichain.logs.duels.values import BATCH, Batch, ValueSource

POSITIONS = ("left", "right", "winner", "count")
"""What the places of a row mean that is a tuple."""

Placed = tuple[str, Any]  # where a row is, and the row or a Flaw


class RowSource(ValueSource):
    """Rows that are mappings by column, or sequences of left, right, winner[, count]."""

    def __init__(self, label: str, rows: Iterable[Placed]) -> None:
        self.label = label
        self._rows = iter(rows)
        first: list[Placed] = []
        self._header: list[str] = []
        for placed in self._rows:
            first.append(placed)
            if not isinstance(placed[1], Flaw):
                self._header = self._columns_of(*placed)
                break
            if len(first) == BATCH:
                break
        self._rows = chain(first, self._rows)
        self._empty = not first
        self._flaw = first[0] if first and isinstance(first[-1][1], Flaw) else None

    def _columns_of(self, place: str, row: Any) -> list[str]:
        if isinstance(row, Mapping):
            return [str(column) for column in row]
        if _is_sequence(row) and 3 <= len(row) <= len(POSITIONS):
            return list(POSITIONS[: len(row)])
        raise InputError(
            f"{self.label}, {place} is {shown(row)}, but (left, right, winner[, count]) or a "
            "mapping was expected"
        )

    def header(self) -> list[str]:
        """The columns of the first row."""
        if self._empty:
            raise FileError(f"{self.label} is empty, but votes were expected")
        if self._flaw is not None:  # and no row that could say what the columns are
            place, flaw = self._flaw
            raise FileError(f"{self.label}, {place} {flaw.sentence}")
        return self._header

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows; those of another shape than the first one are flawed."""
        place_of = {column: POSITIONS.index(column) for column in columns if column in POSITIONS}
        while placed := list(islice(self._rows, BATCH)):
            values: dict[str, list[Any]] = {column: [] for column in columns}
            flaws: dict[int, Flaw] = {}
            for n, (_, row) in enumerate(placed):
                if isinstance(row, Mapping):
                    for column, held in values.items():
                        held.append(row.get(column))
                    continue
                good = _is_sequence(row) and len(row) == len(self._header) and place_of
                if not good:
                    flaws[n] = row if isinstance(row, Flaw) else self._odd(row)
                for column, held in values.items():
                    held.append(row[place_of[column]] if good else None)
            yield Batch(values, flaws, [place for place, _ in placed])

    def _odd(self, row: Any) -> Flaw:
        return Flaw("fields", f"is {shown(row)}, but {len(self._header)} fields were expected")


def _is_sequence(row: Any) -> bool:
    return isinstance(row, list | tuple) and not isinstance(row, Flaw)


def placed_rows(rows: Iterable[Any]) -> Iterator[Placed]:
    """The rows of an iterable, each with its number."""
    return ((f"row {n}", row) for n, row in enumerate(rows, start=1))


def json_lines(log: ByteLog) -> Iterator[Placed]:
    """The objects in a log that has one a line."""
    for n, line in enumerate(log.lines(), start=1):
        if line.strip():
            yield f"line {n}", _parsed(line)


def json_array(log: ByteLog) -> Iterator[Placed]:
    """The objects in a log that is one JSON array, which is read as a whole."""
    document = _parsed(b"".join(log.blocks()), whole=True)
    if isinstance(document, Flaw):
        raise FileError(f"{log.label} {document.sentence}")
    for n, row in enumerate(document, start=1):
        good = isinstance(row, Mapping)
        yield f"row {n}", row if good else _no_object(json.dumps(row)[:80])


def _parsed(text: bytes, whole: bool = False) -> Any:
    """The object (or the whole array) in a text, or a Flaw."""
    try:
        value = json.loads(text.decode(), object_pairs_hook=_unique)
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
