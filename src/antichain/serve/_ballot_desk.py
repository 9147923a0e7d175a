"""The desk: what a voter is handed, and what becomes of an answer, in microseconds.

Its state is a function of the records, like that of a study, but it judges nothing: which pairs are
worth asking about it is told (`_ask_plans`). Nothing here reads, writes
or looks at a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any

from antichain._text import shown
from antichain.algorithms._certifying import Wish
from antichain.errors import ProtocolError
from antichain.evidence._answers import Answer
from antichain.serve._ask_plans import AskPlanner, Sitter
from antichain.study._ballot_entries import Ballot
from antichain.study._leases import NOT_IN_TIME
from antichain.study._records import (
    AnswerRecord,
    AskRecord,
    BallotRecord,
    ExcludeRecord,
    ExpiryRecord,
    GoneRecord,
    IncludeRecord,
    ItemRecord,
    PauseRecord,
    ResumeRecord,
    Settings,
    StudyRecord,
    UndoRecord,
)
from antichain.study._state import shown_ask

MOST_HELD = 100  # asks that one voter can have at a time
MOST_OUT = 100_000  # asks that all of them can have: voters under ever new names fill no memory
DONT_KNOW = "don't know"
_OUT, _GIVEN_UP, _GONE = 0, 100, 101
_WORDS = ("", *(answer.value for answer in Answer))


class RefusalError(ProtocolError):
    """What a voter or an owner wants cannot be; `kind` says why, in a word."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


Reply = Callable[[], dict[str, Any]]
Decision = tuple[list[StudyRecord], Reply]


