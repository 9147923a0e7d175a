"""What a row of a log is: a vote, set apart, or wrong; and what is wrong about it, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from antichain._files import is_one_line
from antichain._text import as_argument, did_you_mean, fold_key
from antichain.sources._chunks import (
    Chunk,
    CodedTexts,
    Flaw,
    Text,
    cut,
    one_line,
    parsed_number,
    table_of,
)
from antichain.votes._answer_words import form_of, says_given_up
from antichain.votes._columns import Layout

MOST_A_ROW = 10**12
"""The most votes that a single row may stand for: more is taken for a mistake (set by hand)."""

MOST_ASKS = 10**12
"""The largest number of an ask (set by hand)."""

KINDS = ("", "row", "item", "itself", "answer", "ambiguous", "count", "cluster", "voter", "time",
         "receipt", "decoy", "ask", "ask", "criterion")  # fmt: skip
"""What rows that are no votes are counted as, by their mark."""

(GOOD, ROW, ITEM, ITSELF, ANSWER, AMBIGUOUS, COUNT, CLUSTER, VOTER, TIME, RECEIPT,
 SIDE, ASK, OTHER_PAIR, CRITERION) = range(15)  # fmt: skip
OTHER, SPARE, OPEN, GIVEN, NO_VERDICT, BLANK = -1, -2, -3, -4, -5, -6
"""The marks of rows that are not votes, but not wrong either."""

_ONE_MEANING = (
    "an answer that can mean only one of the two items (--answers names or --answers sides says "
    "how to read it)"
)
Marks = NDArray[np.int8]


def mark(marks: Marks, where: NDArray[np.bool_], new: int) -> None:
    """Mark those of the rows that have no mark yet."""
    marks[where & (marks == GOOD)] = new


def said(chunk: Chunk, role: str, known: Mapping[str, int], bad: int) -> Marks:
    """What a column of few words says in each row."""
    texts = (text if isinstance(text, str) else "?" for text in chunk.new[role])
    return np.array([known.get(text, bad) for text in texts], np.int8)[chunk.codes[role]]


class RowSentences:
    """Says what is wrong about rows.

    Args:
        layout: Which column is what.
        reading: What answers are (`ReadOptions.answers`).
        tables: The texts of the columns that are remembered.
    """

    def __init__(self, layout: Layout, reading: str, tables: Mapping[str, CodedTexts]) -> None:
        self._layout, self._reading, self._tables = layout, reading, tables

    def sentence(self, chunk: Chunk, row: int, found: int, dated: bool | None) -> str:
        """What is wrong about a row, to follow its place."""
        if found == ROW:
            return chunk.flaws[row].sentence
        if found == ITSELF:
            name = self._tables["items"].texts[chunk.codes["left"][row]]
            return f"pits {cut(name)} against itself, but two different items were expected"
        *roles, wanted = {
            ITEM: ("left", "right", "the name of an item on one line"),
            ANSWER: ("answer 0", "answer 1", self._wanted_answer(chunk, row)),
            AMBIGUOUS: ("answer 0", _ONE_MEANING),
            COUNT: ("count", f"a whole number from 0 to {MOST_A_ROW:,}"),
            CLUSTER: ("cluster", "the name of a cluster"),
            CRITERION: ("criterion", "the name of a criterion"),
            VOTER: ("voter", "the name of a voter"),
            TIME: ("time", "a date such as 2024-01-31" if dated else "a number"),
            RECEIPT: ("receipt", "evidence or spare"),
            SIDE: ("decoy", "left, right or nothing"),
            ASK: ("ask", _wanted_number(self._layout)),
        }[found]
        columns = self._layout.roles
        texts = [
            (one_line(columns[role]), self._text(chunk, role, row))
            for role in roles
            if role in columns
        ]
        for column, text in texts:
            if isinstance(text, Flaw):
                return text.of(column)
            if text == "":
                return f"has nothing in {column!r}, but {wanted} was expected"
        if found == ITEM:
            texts = [some for some in texts if not is_one_line(str(some[1]))]
        elif found == ANSWER and self._layout.how == "halves":
            texts = [some for some in texts if not self._is_verdict(str(some[1]))] or texts
        elif found == ANSWER and len(texts) > 1:
            texts = [some for some in texts if math.isnan(parsed_number(some[1]))]
        column, text = texts[0]
        if found == ANSWER and isinstance(text, str) and says_given_up(text):
            wanted += " (an ask that was given up needs its number: name its column with --ask)"
        meant = self._meant(chunk, row, str(text)) if found == ANSWER else ""
        return f"has {cut(text)} in {column!r}, but {wanted} was expected{meant}"

    def is_blank(self, chunk: Chunk, row: int) -> bool:
        """Whether a row has nothing in any column that is read, as spreadsheets leave them."""
        return all(self._text(chunk, role, row) == "" for role in self._layout.roles)

    def _is_verdict(self, text: str) -> bool:
        judge, layout = self._layout.judge, self._layout
        if judge is not None and text.strip().casefold() in judge.words:
            return True
        return form_of(text, layout.left, layout.right) is not None

    def _meant(self, chunk: Chunk, row: int, text: str) -> str:
        """A question, if an answer nearly names an item of its row; or what a number is for."""
        if self._layout.how != "winner" or self._reading == "sides":
            return ""
        items = self._items(chunk, row)
        for name in items:
            if fold_key(name) == fold_key(text):
                return f"; did you mean {cut(name)}, which --fold takes for the same name?"
        if not math.isnan(parsed_number(text)):
            said = as_argument(self._layout.answers[0])
            return f"; if the number says how much the left item is preferred, give --score={said}"
        return did_you_mean(text, items, cut)

    def _items(self, chunk: Chunk, row: int) -> list[str]:
        codes = (int(chunk.codes[side][row]) for side in ("left", "right"))
        return [str(self._tables["items"].texts[code]) for code in codes]

    def _text(self, chunk: Chunk, role: str, row: int) -> Text:
        table = self._tables.get(table_of(role))
        if table is None or role in self._layout.passing:
            return chunk.text(role, row)
        return table.texts[int(chunk.codes[role][row])]

    def _wanted_answer(self, chunk: Chunk, row: int) -> str:
        layout = self._layout
        if layout.how == "score":
            left, right = layout.score_range
            if (left, right) == (1, 0):
                return "a score from 0 to 1 (or --score-range, for other scores)"
            return f"a score from {min(left, right):g} to {max(left, right):g}"
        if layout.how == "halves":
            return f"{layout.left}, {layout.right}, tie or error"
        if layout.how != "winner":
            return "a number"
        sides = one_line(f"{layout.left} or {layout.right}")
        items = ", ".join(map(cut, self._items(chunk, row)))
        if self._reading == "names":
            return f"{items} or tie"
        also = f", {items}" if self._reading == "auto" else ""
        called = "" if sides == "left or right" else f" ({sides})"
        return f"left or right{called}{also}, tie or a word that --words defines (as in no=tie)"


def _wanted_number(layout: Layout) -> str:
    return (
        f"the number of an ask (a whole number from 1 to {MOST_ASKS:,}; if {layout.ask!r} is "
        "something else, give --unordered)"
    )
