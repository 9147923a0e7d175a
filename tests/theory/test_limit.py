"""The information limit against the definition it comes from: other models, and their laws."""

import itertools
import json
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from antichain._intervals import mean_interval
from antichain.errors import ParameterError
from antichain.evidence._bet import divergence_from_even
from antichain.orders import DuelModel, Poset
from antichain.orders._generators import antichain, chains, dominance, layered, total_order
from antichain.orders._implicit import ImplicitChains
from antichain.theory import limit, limit_if_any
from antichain.theory._information_limit import MOST_ITEMS, divergence_to_even

from ..orders.decoy_models import extend
from ..orders.strategies import models

NEXT_TO_NOTHING = 1e-9  # a gap whose divergence, 2e-18, no linear program sees


def kl(p, q):
    """The Bernoulli divergence from its definition."""
    terms = [(p, q), (1 - p, 1 - q)]
    return sum(x * math.log(x / y) for x, y in terms if x > 0)


def chances(model, decoy_gap):
    """The chance of the left in every duel: K items against K items, then K decoys."""
    extended = extend(model, model.items, decoy_gap)
    return 0.5 + extended.gaps[: model.size]


def divergences(true, other):
    """kl of each duel's law, once for a duel of two items."""
    size = len(true)
    found = np.array(
        [[kl(p, q) for p, q in zip(*rows, strict=True)] for rows in zip(true, other, strict=True)]
    )
    found[np.tril_indices(size)] = 0.0
    return found.ravel()


def other_models(model):
    """The models the limit is made of, built as `DuelModel`s, which checks that they are some."""
    above, gaps = model.poset.above, model.gaps
    front = np.flatnonzero(model.front_mask())
    for a, b in itertools.permutations(front, 2):
        new = np.append(np.flatnonzero(above[b]), b)
        new = new[~above[a, new]]
        changed, order = gaps.copy(), above.copy()
        order[a, new], changed[a, new], changed[new, a] = True, NEXT_TO_NOTHING, -NEXT_TO_NOTHING
        yield DuelModel(Poset(model.items, order), changed)
    for i in np.flatnonzero(~model.front_mask()):
        over = above[:, i]
        changed, order = gaps.copy(), above.copy()
        order[over, i], changed[over, i], changed[i, over] = False, 0.0, 0.0
        yield DuelModel(Poset(model.items, order), changed)


def least_duels(rows, constant):
    """The least Σn with n ≥ 0 and Σ n·kl ≥ k_δ for each row of divergences."""
    if not len(rows):
        return 0.0
    # In units of the largest need, so that the solver's tolerances are relative ones.
    unit = constant / min(row.max() for row in rows)
    matrix = np.array(rows) * unit / constant
    found = linprog(np.ones(matrix.shape[1]), A_ub=-matrix, b_ub=-np.ones(len(matrix)))
    assert found.success
    return found.fun * unit


@settings(deadline=None, max_examples=60)
@given(models(max_size=7), st.floats(0.001, 0.45), st.sampled_from([0.02, 0.1, 0.3]))
def test_the_parts_are_one_program_over_all_duels_and_models(model, delta, decoy_gap):
    found = limit(model, delta, decoy_gap)
    true = chances(model, decoy_gap)
    rows = []
    for other in other_models(model):
        assert set(other.front) != set(model.front)
        rows.append(divergences(true, chances(other, decoy_gap)))
    assert found.limit == pytest.approx(least_duels(rows, found.constant), rel=1e-6)
    assert found.limit == pytest.approx(found.dominated_part + found.front_part)
    assert found.front_part <= found.pairwise_front_part * (1 + 1e-9)


@cache
def orders_of(size):
    """Every partial order of that many items."""
    pairs = list(itertools.combinations(range(size), 2))
    found = []
    for ways in itertools.product((0, 1, 2), repeat=len(pairs)):
        above = np.zeros((size, size), dtype=bool)
        for (i, j), way in zip(pairs, ways, strict=True):
            if way:
                above[(i, j) if way == 1 else (j, i)] = True
        if not (above @ above & ~above).any():
            found.append(above)
    return found


