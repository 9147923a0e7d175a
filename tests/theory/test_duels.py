"""Theorem 1: the errata's two figures, and how the lines of its proof relate."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.algorithms._ubs import peeling_floor, peeling_schedule
from antichain.errors import ParameterError
from antichain.theory import (
    decoy_phase_duels,
    routine_duels_direct,
    routine_duels_with_decoys,
    unchained_duels,
    unchained_duels_by_epoch,
)

ITEMS, WIDTH, DELTA, DECOY_GAP = 95, 10, 0.001, 0.01  # the paper's defaults


def default_schedule():
    return peeling_schedule(peeling_floor(ITEMS, DECOY_GAP), 0.9, 0.5)


def test_the_decoy_term_at_the_defaults_is_the_errata_s():
    assert len(default_schedule()) == 16
    duels = decoy_phase_duels(ITEMS, WIDTH, 17, DELTA, DECOY_GAP)
    assert duels == pytest.approx(7.7e8, rel=0.01)


def test_the_whole_sum_at_the_defaults_is_the_errata_s():
    duels = unchained_duels(ITEMS, WIDTH, default_schedule(), DELTA, DECOY_GAP)
    assert duels == pytest.approx(1.14e9, rel=0.01)


def test_the_last_line_by_hand():
    duels = unchained_duels(4, 2, (0.3, 0.2), 0.1, 0.05)
    peeling = 2 * 4 * 2 * math.log(2 * 3 * 16 / 0.1) / 0.05**2
    decoys = 4 * 4 * 2 * math.log(4 * 3 * 16 / 0.1) / 0.05**2
    assert duels == pytest.approx(peeling + decoys)


def test_without_peeling_only_the_decoy_term_is_left():
    expected = routine_duels_with_decoys(4, 2, 0.1, 0.05)
    assert unchained_duels(4, 2, (), 0.1, 0.05) == expected
    assert unchained_duels_by_epoch((), 0.1, 0.05, sizes=[4], widths=[2]) == expected


def test_the_sum_over_epochs_by_hand():
    duels = unchained_duels_by_epoch((0.3, 0.2), 0.1, 0.05, sizes=[8, 5, 3], widths=[6, 4, 2])
    first = 2 * 8 * 6 * math.log(2 * 3 * 64 / 0.1) / 0.3**2
    second = 2 * 5 * 4 * math.log(2 * 3 * 25 / 0.1) * (1 / 0.2**2 - 1 / 0.3**2)
    decoys = 4 * 3 * 2 * math.log(4 * 3 * 9 / 0.1) / 0.05**2
    assert duels == pytest.approx(first + second + decoys)


@given(
    items=st.integers(2, 200),
    width_share=st.floats(0.01, 1),
    decoy_gap=st.floats(0.001, 0.2),
    gamma=st.floats(0.5, 0.95),
)
def test_the_last_line_is_above_the_sum_it_bounds(items, width_share, decoy_gap, gamma):
    width = max(1, math.floor(items * width_share))
    schedule = peeling_schedule(peeling_floor(items, decoy_gap), gamma, 0.5)
    epochs = len(schedule) + 1
    by_epoch = unchained_duels_by_epoch(
        schedule,
        DELTA,
        decoy_gap,
        sizes=[items] * epochs,
        widths=[items] * (epochs - 1) + [width],
    )
    whole = unchained_duels(items, width, schedule, DELTA, decoy_gap)
    assert by_epoch <= whole * (1 + 1e-9)
    assert whole >= decoy_phase_duels(items, width, epochs, DELTA, decoy_gap)


def test_constant_sizes_telescope_to_the_last_precision():
    duels = unchained_duels_by_epoch((0.4, 0.3, 0.2), 0.1, 0.05, sizes=[9] * 4, widths=[9] * 4)
    expected = routine_duels_direct(9, 9, 0.025, 0.2) + routine_duels_with_decoys(9, 9, 0.025, 0.05)
    assert duels == pytest.approx(expected)


def test_a_schedule_below_the_hypothesis_is_refused():
    with pytest.raises(ParameterError, match=r"ends at 0\.06, but .* = 0\.0707107"):
        unchained_duels(4, 2, (0.3, 0.06), 0.1, 0.05)


def test_a_schedule_that_rises_is_refused():
    with pytest.raises(ParameterError, match=r"from 0\.2 to 0\.3"):
        unchained_duels(4, 2, (0.2, 0.3), 0.1, 0.05)


def test_sizes_for_the_wrong_number_of_epochs_are_refused():
    with pytest.raises(ParameterError, match="sizes has 2 values, but 3 were expected"):
        unchained_duels_by_epoch((0.3, 0.2), 0.1, 0.05, sizes=[8, 5], widths=[6, 4, 2])
