"""Two passes over a log: a census of it, then the pair counts of the items chosen from it.

The census says how often each item was rated, how highly, and by how many users. In the second
pass, each user's ratings of the chosen items are compared two by two. Where the log has the rows
of every user together, as MovieLens has, they are counted as they come. Other logs are grouped by
user first (a counting sort), in bounded memory: of a log too long to be grouped at once, a share
of the users is taken at a time, and the counts of the shares add up. On a Dask cluster, each share
is sent to a worker, so that workers need not be able to open the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain._kernels import compiled
from antichain._text import counted
from antichain.errors import InputError, ParameterError
from antichain.ratings._pair_counts import Counts, Floats, PairCounts
from antichain.ratings._rating_log import KEEP_ROWS, RatingLog, Ratings
from antichain.sources._spans import Codes

Number = TypeVar("Number", np.int64, np.float64)

MOST_ITEMS = 5_000
"""The most items that are compared: their pair counts and the exact front peak below 2 GiB."""

_SHARES = 8  # at least as many tasks for a cluster; set by hand


@dataclass(frozen=True, eq=False)
class Census:
    """Ratings of each item and of each user, by code."""

    item_ratings: Counts  # how often each item was rated
    item_sums: Floats  # the sum of its ratings
    user_ratings: Counts  # how many ratings each user gave
    grouped: bool = False  # whether the ratings of every user follow each other in the log

    @property
    def ratings(self) -> int:
        return int(self.item_ratings.sum())

    @property
    def users(self) -> int:
        return self.user_ratings.size

    @property
    def means(self) -> Floats:
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
        latest, ascending = _count_rows(
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
def _count_rows(
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
    log: RatingLog,
    census: Census,
    *,
    least: int | None = None,
    top: int | None = None,
    items: Sequence[str] | None = None,
    titles: Mapping[str, str] | None = None,
) -> Counts:
    """The codes of the items rated at least `least` times, of the `top` most rated, or of `items`.

    The most rated come first; of items rated equally often, the lower identifier. `items` are
    given as they stand in the file, or by their `titles` (by the text of the identifier).
    """
    if (least, top, items).count(None) != 2:
        raise ParameterError(
            f"least is {least!r}, top is {top!r} and items are {items!r}, but exactly one of them "
            "was expected"
        )
    identifiers = log.items.names
    order = np.array(
        sorted(range(identifiers.size), key=lambda k: (-census.item_ratings[k], identifiers[k])),
        dtype=np.int64,
    )
    if items is not None:
        chosen = order[_named(log, identifiers[order], items, titles or {})]
        wanted = "of the given items"
    elif top is not None:
        chosen = order[: _checks.whole("top", top, least=2)]
        wanted = f"of the {top} most rated items"
    else:
        assert least is not None
        least = _checks.whole("least", least)
        chosen = order[census.item_ratings[order] >= least]
        wanted = f"items with at least {least:,} ratings"
    if order.size < 2:
        raise InputError(
            f"{log.label} has ratings of {counted(order.size, 'item')}, but at least two items to "
            "compare were expected"
        )
    if chosen.size < 2:
        most = int(census.item_ratings.max())
        raise InputError(
            f"{log.label} has {chosen.size} {wanted} among {order.size:,} (the most rated has "
            f"{most:,}), but at least two to compare were expected (change --min-ratings or --top)"
        )
    if chosen.size > MOST_ITEMS:
        raise InputError(
            f"{log.label} has {chosen.size:,} {wanted}, but at most {MOST_ITEMS:,} can be compared"
        )
    return chosen


def _named(
    log: RatingLog, identifiers: NDArray[Any], items: Sequence[str], titles: Mapping[str, str]
) -> NDArray[np.bool_]:
    """Which of the identifiers are the given items."""
    wanted, found = {*_checks.entries("items", items)}, set[str]()
    chosen = np.zeros(identifiers.size, np.bool_)
    for k, text in enumerate(map(str, identifiers.tolist())):
        names = {text, titles.get(text, text)} & wanted
        chosen[k], found = bool(names), found | names
    unknown = sorted(wanted - found)
    if unknown:
        some = ", ".join(map(repr, unknown[:3])) + (", …" if len(unknown) > 3 else "")
        raise InputError(
            f"{log.label} has no ratings of {some}, but items named as in the file, or by their "
            "titles, were expected (--items)"
        )
    return chosen


class Ballots(NamedTuple):
    """Ratings grouped by user: those of users[k] are rows starts[k] to starts[k + 1]."""

    users: Counts
    starts: Counts
    items: Codes
    ratings: Floats


def pair_counts(
    log: RatingLog,
    census: Census,
    chosen: Counts,
    names: Sequence[str],
    group_rows: int = KEEP_ROWS,
    client: Any = None,
) -> PairCounts:
    """The pair counts of the chosen items, exact.

    Args:
        log: The ratings.
        census: Of that log.
        chosen: The items' codes, as `select` gives them.
        names: A name for each.
        group_rows: Rows to group at once, at most (as far as users can be split).
        client: A `distributed.Client` whose workers count; by default this process does.

    Raises:
        FileError: A user rated an item twice, chosen or not.
    """
    position = _positions(census, chosen)
    outcomes, voters = np.zeros((chosen.size, chosen.size, 3), np.int32), 0
    shares = max(1, -(-census.ratings // group_rows))
    if client is not None:
        for found, more in _tallies_of(
            client, _by_shares(log, census, max(shares, _SHARES)), position, chosen.size
        ):
            voters += _checked(log, found)
            outcomes += more
    else:
        last_rater = np.full(position.size, -1, np.int64)
        for ballots in _as_they_come(log) if census.grouped else _by_shares(log, census, shares):
            voters += _checked(log, _tally(ballots, position, last_rater, outcomes))
    lower, same, higher = (outcomes[:, :, k] for k in range(3))
    wins, ties = higher.astype(np.int64), same.astype(np.int64)
    wins += lower.T
    ties += same.T
    return PairCounts(tuple(names), wins, ties, voters)


def _checked(log: RatingLog, found: int | tuple[int, int]) -> int:
    """How many users compared any items, unless one of them rated an item twice."""
    if isinstance(found, tuple):
        log.refuse_twice(log.users.names[found[0]], log.items.names[found[1]])
    return found


def _tally(
    ballots: Ballots, position: Codes, last_rater: Counts, outcomes: Codes
) -> int | tuple[int, int]:
    """How many users compared any items, or the codes of a user and an item rated twice."""
    row = tally_pairs(*ballots, position, last_rater, outcomes)
    if row < 0:
        return -1 - row
    user = int(np.searchsorted(ballots.starts, row, side="right")) - 1
    return int(ballots.users[user]), int(ballots.items[row])


def _tallies_of(
    client: Any, groups: Iterable[Ballots], position: Codes, size: int
) -> Iterator[tuple[int | tuple[int, int], Codes]]:
    """What the workers of a cluster make of the ballots, group by group."""
    tasks = [
        client.submit(
            _tally_alone, client.scatter([ballots], hash=False)[0], position, size, pure=False
        )
        for ballots in groups
    ]
    while tasks:
        # One by one, and let go of: together the counts of all groups may be too large.
        yield tasks.pop(0).result()


def _tally_alone(
    ballots: Ballots, position: Codes, size: int
) -> tuple[int | tuple[int, int], Codes]:
    outcomes = np.zeros((size, size, 3), np.int32)
    last_rater = np.full(position.size, -1, np.int64)
    return _tally(ballots, position, last_rater, outcomes), outcomes


def _as_they_come(log: RatingLog) -> Iterator[Ballots]:
    """The ballots of a log that has the rows of every user together."""
    rest: Ratings | None = None
    for chunk in log.chunks():
        rows = chunk if rest is None else Ratings.joined([rest, chunk])
        # The rows of the last user may go on in the next chunk.
        cut = int(np.searchsorted(rows.users, rows.users[-1])) if rows.users.size else 0
        rest = rows.only(slice(cut, None))
        yield _runs(rows.only(slice(cut)))
    if rest is not None:
        yield _runs(rest)


def _runs(rows: Ratings) -> Ballots:
    """The ballots in rows that have those of a user together."""
    edges = np.flatnonzero(np.diff(rows.users, prepend=-1))
    users, starts = rows.users[edges].astype(np.int64), np.append(edges, rows.users.size)
    return Ballots(users, starts, rows.items, rows.ratings)


def _by_shares(log: RatingLog, census: Census, shares: int) -> Iterator[Ballots]:
    """The ballots, a share of the users at a time: every `shares`-th user."""
    for share in range(shares):
        starts = np.append(0, np.cumsum(census.user_ratings[share::shares]))
        items, ratings = np.empty(starts[-1], np.int32), np.empty(starts[-1])
        cursor = starts[:-1].copy()
        for chunk in log.chunks():
            scatter(*chunk, share, shares, cursor, items, ratings)
        yield Ballots(np.arange(share, census.users, shares), starts, items, ratings)


def _positions(census: Census, chosen: Counts) -> Codes:
    """Each item's place among the chosen ones, −1 if it is not one of them."""
    position = np.full(census.item_ratings.size, -1, np.int32)
    position[chosen] = np.arange(chosen.size)
    return position


