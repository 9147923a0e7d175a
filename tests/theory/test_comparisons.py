"""The bounds on one comparison and on one pass, against numbers worked out by hand."""

import math

import pytest

from antichain.errors import ParameterError
from antichain.theory import (
    decoy_comparison_duels,
    direct_comparison_duels,
    routine_duels_direct,
    routine_duels_with_decoys,
)


def test_a_decoy_comparison_by_hand():
    # δ = 4/e makes the logarithm 1, so 4/Δ² is left.
    assert decoy_comparison_duels(4 / math.e**2, 0.1) == pytest.approx(800)


def test_a_direct_comparison_by_hand():
    assert direct_comparison_duels(2 / math.e, 0.1) == pytest.approx(200)


def test_a_direct_comparison_ends_where_twice_the_radius_is_epsilon():
    delta, epsilon = 0.01, 0.07
    n = direct_comparison_duels(delta, epsilon)
    assert 2 * math.sqrt(math.log(2 / delta) / (2 * n)) == pytest.approx(epsilon)


def test_a_decoy_comparison_is_two_direct_ones_at_half_the_level():
    assert decoy_comparison_duels(0.03, 0.05) == pytest.approx(
        2 * direct_comparison_duels(0.015, 0.05)
    )


def test_a_pass_with_decoys_is_size_times_width_comparisons():
    expected = 4 * 6 * 3 * math.log(4 * 36 / 0.05) / 0.1**2
    assert routine_duels_with_decoys(6, 3, 0.05, 0.1) == pytest.approx(expected)


def test_the_first_direct_pass_has_nothing_to_reuse():
    expected = 2 * 6 * 4 * math.log(2 * 36 / 0.05) / 0.2**2
    assert routine_duels_direct(6, 4, 0.05, 0.2) == pytest.approx(expected)


def test_a_later_direct_pass_pays_the_difference():
    expected = 2 * 6 * 4 * math.log(2 * 36 / 0.05) * (1 / 0.2**2 - 1 / 0.3**2)
    assert routine_duels_direct(6, 4, 0.05, 0.2, previous_epsilon=0.3) == pytest.approx(expected)


def test_passes_with_reuse_add_up_to_one_pass_at_the_last_precision():
    by_pass = (
        routine_duels_direct(6, 4, 0.05, 0.4)
        + routine_duels_direct(6, 4, 0.05, 0.3, 0.4)
        + routine_duels_direct(6, 4, 0.05, 0.2, 0.3)
    )
    assert by_pass == pytest.approx(routine_duels_direct(6, 4, 0.05, 0.2))


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, math.nan, math.inf])
def test_a_level_outside_its_range_is_named(delta):
    with pytest.raises(ParameterError, match=r"delta is .* strictly between 0 and 1"):
        decoy_comparison_duels(delta, 0.1)


@pytest.mark.parametrize("gap", [0.0, 0.5, -0.1, math.nan])
def test_a_decoy_gap_outside_its_range_is_named(gap):
    with pytest.raises(ParameterError, match=r"decoy_gap is .* strictly between 0 and 0\.5"):
        decoy_comparison_duels(0.1, gap)


def test_a_width_above_the_size_is_refused():
    with pytest.raises(ParameterError, match="width is 7, but at most the 6 items"):
        routine_duels_with_decoys(6, 7, 0.05, 0.1)


@pytest.mark.parametrize("size", [0, 2.5])
def test_a_size_that_counts_nothing_is_refused(size):
    with pytest.raises(ParameterError, match=r"size is .* whole number"):
        routine_duels_with_decoys(size, 1, 0.05, 0.1)


def test_a_precision_that_does_not_decrease_is_refused():
    with pytest.raises(ParameterError, match=r"from 0\.2 to 0\.3, but a decrease"):
        routine_duels_direct(6, 4, 0.05, 0.3, previous_epsilon=0.2)
