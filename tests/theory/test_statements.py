"""What the paper states about orders and decoys, checked on random models."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.orders import DuelModel, Poset
from antichain.orders._duel_law import decoy_gap_pairs
from antichain.orders._generators import random_dag

from ..orders.decoy_models import check_decoy, decoy_name, extend

models = st.builds(
    random_dag,
    st.integers(1, 9),
    st.floats(0, 0.6),
    seed=st.integers(0, 2**20),
    gaps=st.sampled_from(["uniform", "bradley-terry"]),
)


@given(models, st.floats(0.01, 0.3))
@settings(max_examples=60, deadline=None)
def test_two_items_are_comparable_exactly_when_one_beats_the_others_decoy(model, decoy_gap):
    everything = np.arange(model.size)
    over = decoy_gap_pairs(model, everything[:, None], everything[None, :], decoy_gap)
    for first, second in combinations(model.items, 2):
        i, j = model.row(first), model.row(second)
        assert (max(over[i, j], over[j, i]) >= decoy_gap) == model.poset.comparable(first, second)


@given(models)
@settings(max_examples=60, deadline=None)
def test_a_maximal_chain_holds_exactly_one_maximal_item(model):
    front = set(model.front)
    for item in model.items:
        chain = model.poset.maximal_chain([item])
        assert item in chain
        assert len(front.intersection(chain)) == 1


@given(models, st.floats(0.01, 0.99))
@settings(max_examples=60, deadline=None)
def test_below_the_distance_of_the_front_only_the_front_approximates_it(model, share):
    if model.d_front is None:
        return
    eps = share * model.d_front
    others = [item for item in model.items if item not in model.front]
    assert model.is_eps_approximation(model.front, eps)
    assert not any(model.is_eps_approximation([*model.front, other], eps) for other in others)


@given(st.integers(2, 8), st.floats(0.1, 0.8), st.integers(0, 2**20))
@settings(max_examples=60, deadline=None)
def test_strong_transitivity_makes_the_margin_follow_from_the_item_s_own(size, density, seed):
    # "the third point of the definition is an immediate consequence of the first" under SST
    model = random_dag(size, density, seed=seed, gaps="bradley-terry")
    for upper, lower, gap in model.relations():
        broken = {violation.condition for violation in check_decoy(model, upper, lower, gap)}
        assert not broken & {"below", "margin"}


def test_the_papers_three_conditions_leave_the_direction_open():
    # b above a above the decoy of b: all three hold, yet a beats that decoy.
    model = DuelModel.from_relations(
        [
            ("b", "a", 0.2),
            ("a", "decoy of b", 0.3),
            ("b", "decoy of b", 0.05),
            ("a", "decoy of a", 0.05),
            ("b", "decoy of a", 0.05),
        ]
    )
    assert [found.condition for found in check_decoy(model, "b", "decoy of b", 0.05)] == [
        "direction"
    ]
    assert check_decoy(model, "a", "decoy of a", 0.05) == ()


@given(models, st.floats(0.01, 0.3))
@settings(max_examples=40, deadline=None)
def test_the_papers_own_decoys_meet_all_four_conditions(model, decoy_gap):
    extended = extend(model, model.items, decoy_gap)
    # Other decoys stand in no relation the definition asks for, so each is checked without them.
    for item in model.items:
        kept = [*model.items, decoy_name(item)]
        rows = extended.poset.rows(kept)
        alone = DuelModel(extended.poset.sub(kept), extended.gaps[np.ix_(rows, rows)])
        assert check_decoy(alone, item, decoy_name(item), decoy_gap) == ()


def test_three_things_called_an_epsilon_front():
    model = DuelModel.from_relations([("a", "d", 0.4), ("d", "b", 0.3), ("a", "b", 0.01)])
    # No member beats a member by more than ε, though the outsider d beats b clearly.
    assert model.is_eps_approximation(["a", "b"], 0.05)
    assert model.is_eps_approximation(["a"], 0.05)
    assert model.eps_front(0.05) == ("a",)


@pytest.mark.parametrize(("items", "chain"), [(["a", "b"], True), (["b", "c"], False)])
def test_a_chain_asks_for_either_direction(items, chain):
    poset = Poset.from_relations([("a", "b"), ("a", "c")])
    assert poset.is_chain(items) is chain
    assert poset.is_chain(items[::-1]) is chain
