"""The ask/tell game: one state machine that runs every algorithm's plan.

The plan is a sequential program (`rounds`). The search turns the comparisons it is waiting for
into *asks* (a pair and a number of duels within its test's quota), takes tallies back in any
order, and moves the plan on when a round is complete. Comparisons of a round are worked on side
by side, and rounds that will probably follow may be started early; the outcome is always that
of the sequential program, and what turns out needless is counted as spare.

Rules of the game, all of them kept here:

- a test is judged only when everything asked for it is in: never inside a bundle;
- an answer to an ask that expired, was answered before, or whose comparison was dropped is
  spare: counted, never evidence;
- an illegal move raises `ProtocolError` and changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from antichain import checks
from antichain.algorithms.asks import Ask, Receipt
from antichain.algorithms.board import Board, Tolls
from antichain.algorithms.events import (
    Asked,
    Duel,
    Event,
    Expired,
    History,
    Script,
    Settled,
    Told,
)
from antichain.algorithms.pending import Comparison, Reading
from antichain.algorithms.played import Counted, Played, added
from antichain.algorithms.race import race_in_rounds
from antichain.algorithms.register import Register, against_decoy
from antichain.algorithms.result import Result, versions
from antichain.algorithms.rounds import (
    Indices,
    Outcome,
    Plan,
    Race,
    RaceOutcome,
    Round,
    stop_mask,
)
from antichain.algorithms.warm import Warm, load_counts
from antichain.errors import InputError, ProtocolError
from antichain.evidence.answers import Answer, Tally
from antichain.evidence.sequential import Counts, SequentialTest, judge_all
from antichain.evidence.verdicts import OPEN, Verdict

if TYPE_CHECKING:
    from antichain.algorithms.base import Algorithm


class Search:
    """A run of an algorithm over named items, played by ask and tell.

    Made by `Algorithm.start`. The game is over when `finished`; an empty `ask` before that
    means that the answers still out are needed first (`waiting`).
    """

    def __init__(
        self,
        algorithm: Algorithm,
        items: Sequence[str],
        seed: int = 0,
        direct: Warm | None = None,
        decoys: Warm | None = None,
        *,
        history: bool = True,
    ) -> None:
        self.algorithm = algorithm
        if isinstance(items, str) or not isinstance(items, Iterable):
            raise InputError(f"Items are a list of names; got {items!r}.")
        self.items = tuple(items)
        self.seed = checks.whole("seed", seed, least=0)
        self._index = _indexed(self.items)
        self._board = Board(len(self.items), self.seed)
        load_counts(self._board, self._index, algorithm.rules, direct or {}, decoys or {})
        self._brought = Counted(dict(direct or {}), dict(decoys or {}))
        self._history: History | None = None
        self._played = Played(len(self.items))
        self._reading = Reading(algorithm.rules, self.seed)
        self._stack: list[Plan[Any]] = [algorithm.plan(self._board)]
        self._message: Round | Race | None = None
        self._comparisons: list[Comparison] | None = None
        self._closed = 0
        self._ahead: dict[tuple[int, int, int], Comparison] = {}
        self._register = Register()
        self._front: tuple[int, ...] | None = None
        self._advance(None)
        if direct or decoys:
            self._skip_decided()
        if history:
            self._history = History()  # from here on: all before happens again by itself

    # -- the state of the game ---------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether the front is found."""
        return self._front is not None

    @property
    def waiting(self) -> bool:
        """Whether nothing at all can be asked until answers that are out come in or expire.

        While there is work further ahead, `ask()` may be empty and `ask(n)` is not.
        """
        if self.finished or self.message is not None:
            return False
        return not any(True for _ in self._wanted(ahead=True))

    @property
    def outstanding(self) -> tuple[Ask, ...]:
        """Asks not yet answered or given up."""
        return self._register.outstanding

    @property
    def board(self) -> Board:
        """The plan's notes (for the loop and for progress; indices, not names)."""
        return self._board

    @property
    def message(self) -> Round | Race | None:
        """What the plan is waiting for, while no part of it has been asked; else None."""
        return self._message if self._comparisons is None else None

    # -- ask -----------------------------------------------------------------------------------

    def ask(
        self,
        n: int | None = None,
        *,
        ahead: bool = True,
        singly: bool = False,
        avoid: Collection[frozenset[str]] = (),
    ) -> list[Ask]:
        """Asks for at most `n` duels that may be played side by side.

        Without `n`, all that is wanted next. With `n`, work is sought further ahead when that
        is not enough, unless `ahead` is false. An empty list means finished or waiting. Asked
        `singly`, each duel is an ask of its own, for voters who answer one at a time. Pairs to
        `avoid` come last.
        """
        room = math.inf if n is None else checks.whole("the number of duels to ask for", n)
        asks: list[Ask] = []
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
        """An ask for each of these duels (left, right, decoy), or None if it is not wanted now.

        For callers who choose among the duels that `ask` would come to, and for replaying a log.
        Asks are numbered in the order of `duels`. A duel that is not wanted uses up a number too:
        whatever is told to that number is spare.

        Args:
            duels: The duels, each with the right item as its decoy or not.
            sizes: How many of each duel to ask for; one of each if None.
        """
        sizes = [1] * len(duels) if sizes is None else sizes
        chosen: list[tuple[Comparison, int] | None] = [None] * len(duels)
        open_: dict[Duel, list[int]] = {}
        for position in reversed(range(len(duels))):
            open_.setdefault(duels[position], []).append(position)
        for comparison, stream in self._wanted(ahead=True):
            named = (*self._named(comparison, stream), against_decoy(comparison))
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
                self._register.pass_over()
            asks.append(None if choice is None else self._make(*choice, size))
        self._note(Asked(tuple(duels), tuple(sizes)))
        return asks

    def wants(self, ask: Ask | int) -> bool:
        """Whether an answer to this ask would be evidence if it came now."""
        entry = self._register.find(self._register.number(ask))
        return entry is not None and entry.comparison is not None

    def _wanted(self, ahead: bool) -> Iterator[tuple[Comparison, int]]:
        """Comparisons and streams with duels to ask for, surely needed ones first."""
        self._unfold()
        if self._comparisons is None or not isinstance(self._message, Round):
            return
        for comparison in self._comparisons[self._closed :]:
            yield from _open_streams(comparison)
            if comparison.verdict in self._message.stop:
                return  # whatever stands behind it would be dropped
        if ahead and self._message.ahead is not None:
            for round_ in self._message.ahead():
                for row in range(len(round_)):
                    key = _key(round_, row)
                    if key not in self._ahead:
                        self._ahead[key] = Comparison(round_, row)
                    yield from _open_streams(self._ahead[key])

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
        return self._register.make(self._named(comparison, stream), comparison, stream, duels)

    def _named(self, comparison: Comparison, stream: int) -> tuple[str, str]:
        left, right = comparison.left, comparison.right
        if stream == 1:
            left, right = right, left
        return self.items[left], self.items[right]

    # -- tell ----------------------------------------------------------------------------------

    def tell(
        self, ask: Ask | int, answers: Answer | str | Tally | Iterable[Answer | str]
    ) -> Receipt:
        """Take the answers to an ask; says whether they are evidence or spare.

        Skipped duels are asked again.
        """
        register = self._register
        number, tally = register.number(ask), Tally.of(answers)
        register.check_size(ask, tally)
        self._note(Told(number, tally))
        entry = register.answer(number, tally)
        if entry is None or entry.comparison is None:
            return Receipt.SPARE
        self._reading.count(entry.comparison, entry.stream, tally)
        entry.comparison.judge()
        self._move_on()
        return Receipt.EVIDENCE

    def expire(self, ask: Ask | int) -> None:
        """Give an ask up: its duels are lost, and asked again if they are still wanted."""
        number = self._register.number(ask)
        if self._register.find(number) is None:
            return
        self._note(Expired(number))
        entry = self._register.expire(number)
        if entry is None or entry.comparison is None:
            return
        self._reading.lose(entry.comparison, entry.stream, entry.ask.duels)
        entry.comparison.judge()
        self._move_on()

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
            self._charge(message, outcome.counts)
            self._register.settle(outcome.counts)
            self._advance(outcome)
            return
        if isinstance(outcome, RaceOutcome) or outcome.shape != message.start.shape:
            raise ProtocolError("A round is settled with the counts of each of its comparisons.")
        self._note(Settled.of(message, outcome))
        test = message.test
        verdicts = judge_all(test.kind, test.numbers, outcome, message.bonus)
        stops = stop_mask(message.stop)[verdicts]
        first = int(stops.argmax()) if stops.any() else len(message) - 1
        self._register.settle(outcome - message.start, test.is_probe)
        if (verdicts[: first + 1] == OPEN).any():
            self._leave_open(message, outcome)
            return
        verdicts[first + 1 :] = OPEN
        self._finish_round(Outcome(verdicts, outcome))

    def _skip_decided(self) -> None:
        """Go past rounds that the counts brought along already decide."""
        while isinstance(self._message, Round) and self._is_decided(self._message):
            self.settle(self._message.start.copy())

    @staticmethod
    def _is_decided(round_: Round) -> bool:
        verdicts = judge_all(round_.test.kind, round_.test.numbers, round_.start, round_.bonus)
        stops = np.flatnonzero(stop_mask(round_.stop)[verdicts])
        return not (verdicts[: stops[0] if stops.size else None] == OPEN).any()

    def _leave_open(self, message: Round, counts: Counts) -> None:
        self._unfold()
        assert self._comparisons is not None
        for row, comparison in enumerate(self._comparisons):
            comparison.counts = counts[row].copy()
            comparison.judge()
        self._move_on()

    # -- moving the plan ---------------------------------------------------------------------

    def _unfold(self) -> None:
        """Turn what the plan waits for into comparisons, until one of them is open."""
        while self._comparisons is None and self._message is not None:
            if isinstance(self._message, Race):
                self._stack.append(race_in_rounds(self._message))
                self._advance(None)
                continue
            round_ = self._message
            self._comparisons = [self._comparison(round_, row) for row in range(len(round_))]
            self._closed = 0
            self._close()

    def _comparison(self, round_: Round, row: int) -> Comparison:
        """A row of a round, as far as it was played ahead."""
        key = _key(round_, row)
        return self._ahead.pop(key) if key in self._ahead else Comparison(round_, row)

    def _move_on(self) -> None:
        """Go as far as the answers in allow."""
        self._close()
        self._unfold()

    def _close(self) -> None:
        """Close comparisons in order; hand a complete round to the plan."""
        round_ = self._message
        if self._comparisons is None or not isinstance(round_, Round):
            return
        while self._closed < len(self._comparisons):
            verdict = self._comparisons[self._closed].verdict
            if verdict is Verdict.OPEN:
                return
            self._closed += 1
            if verdict in round_.stop:
                break
        kept, dropped = self._comparisons[: self._closed], self._comparisons[self._closed :]
        counts = round_.start.copy()
        verdicts = np.zeros(len(round_), np.int8)
        for row, comparison in enumerate(kept):
            counts[row] = comparison.counts
            verdicts[row] = comparison.verdict
        self._comparisons = None
        self._register.drop(dropped)
        self._finish_round(Outcome(verdicts, counts))

    def _finish_round(self, outcome: Outcome) -> None:
        round_ = self._message
        assert isinstance(round_, Round)
        self._charge(round_, outcome.counts - round_.start)
        self._advance(outcome)

    def _charge(self, message: Round | Race, played: Counts) -> None:
        self._board.tolls.charge(message.lefts, message.rights, message.test, played)
        self._played.add(message.lefts, message.rights, message.test, played)

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
        else:
            self._front = tuple(sorted(int(item) for item in value))
        fallen = self._board.fallen
        stale = [
            key for key in self._ahead if self.finished or key[1] in fallen or key[2] in fallen
        ]
        self._register.drop([self._ahead.pop(key) for key in stale])

    # -- the same again ------------------------------------------------------------------------

    def _note(self, event: Event) -> None:
        if self._history is not None:
            self._history.note(event)

    def script(self) -> Script:
        """All that was done to this run so far, as plain data."""
        if self._history is None:
            raise ProtocolError(
                "The run was started with history=False, but one that keeps its history was "
                "expected: only such a run can be played again."
            )
        return Script(self.algorithm, self.items, self.seed, self._brought, self._history.events)

    def twin(self) -> Search:
        """Another run in exactly the state of this one, which can go its own way from here."""
        return self.script().play()

    # -- beginning and end -----------------------------------------------------------------------

    def tolls(self) -> Tolls:
        """What was spent so far, comparisons still under way included."""
        tolls = self._board.tolls.copy()
        for pair in self._under_way():
            tolls.charge(*pair)
        return tolls

    def counts(self) -> Counted:
        """Every duel that is evidence so far, by name, eliminated items' included.

        Comparisons under way and counts brought along are included, spare answers are not. A
        new run can start from them: `algorithm.start(items, direct=…, decoys=…)`, if it was not
        by decoy duels that this one decided on direct ones, as `Witness` does (`twin` goes on
        with any run). Answers held against every claim (`Rules.lost`) have no place in such
        counts.
        """
        played = self._played.copy()
        for pair in self._under_way():
            played.add(*pair)
        return added(played.by_name(self.items), self._brought)

    def _under_way(self) -> Iterator[tuple[Indices, Indices, SequentialTest, Counts]]:
        """The pairs of comparisons under way, and what was played of them."""
        for comparison in [*(self._comparisons or []), *self._ahead.values()]:
            yield (
                np.array([comparison.left]),
                np.array([comparison.right]),
                comparison.test,
                (comparison.counts - comparison.start)[None, :],
            )

    def result(self) -> Result:
        """The front found, or the best answer so far, marked as not certified."""
        board, tolls, lost = self._board, self.tolls(), self._register.lost_by_pair
        front = self._front
        if front is None:
            front = tuple(k for k in range(board.size) if k not in board.fallen)
        return Result(
            algorithm=self.algorithm.name,
            front=tuple(self.items[k] for k in front),
            certified=self.finished,
            duels=tolls.duels,
            direct_duels=tolls.direct,
            decoy_duels=tolls.decoy,
            probes=tolls.probes,
            spare=self._register.spare,
            lost=sum(share.lost for share in lost),
            lost_by_pair=lost,
            answers={form.value: n for form, n in zip(Answer, self._register.answers, strict=True)},
            dominated={self.items[k]: self.items[by] for k, by in sorted(board.fallen.items())},
            too_close=tuple(
                (self.items[min(pair)], self.items[max(pair)])
                for pair in board.too_close
                if not board.fallen.keys() & set(pair)
            ),
            epochs=tuple(board.epochs),
            seed=self.seed,
            parameters=self.algorithm.parameters(),
            versions=dict(versions()),
        )


def _open_streams(comparison: Comparison) -> Iterator[tuple[Comparison, int]]:
    if comparison.verdict is Verdict.OPEN:
        for stream in comparison.streams:
            if comparison.missing(stream) > 0:
                yield comparison, stream


def _key(round_: Round, row: int) -> tuple[int, int, int]:
    return id(round_.test), int(round_.lefts[row]), int(round_.rights[row])


def _indexed(items: Sequence[str]) -> dict[str, int]:
    if not items:
        raise InputError("A run needs at least one item; got none.")
    index: dict[str, int] = {}
    for position, name in enumerate(items):
        if not isinstance(name, str):
            raise InputError(f"Items are named by strings; got {name!r}.")
        if name in index:
            raise InputError(f"Items must be distinct; {name!r} is given twice.")
        index[name] = position
    return index
