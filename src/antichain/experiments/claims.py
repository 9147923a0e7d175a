"""What the paper claims of its figures, held against the rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from antichain.experiments.aggregate import numbers
from antichain.experiments.rows import Row
from antichain.experiments.spec import Spec
from antichain.intervals import mean_interval, median_range

# The paper has no numbers for these; both are set by hand, as times fewer duels.
WELL_BELOW = 2.0  # "much better"
FAR_BELOW = 10.0  # "by a wide margin"


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and whether the runs confirm it.

    Attributes:
        claim: What the paper says.
        seen: What the runs show, with numbers.
        verdict: "confirmed", "in part" or "not confirmed".
    """

    claim: str
    seen: str
    verdict: str

    def to_dict(self) -> dict[str, str]:
        """The fields by name."""
        return asdict(self)


def claims(spec: Spec, rows: list[Row]) -> list[Claim]:
    """The claims that this experiment's algorithms can test; none if it is not a figure."""
    if not spec.name.startswith("figure-"):
        return []
    found = []
    have = set(spec.algorithms)
    for algorithm, label in _UNCHAINED.items():
        if {algorithm, "uniform"} <= have:
            found.append(_well_below(spec, rows, algorithm, label))
            found.append(_growing(spec, rows, algorithm, label))
    if {"slicing", "uniform"} < have:
        found.append(_slicing(spec, rows))
    return found


_UNCHAINED = {
    "unchained-paper": "UnchainedBandits (the paper's rules)",
    "unchained": "UnchainedBandits (default rules)",
}


def _well_below(spec: Spec, rows: list[Row], algorithm: str, label: str) -> Claim:
    ratios = []
    for value in spec.values:
        ours, theirs = (
            mean_interval(_duels(rows, name, value)).middle for name in (algorithm, "uniform")
        )
        ratios.append(theirs / ours)
    low, high = min(ratios), max(ratios)
    verdict = _verdict(low >= WELL_BELOW, low > 1)
    return Claim(
        f"{label} needs far fewer duels than UniformSampling",
        f"{low:.2f} to {high:.2f} times fewer in the mean, from {spec.vary} {spec.values[0]} "
        f"({ratios[0]:.2f}) to {spec.values[-1]} ({ratios[-1]:.2f}); confirmed means "
        f"{WELL_BELOW:g} times at every point",
        verdict,
    )


def _growing(spec: Spec, rows: list[Row], algorithm: str, label: str) -> Claim:
    """Whether the ratio grows: the slope of its logarithm over that of the parameter."""
    logs = []
    for value in spec.values:
        ours, theirs = (_by_run(rows, name, value) for name in (algorithm, "uniform"))
        logs += [
            (math.log(float(value)), math.log(theirs[run] / ours[run]))
            for run in ours.keys() & theirs.keys()
            if ours[run] and theirs[run]
        ]
    slope, half = _slope(logs)
    first, last = (
        mean_interval(_duels(rows, "uniform", value)).middle
        - mean_interval(_duels(rows, algorithm, value)).middle
        for value in (spec.values[0], spec.values[-1])
    )
    return Claim(
        f"The advantage of {label} over UniformSampling grows with the {spec.vary}",
        f"the ratio goes as {spec.vary}^{slope:+.2f} (95% interval {slope - half:+.2f} to "
        f"{slope + half:+.2f}); the difference goes from {first:,.0f} to {last:,.0f} duels; "
        "confirmed means a ratio that grows, in part a difference that does",
        _verdict(slope - half > 0, last > first),
    )


def _slicing(spec: Spec, rows: list[Row]) -> Claim:
    others = [
        name for name in ("unchained-paper", "unchained", "uniform") if name in spec.algorithms
    ]
    ratios = []
    for value in spec.values:
        slicing = median_range(_duels(rows, "slicing", value)).middle
        least = min(median_range(_duels(rows, name, value)).middle for name in others)
        ratios.append(least / slicing)
    low, high = min(ratios), max(ratios)
    return Claim(
        "SlicingBandits, which sees what is comparable, needs far fewer duels than both",
        f"{low:,.0f} to {high:,.0f} times fewer than the next best, by medians; confirmed means "
        f"{FAR_BELOW:g} times at every point",
        _verdict(low >= FAR_BELOW, low > 1),
    )


def _verdict(wholly: bool, partly: bool) -> str:
    return "confirmed" if wholly else "in part" if partly else "not confirmed"


def _at(rows: Iterable[Row], algorithm: str, value: object) -> list[Row]:
    return [row for row in rows if row["algorithm"] == algorithm and row["value"] == value]


def _duels(rows: Iterable[Row], algorithm: str, value: object) -> list[float]:
    return numbers(_at(rows, algorithm, value), "duels")


def _by_run(rows: Iterable[Row], algorithm: str, value: object) -> dict[object, float]:
    found = _at(rows, algorithm, value)
    return dict(zip((row["run"] for row in found), numbers(found, "duels"), strict=True))


def _slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """The least-squares slope and half the width of its 95% interval."""
    from scipy import stats

    xs, ys = zip(*points, strict=True)
    if len(set(xs)) < 2 or len(xs) < 3:
        return 0.0, math.inf
    fit = stats.linregress(xs, ys)
    return float(fit.slope), float(fit.stderr * stats.t.ppf(0.975, len(xs) - 2))
