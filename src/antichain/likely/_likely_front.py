"""The likely front: how likely each item is to be on the ε-front, by a model, from few votes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from antichain.likely._particles import (
    KINDS,
    Evidence,
    Floats,
    Particles,
    Whole,
    draw_prior,
    read_fronts,
    sweep,
    weigh,
)

_PARTICLES = 66 * KINDS
_SWEEPS = 2  # per step of tempering
_READS = 4  # sweeps over which the chances are read
_RUNS = 3  # independent runs that are averaged
_COLOURS = 62


@dataclass(frozen=True, eq=False)
class Sampled:
    """Draws from the posterior."""

    chances: Floats  # one row per draw, one column per item
    fronts: Whole
    kinds: Whole


def sample(wins: Floats, cannot: Floats, epsilon: float, seed: int) -> Sampled:
    evidence = weigh(wins, cannot, epsilon)
    runs = [_one_run(evidence, seed + run) for run in range(_RUNS)]
    return Sampled(*(np.concatenate(part) for part in zip(*runs, strict=True)))


def _one_run(evidence: Evidence, seed: int) -> tuple[Floats, Whole, Whole]:
    size, count = len(evidence.wins), _PARTICLES
    whole = np.int64
    p = Particles(
        np.zeros(count, whole), np.zeros(count, whole), np.zeros(count, whole),
        np.zeros((count, size, 4)), np.zeros((count, size), whole), np.zeros((count, size), whole),
        np.zeros((count, size), whole), np.zeros((count, _COLOURS + 1)),
        np.zeros((count, size, size)), np.zeros(count), np.zeros(count, whole),
    )  # fmt: skip
    draw_prior(p, evidence, seed)
    rng = np.random.default_rng(seed)
    power = 0.0; steps = 0
    while power < 1.0:
        step = _step(p.score, 1.0 - power)
        power = 1.0 if step >= 1.0 - power else power + step
        p = p.taken(_resampled(step * p.score, rng.random()))
        sweep(p, evidence, power, _SWEEPS, seed, 0, count); steps += 1
    chances, fronts = [], []
    import os; os.environ.get('DBG') and print('steps', steps)
    for _ in range(_READS):
        sweep(p, evidence, 1.0, 1, seed, 0, count)
        chance, front = np.empty((count, size)), np.empty((count, size), whole)
        read_fronts(p, evidence, chance, front, seed)
        chances.append(chance)
        fronts.append(front)
    return np.concatenate(chances), np.concatenate(fronts), p.kind


def _step(scores: Floats, most: float) -> float:
    """The largest step of the power at which half the particles still count."""
    if _effective(most * scores) >= 0.5:
        return most
    low, high = 0.0, most
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _effective(middle * scores) >= 0.5 else (low, middle)
    return max(low, 1e-6)


def _effective(logs: Floats) -> float:
    """The effective share of particles with these log-weights."""
    weights = np.exp(logs - logs.max())
    return float(weights.sum() ** 2 / (weights**2).sum() / weights.size)


def _resampled(logs: Floats, start: float) -> Whole:
    weights = np.exp(logs - logs.max())
    total = np.cumsum(weights / weights.sum())
    points = (start + np.arange(logs.size)) / logs.size
    return np.minimum(np.searchsorted(total, points), logs.size - 1)


def best_set(fronts: Whole, chances: Floats) -> tuple[Whole, float, float]:
    """The items whose set has the largest expected F1, that F1, and how often it is exactly right."""
    order = np.argsort(-chances, kind="stable")
    hits = np.cumsum(fronts[:, order], axis=1)
    sizes = fronts.sum(axis=1)
    f1 = (2 * hits / (np.arange(1, order.size + 1) + sizes[:, None])).mean(axis=0)
    best = int(np.argmax(f1)) + 1
    chosen = np.zeros(order.size, np.int64)
    chosen[order[:best]] = 1
    return np.sort(order[:best]), float(f1[best - 1]), float((fronts == chosen).all(axis=1).mean())


assert math.pi  # keeps the import until the policy uses it
