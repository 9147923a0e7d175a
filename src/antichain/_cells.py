"""Tables for spreadsheets: CSV in which no text is taken for a formula.

A spreadsheet computes a cell that begins with =, +, - or @, whoever wrote it. In the tables written
here such a text has an apostrophe before it, and so has a text that begins with an apostrophe, so
that taking one apostrophe away from every text that has one gives all texts back exactly. A column
`escape` in the header says that a table is written so.
"""

import csv
import io
from collections.abc import Iterable

ESCAPE = "escape"
"""The column by which a table with apostrophes before such texts is known."""
APOSTROPHE = "apostrophe"
"""What stands in that column, in every row."""

_MARK = "'"
# The wide forms are formulas too where a spreadsheet is set to Chinese, Japanese or Korean.
_FORMULAS = tuple("=+-@\t\r\n＝＋－＠")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may compute this text instead of showing it."""
    return text.startswith(_FORMULAS) or text.lstrip().startswith(_FORMULAS)


def needs_escape(text: str) -> bool:
    return is_formula(text) or text.startswith(_MARK)


def escaped(text: str) -> str:
    """The text as it stands in a table.

    >>> escaped("-5%"), escaped("'tis"), escaped("ham")
    ("'-5%", "''tis", 'ham')
    """
    return _MARK + text if needs_escape(text) else text


def unescaped(text: str) -> str:
    """The text that `escaped` made this of."""
    return text.removeprefix(_MARK)


def csv_text(rows: Iterable[Iterable[str]], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()
