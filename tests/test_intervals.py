"""The few numbers that sum many runs up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from antichain._intervals import (
    mean_interval,
    median_interval,
    median_range,
    proportion_interval,
)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_the_mean_s_interval_is_student_s(values):
    spread = mean_interval(values)
    center, scale = spread.middle, stats.sem(values)
    assert center == pytest.approx(sum(values) / len(values), abs=1e-6)
    half = stats.t.ppf(0.975, len(values) - 1) * scale
    assert spread.high - spread.low == pytest.approx(2 * half, rel=1e-6, abs=1e-6)


def test_one_value_has_no_interval():
    assert mean_interval([3.0]).low is None
    assert median_range([3.0]).high is None


def test_quantiles_hold_the_share_asked_for():
    spread = median_range([float(n) for n in range(101)])
    assert (spread.low, spread.middle, spread.high) == pytest.approx((10, 50, 90))


@pytest.mark.parametrize(("successes", "count"), [(0, 10), (3, 10), (10, 10), (99, 100)])
def test_the_proportion_s_interval_is_exact(successes, count):
    exact = stats.binomtest(successes, count).proportion_ci(0.95, method="exact")
    spread = proportion_interval(successes, count)
    assert (spread.low, spread.high) == pytest.approx((exact.low, exact.high))
    assert spread.middle == successes / count


@given(st.integers(6, 300), st.sampled_from([0.8, 0.95]))
def test_the_median_s_interval_is_the_narrowest_that_is_sure_enough(count, level):
    spread = median_interval([float(k) for k in range(count)], level)
    outer = int(spread.low)
    assert spread.high == count - 1 - outer
    assert spread.middle == (count - 1) / 2
    # It misses when at most `outer` values lie on one side of the median.
    assert 1 - 2 * stats.binom.cdf(outer, count, 0.5) >= level - 1e-12
    assert 1 - 2 * stats.binom.cdf(outer + 1, count, 0.5) < level


def test_few_values_have_no_interval_of_the_median():
    assert median_interval([1.0, 5.0, 2.0]).low is None
    assert median_interval([1.0, 5.0, 2.0]).middle == 2.0
