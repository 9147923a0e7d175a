"""What was done to a run, in order, so that another can be brought to the same state.

A plan is a program halfway through, which cannot be copied; but it does the same again when it
is asked and told the same again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antichain.algorithms.counts import Counted
from antichain.algorithms.rounds import Indices, Race, RaceOutcome, Round
from antichain.evidence.answers import Tally
from antichain.evidence.sequential import COUNTS, Counts

if TYPE_CHECKING:
    from antichain.algorithms.base import Algorithm
    from antichain.algorithms.search import Search


class Asked(NamedTuple):
    """Asks were made."""

    n: int | None
    ahead: bool
    singly: bool = False
    avoid: tuple[frozenset[str], ...] = ()

    def replay(self, search: Search) -> None:
        """Ask again."""
        search.ask(self.n, ahead=self.ahead, singly=self.singly, avoid=self.avoid)


class AskedFor(NamedTuple):
    """Asks for particular duels were made."""

    duels: tuple[tuple[str, str, bool], ...]

    def replay(self, search: Search) -> None:
        """Ask again."""
        search.ask_for(self.duels)


class Idled(Asked):
    """Nothing could be asked, but work ahead was looked through: doing so twice changes nothing."""


class Waited(NamedTuple):
    """It was looked whether there is anything to ask."""

    def replay(self, search: Search) -> None:
        """Look again."""
        _ = search.waiting


class Told(NamedTuple):
    """An ask was answered."""

    ask: int
    tally: Tally

    def replay(self, search: Search) -> None:
        """Answer again."""
        search.tell(self.ask, self.tally)


class Expired(NamedTuple):
    """An ask was given up."""

    ask: int

    def replay(self, search: Search) -> None:
        """Give up again."""
        search.expire(self.ask)


class Settled(NamedTuple):
    """A whole round or race was settled: what changed in the table of its counts."""

    places: Indices
    changes: Counts
    eliminated: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, message: Round | Race, outcome: Counts | RaceOutcome) -> Settled:
        """The event of settling `message`, in little space."""
        eliminated: tuple[tuple[int, int], ...] = ()
        if isinstance(outcome, RaceOutcome):
            eliminated = outcome.eliminated
            outcome = outcome.counts
        changed = (outcome - _start(message)).ravel()
        places = np.flatnonzero(changed)
        return cls(places, changed[places], eliminated)

    def replay(self, search: Search) -> None:
        """Settle again."""
        message = search.message
        assert message is not None  # it was there the first time
        counts = _start(message).copy()
        counts.ravel()[self.places] += self.changes
        if isinstance(message, Race):
            search.settle(RaceOutcome(self.eliminated, counts))
        else:
            search.settle(counts)


Event = Asked | AskedFor | Idled | Waited | Told | Expired | Settled
_LOOKS = (Idled, Waited)


class History:
    """The events of a run so far."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    @property
    def events(self) -> tuple[Event, ...]:
        """All events in order."""
        return tuple(self._events)

    def note(self, event: Event) -> None:
        """Add an event, unless it is only another look at what was looked at just now."""
        last = self._events[-1] if self._events else None
        # Types first: as tuples alone, events of different kinds may be equal.
        if isinstance(event, _LOOKS) and type(event) is type(last) and event == last:
            return
        self._events.append(event)


@dataclass(frozen=True, eq=False)
class Script:
    """All it takes to bring a new run to the state of another; plain data that can be sent on."""

    algorithm: Algorithm
    items: tuple[str, ...]
    seed: int
    brought: Counted
    events: tuple[Event, ...]

    def play(self) -> Search:
        """A run in that state, which shares nothing with the other."""
        search = self.algorithm.start(self.items, self.seed, *self.brought)
        for event in self.events:
            event.replay(search)
        return search


def _start(message: Round | Race) -> Counts:
    if isinstance(message, Round):
        return message.start
    return np.zeros((len(message), COUNTS), np.int64)
