"""A study: ask/tell with a memory that survives whatever happens to the process."""

from __future__ import annotations

import csv
import io
import numbers
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from antichain import checks
from antichain.algorithms.base import Algorithm
from antichain.algorithms.result import Result
from antichain.algorithms.rounds import Receipt
from antichain.algorithms.search import Search
from antichain.errors import FileError, ProtocolError
from antichain.evidence.answers import Answer, parse_answer
from antichain.interrupts import interrupts_wait
from antichain.study import journal
from antichain.study.events import Answered, Asked, Event, Expired, Undone, event_from
from antichain.study.game import FIRST_LINE, Game
from antichain.study.lines import Content
from antichain.study.settings import Settings

Clock = Callable[[], float]


@dataclass(frozen=True)
class StudyAsk:
    """One duel for one voter, with its sides as they are to be shown.

    Attributes:
        id: Its number in the study.
        left: The item on the left.
        right: The item on the right.
        decoy: The side ("left" or "right") that must show its item's decoy, or None.
    """

    id: int
    left: str
    right: str
    decoy: str | None = None


@dataclass(frozen=True)
class Vote:
    """An answer that counts or is spare, but was not taken back."""

    left: str
    right: str
    answer: str
    voter: str | None
    time: str
    reason: str | None
    decoy: str | None
    receipt: str


