import sys
from itertools import combinations, pairwise

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.errors import MissingExtraError, OrderError, ParameterError
from antichain.orders import Poset
from antichain.orders._generators import random_dag

from . import brute
from .strategies import posets

DIAMOND = Poset.from_relations([("top", "l"), ("top", "r"), ("l", "end"), ("r", "end")])


@given(posets())
def test_front_is_what_nothing_is_above(poset):
    expected = [a for a in poset.items if not any(poset.is_above(b, a) for b in poset.items)]
    assert list(poset.front) == expected


@given(posets())
def test_height_and_longest_chain(poset):
    assert poset.height == brute.largest(poset.items, poset.comparable)
    chain = poset.longest_chain
    assert len(chain) == poset.height
    assert all(poset.is_above(a, b) for a, b in combinations(chain, 2))


@given(posets())
def test_width_and_longest_antichain(poset):
    assert poset.width == brute.largest(poset.items, poset.incomparable)
    assert len(poset.longest_antichain) == poset.width
    assert poset.is_antichain(poset.longest_antichain)


@given(posets())
def test_hasse_edges_are_the_covers_and_close_back(poset):
    assert set(poset.hasse_edges()) == brute.covers(poset)
    assert Poset.from_relations(poset.hasse_edges(), poset.items) == poset


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda p: p[0] < p[1])))
def test_closure(pairs):
    names = "abcdefgh"
    relations = {(names[i], names[j]) for i, j in pairs}
    poset = Poset.from_relations(relations, list(names))
    assert set(poset.relations()) == brute.closure(relations)


@given(posets(), st.data())
def test_chains_and_antichains(poset, data):
    chosen = data.draw(st.sets(st.sampled_from(poset.items)))
    pairs = list(combinations(chosen, 2))
    outside = set(poset.items) - chosen
    is_chain = all(poset.comparable(a, b) for a, b in pairs)
    is_antichain = all(poset.incomparable(a, b) for a, b in pairs)
    assert poset.is_chain(chosen) == is_chain
    assert poset.is_antichain(chosen) == is_antichain
    assert poset.is_maximal_chain(chosen) == (
        is_chain and not any(poset.is_chain(chosen | {a}) for a in outside)
    )
    assert poset.is_maximal_antichain(chosen) == (
        is_antichain and not any(poset.is_antichain(chosen | {a}) for a in outside)
    )


@given(posets(), st.data())
def test_maximal_chain_contains_what_was_given_and_cannot_grow(poset, data):
    given_item = data.draw(st.sampled_from(poset.items))
    chain = poset.maximal_chain([given_item, given_item])
    assert given_item in chain
    assert all(poset.is_above(a, b) for a, b in combinations(chain, 2))
    assert not any(poset.is_chain({*chain, a}) for a in set(poset.items) - set(chain))
    assert chain[0] in poset.front


@given(posets(), st.data())
def test_sub_keeps_the_order_between_the_chosen(poset, data):
    chosen = data.draw(st.lists(st.sampled_from(poset.items), unique=True, min_size=1))
    sub = poset.sub(chosen)
    assert sub.items == tuple(chosen)
    assert all(sub.is_above(a, b) == poset.is_above(a, b) for a in chosen for b in chosen)


@given(posets())
def test_above_of_and_below_of(poset):
    for item in poset.items:
        assert all(poset.is_above(a, item) for a in poset.above_of(item))
        assert all(poset.is_above(item, b) for b in poset.below_of(item))
    relations = sum(len(poset.above_of(item)) + len(poset.below_of(item)) for item in poset.items)
    assert relations == 2 * len(poset.relations())


@given(posets())
def test_round_trips(poset):
    assert Poset.from_relations(poset.relations(), poset.items, "reject") == poset
    assert Poset.from_matrix(poset.above, poset.items, "reject") == poset
    assert Poset.from_networkx(poset.to_networkx(), "reject") == poset
    assert hash(Poset(poset.items, poset.above)) == hash(poset)


def test_small_things():
    assert len(DIAMOND) == 4
    assert "l" in DIAMOND
    assert "nobody" not in DIAMOND
    assert DIAMOND.index["r"] == DIAMOND.row("r") == 2
    assert repr(DIAMOND) == "Poset(4 items, 5 relations)"
    assert repr(Poset.from_relations([("a", "b")])) == "Poset(2 items, 1 relation)"
    assert Poset.from_relations([("top", "l"), ("l", "end")], DIAMOND.items) != DIAMOND
    assert DIAMOND != "a poset"
    assert Poset.from_matrix([[0, 1], [0, 0]]).items == ("item-1", "item-2")
    assert DIAMOND.comparable("l", "l")


