from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.errors import OrderError, ParameterError
from antichain.orders import DuelModel, Poset
from antichain.orders._duel_law import Duels
from antichain.orders._model import eps_front_mask

from . import brute
from .strategies import models

# a ≻ d ≻ b, with a hardly above b: the errata's example of an ε-approximation that is not exact.
CLOSE = DuelModel.from_relations([("a", "d", 0.4), ("d", "b", 0.3), ("a", "b", 0.01)])
epsilons = st.sampled_from([0.0, 0.01, 0.1, 0.25, 0.4, 0.5])


@given(models())
def test_gaps_by_name_and_by_index_agree(model):
    everything = np.arange(model.size)
    for i, left in enumerate(model.items):
        gaps = [model.gap(left, right) for right in model.items]
        assert model.gap_row(i, everything).tolist() == gaps
        assert model.gap_pairs(np.full(model.size, i), everything).tolist() == gaps
        below = [model.poset.is_above(left, right) for right in model.items]
        assert below == [gap > 0 for gap in gaps]


@given(models())
def test_distances_are_least_gaps_below_the_front(model):
    front = set(model.front)
    for item, distance in zip(model.items, model.distances(), strict=True):
        gaps = [model.gap(top, item) for top in front if model.poset.is_above(top, item)]
        assert distance == model.distance(item) == (0.0 if item in front else min(gaps))
    pairs = [(a, b) for a, b in product(front, model.items) if model.poset.is_above(a, b)]
    assert model.d_front == min((model.gap(a, b) for a, b in pairs), default=None)
    assert model.front == model.poset.front


@given(models(), st.floats(0.01, 0.49))
def test_decoy_distances_are_the_errata_s_formula(model, decoy_gap):
    expected = [
        min(
            max(model.gap(top, item), decoy_gap)
            for top in model.front
            if top == item or model.poset.is_above(top, item)
        )
        for item in model.items
    ]
    assert model.decoy_distances(decoy_gap).tolist() == expected


@given(models(), epsilons, st.data())
def test_epsilon_notions(model, eps, data):
    chosen = data.draw(st.sets(st.sampled_from(model.items)))
    near = all(abs(model.gap(a, b)) <= eps for a, b in product(chosen, chosen))
    assert model.is_eps_antichain(chosen, eps) == near
    assert model.is_eps_approximation(chosen, eps) == (near and chosen >= set(model.front))
    assert list(model.eps_front(eps)) == [
        a for a in model.items if not any(model.gap(b, a) > eps for b in model.items)
    ]
    assert all(
        model.indistinguishable(a, b, eps) == (abs(model.gap(a, b)) <= eps)
        for a, b in product(chosen, chosen)
    )


@given(models(), epsilons)
def test_eps_width(model, eps):
    expected = brute.largest(model.items, lambda a, b: model.indistinguishable(a, b, eps))
    exact = model.eps_width(eps)
    assert exact.exact
    assert exact.value == expected
    bound = model.eps_width(eps, exact_limit=0)
    assert not bound.exact
    assert model.poset.width <= bound.value <= expected


@given(models())
def test_eps_zero_is_the_order(model):
    assert model.eps_front(0.0) == model.front
    assert model.eps_width(0.0).value == model.poset.width


def test_a_search_that_needs_too_long_is_said_to_be_a_bound(monkeypatch):
    monkeypatch.setattr("antichain.orders._model._largest_independent", lambda clear: None)
    assert not CLOSE.eps_width(0.1).exact


def test_three_things_called_an_eps_front():
    assert CLOSE.is_eps_approximation({"a", "b"}, 0.05)
    assert CLOSE.is_eps_approximation({"a"}, 0.05)
    assert CLOSE.eps_front(0.05) == ("a",)


def test_eps_front_of_a_cycle_is_empty():
    cycle = np.array([[0.0, 0.2, -0.2], [-0.2, 0.0, 0.2], [0.2, -0.2, 0.0]])
    assert not eps_front_mask(cycle, 0.1).any()
    assert eps_front_mask(cycle, 0.2).all()


