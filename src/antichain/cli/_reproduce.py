"""`antichain reproduce`: the paper's experiments, as tables and figures."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain._interrupts import interrupts_as_such
from antichain._limits import RUNS
from antichain.cli import _options, _screen

if TYPE_CHECKING:
    from antichain._pools import Backend
    from antichain.experiments._findings import Finished
    from antichain.experiments._spec import Spec

_EVERYTHING = "all"
_PAGE = "index.html"


def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            metavar="EXPERIMENT",
            help="figure-width, figure-height, figure-front or another name that antichain "
            "reproduce list prints; all; or a spec of your own (a .toml file).",
        ),
    ],
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            parser=_options.whole(1, RUNS),
            metavar="N",
            help="Number of runs per point.  [default: set by the experiment; 10 for the figures]",
        ),
    ] = None,
    algorithms: Annotated[
        str | None,
        _options.word(
            "--algorithms",
            "A,B,…",
            "Run only these algorithms: unchained-paper, unchained, uniform, slicing, slicing-if2, "
            "orient, or any method that simulate --algorithm accepts.",
        ),
    ] = None,
    output: Annotated[
        Path,
        _options.output_folder("Folder to write to; each experiment gets a folder in it."),
    ] = Path("reproduction"),
    workers: _options.Workers = 1,
    dask: _options.Dask = None,
    seed: _options.Seed = 0,
    force: Annotated[
        bool, _options.flag("--force", "Start again instead of continuing an earlier run.")
    ] = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Run the paper's experiments, and write tables, figures and a verdict on each claim.

    After an interruption, the same command continues where it stopped.
    """
    from antichain import _pools
    from antichain.experiments._output import check, check_page
    from antichain.experiments._spec import builtin_names, load_spec

    if experiment == "list":
        _list(json)
        return
    names = builtin_names() if experiment == _EVERYTHING else (experiment,)
    given = None if algorithms is None else [word.strip() for word in algorithms.split(",")]
    specs = [_chosen(load_spec(name), runs, given, experiment == _EVERYTHING) for name in names]
    specs = [spec for spec in specs if spec.algorithms]
    for spec in specs:
        check(output / spec.name, force)
    # The page of one experiment stands in its folder, so that it leaves that of all alone.
    everything = experiment == _EVERYTHING
    page = output / (_PAGE if everything else f"{specs[0].name}/{_PAGE}")
    check_page(page, force)
    backend = _pools.chosen(workers, dask)
    finished = [_reproduce(spec, output, backend, seed, force, json, quiet) for spec in specs]
    _write_page(page, finished)
    if json and everything:
        _screen.print_json({"page": str(page)})
    elif not (json or quiet):
        _screen.say(f"{page}: figures, settings and claims on one page")


def _chosen(
    spec: "Spec", runs: int | None, algorithms: list[str] | None, everything: bool
) -> "Spec":
    if algorithms is not None and everything:
        own = [name for name in algorithms if name in spec.algorithms]
        known = spec.chosen(runs, algorithms)  # refuses a name there is no algorithm of
        return spec.chosen(runs, own) if own else known
    return spec.chosen(runs, algorithms)


def _reproduce(
    spec: "Spec", output: Path, backend: "Backend", seed: int, force: bool, json: bool, quiet: bool
) -> "Finished":
    from antichain.experiments._findings import not_checked
    from antichain.experiments._output import reproduce

    start = time.perf_counter()
    try:
        with _screen.Bar(quiet, name=spec.name) as bar, interrupts_as_such():
            finished = reproduce(
                spec, output / spec.name, backend, seed=seed, progress=bar.runs, force=force
            )
    except KeyboardInterrupt:
        _screen.warn("finished runs are kept, and the same command continues from there")
        raise
    seconds = time.perf_counter() - start
    wrong = sum(not row["correct"] for row in finished.rows)
    if json:
        _screen.print_json(
            {
                "experiment": spec.name,
                "folder": str(finished.folder),
                "rows": len(finished.rows),
                "taken_up": bar.taken_up,
                "errors": wrong,
                "seconds": round(seconds, 3),
                "claims": [asdict(claim) for claim in finished.claims],
            }
        )
        return finished
    runs = _screen.counted(len(finished.rows), "run")
    _screen.say(
        f"{finished.folder}: {runs} ({bar.taken_up:,} were there already), {wrong:,} with a wrong "
        f"front, {seconds:.1f} s"
    )
    if not quiet:
        for claim in finished.claims:
            _screen.say(f"  {claim.verdict}: {claim.claim} — {claim.seen}")
        if not finished.claims:
            _screen.say(f"  {not_checked([spec])}")
    return finished


def _write_page(path: Path, finished: "list[Finished]") -> None:
    from antichain import _files
    from antichain.experiments._figures import page

    _files.write_bytes(path, page(finished).encode(), force=True)


def _list(json: bool) -> None:
    from antichain.experiments._spec import builtin_names, load_spec

    for name in builtin_names():
        spec = load_spec(name)
        if json:
            _screen.print_json(spec.to_dict())
        else:
            count = len(spec.values) * len(spec.algorithms) * spec.runs
            _screen.say(f"{name:22} {spec.title} ({_screen.counted(count, 'run')})")
