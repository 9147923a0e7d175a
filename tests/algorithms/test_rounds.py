"""When a round ends, against the sentence that says so."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.algorithms._rounds import Round, close, round_of, within_reach
from antichain.evidence import Bet, Count, SequentialTest, Verdict, swapped
from antichain.evidence._answers import COUNTS

VERDICTS = st.lists(st.sampled_from(list(Verdict)), max_size=8)
STOPS = st.frozensets(st.sampled_from(list(Verdict)[1:]), max_size=3)


def _round(size: int, stop: frozenset[Verdict]) -> Round:
    return round_of(0, np.arange(1, size + 1), SequentialTest.fixed(), stop=stop)


@settings(deadline=None)  # the first example compiles
@given(VERDICTS, STOPS, st.data())
def test_comparisons_close_in_order_up_to_the_first_verdict_that_stops(
    verdicts: list[Verdict], stop: frozenset[Verdict], data: st.DataObject
) -> None:
    round_, codes = _round(len(verdicts), stop), np.array(verdicts, np.int8)
    closed, over = 0, True
    for verdict in verdicts:
        if verdict is Verdict.OPEN:
            over = False
            break
        closed += 1
        if verdict in stop:
            break
    assert close(round_, codes) == (closed, over)
    # What was found closed before need not be looked at again, as long as it stopped nothing.
    known = data.draw(st.integers(0, max(0, closed - 1)))
    assert close(round_, codes, known) == (closed, over)


@settings(deadline=None)  # the first example compiles
@given(VERDICTS, STOPS)
def test_behind_a_verdict_that_stops_nothing_counts(
    verdicts: list[Verdict], stop: frozenset[Verdict]
) -> None:
    reach, limited = within_reach(_round(len(verdicts), stop), np.array(verdicts, np.int8))
    assert limited == any(verdict in stop for verdict in verdicts)
    assert not any(verdict in stop for verdict in verdicts[: reach - limited])
    assert reach == len(verdicts) or (limited and verdicts[reach - 1] in stop)


def test_targets_are_rounded_up() -> None:
    round_ = round_of(0, np.array([1, 2]), SequentialTest.fixed(), targets=np.array([2.1, 3.0]))
    assert round_.targets.tolist() == [3, 3]
    counts = np.zeros((2, COUNTS), np.int64)
    assert round_.quotas(counts, np.array([1, 0])).tolist() == [3, 3]
    counts[:, Count.TIES] = 3
    assert round_.verdicts(counts).tolist() == [Verdict.EVEN] * 2


def test_swapped_counts_are_seen_from_the_other_side() -> None:
    counts = np.arange(2 * COUNTS).reshape(2, COUNTS)
    other = swapped(counts)
    assert other[:, Count.WINS].tolist() == counts[:, Count.LOSSES].tolist()
    assert (swapped(other) == counts).all()
    assert (other[:, Count.TIES :] == counts[:, Count.TIES :]).all()


def test_tests_with_the_same_numbers_are_equal() -> None:
    def test(gap: float) -> SequentialTest:
        return SequentialTest.two_sided_bets(0.1, Bet.geometric(0.1), gap, 0.1)

    assert test(0.2) == test(0.2)
    assert len({test(0.2), test(0.2), test(0.3), SequentialTest.probe()}) == 3
    assert test(0.2) != SequentialTest.one_sided_bets(0.1, Bet.geometric(0.1), 0.2, 0.1)
    assert SequentialTest.probe() != pytest
