"""How δ is split between the kinds of claims, and Holm's step-down on e-values."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.errors import ParameterError

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
                checks.between(f"the share of {field.name}", share, 0.0, math.nextafter(1.0, 2.0))
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
