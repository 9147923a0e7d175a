"""The Hasse diagram of the dominances shown, with the strength of the evidence on each line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from antichain._markup import LETTER, svg, text
from antichain._text import counted, html_text, labels, wide
from antichain.certify._certificate import Certificate, PairClaim
from antichain.certify._wording import beats, odds, raised
from antichain.orders import Poset
from antichain.orders._hasse_layout import HasseLayout, hasse_layout

_LONGEST = 22  # characters of a name
_WIDEST = 1600  # pixels; a wider diagram has numbers instead of names
_CROWDED_WIDTH = 1100.0  # the width of a diagram with numbers, in pixels
_IN_A_ROW = 26  # numbered boxes side by side
_ROW = 92.0  # pixels from layer to layer
_BOX = 24  # the height of a box in pixels
_MOST_LABELS = 40  # with more lines, only their thickness shows the strength of the evidence

MOST_DRAWN = 300
"""The largest number of items that are drawn: more would be a black square."""

Point = tuple[float, float]


def hasse(certificate: Certificate, order: Sequence[str]) -> str:
    """Draw all items with something above or below them; empty if there are none or too many.

    The place of an item in `order` is its number on the page.
    """
    if not certificate.pairs.dominated or drawn_items(certificate) > MOST_DRAWN:
        return ""
    node_of = {
        item: _group_name(group.items) for group in certificate.groups for item in group.items
    }
    strongest: dict[tuple[str, str], PairClaim] = {}
    for claim in certificate.pairs.dominated:
        ends = (node_of.get(claim.first, claim.first), node_of.get(claim.second, claim.second))
        if ends[0] != ends[1]:
            strongest.setdefault(ends, claim)  # the claims are sorted by evidence, strongest first
    nodes = dict.fromkeys(name for ends in strongest for name in ends)
    nodes |= dict.fromkeys(node_of.values())
    poset = Poset.from_relations(strongest, list(nodes))
    status = {node_of.get(item, item): certificate.status(item) for item in certificate.items}
    for group in certificate.groups:
        status[_group_name(group.items)] = "cycle"
    numbers = {name: str(k) for k, name in enumerate(order, start=1)}
    for group in certificate.groups:
        numbers[_group_name(group.items)] = "⟲".join(numbers[item] for item in group.items)
    layout = hasse_layout(poset)
    return _drawn(_placed(layout, numbers), strongest, status, len(layout.layers))


def drawn_items(certificate: Certificate) -> int:
    """Count the items that have something shown to be above or below them."""
    return len({name for claim in certificate.pairs.dominated for name in claim[:2]})


def _group_name(items: tuple[str, ...]) -> str:
    return " ⟲ ".join(items)


class _Placed(NamedTuple):
    places: dict[str, Point]
    lines: dict[tuple[str, str], list[Point]]
    labels: dict[str, str]
    width: float
    height: float


def _placed(layout: HasseLayout, numbers: dict[str, str]) -> _Placed:
    """Lay out the diagram with names in its boxes, or with numbers if names take too much room."""
    called = dict(zip(layout.places, labels(list(layout.places), _LONGEST), strict=True))
    across = max(60.0, max(map(wide, called.values())) * LETTER + 30)
    xs = [x for x, _ in layout.places.values()] + [x for p in layout.paths.values() for x, _ in p]
    left, width = min(xs), (max(xs) - min(xs) + 1) * across + 8
    if width > _WIDEST:
        return _crowded(layout, numbers)

    def place(point: Point) -> Point:
        return (point[0] - left + 0.5) * across + 4, -point[1] * _ROW + _BOX / 2 + 8

    lines = {edge: _ends([place(point) for point in path]) for edge, path in layout.paths.items()}
    places = {name: place(point) for name, point in layout.places.items()}
    return _Placed(places, lines, called, width, (len(layout.layers) - 1) * _ROW + _BOX + 16)


def _crowded(layout: HasseLayout, numbers: dict[str, str]) -> _Placed:
    """Lay out the diagram with numbered boxes, long layers in several rows, and straight lines."""
    places: dict[str, Point] = {}
    top = _BOX / 2 + 8
    for layer in layout.layers:
        ranked = sorted(layer, key=lambda name: layout.places[name])
        rows = -(-len(ranked) // _IN_A_ROW)
        for k, name in enumerate(ranked):
            x = 20 + (k + 0.5) / len(ranked) * (_CROWDED_WIDTH - 40)
            places[name] = x, top + (k % rows) * (_BOX + 4)
        top += (rows - 1) * (_BOX + 4) + 1.7 * _ROW
    called = {name: numbers[name] for name in places}
    lines = {(a, b): _ends([places[a], places[b]]) for a, b in layout.paths}
    return _Placed(places, lines, called, _CROWDED_WIDTH, top - 1.7 * _ROW + _BOX)


def _drawn(
    placed: _Placed, claims: dict[tuple[str, str], PairClaim], status: dict[str, str], layers: int
) -> str:
    lines = placed.lines
    faint = min(1.0, max(0.12, (_MOST_LABELS / max(len(lines), 1)) ** 0.5))
    parts = [_edge(points, claims[edge], faint) for edge, points in lines.items()]
    if len(lines) <= _MOST_LABELS:
        parts.append(_odds(lines, claims))
    for name, point in placed.places.items():
        parts.append(_node(*point, name, placed.labels[name], status[name]))
    label = (
        f"Hasse diagram of {counted(len(placed.places), 'item')} in {layers} layers; the "
        "dominances are listed in the table of items"
    )
    return svg(placed.width, placed.height, label, "".join(parts), "hasse")


def _ends(points: list[Point]) -> list[Point]:
    """Return the points of a line from box to box that crosses layers vertically."""
    half = _BOX / 2
    return [(x, y + side) for x, y in points for side in (-half, half)][1:-1]


def _edge(points: list[Point], claim: PairClaim, faint: float) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    # From odds of about 10^3 to about 10^300 the line becomes four times as thick.
    thick = 0.8 + 0.9 * max(math.log10(1 + claim.log_evidence) - 0.8, 0.0)
    return (
        f'<g class="edge"><title>{html_text(raised(beats(claim)))}</title><path d="M{path}" '
        f'stroke-width="{thick:.2f}" stroke-opacity="{faint:.2f}"/></g>'
    )


def _odds(
    lines: dict[tuple[str, str], list[Point]], claims: dict[tuple[str, str], PairClaim]
) -> str:
    """Write the odds beside the lines, as far as there is room."""
    taken: list[tuple[float, float, float]] = []
    parts = []
    for edge, points in lines.items():
        words = raised(odds(claims[edge].log_evidence))
        room = len(words) * LETTER * 0.8 + 6
        (x0, y0), (x1, y1) = points[0], points[1]
        for share in (0.55, 0.3, 0.8):
            x, y = x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
            if all(abs(x - a) > (room + w) / 2 or abs(y - b) > 12 for a, b, w in taken):
                taken.append((x, y, room))
                parts.append(
                    f'<rect class="behind" x="{x - room / 2:.1f}" y="{y - 7:.1f}" '
                    f'width="{room:.1f}" height="14"/>{text(x, y + 4, words, "middle", "small")}'
                )
                break
    return "".join(parts)


def _node(x: float, y: float, name: str, label: str, status: str) -> str:
    across = wide(label) * LETTER + 12
    return (
        f'<g class="node {status}"><title>{html_text(name)}: {status}</title>'
        f'<rect x="{x - across / 2:.1f}" y="{y - _BOX / 2:.1f}" width="{across:.1f}" '
        f'height="{_BOX}" rx="7"/>{text(x, y + 4, label, "middle")}</g>'
    )
