"""Bets against a gap, quick where the challenger is clearly below; valid at any time.

The claim is "the challenger does not beat the candidate by more than ε". With X the challenger's
score, 1 − λ(X − 1/2 − ε) is a supermartingale's factor whenever its mean score is at least
1/2 + ε, for every stake λ from 0 up to 1/(1/2 − ε). The best stake depends on how far below
1/2 + ε the mean really is: 4ε/(1 − 4ε²), the likelihood ratio's own (`sprt`), if the two are
even, and more if the challenger is below. So the bet is an average over stakes.

A grid of stakes travels through the kernels as a flat array: for each stake what a loss of the
challenger adds to the log, what a win takes, what a tie adds, and the log-weight.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.compiled import compiled
from antichain.evidence.sprt import duels_to_rise

_RATIO = 1.6
_EVEN_WEIGHT = 0.8
"""The weight of the stake that is best against an even challenger: those take the longest."""
_BOLDEST = 0.9
"""The boldest stake as a share of the largest allowed, where one win would lose everything."""


def clearing_grid(epsilon: float) -> NDArray[np.float64]:
    """Stakes against a gap of `epsilon` and their weights, as the kernels take them.

    >>> grid = clearing_grid(0.1).reshape(-1, 4)
    >>> round(float(np.exp(grid[:, 3]).sum()), 12)
    1.0
    """
    mean = 0.5 + checks.gap("epsilon", epsilon)
    # How far below 1/2 + ε the challenger's mean is bet to be.
    boldest = _BOLDEST * mean
    bolder = math.ceil(math.log(boldest / epsilon) / math.log(_RATIO))
    margins = np.geomspace(epsilon, boldest, 1 + bolder)
    weights = np.full(1 + bolder, (1 - _EVEN_WEIGHT) / bolder)
    weights[0] = _EVEN_WEIGHT
    stakes = margins / (mean * (1 - mean))
    loss, win, tie = (np.log1p(-stakes * (score - mean)) for score in (0.0, 1.0, 0.5))
    return np.column_stack([loss, -win, tie, np.log(weights)]).ravel()


@compiled
def log_clearing(grid: NDArray[np.float64], wins: int, losses: int, ties: int) -> float:
    """Log of the bet against the gap after so many wins, losses and ties of the challenger."""
    top = -np.inf
    for k in range(0, grid.size, 4):
        top = max(top, losses * grid[k] - wins * grid[k + 1] + ties * grid[k + 2] + grid[k + 3])
    total = 0.0
    for k in range(0, grid.size, 4):
        term = losses * grid[k] - wins * grid[k + 1] + ties * grid[k + 2] + grid[k + 3]
        total += math.exp(term - top)
    return top + math.log(total)


@compiled
def clearing_quota(
    grid: NDArray[np.float64], wins: int, losses: int, ties: int, level: float
) -> int:
    """How many duels are surely needed before the log of the bet reaches `level`.

    Two lower bounds, the larger holds: no single bet has reached the level yet, and none rises
    faster than the boldest.
    """
    soonest = np.inf
    steepest = 0.0
    for k in range(0, grid.size, 4):
        deficit = level - (losses * grid[k] - wins * grid[k + 1] + ties * grid[k + 2])
        soonest = min(soonest, float(duels_to_rise(deficit, grid[k])))
        steepest = max(steepest, grid[k])
    deficit = level - log_clearing(grid, wins, losses, ties)
    return int(max(soonest, float(duels_to_rise(deficit, steepest))))


@compiled
def log_clearings(grid: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """`log_clearing` of each row (wins, losses, ties, lost answers) of the challenger.

    A lost answer is held against the claim: as a win of the challenger.
    """
    logs = np.empty(counts.shape[0])
    for row in range(counts.shape[0]):
        c = counts[row]
        logs[row] = log_clearing(grid, c[0] + c[3], c[1], c[2])
    return logs


@compiled
def clearing_quotas(
    grid: NDArray[np.float64], counts: NDArray[np.int64], level: float
) -> NDArray[np.int64]:
    """`clearing_quota` of each row of counts, taken as `log_clearings` takes them."""
    quotas = np.empty(counts.shape[0], np.int64)
    for row in range(counts.shape[0]):
        c = counts[row]
        quotas[row] = clearing_quota(grid, c[0] + c[3], c[1], c[2], level)
    return quotas
