"""The judge of ordered answers errs no more often than promised, with duels by our own policy.

Each world is as near to a false claim as it may be. A run is wrong if anything false was shown at
any time: a maximal item out, or one in that a maximal item beats by more than ε or any item by
more than ε₂.
"""

import pytest

from tests.guarantees.error_rates import at_levels
from tests.guarantees.judge_worlds import (
    close_pairs,
    decoys_at_the_bound,
    errors_in_studies,
    even,
    hardly_comparable,
    leaning,
    strong_pairs,
    strong_steps,
    two_tiers,
)

SMALL = {
    "all even": even(8, epsilon=0.2),
    "all even, with ties": even(8, epsilon=0.2, ties=0.4),
    "beaten by just over ε": close_pairs(8, 0.2),
    "two tiers": two_tiers(6, 0.1),
    "strong, one above all": strong_pairs(8, 0.2),
    "strong, in steps": strong_steps(8, 0.2),
    "cannot compare, leaning": leaning(6, 0.2),
    "cannot compare, hardly comparable": hardly_comparable(6, 0.2),
    "decoys at the bound": decoys_at_the_bound(8, 0.2),
}
LARGE = {
    "all even, 8": even(8, epsilon=0.15),
    "all even, 20": even(20, epsilon=0.3),
    "beaten by just over ε, 12": close_pairs(12, 0.2),
    "beaten by just over ε, 12, ties": close_pairs(12, 0.2, ties=0.2),
    "two tiers, 6": two_tiers(6),
    "two tiers, 12": two_tiers(12),
    "strong, one above all, 12": strong_pairs(12, 0.2),
    "strong, in steps, 12": strong_steps(12, 0.2),
    "cannot compare, leaning, 12": leaning(12),
    "cannot compare, leaning, 12, strong": leaning(12, strong=True),
    "cannot compare, hardly comparable, 12": hardly_comparable(12, 0.2),
    "decoys at the bound, 12": decoys_at_the_bound(12, 0.2),
}
RUNS = {0.2: 300, 0.05: 600}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_false_claims_are_rarer_than_promised(name):
    errors, finished = errors_in_studies(SMALL[name], 0.2, runs=150, seed=1, budget=20_000)
    assert finished > 100  # otherwise little was claimed
    assert errors.upper < 1.1 * 0.2, errors


@pytest.mark.slow
@at_levels("name", LARGE)
def test_false_claims_are_rarer_than_promised_in_many_runs(name, delta):
    runs = RUNS[delta]
    errors, finished = errors_in_studies(LARGE[name], delta, runs, seed=2, budget=60_000)
    assert finished > runs / 2
    assert errors.upper < 1.1 * delta, errors
