"""Logs of plain lines: user, item, rating, between separators, as every MovieLens release has.

The lines are parsed by a compiled kernel, block by block, from a file or out of a zip archive.
"""

from __future__ import annotations

import os
import sys
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from antichain.compiled import compiled
from antichain.errors import FileError
from antichain.logs.ids import NumberIds, Words
from antichain.logs.log import KEEP_ROWS, Chunk, Floats, RatingLog

Bytes = NDArray[np.uint8]

_BLOCK = 1 << 20  # small enough to stay in a processor's cache while it is worked on
_MOST_THREADS = 4
_SHORTEST_ROW = 6  # bytes: 1,2,3 and a newline
_NEWLINE, _RETURN, _MINUS, _POINT, _ZERO, _NINE = 10, 13, 45, 46, 48, 57
_MOST_DIGITS = 18  # more would not fit in 64 bits


@dataclass(frozen=True)
class Member:
    """A file in a folder, or in a zip archive; `name` is its path inside the container."""

    container: Path
    name: str

    @property
    def is_zipped(self) -> bool:
        """Whether the container is an archive."""
        return not self.container.is_dir()

    def __str__(self) -> str:
        return str(self.container / self.name)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The bytes, with what can go wrong told in one sentence."""
        try:
            if self.is_zipped:
                with zipfile.ZipFile(self.container) as archive, archive.open(self.name) as stream:
                    yield stream
            else:
                with open(self.container / self.name, "rb") as stream:
                    yield stream
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise FileError(
                f"{self.container} is no whole zip archive ({error}), and one that holds "
                f"{self.name} was expected"
            ) from error
        except (OSError, KeyError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise FileError(f"cannot read {self}: {reason.lower()}") from error

    def size(self) -> int:
        """Bytes of the file, where it is not packed."""
        return os.path.getsize(self.container / self.name)


class LineLog(RatingLog):
    """Lines of `user SEP item SEP rating`, whatever follows after another separator.

    Args:
        member: The file.
        separator: Between the fields.
        header: The fields of the first line in front; None if the first line is a row already.
        span: The bytes this log is about: lines that start there. All by default.
    """

    users: NumberIds
    items: NumberIds

    def __init__(
        self,
        member: Member,
        separator: str,
        header: Sequence[str] | None = None,
        span: tuple[int, int] | None = None,
        keep_rows: int = KEEP_ROWS,
    ) -> None:
        super().__init__(str(member), keep_rows)
        self.member = member
        self.separator = separator
        self.header = None if header is None else tuple(header)
        self.span = span
        self.users = NumberIds()
        self.items = NumberIds()

    def __reduce__(self) -> tuple[object, ...]:
        """How to open the same log elsewhere: rows and codes kept in memory stay here."""
        options = (self.member, self.separator, self.header, self.span, self._keep_rows)
        return LineLog, options

    def parts(self, wanted: int) -> Sequence[LineLog]:
        """Spans of an unpacked file; an archive cannot be entered in the middle."""
        if self.member.is_zipped or wanted < 2:
            return [self]
        size = self.member.size()
        edges = [size * k // wanted for k in range(wanted + 1)]
        return [LineLog(self.member, self.separator, self.header, span) for span in pairwise(edges)]

    def read(self) -> Iterator[Chunk]:
        """The rows, some ten thousand at a time."""
        lines, rows = 0, 0
        for block in self._parsed():
            if block.bad is not None:
                self._refuse(lines + block.lines, block.bad)
            if block.unclosed is not None:
                self._check_unclosed(lines, block.unclosed)
            lines += block.lines
            rows += block.users.size
            codes = self.users.codes(block.users), self.items.codes(block.items)
            yield Chunk(*codes, block.ratings)
        if rows == 0 and self.span is None:
            raise FileError(
                f"{self.label} has no ratings, and lines of {self._shape()} were expected"
            )

    def _parsed(self) -> Iterator[_Block]:
        """The file in blocks, parsed side by side, in their order."""
        separator = np.frombuffer(self.separator.encode(), np.uint8)
        threads = min(_MOST_THREADS, os.cpu_count() or 1)
        with ThreadPoolExecutor(threads) as pool:
            ahead: deque[Future[_Block]] = deque()
            for data in self._blocks():
                ahead.append(pool.submit(_parse, data.copy(), separator))
                if len(ahead) > threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def _blocks(self) -> Iterator[Bytes]:
        """Whole lines, the header left out; each block valid until the next.

        A last line that no newline closes is a block of its own.
        """
        begin, end = self.span or (0, sys.maxsize)
        with self.member.open() as stream:
            at = begin
            if begin:
                stream.seek(begin - 1)
                # The line across the edge belongs to the span before.
                at = begin - 1 + len(stream.readline())
            elif self.header is not None:
                line = stream.readline()
                self._check_header(line)
                at = len(line)
            yield from _whole_lines(stream, at, end)

    def _check_header(self, line: bytes) -> None:
        assert self.header is not None
        text = line.decode("utf-8-sig", "replace").strip()
        fields = [field.strip().strip('"') for field in text.split(self.separator)]
        if tuple(fields[: len(self.header)]) != self.header:
            wanted = self.separator.join(self.header)
            raise FileError(
                f"{self.label}, line 1 is {_cut(text)!r}, and a header that begins with "
                f"{wanted!r} was expected"
            )

    def _check_unclosed(self, lines_before: int, line: bytes) -> None:
        """Raise about a last line that was cut off, as far as that can be seen."""
        with self.member.open() as stream:
            wanted = stream.readline().count(self.separator.encode()) + 1
        text = line.decode("utf-8", "replace").rstrip("\r")
        fields = text.split(self.separator)
        if len(fields) < wanted or fields[-1] == "" or text.endswith("."):
            raise FileError(
                f"{self._place(lines_before)}, the last one, is cut off after {_cut(text)!r}, and "
                f"{wanted} fields as in line 1 were expected"
            )

    def _place(self, lines_before: int) -> str:
        return f"{self.label}, line {self._lines_skipped() + lines_before + 1}"

    def _shape(self) -> str:
        return self.separator.join(("user", "item", "rating")).replace("\t", "<tab>")

    def _refuse(self, lines_before: int, line: bytes) -> NoReturn:
        """Raise about a line that is no rating."""
        text = line.decode("utf-8", "replace").rstrip("\r")
        where = self._place(lines_before)
        fields = text.split(self.separator)
        if len(fields) < 3:
            raise FileError(f"{where} is {_cut(text)!r}, and {self._shape()} was expected")
        for name, field in zip(("user", "item"), fields, strict=False):
            if not field.removeprefix("-").isdigit() or len(field) > _MOST_DIGITS:
                raise FileError(
                    f"{where} has the {name} {_cut(field)!r}, and a whole number was expected"
                )
        raise FileError(
            f"{where} has the rating {_cut(fields[2])!r}, and a decimal number was expected"
        )

    def _lines_skipped(self) -> int:
        """Lines before the first that is parsed."""
        if self.span is None or self.span[0] == 0:
            return int(self.header is not None)
        with self.member.open() as stream:
            before = stream.read(self.span[0] - 1)
            return before.count(b"\n") + 1

    def places(self, user: object, item: object) -> list[str]:
        """The lines of that user and item, found by reading the file again."""
        start = self.separator.join((str(user), str(item), "")).encode()
        with self.member.open() as stream:
            found = [n for n, line in enumerate(stream, start=1) if line.startswith(start)]
        return [f"line {n}" for n in found]


class _Block(NamedTuple):
    """Rows of one block, the lines passed, and two lines if there are such ones.

    `bad` is no row; `unclosed` is the last line of the file, without a newline.
    """

    users: Words
    items: Words
    ratings: Floats
    lines: int
    bad: bytes | None
    unclosed: bytes | None


def _parse(data: Bytes, separator: Bytes) -> _Block:
    unclosed = None
    if data[-1] != _NEWLINE:
        unclosed = data.tobytes()
        data = np.append(data, np.uint8(_NEWLINE))
    room = data.size // _SHORTEST_ROW + 1
    users, items, ratings = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    rows, lines, bad = parse_rows(data, separator, users, items, ratings)
    line = None if bad < 0 else data[bad:].tobytes().split(b"\n", 1)[0]
    # The ratings are kept, so that the room that was left must not be kept with them.
    return _Block(users[:rows], items[:rows], ratings[:rows].copy(), lines, line, unclosed)


def _whole_lines(stream: IO[bytes], at: int, end: int) -> Iterator[Bytes]:
    """The lines that start before `end`, of a stream that stands at `at`, block by block."""
    buffer = bytearray(_BLOCK)
    rest = 0  # bytes of an unfinished line, in front of the buffer
    while at < end:
        if 2 * rest > len(buffer):
            buffer = buffer + bytearray(len(buffer))
        room = min(len(buffer) - rest, end - at)
        got = stream.readinto(memoryview(buffer)[rest : rest + room])  # type: ignore[attr-defined]
        if not got:
            break
        at += got
        cut = buffer.rfind(b"\n", rest, rest + got) + 1
        if cut:
            yield np.frombuffer(buffer, np.uint8, cut)
        rest += got - cut
        # A copy, as the two ends may overlap.
        buffer[:rest] = bytes(memoryview(buffer)[cut : cut + rest])
    if rest:
        last = bytes(memoryview(buffer)[:rest]) + (stream.readline() if at >= end else b"")
        yield np.frombuffer(last, np.uint8)


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


@compiled
def _whole_number(data: Bytes, at: int) -> tuple[int, int]:
    """The whole number that starts at `at` and where it ends; the end is `at` if there is none."""
    start = at
    negative = data[at] == _MINUS
    if negative:
        at += 1
    first, value = at, 0
    while _ZERO <= data[at] <= _NINE:
        value = 10 * value + (data[at] - _ZERO)
        at += 1
    if at == first or at - first > _MOST_DIGITS:
        return 0, start
    return (-value if negative else value), at


@compiled
def _decimal_number(data: Bytes, at: int) -> tuple[float, int]:
    """The same for a number with an optional decimal point."""
    start = at
    negative = data[at] == _MINUS
    if negative:
        at += 1
    first, value, scale, points = at, 0, 1.0, 0
    while _ZERO <= data[at] <= _NINE or data[at] == _POINT:
        if data[at] == _POINT:
            points += 1
        else:
            value = 10 * value + (data[at] - _ZERO)
            scale = scale * 10.0 if points else scale
        at += 1
    digits = at - first - points
    if digits < 1 or digits > _MOST_DIGITS or points > 1:
        return 0.0, start
    return (-value if negative else value) / scale, at


@compiled
def _after(data: Bytes, at: int, separator: Bytes) -> int:
    """Where the separator at `at` ends, or −1 if it is not there."""
    for k in range(separator.size):
        if data[at] != separator[k]:
            return -1
        at += 1
    return at


@compiled
def _parse_row(data: Bytes, at: int, separator: Bytes) -> tuple[int, int, float, int]:
    """User, item, rating and where the rating ends (−1: this is no row)."""
    user, end = _whole_number(data, at)
    if end == at:
        return 0, 0, 0.0, -1
    at = _after(data, end, separator)
    if at < 0:
        return 0, 0, 0.0, -1
    item, end = _whole_number(data, at)
    if end == at:
        return 0, 0, 0.0, -1
    at = _after(data, end, separator)
    if at < 0:
        return 0, 0, 0.0, -1
    rating, end = _decimal_number(data, at)
    if end == at:
        return 0, 0, 0.0, -1
    follows = data[end]
    if follows != _NEWLINE and follows != _RETURN and _after(data, end, separator) < 0:
        return 0, 0, 0.0, -1
    return user, item, rating, end


def _parse_rows(
    data: Bytes, separator: Bytes, users: Words, items: Words, ratings: Floats
) -> tuple[int, int, int]:
    """Rows found, lines passed, and where a line starts that is no row (−1: every line is one).

    `data` ends with a newline, so that no number can run over its end. Empty lines are passed.
    """
    at, rows, lines = 0, 0, 0
    while at < data.size:
        empty = data[at] == _NEWLINE or (data[at] == _RETURN and data[at + 1] == _NEWLINE)
        if not empty:
            user, item, rating, end = _parse_row(data, at, separator)
            if end < 0:
                return rows, lines, at
            users[rows], items[rows], ratings[rows] = user, item, rating
            rows += 1
            at = end
        while data[at] != _NEWLINE:
            at += 1
        at += 1
        lines += 1
    return rows, lines, -1


parse_rows = compiled(_parse_rows, side_by_side=True)