def nearest_with(model, above):
    """The model with another order whose laws are nearest: old gaps kept, new ones tiny."""
    gaps = np.where(above, np.where(model.gaps > 0, model.gaps, NEXT_TO_NOTHING), 0.0)
    return DuelModel(Poset(model.items, above), gaps - gaps.T)


def test_orders_are_enumerated():
    assert [len(orders_of(size)) for size in (1, 2, 3, 4)] == [1, 3, 19, 219]  # OEIS A001035


@settings(deadline=None, max_examples=25)
@given(models(max_size=4, min_gap=0.01), st.sampled_from([0.02, 0.1]))
def test_no_other_model_brings_the_least_below_the_limit(model, decoy_gap):
    found = limit(model, 0.05, decoy_gap)
    true = chances(model, decoy_gap)
    others = [nearest_with(model, above) for above in orders_of(model.size)]
    rows = [
        divergences(true, chances(other, decoy_gap))
        for other in others
        if set(other.front) != set(model.front)
    ]
    assert found.limit <= least_duels(rows, found.constant) * (1 + 1e-6)


def test_that_a_witness_lies_below_has_a_price_which_the_limit_leaves_out():
    # y is below b and c, so that one test of a against y′ clears a of both; x and z likewise.
    model = DuelModel.from_relations(
        [("a", "x", 0.1), ("b", "x", 0.1), ("b", "y", 0.05), ("c", "y", 0.1),
         ("a", "z", 0.1), ("c", "z", 0.1)]
    )  # fmt: skip
    found = limit(model, 0.05, 0.01)
    assert found.cover == (1.0, 1.0, 1.0)
    true = chances(model, 0.01)
    family = [divergences(true, chances(other, 0.01)) for other in other_models(model)]
    assert least_duels(family, found.constant) == pytest.approx(found.limit)
    # One model more: a above b, and b not above y. The test against y′ tells nothing of it.
    above = model.poset.above.copy()
    a, b, y = model.poset.rows(["a", "b", "y"])
    above[a, b], above[b, y] = True, False
    more = divergences(true, chances(nearest_with(model, above), 0.01))
    assert least_duels([*family, more], found.constant) > found.limit * 1.001


@pytest.mark.parametrize("size", [1, 2, 10, 60])
def test_an_antichain_needs_a_test_for_each_ordered_pair(size):
    found = limit(antichain(size), 0.001, 0.01)
    constant = 0.998 * math.log(999)
    assert found.constant == pytest.approx(constant)
    expected = size * (size - 1) * constant / kl(0.5, 0.51)
    assert found.limit == pytest.approx(expected)
    assert found.front_part == found.pairwise_front_part == found.limit
    assert found.dominated_part == 0


def test_a_single_item_needs_nothing():
    found = limit(antichain(1), 0.1, 0.1)
    assert (found.limit, found.cover) == (0, (0.0,))


def test_a_total_order_needs_only_its_most_telling_duels():
    model = total_order(30, seed=1)
    found = limit(model, 0.01, 0.1)
    assert (found.front, found.front_part, found.pairwise_front_part) == (1, 0, 0)
    largest = [max(model.gaps[:i, i].max(), 0.1) for i in range(1, 30)]
    expected = sum(0.98 * math.log(99) / kl(0.5 + gap, 0.5) for gap in largest)
    assert found.limit == pytest.approx(expected)


