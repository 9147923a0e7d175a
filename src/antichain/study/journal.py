"""The file of a study: lines are appended, flushed to the disk, and never changed.

One process writes at a time; whoever only reads needs no leave. What a crash left of a last line
was never acknowledged, and is cut off when the file is next opened for writing.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from antichain.errors import FileError, ProtocolError
from antichain.locks import hold_alone
from antichain.study.lines import Content, encode, parse


def read(path: Path) -> Content:
    """What the file at `path` holds, which somebody may be writing just now."""
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise _cannot("read", path, error) from error
    return parse(content, path)


class Journal:
    """A study's file, held for writing.

    Attributes:
        content: What the file held when it was opened, without a torn last line.
        note: A sentence on what was cut off, if anything was.
    """

    def __init__(self, path: Path) -> None:
        try:
            self.path = Path(os.path.realpath(path))
        except (OSError, ValueError) as error:
            raise _cannot("write", path, error) from error
        self.note: str | None = None
        self._broken = False
        self._stream = self._open()
        try:
            self._take_hold()
            self.content = parse(self._read(), self.path)
            self._checksum, self._size = self.content.checksum, self.content.whole
            if self.content.torn:
                self._cut()
        except BaseException:
            self.close()
            raise

    def append(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Write lines down; when this returns they survive whatever comes.

        If it raises, the file is as it was.
        """
        if self._broken:
            raise ProtocolError(
                f"{self.path} could not be written before, so that its end is not known; "
                "close the study and open it again."
            )
        checksum, text = self._checksum, b""
        for line in lines:
            raw, checksum = encode(line, checksum)
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
        """Let the file go."""
        if self._holds and not self._stream.closed:
            with suppress(OSError):
                self._sign.unlink(missing_ok=True)
        self._stream.close()

    # -- the file ------------------------------------------------------------------------------

    def _open(self) -> IO[bytes]:
        self._holds = False
        # Says who holds the file, for the message to the next one; the lock itself is on the file.
        self._sign = self.path.with_name(self.path.name + ".writer")
        try:
            return open(self.path, "a+b", buffering=0)
        except OSError as error:
            raise _cannot("write", self.path, error) from error

    def _take_hold(self) -> None:
        if not hold_alone(self._stream):
            try:
                holder = self._sign.read_text("utf-8").strip()
            except (OSError, ValueError):
                holder = "another process"
            raise FileError(
                f"{self.path} is being written by {holder or 'another process'}; one at a time "
                "can, and any number can read it."
            )
        self._holds = True
        with suppress(OSError):  # only a message would be the better for it
            self._sign.write_text(f"process {os.getpid()} on {socket.gethostname()}\n", "utf-8")
        self._sync_folder()

    def _read(self) -> bytes:
        try:
            self._stream.seek(0)
            return self._stream.read()
        except OSError as error:
            raise _cannot("read", self.path, error) from error

    def _write(self, text: bytes) -> None:
        left = memoryview(text)
        while left:
            left = left[self._stream.write(left) :]
        os.fsync(self._stream.fileno())

    def _cut(self) -> None:
        try:
            os.truncate(self._stream.fileno(), self._size)
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise _cannot("write", self.path, error) from error
        self.note = (
            f"{self.path} ended in half a line ({self.content.torn} bytes), which was being "
            "written when its writer died; it was cut off, and what it said was never acknowledged."
        )

    def _take_back(self) -> None:
        """Cut off what may have been written; if that fails too, write no more."""
        try:
            os.truncate(self._stream.fileno(), self._size)
            os.fsync(self._stream.fileno())
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


def _cannot(do: str, path: Path, error: Exception) -> FileError:
    return FileError(f"cannot {do} {path}: {(getattr(error, 'strerror', None) or str(error))}.")
