"""The front as people draw it: one criterion against another, or many side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from antichain._markup import LETTER, svg, text
from antichain._text import html_text, labels, short
from antichain.certify._certificate import Certificate, Criteria
from antichain.certify._wording import percent

_WIDTH, _HEIGHT = 680, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 24, 28, 46
_LONGEST = 26  # characters of a label
_LINE = 14.0  # height of a label
_MOST_LABELS = 80
_FEW = 15  # so many lines have all their names
_LOG_RATIO = 30  # attributes that differ by more have a logarithmic scale; set by hand
_Place = Callable[[float], float]
_ORDER = ("in", "cycle", "undecided", "out")


class AxisScale(NamedTuple):
    """One axis: what it is called, its ends, and whether it is logarithmic or turned round."""

    name: str
    low: float
    high: float
    log: bool = False
    turned: bool = False  # less is better: such an axis of a parallel plot has less on top
    share: bool = False  # shown as a percentage

    def at(self, value: float) -> float:
        """Where a value stands, from 0 to 1."""
        low, high, value = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def shown(self, value: float) -> str:
        return percent(value) if self.share else f"{value:,.4g}"

    @property
    def ticks(self) -> list[float]:
        if self.log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            return [10.0**k for k in powers] or [self.low, self.high]
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        return [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


class AxisPlace(NamedTuple):
    """An item's place on an axis: a value, with an interval where it is estimated."""

    value: float | None
    low: float | None = None
    high: float | None = None


def picture_of_criteria(certificate: Certificate) -> tuple[str, str] | None:
    """The picture of a certificate's criteria and its caption; None if there are none."""
    criteria = certificate.criteria
    if criteria is None:
        return None
    scales, table = _axes(certificate, criteria)
    if len(scales) < 2:
        return None
    chances = {} if certificate.likely is None else certificate.likely.chances
    items = sorted(  # those that matter most have names first
        certificate.items,
        key=lambda item: (_ORDER.index(certificate.status(item)), -chances.get(item, 0.0)),
    )
    caption = _caption(certificate, criteria)
    if len(scales) == 2:
        return _plane(certificate, items, scales, table), caption
    return _parallel(certificate, items, scales, table), caption


def _caption(certificate: Certificate, criteria: Criteria) -> str:
    many = len(criteria.names) + len(criteria.attributes) > 2
    if certificate.qualities is None:
        where = "An item's place is the share of its votes that it won (ties count half)."
    else:
        boxed = "not out" if "undecided" in _boxed(certificate) else "certified to be in"
        where = (
            "An item's place on a voted criterion is its mean chance of winning against the other "
            "items in a Bradley–Terry model, with an interval that holds nine in ten draws"
            f"{f' (a box, drawn for items that are {boxed})' if many else ''}. This is a model's "
            "estimate, not a guarantee."
        )
    turned = [name for name, way in criteria.attributes.items() if way == "min"]
    less = f" Lower is better for {', '.join(turned)}"
    less += ", so low values are at the top." if many else "."
    return (
        f"{where}{less if turned else ''} Filled: certified to be in. Dashed: undecided. Grey: out."
    )


def _axes(
    certificate: Certificate, criteria: Criteria
) -> tuple[list[AxisScale], dict[str, list[AxisPlace]]]:
    """The axes (attributes first) and each item's place on them."""
    table: dict[str, list[AxisPlace]] = {item: [] for item in certificate.items}
    scales = []
    plain = (
        "share of votes" if certificate.qualities is None else "chance of winning against others"
    )
    for name, way in criteria.attributes.items():
        values = [criteria.values[item][name] for item in certificate.items]
        scales.append(_scale(name, values, way == "min"))
        for item in certificate.items:
            table[item].append(AxisPlace(criteria.values[item][name]))
    for name in criteria.names:
        for item in certificate.items:
            if certificate.qualities is not None:
                quality = certificate.qualities[item][name]
                table[item].append(AxisPlace(quality.middle, quality.low, quality.high))
            else:
                table[item].append(AxisPlace(criteria.records[item][name].share))
    # All votes share one scale, so that a line's slope between two criteria says which is better.
    voted = [place for places in table.values() for place in places[len(criteria.attributes) :]]
    ends = [value for place in voted for value in place if value is not None] or [0.0, 1.0]
    low, high = max(0.0, min(ends) - 0.03), min(1.0, max(ends) + 0.03)
    scales += [
        AxisScale(name or plain, low, max(high, low + 0.05), share=True) for name in criteria.names
    ]
    return scales, table


def _scale(name: str, values: Sequence[float], turned: bool) -> AxisScale:
    low, high = min(values), max(values)
    if low > 0 and high / low > _LOG_RATIO:
        return AxisScale(name, low / 1.3, high * 1.3, True, turned)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return AxisScale(name, low - room, high + room, False, turned)


# -- two criteria: a plane -----------------------------------------------------------------------


