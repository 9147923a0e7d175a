"""Certificates keep their δ for scores between 0 and 1, judgments in both orders, and ballots.

Each run is stopped as soon as anything false is certified, which is the worst time there is.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product

import numpy as np
import pytest

from antichain.certify._weigh import all_answers, weigh
from antichain.evidence._bet import Bet, total
from antichain.votes import read_votes
from tests.guarantees.certify_runs import (
    Evidence,
    Floats,
    Policy,
    Rules,
    Whole,
    World,
    chasing,
    false_claims,
    uniformly,
)
from tests.guarantees.error_rates import ErrorCount, at_levels, runs_for
from tests.guarantees.test_certify import WORLDS

_BLOCK = 5000  # runs at a time, for the sake of memory

Draw = Callable[[Floats, np.random.Generator], Floats]


class Growing:
    """The evidence of many runs, in which each vote is a score of one pair."""

    def __init__(self, world: World, runs: int) -> None:
        self.world, self.evidence = world, Evidence.none(runs, world)
        self._bets = Bet.open_ended(), Bet.against_gap(world.epsilon)
        self._logs = [
            np.tile(np.log(bet.weights), (runs, len(world.pairs), 2, 1)) for bet in self._bets
        ]
        self._pooled = np.tile(np.log(self._bets[0].weights), (runs, world.size, 1))

    def add(self, asked: Whole, scores: Floats) -> None:
        """Add a score of the first item of the pair that each run asked."""
        everyone = np.arange(len(asked))
        both = np.stack([scores, 1 - scores], axis=1)
        found = (self.evidence.above, self.evidence.within)
        for bet, logs, evidence in zip(self._bets, self._logs, found, strict=True):
            logs[everyone, asked] += _factors(bet, both)
            flat = logs[everyone, asked].reshape(-1, len(bet.stakes))
            evidence[everyone, asked] = total(flat).reshape(-1, 2)
        for item, opponents in zip(self.world.pairs[asked].T, both.T[::-1], strict=True):
            self._pooled[everyone, item] += _factors(self._bets[0], opponents)
            self.evidence.pooled[everyone, item] = total(self._pooled[everyone, item])


def _factors(bet: Bet, scores: Floats) -> Floats:
    return np.log1p(np.multiply.outer(scores - bet.centre, bet.stakes))


def skewed(mean: Floats, rng: np.random.Generator) -> Floats:
    """Mostly a little below the mean, now and then a full win."""
    low = (mean - 0.1) / 0.9
    return np.where(rng.random(len(mean)) < 0.1, 1.0, np.maximum(low, 0.0))


def anything(mean: Floats, rng: np.random.Generator) -> Floats:
    """Beta-distributed: mostly near 0 and 1."""
    return rng.beta(0.3 * mean, 0.3 * (1 - mean))


def in_both_orders(mean: Floats, rng: np.random.Generator) -> Floats:
    """The mean of two halves by a judge who prefers the first side and says the same twice."""
    bias = 0.2
    same = rng.random(len(mean)) < 0.5
    draws = rng.random((2, len(mean)))
    draws[1] = np.where(same, draws[0], draws[1])
    return ((draws[0] < mean + bias).astype(float) + (draws[1] < mean - bias)) / 2


DRAWS: dict[str, Draw] = {"skewed": skewed, "anything": anything, "both orders": in_both_orders}
SCORED = ["antichain", "a hair above epsilon", "cycle"]
POLICIES: dict[str, Policy] = {"uniformly": uniformly, "chasing": chasing}


def errors_in_scores(
    world: World, draw: Draw, policy: Policy, delta: float, runs: int, votes: int, seed: int
) -> ErrorCount:
    """Runs in which something false was certified at any time."""
    rng, wrong = np.random.default_rng(seed), 0
    gaps = world.gaps[*world.pairs.T]
    for start in range(0, runs, _BLOCK):
        block = min(_BLOCK, runs - start)
        growing, over = Growing(world, block), np.zeros(block, np.bool_)
        counts = np.zeros((block, len(world.pairs), 6), np.int64)
        for _ in range(votes):
            asked = policy(growing.evidence, counts, rng)
            growing.add(asked, draw(0.5 + gaps[asked], rng))
            over |= false_claims(growing.evidence, world, delta, over)
        wrong += int(over.sum())
    return ErrorCount(wrong, runs)


def test_the_runs_of_scores_claim_what_a_certificate_claims() -> None:
    world, rng = WORLDS["one below, two even"], np.random.default_rng(6)
    growing, rows = Growing(world, 1), []
    for _ in range(60):
        asked = rng.integers(3, size=1)
        # As many decimals as are kept.
        score = np.round(anything(0.5 + world.gaps[*world.pairs.T][asked], rng), 9)
        growing.add(asked, score)
        left, right = world.pairs[asked[0]]
        rows.append({"left": str(left), "right": str(right), "score": float(score[0])})
    log = read_votes(rows, items=("0", "1", "2"))
    weighed = weigh(all_answers(log), world.epsilon)
    assert weighed.above == pytest.approx(growing.evidence.above[0])
    assert weighed.within == pytest.approx(growing.evidence.within[0])
    assert weighed.pooled == pytest.approx(growing.evidence.pooled[0])


@pytest.mark.slow
@at_levels(
    "world, draw, policy",
    # With one pair there is nothing to choose.
    [row for row in product(SCORED, DRAWS, POLICIES)
     if WORLDS[row[0]].size > 2 or row[2] != "chasing"],
)  # fmt: skip
def test_nothing_false_is_certified_of_scores(
    world: str, draw: str, policy: str, delta: float
) -> None:
    runs = runs_for(delta)
    count = errors_in_scores(WORLDS[world], DRAWS[draw], POLICIES[policy], delta, runs, 50, 1)
    print(f"{world}, {draw}, {policy}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.parametrize("draw", DRAWS)
def test_nor_in_fewer_runs_of_scores(draw: str) -> None:
    count = errors_in_scores(WORLDS["antichain"], DRAWS[draw], chasing, 0.2, 600, 40, 2)
    assert count.upper < 1.3 * 0.2, str(count)


class TwoVotes:
    """Both orders of a judge who says the same in each, as if they were two votes."""

    def __init__(self) -> None:
        self._said: Floats | None = None

    def __call__(self, mean: Floats, rng: np.random.Generator) -> Floats:
        said, self._said = self._said, None
        if said is None:
            self._said = said = (rng.random(len(mean)) < mean).astype(float)
        return said


def test_both_orders_taken_as_two_votes_are_not_harmless() -> None:
    # The reason why they are one observation.
    world = WORLDS["a hair above epsilon"]
    count = errors_in_scores(world, TwoVotes(), uniformly, 0.2, 1000, 160, 3)
    assert count.lower > 0.2, str(count)


# -- ballots --------------------------------------------------------------------------------------

ORDERS = list(permutations(range(3)))
# How often each order of a, b and c is cast.
ELECTORATES = {
    "any order": np.full(6, 1 / 6),
    "two camps": np.array([0.5, 0, 0, 0, 0, 0.5]),  # abc or cba: all are even, and of one mind
    "a Condorcet cycle": np.array([1, 0, 0, 1, 1, 0]) / 3,  # abc, bca, cab
    "a hair above epsilon": np.array([0.3, 0.401, 0.0, 0.0, 0.0, 0.299]),
}


def world_of(electorate: Floats) -> World:
    gaps = np.zeros((3, 3))
    for order, share in zip(ORDERS, electorate, strict=True):
        for k, i in enumerate(order):
            gaps[i, list(order[k + 1 :])] += share / 2
            gaps[list(order[k + 1 :]), i] -= share / 2
    return World(np.where(np.abs(gaps) < 1e-12, 0, gaps), epsilon=0.16)


def errors_in_ballots(electorate: Floats, delta: float, runs: int, voters: int) -> ErrorCount:
    """Runs in which something false was certified after any ballot; some rank only two items."""
    world, rng, wrong = world_of(electorate), np.random.default_rng(4), 0
    place = np.argsort(np.array(ORDERS), axis=1)
    wins = (place[:, world.pairs[:, 0]] < place[:, world.pairs[:, 1]]).astype(float)
    for start in range(0, runs, 1000):
        shape = min(1000, runs - start), voters
        scores = wins[rng.choice(6, size=shape, p=electorate)]
        # Who is left out does not depend on the order.
        left_out = rng.integers(0, 6, size=shape)[..., None, None]
        unranked = (world.pairs == left_out).any(axis=-1)
        over = np.zeros(shape[0], np.bool_)
        for evidence in _after_each(world, np.where(unranked, np.nan, scores)):
            over |= false_claims(evidence, world, delta, over, Rules(clustered=True))
        wrong += int(over.sum())
    return ErrorCount(wrong, runs)


def _after_each(world: World, scores: Floats) -> list[Evidence]:
    """The evidence after each ballot, from scores by run, ballot and pair (NaN: not compared)."""
    both = np.stack([scores, 1 - scores], axis=-1)
    lost = np.full((*scores.shape[:2], world.size), np.nan)
    for item in range(world.size):
        sides = [both[:, :, world.pairs[:, k] == item, 1 - k] for k in (0, 1)]
        mine = np.concatenate(sides, axis=2)
        count = np.isfinite(mine).sum(axis=2)
        lost[..., item] = np.where(count, np.nansum(mine, axis=2) / np.maximum(count, 1), np.nan)
    silent = np.zeros((len(scores), len(world.pairs)))
    above, within = (
        _grown(bet, both) for bet in (Bet.open_ended(), Bet.against_gap(world.epsilon))
    )
    pooled = _grown(Bet.open_ended(), lost)
    return [
        Evidence(above[:, k], within[:, k], pooled[:, k], silent, silent, silent)
        for k in range(scores.shape[1])
    ]


def _grown(bet: Bet, scores: Floats) -> Floats:
    logs = np.nan_to_num(_factors(bet, scores)).cumsum(axis=1) + np.log(bet.weights)
    return total(logs.reshape(-1, logs.shape[-1])).reshape(scores.shape)


@pytest.mark.slow
@at_levels("electorate", ELECTORATES)
def test_nothing_false_is_certified_of_ballots(electorate: str, delta: float) -> None:
    count = errors_in_ballots(ELECTORATES[electorate], delta, runs_for(delta), 40)
    print(f"{electorate}, ballots, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.parametrize("electorate", ELECTORATES)
def test_nor_of_fewer_ballots(electorate: str) -> None:
    count = errors_in_ballots(ELECTORATES[electorate], 0.2, 600, 40)
    assert count.upper < 1.3 * 0.2, str(count)
