"""What pair counts themselves say about the front, without a bandit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antichain.orders.closure import strong_components
from antichain.orders.model import eps_front_mask
from antichain.ratings.pair_counts import PairCounts


@dataclass(frozen=True)
class ExactFront:
    """The exact ε-front of a matrix of pair counts, and how firmly it stands.

    Attributes:
        front: The items that no item beats by more than ε; empty if everything is beaten.
        doubtful: Items within sampling reach of being on the other side. An item on the front is
            if some opponent's gap over it is above ε at the upper end of its 95% interval; an
            item off the front is if every gap above ε over it is at most ε at the lower end. The
            intervals hold one pair at a time: many pairs are not corrected for.
        cycles: Sets of items each of which beats itself by way of others, every step by more
            than ε; real tastes need not be transitive.
    """

    front: tuple[str, ...]
    doubtful: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]


def exact_front(counts: PairCounts, epsilon: float) -> ExactFront:
    """The exact ε-front of `counts`; a pair without a common rater beats nobody."""
    gaps = np.nan_to_num(counts.gaps, nan=0.0)
    on_front = eps_front_mask(gaps, epsilon)
    # A pair that nobody compared leaves no interval to be within reach of.
    radii = np.where(counts.co_raters > 0, counts.radii, 0.0)
    may_fall = (gaps + radii > epsilon).any(axis=0)
    surely_beaten = (gaps - radii > epsilon).any(axis=0)
    doubtful = np.where(on_front, may_fall, ~surely_beaten)
    return ExactFront(
        _named(counts, on_front),
        _named(counts, doubtful),
        tuple(
            tuple(counts.names[member] for member in members)
            for members in strong_components(gaps > epsilon)
        ),
    )


def _named(counts: PairCounts, mask: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, wanted in zip(counts.names, mask, strict=True) if wanted)
