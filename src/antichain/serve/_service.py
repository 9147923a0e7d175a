"""The service: one study, many callers at once, and no word of HTTP.

Callers put commands into a queue. One thread takes all that wait, lets the desk decide on each,
writes the records of all of them to the store in one turn (a commit for many votes), and only then
answers. If the store does not take them, every caller is told so, and the desk is worked out anew
from what the store does have.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, NamedTuple

from antichain.errors import AntichainError, StoreError
from antichain.serve._ask_plans import AskPlan
from antichain.serve._ballot_desk import BallotDesk, Decision, RefusalError
from antichain.serve._follower_link import FollowerLink
from antichain.serve._stores import Store, Turn
from antichain.study._ballot_entries import Ballot
from antichain.study._records import (
    AnswerRecord,
    AskRecord,
    ExpiryRecord,
    GoneRecord,
    Settings,
    StudyRecord,
    record_from,
)

_LOG = logging.getLogger(__name__)
_MANY = 500  # commands that share a turn
_ERASE = 2.0  # seconds until what could not be cleared from the disk is tried again
_READ = (
    "These votes no longer count. Another program is reading the database, so its file still "
    "holds them; the server removes them once that program is done."
)
_GLANCE = 0.5  # seconds between looks at what other processes have written, and at leases
Command = Callable[[BallotDesk, float], Decision]
Clock = Callable[[], float]
Link = Callable[[Callable[[int], Iterator[str]], Callable[[AskPlan], None]], FollowerLink]


class Service:
    """A study that is open for votes.

    Args:
        settings: What the study was begun with.
        ballot: What voters see, and how the study is held.
        store: Where its records are.
        link: Ties the service to the process that judges its records, given how to read them and
            whom to tell of plans.
        rewritten: Called when something was deleted from the store.
        now: The clock, in seconds since 1970.
    """

    def __init__(
        self,
        settings: Settings,
        ballot: Ballot,
        store: Store,
        link: Link,
        rewritten: Callable[[], None] = lambda: None,
        now: Clock = time.time,
    ) -> None:
        self.settings, self.ballot, self.store, self._now = settings, ballot, store, now
        self._queue: queue.SimpleQueue[tuple[Any, Future[Any]] | None] = queue.SimpleQueue()
        self._plan: AskPlan | None = None
        self.desk: BallotDesk | None = None
        self.trouble: str | None = None
        self._again = 0.0  # when the store is tried again, after a failure
        self._looked = 0.0
        self._fed = 1  # the last line that the follower was told of
        self.edition = 0  # of the store, as the desk knows it
        self._rewritten = rewritten
        self._erase_at: float | None = None  # when to clear the disk of what was deleted
        self.commits, self.committed, self.failures = 0, 0, 0
        self._listeners: set[Callable[[int], None]] = set()
        self.follower = link(store.read, self._take_plan)
        self._thread = threading.Thread(target=self._work, daemon=True, name="desk")
        self._closed = False

    def load(self) -> BallotDesk:
        """The study as it was left."""
        self.desk = self.desk or self._rebuilt()
        return self.desk

    def start(self) -> None:
        """Take up the study where it was left."""
        self.load()
        self._thread.start()
        self.follower.start()

    def close(self) -> None:
        """Finish what is under way, and stop."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            if self._thread.is_alive():
                self._thread.join(10)
            self.store.close()

    # -- from any thread -------------------------------------------------------------------------

    def submit(self, command: Command) -> Future[Any]:
        """Have a command decided; the future has the reply once all it changes is written."""
        future: Future[Any] = Future()
        self._queue.put((command, future))
        if self._closed:
            future.cancel()
        return future

    def ask(self, voter: str, n: int = 1) -> Future[Any]:
        return self.submit(lambda desk, now: desk.ask(voter, n, now))

    def answer(
        self, ask: int, answer: str, reason: str | None = None, voter: str | None = None
    ) -> Future[Any]:
        return self.submit(lambda desk, now: desk.answer(ask, answer, reason, voter, now))

    def delete_voter(self, voter: str, *, doors: Collection[str] = ()) -> Future[Any]:
        """Delete all that a voter did from the store, for good.

        Args:
            voter: The voter.
            doors: The hashes of their own links, which were closed; whoever has one is a voter even
                if they did nothing.
        """
        future: Future[Any] = Future()
        self._queue.put((_Deletion(voter, doors), future))
        return future

    def listen(self, listener: Callable[[int], None]) -> None:
        """Have `listener` called with the last line, after every change."""
        self._listeners.add(listener)

    def forget(self, listener: Callable[[int], None]) -> None:
        self._listeners.discard(listener)

    def time(self) -> float:
        return self._now()

    @property
    def waiting(self) -> int:
        """How many commands wait."""
        return self._queue.qsize()

    # -- in the thread that writes ---------------------------------------------------------------

    def _take_plan(self, plan: AskPlan) -> None:
        self._plan = plan  # the desk takes it at its next turn
        self._tell()

    def _work(self) -> None:
        while True:
            batch = self._batch()
            if batch is None:
                return
            deletions = [entry for entry in batch if isinstance(entry[0], _Deletion)]
            for command, future in deletions:
                assert isinstance(command, _Deletion)
                self._delete(command, future)
            self._turn([entry for entry in batch if not isinstance(entry[0], _Deletion)])
            if self._erase_at is not None and time.monotonic() > self._erase_at:
                self._erase()

    def _batch(self) -> list[tuple[Any, Future[Any]]] | None:
        """All commands that wait, after a moment without any none; None at the end."""
        batch: list[tuple[Any, Future[Any]]] = []
        try:
            entry = self._queue.get(timeout=_GLANCE)
            while True:
                if entry is None:
                    return None if not batch else self._ended(batch)
                batch.append(entry)
                if len(batch) >= _MANY:
                    break
                entry = self._queue.get_nowait()
        except queue.Empty:
            pass
        return batch

    def _ended(self, batch: list[tuple[Any, Future[Any]]]) -> list[tuple[Any, Future[Any]]]:
        self._queue.put(None)
        return batch

    def _turn(self, batch: list[tuple[Any, Future[Any]]]) -> None:
        now = round(self._now(), 3)
        if self.trouble is not None and time.monotonic() < self._again:
            self._refuse(batch, StoreError(self.trouble))
            return
        try:
            desk = self.desk = self.desk or self._rebuilt()
            self._give_plan(desk)
            if not batch and not desk.has_overdue(now) and not self._is_time_to_look():
                return
            try:
                before = desk.line
                fresh, new, replies = self._decided(desk, batch, now)
            except _RewrittenError:  # another process has deleted a voter
                desk = self.desk = self._rebuilt()
                self._tell()
                before = desk.line
                fresh, new, replies = self._decided(desk, batch, now)
        except Exception as error:  # whatever it is, nobody was told that anything is written
            self._fail(batch, error)
            return
        self.trouble = None
        if fresh or new:  # before anybody is told, so that a look after an answer includes it
            self.commits, self.committed = self.commits + 1, self.committed + len(new)
            self._feed(before, fresh + new)
        for future, reply in replies:
            _settle(future, reply)
        if fresh or new:
            self._tell()

    def _give_plan(self, desk: BallotDesk) -> None:
        """Let the desk go by the last plan, unless that knows of more than the desk.

        The follower reads the store by itself when it begins: it may have an item that another
        server has added, and that is news to the desk until it has read the same lines.
        """
        plan = self._plan
        if plan is not None and plan is not desk.asking.given and plan.line <= desk.line:
            desk.asking.take(plan)

    def _is_time_to_look(self) -> bool:
        """Whether to look at what other processes may have written."""
        moment, wait = time.monotonic(), self.store.glance
        if wait is None or moment - self._looked < wait:
            return False
        self._looked = moment
        return True

    def _decided(
        self, desk: BallotDesk, batch: list[tuple[Any, Future[Any]]], now: float
    ) -> tuple[list[str], list[str], list[tuple[Future[Any], Any]]]:
        """What others wrote, what we wrote, and what is to be told to whom."""
        if not batch and not desk.has_overdue(now):
            self._check_edition(self.store.edition())
            fresh = list(self.store.read(desk.line))
            for line in fresh:
                desk.apply(record_from(json.loads(line)))
            return fresh, [], []
        replies: list[tuple[Future[Any], Any]] = []
        with self.store.turn(desk.line) as turn:
            self._check_edition(turn.edition)
            for line in turn.fresh:
                desk.apply(record_from(json.loads(line)))
            written: list[dict[str, Any]] = []

            def add(records: Iterator[StudyRecord] | list[StudyRecord]) -> None:
                for record in records:
                    written.append(record.to_json())
                    desk.apply(record)

            add(list(desk.overdue(now)))
            for command, future in batch:
                try:
                    records, reply = command(desk, now)
                    add(records)
                    replies.append((future, reply()))
                except AntichainError as refusal:
                    replies.append((future, refusal))
            if written:
                turn.append(written)
        return turn.fresh, [json.dumps(line) for line in written], replies

    def _fail(self, batch: list[tuple[Any, Future[Any]]], error: Exception) -> None:
        """Tell everybody that nothing was written, as far as we know; begin from the store."""
        self.failures += 1
        self.desk = None
        if not isinstance(error, StoreError):
            _LOG.exception("a turn failed")
        if self.trouble is None:
            _LOG.warning("nothing can be written: %s", error)
        self.trouble = str(error) if isinstance(error, StoreError) else "something went wrong."
        self._again = time.monotonic() + _GLANCE
        self._refuse(batch, StoreError(self.trouble))

    def _refuse(self, batch: list[tuple[Any, Future[Any]]], error: StoreError) -> None:
        for _, future in batch:
            _settle(future, error)

    def _rebuilt(self) -> BallotDesk:
        """The desk as the store has it; the follower is told of lines whose fate was unknown."""
        desk, missed = BallotDesk(self.settings, self.ballot), []
        edition = self.store.edition()
        for line in self.store.read(1):
            desk.apply(record_from(json.loads(line)))
            if desk.line > self._fed:
                missed.append(line)
        if self._thread.is_alive():
            if edition != self.edition:
                self._rewritten()
                self.follower.start()
            self._feed(self._fed, missed)
        self._fed, self.edition = desk.line, edition
        return desk

    def _check_edition(self, edition: int) -> None:
        if edition != self.edition:
            raise _RewrittenError

    def _feed(self, after: int, lines: list[str]) -> None:
        self._fed = after + len(lines)
        if lines:
            self.follower.feed(after, lines)

    def _tell(self) -> None:
        line = 0 if self.desk is None else self.desk.line
        for listener in list(self._listeners):
            with suppress(RuntimeError):  # it has gone in this moment
                listener(line)

    # -- deleting --------------------------------------------------------------------------------

    def _delete(self, deletion: _Deletion, future: Future[Any]) -> None:
        voter = deletion.voter
        try:
            with self.store.turn(1) as turn:  # nobody appends between the reading and the writing
                gone = _redacted(turn, deletion)
            self._erase()
            self.desk = None
            self._turn([])
            self._tell()
        except Exception as error:  # votes are still taken, whatever it is
            if not isinstance(error, AntichainError):
                _LOG.exception("a voter could not be deleted")
                error = StoreError("the voter could not be deleted.")
            _settle(future, error)
            return
        reply = {"voter": voter, "deleted": len(gone), "erased": self._erase_at is None}
        _settle(future, reply if reply["erased"] else reply | {"hint": _READ})

    def _erase(self) -> None:
        """Clear the disk of what was deleted, or do so later."""
        self._erase_at = None if self.store.erase() else time.monotonic() + _ERASE


