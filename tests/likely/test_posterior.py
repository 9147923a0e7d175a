"""The sampler against the plainest one there is: weighted draws from the prior."""

from __future__ import annotations

import numpy as np
import pytest

from antichain.likely._pair_evidence import FAMILIES, weigh
from antichain.likely._particles import (
    KIND_NAMES,
    KINDS,
    Particles,
    measure,
    prior_particles,
    read_fronts,
)
from antichain.likely._redraws import sweep
from antichain.likely._sampler import _from_prior, lead

WINS = np.array(
    [[0, 4, 5, 1, 0], [1, 0, 3, 2, 2], [0, 1, 0, 6, 2], [3, 2, 1, 0, 1], [2, 0, 2, 4, 0]],
    dtype=float,
)
CANNOT = np.zeros((5, 5))
CANNOT[0, 3] = CANNOT[3, 0] = 3


def chances_of(p: Particles, evidence, gaps, reads: int, seed: int) -> np.ndarray:
    total = np.zeros((p.kind.size, 5))
    chances, fronts = np.empty((p.kind.size, 5)), np.empty((p.kind.size, 5), np.int64)
    misfit = np.empty(p.kind.size)
    for _ in range(reads):
        if reads > 1:
            sweep(p, evidence, True, seed)
        read_fronts(p, evidence, gaps, chances, fronts, misfit, seed)
        total += chances
    return total / reads


@pytest.mark.parametrize("kind", range(KINDS), ids=KIND_NAMES)
def test_moves_lead_to_the_posterior(kind: int) -> None:
    evidence, gaps = weigh(WINS, CANNOT, (0.1, 0.2))
    for family in range(FAMILIES):
        many = prior_particles(60_000, 5, kind, family, 5)
        scores = np.empty(60_000)
        measure(many, evidence, scores)
        weights = np.exp(scores - scores.max())
        log_mean = np.log(weights.mean()) + scores.max()
        weights /= weights.sum()
        exact = weights @ chances_of(many, evidence, gaps, 1, 5)
        effective = 1 / (weights**2).sum()

        p, log_ratio = _from_prior(evidence, kind, family, 1_500, 9)
        found = chances_of(p, evidence, gaps, 8, 9).mean(axis=0)
        # Standard errors of at most 1/2 over the root of 700 and of the effective number, times 4.
        assert np.abs(found - exact).max() < 4 * 0.5 * (700**-0.5 + effective**-0.5)
        assert log_ratio == pytest.approx(log_mean, abs=0.2 + 4 * effective**-0.5)


def test_a_posterior_is_also_reached_in_batches() -> None:
    half, gaps = weigh(np.floor(WINS / 2), None, (0.1, 0.1))
    all_votes, gaps = weigh(WINS, None, (0.1, 0.1))
    p, first = _from_prior(half, 4, 0, 1_500, 3)
    then = lead(p, half, all_votes, 4, True)
    straight, log_ratio = _from_prior(all_votes, 4, 0, 1_500, 5)
    assert first + then == pytest.approx(log_ratio, abs=0.3)
    apart = chances_of(p, all_votes, gaps, 8, 6).mean(0)
    apart -= chances_of(straight, all_votes, gaps, 8, 7).mean(0)
    assert np.abs(apart).max() < 0.06


def test_a_gap_is_beyond_epsilon_as_its_votes_say() -> None:
    wins = np.array([[0, 700.0], [300, 0]])
    _, gaps = weigh(wins, None, (0.1, 0.3))
    assert gaps.beyond[0, 0, 0, 1] > 0.999  # a gap of 0.2 is beyond 0.1
    assert gaps.beyond[1, 0, 0, 1] < 0.001  # and not beyond 0.3
    assert gaps.mean[0, 0, 1] == pytest.approx(0.2, abs=0.005)
    assert gaps.spread[0, 0, 1] == pytest.approx(0.21 / 1000, rel=0.1)
