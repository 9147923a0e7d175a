"""Worlds that tempt the judge of ordered answers, each as near to a false claim as it may be."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from antichain.referee import Referee, Terms
from tests.guarantees.error_rates import ErrorCount

Floats = NDArray[np.float64]
JUST = 1e-4  # by how much what is forbidden is beyond the bound


@dataclass(frozen=True)
class JudgeWorld:
    """How voters answer, and the terms on which the votes are judged.

    Attributes:
        gaps: The chance of the row's item to win against the column's, less one half, among those
            who compare.
        epsilon: ε.
        assume: What is assumed; the world satisfies it.
        incomparable: Which pairs cannot be compared, where that is an answer.
        cannot: The share of voters who say so.
        decoy_gap: Δ, if there are decoys.
        decoys: The chance of the row's item against the decoy of the column's, less one half.
        ties: The share of ties.
    """

    gaps: Floats
    epsilon: float = 0.1
    assume: tuple[str, ...] = ()
    incomparable: NDArray[np.bool_] | None = None
    cannot: Floats | None = None
    decoy_gap: float | None = None
    decoys: Floats | None = None
    ties: float = 0.0
    above: Floats = field(init=False)  # the gaps of comparable pairs

    def __post_init__(self) -> None:
        apart = np.zeros_like(self.gaps, bool) if self.incomparable is None else self.incomparable
        object.__setattr__(self, "above", np.where(apart, 0.0, self.gaps) * (1 - self.ties))

    def terms(self, delta: float) -> Terms:
        return Terms(delta, self.epsilon, self.assume, self.decoy_gap)

    @property
    def maximal(self) -> NDArray[np.bool_]:
        return np.asarray(~(self.above > 0).any(axis=0))

    def is_wrong(self, referee: Referee) -> bool:
        """Whether a maximal item is out, or one is in that the promise excludes."""
        above, others = self.above, referee.terms.epsilon_others
        beaten = (above[self.maximal] > self.epsilon).any(axis=0) | (above > others).any(axis=0)
        return bool((referee.out & self.maximal).any() or (referee.inside & beaten).any())

    def played(self, delta: float, seed: int, budget: int) -> Referee:
        """A study by our own policy, to its end or to its budget."""
        referee = Referee(len(self.gaps), self.terms(delta))
        referee.play(
            0.5 + self.gaps,
            cannot=self.cannot,
            decoys=None if self.decoys is None else 0.5 + self.decoys,
            ties=self.ties,
            seed=seed,
            budget=budget,
        )
        return referee


def errors_in_studies(
    world: JudgeWorld, delta: float, runs: int, seed: int, budget: int
) -> tuple[ErrorCount, int]:
    """Studies in which something false was ever shown, and how many came to their end."""
    wrong = finished = 0
    for run in range(runs):
        referee = world.played(delta, seed * 10**6 + run, budget)
        wrong += world.is_wrong(referee)
        finished += referee.finished
    return ErrorCount(wrong, runs), finished


# -- worlds ----------------------------------------------------------------------------------------


def even(size: int, epsilon: float = 0.1, ties: float = 0.0) -> JudgeWorld:
    """Nobody beats anybody: any "out" is false."""
    return JudgeWorld(np.zeros((size, size)), epsilon, ties=ties)


def close_pairs(size: int, epsilon: float = 0.1, ties: float = 0.0) -> JudgeWorld:
    """Each item of one half is beaten by one of the other by just over ε, and even otherwise."""
    gaps, half = np.zeros((size, size)), size // 2
    for i in range(half):
        gaps[i, half + i] = (epsilon + JUST) / (1 - ties)
    return JudgeWorld(gaps - gaps.T, epsilon, ties=ties)


def two_tiers(size: int, epsilon: float = 0.1, others: float = 0.3) -> JudgeWorld:
    """The top item beats all by less than ε but the second clearly; that beats all by over ε₂."""
    gaps = np.zeros((size, size))
    gaps[0, 2:], gaps[1, 2:], gaps[0, 1] = epsilon / 2, others + JUST, 0.45
    return JudgeWorld(gaps - gaps.T, epsilon)


def strong_steps(size: int, epsilon: float = 0.1) -> JudgeWorld:
    """Strongly transitive: a top above a step above the rest, by just over ε from the top."""
    height = np.zeros(size)
    height[0], height[1 : size // 2] = epsilon + JUST, 0.03
    return JudgeWorld(height[:, None] - height, epsilon, ("strong",))


def strong_pairs(size: int, epsilon: float = 0.1) -> JudgeWorld:
    """One top item beats everybody by just over ε, and all others are even."""
    gaps = np.zeros((size, size))
    gaps[0, 1:] = epsilon + JUST
    return JudgeWorld(gaps - gaps.T, epsilon, ("strong",))


def leaning(size: int, epsilon: float = 0.1, *, strong: bool = False) -> JudgeWorld:
    """Nothing can be compared, two thirds say so, and all others lean to one side."""
    lean = np.triu(np.full((size, size), 0.4), 1)
    assume = ("strong", "cannot-compare") if strong else ("cannot-compare",)
    apart = ~np.eye(size, dtype=bool)
    return JudgeWorld(lean - lean.T, epsilon, assume, apart, np.where(apart, 2 / 3, 0.0))


def hardly_comparable(size: int, epsilon: float = 0.1) -> JudgeWorld:
    """One item beats each other by just over ε, and a third cannot compare; the rest is apart."""
    apart = ~np.eye(size, dtype=bool)
    apart[0, :] = apart[:, 0] = False
    gaps = np.zeros((size, size))
    gaps[0, 1:] = epsilon + JUST
    cannot = np.where(apart, 0.9, 1 / 3)
    return JudgeWorld(gaps - gaps.T, epsilon, ("cannot-compare",), apart, cannot)


def decoys_at_the_bound(size: int, epsilon: float = 0.1, decoy_gap: float = 0.3) -> JudgeWorld:
    """Half is beaten by just over ε, and whoever is above beats the decoy by Δ and no more."""
    plain = close_pairs(size, epsilon)
    shown = np.where(plain.gaps > 0, decoy_gap, 0.0)  # nobody else beats any decoy
    return JudgeWorld(plain.gaps, epsilon, decoy_gap=decoy_gap, decoys=shown)
