"""The book of asks: which are out, for which comparison, and what became of the others."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from antichain.algorithms.asks import Ask
from antichain.algorithms.pending import Comparison
from antichain.algorithms.result import LostShare
from antichain.errors import ProtocolError
from antichain.evidence.answers import Tally
from antichain.evidence.sequential import Counts, Streams


class Entry(NamedTuple):
    """An ask that is out. Without a comparison, what comes in for it is spare."""

    ask: Ask
    comparison: Comparison | None
    stream: int


class Register:
    """Keeps the book.

    Attributes:
        answers: All answers told so far.
        spare: Answers that are no evidence, or are none any more.
    """

    def __init__(self) -> None:
        self.answers = Tally()
        self.spare = 0
        self._out: dict[int, Entry] = {}
        self._next_id = 1
        self._asked: Counter[tuple[str, str, bool]] = Counter()
        self._lost: Counter[tuple[str, str, bool]] = Counter()

    @property
    def outstanding(self) -> tuple[Ask, ...]:
        """Asks not yet answered or given up."""
        return tuple(entry.ask for entry in self._out.values())

    def make(self, names: tuple[str, str], comparison: Comparison, stream: int, duels: int) -> Ask:
        """A new ask for duels of a stream of a comparison."""
        ask = Ask(self._next_id, *names, against_decoy(comparison), duels)
        self._next_id += 1
        self._asked[_pair(ask)] += duels
        self._out[ask.id] = Entry(ask, comparison, stream)
        comparison.out[stream] += duels
        return ask

    def pass_over(self) -> None:
        """Use up a number for an ask that is not wanted: whatever is told to it is spare."""
        self._next_id += 1

    def number(self, ask: Ask | int) -> int:
        """The number of an ask that was made, whatever has become of it."""
        number = ask.id if isinstance(ask, Ask) else ask
        if not isinstance(number, numbers.Integral) or not 1 <= number < self._next_id:
            last = self._next_id - 1
            raise ProtocolError(f"No ask has the number {number!r}; the last was {last}.")
        return number

    def find(self, number: int) -> Entry | None:
        """The entry of an ask that is out."""
        return self._out.get(number)

    def check_size(self, ask: Ask | int, tally: Tally) -> None:
        """Raise unless these are as many answers as the ask wants, if that is known."""
        entry = self.find(self.number(ask))
        made = ask if entry is None else entry.ask
        if isinstance(made, Ask) and tally.total != made.duels:
            raise ProtocolError(
                f"Ask {made.id} ({made.left} against {made.right}) wants {made.duels} answers; "
                f"got {tally.total}."
            )

    def answer(self, number: int, tally: Tally) -> Entry | None:
        """Book the answers to an ask; its entry, if it was out."""
        self.answers = self.answers.plus(tally)
        entry = self._close(number)
        if entry is None or entry.comparison is None:
            self.spare += tally.total
        return entry

    def expire(self, number: int) -> Entry | None:
        """Book an ask as lost; its entry, if it was out."""
        entry = self._close(number)
        if entry is not None:
            self._lost[_pair(entry.ask)] += entry.ask.duels
        return entry

    def _close(self, number: int) -> Entry | None:
        entry = self._out.pop(number, None)
        if entry is not None and entry.comparison is not None:
            entry.comparison.out[entry.stream] -= entry.ask.duels
        return entry

    def drop(self, comparisons: Collection[Comparison]) -> None:
        """Make what was asked for these comparisons spare, now and when it comes in."""
        gone = {id(comparison) for comparison in comparisons}
        self.spare += sum(comparison.played for comparison in comparisons)
        if not any(any(comparison.out) for comparison in comparisons):
            return
        for number, entry in self._out.items():
            if id(entry.comparison) in gone:
                self._out[number] = entry._replace(comparison=None)

    def settle(self, played: Counts, probes: bool = False) -> None:
        """Book the answers of a whole round or race, of which there were no asks."""
        left, right, ties, _, other_left, other_right, other_ties, _ = played.sum(axis=0).tolist()
        if probes:
            tally = Tally(left, right, ties, incomparable=other_left)
        else:
            tally = Tally(left + other_left, right + other_right, ties + other_ties)
        self.answers = self.answers.plus(tally)

    @property
    def lost_by_pair(self) -> tuple[LostShare, ...]:
        """What was lost of what was asked, for each pair that lost any."""
        return tuple(
            LostShare(*pair, lost=lost, asked=self._asked[pair])
            for pair, lost in self._lost.items()
        )


def against_decoy(comparison: Comparison) -> bool:
    """Whether a comparison's duels are with a decoy."""
    return comparison.test.streams is not Streams.DIRECT


def _pair(ask: Ask) -> tuple[str, str, bool]:
    return ask.left, ask.right, ask.decoy
