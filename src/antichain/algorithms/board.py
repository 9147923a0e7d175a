"""What a plan knows and notes down while it runs: who is left, who fell to whom, how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from antichain.algorithms.counts import DuelCounts
from antichain.algorithms.result import Epoch


class Board:
    """The state of a plan: survivors, eliminations, epochs, evidence, random choices.

    Items are numbered from 0, in the order in which they were given.

    Attributes:
        size: How many items there are.
        rng: The source of every random choice the plan makes.
        counts: The evidence so far; `counts.direct(left, rights)` is what a comparison of a
            pair can start from.
        fallen: Each eliminated item and the one that was shown above it.
        too_close: Pairs shown comparable and too close to order.
        epochs: The phases that are over.
        phase: The name of the one under way.

    Example:
        >>> board = Board(3, seed=0)
        >>> with board.epoch("peel 1", 0.1, entering=3):
        ...     board.eliminate(2, winner=0)
        >>> board.fallen, board.epochs[0].surviving
        ({2: 0}, 2)
    """

    def __init__(self, size: int, seed: int, counts: DuelCounts | None = None) -> None:
        self.size = size
        self.rng = np.random.default_rng(seed)
        self.counts = DuelCounts(size) if counts is None else counts
        self.fallen: dict[int, int] = {}
        self.too_close: list[tuple[int, int]] = []
        self.epochs: list[Epoch] = []
        self.phase = ""

    def eliminate(self, loser: int, winner: int) -> None:
        """Note that `winner` was shown above `loser`, which leaves the game."""
        self.fallen[int(loser)] = int(winner)
        self.counts.retire(int(loser))

    @contextmanager
    def epoch(self, name: str, epsilon: float | None, entering: int) -> Iterator[None]:
        """Note down what happens inside as one phase of the run.

        Args:
            name: What the phase is called in the result.
            epsilon: The gap that the phase looks for, if it looks for one.
            entering: How many items enter it.
        """
        self.phase = name
        before, fallen = self.counts.duels, len(self.fallen)
        yield
        surviving = entering - (len(self.fallen) - fallen)
        self.epochs.append(Epoch(name, epsilon, entering, surviving, self.counts.duels - before))
