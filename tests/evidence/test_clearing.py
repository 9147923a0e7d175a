"""The bet against a gap with many stakes: its values, its level, its quota."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.errors import ParameterError
from antichain.evidence.clearing import (
    clearing_grid,
    clearing_quota,
    clearing_quotas,
    log_clearing,
    log_clearings,
)
from antichain.evidence.sprt import steps

epsilons = st.floats(0.005, 0.49)
some = st.integers(0, 40)


def stakes_and_weights(epsilon: float) -> list[tuple[float, float]]:
    """The stakes, read back from what a tie adds, and their weights."""
    rows = clearing_grid(epsilon).reshape(-1, 4)
    return [(math.expm1(tie) / epsilon, math.exp(weight)) for _, _, tie, weight in rows]


@given(epsilons)
def test_stakes_range_from_the_likelihood_ratios_own_to_the_largest_allowed(epsilon: float) -> None:
    stakes, weights = zip(*stakes_and_weights(epsilon), strict=True)
    assert sum(weights) == pytest.approx(1)
    assert stakes[0] == pytest.approx(4 * epsilon / (1 - 4 * epsilon**2))
    assert all(a < b for a, b in pairwise(stakes))
    assert 0.85 < stakes[-1] * (0.5 - epsilon) < 0.95
    first = clearing_grid(epsilon)[:3]
    known = steps(epsilon)
    assert first == pytest.approx([known.loss, known.win, known.tie])


@settings(deadline=None)
@given(epsilons, some, some, some)
def test_is_the_average_of_products(epsilon: float, wins: int, losses: int, ties: int) -> None:
    scores = [1.0] * wins + [0.0] * losses + [0.5] * ties
    bets = [
        weight * math.prod(1 - stake * (score - 0.5 - epsilon) for score in scores)
        for stake, weight in stakes_and_weights(epsilon)
    ]
    found = log_clearing(clearing_grid(epsilon), wins, losses, ties)
    assert found == pytest.approx(math.log(sum(bets)), abs=1e-7)


@settings(deadline=None)
@given(epsilons, st.floats(0, 1), st.floats(0, 1))
def test_no_law_with_the_gap_makes_the_bet_grow(epsilon: float, more: float, tied: float) -> None:
    mean = 0.5 + epsilon + more * (0.5 - epsilon)
    tie = tied * 2 * (1 - mean)  # the most ties that this mean allows
    win = mean - tie / 2
    grid = clearing_grid(epsilon)
    grown = sum(
        chance * math.exp(log_clearing(grid, *duel))
        for chance, duel in ((win, (1, 0, 0)), (1 - win - tie, (0, 1, 0)), (tie, (0, 0, 1)))
    )
    assert grown <= 1 + 1e-9


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 0.4])
def test_the_level_holds_at_any_time(epsilon: float) -> None:
    """Exactly, on the lattice of counts: how often a true gap of ε is ever bet away."""
    alpha, chance, horizon = 0.1, 0.5 + epsilon, 3000
    grid = clearing_grid(epsilon)
    alive, hit = np.ones(1), 0.0
    for duels in range(1, horizon + 1):
        alive = np.append(alive * (1 - chance), 0.0) + np.append(0.0, alive * chance)
        wins = np.arange(duels + 1)
        counts = np.stack([wins, duels - wins, 0 * wins, 0 * wins], axis=1)
        cleared = log_clearings(grid, counts) >= math.log(1 / alpha)
        hit += float(alive[cleared].sum())
        alive[cleared] = 0.0
    assert hit <= alpha
    assert hit > alpha / 4, "a level that is hardly used is not being tested"


@settings(max_examples=200, deadline=None)
@given(epsilons, st.floats(0.5, 12), some, some, some)
def test_nothing_is_cleared_within_the_quota(
    epsilon: float, level: float, wins: int, losses: int, ties: int
) -> None:
    grid = clearing_grid(epsilon)
    quota = clearing_quota(grid, wins, losses, ties, level)
    if quota == 0:
        assert log_clearing(grid, wins, losses, ties) >= level - 1e-6
    for more in product(range(min(quota, 9)), repeat=3):
        if sum(more) < quota:
            later = log_clearing(grid, wins + more[0], losses + more[1], ties + more[2])
            assert later < level
    if quota:
        assert log_clearing(grid, wins, losses + quota - 1, ties) < level


def test_rows_hold_lost_answers_against_the_claim() -> None:
    grid = clearing_grid(0.1)
    counts = np.array([[3, 20, 4, 0], [3, 20, 4, 5], [0, 0, 0, 2]])
    plain = [log_clearing(grid, won, 20 if won else 0, 4 if won else 0) for won in (3, 8)]
    assert log_clearings(grid, counts).tolist() == [*plain, log_clearing(grid, 2, 0, 0)]
    quotas = [clearing_quota(grid, 3, 20, 4, 9.0), clearing_quota(grid, 8, 20, 4, 9.0)]
    assert clearing_quotas(grid, counts[:2], 9.0).tolist() == quotas


def test_a_challenger_far_below_is_cleared_early() -> None:
    # Half the level of patience: the likelihood ratio alone would need ten times as long.
    grid, level = clearing_grid(0.02), math.log(1000)
    duels = next(n for n in range(1, 10_000) if log_clearing(grid, n // 10, n - n // 10, 0) > level)
    alone = level / (0.9 * steps(0.02).loss - 0.1 * steps(0.02).win)
    assert duels < alone / 6
    # And an even one costs little more than the likelihood ratio's own level.
    even = next(n for n in range(2, 99_999, 2) if log_clearing(grid, n // 2, n // 2, 0) > level)
    assert even < 1.05 * level / (steps(0.02).tie / 2)


def test_the_plain_functions_agree_with_the_compiled() -> None:
    grid = clearing_grid(0.07)
    for kernel, arguments in (
        (log_clearing, (grid, 30, 12, 5)),
        (clearing_quota, (grid, 30, 12, 5, 9.0)),
    ):
        assert kernel(*arguments) == kernel.py_func(*arguments)  # type: ignore[attr-defined]


@pytest.mark.parametrize("epsilon", [0, 0.5, -0.1, math.nan, "x"])
def test_refuses_a_gap_that_is_none(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        clearing_grid(epsilon)
