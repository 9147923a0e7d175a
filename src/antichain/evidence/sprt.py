"""Likelihood-ratio processes at a known gap, valid at any time.

For a gap g, a duel with score X (1 a win, 1/2 a tie, 0 a loss) multiplies

- the *bet on dominance* by 1 + 4g(X − 1/2): a non-negative supermartingale whenever the mean
  score is at most 1/2, the likelihood ratio of 1/2 + g to 1/2 when there are no ties;
- the *bet against a gap of g* by 1 − λ(X − 1/2 − g) with λ = 4g/(1 − 4g²): a supermartingale
  whenever the mean score is at least 1/2 + g, and the inverse ratio when there are no ties.

By Ville's inequality either exceeds 1/α with probability at most α, at any time, however often
one looks. So a tie is evidence without a coin: nothing for dominance, a little against the gap.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.compiled import compiled


class Steps(NamedTuple):
    """What one duel adds to the two log-processes at a gap."""

    win: float
    """A win adds this to the bet on dominance, and takes it from the bet against the gap."""
    loss: float
    """A loss takes this from the bet on dominance, and adds it to the bet against the gap."""
    tie: float
    """A tie adds this to the bet against the gap, and nothing to the bet on dominance."""


def steps(gap: float) -> Steps:
    """The log-increments of both bets at `gap`, for 0 < gap < 1/2."""
    return Steps(math.log1p(2 * gap), -math.log1p(-2 * gap), -math.log1p(-4 * gap * gap))


def divergence_from_even(gap: float) -> float:
    """kl(½, ½+gap) in nats: what a duel tells against a gap when it is a fair coin.

    Example:
        >>> round(divergence_from_even(0.01) / 0.01**2, 3)
        2.0
    """
    return -0.5 * math.log1p(-4.0 * gap * gap)


@compiled
def bet_against_gap(
    wins: int, losses: int, ties: int, win: float, loss: float, tie: float
) -> float:
    """Log of the bet that the mean score is below one half plus the gap."""
    return losses * loss + ties * tie - wins * win


def bets_against_gap(counts: NDArray[np.int64], at: Steps) -> NDArray[np.float64]:
    """`bet_against_gap` of each row of counts (wins, losses, ties, lost answers as wins)."""
    wins, losses, ties = counts[..., 0] + counts[..., 3], counts[..., 1], counts[..., 2]
    return np.asarray(losses * at.loss + ties * at.tie - wins * at.win)


@compiled
def duels_to_rise(deficit: float, step: float) -> int:
    """The least number of steps that closes `deficit`, forgiving rounding errors; at least 0."""
    if deficit <= 0.0:
        return 0
    return math.ceil(deficit / step * (1.0 - 1e-9))
