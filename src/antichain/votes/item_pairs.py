"""Pairs of items without an answer, and the texts of small tables, row by row."""

from __future__ import annotations

from typing import Any, NamedTuple

from antichain.errors import FileError
from antichain.files import is_one_line
from antichain.sources.chunks import Flaw, Text, cut
from antichain.sources.opening import open_source
from antichain.votes.columns import two_items


class PlacedPair(NamedTuple):
    """Two items, and where they stand, as errors say it."""

    where: str
    left: str
    right: str


def read_pairs(source: Any) -> list[PlacedPair]:
    """The pairs in a file or a table that has a column for each of two items.

    Args:
        source: As `read_votes` takes it; the columns are found as they are there.

    Raises:
        FileError: With the line, if there are no such columns, or a row names no two items.
    """
    found = []
    with open_source(source) as opened:
        columns = dict(zip(("one", "other"), two_items(opened.label, opened.header()), strict=True))
        for chunk in opened.chunks(columns, frozenset(columns)):
            for row in range(chunk.rows):
                where = f"{opened.label}, {chunk.place(row)}"
                if row in chunk.flaws:
                    raise FileError(f"{where} {chunk.flaws[row].sentence}")
                names = (name_in(where, columns[k], chunk.text(k, row)) for k in columns)
                found.append(PlacedPair(where, *names))
    return found


def name_in(where: str, column: str, text: Text) -> str:
    """The name that a text is, or a FileError if it can be none."""
    if isinstance(text, Flaw):
        raise FileError(f"{where} {text.sentence} (column {column!r})")
    if not is_one_line(text):
        raise FileError(
            f"{where} has the {column} {cut(text)}, but a name in one line was expected"
        )
    return text
