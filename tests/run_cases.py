"""What the tests of the loop run over: every algorithm, settled and asked, on one small world."""

from typing import Any

import pytest

import antichain as ac
from antichain.algorithms._base import Algorithm

GAP = 0.15
MODEL = ac.posets.layered(2, 3, 3, seed=2, gaps="minimum:0.15")
ALGORITHMS: dict[str, Algorithm] = {
    "witness": ac.Witness(delta=0.01, decoy_gap=GAP),
    "unchained": ac.UnchainedBandits(delta=0.01, decoy_gap=GAP),
    "paper": ac.UnchainedBandits(delta=0.01, decoy_gap=GAP, rules=ac.Rules.paper()),
    "no decoys": ac.UnchainedBandits(delta=0.01, decoy_gap=None, epsilon=0.15),
    "uniform": ac.UniformSampling(delta=0.01, decoy_gap=GAP),
    "uniform, observable": ac.UniformSampling(delta=0.01, decoy_gap=None),
    "slicing": ac.SlicingBandits(delta=0.01),
    "orient": ac.Orient(delta=0.01),
}
MODES: dict[str, dict[str, Any]] = {
    "settled": {},
    "batches": {"batch": 60},
    "settled on a budget": {"budget": 900},
    "batches on a budget": {"batch": 60, "budget": 900},
}
every_algorithm = pytest.mark.parametrize("name", ALGORITHMS)


def arena_for(name: str, seed: int = 7) -> ac.SimulatedArena:
    """Voters who show what the algorithm of that name needs."""
    algorithm = ALGORITHMS[name]
    return ac.SimulatedArena(
        MODEL, algorithm.needs_decoys, observable=algorithm.needs_observable, seed=seed
    )
