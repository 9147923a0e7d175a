"""Where the records of a study are kept: in memory, in a file, or in a database.

A store holds lines of JSON: a header (line 1) and one record per line after it, as a study's file
does. Lines are appended, and only `redact` ever changes one. `antichain.testing.check_store` is the
contract.
"""

from __future__ import annotations

import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from antichain import _files, _journal
from antichain.errors import AntichainError, FileError, StoreError
from antichain.study._records import STUDY

Line = Mapping[str, Any]
_END = 2**62  # a line after all others


class Turn(ABC):
    """A writer's turn at a store: nobody else appends until it ends.

    Attributes:
        fresh: The lines after the one that the writer knew.
        edition: How often lines were redacted so far.
    """

    fresh: list[str]
    edition: int = 0

    @abstractmethod
    def append(self, lines: Sequence[Line]) -> None:
        """Write lines down; they are there for good once the turn has ended without an error."""

    @abstractmethod
    def redact(self, lines: Mapping[int, Line]) -> None:
        """Put others in the place of these lines when the turn ends, with what it appends."""


class Store(ABC):
    """The records of one study.

    Attributes:
        glance: After how many seconds to look for lines of other processes; None if there are none.
    """

    glance: float | None = None

    @abstractmethod
    def header(self) -> dict[str, Any] | None:
        """The first line, or None if the study has not begun."""

    @abstractmethod
    def begin(self, header: Line, lines: Sequence[Line] = ()) -> None:
        """Write the first line and those after it, all of them or none, unless there is one."""

    @abstractmethod
    def read(self, after: int) -> Iterator[str]:
        """The lines after that number, each as JSON."""

    @abstractmethod
    def turn(self, after: int) -> AbstractContextManager[Turn]:
        """A turn of a writer who knows the lines up to `after`; an error inside undoes it."""

    @abstractmethod
    def edition(self) -> int:
        """How often lines were redacted: when it changes, readers must read everything again."""

    def erase(self) -> bool:
        """Clear the disk of what was redacted; False if somebody is still reading it."""
        return True

    def close(self) -> None:  # noqa: B027  (most have nothing to let go of)
        """Let go of files."""

    def redact(self, lines: Mapping[int, Line]) -> None:
        """Put others in the place of these lines, all of them or none."""
        with self.turn(_END) as turn:
            turn.redact(lines)

    def append(self, after: int, lines: Sequence[Line]) -> None:
        """Append lines if the last line is number `after`; otherwise raise."""
        with self.turn(after) as turn:
            if turn.fresh:
                raise StoreError(f"line {after + 1} is written already; read on, and try again.")
            turn.append(lines)


class _ListTurn(Turn):
    def __init__(self, fresh: list[str]) -> None:
        self.fresh = fresh
        self.new: list[Line] = []
        self.redacted: Mapping[int, Line] | None = None

    def append(self, lines: Sequence[Line]) -> None:
        self.new += lines

    def redact(self, lines: Mapping[int, Line]) -> None:
        self.redacted = lines


class _TurnsByLock(Store):
    """A store that only this process writes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._edition = 0

    @abstractmethod
    def _write(self, lines: Sequence[Line]) -> None: ...

    @abstractmethod
    def _rewrite(self, lines: Mapping[int, Line], new: Sequence[Line]) -> None: ...

    @contextmanager
    def turn(self, after: int) -> Iterator[Turn]:
        with self._lock:
            turn = _ListTurn(list(self.read(after)))
            turn.edition = self._edition
            yield turn
            if turn.redacted is not None:
                self._edition += 1
                self._rewrite(turn.redacted, turn.new)
            elif turn.new:
                self._write(turn.new)

    def edition(self) -> int:
        return self._edition


class MemoryStore(_TurnsByLock):
    """Records that are gone when the process ends."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []

    def header(self) -> dict[str, Any] | None:
        return json.loads(self._lines[0]) if self._lines else None

    def begin(self, header: Line, lines: Sequence[Line] = ()) -> None:
        if not self._lines:
            self._write([header, *lines])

    def read(self, after: int) -> Iterator[str]:
        return iter(self._lines[after:])

    def _write(self, lines: Sequence[Line]) -> None:
        self._lines += [json.dumps(line, allow_nan=False) for line in lines]

    def _rewrite(self, lines: Mapping[int, Line], new: Sequence[Line]) -> None:
        for number, line in lines.items():
            self._lines[number - 1] = json.dumps(line)
        self._write(new)


class JournalStore(_TurnsByLock):
    """The file of a study, as `antichain.Study` and `antichain vote` write it."""

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._path = Path(path)
        self._journal = _journal.Journal(path, STUDY)
        content = self._journal.content
        self._header = content.header
        self._known = len(content.lines) + (content.header is not None)

    def header(self) -> dict[str, Any] | None:
        return self._header

    def begin(self, header: Line, lines: Sequence[Line] = ()) -> None:
        if self._header is None:
            self._write([header, *lines])
            self._header = dict(header)

    def read(self, after: int) -> Iterator[str]:
        if after >= self._known:
            return iter(())
        content = _journal.read(self._path, STUDY)
        lines = [content.header, *content.lines]
        return (json.dumps(line) for line in lines[after:] if line is not None)

    def _write(self, lines: Sequence[Line]) -> None:
        try:
            self._journal.append(lines)
        except (FileError, AntichainError) as error:
            self._reopen()
            raise StoreError(str(error)) from error
        self._known += len(lines)

    def _reopen(self) -> None:
        self._journal.close()
        self._journal = _journal.Journal(self._path, STUDY)

    def _rewrite(self, lines: Mapping[int, Line], new: Sequence[Line]) -> None:
        content = _journal.read(self._path, STUDY)
        text, checksum = [], 0
        for number, line in enumerate([content.header, *content.lines, *new], start=1):
            raw, checksum = STUDY.encode(lines.get(number, line or {}), checksum)
            text.append(raw)
        _files.write_bytes(os.path.realpath(self._path), b"".join(text), force=True)
        self._known += len(new)
        self._reopen()

    def close(self) -> None:
        self._journal.close()
