"""The charts of the page as SVG; their colours come from the page's CSS."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from antichain._markup import LETTER, svg, text
from antichain._text import counted, html_text, labels, wide
from antichain.certify._certificate import Certificate, threats_among
from antichain.certify._replay import is_ordered, referees
from antichain.certify._verdicts import judge_counts
from antichain.certify._weigh import all_answers
from antichain.certify._wording import needed, percent
from antichain.evidence._bet import Floats
from antichain.referee import Terms
from antichain.votes._vote_log import FORMS, PairVotes, VoteLog

# -- pieces --------------------------------------------------------------------------------------


_WIDTH, _HEIGHT = 640, 272
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 26, 40


_Place = Callable[[float, float], tuple[float, float]]


class ChartLine(NamedTuple):
    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    css: str


def line_chart(lines: Sequence[ChartLine], y_name: str, label: str, threshold: float | None) -> str:
    """Draw lines over the votes, each named at its end, and dashed where items are out for sure."""
    furthest = max([1.0, *(max(line.xs) for line in lines)])
    if threshold is not None:
        limit = ChartLine("out in any case", [0, furthest], [threshold, threshold], "limit")
        lines = [*lines, limit]
    highest = max([1.0, *(max(line.ys) for line in lines)]) * 1.05
    called = labels([line.name for line in lines], 24)
    names = max(map(wide, called)) * LETTER + 22
    plot = _WIDTH - _LEFT - _RIGHT - names

    def place(x: float, y: float) -> tuple[float, float]:
        clipped = max(y, 0.0)
        tall = _HEIGHT - _TOP - _BOTTOM
        return _LEFT + plot * x / furthest, _HEIGHT - _BOTTOM - tall * clipped / highest

    parts = [_axes(place, highest, furthest, y_name)]
    for line in lines:
        points = " ".join(
            f"{x:.1f},{y:.1f}"
            for x, y in (place(*point) for point in zip(line.xs, line.ys, strict=True))
        )
        parts.append(f'<polyline class="{line.css}" points="{points}"/>')
    x = _LEFT + plot
    ends = [place(0, line.ys[-1])[1] for line in lines]
    for line, label_of, end, height in zip(lines, called, ends, _apart(ends), strict=True):
        parts.append(
            f'<path class="{line.css} lead" d="M{x:.1f} {end:.1f}L{x + 10:.1f} {height:.1f}h6"/>'
        )
        parts.append(text(x + 20, height + 4, label_of))
    return svg(_WIDTH, _HEIGHT, label, "".join(parts), "chart")


def _axes(place: _Place, highest: float, furthest: float, y_name: str) -> str:
    parts = [text(4, 11, y_name)]
    for value in _ticks(highest):
        (x0, y), (x1, _) = place(0, value), place(furthest, value)
        parts.append(f'<path class="grid" d="M{x0:.1f} {y:.1f}H{x1:.1f}"/>')
        parts.append(text(x0 - 6, y + 4, f"{value:,.4g}", "end"))
    for value in _ticks(furthest):
        x, y = place(value, 0)
        parts.append(text(x, y + 16, f"{value:,.0f}", "middle"))
    x, y = place(furthest / 2, 0)
    parts.append(text(x, y + 33, "votes", "middle"))
    return "".join(parts)


def _ticks(highest: float) -> list[float]:
    """Return a few round whole numbers from 0 to at most `highest`.

    >>> _ticks(2.0), _ticks(8931.0)
    ([0.0, 1.0, 2.0], [0.0, 2000.0, 4000.0, 6000.0, 8000.0])
    """
    rough = highest / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = max(1.0, next(m * power for m in (1, 2, 5, 10) if m * power >= rough))
    return [k * step for k in range(1 + int(highest / step + 1e-9))]


def _apart(heights: list[float], least: float = 13.0) -> list[float]:
    """Move the heights apart so that no two names overlap, keeping their order."""
    order = sorted(range(len(heights)), key=lambda k: heights[k])
    moved = list(heights)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + least)
    overhang = max([0.0, *(height - (_HEIGHT - _BOTTOM) for height in moved)])
    return [height - overhang for height in moved]


# -- win rates, one cell per pair ----------------------------------------------------------------


MOST_ROWS = 100
"""The largest number of items whose win rates are drawn."""

_LONGEST_ROW = 26  # characters of a name beside its row
_MANY = 60  # with more items, cells have no tooltips
_SHADES = 8
_FULL = 20  # votes that fill a cell to its edges


def win_rates(log: VoteLog, order: Sequence[str], most: int) -> str:
    """Draw one cell per pair: its colour says who is ahead, its size how many votes there are.

    Only the first `most` items of the order are drawn. A row has its number and its name, a column
    the same number.
    """
    called, order = labels(order, _LONGEST_ROW)[:most], order[:most]
    size = len(order)
    side = 26.0 if size <= 12 else 16.0 if size <= 40 else 12.0
    names = max(map(wide, called)) * LETTER * 0.9 + 44
    top = 10 + LETTER * len(str(size))
    parts = [
        f'<rect class="ground" x="{names:.1f}" y="{top:.1f}" width="{size * side:.1f}" '
        f'height="{size * side:.1f}"/>',
        f'<path class="itself" d="M{names:.1f} {top:.1f}l{size * side:.1f} {size * side:.1f}"/>',
    ]
    for k, name in enumerate(called):
        middle = (k + 0.5) * side
        parts.append(text(names - 32, top + middle + 4, name, "end", "small"))
        parts.append(text(names - 6, top + middle + 4, str(k + 1), "end", "small"))
        x, y = names + middle, top - 4
        parts.append(
            text(x, y, str(k + 1), "middle", "small")
            if side > 20
            else f'<text class="small" transform="translate({x + 3.5:.1f} {y:.1f}) rotate(-90)">'
            f"{k + 1}</text>"
        )
    place = {name: k for k, name in enumerate(order)}
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
    if log.scores is not None:  # of which the counts say only how they lean
        shares = all_answers(log).scores.mean
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
            f'fill-opacity="{_opacity(shade):.2f}"><title>{html_text(tip)}</title></rect>'
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


# -- evidence over time --------------------------------------------------------------------------


_MOST_LINES = 8
_MOST_POINTS = 80
_FEWEST_POINTS = 16
_MOST_WORK = 400_000  # pairs weighed over all points, unless that leaves too few points


def timelines(certificate: Certificate, log: VoteLog) -> list[tuple[str, str]]:
    """Return captions and pictures of the items decided and the evidence against some, over time.

    There are none for a log without history, or with clusters, since the history consists of
    single votes.
    """
    if log.clusters is not None or log.scores is not None or not (log.history or is_ordered(log)):
        return []
    terms = Terms(certificate.delta, certificate.epsilon, certificate.assume, certificate.decoy_gap)
    votes, decided, evidence = [0], [(0, 0)], [np.zeros(len(log.items))]
    for seen, out, inside, against in _looks(log, terms):
        votes.append(seen)
        decided.append((out, inside))
        evidence.append(against)
    lines = [
        ChartLine(name, votes, [counts[k] for counts in decided], f"line {css}")
        for k, (name, css) in enumerate((("out", "out"), ("in", "in")))
    ]
    caption = "Items decided after each number of votes. The guarantee holds whenever you look."
    if not is_ordered(log):
        caption += (
            " Because the order of these votes is not used, a verdict can be withdrawn when more "
            "votes come in."
        )
    label = f"Items decided over {counted(votes[-1], 'vote')}: at the end {decided[-1][0]} out, "
    pictures = [
        (
            caption,
            line_chart(lines, "items", f"{label}{decided[-1][1]} in", None),
        )
    ]
    return pictures + _against(certificate, log, votes, np.array(evidence))


def _against(
    certificate: Certificate, log: VoteLog, votes: list[int], evidence: np.ndarray
) -> list[tuple[str, str]]:
    """Draw the evidence against the items with the most of it, as powers of ten."""
    chosen = [int(i) for i in np.argsort(-evidence[-1], kind="stable")[:_MOST_LINES]]
    chosen = [i for i in chosen if evidence[-1, i] > 0]
    if not chosen:
        return []
    powers = evidence / math.log(10)
    lines = [
        ChartLine(log.items[i], votes, powers[:, i].tolist(), f"line l{k}")
        for k, i in enumerate(chosen)
    ]
    # The most that the closed test by averages asks of an item: see docs/theory/certificates.md.
    threshold = math.log10(len(log.items) / certificate.split["out"])
    return [
        (
            "Evidence that an item is not maximal, from all its opponents together, as a power of "
            "ten (3 means 1 in 1,000). The table may name a single opponent with stronger "
            "evidence. Above the dashed line, an item is out whatever the evidence against the "
            "others is; below it, an item may be out as well.",
            line_chart(
                lines,
                "evidence, power of ten",
                "Evidence against single items over time",
                threshold,
            ),
        )
    ]


def _looks(log: VoteLog, terms: Terms) -> Iterator[tuple[int, int, int, Floats]]:
    """After so many votes: how many items are out and in, and the log-evidence against each."""
    if is_ordered(log):
        for referee, place in referees(log, terms, _MOST_POINTS):
            against = referee.standing.not_maximal[place].copy()
            yield referee.answers, int(referee.out.sum()), int(referee.inside.sum()), against
        return
    # Decoys have no place in the history: only the counts of pairs do.
    terms = replace(terms, decoy_gap=None)
    for seen, table in _snapshots(log):
        at = judge_counts(replace(log, pairs=table, decoys=None), terms).verdicts
        yield seen, int(at.out.sum()), int(at.inside.sum()), np.where(at.inside, 0.0, at.evidence)


def _snapshots(log: VoteLog) -> list[tuple[int, PairVotes]]:
    assert log.history is not None
    points = log.history
    most = min(_MOST_POINTS, max(_FEWEST_POINTS, _MOST_WORK // max(1, log.pairs.size)))
    wanted = set(np.linspace(0, len(points) - 1, min(len(points), most)).astype(int))
    table = np.zeros(log.pairs.size * len(FORMS), dtype=np.int64)
    found = []
    for k, point in enumerate(points):
        np.add.at(table, point.cells, point.grew)
        if k in wanted:
            counts = table.reshape(-1, len(FORMS)).copy()
            pairs = PairVotes.from_table(log.pairs.first, log.pairs.second, counts)
            found.append((point.votes, pairs))
    return found


# -- votes that undecided items still need -------------------------------------------------------


MOST_BARS = 40
"""The largest number of items for which bars are drawn."""

_BAR_STEP = 20
_BAR = 260
_LONGEST_BAR = 24  # characters of a name beside its bars


class Need(NamedTuple):
    """The votes that an undecided item needs.

    Attributes:
        to_clear: Until every missing opponent is cleared, if each pair is even.
        to_lose: Until the opponent furthest ahead is shown to be above, at the rate so far; None if
            nobody is ahead.
    """

    item: str
    to_clear: int | None
    to_lose: int | None


def needs(certificate: Certificate) -> list[Need]:
    found = []
    for item, entries in certificate.undecided.items():
        clear = [entry.if_even for entry in entries]
        known = [votes for votes in clear if votes is not None]
        # Opponents that are not listed need about as much as the last listed one.
        beyond = (certificate.missing[item] - len(entries)) * (known[-1] if known else 0)
        total = sum(known) + beyond if len(known) == len(clear) else None
        threats = threats_among(entries)
        found.append(Need(item, total, threats[0].to_lose if threats else None))
    return sorted(found, key=lambda need: (_soonest(need), need.item))


def _soonest(need: Need) -> float:
    return min(math.inf if votes is None else votes for votes in (need.to_clear, need.to_lose))


def bars(certificate: Certificate) -> str:
    """Draw the bars; the result is empty if nothing is undecided."""
    shown = needs(certificate)[:MOST_BARS]
    if not shown:
        return ""
    called = labels([need.item for need in shown], _LONGEST_BAR)
    names = max(map(wide, called)) * LETTER + 14
    largest = max([10.0, *(votes for need in shown for votes in need[1:] if votes is not None)])
    parts = []
    for k, (need, name) in enumerate(zip(shown, called, strict=True)):
        y = k * _BAR_STEP + 4
        parts.append(text(names - 8, y + 13, name, "end"))
        parts.append(_bar(names, y + 1, need.to_clear, largest, "in"))
        parts.append(_bar(names, y + 9, need.to_lose, largest, "out"))
        words = " / ".join("–" if v is None else needed(v) for v in (need.to_clear, need.to_lose))
        parts.append(text(names + _BAR + 8, y + 13, words, css="small"))
    label = "Votes that undecided items still need, on a logarithmic scale; numbers beside the bars"
    return svg(names + _BAR + 170, len(shown) * _BAR_STEP + 8, label, "".join(parts), "bars")


def _bar(x: float, y: float, votes: int | None, largest: float, css: str) -> str:
    if votes is None:
        return ""
    wide = max(2.0, _BAR * math.log10(1 + votes) / math.log10(1 + largest))
    return f'<rect class="{css}" x="{x:.1f}" y="{y}" width="{wide:.1f}" height="7" rx="2"/>'
