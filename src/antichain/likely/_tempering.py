"""Sequential Monte Carlo: particles are led from one posterior to another in small steps."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from antichain._kernels import compiled
from antichain.likely._pair_evidence import Evidence, Floats
from antichain.likely._particles import Particles, measure, uniform
from antichain.likely._redraws import sweep

_HALVINGS = 24


@partial(compiled, side_by_side=True)
def temper(
    p: Particles, spare: Particles, start: Evidence, difference: Evidence, now: Evidence,
    kept: float, sweeps: int, bound: bool, seed: int,
) -> float:  # fmt: skip
    """Lead particles from the posterior of `start` to that of `start` and `difference`.

    Every step leaves an effective share of `kept` of the particles. `spare` and `now` are written
    on. With `bound`, laws change only within their family.

    Returns:
        The log of the ratio of the two marginal likelihoods.
    """
    scores = np.zeros(p.kind.size)
    done = log_ratio = 0.0
    while done < 1.0:
        measure(p, difference, scores)
        step = _largest_step(scores, 1.0 - done, kept)
        done = 1.0 if step >= 1.0 - done else done + step
        log_ratio += _resample(p, spare, scores, step, uniform(seed, 0, p.drawn))
        _blend(start, difference, done, now)
        sweep(p, now, sweeps, bound, seed)
    return log_ratio


@compiled
def _largest_step(scores: Floats, most: float, kept: float) -> float:
    top = _largest(scores)
    if _effective(scores, top, most) >= kept:
        return most
    low, high = 0.0, most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _effective(scores, top, middle) >= kept:
            low = middle
        else:
            high = middle
    return max(low, 1e-6)


@compiled
def _largest(scores: Floats) -> float:
    top: float = scores[0]
    for value in scores:
        top = max(top, value)
    return top


@compiled
def _effective(scores: Floats, top: float, step: float) -> float:
    """The effective share of particles with these log-weights."""
    one = two = 0.0
    for value in scores:
        weight = math.exp(step * (value - top))
        one += weight
        two += weight * weight
    return one * one / two / scores.size


@compiled
def _resample(p: Particles, spare: Particles, scores: Floats, step: float, at: float) -> float:
    """Go on with particles as often as their weights say; the log of the mean weight."""
    count, top = scores.size, _largest(scores)
    total = 0.0
    for row in range(count):
        total += math.exp(step * (scores[row] - top))
    row, reached = -1, 0.0
    for to in range(count):
        while reached <= (to + at) * total / count and row < count - 1:
            row += 1
            reached += math.exp(step * (scores[row] - top))
        _copy(p, row, spare, to)
    for to in range(count):
        _copy(spare, to, p, to)
    return math.log(total / count) + step * top


@compiled
def _copy(p: Particles, row: int, q: Particles, to: int) -> None:
    """Copy a particle; its random numbers go on as they were there."""
    q.kind[to], q.law[to], q.chains[to] = p.kind[row], p.law[row], p.chains[row]
    for i in range(p.colour.shape[1]):
        q.colour[to, i], q.over[to, i] = p.colour[row, i], p.over[row, i]
        for k in range(p.place.shape[1]):
            q.place[to, k, i] = p.place[row, k, i]
    for chain in range(p.rate.shape[1]):
        q.rate[to, chain] = p.rate[row, chain]


@compiled
def _blend(start: Evidence, difference: Evidence, share: float, now: Evidence) -> None:
    size = now.votes.shape[0]
    for i in range(size):
        for j in range(size):
            for law in range(now.above.shape[0]):
                value = start.above[law, i, j] + share * difference.above[law, i, j]
                now.above[law, i, j] = now.below[law, j, i] = value
            now.votes[i, j] = start.votes[i, j] + share * difference.votes[i, j]
            now.lost[i, j] = start.lost[i, j] + share * difference.lost[i, j]
            now.comparable[i, j] = start.comparable[i, j] + share * difference.comparable[i, j]
