"""Small tables, row by row: pairs of items without an answer, and counts of graded votes.

A row of graded votes says how often an item was given each grade, as caption contests have it.
The votes of each item are laid out and shuffled; in the duel number k of two items, the votes
number k of both are compared, and the higher grade wins. So each vote is used once within a pair,
and the duels of a pair are independent; but the same votes serve all pairs of an item, so that
evidence of different pairs may be joined by unions only and never multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain._files import is_one_line
from antichain._limits import GRADED_ITEMS
from antichain._text import counted
from antichain.errors import FileError, ParameterError
from antichain.sources._chunks import ChunkSource, Flaw, Text, cut, parsed_number
from antichain.sources._opening import open_source
from antichain.votes._columns import only_column, two_items
from antichain.votes._vote_log import FORMS, Counts, PairVotes, VoteLog

MOST_GRADED = 50_000_000
"""The most votes that are laid out, one byte each (set by hand)."""

REASON = "the same graded votes serve every pair of an item, so its pairs are not independent"

Grades = NDArray[np.int8]


def votes_from_ratings_counts(
    source: Any,
    *,
    item: str = "caption",
    grades: Sequence[str] = ("unfunny", "somewhat_funny", "funny"),
    seed: int = 0,
    delimiter: str | None = None,
) -> VoteLog:
    """Turn counts of grades into duels, by pairing the shuffled grades of every two items.

    Args:
        source: A file or a table that `read_votes` accepts, with one row per item.
        item: The column of the items' names.
        grades: The columns of counts, the worst grade first.
        seed: The seed of the shuffling; other seeds pair other votes.
        delimiter: The character between the fields of a text file.
    """
    _checks.text("item", item)
    grades = _checks.entries("grades", grades, "columns")
    if not 2 <= len(grades) <= 100:
        raise ParameterError(f"grades are {grades!r}, but two to a hundred columns were expected")
    rng = np.random.default_rng(_checks.whole("seed", seed, least=0))
    with open_source(source, delimiter=delimiter) as opened:
        names, counts = _counted(opened, item, grades)
        label = opened.label
    if len(names) < 2:
        raise FileError(
            f"{label} has {counted(len(names), 'item')}, but at least two were expected"
        )
    if counts.sum() > MOST_GRADED:
        raise FileError(f"{label} has {counts.sum():,} votes, but at most {MOST_GRADED:,} fit")
    every = np.arange(len(grades), dtype=np.int8)
    votes = [rng.permutation(np.repeat(every, row)) for row in counts]
    return VoteLog(
        names,
        _paired(votes),
        source=label,
        guessed=(
            f"paired the shuffled votes (seed {seed}) of {len(names)} items by their grades: "
            f"{' < '.join(grades)}",
        ),
        rows=len(names),
        counted_rows=len(names),
        pooling=False,
        pooling_reason=REASON,
    )


def _paired(votes: Sequence[Grades]) -> PairVotes:
    """The duels of every pair of items: votes number k against each other."""
    first, second = np.triu_indices(len(votes), 1)
    table = np.zeros((first.size, len(FORMS)), np.int64)
    for row, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        duels = min(votes[i].size, votes[j].size)
        ours, theirs = votes[i][:duels], votes[j][:duels]
        wins, losses = np.count_nonzero(ours > theirs), np.count_nonzero(ours < theirs)
        table[row, :3] = wins, losses, duels - wins - losses
    seen = table.sum(axis=1) > 0
    return PairVotes.from_table(first[seen], second[seen], table[seen])


def _counted(
    source: ChunkSource, item: str, grades: Sequence[str]
) -> tuple[tuple[str, ...], Counts]:
    """The items, and how often each was given each grade."""
    header = source.header()
    columns = {"item": only_column(source.label, header, item, "item")}
    for k, grade in enumerate(grades):
        columns[f"grade {k}"] = only_column(source.label, header, grade, "grades")
    names: dict[str, str] = {}
    rows: list[list[int]] = []
    for place, texts in table_rows(source, columns):
        where = f"{source.label}, {place}"
        name = name_in(where, item, texts["item"])
        if name in names:
            raise FileError(f"{where} has the {item} {cut(name)} again, as {names[name]} does")
        names[name] = place
        if len(names) > GRADED_ITEMS:
            raise FileError(
                f"{source.label} has more than {GRADED_ITEMS:,} items, but fewer were expected, "
                "because every two of them are compared"
            )
        rows.append([_count(where, g, texts[f"grade {k}"]) for k, g in enumerate(grades)])
    return tuple(names), np.array(rows, np.int64).reshape(-1, len(grades))


def table_rows(
    source: ChunkSource, columns: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Text]]]:
    """The place of each row and its texts by role, or a FileError about a row without them."""
    for chunk in source.chunks(columns, frozenset(columns)):
        for row in range(chunk.rows):
            if row in chunk.flaws:
                sentence = chunk.flaws[row].sentence
                raise FileError(f"{source.label}, {chunk.place(row)} {sentence}")
            yield chunk.place(row), {role: chunk.text(role, row) for role in columns}


def _count(where: str, column: str, text: Text) -> int:
    number = parsed_number(text)
    if not (0 <= number <= MOST_GRADED and number == int(number)):
        shown = cut(text) if isinstance(text, str) else "that cannot be read"
        raise FileError(f"{where} has the {column} {shown}, but a whole number was expected")
    return int(number)


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
        for place, texts in table_rows(opened, columns):
            where = f"{opened.label}, {place}"
            names = (name_in(where, columns[k], texts[k]) for k in columns)
            found.append(PlacedPair(where, *names))
    return found


def name_in(where: str, column: str, text: Text) -> str:
    """The name that a text is, or a FileError if it can be none."""
    if isinstance(text, Flaw):
        raise FileError(f"{where} {text.of(column)}")
    if not is_one_line(text):
        raise FileError(
            f"{where} has the {column} {cut(text)}, but a name on one line was expected"
        )
    return text
