"""What a number of votes will probably give, by simulating studies in worlds of the model.

The worlds are draws from the model's own prior: kinds of orders and laws of gaps in equal shares.
Where real items are otherwise, so is what the votes will give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from antichain._checks import whole
from antichain.likely._likely_front import checked_limits
from antichain.likely._order_beliefs import OrderBeliefs
from antichain.likely._pair_evidence import FAMILY, LAWS, Floats
from antichain.likely._particles import (
    ALL_LAWS,
    KINDS,
    UNIFORM_LAWS,
    prior_particles,
    relate,
    strength_gap,
)
from antichain.likely._sampler import Effort

_BATCH = 10
_WORLDS = 60
_EFFORT = Effort(1, 4, 100, 150, 4)
_MISJUDGED = 0.15  # share of voters who say "cannot compare" of comparable pairs, or do not


class ExpectedFront(NamedTuple):
    """How good the likely front is after so many votes, on average over simulated worlds.

    Attributes:
        votes: The budget.
        expected_f1: The mean F1 of the likely front with the true one.
        exactly_right: How often the two were the same.
        decided: The mean number of items that the votes decide for certain; None if not counted.
    """

    votes: int
    expected_f1: float
    exactly_right: float
    decided: float | None = None


Duels = list[tuple[int, int, str]]
"""Simulated answers in their order: two items, and "first", "second" or "cannot"."""


def expected_by_budget(
    size: int,
    budgets: Sequence[int],
    epsilon: float,
    epsilon_others: float | None = None,
    cannot_compare: bool = False,
    seed: int = 0,
    worlds: int = _WORLDS,
    progress: Callable[[int, int], None] | None = None,
    decided: Callable[[Duels], int] | None = None,
) -> list[ExpectedFront]:
    """Simulate studies of worlds drawn from the model's prior, with pairs chosen by the model.

    Args:
        size: How many items there are.
        budgets: Numbers of votes.
        epsilon: By how much a maximal item may beat an item of the front.
        epsilon_others: By how much any other item may; the same unless given.
        cannot_compare: Whether voters can say "cannot compare".
        seed: The same seed gives the same forecast.
        worlds: How many worlds to simulate (60 by default): with 60, an F1 is known to about 0.03.
        progress: Called after each world with the number of worlds done and of all worlds.
        decided: Counts how many items a list of answers decides for certain.
    """
    limits = checked_limits(epsilon, epsilon_others)
    wanted = sorted({whole("budget", budget) for budget in budgets})
    found: dict[int, list[tuple[float, float, float]]] = {budget: [] for budget in wanted}
    for number in range(whole("worlds", worlds)):
        rng = np.random.default_rng([seed, number])
        gaps = world_gaps(size, number, seed, rng)
        study = _Study(gaps, limits, cannot_compare, seed * 1000 + number, rng)
        for budget in wanted:
            f1, right = study.at(budget)
            certain = math.nan if decided is None else decided(study.answers)
            found[budget].append((f1, right, certain))
        if progress is not None:
            progress(number + 1, worlds)
    means = {budget: np.mean(values, axis=0) for budget, values in found.items()}
    return [
        ExpectedFront(b, f1, right, None if math.isnan(certain) else certain)
        for b in budgets
        for f1, right, certain in [means[b].tolist()]
    ]


def world_gaps(size: int, number: int, seed: int, rng: np.random.Generator) -> Floats:
    """An antisymmetric matrix of gaps drawn from the prior, positive where the row is above."""
    family, place = divmod(number // KINDS % ALL_LAWS, FAMILY)
    p = prior_particles(FAMILY, size, number % KINDS, family, seed * 7919 + number)
    sides, strength, maximal = np.zeros((size, size), np.int64), np.zeros(size), np.zeros(size)
    relate(p, place, sides, strength, maximal)
    law = int(p.law[place])
    if law >= UNIFORM_LAWS:
        apart = strength[:, None] - strength[None, :]
        drawn = np.array([[strength_gap(law, abs(x)) for x in line] for line in apart])
    else:
        low, high = LAWS[law]
        drawn = np.triu(rng.uniform(low, high, (size, size)), 1)
        drawn += drawn.T
    return np.asarray(sides * drawn)


def keeps_promise(gaps: Floats, limits: tuple[float, float]) -> Floats:
    """1 for each item that keeps the promise, by the true gaps."""
    maximal = ~(gaps > 0).any(axis=0)
    allowed = np.where(maximal, limits[0], limits[1])
    return np.where((gaps <= allowed[:, None]).all(axis=0), 1.0, 0.0)


class _Study:
    """One simulated study, whose budget can only grow."""

    def __init__(
        self,
        gaps: Floats,
        limits: tuple[float, float],
        cannot_compare: bool,
        seed: int,
        rng: np.random.Generator,
    ) -> None:
        self._gaps, self._rng, self._offered = gaps, rng, cannot_compare
        self._beliefs = OrderBeliefs(len(gaps), *limits, seed=seed, effort=_EFFORT)
        self._wins, self._cannot = np.zeros(gaps.shape), np.zeros(gaps.shape)
        self._truth = keeps_promise(gaps, limits)
        self._votes = 0
        self.answers: Duels = []

    def at(self, budget: int) -> tuple[float, float]:
        """F1 after so many votes, and 1 if the front was exactly right."""
        while self._votes < budget:
            pairs = self._beliefs.pairs(min(_BATCH, budget - self._votes))
            if not pairs:
                break
            for i, j in pairs:
                self._answer(i, j)
            self._votes += len(pairs)
            self._beliefs.learn(self._wins, self._cannot if self._offered else None)
        front = list(self._beliefs.front().front)
        hits = self._truth[front].sum()
        f1 = 2 * hits / (len(front) + self._truth.sum())
        return float(f1), float(f1 == 1.0)

    def _answer(self, i: int, j: int) -> None:
        gap = self._gaps[i, j]
        unclear = _MISJUDGED if gap else 1 - _MISJUDGED
        if self._offered and self._rng.random() < unclear:
            self._cannot[i, j] += 1
            self._cannot[j, i] += 1
            self.answers.append((i, j, "cannot"))
            return
        won = self._rng.random() < 0.5 + gap
        self._wins[(i, j) if won else (j, i)] += 1
        self.answers.append((i, j, "first" if won else "second"))
