"""Slicing's theorem and corollary, constant 1."""

import math

import pytest

from antichain.errors import ParameterError
from antichain.theory import (
    interleaved_filter_duels,
    slicing_duels,
    slicing_with_interleaved_filter_duels,
)


def test_each_chain_is_searched_at_the_algorithms_level():
    asked = []

    def finder(length, level):
        asked.append((length, level))
        return 10.0 * length

    assert slicing_duels([3, 5], 8, 0.04, finder) == 64 + 30 + 50
    assert asked == [(3, 0.005), (5, 0.005)]


def test_interleaved_filter_by_hand():
    assert interleaved_filter_duels(3, 9 / math.e**5, 0.1) == pytest.approx(3 * 5 / 0.01)
    assert interleaved_filter_duels(1, 0.1, 0.1) == 0


def test_the_corollary_follows_its_proof():
    expected = 64 + 8 * math.log(512 / 0.05) / 0.04
    assert slicing_with_interleaved_filter_duels(8, 0.05, 0.2) == pytest.approx(expected)


def test_disjoint_chains_stay_below_the_corollary():
    # The corollary sums the chains' costs and bounds every |C| inside the logarithm by K.
    whole = slicing_duels([3, 5], 8, 0.05, lambda n, level: interleaved_filter_duels(n, level, 0.2))
    assert whole < slicing_with_interleaved_filter_duels(8, 0.05, 0.2)


def test_a_front_that_dominates_nothing_costs_only_probes():
    assert slicing_with_interleaved_filter_duels(8, 0.05, None) == 64


def test_a_chain_of_nothing_is_refused():
    with pytest.raises(ParameterError, match="chain length is 0"):
        slicing_duels([3, 0], 8, 0.05, lambda n, level: 1.0)
