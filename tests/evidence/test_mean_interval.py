"""The interval for the mean of scores by bets."""

import numpy as np
import pytest
from tests.guarantees.error_rates import ErrorCount

from antichain.evidence._confidence import mean_interval, mean_score_interval


@pytest.mark.parametrize("scores", [[0, 0.5, 1], [0.5, 1], [0, 0.25, 0.5, 0.75, 1]])
def test_it_covers_the_mean_at_all_times(scores) -> None:
    rng, scores = np.random.default_rng(1), np.array(scores, float)
    missed, runs = 0, 300
    for _ in range(runs):
        drawn = rng.integers(len(scores), size=60)
        for n in range(4, 61, 8):
            times = np.bincount(drawn[:n], minlength=len(scores))
            low, high = mean_interval(scores, times, 0.2)
            if not low <= scores.mean() <= high:
                missed += 1
                break
    assert ErrorCount(missed, runs).upper < 1.3 * 0.2
    assert missed > 0  # or it would be far too wide


def test_it_is_shorter_where_scores_vary_little() -> None:
    low, high = mean_interval(np.array([0.5, 1.0]), np.array([190, 10]), 0.05)
    loose = mean_score_interval(10, 0, 190, 0.05)
    assert loose[0] < low < 0.525 < high < loose[1]
    assert high - low < 0.4 * (loose[1] - loose[0])


def test_without_scores_it_is_everything() -> None:
    low, high = mean_interval(np.zeros(0), np.zeros(0, np.int64), 0.05)
    assert (low, high) == pytest.approx((0, 1))
