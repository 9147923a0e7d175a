"""`antichain plan`: how many duels a study will take."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from antichain.cli import _options, _screen
from antichain.cli._front import NewAssume, assumptions_from

if TYPE_CHECKING:
    from antichain.algorithms._base import Algorithm
    from antichain.forecast._planning import Forecast


_FEWEST_FOR_A_RANGE = 10  # nine in ten of fewer runs are nearly all of them
KINDS = ("layered", "total-order", "antichain", "dominance")  # as in forecast.planning


def plan(
    items: Annotated[int, _options.count("--items", "Number of items.", 2)],
    front: Annotated[
        int | None, _options.count("--front", "Number of items on the front.  [default: unknown]")
    ] = None,
    delta: _options.Delta = 0.05,
    decoy_gap: Annotated[
        float | None,
        _options.number("--decoy-gap", f"{_options.DECOYS_LOSE}  [default: no decoys]", 0, 0.5),
    ] = None,
    epsilon: Annotated[
        float | None,
        _options.number(
            "--epsilon",
            f"{_options.MAY_BE_BEATEN}  [default: 0.1 without decoys]",
            *(0, 0.5),
        ),
    ] = None,
    assume: NewAssume = None,
    budget: Annotated[
        int | None, _options.count("--budget", "Show what you get for this many votes.")
    ] = None,
    algorithm: Annotated[
        str | None,
        _options.algorithm("The method.", "certificate, or witness with --decoy-gap"),
    ] = None,
    gaps: _options.Gaps = None,
    kind: Annotated[
        str, _options.choice("--kind", KINDS, "Kind of poset to simulate.")
    ] = "layered",
    runs: Annotated[int, _options.runs("--runs", "Number of studies to simulate.")] = 100,
    seed: _options.Seed = 0,
    workers: _options.Workers = 1,
    output: Annotated[
        Path | None, _options.output("Write a histogram of the runs to a .svg, .png or .pdf file.")
    ] = None,
    force: _options.Force = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Forecast how many votes a study needs, and what you get for fewer.

    Simulates the study that you would start, on random posets, and prints the median number of
    votes and the range that covers nine in ten studies.
    """
    from antichain.forecast._planning import given_algorithm
    from antichain.forecast._planning import plan as forecast_by

    if algorithm is None and decoy_gap is None:
        method = given_algorithm(None, delta, decoy_gap, epsilon, assumptions_from(assume) or ())
    else:
        method = _options.method(algorithm, delta, decoy_gap, epsilon, {"decoy_gap": 0.01})
    suffix = _picture(output, force)
    start = time.perf_counter()
    with _screen.Bar(quiet, total=runs) as bar:
        forecast = forecast_by(
            items,
            front,
            algorithm=method,
            gaps=gaps or "uniform",
            kind=kind,  # type: ignore[arg-type]  # one of KINDS
            runs=runs,
            seed=seed,
            workers=workers,
            progress=bar.runs,
        )
    wider = _outlook(items, method, budget, kind, gaps, front, seed, quiet)
    _agree(wider, method, forecast)
    seconds = time.perf_counter() - start
    if output is not None:
        _draw(output, suffix, forecast, force)
    if json:
        asked = {"items": items, "front": front, "delta": delta, "decoy_gap": method.needs_decoys}
        epsilon = getattr(method, "epsilon", None)
        assumed = {"assume": list(getattr(method, "assume", ())), "budget": budget}
        shown = {"table": None, "budgets": []} if wider is None else wider
        record = _record(forecast, seconds)
        _screen.print_json(asked | {"epsilon": epsilon} | assumed | record | shown)
        return
    asked_for = wider is not None and budget is not None  # then it comes first
    if wider is not None and asked_for and not quiet:
        _show_outlook(items, wider)
    _show(forecast, quiet)
    if wider is not None and not asked_for and not quiet:
        _show_outlook(items, wider)
    if output is not None and not quiet:
        _screen.say(f"{output}: a histogram of the runs")


def _outlook(
    items: int,
    method: "Algorithm",
    budget: int | None,
    kind: str,
    gaps: str | None,
    front: int | None,
    seed: int,
    quiet: bool,
) -> "dict[str, Any] | None":
    """What other terms would take, and what budgets give, for a study by its certificate."""
    from antichain.algorithms._certifying import Certifying
    from antichain.forecast import _outlook as outlooks

    if not isinstance(method, Certifying):
        return None
    with _screen.Bar(quiet, total=outlooks.STEPS) as bar:
        if budget is not None:
            given = outlooks.budget_outlook(items, (budget,), method.terms, seed)
            return {"table": None, "budgets": [entry._asdict() for entry in given]}
        found = outlooks.outlook(
            items,
            method.delta,
            kind=kind,
            gaps=gaps or "uniform",
            front=front,
            seed=seed,
            progress=bar.runs,
        ).to_dict()
        return {"table": found["votes"], "budgets": found["budgets"]}


