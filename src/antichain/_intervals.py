"""Many values in a few numbers: a mean, median or proportion, and an interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """A middle value, and an interval for it or a range of the values (None if too few)."""

    middle: float
    low: float | None
    high: float | None


def mean_interval(values: Sequence[float], level: float = 0.95) -> Spread:
    """Return the mean with its Student interval; a single value has no interval."""
    count = len(values)
    mean = math.fsum(values) / count
    if count < 2:
        return Spread(mean, None, None)
    from scipy.special import stdtrit

    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = float(stdtrit(count - 1, (1 + level) / 2)) * math.sqrt(variance / count)
    return Spread(mean, mean - half, mean + half)


def median_range(values: Sequence[float], share: float = 0.8) -> Spread:
    """Return the median, and the quantiles that enclose the middle `share` of the values."""
    if len(values) < 2:
        return Spread(values[0], None, None)
    import numpy as np

    low, middle, high = np.quantile(values, [(1 - share) / 2, 0.5, (1 + share) / 2]).tolist()
    return Spread(middle, low, high)


def median_interval(values: Sequence[float], level: float = 0.95) -> Spread:
    """Return the median with a confidence interval that is valid for any distribution.

    Its ends are two of the values, since the number of values below the true median is binomial
    with probability one half. With too few values there is no such interval.
    """
    from scipy.special import bdtr

    ordered = sorted(values)
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    # The innermost place, counted from either end, that the median is beyond rarely enough.
    outer = -1
    while bdtr(outer + 1, count, 0.5) <= (1 - level) / 2:
        outer += 1
    if outer < 0:
        return Spread(middle, None, None)
    return Spread(middle, ordered[outer], ordered[count - 1 - outer])


def proportion_interval(successes: int, count: int, level: float = 0.95) -> Spread:
    """Return a proportion with its exact (Clopper–Pearson) interval."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(successes, count - successes + 1, tail)) if successes else 0.0
    high = (
        float(betaincinv(successes + 1, count - successes, 1 - tail)) if successes < count else 1.0
    )
    return Spread(successes / count, low, high)
