"""A voter's input: single keys on a terminal, one word per line anywhere else."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import TextIO


class Action(StrEnum):
    LEFT = "left"
    RIGHT = "right"
    TIE = "tie"
    INCOMPARABLE = "incomparable"
    SKIP = "skip"
    UNDO = "undo"
    OPEN = "open"
    QUIT = "quit"


_LETTERS = {
    "l": Action.LEFT,
    "r": Action.RIGHT,
    "=": Action.TIE,
    "t": Action.TIE,
    "x": Action.INCOMPARABLE,
    "s": Action.SKIP,
    "u": Action.UNDO,
    "o": Action.OPEN,
    "q": Action.QUIT,
}
_WORDS = _LETTERS | {action.value: action for action in Action} | {"skipped": Action.SKIP}
_ARROWS = {"D": Action.LEFT, "C": Action.RIGHT, "A": Action.TIE, "B": Action.INCOMPARABLE}
_AFTER_ESCAPE = 0.1  # seconds within which the rest of an arrow key follows
_END = "\x04"  # Ctrl-D

ReadAction = Callable[[], Action | str]
"""Waits for the voter; a text that is no action has no meaning, and says what the voter gave."""


@contextmanager
def actions(stream: TextIO) -> Iterator[ReadAction]:
    """A reader of actions from a stream: key by key if it is a terminal."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(
            errors="replace"
        )  # bytes that are not text mean nothing, and are no error
    if not stream.isatty():
        yield lambda: read_word(stream)
    elif sys.platform == "win32":
        yield _windows_key
    else:
        with _single_keys(stream.fileno()):
            yield lambda: _key(stream.fileno())


def read_word(stream: TextIO) -> Action | str:
    line = stream.readline()
    word = line.strip()
    return _WORDS.get(word.lower(), word) if line else Action.QUIT


def _by_letter(key: str) -> Action | str:
    known = _LETTERS.get(key.lower())
    return known or (key if key.isascii() and key.isprintable() else "")


if sys.platform == "win32":

    def _windows_key() -> Action | str:
        import msvcrt

        key = msvcrt.getwch()
        if key == "\x03":
            raise KeyboardInterrupt
        if key in ("\x00", "\xe0"):
            arrows = {
                "K": Action.LEFT,
                "M": Action.RIGHT,
                "H": Action.TIE,
                "P": Action.INCOMPARABLE,
            }
            return arrows.get(msvcrt.getwch(), "")
        return Action.QUIT if key == _END else _by_letter(key)

else:

    @contextmanager
    def _single_keys(terminal: int) -> Iterator[None]:
        """Read each key at once and without showing it, inside the block; Ctrl-C works as ever."""
        import termios
        import tty

        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSADRAIN)
            yield
        finally:
            with suppress(termios.error):  # the terminal may have been closed
                termios.tcsetattr(terminal, termios.TCSADRAIN, before)

    def _key(terminal: int) -> Action | str:
        key = _next(terminal)
        if key == "\x1b":
            return _ARROWS.get(_escaped(terminal), "")
        return Action.QUIT if key in ("", _END) else _by_letter(key)

    def _escaped(terminal: int) -> str:
        """The last letter of the key sequence under way, or nothing for a lone escape."""
        import select

        last = ""
        while select.select([terminal], [], [], _AFTER_ESCAPE)[0]:
            last = _next(terminal)
            if not last or last not in "[O;0123456789":
                break
        return last

    def _next(terminal: int) -> str:
        """The next byte as a letter; nothing where the terminal has been closed."""
        try:
            return os.read(terminal, 1).decode("latin-1")
        except OSError:
            return ""
