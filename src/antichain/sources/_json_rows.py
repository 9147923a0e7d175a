"""Rows of JSON: one object per line, or one array of objects, read a block at a time."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from antichain._files import json_reason
from antichain._limits import ROW_BYTES
from antichain._text import shown_json
from antichain.errors import FileError
from antichain.sources._chunks import Flaw, RowGroup, cut
from antichain.sources._streams import ByteLog

_BLANKS = re.compile(r"[ \t\r\n]*")
_LONGEST_MARK = 12  # characters of "-Infinity" or of an escaped character, which may be cut in two


def json_lines(log: ByteLog) -> Iterator[RowGroup]:
    """The objects in a log with one per line, each with its line number."""
    passed = empty = 0
    for lines in log.lines():
        numbers: Sequence[int] = range(passed + 1, passed + len(lines) + 1)
        passed += len(lines)
        rows = _parsed_at_once(lines)
        if rows is None:
            numbers = [n for n, line in zip(numbers, lines, strict=True) if line.strip()]
            empty = 0 if numbers else empty + len(lines)
            log.check_empty(empty)
            lines = [line for line in lines if line.strip()]
            rows = _parsed_at_once(lines) or list(map(_parsed, lines))
        if rows:
            yield numbers, rows


def _parsed_at_once(lines: Sequence[bytes]) -> list[Any] | None:
    """The objects in these lines, read as one array (three times as fast), or None.

    None means that a line may be flawed or is not plain. Where each line has a single brace, at
    its start, and there are as many objects as lines, no line can be part of another's object.
    """
    try:
        text = b"[\n%b\n]" % b",\n".join(lines)
        if not lines or not text.count(b"{") == text.count(b"\n{") == len(lines):
            return None
        decoded = text.decode()
        rows: list[Any] = json.loads(decoded)
        if len(rows) != len(lines) or not all(type(row) is dict for row in rows):
            return None
        return (
            rows
            if _has_unique_keys(decoded, rows)
            else json.loads(decoded, object_pairs_hook=_unique)
        )
    except (ValueError, RecursionError):
        return None


def _has_unique_keys(text: str, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether surely no key is given twice: a key has a colon, and there are no more colons."""
    return text.count(":") == sum(map(len, rows))


def _parsed(text: bytes) -> Any:
    """The object in a line, or a Flaw."""
    try:
        decoded = text.decode()
        value = json.loads(decoded)
        if isinstance(value, dict) and not _has_unique_keys(decoded, [value]):
            value = json.loads(decoded, object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        wrong = text[error.start : error.start + 8]
        return Flaw("encoding", f"has the bytes {wrong!r}, but UTF-8 was expected")
    except RecursionError:
        return Flaw("json", "is nested too deeply to be read")
    except ValueError as error:
        return Flaw("json", f"is not JSON ({json_reason(error)})")
    return value if isinstance(value, dict) else _no_object(text[:80].decode("utf-8", "replace"))


def _no_object(found: str) -> Flaw:
    return Flaw("json", f"is {cut(found)}, but a JSON object was expected")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found


def json_array(log: ByteLog) -> Iterator[RowGroup]:
    """The objects in a log that is one JSON array, each with its number."""
    text = _ArrayText(log)
    if text.mark() != "[":
        begin = text.text[text.at : text.at + 80]
        found = f"is {cut(begin)}" if begin else "is empty"
        raise FileError(f"{log.label} {found}, but a list of objects was expected")
    text.at += 1
    done = 0
    while rows := list(text.values()):
        yield range(done + 1, done + len(rows) + 1), rows
        done += len(rows)
    if text.mark():
        raise FileError(
            f"{log.label} continues after the end of its list, but nothing more was expected"
        )


class _ArrayText:
    """The text of an array, of which only the part that is being read is held.

    Attributes:
        text: That part.
        at: How far it has been read.
        rows: The number of values so far.
    """

    def __init__(self, log: ByteLog) -> None:
        self._log, self._blocks = log, log.blocks()
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._read = json.JSONDecoder(object_pairs_hook=_unique).raw_decode
        self._ended = self._closed = False
        self.text, self.at, self.rows, self._reads = "", 0, 0, 0

    def values(self) -> Iterator[Any]:
        """The values up to where another block is read, at least one if there are more."""
        reads = None
        while not self._closed and reads in (None, self._reads):
            if self.rows == 0 and self.mark() == "]":
                self._close()
                return
            self.mark()
            value = self._value()
            self.rows += 1
            reads = self._reads if reads is None else reads
            yield value if isinstance(value, dict) else _no_object(shown_json(value))
            if self.mark() == "]":
                self._close()
            elif self.mark() == ",":
                self.at += 1
            else:
                self._refuse("is followed by neither a comma nor the end of the list")

    def mark(self) -> str:
        """The next character that is not blank; none at the end."""
        passed = 0
        while True:
            start, self.at = self.at, _BLANKS.match(self.text, self.at).end()  # type: ignore[union-attr]
            passed += self.at - start
            if passed > ROW_BYTES:
                self._refuse(f"is preceded by more than {ROW_BYTES:,} blanks", 1)
            if self.at < len(self.text) or self._ended:
                return self.text[self.at : self.at + 1]
            self._more()

    def _close(self) -> None:
        self.at, self._closed = self.at + 1, True

    def _value(self) -> Any:
        while True:
            try:
                value, end = self._read(self.text, self.at)
                # A number may go on in the next block.
                if len(self.text) - end >= _LONGEST_MARK or self._ended:
                    self.at = end
                    return value
            except RecursionError:
                self._refuse("is nested too deeply to be read", 1)
            except json.JSONDecodeError as error:
                cut_off = error.msg.startswith("Unterminated")
                cut_off |= error.pos >= len(self.text) - _LONGEST_MARK
                if self._ended or not cut_off:
                    self._refuse(f"is not JSON ({error.msg})", 1)
            except ValueError as error:
                self._refuse(f"is not JSON ({json_reason(error)})", 1)
            if len(self.text) - self.at > ROW_BYTES:
                begin = cut(self.text[self.at : self.at + 30])
                self._refuse(
                    f"is longer than {ROW_BYTES:,} bytes, but an object was expected (it begins "
                    f"with {begin})",
                    1,
                )
            self._more()

    def _more(self) -> None:
        block = next(self._blocks, b"")
        self._ended, self._reads = not block, self._reads + 1
        try:
            more = self._decode(block, self._ended)
        except UnicodeDecodeError as error:
            wrong = error.object[error.start : error.start + 8]
            self._refuse(f"has the bytes {wrong!r}, but UTF-8 was expected", 1)
        self.text, self.at = self.text[self.at :] + more, 0

    def _refuse(self, sentence: str, ahead: int = 0) -> NoReturn:
        raise FileError(f"{self._log.label}, row {self.rows + ahead} {sentence}")
