"""From curves to panels: names, axes and colours."""

from __future__ import annotations

from collections.abc import Sequence

from antichain.experiments.aggregate import Curve
from antichain.experiments.methods import method_of
from antichain.experiments.spec import LINES, Spec
from antichain.plots.curves import LIMIT, LOOKS, REFERENCE, Line, Look, Panel, render
from antichain.text import counted

_LOOKS = dict(zip(LINES, LOOKS, strict=True))
_REFERENCE_LOOKS = {"information-limit": LIMIT}
REFERENCES = {
    "theorem-1": "Theorem 1, with its constants",
    "information-limit": "information limit (partially observable)",
    "delta": "δ, what is allowed",
}
PANELS = {
    "duels": ("Duels to a conclusion", "duels"),
    "direct_duels": ("Direct duels", "duels, item against item"),
    "decoy_duels": ("Decoy duels", "duels, item against decoy"),
    "decoy_share": ("Share of decoy duels", "share of all duels"),
    "entering_decoys": ("Items left for the decoy epoch", "items"),
    "regret": ("Regret, decoys counted as nothing", "regret"),
    "regret_with_decoys": ("Regret, decoys included", "regret"),
    "error_rate": ("Runs with a wrong front", "share of runs"),
}
_LINEAR = ("decoy_share", "entering_decoys", "error_rate")
_DECADE = 10
_AXES = {
    "front": "size of the front p",
    "width": "width w (chains below the front)",
    "height": "height h",
    "parents": "law of the number of parents",
    "gaps": "law of the gaps",
    "delta": "δ",
    "decoy_gap": "Δ, the gap of the decoys",
    "gamma": "peeling rate γ",
    "epsilon0": "ε₀",
    "floor_factor": "ε of the last peel, as a multiple of Δ√K",
}


def figure(spec: Spec, points: Sequence[Curve], suffix: str) -> bytes:
    """The figure of an experiment as the content of a "png" or "svg" file."""
    shown = [panel_of(spec, points, name) for name in spec.panels]
    return render(shown, spec.title, _note(spec, points), suffix)


def panel_of(spec: Spec, points: Sequence[Curve], name: str) -> Panel:
    """One measure of an experiment, ready to be drawn."""
    title, label = PANELS[name]
    places = {
        value: float(position if spec.categorical else value)
        for position, value in enumerate(spec.values)
    }
    looks = _looks(spec)
    lines = []
    for line in dict.fromkeys(point.line for point in points if point.panel == name):
        own = [point for point in points if point.panel == name and point.line == line]
        floor = min((point.middle for point in own if point.middle > 0), default=0.0) / 10
        reference = line in REFERENCES
        lines.append(
            Line(
                REFERENCES[line] if reference else method_of(line).label,
                _REFERENCE_LOOKS.get(line, REFERENCE) if reference else looks[line],
                [places[point.value] for point in own],
                [point.middle for point in own],
                # On a log axis a mean's interval that reaches below 0 has to end somewhere.
                [None if point.low is None else max(point.low, floor) for point in own]
                if name not in _LINEAR
                else [point.low for point in own],
                [point.high for point in own],
            )
        )
    return Panel(
        title,
        spec.axis or _AXES[spec.vary],
        label,
        lines,
        log_x=spec.log_axis and not spec.categorical,
        log_y=name not in _LINEAR and _spans_decades(lines),
        top=1.05 if name == "decoy_share" else None,
        ticks=[(place, f"{value}") for value, place in places.items()],
    )


def _looks(spec: Spec) -> dict[str, Look]:
    """A look for each method: the paper's lines look the same in every figure."""
    others = [name for name in spec.algorithms if name not in LINES]
    free = [look for line, look in _LOOKS.items() if line not in spec.algorithms]
    # Colours come again where the looks run out, with other markers.
    markers = [look.marker for look in LOOKS]
    free += [
        Look(look.colour, markers[(place + turn) % len(markers)], "dashdot")
        for turn in range(1, len(markers))
        for place, look in enumerate(LOOKS)
    ]
    return _LOOKS | dict(zip(others, free, strict=False))


def _spans_decades(lines: Sequence[Line]) -> bool:
    """Whether the lines reach so far that only a log axis shows them all."""
    middles = [middle for line in lines for middle in line.middles if middle > 0]
    return bool(middles) and max(middles) > _DECADE * min(middles)


def _note(spec: Spec, points: Sequence[Curve]) -> str:
    """What the lines and bands are, in one line."""
    statistics = {point.statistic for point in points}
    parts = []
    if "mean" in statistics:
        parts.append("means with 95% intervals")
    if "median" in statistics:
        parts.append(f"{_by_medians(spec)}: medians, 10% to 90% quantiles")
    if "share" in statistics:
        parts.append("shares with exact 95% intervals")
    return f"{counted(spec.runs, 'run')} per point; " + "; ".join(parts)


def _by_medians(spec: Spec) -> str:
    kinds = (method_of(name).kind for name in spec.algorithms)
    return " and ".join(dict.fromkeys(kind.__name__ for kind in kinds if kind.mean_may_be_infinite))
