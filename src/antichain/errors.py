"""Every error antichain raises on purpose, in one tree.

    AntichainError
    ├── InputError          what the caller gave cannot be used (the message says what was expected)
    │   ├── OrderError      relations, gaps or decoys that fit no duel model on a poset
    │   ├── ParameterError  a number or an option outside its range
    │   └── FileError       a file that is missing, truncated, of another format, or in the way
    ├── ProtocolError       an illegal move in the ask/tell game; nothing has happened
    ├── StoreError          a database or a disk that did not take what was to be written
    ├── JudgeError          a judge by code that fails again and again; what it said is kept
    ├── ContractError       an algorithm, arena or finder that fails a check of `antichain.testing`
    ├── NotObservableError  the algorithm needs something the arena does not show
    └── MissingExtraError   an optional dependency is not installed (the message says how to)

A command-line user sees the message of these as one sentence, with exit code 2.

Messages are written with the flags of the command line, and values as in `--item=model`. Python
users see the keyword arguments instead (`item='model'`), users of the command what they would type
(--item model).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

_CHOICES = {  # which a message may give after their flag, as people type them
    "answers": ("names", "sides"),
    "assume": ("strong", "cannot-compare"),
    "unanswered": ("stop", "ignore"),
}
_TYPED = "|".join(f"(?<=--{flag}) (?:{'|'.join(words)})" for flag, words in _CHOICES.items())
_VALUE = r"=(?:'[^']*'|[^\s'();]*[^\s'(),;:.?])"
_FLAG = re.compile(rf"(?<![\w-])--([a-z][a-z0-9-]*\b)({_VALUE}|{_TYPED})?")
_SAID_OTHERWISE = {
    "lower": "higher=False",
    "unordered": "ordered=False",
    "decoy-suffix": "decoys",
    **{flag: f"{flag.replace('-', '_')}=True"
       for flag in ("ordered", "higher", "wide", "fold", "skip-bad", "force")},
}  # fmt: skip
_TWICE = re.compile(r"(`[^`]+`) or \1")
_ONLY_TYPED = {"export", "key", "database", "name", "study"}  # commands have these, functions not


class AntichainError(Exception):
    """The base class of all errors that antichain raises on purpose."""

    _typed: ClassVar[bool] = False

    def __str__(self) -> str:
        if AntichainError._typed:
            return _FLAG.sub(_flag, super().__str__())
        # Two flags may be one keyword argument.
        return _TWICE.sub(r"\1", _FLAG.sub(_keyword, super().__str__()))

    @classmethod
    @contextmanager
    def _with_flags(cls) -> Iterator[None]:
        """Within this, messages name options as they are typed on the command line."""
        before, AntichainError._typed = AntichainError._typed, True
        try:
            yield
        finally:
            AntichainError._typed = before


def _flag(found: re.Match[str]) -> str:
    flag, value = found.groups()
    return f"--{flag}" if value is None else f"--{flag} {value[1:]}"


def _keyword(found: re.Match[str]) -> str:
    flag, value = found.groups()
    if flag in _ONLY_TYPED:
        return found[0]
    keyword = _SAID_OTHERWISE.get(flag, flag.replace("-", "_"))
    if value is not None:
        plain = value[1:].strip("'")
        keyword = f"{keyword}={plain if plain.isdecimal() else repr(plain)}"
    return f"`{keyword}`"


class InputError(AntichainError, ValueError):
    """Something that the caller gave cannot be used; the message says what was expected."""


class OrderError(InputError):
    """Relations, gaps or decoys that fit no duel model on a poset."""


class ParameterError(InputError):
    """A number or an option outside its range."""


class FileError(InputError):
    """A file that is missing, truncated, of another format, or in the way."""


class ProtocolError(AntichainError):
    """An illegal move in the ask/tell game; nothing has happened."""


class StoreError(AntichainError):
    """A database or a disk could not store something; trying again may help."""


class JudgeError(AntichainError):
    """A judge in code failed again and again; its earlier answers are kept."""


class ContractError(AntichainError, AssertionError):
    """An algorithm, arena or maximum finder that fails a check of `antichain.testing`."""


class NotObservableError(AntichainError):
    """The algorithm needs something that the arena does not show."""


class MissingExtraError(AntichainError, ImportError):
    """An optional dependency is not installed."""