def test_items_keep_the_order_in_which_relations_name_them():
    assert Poset.from_relations([("b", "c"), ("a", "c")]).items == ("b", "c", "a")


def test_it_cannot_be_changed():
    source = np.array([[False, True], [False, False]])
    poset = Poset(("a", "b"), source)
    source[0, 1] = False
    assert poset.is_above("a", "b")
    with pytest.raises(ValueError, match="read-only"):
        poset.above[0, 1] = False
    with pytest.raises(AttributeError):
        poset.items = ("c", "d")


def test_a_large_order_is_closed_in_reasonable_time():
    size = 1500
    path = np.eye(size, k=1, dtype=bool)
    poset = Poset.from_matrix(path)
    assert poset.height == size
    assert poset.width == 1


def test_width_of_a_dense_order_in_reasonable_time():
    """On this one scipy's own bipartite matching does not end."""
    poset = random_dag(600, 0.3, seed=0).poset
    assert poset.width == len(poset.longest_antichain) == 8
    assert poset.is_antichain(poset.longest_antichain)


@pytest.mark.parametrize(
    ("relations", "items", "says"),
    [
        ([("a", "b"), ("b", "c"), ("c", "a")], None, "the relations have the cycle"),
        ([("a", "a")], None, "'a' is given as above itself"),
        ([("a", "b"), ("b", "a")], None, "'a' and 'b' are each given as above the other"),
        ([("a", "b")], ["a", "c"], "'b' is not an item"),
        ([("a", "b")], ["a", "b", "a"], "'a' is given twice"),
        ([("a", "b")], ["a", "b", ""], "non-empty string was expected"),
        ([("a", 3)], None, "an item is 3, but a non-empty string was expected"),
        ([("a", "b", "c")], None, "a pair of items was expected"),
        ([7], None, "a relation is 7, but a pair of items was expected"),
        ([], None, "at least one was expected"),
        ([], "abc", "the one string 'abc'"),
        ([("a", "b")], ["a", "b", ["c"]], "non-empty string"),
    ],
)
def test_bad_relations(relations, items, says):
    with pytest.raises(OrderError, match=says):
        Poset.from_relations(relations, items)


def test_a_cycle_is_named_with_its_items_and_no_others():
    relations = [("x", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "z")]
    with pytest.raises(OrderError) as caught:
        Poset.from_relations(relations)
    cycle = str(caught.value).split("the cycle ")[1].split(",")[0].split(" ≻ ")
    assert cycle[0] == cycle[-1]
    assert set(cycle) == {"a", "b", "c"}
    assert all(step in relations for step in pairwise(cycle))


def test_a_long_cycle_is_cut_short():
    names = [f"n{i}" for i in range(30)]
    with pytest.raises(OrderError, match="≻ …, but none"):
        Poset.from_relations(zip(names, [*names[1:], names[0]], strict=True))


def test_reject_names_a_triple():
    with pytest.raises(OrderError, match="'a' ≻ 'b' ≻ 'c' but 'a' is not given as above 'c'"):
        Poset.from_relations([("a", "b"), ("b", "c")], transitivity="reject")
    with pytest.raises(OrderError, match="transitive relation was expected"):
        Poset(("a", "b", "c"), np.eye(3, k=1, dtype=bool))


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        ([[0, 1]], "shape"),
        ([0, 1], "shape"),
        ([[0, 2], [0, 0]], "entries other than 0 and 1"),
        ([[0, float("nan")], [0, 0]], "entries other than 0 and 1"),
        ([["a", "b"], ["c", "d"]], "entries other than 0 and 1"),
        ([[1, 0], [0, 0]], "above itself"),
        ([[0, 1], [1, 0]], "each given as above the other"),
    ],
)
def test_bad_matrices(matrix, says):
    with pytest.raises(OrderError, match=says):
        Poset.from_matrix(matrix)


def test_bad_calls():
    with pytest.raises(ParameterError, match="'close' or 'reject'"):
        Poset.from_relations([("a", "b")], transitivity="maybe")
    with pytest.raises(OrderError, match="undirected"):
        Poset.from_networkx(networkx.path_graph(3))
    with pytest.raises(OrderError, match="'nobody' is not an item"):
        DIAMOND.is_above("nobody", "top")
    with pytest.raises(OrderError, match="are not a chain"):
        DIAMOND.maximal_chain(["l", "r"])
    with pytest.raises(OrderError, match="'l' is given twice"):
        DIAMOND.sub(["l", "l"])


def test_networkx_nodes_are_named_by_str():
    graph = networkx.DiGraph([(1, 2), (2, 3)])
    assert Poset.from_networkx(graph).front == ("1",)


def test_without_networkx_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'antichain\[graphs\]'"):
        Poset.from_relations([("a", "b")]).to_networkx()
