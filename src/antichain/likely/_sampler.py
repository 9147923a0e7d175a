"""Draws from the posterior over orders, in independent runs, by sequential Monte Carlo.

The kinds of orders and the families of gap laws hardly turn into one another once the votes have
weight, and halfway to the posterior others look better than at its end. So each combination is
sampled by itself, which also gives its marginal likelihood; only then are they weighed against
each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from antichain._kernels import keyed_uniform
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
    measure,
    prior_particles,
    read_fronts,
)
from antichain.likely._redraws import sweep

_KEPT = 0.9  # effective share of particles that a step of tempering leaves; set by hand
_HALVINGS = 24  # to find a step
_THREADS = 2
_SURE_ITEMS = 20.0  # up to which marginal likelihoods are taken as they are found
_SLACK, _ITEMS_PER_SLACK = 5.0, 6.0  # how far behind, in logs, scouts may be

Stratum = tuple[int, int]
Weighed = tuple[Particles, float]


class Effort(NamedTuple):
    """How hard to try.

    Attributes:
        runs: Independent runs.
        scouts: Particles of each kind and family of laws, to see which matter; 0 if all do.
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


def sample(evidence: Evidence, gaps: GapTables, effort: Effort, seed: int) -> list[OrderDraws]:
    """What each of several runs reads."""
    runs = draw(evidence, effort, seed)

    def finish(run: int) -> OrderDraws:
        return read(runs[run], evidence, gaps, effort.reads, _key(seed, -1 - run))

    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(finish, range(effort.runs)))


def draw(evidence: Evidence, effort: Effort, seed: int) -> list[Particles]:
    """Particles of the posterior, for each run."""
    strata = [(kind, family) for kind in effort.kinds for family in range(FAMILIES)]
    with ThreadPoolExecutor(_THREADS) as threads:

        def weighed(those: Sequence[Stratum], runs: int, each: int, key: int) -> list[Weighed]:
            def weigh_one(number: int) -> Weighed:
                return _from_prior(evidence, *those[number % len(those)], each, key + number)

            return list(threads.map(weigh_one, range(runs * len(those))))

        those = strata
        if effort.scouts:
            scouts = weighed(strata, 1, effort.scouts, _key(seed, 0))
            slack = _SLACK + len(evidence.votes) / _ITEMS_PER_SLACK
            least = max(log for _, log in scouts) - slack
            those = [at for at, (_, log) in zip(strata, scouts, strict=True) if log > least]
        each = -(-effort.weighed // len(those))
        found = weighed(those, effort.runs, each, _key(seed, 512))
    runs = []
    for run in range(effort.runs):
        mine = found[run * len(those) : (run + 1) * len(those)]
        shares = np.repeat([log for _, log in mine], each) / _doubt(len(evidence.votes))
        parts = zip(*(p for p, _ in mine), strict=True)
        everyone = Particles(*(np.concatenate(part) for part in parts))
        at = np.random.default_rng(_key(seed, run)).random()
        runs.append(everyone.taken(_resampled(shares, effort.drawn, at)))
    return runs


def _doubt(size: int) -> float:
    """By how much to flatten the marginal likelihoods: with many items they are rough.

    Twelve worlds of 60 items: the Brier score is best, and two seeds are closer, if their logs
    are divided by 3 to 8. Up to 20 items 1 is best.
    """
    return max(1.0, (size / _SURE_ITEMS) ** 2)


def _from_prior(evidence: Evidence, kind: int, family: int, count: int, seed: int) -> Weighed:
    """Particles of one kind and family, and the log of their marginal likelihood."""
    size = len(evidence.votes)
    p = prior_particles(count, size, kind, family, seed)
    return p, lead(p, no_evidence(size), evidence, seed, True)


def _key(seed: int, number: int) -> int:
    """A seed of its own for each part of the work."""
    return seed * 4096 + 2048 + number


def lead(p: Particles, start: Evidence, goal: Evidence, seed: int, bound: bool) -> float:
    """Lead particles in small steps from one posterior to another.

    Every step leaves an effective share of `_KEPT` of the particles. With `bound`, laws change
    only within their family.

    Returns:
        The log of the ratio of the two marginal likelihoods.
    """
    difference = goal.minus(start)
    scores = np.zeros(p.kind.size)
    done = log_ratio = 0.0
    step = 0
    while done < 1.0:
        measure(p, difference, scores)
        share = _largest_step(scores, 1.0 - done)
        done = 1.0 if share >= 1.0 - done else done + share
        logs = share * scores
        log_ratio += float(np.logaddexp.reduce(logs)) - np.log(scores.size)
        step += 1
        p.keep(_resampled(logs, scores.size, keyed_uniform(seed, -1, step, 0)))
        sweep(p, start.towards(difference, done), bound, seed)
    return log_ratio


def _largest_step(scores: Floats, most: float) -> float:
    below = scores - scores.max()

    def kept(step: float) -> bool:
        weights = np.exp(step * below)
        return bool(weights.sum() ** 2 >= _KEPT * scores.size * (weights @ weights))

    if kept(most):
        return most
    low, high = 0.0, most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if kept(middle) else (low, middle)
    return max(low, 1e-6)


def read(p: Particles, evidence: Evidence, gaps: GapTables, reads: int, seed: int) -> OrderDraws:
    """Chances and fronts, over some sweeps."""
    count, size = p.colour.shape
    chances, fronts = np.empty((reads, count, size)), np.empty((reads, count, size), np.int64)
    misfit = np.empty(count)
    for k in range(reads):
        sweep(p, evidence, False, seed)
        read_fronts(p, evidence, gaps, chances[k], fronts[k], misfit, seed)
    kinds = np.bincount(p.kind, minlength=KINDS) / count
    return OrderDraws(
        chances.reshape(-1, size), fronts.reshape(-1, size), kinds, float(misfit.mean())
    )


def _resampled(logs: Floats, count: int, at: float) -> Whole:
    """`count` rows, each as often as its log-weight says."""
    weights = np.exp(logs - logs.max())
    total = np.cumsum(weights / weights.sum())
    points = (at + np.arange(count)) / count
    return np.minimum(np.searchsorted(total, points), logs.size - 1)
