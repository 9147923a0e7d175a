"""At the paper's defaults: what was measured independently, measured again.

docs/theory/errata.md, 17 and 17b: a faithful UnchainedBandits takes about 2.06 million duels,
decoys about 96% of them, and UniformSampling about 3.3 million (means over 100 posets).
"""

from __future__ import annotations

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms._base import Algorithm

DECOY_GAP = 0.01


def results_at_the_defaults(algorithm: Algorithm, runs: int) -> list[ac.Result]:
    results = []
    for seed in range(runs):
        model = ac.posets.layered(front=5, width=10, height=10, seed=seed)
        arena = ac.SimulatedArena(model, DECOY_GAP, seed=seed)
        result = ac.find_front(arena, algorithm, seed=seed)
        assert set(result.front) == set(model.front), f"wrong front with seed {seed}"
        results.append(result)
    return results


def mean_duels(results: list[ac.Result]) -> float:
    return float(np.mean([result.duels for result in results]))


def decoy_share(results: list[ac.Result]) -> float:
    return sum(r.decoy_duels for r in results) / sum(r.duels for r in results)


@pytest.mark.slow
def test_faithful_unchained_bandits() -> None:
    results = results_at_the_defaults(ac.UnchainedBandits(rules=ac.Rules.paper()), 100)
    assert mean_duels(results) == pytest.approx(2.06e6, rel=0.1)
    assert decoy_share(results) == pytest.approx(0.96, abs=0.02)


@pytest.mark.slow
def test_default_rules_take_half_the_duels() -> None:
    faithful = results_at_the_defaults(ac.UnchainedBandits(rules=ac.Rules.paper()), 30)
    default = results_at_the_defaults(ac.UnchainedBandits(), 30)
    assert mean_duels(default) < 0.6 * mean_duels(faithful)


@pytest.mark.slow
def test_uniform_sampling() -> None:
    results = results_at_the_defaults(ac.UniformSampling(), 100)
    assert mean_duels(results) == pytest.approx(3.3e6, rel=0.1)