class _RewrittenError(Exception):
    """Lines that the desk has taken in were changed by another process."""


class _Deletion(NamedTuple):
    """Stands in the queue for a voter who is to be deleted."""

    voter: str
    doors: Collection[str]


def _settle(future: Future[Any], outcome: Any) -> None:
    """Tell a caller, unless they have gone away."""
    with suppress(InvalidStateError):
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def _redacted(turn: Turn, deletion: _Deletion) -> dict[int, int | None]:
    """Delete a voter in a turn that shows all records; the lines that were theirs."""
    records = [record_from(json.loads(line)) for line in turn.fresh]
    by = 1 + max((r.by or 0 for r in records if isinstance(r, GoneRecord)), default=0)
    gone = dict(_of_voter(records, deletion.voter))
    if not gone and not deletion.doors:
        raise RefusalError("unknown", f"There is no voter {deletion.voter!r}.")
    turn.redact({line: GoneRecord(0, ask, by).to_json() for line, ask in gone.items()})
    turn.append([GoneRecord(0, None, by, door).to_json() for door in sorted(deletion.doors)])
    return gone


def _of_voter(records: list[StudyRecord], voter: str) -> Iterator[tuple[int, int | None]]:
    """The lines that are about a voter; for an ask, its number as well."""
    theirs: set[int] = set()
    for line, record in enumerate(records, start=2):
        if isinstance(record, AskRecord):
            if record.voter == voter:
                theirs.add(record.ask)
                yield line, record.ask
        elif isinstance(record, AnswerRecord | ExpiryRecord):
            if record.ask in theirs or getattr(record, "voter", None) == voter:
                yield line, None
        elif getattr(record, "voter", None) == voter:
            yield line, None
