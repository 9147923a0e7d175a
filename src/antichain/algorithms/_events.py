"""The events of a run: what was asked of a search and told to it, in order.

A plan is a program halfway through, which cannot be copied; but it does the same again when the
same events happen to it again. So the events are all it takes to bring another run to the same
state, and a study's file holds these events with the time, the voter and the cost of each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antichain.algorithms._counts import Counted
from antichain.algorithms._rounds import Ask, Indices, Race, RaceOutcome, Receipt, Round
from antichain.evidence._answers import COUNTS, Counts, Tally

if TYPE_CHECKING:
    from antichain.algorithms._base import Algorithm
    from antichain.algorithms._search import Search

Duel = tuple[str, str, bool]
"""The item on the left, the item on the right, and whether the right one is shown as its decoy."""


class Asked(NamedTuple):
    """Asks were made, in this order: each for a duel, and for how many of it.

    An empty batch says that a search with nothing to ask was asked all the same: it has gone past
    the rounds that were already decided.
    """

    duels: tuple[Duel, ...]
    sizes: tuple[int, ...]
    about: tuple[str | None, ...] = ()  # the criterion of each, where there are several

    @classmethod
    def of(cls, asks: Iterable[Ask]) -> Asked:
        """The event of making these asks."""
        made = tuple(asks)
        return cls(
            tuple((ask.left, ask.right, ask.decoy) for ask in made),
            tuple(ask.duels for ask in made),
            tuple(ask.criterion for ask in made) if any(ask.criterion for ask in made) else (),
        )

    def replay(self, search: Search) -> None:
        """Make the same asks; one that is no longer wanted uses up its number all the same."""
        if self.about:
            search.ask_about(self.duels, self.about)
        else:
            search.ask_for(self.duels, self.sizes)


class Told(NamedTuple):
    """An ask was answered."""

    ask: int
    tally: Tally

    def replay(self, search: Search) -> Receipt:
        """Give the same answers."""
        return search.tell(self.ask, self.tally)


class Expired(NamedTuple):
    """An ask was given up."""

    ask: int

    def replay(self, search: Search) -> None:
        """Give up the same ask."""
        search.expire(self.ask)


class Settled(NamedTuple):
    """A whole round or race was settled: what changed in the table of its counts."""

    places: Indices
    changes: Counts
    eliminated: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, message: Round | Race, outcome: Counts | RaceOutcome) -> Settled:
        """The event of settling `message`, which shares no memory with `outcome`."""
        eliminated: tuple[tuple[int, int], ...] = ()
        if isinstance(outcome, RaceOutcome):
            eliminated = outcome.eliminated
            outcome = outcome.counts
        changed = (outcome - _start(message)).ravel()
        places = np.flatnonzero(changed)
        return cls(places, changed[places], eliminated)

    def replay(self, search: Search) -> None:
        """Settle the round or race with the same counts."""
        message = search.message
        assert message is not None  # the same events came before, so the same round is waiting
        counts = _start(message).copy()
        counts.ravel()[self.places] += self.changes
        if isinstance(message, Race):
            search.settle(RaceOutcome(self.eliminated, counts))
        else:
            search.settle(counts)


Event = Asked | Told | Expired | Settled


class History:
    """The events of a run so far."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    @property
    def events(self) -> tuple[Event, ...]:
        """All events in order."""
        return tuple(self._events)

    def note(self, event: Event) -> None:
        """Add an event, unless it repeats an ask that came to nothing, which changes nothing."""
        if self._events and _is_empty(event) and _is_empty(self._events[-1]):
            return
        self._events.append(event)


@dataclass(frozen=True, eq=False)
class Script:
    """All it takes to bring a new run to the state of another; plain data that can be pickled."""

    algorithm: Algorithm
    items: tuple[str, ...]
    seed: int
    brought: Counted
    events: tuple[Event, ...]

    def play(self) -> Search:
        """A new run in that state, which shares nothing with the other."""
        search = self.algorithm.start(self.items, self.seed, *self.brought)
        for event in self.events:
            event.replay(search)
        return search


def _is_empty(event: Event) -> bool:
    return isinstance(event, Asked) and not event.duels


def _start(message: Round | Race) -> Counts:
    if isinstance(message, Round):
        return message.start
    return np.zeros((len(message), COUNTS), np.int64)
