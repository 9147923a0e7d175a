"""The matrix of win rates, with rows and columns in the order of the table of items."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from html import escape

import numpy as np

from antichain.certify.report.svg import LETTER, short, svg, text
from antichain.certify.wording import percent
from antichain.votes.vote_log import VoteLog
from antichain.words import counted

MOST_ROWS = 200
"""The largest number of items whose win rates are drawn."""

_LONGEST = 20  # characters of a name beside its row
_MANY = 60  # with more items, cells have no tooltips
_SHADES = 8
_FULL = 20  # votes that fill a cell to its edges


def win_rates(log: VoteLog, order: Sequence[str]) -> str:
    """Draw one cell per pair: its colour says who is ahead, its size how many votes there are.

    Args:
        log: The votes.
        order: The items to show, the best ones first.
    """
    size = len(order)
    side = 26.0 if size <= 12 else 15.0 if size <= 40 else 10.0 if size <= 80 else 6.5
    names = max(len(short(name, _LONGEST)) for name in order) * LETTER + 12 if side >= 10 else 4.0
    heads = side >= 15
    top = 24.0 if heads else 4.0
    place = {name: k for k, name in enumerate(order)}
    parts = [
        f'<rect class="ground" x="{names:.1f}" y="{top}" width="{size * side:.1f}" '
        f'height="{size * side:.1f}"/>'
    ]
    if side >= 10:
        for k, name in enumerate(order):
            middle = top + (k + 0.5) * side + 4
            parts.append(text(names - 6, middle, short(name, _LONGEST), "end", "small"))
            if heads:
                parts.append(text(names + (k + 0.5) * side, top - 6, str(k + 1), "middle", "small"))
    cells = _cells(log, [place.get(name) for name in log.items])
    parts.append(
        _with_tooltips(cells, order, side, names, top)
        if size <= _MANY
        else _plain(cells, side, names, top)
    )
    label = (
        f"Win rates of {counted(len(cells) // 2, 'pair')} among {counted(size, 'item')}, the best "
        "ones first; rows against columns"
    )
    return svg(names + size * side + 4, top + size * side + 4, label, "".join(parts), "rates")


_Cell = tuple[int, int, int, float]  # row, column, votes, share of the row's item


def _cells(log: VoteLog, place: Sequence[int | None]) -> list[_Cell]:
    """Return the cells of both directions of each pair whose items are both shown."""
    wins, halves, losses = log.scored()
    votes = wins + halves + losses
    shares = np.where(votes > 0, (wins + halves / 2) / np.maximum(votes, 1), 0.5)
    found = []
    ends = zip(log.pairs.first.tolist(), log.pairs.second.tolist(), strict=True)
    for (i, j), n, share in zip(ends, votes.tolist(), shares.tolist(), strict=True):
        row, column = place[i], place[j]
        if n and row is not None and column is not None:
            found += [(row, column, n, share), (column, row, n, 1 - share)]
    return found


def _square(cell: _Cell, side: float, left: float, top: float) -> tuple[float, float, float]:
    row, column, votes, _ = cell
    edge = (side - 1) * min(1.0, max(0.35, math.sqrt(votes / _FULL)))
    return left + (column + 0.5) * side - edge / 2, top + (row + 0.5) * side - edge / 2, edge


def _shade(share: float) -> tuple[str, int]:
    """Return who is ahead, and how clearly, from 0 to `_SHADES`."""
    lead = abs(share - 0.5) * 2
    return ("even" if lead < 0.02 else "ahead" if share > 0.5 else "behind"), round(lead * _SHADES)


def _opacity(shade: int) -> float:
    return 0.15 + 0.85 * shade / _SHADES


def _with_tooltips(
    cells: list[_Cell], order: Sequence[str], side: float, left: float, top: float
) -> str:
    parts = []
    for cell in cells:
        x, y, edge = _square(cell, side, left, top)
        row, column, votes, share = cell
        css, shade = _shade(share)
        tip = f"{order[row]} against {order[column]}: {percent(share)} of {counted(votes, 'vote')}"
        parts.append(
            f'<rect class="{css}" x="{x:.1f}" y="{y:.1f}" width="{edge:.1f}" height="{edge:.1f}" '
            f'fill-opacity="{_opacity(shade):.2f}"><title>{escape(tip)}</title></rect>'
        )
    return "".join(parts)


def _plain(cells: list[_Cell], side: float, left: float, top: float) -> str:
    """One path per colour: ten thousand cells in a fraction of the bytes."""
    paths: dict[tuple[str, int], list[str]] = defaultdict(list)
    for cell in cells:
        x, y, edge = _square(cell, side, left, top)
        paths[_shade(cell[3])].append(f"M{x:.1f} {y:.1f}h{edge:.1f}v{edge:.1f}h-{edge:.1f}z")
    return "".join(
        f'<path class="{css}" fill-opacity="{_opacity(shade):.2f}" d="{"".join(squares)}"/>'
        for (css, shade), squares in sorted(paths.items())
    )
