"""The ask/tell game: one state machine that runs every algorithm's plan.

The plan is a sequential program (`_rounds`). The search turns the comparisons it is waiting for
into *asks* (a pair and a number of duels within its test's quota), takes tallies back in any
order, and moves the plan on when a round is complete. Comparisons of a round are worked on side
by side, and rounds that will probably follow may be started early; the outcome is always that
of the sequential program, and what turns out needless is counted as spare.

The rules of the game:

- a test is judged only when everything asked for it is in: never inside a bundle;
- an answer to an ask that expired, was answered before, or whose comparison was dropped is
  spare: counted, never evidence;
- an illegal move raises `ProtocolError` and changes nothing;
- looking changes nothing: work ahead of the round under way begins in `ask` only.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from antichain import _checks
from antichain.algorithms._counts import Costs, Counted, CountsByName, DuelCounts, added
from antichain.algorithms._events import (
    Asked,
    Duel,
    Event,
    Expired,
    History,
    Script,
    Settled,
    Told,
)
from antichain.algorithms._outstanding import Comparison, OpenRound, OutstandingAsks, Reading
from antichain.algorithms._result import PlanState, Result, versions
from antichain.algorithms._rounds import (
    Ask,
    Outcome,
    Plan,
    Race,
    RaceOutcome,
    Receipt,
    Round,
    close,
    race_in_rounds,
)
from antichain.errors import ParameterError, ProtocolError
from antichain.evidence._answers import OPEN, Answer, Counts, Tally
from antichain.evidence._sequential import SequentialTest
from antichain.orders._implications import UnfitError

if TYPE_CHECKING:
    from antichain.algorithms._base import Algorithm

_Key = tuple[SequentialTest, int, int]
"""What a comparison is known by while it is played ahead: its test and its two items."""


class Search:
    """A run of an algorithm over named items, played by ask and tell.

    Made by `Algorithm.start`. The run is over when it is `finished`. If `ask` is empty before
    that, outstanding answers are needed first (`waiting`).
    """

    def __init__(
        self,
        algorithm: Algorithm,
        items: Sequence[str],
        seed: int = 0,
        direct: CountsByName | None = None,
        decoys: CountsByName | None = None,
        *,
        history: bool = True,
    ) -> None:
        for name, counts in (("direct", direct), ("decoys", decoys)):
            _checks.instance(name, counts, Mapping, "a mapping from pairs to counts", optional=True)
        self._set_up(algorithm, items, seed, Counted(dict(direct or {}), dict(decoys or {})))
        self._stack: list[Plan[Any]] = [algorithm.plan(self._state)]
        self._advance(None)
        if direct or decoys:
            self._skip_decided()
        self._begin_history(history)

    def _set_up(
        self, algorithm: Algorithm, items: Sequence[str], seed: int, initial: Counted
    ) -> None:
        """The state before the first move."""
        self.algorithm = algorithm
        self.items = _checks.item_names(items)
        self.seed = _checks.whole("seed", seed, least=0)
        self._counts = DuelCounts(len(self.items), probes_count=algorithm.rules.lost == "ignore")
        self._state = PlanState(len(self.items), self.seed, self._counts)
        self._initial = initial
        self._start_from(self._initial)
        self._history: History | None = None
        self._reading = Reading(algorithm.rules, self.seed)
        self._message: Round | Race | None = None
        self._open: OpenRound | None = None
        self._ahead: dict[_Key, Comparison] = {}
        self._asks = OutstandingAsks()
        self._front: tuple[int, ...] | None = None

    def _begin_history(self, wanted: bool) -> None:
        """Keep events, from here on: all before happens again by itself."""
        self._history = History() if wanted else None

    def _start_from(self, initial: Counted) -> None:
        tests = self.algorithm.rules.tests
        if (initial.direct or initial.decoys) and tests != "bets":
            raise ParameterError(
                "The paper's fixed-sample intervals cannot start from counts collected elsewhere "
                f"(tests={tests!r}); use the default rules, with tests='bets'."
            )
        self._counts.start_from(initial.direct, initial.decoys, self.items)

    # -- the state of the game ---------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether the front is found."""
        return self._front is not None

    @property
    def waiting(self) -> bool:
        """Whether nothing can be asked until outstanding answers arrive or expire.

        While there is work further ahead, `ask()` may be empty and `ask(n)` is not.
        """
        if self.finished or self.message is not None:
            return False
        return not any(True for _ in self._wanted(ahead=True))

    @property
    def outstanding(self) -> tuple[Ask, ...]:
        """Asks not yet answered or given up."""
        return self._asks.asks

    @property
    def plan_state(self) -> PlanState:
        """The plan's state (for the loop and for progress; indices, not names)."""
        return self._state

    @property
    def message(self) -> Round | Race | None:
        """What the plan is waiting for, while no part of it has been asked; else None."""
        return self._message if self._open is None else None

    # -- ask -----------------------------------------------------------------------------------

    def ask(
        self,
        n: int | None = None,
        *,
        ahead: bool = True,
        singly: bool = False,
        avoid: Collection[frozenset[str]] = (),
    ) -> list[Ask]:
        """Return asks for at most `n` duels that may be played side by side.

        Without `n`, return all that is wanted next. With `n`, look further ahead if that is not
        enough, unless `ahead` is false. An empty list means finished or waiting. With `singly`,
        each duel is one ask, for voters who answer one at a time. Pairs to `avoid` come last.
        """
        room = math.inf if n is None else _checks.whole("the number of duels to ask for", n)
        asks: list[Ask] = []
        self._unfold()
        for comparison, stream in self._spread(ahead and n is not None, avoid):
            duels = int(min(comparison.missing(stream), room))
            sizes = [1] * duels if singly else [duels]
            asks += [self._make(comparison, stream, size) for size in sizes]
            room -= duels
            if room == 0:
                break
        self._note(Asked.of(asks))
        return asks

    def ask_for(
        self, duels: Sequence[Duel], sizes: Sequence[int] | None = None
    ) -> list[Ask | None]:
        """Return an ask for each of these duels (left, right, decoy), or None if not wanted now.

        For callers who choose among the duels that `ask` would come to, and for replaying a log.
        Asks are numbered in the order of `duels`. A duel that is not wanted uses up a number too:
        any answer to that number is spare.

        Args:
            duels: The duels, each with the right item as its decoy or not.
            sizes: How many of each duel to ask for; one of each if None.
        """
        self._unfold()
        sizes = [1] * len(duels) if sizes is None else sizes
        chosen: list[tuple[Comparison, int] | None] = [None] * len(duels)
        open_: dict[Duel, list[int]] = {}
        for position in reversed(range(len(duels))):
            open_.setdefault(duels[position], []).append(position)
        for comparison, stream in self._wanted(ahead=True):
            named = (*self._named(comparison, stream), comparison.test.against_decoys)
            positions, left = open_.get(named, []), comparison.missing(stream)
            while positions and left >= sizes[positions[-1]]:
                left -= sizes[positions[-1]]
                chosen[positions.pop()] = comparison, stream
            if not positions:
                open_.pop(named, None)
            if not open_:
                break
        asks: list[Ask | None] = []
        for choice, size in zip(chosen, sizes, strict=True):
            if choice is None:
                self._asks.pass_over()
            asks.append(None if choice is None else self._make(*choice, size))
        self._note(Asked(tuple(duels), tuple(sizes)))
        return asks

    def ask_about(self, duels: Sequence[Duel], about: Sequence[str | None]) -> None:
        """Make asks, each about one criterion; only a run with several criteria has them."""
        raise ProtocolError(f"An ask is about {about[0]!r}, but this run has no criteria.")

    def wants(self, ask: Ask | int) -> bool:
        """Whether an answer to this ask would be evidence if it came now."""
        entry = self._asks.find(self._asks.number(ask))
        return entry is not None and entry.comparison is not None

    def _wanted(self, ahead: bool) -> Iterator[tuple[Comparison, int]]:
        """Comparisons and streams with duels to ask for, surely needed ones first."""
        if self._open is None:
            return
        comparisons, limited = self._open.within_reach()
        for comparison in comparisons:
            for stream in comparison.wanted():
                yield comparison, stream
        foreseen = self._open.round.ahead
        if limited or not ahead or foreseen is None:
            return  # where a verdict may end the round, what is foreseen may not follow
        for coming in foreseen():
            for row in range(len(coming)):
                early = self._ahead.get(_key(coming, row)) or Comparison(coming, row)
                for stream in early.wanted():
                    yield early, stream

    def _spread(
        self, ahead: bool, avoid: Collection[frozenset[str]]
    ) -> Iterator[tuple[Comparison, int]]:
        """What is wanted, with the pairs to avoid at the end."""
        passed_over = False
        for comparison, stream in self._wanted(ahead):
            if avoid and frozenset(self._named(comparison, stream)) in avoid:
                passed_over = True
            else:
                yield comparison, stream
        if passed_over:
            yield from self._wanted(ahead)

    def _make(self, comparison: Comparison, stream: int, duels: int) -> Ask:
        if self._open is None or comparison not in self._open:
            self._ahead[comparison.test, comparison.left, comparison.right] = comparison
        return self._asks.make(self._named(comparison, stream), comparison, stream, duels)

    def _named(self, comparison: Comparison, stream: int) -> tuple[str, str]:
        left, right = comparison.left, comparison.right
        if stream == 1:
            left, right = right, left
        return self.items[left], self.items[right]

    # -- tell ----------------------------------------------------------------------------------

    def tell(
        self, ask: Ask | int, answers: Answer | str | Tally | Iterable[Answer | str]
    ) -> Receipt:
        """Take the answers to an ask, and say whether they are evidence or spare.

        Skipped duels are asked again.
        """
        number, tally = self._asks.number(ask), Tally.of(answers)
        self._asks.check_size(ask, tally)
        self._note(Told(number, tally))
        entry = self._asks.answer(number, tally)
        if entry is None or entry.comparison is None:
            return Receipt.SPARE
        self._reading.count(entry.comparison, entry.stream, tally)
        self._judge(entry.comparison)
        return Receipt.EVIDENCE

    def expire(self, ask: Ask | int) -> None:
        """Give up an ask: its duels are lost, and asked again if they are still wanted."""
        number = self._asks.number(ask)
        if self._asks.find(number) is None:
            return
        self._note(Expired(number))
        entry = self._asks.expire(number)
        if entry is None or entry.comparison is None:
            return
        self._reading.lose(entry.comparison, entry.stream, entry.ask.duels)
        self._judge(entry.comparison)

    # -- whole rounds at once, for arenas that can play them ------------------------------------

    def settle(self, outcome: Counts | RaceOutcome) -> None:
        """Take the counts of the whole round (or race) the plan is waiting for.

        Rows behind the first verdict that stops the round must be as they were. If some
        comparison before that is still open (a budget ran out), the round stays open from here.
        """
        message = self.message
        if message is None:
            raise ProtocolError("Nothing to settle: the run is over, or its round was asked for.")
        if isinstance(message, Race):
            if not isinstance(outcome, RaceOutcome):
                raise ProtocolError("A race is settled with a race's outcome.")
            self._note(Settled.of(message, outcome))
            self._asks.settle(outcome.counts)
            self._counts.book(message.lefts, message.rights, message.test, outcome.counts)
            self._advance(outcome)
            return
        if isinstance(outcome, RaceOutcome) or outcome.shape != message.start.shape:
            raise ProtocolError("A round is settled with the counts of each of its comparisons.")
        self._note(Settled.of(message, outcome))
        self._asks.settle(outcome - message.start, message.test.is_probe)
        verdicts = message.verdicts(outcome)
        closed, over = close(message, verdicts)
        if over:
            verdicts[closed:] = OPEN
            self._finish_round(message, Outcome(verdicts, outcome), closed)
            return
        self._unfold()  # a budget ran out: go on from here by asking
        assert self._open is not None
        self._open.take(outcome)
        self._move_on()

    def _skip_decided(self) -> None:
        """Go past rounds that the counts brought along already decide."""
        while isinstance(round_ := self._message, Round):
            if not close(round_, round_.verdicts(round_.start)).over:
                return
            self.settle(round_.start.copy())

    # -- moving the plan ---------------------------------------------------------------------

    def _judge(self, comparison: Comparison) -> None:
        """Read a comparison's verdict, and go as far as that allows."""
        assert self._open is not None  # something was asked for it
        self._open.judge(comparison)
        self._move_on()

    def _unfold(self) -> None:
        """Turn what the plan waits for into comparisons, until one of them is open."""
        while self._open is None and self._message is not None:
            if isinstance(self._message, Race):
                self._stack.append(race_in_rounds(self._message))
                self._advance(None)
                continue
            round_ = self._message
            rows = range(len(round_))
            self._open = OpenRound(round_, [self._comparison(round_, row) for row in rows])
            self._close()

    def _comparison(self, round_: Round, row: int) -> Comparison:
        """A row of a round, as far as it was played ahead."""
        early = self._ahead.pop(_key(round_, row), None)
        if early is not None and early.is_row(round_, row):
            early.row = row
            return early
        if early is not None:
            self._asks.drop([early])  # the plan knows more by now than when it was begun
        return Comparison(round_, row)

    def _move_on(self) -> None:
        """Go as far as the answers in allow."""
        self._close()
        self._unfold()

    def _close(self) -> None:
        """Hand the round under way to the plan, once it is over."""
        open_ = self._open
        if open_ is None or (ended := open_.outcome()) is None:
            return
        outcome, closed = ended
        self._open = None
        self._asks.drop(open_.comparisons[closed:])
        self._finish_round(open_.round, outcome, closed)

    def _finish_round(self, round_: Round, outcome: Outcome, closed: int) -> None:
        """Book what the comparisons that closed have played, and tell the plan."""
        lefts, rights = round_.lefts[:closed], round_.rights[:closed]
        new = outcome.counts[:closed] - round_.start[:closed]
        self._counts.book(lefts, rights, round_.test, new)
        self._advance(outcome)

    def _advance(self, outcome: Outcome | RaceOutcome | None) -> None:
        value: Any = outcome
        self._message = None
        while self._stack:
            try:
                self._message = self._stack[-1].send(value)
                break
            except StopIteration as stop:
                self._stack.pop()
                value = stop.value
            except UnfitError as error:  # plans know items by their numbers only
                raise UnfitError(error.sentence, error.items, self.items) from None
        else:
            self._front = tuple(sorted(int(item) for item in value))
            if gone := [self.items[item] for item in self._front if item in self._state.fallen]:
                raise ProtocolError(
                    f"the plan of {self.algorithm.name!r} returned {gone[0]!r} as a member of the "
                    "front, but it has eliminated that item."
                )
        fallen = self._state.fallen
        stale = [
            key for key in self._ahead if self.finished or key[1] in fallen or key[2] in fallen
        ]
        self._asks.drop([self._ahead.pop(key) for key in stale])

    # -- the same again ------------------------------------------------------------------------

    def _note(self, event: Event) -> None:
        if self._history is not None:
            self._history.note(event)

    def script(self) -> Script:
        """Return all that was done to this run so far, as plain data."""
        if self._history is None:
            raise ProtocolError(
                "The run was started with history=False, but one that keeps its history was "
                "expected: only such a run can be played again."
            )
        return Script(self.algorithm, self.items, self.seed, self._initial, self._history.events)

    def twin(self) -> Search:
        """Return a copy of this run in the same state, which can continue independently."""
        return self.script().play()

    # -- beginning and end -----------------------------------------------------------------------

    def costs(self) -> Costs:
        """What was spent so far, comparisons still under way included."""
        return self._counts_so_far().costs()

    def counts(self) -> Counted:
        """Every duel that is evidence so far, by name, eliminated items' included.

        Comparisons under way and counts brought along are included, spare answers are not. A
        new run can start from them, with `algorithm.start(items, direct=…, decoys=…)`, unless
        this run let decoy duels decide which direct duels to ask for, as `Witness` does (`twin`
        continues any run). Answers held against every claim (`Rules.lost`) have no place in such
        counts.
        """
        return added(self._counts_so_far().by_name(self.items), self._initial)

    def _counts_so_far(self) -> DuelCounts:
        """The counts of finished rounds, and of comparisons under way."""
        counts = self._counts.copy()
        by_test: dict[SequentialTest, list[Comparison]] = {}
        under_way = [] if self._open is None else self._open.comparisons
        for comparison in [*under_way, *self._ahead.values()]:
            by_test.setdefault(comparison.test, []).append(comparison)
        for test, comparisons in by_test.items():
            lefts = np.array([comparison.left for comparison in comparisons])
            rights = np.array([comparison.right for comparison in comparisons])
            counts.book(lefts, rights, test, np.stack([each.new for each in comparisons]))
        return counts

    def result(self) -> Result:
        """The front found; before the end, what is shown of it, and which items are undecided."""
        state, costs, lost = self._state, self.costs(), self._asks.lost_by_pair
        among = self._front
        if among is None:
            among = tuple(k for k in range(state.size) if k not in state.fallen)
        decided = self._decided_in()
        return Result(
            algorithm=self.algorithm.name,
            front=tuple(self.items[k] for k in among if k in decided),
            certified=self._front is not None and self.algorithm.guarantee is not None,
            duels=costs.duels,
            direct_duels=costs.direct,
            decoy_duels=costs.decoy,
            probes=costs.probes,
            spare=self._asks.spare,
            lost=sum(share.lost for share in lost),
            lost_by_pair=lost,
            answers={form.value: n for form, n in zip(Answer, self._asks.answers, strict=True)},
            dominated={self.items[k]: self.items[by] for k, by in sorted(state.fallen.items())},
            too_close=tuple(
                (self.items[min(pair)], self.items[max(pair)])
                for pair in state.too_close
                if not state.fallen.keys() & set(pair)
            ),
            undecided=tuple(self.items[k] for k in among if k not in decided),
            epochs=tuple(state.epochs),
            seed=self.seed,
            parameters=self.algorithm.parameters(),
            versions=dict(versions()),
        )

    def _decided_in(self) -> set[int]:
        """The items that are shown to be on the front: none before a plan comes to its end."""
        return set(self._front or ())


def _key(round_: Round, row: int) -> _Key:
    return round_.test, int(round_.lefts[row]), int(round_.rights[row])
