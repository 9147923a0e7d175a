"""Asks that are out, and the comparisons they are made for.

A comparison says how many duels it still wants; an ask takes some of them out of the house. What
an answer means as evidence depends on the rules (`Reading`).
"""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antichain._kernels import keyed_uniform
from antichain.algorithms._result import LostShare
from antichain.algorithms._rounds import Ask, Outcome, Round, close, within_reach
from antichain.errors import ProtocolError
from antichain.evidence._answers import (
    FORMS,
    INCOMPARABLE_ANSWERS,
    LOSSES,
    LOST,
    OPEN,
    SECOND_LOSSES,
    SECOND_LOST,
    SECOND_TIES,
    SECOND_WINS,
    TIES,
    WINS,
    Counts,
    Tally,
    Verdict,
)

if TYPE_CHECKING:
    from antichain.algorithms._base import Rules

_COINS = 0x636F696E
Pair = tuple[str, str, bool]
"""The names in an ask, and whether the second stands for its decoy."""


class Comparison:
    """One comparison under way: its counts, and what it still waits for.

    Its duels come in bundles of its test's quota; the verdict is read when a bundle is complete,
    and never inside it.
    """

    __slots__ = (
        "counts", "due", "left", "out", "prior_evidence", "right", "row", "start", "target",
        "test", "verdict",
    )  # fmt: skip

    def __init__(self, round_: Round, row: int) -> None:
        self.row = row
        self.left = int(round_.lefts[row])
        self.right = int(round_.rights[row])
        self.test = round_.test
        self.prior_evidence = float(round_.prior_evidence[row])
        self.target = int(round_.targets[row])
        self.start = round_.start[row]
        self.counts: Counts = self.start.copy()
        self.out = [0, 0]
        self.due = 0
        self.verdict = Verdict.OPEN
        self.judge()

    def is_row(self, round_: Round, row: int) -> bool:
        """Whether this is the very comparison in that row of a round."""
        return (
            self.test == round_.test
            and self.left == round_.lefts[row]
            and self.right == round_.rights[row]
            and self.prior_evidence == round_.prior_evidence[row]
            and self.target == round_.targets[row]
            and bool((self.start == round_.start[row]).all())
        )

    @property
    def streams(self) -> range:
        """The numbers of the streams it is fed with."""
        return range(2 if self.test.in_step else 1)

    def answered(self, stream: int) -> int:
        """Duels of a stream that are in, carried-over ones included."""
        if self.test.is_probe:
            return int(sum(self.counts[:LOST].tolist()) + self.counts[INCOMPARABLE_ANSWERS])
        return int(sum(self.counts[FORMS * stream : FORMS * (stream + 1)].tolist()))

    def missing(self, stream: int) -> int:
        """Duels of a stream not yet asked for, up to the end of the bundle."""
        return self.due - self.answered(stream) - self.out[stream]

    def wanted(self) -> list[int]:
        """The streams with duels to ask for."""
        if self.verdict is not Verdict.OPEN:
            return []
        return [stream for stream in self.streams if self.missing(stream) > 0]

    def judge(self) -> None:
        """Read the verdict if everything asked for is in, and set the end of the next bundle."""
        if any(self.answered(stream) < self.due for stream in self.streams):
            return
        self.verdict = self.test.verdict(self.counts, self.prior_evidence, self.target)
        if self.verdict is Verdict.OPEN:
            more = self.test.quota(self.counts, self.prior_evidence, self.target)
            self.due = self.answered(0) + more

    @property
    def new(self) -> Counts:
        """What was counted here beyond what was carried over."""
        new: Counts = self.counts - self.start
        return new

    @property
    def played(self) -> int:
        """How many answers that is, lost ones left out."""
        new = self.new
        return int(new.sum() - new[LOST] - new[SECOND_LOST])


class OpenRound:
    """A round under way: its comparisons, and how far they have come.

    Attributes:
        round: The round.
        comparisons: One per row of the round.
    """

    def __init__(self, round_: Round, comparisons: list[Comparison]) -> None:
        self.round = round_
        self.comparisons = comparisons
        self._verdicts = np.array([each.verdict for each in comparisons], np.int8)
        self._closed = 0

    def __contains__(self, comparison: Comparison) -> bool:
        row = comparison.row
        return row < len(self.comparisons) and self.comparisons[row] is comparison

    def judge(self, comparison: Comparison) -> None:
        """Read the verdict of a comparison, which may be one played ahead of this round."""
        comparison.judge()
        if comparison in self:
            self._verdicts[comparison.row] = comparison.verdict

    def take(self, counts: Counts) -> None:
        """Go on from these counts of all comparisons."""
        for row, comparison in enumerate(self.comparisons):
            comparison.counts = counts[row].copy()
            self.judge(comparison)

    def within_reach(self) -> tuple[list[Comparison], bool]:
        """The comparisons that may still count, and whether a verdict limits them."""
        reach, limited = within_reach(self.round, self._verdicts)
        return self.comparisons[self._closed : reach], limited

    def outcome(self) -> tuple[Outcome, int] | None:
        """If the round is over, how it came out and how many of its comparisons count."""
        self._closed, over = close(self.round, self._verdicts, self._closed)
        if not over:
            return None
        counts = self.round.start.copy()
        for row, comparison in enumerate(self.comparisons[: self._closed]):
            counts[row] = comparison.counts
        self._verdicts[self._closed :] = OPEN
        return Outcome(self._verdicts, counts), self._closed


