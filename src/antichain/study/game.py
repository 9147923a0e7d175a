"""What a study's events amount to: the algorithm's search, replayed.

The state is a function of the settings and the events in order, with answers that were taken
back left out. Nothing here reads, writes or looks at a clock.

In a replay an ask is put to the search as the duel that was handed out then. If answers that
were taken back are the reason why the search wants another duel at that point, the ask is *void*:
whatever is answered to it is spare.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from antichain.algorithms.result import Result
from antichain.algorithms.rounds import Ask, Receipt
from antichain.algorithms.search import Search
from antichain.errors import ProtocolError
from antichain.evidence.answers import Answer, Tally
from antichain.keyed import keyed_uniform
from antichain.study.events import Answered, Asked, Event, Expired, Undone
from antichain.study.settings import Settings

FIRST_LINE = 2  # of the events in the file; the header is line 1
_SIDES = 0x73696465
_OTHER = {Answer.LEFT: Answer.RIGHT, Answer.RIGHT: Answer.LEFT}


@dataclass(frozen=True)
class Kept:
    """An answer that was not taken back: its line, what it said, and what became of it."""

    line: int
    answered: Answered
    receipt: Receipt


class Game:
    """The state of a study.

    Attributes:
        asks: Every ask handed out, by number.
        kept: Answers not taken back, in order.
        events: Everything that happened, in order.
        void: Asks that the replay no longer wanted.
        expired: How many asks were given up.
        cost: What answers and given-up asks cost together.
    """

    def __init__(self, settings: Settings, events: Sequence[Event] = ()) -> None:
        self.settings = settings
        self.asks: dict[int, Asked] = {}
        self.events: list[Event] = []
        self._proposed: list[Ask] = []
        self.check(events)
        self.events += events
        self.replay()

    # -- looking -------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether the front is found."""
        return self.search.finished

    @property
    def next_line(self) -> int:
        """The line of the file that the next event will be."""
        return FIRST_LINE + len(self.events)

    def is_open(self, number: int) -> bool:
        """Whether an answer to this ask would be evidence if it came now."""
        return number in self._numbers and self.search.wants(self._numbers[number])

    def open_asks(self) -> Iterator[Asked]:
        """Asks whose answer would be evidence, in the order they were made."""
        return (self.asks[number] for number in self._unsettled if self.is_open(number))

    def is_settled(self, number: int) -> bool:
        """Whether an ask was answered or given up already."""
        return number not in self._unsettled

    def last_of(self, voter: str | None) -> Kept | None:
        """The last answer of a voter that was not taken back."""
        return next((b for b in reversed(self.kept) if b.answered.voter == voter), None)

    def result(self) -> Result:
        """The front found or the best answer so far, with answers to void asks among the spare."""
        result = self.search.result()
        counts = zip(Answer, self._void_answers, strict=True)
        return replace(
            result,
            spare=result.spare + self._void_answers.total,
            answers={form.value: result.answers[form.value] + more for form, more in counts},
        )

    # -- moving --------------------------------------------------------------------------------

    def propose(self, n: int, time: float, avoid: Collection[frozenset[str]] = ()) -> list[Asked]:
        """Up to `n` new asks, already made of the search; to be added once they are written."""
        asks = self.search.ask(n, singly=True, avoid=avoid)
        first = len(self.asks) + 1
        self._proposed = asks
        return [self._shown(first + k, ask, time) for k, ask in enumerate(asks)]

    def add_proposed(self, events: Sequence[Asked]) -> None:
        """Take in the asks that `propose` gave."""
        for event, ask in zip(events, self._proposed, strict=True):
            self._register(event, ask)
        self.events += events
        self._proposed = []

    def check(self, events: Sequence[Event]) -> None:
        """Raise `ProtocolError` unless these can happen next."""
        known, items = len(self.asks), frozenset(self.settings.items)
        taken_back = any(isinstance(event, Undone) for event in events)
        everything = [*self.events, *events] if taken_back else []
        for line, event in enumerate(events, start=self.next_line):
            if isinstance(event, Asked):
                known += 1
                if event.ask != known or len({event.left, event.right} & items) != 2:
                    raise ProtocolError(f"Line {line} is not an ask that could be made there.")
            elif isinstance(event, Answered | Expired):
                if not 1 <= event.ask <= known:
                    raise ProtocolError(
                        f"No ask has the number {event.ask!r}; the last was {known}."
                    )
            elif isinstance(event, Undone):
                _check_undone(event, line, everything)

    def add(self, event: Event) -> Receipt | None:
        """Take in an event other than an ask; says what became of an answer."""
        self.events.append(event)
        if isinstance(event, Undone):
            self.replay()
            return None
        return self._play(self.next_line - 1, event)

    def replay(self) -> None:
        """Work the whole state out again from the events."""
        settings = self.settings
        self.search: Search = settings.algorithm.start(settings.items, settings.seed)
        self.asks = {}
        self.kept: list[Kept] = []
        self.void: set[int] = set()
        self.expired, self.cost = 0, 0.0
        self._numbers: dict[int, int] = {}
        self._unsettled: dict[int, None] = {}
        self._void_answers = Tally()
        revoked = {event.line for event in self.events if isinstance(event, Undone)}
        batch: list[Asked] = []
        for line, event in enumerate(self.events, start=FIRST_LINE):
            if isinstance(event, Asked):
                batch.append(event)
                continue
            self._make(batch)
            batch = []
            if line not in revoked:
                self._play(line, event)
            elif isinstance(event, Answered):
                self.cost += event.cost or 0.0  # what was paid stays paid
        self._make(batch)

    # -- inside --------------------------------------------------------------------------------

    def _shown(self, number: int, ask: Ask, time: float) -> Asked:
        """An ask with its sides tossed: independent of everything but the seed and its number."""
        seed = self.settings.seed % 2**63 ^ _SIDES
        flipped = keyed_uniform(seed, number, 0, 0) < 0.5
        left, right = (ask.right, ask.left) if flipped else (ask.left, ask.right)
        decoy = None if not ask.decoy else "left" if flipped else "right"
        return Asked(time, number, left, right, flipped, decoy)

    def _make(self, batch: list[Asked]) -> None:
        """Put asks to the search, each for the duel it was made for."""
        if not batch:
            return
        asks = self.search.ask_for([event.duel for event in batch])
        for event, ask in zip(batch, asks, strict=True):
            self._register(event, ask)

    def _register(self, event: Asked, ask: Ask | None) -> None:
        self.asks[event.ask] = event
        self._unsettled[event.ask] = None
        if ask is None:
            self.void.add(event.ask)
        else:
            self._numbers[event.ask] = ask.id

    def _play(self, line: int, event: Event) -> Receipt | None:
        if isinstance(event, Answered):
            self.cost += event.cost or 0.0
            receipt = self._tell(event)
            self._unsettled.pop(event.ask, None)
            self.kept.append(Kept(line, event, receipt))
            return receipt
        if isinstance(event, Expired):
            self.cost += event.cost or 0.0
            self.expired += event.ask in self._unsettled
            self._unsettled.pop(event.ask, None)
            if event.ask in self._numbers:
                self.search.expire(self._numbers[event.ask])
        return None

    def _tell(self, event: Answered) -> Receipt:
        answer = event.answer
        if self.asks[event.ask].flipped:
            answer = _OTHER.get(answer, answer)
        if event.ask not in self._numbers:
            self._void_answers = self._void_answers.plus(Tally.of(answer))
            return Receipt.SPARE
        return self.search.tell(self._numbers[event.ask], answer)


def _check_undone(event: Undone, line: int, events: Sequence[Event]) -> None:
    there = events[event.line - FIRST_LINE] if FIRST_LINE <= event.line < line else None
    if not isinstance(there, Answered):
        raise ProtocolError(f"Line {line} takes back line {event.line}, which is no answer.")
