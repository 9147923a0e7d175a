"""The ways a candidate can be compared with the pivots: the 𝒜 of the paper's UBSRoutine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from antichain.algorithms.board import Board
from antichain.algorithms.rounds import NEVER, Ahead, Indices, Plan, Round, round_of
from antichain.evidence.mixture import log_mixtures
from antichain.evidence.sequential import Floats, SequentialTest
from antichain.evidence.verdicts import LOSSES, LOST, WINS, Verdict, swapped


class Meeting(NamedTuple):
    """How a candidate fared against the pivots."""

    beaten: NDArray[np.bool_]
    """Pivots shown below the candidate."""
    dominator: int
    """Position of the first pivot shown above it, or −1."""


class Compare(Protocol):
    """A way to compare a candidate with the pivots, given who comes after it."""

    def __call__(
        self, board: Board, candidate: int, pivots: Indices, upcoming: Indices
    ) -> Plan[Meeting]:
        """The plan of one candidate's comparisons."""
        ...


class DirectComparisons:
    """Item against item, starting from all duels of the pair in earlier epochs."""

    def __init__(self, test: SequentialTest, early_exit: bool) -> None:
        self.test = test
        self.early_exit = early_exit
        self.stop = frozenset({Verdict.RIGHT}) if early_exit else NEVER

    def __call__(
        self, board: Board, candidate: int, pivots: Indices, upcoming: Indices
    ) -> Plan[Meeting]:
        """Compare with every pivot, or until one is above."""
        counts = board.counts

        def ahead() -> Iterable[Round]:
            # Who comes next will meet these pivots, and the candidate if it becomes one.
            everyone = np.append(pivots, candidate)
            for other in upcoming.tolist():
                yield round_of(other, everyone, self.test, start=counts.direct(other, everyone))

        outcome = yield round_of(
            candidate,
            pivots,
            self.test,
            start=counts.direct(candidate, pivots),
            stop=self.stop,
            ahead=ahead if self.early_exit else None,
        )
        return Meeting(outcome.said(Verdict.LEFT), outcome.first(Verdict.RIGHT))


class DecoysInStep:
    """The paper's decoy comparison: both directions of every pair, in step."""

    def __init__(self, test: SequentialTest, early_exit: bool) -> None:
        self.test = test
        self.stop = frozenset({Verdict.RIGHT}) if early_exit else NEVER

    def __call__(
        self, board: Board, candidate: int, pivots: Indices, upcoming: Indices
    ) -> Plan[Meeting]:
        """Compare with every pivot, or until one is above."""
        outcome = yield round_of(candidate, pivots, self.test, stop=self.stop)
        return Meeting(outcome.said(Verdict.LEFT), outcome.first(Verdict.RIGHT))


class DecoysOneSided:
    """Each direction by itself: first whether a pivot is above, then which pivots are below.

    Direct duels already played multiply into the bet on dominance, never into the bet against
    it (docs/errata.md, 7).
    """

    def __init__(
        self, test: SequentialTest, early_exit: bool, direct_grid: Floats | None = None
    ) -> None:
        self.test = test
        self.direct_grid = direct_grid
        self.early_exit = early_exit
        self.stop = frozenset({Verdict.LEFT}) if early_exit else NEVER

    def __call__(
        self, board: Board, candidate: int, pivots: Indices, upcoming: Indices
    ) -> Plan[Meeting]:
        """Is some pivot above? If not, which pivots are below?"""

        def after() -> Iterable[Round]:
            everyone = np.append(pivots, candidate)
            for other in upcoming.tolist():
                yield self._above(board, other, everyone)
                yield self._below(board, other, everyone)

        def ahead() -> Iterable[Round]:
            yield self._below(board, candidate, pivots)
            yield from after()

        above = yield self._above(board, candidate, pivots, ahead if self.early_exit else None)
        dominator = above.first(Verdict.LEFT)
        if dominator >= 0 and self.early_exit:
            return Meeting(np.zeros(pivots.size, np.bool_), dominator)
        below = yield self._below(board, candidate, pivots, after if self.early_exit else None)
        return Meeting(below.said(Verdict.LEFT), dominator)

    def _above(self, board: Board, candidate: int, pivots: Indices, ahead: Ahead = None) -> Round:
        """Each pivot against the candidate's decoy."""
        return round_of(
            pivots,
            candidate,
            self.test,
            start=board.counts.decoys(pivots, np.full(pivots.size, candidate)),
            prior_evidence=self._prior_evidence(board, candidate, pivots, of_candidate=False),
            stop=self.stop,
            ahead=ahead,
        )

    def _below(self, board: Board, candidate: int, pivots: Indices, ahead: Ahead = None) -> Round:
        """The candidate against each pivot's decoy."""
        return round_of(
            candidate,
            pivots,
            self.test,
            start=board.counts.decoys(np.full(pivots.size, candidate), pivots),
            prior_evidence=self._prior_evidence(board, candidate, pivots, of_candidate=True),
            ahead=ahead,
        )

    def _prior_evidence(
        self, board: Board, candidate: int, pivots: Indices, of_candidate: bool
    ) -> Floats | None:
        """Log-evidence of the direct duels for dominance of one side."""
        if self.direct_grid is None:
            return None
        counts = board.counts.direct(candidate, pivots)
        if not of_candidate:
            counts = swapped(counts)
        return log_mixtures(self.direct_grid, counts[:, WINS], counts[:, LOSSES] + counts[:, LOST])
