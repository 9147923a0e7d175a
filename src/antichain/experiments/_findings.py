"""From rows to what a figure shows, and to what becomes of the paper's claims."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from antichain._intervals import Spread, mean_interval, median_range, proportion_interval
from antichain._text import counted
from antichain.experiments._rows import Row, method_of
from antichain.experiments._spec import Spec, Value

# The paper has no numbers for these; both are set by hand, as ratios of duels.
WELL_BELOW = 2.0  # "much better"
FAR_BELOW = 10.0  # "by a wide margin"
LEAST_RUNS = 10  # per point, for a verdict; as many as the figures have; set by hand
TOO_FEW = "too few runs to say"


@dataclass(frozen=True)
class Curve:
    """One point of one line of one panel.

    Attributes:
        panel: What is measured.
        line: An algorithm, or a reference line.
        value: The value of the parameter that varies.
        statistic: "mean" (low to high is its 95% interval), "median" (low to high is from the
            10% to the 90% quantile), "share" (low to high is its exact 95% interval) or
            "reference".
        middle: The mean, median or share.
        low: Where its interval begins, at least 0; None where a single run leaves it open.
        high: Where its interval ends.
        runs: How many runs it is made of.
    """

    panel: str
    line: str
    value: Value
    statistic: str
    middle: float
    low: float | None
    high: float | None
    runs: int


def curves(spec: Spec, rows: Iterable[Row]) -> list[Curve]:
    """The points of a spec's figure, panel by panel and line by line."""
    groups: dict[tuple[str, Value], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["algorithm"], row["value"]), []).append(row)
    found = []
    for panel in spec.panels:
        for algorithm in spec.algorithms:
            for value in spec.values:
                found += _curve(panel, algorithm, value, groups.get((algorithm, value), []))
        found += _references(spec, panel, groups)
    return found


def numbers(rows: Iterable[Row], measure: str) -> list[float]:
    """The values of a measure in the rows that have one."""
    derived = _DERIVED.get(measure)
    values = (row[measure] if derived is None else derived(row) for row in rows)
    return [float(value) for value in values if isinstance(value, int | float)]


def _curve(panel: str, algorithm: str, value: Value, rows: list[Row]) -> list[Curve]:
    found = numbers(rows, panel)
    if not found:
        return []
    statistic, spread = _spread(panel, algorithm, found)
    # Of few runs Student's interval may reach below 0, where no measure can be.
    low = None if spread.low is None else max(0.0, spread.low)
    return [Curve(panel, algorithm, value, statistic, spread.middle, low, spread.high, len(found))]


def _spread(panel: str, algorithm: str, found: list[float]) -> tuple[str, Spread]:
    if panel == "error_rate":
        return "share", proportion_interval(int(sum(found)), len(found))
    if method_of(algorithm).kind.mean_may_be_infinite:
        return "median", median_range(found)
    return "mean", mean_interval(found)


def _references(
    spec: Spec, panel: str, groups: dict[tuple[str, Value], list[Row]]
) -> Iterable[Curve]:
    for name in spec.references:
        measure = _REFERENCES.get((name, panel))
        if measure is None:
            continue
        for value in spec.values:
            rows = [row for (_, at), some in groups.items() if at == value for row in some]
            found = numbers(rows, measure)
            if found:
                middle = mean_interval(found).middle
                yield Curve(panel, name, value, "reference", middle, None, None, len(found))


def _decoy_share(row: Row) -> float | None:
    # Only fully observable runs have probes, and they have no decoys.
    return row["decoy_duels"] / row["duels"] if row["duels"] and not row["probes"] else None


_DERIVED: dict[str, Callable[[Row], object]] = {
    "error_rate": lambda row: 1 - int(bool(row["correct"])),
    "decoy_share": _decoy_share,
}
# Which measure of a row a reference line shows, in the panel where it belongs.
_REFERENCES = {
    ("theorem-1", "duels"): "theorem_1_duels",
    ("information-limit", "duels"): "information_limit",
    ("delta", "error_rate"): "delta",
}


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and whether the runs confirm it."""

    claim: str  # what the paper says
    seen: str  # what the runs show, with numbers
    verdict: str  # "confirmed", "in part", "not confirmed" or TOO_FEW


def not_checked(specs: Iterable[Spec]) -> str:
    """A sentence about experiments that test none of the paper's claims."""
    if any(map(_is_figure, specs)):
        return "No claim of the paper can be checked with these methods."
    return "This is not one of the paper's figures, so none of the paper's claims is checked."


def _is_figure(spec: Spec) -> bool:
    return spec.name.startswith("figure-")


