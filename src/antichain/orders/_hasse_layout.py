"""Where each item of a Hasse diagram goes; nothing here draws."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antichain.orders._poset import Poset

_SWEEPS = 12  # crossings stop falling long before; each sweep costs one pass over the edges
_SMOOTHINGS = 6  # sweeps at the end that straighten long lines, while items stay if they can
_BEND_WIDTH = 0.3  # room for an edge that passes through a layer; an item takes 1

Edge = tuple[str, str]
Point = tuple[float, float]

# An item, or a bend: the place where an edge (upper, lower) passes through layer `int`.
Node = str | tuple[str, str, int]
Neighbours = dict[Node, list[Node]]


@dataclass(frozen=True)
class HasseLayout:
    """Places for the items and edges of a Hasse diagram.

    Attributes:
        layers: The names from top to bottom, each layer from left to right; an item's layer is
            the length of the longest chain that ends in it from above.
        places: The place (x, y) of each item: y is 0 in the top layer and one less in each
            layer below; items of a layer are at least 1 apart.
        paths: For each pair (upper, lower) with nothing in between, the points its line goes
            through; a line goes around the items of the layers it crosses, unless all lines are
            straight.
    """

    layers: tuple[tuple[str, ...], ...]
    places: dict[str, Point]
    paths: dict[Edge, tuple[Point, ...]]


def hasse_layout(poset: Poset, *, straight: bool = False) -> HasseLayout:
    """A layered layout of the poset's Hasse diagram with few crossings.

    If `straight`, lines run behind the items of the layers they cross: where there are many, room
    for all their bends would make the diagram several times as wide.
    """
    edges = poset.hasse_edges()
    depth = _depths(poset.items, edges)
    tracks = {edge: list[Node](edge) if straight else _track(edge, depth) for edge in edges}
    layers: list[list[Node]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for name in poset.items:
        layers[depth[name]].append(name)
    for (upper, _), track in tracks.items():
        for level, bend in enumerate(track[1:-1], start=depth[upper] + 1):
            layers[level].append(bend)
    up: Neighbours = {node: [] for layer in layers for node in layer}
    down: Neighbours = {node: [] for layer in layers for node in layer}
    for track in tracks.values():
        for above, below in pairwise(track):
            down[above].append(below)
            up[below].append(above)
    _uncross(layers, up, down)
    x = _spread(layers, up, down)
    place = {node: (x[node], -float(y)) for y, layer in enumerate(layers) for node in layer}
    return HasseLayout(
        tuple(tuple(node for node in layer if isinstance(node, str)) for layer in layers),
        {name: place[name] for name in poset.items},
        {edge: tuple(place[node] for node in track) for edge, track in tracks.items()},
    )


def pieces(layout: HasseLayout) -> list[list[tuple[float, float]]]:
    """The lines below each layer but the last, as their places (x above, x below)."""
    found: list[list[tuple[float, float]]] = [[] for _ in layout.layers[1:]]
    for path in layout.paths.values():
        for (above, y), (below, _) in pairwise(path):
            found[round(-y)].append((above, below))
    return found


def crossings(layout: HasseLayout) -> list[int]:
    """How many pairs of lines cross below each layer but the last."""
    return [_inversions([below for _, below in sorted(lines)]) for lines in pieces(layout)]


def _inversions(values: Iterable[float]) -> int:
    before: list[float] = []
    found = 0
    for value in values:
        found += len(before) - bisect_right(before, value)
        insort(before, value)
    return found


def _depths(items: Iterable[str], edges: Iterable[Edge]) -> dict[str, int]:
    """The length of the longest chain that ends in each item from above."""
    up: dict[str, list[str]] = {name: [] for name in items}
    for upper, lower in edges:
        up[lower].append(upper)
    depth: dict[str, int] = {}
    for name in TopologicalSorter(up).static_order():
        depth[name] = max((depth[upper] + 1 for upper in up[name]), default=0)
    return depth


def _track(edge: Edge, depth: dict[str, int]) -> list[Node]:
    upper, lower = edge
    inner = range(depth[upper] + 1, depth[lower])
    return [upper, *((upper, lower, level) for level in inner), lower]


def _uncross(layers: list[list[Node]], up: Neighbours, down: Neighbours) -> None:
    """Reorder the layers by barycentres, down and up in turn."""
    place: dict[Node, float] = {}

    def settle(layer: list[Node]) -> None:
        for i, node in enumerate(layer):
            place[node] = (i + 0.5) / len(layer)

    for layer in layers:
        settle(layer)
    for layer, neighbours in _sweeps(layers, up, down):
        layer.sort(key=lambda node: _mean([place[n] for n in neighbours[node]], place[node]))
        settle(layer)


def _spread(layers: list[list[Node]], up: Neighbours, down: Neighbours) -> dict[Node, float]:
    """Horizontal places: as close to one's neighbours as the room in a layer allows."""
    x: dict[Node, float] = {}
    for layer in layers:
        offsets = _offsets(layer)
        x.update((node, o - offsets[-1] / 2) for node, o in zip(layer, offsets, strict=True))
    for layer, neighbours in _sweeps(layers, up, down):
        wanted = [_mean([x[n] for n in neighbours[node]], x[node]) for node in layer]
        x.update(zip(layer, _separated(wanted, _offsets(layer)), strict=True))
    for _ in range(_SMOOTHINGS):
        for layer in layers:
            wanted = [
                x[n] if isinstance(n, str) else (x[up[n][0]] + x[down[n][0]]) / 2 for n in layer
            ]
            x.update(zip(layer, _separated(wanted, _offsets(layer)), strict=True))
    if layers:
        _centre(layers[0], up, down, x)
    return x


