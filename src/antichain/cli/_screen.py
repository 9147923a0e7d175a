"""How commands print: results on stdout, progress on stderr.

Everything that a command prints goes through here. Foreign text in it (names, titles, paths) never
acts on the terminal, and what a stream cannot encode is spelt out. A stream that cannot be written
to raises a `FileError`, one whose reader is gone a `BrokenPipeError`.
"""

import errno
import io
import json
import os
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from typing import TYPE_CHECKING, Self, TextIO

from antichain._text import SPELL_OUT, encodable, listing, printable, printable_json, refusal
from antichain._text import counted as counted
from antichain._text import names as names
from antichain.errors import FileError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from antichain._run import Progress as Report
    from antichain.forecast._planning import Forecast
    from antichain.orders import DuelModel

_BETWEEN_UPDATES = 0.05  # seconds; an algorithm reports far more often than an eye can follow
_FEW_WORDS, _LONG_WORD = 16, 30  # characters of a column that can be read (set by hand)
_BORDERS = 3  # characters between two columns
COMPILING = "(the very first run compiles for up to half a minute)"


# -- streams -------------------------------------------------------------------------------------


def prepare() -> None:
    """Make the standard streams usable, whichever the shell has closed and however it encodes."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Otherwise the next file that is opened gets this number, and what a library prints.
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:  # to write to it fails, as it should
        nowhere = os.open(os.devnull, os.O_RDONLY)
        sys.stdout = open(nowhere, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELL_OUT)


def flush() -> None:
    with _writing("standard output"):
        sys.stdout.flush()


def give_up(stream: TextIO) -> None:
    """Drop what is buffered for a stream that fails: the interpreter must not stumble over it."""
    with suppress(OSError, ValueError):  # a caller of `main` may have a stream without a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _writing(where: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = "it is closed" if error.errno == errno.EBADF else refusal(error)
        raise FileError(f"cannot write to {where}: {reason}") from error


def _fit(text: str, stream: TextIO) -> str:
    return encodable(printable(text), stream.encoding or "utf-8")


# -- what commands print -------------------------------------------------------------------------


def say(line: str) -> None:
    with _writing("standard output"):
        print(_fit(line, sys.stdout))


def say_lines(text: str) -> None:
    """Say a text of ours that has line breaks of its own."""
    for line in text.split("\n"):
        say(line)


def say_items(items: Iterable[str], none: str) -> None:
    """Print one item per line; if there are none, nothing but a sentence on stderr."""
    listed = list(items)
    for item in listed:
        say(item)
    if not listed:
        warn(none)


def tell(line: str) -> None:
    """Print a line on stderr for somebody who must see it to go on."""
    with _writing("standard error"):
        print(_fit(line, sys.stderr), file=sys.stderr, flush=True)


def draw(sequence: str) -> None:
    """Send escape sequences of ours to stderr, if that is a terminal."""
    if sequence and sys.stderr.isatty():
        with _writing("standard error"):
            print(sequence, end="", file=sys.stderr, flush=True)


def warn(sentence: str) -> None:
    murmur(f"antichain: {sentence}")


def murmur(line: str) -> None:
    """Print a line on stderr; if that cannot be written to, the result matters more."""
    try:
        tell(line)
    except (OSError, FileError):
        give_up(sys.stderr)


def print_file(text: str) -> None:
    """Print a text file of ours: to a terminal like any text, to a file as it is, in UTF-8."""
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        say_lines(text.removesuffix("\n").replace("\r\n", "\n"))
        return
    with _writing("standard output"):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode(errors=SPELL_OUT))
        sys.stdout.buffer.flush()


def print_json(record: Mapping[str, object]) -> None:
    """Print a record as one line of JSON and flush it, so that a reader gets it at once."""
    unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    line = json.dumps(record, ensure_ascii=not unicode, allow_nan=False)
    with _writing("standard output"):
        print(printable_json(line), flush=True)


def show(*parts: "RenderableType") -> None:
    console = _stdout()
    # Not straight to stdout: where rich finds that the reader is gone, it ends the process.
    flush()
    with console.capture() as drawn:
        console.print(*parts, sep="\n")
    with _writing("standard output"):
        sys.stdout.write(drawn.get())


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Collection[str] = (),
    title: str | None = None,
    styles: Iterable[str] = (),
    optional: Sequence[str] = (),
    instead: str = "",
) -> "Table":
    """A table of plain text; the columns with the headings `right` hold numbers.

    The rows have the styles given, as far as these go. Where there is no room for all columns, the
    `optional` ones are left out, the first of them first, and the others are shown in full; a
    caption names those left out and says what else shows them (`instead`).
    """
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    def fit(text: str) -> str:
        return _fit(text, sys.stdout)

    cells = [[fit(cell) for cell in row] for row in rows]
    texts = [(heading, *(row[k] for row in cells)) for k, heading in enumerate(headings)]
    needs = dict(zip(headings, map(_need, texts), strict=True)) if optional else {}
    gone = _without_room(needs, optional)
    kept = [k for k, heading in enumerate(headings) if heading not in gone]
    made = Table(title=None if title is None else escape(fit(title)), title_justify="left")
    if gone:
        columns = "column" if len(gone) == 1 else "columns"
        wider = (
            f"The terminal is too narrow for the {columns} {listing([*map(repr, gone)])}; widen "
            f"it{instead}."
        )
        made.caption, made.caption_justify = escape(wider), "left"
    for k in kept:
        made.add_column(
            escape(fit(headings[k])),
            justify="right" if headings[k] in right else "left",
            overflow="fold" if optional else "ellipsis",
            min_width=needs.get(headings[k]) if len(gone) < len(optional) else None,
        )
    for row, style in zip(cells, chain(styles, repeat("")), strict=False):
        made.add_row(*(Text(row[k]) for k in kept), style=style)  # as text: [red] may be a name
    return made


def _need(texts: Sequence[str]) -> int:
    """How wide a column with these texts must be to be read: some words a line, and whole words."""
    from rich.cells import cell_len

    longest_word = max(cell_len(word) for text in texts for word in text.split() or [""])
    longest = max(map(cell_len, texts))
    return min(max(longest_word, min(longest, _FEW_WORDS)), _LONG_WORD)


def _without_room(needs: Mapping[str, int], optional: Sequence[str]) -> list[str]:
    """The optional columns that have no room beside the others, of which each needs so much."""
    total, gone = sum(need + _BORDERS for need in needs.values()) + 1, []
    for heading in optional:
        if total > width():
            total -= needs[heading] + _BORDERS
            gone.append(heading)
    return gone


def width() -> int:
    return _stdout().width


def room() -> tuple[int, int]:
    """The columns and rows of the terminal that stderr is; 80 by 24 where nothing says more."""
    sizes = [os.environ.get(name, "") for name in ("COLUMNS", "LINES")]
    try:
        found = tuple(os.get_terminal_size(sys.stderr.fileno()))
    except (OSError, ValueError):  # it is no terminal, or no file at all
        found = (0, 0)
    given = (int(size) if size.isdecimal() else 0 for size in sizes)
    columns, rows = (
        said or seen or usual for said, seen, usual in zip(given, found, (80, 24), strict=True)
    )
    return max(20, columns), rows


def cell() -> tuple[int, int]:
    """The width and height of a character of that terminal in pixels, as far as it says."""
    if sys.platform == "win32":
        return 8, 16
    try:
        import fcntl
        import struct
        import termios

        sizes = fcntl.ioctl(sys.stderr.fileno(), termios.TIOCGWINSZ, bytes(8))
        rows, columns, width, height = struct.unpack("HHHH", sizes)
        return (width // columns or 8, height // rows or 16)
    except (ImportError, OSError, ValueError, ZeroDivisionError):
        return 8, 16


def _stdout() -> "Console":
    from rich.console import Console

    console = Console(highlight=False, emoji=False)  # a name may well be :smile:
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = 120  # a file or a pipe has no width of its own to fit into
    return console


def rounded(duels: float) -> str:
    """A forecast number of duels with three digits: the fourth is chance."""
    return f"{float(f'{duels:.3g}'):,.0f}"


def about(number: float, thing: str) -> str:
    """A forecast number of things, such as "about 1 more vote" or "about 1,230 votes"."""
    shown = rounded(number)
    return f"about {shown} {thing}" + ("" if shown == "1" else "s")


def to_come(forecast: "Forecast") -> str:
    low, high = rounded(forecast.low), rounded(forecast.high)
    return f"{about(forecast.median, 'more vote')} (90% range: {low} to {high})"


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
            TextColumn("{task.description}", markup=False),
            BarColumn(complete_style="cyan", finished_style="green"),
            TextColumn("{task.fields[detail]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            disable=not self._live,
            transient=not lines,
        )
        self._task = self._progress.add_task("starting", total=total, detail=COMPILING)
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
        if self._live:  # before rich 14.3, one that shows nothing ends with an empty line
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
            murmur(f"{report.phase:>10}: {_detail(report)}")
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
            self._task,
            description=_fit(description, sys.stderr),
            completed=done,
            total=self._total,
            detail=_fit(detail, sys.stderr),
        )


def pace(played: int, left: int, seconds: float) -> str:
    """The rate of runs and the time left, in words; before the first run is done, why it waits."""
    if not left:
        return ""
    if not played or seconds <= 0:
        return f" {COMPILING}"
    rate = played / seconds
    remaining = round(left / rate)
    return f", {rate:,.1f} per second, {remaining // 60}:{remaining % 60:02d} left"


def _detail(report: "Report") -> str:
    return f"{counted(report.alive, 'item')} alive, {counted(report.duels, 'duel')}"
