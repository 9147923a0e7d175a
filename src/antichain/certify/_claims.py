"""Claims on named pairs, and the cycles among them, by index; `_certifier` adds the names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.certify._verdicts import Judged
from antichain.certify._weigh import PairAnswers, WeighedDecoys
from antichain.orders._closure import strong_components

# How claims on pairs divide their share of δ, set by hand: "neither beats the other by more than
# ε", "most voters cannot compare them", and what decoys show. "This one is above that one" has
# the rest.
_EVEN, _INCOMPARABLE, _DECOYS = 0.2, 0.1, 0.2

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


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
    depend on each other, and however often you look.

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


class Dominances(NamedTuple):
    """Pairs in which one item is shown to be above the other: who, their rows, the upper's side."""

    uppers: Indices
    lowers: Indices
    rows: Indices
    sides: Indices

    def only(self, which: Mask) -> Dominances:
        return Dominances(*(part[which] for part in self))


@dataclass(frozen=True, eq=False)
class ClaimsOnPairs:
    """What is shown of named pairs.

    Attributes:
        dominances: One is above the other.
        levels: The level that each dominance was tested at, by pair and direction.
        even: For each pair asked, whether neither beats the other by more than ε.
        incomparable: For each pair asked, whether most voters cannot compare the two.
        decoys: For each pair of `WeighedDecoys`, whether it is comparable, and incomparable.
        groups: The items of each cycle of dominances, by index.
        grouped: The number of each item's group, −1 for an item in no cycle.
    """

    dominances: Dominances
    levels: Floats
    even: Rejections
    incomparable: Rejections
    decoys: tuple[Rejections, Rejections] | None
    groups: tuple[Indices, ...]
    grouped: Indices

    @cached_property
    def outsiders(self) -> Dominances:
        """The dominances except those within a group, which say nothing about the group."""
        labels = self.grouped
        of_upper, of_lower = labels[self.dominances.uppers], labels[self.dominances.lowers]
        return self.dominances.only((of_upper != of_lower) | (of_upper < 0))


def claims_on_pairs(judged: Judged, share: float) -> ClaimsOnPairs:
    """What is shown of named pairs if all claims on them spend `share`."""
    size, evidence = judged.read.size, judged.pairs
    pairs = size * (size - 1) // 2
    decoys = 0.0 if judged.decoys is None else _DECOYS
    dominance = step_down(
        evidence.above.ravel(), 2 * pairs, (1 - _EVEN - _INCOMPARABLE - decoys) * share
    )
    shown = dominances_of(judged.read, dominance.rejected.reshape(-1, 2))
    # That is all but implied by the other test; where it is not, items and pairs must agree.
    shown = shown.only(judged.verdicts.out[shown.lowers])
    groups = groups_of(shown)
    return ClaimsOnPairs(
        dominances=shown,
        levels=dominance.levels.reshape(-1, 2),
        # At most one of a pair's two gaps can exceed ε, and the smaller of the two e-values is
        # valid against whichever it is.
        even=step_down(evidence.even, pairs, _EVEN * share),
        incomparable=step_down(evidence.incomparable, pairs, _INCOMPARABLE * share),
        decoys=(
            None if judged.decoys is None else decoy_claims(judged.decoys, size, decoys * share)
        ),
        groups=groups,
        grouped=labels_of(groups, size),
    )


def dominances_of(read: PairAnswers, above: Mask) -> Dominances:
    rows, sides = np.nonzero(above)
    ends = np.stack([read.first, read.second], axis=1)
    return Dominances(ends[rows, sides], ends[rows, 1 - sides], rows, sides)


def groups_of(shown: Dominances) -> tuple[Indices, ...]:
    """The items of each cycle."""
    items, ends = np.unique(np.concatenate([shown.uppers, shown.lowers]), return_inverse=True)
    relation = np.zeros((len(items), len(items)), dtype=np.bool_)
    relation[tuple(ends.reshape(2, -1))] = True
    return tuple(items[members] for members in strong_components(relation))


def labels_of(groups: tuple[Indices, ...], size: int) -> Indices:
    """The number of each item's group, −1 for an item in none."""
    labels = np.full(size, -1, dtype=np.int64)
    for number, members in enumerate(groups):
        labels[members] = number
    return labels


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
