"""Journals: files of JSON lines that lose nothing when their writer dies.

The first line is a header with the file's format and version. Lines are appended and never
changed. One process writes at a time; any number may read. What a crash left of a last line was
never acknowledged, and is cut off when the file is next written. Any other damage is an error that
names the line, and the file is left alone, as is every file that is not a journal.

Studies, recordings of runs and tables of finished runs are journals of different kinds.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from antichain import _disks
from antichain._option_names import call_on
from antichain._own_formats import form_of, read_by
from antichain._text import refusal
from antichain.errors import FileError, InputError, ProtocolError

Line = dict[str, Any]
_TAIL = len(',"crc":"01234567"}')
_HEAD = 4096  # bytes that tell whether a file can be a journal, before all of it is read
_TOLD_BY = 200  # bytes that tell which of our formats another file has
# A pipe that nobody writes to is not waited for; a link that appears meanwhile is not followed.
_CAREFUL = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY"))
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True)
class JournalKind:
    """What a journal holds, and how its lines are written."""

    noun: str  # what messages call the file, such as "study"
    format: str  # the `format` in its header
    version: int  # the `version` in its header
    # Whether each line ends in a checksum that continues that of the line before, so that a line
    # that was changed, lost, doubled or moved is detected.
    chained: bool = False
    # Whether `Journal.append` waits for the disk. Lines that are not synced survive the death of
    # their writer, but perhaps not a power cut.
    synced: bool = True
    # Whether it holds votes, so that a table of votes may be given instead.
    of_votes: bool = False

    def header(self, **content: Any) -> Line:
        return {"format": self.format, "version": self.version, **content}

    def encode(self, line: Mapping[str, Any], before: int) -> tuple[bytes, int]:
        """A line as bytes, and its checksum, given the checksum of the line before it."""
        if not self.chained:
            return json.dumps(line, allow_nan=False).encode() + b"\n", 0
        body = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        checksum = zlib.crc32(body, before)
        return body[:-1] + f',"crc":"{checksum:08x}"}}\n'.encode(), checksum

    def text(self, lines: Iterable[Mapping[str, Any]]) -> bytes:
        """All lines of a file as bytes, the header first."""
        written, checksum = [], 0
        for line in lines:
            raw, checksum = self.encode(line, checksum)
            written.append(raw)
        return b"".join(written)

    def decode(self, raw: bytes, before: int) -> tuple[Line, int]:
        """A line and its checksum; a `ValueError` says what is wrong with it."""
        body, checksum = raw, 0
        if self.chained:
            body = raw[:-_TAIL] + b"}"
            checksum = zlib.crc32(body, before)
            if raw[-_TAIL:] != f',"crc":"{checksum:08x}"}}'.encode():
                raise ValueError("its checksum does not match it and the lines before it")
        try:
            line = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ValueError("it is not JSON") from error
        if not isinstance(line, dict):
            raise ValueError("it is not a JSON object")
        return line, checksum

    @property
    def start(self) -> bytes:
        """The bytes that every file of this kind begins with."""
        return f'{{"format":{"" if self.chained else " "}"{self.format}"'.encode()

    def may_begin(self, head: bytes) -> bool:
        """Whether a file of this kind, or what a crash left of one, can begin with these bytes."""
        ours, theirs = (text.replace(b" ", b"") for text in (self.start, head))
        return theirs.startswith(ours) or ours.startswith(theirs)


@dataclass(frozen=True)
class Content:
    """What a journal's file holds."""

    header: Line | None  # the first line, or None if the file ends before it does
    lines: list[Line]  # the other lines; the first of them is line 2 of the file
    checksum: int  # the checksum of the last line
    whole: int  # how many bytes the whole lines take
    torn: int  # how many bytes follow that are not a whole line


def read(path: Path, kind: JournalKind) -> Content:
    """What the file at `path` holds; another process may be writing it."""
    try:
        with _opened(path, "read", "rb") as stream:
            return parse(_all_of(stream, path, kind), path, kind)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise _cannot("read", path, error) from error