class _Labels:
    """Finds room for labels: over no other label, over no point, and on the canvas."""

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        self._taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in points]

    def place(self, x: float, y: float, words: str) -> tuple[float, float] | None:
        """Where the label of a point begins (left end, base line), or None without room."""
        wide = len(words) * LETTER
        for left, middle in (
            (x + 8, y), (x - 8 - wide, y), (x - wide / 2, y - 14), (x - wide / 2, y + 14),
            (x + 6, y - 13), (x + 6, y + 13), (x - 6 - wide, y - 13), (x - 6 - wide, y + 13),
        ):  # fmt: skip
            box = (left - 2, middle - _LINE / 2, left + wide + 2, middle + _LINE / 2)
            if box[0] < _LEFT or box[2] > _WIDTH - 2 or box[1] < 18 or box[3] > _HEIGHT - _BOTTOM:
                continue
            if not any(_overlap(box, other) for other in self._taken):
                self._taken.append(box)
                return left, middle + 4
        return None


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    across = one[0] < other[2] and other[0] < one[2]
    return across and one[1] < other[3] and other[1] < one[3]


def _plane(
    certificate: Certificate,
    items: Sequence[str],
    scales: Sequence[AxisScale],
    table: dict[str, list[AxisPlace]],
) -> str:
    across, up = scales

    def x_of(value: float) -> float:
        return _LEFT + across.at(value) * (_WIDTH - _LEFT - _RIGHT)

    def y_of(value: float) -> float:
        return _HEIGHT - _BOTTOM - up.at(value) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [_grid(across, up, x_of, y_of)]
    shown = [item for item in items if all(reading.value is not None for reading in table[item])]
    points = {
        item: (x_of(table[item][0].value or 0.0), y_of(table[item][1].value or 0.0))
        for item in shown
    }
    parts.append(_stairs(certificate, across, points))
    for item in reversed(shown):  # items that are in are drawn last, on top
        (x, y), (first, second) = points[item], table[item]
        css = certificate.status(item)
        if first.low is not None and first.high is not None:
            ends = f"M{x_of(first.low):.1f} {y:.1f}H{x_of(first.high):.1f}"
            parts.append(f'<path class="spread {css}" d="{ends}"/>')
        if second.low is not None and second.high is not None:
            ends = f"M{x:.1f} {y_of(second.low):.1f}V{y_of(second.high):.1f}"
            parts.append(f'<path class="spread {css}" d="{ends}"/>')
        tip = html_text(_tip(certificate, item, scales, table[item]))
        parts.append(
            f'<circle class="{css}" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{tip}</title></circle>'
        )
    spots = _Labels(list(points.values()))
    words_for = dict(zip(items, labels(items, _LONGEST), strict=True))
    for item in shown[:_MOST_LABELS]:
        words = words_for[item]
        if (spot := spots.place(*points[item], words)) is not None:
            css = "small" if certificate.status(item) == "out" else ""
            parts.append(text(*spot, words, css=css))
    label = (
        f"{up.name} against {across.name} of {len(shown)} items; certified to be in: "
        f"{', '.join(certificate.front) or 'none'}"
    )
    return svg(_WIDTH, _HEIGHT, label, "".join(parts), "chart plane")


def _tip(
    certificate: Certificate, item: str, scales: Sequence[AxisScale], places: Sequence[AxisPlace]
) -> str:
    known = [
        f"{scale.name} {scale.shown(reading.value)}"
        for scale, reading in zip(scales, places, strict=True)
        if reading.value is not None
    ]
    return f"{item} ({certificate.status(item)}): {', '.join(known)}"


def _stairs(
    certificate: Certificate, across: AxisScale, points: dict[str, tuple[float, float]]
) -> str:
    """The steps along which the certified front rises, where one axis is known exactly."""
    if across.share:
        return ""
    # From the best value of the attribute on.
    inside = sorted(points[item] for item in certificate.front if item in points)
    if not across.turned:
        inside.reverse()
    steps = list[tuple[float, float]]()
    for x, y in inside:
        if not steps or y < steps[-1][1]:
            steps.append((x, y))
    if len(steps) < 2:
        return ""
    path = f"M{steps[0][0]:.1f} {steps[0][1]:.1f}"
    path += "".join(f"H{x:.1f}V{y:.1f}" for x, y in steps[1:])
    return f'<path class="stairs" d="{path}"/>'


def _grid(across: AxisScale, up: AxisScale, x_of: _Place, y_of: _Place) -> str:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = []
    for value in up.ticks:
        y = y_of(value)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>')
        parts.append(text(_LEFT - 6, y + 4, up.shown(value), "end"))
    for value in across.ticks:
        x = x_of(value)
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{bottom}"/>')
        parts.append(text(x, bottom + 16, across.shown(value), "middle"))
    parts.append(text((_LEFT + right) / 2, _HEIGHT - 8, short(across.name, 60), "middle"))
    parts.append(text(_LEFT, 14, short(up.name, 60)))
    return "".join(parts)


