"""A study: ask and tell with a memory that survives whatever happens to the process."""

from __future__ import annotations

import functools
import math
import numbers
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from antichain import _checks, _journal
from antichain._interrupts import interrupts_wait
from antichain._markup import Summarised, Summary
from antichain._text import counted, look_alikes, shown
from antichain.algorithms._base import Algorithm
from antichain.algorithms._result import Result
from antichain.algorithms._rounds import Receipt
from antichain.algorithms._search import Search
from antichain.certify._certificate import Certificate
from antichain.errors import FileError, ParameterError, ProtocolError
from antichain.evidence._answers import Answer, parse_answer
from antichain.study._criteria_search import with_criteria
from antichain.study._exported import certificate_of, votes_csv
from antichain.study._leases import give_up_overdue, held_up
from antichain.study._records import (
    MOST_PAID,
    STUDY,
    AnswerRecord,
    ExpiryRecord,
    Settings,
    StudyAsk,
    StudyRecord,
    UndoRecord,
    check_time,
    is_cost,
    record_from,
    within_budget,
)
from antichain.study._served import is_database, read_served
from antichain.study._state import FIRST_LINE, StudyProgress, StudyState, Vote
from antichain.votes._attributes import Attributes

Clock = Callable[[], float]
Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def _one_at_a_time(
    method: Callable[Concatenate[Study, Given], Returned],
) -> Callable[Concatenate[Study, Given], Returned]:
    """A method that threads call in turns: the state and the file change together or not at all."""

    @functools.wraps(method)
    def call(study: Study, /, *given: Given.args, **options: Given.kwargs) -> Returned:
        with study._lock():
            return method(study, *given, **options)

    return call


