"""What `movielens` and `ratings` share: from a log of ratings to the paper's table."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain.cli import screen
from antichain.cli.options import between, choice, output, whole
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from antichain.arenas.ratings import RatingsArena
    from antichain.logs.load import RatedItems

FORMAT = "antichain-ratings-front"
VERSION = 1
COUNTS_FORMAT = "antichain-pair-counts"
COUNTS_VERSION = 1

_FEWEST_BY_MEAN = 5  # the paper lists five
_MOST_LISTED = 20  # of pairs and cycles in a table; JSON has them all

Record = dict[str, object]

MinRatings = Annotated[
    int | None,
    typer.Option(
        "--min-ratings",
        parser=whole(1),
        metavar="N",
        help="Compare items rated at least so often.  [default: 20000]",
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        "--top", parser=whole(2), metavar="N", help="Compare so many most rated ones instead."
    ),
]
Epsilon = Annotated[
    float,
    typer.Option(
        "--epsilon", parser=between(0, 0.5), metavar="X", help="The ε of the approximation."
    ),
]
Seeds = Annotated[
    int,
    typer.Option("--seeds", parser=whole(1), metavar="N", help="Runs, of seed, seed + 1, …"),
]


class Method(StrEnum):
    """What finds an ε-front without decoys."""

    WITNESS = "witness"
    UNCHAINED = "unchained"


Algorithm = Annotated[
    Method | None,
    choice(
        "--algorithm",
        Method,
        "The method: witness lets no item, unchained no member, beat a member by more than ε.  "
        "[default: witness, with --faithful unchained]",
    ),
]
Faithful = Annotated[bool, typer.Option("--faithful", help="Follow the paper to the letter.")]
Replay = Annotated[
    bool, typer.Option("--replay", help="Draw actual raters, not from the counts (slower).")
]
DaskAddress = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Count on a Dask cluster, or 'local'."),
]
CountsFile = Annotated[Path | None, output("A file for the pair counts, as JSON.")]


@dataclass(frozen=True)
class Wanted:
    """What the options ask for."""

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
    algorithm: Method | None = None

    def __post_init__(self) -> None:
        if self.algorithm is Method.WITNESS and self.faithful:
            raise ParameterError(
                "--faithful is given with --algorithm witness, but unchained was expected with it"
            )
        own = (self.gamma, self.epsilon0) != (0.9, 0.5) or self.faithful
        if self.algorithm is None:
            object.__setattr__(self, "algorithm", Method.UNCHAINED if own else Method.WITNESS)
        if self.min_ratings is not None and self.top is not None:
            raise ParameterError(
                f"--min-ratings {self.min_ratings} and --top {self.top} are both given, and one "
                "way to choose items was expected"
            )


def find(
    wanted: Wanted,
    load: "Callable[[Callable[[str, str], None]], RatedItems]",
    output: Path | None,
    force: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Load the items, write their pair counts where that is asked for, and print the table."""
    from antichain import files

    if output is not None:
        files.check_target(output, force)
    with screen.Bar(quiet) as bar:
        items = load(bar.note)
    if output is not None:
        document = {
            "format": COUNTS_FORMAT,
            "version": COUNTS_VERSION,
            "names": list(items.counts.names),
            "ids": items.ids,
            "wins": items.counts.wins.tolist(),
            "ties": items.counts.ties.tolist(),
        }
        files.write_json(output, document, force)
    _present(_report(items, wanted, quiet), json, quiet)


def _report(items: "RatedItems", wanted: Wanted, quiet: bool) -> Record:
    """Everything the table shows, as plain data."""
    from antichain.logs.fronts import exact_front

    results = _runs(items, wanted, quiet)
    counts, census = items.counts, items.census
    exact = exact_front(counts, wanted.epsilon)
    found = [front for front, _ in results]
    in_answer = {name: sum(name in front for front in found) for name in counts.names}
    ranked = sorted(items.means.items(), key=lambda entry: -entry[1])
    listed = max(_FEWEST_BY_MEAN, len(found[0]))
    return {
        "format": FORMAT,
        "version": VERSION,
        "source": items.log.label,
        "films": len(counts.names),
        "ratings": census.ratings,
        "users": census.users,
        "ratings_of_films": int(census.item_ratings[items.chosen].sum()),
        "pairs": counts.pairs,
        "min_co_raters": counts.min_co_raters,
        "unpaired": [list(pair) for pair in counts.unpaired()],
        "front": list(found[0]),
        "top_mean": [name for name, _ in ranked[:listed]],
        "exact_front": list(exact.front),
        "within_reach": list(exact.doubtful),
        "cycles": [list(cycle) for cycle in exact.cycles],
        "duels": results[0][1],
        "duels_by_seed": [duels for _, duels in results],
        "membership": {name: times / len(found) for name, times in in_answer.items() if times},
        "means": items.means,
        "ids": items.ids,
        "genres": {name: list(genres) for name, genres in items.genres.items()},
        "parameters": asdict(wanted),
    }


