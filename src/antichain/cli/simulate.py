"""`antichain simulate`: an algorithm on simulated voters, many times."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain.cli import options, screen
from antichain.cli.runs import AlgorithmName, MaximumName, Record, Setting, simulate_all
from antichain.errors import InputError, ParameterError
from antichain.spreads import mean_interval, median_range, proportion_interval

if TYPE_CHECKING:
    from rich.table import Table

RUNS_FORMAT = "antichain-runs"
RUNS_VERSION = 1

_MOST_ROWS = 20
_COLUMNS = (
    "seed", "items", "width", "duels", "direct_duels", "decoy_duels", "regret", "seconds",
    "correct", "certified",
)  # fmt: skip
# What a narrow screen does without, the first first.
_DISPENSABLE = ("width", "items", "direct_duels", "decoy_duels", "regret", "certified", "seconds")
_MEASURES = (
    "duels", "direct_duels", "decoy_duels", "probes", "limit", "ratio_to_limit", "regret",
    "regret_with_decoys",
)  # fmt: skip
_NAMES = {"limit": "information limit", "ratio_to_limit": "duels ÷ limit"}


def simulate(
    algorithm: Annotated[
        AlgorithmName | None,
        options.choice(
            "--algorithm",
            AlgorithmName,
            "The method.  [default: witness, with --faithful unchained]",
        ),
    ] = None,
    faithful: Annotated[
        bool,
        typer.Option(
            "--faithful", help="Follow the paper to the letter (for slicing: with --maximum if2)."
        ),
    ] = False,
    poset: options.PosetFile = None,
    front: options.Front = None,
    width: options.Width = None,
    height: options.Height = None,
    parents: options.Parents = None,
    gaps: options.Gaps = None,
    delta: options.Delta = 0.001,
    decoy_gap: options.DecoyGap = 0.01,
    gamma: options.Gamma = 0.9,
    epsilon0: options.Epsilon0 = 0.5,
    no_decoys: Annotated[
        bool,
        typer.Option(
            "--no-decoys",
            help="Find an ε-front without decoys (witness, unchained). It is correct if it holds "
            "the whole front and no item (unchained: no member) beats a member by more than ε.",
        ),
    ] = False,
    epsilon: Annotated[
        float | None, options.number("--epsilon", "The ε of --no-decoys.", 0, 0.5)
    ] = None,
    observable: Annotated[
        bool,
        typer.Option(
            "--observable",
            help="Show uniform which pairs are incomparable (slicing always sees it).",
        ),
    ] = False,
    maximum: Annotated[
        MaximumName | None,
        options.choice(
            "--maximum",
            MaximumName,
            "What finds a chain's maximum (slicing).  [default: challenge, with --faithful if2]",
        ),
    ] = None,
    seed: options.Seed = 0,
    runs: Annotated[int, options.count("--runs", "How many; run r takes seed + r.")] = 10,
    workers: Annotated[int, options.count("--workers", "Processes.")] = 1,
    least_regret: Annotated[
        bool,
        typer.Option(
            "--least-regret", help="Aim at little regret, not at few duels (witness, with decoys)."
        ),
    ] = False,
    budget: Annotated[int | None, options.count("--budget", "The most duels of a run.")] = None,
    output: Annotated[
        Path | None,
        options.output("A JSON file for all runs; after Ctrl-C, for those that were done."),
    ] = None,
    force: options.Force = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, a run each.")
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Run an algorithm against simulated voters.

    A run is correct if it found the front exactly (but see --no-decoys). Its seconds are its own:
    each process compiles what it needs before its first run. The information limit (see
    antichain limit) is worked out beside, for runs with decoys and up to 2,000 items.
    """
    from antichain import files

    if seed + runs - 1 > options.LARGEST_SEED:
        raise ParameterError(
            f"--seed is {seed} with --runs {runs}, but seeds up to 2**53 were expected"
        )
    if output is not None:
        files.check_target(output, force)
    if algorithm is None:
        algorithm = AlgorithmName.UNCHAINED if faithful else AlgorithmName.WITNESS
    _check_options(algorithm, faithful, no_decoys, epsilon, observable, maximum, least_regret)
    if algorithm is AlgorithmName.WITNESS and (gamma, epsilon0) != (0.9, 0.5):
        raise ParameterError(
            "--gamma or --epsilon0 is given with --algorithm witness, but unchained was expected "
            "with it"
        )
    slicing = algorithm is AlgorithmName.SLICING
    setting = Setting(
        options.Source.chosen(
            poset, front=front, width=width, height=height, parents=parents, gaps=gaps
        ),
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
        least_regret,
    )
    records: list[Record] = []
    try:
        _collect(records, setting, range(seed, seed + runs), workers, json, quiet)
    except (KeyboardInterrupt, InputError):
        # What is done took its time, and is not thrown away with the rest.
        _hand_over(records, runs, output, force, json, quiet)
        if records:
            where = "" if output is None else f", and written to {output}"
            screen.warn(f"{len(records):,} of {screen.counted(runs, 'run')} done{where}")
        raise
    _hand_over(records, runs, output, force, json, quiet)
    if not all(record["certified"] for record in records):
        raise typer.Exit(1)


