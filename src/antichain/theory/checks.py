"""The ranges of the numbers the bounds take."""

import math
from collections.abc import Sequence
from itertools import pairwise

from antichain.errors import ParameterError


def between(name: str, value: float, low: float, high: float) -> None:
    """Nothing; raises unless `value` lies strictly between `low` and `high`."""
    if not low < value < high:  # a NaN fails both comparisons and lands here too
        raise ParameterError(
            f"{name} is {value!r}, but a number strictly between {low:g} and {high:g} was expected."
        )


def probability(name: str, value: float) -> None:
    """Nothing; raises unless `value` can be an error level, strictly between 0 and 1."""
    between(name, value, 0.0, 1.0)


def gap(name: str, value: float) -> None:
    """Nothing; raises unless `value` can be a gap between two items, strictly within (0, 1/2)."""
    between(name, value, 0.0, 0.5)


def precision(name: str, value: float) -> None:
    """Nothing; raises unless `value` is a positive finite precision."""
    between(name, value, 0.0, math.inf)


def count(name: str, value: int, least: int) -> None:
    """Nothing; raises unless `value` is a whole number of at least `least`."""
    if int(value) != value or value < least:
        raise ParameterError(
            f"{name} is {value!r}, but a whole number of at least {least} was expected."
        )


def decreasing(name: str, values: Sequence[float]) -> None:
    """Nothing; raises unless `values` are positive and strictly decreasing."""
    for value in values:
        precision(name, value)
    for earlier, later in pairwise(values):
        if not later < earlier:
            raise ParameterError(
                f"{name} goes from {earlier:g} to {later:g}, but a decrease was expected."
            )


def one_each(name: str, values: Sequence[object], wanted: int) -> None:
    """Nothing; raises unless there are exactly `wanted` values."""
    if len(values) != wanted:
        raise ParameterError(f"{name} has {len(values)} values, but {wanted} were expected.")
