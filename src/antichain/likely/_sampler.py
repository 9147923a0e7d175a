"""Sequential Monte Carlo: from the prior to the posterior in small steps, in several runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from antichain.likely._pair_evidence import Evidence, Floats, GapTables, Whole, no_evidence
from antichain.likely._particles import KINDS, Particles, measure, prior_particles, read_fronts
from antichain.likely._redraws import sweep

_KEPT = 0.5  # effective share of particles that a step of tempering must leave
_THREADS = 2


class Effort(NamedTuple):
    """How hard to try."""

    runs: int
    particles: int  # per run
    sweeps: int  # per step of tempering
    reads: int  # sweeps at the end over which chances are read


@dataclass(frozen=True, eq=False)
class Draws:
    """What was read in one run: one row per particle and sweep, one column per item."""

    chances: Floats
    fronts: Whole
    kinds: Whole


def temper(
    p: Particles, start: Evidence, goal: Evidence, sweeps: int, seed: int, rng: np.random.Generator
) -> Particles:
    """Lead particles from one posterior to another."""
    difference = goal.minus(start)
    scores = np.empty(p.kind.size)
    done = 0.0
    while done < 1.0:
        measure(p, difference, scores)
        step = _step(scores, 1.0 - done)
        done = 1.0 if step >= 1.0 - done else done + step
        p = p.taken(_resampled(step * scores, rng.random()))
        sweep(p, start.towards(difference, done), sweeps, seed)
    return p


def read(p: Particles, evidence: Evidence, gaps: GapTables, reads: int, seed: int) -> Draws:
    """Chances and fronts, over some sweeps."""
    count, size = p.colour.shape
    chances, fronts = np.empty((reads, count, size)), np.empty((reads, count, size), np.int64)
    for k in range(reads):
        sweep(p, evidence, 1, seed)
        read_fronts(p, gaps, chances[k], fronts[k], seed)
    return Draws(chances.reshape(-1, size), fronts.reshape(-1, size), p.kind)


def fresh(
    evidence: Evidence, count: int, sweeps: int, seed: int, kinds: Whole | None = None
) -> Particles:
    """Particles from the posterior, drawn from scratch."""
    size = len(evidence.votes)
    kinds = np.arange(KINDS) if kinds is None else kinds
    p = prior_particles(count, size, kinds, seed)
    return temper(p, no_evidence(size), evidence, sweeps, seed, np.random.default_rng(seed))


def in_runs(run: Callable[[int], Draws], runs: int) -> list[Draws]:
    """The draws of several runs, two at a time."""
    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(run, range(runs)))


def _step(scores: Floats, most: float) -> float:
    """The largest step at which enough of the particles still count."""
    if _effective(most * scores) >= _KEPT:
        return most
    low, high = 0.0, most
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if _effective(middle * scores) >= _KEPT else (low, middle)
    return max(low, 1e-6)


def _effective(logs: Floats) -> float:
    """The effective share of particles with these log-weights."""
    weights = np.exp(logs - logs.max())
    return float(weights.sum() ** 2 / (weights**2).sum() / weights.size)


def _resampled(logs: Floats, start: float) -> Whole:
    """Which particles go on, as often as their weights say."""
    weights = np.exp(logs - logs.max())
    total = np.cumsum(weights / weights.sum())
    points = (start + np.arange(logs.size)) / logs.size
    return np.minimum(np.searchsorted(total, points), logs.size - 1)
