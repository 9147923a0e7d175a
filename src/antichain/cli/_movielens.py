"""`antichain movielens`: the paper's experiment on film ratings."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from antichain.cli import _ratings as shared
from antichain.cli import _screen
from antichain.cli._options import Dask, Delta, Epsilon0, Force, Gamma, Json, Quiet, Seed, count
from antichain.errors import ParameterError


def movielens(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="A release of MovieLens: a folder, one around it, or a zip."
        ),
    ],
    min_ratings: shared.MinRatings = None,
    top: shared.Top = None,
    epsilon: shared.Epsilon = 0.05,
    delta: Delta = 0.001,
    gamma: Gamma = 0.9,
    epsilon0: Epsilon0 = 0.5,
    seed: Seed = 0,
    seeds: shared.Seeds = 20,
    algorithm: shared.Algorithm = None,
    faithful: shared.Faithful = False,
    replay: shared.Replay = False,
    dask: Dask = None,
    download: Annotated[
        str | None,
        typer.Option("--download", metavar="RELEASE", help="Fetch a release (ml-20m) into DIR."),
    ] = None,
    synthesize: Annotated[
        bool, typer.Option("--synthesize", help="Make up ratings of that shape in DIR.")
    ] = False,
    ratings: Annotated[
        int | None,
        count("--ratings", "How many to make up.  [default: 20000000]", 100),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Fetch from here instead.", hidden=True)
    ] = None,
    output: shared.CountsFile = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the films nobody clearly prefers another to, beside those with the highest average."""
    if download is not None and synthesize:
        raise ParameterError(
            f"--download {download} and --synthesize are both given, but one of them was expected"
        )
    if ratings is not None and not synthesize:
        raise ParameterError(
            "--ratings is given without --synthesize, but it says how many to make up"
        )
    if download is not None:
        _download(download, directory, base_url, force, json, quiet)
    elif synthesize:
        _synthesize(directory, ratings or 20_000_000, seed, force, json, quiet)
    else:
        from antichain.ratings._rated_items import RatingsParameters, load_movielens

        wanted = RatingsParameters(
            min_ratings, top, epsilon, delta, gamma, epsilon0, seed, seeds, faithful, replay, dask,
            algorithm,
        )  # fmt: skip
        shared.find(wanted, partial(load_movielens, directory), output, force, json, quiet)


def _download(
    name: str, folder: Path, base: str | None, force: bool, json: bool, quiet: bool
) -> None:
    from antichain.ratings._download import PUBLISHER, download

    with _screen.Bar(quiet) as bar:

        def heard(here: int, total: int | None) -> None:
            of = "" if total is None else f" of {total / 1e6:,.1f}"
            bar.note("fetching", f"{here / 1e6:,.1f}{of} MB")

        archive = download(name, folder, base=base or PUBLISHER, force=force, progress=heard)
    if json:
        _screen.print_json({"archive": str(archive), "bytes": archive.stat().st_size})
    elif not quiet:
        _screen.say(f"{archive}: complete, with the publisher's checksum")


def _synthesize(
    folder: Path, ratings: int, seed: int, force: bool, json: bool, quiet: bool
) -> None:
    from antichain.ratings._synth import synthesize

    with _screen.Bar(quiet) as bar:
        users, films = synthesize(
            folder,
            ratings,
            seed,
            force=force,
            progress=lambda done: bar.note("writing", f"{done:,} of {ratings:,} ratings"),
        )
    record = {"folder": str(folder), "ratings": ratings, "users": users, "films": films}
    if json:
        _screen.print_json(record | {"seed": seed})
    elif not quiet:
        _screen.say(f"{folder}: {ratings:,} made-up ratings of {films:,} films by {users:,} users")
