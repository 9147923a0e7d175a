"""A confidence sequence: an interval for the mean score that holds at all times at once."""

import math

from antichain import checks


def mean_score_interval(
    wins: int, losses: int, ties: int, alpha: float, tuned_for: int = 1000
) -> tuple[float, float]:
    """The interval [low, high] for the mean score, covering it at every n with level 1 − α.

    Robbins' two-sided normal mixture for scores in [0, 1], which are sub-Gaussian with variance
    proxy 1/4: with V = n/4, |S_n − nμ| < √((V+ρ)·log((V+ρ)/(ρα²))) for all n, with probability
    at least 1 − α. A tie scores one half.

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
    checks.probability("alpha", alpha)
    duels = wins + losses + ties
    if duels == 0:
        return 0.0, 1.0
    # ρ = V/(2·log(1/α) + log(1 + 2·log(1/α))) is near the best choice at V (Howard et al. 2021).
    doubt = 2 * math.log(1 / alpha)
    rho = tuned_for / 4 / (doubt + math.log1p(doubt))
    variance = duels / 4
    spread = math.sqrt((variance + rho) * math.log((variance + rho) / (rho * alpha**2)))
    mean = (wins + ties / 2) / duels
    return max(0.0, mean - spread / duels), min(1.0, mean + spread / duels)
