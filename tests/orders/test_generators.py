import hashlib
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.errors import ParameterError
from antichain.orders import _generators
from antichain.orders._generators import (
    antichain,
    chains,
    dominance,
    layered,
    layered_of,
    random_dag,
    total_order,
)

from . import brute

SMALL = {
    "layered": lambda **options: layered(3, 4, 3, **options),
    "total_order": lambda **options: total_order(6, **options),
    "antichain": lambda **options: antichain(6, **options),
    "chains": lambda **options: chains(3, [1, 2, 3], **options),
    "dominance": lambda **options: dominance(20, 2, **options),
    "random_dag": lambda **options: random_dag(12, 0.3, **options),
}


@given(
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(1, 5),
    st.sampled_from(["uniform", "one", "all", "binomial", "binomial:0.2"]),
    st.integers(0, 1000),
)
def test_layered_structure(front, more, height, parents, seed):
    width = front + more
    model = layered(front, width, height, seed, parents)
    poset = model.poset
    assert model.size == front + width * (height - 1)
    assert model.front == tuple(f"front-{i + 1}" for i in range(front))
    assert poset.height == height
    # With one layer there are no chains; else each chain and the front are antichains' bounds.
    assert poset.width >= (width if height > 1 else front)
    if height > 1:
        for chain in range(1, width + 1):
            members = [f"c{chain}-{i}" for i in range(1, height)]
            assert poset.is_chain(members)
            uppers = set(poset.above_of(members[-1])) - set(members)
            assert 1 <= len(uppers) <= front
            assert uppers <= set(model.front)
            assert set(poset.above_of(members[0])) == uppers
            if parents == "one":
                assert len(uppers) == 1
            if parents == "all":
                assert uppers == set(model.front)


def test_the_paper_s_defaults():
    widths = []
    for seed in range(20):
        model = layered(front=5, width=10, height=10, seed=seed)
        assert (model.size, len(model.front), model.poset.height) == (95, 5, 10)
        widths.append(model.poset.width)
    assert set(widths) == {10}


def test_the_true_width_can_exceed_what_was_asked_with_one_parent_each():
    assert any(layered(5, 10, 10, seed, "one").poset.width > 10 for seed in range(20))


def numbers_of_parents(parents):
    model = layered(4, 300, 2, seed=5, parents=parents)
    return model.poset.above[:4, 4:].sum(axis=0)


def test_laws_of_the_number_of_parents():
    counts = np.bincount(numbers_of_parents("uniform"), minlength=5)
    assert counts[0] == 0
    # 300 chains, 75 expected of each number, standard deviation 7.5.
    assert np.abs(counts[1:] - 75).max() < 35
    assert set(numbers_of_parents("binomial:0")) == {1}
    assert set(numbers_of_parents("binomial:1")) == {4}
    assert numbers_of_parents("binomial").mean() == pytest.approx(2.5, abs=0.3)


def test_total_order_and_antichain():
    model = total_order(5)
    assert model.poset.is_chain(model.items)
    assert model.front == ("item-1",)
    assert antichain(5).front == antichain(5).items


def test_chains():
    model = chains(3, [1, 2, 3])
    assert model.items == ("c1-1", "c2-1", "c2-2", "c3-1", "c3-2", "c3-3")
    assert model.front == ("c1-1", "c2-1", "c3-1")
    assert (model.poset.width, model.poset.height) == (3, 3)
    assert len(model.poset.relations()) == 0 + 1 + 3
    assert chains(3, 2).size == 6


def test_dominance_compares_points():
    model = dominance(30, 2, seed=4)
    points = np.random.default_rng(4).spawn(2)[0].random((30, 2))
    for i, j in product(range(30), repeat=2):
        assert model.poset.above[i, j] == (i != j and (points[i] >= points[j]).all())
    assert dominance(10, 1).poset.height == 10


def test_random_dag_from_nothing_to_everything():
    assert random_dag(8, 0).poset.width == 8
    assert random_dag(8, 1).poset.height == 8
    assert 0 < len(random_dag(8, 0.3).poset.hasse_edges()) < 28


@pytest.mark.parametrize("name", SMALL)
def test_the_seed_is_the_model(name):
    make = SMALL[name]
    assert make(seed=3) == make(seed=3) == make(seed=np.random.default_rng(3))
    if name != "antichain":
        assert make(seed=3) != make(seed=4)


@pytest.mark.parametrize("name", SMALL)
def test_the_order_does_not_depend_on_the_law_of_the_gaps(name):
    make = SMALL[name]
    model = make(seed=3, gaps="bradley-terry")
    assert model.poset == make(seed=3).poset
    assert brute.strongly_transitive(model)


