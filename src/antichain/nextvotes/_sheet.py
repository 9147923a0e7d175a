"""The duels to ask for, as a table whose rows can be appended to the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from antichain._cells import APOSTROPHE, csv_text, escaped, is_formula
from antichain.errors import InputError
from antichain.nextvotes._asking import NextVote, NextVotes
from antichain.votes._vote_log import LogColumns

_PLAIN = LogColumns(
    ("ask", "left", "right", "winner"), "left", "right", "winner", ("winner",), ask="ask"
)


def sheet(found: NextVotes) -> str:
    """Return the asks as CSV: a header, and one row per ask with an empty answer column.

    If the log is delimited text, the rows have its shape: all its columns, in its order and with
    its delimiter. For any other log there are columns for the two items and the answer, and for the
    number of the ask if the log has it. A log that names winners and losers has no place for a duel
    without an answer: then the columns are ask, left, right and winner.

    A text that a spreadsheet would compute (`antichain._cells`) gets an apostrophe before it, which
    `read_votes` removes again from the name of an item that is already in the log.
    """
    columns = _columns(found.columns)
    if columns.criterion is None and any(ask.criterion for ask in found.asks):
        columns = replace(columns, criterion="criterion", header=(*columns.header, "criterion"))
    originals = {decoy: item for item, decoy in (found.decoys or {}).items()}
    rows = [[_cell(columns, name) for name in columns.header]]
    for ask in found.asks:
        row = _row(columns, ask, originals)
        rows.append([_cell(columns, row.get(name, "")) for name in columns.header])
    return csv_text(rows, columns.delimiter or ",")


def _cell(columns: LogColumns, text: str) -> str:
    # The export of a study announces apostrophes before all that needs one; no other log does.
    return escaped(text) if columns.escape is not None or is_formula(text) else text


def sheet_bytes(found: NextVotes) -> bytes:
    """Return the sheet in the encoding of the log."""
    encoding = _columns(found.columns).encoding or "utf-8"
    try:
        return sheet(found).encode(encoding)
    except UnicodeEncodeError as error:
        raise InputError(
            f"the votes to collect contain {error.object[error.start]!r}, which the log's encoding "
            f"{encoding} cannot hold; save the log as UTF-8"
        ) from error


def fits(found: NextVotes) -> bool:
    """Whether the rows of the sheet, once answered, can be appended to the log as they are."""
    return (
        found.columns is not None
        and found.columns.delimiter is not None
        and _has_room(found.columns)
    )


def _has_room(columns: LogColumns) -> bool:
    # With a repeated column name it is unclear which column is meant.
    return columns.how not in ("loser", "halves") and len(set(columns.header)) == len(
        columns.header
    )


def _columns(columns: LogColumns | None) -> LogColumns:
    if columns is None or not _has_room(columns):
        return _PLAIN
    if columns.delimiter is not None:
        return columns
    items = (columns.ask, columns.left, columns.right)
    plain = (*items, columns.criterion, *columns.answers, columns.count, *columns.needed)
    plain += (columns.escape,)
    header = tuple(dict.fromkeys(name for name in plain if name is not None))
    return replace(columns, header=header, decoy=None, receipt=None)


def _row(columns: LogColumns, ask: NextVote, originals: Mapping[str, str]) -> dict[str, str]:
    row = {columns.left: ask.left, columns.right: ask.right}
    if columns.ask is not None:
        row[columns.ask] = str(ask.ask)
    if columns.criterion is not None:
        row[columns.criterion] = ask.criterion or ""
    if columns.receipt is not None:
        row[columns.receipt] = "evidence"
    if columns.count is not None:
        row[columns.count] = "1"
    if columns.escape is not None:
        row[columns.escape] = APOSTROPHE
    if columns.decoy is not None:
        for side, column in (("left", columns.left), ("right", columns.right)):
            if row[column] in originals:
                row |= {column: originals[row[column]], columns.decoy: side}
    return row
