"""What passes between an algorithm's plan, the search that runs it, and whoever answers.

A plan is a sequential program in the paper's grain: "compare c with these pivots, in this
order, with this test". It yields one `Round` (or `Race`) at a time and is sent the outcome. How
the duels are asked for, one at a time or a hundred side by side, is the search's business: it
turns rounds into `Ask`s, and says of each answer whether it is evidence (`Receipt`).

When a round ends is decided here, by `close`, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antichain._kernels import compiled
from antichain.evidence._answers import COUNTS, EVEN, LEFT, OPEN, Counts, Floats, Verdict
from antichain.evidence._sequential import SequentialTest

Indices = NDArray[np.int64]
NEVER: frozenset[Verdict] = frozenset()
Ahead: TypeAlias = "Callable[[], Iterable[Round]] | None"


# -- between the search and whoever answers ------------------------------------------------------


@dataclass(frozen=True)
class Ask:
    """A request for `duels` duels of `left` against `right` (or against `right`'s decoy).

    Attributes:
        id: Its number in the run.
        left: The item on the left.
        right: The item on the right.
        decoy: Whether the left item meets the decoy of the right one.
        duels: How many duels are asked for.
        criterion: The criterion to ask about, if there are several; otherwise None.
    """

    id: int
    left: str
    right: str
    decoy: bool
    duels: int
    criterion: str | None = None


class Receipt(Enum):
    """What became of an answer: `EVIDENCE`, or `SPARE` if the run no longer needed it."""

    EVIDENCE = "evidence"
    SPARE = "spare"


# -- between the plan and the search -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Round:
    """Comparisons in order, each run to its verdict, up to the first verdict in `stop`.

    However the answers come in, the outcome is that of running the comparisons one after the
    other: a comparison behind the first that stops the round is dropped, and what was already
    asked for it is spare. Make one with `round_of`.

    Attributes:
        lefts: The left item of each comparison.
        rights: The right item of each.
        test: The test that all of them are run with.
        start: The counts that each starts from: evidence carried over, one row per comparison.
        prior_evidence: Log-evidence that the left item is above, from elsewhere; for one-sided
            bets.
        targets: How many duels each is to have had in the end, carried-over ones included; for
            fixed numbers of duels.
        stop: The verdicts that end the round.
        ahead: Rounds that will probably follow: work for voters who would otherwise wait.
    """

    lefts: Indices
    rights: Indices
    test: SequentialTest
    start: Counts
    prior_evidence: Floats
    targets: Indices
    stop: frozenset[Verdict] = NEVER
    ahead: Ahead = None

    def __len__(self) -> int:
        return self.lefts.size

    def verdicts(self, counts: Counts) -> NDArray[np.int8]:
        """The verdict (as a code) of each comparison, given its counts."""
        return self.test.verdicts(counts, self.prior_evidence, self.targets)

    def quotas(self, counts: Counts, rows: Indices) -> Indices:
        """At least how many more duels each comparison of `rows` needs before any verdict."""
        return self.test.quotas(counts[rows], self.prior_evidence[rows], self.targets[rows])


@dataclass(frozen=True, eq=False)
class Race:
    """All pairs duel in step; an item that loses a verdict leaves with all its pairs.

    Ends when every pair left is closed (EVEN). UniformSampling is made of these.
    """

    lefts: Indices
    rights: Indices
    test: SequentialTest

    def __len__(self) -> int:
        return self.lefts.size


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome of a round: a verdict (OPEN if dropped) and the counts of each comparison."""

    verdicts: NDArray[np.int8]
    """The `Verdict` of each comparison, as a number."""
    counts: Counts
    """The counts of each comparison, one row for each (`Count` names the columns)."""

    def said(self, verdict: Verdict) -> NDArray[np.bool_]:
        """Return which comparisons ended with `verdict`."""
        # As a plain number: numpy asks an enum for attributes it does not have, which takes
        # long and swallows a Ctrl-C that comes just then.
        mask: NDArray[np.bool_] = self.verdicts == int(verdict)
        return mask

    def first(self, verdict: Verdict) -> int:
        """Return the first comparison that ended with `verdict`, or −1."""
        said = self.said(verdict)
        return int(said.argmax()) if said.any() else -1


@dataclass(frozen=True, eq=False)
class RaceOutcome:
    """The outcome of a race: which items left, what beat them, and the counts of each pair."""

    eliminated: tuple[tuple[int, int], ...]
    """(loser, winner), in the order of leaving."""
    counts: Counts
    """The counts of each pair, one row for each."""


Value = TypeVar("Value")
Plan = Generator[Round | Race, Any, Value]
"""A plan yields rounds, is sent outcomes, and returns a value in the end."""


def round_of(
    lefts: Indices | int,
    rights: Indices | int,
    test: SequentialTest,
    *,
    start: Counts | None = None,
    prior_evidence: Floats | None = None,
    targets: ArrayLike | None = None,
    stop: Collection[Verdict] | Verdict = NEVER,
    ahead: Ahead = None,
) -> Round:
    """Make a round, with one side broadcast over the other.

    Args:
        lefts: The left items, or one for all comparisons.
        rights: The right items, or one for all comparisons.
        test: The test to run each comparison with.
        start: Counts carried over, one row per comparison.
        prior_evidence: Log-evidence from elsewhere, one number per comparison.
        targets: Numbers of duels, one per comparison; rounded up.
        stop: The verdict or verdicts that end the round; none by default.
        ahead: Rounds that will probably follow.

    Example:
        Item 0 against items 1, 2 and 3, ten duels each:

        >>> round_ = round_of(0, np.array([1, 2, 3]), SequentialTest.fixed(), targets=[10] * 3)
        >>> len(round_), round_.lefts.tolist()
        (3, [0, 0, 0])
    """
    stop = frozenset({stop}) if isinstance(stop, Verdict) else frozenset(stop)
    size = np.size(rights) if isinstance(lefts, int | np.integer) else np.size(lefts)
    if isinstance(lefts, int | np.integer):
        lefts = np.full(size, lefts, np.int64)
    if isinstance(rights, int | np.integer):
        rights = np.full(size, rights, np.int64)
    if start is None:
        start = np.zeros((size, COUNTS), np.int64)
    if prior_evidence is None:
        prior_evidence = np.zeros(size)
    whole = np.zeros(size, np.int64) if targets is None else np.ceil(targets).astype(np.int64)
    return Round(lefts, rights, test, start, prior_evidence, whole, stop, ahead)


# -- when a round is over ------------------------------------------------------------------------


class Closing(NamedTuple):
    """How far a round has come.

    Attributes:
        closed: How many of its comparisons are closed for good, from the first on.
        over: Whether that ends the round: the last of them stops it, or none is left.
    """

    closed: int
    over: bool


def close(round_: Round, verdicts: NDArray[np.int8], known: int = 0) -> Closing:
    """How far a round has come, given a verdict (or OPEN) for each of its comparisons.

    Comparisons close in order, and the first verdict in `round_.stop` ends the round.

    Args:
        round_: The round.
        verdicts: The verdict of each comparison.
        known: How many comparisons were found closed before.
    """
    return Closing(*_close(stop_mask(round_.stop), verdicts, known))


@compiled
def _close(stop: NDArray[np.bool_], verdicts: NDArray[np.int8], known: int) -> tuple[int, bool]:
    for row in range(known, verdicts.size):
        if verdicts[row] == OPEN:
            return row, False
        if ends_round(stop, verdicts[row]):
            return row + 1, True
    return verdicts.size, True


def within_reach(round_: Round, verdicts: NDArray[np.int8]) -> tuple[int, bool]:
    """How many comparisons may still count, and whether a verdict limits them.

    They are those up to the first whose verdict ends the round. Some of them may be open, and
    one of those may end the round yet.
    """
    return _within_reach(stop_mask(round_.stop), verdicts)


@compiled
def _within_reach(stop: NDArray[np.bool_], verdicts: NDArray[np.int8]) -> tuple[int, bool]:
    for row in range(verdicts.size):
        if ends_round(stop, verdicts[row]):
            return row + 1, True
    return verdicts.size, False


@compiled
def ends_round(stop: NDArray[np.bool_], verdict: int) -> bool:
    """Whether a verdict ends a round that stops at the verdicts in `stop`."""
    return bool(stop[verdict])


@cache
def stop_mask(stop: frozenset[Verdict]) -> NDArray[np.bool_]:
    """Which verdict codes are in `stop`, as the kernels take it."""
    mask = np.zeros(len(Verdict), np.bool_)
    mask[[int(verdict) for verdict in stop]] = True
    mask.flags.writeable = False
    return mask


# -- races ---------------------------------------------------------------------------------------


def race_in_rounds(race: Race) -> Plan[RaceOutcome]:
    """The outcome of `race`, in rounds of as many duels per pair as no test could stop within."""
    test = race.test
    equal_share = SequentialTest.fixed(test.streams)
    counts = np.zeros((len(race), COUNTS), np.int64)
    open_ = np.ones(len(race), np.bool_)
    eliminated: list[tuple[int, int]] = []
    duels = 0
    while open_.any():
        rows = np.flatnonzero(open_)
        nothing, no_target = np.zeros(rows.size), np.zeros(rows.size, np.int64)
        duels += int(test.quotas(counts[rows], nothing, no_target).min())
        outcome = yield round_of(
            race.lefts[rows],
            race.rights[rows],
            equal_share,
            start=counts[rows],
            targets=np.full(rows.size, duels),
        )
        counts[rows] = outcome.counts
        verdicts = test.verdicts(counts[rows], nothing, no_target)
        for row, verdict in zip(rows.tolist(), verdicts.tolist(), strict=True):
            if not open_[row] or verdict == OPEN:
                continue
            open_[row] = False
            if verdict != EVEN:
                pair = int(race.lefts[row]), int(race.rights[row])
                winner, loser = pair if verdict == LEFT else pair[::-1]
                eliminated.append((loser, winner))
                open_ &= (race.lefts != loser) & (race.rights != loser)
    return RaceOutcome(tuple(eliminated), counts)
