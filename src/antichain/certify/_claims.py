"""From evidence to claims: how δ is split, which items are in or out, and what a pair shows.

Everything here is by index; `_certifier` adds the names.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain.certify._weigh import Weighed, WeighedDecoys
from antichain.errors import ParameterError
from antichain.orders._closure import strong_components

_DECOYS = 0.2  # the share of δ for claims by decoys; this and the defaults below are set by hand


@dataclass(frozen=True)
class Split:
    """The share of δ that each kind of claim may spend; the shares add up to one.

    Attributes:
        pairs: "This item is above that one", over all ordered pairs.
        pooled: "This item is not maximal", from all its duels, over all items.
        inside: "No item beats this one by more than ε", over all items.
        even: "Neither of these two beats the other by more than ε", over all pairs.
        incomparable: "Most voters cannot compare these two", over all pairs.
        decoys: "Decoys show these two to be comparable" or "incomparable", over all pairs.
    """

    pairs: float = 0.25
    pooled: float = 0.25
    inside: float = 0.4
    even: float = 0.05
    incomparable: float = 0.05
    decoys: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            share = getattr(self, field.name)
            if share != 0:
                _checks.between(f"the share of {field.name}", share, 0.0, math.nextafter(1.0, 2.0))
        total = math.fsum(asdict(self).values())
        if not math.isclose(total, 1.0, rel_tol=1e-9):
            raise ParameterError(
                f"the shares of delta add up to {total:g}, but a sum of 1 was expected."
            )

    def without_pooling(self) -> Split:
        """Return the split for votes that must not be pooled: pairs get the share of pooling."""
        return replace(self, pairs=self.pairs + self.pooled, pooled=0.0)

    def with_decoys(self) -> Split:
        """Return the split if decoys are evidence: they get a fifth, unless they have a share."""
        if self.decoys:
            return self
        others = {name: (1 - _DECOYS) * share for name, share in asdict(self).items()}
        return Split(**others | {"decoys": _DECOYS})

    def of(self, delta: float) -> dict[str, float]:
        """Return how much of `delta` each kind of claim may spend."""
        return {name: share * delta for name, share in asdict(self).items()}


class Rejections(NamedTuple):
    """Which hypotheses are rejected, and at which levels.

    Attributes:
        rejected: Whether each hypothesis is rejected.
        levels: The level that each was tested at: it is rejected if its e-value is at least the
            inverse of the level.
    """

    rejected: NDArray[np.bool_]
    levels: NDArray[np.float64]


def step_down(log_evidence: NDArray[np.float64], family: int, alpha: float) -> Rejections:
    """Apply Holm's step-down to e-values; the result is valid at all times at once.

    The largest e-value must reach family/α, the next (family − 1)/α, and so on until one fails.
    Let m₀ hypotheses be true. With probability at least 1 − α none of their e-processes ever
    reaches m₀/α, and then none of them is ever rejected: the first one would be rejected after at
    most family − m₀ others, at a threshold of at least m₀/α. This holds however the e-processes
    depend on each other, and however often one looks.

    Args:
        log_evidence: Log e-values of the hypotheses about which there is any evidence.
        family: The number of all hypotheses, including those without evidence.
        alpha: The probability of ever rejecting a true hypothesis.
    """
    rejected = np.zeros(len(log_evidence), dtype=np.bool_)
    levels = np.zeros(len(log_evidence))
    if alpha <= 0 or not len(log_evidence):
        return Rejections(rejected, levels)
    order = np.argsort(-log_evidence, kind="stable")
    steps = alpha / (family - np.arange(len(order)))
    passed = log_evidence[order] >= -np.log(steps)
    count = len(passed) if passed.all() else int(passed.argmin())
    rejected[order[:count]] = True
    # Equal e-values get the same level, the strictest that the first of them had to pass.
    ranks = np.searchsorted(np.sort(-log_evidence), -log_evidence, side="left")
    return Rejections(rejected, steps[np.minimum(ranks, min(count, len(steps) - 1))])


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
        return self.inside.rejected & ~self.out & (self.grouped < 0)

    @property
    def undecided(self) -> Mask:
        return ~self.inside.rejected & ~self.out & (self.grouped < 0)


class Dominances(NamedTuple):
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