def _opened(path: Path, do: str, mode: str, flags: int = 0) -> IO[bytes]:
    """The ordinary file at `path`; anything else is refused without waiting for it."""
    with suppress(FileNotFoundError):  # looked at first: to open a device may do something to it
        check_ordinary(do, path, os.stat(path).st_mode)
    stream: IO[bytes] = open(  # noqa: SIM115
        path, mode, 0, opener=lambda name, given: os.open(name, given | _CAREFUL | flags, 0o666)
    )
    try:
        check_ordinary(do, path, os.fstat(stream.fileno()).st_mode)
    except BaseException:
        stream.close()
        raise
    return stream


def check_ordinary(do: str, path: str | Path, mode: int) -> None:
    """Raise about a directory, a pipe, a socket or a device."""
    if stat.S_ISDIR(mode):
        raise FileError(f"cannot {do} {path}: it is a directory, but a file was expected")
    if not stat.S_ISREG(mode):
        raise FileError(f"cannot {do} {path}: it is not a regular file, but one was expected")


def _all_of(stream: IO[bytes], path: Path, kind: JournalKind) -> bytes:
    """The bytes of a file; one that is not of this kind is refused by its first ones."""
    stream.seek(0)
    head = stream.read(_HEAD)
    if not kind.may_begin(head):
        raise _foreign(path, kind, head)
    return head + stream.read()


def parse(content: bytes, path: Path, kind: JournalKind) -> Content:
    """What these bytes hold; a torn last line is left out, any other damage is an error."""
    whole = content.rfind(b"\n") + 1
    raws = content[:whole].split(b"\n")[:-1]
    if raws and b"\0" in raws[-1]:
        # JSON never holds a zero byte: a power cut left a page of this line unwritten.
        whole -= len(raws.pop()) + 1
    if not raws:
        if not kind.may_begin(content):
            raise _foreign(path, kind, content)
        return Content(None, [], 0, 0, len(content))
    _check_version(_first_line(raws[0], path, kind), path, kind)
    lines: list[Line] = []
    checksum = 0
    for number, raw in enumerate(raws, start=1):
        try:
            line, checksum = kind.decode(raw, checksum)
        except ValueError as error:
            raise FileError(
                f"{path}, line {number} is damaged: {error}. Nothing was changed; restore the "
                "file from a copy, or start a new one."
            ) from error
        lines.append(line)
    return Content(lines[0], lines[1:], checksum, whole, len(content) - whole)


def _first_line(raw: bytes, path: Path, kind: JournalKind) -> Line:
    """The header of a journal of this kind, of whatever version."""
    try:
        header = json.loads(raw)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != kind.format:
        raise _foreign(path, kind, raw)
    return header


def _check_version(header: Line, path: Path, kind: JournalKind) -> None:
    version = header.get("version")
    if version != kind.version:
        newer = isinstance(version, int) and version > kind.version
        raise FileError(
            f"{path} is a {kind.noun} of version {repr(version)[:40]}, but version "
            f"{kind.version} was expected{': open it with a newer antichain' if newer else ''}."
        )


def _foreign(path: Path, kind: JournalKind, head: bytes) -> FileError:
    start = head[:_TOLD_BY].decode("utf-8", "replace")
    if form_of(start) not in (None, kind.format):
        return FileError(f"{read_by(path, start)}, but a {kind.noun} was expected.")
    beside = [path.with_suffix(ending) for ending in (".duels", ".sqlite")]
    votes = [str(found) for found in beside if path.suffix == ".toml" and found.is_file()]
    if votes:
        return FileError(f"{path} is not a {kind.noun}. Its votes are in {' and '.join(votes)}.")
    other = f" (if it holds votes: {call_on(path, 'front', 'front')})" if kind.of_votes else ""
    return FileError(f"{path} is not a {kind.noun}: choose another file{other}.")


