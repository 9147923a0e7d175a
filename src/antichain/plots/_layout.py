"""How large a Hasse diagram is on paper, and how large its letters; nothing here draws."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from antichain._text import labels, short
from antichain.orders._hasse_layout import HasseLayout, Point, crossings

TITLE_LETTERS = 12.0  # points
TITLE_LINE = 0.24  # inches from one line of the title to the next

# Set by hand.
_LONGEST_LABEL = 22  # characters; a longer name is cut with an ellipsis
_LARGEST_SIDE = 48.0  # inches; a larger diagram shrinks its letters instead
_LARGEST_GAP = 6.0  # inches between two layers, however many lines cross there
_LETTERS = 9.0  # points
_MOST_TITLE_LINES = 4
_BELOW = 0.9  # inches below the lowest layer, for the legend
LEGEND_STEP = 1.4  # inches for a kind of items
_TITLE_WIDTH = 5.5  # inches; a longer title takes several lines
_WIDEST = 16.0  # inches; a diagram that is wider is drawn crowded
_CROWDED_WIDTH = 13.0  # inches
_CROWDED_LABEL = 14  # characters
_CROWDED_LETTERS = 6.5  # points
_CROWDED_AIR = 6.0  # inches, over all layers, that lines which cross may take


@dataclass(frozen=True)
class Scale:
    """From the layout to inches on paper.

    Attributes:
        width: How wide the paper is.
        height: How high the paper is.
        across: How far 1 in the layout is on paper, from left to right.
        left: Where the layout's 0 is on paper, from left to right.
        rows: How high each layer is on paper.
        letters: The size of the letters, in points.
        labels: What is written on each item.
        lowered: How far items stand below their layer's row, by their place in the layout.
    """

    width: float
    height: float
    across: float
    left: float
    rows: tuple[float, ...]
    letters: float
    labels: dict[str, str]
    lowered: dict[Point, float] = field(default_factory=dict)

    @classmethod
    def fitting(cls, layout: HasseLayout, title: str | None, legend: int) -> "Scale":
        """The scale at which no two labels touch; letters shrink if the paper gets too large.

        Args:
            layout: Where items stand.
            title: What is written above them.
            legend: How many kinds of items the legend explains.
        """
        places = [x for path in layout.paths.values() for x, _ in path]
        places += [x for x, _ in layout.places.values()]
        columns = max(places) - min(places)
        called = {name: short(name, _LONGEST_LABEL) for name in layout.places}
        label = max(_text_width(text, _LETTERS) for text in called.values())
        across = max(label + 0.3, 0.55)  # the box around a label, and some air
        # Where many lines cross, layers stand further apart, so that lines can be told apart.
        gaps = [min(0.5 + 0.04 * crossed**0.5, _LARGEST_GAP) for crossed in crossings(layout)]
        shrink = min(
            1.0,
            (_LARGEST_SIDE - 2) / max(columns * across, 1e-9),
            (_LARGEST_SIDE - 3) / max(sum(gaps), 1e-9),
        )
        across *= shrink
        titled = _text_width(title, TITLE_LETTERS) + 0.6 if title else 0.0
        width = max((columns + 1) * across + 0.6, LEGEND_STEP * legend, min(titled, _TITLE_WIDTH))
        left = (width - columns * across) / 2 - min(places) * across
        depths = list(accumulate((gap * shrink for gap in gaps), initial=0.0))
        top = _BELOW + depths[-1]
        rows = tuple(top - depth for depth in depths)
        height = top + _head(title, width)
        return cls(width, height, across, left, rows, _LETTERS * shrink, called)

    @property
    def is_readable(self) -> bool:
        """Whether a screen can show the whole diagram with letters that can be read."""
        return self.width <= _WIDEST

    @classmethod
    def crowded(cls, layout: HasseLayout, title: str | None) -> "Scale":
        """The scale at which many items fit on a page, in small letters.

        No two labels touch: a layer with too many of them for one row is staggered over several.
        """
        names = list(layout.places)
        called = dict(zip(names, labels(names, _CROWDED_LABEL), strict=True))
        label = max(_text_width(text, _CROWDED_LETTERS) for text in called.values()) + 0.12
        xs = [x for x, _ in layout.places.values()]
        columns = max(max(xs) - min(xs), 1e-9)
        across = (_CROWDED_WIDTH - label - 0.6) / columns
        left = 0.3 + label / 2 - min(xs) * across
        step = 2.3 * _CROWDED_LETTERS / 72
        lowered: dict[Point, float] = {}
        rows, y = [], 0.0
        air = [0.025 * crossed**0.5 for crossed in [*crossings(layout), 0]]
        thick = min(1.0, _CROWDED_AIR / max(sum(air), 1e-9))
        for layer, more in zip(layout.layers, air, strict=True):
            places = [layout.places[name] for name in layer]
            apart = _rows_needed([x * across for x, _ in places], label)
            lowered |= {place: k % apart * step for k, place in enumerate(places)}
            rows.append(-y)
            y += (apart - 1) * step + 0.28 + min(more, 0.8) * thick
        bottom = _BELOW - rows[-1] + max(lowered[layout.places[name]] for name in layout.layers[-1])
        height = bottom + _head(title, _CROWDED_WIDTH)
        shown = tuple(row + bottom for row in rows)
        return cls(_CROWDED_WIDTH, height, across, left, shown, _CROWDED_LETTERS, called, lowered)

    def inches(self, place: Point) -> Point:
        y = self.rows[round(-place[1])] - self.lowered.get(place, 0.0)
        return self.left + place[0] * self.across, y

    def line(self, path: Sequence[Point]) -> list[Point]:
        """The points of a line that leaves the upper item below and meets the lower one above.

        Through a layer in between it goes straight down, so that it never comes near the boxes
        to its left and right.
        """
        half = 0.8 * self.letters / 72  # a little less than half of a box's height
        points = [self.inches(point) for point in path]
        ends = [(x, y + side) for x, y in points for side in (half, -half)]
        return ends[1:-1]


def title_lines(title: str, width: float) -> list[str]:
    """The title in lines that fit into a picture of a width in inches, cut after a few."""
    letter = _text_width(title, TITLE_LETTERS) / max(len(title), 1)
    fitting = max(int((width - 0.6) / max(letter, 1e-9)), 8)
    return textwrap.wrap(title, min(fitting, 400), max_lines=_MOST_TITLE_LINES, placeholder=" …")


def _text_width(text: str, letters: float) -> float:
    """The width in inches of a text in bold letters, the widest there are."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(weight="bold", size=letters)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def _head(title: str | None, width: float) -> float:
    """The inches above the top layer."""
    return 0.4 if title is None else 0.6 + TITLE_LINE * len(title_lines(title, width))


def _rows_needed(xs: Sequence[float], apart: float) -> int:
    """Over how many rows to deal the places, one by one, so that in a row they are far enough."""
    rows = 1
    while any(b - a < apart for a, b in zip(xs, xs[rows:], strict=False)):
        rows += 1
    return rows
