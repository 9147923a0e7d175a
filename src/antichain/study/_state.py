"""The state of a study: what its records amount to.

The state is a function of the settings and the records in order. Nothing here reads, writes or
looks at a clock: wherever records are kept, the same records give the same state.

An answer that was taken back may have been so for what it said. Where a certificate judges, its ask
is therefore given up, and what is answered instead answers a new ask, made when it was taken back,
with the next number that the search has (docs/theory/few-votes.md). Another algorithm is played
again as if the answer had not been given yet: each ask is put to it as the duel that was handed out
then, and if it wants another one at that point, whatever is answered to that ask is spare.

Voters who are left out, or whose data were deleted, are as if they had never been asked: the search
numbers the other asks from 1, and so does an export. Items that were added are as if they had been
there from the start, and had not been asked about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from antichain._kernels import keyed_uniform
from antichain.algorithms._certifying import Inquiry, Wish
from antichain.algorithms._events import Asked, Expired
from antichain.algorithms._rounds import Ask, Receipt
from antichain.algorithms._search import Search
from antichain.errors import ProtocolError
from antichain.study._records import (
    AnswerRecord,
    AskRecord,
    BallotRecord,
    ExcludeRecord,
    ExpiryRecord,
    GoneRecord,
    IncludeRecord,
    ItemRecord,
    Settings,
    StudyRecord,
    UndoRecord,
)

GIVEN_UP = "given up"
"""What the export of a study has for an answer where an ask was given up."""
WORDING = ("question", "questions", "answers", "items")
"""The keys of a study file on which depends what an answer means."""
_TAKEN_BACK = "taken back"  # why it was, where an answer to it was taken back
FIRST_LINE = 2  # of the records in the file; the header is line 1
_SIDES = 0x73696465  # keeps the coins that toss sides apart from those of the algorithm
# Records after which the state is worked out anew
_CHANGES = (UndoRecord, ItemRecord, ExcludeRecord, IncludeRecord, GoneRecord)


@dataclass(frozen=True)
class Vote:
    """An answer that was not taken back, with the sides as they were shown.

    Attributes:
        ask: The number of the ask that it answers.
        left: The item shown on the left.
        right: The item shown on the right.
        answer: The answer, in a word.
        voter: The voter, if named.
        time: When it was given, as an ISO date in UTC.
        reason: The reason given, if any.
        decoy: The side that showed its item's decoy, or None.
        receipt: Whether it is evidence or spare.
    """

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
    """How far along a study is.

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


@dataclass(frozen=True, slots=True)
class StandingAnswer:
    """An answer that was not taken back: its line, its record, and what became of it.

    `number` is that of its ask in the search.
    """

    line: int
    record: AnswerRecord
    receipt: Receipt
    number: int


