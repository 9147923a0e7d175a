"""`Duels`: what arenas ask of a model of duels, whether it holds matrices or computes on demand."""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain.errors import OrderError

Indices = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Duels(ABC):
    """An order with gaps: item i wins a duel against item j with chance 1/2 + γ_ij.

    A subclass answers by index, which is a place in `items`; the answers by name follow from that.
    """

    @property
    @abstractmethod
    def items(self) -> tuple[str, ...]:
        """The items' names; an index is a place in this tuple."""

    @abstractmethod
    def gap_pairs(self, lefts: Indices, rights: Indices) -> Floats:
        """The gap of each of `lefts` over the one of `rights` beside it."""

    @abstractmethod
    def front_mask(self) -> Mask:
        """Whether each item is maximal."""

    @abstractmethod
    def distances(self) -> Floats:
        """Each item's distance Δ_i to the front: the least gap of a front item above it, or 0."""

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.items)

    def gap_row(self, left: int, rights: Indices) -> Floats:
        """The gaps of `left` over each of `rights`."""
        return self.gap_pairs(np.array([left]), rights)

    def decoy_distances(self, decoy_gap: float) -> Floats:
        """The distance to the front of each item's decoy: at least `decoy_gap`.

        The least of max(γ_ja, Δ) over front items j at or above a, which is max(Δ_a, Δ).
        """
        return np.maximum(self.distances(), _checks.gap("decoy_gap", decoy_gap))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.items)}

    def row(self, item: str) -> int:
        """The index of `item`; raises `OrderError` if there is no such item."""
        row = self._rows.get(item)
        if row is None:
            raise OrderError(
                f"{item!r} is not an item of this model, but one of its {self.size} items "
                f"({self.items[0]!r}, …) was expected."
            )
        return row

    def gap(self, left: str, right: str) -> float:
        """The gap of `left` over `right`: 0 when incomparable, negative when `right` is above."""
        return float(self.gap_row(self.row(left), np.array([self.row(right)]))[0])

    @cached_property
    def front(self) -> tuple[str, ...]:
        """The maximal items' names, in item order."""
        return tuple(self.items[row] for row in np.flatnonzero(self.front_mask()))

    def distance(self, item: str) -> float:
        """The distance of `item` to the front: the least gap of a front item above it, or 0."""
        return float(self.distances()[self.row(item)])

    @property
    def d_front(self) -> float | None:
        """The least gap between a front item and one it dominates; None if nothing is dominated."""
        dominated = self.distances()[~self.front_mask()]
        return float(dominated.min()) if len(dominated) else None


def decoy_gap_pairs(duels: Duels, lefts: Indices, rights: Indices, decoy_gap: float) -> Floats:
    """The gap of each of `lefts` over the decoy of the right item beside it.

    As Proposition "Extending a poset with a decoy" adds it: max(γ_ba, Δ) where b is at or above a,
    else 0; by order compatibility b is above a where γ > 0.
    """
    gaps = duels.gap_pairs(lefts, rights)
    return np.where((gaps > 0) | (lefts == rights), np.maximum(gaps, decoy_gap), 0.0)
