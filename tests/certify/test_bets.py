"""The bets: valid at any time by exact enumeration, and the same from counts and from scores."""

from collections import defaultdict
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.certify.bets import Bet, against_gap, on_dominance, total
from antichain.certify.missing import votes_needed
from antichain.errors import ParameterError

SCORES = (1.0, 0.0, 0.5)


def evidence(bet: Bet, won: int, lost: int, tied: int) -> float:
    """The e-value by its definition."""
    return sum(
        weight
        * np.prod(
            [
                (1 + stake * (x - bet.centre)) ** n
                for x, n in zip(SCORES, (won, lost, tied), strict=True)
            ]
        )
        for stake, weight in zip(bet.stakes, bet.weights, strict=True)
    )


def chance_of_ever_reaching(
    bet: Bet, threshold: float, law: tuple[float, ...], votes: int
) -> float:
    """Exactly, over all sequences of so many votes that are wins, losses and ties by `law`."""
    alive = {(0, 0, 0): 1.0}
    reached = 0.0
    for _ in range(votes):
        after: dict[tuple[int, int, int], float] = defaultdict(float)
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
def test_a_bet_on_dominance_keeps_its_level_whenever_one_stops(law, alpha):
    reached = chance_of_ever_reaching(on_dominance(), 1 / alpha, law, 24)
    assert 0 < reached <= alpha


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_a_bet_against_a_gap_keeps_its_level_whenever_one_stops(ties, alpha):
    lead = 2 * 0.1  # the mean is exactly 1/2 + ε, the hardest there is
    law = ((1 - ties + lead) / 2, (1 - ties - lead) / 2, ties)
    reached = chance_of_ever_reaching(against_gap(0.1), 1 / alpha, law, 24)
    assert 0 < reached <= alpha


@given(st.floats(0.001, 0.499))
def test_no_score_ruins_a_bet(epsilon):
    for bet in (on_dominance(), against_gap(epsilon)):
        assert bet.weights.sum() == pytest.approx(1)
        assert (bet.weights > 0).all()
        for score in (0.0, 1.0):
            assert (1 + bet.stakes * (score - bet.centre) > 0).all()


@given(st.floats(0.001, 0.499), st.floats(0, 1), st.floats(0, 1))
def test_every_term_is_fair_for_any_law_on_the_unit_interval(epsilon, low, high):
    # Two points carry any mean between them; the factor is linear, so only the mean matters.
    low, high = min(low, high), max(low, high)
    for bet, bound in ((on_dominance(), 0.5), (against_gap(epsilon), 0.5 + epsilon)):
        if not low <= bound <= high or low == high:
            continue
        share = (bound - low) / (high - low)
        factors = [1 + bet.stakes * (x - bet.centre) for x in (low, high)]
        assert ((1 - share) * factors[0] + share * factors[1]) == pytest.approx(1)
        assert np.sign(bet.stakes) == pytest.approx(1 if bound == 0.5 else -1)


@given(st.tuples(*[st.integers(0, 40)] * 3), st.sampled_from([0.01, 0.05, 0.3]))
def test_counts_scores_and_the_definition_agree(counts, epsilon):
    scores = np.repeat(SCORES, counts)
    for bet in (on_dominance(), against_gap(epsilon)):
        by_counts = total(bet.terms_of_counts(*(np.array([n]) for n in counts)))[0]
        stream = np.ones(len(scores), dtype=np.int64)
        by_scores = total(bet.terms_of_scores(stream, scores, 2))
        assert by_counts == pytest.approx(log(evidence(bet, *counts)), abs=1e-9)
        assert by_scores == pytest.approx([0.0, by_counts], abs=1e-9)


def test_scores_in_many_blocks_are_all_counted(monkeypatch):
    scores = np.random.default_rng(0).random(1000)
    stream = np.arange(1000) % 7
    whole = on_dominance().terms_of_scores(stream, scores, 7)
    monkeypatch.setattr("antichain.certify.bets._ROWS", 13)
    assert on_dominance().terms_of_scores(stream, scores, 7) == pytest.approx(whole)


def test_an_opponent_that_never_wins_is_cleared_much_sooner_than_an_even_one():
    bet, wanted = against_gap(0.05), log(1000)

    def votes(won: float) -> int:
        n = 1
        while total(bet.terms_of_counts(*np.array([[won * n], [(1 - won) * n], [0]])))[0] < wanted:
            n += 1
        return n

    assert votes(0.0) < 20
    assert 1200 < votes(0.5) < 2500  # log(1000)/(2ε²) is 1382


@pytest.mark.parametrize("mean", [0.3, 0.5])
def test_a_forecast_is_about_what_it_takes(mean):
    bet, wanted = against_gap(0.1), log(400)
    fresh = np.log(bet.weights)[None, :]
    told = votes_needed(bet, fresh, wanted, np.array([mean]), decisive=1.0)[0]
    reached = total(bet.terms_of_counts(*np.array([[mean * told], [(1 - mean) * told], [0]])))[0]
    assert wanted - 1e-9 <= reached < wanted + 1.2


def test_what_never_ends_is_forecast_as_such():
    bet = against_gap(0.1)
    fresh = np.log(bet.weights)[None, :]
    assert np.isinf(votes_needed(bet, fresh, 5.0, np.array([0.61]), decisive=1.0)).all()
    assert votes_needed(bet, fresh + 20, 5.0, np.array([0.9]), decisive=1.0) == [0]


def test_no_evidence_without_votes():
    none = np.zeros(1, dtype=np.int64)
    assert exp(total(on_dominance().terms_of_counts(none, none, none))[0]) == pytest.approx(1)
    assert total(np.empty((0, 3))).shape == (0,)


@pytest.mark.parametrize("epsilon", [0, 0.5, -1, float("nan"), "a"])
def test_an_impossible_epsilon_is_refused(epsilon):
    with pytest.raises(ParameterError, match="epsilon is"):
        against_gap(epsilon)
