"""`antichain simulate`: an algorithm on simulated voters, many times."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain._intervals import mean_interval, median_range, proportion_interval
from antichain.algorithms import _registry
from antichain.cli import _options, _screen
from antichain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from antichain._trials import Record
    from antichain.algorithms._base import Algorithm

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
_GAMMA, _EPSILON0 = 0.9, 0.5  # the paper's


FINDERS = ("challenge", "peel", "if2", "beat-the-mean", "knockout")  # as in algorithms.chains


def simulate(
    algorithm: Annotated[
        str | None, _options.algorithm("The method.", "witness, or unchained with --faithful")
    ] = None,
    faithful: Annotated[
        bool,
        _options.flag("--faithful", "Follow the paper exactly (for slicing, with --maximum if2)."),
    ] = False,
    poset: _options.PosetFile = None,
    front: _options.Front = None,
    width: _options.Width = None,
    height: _options.Height = None,
    parents: _options.Parents = None,
    gaps: _options.Gaps = None,
    delta: _options.Delta = 0.001,
    decoy_gap: _options.DecoyGap = 0.01,
    gamma: _options.Gamma = _GAMMA,
    epsilon0: _options.Epsilon0 = _EPSILON0,
    no_decoys: Annotated[
        bool,
        _options.flag(
            "--no-decoys",
            "Find an ε-front without decoys (witness, unchained). The answer is correct if it "
            "contains the whole front and no item (unchained: no member) beats a member by more "
            "than ε.",
        ),
    ] = False,
    epsilon: Annotated[
        float | None,
        _options.number(
            "--epsilon", "The ε of --no-decoys (0.1: losing 60% of the votes).", *(0, 0.5)
        ),
    ] = None,
    observable: Annotated[
        bool,
        _options.flag(
            "--observable",
            "Let uniform see which pairs are incomparable (slicing and orient always do).",
        ),
    ] = False,
    comparability_error: Annotated[
        float | None,
        _options.number(
            "--comparability-error",
            "Highest rate at which voters misjudge whether a pair can be compared.",
            0,
            0.5,
        ),
    ] = None,
    maximum: Annotated[
        str | None,
        _options.choice(
            "--maximum",
            FINDERS,
            "How to find a chain's maximum (slicing).  [default: challenge, or if2 with "
            "--faithful]",
        ),
    ] = None,
    seed: _options.Seed = 0,
    runs: Annotated[int, _options.runs("--runs", "Number of runs; run r uses seed + r.")] = 10,
    workers: _options.Workers = 1,
    least_regret: Annotated[
        bool,
        _options.flag(
            "--least-regret", "Aim for little regret instead of few duels (witness with decoys)."
        ),
    ] = False,
    budget: Annotated[
        int | None, _options.count("--budget", "Largest number of duels in a run.")
    ] = None,
    output: Annotated[
        Path | None,
        _options.output("Write all runs to a JSON file; after Ctrl-C, the finished ones."),
    ] = None,
    force: _options.Force = False,
    json: Annotated[
        bool, _options.flag("--json", "Print JSON on stdout, one line per run.")
    ] = False,
    quiet: _options.Quiet = False,
) -> None:
    """Run an algorithm against simulated voters.

    A run is correct if it finds the front exactly (but see --no-decoys). The seconds reported do
    not include compiling, which each process does before its first run. For up to 2,000 items, the
    information limit is computed too (see antichain limit).
    """
    from antichain import _files
    from antichain._trials import simulate as simulated

    if seed + runs - 1 > _options.LARGEST_WHOLE:
        raise ParameterError(
            f"--seed is {seed} with --runs {runs}, but seeds up to 2**53 were expected"
        )
    _files.check_targets([output], force, [poset, _registry.file_of(algorithm)])
    name = algorithm or (_registry.PAPER if faithful else _registry.DEFAULT)
    shared = {"delta": delta, "decoy_gap": None if no_decoys else decoy_gap}
    asked = {
        "--no-decoys": ("epsilon", epsilon, no_decoys),
        "--epsilon": ("epsilon", epsilon, epsilon is not None),
        "--least-regret": ("aim", "regret", least_regret),
        "--faithful": ("faithful", True, faithful),
        "--maximum": ("finder", maximum, maximum is not None),
        "--observable": ("observable", True, observable),
        "--comparability-error": (
            "comparability_error",
            comparability_error,
            comparability_error is not None,
        ),
        "--gamma": ("gamma", gamma, gamma != _GAMMA),
        "--epsilon0": ("epsilon0", epsilon0, epsilon0 != _EPSILON0),
    }
    method = _method(name, shared, asked)
    posets = _options.posets(
        poset, front=front, width=width, height=height, parents=parents, gaps=gaps
    )
    records: list[Record] = []
    try:
        seeds = range(seed, seed + runs)
        done = simulated(method, posets, seeds, budget=budget, workers=workers)
        _collect(records, done, runs, json, quiet)
    except (KeyboardInterrupt, InputError):
        # What is done took its time, and is not thrown away with the rest.
        _hand_over(method, records, runs, budget, output, force, json, quiet)
        if records:
            where = "" if output is None else f", and written to {output}"
            _screen.warn(f"{len(records):,} of {_screen.counted(runs, 'run')} done{where}")
        raise
    _hand_over(method, records, runs, budget, output, force, json, quiet)
    if any(record["undecided"] for record in records):
        raise typer.Exit(1)


def _method(
    name: str, shared: dict[str, Any], asked: dict[str, tuple[str, Any, bool]]
) -> "Algorithm":
    """The method with the options asked for; one that it would ignore in silence is refused.

    `shared` are options for whichever method takes them; `asked` has for each flag the option it
    stands for, its value, and whether it was given.
    """
    kind = _registry.find(name)
    given = {flag: option for flag, (option, _, is_given) in asked.items() if is_given}
    for flag, option in given.items():
        if option not in kind.options():
            *first, last = _registry.takers(option)
            fitting = f"{', '.join(first)} or {last}" if first else last
            raise ParameterError(
                f"{flag} is given with --algorithm {name}, but it applies only to {fitting}"
            )
    if {"--no-decoys", "--least-regret"} <= given.keys():
        raise ParameterError(
            "--least-regret is given with --no-decoys, but it needs decoys: it saves regret by "
            "leaving out witnesses, and runs without decoys have none"
        )
    values = {option: value for option, value in shared.items() if option in kind.options()}
    values |= {asked[flag][0]: asked[flag][1] for flag in given if asked[flag][1] is not None}
    try:
        return kind.from_options(values)
    except ParameterError as error:
        alone = given.keys() & {"--no-decoys", "--epsilon"}
        if len(alone) != 1:
            raise
        raise ParameterError(
            f"{alone.pop()} is given alone, but --no-decoys and --epsilon X must be given together "
            "(to find an ε-approximation of the front, without decoys)"
        ) from error


def _hand_over(
    method: "Algorithm",
    records: "list[Record]",
    asked: int,
    budget: int | None,
    output: Path | None,
    force: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Write the runs that are done to the file, and sum them up unless JSON was asked for."""
    from antichain import _files

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
        _files.write_json(output, document, force)
    if not json:
        _show(records, rows=not quiet, median=method.mean_may_be_infinite)
        unfinished = sum(bool(record["undecided"]) for record in records)
        if budget is not None and unfinished:
            _screen.say(
                f"The budget of {_screen.counted(budget, 'duel')} ran out in {unfinished:,} of "
                f"{_screen.counted(len(records), 'run')} before every item was decided."
            )


