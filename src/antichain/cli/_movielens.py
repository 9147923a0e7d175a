"""`antichain movielens`: the paper's experiment on film ratings."""

from pathlib import Path
from typing import Annotated

import typer

from antichain.cli import _ratings as shared
from antichain.cli import _screen
from antichain.cli._certificate_files import CertificateFiles, writes_certificates
from antichain.cli._options import Json, Quiet, count
from antichain.errors import ParameterError


@writes_certificates
@shared.compares_ratings
def movielens(
    directories: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR",
            help="A MovieLens release: its folder, the folder around it, or its zip. Several "
            "releases are analysed separately, because they share users.",
        ),
    ],
    wanted: shared.RatingsWanted,
    outputs: CertificateFiles,
    download: Annotated[
        str | None,
        typer.Option(
            "--download", metavar="RELEASE", help="Download a release, such as ml-20m, to DIR."
        ),
    ] = None,
    synthesize: Annotated[
        bool, typer.Option("--synthesize", help="Write made-up ratings of the same shape to DIR.")
    ] = False,
    ratings: Annotated[
        int | None,
        count("--ratings", "Number of ratings to make up.  [default: 20000000]", 100),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="URL", help="Download from this mirror instead."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Certify which films no other film clearly beats, and show those rated highest on average."""
    if download is not None and synthesize:
        raise ParameterError(
            f"--download {download} and --synthesize are both given, but they cannot be used "
            "together"
        )
    if ratings is not None and not synthesize:
        raise ParameterError(
            "--ratings is given without --synthesize, but it says how many ratings to make up"
        )
    if len(directories) > 1 and (download or synthesize or outputs.targets or wanted.counts):
        raise ParameterError(
            f"{len(directories)} folders are given, but only one is allowed when a file is "
            "written: each release has a result of its own"
        )
    first, seed = directories[0], wanted.parameters.seed
    if download is not None:
        _download(download, first, base_url, outputs.force, json, quiet)
    elif synthesize:
        _synthesize(first, ratings or 20_000_000, seed, outputs.force, json, quiet)
    else:
        for directory in directories:
            shared.find(directory, None, wanted, outputs, json, quiet)


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
        which = f"{_screen.counted(films, 'film')} by {_screen.counted(users, 'user')}"
        _screen.say(f"{folder}: {ratings:,} made-up ratings of {which}")
