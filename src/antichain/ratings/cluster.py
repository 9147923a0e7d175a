"""The same reduction on a Dask cluster: read in parts, gather by user, count, add up.

Each part of the file is read where a worker is free (the workers must be able to open the file)
and its rows of the chosen items are dealt out by user, so that one task sees all ratings of its
users. The counts of these tasks add up to the very counts of one machine.
"""

from __future__ import annotations

import socket
import zlib
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.errors import FileError, MissingExtraError, ParameterError
from antichain.ratings.ballots import count_pairs, scatter
from antichain.ratings.pair_counts import PairCounts
from antichain.ratings.rating_log import Floats, RatingLog

_PATIENCE = 10  # seconds to wait for a scheduler


class Slip(NamedTuple):
    """Rows of some users: the user's identifier, the place among the chosen items, the rating."""

    users: NDArray[Any]
    places: NDArray[np.int32]
    ratings: Floats


def connect(address: str) -> Any:
    """A Dask client: of a cluster at an address, or of one on this machine for "local"."""
    try:
        import distributed
    except ImportError as error:
        raise MissingExtraError(
            "a cluster needs dask, which is not installed: pip install 'antichain[cluster]'"
        ) from error
    open_client: Any = distributed.Client
    if address == "local":
        return open_client(threads_per_worker=1, dashboard_address=":0")
    try:
        return open_client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise ParameterError(
            f"no Dask scheduler answers at {address!r} ({error}), but its address or 'local' was "
            "expected"
        ) from error


def pair_counts_on(
    client: Any,
    log: RatingLog,
    identifiers: Sequence[Hashable],
    names: Sequence[str],
    shares: int = 8,
) -> PairCounts:
    """The pair counts of the items with these identifiers, counted by the workers of `client`.

    Args:
        client: A `distributed.Client`.
        log: The ratings.
        identifiers: The chosen items as they stand in the file.
        names: A name for each.
        shares: The number of parts into which the file and the users are divided.

    Raises:
        FileError: A worker cannot open the file, or a user rated a chosen item twice. (On one
            machine this is checked for every item; here only what is counted travels.)
    """
    dealt = [
        client.submit(_deal, part, list(identifiers), shares, pure=False)
        for part in log.parts(shares)
    ]
    counted = [
        client.submit(
            _count, [client.submit(_pick, hand, k) for hand in dealt], tuple(names), pure=False
        )
        for k in range(shares)
    ]
    total = PairCounts.zero(tuple(names))
    while counted:
        # One by one, and let go of: together the counts of all shares may be too large.
        counts, twice = counted.pop(0).result()
        if twice is not None:
            log.refuse_twice(twice[0], identifiers[twice[1]])
        total += counts
    return total


def _check_openable(part: RatingLog) -> None:
    """Raise a FileError that says where the file cannot be opened."""
    try:
        with open(part.path, "rb"):
            pass
    except OSError as error:
        raise FileError(
            f"a worker on {socket.gethostname()} cannot open {part.path} ({error.strerror}), but a "
            "file that every worker can open by that path was expected"
        ) from error


def _deal(part: RatingLog, identifiers: list[Hashable], shares: int) -> list[Slip]:
    """The part's rows of the chosen items, dealt out by user; no other rows are held."""
    _check_openable(part)
    place_of = {identifier: k for k, identifier in enumerate(identifiers)}
    position, share_of = np.empty(0, np.int64), np.empty(0, np.int64)
    users: NDArray[Any] | None = None
    dealt: list[list[Slip]] = [[] for _ in range(shares)]
    for chunk in part.read():
        new = part.users.since(0 if users is None else users.size)
        if users is None:
            users = np.array(new)
        elif new:
            users = np.concatenate([users, np.array(new)])
        position = _extended(
            position, part.items.since(position.size), lambda item: place_of.get(item, -1)
        )
        share_of = _extended(share_of, new, lambda user: _share(user, shares))
        places = position[chunk.items].astype(np.int32)
        share = np.where(places >= 0, share_of[chunk.users], -1)
        for k, slips in enumerate(dealt):
            mine = share == k
            slips.append(Slip(users[chunk.users[mine]], places[mine], chunk.ratings[mine]))
    return [_joined(slips) for slips in dealt]


def _extended(
    values: NDArray[np.int64], names: Sequence[Any], value_of: Callable[[Any], int]
) -> NDArray[np.int64]:
    """The values, followed by those of further names."""
    new = [value_of(name) for name in names]
    return np.concatenate([values, np.array(new, np.int64)]) if new else values


def _share(user: Any, shares: int) -> int:
    # Not hash(): the hash of a text differs from process to process.
    return (zlib.crc32(user.encode()) if isinstance(user, str) else int(user)) % shares


def _joined(slips: Sequence[Slip]) -> Slip:
    filled = [slip for slip in slips if slip.users.size]
    if not filled:
        return Slip(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0))
    users, places, ratings = (np.concatenate(column) for column in zip(*filled, strict=True))
    return Slip(users, places, ratings)


def _pick(hands: list[Slip], share: int) -> Slip:
    return hands[share]


def _count(
    slips: Sequence[Slip], names: tuple[str, ...]
) -> tuple[PairCounts, tuple[Any, int] | None]:
    """The counts of one share of the users, and (user, item's place) rated twice, if any."""
    slip = _joined(slips)
    users, codes = np.unique(slip.users, return_inverse=True)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(codes))])
    places, ratings = np.empty_like(slip.places), np.empty_like(slip.ratings)
    if users.size:
        cursor = starts[:-1].copy()
        scatter(codes.astype(np.int32), slip.places, slip.ratings, 0, 1, cursor, places, ratings)
    itself = np.arange(len(names), dtype=np.int32)
    wins, ties, twice = count_pairs(starts, places, ratings, itself, len(names))
    if twice >= 0:
        user = int(np.searchsorted(starts, twice, side="right")) - 1
        return PairCounts.zero(names), (users[user], int(places[twice]))
    return PairCounts(names, wins, ties + ties.T), None
