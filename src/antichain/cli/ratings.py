"""`antichain ratings`: the front of any table of ratings."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from antichain.cli import ratings_table
from antichain.cli.options import Delta, Epsilon0, Force, Gamma, Json, Quiet, Seed


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
            "--delimiter", metavar="CHAR", help="Between the fields of a text.  [guessed]"
        ),
    ] = None,
    min_ratings: ratings_table.MinRatings = None,
    top: ratings_table.Top = None,
    epsilon: ratings_table.Epsilon = 0.05,
    delta: Delta = 0.001,
    gamma: Gamma = 0.9,
    epsilon0: Epsilon0 = 0.5,
    seed: Seed = 0,
    seeds: ratings_table.Seeds = 20,
    algorithm: ratings_table.Algorithm = None,
    faithful: ratings_table.Faithful = False,
    replay: ratings_table.Replay = False,
    dask: ratings_table.DaskAddress = None,
    output: ratings_table.CountsFile = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the front of the items in a table of ratings (without decoys, as for MovieLens)."""
    from antichain.ratings.rated_items import RatingsParameters, load_table
    from antichain.ratings.rating_log import RatingFormat

    wanted = RatingsParameters(
        min_ratings, top, epsilon, delta, gamma, epsilon0, seed, seeds, faithful, replay, dask,
        algorithm,
    )  # fmt: skip
    form = RatingFormat(user, item, rating, delimiter)
    ratings_table.find(wanted, partial(load_table, file, form), output, force, json, quiet)
