"""From a file of ratings to pair counts in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antichain.errors import InputError
from antichain.ratings.ballots import Ballots, chosen_ballots, pair_counts
from antichain.ratings.census import Census, select, take_census
from antichain.ratings.cluster import connect, pair_counts_on
from antichain.ratings.pair_counts import PairCounts
from antichain.ratings.rating_log import RatingFormat, RatingLog
from antichain.ratings.releases import film_names, open_release

LEAST = 20_000
"""Ratings that an item must have to be compared, by default."""

Describe = Callable[[Sequence[Any]], tuple[list[str], dict[str, tuple[str, ...]]]]
"""Names, and genres by name, for items' identifiers."""


@dataclass(frozen=True, eq=False)
class RatedItems:
    """The items chosen from a log of ratings, and how they were rated.

    Attributes:
        log: The ratings.
        census: Of the whole log.
        chosen: The codes of the chosen items, the most rated first.
        counts: Their pair counts.
        genres: What is known of their genres, by name.
    """

    log: RatingLog
    census: Census
    chosen: NDArray[np.int64]
    counts: PairCounts
    genres: dict[str, tuple[str, ...]]

    @property
    def ids(self) -> dict[str, int | str]:
        """Each item as it stands in the file, by name."""
        return dict(zip(self.counts.names, _identifiers(self.log, self.chosen), strict=True))

    @property
    def means(self) -> dict[str, float]:
        """The average rating of each item, by name."""
        means = (float(mean) for mean in self.census.means[self.chosen])
        return dict(zip(self.counts.names, means, strict=True))

    def ballots(self) -> Ballots:
        """Their ratings by user, for a `ReplayArena`."""
        return chosen_ballots(self.log, self.census, self.chosen)


def load_movielens(
    path: str | Path,
    *,
    least: int | None = None,
    top: int | None = None,
    dask: str | None = None,
    stage: Callable[[str, str], None] | None = None,
) -> RatedItems:
    """The most rated films of a release of MovieLens: a folder, one around it, or a zip.

    Args:
        path: Where it is.
        least: Ratings that a film must have; 20,000 unless `top` is given.
        top: How many of the most rated films to take instead.
        dask: Count on the cluster at this address ("local": one on this machine).
        stage: Called with what is being done, and how far it is.
    """
    release = open_release(path)
    films = release.films()

    def describe(numbers: Sequence[Any]) -> tuple[list[str], dict[str, tuple[str, ...]]]:
        names = film_names([int(number) for number in numbers], films)
        known = ((name, films.get(int(n))) for name, n in zip(names, numbers, strict=True))
        return names, {name: film.genres for name, film in known if film is not None}

    return rated_items(release.log, describe, least=least, top=top, dask=dask, stage=stage)


def load_table(
    path: str | Path,
    form: RatingFormat | None = None,
    *,
    least: int | None = None,
    top: int | None = None,
    dask: str | None = None,
    stage: Callable[[str, str], None] | None = None,
) -> RatedItems:
    """The most rated items of any other file; the other arguments are those of `load_movielens`.

    Args:
        path: A file of CSV, TSV, JSON lines or Parquet, as it is or packed (.gz, .zip).
        form: Which columns hold users, items and ratings, and what separates them.
        least: See there.
        top: See there.
        dask: See there.
        stage: See there.
    """
    log = RatingLog(path, form)

    def describe(names: Sequence[Any]) -> tuple[list[str], dict[str, tuple[str, ...]]]:
        return [str(name) for name in names], {}

    return rated_items(log, describe, least=least, top=top, dask=dask, stage=stage)


def rated_items(
    log: RatingLog,
    describe: Describe,
    *,
    least: int | None = None,
    top: int | None = None,
    dask: str | None = None,
    stage: Callable[[str, str], None] | None = None,
) -> RatedItems:
    """The most rated items of any log, reduced to pair counts.

    Raises:
        FileError: The log cannot be read, or a user rated an item twice.
        InputError: Fewer than two items qualify, or one has no rater in common with any other.
    """
    say = stage or (lambda _, __: None)
    census = take_census(log, lambda rows: say("reading", f"{rows:,} ratings"))
    if top is None and least is None:
        least = LEAST
    chosen = select(log, census, least=least, top=top)
    identifiers = _identifiers(log, chosen)
    names, genres = describe(identifiers)
    say("counting", f"{len(names):,} items, {census.ratings:,} ratings")
    if dask is None:
        counts = pair_counts(log, census, chosen, names)
    else:
        with connect(dask) as client:
            counts = pair_counts_on(client, log, identifiers, names)
    _refuse_lonely(log, counts, chosen)
    return RatedItems(log, census, chosen, counts, genres)


def _identifiers(log: RatingLog, codes: NDArray[np.int64]) -> list[int | str]:
    """The items of these codes as they stand in the file."""
    identifiers: list[int | str] = log.items.names[codes].tolist()
    return identifiers


def _refuse_lonely(log: RatingLog, counts: PairCounts, chosen: NDArray[np.int64]) -> None:
    """Raise about an item that nobody rated together with another one."""
    lonely = counts.lonely()
    if not lonely:
        return
    code = chosen[counts.names.index(lonely[0])]
    for chunk in log.chunks():
        rows = np.flatnonzero(chunk.items == code)
        if rows.size:
            user = log.users.names[chunk.users[rows[0]]]
            where = log.places(user, log.items.names[code])[0]
            raise InputError(
                f"{log.label}, {where} rates {lonely[0]!r}, which nobody rated together with "
                f"another of the {len(counts.names)} items, so it cannot be compared (a higher "
                "--min-ratings or a smaller --top leaves it out)"
            )