class StudyState:
    """The state of a study: `records`, everything that happened, and what it amounts to."""

    def __init__(
        self, settings: Settings, records: Sequence[StudyRecord] = (), *, history: bool = True
    ) -> None:
        self.settings = settings
        self.records: list[StudyRecord] = []
        self.items = settings.items  # those that were added among them
        self.asks: dict[int, AskRecord] = {}  # every ask handed out, by its number
        self.made, self.checks = 0, 0  # how many asks there were, and how many checks of attention
        self._history = history
        self.check(records)
        self.records += records
        self.replay()

    # -- looking -------------------------------------------------------------------------------

    @property
    def next_line(self) -> int:
        return FIRST_LINE + len(self.records)

    def open_asks(self) -> Iterator[AskRecord]:
        """Asks whose answer would be evidence, in the order they were made."""
        return (
            self.asks[number]
            for number in self._unsettled
            if (played := self.number_of(number)) and self.search.wants(played)
        )

    def holders(self) -> list[str]:
        """Voters who have an ask that is not answered, those first who have waited longest."""
        held = (self.asks[number].voter for number in self._unsettled)
        return list(dict.fromkeys(voter for voter in held if voter))

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
            expired=len(self._expired) - len(self._retracted),
            outstanding=sum(1 for _ in self.open_asks()),
            items=len(self.items),
            alive=len(self.items) - len(state.fallen),
            phase=state.phase,
            finished=self.search.finished,
            cost=self.cost,
        )

    def votes(self) -> Iterator[Vote]:
        for answer in self.answers:
            record, receipt = answer.record, answer.receipt
            yield self._vote(answer.number, record, record.answer.value, record.voter, receipt)

    def given_up(self) -> Iterator[Vote]:
        """The asks that were given up, as rows of an export have them."""
        for number, record in self._expired.items():
            yield self._vote(number, record, GIVEN_UP, None, Receipt.EVIDENCE)

    def _vote(
        self,
        number: int,
        record: AnswerRecord | ExpiryRecord,
        answer: str,
        voter: str | None,
        receipt: Receipt,
    ) -> Vote:
        ask, time = self.asks[record.ask], _written(record.time)
        sides, reason, decoy = (ask.left, ask.right), record.reason, ask.decoy
        return Vote(number, *sides, answer, voter, time, reason, decoy, receipt.value)

    def criterion_of(self, vote: Vote) -> str | None:
        """What the ask of a vote was about."""
        record = vote.ask if self._places is None else self._logged[vote.ask - 1]
        return self.asks[record].criterion

    @property
    def terms(self) -> dict[str, object] | None:
        """What an export says of a study that is judged by its certificate, for its reader."""
        if not isinstance(self.search, Inquiry):
            return None
        ignore = self.settings.algorithm.rules.lost == "ignore"
        return {
            **self.search.referee.terms.parameters(),
            "items": list(self.items),
            "unanswered": "ignore" if ignore else "stop",
            "retracted": len(self._retracted),
            **self.search.more_terms,
            **{name: value for name, value in self._changes().items() if value},
        }

    def _changes(self) -> dict[str, object]:
        """What the owner of a study that is served has changed, for the reader of an export."""
        gone = {r.by for r in self.records if isinstance(r, GoneRecord) and r.door is None}
        return {
            "added_items": list(self.items[len(self.settings.items) :]),
            "left_out_voters": len(self.left_out),
            "left_out_votes": self._left_out_votes,
            "deleted_voters": len(gone),
            "reworded": self._reworded(),
        }

    def _reworded(self) -> list[str]:
        """What voters were asked otherwise before: the keys of the study file that say it."""
        found: dict[str, None] = {}
        asked = False
        for record in self.records:
            asked = asked or isinstance(record, AskRecord)
            if asked and isinstance(record, BallotRecord):
                found |= {key: None for key in WORDING if key in record.changed}
        return list(found)

    @property
    def _taken_back(self) -> int:
        return sum(isinstance(record, UndoRecord) for record in self.records)

    def check(self, records: Sequence[StudyRecord]) -> None:
        """Raise `ProtocolError` unless these can happen next."""
        made, checks, items = self.made, self.checks, set(self.items)
        for position, record in enumerate(records):
            line = self.next_line + position
            if isinstance(record, AskRecord | GoneRecord) and (record.ask or 0) < 0:
                checks += 1
                if record.ask != -checks or not _sides(record) <= items:
                    raise ProtocolError(f"Line {line} is not check number {checks} of an item.")
            elif isinstance(record, AskRecord | GoneRecord) and record.ask is not None:
                made += 1
                if record.ask != made or len(_sides(record) & items) != 2 * (record.kind == "ask"):
                    one, other = _names(record)
                    raise ProtocolError(
                        f"Line {line} asks for {one!r} against {other!r} as ask "
                        f"{record.ask}, but ask {made} about two items of the study was expected."
                    )
            elif isinstance(record, AnswerRecord | ExpiryRecord):
                if not (1 <= record.ask <= made or 1 <= -record.ask <= checks):
                    raise ProtocolError(
                        f"No ask has the number {record.ask!r}; the last was {made}."
                    )
            elif isinstance(record, UndoRecord):
                self._check_undo(record, line, records)
            elif isinstance(record, ItemRecord):
                if record.item in items:
                    raise ProtocolError(
                        f"Line {line} adds {record.item!r}, which is already there."
                    )
                items.add(record.item)

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
        return [
            shown_ask(self.settings.seed, number, ask, time)
            for number, ask in enumerate(asks, start=self.made + 1)
        ]

    def add_proposed(self, records: Sequence[AskRecord]) -> None:
        self.records += records
        self._number_next(records)
        self._hand_out(records)

    def add(self, record: StudyRecord) -> Receipt | None:
        """Take in a record other than an ask; says what became of an answer."""
        self.records.append(record)
        if isinstance(record, _CHANGES):
            self.replay()
            return None
        return self._apply(self.next_line - 1, record)

    def extend(self, records: Sequence[StudyRecord]) -> None:
        """Take in records of any kind, which can happen next."""
        start = self.next_line
        self.records += records
        if any(isinstance(record, _CHANGES) for record in records):
            self.replay()
        else:
            self._play(start, records, frozenset())

    def replay(self) -> None:
        """Work the whole state out again from the records."""
        settings, records = self.settings, self.records
        added = [record.item for record in records if isinstance(record, ItemRecord)]
        self.items = (*settings.items, *added)
        self.left_out = _left_out(records)  # voters
        self.search: Search = settings.algorithm.start(
            self.items, settings.seed, history=self._history
        )
        self.asks, self.made, self.checks = {}, 0, 0
        self.answers: list[StandingAnswer] = []  # those not taken back
        self._left_out_votes = 0
        self._expired: dict[int, ExpiryRecord] = {}  # asks given up, by the search's numbers
        self._retracted: dict[int, int] = {}  # lines of answers taken back, and what they were to
        self.cost = 0.0  # what they and the answers cost
        self._unsettled: dict[int, None] = {}
        undone = {record.line for record in records if isinstance(record, UndoRecord)}
        # The number that the search has for each ask, and the other way round, where they differ.
        self._places: dict[int, int] | None = None
        self._logged: list[int] = []
        gone = any(isinstance(record, GoneRecord) for record in records)
        if self.left_out or gone or (undone and isinstance(self.search, Inquiry)):
            self._places = {}
        self._play(FIRST_LINE, records, undone)

    # -- inside --------------------------------------------------------------------------------

    def number_of(self, ask: int) -> int | None:
        """The number that the search has for an ask; None if it does not know of it."""
        if ask < 0:
            return None
        return ask if self._places is None else self._places.get(ask)

    def _play(self, line: int, records: Sequence[StudyRecord], undone: Collection[int]) -> None:
        batch: list[AskRecord] = []  # put to the search together: each call goes through its wants
        for number, record in enumerate(records, start=line):
            if isinstance(record, AskRecord):
                batch.append(record)
                continue
            self._ask_again(batch)
            batch = []
            if number in undone and isinstance(record, AnswerRecord):
                self._leave_out(number, record)
            else:
                self._apply(number, record)
        self._ask_again(batch)

    def _leave_out(self, line: int, record: AnswerRecord) -> None:
        """Pass over an answer that is taken back later on."""
        self.cost += record.cost or 0.0  # what was paid stays paid
        number = self.number_of(record.ask)
        if number is None or not isinstance(self.search, Inquiry) or self.is_settled(record.ask):
            return
        self._retracted[line] = record.ask
        self._give_up(number, ExpiryRecord(record.time, record.ask, _TAKEN_BACK))

    def _give_up(self, number: int, record: ExpiryRecord) -> None:
        if not self.is_settled(record.ask):
            self._expired[number] = record
            del self._unsettled[record.ask]
        Expired(number).replay(self.search)

    def _ask_again(self, batch: Sequence[AskRecord]) -> None:
        self._put(batch)
        self._hand_out(batch)

    def _put(self, batch: Sequence[AskRecord]) -> None:
        """Put asks to the search, but for those of voters who are left out."""
        known = [r for r in batch if r.ask > 0 and (not r.voter or r.voter not in self.left_out)]
        if known:
            about = tuple(record.criterion for record in known)
            duels, sizes = tuple(record.duel for record in known), (1,) * len(known)
            Asked(duels, sizes, about if any(about) else ()).replay(self.search)
        self._number_next(known)

    def _number_next(self, known: Sequence[AskRecord]) -> None:
        """Note which numbers the search has given to these asks."""
        if self._places is not None:
            self._places |= {r.ask: k for k, r in enumerate(known, start=len(self._logged) + 1)}
            self._logged += (record.ask for record in known)

    def _hand_out(self, records: Sequence[AskRecord]) -> None:
        self.asks |= {record.ask: record for record in records}
        self._unsettled |= dict.fromkeys(record.ask for record in records)
        checks = sum(record.ask < 0 for record in records)
        self.made, self.checks = self.made + len(records) - checks, self.checks + checks

    def _apply(self, line: int, record: StudyRecord) -> Receipt | None:
        if isinstance(record, GoneRecord) and record.ask is not None:
            self.made, self.checks = self.made + (record.ask > 0), self.checks + (record.ask < 0)
        if isinstance(record, UndoRecord) and record.line in self._retracted:
            ask = self._retracted[record.line]
            self._put([self.asks[ask]])
            self._unsettled[ask] = None
        if not isinstance(record, AnswerRecord | ExpiryRecord):
            return None
        self.cost += record.cost or 0.0
        was_out = record.ask in self._unsettled
        number = self.number_of(record.ask)
        if number is not None and isinstance(record, ExpiryRecord):
            self._give_up(number, record)
            return None
        self._unsettled.pop(record.ask, None)
        if isinstance(record, ExpiryRecord):
            return None
        if number is None:
            self._left_out_votes += record.ask > 0 and was_out and record.ask in self.asks
            return None
        flipped = self.asks[record.ask].flipped
        receipt = record.event(number, flipped).replay(self.search)
        self.answers.append(StandingAnswer(line, record, receipt, number))
        return receipt


def shown_ask(
    seed: int,
    number: int,
    ask: Ask | Wish,
    time: float,
    voter: str | None = None,
    until: float | None = None,
) -> AskRecord:
    """An ask with its sides tossed, independently of all but the seed and its number."""
    flipped = keyed_uniform(seed % 2**63 ^ _SIDES, number, 0, 0) < 0.5
    left, right = (ask.right, ask.left) if flipped else (ask.left, ask.right)
    decoy = None if not ask.decoy else "left" if flipped else "right"
    return AskRecord(time, number, left, right, flipped, decoy, ask.criterion, voter, until)


def _left_out(records: Sequence[StudyRecord]) -> frozenset[str]:
    found: dict[str, None] = {}
    for record in records:
        if isinstance(record, ExcludeRecord):
            found[record.voter] = None
        elif isinstance(record, IncludeRecord):
            found.pop(record.voter, None)
    return frozenset(found)


def _names(record: AskRecord | GoneRecord) -> tuple[str | None, str | None]:
    return (record.left, record.right) if isinstance(record, AskRecord) else (None, None)


def _sides(record: AskRecord | GoneRecord) -> set[str]:
    return {name for name in _names(record) if name is not None}


def _written(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat()