def _hand_over(
    records: list[Record], asked: int, output: Path | None, force: bool, json: bool, quiet: bool
) -> None:
    """Write the runs that are done to the file, and sum them up where no JSON was wanted."""
    from antichain import files

    if not records:
        return
    if output is not None:
        document = {
            "format": RUNS_FORMAT,
            "version": RUNS_VERSION,
            "interrupted": len(records) < asked,
            "runs_asked": asked,
            "runs": records,
        }
        files.write_json(output, document, force)
    if not json:
        _show(records, rows=not quiet)


def _check_options(
    algorithm: AlgorithmName,
    faithful: bool,
    no_decoys: bool,
    epsilon: float | None,
    observable: bool,
    maximum: MaximumName | None,
    least_regret: bool,
) -> None:
    """Refuse what would otherwise be ignored in silence."""
    witness, unchained, slicing, uniform = AlgorithmName
    for option, given, wanted in (
        ("--no-decoys", no_decoys, [witness, unchained]),
        ("--least-regret", least_regret, [witness]),
        ("--faithful", faithful, [unchained, slicing, uniform]),
        ("--maximum", maximum is not None, [slicing]),
        ("--observable", observable, [uniform, slicing]),
    ):
        if given and algorithm not in wanted:
            raise ParameterError(
                f"{option} is given with --algorithm {algorithm}, but {' or '.join(wanted)} "
                "was expected with it"
            )
    if faithful and maximum not in (None, MaximumName.IF2):
        raise ParameterError(
            f"--maximum {maximum} is given with --faithful, but the paper's if2 was expected"
        )
    if no_decoys and least_regret:
        raise ParameterError(
            "--least-regret is given with --no-decoys, but decoys were expected with it: it does "
            "without witnesses, and without decoys there are none"
        )
    if no_decoys != (epsilon is not None):
        raise ParameterError(
            f"{'--no-decoys' if no_decoys else '--epsilon'} is given alone, but --no-decoys with "
            "--epsilon X was expected (an ε-approximation of the front, without decoys)"
        )


def _collect(
    records: list[Record], setting: Setting, seeds: range, workers: int, json: bool, quiet: bool
) -> None:
    """Append the record of each run as it is done, so that an interrupt leaves those before."""
    with screen.Bar(quiet, total=len(seeds)) as bar:
        bar.runs(0)
        for record in simulate_all(setting, seeds, workers):
            records.append(record)
            bar.runs(len(records))
            if json:
                screen.print_json(record)


def _show(records: list[Record], rows: bool) -> None:
    if rows and 1 < len(records) <= _MOST_ROWS:
        screen.show(_table_of_runs(records, screen.width()))
    _show_measures(records)
    correct = sum(bool(record["correct"]) for record in records)
    share = proportion_interval(correct, len(records))
    certified = sum(bool(record["certified"]) for record in records)
    screen.say(
        f"correct in {correct:,} of {screen.counted(len(records), 'run')} "
        f"(95% interval {share.low:.3f} to {share.high:.3f})"
    )
    seconds = median_range(_numbers(records, "seconds")).middle
    screen.say(f"certified in {certified:,}; median {seconds:.3f} s a run")


def _numbers(records: Iterable[Record], name: str) -> list[float]:
    values = (record.get(name) for record in records)
    return [float(value) for value in values if isinstance(value, int | float)]


def _table_of_runs(records: list[Record], room: int) -> "Table":
    """The runs, a row each, with as many of the columns as there is room for."""
    from rich.table import Table

    columns = {
        name: [name.replace("_", " "), *(_shown(record[name]) for record in records)]
        for name in _COLUMNS
        if name != "decoy_duels" or any(_numbers(records, name))
    }

    def width() -> int:  # three characters for the border of each column, and the last border
        return sum(max(map(len, cells)) + 3 for cells in columns.values()) + 1

    for name in _DISPENSABLE:
        if width() > room:
            columns.pop(name, None)
    table = Table(title="runs", title_justify="left")
    for heading, *_ in columns.values():
        table.add_column(heading, justify="right")
    for row in zip(*(cells[1:] for cells in columns.values()), strict=True):
        table.add_row(*row)
    return table


def _show_measures(records: list[Record]) -> None:
    """Show what a run costs: means, or medians for slicing, whose mean cost may be infinite."""
    from rich.table import Table

    first = records[0]
    median = first["algorithm"] == AlgorithmName.SLICING
    title = (
        f"{first['algorithm']}, {screen.counted(len(records), 'run')}, "
        f"{screen.counted(int(str(first['items'])), 'item')}"
    )
    table = Table(title=title, title_justify="left")
    table.add_column("a run")
    table.add_column("median" if median else "mean", justify="right")
    if len(records) > 1:
        table.add_column("10% to 90%" if median else "95% interval", justify="right")
    decoys = any(_numbers(records, "decoy_duels"))
    for name in _MEASURES:
        values = _numbers(records, name)
        # Unknown, or nothing of the kind happens in this algorithm.
        if not any(values) or (name == "regret_with_decoys" and not decoys):
            continue
        spread = median_range(values) if median else mean_interval(values)
        cells = [_NAMES.get(name, name.replace("_", " ")), _shown(spread.middle)]
        if spread.low is not None:
            # Of few runs Student's interval may reach below 0, where no cost can be.
            cells.append(f"{_shown(max(spread.low, 0.0))} to {_shown(spread.high)}")
        table.add_row(*cells)
    if table.row_count:
        screen.show(table)
    else:
        screen.say(f"{title}: no duels were needed")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else "—" if value is None else str(value)
