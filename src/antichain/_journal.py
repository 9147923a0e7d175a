"""Journals: files of JSON lines that lose nothing when their writer dies.

The first line is a header with the file's format and version. Lines are appended and never
changed. One process writes at a time; any number may read. What a crash left of a last line was
never acknowledged, and is cut off when the file is next opened for writing. Any other damage is an
error that names the line, and the file is left alone.

Studies, recordings of runs and tables of finished runs are journals of different kinds.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from antichain.errors import FileError, ProtocolError

Line = dict[str, Any]
_TAIL = len(',"crc":"01234567"}')


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

    def header(self, **content: Any) -> Line:
        return {"format": self.format, "version": self.version, **content}

    def encode(self, line: Mapping[str, Any], before: int) -> tuple[bytes, int]:
        """A line as bytes, and its checksum, given the checksum of the line before it."""
        if not self.chained:
            return json.dumps(line, allow_nan=False).encode() + b"\n", 0
        body = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        checksum = zlib.crc32(body, before)
        return body[:-1] + f',"crc":"{checksum:08x}"}}\n'.encode(), checksum

    def decode(self, raw: bytes, before: int) -> tuple[Line, int]:
        """A line and its checksum; a `ValueError` says what is wrong with it."""
        body, checksum = raw, 0
        if self.chained:
            body = raw[:-_TAIL] + b"}"
            checksum = zlib.crc32(body, before)
            if raw[-_TAIL:] != f',"crc":"{checksum:08x}"}}'.encode():
                raise ValueError("its checksum does not fit it and the lines before it")
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
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise _cannot("read", path, error) from error
    return parse(content, path, kind)


def parse(content: bytes, path: Path, kind: JournalKind) -> Content:
    """What these bytes hold; a torn last line is left out, any other damage is an error."""
    whole = content.rfind(b"\n") + 1
    raws = content[:whole].split(b"\n")[:-1]
    if raws and b"\0" in raws[-1]:
        # JSON never holds a zero byte: a power cut left a page of this line unwritten.
        whole -= len(raws.pop()) + 1
    if not raws:
        if not (content.startswith(kind.start) or kind.start.startswith(content)):
            raise _foreign(path, kind)
        return Content(None, [], 0, 0, len(content))
    _check_format(raws[0], path, kind)
    lines: list[Line] = []
    checksum = 0
    for number, raw in enumerate(raws, start=1):
        try:
            line, checksum = kind.decode(raw, checksum)
        except ValueError as error:
            raise FileError(
                f"{path}, line {number} is damaged: {error}. Nothing was changed; restore the "
                "file from a copy, or begin a new one."
            ) from error
        lines.append(line)
    return Content(lines[0], lines[1:], checksum, whole, len(content) - whole)


def _check_format(raw: bytes, path: Path, kind: JournalKind) -> None:
    try:
        header = json.loads(raw)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != kind.format:
        raise _foreign(path, kind)
    version = header.get("version")
    if version != kind.version:
        newer = isinstance(version, int) and version > kind.version
        raise FileError(
            f"{path} is a {kind.noun} of version {version!r}, but version {kind.version} was "
            f"expected{': open it with a newer antichain' if newer else ''}."
        )


def _foreign(path: Path, kind: JournalKind) -> FileError:
    return FileError(
        f"{path} is not a {kind.noun}: its first line was expected to begin with "
        f"{kind.start.decode()}. Choose another file."
    )


class Journal:
    """A journal's file, held for writing.

    Attributes:
        content: What the file held when it was opened, without a torn last line.
        note: A sentence on what was cut off, or None.
    """

    def __init__(self, path: str | Path, kind: JournalKind, *, anew: bool = False) -> None:
        """Open the file, which is made if it is not there; `anew` empties it first."""
        try:
            self.path = Path(os.path.realpath(path))
        except (OSError, ValueError) as error:
            raise _cannot("write", path, error) from error
        self.kind = kind
        self.note: str | None = None
        self._checksum, self._size = 0, 0
        self._broken = False
        self._holds = False
        # Names the writer in the message to the next one; the lock itself is on the file.
        self._sign = self.path.with_name(self.path.name + ".writer")
        try:
            self._stream: IO[bytes] = open(self.path, "a+b", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise _cannot("write", self.path, error) from error
        try:
            self._take_hold()
            self._take_up(anew)
        except OSError as error:
            self.close()
            raise _cannot("write", self.path, error) from error
        except BaseException:
            self.close()
            raise

    def append(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Write lines down; when this returns they survive the death of the process.

        If it raises, the file is as it was.
        """
        if self._broken:
            raise ProtocolError(
                f"{self.path} could not be written before, so that its end is not known; "
                f"close the {self.kind.noun} and open it again."
            )
        checksum, text = self._checksum, b""
        for line in lines:
            raw, checksum = self.kind.encode(line, checksum)
            text += raw
        try:
            self._write(text)
        except BaseException as error:
            self._take_back()
            if isinstance(error, OSError):
                raise _cannot("write", self.path, error) from error
            raise
        self._checksum, self._size = checksum, self._size + len(text)

    def close(self) -> None:
        if self._holds and not self._stream.closed:
            with suppress(OSError):
                self._sign.unlink(missing_ok=True)
        self._stream.close()

    def _take_hold(self) -> None:
        if not hold_alone(self._stream):
            try:
                holder = self._sign.read_text("utf-8").strip()
            except (OSError, ValueError):
                holder = ""
            raise FileError(
                f"{self.path} is being written by {holder or 'another process'}. Only one process "
                "can write it at a time: wait until that one has closed it."
            )
        self._holds = True
        with suppress(OSError):  # only the message to the next writer needs it
            self._sign.write_text(f"process {os.getpid()} on {socket.gethostname()}\n", "utf-8")
        self._sync_folder()

    def _take_up(self, anew: bool) -> None:
        """Read what is there, and cut off what a crash left of a last line."""
        if anew:
            self._cut(0)
        self._stream.seek(0)
        self.content = parse(self._stream.read(), self.path, self.kind)
        self._checksum, self._size = self.content.checksum, self.content.whole
        if self.content.torn:
            self._cut(self._size)
            self.note = (
                f"{self.path} ended in an incomplete line ({self.content.torn} bytes), which its "
                "writer had not finished when it died; it was cut off, and nothing that was "
                "acknowledged is lost."
            )

    def _write(self, text: bytes) -> None:
        left = memoryview(text)
        while left:
            left = left[self._stream.write(left) :]
        if self.kind.synced:
            os.fsync(self._stream.fileno())

    def _cut(self, size: int) -> None:
        os.truncate(self._stream.fileno(), size)
        os.fsync(self._stream.fileno())

    def _take_back(self) -> None:
        """Cut off what may have been written; if that fails too, write no more."""
        try:
            self._cut(self._size)
        except (OSError, ValueError):
            self._broken = True

    def _sync_folder(self) -> None:
        """Make the file's name survive a power cut too, where folders can be flushed."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY)
        except OSError:
            return
        with suppress(OSError):
            os.fsync(folder)
        os.close(folder)


def _cannot(do: str, path: str | Path, error: Exception) -> FileError:
    return FileError(f"cannot {do} {path}: {(getattr(error, 'strerror', None) or str(error))}.")


def hold_alone(stream: IO[bytes]) -> bool:
    """Whether this stream now holds the file alone, until it is closed.

    On a file system without locks there is nothing to hold, and the answer is yes.
    """
    try:
        _lock(stream)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


if sys.platform == "win32":
    import msvcrt

    # Beyond any content: Windows does not let others read the bytes that a lock covers.
    _FAR = 2**62

    def _lock(stream: IO[bytes]) -> None:
        here = stream.tell()
        try:
            stream.seek(_FAR)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            stream.seek(here)

else:
    import fcntl

    def _lock(stream: IO[bytes]) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
