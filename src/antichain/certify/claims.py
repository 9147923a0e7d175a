"""From evidence to claims: which items are in, out or in a cycle, and what a pair shows.

Everything here is by index; `certifier` adds the names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.certify.budget import Rejections, Split, step_down
from antichain.certify.weigh import Weighed, WeighedDecoys
from antichain.orders.closure import strong_components

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Claims:
    """What the evidence shows, each family of claims at its share of δ.

    Attributes:
        weighed: The evidence.
        above: For each pair asked (rows), whether its first item is shown to be above the second,
            and the other way round.
        above_levels: The level that each of these was tested at.
        pooled: For each item, whether all its duels together show that it is not maximal.
        inside: For each item, whether every other one is shown not to beat it by more than ε.
        even: For each pair asked, whether neither beats the other by more than ε.
        incomparable: For each pair asked, whether most voters cannot compare the two.
        groups: The items of each cycle of dominances, by index.
    """

    weighed: Weighed
    above: Mask
    above_levels: Floats
    pooled: Rejections
    inside: Rejections
    even: Rejections
    incomparable: Rejections
    groups: tuple[Indices, ...]

    @cached_property
    def grouped(self) -> Indices:
        """The number of each item's group, −1 for an item in no cycle."""
        labels = np.full(self.weighed.size, -1, dtype=np.int64)
        for number, members in enumerate(self.groups):
            labels[members] = number
        return labels

    @cached_property
    def dominances(self) -> Dominances:
        """Every dominance shown."""
        return _dominances(self.weighed, self.above)

    @cached_property
    def outsiders(self) -> Dominances:
        """The dominances except those within a group, which say nothing about the group."""
        uppers, lowers, _, _ = self.dominances
        labels = self.grouped
        within = (labels[uppers] == labels[lowers]) & (labels[uppers] >= 0)
        return Dominances(*(part[~within] for part in self.dominances))

    @cached_property
    def out(self) -> Mask:
        """Whether each item is out: dominated from outside its group, or not maximal if pooled.

        An item of a cycle loses to another item of that cycle, so its pooled duels say nothing
        more: it is out only if an item from outside is above it.
        """
        beaten = np.zeros(self.weighed.size, dtype=np.bool_)
        beaten[self.outsiders.lowers] = True
        return np.asarray(beaten | (self.pooled.rejected & (self.grouped < 0)))

    @property
    def front(self) -> Mask:
        """Whether each item is certified to be in."""
        return self.inside.rejected & ~self.out & (self.grouped < 0)

    @property
    def undecided(self) -> Mask:
        """Whether each item is neither in nor out, nor in a cycle."""
        return ~self.inside.rejected & ~self.out & (self.grouped < 0)


class Dominances(NamedTuple):
    """Dominances: the upper and the lower item by index, and the pair and direction they are of."""

    uppers: Indices
    lowers: Indices
    rows: Indices
    sides: Indices


def _dominances(weighed: Weighed, above: Mask) -> Dominances:
    rows, sides = np.nonzero(above)
    ends = np.stack([weighed.first, weighed.second], axis=1)
    return Dominances(ends[rows, sides], ends[rows, 1 - sides], rows, sides)


def claims_of(weighed: Weighed, split: Split, delta: float) -> Claims:
    """Return what `weighed` shows if each family of claims spends its share of `delta`."""
    spent = split.of(delta)
    size, pairs = weighed.size, weighed.size * (weighed.size - 1)
    dominance = step_down(weighed.above.ravel(), pairs, spent["pairs"])
    above = dominance.rejected.reshape(-1, 2)
    return Claims(
        weighed=weighed,
        above=above,
        above_levels=dominance.levels.reshape(-1, 2),
        pooled=step_down(weighed.pooled, size, spent["pooled"]),
        inside=step_down(weighed.cleared(), size, spent["inside"]),
        # At most one of a pair's two gaps can exceed ε, and the smaller of the two e-values is
        # valid against whichever it is.
        even=step_down(weighed.within.min(axis=1), pairs // 2, spent["even"]),
        incomparable=step_down(weighed.incomparable, pairs // 2, spent["incomparable"]),
        groups=_groups(_dominances(weighed, above)),
    )


def _groups(shown: Dominances) -> tuple[Indices, ...]:
    """Find the items of each cycle, among those with anything above or below them."""
    items, ends = np.unique(np.concatenate([shown.uppers, shown.lowers]), return_inverse=True)
    relation = np.zeros((len(items), len(items)), dtype=np.bool_)
    relation[tuple(ends.reshape(2, -1))] = True
    return tuple(items[members] for members in strong_components(relation))


def decoy_claims(weighed: WeighedDecoys, items: int, alpha: float) -> tuple[Rejections, Rejections]:
    """Return which pairs are shown to be comparable, and which to be incomparable.

    For each pair exactly one of the two is false, so a union bound over pairs is enough for both
    together. There is no step-down: after a true claim about a pair, the false one can still be
    made.
    """
    level = alpha / max(1, items * (items - 1) // 2)
    threshold = -math.log(level) if level else math.inf
    levels = np.full(len(weighed.first), level)
    return (
        Rejections(weighed.comparable >= threshold, levels),
        Rejections(weighed.incomparable >= threshold, levels),
    )