# -- three and more: side by side ----------------------------------------------------------------


class _Axes(NamedTuple):
    """Upright axes side by side."""

    scales: Sequence[AxisScale]
    xs: Sequence[float]

    def y_of(self, scale: AxisScale, value: float) -> float:
        share = 1 - scale.at(value) if scale.turned else scale.at(value)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP)

    def drawn(self) -> list[str]:
        """The axes with their names."""
        room = int((self.xs[1] - self.xs[0]) / LETTER) - 1
        parts = []
        for x, scale in zip(self.xs, self.scales, strict=True):
            parts.append(f'<path class="axis" d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
            parts.append(text(x, _HEIGHT - 10, short(scale.name, room), "middle"))
        return parts

    def numbers(self) -> list[str]:
        """The numbers beside the axes."""
        return [
            text(x - 7, self.y_of(scale, value) + 4, scale.shown(value), "end", "small")
            for x, scale in zip(self.xs, self.scales, strict=True)
            for value in scale.ticks
        ]

    def line(self, readings: Sequence[AxisPlace], css: str, tip: str, banded: bool) -> str:
        """An item's line across the axes, and its intervals."""
        points, bands = list[str](), list[str]()
        for x, scale, (value, low, high) in zip(self.xs, self.scales, readings, strict=True):
            if value is not None:
                points.append(f"{x:.1f},{self.y_of(scale, value):.1f}")
            if banded and low is not None and high is not None:
                ends = f"M{x:.1f} {self.y_of(scale, low):.1f}V{self.y_of(scale, high):.1f}"
                bands.append(f'<path class="band {css}" d="{ends}"/>')
        path = f'<polyline class="{css}" points="{" ".join(points)}">'
        return f"{path}<title>{html_text(tip)}</title></polyline>{''.join(bands)}"


def _boxed(certificate: Certificate) -> tuple[str, ...]:
    """What is said of the items whose intervals are drawn: too many boxes would hide the lines."""
    return ("in", "cycle", "undecided") if len(certificate.items) <= _FEW else ("in",)


def _parallel(
    certificate: Certificate,
    items: Sequence[str],
    scales: Sequence[AxisScale],
    table: dict[str, list[AxisPlace]],
) -> str:
    named = list(items)
    if len(named) > _FEW:
        named = [item for item in items if certificate.status(item) != "out"] or named
    named = named[: (_HEIGHT - _TOP - _BOTTOM) // int(_LINE)]
    words_for = dict(zip(items, labels(items, _LONGEST), strict=True))
    room = max(len(words_for[item]) for item in named) * LETTER + 26
    step = max(110.0, (_WIDTH - 70 - room) / (len(scales) - 1))
    axes = _Axes(scales, [50 + k * step for k in range(len(scales))])
    colours = {item: f"l{k % 8}" for k, item in enumerate(certificate.front)}
    grey, coloured = list[str](), list[str]()
    for item in reversed(items):
        status = certificate.status(item)
        tip = _tip(certificate, item, scales, table[item])
        css = f"{status} {colours.get(item, '')}".strip()
        line = axes.line(table[item], css, tip, status in _boxed(certificate))
        (grey if status == "out" else coloured).append(line)
    # The numbers cover grey lines, which may be many, but cut no line that matters.
    parts = [*axes.drawn(), *grey, *axes.numbers(), *coloured]
    x, last = axes.xs[-1], scales[-1]
    ends = [axes.y_of(last, table[item][-1].value or last.low) for item in named]
    heights = _apart(ends, _TOP, _HEIGHT - _BOTTOM)
    for item, y, height in zip(named, ends, heights, strict=True):
        way = f"M{x:.1f} {y:.1f}L{x + 12:.1f} {height:.1f}h5"
        parts.append(f'<path class="lead {colours.get(item, "")}" d="{way}"/>')
        parts.append(text(x + 20, height + 4, words_for[item]))
    label = (
        f"{len(items)} items on {', '.join(scale.name for scale in scales)}; certified to be in: "
        f"{', '.join(certificate.front) or 'none'}"
    )
    css = "chart plane wide" if x + room > _WIDTH + 1 else "chart plane"
    return svg(x + room, _HEIGHT, label, "".join(parts), css)


def _apart(heights: Sequence[float], top: float, bottom: float) -> list[float]:
    """Heights moved apart so that no two labels overlap, within the axis, in the same order."""
    order = sorted(range(len(heights)), key=lambda k: heights[k])
    moved = list(heights)
    lowest = top
    for k in order:
        moved[k] = lowest = max(heights[k], lowest)
        lowest += _LINE
    highest = bottom
    for k in reversed(order):
        moved[k] = highest = min(moved[k], highest)
        highest -= _LINE
    return moved
