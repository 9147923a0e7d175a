"""The second pass over a log: from ratings to pair counts.

Each user's ratings of the chosen items are compared two by two. Where the log has the rows of
every user together, as MovieLens has, they are counted as they come. Other logs are grouped by
user first (a counting sort), in bounded memory: of a log too long to be grouped at once, a share
of the users is taken at a time, and the counts of the shares add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antichain.kernels import compiled
from antichain.ratings.census import Census
from antichain.ratings.pair_counts import PairCounts
from antichain.ratings.rating_log import KEEP_ROWS, RatingLog
from antichain.sources.spans import Codes

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
    tally = PairTally(_positions(census, chosen), chosen.size)
    if census.grouped:
        numbered = _as_they_come(log)
    else:
        numbered = _by_shares(log, census, max(1, -(-census.ratings // group_rows)))
    for users, ballots in numbered:
        twice = tally.add(ballots)
        if twice >= 0:
            user = int(np.searchsorted(ballots.starts, twice, side="right")) - 1
            item = log.items.names[ballots.items[twice]]
            log.refuse_twice(log.users.names[users[user]], item)
    wins, ties = tally.wins_and_ties()
    return PairCounts(tuple(names), wins, ties + ties.T)


class PairTally:
    """Comparisons of the chosen items, added up over ballots of different users.

    Args:
        position: An item's place among the chosen ones, −1 if it is not one of them.
        size: How many are chosen.
    """

    def __init__(self, position: Codes, size: int) -> None:
        self._position = position
        self._outcomes = np.zeros((size, size, 3), np.int32)
        self._last_rater = np.full(position.size, -1, np.int64)
        self._users = 0

    def add(self, ballots: Ballots) -> int:
        """A row that rates an item again, or −1 if there is none and all were counted."""
        twice = tally_pairs(
            ballots.starts,
            ballots.items,
            ballots.ratings,
            self._position,
            self._users,
            self._last_rater,
            self._outcomes,
        )
        self._users += ballots.starts.size - 1
        return twice

    def wins_and_ties(self) -> tuple[Counts, Counts]:
        """How often each item was rated higher, and (each pair on one side only) the same."""
        lower, same, higher = (self._outcomes[:, :, k] for k in range(3))
        return higher.astype(np.int64) + lower.T, same.astype(np.int64)


def count_pairs(
    starts: Counts, items: Codes, ratings: Floats, position: Codes, size: int
) -> tuple[Counts, Counts, int]:
    """Wins, ties (each pair on one side only), and a row that rates an item again (−1: none).

    `position` is an item's place among the chosen ones, −1 if it is not one of them.
    """
    tally = PairTally(position, size)
    twice = tally.add(Ballots(starts, items, ratings))
    return *tally.wins_and_ties(), twice


def _as_they_come(log: RatingLog) -> Iterator[tuple[Counts, Ballots]]:
    """Users' codes and their ballots, of a log that has the rows of every user together."""
    columns: tuple[Codes, Codes, Floats] | None = None
    for chunk in log.chunks():
        users, items, ratings = chunk.users, chunk.items, chunk.ratings
        if columns is not None:
            users = np.concatenate([columns[0], users])
            items = np.concatenate([columns[1], items])
            ratings = np.concatenate([columns[2], ratings])
        # The rows of the last user may go on in the next chunk.
        cut = int(np.searchsorted(users, users[-1])) if users.size else 0
        columns = users[cut:], items[cut:], ratings[cut:]
        yield _runs(users[:cut], items[:cut], ratings[:cut])
    if columns is not None:
        yield _runs(*columns)


def _runs(users: Codes, items: Codes, ratings: Floats) -> tuple[Counts, Ballots]:
    """The users in rows that have them together, and their ballots."""
    edges = np.flatnonzero(np.diff(users, prepend=-1))
    return users[edges].astype(np.int64), Ballots(np.append(edges, users.size), items, ratings)


def _by_shares(log: RatingLog, census: Census, shares: int) -> Iterator[tuple[Counts, Ballots]]:
    """Users' codes and their ballots, a share of the users at a time."""
    for share in range(shares):
        users = np.arange(share, census.users, shares)
        yield users, _ballots(log, census, share, shares)


def _positions(census: Census, chosen: Counts) -> Codes:
    """Each item's place among the chosen ones, −1 if it is not one of them."""
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
def tally_pairs(
    starts: Counts,
    items: Codes,
    ratings: Floats,
    position: Codes,
    first_user: int,
    last_rater: Counts,
    outcomes: Codes,
) -> int:
    """A row that rates an item again (−1: none), after adding up all comparisons.

    Args:
        starts: Where each user's rows start, and where the last ones end.
        items: The items rated.
        ratings: The ratings.
        position: An item's place among the chosen ones, −1 if it is not one of them.
        first_user: A number for the first user; the others follow, none was used before.
        last_rater: For each item, who rated it last.
        outcomes: At [i, j, :], how often i was rated lower than j, the same, and higher, by those
            who rated i after j.
    """
    places = np.empty(outcomes.shape[0], np.int64)
    values = np.empty(outcomes.shape[0], np.float64)
    for k in range(starts.size - 1):
        found = 0
        for row in range(starts[k], starts[k + 1]):
            item = items[row]
            if last_rater[item] == first_user + k:
                return row
            last_rater[item] = first_user + k
            place = position[item]
            if place < 0:
                continue
            value = ratings[row]
            row_of_place = outcomes[place]
            for other in range(found):
                # An index and no branch: which rating is higher cannot be predicted.
                outcome = int(value > values[other]) + int(value >= values[other])
                row_of_place[places[other], outcome] += 1
            places[found] = place
            values[found] = value
            found += 1
    return -1
