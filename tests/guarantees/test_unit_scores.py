"""Tables of scores keep their δ, looked at after each unit, however alike the scores of a unit are.

Each run is stopped as soon as anything false is certified, which is the worst time there is.
"""

from __future__ import annotations

import numpy as np
import pytest

from antichain.certify._weigh import all_answers, weigh
from antichain.votes import read_votes
from tests.guarantees.certify_runs import Floats, Rules, World
from tests.guarantees.error_rates import at_levels, runs_for
from tests.guarantees.unit_runs import ScoreWorld, compared, errors_in_units, unit_evidence

Shape = tuple[int, int]


def even(size: int) -> World:
    return World(np.zeros((size, size)), epsilon=0.2)


def ladder(size: int, gap: float) -> World:
    """Each item above all later ones by the same gap, a hair above ε."""
    gaps = np.triu(np.full((size, size), gap), 1)
    return World(gaps - gaps.T, epsilon=gap - 0.001)


def hard_and_easy(shape: Shape, rng: np.random.Generator) -> Floats:
    """Right or wrong, by the difficulty of a question that all share; half copy one another."""
    chance = rng.beta(0.4, 0.4, size=(*shape, 1))
    alone, together = rng.random((*shape, 4)), rng.random((*shape, 1))
    copying = rng.random((*shape, 4)) < 0.5
    return (np.where(copying, together, alone) < chance).astype(float)


def order_or_reverse(shape: Shape, rng: np.random.Generator) -> Floats:
    """A unit ranks all items in one order, or in the reverse, on a scale of its own."""
    scale = np.exp(rng.normal(0, 5, size=(*shape, 1)))
    ranks = np.arange(4.0) * np.where(rng.random((*shape, 1)) < 0.5, 1, -1)
    return ranks * scale


def two_kinds(shape: Shape, rng: np.random.Generator) -> Floats:
    """Most units lean to the first item, and a few are all against it, by as much in the mean."""
    lean = rng.random((*shape, 1)) < 0.75
    ahead = np.where(lean, rng.random((*shape, 1)) < 2 / 3, False)
    others = rng.random((*shape, 3))
    return np.concatenate([np.where(ahead, 2.0, -1.0), others], axis=-1)


def missing_at_random(shape: Shape, rng: np.random.Generator) -> Floats:
    scores = order_or_reverse(shape, rng)
    return np.where(rng.random(scores.shape) < 0.4, np.nan, scores)


def nearly_ranked(shape: Shape, rng: np.random.Generator) -> Floats:
    """The whole order, or its reverse: each item is ahead of all later ones by 0.201."""
    return -np.arange(3.0) * np.where(rng.random((*shape, 1)) < 0.701, 1, -1)


CASES = {
    "all even, by difficulty": ScoreWorld(even(4), hard_and_easy),
    "all even, an order or its reverse": ScoreWorld(even(4), order_or_reverse),
    "all even, two kinds of units": ScoreWorld(even(4), two_kinds),
    "all even, scores missing": ScoreWorld(even(4), missing_at_random),
    "a hair above epsilon": ScoreWorld(ladder(3, 0.201), nearly_ranked),
}


@pytest.mark.parametrize("name", CASES)
def test_the_worlds_are_what_they_are_said_to_be(name: str) -> None:
    case = CASES[name]
    won = compared(case.draw((400, 500), np.random.default_rng(1)), case.world.pairs)
    mean = np.nanmean(won, axis=(0, 1)) - 0.5
    assert mean == pytest.approx(case.world.gaps[*case.world.pairs.T], abs=0.01)


@pytest.mark.parametrize("name", CASES)
def test_the_runs_claim_what_a_table_of_scores_claims(name: str) -> None:
    case = CASES[name]
    scores = case.draw((5, 12), np.random.default_rng(2))
    evidence = unit_evidence(case.world, scores)[-1]
    items = tuple(map(str, range(case.world.size)))
    for run in range(5):
        table = [
            {"unit": unit, "item": item, "score": float(score)}
            for unit, row in enumerate(scores[run])
            for item, score in zip(items, row, strict=True)
        ]
        log = read_votes(table, items=items)
        weighed = weigh(all_answers(log), case.world.epsilon)
        rows = [
            k for k, pair in enumerate(case.world.pairs.tolist())
            if pair in np.column_stack([log.pairs.first, log.pairs.second]).tolist()
        ]  # fmt: skip
        assert weighed.above == pytest.approx(evidence.above[run][rows])
        assert weighed.within == pytest.approx(evidence.within[run][rows])
        assert weighed.pooled == pytest.approx(evidence.pooled[run])


@pytest.mark.parametrize("name", CASES)
def test_nothing_false_is_certified_of_scores_in_fewer_runs(name: str) -> None:
    count = errors_in_units(CASES[name], 0.2, 600, 25, seed=3)
    assert count.upper < 1.3 * 0.2, str(count)


def test_all_of_delta_on_out_is_kept_and_nearly_spent() -> None:
    # A level that is broken would show here.
    case = CASES["all even, an order or its reverse"]
    count = errors_in_units(case, 0.2, 1500, 40, seed=4, rules=Rules("out", clustered=True))
    assert count.upper < 1.1 * 0.2, str(count)
    assert count.lower > 0.01, str(count)


@pytest.mark.slow
@at_levels("name", CASES)
def test_nothing_false_is_certified_of_scores(name: str, delta: float) -> None:
    count = errors_in_units(CASES[name], delta, runs_for(delta), 25, seed=6)
    print(f"{name}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize(
    ("name", "family"), [("all even, two kinds of units", "out"), ("a hair above epsilon", "in")]
)
def test_nor_of_few_units_with_all_of_delta_on_one_family(
    name: str, family: str, delta: float
) -> None:
    rules = Rules(family, clustered=True)
    count = errors_in_units(CASES[name], delta, runs_for(delta), 15, seed=7, rules=rules)
    print(f"{name}, all on {family}, 15 units, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)
