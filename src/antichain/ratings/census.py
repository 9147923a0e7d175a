"""The first pass over a log: how often each item was rated, how highly, and by how many users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.compiled import compiled
from antichain.errors import InputError, ParameterError
from antichain.ratings.rating_log import RatingLog
from antichain.sources.spans import Codes

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Number = TypeVar("Number", np.int64, np.float64)

MOST_ITEMS = 5_000
"""The most items that are compared: their pair counts and the exact front peak below 2 GiB."""


@dataclass(frozen=True, eq=False)
class Census:
    """Ratings of each item and of each user, by code."""

    item_ratings: Counts  # how often each item was rated
    item_sums: Floats  # the sum of its ratings
    user_ratings: Counts  # how many ratings each user gave
    grouped: bool = False  # whether the ratings of every user follow each other in the log

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
    """The census of `log`, in one pass; `progress` is called with the number of rows read."""
    item_ratings, item_sums = np.zeros(0, np.int64), np.zeros(0)
    user_ratings = np.zeros(0, np.int64)
    rows, latest, grouped = 0, 0, True
    for chunk in log.chunks():
        item_ratings = _with_room(item_ratings, len(log.items))
        item_sums = _with_room(item_sums, len(log.items))
        user_ratings = _with_room(user_ratings, len(log.users))
        latest, ascending = _tally(
            chunk.users, chunk.items, chunk.ratings, latest, item_ratings, item_sums, user_ratings
        )
        grouped = grouped and ascending
        rows += chunk.users.size
        if progress is not None:
            progress(rows)
    items, users = len(log.items), len(log.users)
    return Census(item_ratings[:items], item_sums[:items], user_ratings[:users], grouped)


def _with_room(totals: NDArray[Number], size: int) -> NDArray[Number]:
    """The totals, with zeros behind them for at least `size` of them."""
    if totals.size >= size:
        return totals
    # Twice as many, so that they are not copied for every chunk.
    return np.concatenate([totals, np.zeros(2 * size - totals.size, totals.dtype)])


@compiled
def _tally(
    users: Codes,
    items: Codes,
    ratings: Floats,
    latest: int,
    item_ratings: Counts,
    item_sums: Floats,
    user_ratings: Counts,
) -> tuple[int, bool]:
    """The last row's user, and whether no row is of an earlier one than the row before it."""
    ascending = True
    for row in range(users.size):
        user, item = users[row], items[row]
        # Codes are given in the order of first sight: a smaller one is a user come back.
        if user < latest:
            ascending = False
        latest = user
        user_ratings[user] += 1
        item_ratings[item] += 1
        item_sums[item] += ratings[row]
    return latest, ascending


def select(
    log: RatingLog, census: Census, *, least: int | None = None, top: int | None = None
) -> Counts:
    """The codes of the items rated at least `least` times, or of the `top` most rated ones.

    The most rated come first; of items rated equally often, the lower identifier.
    """
    if (least is None) == (top is None):
        raise ParameterError(
            f"least is {least!r} and top is {top!r}, but exactly one of them was expected"
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
            f"{most:,}), but at least two to compare were expected"
        )
    if chosen.size > MOST_ITEMS:
        raise InputError(
            f"{log.label} has {chosen.size:,} {wanted}, but at most {MOST_ITEMS:,} to compare were "
            "expected"
        )
    return chosen