@given(models())
def test_round_trip_and_equality(model):
    again = DuelModel.from_relations(model.relations(), model.items)
    assert again == model
    assert hash(again) == hash(model)
    assert isinstance(model, Duels)


def test_it_cannot_be_changed():
    gaps = np.array([[0.0, 0.2], [-0.2, 0.0]])
    model = DuelModel(Poset.from_relations([("a", "b")]), gaps)
    gaps[0, 1] = 0.4
    model.distances()[1] = 7.0
    assert model.gap("a", "b") == model.distance("b") == 0.2
    with pytest.raises(ValueError, match="read-only"):
        model.gaps[0, 1] = 0.4
    assert model != DuelModel(model.poset, gaps * [[1, 1], [2, 1]])
    assert model != 3
    assert repr(model) == "DuelModel(2 items, front of 1)"


@pytest.mark.parametrize(
    ("gaps", "says"),
    [
        ([[0.0, 0.2]], "shape"),
        ([[0, 0.5, 0], [-0.5, 0, 0], [0, 0, 0]], "'a' over 'b' is 0.5, but .* strictly between"),
        ([[0, np.nan, 0], [-0.2, 0, 0], [0, 0, 0]], "'a' over 'b' is nan"),
        ([[0, 0.2, 0], [-0.1, 0, 0], [0, 0, 0]], "minus the gap the other way round"),
        ([[0, -0.2, 0], [0.2, 0, 0], [0, 0, 0]], "a positive gap"),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 0]], "'a' over 'b' is 0.0, but a positive gap"),
        ([[0, 0.2, 0.1], [-0.2, 0, 0], [-0.1, 0, 0]], "'a' over 'c' is 0.1, but 0"),
        ([[0.1, 0.2, 0], [-0.2, 0, 0], [0, 0, 0]], "'a' over 'a' is 0.1"),
    ],
)
def test_bad_gaps(gaps, says):
    poset = Poset.from_relations([("a", "b")], ["a", "b", "c"])
    with pytest.raises(OrderError, match=says):
        DuelModel(poset, gaps)


@pytest.mark.parametrize(
    ("relations", "says"),
    [
        ([("a", "b", 0.5)], "'a' over 'b' is 0.5, but a number strictly between 0 and 1/2"),
        ([("a", "b", 0)], "strictly between 0 and 1/2"),
        ([("a", "b", float("nan"))], "strictly between 0 and 1/2"),
        ([("a", "b", "0.1")], "strictly between 0 and 1/2"),
        ([("a", "b", True)], "strictly between 0 and 1/2"),
        ([("a", "b")], r"\(upper item, lower item, gap\) was expected"),
        ([3], r"\(upper item, lower item, gap\) was expected"),
        ([("a", "b", 0.1), ("a", "b", 0.2)], "'a' above 'b' is given twice"),
        ([("a", "b", 0.1), ("b", "a", 0.2)], "each given as above the other"),
        ([("a", "b", 0.1), ("b", "c", 0.2)], "'a' is not given as above 'c'"),
    ],
)
def test_bad_relations(relations, says):
    with pytest.raises(OrderError, match=says):
        DuelModel.from_relations(relations)


def test_bad_calls():
    with pytest.raises(OrderError, match="'nobody' is not an item"):
        CLOSE.gap("a", "nobody")
    with pytest.raises(ParameterError, match="epsilon is -1"):
        CLOSE.eps_front(-1)
    with pytest.raises(ParameterError, match="epsilon is nan"):
        CLOSE.eps_width(float("nan"))
    with pytest.raises(ParameterError, match=r"decoy_gap is 0\.5"):
        CLOSE.decoy_distances(0.5)


def test_a_gap_too_small_to_work_with_is_refused() -> None:
    with pytest.raises(OrderError, match="strictly between 0 and 1/2, of at least 1e-50, was"):
        DuelModel.from_relations([("a", "b", 5e-324)])
