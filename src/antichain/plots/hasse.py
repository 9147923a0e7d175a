"""Hasse diagrams: the upper of two joined items is above the lower.

matplotlib is optional and only imported when something is drawn.
"""

import io
import textwrap
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from antichain.errors import FileError, MissingExtraError, ParameterError
from antichain.orders import Poset
from antichain.plots import fonts
from antichain.plots.layout import Layout, Point, crossings, hasse_layout, pieces

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = ("svg", "png", "pdf")
FORMAT = "antichain-hasse 1"

_LONGEST_LABEL = 22  # characters; a longer name is cut with an ellipsis
_LARGEST_SIDE = 48.0  # inches; a larger diagram shrinks its letters instead
_LARGEST_GAP = 6.0  # inches between two layers, however many lines cross there
_LETTERS = 9.0  # points
_TITLE_LETTERS = 12.0  # points
_TITLE_LINE = 0.24  # inches from one line of the title to the next
_MOST_TITLE_LINES = 4
_BELOW = 0.9  # inches below the lowest layer, for the legend
_LINE_GREY = (1 / 3, 1 / 3, 1 / 3)
_CROWD = 25  # lines between two layers that can be drawn in full strength
_DPI = 150


@dataclass(frozen=True)
class Style:
    """How one sort of item looks; line and weight say it again for who cannot tell the colours."""

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
_LEGEND = (_FRONT, _FOUND, _MISSED, _FALSE, _OTHER)


def render(
    poset: Poset,
    suffix: str,
    found: Collection[str] | None = None,
    title: str | None = None,
) -> bytes:
    """The Hasse diagram as the content of a picture file.

    Args:
        poset: The order to draw; its front is highlighted.
        suffix: One of `SUFFIXES`.
        found: The front an algorithm found, to be shown beside the true one.
        title: Words above the diagram, broken into a few lines if they are long.
    """
    if suffix not in SUFFIXES:
        raise ParameterError(
            f"cannot draw as {suffix!r}: one of {', '.join(SUFFIXES)} was expected"
        )
    unknown = sorted(set(found or ()) - set(poset.items))
    if unknown:
        raise ParameterError(f"the found item {unknown[0]!r} is not in the poset that is drawn")
    require_matplotlib()
    import matplotlib

    # The salt and the missing date make the same diagram the same bytes.
    settings: dict[Any, Any] = {
        "svg.hashsalt": FORMAT,
        "font.family": fonts.families([*poset.items, title or ""]),
    }
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = draw(hasse_layout(poset), styles(poset, found), title)
        stream = io.BytesIO()
        figure.savefig(stream, format=suffix, dpi=_DPI, metadata=_metadata(suffix, title))
    return stream.getvalue()


def suffix_of(path: str | PurePath) -> str:
    """The kind of picture that a file name asks for, as one of `SUFFIXES`."""
    suffix = PurePath(path).suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        raise FileError(
            f"cannot draw to {str(path)!r}: a name that ends in .svg, .png or .pdf was expected"
        )
    return suffix