def _centre(top: list[Node], up: Neighbours, down: Neighbours, x: dict[Node, float]) -> None:
    """Move the items of the top layer over the middle of all that hangs below them.

    Items with something in common below move together, as one row.
    """
    wanted: dict[Node, float] = {}
    for first in top:
        if first in wanted:
            continue
        part = _connected(first, up, down)
        row = [node for node in top if node in part]
        under = [x[node] for node in part]
        left, right = min(x[node] for node in row), max(x[node] for node in row)
        move = (min(under) + max(under) - left - right) / 2
        wanted.update((node, x[node] + move) for node in row)
    x.update(zip(top, _separated([wanted[n] for n in top], _offsets(top)), strict=True))


def _connected(first: Node, up: Neighbours, down: Neighbours) -> set[Node]:
    """The nodes that lines connect with `first`, itself included."""
    found, waiting = {first}, [first]
    while waiting:
        node = waiting.pop()
        fresh = {*up[node], *down[node]} - found
        found |= fresh
        waiting.extend(fresh)
    return found


def _sweeps(
    layers: list[list[Node]], up: Neighbours, down: Neighbours
) -> Iterator[tuple[list[Node], Neighbours]]:
    """Each layer in turn with the neighbours to look at: downwards, then upwards, and again."""
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        for layer in layers if downwards else layers[::-1]:
            yield layer, up if downwards else down


def _offsets(layer: list[Node]) -> list[float]:
    """How far each node of a layer is from the first when they stand as close as they may."""
    widths = [1.0 if isinstance(node, str) else _BEND_WIDTH for node in layer]
    return list(accumulate(((a + b) / 2 for a, b in pairwise(widths)), initial=0.0))


def _separated(wanted: list[float], offsets: list[float]) -> list[float]:
    """The places nearest to `wanted` (least squares) that stand no closer than `offsets` do.

    Subtracting the offsets turns "no closer" into "not decreasing", which pooling adjacent
    violators solves exactly.
    """
    blocks: list[tuple[float, int]] = []
    for place, offset in zip(wanted, offsets, strict=True):
        total, size = place - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / size:
            previous = blocks.pop()
            total, size = total + previous[0], size + previous[1]
        blocks.append((total, size))
    levels = [total / size for total, size in blocks for _ in range(size)]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
