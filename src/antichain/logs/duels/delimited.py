"""Votes in delimited text: CSV, TSV and their kin, split and coded by compiled kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, NoReturn

import numpy as np

from antichain.errors import FileError
from antichain.logs.duels.chunks import Chunk, Flaw, Source, Text, cut, one_line, table_of
from antichain.logs.duels.kernels import Bytes, Places, SpanIds, split_fields
from antichain.logs.duels.streams import LONGEST, ByteLog
from antichain.logs.ids import Codes

_DELIMITERS = b",\t;|"
_NAMES = {"\t": "tabs", ";": "semicolons", "|": "vertical bars"}
_MOST_COLUMNS = 4096
_MOST_HEADER_LINES = 64
_EMPTY_LINES = re.compile(rb"(?:[ \r]*\n)+")
_QUOTED = re.compile(rb'"(?:[^"]|"")*"')


class _Rows(NamedTuple):
    """Rows of a text: the bytes, the spans of the wanted fields, and what else is known."""

    data: Bytes
    starts: Places
    ends: Places
    fields: Codes
    stray: Codes
    lines: Places


class DelimitedSource(Source):
    """A text with a header. Empty lines are passed; spaces around a field do not count."""

    def __init__(self, log: ByteLog, delimiter: str | None = None) -> None:
        self.label = log.label
        self._blocks = log.blocks()
        self._rest, self._line, self._ended = b"", 1, False
        self.delimiter = delimiter or ("\t" if log.suffix == ".tsv" else None)
        self._header = self._read_header()

    def header(self) -> list[str]:
        """The names in the first line."""
        return self._header

    def chunks(self, columns: Mapping[str, str], passing: frozenset[str]) -> Iterator[Chunk]:
        """The rows, about a megabyte at a time."""
        slot_of = np.full(len(self._header), -1, np.int32)
        wanted = list(dict.fromkeys(columns.values()))
        for slot, column in enumerate(wanted):
            slot_of[self._header.index(column)] = slot
        slots = {role: wanted.index(column) for role, column in columns.items()}
        tables = {table_of(role): SpanIds() for role in columns}
        while not self._ended:
            self._more()
            rows, consumed, line = self._split(self._rest, slot_of, len(wanted))
            if rows.fields.size:
                tables |= {role: SpanIds() for role in passing if role in tables}
                yield self._chunk(rows, slots, tables)
            self._rest, self._line = self._rest[consumed:], line
            if len(self._rest) > LONGEST:
                self._refuse_unclosed()
        if self._rest:
            self._refuse_unclosed()

    def _more(self) -> None:
        """Read another block; at the end of the text, close its last line."""
        block = next(self._blocks, b"")
        self._rest += block
        if not block:
            self._ended = True
            if self._rest and not self._rest.endswith(b"\n"):
                self._rest += b"\n"

    def _split(self, text: bytes, slot_of: Codes, slots: int) -> tuple[_Rows, int, int]:
        """The whole rows of a text, the bytes they take, and the line after them."""
        assert self.delimiter is not None
        data = np.frombuffer(text, np.uint8)
        room = text.count(b"\n") + 1
        starts, ends = np.zeros((room, slots), np.int64), np.zeros((room, slots), np.int64)
        fields, stray = np.zeros(room, np.int32), np.zeros(room, np.int32)
        lines = np.zeros(room, np.int64)
        count, consumed, line = split_fields(
            data, ord(self.delimiter), slot_of, self._line, starts, ends, fields, stray, lines
        )
        rows = _Rows(
            data, starts[:count], ends[:count], fields[:count], stray[:count], lines[:count]
        )
        return rows, consumed, line

    def _chunk(self, rows: _Rows, slots: Mapping[str, int], tables: Mapping[str, SpanIds]) -> Chunk:
        wrong = np.flatnonzero((rows.fields != len(self._header)) | (rows.stray > 0))
        # What stands in the fields of such a row is not to be trusted.
        rows.starts[wrong], rows.ends[wrong] = 0, 0
        known = {name: len(table) for name, table in tables.items()}
        codes = {
            role: tables[table_of(role)].codes(
                rows.data,
                np.ascontiguousarray(rows.starts[:, slot]),
                np.ascontiguousarray(rows.ends[:, slot]),
            )
            for role, slot in slots.items()
        }
        new = {
            name: [_text(raw) for raw in table.since(known[name])] for name, table in tables.items()
        }
        flaws = {int(row): self._flaw(int(rows.fields[row])) for row in wrong}
        lines = rows.lines
        return Chunk(rows.fields.size, codes, new, flaws, lambda row: f"line {lines[row]}")

    def _flaw(self, fields: int) -> Flaw:
        if fields != len(self._header):
            return Flaw(
                "fields",
                f"has {fields} fields, but {len(self._header)} as in the header were expected",
            )
        return Flaw("quotes", "has text after a closing quote, but the end of a field was expected")

    def _read_header(self) -> list[str]:
        """The names of the columns; from here on the rest starts with the first row."""
        end = 0
        every_field = np.arange(_MOST_COLUMNS, dtype=np.int32)
        for _ in range(_MOST_HEADER_LINES):
            end = self._past_newline(end)
            if end < 0:
                break
            if self.delimiter is None:
                self.delimiter = _guessed(self._rest[:end])
                if self.delimiter in _NAMES:
                    self.notes = (f"took {_NAMES[self.delimiter]} as what separates the fields",)
            head, _, line = self._split(self._rest[:end], every_field, _MOST_COLUMNS)
            if head.fields.size:
                texts = self._names(head)
                self._rest, self._line = self._rest[end:], line
                return texts
        if self._rest.strip():
            self._refuse_unclosed()
        raise FileError(f"{self.label} is empty, but votes were expected")

    def _past_newline(self, end: int) -> int:
        """Where the line that starts at `end` ends, or −1 if there is no such line."""
        while True:
            if end == 0:
                empty = _EMPTY_LINES.match(self._rest)
                if empty is not None:
                    self._line += empty[0].count(b"\n")
                    self._rest = self._rest[empty.end() :]
            newline = self._rest.find(b"\n", end)
            if newline >= 0:
                return newline + 1
            if self._ended or len(self._rest) > LONGEST:
                return -1
            self._more()

    def _names(self, head: _Rows) -> list[str]:
        where = f"{self.label}, line {head.lines[0]}"
        if head.stray[0]:
            raise FileError(f"{where} has text after a closing quote, but a header was expected")
        if head.fields[0] > _MOST_COLUMNS:
            raise FileError(
                f"{where} has {head.fields[0]} columns, but at most {_MOST_COLUMNS} were expected"
            )
        held = head.data.tobytes()
        names = []
        for start, end in zip(head.starts[0], head.ends[0], strict=True):
            text = _text(held[start:end])
            if isinstance(text, Flaw):
                raise FileError(f"{where} {text.sentence}")
            names.append(text)
        return names[: head.fields[0]]

    def _refuse_unclosed(self) -> NoReturn:
        """Raise about a row that does not end."""
        raise FileError(
            f"{self.label}, line {self._line} has a quote that is never closed, or no end within "
            f"{LONGEST:,} bytes, but a row was expected (it begins with "
            f"{cut(self._rest[:40].decode('utf-8', 'replace'))})"
        )


def _guessed(head: bytes) -> str:
    """What separates the fields of a header: what stands in it most often outside quotes."""
    bare = _QUOTED.sub(b"", head)
    return chr(max(_DELIMITERS, key=lambda mark: bare.count(mark)))


def _text(raw: bytes) -> Text:
    """What a field says."""
    try:
        text = raw.decode().strip()
    except UnicodeDecodeError as error:
        wrong = raw[error.start : error.start + 8]
        return Flaw(
            "encoding",
            f"has the bytes {wrong!r}, but UTF-8 was expected (or say --encoding, such as "
            "windows-1252)",
        )
    if text.startswith('"'):
        text = text[1:-1].replace('""', '"')
    return one_line(text)
