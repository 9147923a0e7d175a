"""The pictures that Python code asks for: each shows itself in a notebook, or goes to a file."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antichain import _checks, _files
from antichain._text import counted, labels, percent_chance
from antichain.errors import ParameterError
from antichain.orders import Poset
from antichain.plots import _curves, _hasse
from antichain.plots._pictures import content, families, require_matplotlib, suffix_of

if TYPE_CHECKING:
    from antichain.algorithms._result import Result
    from antichain.certify import Certificate
    from antichain.forecast import Forecast

_MOST_BARS = 40
_LONGEST = 28  # characters of a name beside its bar
_COLOURS = {"in": "#0072B2", "undecided": "#E69F00", "cycle": "#CC79A7", "out": "#BBBBBB"}


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture that a notebook shows, and that `save` writes to a file.

    Attributes:
        words: What it shows.
        render: Returns the content of a file of a kind: "svg", "png" or "pdf".
    """

    words: str
    render: Callable[[str], bytes]

    def save(self, path: str | Path) -> None:
        """Write the picture to a .svg, .png or .pdf file, replacing any file of that name."""
        _files.write_bytes(Path(path), self.render(suffix_of(path)), force=True)

    def __repr__(self) -> str:
        return f"Picture({self.words!r})"

    def _repr_png_(self) -> bytes:
        return self.render("png")


def hasse(
    poset: Poset, found: Collection[str] | Result | None = None, *, title: str | None = None
) -> Picture:
    """Draw the Hasse diagram of an order, its front highlighted.

    The upper of two joined items is above the lower. Up to about 50 items, lines go around the
    items between; a larger diagram is drawn in small letters on one page.

    Args:
        poset: The order.
        found: The front that a method found, to be shown beside the true one. For a `Result` whose
            run ended early, undecided items are marked as such.
        title: Words above the diagram.

    Example:
        >>> picture = hasse(Poset.from_relations([("tea", "rain")]))
        >>> picture.render("svg")[:5]
        b'<?xml'
    """
    _checks.instance("poset", poset, Poset, "a Poset")
    words = f"Hasse diagram of {counted(len(poset), 'item')}"
    result: Any = found  # has these two, unless it is a front itself
    undecided, front = getattr(result, "undecided", ()), getattr(result, "front", result)
    return Picture(
        words, partial(_hasse.render, poset, found=front, title=title, undecided=undecided)
    )


def chances(certificate: Certificate, *, title: str | None = None) -> Picture:
    """Draw how likely each item is to be on the front, a model's estimate, with its verdict.

    If there are more than 40 items, only those with the largest chances are drawn.

    Args:
        certificate: A certificate with the estimate: what `antichain.front` returns.
        title: Words above the bars.

    Raises:
        ParameterError: If the certificate has no estimate.
    """
    if certificate.likely is None:
        raise ParameterError(
            "the certificate has no likely front, but one with it was expected: "
            f"front(votes, likely=True), with at most 200 items (there are "
            f"{len(certificate.items):,})"
        )
    return Picture(
        f"Chances of {counted(len(certificate.items), 'item')}",
        partial(_bars, certificate, title or "Likely front: a model's estimate, not a guarantee"),
    )


_READ_AS = "votes (dashed: 5%, half and 95% of the runs take at most this many)"


def forecast(found: Forecast, *, title: str | None = None) -> Picture:
    """Draw how many duels the simulated runs of a forecast took.

    Args:
        found: What `antichain.plan` or `antichain.remaining` returns.
        title: Words above the histogram; what was simulated, unless given.
    """
    marks = (("5%", found.low), ("median", found.median), ("95%", found.high))
    words = f"Forecast of {counted(found.runs, 'simulated run')}"
    settings = found.settings[:1].upper() + found.settings[1:]

    def render(suffix: str) -> bytes:
        return _curves.histogram(
            found.duels,
            marks,
            title=title or settings,
            x_label=_READ_AS,
            suffix=suffix,
        )

    return Picture(words, render)


def _bars(certificate: Certificate, title: str, suffix: str) -> bytes:
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    assert certificate.likely is not None
    likely = certificate.likely.chances
    # What is certified is no matter of chance any more.
    sure = {"in": 1.0, "out": 0.0}
    shown = {item: sure.get(certificate.status(item), likely[item]) for item in certificate.items}
    order = sorted(shown, key=lambda item: (-shown[item], item))[:_MOST_BARS]
    named = labels(order, _LONGEST)
    settings: dict[Any, Any] = {
        "svg.hashsalt": "antichain-chances 1",
        "font.size": 10,
        "font.family": families([*named, title]),
    }
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(7.5, 1.3 + 0.26 * len(order)), facecolor="white")
        figure.set_layout_engine("constrained")
        axes = figure.subplots()
        for verdict, colour in _COLOURS.items():
            rows = [k for k, item in enumerate(order) if certificate.status(item) == verdict]
            if rows:
                chances = [shown[order[k]] for k in rows]
                widths = [100 * chance for chance in chances]
                bars = axes.barh(rows, widths, color=colour, height=0.7, label=verdict)
                said = [percent_chance(chance) for chance in chances]
                axes.bar_label(bars, [verdict] * len(rows) if verdict in sure else said, padding=4)
        axes.set_yticks(range(len(order)), named, parse_math=False)
        axes.invert_yaxis()
        axes.set_xlim(0, 112)  # the words behind the longest bar need room
        axes.spines["bottom"].set_bounds(0, 100)
        axes.set_xticks(range(0, 101, 25), [f"{share}%" for share in range(0, 101, 25)])
        axes.set_xlabel("chance of being on the front, or the certified verdict")
        axes.set_title(title, fontsize=11, parse_math=False)
        axes.spines[["top", "right"]].set_visible(False)
        return content(
            figure, suffix, {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix)
        )
