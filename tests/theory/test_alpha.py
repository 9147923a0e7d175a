"""α against all subsets, and its upper bound for posets too large for that."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.errors import ParameterError
from antichain.theory import alpha


@st.composite
def chains_of_gaps(draw):
    """Gaps and front of a few disjoint chains: enough to make every kind of approximation."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    size = sum(lengths)
    gaps, front, start = np.zeros((size, size)), np.zeros(size, dtype=bool), 0
    for length in lengths:
        front[start] = True
        for i, j in combinations(range(start, start + length), 2):
            gaps[i, j] = draw(st.floats(0.01, 0.49))
            gaps[j, i] = -gaps[i, j]
        start += length
    return gaps, front


def largest_approximation(gaps, front, epsilon):
    """The size of the largest ε-approximation of the front, over all sets that contain it."""
    base = set(np.flatnonzero(front))
    others = [i for i in range(len(front)) if i not in base]
    for extra in range(len(others), -1, -1):
        for chosen in combinations(others, extra):
            members = sorted(base | set(chosen))
            if (np.abs(gaps[np.ix_(members, members)]) <= epsilon).all():
                return len(members)
    raise AssertionError("the front itself is an approximation")


@given(chains_of_gaps(), st.floats(0.5, 0.95), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_alpha_is_what_enumeration_gives(case, gamma, epochs):
    gaps, front = case
    found = alpha(gaps, front, gamma, 0.5, epochs)
    expected = max(
        (largest_approximation(gaps, front, 0.5 * gamma**t) / len(front)) ** (1 / t)
        for t in range(1, epochs + 1)
    )
    assert found.exact
    assert found.value == pytest.approx(expected)


@given(chains_of_gaps(), st.floats(0.5, 0.95), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_the_bound_for_large_posets_is_marked_and_never_below(case, gamma, epochs):
    gaps, front = case
    bound = alpha(gaps, front, gamma, 0.5, epochs, exact_limit=0)
    assert not bound.exact
    assert alpha(gaps, front, gamma, 0.5, epochs).value <= bound.value <= 1


def test_alpha_of_a_chain_by_hand():
    # a over b over c. ε_1 = 0.25 leaves {a, c}, not {a, b, c}; ε_2 = 0.125 leaves {a}.
    gaps = np.array([[0, 0.3, 0.2], [-0.3, 0, 0.3], [-0.2, -0.3, 0]])
    front = np.array([True, False, False])
    assert alpha(gaps, front, 0.5, 0.5, 1).value == pytest.approx(2 / 3)
    assert alpha(gaps, front, 0.5, 0.5, 2).value == pytest.approx(2 / 3)
    assert alpha(gaps, front, 0.5, 0.5, 3).value == pytest.approx((1 / 3) ** (1 / 3))


def test_the_bound_can_be_strictly_above():
    # b and c may each be in an approximation, but not both.
    gaps = np.array([[0, 0.2, 0.2], [-0.2, 0, 0.4], [-0.2, -0.4, 0]])
    front = np.array([True, False, False])
    assert alpha(gaps, front, 0.5, 0.5, 1).value == pytest.approx(2 / 3)
    assert alpha(gaps, front, 0.5, 0.5, 1, exact_limit=2).value == 1


def test_an_antichain_never_shrinks():
    assert alpha(np.zeros((4, 4)), np.ones(4, dtype=bool), 0.9, 0.5, 6).value == 1


def test_gaps_of_another_size_are_refused():
    with pytest.raises(ParameterError, match=r"shape \(2, 2\), but \(3, 3\)"):
        alpha(np.zeros((2, 2)), np.ones(3, dtype=bool), 0.9, 0.5, 6)