def test_the_paper_s_poset_stays_what_it_was():
    """Published numbers are tied to seeds, so a seed must give the same model for ever."""
    model = layered(5, 10, 10, seed=0)
    order = hashlib.sha256(np.packbits(model.poset.above).tobytes()).hexdigest()[:16]
    assert order == "c4588b628ff40ba1"
    assert model.gap("c1-1", "c1-2") == 0.0976062809435504


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: layered(0, 1, 1), "front is 0, but a whole number of at least 1"),
        (lambda: layered(5, 4, 2), "width is 4, but a whole number of at least the front"),
        (lambda: layered(5, 5, 0), "height is 0"),
        (lambda: layered(5, 5, 2.0), r"height is 2\.0"),
        (lambda: layered(True, 5, 2), "front is True"),
        (lambda: layered(2, 2, 2, parents="two"), "parents is 'two'"),
        (lambda: layered(2, 2, 2, parents="binomial:x"), "parents is 'binomial:x'"),
        (lambda: layered(2, 2, 2, parents="binomial:2"), "parents is 'binomial:2'"),
        (lambda: layered(2, 2, 1, parents="two"), "parents is 'two'"),
        (lambda: layered(2, 2, 2, gaps="normal"), "gaps is 'normal'"),
        (lambda: layered(2, 2, 2, seed=-1), "seed is -1, but a whole number of at least 0"),
        (lambda: layered(2, 2, 2, seed="x"), "seed is 'x'"),
        (lambda: total_order(0), "n is 0"),
        (lambda: antichain(-3), "n is -3"),
        (lambda: chains(0, 3), "count is 0"),
        (lambda: chains(2, 0), "length is 0"),
        (lambda: chains(2, "33"), "length is '33'"),
        (lambda: chains(2, [3]), "1 lengths are given, but 2 were expected"),
        (lambda: chains(2, [3, 0]), "length is 0"),
        (lambda: dominance(3, 0), "dimensions is 0"),
        (lambda: random_dag(3, 1.5), r"probability is 1\.5"),
        (lambda: random_dag(3, float("nan")), "probability is nan"),
    ],
)
def test_bad_arguments(call, says):
    with pytest.raises(ParameterError, match=says):
        call()


def test_public_names_are_the_generators():
    public = {"layered", "total_order", "antichain", "chains", "dominance", "random_dag"}
    assert public == set(_generators.__all__)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: layered(5, 1000, 1000), "antichain.ImplicitChains, ImplicitTotalOrder and "),
        (lambda: total_order(16_385), "antichain.ImplicitTotalOrder"),
        (lambda: antichain(16_385), "antichain.ImplicitChains"),
        (lambda: chains(129, 128), "antichain.ImplicitChains"),
        (lambda: dominance(16_385, 2), "antichain.ImplicitDominance"),
        (lambda: random_dag(16_385, 0.1), "ImplicitDominance"),
    ],
)
def test_an_order_too_large_for_a_matrix_is_refused_with_what_to_use_instead(
    make, named, monkeypatch
):
    with pytest.raises(ParameterError, match="16,384 were expected") as caught:
        make()
    assert "Implicit" not in str(caught.value)  # which nobody can type
    monkeypatch.setattr("antichain._option_names._typed", False)
    with pytest.raises(ParameterError) as caught:
        make()
    assert named in str(caught.value)


def test_a_width_below_the_front_is_told_with_the_front():
    with pytest.raises(ParameterError, match=r"width is 2, .* at least the front \(20\)"):
        layered(20, 2, 3)


@pytest.mark.parametrize("items", [1, 2, 7, 20, 95])
def test_layered_posets_of_a_size_have_it_exactly(items):
    for front in range(1, items + 1):
        model = _generators.layered_of(items, front, seed=front)
        assert (model.size, len(model.front)) == (items, front)
        rest = items - front
        # The longest chain is a front item with the longest of at most 2·front chains below.
        assert model.poset.height == 1 + -(-rest // (2 * front))


def test_a_front_larger_than_the_items_is_refused():
    with pytest.raises(ParameterError, match="front is 4"):
        _generators.layered_of(3, 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: layered(2, 2**40, 3),
        lambda: layered(2**40, 2**40, 1),
        lambda: layered_of(2**40, 2**39),
        lambda: chains(2**40, 1),
        lambda: dominance(3, 2**40),
    ],
)
def test_what_cannot_be_held_is_refused_before_anything_is_made(make) -> None:
    with pytest.raises(ParameterError, match="at most"):
        make()
