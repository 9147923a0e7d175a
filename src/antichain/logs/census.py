"""The first pass over a log: how often each item was rated, how highly, and by how many users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.errors import InputError, ParameterError
from antichain.logs.ids import Codes
from antichain.logs.log import RatingLog

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Number = TypeVar("Number", np.int64, np.float64)

MOST_ITEMS = 10_000
"""Items that are compared at most: two matrices of that size take 1.6 GB."""


@dataclass(frozen=True, eq=False)
class Census:
    """Ratings of each item and of each user, by code.

    Attributes:
        item_ratings: How often each item was rated.
        item_sums: The sum of its ratings.
        user_ratings: How many ratings each user gave.
    """

    item_ratings: Counts
    item_sums: Floats
    user_ratings: Counts

    @property
    def ratings(self) -> int:
        """All ratings."""
        return int(self.item_ratings.sum())

    @property
    def users(self) -> int:
        """All users."""
        return self.user_ratings.size

    @property
    def means(self) -> Floats:
        """The average rating of each item."""
        means: Floats = self.item_sums / self.item_ratings
        return means


def take_census(log: RatingLog, progress: Callable[[int], None] | None = None) -> Census:
    """The census of `log`, in one pass; `progress` hears how many rows were read."""
    item_ratings, item_sums = np.zeros(0, np.int64), np.zeros(0)
    user_ratings = np.zeros(0, np.int64)
    rows = 0
    for chunk in log.chunks():
        item_ratings = _added(item_ratings, _tally(chunk.items))
        sums = np.bincount(chunk.items, weights=chunk.ratings).astype(np.float64, copy=False)
        item_sums = _added(item_sums, sums)
        user_ratings = _added(user_ratings, _tally(chunk.users))
        rows += chunk.users.size
        if progress is not None:
            progress(rows)
    return Census(item_ratings, item_sums, user_ratings)


def _tally(codes: Codes) -> Counts:
    tally: Counts = np.bincount(codes).astype(np.int64, copy=False)
    return tally


def _added(total: NDArray[Number], more: NDArray[Number]) -> NDArray[Number]:
    """The sum, as long as the longer of the two."""
    if total.size < more.size:
        total = np.concatenate([total, np.zeros(more.size - total.size, total.dtype)])
    total[: more.size] += more
    return total


def select(
    log: RatingLog, census: Census, *, least: int | None = None, top: int | None = None
) -> Counts:
    """The codes of the items rated at least `least` times, or of the `top` most rated ones.

    The most rated come first; of items rated equally often, the lower identifier.
    """
    if (least is None) == (top is None):
        raise ParameterError(
            f"least is {least!r} and top is {top!r}, and exactly one of them was expected"
        )
    identifiers = log.items.names
    order = np.array(
        sorted(range(identifiers.size), key=lambda k: (-census.item_ratings[k], identifiers[k])),
        dtype=np.int64,
    )
    if top is not None:
        chosen = order[: checks.whole("top", top, least=2)]
        wanted = f"the {top} most rated items"
    else:
        assert least is not None
        least = checks.whole("least", least)
        chosen = order[census.item_ratings[order] >= least]
        wanted = f"items with at least {least:,} ratings"
    if chosen.size < 2:
        most = int(census.item_ratings.max())
        raise InputError(
            f"{log.label} has {chosen.size} {wanted} among {order.size:,} (the most rated has "
            f"{most:,}), and at least two to compare were expected"
        )
    if chosen.size > MOST_ITEMS:
        raise InputError(
            f"{log.label} has {chosen.size:,} {wanted}, and at most {MOST_ITEMS:,} to compare were "
            "expected"
        )
    return chosen
