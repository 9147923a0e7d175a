"""A study: ask and tell with a memory that survives whatever happens to the process."""

from __future__ import annotations

import csv
import io
import numbers
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from antichain import _checks, _journal
from antichain._interrupts import interrupts_wait
from antichain.algorithms._base import Algorithm
from antichain.algorithms._result import Result
from antichain.algorithms._rounds import Receipt
from antichain.algorithms._search import Search
from antichain.errors import FileError, ProtocolError
from antichain.evidence._answers import Answer, parse_answer
from antichain.study._records import (
    STUDY,
    AnswerRecord,
    ExpiryRecord,
    Settings,
    StudyAsk,
    StudyRecord,
    UndoRecord,
    record_from,
)
from antichain.study._state import FIRST_LINE, StudyProgress, StudyState, Vote

Clock = Callable[[], float]


class Study:
    """Asks, answers and what follows from them, kept in a file (or in memory).

    Every change is on the disk before the call that made it returns. A study belongs to one
    process and one thread at a time; any number may `read` it.

    Example:
        >>> study = Study.in_memory(["ham", "spam"])
        >>> while not study.finished:
        ...     for ask in study.ask(10):
        ...         receipt = study.tell(ask, "left" if ask.left == "ham" else "right")
        >>> study.result().front
        ('ham',)
    """

    def __init__(
        self,
        state: StudyState,
        now: Clock,
        path: Path | None = None,
        store: _journal.Journal | None = None,
        *,
        note: str | None = None,
        read_only: bool = False,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self.note = note
        """A sentence on what a crash left and opening the file cut off, or None."""
        self._state = state
        self._store = store
        self._now = now
        self._closed = False

    # -- beginning and end ---------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        path: str | Path,
        items: Iterable[str] | None = None,
        algorithm: Algorithm | None = None,
        seed: int | None = None,
        *,
        now: Clock = time.time,
    ) -> Study:
        """The study in the file at `path`, taken up where it was left, or begun.

        Args:
            path: The file; it is made if it is not there.
            items: The items' names; needed to begin a study. For an existing study they, the
                algorithm and the seed may be left out; if given, they must be the study's own.
            algorithm: Who asks; `default_algorithm()` if None.
            seed: The seed of the algorithm's choices and of the sides (0 for a new study).
            now: The clock, in seconds since 1970.
        """
        path = Path(path)
        fresh = None if items is None else Settings.new(items, algorithm, seed)
        if fresh is None and not path.exists():
            raise FileError(f"{path} does not exist, and a new study needs items: give items.")
        file = _journal.Journal(path, STUDY)
        try:
            header = file.content.header
            if header is not None:
                given = None if fresh is None else fresh.items
                settings = Settings.from_header(path, header, given, algorithm, seed)
            elif fresh is None:
                raise FileError(f"{path} holds no study yet, and a new study needs items.")
            else:
                settings = fresh
                file.append([settings.to_header(round(now(), 3))])
            state = _loaded(settings, file.content.lines, path)
            return cls(state, now, path, file, note=file.note)
        except BaseException:
            file.close()
            raise

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """The study as it stands, to look at; another process may be writing it."""
        path = Path(path)
        content = _journal.read(path, STUDY)
        if content.header is None:
            raise FileError(f"{path} holds no study yet: its first line is incomplete.")
        settings = Settings.from_header(path, content.header)
        return cls(_loaded(settings, content.lines, path), time.time, path, read_only=True)

    @classmethod
    def in_memory(
        cls,
        items: Iterable[str],
        algorithm: Algorithm | None = None,
        seed: int = 0,
        *,
        now: Clock = time.time,
    ) -> Study:
        """A study that is not written to any file."""
        return cls(StudyState(Settings.new(items, algorithm, seed)), now)

    def close(self) -> None:
        """Let the file go; all answers are in it."""
        self._closed = True
        if self._store is not None:
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- looking -------------------------------------------------------------------------------

    @property
    def items(self) -> tuple[str, ...]:
        """The items' names."""
        return self._state.settings.items

    @property
    def algorithm(self) -> Algorithm:
        """Who asks."""
        return self._state.settings.algorithm

    @property
    def seed(self) -> int:
        """The seed of the algorithm's choices and of the sides."""
        return self._state.settings.seed

    @property
    def search(self) -> Search:
        """The algorithm's run, to look at (`antichain:remaining`) and not to be moved."""
        return self._state.search

    @property
    def finished(self) -> bool:
        """Whether the front is found."""
        return self.search.finished

    @property
    def outstanding(self) -> tuple[StudyAsk, ...]:
        """Asks without an answer yet whose answer would be evidence, oldest first."""
        return tuple(record.shown for record in self._state.open_asks())

    @property
    def progress(self) -> StudyProgress:
        """How far the study is."""
        return self._state.progress()

    def result(self) -> Result:
        """The front found, or the best answer so far, marked as not certified."""
        return self.search.result()

    def votes(self) -> Iterator[Vote]:
        """Answers that were not taken back, in order, with the sides as they were shown."""
        return self._state.votes()

    def votes_csv(self) -> str:
        """The votes as CSV, with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(Vote.__dataclass_fields__)
        for vote in self.votes():
            writer.writerow("" if value is None else value for value in vars(vote).values())
        return text.getvalue()

    # -- asking and telling ----------------------------------------------------------------------

    def ask(self, n: int = 1, *, avoid: Iterable[StudyAsk] = ()) -> list[StudyAsk]:
        """Up to `n` new duels to hand out, one voter each; none if finished or waiting.

        Args:
            n: How many.
            avoid: Duels whose pairs come last, such as those the voter has just seen.
        """
        n = _checks.whole("the number of duels to ask for", n)
        self._check_writable()
        pairs = {frozenset((ask.left, ask.right)) for ask in avoid}
        with interrupts_wait():
            try:
                records = self._state.propose(n, self._time(), pairs)
                self._write(records)
            except BaseException:
                self._state.replay()  # the search has moved, and the file does not know of it
                raise
            self._state.add_proposed(records)
        return [record.shown for record in records]

    def tell(
        self,
        ask: StudyAsk | int,
        answer: Answer | str,
        *,
        voter: str | None = None,
        reason: str | None = None,
        cost: float | None = None,
    ) -> Receipt:
        """Take an answer; says whether it is evidence or spare.

        An answer to an ask that was answered or given up before, or that is no longer needed,
        is kept as spare. An answer to an ask that was never made raises `ProtocolError`, and
        nothing is written.
        """
        number, answer = _number(ask), parse_answer(answer)
        who, why = _text("voter", voter), _text("reason", reason)
        receipt = self._add(AnswerRecord(self._time(), number, answer, who, why, _paid(cost)))
        assert receipt is not None
        return receipt

    def expire(
        self, ask: StudyAsk | int, *, reason: str | None = None, cost: float | None = None
    ) -> None:
        """Give an ask up: its duel is asked again if it is still wanted.

        For an ask that was answered or given up before, nothing happens.
        """
        number = _number(ask)
        record = ExpiryRecord(self._time(), number, _text("reason", reason), _paid(cost))
        self._check_writable()
        self._state.check([record])
        if not self._state.is_settled(number):
            self._add(record)

    def undo(self, *, voter: str | None = None) -> StudyAsk:
        """Take back the last answer of a voter, and return its ask, to be answered again.

        Nothing is deleted: a line that says so is added to the file. The state becomes that of
        the records without the answer. Duels handed out because of that answer stay valid if
        they are wanted without it too; otherwise any answer to them is spare.
        """
        self._check_writable()
        last = self._state.last_of(_text("voter", voter))
        if last is None:
            of = "of a voter without a name" if voter is None else f"of {voter!r}"
            raise ProtocolError(f"There is no answer {of} to take back.")
        self._add(UndoRecord(self._time(), last.line, voter))
        return self._state.asks[last.record.ask].shown

    # -- inside --------------------------------------------------------------------------------

    def _add(self, record: StudyRecord) -> Receipt | None:
        self._check_writable()
        self._state.check([record])
        with interrupts_wait():
            self._write([record])
            return self._state.add(record)

    def _write(self, records: Sequence[StudyRecord]) -> None:
        if self._store is not None and records:
            self._store.append([record.to_json() for record in records])

    def _check_writable(self) -> None:
        if self.read_only:
            raise ProtocolError(f"{self.path} was opened to be read; open it with Study.open.")
        if self._closed:
            raise ProtocolError("This study is closed; open it again.")

    def _time(self) -> float:
        return round(float(self._now()), 3)


def _loaded(settings: Settings, lines: Sequence[Mapping[str, Any]], path: Path) -> StudyState:
    records = []
    for number, line in enumerate(lines, start=FIRST_LINE):
        try:
            records.append(record_from(line))
        except ValueError as error:
            raise FileError(f"{path}, line {number}: {error}.") from error
    try:
        return StudyState(settings, records)
    except ProtocolError as error:
        raise FileError(f"{path} holds events that cannot have happened: {error}") from error


def _number(ask: StudyAsk | int) -> int:
    number = ask.id if isinstance(ask, StudyAsk) else ask
    if not isinstance(number, numbers.Integral) or isinstance(number, bool):
        raise ProtocolError(f"An ask or its number was expected; got {ask!r}.")
    return int(number)


def _text(name: str, value: str | None) -> str | None:
    return None if value is None else _checks.text(name, value)


def _paid(cost: float | None) -> float | None:
    if cost is None or cost == 0:
        return cost
    return float(_checks.precision("cost", cost))