def _collect(
    records: "list[Record]", runs: "Iterable[Record]", total: int, json: bool, quiet: bool
) -> None:
    """Append the record of each run as it is done, so that an interrupt leaves those before."""
    with _screen.Bar(quiet, total=total) as bar:
        bar.runs(0)
        for record in runs:
            records.append(record)
            bar.runs(len(records))
            if json:
                _screen.print_json(record)


def _show(records: "list[Record]", rows: bool, median: bool) -> None:
    if rows and 1 < len(records) <= _MOST_ROWS:
        _screen.show(_table_of_runs(records, _screen.width()))
    _show_measures(records, median)
    correct, certified = (
        sum(record[name] for record in records) for name in ("correct", "certified")
    )
    share = proportion_interval(correct, len(records))
    _screen.say(
        f"correct in {correct:,} of {_screen.counted(len(records), 'run')} "
        f"(95% interval {share.low:.3f} to {share.high:.3f})"
    )
    seconds = median_range(_numbers(records, "seconds")).middle
    held = "finished by the paper's rules" if _by_the_papers_rules(records) else "certified"
    _screen.say(f"{held} in {certified:,}; median {seconds:.3f} s per run")


def _by_the_papers_rules(records: "list[Record]") -> bool:
    """Whether `certified` says only that a run is finished (see `Result.certified`)."""
    rules = records[0]["parameters"].get("rules", {})
    return bool(rules.get("tests") == "intervals")


def _numbers(records: "Iterable[Record]", name: str) -> list[float]:
    values = (record.get(name) for record in records)
    return [float(value) for value in values if value is not None]


def _table_of_runs(records: "list[Record]", room: int) -> "Table":
    """One row per run, with as many of the columns as there is room for."""
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
    if "certified" in columns and _by_the_papers_rules(records):
        columns["certified"][0] = "finished"
    headings, *rows = zip(*columns.values(), strict=True)
    return _screen.table(headings, rows, right=headings, title="runs")


def _show_measures(records: "list[Record]", median: bool = False) -> None:
    """Show what a run costs: means, or medians where the mean may be infinite."""
    first = records[0]
    title = (
        f"{first['algorithm']}, {_screen.counted(len(records), 'run')}, "
        f"{_screen.counted(first['items'], 'item')}"
    )
    numbers = ["median" if median else "mean"]
    if len(records) > 1:
        numbers.append("10% to 90%" if median else "95% interval")
    rows = []
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
        rows.append(cells)
    if rows:
        _screen.show(_screen.table(("per run", *numbers), rows, right=numbers, title=title))
    else:
        _screen.say(f"{title}: no duels were needed")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else "—" if value is None else str(value)