def _agree(wider: "dict[str, Any] | None", method: "Algorithm", forecast: "Forecast") -> None:
    """Put the forecast, which has more runs, in its place in the table."""
    from antichain.forecast._outlook import ASSUMED

    assume, epsilon = (getattr(method, name, None) for name in ("assume", "epsilon"))
    if wider is not None and wider["table"] is not None and assume in ASSUMED:
        row = wider["table"][ASSUMED[assume]]
        if f"{epsilon:g}" in row:
            row[f"{epsilon:g}"] = forecast.median


def _show_outlook(items: int, wider: "dict[str, Any]") -> None:
    from antichain.forecast._outlook import EPSILONS

    if wider["table"] is not None:
        names = [f"{epsilon:g}" for epsilon in EPSILONS]
        rows = [
            (name, *(_screen.rounded(votes[e]) if e in votes else "" for e in names))
            for name, votes in wider["table"].items()
            if name != "decoys"
        ]
        headings = ("median votes at ε =", *names)
        _screen.show(_screen.table(headings, rows, right=tuple(names)))
        ((gap, votes),) = wider["table"]["decoys"].items()
        _screen.say(f"With decoys at Δ = {gap}, {_screen.about(votes, 'vote')}, whatever ε is.")
    for entry in wider["budgets"]:
        _screen.say(
            f"With {_screen.counted(entry['votes'], 'vote')}: a likely front with an F1 of about "
            f"{entry['expected_f1']:.2f} (1 is a perfect match) that is exactly right in "
            f"{entry['exactly_right']:.0%} of the simulated studies, and on average "
            f"{entry['decided']:.1f} of {_screen.counted(items, 'item')} certified as in or out."
        )


def _picture(output: Path | None, force: bool) -> str:
    """The format of the picture, once it is known that it can be drawn and written."""
    if output is None:
        return ""
    from antichain import _files
    from antichain.plots import _hasse

    _files.check_target(output, force)
    suffix = _hasse.suffix_of(output)
    _hasse.require_matplotlib()  # now, not after all runs are done
    return suffix


def _draw(output: Path, suffix: str, forecast: "Forecast", force: bool) -> None:
    from antichain import _files, plots

    _files.write_bytes(output, plots.forecast(forecast).render(suffix), force)


def _record(forecast: "Forecast", seconds: float) -> dict[str, object]:
    found = vars(forecast) | {"seconds": round(seconds, 6)}
    del found["duels"]  # one number per run
    return found


def _show(forecast: "Forecast", quiet: bool) -> None:
    low, median, high, mean = map(
        _screen.rounded, (forecast.low, forecast.median, forecast.high, forecast.mean)
    )
    rows = [("median", median)]
    if forecast.median_low is not None and forecast.median_high is not None:
        ends = map(_screen.rounded, (forecast.median_low, forecast.median_high))
        rows.append(("  its 95% interval", " to ".join(ends)))
    enough = forecast.runs >= _FEWEST_FOR_A_RANGE
    rows += [("90% range", f"{low} to {high}")] if enough else []
    rows.append(("mean", mean))
    if forecast.right is not None:
        right = round(forecast.right * forecast.runs)
        share = f"{forecast.right:.1%}" if enough else f"{right} of {forecast.runs}"
        rows.append(("correct fronts", share))
    runs = _screen.counted(forecast.runs, "run")
    spread = f"nine in ten such studies take {low} to {high}."
    if not enough:
        spread = f"a range takes {_FEWEST_FOR_A_RANGE} runs or more (--runs), and this was {runs}."
    _screen.say(f"Expect {_screen.about(forecast.median, 'vote')} to decide every item; {spread}")
    if not quiet:
        _screen.say(f"Simulated: {forecast.settings}.")
        _screen.show(_screen.table(("votes", runs), rows, right=(runs,)))
        _screen.say(bar_of_quantiles(forecast.duels, min(_screen.width(), 72)))
        _screen.say("Fewest to most votes: ━ nine in ten runs, █ the middle half, ┃ the median")


def bar_of_quantiles(duels: tuple[int, ...], room: int) -> str:
    """A line from fewest to most duels: ━ the 90% range, █ the middle half, ┃ the median."""
    import numpy as np

    least, most = min(duels), max(duels)
    first, last = f"{least:,} ", f" {most:,}"
    cells = max(room - len(first) - len(last), 10)
    marks = np.quantile(duels, [0.05, 0.25, 0.5, 0.75, 0.95])
    places = ((marks - least) / max(most - least, 1) * (cells - 1)).round().astype(int).tolist()
    line = ["─"] * cells
    line[places[0] : places[4] + 1] = "━" * (places[4] - places[0] + 1)
    line[places[1] : places[3] + 1] = "█" * (places[3] - places[1] + 1)
    line[places[2]] = "┃"
    return first + "".join(line) + last
