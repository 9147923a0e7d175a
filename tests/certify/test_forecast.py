"""How many more votes a bet needs."""

from math import log

import numpy as np
import pytest

from antichain.certify._missing import votes_needed
from antichain.evidence._bet import Bet, total


@pytest.mark.parametrize("mean", [0.3, 0.5])
def test_a_forecast_is_about_what_it_takes(mean):
    bet, wanted = Bet.against_gap(0.1), log(400)
    fresh = np.log(bet.weights)[None, :]
    told = votes_needed(bet, fresh, wanted, np.array([mean]), decisive=1.0)[0]
    reached = total(bet.terms_of_counts(*np.array([[mean * told], [(1 - mean) * told], [0]])))[0]
    assert wanted - 1e-9 <= reached < wanted + 1.2


def test_what_never_ends_is_forecast_as_such():
    bet = Bet.against_gap(0.1)
    fresh = np.log(bet.weights)[None, :]
    assert np.isinf(votes_needed(bet, fresh, 5.0, np.array([0.61]), decisive=1.0)).all()
    assert votes_needed(bet, fresh + 20, 5.0, np.array([0.9]), decisive=1.0) == [0]
