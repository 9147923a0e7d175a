"""Preference matrices known exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.certify import certify
from antichain.certify._exact import exact_matrix, votes_from_matrix
from antichain.errors import ParameterError


def chances(size: int, **above: float) -> np.ndarray:
    """A matrix of chances: `ab=0.2` puts a above b by 0.2."""
    table = np.full((size, size), 0.5)
    for pair, gap in above.items():
        i, j = (ord(letter) - ord("a") for letter in pair)
        table[i, j], table[j, i] = 0.5 + gap, 0.5 - gap
    return table


def test_a_gap_of_exactly_epsilon_is_not_more_than_epsilon():
    found = exact_matrix(("a", "b"), chances(2, ab=0.05), 0.05)
    assert found.dominances == (("a", "b", 0.05),)
    assert found.front == ("a",)
    assert found.eps_front == ("a", "b")


def test_an_order():
    found = exact_matrix(("a", "b", "c"), chances(3, ab=0.1, bc=0.1, ac=0.2), 0.05)
    assert found.is_poset
    assert found.front == found.eps_front == ("a",)
    assert found.cycles == found.violations == ()


def test_what_is_missing_is_a_violation_and_no_cycle():
    found = exact_matrix(("a", "b", "c"), chances(3, ab=0.1, bc=0.1), 0.05)
    assert found.violations == (("a", "b", "c"),)
    assert found.cycles == ()
    assert not found.is_poset
    assert found.even == (("a", "c"),)


def test_a_circle_leaves_no_front():
    found = exact_matrix(("a", "b", "c"), chances(3, ab=0.1, bc=0.1, ca=0.02), 0.05)
    assert found.front == ()
    assert found.eps_front == ("a",)
    assert found.groups == (("a", "b", "c"),)
    assert set(found.cycles[0]) == {"a", "b", "c"}
    assert not found.is_poset


@given(st.integers(2, 6), st.integers(0, 10_000))
def test_cycles_and_violations_by_brute_force(size, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.choice([-0.2, -0.05, 0.0, 0.05, 0.2], (size, size)), 1)
    gaps = upper - upper.T
    names = tuple(f"n{k}" for k in range(size))
    found = exact_matrix(names, 0.5 + gaps, 0.05)
    beats = {(a, b) for a, b, _ in found.dominances}
    assert beats == {(names[i], names[j]) for i, j in np.argwhere(gaps > 0)}
    assert set(found.violations) == {
        (a, b, c)
        for a in names
        for b in names
        for c in names
        if (a, b) in beats and (b, c) in beats and a != c and (a, c) not in beats
    }
    for cycle in found.cycles:
        assert all(step in beats for step in zip(cycle, cycle[1:] + cycle[:1], strict=True))
    transitive = not found.violations and not found.cycles
    assert found.is_poset == transitive
    assert set(found.eps_front) == {
        names[k] for k in range(size) if not (gaps[:, k] > 0.05 + 1e-9).any()
    }


def test_a_matrix_as_votes_is_certified_like_any_log():
    log = votes_from_matrix(("a", "b"), chances(2, ab=0.2), 500, "m.txt")
    assert log.pairs.wins_first.tolist() == [350]
    assert certify(log).out["b"].votes == 500
    with pytest.raises(ParameterError, match="votes is 0"):
        votes_from_matrix(("a", "b"), chances(2, ab=0.2), 0, "m.txt")
