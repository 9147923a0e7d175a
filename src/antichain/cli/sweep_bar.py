"""The progress of a sweep on stderr: runs done, the rate, the time left."""

import time
from types import TracebackType
from typing import Self


class SweepBar:
    """A live bar on a terminal; nothing elsewhere, nor when quiet.

    Attributes:
        taken_up: How many runs were finished before this sweep began.
    """

    def __init__(self, name: str, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(complete_style="cyan", finished_style="green"),
            TextColumn("{task.completed:,} of {task.total:,} runs"),
            TextColumn("{task.fields[detail]}"),
            TimeElapsedColumn(),
            console=console,
            disable=quiet or not console.is_terminal,
            transient=True,
        )
        self._task = self._progress.add_task(name, total=0, detail="starting")
        self._first: tuple[int, float] | None = None
        self._began = False
        self.taken_up = 0

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` runs are finished."""
        now = time.monotonic()
        if not self._began:
            self._began, self.taken_up = True, done
        elif self._first is None:
            # The rate counts from the first finished run on: before it, kernels are compiled.
            self._first = done, now
        base, start = self._first or (done, now)
        detail = describe(done - base, total - done, now - start)
        self._progress.update(self._task, completed=done, total=total, detail=detail)


def describe(played: int, left: int, seconds: float) -> str:
    """The rate and the time left in words; nothing to go by before the first run is done."""
    if not left:
        return "writing tables and figures"
    if not played or seconds <= 0:
        return "(the first run ever compiles for some seconds)"
    rate = played / seconds
    remaining = round(left / rate)
    return f"{rate:,.1f} a second, {remaining // 60}:{remaining % 60:02d} left"
