"""Error levels, computed exactly on the lattice of counts: no simulation, no confidence.

`_ever` is the probability that a path of so many duels passes through a marked state, by
forward recursion. For the anytime-valid tests it must stay below their level however long the
path; for the paper's intervals it does not (docs/theory/errata.md, 2).
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import multinomial

from antichain.errors import ParameterError
from antichain.evidence import Bet, SequentialTest, Verdict, mean_score_interval
from antichain.evidence._bet import bet_against_gap, log_bet, log_bets, steps

Marks = Callable[[int], NDArray[np.bool_]]
"""For n duels: whether the state with w wins is marked, for w = 0..n."""


def _ever(marked: Marks, horizon: int, chance: float) -> float:
    alive = np.ones(1)
    hit = 0.0
    for duels in range(1, horizon + 1):
        alive = np.append(alive * (1 - chance), 0.0) + np.append(0.0, alive * chance)
        now = marked(duels)
        hit += float(alive[now].sum())
        alive[now] = 0.0
    return hit


def _judged(test: SequentialTest, wrong: Verdict) -> tuple[Marks, Marks]:
    """States with the wrong verdict, and states with any other."""

    def codes(duels: int) -> NDArray[np.int8]:
        rows = np.zeros((duels + 1, 8), np.int64)
        rows[:, 0] = np.arange(duels + 1)
        rows[:, 1] = duels - rows[:, 0]
        return test.verdicts(rows, np.zeros(duels + 1), np.zeros(duels + 1, np.int64))

    return lambda n: codes(n) == wrong, lambda n: (codes(n) != wrong) & (codes(n) != Verdict.OPEN)


@pytest.mark.parametrize("chance", [0.5, 0.45])
@pytest.mark.parametrize("bet", [Bet.geometric(0.05), Bet.open_ended(), Bet.on_gaps([0.1], [1.0])])
def test_dominance_is_wrongly_claimed_at_most_at_its_level(bet: Bet, chance: float) -> None:
    # With β = 0 nothing but dominance ever ends the test: the worst case.
    alpha = 0.1
    test = SequentialTest.one_sided_bets(alpha, bet, 0.1, 0.0)
    error = _ever(_judged(test, Verdict.LEFT)[0], 600, chance)
    assert error <= alpha
    if chance == 0.5:
        assert error > alpha / 4, "a test that never errs asks for too many duels"


@pytest.mark.parametrize("chance", [0.6, 0.7])
def test_a_gap_is_wrongly_denied_at_most_at_its_level(chance: float) -> None:
    beta, gap = 0.1, 0.1
    test = SequentialTest.one_sided_bets(1e-300, Bet.on_gaps([gap], [1.0]), gap, beta)
    error = _ever(_judged(test, Verdict.EVEN)[0], 600, chance)
    assert error <= beta
    if chance == 0.5 + gap:
        assert error > beta / 2


def test_even_is_wrongly_said_at_most_at_its_level() -> None:
    beta, gap = 0.1, 0.15
    test = SequentialTest.two_sided_bets(1e-300, Bet.geometric(0.1), gap, beta)
    for chance in (0.5 + gap, 0.5 - gap):
        assert _ever(_judged(test, Verdict.EVEN)[0], 500, chance) <= beta


def test_both_errors_of_walds_test() -> None:
    alpha, gap, beta = 0.05, 0.1, 0.2
    test = SequentialTest.one_sided_bets(alpha, Bet.on_gaps([gap], [1.0]), gap, beta)
    left, even = _judged(test, Verdict.LEFT)

    def either(wanted: Marks, other: Marks, chance: float) -> float:
        """The probability that a wanted state is met before any other verdict."""
        alive, hit = np.ones(1), 0.0
        for duels in range(1, 900):
            alive = np.append(alive * (1 - chance), 0.0) + np.append(0.0, alive * chance)
            hit += float(alive[wanted(duels)].sum())
            alive[wanted(duels) | other(duels)] = 0.0
        assert alive.sum() < 1e-3
        return hit

    assert alpha / 2 < either(left, even, 0.5) <= alpha
    assert beta / 2 < either(even, left, 0.5 + gap) <= beta


def test_the_papers_interval_exceeds_its_level_when_read_after_every_duel() -> None:
    nominal = 0.05
    level = math.log(2 / nominal)
    test = SequentialTest.capped_interval(level, math.inf)
    left, right = _judged(test, Verdict.LEFT)
    error = _ever(lambda n: left(n) | right(n), 1000, 0.5)
    assert error > 2 * nominal


@pytest.mark.parametrize("mean", [0.5, 0.7, 0.95])
def test_the_confidence_sequence_covers_at_all_times(mean: float) -> None:
    alpha = 0.1

    def misses(duels: int) -> NDArray[np.bool_]:
        low, high = np.array(
            [mean_score_interval(w, duels - w, 0, alpha, tuned_for=50) for w in range(duels + 1)]
        ).T
        return (mean < low) | (mean > high)

    error = _ever(misses, 400, mean)
    assert error <= alpha
    if mean == 0.5:
        assert error > alpha / 20


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.floats(1e-9, 0.99))
def test_the_interval_holds_the_mean_score_and_shrinks_with_alpha(
    wins: int, losses: int, ties: int, alpha: float
) -> None:
    low, high = mean_score_interval(wins, losses, ties, alpha)
    assert 0 <= low <= high <= 1
    if wins + losses + ties:
        score = (wins + ties / 2) / (wins + losses + ties)
        assert low - 1e-12 <= score <= high + 1e-12
    strict = mean_score_interval(wins, losses, ties, alpha / 10)
    assert strict[0] <= low
    assert high <= strict[1]


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan])
def test_alpha_outside_its_range_is_refused(alpha: float) -> None:
    with pytest.raises(ParameterError, match="alpha"):
        mean_score_interval(1, 2, 3, alpha)


def test_pooled_duels_hold_against_any_choice_of_opponents() -> None:
    # Of a maximal item: each of its duels is lost with a chance of at most one half.
    # Whoever picks the opponents may look at all duels so far: take the worst such policy.
    alpha, horizon, chances = 0.1, 250, (0.2, 0.4, 0.5)
    threshold = math.log(1 / alpha)
    bet = Bet.open_ended().packed
    worst = np.zeros(horizon + 2)
    for duels in range(horizon, -1, -1):
        losses = np.arange(duels + 1)
        nothing = np.zeros_like(losses)
        counts = np.stack([losses, duels - losses, nothing, nothing], axis=1)
        out = log_bets(bet, counts) >= threshold
        policies = [p * worst[1 : duels + 2] + (1 - p) * worst[: duels + 1] for p in chances]
        worst = np.append(np.where(out, 1.0, np.max(policies, axis=0)), 0.0)
    assert alpha / 10 < worst[0] <= alpha


def _outcomes(duels: int) -> list[tuple[int, int, int]]:
    return [(w, t, duels - w - t) for w in range(duels + 1) for t in range(duels + 1 - w)]


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 0.9), st.floats(0.01, 0.4), st.integers(1, 9), st.floats(0, 1))
def test_bets_are_fair_at_the_edge_of_what_they_test_at_any_rate_of_ties(
    ties: float, gap: float, duels: int, share: float
) -> None:
    bet = Bet.geometric(0.05).packed
    win, loss, tie = steps(gap)

    def mean(chances: list[float], log_value: Callable[[int, int, int], float]) -> float:
        law = multinomial(duels, chances)
        return sum(
            law.pmf([w, t, lost]) * math.exp(log_value(w, t, lost))
            for w, t, lost in _outcomes(duels)
        )

    even = [(1 - ties) / 2, ties, (1 - ties) / 2]
    assert mean(even, lambda won, tied, lost: log_bet(bet, won, lost, tied)) == pytest.approx(
        1, rel=1e-9
    )
    assert mean(even, lambda won, _, lost: won * win - lost * loss) == pytest.approx(1)
    worse = [share * even[0], ties, 1 - ties - share * even[0]]
    assert mean(worse, lambda won, tied, lost: log_bet(bet, won, lost, tied)) <= 1 + 1e-9
    # A mean score of 1/2 + g, the most ties that leaves being 1 − 2g.
    fewer = ties * (1 - 2 * gap)
    edge = [0.5 + gap - fewer / 2, fewer, 0.5 - gap - fewer / 2]
    against = mean(edge, lambda won, even, lost: bet_against_gap(won, lost, even, win, loss, tie))
    assert against == pytest.approx(1, rel=1e-9)


def test_bets_on_dominance_are_weighted_to_one_and_reach_down() -> None:
    for bet in (Bet.geometric(0.003), Bet.geometric(0.45), Bet.open_ended()):
        gaps = (bet.stakes / 4).tolist()
        assert bet.centre == 0.5
        assert bet.weights.sum() == pytest.approx(1)
        assert all(0 < gap < 0.5 for gap in gaps)
        assert gaps == sorted(gaps, reverse=True)
    assert Bet.geometric(0.003).stakes[-1] / 4 <= 0.003
    assert Bet.open_ended().stakes[-1] / 4 < 2e-8
    for smallest in (0.0, 0.5, math.nan):
        with pytest.raises(ParameterError, match="smallest gap"):
            Bet.geometric(smallest)