def test_a_cover_may_be_a_fraction():
    # Seen from a, each of three tests clears two of the three others: half of each is enough.
    witnesses = ["bc", "cd", "bd"]
    relations = [(upper, w, 0.2) for w in witnesses for upper in w]
    model = DuelModel.from_relations(relations, ["a", "b", "c", "d", *witnesses])
    assert limit(model, 0.1, 0.1).cover == pytest.approx((1.5, 2.0, 2.0, 2.0))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "make",
    [
        lambda seed: layered(8, 16, 3, seed=seed),
        lambda seed: layered(9, 12, 2, seed=seed, parents="binomial:0.4"),
        lambda seed: dominance(80, 3, seed=seed),
    ],
    ids=["layered", "few parents", "dominance"],
)
def test_covers_are_those_of_the_programs_nothing_was_dropped_from(make, seed):
    model = make(seed)
    above = model.poset.above | np.eye(model.size, dtype=bool)
    front = np.flatnonzero(model.front_mask())
    expected = []
    for a in front:
        others = front[front != a]
        holds = above[np.ix_(others, np.flatnonzero(~above[a]))].astype(float)
        ones = np.ones(holds.shape[1])
        expected.append(linprog(ones, A_ub=-holds, b_ub=-np.ones(len(others))).fun)
    assert limit(model, 0.1, 0.1).cover == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    ("shape", "seeds", "expected"), [((5, 10, 10), 100, 3.43e5), ((20, 40, 10), 20, 1.36e6)]
)
def test_the_papers_posets_come_out_as_the_design_says(shape, seeds, expected):
    found = [limit(layered(*shape, seed=seed), 0.001, 0.01).limit for seed in range(seeds)]
    assert mean_interval(found).middle == pytest.approx(expected, rel=0.02)


@settings(deadline=None, max_examples=30)
@given(models(max_size=7), st.floats(0.001, 0.2), st.floats(0.01, 0.2), st.floats(1.01, 2.0))
def test_more_certainty_and_weaker_decoys_cost_more(model, delta, decoy_gap, factor):
    found = limit(model, delta, decoy_gap)
    for easier in (
        limit(model, delta * factor, decoy_gap),
        limit(model, delta, decoy_gap * factor),
    ):
        assert easier.limit <= found.limit
        assert easier.front_part < found.front_part or found.front == 1
        assert easier.cover == pytest.approx(found.cover)
    assert limit(model, delta * factor, decoy_gap).constant < found.constant


@given(st.floats(1e-4, 0.4999))
def test_divergences_are_those_of_the_definition(gap):
    assert divergence_from_even(gap) == pytest.approx(kl(0.5, 0.5 + gap), rel=1e-6)
    assert divergence_to_even(gap) == pytest.approx(kl(0.5 + gap, 0.5), rel=1e-6)


@given(st.floats(1e-12, 1e-5))
def test_small_gaps_lose_no_digits(gap):
    # Both series begin with 2g² and differ from it by a share of the order of g².
    assert divergence_from_even(gap) == pytest.approx(2 * gap**2, rel=1e-9)
    assert divergence_to_even(gap) == pytest.approx(2 * gap**2, rel=1e-9)


def test_a_sure_duel_tells_a_bit():
    assert divergence_to_even(0.5) == math.log(2)
    assert divergence_to_even([0.0, np.nextafter(0.5, 0)]) == pytest.approx([0, math.log(2)])


@given(st.floats(1e-9, 0.4999))
def test_the_constant_is_the_divergence_of_the_two_errors(delta):
    constant = limit(antichain(1), delta, 0.1).constant
    assert constant == pytest.approx(kl(delta, 1 - delta), rel=1e-6)


def test_the_order_of_the_items_does_not_matter():
    model = layered(6, 12, 4, seed=3)
    shuffle = np.random.default_rng(0).permutation(model.size)
    names = [model.items[row] for row in shuffle]
    other = DuelModel(model.poset.sub(names), model.gaps[np.ix_(shuffle, shuffle)])
    assert limit(other, 0.01, 0.02).limit == pytest.approx(limit(model, 0.01, 0.02).limit)


def test_an_implicit_order_is_put_into_matrices_if_it_is_small():
    implicit = ImplicitChains(3, 4, seed=2)
    assert limit(implicit, 0.01, 0.1) == limit(implicit.to_model(), 0.01, 0.1)
    with pytest.raises(ParameterError, match="100000 items, but at most most_items = 2000"):
        limit(ImplicitChains(100, 1000), 0.01, 0.1)
    with pytest.raises(ParameterError, match="12 items, but at most most_items = 11"):
        limit(implicit, 0.01, 0.1, most_items=11)


@pytest.mark.parametrize("delta", [0, 0.5, 0.7, 1, math.nan, "low"])
def test_a_delta_that_a_coin_satisfies_is_refused(delta):
    with pytest.raises(ParameterError, match=r"delta is .* between 0 and 0\.5"):
        limit(antichain(3), delta, 0.1)


