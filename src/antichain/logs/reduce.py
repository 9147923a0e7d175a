"""The second pass over a log: from ratings to pair counts.

Rows are grouped by user (a counting sort), and each user's ratings of the chosen items are
compared two by two. The memory this takes is bounded: of a log too long to be grouped at once,
a share of the users is taken at a time, and the counts of the shares add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antichain.compiled import compiled
from antichain.logs.census import Census
from antichain.logs.ids import Codes
from antichain.logs.log import KEEP_ROWS, RatingLog
from antichain.logs.pairs import PairCounts

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ballots:
    """Ratings grouped by user: those of user u are rows starts[u] to starts[u + 1]."""

    starts: Counts
    items: Codes
    ratings: Floats


def pair_counts(
    log: RatingLog,
    census: Census,
    chosen: Counts,
    names: Sequence[str],
    group_rows: int = KEEP_ROWS,
) -> PairCounts:
    """The pair counts of the chosen items, exact.

    Args:
        log: The ratings.
        census: Of that log.
        chosen: The items' codes, as `select` gives them.
        names: A name for each.
        group_rows: Rows to group at once, at most (as far as users can be split).

    Raises:
        FileError: A user rated an item twice, chosen or not.
    """
    shares = max(1, -(-census.ratings // group_rows))
    total = PairCounts.zero(tuple(names))
    position = _positions(census, chosen)
    for share in range(shares):
        ballots = _ballots(log, census, share, shares)
        wins, ties, twice = count_pairs(
            ballots.starts, ballots.items, ballots.ratings, position, chosen.size
        )
        if twice >= 0:
            user = int(np.searchsorted(ballots.starts, twice, side="right")) - 1
            log.refuse_twice(
                log.users.names[user * shares + share], log.items.names[ballots.items[twice]]
            )
        total += PairCounts(tuple(names), wins, ties + ties.T)
    return total


def _positions(census: Census, chosen: Counts) -> Codes:
    """Where each item stands among the chosen ones, −1 if it does not."""
    position = np.full(census.item_ratings.size, -1, np.int32)
    position[chosen] = np.arange(chosen.size)
    return position


def _ballots(log: RatingLog, census: Census, share: int, shares: int) -> Ballots:
    """The ratings of every `shares`-th user, from user number `share` on."""
    sizes = census.user_ratings[share::shares]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    items = np.empty(starts[-1], np.int32)
    ratings = np.empty(starts[-1])
    cursor = starts[:-1].copy()
    for chunk in log.chunks():
        scatter(chunk.users, chunk.items, chunk.ratings, share, shares, cursor, items, ratings)
    return Ballots(starts, items, ratings)


def chosen_ballots(log: RatingLog, census: Census, chosen: Counts) -> Ballots:
    """The ratings of the chosen items by user, each item given by its place among them."""
    position = _positions(census, chosen)
    kept = []
    for chunk in log.chunks():
        places = position[chunk.items]
        mask = places >= 0
        kept.append((chunk.users[mask], places[mask], chunk.ratings[mask]))
    users, places, ratings = (np.concatenate(column) for column in zip(*kept, strict=True))
    sizes = np.bincount(users, minlength=census.users)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    ballots = Ballots(starts, np.empty_like(places), np.empty_like(ratings))
    scatter(users, places, ratings, 0, 1, starts[:-1].copy(), ballots.items, ballots.ratings)
    return ballots


@compiled
def scatter(
    users: Codes,
    items: Codes,
    ratings: Floats,
    share: int,
    shares: int,
    cursor: Counts,
    out_items: Codes,
    out_ratings: Floats,
) -> None:
    """Put each row of the share's users at its user's cursor."""
    for row in range(users.size):
        user = users[row]
        if shares > 1:
            if user % shares != share:
                continue
            user //= shares
        at = cursor[user]
        out_items[at] = items[row]
        out_ratings[at] = ratings[row]
        cursor[user] = at + 1


@compiled
def count_pairs(
    starts: Counts, items: Codes, ratings: Floats, position: Codes, size: int
) -> tuple[Counts, Counts, int]:
    """Wins, ties (each pair on one side only), and a row that rates an item again (−1: none).

    `position` says where an item stands among the chosen ones, −1 if it does not.
    """
    wins = np.zeros((size, size), np.int64)
    ties = np.zeros((size, size), np.int64)
    last_rater = np.full(position.size, -1, np.int64)
    places = np.empty(size, np.int64)
    values = np.empty(size, np.float64)
    for user in range(starts.size - 1):
        found = 0
        for row in range(starts[user], starts[user + 1]):
            item = items[row]
            if last_rater[item] == user:
                return wins, ties, row
            last_rater[item] = user
            place = position[item]
            if place < 0:
                continue
            value = ratings[row]
            for k in range(found):
                if value > values[k]:
                    wins[place, places[k]] += 1
                elif value < values[k]:
                    wins[places[k], place] += 1
                else:
                    ties[place, places[k]] += 1
            places[found] = place
            values[found] = value
            found += 1
    return wins, ties, -1
