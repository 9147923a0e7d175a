"""An arena with degraded decoys: what their duels are, and which conditions on decoys they keep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antichain as ac
from antichain.algorithms._rounds import Ask
from antichain.arenas._simulated import DegradedArena
from antichain.errors import ParameterError
from antichain.orders import DuelModel

from ..orders.strategies import models


def _decoy_gap(arena: DegradedArena, left: str, right: str) -> float:
    model = arena.model
    pair = np.array([model.row(left)]), np.array([model.row(right)])
    return float(arena.chances(*pair, decoy=True)[0]) - 0.5


def test_an_arena_needs_a_model() -> None:
    with pytest.raises(ParameterError, match="model is 'tea', but a DuelModel"):
        DegradedArena("tea", 0.1)  # type: ignore[arg-type]


@given(models(max_size=6), st.floats(0.01, 0.4))
def test_the_assumptions_on_degraded_decoys_hold(model: DuelModel, decoy_gap: float) -> None:
    arena = DegradedArena(model, decoy_gap)
    for left in model.items:
        for right in model.items:
            gap = _decoy_gap(arena, left, right)
            assert -0.5 < gap < 0.5
            if left == right or model.gap(left, right) > 0:
                assert gap >= decoy_gap - 1e-12  # (D1)
            elif model.gap(left, right) == 0:
                assert gap == 0  # (D2)
            else:
                assert abs(gap - (decoy_gap - model.gap(right, left))) < 1e-12


def test_an_item_slightly_below_beats_the_decoy() -> None:
    model = DuelModel.from_relations([("a", "b", 0.05)])
    arena = DegradedArena(model, 0.2, seed=4)
    assert abs(_decoy_gap(arena, "b", "a") - 0.15) < 1e-12
    (tally,) = arena.answer([Ask(1, "b", "a", True, 10_000)])
    assert abs(tally.left / 10_000 - 0.65) < 0.03


def test_direct_duels_are_those_of_the_model() -> None:
    model = ac.posets.layered(2, 3, 3, seed=1)
    rows = np.arange(model.size)
    lefts, rights = np.repeat(rows, model.size), np.tile(rows, model.size)
    formal = ac.SimulatedArena(model, 0.1)
    degraded = DegradedArena(model, 0.1)
    assert np.array_equal(
        formal.chances(lefts, rights, decoy=False), degraded.chances(lefts, rights, decoy=False)
    )
    assert formal.identity() != degraded.identity()


def test_a_decoy_is_farther_from_the_front_than_its_original() -> None:
    model = DuelModel.from_relations([("a", "b", 0.05)])
    rates = DegradedArena(model, 0.2).regret_rates()
    assert rates.items.tolist() == [0, 0.05]
    assert np.allclose(rates.decoys, [0.2, 0.25])
