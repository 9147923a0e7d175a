"""Ctrl-C put off to a moment when it does no harm."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType


class _Ear:
    """Hears Ctrl-C while it is installed: at once, or at the end of the blocks that must not stop.

    Installing a handler for signals takes longer than many a block that has to be protected, so
    that a run installs it once, and each block only says that it has begun and ended.
    """

    def __init__(self) -> None:
        self.installed = False
        self._blocks = 0
        self.heard = False

    def hear(self, number: int, frame: FrameType | None) -> None:
        self.heard = True
        if not self._blocks:
            self._raise()

    @contextmanager
    def wait(self) -> Iterator[None]:
        self._blocks += 1
        try:
            yield
        finally:
            self._blocks -= 1
        if self.heard and not self._blocks:
            self._raise()

    def _raise(self) -> None:
        self.heard = False
        raise KeyboardInterrupt


_ear = _Ear()


@contextmanager
def interrupts_heard() -> Iterator[None]:
    """A stretch of work in which blocks of `interrupts_wait` cost next to nothing."""
    # Where Ctrl-C is ignored (worker processes) or handled by others, it stays that way.
    ordinary = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ordinary or not _in_main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _ear.hear)
    _ear.installed = True
    try:
        yield
    finally:
        _ear.installed, _ear.heard = False, False
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """A block of code at whose end Ctrl-C takes effect, if it was pressed inside.

    numba reads a random generator that is handed to compiled code by calling back into Python,
    and crashes the process if KeyboardInterrupt comes up there.
    """
    if not _in_main_thread():
        yield
        return
    with nullcontext() if _ear.installed else interrupts_heard(), _ear.wait():
        yield


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """A block of code in which Ctrl-C is ignored; processes started in it ignore it for good.

    So only the first process hears Ctrl-C, and ends the others itself, without their tracebacks.
    """
    if not _in_main_thread():
        yield  # only the main thread can say what Ctrl-C does
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
