"""The paper's experiment on ratings: the front found, over seeds, beside what the counts say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields

from antichain.algorithms.base import Rules
from antichain.algorithms.unchained import UnchainedBandits
from antichain.algorithms.witness import Witness
from antichain.errors import ParameterError
from antichain.ratings.fronts import exact_front
from antichain.ratings.rated_items import RatedItems
from antichain.ratings.rater_arenas import RatingsArena, ReplayArena
from antichain.run import find_front

FORMAT = "antichain-ratings-front"
VERSION = 1
COUNTS_FORMAT = "antichain-pair-counts"
COUNTS_VERSION = 1

_FEWEST_BY_MEAN = 5  # the paper lists five
_WITNESS, _UNCHAINED = "witness", "unchained"
_OWN_SCHEDULE = (0.9, 0.5)  # γ and ε₀, which Witness has not


@dataclass(frozen=True)
class RatingsParameters:
    """What to compare, and how.

    Attributes:
        min_ratings: Ratings that an item must have to be compared.
        top: How many of the most rated items to compare instead.
        epsilon: The ε of the approximation.
        delta: The error level.
        gamma: The factor between the precisions of `UnchainedBandits`.
        epsilon0: Its first precision.
        seed: The seed of the first run.
        seeds: The number of runs, with seed, seed + 1, ….
        faithful: Whether to follow the paper to the letter.
        replay: Whether to draw actual raters instead of drawing from the counts.
        dask: The address of the Dask cluster that counts, or "local".
        algorithm: "witness" or "unchained"; by default the former, unless an option is given that
            only the latter has.
    """

    min_ratings: int | None
    top: int | None
    epsilon: float
    delta: float
    gamma: float
    epsilon0: float
    seed: int
    seeds: int
    faithful: bool
    replay: bool
    dask: str | None
    algorithm: str | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in (None, _WITNESS, _UNCHAINED):
            raise ParameterError(
                f"algorithm is {self.algorithm!r}, but {_WITNESS} or {_UNCHAINED} was expected"
            )
        if self.algorithm == _WITNESS and self.faithful:
            raise ParameterError(
                "--faithful is given with --algorithm witness, but unchained was expected with it"
            )
        own = (self.gamma, self.epsilon0) != _OWN_SCHEDULE or self.faithful
        if self.algorithm is None:
            object.__setattr__(self, "algorithm", _UNCHAINED if own else _WITNESS)
        if self.min_ratings is not None and self.top is not None:
            raise ParameterError(
                f"--min-ratings {self.min_ratings} and --top {self.top} are both given, but one "
                "way to choose items was expected"
            )

    def method(self) -> UnchainedBandits | Witness:
        """The algorithm to run."""
        if self.algorithm == _WITNESS:
            return Witness(delta=self.delta, decoy_gap=None, epsilon=self.epsilon)
        return UnchainedBandits(
            delta=self.delta,
            rules=Rules.paper() if self.faithful else Rules(),
            decoy_gap=None,
            epsilon=self.epsilon,
            gamma=self.gamma,
            epsilon0=self.epsilon0,
        )


@dataclass(frozen=True)
class RatingsReport:
    """Everything the paper's table shows, as plain data; see docs/movielens.md for the fields."""

    source: str
    films: int
    ratings: int
    users: int
    ratings_of_films: int
    pairs: int
    min_co_raters: int
    unpaired: list[list[str]]
    front: list[str]
    top_mean: list[str]
    exact_front: list[str]
    within_reach: list[str]
    cycles: list[list[str]]
    duels: int
    duels_by_seed: list[int]
    membership: dict[str, float]
    means: dict[str, float]
    ids: dict[str, int | str]
    genres: dict[str, list[str]]
    parameters: RatingsParameters

    def to_dict(self) -> dict[str, object]:
        """The report as it is printed in JSON."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        parameters = asdict(self.parameters)
        return {"format": FORMAT, "version": VERSION, **plain, "parameters": parameters}


def report(
    items: RatedItems,
    parameters: RatingsParameters,
    progress: Callable[[int], None] | None = None,
) -> RatingsReport:
    """Run the method once per seed, and set its fronts beside averages and the exact ε-front.

    Args:
        items: The items, as `load_movielens` or `load_table` gives them.
        parameters: How to run.
        progress: Called with the number of finished runs.
    """
    results = _runs(items, parameters, progress or (lambda _: None))
    counts, census = items.counts, items.census
    exact = exact_front(counts, parameters.epsilon)
    found = [front for front, _ in results]
    in_answer = {name: sum(name in front for front in found) for name in counts.names}
    ranked = sorted(items.means.items(), key=lambda entry: -entry[1])
    return RatingsReport(
        source=items.log.label,
        films=len(counts.names),
        ratings=census.ratings,
        users=census.users,
        ratings_of_films=int(census.item_ratings[items.chosen].sum()),
        pairs=counts.pairs,
        min_co_raters=counts.min_co_raters,
        unpaired=[list(pair) for pair in counts.unpaired()],
        front=list(found[0]),
        top_mean=[name for name, _ in ranked[: max(_FEWEST_BY_MEAN, len(found[0]))]],
        exact_front=list(exact.front),
        within_reach=list(exact.doubtful),
        cycles=[list(cycle) for cycle in exact.cycles],
        duels=results[0][1],
        duels_by_seed=[duels for _, duels in results],
        membership={name: times / len(found) for name, times in in_answer.items() if times},
        means=items.means,
        ids=items.ids,
        genres={name: list(genres) for name, genres in items.genres.items()},
        parameters=parameters,
    )


def _runs(
    items: RatedItems, parameters: RatingsParameters, progress: Callable[[int], None]
) -> list[tuple[tuple[str, ...], int]]:
    """The front and the number of duels of each seed; what nobody could answer is no duel."""
    algorithm, arena_of = parameters.method(), _arenas(items, parameters.replay)
    results: list[tuple[tuple[str, ...], int]] = []
    progress(0)
    for seed in range(parameters.seed, parameters.seed + parameters.seeds):
        result = find_front(arena_of(seed), algorithm, seed=seed)
        results.append((result.front, result.duels - result.answers["incomparable"]))
        progress(len(results))
    return results


def _arenas(items: RatedItems, replay: bool) -> Callable[[int], RatingsArena]:
    """The arena of each seed."""
    if not replay:
        return lambda seed: RatingsArena(items.counts, seed=seed)
    ballots = items.ballots()
    return lambda seed: ReplayArena(items.counts, ballots, seed=seed)


def counts_document(items: RatedItems) -> dict[str, object]:
    """The pair counts of the items, as they are written to a file."""
    return {
        "format": COUNTS_FORMAT,
        "version": COUNTS_VERSION,
        "names": list(items.counts.names),
        "ids": items.ids,
        "wins": items.counts.wins.tolist(),
        "ties": items.counts.ties.tolist(),
    }
