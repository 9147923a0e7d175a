"""Theorem 2: C, N_i, R_0 and R_1 with the errata's corrections."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.algorithms._ubs import peeling_floor, peeling_schedule
from antichain.errors import ParameterError
from antichain.theory import decoy_regret, peeling_cost, peeling_regret, peeling_steps

shares = st.floats(0.05, 0.99)


def quotient(alpha, gamma, n):
    """The paper's second case of C, as printed."""
    return (gamma ** (2 * n) * (1 - alpha) + alpha**n * (gamma**2 - 1)) / (gamma**2 - alpha)


@given(alpha=shares, gamma=st.floats(0.3, 0.98), n=st.integers(1, 30))
def test_the_cost_is_the_papers_quotient_away_from_the_limit_case(alpha, gamma, n):
    if abs(alpha - gamma**2) > 0.01:
        assert peeling_cost(alpha, gamma, n) == pytest.approx(quotient(alpha, gamma, n), rel=1e-6)


@given(gamma=st.floats(0.3, 0.98), n=st.integers(1, 30))
def test_the_limit_case_is_gamma_squared_and_the_cost_is_continuous_there(gamma, n):
    alpha = gamma**2
    exact = alpha ** (n - 1) * (n - (n - 1) * alpha)
    assert peeling_cost(alpha, gamma, n) == pytest.approx(exact)
    near = alpha + 1e-4
    assert peeling_cost(near, gamma, n) == pytest.approx(exact, abs=0.01)


def test_the_printed_limit_case_can_exceed_one_and_the_cost_cannot():
    alpha, gamma, n = 0.81, 0.9, 3
    assert n * alpha ** (n - 1) > 1.9
    assert peeling_cost(alpha, gamma, n) == pytest.approx(0.81**2 * (3 - 2 * 0.81))


def test_alpha_equal_to_gamma_is_no_special_case():
    # The paper's condition is α = γ; there the quotient is defined and differs from nα^{n−1}.
    assert peeling_cost(0.9, 0.9, 5) == pytest.approx(quotient(0.9, 0.9, 5))
    assert peeling_cost(0.9, 0.9, 5) < 5 * 0.9**4


@given(alpha=st.floats(0, 1), gamma=st.floats(0.01, 0.99), n=st.integers(1, 60))
def test_the_cost_is_at_most_one_and_grows_with_alpha(alpha, gamma, n):
    cost = peeling_cost(alpha, gamma, n)
    assert gamma ** (2 * (n - 1)) * (1 - 1e-12) <= cost <= 1
    assert cost <= peeling_cost(min(1.0, alpha + 0.1), gamma, n) + 1e-12


def test_the_cost_by_hand():
    assert peeling_cost(0.4, 0.9, 0) == 0
    assert peeling_cost(0.4, 0.9, 1) == 1
    assert peeling_cost(1.0, 0.9, 9) == 1
    assert peeling_cost(0.0, 0.9, 3) == pytest.approx(0.9**4)
    assert peeling_cost(0.5, 0.6, 2) == pytest.approx(0.36 + 0.64 * 0.5)


@given(
    distance=st.floats(0.001, 0.499),
    gamma=st.floats(0.3, 0.97),
    epsilon0=st.floats(0.05, 0.5),
    epochs=st.integers(1, 60),
)
def test_the_steps_are_the_peels_an_item_can_be_met_in(distance, gamma, epsilon0, epochs):
    # Present in peel 1, and in peel t+1 when peel t could not tell it from the front.
    expected, peels = 0, epochs - 1
    for t in range(1, peels + 1):
        expected += 1
        if epsilon0 * gamma**t < distance:
            break
    assert peeling_steps(distance, gamma, epsilon0, epochs) == expected


def test_the_steps_need_epsilon0():
    # log(0.3)/log(0.9) rounds up to 12; with ε_0 = 0.5 the item is gone after 5 peels.
    assert math.ceil(math.log(0.3) / math.log(0.9)) == 12
    assert peeling_steps(0.3, 0.9, 0.5, 17) == 5
    assert peeling_steps(0.3, 0.9, 0.5, 4) == 3


