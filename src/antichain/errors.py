"""Every error antichain raises on purpose, in one tree.

    AntichainError
    ├── InputError          what the caller gave cannot be used (the message says what was expected)
    │   ├── OrderError      relations, gaps or decoys that fit no duel model on a poset
    │   ├── ParameterError  a number or an option outside its range
    │   └── FileError       a file that is missing, truncated, of another format, or in the way
    ├── ProtocolError       a call that ask and tell do not allow; it had no effect
    ├── StoreError          a database or a disk that could not store something
    ├── JudgeError          a judge in code that keeps failing; its earlier answers are kept
    ├── ContractError       an algorithm, arena, finder or store that fails a check in `testing`
    ├── NotObservableError  the algorithm needs something the arena does not show
    └── MissingExtraError   an optional dependency is not installed (the message says how to get it)

A command-line user sees the message of these as one sentence, with exit code 2.

Messages name options as the reader would give them (`antichain._option_names`).
"""

from antichain._option_names import as_read


class AntichainError(Exception):
    """The base class of all errors that antichain raises on purpose."""

    def __str__(self) -> str:
        return as_read(super().__str__())


class InputError(AntichainError, ValueError):
    """Something that the caller gave cannot be used; the message says what was expected."""


class OrderError(InputError):
    """Relations, gaps or decoys that fit no duel model on a poset."""


class ParameterError(InputError):
    """A number or an option outside its range."""


class FileError(InputError):
    """A file that is missing, truncated, of another format, or in the way."""


class ProtocolError(AntichainError):
    """A call that ask and tell do not allow, such as an answer to an ask that was never made.

    The call had no effect.
    """


class StoreError(AntichainError):
    """A database or a disk could not store something; trying again may help."""


class JudgeError(AntichainError):
    """A judge in code kept failing; its earlier answers are kept."""


class ContractError(AntichainError, AssertionError):
    """An algorithm, arena, maximum finder or store that fails a check of `antichain.testing`."""


class NotObservableError(AntichainError):
    """The algorithm needs something that the arena does not show."""


class MissingExtraError(AntichainError, ImportError):
    """An optional dependency is not installed; the message says how to install it."""