@dataclass(frozen=True)
class StudyProgress:
    """How far a study is.

    Attributes:
        answers: Answers given and not taken back.
        spare: Those that came too late, twice, or for a duel no longer needed.
        undone: Answers taken back.
        expired: Asks given up.
        outstanding: Asks out whose answer would be evidence.
        items: How many items there are.
        alive: How many are not yet shown dominated.
        phase: What the algorithm is doing.
        finished: Whether the front is found.
        cost: What the answers cost, where a judge said so.
    """

    answers: int
    spare: int
    undone: int
    expired: int
    outstanding: int
    items: int
    alive: int
    phase: str
    finished: bool
    cost: float


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
        settings: Settings,
        content: Content | None,
        file: journal.Journal | None,
        path: Path | None,
        now: Clock,
        read_only: bool = False,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self.note = None if file is None else file.note
        """A sentence on what a crash left and opening the file cut off, or None."""
        self._file = file
        self._now = now
        self._closed = False
        lines = [] if content is None else content.lines
        self._game = _loaded(settings, lines, path)

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
            items: The items' names; needed to begin a study. For one that exists they, the
                algorithm and the seed may be left out; if given, they must be those it has.
            algorithm: Who asks; without one, `default_algorithm()`.
            seed: Of the algorithm's choices and of the sides (0 for a new study).
            now: The clock, in seconds since 1970.
        """
        path = Path(path)
        fresh = None if items is None else Settings.new(items, algorithm, seed)
        if fresh is None and not path.exists():
            raise FileError(f"{path} is not there, and a new study needs items.")
        file = journal.Journal(path)
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
            return cls(settings, file.content, file, path, now)
        except BaseException:
            file.close()
            raise

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """The study as it stands, to look at; somebody else may be writing it."""
        path = Path(path)
        content = journal.read(path)
        if content.header is None:
            raise FileError(f"{path} holds no study yet.")
        settings = Settings.from_header(path, content.header)
        return cls(settings, content, None, path, time.time, read_only=True)

    @classmethod
    def in_memory(
        cls,
        items: Iterable[str],
        algorithm: Algorithm | None = None,
        seed: int = 0,
        *,
        now: Clock = time.time,
    ) -> Study:
        """A study that is kept nowhere."""
        return cls(Settings.new(items, algorithm, seed), None, None, None, now)

    def close(self) -> None:
        """Let the file go; what was told is in it."""
        self._closed = True
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # -- looking -------------------------------------------------------------------------------

    @property
    def items(self) -> tuple[str, ...]:
        """The items' names."""
        return self._game.settings.items

    @property
    def algorithm(self) -> Algorithm:
        """Who asks."""
        return self._game.settings.algorithm

    @property
    def seed(self) -> int:
        """The seed of the algorithm's choices and of the sides."""
        return self._game.settings.seed

    @property
    def search(self) -> Search:
        """The algorithm's run, to look at (`antichain.plan:remaining`) and not to be moved."""
        return self._game.search

    @property
    def finished(self) -> bool:
        """Whether the front is found."""
        return self._game.finished

    @property
    def outstanding(self) -> tuple[StudyAsk, ...]:
        """Asks out whose answer would be evidence, oldest first."""
        return tuple(_ask_of(event) for event in self._game.open_asks())

    @property
    def progress(self) -> StudyProgress:
        """How far the study is."""
        game, board = self._game, self._game.search.board
        return StudyProgress(
            answers=len(game.kept),
            spare=game.result().spare,
            undone=sum(isinstance(event, Undone) for event in game.events),
            expired=game.expired,
            outstanding=sum(1 for _ in game.open_asks()),
            items=len(self.items),
            alive=len(self.items) - len(board.fallen),
            phase=board.phase,
            finished=game.finished,
            cost=game.cost,
        )

    def result(self) -> Result:
        """The front found, or the best answer so far, marked as not certified."""
        return self._game.result()

    def votes(self) -> Iterator[Vote]:
        """Answers that were not taken back, in order, with the sides as they were shown."""
        for kept in self._game.kept:
            answered, ask = kept.answered, self._game.asks[kept.answered.ask]
            yield Vote(
                left=ask.left,
                right=ask.right,
                answer=answered.answer.value,
                voter=answered.voter,
                time=datetime.fromtimestamp(answered.time, UTC).isoformat(),
                reason=answered.reason,
                decoy=ask.decoy,
                receipt=kept.receipt.value,
            )

    def votes_csv(self) -> str:
        """The votes as CSV, with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(Vote.__dataclass_fields__)
        for vote in self.votes():
            writer.writerow("" if value is None else value for value in vars(vote).values())
        return text.getvalue()

    # -- the game ------------------------------------------------------------------------------

    def ask(self, n: int = 1, *, avoid: Iterable[StudyAsk] = ()) -> list[StudyAsk]:
        """Up to `n` new duels to hand out, one voter each; none if finished or waiting.

        Args:
            n: How many.
            avoid: Duels whose pairs come last, such as those the voter has just seen.
        """
        n = checks.whole("the number of duels to ask for", n)
        self._check_writable()
        pairs = {frozenset((ask.left, ask.right)) for ask in avoid}
        with interrupts_wait():
            try:
                events = self._game.propose(n, self._time(), pairs)
                self._write(events)
            except BaseException:
                self._game.replay()  # the search has moved, and nobody will know of it
                raise
            self._game.add_proposed(events)
        return [_ask_of(event) for event in events]

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
        is kept as spare. An ask that was never made is a `ProtocolError`, and nothing is
        written.
        """
        number, answer = _number(ask), parse_answer(answer)
        who, why = _text("voter", voter), _text("reason", reason)
        event = Answered(self._time(), number, answer, who, why, _paid(cost))
        receipt = self._add(event)
        assert receipt is not None
        return receipt

    def expire(
        self, ask: StudyAsk | int, *, reason: str | None = None, cost: float | None = None
    ) -> None:
        """Give an ask up: its duel is asked again if it is still wanted.

        For an ask that was answered or given up before, nothing happens.
        """
        number = _number(ask)
        event = Expired(self._time(), number, _text("reason", reason), _paid(cost))
        self._check_writable()
        self._game.check([event])
        if not self._game.is_settled(number):
            self._add(event)

    def undo(self, *, voter: str | None = None) -> StudyAsk:
        """Take back the last answer of a voter, and give its ask, to be answered again.

        Nothing is deleted: the file says that the answer was taken back. The state becomes
        that of the events without it. Duels handed out because of that answer stay valid if
        they are wanted without it too; otherwise what is answered to them is spare.
        """
        self._check_writable()
        last = self._game.last_of(_text("voter", voter))
        if last is None:
            of = "of a voter without a name" if voter is None else f"of {voter!r}"
            raise ProtocolError(f"There is no answer {of} to take back.")
        self._add(Undone(self._time(), last.line, voter))
        return _ask_of(self._game.asks[last.answered.ask])

    # -- inside --------------------------------------------------------------------------------

    def _add(self, event: Event) -> Receipt | None:
        self._check_writable()
        self._game.check([event])
        with interrupts_wait():
            self._write([event])
            return self._game.add(event)

    def _write(self, events: Sequence[Event]) -> None:
        if self._file is not None and events:
            self._file.append([event.to_json() for event in events])

    def _check_writable(self) -> None:
        if self.read_only:
            raise ProtocolError(f"{self.path} was opened to be read; open it with Study.open.")
        if self._closed:
            raise ProtocolError("This study is closed; open it again.")

    def _time(self) -> float:
        return round(float(self._now()), 3)


def _loaded(settings: Settings, lines: Sequence[dict[str, object]], path: Path | None) -> Game:
    """The game after the events in a file's lines."""
    events = []
    for number, line in enumerate(lines, start=FIRST_LINE):
        try:
            events.append(event_from(line))
        except ValueError as error:
            raise FileError(f"{path}, line {number}: {error}.") from error
    try:
        return Game(settings, events)
    except ProtocolError as error:
        raise FileError(f"{path} cannot have happened: {error}") from error


def _ask_of(event: Asked) -> StudyAsk:
    return StudyAsk(event.ask, event.left, event.right, event.decoy)


def _number(ask: StudyAsk | int) -> int:
    number = ask.id if isinstance(ask, StudyAsk) else ask
    if not isinstance(number, numbers.Integral) or isinstance(number, bool):
        raise ProtocolError(f"An ask or its number was expected; got {ask!r}.")
    return int(number)


def _text(name: str, value: str | None) -> str | None:
    return None if value is None else checks.text(name, value)


def _paid(cost: float | None) -> float | None:
    if cost is None or cost == 0:
        return cost
    return float(checks.precision("cost", cost))
