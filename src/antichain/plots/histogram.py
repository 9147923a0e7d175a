"""Draws how often which value occurs, with marks; the caller computes the values."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from antichain.plots.curves import LOOKS, REFERENCE
from antichain.plots.pictures import content, require_matplotlib

FORMAT = "antichain-histogram 1"
_LONGEST_LINE = 70  # letters of the title


def render(
    values: Sequence[float],
    marks: Sequence[tuple[str, float]],
    *,
    title: str,
    x_label: str,
    suffix: str,
) -> bytes:
    """The histogram of `values` as the content of a picture file, "png", "svg" or "pdf".

    Args:
        values: What to count.
        marks: Names and places of lines across it.
        title: Words above it.
        x_label: What the values are.
        suffix: The format of the file.
    """
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    # The salt and the missing date make the same figure the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": FORMAT, "font.size": 10}):
        figure = Figure(figsize=(7.5, 4.2), facecolor="white")
        figure.set_layout_engine("constrained")
        axes = figure.subplots()
        axes.hist(values, bins="auto", color=LOOKS[0].colour, alpha=0.6)
        axes.margins(y=0.25)  # room above the bars for the names of the marks
        for name, place in marks:
            axes.axvline(place, color=REFERENCE.colour, linestyle=REFERENCE.dashes)
            axes.annotate(
                name,
                (place, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(2, -2),
                textcoords="offset points",
                rotation=90,
                va="top",
            )
        axes.set_title("\n".join(textwrap.wrap(title, _LONGEST_LINE)), fontsize=11)
        axes.set_xlabel(x_label)
        axes.set_ylabel("runs")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.spines[["top", "right"]].set_visible(False)
        return content(
            figure, suffix, {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix)
        )
