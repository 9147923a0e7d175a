"""The bets: their values, their levels by exact enumeration, their quotas."""

import math
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise, product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bets import SCORES, evidence

from antichain.errors import ParameterError
from antichain.evidence._bet import (
    Bet,
    bet_quota,
    bet_quotas,
    log_bet,
    log_bets,
    steps,
    total,
)

AGAINST: list[Callable[[float], Bet]] = [Bet.clearing, Bet.against_gap]
"""The grids against a gap of ε."""

epsilons = st.floats(0.005, 0.49)
some = st.integers(0, 40)


@st.composite
def bets(draw: st.DrawFn) -> Bet:
    """Any of the grids."""
    constructor = draw(st.sampled_from([Bet.geometric, *AGAINST]))
    return draw(st.one_of(st.just(Bet.open_ended()), epsilons.map(constructor)))


# -- values ----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(bets(), some, some, some)
def test_counts_scores_the_kernel_and_the_definition_agree(
    bet: Bet, wins: int, losses: int, ties: int
) -> None:
    expected = log(evidence(bet, wins, losses, ties))
    scores = np.repeat(SCORES, (wins, losses, ties))
    stream = np.ones(len(scores), dtype=np.int64)
    by_counts = total(bet.terms_of_counts(*(np.array([n]) for n in (wins, losses, ties))))
    assert by_counts == pytest.approx([expected], abs=1e-7)
    by_scores = total(bet.terms_of_scores(stream, scores, 2))
    assert by_scores == pytest.approx([0.0, expected], abs=1e-7)
    assert log_bet(bet.packed, wins, losses, ties) == pytest.approx(expected, abs=1e-7)


def test_scores_in_many_blocks_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).random(1000)
    stream = np.arange(1000) % 7
    whole = Bet.open_ended().terms_of_scores(stream, scores, 7)
    monkeypatch.setattr("antichain.evidence._bet._ROWS", 13)
    assert Bet.open_ended().terms_of_scores(stream, scores, 7) == pytest.approx(whole)


def test_no_evidence_without_votes() -> None:
    none = np.zeros(1, dtype=np.int64)
    assert exp(total(Bet.open_ended().terms_of_counts(none, none, none))[0]) == pytest.approx(1)
    assert total(np.empty((0, 3))).shape == (0,)


def test_rows_hold_lost_answers_against_the_claim() -> None:
    counts = np.array([[3, 20, 4, 0], [3, 20, 4, 5], [0, 0, 0, 2]])
    against = Bet.clearing(0.1).packed  # a lost answer is read as a win of the challenger
    as_wins = [(3, 20, 4), (8, 20, 4), (2, 0, 0)]
    assert log_bets(against, counts).tolist() == [log_bet(against, *row) for row in as_wins]
    quotas = [bet_quota(against, *row, 9.0) for row in as_wins]
    assert bet_quotas(against, counts, 9.0).tolist() == quotas
    dominance = Bet.geometric(0.1).packed  # and as a loss of whoever is claimed to be above
    as_losses = [(3, 20, 4), (3, 25, 4), (0, 2, 0)]
    assert log_bets(dominance, counts).tolist() == [log_bet(dominance, *row) for row in as_losses]
    quotas = [bet_quota(dominance, *row, 9.0) for row in as_losses]
    assert bet_quotas(dominance, counts, 9.0).tolist() == quotas


def test_the_plain_functions_agree_with_the_compiled() -> None:
    bet = Bet.clearing(0.07).packed
    for kernel, arguments in (
        (log_bet, (bet, 30, 12, 5)),
        (bet_quota, (bet, 30, 12, 5, 9.0)),
    ):
        assert kernel(*arguments) == kernel.py_func(*arguments)  # type: ignore[attr-defined]


# -- levels ----------------------------------------------------------------------------------------


@given(bets())
def test_no_score_ruins_a_bet(bet: Bet) -> None:
    assert bet.weights.sum() == pytest.approx(1)
    assert (bet.weights > 0).all()
    for score in (0.0, 1.0):
        assert (1 + bet.stakes * (score - bet.centre) > 0).all()


@given(bets(), st.floats(0, 1), st.floats(0, 1))
def test_every_term_is_fair_for_any_law_on_the_unit_interval(
    bet: Bet, one: float, other: float
) -> None:
    # Two points carry any mean between them; the factor is linear, so only the mean matters.
    low, high = min(one, other), max(one, other)
    assert np.sign(bet.stakes) == pytest.approx(1 if bet.centre == 0.5 else -1)
    if low <= bet.centre <= high and low < high:
        share = (bet.centre - low) / (high - low)
        factors = [1 + bet.stakes * (x - bet.centre) for x in (low, high)]
        assert ((1 - share) * factors[0] + share * factors[1]) == pytest.approx(1)


@settings(deadline=None)
@given(st.sampled_from(AGAINST), epsilons, st.floats(0, 1), st.floats(0, 1))
def test_no_law_with_the_gap_makes_the_bet_grow(
    grid: Callable[[float], Bet], epsilon: float, more: float, tied: float
) -> None:
    mean = 0.5 + epsilon + more * (0.5 - epsilon)
    tie = tied * 2 * (1 - mean)  # the most ties that this mean allows
    win = mean - tie / 2
    bet = grid(epsilon).packed
    grown = sum(
        chance * exp(log_bet(bet, *duel))
        for chance, duel in ((win, (1, 0, 0)), (1 - win - tie, (0, 1, 0)), (tie, (0, 0, 1)))
    )
    assert grown <= 1 + 1e-9


