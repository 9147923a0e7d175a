"""Finders of the maximum of a chain, for SlicingBandits."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan
from antichain.algorithms.chains._beat_the_mean import BeatTheMean
from antichain.algorithms.chains._challenge import Challenge
from antichain.algorithms.chains._interleaved_filter import InterleavedFilter
from antichain.algorithms.chains._knockout import Knockout
from antichain.algorithms.chains._peel import PeelToOne

__all__ = [
    "FINDERS",
    "BeatTheMean",
    "Challenge",
    "InterleavedFilter",
    "Knockout",
    "MaximumFinder",
    "PeelToOne",
]


@runtime_checkable
class MaximumFinder(Protocol):
    """A dueling algorithm 𝒜(C, δ) for totally ordered sets, as `SlicingBandits` needs one.

    A finder whose promise is proved states it in the class variable `guarantee`. With a finder that
    states none, `SlicingBandits` never certifies a front.
    """

    name: ClassVar[str]

    def find(self, state: PlanState, chain: Indices, delta: float) -> Plan[int]:
        """Return the maximum of `chain`; it is wrong with probability at most `delta`."""
        ...


FINDERS: dict[str, type[MaximumFinder]] = {
    finder.name: finder
    for finder in (Challenge, PeelToOne, InterleavedFilter, BeatTheMean, Knockout)
}
"""The finders by name."""
