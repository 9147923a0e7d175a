"""Implication classes, found pair by pair, against their definition."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain.errors import OrderError
from antichain.orders._implications import Implications

from .strategies import posets


def by_definition(poset: ac.Poset) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """For each ordered comparable pair, those that must point the same way: Γ and its closure."""
    size = len(poset)
    joined = poset.above | poset.above.T
    pairs = [(a, b) for a in range(size) for b in range(size) if joined[a, b]]
    classes = {pair: {pair} for pair in pairs}
    for a, b in pairs:
        for c in range(size):
            for tied in ((a, c), (c, b)):
                other = b if tied[0] == a else a
                if tied in classes and c not in (a, b) and not joined[other, c]:
                    merged = classes[a, b] | classes[tied]
                    for pair in merged:
                        classes[pair] = merged
    return classes


@settings(deadline=None)
@given(posets(max_size=7), st.randoms(use_true_random=False))
def test_classes_are_those_of_the_definition(poset: ac.Poset, random) -> None:
    order = Implications(len(poset))
    pairs = list(combinations(range(len(poset)), 2))
    random.shuffle(pairs)
    joined = poset.above | poset.above.T
    for one, other in pairs:
        order.note(one, other, comparable=bool(joined[one, other]))
    classes = by_definition(poset)
    for (a, b), (c, d) in combinations(classes, 2):
        same = order.find(a, b) == order.find(c, d)
        assert same == ((c, d) in classes[a, b])


@settings(deadline=None)
@given(posets(max_size=8), st.randoms(use_true_random=False))
def test_what_follows_from_true_answers_is_true(poset: ac.Poset, random) -> None:
    order = Implications(len(poset))
    pairs = list(combinations(range(len(poset)), 2))
    random.shuffle(pairs)
    for one, other in pairs:
        upper, lower = (one, other) if poset.above[one, other] else (other, one)
        order.note(one, other, comparable=bool(poset.above[upper, lower]))
        if poset.above[upper, lower] and random.random() < 0.3:
            order.decide(upper, lower)
    told = set(order.news)
    assert all(poset.above[upper, lower] for upper, lower in told)
    decided = [(a, b) for a, b in order.pairs if order.above(a, b) is not None]
    assert {frozenset(pair) for pair in told} == {frozenset(pair) for pair in decided}


def test_an_answer_that_fits_no_order_is_refused() -> None:
    order = Implications(5)
    ring = {frozenset((k, (k + 1) % 5)) for k in range(5)}  # no order has this graph
    pairs = list(combinations(range(5), 2))
    for one, other in pairs[:-1]:
        order.note(one, other, comparable=frozenset((one, other)) in ring)
    with pytest.raises(OrderError, match="no order fits"):
        order.note(*pairs[-1], comparable=frozenset(pairs[-1]) in ring)


def test_what_was_decided_first_stays() -> None:
    order = Implications(2)
    order.note(0, 1, comparable=True)
    order.decide(0, 1)
    order.decide(1, 0)
    assert order.above(0, 1)
    assert order.news == [(0, 1)]
    assert np.array_equal(order.members(order.find(0, 1)[0]), [0])
