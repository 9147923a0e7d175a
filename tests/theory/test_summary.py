"""All bounds of one model, put together from the functions tested one by one."""

import json
import math

import pytest

from antichain.orders import DuelModel
from antichain.orders._generators import antichain, layered
from antichain.theory import bounds_for, decoy_phase_duels


@pytest.fixture(scope="module")
def defaults():
    model = layered(front=5, width=10, height=10, seed=0)
    return model, bounds_for(model, delta=0.001, decoy_gap=0.01, gamma=0.9, epsilon0=0.5)


def test_the_papers_defaults_give_the_errata_s_figures(defaults):
    model, bounds = defaults
    assert (bounds.items, bounds.front, bounds.width) == (95, 5, model.poset.width)
    assert (bounds.epochs, len(bounds.schedule)) == (17, 16)
    assert bounds.schedule[-1] == pytest.approx(0.01 * math.sqrt(95))
    assert bounds.width == 10
    assert bounds.decoy_phase_duels == pytest.approx(7.7e8, rel=0.01)
    assert bounds.unchained_duels == pytest.approx(1.14e9, rel=0.01)


def test_the_lines_of_the_first_theorem_are_in_order(defaults):
    _, bounds = defaults
    assert bounds.decoy_phase_duels < bounds.unchained_duels_by_epoch < bounds.unchained_duels


def test_the_summary_is_json(defaults):
    _, bounds = defaults
    read = json.loads(json.dumps(bounds.to_dict()))
    assert read["schedule"] == list(bounds.schedule)
    assert read["regret"] == bounds.peeling_regret + bounds.decoy_regret
    assert read["alpha_exact"] is True
    assert 0 < read["alpha"] <= 1


def test_a_small_model_by_hand():
    model = DuelModel.from_relations([("a", "b", 0.3), ("a", "c", 0.2), ("b", "c", 0.4)])
    bounds = bounds_for(model, delta=0.1, decoy_gap=0.1, gamma=0.5, epsilon0=0.5)
    # Δ√K = 0.173: peels at 0.25 and 0.173, so N = 3; b leaves in the first, c in the second.
    assert bounds.schedule == pytest.approx((0.25, 0.1 * math.sqrt(3)))
    assert (bounds.width, bounds.front, bounds.epochs) == (1, 1, 3)
    # ε-approximations: {a, c} at 0.25, {a} at 0.125 and 0.0625.
    assert bounds.alpha_exact
    assert bounds.alpha == pytest.approx((1 / 3) ** (1 / 3))
    cost = 0.25 + 0.75 * bounds.alpha
    log = math.log(2 * 3 * 9 / 0.1)
    assert bounds.peeling_regret == pytest.approx(24 * log * (1 / 0.3 + cost / 0.2))
    assert bounds.decoy_regret == 0  # 0.2 and 0.3 are both farther than 0.173
    assert bounds.decoy_comparison_duels == pytest.approx(400 * math.log(4 * 27 / 0.1))
    assert bounds.slicing_duels == pytest.approx(9 + 3 * math.log(9 * 3 / 0.1) / 0.04)
    assert bounds.slicing_duels_corollary == pytest.approx(9 + 3 * math.log(27 / 0.1) / 0.04)


def test_an_antichain_costs_decoys_and_probes_only():
    bounds = bounds_for(antichain(6), delta=0.05, decoy_gap=0.01, gamma=0.9, epsilon0=0.5)
    assert bounds.alpha == 1
    assert bounds.regret == 0
    assert bounds.slicing_duels == bounds.slicing_duels_corollary == 36


def test_without_peeling_the_first_theorem_is_its_decoy_term():
    bounds = bounds_for(antichain(4), delta=0.05, decoy_gap=0.1, gamma=0.9, epsilon0=0.2)
    assert bounds.schedule == ()
    assert bounds.unchained_duels == bounds.unchained_duels_by_epoch
    assert bounds.unchained_duels == decoy_phase_duels(4, 4, 1, 0.05, 0.1)
