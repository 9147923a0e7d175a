"""What an algorithm's plan says to the search that runs it, and what it hears back.

A plan is a sequential program in the paper's grain: "compare c with these pivots, in this
order, with this test". It yields one `Round` (or `Race`) at a time and is sent the outcome. How
the duels are asked for, one at a time or a hundred side by side, is the search's business.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from antichain.evidence.sequential import COUNTS, Counts, Floats, SequentialTest
from antichain.evidence.verdicts import Verdict

Indices = NDArray[np.int64]
NEVER: frozenset[Verdict] = frozenset()
Ahead: TypeAlias = "Callable[[], Iterable[Round]] | None"


@cache
def stop_mask(stop: frozenset[Verdict]) -> NDArray[np.bool_]:
    """Which verdict codes are in `stop`, as the kernels take it."""
    mask = np.zeros(len(Verdict), np.bool_)
    mask[[int(verdict) for verdict in stop]] = True
    mask.flags.writeable = False
    return mask


@dataclass(frozen=True, eq=False)
class Round:
    """Comparisons in order, each run to its verdict, up to the first verdict in `stop`.

    However the answers come in, the outcome is that of running the comparisons one after the
    other: a comparison behind the first that stops the round is dropped, and what was already
    asked for it is spare.
    """

    lefts: Indices
    rights: Indices
    test: SequentialTest
    start: Counts
    """Counts each comparison starts from: evidence carried over, shape (comparisons, 8)."""
    bonus: Floats
    """Log-evidence from elsewhere (bets), or the number of duels (fixed), one a comparison."""
    stop: frozenset[Verdict] = NEVER
    ahead: Ahead = None
    """Rounds that will probably follow: work for voters who would otherwise wait."""

    def __len__(self) -> int:
        return self.lefts.size


@dataclass(frozen=True, eq=False)
class Race:
    """All pairs duelled in step; whoever loses a verdict leaves with all its pairs.

    Ends when every pair left is closed (EVEN). UniformSampling is made of these.
    """

    lefts: Indices
    rights: Indices
    test: SequentialTest

    def __len__(self) -> int:
        return self.lefts.size


@dataclass(frozen=True, eq=False)
class Outcome:
    """How a round came out: a verdict (OPEN if dropped) and the counts of each comparison."""

    verdicts: NDArray[np.int8]
    counts: Counts

    def said(self, verdict: Verdict) -> NDArray[np.bool_]:
        """Which comparisons ended with `verdict`."""
        # As a plain number: numpy asks an enum for attributes it does not have, which takes
        # long and swallows a Ctrl-C that comes just then.
        mask: NDArray[np.bool_] = self.verdicts == int(verdict)
        return mask

    def first(self, verdict: Verdict) -> int:
        """The first comparison that ended with `verdict`, or −1."""
        said = self.said(verdict)
        return int(said.argmax()) if said.any() else -1


@dataclass(frozen=True, eq=False)
class RaceOutcome:
    """How a race came out: who left, beaten by whom, and the counts of each pair."""

    eliminated: tuple[tuple[int, int], ...]
    """(loser, winner), in the order of leaving."""
    counts: Counts


Value = TypeVar("Value")
Plan = Generator[Round | Race, Any, Value]
"""A plan yields rounds, is sent outcomes, and returns a value in the end."""


def round_of(
    lefts: Indices | int,
    rights: Indices | int,
    test: SequentialTest,
    *,
    start: Counts | None = None,
    bonus: Floats | None = None,
    stop: frozenset[Verdict] = NEVER,
    ahead: Ahead = None,
) -> Round:
    """A round with one side broadcast over the other, and nothing carried over by default."""
    size = np.size(rights) if isinstance(lefts, int | np.integer) else np.size(lefts)
    if isinstance(lefts, int | np.integer):
        lefts = np.full(size, lefts, np.int64)
    if isinstance(rights, int | np.integer):
        rights = np.full(size, rights, np.int64)
    if start is None:
        start = np.zeros((size, COUNTS), np.int64)
    if bonus is None:
        bonus = np.zeros(size)
    return Round(lefts, rights, test, start, bonus, stop, ahead)
