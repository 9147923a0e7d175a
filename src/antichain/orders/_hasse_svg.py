"""A small Hasse diagram as SVG, for notebooks: in their colours, light or dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antichain._markup import LETTER, svg, text
from antichain._text import counted, html_text, labels, wide
from antichain.orders._hasse_layout import Point, hasse_layout

if TYPE_CHECKING:
    from antichain.orders._poset import Poset

_MOST = 60  # items
_LONGEST = 18  # characters of a name
_ROW, _BOX = 58.0, 22.0  # pixels from layer to layer, and the height of a box
_WIDEST = 1000.0  # pixels: a wider diagram could not be read in a notebook
_FRONT = "#0072B2"


def hasse_svg(poset: Poset) -> str:
    """Return the diagram, its front filled; empty if it is too large for a notebook."""
    if len(poset) > _MOST:
        return ""
    layout = hasse_layout(poset)
    called = dict(zip(poset.items, labels(poset.items, _LONGEST), strict=True))
    across = max(48.0, max(map(wide, called.values())) * LETTER + 26)
    xs = [x for x, _ in layout.places.values()] + [x for p in layout.paths.values() for x, _ in p]
    width = (max(xs) - min(xs) + 1) * across
    if width > _WIDEST:
        return ""

    def place(point: Point) -> Point:
        return (point[0] - min(xs) + 0.5) * across, -point[1] * _ROW + _BOX / 2 + 2

    lines = "M".join(_line([place(point) for point in path]) for path in layout.paths.values())
    front = set(poset.front)
    boxes = "".join(
        _box(*place(point), name, called[name], name in front)
        for name, point in layout.places.items()
    )
    drawn = f'<path d="M{lines}" fill="none" stroke="currentColor" opacity=".5"/>' if lines else ""
    label = f"Hasse diagram of {counted(len(poset), 'item')}, its front filled"
    height = (len(layout.layers) - 1) * _ROW + _BOX + 4
    looks = "display:block;margin:.6em 0;max-width:100%;height:auto;font:12px sans-serif"
    return svg(width, height, label, drawn + boxes, style=looks)


def _line(points: list[Point]) -> str:
    ends = [(x, y + side) for x, y in points for side in (-_BOX / 2, _BOX / 2)][1:-1]
    return "L".join(f"{x:.0f} {y:.0f}" for x, y in ends)


def _box(x: float, y: float, name: str, label: str, front: bool) -> str:
    across = wide(label) * LETTER + 14
    fill, ink, edge = (
        (_FRONT, "white", _FRONT) if front else ("none", "currentColor", "currentColor")
    )
    return (
        f'<g fill="{ink}"><title>{html_text(name)}</title><rect x="{x - across / 2:.0f}" '
        f'y="{y - _BOX / 2:.0f}" width="{across:.0f}" height="{_BOX:.0f}" rx="7" fill="{fill}" '
        f'stroke="{edge}" stroke-opacity=".6"/>'
        f"{text(x, y + 4, label, 'middle')}</g>"
    )
