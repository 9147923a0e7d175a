"""Mixtures over a grid of gaps: dominance at an unknown gap, valid at any time.

The average over gaps g, with weights that sum to one, of the bets on dominance (`sprt`) is
again a supermartingale when the mean score is at most one half. A large gap is found by the
terms with large g, after few duels; a small one by the others.

A grid travels through the kernels as a flat array: for each gap the log-step of a win, of a
loss, and the log-weight (`pack`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.compiled import compiled
from antichain.evidence.sprt import duels_to_rise, steps

LARGEST_GAP = 0.45
SMALLEST_GAP = 2e-8
"""The open-ended grid ends here: a smaller gap than half of this is never found."""


def geometric_grid(smallest: float, ratio: float = 1.5) -> tuple[tuple[float, float], ...]:
    """(gap, weight) pairs from `LARGEST_GAP` down to about `smallest`, equally weighted."""
    checks.gap("the smallest gap of a grid", smallest)
    count = 1 + max(0, math.ceil(math.log(LARGEST_GAP / smallest) / math.log(ratio)))
    return tuple((LARGEST_GAP / ratio**k, 1 / count) for k in range(count))


def open_grid() -> tuple[tuple[float, float], ...]:
    """(gap, weight) pairs, halving from `LARGEST_GAP` to below `SMALLEST_GAP`.

    Weights fall like 1/k², so that small gaps, which take long anyway, pay for the large ones.
    """
    count = 1 + math.ceil(math.log2(LARGEST_GAP / SMALLEST_GAP))
    weights = [1 / ((k + 1) * (k + 2)) for k in range(count)]
    total = sum(weights)
    return tuple((LARGEST_GAP / 2**k, weight / total) for k, weight in enumerate(weights))


def pack(grid: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
    """The grid as the kernels take it: win step, loss step, log-weight, gap after gap."""
    rows = [(steps(gap).win, steps(gap).loss, math.log(weight)) for gap, weight in grid]
    return np.array(rows, dtype=np.float64).ravel()


@compiled
def log_mixture(grid: NDArray[np.float64], wins: int, losses: int) -> float:
    """Log of the mixture bet on dominance after `wins` and `losses`."""
    top = -np.inf
    for k in range(0, grid.size, 3):
        term = wins * grid[k] - losses * grid[k + 1] + grid[k + 2]
        top = max(top, term)
    total = 0.0
    for k in range(0, grid.size, 3):
        term = wins * grid[k] - losses * grid[k + 1] + grid[k + 2]
        total += math.exp(term - top)
    return top + math.log(total)


@compiled
def log_mixtures(
    grid: NDArray[np.float64], wins: NDArray[np.int64], losses: NDArray[np.int64]
) -> NDArray[np.float64]:
    """`log_mixture` of each pair of counts."""
    logs = np.empty(wins.size)
    for row in range(wins.size):
        logs[row] = log_mixture(grid, wins[row], losses[row])
    return logs


@compiled
def mixture_reaches(grid: NDArray[np.float64], wins: int, losses: int, level: float) -> bool:
    """Whether the log-mixture is at least `level`.

    The weights sum to one, so the mixture is at most its largest bet: exponentials are spared
    on nearly every call.
    """
    for k in range(0, grid.size, 3):
        if wins * grid[k] - losses * grid[k + 1] >= level:
            return log_mixture(grid, wins, losses) >= level
    return False


@compiled
def mixture_quota(grid: NDArray[np.float64], wins: int, losses: int, level: float) -> int:
    """How many wins in a row are surely needed before the log-mixture reaches `level`.

    Two lower bounds, the larger holds: no single bet has reached the level yet, and none rises
    faster than the steepest.
    """
    soonest = np.inf
    steepest = 0.0
    for k in range(0, grid.size, 3):
        deficit = level - (wins * grid[k] - losses * grid[k + 1])
        soonest = min(soonest, float(duels_to_rise(deficit, grid[k])))
        steepest = max(steepest, grid[k])
    deficit = level - log_mixture(grid, wins, losses)
    return int(max(soonest, float(duels_to_rise(deficit, steepest))))