@pytest.mark.parametrize("decoy_gap", [0, 0.5, -0.1, math.nan, 1e-200])
def test_decoys_that_are_none_are_refused(decoy_gap):
    with pytest.raises(ParameterError, match="decoy_gap is"):
        limit(antichain(3), 0.1, decoy_gap)


def test_extreme_numbers_stay_finite():
    assert 700 < limit(antichain(2), 5e-324, 0.1).constant < 750
    assert math.isfinite(limit(total_order(3), 1e-300, 1e-100).limit)


def test_the_limit_if_there_is_any():
    model = chains(2, 3)
    assert limit_if_any(model, 0.1, 0.1) == limit(model, 0.1, 0.1).limit
    assert limit_if_any(model, 0.5, 0.1) is None
    assert limit_if_any(total_order(MOST_ITEMS + 1), 0.1, 0.1) is None


def test_the_numbers_are_json():
    found = limit(dominance(40, 3, seed=5), 0.01, 0.05)
    read = json.loads(json.dumps(found.to_dict()))
    assert read["limit"] == found.limit
    assert list(read) == [
        "items", "front", "limit", "dominated_part", "front_part", "pairwise_front_part", "constant"
    ]  # fmt: skip


def orientations(model):
    """Every order with the same comparable pairs."""
    pairs = np.argwhere(np.triu(model.poset.above | model.poset.above.T))
    for ways in itertools.product((False, True), repeat=len(pairs)):
        above = np.zeros((model.size, model.size), dtype=bool)
        above[tuple(np.where(np.array(ways)[:, None], pairs, pairs[:, ::-1]).T)] = True
        if not (above @ above & ~above).any():
            yield above


def front_of(above):
    return frozenset(np.flatnonzero(~above.any(axis=0)).tolist())


def turned(model, above):
    """What a duel of each pair tells that points the other way, once for each pair."""
    told = np.where(model.poset.above & above.T, divergence_to_even(np.abs(model.gaps)), 0.0)
    return told.ravel()


@settings(deadline=None, max_examples=80)
@given(models(max_size=5, min_gap=0.01))
def test_what_tells_the_order_is_one_program_over_all_orders_of_the_same_pairs(model):
    found = limit(model, 0.05, None)
    rows = [
        turned(model, above)
        for above in orientations(model)
        if front_of(above) != front_of(model.poset.above)
    ]
    shown = least_duels(rows, found.constant)
    met = 0.9 * (model.size - len(model.front))
    assert found.dominated_part == pytest.approx(max(shown, met), rel=1e-6)


@settings(deadline=None, max_examples=25)
@given(models(max_size=4, min_gap=0.01))
def test_no_order_of_other_pairs_brings_the_least_below_the_observable_limit(model):
    found, own = limit(model, 0.05, None), model.poset.above
    rows = []
    for above in orders_of(model.size):
        if front_of(above) == front_of(own):
            continue
        differ = np.triu((above | above.T) != (own | own.T))
        if not differ.any():
            rows.append(turned(model, above))
        elif not (above & own.T).any():  # to be told apart, one of these pairs must be met
            rows.append(differ.ravel() * found.constant / 0.9)
    assert found.limit <= least_duels(rows, found.constant) * (1 + 1e-6)


def test_observable_limits_known_by_hand():
    a_test = limit(total_order(2, gaps="constant:0.2"), 0.01, None)
    assert a_test.limit == pytest.approx(a_test.constant / kl(0.7, 0.5))
    assert limit(total_order(5, gaps="constant:0.2"), 0.01, None).limit == pytest.approx(
        4 * a_test.limit
    )
    assert limit(chains(3, 4, gaps="constant:0.2"), 0.01, None).limit == pytest.approx(
        9 * a_test.limit + 0.98 * 3
    )
    assert limit(antichain(6), 0.01, None).limit == pytest.approx(0.98 * 15)
    n_shape = DuelModel.from_relations([("a", "c", 0.2), ("b", "c", 0.1), ("b", "d", 0.1)])
    assert limit(n_shape, 0.01, None).dominated_part == pytest.approx(a_test.limit)
