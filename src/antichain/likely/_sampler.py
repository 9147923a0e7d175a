"""Draws from the posterior over orders, in independent runs.

The kinds of orders and the families of gap laws hardly turn into one another once the votes have
weight, and halfway to the posterior others look better than at its end. So each combination is
sampled by itself, which also gives its marginal likelihood; only then are they weighed against
each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from antichain.likely._pair_evidence import (
    FAMILIES,
    Evidence,
    Floats,
    GapTables,
    Whole,
    no_evidence,
)
from antichain.likely._particles import (
    KINDS,
    Particles,
    prior_particles,
    read_fronts,
)
from antichain.likely._redraws import sweep
from antichain.likely._tempering import temper

_KEPT = 0.9  # effective share of particles that a step of tempering leaves; set by hand
_THREADS = 2
_SLACK, _ITEMS_PER_SLACK = 5.0, 6.0  # how far behind, in logs, scouts may be

Stratum = tuple[int, int]
Weighed = tuple[Particles, float]


class Effort(NamedTuple):
    """How hard to try.

    Attributes:
        runs: Independent runs.
        scouts: Particles of each kind and family of laws, to see which matter.
        weighed: Particles of all those that matter, to weigh them against each other.
        drawn: Particles in the end.
        reads: Sweeps at the end over which chances are read.
        kinds: The kinds of orders that are thought possible.
    """

    runs: int
    scouts: int
    weighed: int
    drawn: int
    reads: int
    kinds: Sequence[int] = range(KINDS)


@dataclass(frozen=True, eq=False)
class OrderDraws:
    """What was read in one run: one row per particle and sweep, one column per item."""

    chances: Floats
    fronts: Whole
    kinds: Floats  # the share of each
    misfit: float  # standard deviations between votes and orders, on average
    weight: float = 1.0  # of the run among all


@dataclass(frozen=True, eq=False)
class OrderRun:
    """Particles of one run, and the log of the marginal likelihood that it found.

    A run that got stuck among poor orders finds less, and counts less.
    """

    particles: Particles
    log_likelihood: float


def sample(evidence: Evidence, gaps: GapTables, effort: Effort, seed: int) -> list[OrderDraws]:
    """What each of several runs reads."""
    runs = draw(evidence, effort, seed)

    def finish(run: int) -> OrderDraws:
        return read(runs[run].particles, evidence, gaps, effort.reads, _key(seed, -1 - run))

    with ThreadPoolExecutor(_THREADS) as threads:
        found = list(threads.map(finish, range(effort.runs)))
    logs = np.array([run.log_likelihood for run in runs])
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return [replace(one, weight=float(w)) for one, w in zip(found, weights, strict=True)]


def draw(evidence: Evidence, effort: Effort, seed: int) -> list[OrderRun]:
    """Particles of the posterior, for each run."""
    strata = [(kind, family) for kind in effort.kinds for family in range(FAMILIES)]
    with ThreadPoolExecutor(_THREADS) as threads:

        def weighed(those: Sequence[Stratum], each: int, key: int) -> list[Weighed]:
            def weigh_one(number: int) -> Weighed:
                return _from_prior(evidence, *those[number % len(those)], each, key + number)

            return list(threads.map(weigh_one, range(effort.runs * len(those))))

        scouts = weighed(strata, effort.scouts, _key(seed, 0))
        logs = np.array([log for _, log in scouts]).reshape(effort.runs, -1).max(axis=0)
        slack = _SLACK + len(evidence.votes) / _ITEMS_PER_SLACK
        those = [
            stratum for stratum, log in zip(strata, logs, strict=True) if log > logs.max() - slack
        ]
        each = -(-effort.weighed // len(those))
        found = weighed(those, each, _key(seed, 512))
    runs = []
    for run in range(effort.runs):
        mine = found[run * len(those) : (run + 1) * len(those)]
        shares = np.repeat([log for _, log in mine], each)
        parts = zip(*(p for p, _ in mine), strict=True)
        everyone = Particles(*(np.concatenate(part) for part in parts))
        at = np.random.default_rng(_key(seed, run)).random()
        taken = everyone.taken(resampled(shares, effort.drawn, at))
        runs.append(OrderRun(taken, float(np.logaddexp.reduce(shares))))
    return runs


def _from_prior(evidence: Evidence, kind: int, family: int, count: int, seed: int) -> Weighed:
    """Particles of one kind and family, and the log of their marginal likelihood."""
    size = len(evidence.votes)
    p = prior_particles(count, size, kind, family, seed)
    return p, lead(p, no_evidence(size), evidence, seed, True)


def _key(seed: int, number: int) -> int:
    """A seed of its own for each part of the work."""
    return seed * 4096 + 2048 + number


def lead(p: Particles, start: Evidence, goal: Evidence, seed: int, bound: bool) -> float:
    """Lead particles from one posterior to another; the log of their ratio of likelihoods."""
    spare = p.taken(np.arange(p.kind.size))
    now = Evidence(*(np.empty_like(part) for part in goal))
    return temper(p, spare, start, goal.minus(start), now, _KEPT, 1, bound, seed)


def read(p: Particles, evidence: Evidence, gaps: GapTables, reads: int, seed: int) -> OrderDraws:
    """Chances and fronts, over some sweeps."""
    count, size = p.colour.shape
    chances, fronts = np.empty((reads, count, size)), np.empty((reads, count, size), np.int64)
    misfit = np.empty(count)
    for k in range(reads):
        sweep(p, evidence, 1, False, seed)
        read_fronts(p, evidence, gaps, chances[k], fronts[k], misfit, seed)
    kinds = np.bincount(p.kind, minlength=KINDS) / count
    return OrderDraws(
        chances.reshape(-1, size), fronts.reshape(-1, size), kinds, float(misfit.mean())
    )


def resampled(logs: Floats, count: int, at: float) -> Whole:
    """`count` rows, each as often as its log-weight says."""
    weights = np.exp(logs - logs.max())
    total = np.cumsum(weights / weights.sum())
    points = (at + np.arange(count)) / count
    return np.minimum(np.searchsorted(total, points), logs.size - 1)
