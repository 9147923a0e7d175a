"""What a plan knows and notes down while it runs: who is left, who fell to whom, how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antichain.algorithms.ledger import Ledger
from antichain.algorithms.result import Epoch
from antichain.algorithms.rounds import Indices
from antichain.evidence.sequential import COUNTS, Counts, SequentialTest, Streams


@dataclass
class Tolls:
    """How many duels each item took part in, and the sums a result reports."""

    direct: int
    decoy: int
    probes: int
    peeling: NDArray[np.int64]
    """Direct duels and probes of each item."""
    against_decoys: NDArray[np.int64]
    """Duels of each item against some decoy."""
    as_decoy: NDArray[np.int64]
    """Duels of each item's decoy."""

    @property
    def duels(self) -> int:
        """All duels that counted as evidence."""
        return self.direct + self.decoy + self.probes

    def charge(self, lefts: Indices, rights: Indices, test: SequentialTest, played: Counts) -> None:
        """Book `played` (comparisons × 8) new duels of the pairs."""
        first = played[:, 0] + played[:, 1] + played[:, 2]
        if test.streams is Streams.DIRECT:
            if test.is_probe:
                first += played[:, 4]
                self.probes += int(first.sum())
            else:
                self.direct += int(first.sum())
            np.add.at(self.peeling, lefts, first)
            np.add.at(self.peeling, rights, first)
            return
        second = played[:, 4] + played[:, 5] + played[:, 6]
        self.decoy += int(first.sum() + second.sum())
        np.add.at(self.against_decoys, lefts, first)
        np.add.at(self.as_decoy, rights, first)
        if test.streams is Streams.BOTH_DECOYS:
            np.add.at(self.against_decoys, rights, second)
            np.add.at(self.as_decoy, lefts, second)

    def copy(self) -> Tolls:
        """A copy that can be charged without touching this one."""
        return Tolls(
            self.direct,
            self.decoy,
            self.probes,
            self.peeling.copy(),
            self.against_decoys.copy(),
            self.as_decoy.copy(),
        )


class Board:
    """The plan's notes: survivors, eliminations, epochs, evidence, random choices."""

    def __init__(self, size: int, seed: int) -> None:
        self.size = size
        self.rng = np.random.default_rng(seed)
        self.ledger = Ledger(size)
        self.decoy_counts: dict[tuple[int, int], Counts] = {}
        """Warm counts of left against the decoy of right."""
        self.fallen: dict[int, int] = {}
        """Each eliminated item and who was shown above it."""
        self.too_close: list[tuple[int, int]] = []
        """Pairs shown comparable and too close to order."""
        self.epochs: list[Epoch] = []
        self.phase = ""
        self.tolls = Tolls(0, 0, 0, *(np.zeros(size, np.int64) for _ in range(3)))

    def eliminate(self, loser: int, winner: int) -> None:
        """Note that `winner` was shown above `loser`, which leaves the game."""
        self.fallen[int(loser)] = int(winner)
        self.ledger.forget(np.array([loser], np.int64))

    @contextmanager
    def epoch(self, name: str, epsilon: float | None, entering: int) -> Iterator[None]:
        """Note down what happens inside as one phase of the run."""
        self.phase = name
        before, fallen = self.tolls.duels, len(self.fallen)
        yield
        surviving = entering - (len(self.fallen) - fallen)
        duels = self.tolls.duels - before
        self.epochs.append(Epoch(name, epsilon, entering, surviving, duels))

    def warm_decoys(self, lefts: Indices, rights: Indices) -> Counts:
        """Decoy counts to start from: zeros but for what the run was started with."""
        start = np.zeros((lefts.size, COUNTS), np.int64)
        if self.decoy_counts:
            for row, pair in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)):
                if pair in self.decoy_counts:
                    start[row] = self.decoy_counts[pair]
        return start