def claims(spec: Spec, rows: list[Row]) -> list[Claim]:
    """The claims that this experiment's algorithms can test; none if it is not a figure."""
    if not _is_figure(spec):
        return []
    duels: Duels = {}
    for row in rows:
        duels.setdefault((row["algorithm"], row["value"]), {})[row["run"]] = row["duels"]
    found = []
    have = set(spec.algorithms)
    for algorithm, label in _UNCHAINED.items():
        if {algorithm, "uniform"} <= have:
            found.append(_well_below(spec, duels, algorithm, label))
            found.append(_growing(spec, duels, algorithm, label))
    if {"slicing", "uniform"} < have:
        found.append(_slicing(spec, duels))
    fewest = min(map(len, duels.values()), default=0)
    if fewest >= LEAST_RUNS:
        return found
    seen = f"{counted(fewest, 'run')} per point; a verdict takes at least {LEAST_RUNS}"
    return [replace(claim, seen=seen, verdict=TOO_FEW) for claim in found]


Duels = dict[tuple[str, Value], dict[int, int]]
"""The duels of each run, by algorithm and value, then by its number."""
_UNCHAINED = {
    "unchained-paper": "UnchainedBandits (the paper's rules)",
    "unchained": "UnchainedBandits (default rules)",
}


def _mean(duels: Duels, algorithm: str, value: Value) -> float:
    return mean_interval(list(duels[algorithm, value].values())).middle


def _median(duels: Duels, algorithm: str, value: Value) -> float:
    return median_range(list(duels[algorithm, value].values())).middle


def _well_below(spec: Spec, duels: Duels, algorithm: str, label: str) -> Claim:
    ratios = [_mean(duels, "uniform", at) / _mean(duels, algorithm, at) for at in spec.values]
    low, high = min(ratios), max(ratios)
    return Claim(
        f"{label} needs far fewer duels than UniformSampling",
        f"UniformSampling needs {low:.2f} to {high:.2f} times as many in the mean, from "
        f"{spec.vary} {spec.values[0]} ({ratios[0]:.2f}) to {spec.values[-1]} ({ratios[-1]:.2f}); "
        f"“confirmed” means at least {WELL_BELOW:g} times as many at every point, and “in part” "
        "means more at every point",
        _verdict(low >= WELL_BELOW, low > 1),
    )


def _growing(spec: Spec, duels: Duels, algorithm: str, label: str) -> Claim:
    """Whether the ratio grows: the slope of its logarithm over that of the parameter."""
    logs = []
    for value in spec.values:
        ours, theirs = duels[algorithm, value], duels["uniform", value]
        logs += [
            (math.log(float(value)), math.log(theirs[run] / ours[run]))
            for run in ours.keys() & theirs.keys()
            if ours[run] and theirs[run]
        ]
    slope, half = _slope(logs)
    first, last = (
        _mean(duels, "uniform", value) - _mean(duels, algorithm, value)
        for value in (spec.values[0], spec.values[-1])
    )
    return Claim(
        f"The advantage of {label} over UniformSampling grows with the {spec.vary}",
        f"the ratio changes as {spec.vary} to the power {_signed(slope)} (95% interval "
        f"{_signed(slope - half)} to {_signed(slope + half)}); the difference goes from "
        f"{first:,.0f} to {last:,.0f} duels; “confirmed” means that the ratio grows, and “in part” "
        "means that only the difference grows",
        _verdict(slope - half > 0, last > first),
    )


def _slicing(spec: Spec, duels: Duels) -> Claim:
    others = [name for name in (*_UNCHAINED, "uniform") if name in spec.algorithms]
    ratios = [
        min(_median(duels, name, at) for name in others) / _median(duels, "slicing", at)
        for at in spec.values
    ]
    low, high = min(ratios), max(ratios)
    return Claim(
        "SlicingBandits, which sees what is comparable, needs far fewer duels than both",
        f"the next best needs {low:,.0f} to {high:,.0f} times as many, by medians; “confirmed” "
        f"means at least {FAR_BELOW:g} times as many at every point, and “in part” means more at "
        "every point",
        _verdict(low >= FAR_BELOW, low > 1),
    )


def _signed(power: float) -> str:
    return f"{power:.2f}".replace("-", "−")


def _verdict(wholly: bool, partly: bool) -> str:
    return "confirmed" if wholly else "in part" if partly else "not confirmed"


def _slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """The least-squares slope and half the width of its 95% interval."""
    from scipy import stats

    xs, ys = zip(*points, strict=True)
    if len(set(xs)) < 2 or len(xs) < 3:
        return 0.0, math.inf
    fit = stats.linregress(xs, ys)
    return float(fit.slope), float(fit.stderr * stats.t.ppf(0.975, len(xs) - 2))


@dataclass(frozen=True)
class Finished:
    """An experiment that was run: its rows, the points of its figure, the claims judged."""

    spec: Spec
    folder: Path
    rows: list[Row]
    curves: list[Curve]
    claims: list[Claim]
    manifest: dict[str, object]
