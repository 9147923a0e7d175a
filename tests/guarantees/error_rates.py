"""Counting a method's errors, and what the count says of its error rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

import antichain as ac
from antichain.algorithms._base import Algorithm


@dataclass(frozen=True)
class ErrorCount:
    """Errors in so many runs, with exact one-sided 99% bounds on the rate."""

    errors: int
    runs: int

    @property
    def upper(self) -> float:
        if self.errors == self.runs:  # there is no such law to invert
            return 1.0
        return float(beta.ppf(0.99, self.errors + 1, self.runs - self.errors))

    @property
    def lower(self) -> float:
        if self.errors == 0:  # there is no such law to invert
            return 0.0
        return float(beta.ppf(0.01, self.errors, self.runs - self.errors + 1))

    def record(self) -> dict[str, float]:
        return {"errors": self.errors, "runs": self.runs, "upper_bound": self.upper}

    def __str__(self) -> str:
        rate = self.errors / self.runs
        return (
            f"{self.errors}/{self.runs} = {rate:.4f}, 99% bounds {self.lower:.4f}–{self.upper:.4f}"
        )


def runs_for(delta: float) -> int:
    """Runs after which a method that errs with 0.95·δ has its bound below 1.1·δ.

    About 20,000 at δ = 0.05 and 5,000 at δ = 0.2.
    """
    return round(1000 / delta)


def count_errors(
    model: ac.DuelModel, algorithm: Algorithm, runs: int, decoy_gap: float | None, seed: int
) -> ErrorCount:
    """Run the algorithm `runs` times against fresh voters, and count wrong fronts."""
    truth = set(model.front)
    arena = ac.SimulatedArena(model, decoy_gap, seed=seed)
    wrong = 0
    for run in range(runs):
        wrong += set(ac.find_front(arena, algorithm, seed=run).front) != truth
    return ErrorCount(wrong, runs)


def with_equal_gaps(model: ac.DuelModel, gap: float) -> ac.DuelModel:
    """The same order with every gap equal to `gap`."""
    above = model.poset.above
    return ac.DuelModel(model.poset, np.where(above, gap, 0.0) - np.where(above.T, gap, 0.0))
