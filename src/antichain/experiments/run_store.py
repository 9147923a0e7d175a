"""The finished runs of a sweep, one line per run, so that no run is done twice.

The file is a journal (`antichain.journal`); its header says what the rows belong to. Only the
process that drives the sweep writes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from antichain.errors import FileError
from antichain.experiments.rows import Key, Row, key_of
from antichain.journal import Journal, JournalKind

SWEEP = JournalKind("journal of a sweep", "antichain-sweep", 1)


class RunStore:
    """Rows on disk, and in memory by their key.

    Args:
        path: The file; made if it is not there.
        origin: What decides a row besides its key: the spec's identity, the seed, versions. A
            journal of another origin is refused.
        force: Whether to begin anew whatever is there.
    """

    def __init__(self, path: Path, origin: dict[str, object], force: bool = False) -> None:
        self.rows: dict[Key, Row] = {}
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot write {path}: {error.strerror}.") from error
        self._journal = Journal(path, SWEEP, anew=force)
        try:
            self._take_up(SWEEP.header(**origin))
        except BaseException:
            self.close()
            raise

    def add(self, rows: Iterable[Row]) -> None:
        """Write rows down; when this returns they survive a crash."""
        rows = list(rows)
        self._journal.append(rows)
        self.rows.update((key_of(row), row) for row in rows)

    def close(self) -> None:
        """Let the file go."""
        self._journal.close()

    def _take_up(self, header: dict[str, object]) -> None:
        content = self._journal.content
        if content.header is None:
            self._journal.append([header])
            return
        for name, value in json.loads(json.dumps(header)).items():
            found = content.header.get(name)
            if found != value:
                raise FileError(
                    f"{self.path} holds runs with {name} {_short(found)}, but {_short(value)} was "
                    "expected; give --force (force=True) to begin anew."
                )
        for number, row in enumerate(content.lines, start=2):
            try:
                self.rows[key_of(row)] = row
            except (KeyError, ValueError, TypeError) as error:
                raise FileError(
                    f"{self.path}, line {number} lacks the value, the algorithm or the number of a "
                    "run; give --force (force=True) to begin anew."
                ) from error


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 160 else text[:157] + "..."
