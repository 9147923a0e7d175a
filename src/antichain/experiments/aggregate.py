"""From rows to the points of a figure: one number and its interval for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from antichain.experiments.methods import method_of
from antichain.experiments.rows import Row
from antichain.experiments.spec import Spec, Value
from antichain.intervals import Spread, mean_interval, median_range, proportion_interval


@dataclass(frozen=True)
class Curve:
    """One point of one line of one panel.

    Attributes:
        panel: What is measured.
        line: An algorithm, or a reference line.
        value: Of the varied parameter.
        statistic: "mean" (low to high: its 95% interval), "median" (low to high: from the 10% to
            the 90% quantile), "share" (low to high: its exact 95% interval) or "reference".
        middle: The mean, median or share.
        low: Where its interval begins; None where a single run leaves it open.
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

    def to_dict(self) -> dict[str, object]:
        """The fields by name."""
        return asdict(self)


def curves(spec: Spec, rows: Iterable[Row]) -> list[Curve]:
    """The points of a spec's figure, panel by panel and line by line."""
    groups: dict[tuple[str, Value], list[Row]] = {}
    for row in rows:
        groups.setdefault((str(row["algorithm"]), row["value"]), []).append(row)  # type: ignore[arg-type]
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
    return [
        Curve(
            panel, algorithm, value, statistic, spread.middle, spread.low, spread.high, len(found)
        )
    ]


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
    duels, decoys = row["duels"], row["decoy_duels"]
    assert isinstance(duels, int)
    assert isinstance(decoys, int)
    # Only fully observable runs have probes, and they have no decoys.
    return decoys / duels if duels and not row["probes"] else None


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