class Journal:
    """A journal's file, held for writing.

    Attributes:
        content: What the file held when it was opened, without a torn last line.
        replaced: The header of the journal that is to be begun anew, if there was one.
        note: A sentence on what was cut off, or None.
    """

    def __init__(self, path: str | Path, kind: JournalKind, *, anew: bool = False) -> None:
        """Open the file, which is made if it is not there; nothing in it is changed yet.

        With `anew` its content counts as none. A file that is not a journal of this kind is
        refused all the same.
        """
        try:
            self.path = Path(os.path.realpath(path))
            self._stream = _opened(self.path, "write", "a+b", _NO_LINKS)
        except FileError:
            raise
        except (OSError, ValueError) as error:
            raise _cannot("write", path, error) from error
        self.kind = kind
        self.note: str | None = None
        self.replaced: Line | None = None
        self.content = Content(None, [], 0, 0, 0)
        self._anew = anew
        self._checksum, self._size = 0, 0
        self._owner = os.getpid()
        self._broken = False
        try:
            self._take_hold()
            self._take_up()
        except OSError as error:
            self.close()
            raise _cannot("write", self.path, error) from error
        except BaseException:
            self.close()
            raise

    def claim(self) -> None:
        """Cut off what a crash left of a last line, or everything, where the journal begins anew.

        Call it once nothing can refuse the file any more; `append` does so by itself.
        """
        self.check_owner()
        if not self.content.torn:
            return
        try:
            self._cut(self._size)
        except OSError as error:
            raise _cannot("write", self.path, error) from error
        if not self._anew:
            self.note = (
                f"{self.path} ended in an incomplete line ({self.content.torn} bytes), which its "
                "writer had not finished when it stopped; the line was removed, and nothing that "
                "was acknowledged is lost."
            )
        self.content = replace(self.content, torn=0)

    def append(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Write lines down; when this returns they survive the death of the process.

        If it raises, the file is as it was.
        """
        self.check_owner()
        if self._broken:
            raise ProtocolError(
                f"{self.path} could not be written earlier, so its end is unknown; close the "
                f"{self.kind.noun} and open it again."
            )
        text, checksum = self._encoded(lines)
        self.claim()
        try:
            self._write(text)
        except BaseException as error:
            self._take_back()
            if isinstance(error, OSError):
                raise _cannot("write", self.path, error) from error
            raise
        self._checksum, self._size = checksum, self._size + len(text)

    def check_owner(self) -> None:
        """Raise in a process that was forked from the one that opened the file."""
        if os.getpid() != self._owner:
            raise ProtocolError(
                f"{self.path} was opened by process {self._owner}, and this is process "
                f"{os.getpid()}, forked from it; open the {self.kind.noun} in the process that "
                "writes it."
            )

    def close(self) -> None:
        # A forked process shares the lock, and must leave it to the one that took it.
        if os.getpid() == self._owner and not self._stream.closed:
            with suppress(OSError):
                _disks.release(self._stream)
        self._stream.close()

    def _encoded(self, lines: Sequence[Mapping[str, Any]]) -> tuple[bytes, int]:
        checksum, text = self._checksum, b""
        for line in lines:
            try:
                raw, checksum = self.kind.encode(line, checksum)
            except (TypeError, ValueError, RecursionError) as error:
                raise InputError(
                    f"the record for {self.path} cannot be written as JSON: {error}; nothing was "
                    "written."
                ) from error
            text += raw
        return text, checksum

    def _take_hold(self) -> None:
        if not _disks.hold_alone(self._stream):
            raise FileError(
                f"{self.path} is being written by {_disks.holder(self._stream)}. Only one process "
                "can write it at a time: wait until that one has closed it."
            )
        _disks.sync_folder(self.path.parent)

    def _take_up(self) -> None:
        """Read what is there."""
        found = _all_of(self._stream, self.path, self.kind)
        if self._anew:
            first, newline, _ = found.partition(b"\n")
            if newline:
                self.replaced = _first_line(first, self.path, self.kind)
            self.content = Content(None, [], 0, 0, len(found))
        else:
            self.content = parse(found, self.path, self.kind)
        self._checksum, self._size = self.content.checksum, self.content.whole

    def _write(self, text: bytes) -> None:
        left = memoryview(text)
        while left:
            left = left[self._stream.write(left) :]
        if self.kind.synced:
            _disks.sync(self._stream.fileno())

    def _cut(self, size: int) -> None:
        os.truncate(self._stream.fileno(), size)
        _disks.sync(self._stream.fileno())

    def _take_back(self) -> None:
        """Cut off what may have been written; if that fails too, write no more."""
        try:
            self._cut(self._size)
        except (OSError, ValueError):
            self._broken = True


def _cannot(do: str, path: str | Path, error: Exception) -> FileError:
    return FileError(f"cannot {do} {path}: {refusal(error)}.")
