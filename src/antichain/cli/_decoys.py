"""`antichain decoys`: make degraded versions, check that they are decoys, plan the check."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain.cli import _options, _screen
from antichain.cli._vote_options import VoteFile
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain.decoys import DecoyCheck, DecoyReport

decoys = typer.Typer(
    name="decoys",
    help="Make degraded versions of your items, and check that they work as decoys.",
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_NOT_OK = 1
_SUFFIX = " (decoy)"  # as in logs.duels.decoy_names, which would import numpy

Delta = Annotated[float, _options.number("--delta", "Highest chance that any flag is wrong.", 0, 1)]


@decoys.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        _screen.say_lines(context.get_help())


@decoys.command(short_help="Degrade each file, and write decoys.json.")
def make(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILES", help="Files to degrade, or folders of them."),
    ],
    kind: Annotated[str, _options.word("--kind", "image|text|audio", "Type of the files.")],
    how: Annotated[
        str,
        _options.word(
            "--how",
            "HOW",
            "How to degrade them: resolution, blur or jpeg (image); drop (leaves out whole "
            "sentences), shuffle (moves whole sentences) or truncate (cuts off the end) (text); "
            "noise, bits or rate (audio).",
        ),
    ],
    strength: Annotated[
        float,
        _options.number(
            "--strength", "How strongly to degrade them: above 0, at most 1.", 0, 1, high_too=True
        ),
    ],
    output: Annotated[Path, _options.output_folder("Folder to write to.")],
    seed: _options.Seed = 0,
    force: _options.Force = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Write a degraded version of each file, and a decoys.json that names each item's decoy."""
    from antichain.decoys import make_decoys

    made = make_decoys(files, kind, how, strength, output, seed, force)
    if json:
        _screen.print_json({"output": str(output), **made.to_dict()})
    elif not quiet:
        _screen.say(f"{output}: {_screen.counted(len(made.decoys), 'decoy')} and decoys.json")


@decoys.command(short_help="Check decoys with votes on items and their decoys.")
def check(
    file: VoteFile,
    manifest: Annotated[
        Path | None,
        typer.Option(
            "--decoys",
            "--manifest",
            metavar="FILE",
            help="A decoys.json that names each item's decoy.",
        ),
    ] = None,
    suffix: Annotated[
        str | None,
        typer.Option(
            "--decoy-suffix",
            "--suffix",
            metavar="TEXT",
            help=f"Ending of decoys' names, if there is no decoys.json.  [default: '{_SUFFIX}']",
        ),
    ] = None,
    incomparable: Annotated[
        Path | None,
        _options.word(
            "--incomparable",
            "FILE",
            "Table of pairs known to be incomparable, with columns left and right.",
        ),
    ] = None,
    decoy_gap: _options.DecoyGap = 0.01,
    delta: Delta = 0.05,
    tuned_for: Annotated[
        int,
        _options.count(
            "--tuned-for", "Number of votes per pair at which the intervals should be shortest."
        ),
    ] = 1000,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Show what the votes on items and their decoys say about the decoys.

    The exit code is 0 if every decoy passes and 1 if any does not.
    """
    from antichain.decoys import read_manifest
    from antichain.decoys._calibration import decoys_by_suffix, report_on
    from antichain.votes import read_votes
    from antichain.votes._small_tables import read_pairs

    if manifest is not None and suffix is not None:
        raise ParameterError(
            "--decoys and --decoy-suffix are both given, but they cannot be used together"
        )
    ending = _SUFFIX if suffix is None else suffix
    listed = None if manifest is None else read_manifest(manifest)
    by_name = ending if listed is None else listed.by_any_name
    log = read_votes(file, history=False, named_decoys=by_name)
    named = decoys_by_suffix(log.items, ending) if listed is None else listed.named_in(log.items)
    pairs = [] if incomparable is None else read_pairs(incomparable)
    # The reader hints at options that this command has not got.
    notes = [note.partition("; if it holds the ")[0] for note in log.guessed]
    report = report_on(log, named, decoy_gap, delta, pairs, tuned_for)
    if json:
        _screen.print_json(report.to_dict() | {"guessed": notes})
    else:
        _show(report, quiet)
        if not quiet:
            for note in notes:
                _screen.say(f"note: {note}")
    if not report.ok:
        raise typer.Exit(_NOT_OK)


@decoys.command()
def plan(
    items: Annotated[int, _options.count("--items", "Number of items with a decoy.")],
    precision: Annotated[
        float,
        _options.number("--precision", "Half the length of the intervals you want.", 0, 0.5),
    ],
    incomparable: Annotated[
        int, _options.count("--incomparable", "Number of pairs known to be incomparable.", 0)
    ] = 0,
    delta: Delta = 0.05,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Show how many votes it takes to check decoys."""
    from antichain.decoys import plan_calibration

    needed = plan_calibration(items, precision, delta=delta, incomparable=incomparable)
    if json:
        _screen.print_json(needed.to_dict())
        return
    _screen.say(
        f"{_screen.counted(needed.votes_per_pair, 'vote')} on each of "
        f"{_screen.counted(needed.pairs, 'pair')}, "
        f"{needed.votes:,} in all"
    )
    if not quiet:
        _screen.say(
            f"With probability at least {1 - delta:g}, every gap is then known to within "
            f"{precision:g}; check with --tuned-for {needed.votes_per_pair}."
        )


def _show(report: "DecoyReport", quiet: bool) -> None:
    from antichain.decoys._calibration import COLUMNS, rows_of

    tables: list[tuple[str, Sequence[DecoyCheck]]]
    tables = [("Items against their own decoys", report.own)]
    if report.incomparable:
        tables.append(("Items against decoys of incomparable items", report.incomparable))
    for title, checks in tables:
        _screen.show(_screen.table(COLUMNS, rows_of(checks), right=("votes", "gap"), title=title))
    if report.suggested_gap is None:
        _screen.say(f"No Δ is certified yet: {report.suggested_by} is not shown to beat its decoy.")
    else:
        _screen.say(f"suggested Δ: {report.suggested_gap:.4f} (limited by {report.suggested_by})")
    if quiet:
        return
    _screen.say(
        f"With probability at least {1 - report.delta:g}, all flags at Δ = {report.decoy_gap:g} "
        "are right, however often you check."
    )
    if report.suggested_gap is not None:
        _screen.say("The suggested Δ is valid with the same probability.")
    if report.unused:
        _screen.say(f"{_screen.counted(report.unused, 'vote')} on other pairs did not count.")
