"""`antichain simulate`: an algorithm on simulated voters, many times."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain.cli import screen
from antichain.cli.options import (
    LARGEST_SEED,
    DecoyGap,
    Delta,
    Epsilon0,
    Force,
    Front,
    Gamma,
    Gaps,
    Height,
    Json,
    Parents,
    PosetFile,
    Quiet,
    Seed,
    Source,
    Width,
    between,
    whole,
)
from antichain.cli.runs import AlgorithmName, MaximumName, Record, Setting, simulate_all
from antichain.cli.summary import mean_interval, median_range, proportion_interval
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from rich.table import Table

RUNS_FORMAT = "antichain-runs"
RUNS_VERSION = 1

_MOST_ROWS = 20
_MEASURES = ("duels", "direct_duels", "decoy_duels", "probes", "regret", "regret_with_decoys")


def simulate(
    algorithm: Annotated[
        AlgorithmName, typer.Option("--algorithm", help="The method.")
    ] = AlgorithmName.UNCHAINED,
    faithful: Annotated[
        bool,
        typer.Option(
            "--faithful", help="Follow the paper to the letter (for slicing: with --maximum if2)."
        ),
    ] = False,
    poset: PosetFile = None,
    front: Front = None,
    width: Width = None,
    height: Height = None,
    parents: Parents = None,
    gaps: Gaps = None,
    delta: Delta = 0.001,
    decoy_gap: DecoyGap = 0.01,
    gamma: Gamma = 0.9,
    epsilon0: Epsilon0 = 0.5,
    no_decoys: Annotated[
        bool,
        typer.Option("--no-decoys", help="Find an ε-approximation, without decoys (unchained)."),
    ] = False,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon", parser=between(0, 0.5), metavar="FLOAT", help="The ε of --no-decoys."
        ),
    ] = None,
    observable: Annotated[
        bool,
        typer.Option("--observable", help="Show which pairs are incomparable (uniform)."),
    ] = False,
    maximum: Annotated[
        MaximumName | None,
        typer.Option("--maximum", help="Finds a chain's maximum (slicing). [default: challenge]"),
    ] = None,
    seed: Seed = 0,
    runs: Annotated[
        int,
        typer.Option("--runs", parser=whole(1), metavar="INTEGER", help="Run r takes seed + r."),
    ] = 10,
    workers: Annotated[
        int, typer.Option("--workers", parser=whole(1), metavar="INTEGER", help="Processes.")
    ] = 1,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget", parser=whole(1), metavar="INTEGER", help="The most duels of a run."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file for the runs, as JSON.")
    ] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run an algorithm against simulated voters, on a poset file or on random posets."""
    from antichain import files

    if seed + runs - 1 > LARGEST_SEED:
        raise ParameterError(f"--seed is {seed}, and with {runs} runs seeds would pass 2**53")
    if output is not None:
        files.check_target(output, force)
    slicing = algorithm is AlgorithmName.SLICING
    setting = Setting(
        Source.chosen(poset, front=front, width=width, height=height, parents=parents, gaps=gaps),
        algorithm,
        faithful,
        delta,
        None if no_decoys or observable or slicing else decoy_gap,
        gamma,
        epsilon0,
        epsilon,
        observable or slicing,
        maximum or (MaximumName.IF2 if faithful else MaximumName.CHALLENGE),
        budget,
    )
    _check_options(algorithm, faithful, no_decoys, epsilon, observable, maximum)
    records = _collect(setting, range(seed, seed + runs), workers, json, quiet)
    if output is not None:
        document = {"format": RUNS_FORMAT, "version": RUNS_VERSION, "runs": records}
        files.write_json(output, document, force)
    if not json:
        _show(records, median=slicing, rows=not quiet)
    if not all(record["certified"] for record in records):
        raise typer.Exit(1)


def _check_options(
    algorithm: AlgorithmName,
    faithful: bool,
    no_decoys: bool,
    epsilon: float | None,
    observable: bool,
    maximum: MaximumName | None,
) -> None:
    """Refuse what would otherwise be ignored in silence."""
    for option, given, wanted in (
        ("--no-decoys", no_decoys, AlgorithmName.UNCHAINED),
        ("--maximum", maximum is not None, AlgorithmName.SLICING),
    ):
        if given and algorithm is not wanted:
            raise ParameterError(
                f"{option} is given with --algorithm {algorithm}, and it belongs to {wanted}"
            )
    if faithful and maximum not in (None, MaximumName.IF2):
        raise ParameterError(
            f"--maximum {maximum} is given with --faithful, and the paper's choice is if2"
        )
    if observable and algorithm is AlgorithmName.UNCHAINED:
        raise ParameterError(
            "--observable is given with --algorithm unchained, which makes no use of it: "
            "uniform or slicing was expected"
        )
    if no_decoys != (epsilon is not None):
        raise ParameterError(
            f"{'--no-decoys' if no_decoys else '--epsilon'} is given alone, and --no-decoys with "
            "--epsilon E was expected (an ε-approximation of the front, without decoys)"
        )


def _collect(setting: Setting, seeds: range, workers: int, json: bool, quiet: bool) -> list[Record]:
    records: list[Record] = []
    with screen.Bar(quiet, total=len(seeds)) as bar:
        bar.runs(0)
        for record in simulate_all(setting, seeds, workers):
            records.append(record)
            bar.runs(len(records))
            if json:
                screen.print_json(record)
    return records


def _show(records: list[Record], median: bool, rows: bool) -> None:
    if rows and 1 < len(records) <= _MOST_ROWS:
        screen.show(_table_of_runs(records))
    screen.show(_table_of_measures(records, median))
    correct = sum(bool(record["correct"]) for record in records)
    share = proportion_interval(correct, len(records))
    certified = sum(bool(record["certified"]) for record in records)
    screen.say(
        f"correct in {correct} of {len(records)} runs "
        f"(95% interval {share.low:.3f} to {share.high:.3f}), certified in {certified}; "
        f"median {median_range(_numbers(records, 'seconds')).middle:.3f} s a run"
    )


def _numbers(records: Iterable[Record], name: str) -> list[float]:
    return [float(value) for record in records if isinstance(value := record[name], int | float)]


def _table_of_runs(records: Iterable[Record]) -> "Table":
    from rich.table import Table

    table = Table(title="runs", title_justify="left")
    names = ("seed", "items", "width", "duels", "direct_duels", "decoy_duels", "regret", "seconds")
    for name in names:
        table.add_column(name.replace("_", " "), justify="right")
    table.add_column("correct")
    table.add_column("certified")
    for record in records:
        words = ["yes" if record[name] else "no" for name in ("correct", "certified")]
        table.add_row(*(_shown(record[name]) for name in names), *words)
    return table


def _table_of_measures(records: list[Record], median: bool) -> "Table":
    from rich.table import Table

    first = records[0]
    table = Table(
        title=f"{first['algorithm']}, {len(records)} runs, {first['items']} items",
        title_justify="left",
    )
    table.add_column("a run")
    table.add_column("median" if median else "mean", justify="right")
    table.add_column("10% to 90%" if median else "95% interval", justify="right")
    for name in _MEASURES:
        values = _numbers(records, name)
        if not any(values):  # unknown, or nothing of the kind happens in this algorithm
            continue
        spread = median_range(values) if median else mean_interval(values)
        reach = "" if spread.low is None else f"{_shown(spread.low)} to {_shown(spread.high)}"
        table.add_row(name.replace("_", " "), _shown(spread.middle), reach)
    return table


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else "—" if value is None else str(value)
