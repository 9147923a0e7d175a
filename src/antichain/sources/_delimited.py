"""Delimited text: CSV, TSV and their kin, split and coded by compiled kernels.

Blocks of text are split by several threads at once. A newline in quotes ends no row, so where a
block holds quotes, the next one can only be cut out after it has been split.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from antichain._limits import ROW_BYTES
from antichain._text import counted
from antichain.errors import FileError, ParameterError
from antichain.sources._chunks import (
    Chunk,
    ChunkSource,
    Flaw,
    NameRoom,
    Text,
    cut,
    one_line,
    table_of,
)
from antichain.sources._encodings import other_encoding
from antichain.sources._plain_numbers import plain_texts
from antichain.sources._spans import (
    EMPTY_ROW,
    STRAY_TEXT,
    Bytes,
    Codes,
    KeyIds,
    Keys,
    Numbers,
    split_fields,
)
from antichain.sources._streams import ByteLog

_DELIMITERS = b",\t;|"
_NAMES = {"\t": "tabs", ";": "semicolons", "|": "vertical bars"}
_NEWLINE = 10
_MOST_COLUMNS = 4096
_MOST_HEADER_LINES = 64
_FIRST_BYTES = 1 << 14  # of the rows, kept to tell whether there is a header
_MOST_THREADS = 4  # set by hand: by then one thread, which codes what the others split, is busy
_BLANKS = " \t\v\f\x1c\x1d\x1e\x1f"
_EMPTY_LINES = re.compile(rb"(?:[ \r]*\n)+")
_QUOTED = re.compile(rb'"(?:[^"]|"")*"')
_SEPARATOR = re.compile(rb'"?sep=([,;|\t])"?\r?\n', re.IGNORECASE)
_LONE_RETURN = re.compile(rb"\r(?!\r*\n)")
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1b]")  # bytes that hardly ever stand in text


@dataclass(frozen=True, eq=False)
class _Rows:
    """Whole rows of a text."""

    data: Bytes  # the bytes
    starts: Codes  # where the wanted fields start, by slot and row
    ends: Codes  # where they end
    keys: Keys  # their keys
    fields: Codes  # the number of fields in each row
    stray: Codes  # what else is wrong with a row (see `_spans`)
    lines: Numbers  # how many lines precede each row
    consumed: int  # the number of bytes in these rows
    passed: int  # the number of lines in them


_BY_ROW = ("starts", "ends", "keys", "fields", "stray", "lines")


def _split(text: bytes, delimiter: str, slot_of: Codes, slots: int) -> _Rows:
    """The whole rows of a text that ends with a newline."""
    data = np.frombuffer(text, np.uint8)
    room = np.count_nonzero(data == _NEWLINE) + 1  # many times faster than text.count
    starts, ends = np.empty((slots, room), np.int32), np.empty((slots, room), np.int32)
    keys = np.empty((slots, room), np.uint64)
    fields, stray = np.empty(room, np.int32), np.empty(room, np.int32)
    lines = np.empty(room, np.int64)
    count, consumed, passed = split_fields(
        data, ord(delimiter), slot_of, 0, starts, ends, keys, fields, stray, lines
    )
    made = (column[..., :count] for column in (starts, ends, keys, fields, stray, lines))
    values: list[Any] = [data, *made, consumed, passed]
    return _Rows(*values)


class DelimitedSource(ChunkSource):
    """A text of rows. Empty lines are passed; spaces around a field do not count.

    Args:
        log: The bytes.
        delimiter: The character between fields; guessed from the first line if None.
        names: The names of the first columns, of a text that has no header.

    Attributes:
        unclosed: The last line, if the text ends without a newline.
    """

    def __init__(
        self,
        log: ByteLog,
        delimiter: str | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        check_delimiter(delimiter)
        self.label, self._log = log.label, log
        self.unclosed: bytes | None = None
        self._blocks = log.blocks()
        self._rest, self._line, self._ended = b"", 1, False
        self._head_keys: Keys | None = None
        self._repeated = 0  # lines that repeat the header
        self._tables: dict[str, KeyIds] = {}  # the fields so far
        self.delimiter = delimiter or ("\t" if log.suffix == ".tsv" else None)
        self._header = self._read_header(names)
        self._first_rows = self._rest[:_FIRST_BYTES]

    def header(self) -> list[str]:
        return self._header

    def texts_below(self) -> frozenset[str]:
        assert self.delimiter is not None
        every = np.arange(len(self._header), dtype=np.int32)
        rows = _split(self._first_rows + b"\n", self.delimiter, every, every.size)
        whole, held = rows.fields == every.size, rows.data.tobytes()
        spans = zip(rows.starts[:, whole].flat, rows.ends[:, whole].flat, strict=True)
        return frozenset(str(_text(held[start:end])) for start, end in spans)

    def other_encoding(self) -> str | None:
        fields = (table.fields_since(0) for table in self._tables.values())
        return other_encoding(self.label, chain.from_iterable(fields))

    def chunks(self, columns: Mapping[str, str], passing: frozenset[str]) -> Iterator[Chunk]:
        slot_of = np.full(len(self._header), -1, np.int32)
        wanted = list(dict.fromkeys(columns.values()))
        for slot, column in enumerate(wanted):
            slot_of[self._header.index(column)] = slot
        slots = {role: wanted.index(column) for role, column in columns.items()}
        self._tables = tables = {table_of(role): KeyIds() for role in columns}
        room, empty = NameRoom(self.label, columns, passing), 0
        places = [self._header.index(column) for column in wanted]
        for rows in self._split_rows(slot_of, len(wanted)):
            rows = self._without_headers(rows, places)
            empty = 0 if (rows.stray != EMPTY_ROW).any() else empty + rows.passed
            self._log.check_empty(empty)
            if rows.fields.size:
                tables |= {role: KeyIds() for role in passing if role in tables}
                chunk = self._chunk(rows, slots, tables, passing)
                room.take(chunk.new)
                yield chunk
            self._line += rows.passed
        if self._rest:
            self._refuse_unclosed()
        if self._repeated:
            self.notes += (f"skipped lines that repeat the header: {self._repeated:,}",)

    def _without_headers(self, rows: _Rows, places: Sequence[int]) -> _Rows:
        """The rows but those that repeat the header, as where files were put together.

        Args:
            rows: The rows.
            places: The places of the wanted columns in the header, by slot.
        """
        if self._head_keys is None or len(places) < 2:
            return rows
        again = rows.fields == len(self._header)
        for slot, place in enumerate(places):
            if place and again.any():  # before the first there may be a byte order mark
                again &= rows.keys[slot] == self._head_keys[place]
        for row in np.flatnonzero(again).tolist():
            again[row] = self._is_header(rows.data.tobytes(), int(rows.starts[0, row]))
        if not again.any():
            return rows
        self._repeated += int(again.sum())
        kept = {name: getattr(rows, name)[..., ~again] for name in _BY_ROW}
        return replace(rows, **kept)

    def _is_header(self, text: bytes, at: int) -> bool:
        """Whether the line at this place of a text repeats the header in all of its fields."""
        assert self.delimiter is not None
        line = text[text.rfind(b"\n", 0, at) + 1 : text.find(b"\n", at) + 1]
        every = np.arange(len(self._header), dtype=np.int32)
        head = _split(line, self.delimiter, every, every.size)
        spans = zip(head.starts[:, 0], head.ends[:, 0], strict=True)
        texts = [str(_text(line[start:end])).removeprefix("\ufeff") for start, end in spans]
        return texts == self._header

    def _split_rows(self, slot_of: Codes, slots: int) -> Iterator[_Rows]:
        """The rest of the text, block by block in its order.

        Blocks are read ahead of those that are yielded; an error while reading comes in its turn.
        """
        threads = min(_MOST_THREADS, os.cpu_count() or 1)
        failure: FileError | None = None
        pool = ThreadPoolExecutor(threads)
        try:
            ahead: deque[Future[_Rows]] = deque()
            try:
                for job in self._jobs(pool, slot_of, slots):
                    ahead.append(job)
                    if len(ahead) > threads:
                        yield ahead.popleft().result()
            except FileError as error:
                failure = error
            while ahead:
                yield ahead.popleft().result()
        finally:
            # Where a caller gave up, Python closes this generator when it collects garbage, which
            # may be while a thread starts. To wait for other threads there could take for ever.
            pool.shutdown(wait=False, cancel_futures=True)
        if failure is not None:
            raise failure

    def _jobs(
        self, pool: ThreadPoolExecutor, slot_of: Codes, slots: int
    ) -> Iterator[Future[_Rows]]:
        """The splitting of one block after the other, up to a row that does not end."""
        assert self.delimiter is not None
        while not self._ended and len(self._rest) <= ROW_BYTES:
            self._more()
            end = self._rest.rfind(b"\n") + 1
            if end:
                text = self._rest[:end]
                job = pool.submit(_split, text, self.delimiter, slot_of, slots)
                if b'"' in text:
                    end = job.result().consumed
                self._rest = self._rest[end:]
                yield job

    def _more(self) -> None:
        """Read another block; at the end of the text, close its last line."""
        block = next(self._blocks, b"")
        self._rest += block
        if not block:
            self._ended = True
            if self._rest and not self._rest.endswith(b"\n"):
                self.unclosed = self._rest[self._rest.rfind(b"\n") + 1 :]
                self._rest += b"\n"

    def _chunk(
        self,
        rows: _Rows,
        slots: Mapping[str, int],
        tables: Mapping[str, KeyIds],
        passing: frozenset[str],
    ) -> Chunk:
        wrong = np.flatnonzero((rows.fields != len(self._header)) | (rows.stray == STRAY_TEXT))
        # The fields of such a row are not to be trusted: they count as empty.
        rows.keys[:, wrong] = 0
        known = {name: len(table) for name, table in tables.items()}
        codes: dict[str, Codes] = {}
        new: dict[str, Sequence[Text]] = {}
        for role, slot in slots.items():
            starts, ends = rows.starts[slot], rows.ends[slot]
            plain = None
            if role in passing and not wrong.size:
                plain = plain_texts(rows.data, starts, ends, _text)
            if plain is None:
                codes[role] = tables[table_of(role)].codes(rows.keys[slot], rows.data, starts, ends)
            else:
                codes[role], new[role] = np.arange(starts.size, dtype=np.int32), plain
        new |= {
            name: _texts(table.fields_since(known[name]))
            for name, table in tables.items()
            if name not in new
        }
        flaws = {int(row): self._flaw(int(rows.fields[row])) for row in wrong}
        empty = np.flatnonzero(rows.stray == EMPTY_ROW).tolist()
        lines = self._line + rows.lines
        return Chunk(rows.fields.size, codes, new, flaws, lambda row: f"line {lines[row]}", empty)

    def _flaw(self, fields: int) -> Flaw:
        if fields != len(self._header):
            return Flaw(
                "fields",
                f"has {counted(fields, 'field')}, but {len(self._header)} were expected, as in the "
                "header",
            )
        return Flaw("quotes", "has text after a closing quote, but the end of a field was expected")

    def _read_header(self, given: Sequence[str] | None) -> list[str]:
        """The names of the columns; afterwards the rest starts with the first row."""
        end = 0
        every_field = np.arange(_MOST_COLUMNS, dtype=np.int32)
        for _ in range(_MOST_HEADER_LINES):
            end = self._past_newline(end)
            if end < 0:
                break
            line = self._rest[:end]
            lone_return = _LONE_RETURN.search(_QUOTED.sub(b"", line))
            if b"\0" in line or (lone_return and _CONTROL.search(line)):
                raise FileError(
                    f"{self.label} is a binary file, not text, but a table was expected (as CSV, "
                    "JSON or Parquet; for text in UTF-16 or UTF-32, say so with --encoding)"
                )
            if lone_return:
                raise FileError(
                    f"{self.label} ends its lines with carriage returns only, as on old Macs, but "
                    "newlines were expected (save it as CSV in UTF-8)"
                )
            said = _SEPARATOR.fullmatch(line)
            if said is not None:  # Excel's way to say it
                self.delimiter = self.delimiter or said[1].decode()
                self._rest, self._line, end = self._rest[end:], self._line + 1, 0
                continue
            if self.delimiter is None:
                self.delimiter = _guessed(line)
                if self.delimiter in _NAMES:
                    self.notes = (f"used {_NAMES[self.delimiter]} as the separator of fields",)
            head = _split(self._rest[:end], self.delimiter, every_field, _MOST_COLUMNS)
            if head.fields.size:
                if given is not None:
                    return [*given, *[""] * (int(head.fields[0]) - len(given))]
                texts = self._names(head)
                self._head_keys = head.keys[: len(texts), 0].copy()
                self._rest, self._line = self._rest[end:], self._line + head.passed
                return texts
        if self._rest.strip():
            self._refuse_unclosed()
        if given is not None:
            return list(given)
        raise FileError(f"{self.label} is empty, but a header and rows were expected")

    def _past_newline(self, end: int) -> int:
        """Where the line that starts at `end` ends, or −1 if there is no such line."""
        while True:
            if end == 0:
                empty = _EMPTY_LINES.match(self._rest)
                if empty is not None:
                    self._line += empty[0].count(b"\n")
                    self._log.check_empty(self._line - 1)
                    self._rest = self._rest[empty.end() :]
            newline = self._rest.find(b"\n", end)
            if newline >= 0:
                return newline + 1
            if self._ended or len(self._rest) > ROW_BYTES:
                return -1
            self._more()

    def _names(self, head: _Rows) -> list[str]:
        where = f"{self.label}, line {self._line + head.lines[0]}"
        if head.stray[0] == STRAY_TEXT:
            raise FileError(f"{where} has text after a closing quote, but a header was expected")
        if head.fields[0] > _MOST_COLUMNS:
            raise FileError(
                f"{where} has {head.fields[0]} columns, but at most {_MOST_COLUMNS} were expected"
            )
        held, count = head.data.tobytes(), int(head.fields[0])
        names = []
        for start, end in zip(head.starts[:count, 0], head.ends[:count, 0], strict=True):
            text = _text(held[start:end])
            if isinstance(text, Flaw):
                raise FileError(f"{where} {text.sentence}")
            names.append(text)
        return names

    def _refuse_unclosed(self) -> NoReturn:
        raise FileError(
            f"{self.label}, line {self._line} has a quote that is never closed, or no end within "
            f"{ROW_BYTES:,} bytes, but a row was expected (it begins with "
            f"{cut(self._rest[:40].decode('utf-8', 'replace'))})"
        )


def check_delimiter(delimiter: str | None) -> None:
    """Raise a ParameterError about what cannot stand between fields; None is to be guessed."""
    if delimiter is not None and (
        not isinstance(delimiter, str)
        or len(delimiter.encode("utf-8", "replace")) != 1
        or delimiter in '"\r\n'
    ):
        raise ParameterError(
            f"--delimiter is {delimiter!r}, but a single character (no quote) was expected, or tab"
        )


def _guessed(head: bytes) -> str:
    """What separates the fields of a header: what stands in it most often outside quotes."""
    bare = _QUOTED.sub(b"", head)
    return chr(max(_DELIMITERS, key=lambda mark: bare.count(mark)))


def _texts(fields: list[bytes]) -> list[Text]:
    """The texts of fields; where all of them are plain, they are decoded at once."""
    try:
        joined = b"\n".join(fields).decode()
    except UnicodeDecodeError:
        joined = '"'
    parts: list[Any] = joined.split("\n")
    if len(parts) != len(fields) or '"' in joined or "\r" in joined:
        return [_text(raw) for raw in fields]
    if joined.isascii() and not any(blank in joined for blank in _BLANKS):
        return parts
    return [part.strip() for part in parts]


def _text(raw: bytes) -> Text:
    try:
        text = raw.decode().strip()
    except UnicodeDecodeError as error:
        wrong = raw[error.start : error.start + 8]
        return Flaw(
            "encoding",
            f"has the bytes {wrong!r}, but UTF-8 was expected; give another encoding with "
            "--encoding, such as windows-1252",
        )
    if text.startswith('"'):
        text = text[1:-1].replace('""', '"')
    return one_line(text)