def chance_of_ever_reaching(
    bet: Bet, threshold: float, law: tuple[float, ...], votes: int
) -> float:
    """Exactly, over all sequences of so many votes that are wins, losses and ties by `law`."""
    alive = {(0, 0, 0): 1.0}
    reached = 0.0
    for _ in range(votes):
        after: dict[tuple[int, ...], float] = defaultdict(float)
        for counts, chance in alive.items():
            for form, share in enumerate(law):
                if share:
                    grown = tuple(n + (k == form) for k, n in enumerate(counts))
                    after[grown] += chance * share
        alive = {}
        for counts, chance in after.items():
            if evidence(bet, *counts) >= threshold:
                reached += chance
            else:
                alive[counts] = chance
    return reached


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("law", [(0.5, 0.5, 0.0), (0.2, 0.2, 0.6), (0.45, 0.55, 0.0)])
def test_a_bet_on_dominance_keeps_its_level_whenever_one_stops(
    law: tuple[float, ...], alpha: float
) -> None:
    reached = chance_of_ever_reaching(Bet.open_ended(), 1 / alpha, law, 24)
    assert 0 < reached <= alpha


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_a_bet_against_a_gap_keeps_its_level_whenever_one_stops(ties: float, alpha: float) -> None:
    lead = 2 * 0.1  # the mean is exactly 1/2 + ε, the hardest there is
    law = ((1 - ties + lead) / 2, (1 - ties - lead) / 2, ties)
    reached = chance_of_ever_reaching(Bet.against_gap(0.1), 1 / alpha, law, 24)
    assert 0 < reached <= alpha


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 0.4])
def test_the_level_of_a_clearing_bet_holds_at_any_time(epsilon: float) -> None:
    """Exactly, on the lattice of counts: how often a true gap of ε is ever bet away."""
    alpha, chance, horizon = 0.1, 0.5 + epsilon, 3000
    bet = Bet.clearing(epsilon).packed
    alive, hit = np.ones(1), 0.0
    for duels in range(1, horizon + 1):
        alive = np.append(alive * (1 - chance), 0.0) + np.append(0.0, alive * chance)
        wins = np.arange(duels + 1)
        counts = np.stack([wins, duels - wins, 0 * wins, 0 * wins], axis=1)
        cleared = log_bets(bet, counts) >= log(1 / alpha)
        hit += float(alive[cleared].sum())
        alive[cleared] = 0.0
    assert hit <= alpha
    assert hit > alpha / 4, "a level that is hardly used is not being tested"


# -- quotas and costs ------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(bets(), st.floats(0.5, 12), some, some, some)
def test_nothing_is_shown_within_the_quota(
    bet: Bet, level: float, wins: int, losses: int, ties: int
) -> None:
    packed = bet.packed
    quota = bet_quota(packed, wins, losses, ties, level)
    if quota == 0:
        assert log_bet(packed, wins, losses, ties) >= level - 1e-6
    for more in product(range(min(quota, 9)), repeat=3):
        if sum(more) < quota:
            later = log_bet(packed, wins + more[0], losses + more[1], ties + more[2])
            assert later < level
    if quota:
        streak = quota - 1
        won, lost = (streak, 0) if bet.stakes[0] > 0 else (0, streak)
        assert log_bet(packed, wins + won, losses + lost, ties) < level


@given(epsilons)
def test_clearing_stakes_range_from_the_likelihood_ratios_own_to_the_largest_allowed(
    epsilon: float,
) -> None:
    bet = Bet.clearing(epsilon)
    stakes = (-bet.stakes).tolist()
    assert stakes[0] == pytest.approx(4 * epsilon / (1 - 4 * epsilon**2))
    assert all(a < b for a, b in pairwise(stakes))
    assert 0.85 < stakes[-1] * (0.5 - epsilon) < 0.95
    known = steps(epsilon)
    assert bet.packed[:3] == pytest.approx([-known.win, known.loss, known.tie])


def test_a_challenger_far_below_is_cleared_early() -> None:
    # Half the level of patience: the likelihood ratio alone would need ten times as long.
    bet, level = Bet.clearing(0.02).packed, log(1000)
    duels = next(n for n in range(1, 10_000) if log_bet(bet, n // 10, n - n // 10, 0) > level)
    alone = level / (0.9 * steps(0.02).loss - 0.1 * steps(0.02).win)
    assert duels < alone / 6
    # And an even one costs little more than the likelihood ratio's own level.
    even = next(n for n in range(2, 99_999, 2) if log_bet(bet, n // 2, n // 2, 0) > level)
    assert even < 1.05 * level / (steps(0.02).tie / 2)


def test_an_opponent_that_never_wins_is_cleared_much_sooner_than_an_even_one() -> None:
    bet, wanted = Bet.against_gap(0.05), log(1000)

    def votes(won: float) -> int:
        n = 1
        while total(bet.terms_of_counts(*np.array([[won * n], [(1 - won) * n], [0]])))[0] < wanted:
            n += 1
        return n

    assert votes(0.0) < 20
    assert 1200 < votes(0.5) < 2500  # log(1000)/(2ε²) is 1382


@pytest.mark.parametrize("grid", AGAINST)
@pytest.mark.parametrize("epsilon", [0, 0.5, -0.1, math.nan, "x"])
def test_an_impossible_epsilon_is_refused(grid: Callable[[float], Bet], epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon is"):
        grid(epsilon)
