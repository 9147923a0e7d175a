"""UniformSampling: the baseline, with decoys and where comparability shows."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain.errors import ParameterError
from antichain.orders import DuelModel

from ..orders.strategies import models

DELTA = 1e-6


@settings(max_examples=40, deadline=None)
@given(models(max_size=7, min_gap=0.05), st.integers(0, 1000))
def test_finds_the_front_with_decoys(model: DuelModel, seed: int) -> None:
    arena = ac.SimulatedArena(model, 0.1, seed=seed)
    result = ac.find_front(arena, ac.UniformSampling(delta=DELTA, decoy_gap=0.1))
    assert result.front == model.front
    assert result.probes == 0
    for item, dominator in result.dominated.items():
        assert model.poset.is_above(dominator, item)


@settings(max_examples=40, deadline=None)
@given(models(max_size=7, min_gap=0.05), st.integers(0, 1000))
def test_finds_the_front_where_comparability_shows(model: DuelModel, seed: int) -> None:
    arena = ac.SimulatedArena(model, observable=True, seed=seed)
    result = ac.find_front(arena, ac.UniformSampling(delta=DELTA, decoy_gap=None))
    assert result.front == model.front
    assert result.decoy_duels == 0
    assert result.probes == model.size * (model.size - 1) // 2
    for item, dominator in result.dominated.items():
        assert model.poset.is_above(dominator, item)


def test_direct_duels_of_a_pair_are_capped() -> None:
    gap, delta, items = 0.1, 0.01, 5
    arena = ac.SimulatedArena(ac.posets.antichain(items), gap, seed=2)
    result = ac.find_front(arena, ac.UniformSampling(delta=delta, decoy_gap=gap))
    cap = math.ceil(math.log(4 * items**2 / delta) / (2 * gap**2))
    pairs = items * (items - 1) // 2
    # Nobody leaves an antichain (but by mistake), so that every pair is duelled to the cap.
    assert result.direct_duels == pairs * cap
    assert [epoch.name for epoch in result.epochs] == ["all pairs", "decoys"]


def test_no_seed_of_its_own() -> None:
    model = ac.posets.layered(2, 2, 2, seed=1, gaps="minimum:0.2")
    algorithm = ac.UniformSampling(delta=0.01, decoy_gap=0.2)
    first, second = (
        ac.find_front(ac.SimulatedArena(model, 0.2, seed=3), algorithm, seed=seed)
        for seed in (1, 2)
    )
    assert first.duels == second.duels


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"rules": ac.Rules()}, r"Rules\.paper\(\), the default, was expected"),
        ({"decoy_gap": 0.7}, "decoy_gap"),
        ({"delta": -1}, "delta"),
    ],
)
def test_bad_parameters_are_refused(given: dict[str, Any], match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        ac.UniformSampling(**given)
