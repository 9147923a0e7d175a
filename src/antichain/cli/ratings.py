"""`antichain ratings`: the front of any table of ratings."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain.cli import films
from antichain.cli.options import Delta, Epsilon0, Force, Gamma, Json, Quiet, Seed

if TYPE_CHECKING:
    from antichain.logs.load import RatedItems


def ratings(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A table: .csv, .tsv, .jsonl or .parquet, as it is or .gz or .zip."
        ),
    ],
    user: Annotated[
        str, typer.Option("--user", metavar="COL", help="The column of users.")
    ] = "user",
    item: Annotated[
        str, typer.Option("--item", metavar="COL", help="The column of items.")
    ] = "item",
    rating: Annotated[
        str, typer.Option("--rating", metavar="COL", help="The column of ratings.")
    ] = "rating",
    delimiter: Annotated[
        str | None,
        typer.Option(
            "--delimiter",
            metavar="CHAR",
            help="Between fields of a CSV.  [default: comma, .tsv: tab]",
        ),
    ] = None,
    min_ratings: films.MinRatings = None,
    top: films.Top = None,
    epsilon: films.Epsilon = 0.05,
    delta: Delta = 0.001,
    gamma: Gamma = 0.9,
    epsilon0: Epsilon0 = 0.5,
    seed: Seed = 0,
    seeds: films.Seeds = 20,
    algorithm: films.Algorithm = None,
    faithful: films.Faithful = False,
    replay: films.Replay = False,
    dask: films.DaskAddress = None,
    output: films.CountsFile = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the front of the items in a table of ratings (without decoys, as for MovieLens)."""
    wanted = films.Wanted(
        min_ratings,
        top,
        epsilon,
        delta,
        gamma,
        epsilon0,
        seed,
        seeds,
        faithful,
        replay,
        dask,
        algorithm,
    )

    def load(stage: Callable[[str, str], None]) -> "RatedItems":
        from antichain.logs.load import load_table
        from antichain.logs.tables import Columns

        columns = Columns(user, item, rating)
        return load_table(
            file, columns, delimiter=delimiter, least=min_ratings, top=top, dask=dask, stage=stage
        )

    films.find(wanted, load, output, force, json, quiet)
