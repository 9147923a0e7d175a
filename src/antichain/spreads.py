"""Many runs in a few numbers: a middle, and how far it reaches."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """A middle and how far it can be trusted, or how far the values reach."""

    middle: float
    low: float | None
    high: float | None


def mean_interval(values: Sequence[float], level: float = 0.95) -> Spread:
    """The mean with its Student interval; a single value has none."""
    count = len(values)
    mean = math.fsum(values) / count
    if count < 2:
        return Spread(mean, None, None)
    from scipy.special import stdtrit

    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = float(stdtrit(count - 1, (1 + level) / 2)) * math.sqrt(variance / count)
    return Spread(mean, mean - half, mean + half)


def median_range(values: Sequence[float], share: float = 0.8) -> Spread:
    """The median with the quantiles between which a `share` of the values lies."""
    if len(values) < 2:
        return Spread(values[0], None, None)
    import numpy as np

    low, middle, high = np.quantile(values, [(1 - share) / 2, 0.5, (1 + share) / 2]).tolist()
    return Spread(middle, low, high)


def median_interval(values: Sequence[float], level: float = 0.95) -> Spread:
    """The median with an interval that any law's median lies in as often as `level` says.

    Its ends are two of the values: how many lie below the law's median is a coin's binomial. Few
    values have no such interval.
    """
    from scipy.special import bdtr

    ordered = sorted(values)
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    outer = -1  # the last place from either end that the median lies beyond rarely enough
    while bdtr(outer + 1, count, 0.5) <= (1 - level) / 2:
        outer += 1
    if outer < 0:
        return Spread(middle, None, None)
    return Spread(middle, ordered[outer], ordered[count - 1 - outer])


def proportion_interval(successes: int, count: int, level: float = 0.95) -> Spread:
    """A proportion with its exact (Clopper-Pearson) interval."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(successes, count - successes + 1, tail)) if successes else 0.0
    high = (
        float(betaincinv(successes + 1, count - successes, 1 - tail)) if successes < count else 1.0
    )
    return Spread(successes / count, low, high)
