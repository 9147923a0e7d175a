"""Hasse diagrams: the upper of two joined items is above the lower.

matplotlib is optional and only imported when something is drawn.
"""

import warnings
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antichain._text import printable
from antichain.errors import ParameterError
from antichain.orders import Poset
from antichain.orders._hasse_layout import HasseLayout, hasse_layout, pieces
from antichain.plots._layout import LEGEND_STEP, TITLE_LETTERS, TITLE_LINE, Scale, title_lines
from antichain.plots._pictures import SUFFIXES, content, families, require_matplotlib, suffix_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SUFFIXES", "draw", "render", "require_matplotlib", "styles", "suffix_of"]

FORMAT = "antichain-hasse 1"

_LINE_GREY = (1 / 3, 1 / 3, 1 / 3)
_CROWD = 25  # lines between two layers that can be drawn in full strength


@dataclass(frozen=True)
class Style:
    """How one sort of item looks; line and weight serve readers who cannot see the colours."""

    caption: str
    fill: str
    ink: str
    border: str
    line: str = "solid"
    weight: str = "normal"


# Colours of Okabe and Ito, told apart with every common form of colour blindness.
_FRONT = Style("front", "#0072B2", "white", "#0072B2", weight="bold")
_OTHER = Style("dominated", "#EFEFEF", "#333333", "#9A9A9A")
_FOUND = Style("front, found", "#0072B2", "white", "#0072B2", weight="bold")
_MISSED = Style("front, missed", "white", "#0072B2", "#0072B2", line="dashed", weight="bold")
_FALSE = Style("found, not front", "#E69F00", "black", "#000000", line="dotted", weight="bold")
_UNDECIDED = Style("undecided", "#F0E442", "black", "#000000", line="dashdot")
_LEGEND = (_FRONT, _FOUND, _MISSED, _FALSE, _UNDECIDED, _OTHER)


def render(
    poset: Poset,
    suffix: str,
    found: Collection[str] | None = None,
    title: str | None = None,
    undecided: Collection[str] = (),
) -> bytes:
    """The Hasse diagram as the content of a picture file, its front highlighted.

    The front that an algorithm found is shown beside the true one, and so are the items that it has
    not decided. A long title is broken into a few lines.
    """
    if suffix not in SUFFIXES:
        raise ParameterError(
            f"cannot draw as {suffix!r}: one of {', '.join(SUFFIXES)} was expected"
        )
    unknown = sorted({*(found or ()), *undecided} - set(poset.items))
    if unknown:
        raise ParameterError(f"the found item {unknown[0]!r} is not in the poset that is drawn")
    require_matplotlib()
    import matplotlib

    title = printable(" ".join((title or "").split())) or None
    # The salt and the missing date make the same diagram the same bytes.
    settings: dict[Any, Any] = {
        "svg.hashsalt": FORMAT,
        "font.family": families([*poset.items, title or ""]),
    }
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        look = styles(poset, found, undecided)
        figure = draw(*laid_out(poset, title, len(set(look.values()))), look, title)
        return content(figure, suffix, _metadata(suffix, title))


def styles(
    poset: Poset, found: Collection[str] | None = None, undecided: Collection[str] = ()
) -> dict[str, Style]:
    """How each item looks: by the true front alone, or by the true front and the found one."""
    front = set(poset.front)
    if found is None:
        return {name: _FRONT if name in front else _OTHER for name in poset.items}
    kinds = {
        (True, True): _FOUND,
        (True, False): _MISSED,
        (False, True): _FALSE,
        (False, False): _OTHER,
    }
    known = {name: kinds[name in front, name in set(found)] for name in poset.items}
    return known | dict.fromkeys(undecided, _UNDECIDED)


def laid_out(poset: Poset, title: str | None = None, legend: int = 2) -> tuple[HasseLayout, Scale]:
    """Where everything goes: around each other if that fits on a screen, else crowded."""
    layout = hasse_layout(poset)
    scale = Scale.fitting(layout, title, legend)
    if not scale.is_readable:
        layout = hasse_layout(poset, straight=True)
        scale = Scale.crowded(layout, title)
    return layout, scale


def draw(
    layout: HasseLayout, scale: Scale, look: dict[str, Style], title: str | None = None
) -> "Figure":
    """A matplotlib figure of the diagram, sized so that no two labels touch."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(scale.width, scale.height), facecolor="white")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, scale.width)
    axes.set_ylim(0, scale.height)
    _draw_edges(axes, layout, scale)
    for name, place in layout.places.items():
        _draw_item(axes, scale.inches(place), scale.labels[name], look[name], scale.letters)
    _draw_legend(axes, scale.width, [style for style in _LEGEND if style in look.values()])
    for i, line in enumerate(title_lines(title, scale.width) if title else []):
        place = (scale.width / 2, scale.height - 0.35 - TITLE_LINE * i)
        axes.text(*place, line, ha="center", va="center", fontsize=TITLE_LETTERS, parse_math=False)
    return figure


def _draw_edges(axes: "Axes", layout: HasseLayout, scale: Scale) -> None:
    """Draw the lines, finer and fainter where there are many between two layers."""
    from matplotlib.collections import LineCollection

    strength = 0.6 if scale.lowered else 1.0  # of lines that run behind items
    crowds = [len(found) for found in pieces(layout)]
    thin = []
    for path in layout.paths.values():
        passed = crowds[round(-path[0][1]) : round(-path[-1][1])]
        thin.append(strength * min(1.0, (_CROWD / max(passed)) ** 0.5))
    axes.add_collection(
        LineCollection(
            [scale.line(path) for path in layout.paths.values()],
            colors=[(*_LINE_GREY, 0.25 + 0.55 * share) for share in thin],
            linewidths=[0.3 + 0.7 * share for share in thin],
            zorder=1,
        )
    )


def _draw_item(
    axes: "Axes", place: tuple[float, float], label: str, style: Style, letters: float
) -> None:
    axes.text(
        *place,
        label,
        ha="center",
        va="center",
        fontsize=letters,
        color=style.ink,
        fontweight=style.weight,
        parse_math=False,  # a name with dollar signs is still a name
        zorder=2,
        bbox={
            "boxstyle": "round,pad=0.32,rounding_size=0.6",
            "facecolor": style.fill,
            "edgecolor": style.border,
            "linestyle": style.line,
            "linewidth": 1.2,
        },
    )


def _draw_legend(axes: "Axes", width: float, shown: list[Style]) -> None:
    step = min(LEGEND_STEP, (width - 0.1) / len(shown))
    for i, style in enumerate(shown):
        place = (width / 2 + step * (i - (len(shown) - 1) / 2), 0.38)
        _draw_item(axes, place, style.caption, style, 8.0)


def _metadata(suffix: str, title: str | None) -> dict[str, str | None]:
    words: dict[str, dict[str, str | None]] = {
        "svg": {"Creator": "antichain", "Description": FORMAT, "Date": None},
        "png": {"Software": "antichain", "Description": FORMAT},
        "pdf": {"Creator": "antichain", "Subject": FORMAT, "CreationDate": None},
    }
    return words[suffix] | {"Title": title or "Hasse diagram"}
