import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.errors import OrderError, ParameterError
from antichain.orders import DuelModel
from antichain.orders._duel_law import decoy_gap_pairs

from .decoy_models import check_decoy, extend
from .strategies import models

decoy_gaps = st.floats(0.01, 0.49)
# b ≻ a, with c beside them.
PAIR = DuelModel.from_relations([("b", "a", 0.2)], ["a", "b", "c"])


def conditions(model, item, decoy, decoy_gap):
    return {(found.condition, found.item) for found in check_decoy(model, item, decoy, decoy_gap)}


@given(models(max_size=6), decoy_gaps, st.data())
def test_added_decoys_pass_the_validator_and_leave_the_model_alone(model, decoy_gap, data):
    chosen = data.draw(st.lists(st.sampled_from(model.items), unique=True))
    extended = extend(model, chosen, decoy_gap)
    assert extended.items == (*model.items, *(f"{item}′" for item in chosen))
    assert extended.front == model.front
    assert np.array_equal(extended.gaps[: model.size, : model.size], model.gaps)
    for item in chosen:
        assert check_decoy(extended, item, f"{item}′", decoy_gap) == ()


@given(models(max_size=6), decoy_gaps)
def test_decoys_tell_comparable_items_and_the_direction(model, decoy_gap):
    """The proposition "Decoys and incomparability", with the direction of the fourth condition."""
    extended = extend(model, model.items, decoy_gap)
    for a in model.items:
        for b in model.items:
            gap = extended.gap(a, f"{b}′")
            assert (gap >= decoy_gap) == (a == b or model.poset.is_above(a, b))
            assert gap in (0.0, max(model.gap(a, b), decoy_gap))


@given(models(max_size=6), decoy_gaps)
def test_decoy_gaps_by_index_and_distances_are_those_of_the_extended_model(model, decoy_gap):
    extended = extend(model, model.items, decoy_gap)
    everything = np.arange(model.size)
    for i in everything:
        pairs = decoy_gap_pairs(model, everything, np.full(model.size, i), decoy_gap)
        assert np.array_equal(pairs, extended.gaps[: model.size, model.size + i])
    assert np.array_equal(extended.distances()[model.size :], model.decoy_distances(decoy_gap))


def test_the_errata_s_example_fails_the_fourth_condition_only():
    model = DuelModel.from_relations(
        [
            ("b", "a", 0.2),
            ("b", "b′", 0.1),
            ("a", "b′", 0.3),
            ("a", "a′", 0.1),
            ("b", "a′", 0.1),
        ]
    )
    assert conditions(model, "b", "b′", 0.1) == {("direction", "a")}
    assert conditions(model, "a", "a′", 0.1) == set()


def test_too_close_below_its_item():
    model = DuelModel.from_relations([("a", "d", 0.05)])
    assert conditions(model, "a", "d", 0.1) == {("below", "a")}
    assert conditions(model, "a", "d", 0.05) == set()


def test_not_below_its_item_at_all():
    model = DuelModel.from_relations([("d", "a", 0.2)])
    assert conditions(model, "a", "d", 0.1) == {("below", "a")}


def test_comparable_to_what_its_item_is_incomparable_to():
    above = DuelModel.from_relations([("a", "d", 0.2), ("c", "d", 0.2)])
    assert conditions(above, "a", "d", 0.1) == {("incomparable", "c"), ("direction", "c")}
    # Whatever is below the decoy is below the item, so only this direction is left to fail.
    below = DuelModel.from_relations([("a", "d", 0.2), ("a", "c", 0.2), ("d", "c", 0.2)])
    assert conditions(below, "a", "d", 0.1) == set()


def test_too_close_below_what_is_above_its_item():
    model = DuelModel.from_relations([("b", "a", 0.3), ("a", "d", 0.2), ("b", "d", 0.01)])
    found = check_decoy(model, "a", "d", 0.1)
    assert [(one.condition, one.item) for one in found] == [("margin", "b")]
    assert found[0].message == "'b' beats the decoy 'd' by 0.01, but at least 0.1 was expected."


def test_names():
    assert extend(PAIR, ["a"], 0.1, name="worse {}".format).items[-1] == "worse a"
    with pytest.raises(OrderError, match="named 'b', but a name no item has"):
        extend(PAIR, ["a"], 0.1, name=lambda item: "b")
    with pytest.raises(OrderError, match="given twice"):
        extend(PAIR, ["a", "b"], 0.1, name=lambda item: "decoy")


def test_bad_calls():
    with pytest.raises(ParameterError, match="decoy_gap is 0,"):
        extend(PAIR, ["a"], 0)
    with pytest.raises(ParameterError, match=r"decoy_gap is 0\.7,"):
        check_decoy(PAIR, "a", "b", 0.7)
    with pytest.raises(OrderError, match="'nobody' is not an item"):
        extend(PAIR, ["nobody"], 0.1)
    with pytest.raises(OrderError, match="'a' is given as its own decoy"):
        check_decoy(PAIR, "a", "a", 0.1)
