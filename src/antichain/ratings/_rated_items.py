"""From a file of ratings to pair counts in one call, and to the table of the paper's experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from antichain import _checks, _pools
from antichain._run import find_front
from antichain.algorithms import _registry
from antichain.errors import InputError, ParameterError
from antichain.ratings._ballots import Census, chosen_ballots, pair_counts, select, take_census
from antichain.ratings._pair_counts import PairCounts, exact_front
from antichain.ratings._rater_arenas import RatingsArena, ReplayArena
from antichain.ratings._rating_log import RatingFormat, RatingLog
from antichain.ratings._releases import Film, film_names, open_release, read_names
from antichain.votes._vote_log import FORMS, ClusterScores, PairVotes, VoteLog

if TYPE_CHECKING:
    from pathlib import Path

    from antichain.algorithms._base import Algorithm

LEAST = 20_000
"""Ratings that an item must have to be compared, by default (as in the paper)."""

FEW = 50
"""How many of the most rated items are compared by default where fewer than two have that many."""

_FEWEST_BY_MEAN = 5  # the paper lists five
_OWN_SCHEDULE = (0.9, 0.5)  # the default γ and ε₀ of the paper's method, which the default lacks

Films = Mapping[str, Film]
"""What is known of items, by the text of their identifiers."""

_NOT_MULTIPLIED = (
    "which items a user rates may go with what the user likes, and the same ratings serve every "
    "pair of an item"
)


@dataclass(frozen=True, eq=False)
class RatedItems:
    """The items chosen from a log of ratings, and how they were rated."""

    log: RatingLog  # the ratings
    census: Census  # of the whole log
    chosen: NDArray[np.int64]  # the codes of the chosen items, the most rated first
    counts: PairCounts  # their pair counts
    genres: dict[str, tuple[str, ...]]  # what is known of their genres, by name

    @property
    def ids(self) -> dict[str, int | str]:
        """Each item as it stands in the file, by name."""
        return dict(zip(self.counts.names, _identifiers(self.log, self.chosen), strict=True))

    def votes(self) -> VoteLog:
        """The duels of all pairs: each user who rated both items is one vote on them.

        Users are the clusters. Each votes at most once on a pair, and pairs are never multiplied.
        """
        counts = self.counts
        first, second = np.nonzero(np.triu(counts.co_raters))
        table = np.zeros((first.size, len(FORMS)), np.int64)
        table[:, :3] = np.column_stack(
            [counts.wins[first, second], counts.wins[second, first], counts.ties[first, second]]
        )
        return VoteLog(
            counts.names,
            PairVotes.from_table(first, second, table),
            source=self.log.label,
            clusters=ClusterScores.one_vote_each("user", counts.voters),
            guessed=(
                *self.log.guessed,
                "A user who rated both items of a pair is one vote on it, for the one rated higher "
                "or a tie. What is claimed of a pair is about the users who rate both.",
            ),
            rows=self.census.ratings,
            counted_rows=int(self.census.item_ratings[self.chosen].sum()),
            pooling=False,
            pooling_reason=_NOT_MULTIPLIED,
        )

    @property
    def means(self) -> dict[str, float]:
        """The average rating of each item, by name."""
        return dict(zip(self.counts.names, self.census.means[self.chosen].tolist(), strict=True))


def load_movielens(path: str | Path, **choice: Any) -> RatedItems:
    """Load the most rated films of a MovieLens release: a folder, its parent folder, or a zip.

    Args:
        path: The folder or the zip file.
        choice: Which films to take, and where to count: `least` (ratings that a film needs; by
            default 20,000, or else the 50 most rated films are taken), `top` (how many of the most
            rated films to take instead), `items` (the films to take instead), `names` (a table of
            identifiers and names), `dask` (the address of a cluster to count on, or "local") and
            `stage` (a function to call with what is being done).
    """
    _checks.path("path", path, optional=False)
    release = open_release(path)
    films = {str(number): film for number, film in release.films().items()}
    return rated_items(release.log, films, "film {}", **choice)


def load_ratings(path: str | Path, form: RatingFormat | None = None, **choice: Any) -> RatedItems:
    """Load the most rated items of any other table of ratings.

    Args:
        path: A CSV, TSV, JSON lines or Parquet file, which may be packed (.gz, .zip).
        form: Which columns hold users, items and ratings, and what separates them.
        choice: Which items to take, and where to count, as in `load_movielens`.
    """
    _checks.path("path", path, optional=False)
    _checks.instance("form", form, RatingFormat, "a RatingFormat", optional=True)
    return rated_items(RatingLog(path, form), {}, **choice)


def rated_items(
    log: RatingLog,
    films: Films,
    nameless: str = "{}",
    *,
    least: int | None = None,
    top: int | None = None,
    items: Sequence[str] | None = None,
    names: str | Path | None = None,
    dask: str | None = None,
    stage: Callable[[str, str], None] | None = None,
) -> RatedItems:
    """The most rated items of any log, reduced to pair counts.

    Args:
        log: The ratings.
        films: What is known of the items.
        nameless: The name of an item of which nothing is known, with {} for its identifier.
        least: Ratings that an item must have; by default 20,000, or the 50 most rated items are
            taken where fewer than two have as many.
        top: How many of the most rated items to take instead.
        items: The items to take instead, as they stand in the file or by their names.
        names: A table of identifiers and names, which go before those of `films`.
        dask: Count on the cluster at this address ("local": one on this machine).
        stage: Called with what is being done, and how far it is.

    Raises:
        FileError: The log cannot be read, or a user rated an item twice.
        InputError: Fewer than two items qualify, or one has no rater in common with any other.
    """
    if dask is not None:
        _pools.check_address(dask)  # now, not after the log was read
    if names is not None:
        genres = {text: film.genres for text, film in films.items()}
        titled = read_names(names).items()
        films = dict(films) | {text: Film(name, genres.get(text, ())) for text, name in titled}
    say = stage or (lambda _, __: None)
    census = take_census(log, lambda rows: say("reading", f"{rows:,} ratings"))
    if top is None and least is None and items is None:
        least, top = (LEAST, None) if (census.item_ratings >= LEAST).sum() > 1 else (None, FEW)
    titles = {text: film.title for text, film in films.items()}
    chosen = select(log, census, least=least, top=top, items=items, titles=titles)
    identifiers = [str(identifier) for identifier in _identifiers(log, chosen)]
    called = film_names(identifiers, films, nameless)
    say("counting", f"{len(called):,} items, {census.ratings:,} ratings")
    try:
        with _pools.here() if dask is None else _pools.connect(dask) as client:
            counts = pair_counts(log, census, chosen, called, client=client)
    except Exception as error:
        if not _pools.is_loss(error):
            raise
        raise InputError(
            f"the Dask cluster {dask!r} lost its workers or its scheduler (is there enough "
            "memory?); only time was lost: run the same call again, or leave out --dask to count "
            "in this process"
        ) from error
    _refuse_lonely(log, counts, chosen)
    known = zip(called, map(films.get, identifiers), strict=True)
    return RatedItems(log, census, chosen, counts, {n: f.genres for n, f in known if f is not None})


def _identifiers(log: RatingLog, codes: NDArray[np.int64]) -> list[int | str]:
    """The items of these codes as they stand in the file."""
    identifiers: list[int | str] = log.items.names[codes].tolist()
    return identifiers


def _refuse_lonely(
    log: RatingLog, counts: PairCounts, chosen: NDArray[np.int64], least: int = 1
) -> None:
    """Raise about an item that nobody, or fewer than `least` users, rated together with another."""
    lonely = counts.lonely()
    if lonely:
        where = log.places(_identifiers(log, chosen)[counts.names.index(lonely[0])])[0]
        who = "nobody" if least == 1 else f"fewer than {least:,} users"
        lower = "" if least == 1 else "a lower --min-raters, "
        raise InputError(
            f"{log.label}, {where} rates {lonely[0]!r}, which {who} rated together with another "
            f"of the {len(counts.names)} items, so it cannot be compared (try {lower}a higher "
            "--min-ratings or a smaller --top)"
        )


@dataclass(frozen=True)
class RatingsParameters:
    """What to compare, and how."""

    min_ratings: int | None  # ratings that an item must have to be compared
    top: int | None  # how many of the most rated items to compare instead
    epsilon: float  # the ε of the approximation
    delta: float  # the error level
    gamma: float  # the factor between the precisions of a method that peels
    epsilon0: float  # its first precision
    seed: int  # the seed of the first run
    seeds: int  # the number of runs, with seed, seed + 1, …
    faithful: bool  # whether to follow the paper to the letter
    replay: bool  # whether to draw actual raters instead of drawing from the counts
    dask: str | None  # the address of the Dask cluster that counts, or "local"
    # The name of a method; by default the default method, unless an option is given that only the
    # paper's method takes.
    algorithm: str | None = None
    items: tuple[str, ...] | None = None  # the items to compare instead
    names: str | None = None  # a table of identifiers and names
    min_raters: int = 1  # common raters that a pair must have to be compared

    def __post_init__(self) -> None:
        if self.algorithm is None:
            own = (self.gamma, self.epsilon0) != _OWN_SCHEDULE or self.faithful
            object.__setattr__(self, "algorithm", _registry.PAPER if own else _registry.DEFAULT)
        items = None if self.items is None else ",".join(self.items)
        ways = {"--min-ratings": self.min_ratings, "--top": self.top, "--items": items}
        given = [f"{flag} {value}" for flag, value in ways.items() if value is not None]
        if len(given) > 1:
            raise ParameterError(
                f"{' and '.join(given)} are given, but they cannot be used together: each is a way "
                "to choose the items"
            )
        self.method()  # what cannot be made is refused now, not after the ratings were read

    def method(self) -> Algorithm:
        kind = _registry.find(str(self.algorithm))
        options: dict[str, Any] = {"delta": self.delta, "epsilon": self.epsilon}
        if self.faithful:
            options["faithful"] = True
        own = {"decoy_gap": None, "gamma": self.gamma, "epsilon0": self.epsilon0}
        options |= {name: value for name, value in own.items() if name in kind.options()}
        return kind.from_options(options)


def report(
    items: RatedItems,
    parameters: RatingsParameters,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Everything the paper's table shows, as plain data; see docs/guides/ratings.md for the fields.

    The method runs once per seed; its fronts stand beside the averages and the exact ε-front.

    Args:
        items: The items, as `load_movielens` or `load_ratings` gives them.
        parameters: How to run.
        progress: Called with the number of finished runs.
    """
    results = _runs(items, parameters, progress or (lambda _: None))
    counts, census, means = items.counts.least(parameters.min_raters), items.census, items.means
    exact = exact_front(counts, parameters.epsilon)
    found = [front for front, _ in results]
    in_answer = {name: sum(name in front for front in found) for name in counts.names}
    ranked = sorted(means, key=lambda name: -means[name])
    return {
        "format": "antichain-ratings-front",
        "version": 1,
        "source": items.log.label,
        "films": len(counts.names),
        "ratings": census.ratings,
        "users": census.users,
        "ratings_of_films": int(census.item_ratings[items.chosen].sum()),
        "pairs": counts.pairs,
        "min_co_raters": counts.min_co_raters,
        "unpaired": [list(pair) for pair in counts.unpaired()],
        "front": list(found[0]),
        "top_mean": ranked[: max(_FEWEST_BY_MEAN, len(found[0]))],
        "exact_front": list(exact.front),
        "within_reach": list(exact.doubtful),
        "cycles": [list(cycle) for cycle in exact.cycles],
        "cycle_groups": [list(group) for group in exact.groups],
        "duels": results[0][1],
        "duels_by_seed": [duels for _, duels in results],
        "membership": {name: times / len(found) for name, times in in_answer.items() if times},
        "means": means,
        "ids": items.ids,
        "genres": {name: list(genres) for name, genres in items.genres.items()},
        "parameters": asdict(parameters),
    }


def _runs(
    items: RatedItems, parameters: RatingsParameters, progress: Callable[[int], None]
) -> list[tuple[tuple[str, ...], int]]:
    """The front and the number of duels of each seed; what nobody could answer is no duel."""
    algorithm, counts = parameters.method(), items.counts.least(parameters.min_raters)
    if parameters.min_raters > 1:
        _refuse_lonely(items.log, counts, items.chosen, parameters.min_raters)
    ballots = chosen_ballots(items.log, items.census, items.chosen) if parameters.replay else None
    results: list[tuple[tuple[str, ...], int]] = []
    progress(0)
    for seed in range(parameters.seed, parameters.seed + parameters.seeds):
        if ballots is None:
            arena = RatingsArena(counts, seed=seed)
        else:
            arena = ReplayArena(counts, ballots, seed=seed)
        result = find_front(arena, algorithm, seed=seed)
        results.append((result.front, result.duels - result.answers["incomparable"]))
        progress(len(results))
    return results


def counts_document(items: RatedItems) -> dict[str, object]:
    return {
        "format": "antichain-pair-counts",
        "version": 1,
        "names": list(items.counts.names),
        "ids": items.ids,
        "wins": items.counts.wins.tolist(),
        "ties": items.counts.ties.tolist(),
    }