class BallotDesk:
    """Who has which ask, who has answered what, and what is handed out next."""

    def __init__(self, settings: Settings, ballot: Ballot) -> None:
        self.settings, self.conduct = settings, ballot.conduct
        self.decoys = [entry.name for entry in ballot.entries if entry.decoy is not None]
        self.line, self.said = 1, settings.said  # what the study file said when it was last opened
        self.asking = AskPlanner(settings.items, ballot.criteria, settings.seed)
        self.added: dict[str, dict[str, Any]] = {}  # what is shown of items that were added
        self.closed: set[str] = set()  # hashes of the links of voters who were deleted
        self._status = {1: bytearray([_GONE]), -1: bytearray([_GONE])}  # of asks, of checks
        self._whose = {1: [""], -1: [""]}  # the voters of asks, and of checks
        self.out: dict[int, AskRecord] = {}
        self.voters: dict[str, Sitter] = {}
        self._due: list[tuple[float, int]] = []
        self.paused, self.given_up = False, 0
        self.answers = 0  # without those of voters who are left out
        self._votes_out = 0  # asks that are out, without checks and those of voters left out
        self._paused_at = 0.0

    # -- following the records -------------------------------------------------------------------

    def apply(self, record: StudyRecord) -> None:
        """Take in the next record."""
        self.line += 1
        if handle := _HANDLERS.get(type(record)):
            handle(self, record)

    def _sitter(self, voter: str | None) -> Sitter:
        name = voter or ""
        if name not in self.voters:
            self.voters[name] = Sitter(name)
        return self.voters[name]

    def _asked(self, record: AskRecord) -> None:
        sitter = self._sitter(record.voter)
        self._status[1 if record.ask > 0 else -1].append(_OUT)
        self._whose[1 if record.ask > 0 else -1].append(sitter.name)
        self._hold(record, sitter)
        sitter.unchecked = 0 if record.ask < 0 else sitter.unchecked + 1
        self.asking.note_handed(self.line, record)

    def _hold(self, record: AskRecord, sitter: Sitter) -> None:
        self.out[record.ask] = record
        self._votes_out += record.ask > 0 and not sitter.left_out
        sitter.holds.append(record.ask)
        if record.until is not None:
            heappush(self._due, (record.until, record.ask))

    def _answered(self, record: AnswerRecord) -> None:
        ask = self.out.pop(record.ask, None)
        if ask is None:
            return  # a spare one
        self._set_status(record.ask, _WORDS.index(record.answer.value))
        self._let_go(ask)
        sitter, pair = self._sitter(record.voter), self.asking.pair(ask)
        sitter.met[pair] = sitter.met.get(pair, 0) + 1
        sitter.last = pair
        sitter.recent.append((self.line, ask))
        sitter.answered += record.ask > 0
        self.answers += record.ask > 0 and not sitter.left_out

    def _expired(self, record: ExpiryRecord) -> None:
        ask = self.out.pop(record.ask, None)
        if ask is not None:
            self._set_status(record.ask, _GIVEN_UP)
            self._let_go(ask)
            self.given_up += 1

    def _undone(self, record: UndoRecord) -> None:
        sitter = self._sitter(record.voter)
        found = next((kept for kept in sitter.recent if kept[0] == record.line), None)
        if found is None:
            return  # further back than voters can go
        sitter.recent.remove(found)
        ask = replace(found[1], until=record.until, voter=record.voter)
        pair = self.asking.pair(ask)
        sitter.met[pair] -= 1
        if not sitter.met[pair]:
            del sitter.met[pair]
        sitter.answered -= ask.ask > 0
        sitter.last = -1
        self.answers -= ask.ask > 0 and not sitter.left_out
        self._set_status(ask.ask, _OUT)
        self._hold(ask, sitter)
        sitter.holds.sort(key=abs)
        self.asking.go_on(self.line)

    def _added(self, record: ItemRecord) -> None:
        self.asking.add(record.item)
        self.added[record.item] = record.entry or {}
        self.asking.go_on(self.line)

    def _left_out(self, record: ExcludeRecord | IncludeRecord) -> None:
        sitter, out = self._sitter(record.voter), isinstance(record, ExcludeRecord)
        change = sitter.left_out - out  # their votes take no room while they are left out
        sitter.left_out = out
        self.answers += change * sitter.answered
        self._votes_out += change * sum(ask > 0 for ask in sitter.holds)
        self.asking.go_on(self.line)

    def _paused(self, record: PauseRecord | ResumeRecord) -> None:
        self.paused = isinstance(record, PauseRecord)
        if self.paused:
            self._paused_at = record.time
            return
        for ask in self.out.values():  # a pause is no part of any lease
            if ask.until is not None:
                since = max(self._paused_at, ask.until - self.conduct.lease)
                later = ask.until + max(0.0, record.time - since)
                self.out[ask.ask] = replace(ask, until=later)
                heappush(self._due, (later, ask.ask))

    def _gone(self, record: GoneRecord) -> None:
        if record.door is not None:
            self.closed.add(record.door)
        if record.ask is not None:
            self._status[1 if record.ask > 0 else -1].append(_GONE)
            self._whose[1 if record.ask > 0 else -1].append("")

    def _reworded(self, record: BallotRecord) -> None:
        self.said = record.said

    def _set_status(self, ask: int, status: int) -> None:
        self._status[1 if ask > 0 else -1][abs(ask)] = status

    def _let_go(self, ask: AskRecord) -> None:
        sitter = self._sitter(ask.voter)
        self._votes_out -= ask.ask > 0 and not sitter.left_out
        if ask.ask in sitter.holds:
            sitter.holds.remove(ask.ask)

    # -- what voters want ------------------------------------------------------------------------

    def state_for(self, voter: str | None, now: float) -> str:
        """Whether a voter can go on: open, paused, finished, session, closed."""
        sitter = self.voters.get(voter or "")
        if sitter is not None and sitter.left_out:
            return "closed"
        if self.is_over(now):
            return "finished"
        if self.paused:
            return "paused"
        if sitter is not None and self._left_of(sitter) <= 0:
            return "session"
        return "open"

    def is_over(self, now: float) -> bool:
        """Whether nothing is handed out any more, whatever happens."""
        closes, done = self.conduct.closes, self.asking.finished
        if done or (closes is not None and now > closes):
            return True
        return not self._room() and not self._votes_out

    def _room(self) -> int:
        """How many more asks there may be: those given up have freed their place."""
        budget = getattr(self.settings.algorithm, "budget", None)
        most = min((n for n in (budget, self.conduct.most_votes) if n is not None), default=None)
        return MOST_HELD if most is None else max(0, most - self.answers - self._votes_out)

    def _left_of(self, sitter: Sitter) -> int:
        session = self.conduct.session
        return MOST_HELD if session is None else session - sitter.answered

    def ask(self, voter: str, n: int, now: float) -> Decision:
        """Hand out up to `n` asks: those the voter has already, and new ones; 0 for the former."""
        sitter = self.voters.get(voter) or Sitter()
        state = self.state_for(voter, now)
        new: list[StudyRecord] = []
        if state == "open":
            new = list(self._new_asks(voter, sitter, n, now))

        def reply() -> dict[str, Any]:
            known = self.voters.get(voter)
            may_answer = known is not None and state in ("open", "paused")
            holds = self._shown(known)[: n or MOST_HELD] if known and may_answer else []
            return {
                "asks": [asked(self.out[ask]) for ask in holds],
                "state": state,
                **self._progress(voter),
            }

        return new, reply

    def _shown(self, sitter: Sitter) -> list[int]:
        """The asks of a voter, less checks with decoys that the study file has no more."""
        return [ask for ask in sitter.holds if self._can_show(self.out[ask])]

    def _can_show(self, ask: AskRecord) -> bool:
        return ask.ask > 0 or ask.left in self.decoys

    def _new_asks(self, voter: str, sitter: Sitter, n: int, now: float) -> Iterator[AskRecord]:
        votes = sum(ask > 0 for ask in sitter.holds)
        count = min(
            min(n, MOST_HELD) - len(self._shown(sitter)),
            self._left_of(sitter) - votes,
            MOST_OUT - len(self.out),
        )
        until, unchecked = now + self.conduct.lease, sitter.unchecked
        held = {self.asking.pair(self.out[ask]) for ask in sitter.holds}
        numbers = [len(self._status[1]), -len(self._status[-1])]
        for _ in range(count):
            if self.decoys and unchecked >= self.conduct.checks:
                item = self.decoys[-numbers[1] % len(self.decoys)]
                record = shown_ask(
                    self.settings.seed, numbers[1], Wish(item, item, True), now, voter, until
                )
                numbers[1] -= 1
                unchecked = 0
            elif numbers[0] - len(self._status[1]) < self._room():
                wish = self.asking.next_wish(sitter, held)
                if wish is None:
                    return
                record = shown_ask(self.settings.seed, numbers[0], wish, now, voter, until)
                numbers[0] += 1
                unchecked += 1
            else:
                return
            held.add(self.asking.pair(record))  # one call hands out different pairs
            yield record

    def answer(
        self, ask: int, word: str, reason: str | None, voter: str | None, now: float
    ) -> Decision:
        """Take an answer; the same answer again changes nothing.

        Args:
            ask: The number of the ask.
            word: The answer.
            reason: Why, or None.
            voter: Whose answer it must be; None if whoever was asked may give it.
            now: The time.
        """
        offered = ("left", "right", *self.conduct.answers)
        if word == "skipped" and reason == DONT_KNOW:
            word = "dont_know"
        if word not in offered:
            raise RefusalError(
                "bad", f"The answer is {shown(word)}, but one of {', '.join(offered)} was expected."
            )
        if word == "dont_know":
            word, reason = "skipped", DONT_KNOW
        elif reason is not None and reason not in self.conduct.reasons:
            wanted = ", ".join(["none", *self.conduct.reasons])
            raise RefusalError(
                "bad", f"The reason is {shown(reason)}, but one of {wanted} was expected (reason)."
            )
        status = self._status[1 if ask > 0 else -1]
        if not 0 < abs(ask) < len(status) or status[abs(ask)] == _GONE:
            raise RefusalError("unknown", "There is no such ask.")
        whose, was = self._whose[1 if ask > 0 else -1][abs(ask)], status[abs(ask)]
        if voter is not None and whose != voter:
            raise RefusalError("unknown", "You have no such ask.")
        if was == _GIVEN_UP:
            raise RefusalError("gone", "This ask was given up, because its time ran out.")
        new: list[StudyRecord] = []
        if was == _OUT:
            new = [AnswerRecord(now, ask, Answer(word), whose or None, reason)]
        elif _WORDS[was] != word:
            raise RefusalError("taken", f"This ask was already answered with {_WORDS[was]}.")
        receipt = "spare" if self.asking.finished else "evidence"

        def reply() -> dict[str, Any]:
            said = {"id": ask, "answer": word, "receipt": receipt}
            return said | self._progress(whose)

        return new, reply

    def undo(self, voter: str, ask: int | None, now: float) -> Decision:
        """Take back the last answer of a voter, or that to one ask, which the voter has again."""
        sitter = self.voters.get(voter) or Sitter()
        new: list[StudyRecord] = []
        if ask is None or ask not in sitter.holds:
            given = [kept for kept in sitter.recent if self._can_show(kept[1])]
            found = [kept for kept in given if ask is None or kept[1].ask == ask]
            if not found:
                raise RefusalError("taken", "You have no answer to take back.")
            if self.is_over(now):
                raise RefusalError("taken", "The study is over, so no answer can be taken back.")
            ask = found[-1][1].ask
            new = [UndoRecord(now, found[-1][0], voter, now + self.conduct.lease)]
        number = ask
        return new, lambda: asked(self.out[number]) | self._progress(voter)

    def expire(self, ask: int, reason: str | None, voter: str | None, now: float) -> Decision:
        """Give up an ask that will not be answered."""
        record = self.out.get(ask)
        if record is not None and voter is not None and record.voter != voter:
            raise RefusalError("unknown", "You have no such ask.")
        if record is None and not 0 < abs(ask) < len(self._status[1 if ask > 0 else -1]):
            raise RefusalError("unknown", "There is no such ask.")
        new: list[StudyRecord] = [] if record is None else [ExpiryRecord(now, ask, reason)]
        return new, lambda: {"id": ask, "given_up": record is not None}

    def has_overdue(self, now: float) -> bool:
        return bool(self._due) and self._due[0][0] <= now and not self.paused

    def overdue(self, now: float) -> Iterable[ExpiryRecord]:
        """Asks whose time is over."""
        while self.has_overdue(now):
            until, ask = heappop(self._due)
            record = self.out.get(ask)
            if record is not None and record.until == until:
                yield ExpiryRecord(now, ask, NOT_IN_TIME)

    def _progress(self, voter: str | None) -> dict[str, Any]:
        sitter = self.voters.get(voter or "")
        return {"answered": 0 if sitter is None else sitter.answered, "of": self.conduct.session}

    # -- what the owner wants --------------------------------------------------------------------

    def counts(self) -> dict[str, Any]:
        """How far the study is, in numbers that cost nothing."""
        return {
            "line": self.line,
            "votes": self.answers,
            "asks": len(self._status[1]) - 1,
            "outstanding": len(self.out),
            "given_up": self.given_up,
            "voters": sum(sitter.answered > 0 for sitter in self.voters.values()),
            "paused": self.paused,
        }

    def pause(self, paused: bool, now: float) -> Decision:
        new: list[StudyRecord] = [PauseRecord(now) if paused else ResumeRecord(now)]
        return new if self.paused != paused else [], self.counts

    def leave_out(self, voter: str, out: bool, reason: str | None, now: float) -> Decision:
        """Leave a voter out, or take them in again."""
        sitter = self.voters.get(voter)
        if sitter is None:
            raise RefusalError("unknown", f"There is no voter {shown(voter)}.")
        new: list[StudyRecord] = [
            ExcludeRecord(now, voter, reason) if out else IncludeRecord(now, voter)
        ]
        reply = {"voter": voter, "excluded": out}
        return new if sitter.left_out != out else [], lambda: reply

    def add_item(self, name: str, entry: dict[str, Any], now: float) -> Decision:
        if name in self.asking:
            raise RefusalError("taken", f"There is already an item called {shown(name)}.")
        if getattr(self.settings.algorithm, "directions", None):
            raise RefusalError("bad", "Items cannot be added to a study with attributes.")
        return [ItemRecord(now, name, entry)], lambda: {
            "name": name,
            "items": len(self.asking.items),
        }


def asked(record: AskRecord) -> dict[str, Any]:
    """An ask as a voter gets it."""
    return {
        "id": record.ask,
        "left": record.left,
        "right": record.right,
        "decoy": record.decoy,
        "criterion": record.criterion,
        "until": record.until,
    }


_HANDLERS: dict[type[StudyRecord], Callable[[BallotDesk, Any], None]] = {
    AskRecord: BallotDesk._asked,
    AnswerRecord: BallotDesk._answered,
    ExpiryRecord: BallotDesk._expired,
    UndoRecord: BallotDesk._undone,
    ItemRecord: BallotDesk._added,
    ExcludeRecord: BallotDesk._left_out,
    IncludeRecord: BallotDesk._left_out,
    PauseRecord: BallotDesk._paused,
    ResumeRecord: BallotDesk._paused,
    GoneRecord: BallotDesk._gone,
    BallotRecord: BallotDesk._reworded,
}