def test_an_item_exactly_on_the_schedule_stays_one_peel_more():
    assert peeling_steps(0.25, 0.5, 0.5, 10) == 2
    assert peeling_steps(math.nextafter(0.25, 1), 0.5, 0.5, 10) == 1


def test_peeling_regret_by_hand():
    # ε = 0.25, 0.125: 0.3 leaves in peel 1, 0.2 in peel 2. C(1) = 1, C(2) = 0.25 + 0.75·0.5.
    regret = peeling_regret([0.3, 0.2], 3, 0.1, 0.5, 0.5, 3, alpha=0.5)
    factor = 2 * 3 / 0.25 * math.log(2 * 3 * 9 / 0.1)
    assert regret == pytest.approx(factor * (1 / 0.3 + 0.625 / 0.2))


def test_an_antichain_has_no_regret():
    assert peeling_regret([], 5, 0.1, 0.9, 0.5, 4) == 0
    assert decoy_regret([], 5, 5, 0.1, 0.05, (0.3, 0.2)) == 0


def test_no_peels_no_peeling_regret():
    assert peeling_regret([0.3, 0.2], 3, 0.1, 0.5, 0.5, 1) == 0


@given(
    distances=st.lists(st.floats(0.002, 0.49), min_size=1, max_size=12),
    gamma=st.floats(0.4, 0.95),
    epsilon0=st.floats(0.1, 0.5),
    decoy_gap=st.floats(0.001, 0.05),
)
def test_peeling_regret_is_above_the_sum_it_bounds(distances, gamma, epsilon0, decoy_gap):
    items, delta = len(distances) + 2, 0.01
    schedule = peeling_schedule(peeling_floor(items, decoy_gap), gamma, epsilon0)
    epochs = len(schedule) + 1
    log = math.log(2 * epochs * items**2 / delta)
    total = 0.0
    for distance in distances:
        steps = peeling_steps(distance, gamma, epsilon0, epochs)
        if steps:  # with |S_t| = K throughout, the inner sum telescopes
            total += 2 * distance * items * log / schedule[steps - 1] ** 2
    bound = peeling_regret(distances, items, delta, gamma, epsilon0, epochs)
    assert bound >= total * (1 - 1e-9)


def test_decoy_regret_counts_only_what_the_peels_may_leave():
    # 0.3 is peeled; 0.2 lies exactly on the last precision and may stay; 0.1 stays.
    regret = decoy_regret([0.3, 0.2, 0.1], 16, 4, 0.1, 0.05, (0.4, 0.2))
    factor = 16 * 4 * math.log(2 * 3 * 256 / 0.1)
    assert regret == pytest.approx(factor * (1 / 0.2 + 1 / 0.1))


def test_decoy_regret_without_peeling_counts_every_item_outside_the_front():
    regret = decoy_regret([0.4, 0.1], 4, 2, 0.1, 0.1, ())
    # Δ√K = 0.2: for 0.4 the proof's Δ_i/Δ² = 40 is above K/Δ_i = 10.
    assert regret == pytest.approx(2 * math.log(2 * 16 / 0.1) * (40 + 40))


def test_front_items_among_the_distances_are_refused():
    with pytest.raises(ParameterError, match=r"distance is 0\.0, but"):
        peeling_regret([0.0, 0.2], 3, 0.1, 0.5, 0.5, 3)


def test_more_distances_than_dominated_items_are_refused():
    with pytest.raises(ParameterError, match="distances has 3 values, but fewer than the 3"):
        peeling_regret([0.1, 0.2, 0.3], 3, 0.1, 0.5, 0.5, 3)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, math.nan])
def test_alpha_outside_its_range_is_named(alpha):
    with pytest.raises(ParameterError, match=r"alpha is .* from 0 to 1"):
        peeling_cost(alpha, 0.9, 3)
