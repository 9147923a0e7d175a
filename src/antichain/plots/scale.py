"""How large a Hasse diagram is on paper: from a layout to inches, and to letters that fit."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from antichain.plots.layout import Layout, Point, crossings

TITLE_LETTERS = 12.0  # points
TITLE_LINE = 0.24  # inches from one line of the title to the next

# Set by hand.
_LONGEST_LABEL = 22  # characters; a longer name is cut with an ellipsis
_LARGEST_SIDE = 48.0  # inches; a larger diagram shrinks its letters instead
_LARGEST_GAP = 6.0  # inches between two layers, however many lines cross there
_LETTERS = 9.0  # points
_MOST_TITLE_LINES = 4
_BELOW = 0.9  # inches below the lowest layer, for the legend


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
    """

    width: float
    height: float
    across: float
    left: float
    rows: tuple[float, ...]
    letters: float

    @classmethod
    def fitting(cls, layout: Layout, title: str | None) -> "Scale":
        """The scale at which no two labels touch; letters shrink if the paper gets too large."""
        places = [x for path in layout.paths.values() for x, _ in path]
        places += [x for x, _ in layout.places.values()]
        columns = max(places) - min(places)
        label = max(_text_width(label_of(name), _LETTERS) for name in layout.places)
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
        head = 0.4 if title is None else 0.6 + TITLE_LINE * len(title_lines(title, width))
        rows = tuple(top - depth for depth in depths)
        return cls(width, top + head, across, left, rows, _LETTERS * shrink)

    def inches(self, place: Point) -> Point:
        """Where a place of the layout is on paper."""
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


def title_lines(title: str, width: float) -> list[str]:
    """The title in lines that fit into a picture of a width in inches, cut after a few."""
    letter = _text_width(title, TITLE_LETTERS) / max(len(title), 1)
    fitting = max(int((width - 0.6) / max(letter, 1e-9)), 8)
    return textwrap.wrap(title, min(fitting, 400), max_lines=_MOST_TITLE_LINES, placeholder=" …")


def _text_width(text: str, letters: float) -> float:
    """The width in inches of a text in bold letters, the widest there are."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    plain = text.replace("$", r"\$")
    outline = TextPath((0, 0), plain, prop=FontProperties(weight="bold"), size=letters)
    return float(outline.get_extents().width) / 72


def label_of(name: str) -> str:
    """A name as it is shown: cut with an ellipsis if it is long."""
    return name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 1] + "…"