def _runs(items: "RatedItems", wanted: Wanted, quiet: bool) -> list[tuple[tuple[str, ...], int]]:
    """The front and the duels of each seed; what nobody could answer is no duel."""
    from antichain.algorithms.rules import Rules
    from antichain.algorithms.unchained import UnchainedBandits
    from antichain.algorithms.witness import Witness
    from antichain.run import find_front

    algorithm: UnchainedBandits | Witness = Witness(
        delta=wanted.delta, decoy_gap=None, epsilon=wanted.epsilon
    )
    if wanted.algorithm is Method.UNCHAINED:
        algorithm = UnchainedBandits(
            delta=wanted.delta,
            rules=Rules.paper() if wanted.faithful else Rules(),
            decoy_gap=None,
            epsilon=wanted.epsilon,
            gamma=wanted.gamma,
            epsilon0=wanted.epsilon0,
        )
    arena_of = _arenas(items, wanted)
    results = []
    with screen.Bar(quiet, total=wanted.seeds) as bar:
        bar.runs(0)
        for seed in range(wanted.seed, wanted.seed + wanted.seeds):
            result = find_front(arena_of(seed), algorithm, seed=seed)
            results.append((result.front, result.duels - result.answers["incomparable"]))
            bar.runs(len(results))
    return results


def _arenas(items: "RatedItems", wanted: Wanted) -> Callable[[int], "RatingsArena"]:
    from antichain.arenas.ratings import RatingsArena, ReplayArena

    if not wanted.replay:
        return lambda seed: RatingsArena(items.counts, seed=seed)
    ballots = items.ballots()
    return lambda seed: ReplayArena(items.counts, ballots, seed=seed)


def _present(record: Record, json: bool, quiet: bool) -> None:
    """Print the record: as JSON, as names alone, or as tables."""
    if json:
        screen.print_json(record)
    elif quiet:
        for name in _names(record, "front"):
            screen.say(name)
    else:
        _show(record)


def _show(record: Record) -> None:
    parameters = record["parameters"]
    assert isinstance(parameters, dict)
    screen.say(
        f"{record['source']}: {record['films']:,} items with {record['ratings_of_films']:,} of "
        f"{record['ratings']:,} ratings by {record['users']:,} users; {_pairs_shown(record)}"
    )
    screen.show(_paper_table(record), _seeds_table(record, parameters["seeds"]))
    duels = record["duels_by_seed"]
    assert isinstance(duels, list)
    screen.say(
        f"{record['duels']:,} duels for the front found (seed {parameters['seed']}); "
        f"{min(duels):,} to {max(duels):,} over {len(duels)} seeds"
    )
    _show_oddities(record)


def _pairs_shown(record: Record) -> str:
    """How many pairs have common raters, and how many at least; or how many pairs have none."""
    unpaired = record["unpaired"]
    assert isinstance(unpaired, list)
    if unpaired:
        return (
            f"{record['pairs']:,} pairs with common raters, and {len(unpaired):,} that nobody "
            "rated both of"
        )
    return f"{record['pairs']:,} pairs, each with {record['min_co_raters']:,} common raters or more"


def _paper_table(record: Record) -> "Table":
    """The table of the paper: what was found beside what is rated highest."""
    from itertools import zip_longest

    from rich.markup import escape
    from rich.table import Table

    means, genres = record["means"], record["genres"]
    assert isinstance(means, dict)
    assert isinstance(genres, dict)
    table = Table(title="front found, and highest average", title_justify="left")
    kinds = ["genres"] if any(genres.values()) else []  # a plain table of ratings has none
    for column in ("front found", *kinds, "highest average", *kinds, "mean"):
        table.add_column(column, justify="right" if column == "mean" else "left")
    for found, high in zip_longest(_names(record, "front"), _names(record, "top_mean")):
        row = []
        for name in (found, high):
            row += [name or "", *(", ".join(genres.get(name, ())) for _ in kinds)]
        row.append("" if high is None else f"{means[high]:.3f}")
        table.add_row(*(escape(cell) for cell in row))
    return table


def _seeds_table(record: Record, seeds: int) -> "Table":
    """How often each item is in the answer, beside the exact ε-front."""
    from rich.markup import escape
    from rich.table import Table

    membership = record["membership"]
    assert isinstance(membership, dict)
    exact, doubtful = set(_names(record, "exact_front")), set(_names(record, "within_reach"))
    table = Table(title="over seeds, and the exact ε-front", title_justify="left")
    table.add_column("item")
    table.add_column("in the answer", justify="right")
    table.add_column("exact ε-front")
    ranked = sorted(membership, key=lambda name: -membership[name])
    for name in dict.fromkeys([*ranked, *_names(record, "exact_front"), *sorted(doubtful)]):
        side = "yes" if name in exact else "no"
        reach = ", within sampling reach of the other side" if name in doubtful else ""
        times = round(membership.get(name, 0.0) * seeds)
        table.add_row(escape(name), f"{times} of {seeds}", side + reach)
    return table


def _show_oddities(record: Record) -> None:
    """What a reader must know before trusting the tables."""
    if not record["exact_front"]:
        screen.say("the exact ε-front is empty: every item is clearly beaten by another")
    for key, words in (
        ("cycles", "a cycle of clear wins"),
        ("unpaired", "nobody rated both, so they were left incomparable"),
    ):
        found = record[key]
        assert isinstance(found, list)
        for names in found[:_MOST_LISTED]:
            screen.say(f"{words}: {screen.names(names)}")
        if len(found) > _MOST_LISTED:
            screen.say(f"{words}: {len(found) - _MOST_LISTED:,} more (see --json)")


def _names(record: Record, key: str) -> list[str]:
    value = record[key]
    return list(value) if isinstance(value, list) else []
