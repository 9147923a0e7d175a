"""The journal of a sweep: finished rows, a line each, so that nothing finished is done twice.

The first line says what the rows belong to. Only the process that drives the sweep writes; what
a crash left of a last line is cut off when the journal is taken up again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from antichain.errors import FileError
from antichain.experiments.rows import Key, Row, key_of
from antichain.locks import hold_alone

JOURNAL_FORMAT = "antichain-sweep"
JOURNAL_VERSION = 1


class Journal:
    """Rows on disk, and in memory by their key.

    Args:
        path: The file; made if it is not there.
        origin: What decides a row besides its key: the spec's identity, the seed, versions. A
            journal of another origin is refused.
        force: Begin anew whatever is there.
    """

    def __init__(self, path: Path, origin: dict[str, object], force: bool = False) -> None:
        self.rows: dict[Key, Row] = {}
        self.path = path
        header = {"format": JOURNAL_FORMAT, "version": JOURNAL_VERSION, **origin}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = open(path, "a+b")  # noqa: SIM115 (open as long as the sweep)
        except OSError as error:
            raise FileError(f"cannot write {path}: {(error.strerror or '').lower()}") from error
        try:
            if not hold_alone(self._stream):
                raise FileError(f"{path} is being written by another sweep")
            if force:
                self._stream.truncate(0)
            self._take_up(header)
        except BaseException:
            self._stream.close()
            raise

    def add(self, rows: Iterable[Row]) -> None:
        """Write rows down; when this returns they survive whatever comes."""
        rows = list(rows)
        self._write(rows)
        self.rows.update((key_of(row), row) for row in rows)

    def close(self) -> None:
        """Let the file go."""
        self._stream.close()

    def _write(self, documents: Iterable[dict[str, object]]) -> None:
        text = "".join(json.dumps(entry, allow_nan=False) + "\n" for entry in documents)
        try:
            self._stream.write(text.encode())
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {error.strerror}") from error

    def _take_up(self, header: dict[str, object]) -> None:
        self._stream.seek(0)
        content = self._stream.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self._stream.truncate(whole)
        lines = content[:whole].splitlines()
        if not lines:
            self._write([header])
            return
        self._check_header(self._parsed(1, lines[0]), json.loads(json.dumps(header)))
        for number, line in enumerate(lines[1:], start=2):
            row = self._parsed(number, line)
            try:
                self.rows[key_of(row)] = row
            except (KeyError, ValueError, TypeError) as error:
                raise FileError(f"{self.path}, line {number} is no row of a sweep") from error

    def _parsed(self, number: int, line: bytes) -> dict[str, object]:
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict):
            raise FileError(f"{self.path}, line {number} is not a JSON object, as was expected")
        return entry

    def _check_header(self, found: dict[str, object], wanted: dict[str, object]) -> None:
        if found.get("format") != JOURNAL_FORMAT:
            raise FileError(f"{self.path} is not the journal of a sweep, and one was expected")
        for name, value in wanted.items():
            if found.get(name) != value:
                raise FileError(
                    f"{self.path} holds runs with {name} {_short(found.get(name))}, and "
                    f"{_short(value)} was expected; give --force (force=True) to begin anew"
                )


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 160 else text[:157] + "..."
