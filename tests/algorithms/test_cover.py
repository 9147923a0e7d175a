"""The covering program against a general solver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from antichain.algorithms.witness._cover import cheapest_cover

# numba compiles on the first call, and hypothesis would call that a slow test.
relaxed = settings(deadline=None, max_examples=200)


def solved(covers: np.ndarray, costs: np.ndarray, needs: np.ndarray) -> float:
    outcome = linprog(costs, A_ub=-covers.astype(float), b_ub=-needs, method="highs")
    assert outcome.success
    return float(outcome.fun)


@relaxed
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(0, 40), st.floats(0.05, 0.95))
def test_the_cost_is_that_of_a_general_solver(
    seed: int, rows: int, more: int, density: float
) -> None:
    rng = np.random.default_rng(seed)
    covers = np.hstack([np.eye(rows, dtype=bool), rng.random((rows, more)) < density])
    # Ties and equal costs make the program degenerate, which is where simplex methods cycle.
    costs = rng.choice([1.0, 1.0, 1.5, 2.0], covers.shape[1])
    needs = rng.choice([0.0, 1.0, 7.0, 7.0], rows) + rng.choice([0.0, rng.random()])
    amounts = cheapest_cover(covers, costs, needs)
    assert (amounts >= 0).all()
    assert (covers @ amounts >= needs - 1e-7).all()
    assert costs @ amounts == pytest.approx(solved(covers, costs, needs), abs=1e-6)


def test_one_shared_column_beats_two_of_its_own() -> None:
    covers = np.array([[True, False, True], [False, True, True]])
    amounts = cheapest_cover(covers, np.array([1.0, 1.0, 1.5]), np.array([3.0, 3.0]))
    assert amounts.tolist() == [0.0, 0.0, 3.0]


def test_three_pairs_are_covered_by_halves() -> None:
    # Each column covers two of three rows: half of each is cheaper than any two whole ones.
    covers = ~np.eye(3, dtype=bool)
    amounts = cheapest_cover(covers, np.ones(3), np.ones(3))
    np.testing.assert_allclose(amounts, 0.5)


def test_the_same_lines_without_the_compiler() -> None:
    rng = np.random.default_rng(3)
    covers = np.hstack([np.eye(6, dtype=bool), rng.random((6, 20)) < 0.5])
    costs, needs = 1 + rng.random(26), 7 * rng.random(6)
    plain = cheapest_cover.py_func(covers, costs, needs)
    np.testing.assert_allclose(cheapest_cover(covers, costs, needs), plain)
