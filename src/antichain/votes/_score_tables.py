"""Tables of scores: one row per item and unit, or one column per item (or per unit).

There are no pairs in them, but each unit compares every two items that it scored
(`antichain.votes._unit_scores`).
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from antichain._files import is_one_line
from antichain._limits import SCORED_ITEMS
from antichain._text import counted, names
from antichain.errors import FileError
from antichain.sources._chunks import (
    NO_CODE,
    Chunk,
    ChunkSource,
    Flaw,
    Text,
    TextIds,
    cut,
    parsed_number,
)
from antichain.sources._plain_numbers import PlainTexts
from antichain.sources._spans import Codes
from antichain.votes._bad_rows import BadRows
from antichain.votes._cell_texts import CellTexts
from antichain.votes._columns import lay_out
from antichain.votes._read_options import ReadOptions
from antichain.votes._score_columns import ScoreLayout, holds_names, names_units
from antichain.votes._unit_scores import TextNumbers, Units, UnitScores
from antichain.votes._vote_log import Floats, VoteLog

_WORDS = {
    1.0: "true, t, yes, y, correct, c, pass, passed, success, resolved, solved, right",
    0.0: "false, f, no, n, incorrect, i, wrong, fail, failed, failure, unresolved, unsolved, "
    "noanswer",
    0.5: "partial, p",
}
_VALUE_OF = {word: value for value, words in _WORDS.items() for word in words.split(", ")}
_MISSING = frozenset({"", "nan", "na", "n/a", "null", "none", "-", "–", "—", ".", "<na>"})
_EXPECTED = "a number, true or false, correct or incorrect, or nothing,"
_COMMA = re.compile(r"[+-]?\d*,\d+\s*%?")  # a number as much of Europe writes it
Mask = NDArray[np.bool_]


def score_in(text: Text) -> float | None:
    """The score in a text, NaN where it is missing; None where it is no score.

    >>> score_in("0.5"), score_in("C"), score_in("85%"), score_in("n/a"), score_in("often")
    (0.5, 1.0, 85.0, nan, None)
    """
    if not isinstance(text, str):
        return None
    number = parsed_number(text.removesuffix("%").rstrip())
    if math.isfinite(number):
        return number
    word = text.casefold()
    return math.nan if word in _MISSING else _VALUE_OF.get(word)


def read_scores(
    source: ChunkSource,
    layout: ScoreLayout,
    options: ReadOptions,
    progress: Callable[[int], None] | None = None,
) -> VoteLog:
    """The votes in a table of scores."""
    reader = (_WideReader if layout.score is None else _LongReader)(source, layout, options)
    scores = UnitScores(options.higher, options.margin)
    with reader.bad.reported_first():
        for part in reader.scores():
            scores.add(*part)
            if progress is not None:
                progress(reader.rows)
    items = reader.items
    found = scores.votes(reader.layout.unit, reader.units, len(items), options.meanings)
    if options.items is None and not found.pairs.size:
        raise FileError(
            f"{source.label} has {counted(scores.scores, 'score')}, but at least one "
            f"{reader.layout.unit!r} with scores of two items was expected"
        )
    reader.cells.check_met(source.label)
    notes = [*source.notes, *reader.layout.guessed]
    if reader.commas:
        notes.append("read commas in scores as decimal points")
    if found.again:
        notes.append(
            f"averaged repeated scores of an item by the same {reader.layout.unit!r}: "
            f"{found.again:,} beyond the first"
        )
    if found.partial or found.alone:
        notes.append(
            f"some scores are missing: {counted(found.partial, 'unit')} scored two or more items "
            f"but not all, and {found.alone:,} scored only one, which compares nothing; whether a "
            "score is missing must not depend on what it would have been"
        )
    skipped = reader.bad.skipped
    return VoteLog(
        items,
        found.pairs,
        source=source.label,
        meanings=options.meanings,
        clusters=found.clusters,
        guessed=(*notes, *reader.cells.notes(items), *reader.cells.on_unmet()),
        rows=reader.rows,
        counted_rows=reader.rows - reader.other_rows - skipped.rows,
        other_rows=reader.other_rows,
        skipped_rows=skipped,
    )


class _Part(NamedTuple):
    """Some scores, by numbers of units and items."""

    unit: Codes
    item: Codes
    score: Floats


class _Reader(ABC):
    """Reads the rows of a table of scores.

    Attributes:
        layout: Which columns are what, as far as that is known.
        rows: The number of rows so far.
        other_rows: Rows about items other than the given ones.
        cells: What the names of items mean.
        bad: Rows that cannot be used.
        commas: Whether commas were taken for decimal points.
    """

    commas = False

    def __init__(self, source: ChunkSource, layout: ScoreLayout, options: ReadOptions) -> None:
        self.source, self.layout, self.options = source, layout, options
        self._names = TextIds()
        self.cells = CellTexts(False, False, options, self._names)
        self.bad = BadRows(source.label, options.skip_bad, "score")
        self.rows = self.other_rows = 0
        self._columns: dict[str, str] = {}  # by role
        self._units = Units([], False)
        if layout.sure:
            self._check_options()

    def _check_options(self) -> None:
        self.options.check_for_scores(f"{self.source.label} is a table of scores")

    @abstractmethod
    def scores(self) -> Iterator[_Part]:
        """The scores, some at a time."""

    @property
    def units(self) -> int:
        """The number of units so far."""
        return self._units.count

    @property
    def items(self) -> tuple[str, ...]:
        """The names of the items, once all are known."""
        given = self.options.items or ()
        self.cells.settle_spellings(len(given))
        return tuple(map(str, given or self._names.texts))

    def _named(self, texts: Sequence[Text]) -> list[int]:
        return [self._name(text) for text in texts]

    def _name(self, text: Text) -> int:
        """The number of an item, −1 for a text that can be none."""
        if isinstance(text, Flaw) or not is_one_line(text):
            return NO_CODE
        code = self._names.code(self.cells.name(text))
        if len(self._names) > SCORED_ITEMS and self.options.items is None:
            raise FileError(
                f"{self.source.label} has more than {SCORED_ITEMS:,} items, but fewer were "
                "expected, because every two of them are compared (name the ones that matter with "
                "--items)"
            )
        return code

    def _usable(self, chunk: Chunk, *wrong: tuple[str, Mask, str]) -> Mask:
        """Which rows can be used; those with a wrong text are counted as bad.

        Args:
            chunk: The rows.
            wrong: For each role, the rows whose text is wrong, and what was expected there.
        """
        good = np.ones(chunk.rows, np.bool_)
        good[list(chunk.flaws)] = False
        for _, rows, _ in wrong:
            good &= ~rows
        bad = np.setdiff1d(np.flatnonzero(~good), chunk.empty).tolist()
        good[list(chunk.empty)] = False
        for row in bad:
            if row in chunk.flaws:
                kind, sentence = "row", chunk.flaws[row].sentence
            else:
                role, _, expected = next(entry for entry in wrong if entry[1][row])
                text, column = chunk.text(role, row), self._columns[role]
                kind = role.split(" ")[0]
                if isinstance(text, Flaw):
                    sentence = text.of(column)
                else:
                    sentence = f"has {cut(text)} in {column!r}, but {expected} was expected"
            place = chunk.place(row)
            told = [f"{place} {sentence}"][: self.bad.sentences_wanted]
            self.bad.add(Counter([kind]), [place], told)
        return good

    def _values(self, chunk: Chunk, role: str) -> tuple[Floats, Mask]:
        """The score of each row, NaN where it is missing; and which rows have none, but a text."""
        texts = chunk.new[role]
        if isinstance(texts, PlainTexts) and not texts.dated:
            return texts.values, np.isinf(texts.values)
        found = [score_in(text) for text in texts]
        if self.source.delimiter not in (None, ","):
            for k, text in enumerate(texts):
                if found[k] is None and isinstance(text, str) and _COMMA.fullmatch(text):
                    found[k], self.commas = score_in(text.replace(",", ".")), True
        values = np.array([math.nan if value is None else value for value in found], np.float64)
        wrong = np.array([value is None for value in found], np.bool_)
        codes = chunk.codes[role]
        return values[codes], wrong[codes]


class _LongReader(_Reader):
    """One row per item and unit."""

    def scores(self) -> Iterator[_Part]:
        layout = self.layout
        self._columns = {"item": str(layout.item), "score": str(layout.score)}
        self._columns |= {f"unit {k}": column for k, column in enumerate(layout.units)}
        units = [role for role in self._columns if role.startswith("unit")]
        self._units, item_of = Units(units, False), TextNumbers("item", self._named, False)
        for chunk in self.source.chunks(self._columns, frozenset({"score"})):
            self.rows += chunk.rows
            item, unit = item_of.numbers(chunk), self._units.numbers(chunk)
            score, wrong = self._values(chunk, "score")
            good = self._usable(
                chunk,
                ("item", item < 0, "the name of an item"),
                (units[0], unit < 0, "the name of a unit"),
                ("score", wrong, _EXPECTED),
            )
            if self.options.items is not None:
                other = good & (item >= len(self.options.items))
                self.other_rows += int(other.sum())
                good &= ~other
            good &= ~np.isnan(score)
            if layout.missing is not None:
                good &= score != layout.missing
            if not good.all():
                unit, item, score = unit[good], item[good], score[good]
            yield _Part(unit, item, score)


class _WideReader(_Reader):
    """One column per item and one row per unit, or the other way round."""

    def scores(self) -> Iterator[_Part]:
        self._columns = {f"score {k}": name for k, name in enumerate(self.source.header())}
        role_of = {column: role for role, column in self._columns.items()}
        if len(role_of) < len(self._columns) and self.layout.sure:
            twice = next(n for n, k in Counter(self._columns.values()).items() if k > 1)
            raise FileError(
                f"{self.source.label} has several columns {cut(twice)}, but different names were "
                "expected"
            )
        chunks = self.source.chunks(self._columns, frozenset(self._columns))
        first = next(chunks, None)
        if not self.layout.sure and (first is None or len(role_of) < len(self._columns)):
            self._refuse()
        if first is not None and not self.layout.units and self.layout.item is None:
            self._find_names(first)
        named = (self.layout.item, *self.layout.units)
        beside = [role_of[name] for name in named if name is not None]  # perhaps ""
        scored = {role: name for role, name in self._columns.items() if role not in beside}
        self._units = Units(beside if self.layout.item is None else [], True)
        for chunk in chain([] if first is None else [first], chunks):
            self.rows += chunk.rows
            if self.layout.item is None:
                yield from self._of_units(chunk, scored, beside)
            else:
                yield from self._of_items(chunk, scored, beside[0])

    def _refuse(self) -> NoReturn:
        """Say that this is no log of votes, as it is no table of scores either."""
        lay_out(self.source.label, self.source.header(), self.options)
        raise AssertionError("columns with two items would have been taken for votes")

    def _find_names(self, chunk: Chunk) -> None:
        """Look for the column that holds the names of the units (or items), if any does."""
        given, columns = self.options.items or (), self._columns
        text = []
        for role, column in columns.items():
            if self.cells.name(column) not in given:
                values, wrong = self._values(chunk, role)
                if holds_names(column, int(wrong.sum()), int(np.isfinite(values).sum())):
                    text.append(column)
        first = next(iter(columns.values()), "")
        numbered = names_units(first) and first not in text and self.cells.name(first) not in given
        if numbered:
            text.insert(0, first)
        if given and text and names_units(text[0]):
            text = text[:1]
        if not self.layout.sure and len(text) != 1:
            self._refuse()
        if len(text) > 1 and not given:
            raise FileError(
                f"{self.source.label} has texts that are not scores in the columns {names(text)}, "
                "but at most one column of names was expected (--unit names it, and --items the "
                "columns of scores)"
            )
        if len(text) == 1:
            self.layout = self.layout.with_names(self.source.label, text[0], numbered)
        self._check_options()

    def _of_units(
        self, chunk: Chunk, scored: Mapping[str, str], beside: Sequence[str]
    ) -> Iterator[_Part]:
        """The scores of a chunk whose rows are units."""
        given = self.options.items
        folded = {role: self.cells.name(name) for role, name in scored.items()}
        scored = {r: name for r, name in scored.items() if given is None or folded[r] in given}
        missing = [name for name in given or () if name not in folded.values()]
        if missing or len(scored) < 2:
            wanted = f"a column {cut(missing[0])} (see --items)" if missing else "two items or more"
            raise FileError(
                f"{self.source.label} has the columns {names(list(self._columns.values()))}, but "
                f"{wanted} was expected"
            )
        unit = self._units.numbers(chunk)
        values = {role: self._values(chunk, role) for role in scored}
        good = self._usable(
            chunk,
            *((role, unit < 0, "the name of a unit") for role in beside[:1]),
            *((role, wrong, _EXPECTED) for role, (_, wrong) in values.items()),
        )
        for role, name in scored.items():
            score, _ = values[role]
            item = self._name(name)
            if item < 0:
                raise FileError(
                    f"{self.source.label} has a column {cut(name)}, but the name of an item was "
                    "expected"
                )
            there = good & ~np.isnan(score)
            yield _Part(unit[there], np.full(int(there.sum()), item, np.int32), score[there])

    def _of_items(self, chunk: Chunk, scored: Mapping[str, str], role: str) -> Iterator[_Part]:
        """The scores of a chunk whose rows are items."""
        item = TextNumbers(role, self._named, True).numbers(chunk)
        values = {role: self._values(chunk, role) for role in scored}
        good = self._usable(
            chunk,
            (role, item < 0, "the name of an item"),
            *((role, wrong, _EXPECTED) for role, (_, wrong) in values.items()),
        )
        if self.options.items is not None:
            other = good & (item >= len(self.options.items))
            self.other_rows += int(other.sum())
            good &= ~other
        self._units.count = len(scored)
        for k, (score, _) in enumerate(values.values()):
            there = good & ~np.isnan(score)
            yield _Part(np.full(int(there.sum()), k, np.int32), item[there], score[there])
