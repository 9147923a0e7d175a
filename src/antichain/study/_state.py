"""The state of a study: what its records amount to.

The state is a function of the settings and the records in order, with answers that were taken back
left out. Nothing here reads, writes or looks at a clock: wherever records are kept, the same
records give the same state.

When records are replayed, each ask is put to the search as the duel that was handed out then. If
the search wants another duel at that point, because of answers that were taken back, whatever is
answered to that ask is spare.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from antichain._kernels import keyed_uniform
from antichain.algorithms._certifying import Inquiry
from antichain.algorithms._events import Asked
from antichain.algorithms._rounds import Ask, Receipt
from antichain.algorithms._search import Search
from antichain.errors import ProtocolError
from antichain.study._records import (
    AnswerRecord,
    AskRecord,
    ExpiryRecord,
    Settings,
    StudyRecord,
    UndoRecord,
)

GIVEN_UP = "given up"
"""What the export of a study has for an answer where an ask was given up."""
FIRST_LINE = 2  # of the records in the file; the header is line 1
_SIDES = 0x73696465  # keeps the coins that toss sides apart from those of the algorithm


@dataclass(frozen=True)
class Vote:
    """An answer that was not taken back, with the sides as they were shown."""

    ask: int
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
        spare: Answers that came too late, twice, or for a duel no longer needed.
        undone: Answers taken back.
        expired: Asks given up.
        outstanding: Asks without an answer yet whose answer would be evidence.
        items: How many items there are.
        alive: How many items are not yet shown dominated.
        phase: What the algorithm is doing.
        finished: Whether the front is found.
        cost: What the answers and the asks given up cost, as far as costs were given.
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


@dataclass(frozen=True)
class StandingAnswer:
    """An answer that was not taken back: its line, its record, and what became of it."""

    line: int
    record: AnswerRecord
    receipt: Receipt


class StudyState:
    """The state of a study: `records`, everything that happened, and what it amounts to."""

    def __init__(self, settings: Settings, records: Sequence[StudyRecord] = ()) -> None:
        self.settings = settings
        self.records: list[StudyRecord] = []
        self.asks: dict[int, AskRecord] = {}  # every ask handed out, by its number
        self.check(records)
        self.records += records
        self.replay()

    # -- looking -------------------------------------------------------------------------------

    @property
    def next_line(self) -> int:
        return FIRST_LINE + len(self.records)

    def open_asks(self) -> Iterator[AskRecord]:
        """Asks whose answer would be evidence, in the order they were made."""
        return (self.asks[number] for number in self._unsettled if self.search.wants(number))

    def is_settled(self, number: int) -> bool:
        return number not in self._unsettled

    def last_of(self, voter: str | None) -> StandingAnswer | None:
        return next((a for a in reversed(self.answers) if a.record.voter == voter), None)

    def progress(self) -> StudyProgress:
        state = self.search.plan_state
        return StudyProgress(
            answers=len(self.answers),
            spare=self.search.result().spare,
            undone=self._taken_back,
            expired=len(self._expired),
            outstanding=sum(1 for _ in self.open_asks()),
            items=len(self.settings.items),
            alive=len(self.settings.items) - len(state.fallen),
            phase=state.phase,
            finished=self.search.finished,
            cost=self.cost,
        )

    def votes(self) -> Iterator[Vote]:
        for answer in self.answers:
            record, ask = answer.record, self.asks[answer.record.ask]
            yield Vote(
                ask=ask.ask,
                left=ask.left,
                right=ask.right,
                answer=record.answer.value,
                voter=record.voter,
                time=_written(record.time),
                reason=record.reason,
                decoy=ask.decoy,
                receipt=answer.receipt.value,
            )

    def given_up(self) -> Iterator[Vote]:
        """The asks that were given up, as rows of an export have them."""
        for record in self.records:
            if isinstance(record, ExpiryRecord) and record.ask in self._expired:
                ask = self.asks[record.ask]
                yield Vote(
                    ask=ask.ask,
                    left=ask.left,
                    right=ask.right,
                    answer=GIVEN_UP,
                    voter=None,
                    time=_written(record.time),
                    reason=record.reason,
                    decoy=ask.decoy,
                    receipt=Receipt.EVIDENCE.value,
                )

    @property
    def terms(self) -> dict[str, object] | None:
        """What an export says of a study that is judged by its certificate, for its reader."""
        if not isinstance(self.search, Inquiry):
            return None
        ignore = self.settings.algorithm.rules.lost == "ignore"
        return {
            **self.search.referee.terms.parameters(),
            "items": list(self.settings.items),
            "unanswered": "ignore" if ignore else "stop",
            "taken_back": self._taken_back,
            **self.search.more_terms,
        }

    @property
    def _taken_back(self) -> int:
        return sum(isinstance(record, UndoRecord) for record in self.records)

    def check(self, records: Sequence[StudyRecord]) -> None:
        """Raise `ProtocolError` unless these can happen next."""
        known, items = len(self.asks), frozenset(self.settings.items)
        for position, record in enumerate(records):
            line = self.next_line + position
            if isinstance(record, AskRecord):
                known += 1
                if record.ask != known or len({record.left, record.right} & items) != 2:
                    raise ProtocolError(
                        f"Line {line} asks for {record.left!r} against {record.right!r} as ask "
                        f"{record.ask}, but ask {known} about two items of the study was expected."
                    )
            elif isinstance(record, AnswerRecord | ExpiryRecord):
                if not 1 <= record.ask <= known:
                    raise ProtocolError(
                        f"No ask has the number {record.ask!r}; the last was {known}."
                    )
            elif isinstance(record, UndoRecord):
                self._check_undo(record, line, records)

    def _check_undo(self, undo: UndoRecord, line: int, new: Sequence[StudyRecord]) -> None:
        place = undo.line - FIRST_LINE
        there: StudyRecord | None = None
        if 0 <= place < line - FIRST_LINE:
            old = len(self.records)
            there = self.records[place] if place < old else new[place - old]
        if not isinstance(there, AnswerRecord):
            raise ProtocolError(
                f"Line {line} takes back line {undo.line}, but the line of an earlier answer was "
                "expected."
            )

    # -- moving --------------------------------------------------------------------------------

    def propose(
        self, n: int, time: float, avoid: Collection[frozenset[str]] = ()
    ) -> list[AskRecord]:
        """Up to `n` new asks, which the search has made already.

        Take them in by `add_proposed`, or forget them by `replay`.
        """
        asks = self.search.ask(n, singly=True, avoid=avoid)
        return [self._shown(ask, time) for ask in asks]

    def add_proposed(self, records: Sequence[AskRecord]) -> None:
        self.records += records
        self._hand_out(records)

    def add(self, record: StudyRecord) -> Receipt | None:
        """Take in a record other than an ask; says what became of an answer."""
        self.records.append(record)
        if isinstance(record, UndoRecord):
            self.replay()
            return None
        return self._apply(self.next_line - 1, record)

    def replay(self) -> None:
        """Work the whole state out again from the records."""
        settings = self.settings
        self.search: Search = settings.algorithm.start(settings.items, settings.seed)
        self.asks = {}
        self.answers: list[StandingAnswer] = []  # those not taken back
        self._expired: set[int] = set()  # asks given up
        self.cost = 0.0  # what they and the answers cost
        self._unsettled: dict[int, None] = {}
        undone = {record.line for record in self.records if isinstance(record, UndoRecord)}
        batch: list[AskRecord] = []  # put to the search together: each call goes through its wants
        for line, record in enumerate(self.records, start=FIRST_LINE):
            if isinstance(record, AskRecord):
                batch.append(record)
                continue
            self._ask_again(batch)
            batch = []
            if line not in undone:
                self._apply(line, record)
            elif isinstance(record, AnswerRecord):
                self.cost += record.cost or 0.0  # what was paid stays paid
        self._ask_again(batch)

    # -- inside --------------------------------------------------------------------------------

    def _shown(self, ask: Ask, time: float) -> AskRecord:
        """An ask with its sides tossed, independently of all but the seed and its number."""
        flipped = keyed_uniform(self.settings.seed % 2**63 ^ _SIDES, ask.id, 0, 0) < 0.5
        left, right = (ask.right, ask.left) if flipped else (ask.left, ask.right)
        decoy = None if not ask.decoy else "left" if flipped else "right"
        return AskRecord(time, ask.id, left, right, flipped, decoy, ask.criterion)

    def _ask_again(self, batch: Sequence[AskRecord]) -> None:
        if batch:
            about = tuple(record.criterion for record in batch)
            duels, sizes = tuple(record.duel for record in batch), (1,) * len(batch)
            Asked(duels, sizes, about if any(about) else ()).replay(self.search)
            self._hand_out(batch)

    def _hand_out(self, records: Sequence[AskRecord]) -> None:
        self.asks |= {record.ask: record for record in records}
        self._unsettled |= dict.fromkeys(record.ask for record in records)

    def _apply(self, line: int, record: StudyRecord) -> Receipt | None:
        if isinstance(record, AnswerRecord):
            self.cost += record.cost or 0.0
            self._unsettled.pop(record.ask, None)
            receipt = record.event(self.asks[record.ask].flipped).replay(self.search)
            self.answers.append(StandingAnswer(line, record, receipt))
            return receipt
        if isinstance(record, ExpiryRecord):
            self.cost += record.cost or 0.0
            if record.ask in self._unsettled:
                self._expired.add(record.ask)
                del self._unsettled[record.ask]
            record.event().replay(self.search)
        return None


def _written(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat()
