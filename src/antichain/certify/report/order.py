"""The Hasse diagram of what is shown, with how surely on each line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from antichain.certify.certificate import Certificate, Claim
from antichain.certify.report.svg import LETTER, short, svg, text
from antichain.certify.wording import odds, percent
from antichain.orders import Poset
from antichain.plots.layout import Layout, hasse_layout
from antichain.words import counted

_LONGEST = 22  # characters of a name
_WIDEST = 1600  # pixels; in a wider diagram numbers stand for names
_CROWDED_WIDTH = 1100.0  # pixels of a diagram of numbers
_IN_A_ROW = 26  # numbered boxes side by side
_ROW = 92.0  # pixels from layer to layer
_BOX = 24  # pixels of a box's height
_MOST_LABELS = 40  # lines beyond which only their thickness says how sure they are

MOST_DRAWN = 300
"""Items beyond which no diagram is drawn: it would be a black square."""

Point = tuple[float, float]


def hasse(certificate: Certificate, order: Sequence[str]) -> str:
    """The picture of all items with something above or below them; empty if none or too many.

    Args:
        certificate: What is shown.
        order: All items as the page numbers them.
    """
    if not certificate.pairs.dominated or drawn_items(certificate) > MOST_DRAWN:
        return ""
    node_of = {
        item: _group_name(group.items) for group in certificate.groups for item in group.items
    }
    strongest: dict[tuple[str, str], Claim] = {}
    for claim in certificate.pairs.dominated:
        ends = (node_of.get(claim.first, claim.first), node_of.get(claim.second, claim.second))
        if ends[0] != ends[1]:
            strongest.setdefault(ends, claim)  # they come by falling evidence
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
    """How many items have something shown to be above or below them."""
    return len({name for claim in certificate.pairs.dominated for name in claim[:2]})


def _group_name(items: tuple[str, ...]) -> str:
    return " ⟲ ".join(items)


class _Placed(NamedTuple):
    """A diagram in pixels: where items and the points of lines are, and what boxes say."""

    places: dict[str, Point]
    lines: dict[tuple[str, str], list[Point]]
    labels: dict[str, str]
    width: float
    height: float


def _placed(layout: Layout, numbers: dict[str, str]) -> _Placed:
    """The diagram with names in its boxes, or with numbers where names take too much room."""
    labels = {name: short(name, _LONGEST) for name in layout.places}
    across = max(60.0, max(map(len, labels.values())) * LETTER + 30)
    xs = [x for x, _ in layout.places.values()] + [x for p in layout.paths.values() for x, _ in p]
    left, width = min(xs), (max(xs) - min(xs) + 1) * across + 8
    if width > _WIDEST:
        return _crowded(layout, numbers)

    def place(point: Point) -> Point:
        return (point[0] - left + 0.5) * across + 4, -point[1] * _ROW + _BOX / 2 + 8

    lines = {edge: _ends([place(point) for point in path]) for edge, path in layout.paths.items()}
    places = {name: place(point) for name, point in layout.places.items()}
    return _Placed(places, lines, labels, width, (len(layout.layers) - 1) * _ROW + _BOX + 16)


def _crowded(layout: Layout, numbers: dict[str, str]) -> _Placed:
    """The diagram with numbered boxes, a long layer in several rows, and straight lines."""
    places: dict[str, Point] = {}
    top = _BOX / 2 + 8
    for layer in layout.layers:
        ranked = sorted(layer, key=lambda name: layout.places[name])
        rows = -(-len(ranked) // _IN_A_ROW)
        for k, name in enumerate(ranked):
            x = 20 + (k + 0.5) / len(ranked) * (_CROWDED_WIDTH - 40)
            places[name] = x, top + (k % rows) * (_BOX + 4)
        top += (rows - 1) * (_BOX + 4) + 1.7 * _ROW
    labels = {name: numbers[name] for name in places}
    lines = {(a, b): _ends([places[a], places[b]]) for a, b in layout.paths}
    return _Placed(places, lines, labels, _CROWDED_WIDTH, top - 1.7 * _ROW + _BOX)


def _drawn(
    placed: _Placed, claims: dict[tuple[str, str], Claim], status: dict[str, str], layers: int
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
    """The points of a line that leaves a box below, meets one above, and passes layers upright."""
    half = _BOX / 2
    return [(x, y + side) for x, y in points for side in (-half, half)][1:-1]


def _edge(points: list[Point], claim: Claim, faint: float) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    # From odds of about 10^3 to about 10^300 the line grows four times as thick.
    thick = 0.8 + 0.9 * max(math.log10(1 + claim.log_evidence) - 0.8, 0.0)
    tip = (
        f"{claim.first} above {claim.second}: {percent(claim.share)} of "
        f"{counted(claim.votes, 'vote')}, {odds(claim.log_evidence)}"
    )
    return (
        f'<g class="edge"><title>{escape(tip)}</title><path d="M{path}" '
        f'stroke-width="{thick:.2f}" stroke-opacity="{faint:.2f}"/></g>'
    )


def _odds(lines: dict[tuple[str, str], list[Point]], claims: dict[tuple[str, str], Claim]) -> str:
    """The odds beside the lines, as far as they find room."""
    taken: list[tuple[float, float, float]] = []
    parts = []
    for edge, points in lines.items():
        words = odds(claims[edge].log_evidence)
        wide = len(words) * LETTER * 0.8 + 6
        (x0, y0), (x1, y1) = points[0], points[1]
        for share in (0.55, 0.3, 0.8):
            x, y = x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
            if all(abs(x - a) > (wide + w) / 2 or abs(y - b) > 12 for a, b, w in taken):
                taken.append((x, y, wide))
                parts.append(
                    f'<rect class="behind" x="{x - wide / 2:.1f}" y="{y - 7:.1f}" '
                    f'width="{wide:.1f}" height="14"/>{text(x, y + 4, words, "middle", "small")}'
                )
                break
    return "".join(parts)


def _node(x: float, y: float, name: str, label: str, status: str) -> str:
    wide = len(label) * LETTER + 12
    return (
        f'<g class="node {status}"><title>{escape(name)}: {status}</title>'
        f'<rect x="{x - wide / 2:.1f}" y="{y - _BOX / 2:.1f}" width="{wide:.1f}" '
        f'height="{_BOX}" rx="7"/>{text(x, y + 4, label, "middle")}</g>'
    )