def require_matplotlib() -> None:
    """Nothing, or a MissingExtraError that says how to install what drawing needs."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "drawing needs matplotlib, which is not installed: pip install 'antichain[plots]'"
        ) from error


def styles(poset: Poset, found: Collection[str] | None = None) -> dict[str, Style]:
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
    return {name: kinds[name in front, name in set(found)] for name in poset.items}


def draw(layout: Layout, look: dict[str, Style], title: str | None = None) -> "Figure":
    """A matplotlib figure of the diagram, sized so that no two labels touch."""
    from matplotlib.figure import Figure

    scale = _Scale.fitting(layout, title)
    figure = Figure(figsize=(scale.width, scale.height), facecolor="white")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, scale.width)
    axes.set_ylim(0, scale.height)
    _draw_edges(axes, layout, scale)
    for name, place in layout.places.items():
        _draw_item(axes, scale.inches(place), _label(name), look[name], scale.letters)
    _draw_legend(axes, scale.width, [style for style in _LEGEND if style in look.values()])
    for i, line in enumerate(_title_lines(title, scale.width) if title else []):
        place = (scale.width / 2, scale.height - 0.35 - _TITLE_LINE * i)
        axes.text(*place, line, ha="center", va="center", fontsize=_TITLE_LETTERS, parse_math=False)
    return figure


@dataclass(frozen=True)
class _Scale:
    """From the layout to inches on paper."""

    width: float
    height: float
    across: float
    left: float
    rows: tuple[float, ...]  # how high each layer is
    letters: float  # points

    @classmethod
    def fitting(cls, layout: Layout, title: str | None) -> "_Scale":
        places = [x for path in layout.paths.values() for x, _ in path]
        places += [x for x, _ in layout.places.values()]
        columns = max(places) - min(places)
        label = max(_text_width(_label(name), _LETTERS) for name in layout.places)
        across = max(label + 0.3, 0.55)  # the box around a label, and some air
        # Where many lines cross, layers stand further apart, so that lines can be told apart.
        gaps = [min(0.5 + 0.04 * crossed**0.5, _LARGEST_GAP) for crossed in crossings(layout)]
        shrink = min(
            1.0,
            (_LARGEST_SIDE - 2) / max(columns * across, 1e-9),
            (_LARGEST_SIDE - 3) / max(sum(gaps), 1e-9),
        )
        across *= shrink
        width = max((columns + 1) * across + 0.6, 5.5)
        left = (width - columns * across) / 2 - min(places) * across
        depths = list(accumulate((gap * shrink for gap in gaps), initial=0.0))
        top = _BELOW + depths[-1]
        head = 0.4 if title is None else 0.6 + _TITLE_LINE * len(_title_lines(title, width))
        rows = tuple(top - depth for depth in depths)
        return cls(width, top + head, across, left, rows, _LETTERS * shrink)

    def inches(self, place: Point) -> Point:
        return self.left + place[0] * self.across, self.rows[round(-place[1])]

    def line(self, path: Sequence[Point]) -> list[Point]:
        """The points of a line that leaves the upper item below and meets the lower one above.

        Through a layer in between it goes straight down, so that it never comes near the boxes
        to its left and right.
        """
        half = 0.8 * self.letters / 72  # a little less than half of a box's height
        points = [self.inches(point) for point in path]
        ends = [(x, y + side) for x, y in points for side in (half, -half)]
        return ends[1:-1]


def _title_lines(title: str, width: float) -> list[str]:
    """The title in lines that fit into a picture of a width in inches, cut after a few."""
    letter = _text_width(title, _TITLE_LETTERS) / max(len(title), 1)
    fitting = max(int((width - 0.6) / max(letter, 1e-9)), 8)
    return textwrap.wrap(title, min(fitting, 400), max_lines=_MOST_TITLE_LINES, placeholder=" …")


def _text_width(text: str, letters: float) -> float:
    """The width in inches of a text in bold letters, the widest there are."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    plain = text.replace("$", r"\$")
    outline = TextPath((0, 0), plain, prop=FontProperties(weight="bold"), size=letters)
    return float(outline.get_extents().width) / 72


def _draw_edges(axes: "Axes", layout: Layout, scale: _Scale) -> None:
    """Draw the lines, finer and fainter where there are many between two layers."""
    from matplotlib.collections import LineCollection

    crowds = [len(found) for found in pieces(layout)]
    thin = []
    for path in layout.paths.values():
        passed = crowds[round(-path[0][1]) : round(-path[-1][1])]
        thin.append(min(1.0, (_CROWD / max(passed)) ** 0.5))
    axes.add_collection(
        LineCollection(
            [scale.line(path) for path in layout.paths.values()],
            colors=[(*_LINE_GREY, 0.3 + 0.5 * share) for share in thin],
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
    step = 1.4
    for i, style in enumerate(shown):
        place = (width / 2 + step * (i - (len(shown) - 1) / 2), 0.38)
        _draw_item(axes, place, style.caption, style, 8.0)


def _label(name: str) -> str:
    return name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 1] + "…"


def _metadata(suffix: str, title: str | None) -> dict[str, str | None]:
    """What the file says about itself, in the words its format knows."""
    words: dict[str, dict[str, str | None]] = {
        "svg": {"Creator": "antichain", "Description": FORMAT, "Date": None},
        "png": {"Software": "antichain", "Description": FORMAT},
        "pdf": {"Creator": "antichain", "Subject": FORMAT, "CreationDate": None},
    }
    return words[suffix] | {"Title": title or "Hasse diagram"}
