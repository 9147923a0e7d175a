"""Runs of `Certifying`: how many duels are out at once, and what a budget does."""

import numpy as np

import antichain as ac
from antichain.algorithms._certifying import Certifying
from antichain.testing._worlds import random_world

CAREFUL = Certifying(delta=1e-4, epsilon=0.19)


def arena(seed):
    return ac.SimulatedArena(random_world(seed), seed=seed)


def test_a_budget_that_is_not_reached_changes_nothing():
    for seed in (0, 3):
        free = ac.find_front(arena(seed), CAREFUL, seed=seed)
        limited = ac.find_front(arena(seed), CAREFUL, seed=seed, budget=100_000)
        assert limited.duels == free.duels
        assert limited.front == free.front


def test_however_many_are_asked_for_at_most_a_hundred_come():
    run = CAREFUL.start([f"item {k}" for k in range(12)])
    asks = run.ask(50_000)
    assert len(asks) == 100
    pairs = [frozenset((ask.left, ask.right)) for ask in asks]
    assert max(map(pairs.count, pairs)) <= 50


def test_batches_cost_little():
    """Of a batch no pair gets so many that most are wasted."""
    ratios = []
    for seed in (0, 2, 3, 7):
        one, many = (
            ac.find_front(arena(seed), CAREFUL, seed=seed, batch=batch).duels for batch in (1, 100)
        )
        ratios.append(many / one)
    assert np.mean(ratios) < 1.6