def chosen_ballots(log: RatingLog, census: Census, chosen: Counts) -> Ballots:
    """The ratings of the chosen items by user, each item given by its place among them."""
    position = _positions(census, chosen)
    kept = (chunk.only(position[chunk.items] >= 0) for chunk in log.chunks())
    users, items, ratings = Ratings.joined(kept)
    order = np.argsort(users, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(users, minlength=census.users)))
    return Ballots(np.arange(census.users), starts, position[items[order]], ratings[order])


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
    users: Counts,
    starts: Counts,
    items: Codes,
    ratings: Floats,
    position: Codes,
    last_rater: Counts,
    outcomes: Codes,
) -> int:
    """Add up all comparisons: −1 − the users who made any, or a row that rates an item again.

    Args:
        users: As in `Ballots`, like the next three; no user may come in two calls.
        starts: Where each user's rows start, and where the last ones end.
        items: The items rated.
        ratings: The ratings.
        position: An item's place among the chosen ones, −1 if it is not one of them.
        last_rater: For each item, who rated it last, −1 at first.
        outcomes: At [i, j, :], how often i was rated lower than j, the same, and higher, by those
            who rated i after j.
    """
    places = np.empty(outcomes.shape[0], np.int64)
    values = np.empty(outcomes.shape[0], np.float64)
    voters = 0
    for k in range(starts.size - 1):
        found = 0
        for row in range(starts[k], starts[k + 1]):
            item = items[row]
            if last_rater[item] == users[k]:
                return row
            last_rater[item] = users[k]
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
        voters += found > 1
    return -1 - voters
