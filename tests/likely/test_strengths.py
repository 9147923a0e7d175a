"""The likely front of several criteria: a Bradley–Terry model of each."""

from __future__ import annotations

import numpy as np
from tests.guarantees.error_rates import ErrorCount

from antichain.likely._strengths import likely_by_strengths

NOTHING = np.zeros((3, 0))


def test_clear_votes_leave_no_doubt() -> None:
    # a is better at the first, b at the second, c at neither.
    first = np.array([[0, 90, 95], [10, 0, 80], [5, 20, 0]], dtype=float)
    second = np.array([[0, 10, 80], [90, 0, 95], [20, 5, 0]], dtype=float)
    found = likely_by_strengths([first, second], NOTHING, 0.1)
    assert found is not None
    assert found.front == (0, 1)
    assert found.chances[:2].min() > 0.95 > 0.05 > found.chances[2]
    assert found.exactly_right > 0.9
    assert found.qualities[0, 0, 0] > found.qualities[0, 1, 0] > found.qualities[0, 2, 0]


def test_prices_alone_decide_without_votes_where_they_can() -> None:
    found = likely_by_strengths([np.zeros((3, 3))], np.array([[3.0, 1], [2, 2], [1, 3]]), 0.1)
    assert found is not None
    assert found.chances.tolist() == [1.0, 1.0, 1.0]


def test_a_cheaper_item_that_is_as_good_is_likely_above() -> None:
    even = np.array([[0, 500], [500, 0]], dtype=float)
    found = likely_by_strengths([even], np.array([[1.0], [2.0]]), 0.1)
    assert found is not None
    assert found.front == (1,)


def test_the_same_seed_gives_the_same_and_items_may_be_too_many() -> None:
    wins = np.array([[0, 3], [2, 0]], dtype=float)
    one, other = (likely_by_strengths([wins], np.zeros((2, 0)), 0.1) for _ in range(2))
    assert one is not None
    assert other is not None
    assert np.array_equal(one.qualities, other.qualities)
    assert likely_by_strengths([np.zeros((201, 201))], np.zeros((201, 0)), 0.1) is None


def test_nine_in_ten_intervals_hold_the_truth_in_worlds_like_the_model() -> None:
    rng, missed, count = np.random.default_rng(0), 0, 0
    for _ in range(60):
        strengths = rng.normal(0, 1.5, 6)
        chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        wins = np.zeros((6, 6))
        for i in range(6):
            for j in range(i):
                wins[i, j] = rng.binomial(20, chance[i, j])
                wins[j, i] = 20 - wins[i, j]
        found = likely_by_strengths([wins], np.zeros((6, 0)), 0.1)
        assert found is not None
        truth = (chance.sum(axis=1) - 0.5) / 5
        _, low, high = found.qualities[0].T
        missed += int(((truth < low) | (truth > high)).sum())
        count += 6
    rate = ErrorCount(missed, count)
    assert rate.lower < 0.1 < rate.upper, str(rate)
