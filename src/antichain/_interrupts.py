"""Ctrl-C put off to a moment when it does no harm."""

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import TypeVar

Answer = TypeVar("Answer")

_IMPORTING = "<frozen importlib"  # there an exception may get lost, or leave half a module behind
_SOON = 0.01  # seconds until Ctrl-C is tried again that came there
_UNWINDING = 5.0  # seconds that a command has to clean up before Ctrl-C counts again; set by hand


class _Ear:
    """Hears Ctrl-C while it is installed: at once, or at the end of the blocks that must not stop.

    Installing a handler for signals takes longer than many a block that has to be protected, so
    that a run installs it once, and each block only says that it has begun and ended.
    """

    def __init__(self) -> None:
        self.installed = False
        self.patient = False  # whether Ctrl-C pressed again while a command cleans up is ignored
        self._blocks = 0
        self._raised = -_UNWINDING  # when it last took effect
        self.heard = False

    def hear(self, number: int, frame: FrameType | None) -> None:
        if self.patient and time.monotonic() - self._raised < _UNWINDING:
            return
        if frame is not None and frame.f_code.co_filename.startswith(_IMPORTING):
            threading.Timer(_SOON, _press_again).start()
            return
        self.heard = True
        if not self._blocks:
            self.take_effect()

    @contextmanager
    def wait(self) -> Iterator[None]:
        self._blocks += 1
        try:
            yield
        finally:
            self._blocks -= 1
        if self.heard and not self._blocks:
            self.take_effect()

    def take_effect(self) -> None:
        self.heard = False
        self._raised = time.monotonic()
        raise KeyboardInterrupt


_ear = _Ear()


def hear_interrupts_once() -> None:
    """Let Ctrl-C end a command that has the process to itself, however often it is pressed.

    A second one would come up in the midst of cleaning up after the first; it is ignored unless
    cleaning up takes too long.
    """
    if _in_main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _ear.hear)
        _ear.installed = _ear.patient = True


def hear_no_more_interrupts() -> None:
    """Ignore Ctrl-C from now on: nothing is left but the interpreter's own end."""
    if _in_main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


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


@contextmanager
def interrupts_as_such() -> Iterator[None]:
    """A block of code in which Ctrl-C stays KeyboardInterrupt.

    If it is pressed just as compiled code returns, Python raises a SystemError because of it.
    """
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise


@contextmanager
def endings_heard() -> Iterator[None]:
    """A stretch of work that a request to end, or a closed terminal, ends as Ctrl-C does."""
    # Where Ctrl-C is ignored or has a handler outside Python, these signals do what they did.
    if not _in_main_thread() or not callable(signal.getsignal(signal.SIGINT)):
        yield
        return
    before = {
        number: signal.signal(number, _end_like_ctrl_c)
        for name in ("SIGTERM", "SIGHUP")
        if (number := getattr(signal, name, None)) is not None
        and signal.getsignal(number) is signal.SIG_DFL  # nohup ignores SIGHUP
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_like_ctrl_c(number: int, frame: FrameType | None) -> None:
    # Called, not raised: a signal raised in here would be noticed only after the next key.
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)


def _press_again() -> None:
    if hasattr(signal, "pthread_kill"):  # which wakes the main thread from whatever it waits for
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def interrupts_come_up() -> None:
    """Let Ctrl-C take effect in the midst of a block of `interrupts_wait`, where that is safe."""
    if _ear.heard and _in_main_thread():
        _ear.take_effect()


def interrupts_end_waits() -> None:
    """Let Ctrl-C wake this process while it waits for others.

    polars registers a handler of its own as it is imported, after which a wait for a lock goes on
    when a signal has been handled, and Ctrl-C takes effect only when the wait is over.
    """
    if hasattr(signal, "siginterrupt") and _in_main_thread():
        signal.siginterrupt(signal.SIGINT, True)


def call_deaf(function: Callable[[], Answer]) -> Answer:
    """What `function` returns; processes that it starts never hear Ctrl-C.

    So only the first process hears it, and ends the others itself, without their tracebacks. Here
    it takes effect when the function has returned.
    """
    if sys.platform == "win32":
        with interrupts_wait():
            return function()
    returned: list[Answer] = []
    raised: list[BaseException] = []

    def work() -> None:
        from multiprocessing import resource_tracker

        # What is blocked in a thread is blocked in processes that it starts. Not in the main
        # thread: the signal would go to another one, and the main thread might sleep on.
        resource_tracker.ensure_running()  # first, since starting it undoes the blocking
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            returned.append(function())
        except BaseException as error:
            raised.append(error)

    with interrupts_wait():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        for error in raised:
            raise error
        return returned[0]
