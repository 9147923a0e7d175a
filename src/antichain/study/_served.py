"""A served study, read from its SQLite database without the server."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from antichain import _journal
from antichain._text import shown
from antichain.errors import FileError
from antichain.study._records import STUDY

_START = b"SQLite format 3\0"
_MOST_NAMES = 12
_BUSY = 30.0  # seconds to wait for a server that writes
# As `antichain.serve._databases` makes them; a study that has not begun has no lines.
_NAMES = "SELECT DISTINCT study FROM antichain_records ORDER BY study"
_LINES = "SELECT body FROM antichain_records WHERE study = ? ORDER BY line"


def is_database(path: Path) -> bool:
    """Whether an SQLite database is at `path`."""
    with suppress(OSError, ValueError):
        if path.is_file():  # to open a pipe would be to wait for it
            with open(path, "rb") as stream:
                return stream.read(len(_START)) == _START
    return False


def read_served(path: Path, name: str | None = None) -> _journal.Content:
    """What the log of a study in a database holds; a server may be writing it.

    Args:
        path: The database.
        name: The study; it may be left out if the database has only one.
    """
    # Not mode=ro, which would leave the files of the write-ahead log behind.
    address = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(address, timeout=_BUSY, uri=True)) as database:
            database.execute("PRAGMA query_only = ON")
            found = [study for (study,) in database.execute(_NAMES)]
            chosen = (_chosen(path, found, name),)
            bodies = [body for (body,) in database.execute(_LINES, chosen)]
        return _journal.parse(STUDY.text(map(json.loads, bodies)), path, STUDY)
    except FileError:
        raise
    except (sqlite3.Error, ValueError, TypeError, RecursionError) as error:
        raise FileError(
            f"{path} is an SQLite database, but one that antichain serve wrote was expected "
            f"({error})"
        ) from error


def _chosen(path: Path, found: list[str], name: str | None) -> str:
    if name is None and len(found) == 1:
        return found[0]
    if name is not None and name in found:
        return name
    if not found:
        raise FileError(f"{path} holds no study that has begun, but one was expected")
    held = f"{len(found)} studies" if name is None else f"no study {shown(name)}"
    known = " or ".join(map(shown, found[:_MOST_NAMES]))
    raise FileError(f"{path} holds {held}, but the name of one was expected: --name {known}")
