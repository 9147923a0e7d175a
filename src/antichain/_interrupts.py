"""Ctrl-C put off to a moment when it does no harm."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """A block of code at whose end Ctrl-C takes effect, if it was pressed inside.

    numba reads a random generator that is handed to compiled code by calling back into Python,
    and crashes the process if KeyboardInterrupt comes up there.
    """
    # Where Ctrl-C is ignored (worker processes) or handled by others, it stays that way.
    ordinary = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ordinary or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = False

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        heard = True

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if heard:
        raise KeyboardInterrupt


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """A block of code in which Ctrl-C is ignored; processes started in it ignore it for good.

    So only the first process hears Ctrl-C, and ends the others itself, without their tracebacks.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can say what Ctrl-C does
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