class Study(Summarised):
    """A study: asks, answers and what follows from them, kept in a file (or in memory).

    Every change is on disk before the call that made it returns. Threads may share a study: their
    calls take turns. Only the process that opened a file may write it, not processes forked from
    it; any number of processes may `read` it.

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
        """What there is to say about opening it, or None: a crash left half a line, which was cut
        off, or items of a new study have names that are hard to tell apart."""
        self._state = state
        self._store = store
        self._now = now
        self._closed = False
        self._turn, self._process = threading.RLock(), os.getpid()

    # -- beginning and end ---------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        path: str | Path,
        items: Iterable[str] | None = None,
        algorithm: Algorithm | None = None,
        seed: int | None = None,
        *,
        budget: int | None = None,
        criteria: Iterable[str] | None = None,
        attributes: Attributes | None = None,
        now: Clock = time.time,
    ) -> Study:
        """Open the study in the file at `path`, or begin a new one.

        Args:
            path: The file; it is created if it does not exist.
            items: The items' names, which a new study needs. For an existing study, items,
                algorithm and seed may be left out; if given, they must be those of the study.
            algorithm: The algorithm that chooses the duels; `default_algorithm()` if None.
            seed: The seed of the algorithm's choices and of the sides (0 for a new study).
            budget: How many answers there will be in all; the duels are chosen to make the best
                use of them (`Certifying.budget`).
            criteria: The criteria, if voters are asked several questions; each ask names its
                criterion (docs/guides/criteria.md).
            attributes: What is known of each item (`antichain.read_attributes`).
            now: The clock, in seconds since 1970.
        """
        _checks.path("path", path, optional=False)
        _checks.function("now", now, optional=False)
        path = Path(path)
        algorithm = within_budget(with_criteria(algorithm, criteria, attributes), budget)
        fresh = None if items is None else Settings.new(items, algorithm, seed)
        if fresh is None and not os.path.exists(path):
            raise FileError(f"{path} does not exist; to begin a study, give its items.")
        begun = None if fresh is None or os.path.exists(path) else _header(fresh, now)
        file = _journal.Journal(path, STUDY)
        try:
            header, note = file.content.header, None
            if header is not None:
                given = None if fresh is None else fresh.items
                settings = Settings.from_header(path, header, given, algorithm, seed)
            elif fresh is None:
                raise FileError(f"{path} holds no study yet, and a new study needs items.")
            else:
                settings, note = fresh, look_alikes(fresh.items)
                file.append([begun or _header(fresh, now)])
            state = _loaded(settings, file.content.lines, path)
            file.claim()
            return cls(state, now, path, file, note=file.note or note or settings.note)
        except BaseException:
            file.close()
            raise

    @classmethod
    def read(cls, path: str | Path, name: str | None = None) -> Study:
        """Read the study as it stands, while another process may be writing it.

        In a served study, asks that nobody answered in time count as given up, whether or not the
        server is running.

        Args:
            path: The study's file, or the SQLite database of a served study.
            name: The study in a database that has several.
        """
        _checks.path("path", path, optional=False)
        path = Path(path)
        served = is_database(path)
        if served:
            content = read_served(path, name)
        elif name is not None:
            raise ParameterError(
                f"the name {shown(name)} is given, but {path} is not the database of a served "
                "study, and only there do studies have names (leave out the name)"
            )
        else:
            content = _journal.read(path, STUDY)
        study = cls.of_lines(content, str(path))
        study.path = path
        if served:
            study._let_go_of_overdue()
        return study

    def _let_go_of_overdue(self) -> None:
        """Give up what nobody answered in time; note which ask still holds up votes."""
        now = time.time()
        give_up_overdue(self._state, now)
        if (held := held_up(self._state, now)) is not None:
            minutes = counted(max(1, math.ceil(held.seconds / 60)), "minute")
            self.note = f"{self.note} " if self.note else ""
            self.note += (
                f"{counted(held.votes, 'vote')} will count once {held.ask.voter or 'a voter'} has "
                f"answered “{held.ask.left} or {held.ask.right}?”, or when the time for that is "
                f"over, in {minutes} at most."
            )

    @classmethod
    def of_lines(cls, content: _journal.Content, source: str) -> Study:
        """Make a study to look at, from what its file held when it was read."""
        if content.header is None:
            raise FileError(
                f"{source} holds no study yet: its first line is incomplete. Restore the file from "
                "a copy, or begin the study anew with its items."
            )
        settings = Settings.from_header(Path(source), content.header)
        state = _loaded(settings, content.lines, Path(source))
        return cls(state, time.time, note=settings.note, read_only=True)

    @classmethod
    def in_memory(
        cls,
        items: Iterable[str],
        algorithm: Algorithm | None = None,
        seed: int = 0,
        *,
        budget: int | None = None,
        criteria: Iterable[str] | None = None,
        attributes: Attributes | None = None,
        now: Clock = time.time,
    ) -> Study:
        """Begin a study that is not written to any file; the arguments are those of `open`."""
        chosen = within_budget(with_criteria(algorithm, criteria, attributes), budget)
        settings = Settings.new(items, chosen, seed)
        settings.check_begins()
        _checks.function("now", now, optional=False)
        return cls(StudyState(settings), now, note=look_alikes(settings.items))

    @_one_at_a_time
    def close(self) -> None:
        """Close the file; all answers are in it."""
        self._closed = True
        if self._store is not None:
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- looking -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        answers = counted(self.progress.answers, "answer")
        return f"Study({counted(len(self.items), 'item')}, {answers}, finished={self.finished})"

    def _summary(self) -> Summary:
        progress, result = self.progress, self.result()
        facts = result.verdicts_in_words()
        facts.append(("answers", f"{progress.answers:,}"))
        if progress.outstanding:
            facts.append(("waiting", f"{progress.outstanding:,} for an answer"))
        state = "the front is decided"
        if not result.finished:
            spent = "the budget is spent, and " if self.finished else ""
            state = f"{spent}the front is not decided yet"
        return Summary(f"Study of {counted(len(self.items), 'item')}: {state}", facts)

    @property
    def items(self) -> tuple[str, ...]:
        """The items' names."""
        return self._state.items

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that chooses the duels."""
        return self._state.settings.algorithm

    @property
    def seed(self) -> int:
        """The seed of the algorithm's choices and of the sides."""
        return self._state.settings.seed

    @property
    def search(self) -> Search:
        """The algorithm's run, to look at (`remaining`) but not to change."""
        return self._state.search

    @property
    def finished(self) -> bool:
        """Whether the front is found."""
        return self.search.finished

    @property
    @_one_at_a_time
    def outstanding(self) -> tuple[StudyAsk, ...]:
        """Asks without an answer yet whose answer would be evidence, oldest first."""
        return tuple(record.shown for record in self._state.open_asks())

    @property
    @_one_at_a_time
    def progress(self) -> StudyProgress:
        """How far along the study is."""
        return self._state.progress()

    @_one_at_a_time
    def result(self) -> Result:
        """Return the front found; before the end, what is shown of it, and the undecided items.

        `Study.finished` and `Result.finished` say whether the front is decided.
        """
        return self.search.result()

    def certificate(self, *, likely: bool = True) -> Certificate:
        """Certify what the votes show, exactly as `antichain.front` does with the exported votes.

        Before the first vote, every item is undecided.

        Args:
            likely: Whether to estimate the likely front, too.
        """
        with self._lock():
            source = "the study" if self.path is None else str(self.path)
            return certificate_of(self._state, source, likely=likely)

    @_one_at_a_time
    def votes(self) -> Iterator[Vote]:
        """Return the answers that were not taken back, in order, with the sides as shown."""
        return iter(list(self._state.votes()))

    @_one_at_a_time
    def votes_csv(self) -> str:
        """Return the votes as CSV with a header, safe to open in a spreadsheet.

        If any text begins like a formula (with =, +, -, @) or with an apostrophe, such texts are
        written with an apostrophe before them, and a last column `escape` says so. `read_votes`
        removes these apostrophes again.
        """
        return votes_csv(self._state)

    # -- asking and telling ----------------------------------------------------------------------

    @_one_at_a_time
    def ask(self, n: int = 1, *, avoid: Iterable[StudyAsk] = ()) -> list[StudyAsk]:
        """Return up to `n` new duels to hand out, each to one voter; none if finished or waiting.

        Args:
            n: The largest number of duels.
            avoid: Duels whose pairs come last, such as those that the voter has just seen.
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

    @_one_at_a_time
    def tell(
        self,
        ask: StudyAsk | int,
        answer: Answer | str,
        *,
        voter: str | None = None,
        reason: str | None = None,
        cost: float | None = None,
    ) -> Receipt:
        """Record an answer, and say whether it is evidence or spare.

        An answer to an ask that was answered or given up before, or that is no longer needed,
        is kept as spare. An answer to an ask that was never made raises `ProtocolError`, and
        nothing is written.
        """
        number, answer = _number(ask), parse_answer(answer)
        who, why = _optional("voter", voter), _optional("reason", reason)
        receipt = self._add(AnswerRecord(self._time(), number, answer, who, why, _paid(cost)))
        assert receipt is not None
        return receipt

    @_one_at_a_time
    def expire(
        self, ask: StudyAsk | int, *, reason: str | None = None, cost: float | None = None
    ) -> None:
        """Give up an ask; its duel is asked again if it is still wanted.

        For an ask that was answered or given up before, nothing happens.
        """
        number = _number(ask)
        record = ExpiryRecord(self._time(), number, _optional("reason", reason), _paid(cost))
        self._check_writable()
        self._state.check([record])
        if not self._state.is_settled(number):
            self._add(record)

    @_one_at_a_time
    def undo(self, *, voter: str | None = None) -> StudyAsk:
        """Take back the last answer of a voter, and return its ask, to be answered again.

        Nothing is deleted; a line that says so is added to the file. In a study that is judged by
        its certificate, the old answer counts against every claim, like an ask that was given up,
        and the new answer belongs to a new ask. Any other algorithm is replayed without the answer:
        duels handed out because of it stay valid if they are still wanted; otherwise their answers
        are spare.
        """
        self._check_writable()
        last = self._state.last_of(_optional("voter", voter))
        if last is None:
            of = "of a voter without a name" if voter is None else f"of {voter!r}"
            raise ProtocolError(f"There is no answer {of} to take back.")
        self._add(UndoRecord(self._time(), last.line, voter))
        return self._state.asks[last.record.ask].shown

    # -- inside --------------------------------------------------------------------------------

    def _lock(self) -> threading.RLock:
        if self._process != os.getpid():  # forked: the thread that held the lock is not here
            self._turn, self._process = threading.RLock(), os.getpid()
        return self._turn

    def _add(self, record: StudyRecord) -> Receipt | None:
        self._check_writable()
        self._state.check([record])
        with interrupts_wait():
            self._write([record])
            return self._state.add(record)

    def _write(self, records: Sequence[StudyRecord]) -> None:
        lines = [record.to_json() for record in records]
        for line in lines:
            try:
                record_from(line)  # what cannot be read again is not written
            except ValueError as error:
                raise ParameterError(f"{error}; nothing was written.") from error
        if self._store is not None and lines:
            self._store.append(lines)

    def _check_writable(self) -> None:
        if self.read_only:
            raise ProtocolError(
                f"{self.path} was opened for reading only; open it with Study.open."
            )
        if self._closed:
            raise ProtocolError("This study is closed; open it again.")
        if self._store is not None:
            self._store.check_owner()

    def _time(self) -> float:
        return _moment(self._now)


def _moment(now: Clock) -> float:
    """What a clock shows, if a study can hold it."""
    found = now()
    if isinstance(found, numbers.Real) and not isinstance(found, bool):
        with suppress(OverflowError):  # then it is no time either
            found = round(float(found), 3)
    try:
        return check_time("the time by the clock (now)", found)
    except ValueError as error:
        raise ParameterError(f"{error}; nothing was written.") from error


def _header(settings: Settings, now: Clock) -> dict[str, Any]:
    """The first line of a new study, which can be read again."""
    settings.check_begins()
    return settings.to_header(_moment(now))


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


def _optional(name: str, value: str | None) -> str | None:
    return None if value is None else _checks.text(name, value)


def _paid(cost: float | None) -> float | None:
    if cost is None:
        return None
    if not is_cost(cost):
        raise ParameterError(
            f"cost is {shown(cost)}, but a number from 0 to {MOST_PAID:g} was expected."
        )
    return float(cost)
