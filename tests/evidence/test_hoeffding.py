"""The paper's intervals against a literal twin: p ± √(L/2n), end points compared in words."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.evidence import SequentialTest, Verdict

Interval = tuple[float, float]
_gaps = st.floats(0.01, 0.45)
_counts = st.integers(0, 500)


def _interval(wins: int, duels: int, level: float) -> Interval:
    radius = math.sqrt(level / (2 * duels))
    return wins / duels - radius, wins / duels + radius


def _row(*streams: int) -> np.ndarray:
    row = np.zeros(8, np.int64)
    row[[0, 1, 4, 5][: len(streams)]] = streams
    return row


def _near(*values: float) -> bool:
    """Whether two end points are too close for floating-point arithmetic to tell apart."""
    return any(abs(value) < 1e-12 for value in values)


@settings(max_examples=300, deadline=None)
@given(_counts, _counts, st.floats(1e-9, 0.9), _gaps)
def test_direct_comparison(wins: int, losses: int, delta: float, gap: float) -> None:
    test = SequentialTest.direct_interval(delta, gap)
    said = test.verdict(_row(wins, losses))
    if not wins + losses:
        assert said is Verdict.OPEN
        return
    low, high = _interval(wins, wins + losses, math.log(2 / delta))
    if _near(low - 0.5, high - 0.5, high - 0.5 - gap, low - 0.5 + gap):
        return
    if low > 0.5:
        assert said is Verdict.LEFT
    elif high < 0.5:
        assert said is Verdict.RIGHT
    elif low <= 0.5 + gap <= high or low <= 0.5 - gap <= high:
        assert said is Verdict.OPEN
    else:
        assert said is Verdict.EVEN


@settings(max_examples=300, deadline=None)
@given(st.data(), st.integers(1, 500), st.floats(1e-9, 0.9), _gaps)
def test_decoy_comparison(data: st.DataObject, duels: int, delta: float, gap: float) -> None:
    first, second = (data.draw(st.integers(0, duels)) for _ in range(2))
    test = SequentialTest.decoys_in_step(delta, gap)
    said = test.verdict(_row(first, duels - first, second, duels - second))
    # Each direction has a 1 − δ/2 interval.
    level = math.log(2 / (delta / 2))
    above, below = _interval(first, duels, level), _interval(second, duels, level)
    if _near(above[0] - 0.5, below[0] - 0.5, above[1] - 0.5 - gap, below[1] - 0.5 - gap):
        return
    if above[0] > 0.5:
        assert said is Verdict.LEFT
    elif below[0] > 0.5:
        assert said is Verdict.RIGHT
    elif above[1] < 0.5 + gap and below[1] < 0.5 + gap:
        assert said is Verdict.EVEN
    else:
        assert said is Verdict.OPEN


@settings(max_examples=200, deadline=None)
@given(_counts, st.integers(1, 500), st.floats(0.5, 30), _gaps)
def test_one_direction(wins: int, losses: int, level: float, gap: float) -> None:
    said = SequentialTest.one_sided_interval(level, gap).verdict(_row(wins, losses))
    low, high = _interval(wins, wins + losses, level)
    if _near(low - 0.5, high - 0.5 - gap):
        return
    expected = Verdict.LEFT if low > 0.5 else Verdict.EVEN if high < 0.5 + gap else Verdict.OPEN
    assert said is expected


@settings(max_examples=200, deadline=None)
@given(_counts, st.integers(1, 500), st.floats(0.5, 30), st.floats(1, 900))
def test_capped(wins: int, losses: int, level: float, cap: float) -> None:
    said = SequentialTest.capped_interval(level, cap).verdict(_row(wins, losses))
    low, high = _interval(wins, wins + losses, level)
    if _near(low - 0.5, high - 0.5):
        return
    if low > 0.5:
        assert said is Verdict.LEFT
    elif high < 0.5:
        assert said is Verdict.RIGHT
    else:
        assert said is (Verdict.EVEN if wins + losses >= cap else Verdict.OPEN)
