"""Experiments for the eye: curves as panels of a figure, and one page about all of them."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence

from antichain._text import counted, html_text
from antichain.experiments._findings import Curve, Finished, not_checked
from antichain.experiments._rows import method_of
from antichain.experiments._spec import LINES, PANELS, REFERENCES, Parameters, Spec
from antichain.plots._curves import LIMIT, LOOKS, REFERENCE, Line, Look, Panel, render

_LOOKS = dict(zip(LINES, LOOKS, strict=True))
_REFERENCE_LOOKS = {"information-limit": LIMIT}
_LINEAR = ("decoy_share", "entering_decoys", "error_rate")
_DECADE = 10
_AXES = {
    "front": "size of the front p",
    "width": "width w (chains below the front)",
    "height": "height h",
    "parents": "distribution of the number of parents",
    "gaps": "distribution of the gaps",
    "delta": "δ",
    "decoy_gap": "Δ, the gap of the decoys",
    "gamma": "peeling rate γ",
    "epsilon0": "ε₀",
    "floor_factor": "ε of the last peel, as a multiple of Δ√K",
}


def figure(spec: Spec, points: Sequence[Curve], suffix: str) -> bytes:
    shown = [panel_of(spec, points, name) for name in spec.panels]
    return render(shown, spec.title, _note(spec, points), suffix)


def panel_of(spec: Spec, points: Sequence[Curve], name: str) -> Panel:
    title, label = PANELS[name]
    places = {
        value: float(position if spec.categorical else value)
        for position, value in enumerate(spec.values)
    }
    looks = _looks(spec)
    shown = [point for point in points if point.panel == name]
    log_y = name not in _LINEAR and _spans_decades([point.middle for point in shown])
    lines = []
    for line in dict.fromkeys(point.line for point in shown):
        own = [point for point in shown if point.line == line]
        reference = line in REFERENCES
        lines.append(
            Line(
                REFERENCES[line] if reference else method_of(line).label,
                _REFERENCE_LOOKS.get(line, REFERENCE) if reference else looks[line],
                [places[point.value] for point in own],
                [point.middle for point in own],
                [_low(point, log_y) for point in own],
                [point.high for point in own],
            )
        )
    return Panel(
        title,
        spec.axis or _AXES[spec.vary],
        label,
        lines,
        log_x=spec.log_axis and not spec.categorical,
        log_y=log_y,
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


def _spans_decades(middles: Sequence[float]) -> bool:
    """Whether the points reach so far that only a log axis shows them all."""
    positive = [middle for middle in middles if middle > 0]
    return bool(positive) and max(positive) > _DECADE * min(positive)


def _low(point: Curve, log_y: bool) -> float | None:
    """Where the interval of a point is drawn from: no log axis goes to 0."""
    return math.nan if log_y and point.low is not None and point.low <= 0 else point.low


def _note(spec: Spec, points: Sequence[Curve]) -> str:
    statistics = {point.statistic for point in points}
    parts = []
    if "mean" in statistics:
        reaches_0 = any(p.statistic == "mean" and p.low is not None and p.low <= 0 for p in points)
        but = " (omitted on a log axis where they reach 0)" if reaches_0 else ""
        parts.append("means" if spec.runs == 1 else f"means with 95% intervals{but}")
    if "median" in statistics:
        range_ = "" if spec.runs == 1 else ", 10% to 90% quantiles"
        parts.append(f"{_by_medians(spec)}: medians{range_}")
    if "share" in statistics:
        parts.append("shares with exact 95% intervals")
    return f"{counted(spec.runs, 'run')} per point; " + "; ".join(parts)


def _by_medians(spec: Spec) -> str:
    kinds = (method_of(name).kind for name in spec.algorithms)
    return " and ".join(dict.fromkeys(kind.__name__ for kind in kinds if kind.mean_may_be_infinite))


_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff;
       max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.3rem; margin-top: 3rem; border-top: 1px solid #ccc;
     padding-top: 1rem; } h3 { font-size: 1.05rem; }
img { max-width: 100%; height: auto; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .92rem; display: block;
        overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0;
         border-bottom: 1px solid #ddd; }
caption { text-align: left; font-weight: 600; white-space: nowrap; }
th.number { text-align: right; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.confirmed { color: #00563f; font-weight: 600; } .in { color: #7a4b00; font-weight: 600; }
.not { color: #a3260b; font-weight: 600; }
.note, footer { color: #444; font-size: .92rem; }
"""


PAGE_TITLE = "The paper’s experiments, run again"


def page(finished: Sequence[Finished]) -> str:
    about = finished[0].manifest
    body = [
        f"<h1>{PAGE_TITLE}</h1>",
        "<p><em>Decoy Bandits Dueling on a Poset</em> (Audiffren and Ralaivola) compares its "
        "algorithms on simulated posets. We have only its text, without the figures, so these runs "
        "can be compared only with what the paper says in words. Unless a section says otherwise: "
        f"{html_text(_settings(Parameters()))}.</p>",
        _claims(finished),
        "<nav><h3>Experiments</h3><ul>",
        *(
            f'<li><a href="#{one.spec.name}">{html_text(one.spec.title)}</a></li>'
            for one in finished
        ),
        "</ul></nav>",
        *(_section(one) for one in finished),
        f"<footer><p>Seed {about['seed']}. {html_text(_listed(about['versions']))}. "
        f"{html_text(_listed(about['machine']))}. Each experiment’s folder has its rows "
        "(runs.csv, runs.parquet), what its figure shows (curves.csv) and a manifest from which "
        "any row can be made again.</p></footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{PAGE_TITLE}</title><style>{_STYLE}</style></head>\n"
        f"<body>\n{chr(10).join(body)}\n</body></html>\n"
    )


def _claims(finished: Sequence[Finished]) -> str:
    rows = [
        # The verdict comes early: on a small screen the last column is out of sight.
        f"<tr><td>{html_text(one.spec.title)}</td>"
        f'<td class="{claim.verdict.split()[0]}">{html_text(claim.verdict)}</td>'
        f"<td>{html_text(claim.claim)}</td><td>{html_text(claim.seen)}</td></tr>"
        for one in finished
        for claim in one.claims
    ]
    if not rows:
        return f"<p>{html_text(not_checked(one.spec for one in finished))}</p>"
    return (
        "<h3>What the paper claims, and what was seen</h3>"
        "<table><thead><tr><th>Varied</th><th>Verdict</th><th>The paper</th><th>These runs</th>"
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _section(one: Finished) -> str:
    spec = one.spec
    picture = base64.b64encode((one.folder / "figure.svg").read_bytes()).decode()
    wrong = sum(not row["correct"] for row in one.rows)
    alt = f"{', '.join(spec.panels)} against {spec.vary}; the numbers are in the table below"
    given = ", ".join(f"{name} = {value}" for name, value in spec.fixed.items())
    fixed = f"Fixed: {given}." if given else ""
    return (
        f'<section id="{spec.name}"><h2>{html_text(spec.title)}</h2>'
        f'<img alt="{html_text(alt)}" src="data:image/svg+xml;base64,{picture}">'
        f'<p class="note">{html_text(spec.note)} {html_text(fixed)} '
        f"{counted(len(one.rows), 'run')}, {wrong:,} with a wrong front.</p>{_table(one)}</section>"
    )


def _table(one: Finished) -> str:
    spec, panel = one.spec, one.spec.panels[0]
    points = {(c.line, c.value): c for c in one.curves if c.panel == panel}
    lines = list(dict.fromkeys(line for line, _ in points))
    labels = [REFERENCES.get(line) or method_of(line).label for line in lines]
    head = "".join(f'<th class="number">{html_text(label)}</th>' for label in labels)
    rows = []
    for value in spec.values:
        cells = (points.get((line, value)) for line in lines)
        shown = "".join(
            f'<td class="number">{"—" if c is None else _number(c.middle)}</td>' for c in cells
        )
        rows.append(f"<tr><td>{html_text(str(value))}</td>{shown}</tr>")
    return (
        f"<table><caption>{html_text(PANELS[panel][0])}</caption>"
        f"<thead><tr><th>{html_text(spec.vary)}</th>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _settings(point: Parameters) -> str:
    return (
        f"p = {point.front}, w = {point.width}, h = {point.height}, δ = {point.delta:g}, "
        f"Δ = {point.decoy_gap:g}, γ = {point.gamma:g}, ε₀ = {point.epsilon0}, gaps uniform on "
        "(0, 1/2), between 1 and p parents per chain, uniformly"
    )


def _listed(words: object) -> str:
    assert isinstance(words, Mapping)
    return ", ".join(f"{name} {value}" for name, value in words.items())
