"""Ctrl-C at a moment when it does no harm."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class Deferred:
    """A stretch in which Ctrl-C waits for the next `check`; a second one does not wait.

    numba reads a random generator that is handed to compiled code by calling back into Python,
    and crashes the process if KeyboardInterrupt comes up there. So it may only come up between
    two rounds of a run.
    """

    def __init__(self) -> None:
        self._heard = False
        self._installed = False

    def __enter__(self) -> Self:
        # Where Ctrl-C is ignored (worker processes) or handled by others, it stays that way.
        ordinary = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ordinary and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._hear)
            self._installed = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if error is None:
            self.check()

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C came since the start."""
        if self._heard:
            self._heard = False
            raise KeyboardInterrupt

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self._heard:
            raise KeyboardInterrupt
        self._heard = True
