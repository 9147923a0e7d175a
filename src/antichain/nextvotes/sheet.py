"""The duels to ask for as a table that fits the log they are to be appended to."""

from __future__ import annotations

import csv
import io

from antichain.logs.votes import LogColumns
from antichain.nextvotes.asking import NextVote, NextVotes

_PLAIN = LogColumns(("left", "right", "winner"), "left", "right", "winner", ("winner",))


def sheet(found: NextVotes) -> str:
    """The asks as CSV with a header, a row each, with nothing in the column of the answer.

    A log in delimited text gets rows of its own shape: all its columns, in its order and with
    its delimiter. Any other log gets the columns of the two items and of the answer. Where the
    log names winners and losers there is no room for a duel without an answer: then the columns
    are left, right and winner.
    """
    columns = _columns(found.columns)
    text = io.StringIO()
    writer = csv.DictWriter(
        text, columns.header, restval="", delimiter=columns.delimiter or ",", lineterminator="\n"
    )
    writer.writeheader()
    for ask in found.asks:
        writer.writerow(_row(columns, ask, found.suffix))
    return text.getvalue()


def fits(found: NextVotes) -> bool:
    """Whether the rows of the sheet, once answered, can be appended to the log as they are."""
    return (
        found.columns is not None
        and found.columns.delimiter is not None
        and _has_room(found.columns)
    )


def _has_room(columns: LogColumns) -> bool:
    # Names given twice leave it open which of them is meant.
    return columns.how != "loser" and len(set(columns.header)) == len(columns.header)


def _columns(columns: LogColumns | None) -> LogColumns:
    if columns is None or not _has_room(columns):
        return _PLAIN
    if columns.delimiter is not None:
        return columns
    plain = (columns.left, columns.right, *columns.answers)
    return LogColumns(plain, columns.left, columns.right, columns.how, columns.answers)


def _row(columns: LogColumns, ask: NextVote, suffix: str | None) -> dict[str, str]:
    row = {columns.left: ask.left, columns.right: ask.right}
    if columns.receipt is not None:
        row[columns.receipt] = "evidence"
    if columns.decoy is not None and suffix is not None:
        for side, column in (("left", columns.left), ("right", columns.right)):
            if row[column].endswith(suffix):
                row |= {column: row[column].removesuffix(suffix), columns.decoy: side}
    return row
