"""What SlicingBandits asks of a maximum finder: the top of a chain, with a guarantee."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from antichain.algorithms.board import Board
from antichain.algorithms.rounds import Indices, Plan


@runtime_checkable
class MaximumFinder(Protocol):
    """A dueling algorithm 𝒜(C, δ) for totally ordered sets."""

    name: ClassVar[str]

    def find(self, board: Board, chain: Indices, delta: float) -> Plan[int]:
        """The maximum of `chain`, wrong with probability at most `delta`."""
        ...
