"""The layout of Hasse diagrams, without drawing anything."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.orders import Poset, _generators
from antichain.orders._hasse_layout import _separated, crossings, hasse_layout, pieces


@st.composite
def posets(draw: st.DrawFn) -> Poset:
    size = draw(st.integers(1, 9))
    names = [f"i{n}" for n in range(size)]
    pairs = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Poset.from_relations(chosen, items=draw(st.permutations(names)))


def longest_chain_ending_in(poset: Poset, item: str) -> int:
    return max((1 + longest_chain_ending_in(poset, up) for up in poset.above_of(item)), default=0)


@given(posets())
def test_layers_are_depths_and_every_item_has_one_place(poset):
    layout = hasse_layout(poset)
    assert sorted(name for layer in layout.layers for name in layer) == sorted(poset.items)
    for depth, layer in enumerate(layout.layers):
        for name in layer:
            assert longest_chain_ending_in(poset, name) == depth
            assert layout.places[name][1] == -depth


@given(posets())
def test_items_of_a_layer_stand_apart_and_in_order(poset):
    layout = hasse_layout(poset)
    for layer in layout.layers:
        for left, right in pairwise(layer):
            assert layout.places[right][0] - layout.places[left][0] >= 1 - 1e-9


@given(posets())
def test_lines_join_their_items_and_avoid_all_others(poset):
    layout = hasse_layout(poset)
    assert set(layout.paths) == set(poset.hasse_edges())
    for (upper, lower), path in layout.paths.items():
        assert (path[0], path[-1]) == (layout.places[upper], layout.places[lower])
        assert all(after[1] == before[1] - 1 for before, after in pairwise(path))
        for point in path[1:-1]:
            for place in layout.places.values():
                assert place[1] != point[1] or abs(place[0] - point[0]) >= 0.6


def test_chains_side_by_side_do_not_cross_and_hang_straight():
    layout = hasse_layout(_generators.chains(10, 8, seed=0).poset)
    assert sum(crossings(layout)) == 0
    assert all(len({x for x, _ in path}) == 1 for path in layout.paths.values())


def test_reordering_removes_crossings_that_the_given_order_has():
    # Matched in reverse order: left as given, every two of the six lines would cross.
    relations = [(f"top{n}", f"low{5 - n}") for n in range(6)]
    items = [f"top{n}" for n in range(6)] + [f"low{n}" for n in range(6)]
    assert crossings(hasse_layout(Poset.from_relations(relations, items=items))) == [0]


@given(posets())
def test_crossings_are_those_of_every_two_lines_of_a_gap(poset):
    layout = hasse_layout(poset)
    assert crossings(layout) == [
        sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(lines, 2))
        for lines in pieces(layout)
    ]


def middle(values):
    return (min(values) + max(values)) / 2


def test_a_front_stands_over_the_middle_of_all_that_hangs_below_it():
    layout = hasse_layout(_generators.layered(5, 10, 10, seed=0).poset)
    front = [layout.places[name][0] for name in layout.layers[0]]
    assert middle(front) == pytest.approx(middle([x for x, _ in layout.places.values()]))


def test_fronts_with_nothing_in_common_stand_each_over_its_own():
    # The left one has its items to the left of the right one's, three against one.
    relations = [("left", f"l{n}") for n in range(3)] + [("right", "r")]
    places = hasse_layout(Poset.from_relations(relations)).places
    assert places["left"][0] == pytest.approx(middle([places[f"l{n}"][0] for n in range(3)]))
    assert places["right"][0] == pytest.approx(places["r"][0])


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=8))
def test_places_that_fit_already_are_kept(steps):
    wanted = [10.0 * n + step / 2.5 for n, step in enumerate(steps)]
    assert _separated(wanted, [float(n) for n in range(len(steps))]) == pytest.approx(wanted)


def test_two_that_want_one_place_share_the_move():
    assert _separated([3.0, 3.0], [0.0, 1.0]) == [2.5, 3.5]
