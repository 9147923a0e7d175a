"""The exact bounds on a rate of errors, at their ends."""

import math

import pytest
from scipy.stats import binom

from tests.guarantees.error_rates import ErrorCount


@pytest.mark.parametrize("errors", [0, 1, 7, 99, 100])
def test_bounds_are_where_the_count_becomes_unlikely(errors):
    count = ErrorCount(errors, 100)
    assert 0 <= count.lower <= errors / 100 <= count.upper <= 1
    if errors:
        assert math.isclose(binom.sf(errors - 1, 100, count.lower), 0.01, rel_tol=1e-6)
    if errors < 100:
        assert math.isclose(binom.cdf(errors, 100, count.upper), 0.01, rel_tol=1e-6)
    assert "nan" not in str(count)
