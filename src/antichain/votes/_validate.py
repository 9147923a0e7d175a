"""From texts to votes: who met whom, who won, and which rows are no votes at all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from antichain._files import is_one_line
from antichain._text import counted
from antichain.errors import FileError
from antichain.sources._chunks import (
    NO_CODE,
    Chunk,
    CodedTexts,
    Flaw,
    Text,
    TextIds,
    cut,
    parsed_number,
)
from antichain.sources._plain_numbers import PlainTexts
from antichain.sources._spans import Codes
from antichain.votes._answer_words import LEFT, RIGHT, TIE, form_of
from antichain.votes._ask_numbers import AskNumbers, is_number
from antichain.votes._ask_order import AskOrder
from antichain.votes._bad_rows import BadRows
from antichain.votes._cell_texts import CellTexts
from antichain.votes._columns import Layout
from antichain.votes._decoy_names import DecoyNames, DecoyNaming
from antichain.votes._read_options import MEANINGS_OF_WORDS, ReadOptions
from antichain.votes._row_marks import (
    AMBIGUOUS,
    ANSWER,
    ASK,
    BLANK,
    CLUSTER,
    COUNT,
    CRITERION,
    GIVEN,
    GOOD,
    ITEM,
    ITSELF,
    KINDS,
    MOST_A_ROW,
    NO_VERDICT,
    OPEN,
    OTHER,
    OTHER_PAIR,
    RECEIPT,
    ROW,
    SIDE,
    SPARE,
    TIME,
    VOTER,
    Marks,
    RowSentences,
    mark,
    said,
)
from antichain.votes._score_sums import are_fractions, leaning
from antichain.votes._scored_answers import ScoredAnswers
from antichain.votes._tallies import Votes
from antichain.votes._vote_log import GIVEN_UP, UNIT, Counts, Floats, SetApart

_NO_DECOY, _LEFT_DECOY, _RIGHT_DECOY = 0, 1, 2  # both: 3
_REMEMBERED = ("items", "answer 0", "voter", "cluster", "criterion")
_RECEIPTS = {"evidence": GOOD, "spare": SPARE}  # as studies write them
_SIDES = {"": _NO_DECOY, "left": _LEFT_DECOY, "right": _RIGHT_DECOY}


class Validator:
    """Says of every row which vote it is, or why it is none.

    Attributes:
        names: The names seen so far, given items first.
        voters: The voters seen so far.
        clusters: The clusters seen so far.
        criteria: The criteria seen so far.
        rows: The number of rows so far.
        other_rows: Rows about items or criteria other than the given ones.
        decoy_rows: Rows with duels against decoys.
        apart: The names, by their number, in rows that were set apart so far.
        asks: The numbers of the asks so far, if the log has them.
        order: What keeps the order of the votes, if anything says it.
        cells: What the texts of items and voters say.
        bad: The rows that are no votes.
    """

    def __init__(
        self, label: str, layout: Layout, options: ReadOptions, delimited: bool = True
    ) -> None:
        self.label, self.layout, self.options = label, layout, options
        self.names, self.voters, self.clusters = TextIds(), TextIds(), TextIds()
        self.criteria = TextIds(options.criteria or ())
        self._decoys = DecoyNames(options.decoys, self.names)
        self.cells = CellTexts(layout.escape is not None, delimited, options, self.names)
        self.asks = None if layout.ask is None else AskNumbers(self.names)
        self.order = _order_of(layout, options.unanswered)
        self.rows = self.other_rows = self.decoy_rows = self.blank_rows = 0
        self._apart_rows: Counter[int] = Counter()  # spare, open and given up, by their marks
        self.apart: Codes = np.empty(0, np.int32)
        self.bad = BadRows(label, options.skip_bad)
        self._tables = {name: CodedTexts() for name in _REMEMBERED}
        self._named = CodedTexts()  # the name that each text of an answer is
        self._as_word: dict[int, str] = {}  # where an answer was first read as a word
        self._only_name = ""  # an answer that is the name of an item and no word
        self._unclear: list[tuple[str, str]] = []  # the first such rows: place, what is wrong
        self._unclear_rows = 0  # how many have an answer that is a name and a word for the other
        self._dated: bool | None = None
        given = (options.words or {}).items()
        self._words = {word.strip().casefold(): MEANINGS_OF_WORDS.index(to) for word, to in given}
        # A study's answers are sides always, even if an item is called "left".
        in_study = layout.receipt is not None and options.answers == "auto"
        self._reading = "sides" if in_study else options.answers
        self._scored_answers = ScoredAnswers(layout, self._words)
        self._sentences = RowSentences(layout, self._reading, self._tables)

    def set_apart(self, items: tuple[str, ...]) -> SetApart:
        """The rows that are no votes on two items; `items` occur in such rows only."""
        spare, *others = (self._apart_rows[kind] for kind in (SPARE, OPEN, GIVEN, NO_VERDICT))
        return SetApart(spare, self.decoy_rows, items, *others)

    def votes(self, chunk: Chunk) -> tuple[Votes, Votes | None]:
        """The votes of a chunk; rows that are none are counted (`bad`).

        Those on two items come first; then those on an item (left) and the decoy of another
        (right), if there are any.
        """
        self._learn(chunk)
        marks = np.zeros(chunk.rows, np.int8)
        marks[list(chunk.flaws)] = ROW
        self._mark_spare(chunk, marks)
        mark(marks, self._scored_answers.without_verdict(chunk), NO_VERDICT)
        items = self._tables["items"].values
        names = items[chunk.codes["left"]], items[chunk.codes["right"]]
        if self.options.named_decoys is not None and "decoy" in chunk.codes:
            naming = DecoyNaming(self.options.named_decoys)
            names = (
                self._renamed(chunk, "left", names[0], naming),
                self._renamed(chunk, "right", names[1], naming),
            )
        unnamed = (names[0] < 0) & (names[1] < 0) & (marks == GOOD)
        for row in np.flatnonzero(unnamed).tolist():
            if self._sentences.is_blank(chunk, row):
                marks[row] = BLANK
        mark(marks, (names[0] < 0) | (names[1] < 0), ITEM)
        left, right, shown = self._behind(chunk, *names, marks)
        if self.options.items is not None:
            given = len(self.options.items)
            mark(marks, (left >= given) | (right >= given), OTHER)
        # An item may well meet its own decoy.
        mark(marks, (names[0] == names[1]) & ((shown == _NO_DECOY) | (left != names[0])), ITSELF)
        asks = self._ask_numbers(chunk, marks)
        form, score, shown_first = self._answers(chunk, *names, marks)
        number = self._numbers(chunk, marks)
        voter, cluster = self._group(chunk, "voter", marks), self._group(chunk, "cluster", marks)
        criterion = self._group(chunk, "criterion", marks)
        if criterion is not None and self.options.criteria is not None:
            mark(marks, criterion >= len(self.options.criteria), OTHER)
        time = self._times(chunk, marks)
        if self.asks is not None and asks is not None:
            self.asks.settle(chunk, asks, left, right, shown, marks)
        self._count_rows(chunk, marks, shown, asks, (left, right))
        good = marks == GOOD
        votes = Votes(left, right, form, number, voter, cluster, time, asks, score)
        votes = votes._replace(
            judgment=self._scored_answers.judgments(chunk),
            shown_first=shown_first,
            criterion=criterion,
        )
        if not shown.any() and good.all():
            self._keep_order(chunk, votes, good, None)
            return votes, None
        in_study_only = (marks == SPARE) | (marks == OPEN) | (marks == GIVEN)
        self._keep_names(in_study_only | (good & (shown != _NO_DECOY)), left, right)
        on_left, direct = shown == _LEFT_DECOY, shown == _NO_DECOY
        against = (on_left | (shown == _RIGHT_DECOY)) & (left != right)
        asked = (good | (marks == GIVEN)) & (direct | against)
        self._keep_order(chunk, votes, asked, (against, on_left))
        duels = good & against
        decoy_votes = votes.only(duels).turned(on_left[duels]) if duels.any() else None
        return votes.only(good & direct), decoy_votes

    def _keep_order(
        self,
        chunk: Chunk,
        votes: Votes,
        asked: NDArray[np.bool_],
        decoys: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None,
    ) -> None:
        if self.order is None or not self.order.is_kept:
            return
        key = {"asks": votes.ask, "time": votes.time}.get(str(self.layout.known_by))
        if "when" in chunk.codes:
            key = self._moments(chunk, "when")
        self.order.add(votes, asked, decoys, key)

    def notes(self) -> list[str]:
        """What was made of the order of the votes, of asks, and of empty rows, in sentences."""
        found = [] if self.order is None else self.order.notes
        if not self.decoy_rows:
            found = [*found, *self._decoys.notes()]
        if self.blank_rows:
            found = [*found, f"skipped {counted(self.blank_rows, 'empty row')}"]
        if self._unclear_rows:
            found = [
                *found,
                f"read answers as names of items, never as sides, because {cut(self._only_name)} "
                "can only be a name, and every other answer is a name too",
            ]
        if self.asks is not None and self.asks.again:
            found = [
                *found,
                "not counted, because they answer an ask that was already answered: "
                f"{counted(self.asks.again, 'row')}",
            ]
        return found

    def check_words(self, items: Iterable[str]) -> None:
        """Raise about an answer that was read as a word but is also the name of an item."""
        folded = {name.casefold(): name for name in items}
        for code, place in self._as_word.items():
            text = str(self._tables["answer 0"].texts[code])
            if text.casefold() in folded:
                name = folded[text.casefold()]
                raise FileError(
                    f"{self.label}, {place} has the answer {cut(text)}, which is a word for an "
                    f"answer but elsewhere the name of the item {cut(name)} (say which is meant: "
                    "--answers names or --answers sides)"
                )

    def _learn(self, chunk: Chunk) -> None:
        self.cells.look_at(chunk.new["items"])
        self._tables["items"].extend(chunk.new["items"], self._name)
        if self.layout.how == "winner":
            new = chunk.new["answer 0"]
            self._tables["answer 0"].extend(new, self._form)
            self._named.extend(new, self._name)
        for role, ids in (
            ("voter", self.voters),
            ("cluster", self.clusters),
            ("criterion", self.criteria),
        ):

            def group(text: Text, ids: TextIds = ids) -> int:
                known = isinstance(text, str) and text
                return ids.code(self.cells.plain(str(text))) if known else NO_CODE

            self._tables[role].extend(chunk.new.get(role, ()), group)

    def _form(self, text: Text) -> int:
        """The place in `ANSWERS` of an answer in words; words that the user gave come first."""
        if not isinstance(text, str):
            return NO_CODE
        form = self._words.get(text.strip().casefold(), self._scored_answers.word(text))
        if form is None:
            numbered = self.layout.ask is not None
            form = form_of(text, self.layout.left, self.layout.right, numbered=numbered)
        if form == GIVEN_UP and self.layout.ask is None:  # a word of the user's
            return NO_CODE
        return NO_CODE if form is None else form

    def _mark_spare(self, chunk: Chunk, marks: Marks) -> None:
        """Mark the rows of a study whose answers came too late."""
        if "receipt" in chunk.codes:
            found = said(chunk, "receipt", _RECEIPTS, RECEIPT)
            mark(marks, found == SPARE, SPARE)
            mark(marks, found == RECEIPT, RECEIPT)

    def _behind(
        self, chunk: Chunk, left: Codes, right: Codes, marks: Marks
    ) -> tuple[Codes, Codes, Marks]:
        """The items behind both names, and on which side a decoy was shown."""
        shown = np.zeros(chunk.rows, np.int8)
        if "decoy" in chunk.codes:
            found = said(chunk, "decoy", _SIDES, SIDE)
            mark(marks, found == SIDE, SIDE)
            if self.options.named_decoys is None:
                shown = np.where(found == SIDE, _NO_DECOY, found).astype(np.int8)
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
        if text == "" and self.layout.judge is not None:
            text = self.layout.judge.fallback or ""
        text = self.cells.name(text)
        if not is_one_line(text):
            return NO_CODE
        code = self.names.code(text)
        self._decoys.learn(text, code)
        return code

    def _ask_numbers(self, chunk: Chunk, marks: Marks) -> Floats | None:
        if "ask" not in chunk.codes:
            return None
        numbers = chunk.numbers("ask")
        mark(marks, ~is_number(numbers), ASK)
        return numbers

    def _answers(
        self, chunk: Chunk, left: Codes, right: Codes, marks: Marks
    ) -> tuple[Codes, Counts | None, Counts | None]:
        """The form of each row's answer, its score, and that of the side shown first."""
        if self.layout.how == "halves":
            score, shown_first, bad = self._scored_answers.halves(chunk)
            mark(marks, bad, ANSWER)
            return leaning(score), score, shown_first
        form = self._forms(chunk, left, right, marks)
        if self.layout.how != "score":
            return form, None, self._scored_answers.sides_in_reasons(chunk)
        score, _ = self._scored_answers.scores(chunk)
        if self.order is not None and are_fractions(score[marks == GOOD]).any():
            self.order.stop("because some scores are neither 0, 1 nor one half")
        return form, score, None

    def _forms(self, chunk: Chunk, left: Codes, right: Codes, marks: Marks) -> Codes:
        """The form of each row's answer; rows without one are marked."""
        if self.layout.how == "loser":
            return np.full(chunk.rows, LEFT, np.int32)
        if self.layout.how == "winner":
            form = self._worded(chunk, left, right, marks)
        else:
            form = self._scored(chunk, marks)
        if self.layout.ask is not None:
            mark(marks, form == GIVEN_UP, GIVEN)
        return form

    def _scored(self, chunk: Chunk, marks: Marks) -> Codes:
        """The form of each row's answer where numbers give it."""
        how = self.layout.how
        if how == "score":
            units, bad = self._scored_answers.scores(chunk)
            ours = units.astype(np.float64)
            theirs = UNIT - ours
        else:
            ours, theirs = chunk.numbers("answer 0"), chunk.numbers("answer 1")
            bad = np.isnan(ours) | np.isnan(theirs)
        given_up = np.zeros(chunk.rows, np.bool_)
        if bad.any():
            texts = [self._texts(chunk, f"answer {k}") for k in range(len(self.layout.answers))]
            mark(marks, np.logical_and.reduce([empty for empty, _ in texts]), OPEN)
            if self.layout.ask is not None:
                given_up = np.logical_or.reduce([given for _, given in texts])
        mark(marks, ~given_up & bad, ANSWER)
        if how == "ranks":
            ours, theirs = theirs, ours
        form = np.where(ours == theirs, TIE, np.where(ours > theirs, LEFT, RIGHT))
        return np.where(given_up, GIVEN_UP, form).astype(np.int32)

    def _texts(self, chunk: Chunk, role: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether each row has no text there, and whether it says that its ask was given up."""
        if isinstance(chunk.new[role], PlainTexts):
            return np.zeros(chunk.rows, np.bool_), np.zeros(chunk.rows, np.bool_)
        texts = [text if isinstance(text, str) else "?" for text in chunk.new[role]]
        empty = np.array([text == "" for text in texts], np.bool_)
        given = np.array([self._form(text) == GIVEN_UP for text in texts], np.bool_)
        return empty[chunk.codes[role]], given[chunk.codes[role]]

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
            unclear = (by_name >= 0) & (word >= 0) & (by_name != word)
            if self.options.skip_bad:
                mark(marks, unclear, AMBIGUOUS)
            else:  # a later answer may show that they are names
                self._keep_unclear(chunk, unclear & (marks == GOOD))
            form = np.where(by_name >= 0, by_name, word)
            only_names = codes[(marks == GOOD) & (by_name >= 0) & (word < 0)]
            if only_names.size and not self._only_name:
                self._only_name = str(self._tables["answer 0"].texts[int(only_names[0])])
        if (form < 0).any():
            texts = self._tables["answer 0"].texts
            empty = [code for code, text in enumerate(texts) if text == ""]
            mark(marks, (form < 0) & np.isin(codes, empty), OPEN)
        mark(marks, form < 0, ANSWER)
        if reading == "auto":
            as_word = (marks == GOOD) & (by_name < 0)
            for code in np.unique(codes[as_word]).tolist():
                if code not in self._as_word:
                    row = int(np.flatnonzero(as_word & (codes == code))[0])
                    self._as_word[code] = chunk.place(row)
        return form.astype(np.int32)

    def _keep_unclear(self, chunk: Chunk, unclear: NDArray[np.bool_]) -> None:
        """Remember rows whose answer means one item as a name and the other one as a side."""
        rows = np.flatnonzero(unclear).tolist()
        self._unclear_rows += len(rows)
        for row in rows[: self.bad.sentences_wanted - len(self._unclear)]:
            sentence = self._sentences.sentence(chunk, row, AMBIGUOUS, self._dated)
            self._unclear.append((chunk.place(row), sentence))

    def settle_answers(self) -> None:
        """Report the answers that may be names or sides, unless all answers can only be names."""
        if not self._unclear_rows or self._takes_names:
            return
        places = [place for place, _ in self._unclear]
        sentences = [f"{place} {sentence}" for place, sentence in self._unclear]
        self.bad.add(Counter({KINDS[AMBIGUOUS]: self._unclear_rows}), places, sentences)
        self.bad.check()

    @property
    def _takes_names(self) -> bool:
        """Whether each answer names an item of its row, and one of them is no word for a side."""
        words = self._tables["answer 0"].values
        return bool(self._only_name) and all(int(words[code]) >= TIE for code in self._as_word)

    def _numbers(self, chunk: Chunk, marks: Marks) -> Counts:
        if "count" not in chunk.codes:
            return np.ones(chunk.rows, np.int64)
        numbers = chunk.numbers("count")
        good = (numbers >= 0) & (numbers <= MOST_A_ROW) & (numbers == np.floor(numbers))
        mark(marks, ~good, COUNT)
        return np.where(good, numbers, 0).astype(np.int64)

    def _group(self, chunk: Chunk, role: str, marks: Marks) -> Codes | None:
        """The voters, clusters or criteria of the rows; only a voter may be missing."""
        if role not in chunk.codes:
            return None
        table = self._tables[role]
        values = table.values[chunk.codes[role]]
        if role != "voter":
            mark(marks, values < 0, CLUSTER if role == "cluster" else CRITERION)
        elif (values < 0).any():
            flawed = np.array([isinstance(text, Flaw) for text in table.texts])
            mark(marks, flawed[chunk.codes[role]], VOTER)
        return values

    def _times(self, chunk: Chunk, marks: Marks) -> Floats | None:
        if "time" not in chunk.codes:
            return None
        times = self._moments(chunk, "time")
        mark(marks, np.isnan(times), TIME)
        return times

    def _moments(self, chunk: Chunk, role: str) -> Floats:
        """The times of the rows, NaN where there is none; the first one says of which sort."""
        texts = chunk.new[role]
        if self._dated is None:
            plain = next((text for text in texts if isinstance(text, str) and text), "")
            self._dated = math.isnan(parsed_number(plain))
        if not self._dated:
            return chunk.numbers(role)
        if isinstance(texts, PlainTexts) and texts.dated:
            return texts.values
        return np.array([_moment(text) for text in texts])[chunk.codes[role]]

    def _count_rows(
        self,
        chunk: Chunk,
        marks: Marks,
        shown: Marks,
        asks: Floats | None,
        names: tuple[Codes, Codes],
    ) -> None:
        """Count the rows of each kind; of those that are no votes, also say what is wrong."""
        blank = int((marks == BLANK).sum())
        self.rows += chunk.rows - blank
        self.blank_rows += blank
        for kind in (SPARE, OPEN, GIVEN, NO_VERDICT):
            self._apart_rows[kind] += int((marks == kind).sum())
        self.other_rows += int((marks == OTHER).sum())
        self.decoy_rows += int(((marks == GOOD) & (shown != _NO_DECOY)).sum())
        bad = np.flatnonzero(marks > GOOD)
        if not bad.size:
            return
        kinds = Counter(flaw.kind for flaw in chunk.flaws.values())
        for found in np.unique(marks[bad]).tolist():
            if found != ROW:
                kinds[KINDS[found]] += int((marks == found).sum())
        first = bad[:10].tolist()
        sentences = []
        for row in first[: self.bad.sentences_wanted]:
            if marks[row] == OTHER_PAIR and self.asks is not None and asks is not None:
                sentence = self.asks.sentence(float(asks[row]), *(int(side[row]) for side in names))
            else:
                sentence = self._sentences.sentence(chunk, row, int(marks[row]), self._dated)
            sentences.append(f"{chunk.place(row)} {sentence}")
        self.bad.add(kinds, map(chunk.place, first), sentences)


def _moment(text: Text) -> float:
    """Seconds since 1970 of an ISO date (UTC unless it says otherwise), or NaN."""
    if isinstance(text, Flaw):
        return math.nan
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan


def _order_of(layout: Layout, unanswered: str | None) -> AskOrder | None:
    """What keeps the order of a log with this layout; None if nothing says an order."""
    if layout.known_by is None:
        return None
    column = {"asks": layout.ask, "time": layout.when}.get(layout.known_by)
    assured = layout.known_by != "time" or layout.when == layout.time or layout.receipt is not None
    order = AskOrder(layout.known_by, column, assured=assured, ignore=unanswered == "ignore")
    if layout.how == "halves" or layout.both_orders:
        order.stop("because both orders of a judgment are one vote")
    elif layout.cluster is not None:
        order.stop(f"because votes with the same {layout.cluster!r} are one observation")
    return order
