"""How commands print: results on stdout, progress on stderr."""

import json
import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Self

from antichain._text import counted as counted
from antichain._text import names as names

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from antichain._run import Progress as Report
    from antichain.forecast._planning import Forecast
    from antichain.orders import DuelModel

_BETWEEN_UPDATES = 0.05  # seconds; an algorithm reports far more often than an eye can follow
_COMPILING = "(the first run ever compiles for some seconds)"


def say(text: str) -> None:
    print(text)


def warn(text: str) -> None:
    print(f"antichain: {text}", file=sys.stderr)


def print_text(text: str) -> None:
    sys.stdout.write(text)


def print_json(record: Mapping[str, object]) -> None:
    """Print a record as one line of JSON and flush it, so that a reader gets it at once."""
    print(json.dumps(record, ensure_ascii=False, allow_nan=False), flush=True)


def show(*parts: "RenderableType") -> None:
    _stdout().print(*parts, sep="\n")


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Collection[str] = (),
    title: str | None = None,
    styles: Iterable[str] = (),
) -> "Table":
    """A table of plain text; the columns with the headings `right` hold numbers.

    The rows have the styles given, as far as these go.
    """
    from rich.table import Table
    from rich.text import Text

    made = Table(title=title, title_justify="left")
    for heading in headings:
        made.add_column(heading, justify="right" if heading in right else "left")
    for row, style in zip(rows, chain(styles, repeat("")), strict=False):
        made.add_row(*map(Text, row), style=style)  # as text: [red] may well be a name
    return made


def width() -> int:
    return _stdout().width


def _stdout() -> "Console":
    from rich.console import Console

    console = Console(highlight=False, emoji=False)  # a name may well be :smile:
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = 120  # a file or a pipe has no width of its own to fit into
    return console


def rounded(duels: float) -> str:
    """A forecast number of duels with three digits: the fourth is chance."""
    return f"{float(f'{duels:.3g}'):,.0f}"


def to_come(forecast: "Forecast") -> str:
    low, high = rounded(forecast.low), rounded(forecast.high)
    return f"about {rounded(forecast.median)} more duels (90% range: {low} to {high})"


def size_of(model: "DuelModel") -> str:
    return f"{counted(model.size, 'item')}, {len(model.front):,} on the front"


class Bar:
    """A progress bar on stderr: live on a terminal, absent when quiet.

    Where stderr is no terminal, one line per phase is printed instead, if `lines`.

    Args:
        quiet: Show nothing.
        total: How many runs or epochs there will be, if that is known.
        lines: Whether lines stand in for the bar, and the bar stays when it is done.
        name: What the runs belong to.

    Attributes:
        taken_up: How many runs were done when runs were first reported.
    """

    def __init__(
        self, quiet: bool, total: int | None = None, lines: bool = False, name: str = "runs"
    ) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        self._live = console.is_terminal and not quiet
        self._lines = lines and not quiet and not self._live
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(complete_style="cyan", finished_style="green"),
            TextColumn("{task.fields[detail]}"),
            TimeElapsedColumn(),
            console=console,
            disable=not self._live,
            transient=not lines,
        )
        self._task = self._progress.add_task("starting", total=total, detail=_COMPILING)
        self._name = name
        self._total = total
        self._next = 0.0
        self._last: Report | None = None
        self._first: tuple[int, float] | None = None  # runs done and when, from the first run on
        self.taken_up: int | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._show_last()
        self._progress.stop()

    def runs(self, done: int, total: int | None = None) -> None:
        """Show how many runs are done, at which rate, and how long the others will take."""
        self._total = total or self._total or 0
        now = time.monotonic()
        if self.taken_up is None:
            self.taken_up = done
        elif self._first is None:
            # The rate counts from the first finished run on: before it, the compiler works.
            self._first = done, now
        base, start = self._first or (done, now)
        rate = pace(done - base, self._total - done, now - start)
        self.note(self._name, f"{done:,} of {self._total:,}{rate}", done)

    def front(self, report: "Report") -> None:
        """Show how far a search for the front is; this is what `find_front` calls."""
        phase = "" if self._last is None else self._last.phase
        if self._lines and report.phase != phase:
            print(f"{report.phase:>10}: {_detail(report)}", file=sys.stderr, flush=True)
        self._last = report
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _BETWEEN_UPDATES
            self._show_last()

    def _show_last(self) -> None:
        if self._last is not None:
            self.note(f"{self._last.phase:>8}", _detail(self._last), self._last.epochs_done)

    def note(self, description: str, detail: str, done: int = 0) -> None:
        self._progress.update(
            self._task, description=description, completed=done, total=self._total, detail=detail
        )


def pace(played: int, left: int, seconds: float) -> str:
    """The rate of runs and the time left, in words; before the first run is done, why it waits."""
    if not left:
        return ""
    if not played or seconds <= 0:
        return f" {_COMPILING}"
    rate = played / seconds
    remaining = round(left / rate)
    return f", {rate:,.1f} per second, {remaining // 60}:{remaining % 60:02d} left"


def _detail(report: "Report") -> str:
    return f"{report.alive:,} items alive, {report.duels:,} duels"
