"""From texts to votes: who met whom, who won, and which rows are no votes at all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from antichain._files import is_one_line
from antichain.errors import FileError
from antichain.sources._chunks import (
    NO_CODE,
    Chunk,
    CodedTexts,
    Flaw,
    Text,
    TextIds,
    cut,
    one_line,
    parsed_number,
    table_of,
)
from antichain.sources._spans import Codes
from antichain.votes._cell_texts import CellTexts
from antichain.votes._columns import LEFT, RIGHT, TIE, Layout, form_of
from antichain.votes._decoy_names import DecoyNames, DecoyNaming
from antichain.votes._read_options import ReadOptions
from antichain.votes._tallies import Votes
from antichain.votes._vote_log import ANSWERS, Counts, Floats, SkippedRows

MOST_A_ROW = 10**12
"""The most votes that a single row may stand for: more is taken for a mistake (set by hand)."""

_KINDS = ("", "row", "item", "itself", "answer", "ambiguous", "count", "cluster", "voter", "time",
          "receipt", "decoy")  # fmt: skip
(_GOOD, _ROW, _ITEM, _ITSELF, _ANSWER, _AMBIGUOUS, _COUNT, _CLUSTER, _VOTER, _TIME, _RECEIPT,
 _SIDE) = range(12)  # fmt: skip
_OTHER, _SPARE = -1, -2
_NO_DECOY, _LEFT_DECOY, _RIGHT_DECOY = 0, 1, 2  # both: 3
_FIRST_PLACES = 5
_RECEIPTS = {"evidence": _GOOD, "spare": _SPARE}  # as studies write them
_SIDES = {"": _NO_DECOY, "left": _LEFT_DECOY, "right": _RIGHT_DECOY}
_ONE_MEANING = (
    "a word for one item that is not the name of the other (or --answers names or --answers sides)"
)
Marks = NDArray[np.int8]


class Validator:
    """Says of every row which vote it is, or why it is none.

    Attributes:
        names: The names seen so far, given items first.
        voters: The voters seen so far.
        clusters: The clusters seen so far.
        rows: The number of rows so far.
        other_rows: Rows about items other than the given ones.
        spare_rows: Rows of an exported study with answers that came too late.
        decoy_rows: Rows with duels against decoys.
        apart: The names, by their number, in rows that were set apart so far.
        cells: What the texts of items and voters say.
    """

    def __init__(
        self, label: str, layout: Layout, options: ReadOptions, delimited: bool = True
    ) -> None:
        self.label, self.layout, self.options = label, layout, options
        self.names, self.voters, self.clusters = TextIds(options.items or ()), TextIds(), TextIds()
        self._decoys = DecoyNames(options.decoys, self.names)
        self.cells = CellTexts(layout.escape is not None, delimited, options, self.names)
        self.rows = self.other_rows = self.spare_rows = self.decoy_rows = 0
        self.apart: Codes = np.empty(0, np.int32)
        self._skipped: Counter[str] = Counter()
        self._places: list[str] = []
        self._tables = {name: CodedTexts() for name in ("items", "answer 0", "voter", "cluster")}
        self._named = CodedTexts()  # the name that each text of an answer is
        self._as_word: dict[int, str] = {}  # where an answer was first read as a word
        self._dated: bool | None = None
        given = (options.words or {}).items()
        self._words = {word.strip().casefold(): ANSWERS.index(form) for word, form in given}
        # A study's answers are sides always, even if an item is called "left".
        in_study = layout.receipt is not None and options.answers == "auto"
        self._reading = "sides" if in_study else options.answers

    @property
    def passing(self) -> frozenset[str]:
        """The roles whose texts need not be known beyond their chunk."""
        numbers = self.layout.how != "winner"
        plain = {"count", "time", "decoy", "receipt"}
        return frozenset(plain | ({"answer 0", "answer 1"} if numbers else set()))

    @property
    def skipped(self) -> SkippedRows:
        kinds = dict(sorted(self._skipped.items()))
        return SkippedRows(sum(kinds.values()), kinds, tuple(self._places))

    def votes(self, chunk: Chunk) -> tuple[Votes, Votes | None]:
        """The votes of a chunk; a row that is none is an error, or counted with `skip_bad`.

        Those on two items come first; then those on an item (left) and the decoy of another
        (right), if there are any.
        """
        self._learn(chunk)
        marks = np.zeros(chunk.rows, np.int8)
        marks[list(chunk.flaws)] = _ROW
        self._mark_spare(chunk, marks)
        items = self._tables["items"].values
        names = items[chunk.codes["left"]], items[chunk.codes["right"]]
        if self.options.named_decoys is not None and "decoy" in chunk.codes:
            naming = DecoyNaming(self.options.named_decoys)
            names = (
                self._renamed(chunk, "left", names[0], naming),
                self._renamed(chunk, "right", names[1], naming),
            )
        _mark(marks, (names[0] < 0) | (names[1] < 0), _ITEM)
        left, right, shown = self._behind(chunk, *names, marks)
        if self.options.items is not None:
            given = len(self.options.items)
            _mark(marks, (left >= given) | (right >= given), _OTHER)
        # An item may well meet its own decoy.
        _mark(marks, (names[0] == names[1]) & ((shown == _NO_DECOY) | (left != names[0])), _ITSELF)
        form = self._forms(chunk, *names, marks)
        number = self._numbers(chunk, marks)
        voter, cluster = self._group(chunk, "voter", marks), self._group(chunk, "cluster", marks)
        time = self._times(chunk, marks)
        self._count_rows(chunk, marks, shown)
        good = marks == _GOOD
        votes = Votes(left, right, form, number, voter, cluster, time)
        if not shown.any() and good.all():
            return votes, None
        self._keep_names((marks == _SPARE) | (good & (shown != _NO_DECOY)), left, right)
        on_left = shown == _LEFT_DECOY
        duels = good & (on_left | (shown == _RIGHT_DECOY)) & (left != right)
        against = votes.only(duels).turned(on_left[duels]) if duels.any() else None
        return votes.only(good & (shown == _NO_DECOY)), against

    def check_words(self, items: Iterable[str]) -> None:
        """Raise about an answer that was read as a word but is also the name of an item."""
        folded = {name.casefold(): name for name in items}
        for code, place in self._as_word.items():
            text = str(self._tables["answer 0"].texts[code])
            if text.casefold() in folded:
                name = folded[text.casefold()]
                raise FileError(
                    f"{self.label}, {place} has the answer {cut(text)}, which is a word for an "
                    f"answer and the name of the item {cut(name)} elsewhere, but one meaning was "
                    "expected (say --answers names or --answers sides)"
                )

    def _learn(self, chunk: Chunk) -> None:
        self.cells.look_at(chunk.new["items"])
        self._tables["items"].extend(chunk.new["items"], self._name)
        if self.layout.how == "winner":
            new = chunk.new["answer 0"]
            self._tables["answer 0"].extend(new, self._form)
            self._named.extend(new, self._name)
        for role, ids in (("voter", self.voters), ("cluster", self.clusters)):

            def group(text: Text, ids: TextIds = ids) -> int:
                known = isinstance(text, str) and text
                return ids.code(self.cells.plain(str(text))) if known else NO_CODE

            self._tables[role].extend(chunk.new.get(role, ()), group)

    def _form(self, text: Text) -> int:
        """The place in `ANSWERS` of an answer in words; words that the user gave come first."""
        if not isinstance(text, str):
            return NO_CODE
        form = self._words.get(text.strip().casefold())
        if form is None:
            form = form_of(text, self.layout.left, self.layout.right)
        return NO_CODE if form is None else form

    def _mark_spare(self, chunk: Chunk, marks: Marks) -> None:
        """Mark the rows of a study whose answers came too late."""
        if "receipt" in chunk.codes:
            found = _said(chunk, "receipt", _RECEIPTS, _RECEIPT)
            _mark(marks, found == _SPARE, _SPARE)
            _mark(marks, found == _RECEIPT, _RECEIPT)

    def _behind(
        self, chunk: Chunk, left: Codes, right: Codes, marks: Marks
    ) -> tuple[Codes, Codes, Marks]:
        """The items behind both names, and on which side a decoy was shown."""
        shown = np.zeros(chunk.rows, np.int8)
        if "decoy" in chunk.codes:
            found = _said(chunk, "decoy", _SIDES, _SIDE)
            _mark(marks, found == _SIDE, _SIDE)
            if self.options.named_decoys is None:
                shown = np.where(found == _SIDE, _NO_DECOY, found).astype(np.int8)
        if self.options.decoys is None:
            return left, right, shown
        ours, theirs = self._decoys.originals(left), self._decoys.originals(right)
        shown |= np.where(ours >= 0, _LEFT_DECOY, 0).astype(np.int8)
        shown |= np.where(theirs >= 0, _RIGHT_DECOY, 0).astype(np.int8)
        return np.where(ours >= 0, ours, left), np.where(theirs >= 0, theirs, right), shown

    def _renamed(self, chunk: Chunk, side: str, names: Codes, naming: DecoyNaming) -> Codes:
        """The names on a side, with those of decoys where a study says that it showed one."""
        shown = np.array([text == side for text in chunk.new["decoy"]], np.bool_)
        rows = shown[chunk.codes["decoy"]] & (names >= 0)
        renamed = names.copy()
        for name in np.unique(names[rows]).tolist():
            decoy = naming.decoy_of(self.names.names[name])
            renamed[rows & (names == name)] = self.names.code(decoy)
        return renamed

    def _keep_names(self, rows: NDArray[np.bool_], left: Codes, right: Codes) -> None:
        if rows.any():
            names = np.concatenate([self.apart, left[rows], right[rows]])
            self.apart = np.unique(names[names >= 0])

    def _name(self, text: Text) -> int:
        """The number of a name, or −1 if the text cannot be one."""
        if isinstance(text, Flaw):
            return NO_CODE
        text = self.cells.name(text)
        if not is_one_line(text):
            return NO_CODE
        code = self.names.code(text)
        self._decoys.learn(text, code)
        return code

    def _forms(self, chunk: Chunk, left: Codes, right: Codes, marks: Marks) -> Codes:
        """The form of each row's answer; rows without one are marked."""
        how = self.layout.how
        if how == "loser":
            return np.full(chunk.rows, LEFT, np.int32)
        if how == "winner":
            return self._worded(chunk, left, right, marks)
        ours = chunk.numbers("answer 0")
        if how == "score":
            theirs = 1 - ours
            _mark(marks, ~np.isin(ours, (0, 0.5, 1)), _ANSWER)
        else:
            theirs = chunk.numbers("answer 1")
            _mark(marks, np.isnan(ours) | np.isnan(theirs), _ANSWER)
        if how == "ranks":
            ours, theirs = theirs, ours
        form = np.where(ours == theirs, TIE, np.where(ours > theirs, LEFT, RIGHT))
        return form.astype(np.int32)

    def _worded(self, chunk: Chunk, left: Codes, right: Codes, marks: Marks) -> Codes:
        codes = chunk.codes["answer 0"]
        word, name = self._tables["answer 0"].values[codes], self._named.values[codes]
        by_name = np.where(name == left, LEFT, np.where(name == right, RIGHT, NO_CODE))
        by_name[name < 0] = NO_CODE
        reading = self._reading
        if reading == "sides":
            form = word
        elif reading == "names":
            form = np.where((by_name < 0) & (word >= TIE), word, by_name)
        else:
            _mark(marks, (by_name >= 0) & (word >= 0) & (by_name != word), _AMBIGUOUS)
            form = np.where(by_name >= 0, by_name, word)
        _mark(marks, form < 0, _ANSWER)
        if reading == "auto":
            as_word = (marks == _GOOD) & (by_name < 0)
            for code in np.unique(codes[as_word]).tolist():
                if code not in self._as_word:
                    row = int(np.flatnonzero(as_word & (codes == code))[0])
                    self._as_word[code] = chunk.place(row)
        return form.astype(np.int32)

    def _numbers(self, chunk: Chunk, marks: Marks) -> Counts:
        if "count" not in chunk.codes:
            return np.ones(chunk.rows, np.int64)
        numbers = chunk.numbers("count")
        good = (numbers >= 0) & (numbers <= MOST_A_ROW) & (numbers == np.floor(numbers))
        _mark(marks, ~good, _COUNT)
        return np.where(good, numbers, 0).astype(np.int64)

    def _group(self, chunk: Chunk, role: str, marks: Marks) -> Codes | None:
        """The voters or clusters of the rows; a row without a cluster is no vote."""
        if role not in chunk.codes:
            return None
        table = self._tables[role]
        values = table.values[chunk.codes[role]]
        if role == "cluster":
            _mark(marks, values < 0, _CLUSTER)
        elif (values < 0).any():
            flawed = np.array([isinstance(text, Flaw) for text in table.texts])
            _mark(marks, flawed[chunk.codes[role]], _VOTER)
        return values

    def _times(self, chunk: Chunk, marks: Marks) -> Floats | None:
        if "time" not in chunk.codes:
            return None
        texts = chunk.new["time"]
        if self._dated is None:
            plain = next((text for text in texts if isinstance(text, str) and text), "")
            self._dated = math.isnan(parsed_number(plain))
        times = chunk.numbers("time")
        if self._dated:
            times = np.array([_moment(text) for text in texts])[chunk.codes["time"]]
        _mark(marks, np.isnan(times), _TIME)
        return times

    def _count_rows(self, chunk: Chunk, marks: Marks, shown: Marks) -> None:
        """Count the rows of each kind; raise about the first that is no vote, if none may be."""
        self.rows += chunk.rows
        self.other_rows += int((marks == _OTHER).sum())
        self.spare_rows += int((marks == _SPARE).sum())
        self.decoy_rows += int(((marks == _GOOD) & (shown != _NO_DECOY)).sum())
        bad = np.flatnonzero(marks > _GOOD)
        if not bad.size:
            return
        if not self.options.skip_bad:
            row = int(bad[0])
            sentence = self._sentence(chunk, row, int(marks[row]))
            raise FileError(f"{self.label}, {chunk.place(row)} {sentence}")
        for mark in np.unique(marks[bad]).tolist():
            if mark != _ROW:
                self._skipped[_KINDS[mark]] += int((marks == mark).sum())
        self._skipped.update(flaw.kind for flaw in chunk.flaws.values())
        room = _FIRST_PLACES - len(self._places)
        self._places += [chunk.place(int(row)) for row in bad[:room]]

    def _sentence(self, chunk: Chunk, row: int, mark: int) -> str:
        """What is wrong about a row, to follow its place."""
        if mark == _ROW:
            return chunk.flaws[row].sentence
        if mark == _ITSELF:
            name = self._tables["items"].texts[chunk.codes["left"][row]]
            return f"sets {cut(name)} against itself, but two items were expected"
        *roles, wanted = {
            _ITEM: ("left", "right", "the name of an item in one line"),
            _ANSWER: ("answer 0", "answer 1", self._wanted_answer()),
            _AMBIGUOUS: ("answer 0", _ONE_MEANING),
            _COUNT: ("count", f"a whole number from 0 to {MOST_A_ROW:,}"),
            _CLUSTER: ("cluster", "what its cluster is"),
            _VOTER: ("voter", "a voter"),
            _TIME: ("time", "a date as in 2024-01-31" if self._dated else "a number"),
            _RECEIPT: ("receipt", "evidence or spare"),
            _SIDE: ("decoy", "left, right or nothing"),
        }[mark]
        columns = self.layout.roles
        texts = [
            (one_line(columns[role]), self._text(chunk, role, row))
            for role in roles
            if role in columns
        ]
        for column, text in texts:
            if isinstance(text, Flaw):
                return f"{text.sentence} (column {column!r})"
            if text == "":
                return f"has no {column}, but {wanted} was expected"
        if mark == _ITEM:
            texts = [some for some in texts if not is_one_line(str(some[1]))]
        elif mark == _ANSWER and len(texts) > 1:
            texts = [some for some in texts if math.isnan(parsed_number(some[1]))]
        column, text = texts[0]
        return f"has the {column} {cut(text)}, but {wanted} was expected"

    def _text(self, chunk: Chunk, role: str, row: int) -> Text:
        table = self._tables.get(table_of(role))
        if table is None or role in self.passing:
            return chunk.text(role, row)
        return table.texts[int(chunk.codes[role][row])]

    def _wanted_answer(self) -> str:
        if self.layout.how == "score":
            return "1, 0 or 0.5"
        if self.layout.how != "winner":
            return "a number"
        sides = one_line(f"{self.layout.left} or {self.layout.right}")
        if self._reading == "names":
            return f"the name in {sides}, or tie,"
        also = " or the item's name" if self._reading == "auto" else ""
        return f"left, right, tie ({sides}{also}) or a word that --words gives a meaning"


def _mark(marks: Marks, where: NDArray[np.bool_], mark: int) -> None:
    """Mark those of the rows that have no mark yet."""
    marks[where & (marks == _GOOD)] = mark


def _said(chunk: Chunk, role: str, known: Mapping[str, int], bad: int) -> Marks:
    """What a column of few words says in each row."""
    texts = (text if isinstance(text, str) else "?" for text in chunk.new[role])
    return np.array([known.get(text, bad) for text in texts], np.int8)[chunk.codes[role]]


def _moment(text: Text) -> float:
    """Seconds since 1970 of an ISO date (UTC unless it says otherwise), or NaN."""
    if isinstance(text, Flaw):
        return math.nan
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan
