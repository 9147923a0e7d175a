"""Pieces of SVG for the page: text, frames, a line chart. Colours come from the page's CSS."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

LETTER = 7.2  # the mean width of a character in pixels, in a sans-serif font of 12 pixels

_WIDTH, _HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 14, 40


class ChartLine(NamedTuple):
    """One line of a chart: its name, its points, and the CSS class that colours it."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    css: str


def short(text: str, most: int) -> str:
    """Cut the text to at most this many characters, with an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def svg(width: float, height: float, label: str, body: str, css: str = "") -> str:
    """Return a picture of this size in pixels; `label` says in words what it shows."""
    return (
        f'<svg class="{css}" role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )


def text(x: float, y: float, words: str, anchor: str = "start", css: str = "") -> str:
    """Return a line of text, escaped."""
    kind = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(words)}</text>'


def line_chart(lines: Sequence[ChartLine], x_name: str, label: str, threshold: float | None) -> str:
    """Draw lines over a common axis, each named at its end, and a dashed line at the threshold."""
    highest = max([1.0, threshold or 0.0, *(max(line.ys) for line in lines)]) * 1.05
    furthest = max([1.0, *(max(line.xs) for line in lines)])
    names = max(len(short(line.name, 24)) for line in lines) * LETTER + 22
    plot = _WIDTH - _LEFT - _RIGHT - names

    def place(x: float, y: float) -> tuple[float, float]:
        clipped = max(y, 0.0)
        tall = _HEIGHT - _TOP - _BOTTOM
        return _LEFT + plot * x / furthest, _HEIGHT - _BOTTOM - tall * clipped / highest

    parts = [_axes(place, highest, furthest, x_name)]
    if threshold is not None:
        (x0, y0), (x1, _) = place(0, threshold), place(furthest, threshold)
        parts.append(f'<path class="limit" d="M{x0:.1f} {y0:.1f}H{x1:.1f}"/>')
    for line in lines:
        points = " ".join(
            f"{x:.1f},{y:.1f}"
            for x, y in (place(*point) for point in zip(line.xs, line.ys, strict=True))
        )
        parts.append(f'<polyline class="{line.css}" points="{points}"/>')
    for line, height in zip(
        lines, _apart([place(0, line.ys[-1])[1] for line in lines]), strict=True
    ):
        x = _LEFT + plot
        end = place(0, line.ys[-1])[1]
        parts.append(
            f'<path class="{line.css} lead" d="M{x:.1f} {end:.1f}L{x + 10:.1f} {height:.1f}h6"/>'
        )
        parts.append(text(x + 20, height + 4, short(line.name, 24)))
    return svg(_WIDTH, _HEIGHT, label, "".join(parts), "chart")


def _axes(place: object, highest: float, furthest: float, x_name: str) -> str:
    assert callable(place)
    parts = []
    for value in _ticks(highest):
        (x0, y), (x1, _) = place(0, value), place(furthest, value)
        parts.append(f'<path class="grid" d="M{x0:.1f} {y:.1f}H{x1:.1f}"/>')
        parts.append(text(x0 - 6, y + 4, f"{value:,.4g}", "end"))
    for value in _ticks(furthest):
        x, y = place(value, 0)
        parts.append(text(x, y + 16, f"{value:,.0f}", "middle"))
    x, y = place(furthest / 2, 0)
    parts.append(text(x, y + 33, x_name, "middle"))
    return "".join(parts)


def _ticks(highest: float) -> list[float]:
    """Return a few round whole numbers from 0 to at most `highest`.

    >>> _ticks(2.0), _ticks(8931.0)
    ([0.0, 1.0, 2.0], [0.0, 2000.0, 4000.0, 6000.0, 8000.0])
    """
    rough = highest / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = max(1.0, next(m * power for m in (1, 2, 5, 10) if m * power >= rough))
    return [k * step for k in range(1 + int(highest / step + 1e-9))]


def _apart(heights: list[float], least: float = 13.0) -> list[float]:
    """Move the heights apart so that no two names overlap, keeping their order."""
    order = sorted(range(len(heights)), key=lambda k: heights[k])
    moved = list(heights)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + least)
    overhang = max([0.0, *(height - (_HEIGHT - _BOTTOM) for height in moved)])
    return [height - overhang for height in moved]
