"""From evidence to claims: which items are out, in, in a cycle, and what a pair shows.

All by index, nothing named: `certificate` puts the names to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antichain.certify.budget import Rejections, Split, step_down
from antichain.certify.weigh import Weighed
from antichain.orders.closure import strong_components

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Claims:
    """What the evidence shows, each family at its share of δ.

    Attributes:
        above: Whether the row's item is shown to be above the column's.
        above_levels: The level each of these was held against, 0 where the pair was not asked.
        pooled: Of each item, whether all its duels together show that it is not maximal.
        inside: Of each item, whether every other one is shown not to beat it by more than ε.
        even: Of each pair asked, whether neither beats the other by more than ε.
        incomparable: Of each pair asked, whether most voters cannot compare the two.
        groups: The items of each cycle of dominances, by index.
    """

    above: Mask
    above_levels: Floats
    pooled: Rejections
    inside: Rejections
    even: Rejections
    incomparable: Rejections
    groups: tuple[NDArray[np.int64], ...]

    @property
    def grouped(self) -> NDArray[np.int64]:
        """The number of each item's group, −1 for an item in no cycle."""
        labels = np.full(len(self.above), -1, dtype=np.int64)
        for number, members in enumerate(self.groups):
            labels[members] = number
        return labels

    def outsiders(self) -> Mask:
        """`above` without the dominances inside a group, which say nothing of the group."""
        labels = self.grouped
        within = (labels[:, None] == labels[None, :]) & (labels >= 0)[:, None]
        return np.asarray(self.above & ~within)

    def out(self) -> Mask:
        """Whether each item is out: dominated from outside its group, or not maximal if pooled.

        An item of a cycle loses to another one of that cycle, so that its pooled duels say
        nothing more: it is out only by an item from outside.
        """
        return np.asarray(
            self.outsiders().any(axis=0) | (self.pooled.rejected & (self.grouped < 0))
        )


def claims_of(weighed: Weighed, split: Split, delta: float) -> Claims:
    """What `weighed` shows when each family of claims spends its share of `delta`."""
    spent = split.of(delta)
    size, pairs = weighed.size, weighed.size * (weighed.size - 1)
    dominance = step_down(weighed.above.ravel(), pairs, spent["pairs"])
    above = np.zeros((size, size), dtype=np.bool_)
    levels = np.zeros((size, size))
    uppers = np.stack([weighed.first, weighed.second], axis=1).ravel()
    lowers = np.stack([weighed.second, weighed.first], axis=1).ravel()
    above[uppers, lowers] = dominance.rejected
    levels[uppers, lowers] = dominance.levels
    return Claims(
        above=above,
        above_levels=levels,
        pooled=step_down(weighed.pooled, size, spent["pooled"]),
        inside=step_down(weighed.cleared().min(axis=0), size, spent["inside"]),
        # At most one of a pair's two directions can be more than ε, and the smaller of the two
        # e-values is one against whichever it is.
        even=step_down(weighed.within.min(axis=1), pairs // 2, spent["even"]),
        incomparable=step_down(weighed.incomparable, pairs // 2, spent["incomparable"]),
        groups=tuple(strong_components(above)),
    )