class Reading:
    """What answers mean as evidence, under given rules.

    A tie counts half, or is settled by a coin; "incomparable" is read like a tie, except by a
    probe; a skipped duel is lost like one that nobody answered.
    """

    def __init__(self, rules: Rules, seed: int) -> None:
        self._rules = rules
        # Gaps are keyed as well, and may be given the same seed.
        self._seed = seed % 2**63 ^ _COINS
        self._tossed: dict[tuple[int, int, int], int] = {}

    def count(self, comparison: Comparison, stream: int, tally: Tally) -> None:
        """Add answers to a comparison's counts."""
        counts = comparison.counts
        if comparison.test.is_probe:
            counts[:LOST] += (tally.left, tally.right, tally.tie)
            counts[INCOMPARABLE_ANSWERS] += tally.incomparable
            return
        left, right, even = tally.left, tally.right, tally.tie + tally.incomparable
        if self._rules.ties == "coin" and even:
            heads = self._toss(comparison, stream, even)
            left, right, even = left + heads, right + even - heads, 0
        first = FORMS * stream
        counts[first : first + LOST] += (left, right, even)
        self.lose(comparison, stream, tally.skipped)

    def lose(self, comparison: Comparison, stream: int, duels: int) -> None:
        """Hold lost answers against every claim, if the rules say so."""
        if self._rules.lost == "against" and not comparison.test.is_probe:
            comparison.counts[FORMS * stream + LOST] += duels

    def _toss(self, comparison: Comparison, stream: int, coins: int) -> int:
        """Heads among the next `coins` tosses of a pair: a function of how many came before."""
        # One sequence of coins for each pair and kind of duel, whichever order answers come in.
        kind = 3 * int(comparison.test.streams) + stream
        key = (comparison.left, comparison.right, kind)
        before = self._tossed.get(key, 0)
        self._tossed[key] = before + coins
        return sum(
            keyed_uniform(self._seed, comparison.left, comparison.right, (toss << 4) + kind) < 0.5
            for toss in range(before, before + coins)
        )


class Entry(NamedTuple):
    """An ask that is out. Without a comparison, what comes in for it is spare."""

    ask: Ask
    comparison: Comparison | None
    stream: int


class OutstandingAsks:
    """Which asks are out, for which comparison, and what became of the others.

    Attributes:
        answers: All answers that came in, in the form in which voters gave them.
        spare: Answers that are no evidence, or are none any more.
    """

    def __init__(self) -> None:
        self.answers = Tally()
        self.spare = 0
        self._out: dict[int, Entry] = {}
        self._next_id = 1
        self._asked: Counter[Pair] = Counter()
        self._lost: Counter[Pair] = Counter()

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Asks neither answered nor given up."""
        return tuple(entry.ask for entry in self._out.values())

    def make(self, names: tuple[str, str], comparison: Comparison, stream: int, duels: int) -> Ask:
        """A new ask for duels of a stream of a comparison."""
        ask = self.number_next(*names, comparison.test.against_decoys, duels)
        self._out[ask.id] = Entry(ask, comparison, stream)
        comparison.out[stream] += duels
        return ask

    def number_next(
        self, left: str, right: str, decoy: bool, duels: int = 1, criterion: str | None = None
    ) -> Ask:
        """A new ask with the next number."""
        ask = Ask(self._next_id, left, right, decoy, duels, criterion)
        self._next_id += 1
        self._asked[_pair(ask)] += duels
        return ask

    def lose(self, ask: Ask) -> None:
        """Note that the duels of an ask are lost."""
        self._lost[_pair(ask)] += ask.duels

    def pass_over(self) -> None:
        """Use up a number for an ask that is not wanted: any answer to it is spare."""
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
        """Take the answers to an ask in; returns its entry, if it was out."""
        self.answers = self.answers.plus(tally)
        entry = self._close(number)
        if entry is None or entry.comparison is None:
            self.spare += tally.total
        return entry

    def expire(self, number: int) -> Entry | None:
        """Take an ask for lost; returns its entry, if it was out."""
        entry = self._close(number)
        if entry is not None:
            self.lose(entry.ask)
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

    def settle(self, new: Counts, probes: bool = False) -> None:
        """Count the answers of a whole round or race, of which there were no asks."""
        sums = new.sum(axis=0)
        left, right, ties = (int(sums[column]) for column in (WINS, LOSSES, TIES))
        if probes:
            tally = Tally(left, right, ties, int(sums[INCOMPARABLE_ANSWERS]))
        else:
            left, right = left + int(sums[SECOND_WINS]), right + int(sums[SECOND_LOSSES])
            tally = Tally(left, right, ties + int(sums[SECOND_TIES]))
        self.answers = self.answers.plus(tally)

    @property
    def lost_by_pair(self) -> tuple[LostShare, ...]:
        """What was lost of what was asked, for each pair that lost any."""
        return tuple(
            LostShare(*pair, lost=lost, asked=self._asked[pair])
            for pair, lost in self._lost.items()
        )


def _pair(ask: Ask) -> Pair:
    return ask.left, ask.right, ask.decoy
