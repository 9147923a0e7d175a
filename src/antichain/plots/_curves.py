"""Draws lines over a parameter, and histograms; the caller computes what they show."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antichain._text import printable
from antichain.plots._pictures import content, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMAT = "antichain-curves 1"
_LONGEST_LINE = 70  # letters of the title of a histogram
_CROWDED = 40  # letters of all ticks of an axis: more must be turned to stay apart


@dataclass(frozen=True)
class Look:
    """How a line looks; marker and dashes serve readers who cannot tell the colours apart."""

    colour: str
    marker: str = ""
    dashes: str = "solid"


# Colours of Okabe and Ito, told apart with every common form of colour blindness.
LOOKS = (
    Look("#0072B2", "o"),
    Look("#009E73", "s"),
    Look("#D55E00", "^"),
    Look("#CC79A7", "D"),
    Look("#000000", "v"),
    Look("#E69F00", "P"),
)
REFERENCE = Look("#555555", "", "dashed")
LIMIT = Look("#222222", "", "dotted")


@dataclass(frozen=True)
class Line:
    """One line: its points in order, and how far each reaches (None: not known)."""

    label: str
    look: Look
    xs: Sequence[float]
    middles: Sequence[float]
    lows: Sequence[float | None]
    highs: Sequence[float | None]


@dataclass(frozen=True)
class Panel:
    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = True
    top: float | None = None
    ticks: Sequence[tuple[float, str]] = field(default=())


def render(panels: Sequence[Panel], title: str, note: str, suffix: str) -> bytes:
    """The panels side by side as the content of a picture file, "png" or "svg"."""
    require_matplotlib()
    import matplotlib

    # The salt and the missing date make the same figure the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": FORMAT, "font.size": 10}):
        figure = draw(panels, title, note)
        words: dict[str, str | None] = {"Title": printable(title)}
        if suffix == "svg":
            words |= {"Creator": "antichain", "Description": FORMAT, "Date": None}
        return content(figure, suffix, words)


def draw(panels: Sequence[Panel], title: str, note: str = "") -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(max(5.6 * len(panels), 7.5), 5.4), facecolor="white")
    figure.set_layout_engine("constrained")
    figure.suptitle(printable(title), fontsize=13, fontweight="bold", parse_math=False)
    handles: dict[str, Artist] = {}
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for panel, place in zip(panels, axes, strict=True):
        handles |= _draw_panel(place, panel)
    legend = figure.legend(
        list(handles.values()),
        list(map(printable, handles)),
        loc="outside lower center",
        ncols=2 if len(panels) > 1 or len(handles) > 3 else 1,
        frameon=False,
        title=printable(note),
        title_fontsize=9,
    )
    for words in (legend.get_title(), *legend.get_texts()):
        words.set_parse_math(False)  # a title with dollar signs is still a title
    return figure


def _draw_panel(axes: Axes, panel: Panel) -> dict[str, Artist]:
    handles = {}
    if panel.log_y:
        axes.set_yscale("log")
    if panel.log_x:
        axes.set_xscale("log")
    for line in panel.lines:
        handles[line.label] = _draw_line(axes, line)
    if panel.ticks:
        places, words = zip(*panel.ticks, strict=True)
        crowded = sum(len(word) for word in words) > _CROWDED
        axes.set_xticks(places, list(map(printable, words)), parse_math=False)
        if crowded:
            axes.tick_params(axis="x", labelrotation=20)
        axes.xaxis.minorticks_off()
    axes.set_title(printable(panel.title), fontsize=11, parse_math=False)
    axes.set_xlabel(printable(panel.x_label), parse_math=False)
    axes.set_ylabel(printable(panel.y_label), parse_math=False)
    axes.grid(True, which="major", color="#DDDDDD", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if not panel.log_y:
        axes.set_ylim(bottom=0, top=panel.top)
        axes.yaxis.set_major_formatter("{x:,.0f}" if axes.get_ylim()[1] > 5 else "{x:g}")
    return handles


def _draw_line(axes: Axes, line: Line) -> Artist:
    look = line.look
    (handle,) = axes.plot(
        line.xs,
        line.middles,
        color=look.colour,
        marker=look.marker,
        linestyle=look.dashes,
        linewidth=1.7,
        markersize=5,
    )
    known = [
        (x, low, high)
        for x, low, high in zip(line.xs, line.lows, line.highs, strict=True)
        if low is not None and high is not None
    ]
    if known:
        xs, lows, highs = zip(*known, strict=True)
        axes.fill_between(xs, lows, highs, color=look.colour, alpha=0.18, linewidth=0)
    return handle


def histogram(
    values: Sequence[float],
    marks: Sequence[tuple[str, float]],
    *,
    title: str,
    x_label: str,
    suffix: str,
) -> bytes:
    """A histogram as a picture file, "png", "svg" or "pdf"; `marks` name lines across it."""
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "antichain-histogram 1", "font.size": 10}):
        figure = Figure(figsize=(7.5, 4.2), facecolor="white")
        figure.set_layout_engine("constrained")
        axes = figure.subplots()
        axes.hist(values, bins="auto", color=LOOKS[0].colour, alpha=0.6)
        axes.margins(y=0.25)  # room above the bars for the names of the marks
        for name, place in marks:
            axes.axvline(place, color=REFERENCE.colour, linestyle=REFERENCE.dashes)
            axes.annotate(
                printable(name),
                (place, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(2, -2),
                textcoords="offset points",
                rotation=90,
                va="top",
                parse_math=False,
            )
        lines = textwrap.wrap(printable(title), _LONGEST_LINE)
        axes.set_title("\n".join(lines), fontsize=11, parse_math=False)
        axes.set_xlabel(printable(x_label), parse_math=False)
        axes.set_ylabel("runs")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.spines[["top", "right"]].set_visible(False)
        return content(
            figure, suffix, {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix)
        )
