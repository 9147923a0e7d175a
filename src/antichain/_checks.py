"""The ranges of numbers that callers give, checked in one place and worded in one way."""

import math
import numbers
from collections.abc import Iterable, Sequence
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, TypeVar

from antichain.errors import InputError, ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")


def is_number(value: object) -> bool:
    """Whether `value` is a number, which a bool is not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def between(name: str, value: float, low: float, high: float) -> float:
    """`value`, if it is a number strictly between `low` and `high`."""
    # A NaN fails both comparisons and lands here too.
    if not is_number(value) or not low < value < high:
        raise ParameterError(
            f"{name} is {value!r}, but a number strictly between {low:g} and {high:g} was expected."
        )
    return value


def probability(name: str, value: float) -> float:
    """`value`, if it can be an error level: strictly between 0 and 1."""
    return between(name, value, 0.0, 1.0)


def gap(name: str, value: float) -> float:
    """`value`, if it can be a gap between two items: strictly between 0 and 1/2."""
    return between(name, value, 0.0, 0.5)


def precision(name: str, value: float) -> float:
    """`value`, if it is positive and finite."""
    return between(name, value, 0.0, math.inf)


def whole(name: str, value: int, least: int = 1) -> int:
    """`value` as an int, if it is a whole number of at least `least`."""
    if type(value) is int and value >= least:  # nearly always, and faster than the question below
        return value
    number = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not number or value < least:
        raise ParameterError(
            f"{name} is {value!r}, but a whole number of at least {least} was expected."
        )
    return int(value)


def decreasing(name: str, values: Sequence[float]) -> None:
    """Raise unless `values` are positive and strictly decreasing."""
    for value in values:
        precision(name, value)
    for earlier, later in pairwise(values):
        if not later < earlier:
            raise ParameterError(
                f"{name} goes from {earlier:g} to {later:g}, but a decrease was expected."
            )


def one_each(name: str, values: Sequence[object], wanted: int) -> None:
    """Raise unless there are exactly `wanted` values."""
    if len(values) != wanted:
        raise ParameterError(f"{name} has {len(values)} values, but {wanted} were expected.")


def instance(name: str, value: object, kind: type, what: str, *, optional: bool = False) -> None:
    """Raise unless `value` is of this kind, which the sentence calls `what`."""
    if not (isinstance(value, kind) or (optional and value is None)):
        raise ParameterError(f"{name} is {said(value)}, but {what} was expected.")


def said(value: object) -> str:
    """A value of any type: as it is written if that is short, else its type.

    >>> said("witness"), said(object()), said(int)
    ("'witness'", 'of the type object', 'the class int')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    simple = value is None or isinstance(value, str | bytes | int | float | list | tuple | dict)
    return f"{value!r:.200}" if simple else f"of the type {type(value).__name__}"


def function(name: str, value: object, *, optional: bool = True) -> None:
    """Raise unless `value` can be called, or is None where that is allowed."""
    if not (callable(value) or (optional and value is None)):
        raise ParameterError(f"{name} is {said(value)}, but a function was expected.")


def path(name: str, value: object, *, optional: bool = True) -> None:
    """Raise unless `value` can be the path of a file, or is None where that is allowed."""
    if not (isinstance(value, str | PathLike) or (optional and value is None)):
        raise ParameterError(f"{name} is {said(value)}, but the path of a file was expected.")


def entries(name: str, values: Iterable[T], what: str = "names") -> tuple[T, ...]:
    """The entries of `values`, if it is a list or the like, and not a text."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ParameterError(f"{name} is {said(values)}, but a list of {what} was expected.")
    return tuple(values)


def numbers_in(name: str, values: "ArrayLike", wanted: str) -> "NDArray[np.float64]":
    """A copy of `values` as an array, if they are numbers in rows of one length."""
    import numpy as np

    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{name} is {said(values)}, but {wanted} was expected.") from None


def item_names(items: Iterable[str]) -> tuple[str, ...]:
    """`items`, if they are different names, at least one."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InputError(f"The items must be a list of names; got {said(items)}.")
    names = tuple(items)
    if not names:
        raise InputError("A run needs at least one item; got none.")
    known: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"Items are named by strings; got {said(name)}.")
        if name in known:
            raise InputError(f"Items must be distinct; {name!r} is given twice.")
        known.add(name)
    return names


def text(name: str, value: str) -> str:
    """`value`, if it is text that can be written to a file."""
    if not isinstance(value, str):
        raise ParameterError(f"{name} is {value!r}, but text was expected.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"{name} is {value!a}, but valid Unicode text was expected.") from None
    return value
