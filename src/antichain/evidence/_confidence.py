"""A confidence sequence: an interval for the mean score that holds at all times at once.

Robbins' two-sided normal mixture. Scores in [0, 1] are sub-Gaussian with variance proxy 1/4, so
that with V = n/4 and any ρ > 0, |S_n − nμ| < √((V+ρ)·log((V+ρ)/(ρα²))) for all n at once, with
probability at least 1 − α. A tie scores one half.
"""

import math

import numpy as np

from antichain import _checks
from antichain.evidence._bet import Floats, Whole

_SHARES = 0.95 * np.exp2(-np.arange(9.0))  # of the largest stake against a mean


def _tuning(alpha: float, tuned_for: int) -> float:
    """The ρ that makes the interval about shortest after `tuned_for` duels (Howard et al. 2021)."""
    doubt = 2 * math.log(1 / alpha)
    return tuned_for / 4 / (doubt + math.log1p(doubt))


def _spread(duels: float, alpha: float, rho: float) -> float:
    """How far the sum of scores may stray from its mean after `duels` duels."""
    variance = duels / 4.0 + rho
    return math.sqrt(variance * math.log(variance / (rho * alpha * alpha)))


def mean_score_interval(
    wins: int, losses: int, ties: int, alpha: float, tuned_for: int = 1000
) -> tuple[float, float]:
    """The interval [low, high] for the mean score, covering it at every n with level 1 − α.

    Args:
        wins: Duels won.
        losses: Duels lost.
        ties: Duels that ended in a tie.
        alpha: Probability that the sequence ever misses the mean.
        tuned_for: The number of duels at which the interval should be about shortest.

    >>> low, high = mean_score_interval(wins=700, losses=300, ties=0, alpha=0.05)
    >>> 0.6 < low < 0.7 < high < 0.8
    True
    """
    _checks.probability("alpha", alpha)
    _checks.whole("tuned_for", tuned_for)
    for name, count in (("wins", wins), ("losses", losses), ("ties", ties)):
        _checks.whole(name, count, least=0)
    duels = wins + losses + ties
    if duels == 0:
        return 0.0, 1.0
    radius = _spread(duels, alpha, _tuning(alpha, tuned_for)) / duels
    mean = (wins + ties / 2) / duels
    return max(0.0, mean - radius), min(1.0, mean + radius)


def mean_interval(scores: Floats, times: Whole, alpha: float) -> tuple[float, float]:
    """The interval for the mean of scores in [0, 1] by bets, covering it at every n at once.

    The bets against "the mean is at most m" fall as m grows, so that those that reach 2/α are all
    below some m: the lower end; the upper end is the same from the other side. Where scores vary
    little, it is much shorter than an interval for wins and losses.

    Args:
        scores: The different scores.
        times: How often each was observed.
        alpha: Probability that the sequence ever misses the mean.

    >>> low, high = mean_interval(np.array([0.5, 1.0]), np.array([80, 20]), 0.05)
    >>> 0.5 < low < 0.6 < high < 0.7
    True
    """
    _checks.probability("alpha", alpha)
    return _lower_end(scores, times, alpha), 1 - _lower_end(1 - scores, times, alpha)


def _lower_end(scores: Floats, times: Whole, alpha: float) -> float:
    low, high, level = 0.0, 1.0, math.log(2 / alpha * _SHARES.size)
    for _ in range(40):
        middle = (low + high) / 2
        # Each bet's factors 1 + s(x − m), with the stake s a share of 1/m.
        logs = np.log1p(np.multiply.outer(_SHARES, scores / middle - 1)) @ times
        low, high = (middle, high) if np.logaddexp.reduce(logs) >= level else (low, middle)
    return low
