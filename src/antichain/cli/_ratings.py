"""`antichain ratings`: the front of any table of ratings; and what `antichain movielens` shares."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain.cli import _options, _screen
from antichain.cli._options import Delta, Epsilon0, Force, Gamma, Json, Quiet, Seed

if TYPE_CHECKING:
    from rich.table import Table

    from antichain.ratings._rated_items import RatedItems, RatingsParameters

_MOST_LISTED = 20  # pairs and cycles in print; JSON has them all


MinRatings = Annotated[
    int | None,
    _options.count("--min-ratings", "Compare the items with at least N ratings.  [default: 20000]"),
]
Top = Annotated[int | None, _options.count("--top", "Compare the N most rated items instead.", 2)]
Epsilon = Annotated[float, _options.number("--epsilon", "The ε of the approximation.", 0, 0.5)]
Seeds = Annotated[int, _options.runs("--seeds", "Runs, with seed, seed + 1, …")]
Algorithm = Annotated[
    str | None,
    _options.algorithm(
        "The method: witness lets no item, unchained no member, beat a member by more than ε.",
        "witness, with --faithful unchained",
    ),
]
Faithful = Annotated[bool, typer.Option("--faithful", help="Follow the paper to the letter.")]
Replay = Annotated[
    bool,
    typer.Option("--replay", help="Draw actual raters, not from the counts (slower)."),
]
CountsFile = Annotated[Path | None, _options.output("A file for the pair counts, as JSON.")]


def _column(flag: str, meaning: str) -> Any:
    return typer.Option(flag, metavar="COL", help=meaning)


def ratings(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A table: .csv, .tsv, .jsonl or .parquet, as it is or .gz or .zip."
        ),
    ],
    user: Annotated[str, _column("--user", "The column of users.")] = "user",
    item: Annotated[str, _column("--item", "The column of items.")] = "item",
    rating: Annotated[str, _column("--rating", "The column of ratings.")] = "rating",
    delimiter: Annotated[
        str | None,
        typer.Option(
            "--delimiter", metavar="CHAR", help="Between the fields of a text.  [guessed]"
        ),
    ] = None,
    min_ratings: MinRatings = None,
    top: Top = None,
    epsilon: Epsilon = 0.05,
    delta: Delta = 0.001,
    gamma: Gamma = 0.9,
    epsilon0: Epsilon0 = 0.5,
    seed: Seed = 0,
    seeds: Seeds = 20,
    algorithm: Algorithm = None,
    faithful: Faithful = False,
    replay: Replay = False,
    dask: _options.Dask = None,
    output: CountsFile = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the front of the items in a table of ratings (without decoys, as for MovieLens)."""
    from antichain.ratings._rated_items import RatingsParameters, load_ratings
    from antichain.ratings._rating_log import RatingFormat

    wanted = RatingsParameters(
        min_ratings, top, epsilon, delta, gamma, epsilon0, seed, seeds, faithful, replay, dask,
        algorithm,
    )  # fmt: skip
    form = RatingFormat(user, item, rating, delimiter)
    find(wanted, partial(load_ratings, file, form), output, force, json, quiet)


def find(
    wanted: "RatingsParameters",
    load: "Callable[..., RatedItems]",
    output: Path | None,
    force: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Load the items, write their pair counts if asked to, and print the report."""
    from antichain import _files
    from antichain.ratings._rated_items import counts_document, report

    if output is not None:
        _files.check_target(output, force)
    with _screen.Bar(quiet) as bar:
        items = load(least=wanted.min_ratings, top=wanted.top, dask=wanted.dask, stage=bar.note)
    if output is not None:
        _files.write_json(output, counts_document(items), force)
    with _screen.Bar(quiet, total=wanted.seeds) as bar:
        found = report(items, wanted, bar.runs)
    if json:
        _screen.print_json(found)
    elif quiet:
        for name in found["front"]:
            _screen.say(name)
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    _screen.say(
        f"{found['source']}: {found['films']:,} items with {found['ratings_of_films']:,} of "
        f"{found['ratings']:,} ratings by {found['users']:,} users; {_pairs_shown(found)}"
    )
    _screen.show(_paper_table(found), _seeds_table(found))
    duels = found["duels_by_seed"]
    _screen.say(
        f"{found['duels']:,} duels for the front found (seed {found['parameters']['seed']}); "
        f"{min(duels):,} to {max(duels):,} over {len(duels)} seeds"
    )
    _show_oddities(found)


def _pairs_shown(found: dict[str, Any]) -> str:
    """The number of pairs, and what is known of their common raters."""
    if found["unpaired"]:
        return (
            f"{found['pairs']:,} pairs with common raters, and {len(found['unpaired']):,} that "
            "nobody rated both of"
        )
    return f"{found['pairs']:,} pairs, each with {found['min_co_raters']:,} common raters or more"


def _paper_table(found: dict[str, Any]) -> "Table":
    """The table of the paper: the front found beside the items with the highest average."""
    from itertools import zip_longest

    kinds = ["genres"] if any(found["genres"].values()) else []  # a plain table of ratings has none
    rows = []
    for member, high in zip_longest(found["front"], found["top_mean"]):
        row = []
        for name in (member, high):
            row += [name or "", *(", ".join(found["genres"].get(name, ())) for _ in kinds)]
        row.append("" if high is None else f"{found['means'][high]:.3f}")
        rows.append(row)
    return _screen.table(
        ("front found", *kinds, "highest average", *kinds, "mean"),
        rows,
        right=("mean",),
        title="front found, and highest average",
    )


def _seeds_table(found: dict[str, Any]) -> "Table":
    """How often each item is in the answer, beside the exact ε-front."""
    membership, seeds = found["membership"], found["parameters"]["seeds"]
    ranked = sorted(membership, key=lambda name: -membership[name])
    rows = []
    for name in dict.fromkeys([*ranked, *found["exact_front"], *sorted(found["within_reach"])]):
        side = "yes" if name in found["exact_front"] else "no"
        doubtful = name in found["within_reach"]
        reach = ", within sampling reach of the other side" if doubtful else ""
        times = round(membership.get(name, 0.0) * seeds)
        rows.append((name, f"{times} of {seeds}", side + reach))
    return _screen.table(
        ("item", "in the answer", "exact ε-front"),
        rows,
        right=("in the answer",),
        title="over seeds, and the exact ε-front",
    )


def _show_oddities(found: dict[str, Any]) -> None:
    """What a reader must know before trusting the tables."""
    if not found["exact_front"]:
        _screen.say("the exact ε-front is empty: every item is clearly beaten by another")
    for listed, words in (
        (found["cycles"], "a cycle of clear wins"),
        (found["unpaired"], "nobody rated both, so they were left incomparable"),
    ):
        for names in listed[:_MOST_LISTED]:
            _screen.say(f"{words}: {_screen.names(names)}")
        if len(listed) > _MOST_LISTED:
            _screen.say(f"{words}: {len(listed) - _MOST_LISTED:,} more (see --json)")
