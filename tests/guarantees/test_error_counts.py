"""The exact bounds on a rate of errors, at their ends, and where runs end early."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from tests.guarantees.error_rates import ErrorCount, counted


@pytest.mark.parametrize("errors", [0, 1, 7, 99, 100])
def test_bounds_are_where_the_count_becomes_unlikely(errors):
    count = ErrorCount(errors, 100)
    assert 0 <= count.lower <= errors / 100 <= count.upper <= 1
    if errors:
        assert math.isclose(binom.sf(errors - 1, 100, count.lower), 0.01, rel_tol=1e-6)
    if errors < 100:
        assert math.isclose(binom.cdf(errors, 100, count.upper), 0.01, rel_tol=1e-6)
    assert "nan" not in str(count)


def test_runs_end_early_only_if_errors_are_clearly_rare():
    rare, never = counted(lambda run: run % 100 == 0, 4000, below=0.055), lambda run: False
    assert (rare.errors, rare.runs) == (5, 500)
    assert counted(lambda run: run % 19 == 0, 4000, below=0.055).runs == 4000
    assert counted(never, 4000).runs == 4000


@pytest.mark.slow
def test_looking_four_times_lets_a_rate_at_the_limit_pass_in_one_percent():
    draws = np.random.default_rng(4).random((6000, 400)) < 0.22
    passed = sum(counted(row.__getitem__, 400, below=0.22).upper < 0.22 for row in draws)
    assert ErrorCount(passed, len(draws)).lower < 0.01
    # With the bounds of a single look they would pass more often than that.
    looks = [ErrorCount(int(row[:n].sum()), n) for row in draws for n in (50, 100, 200, 400)]
    once = np.reshape([look.upper < 0.22 for look in looks], (len(draws), 4)).any(1).sum()
    assert ErrorCount(int(once), len(draws)).lower > 0.01
