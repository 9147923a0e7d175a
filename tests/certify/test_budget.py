"""Holm's step-down against its definition."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antichain.certify._claims import step_down

evidence = st.lists(st.floats(-5, 20) | st.sampled_from([0.0, 3.0, 7.0]), max_size=12)


def by_definition(values: list[float], family: int, alpha: float) -> set[int]:
    """Reject the largest while it reaches the number of those left, over α."""
    left = dict(enumerate(values))
    rejected: set[int] = set()
    while left:
        best = max(left, key=lambda k: left[k])
        if left[best] < math.log((family - len(rejected)) / alpha):
            break
        rejected.add(best)
        del left[best]
    return rejected


@given(evidence, st.integers(0, 30), st.floats(0.001, 0.9))
def test_the_step_down_is_the_one_defined(values, unseen, alpha):
    found = step_down(np.array(values), len(values) + unseen, alpha)
    rejected = by_definition(values, len(values) + unseen, alpha)
    assert set(np.flatnonzero(found.rejected)) == rejected
    for k, value in enumerate(values):
        passes = value >= -math.log(found.levels[k])
        assert passes == (k in rejected)


@given(evidence, st.floats(0.001, 0.9), st.randoms())
def test_the_order_does_not_matter(values, alpha, random):
    order = list(range(len(values)))
    random.shuffle(order)
    straight = step_down(np.array(values), 20, alpha)
    shuffled = step_down(np.array([values[k] for k in order]), 20, alpha)
    assert shuffled.rejected.tolist() == straight.rejected[order].tolist()
    assert shuffled.levels.tolist() == straight.levels[order].tolist()


def test_nothing_is_claimed_without_a_share():
    found = step_down(np.array([1e6]), 1, 0.0)
    assert not found.rejected.any()
    assert found.levels.tolist() == [0.0]
