"""Counting a method's errors, and what the count says of its error rate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import beta

import antichain as ac
from antichain.algorithms._base import Algorithm


@dataclass(frozen=True)
class ErrorCount:
    """Errors in so many runs, with exact one-sided 99% bounds on the rate.

    If the runs might have ended earlier, the bounds hold for all `looks` at the count together.
    """

    errors: int
    runs: int
    looks: int = 1

    @property
    def upper(self) -> float:
        if self.errors == self.runs:  # there is no such law to invert
            return 1.0
        return float(beta.ppf(1 - 0.01 / self.looks, self.errors + 1, self.runs - self.errors))

    @property
    def lower(self) -> float:
        if self.errors == 0:  # there is no such law to invert
            return 0.0
        return float(beta.ppf(0.01 / self.looks, self.errors, self.runs - self.errors + 1))

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


def at_levels(names: str, worlds: Iterable[str | tuple[str, ...]]) -> pytest.MarkDecorator:
    """Each of the worlds at δ = 0.2, where a run tells most, and the first at δ = 0.05 too.

    δ only sets the level of a method's tests, and many_runs.py has most worlds at both.
    """
    rows = [(world,) if isinstance(world, str) else world for world in worlds]
    levels = [*((*row, 0.2) for row in rows), (*rows[0], 0.05)]
    return pytest.mark.parametrize(f"{names}, delta", levels)


def counted(is_wrong: Callable[[int], bool], runs: int, below: float | None = None) -> ErrorCount:
    """How many of the runs are wrong.

    Args:
        is_wrong: Plays a run, and tells whether its answer is wrong.
        runs: How many runs there are.
        below: If given, the count is looked at four times, and the runs end early if the bound
            for the rate of errors is already below this: errors far below δ need few runs.
    """
    looks = {runs} if below is None else {runs // 8, runs // 4, runs // 2, runs}
    wrong = 0
    for run in range(runs):
        wrong += is_wrong(run)
        if below is not None and run + 1 in looks:
            count = ErrorCount(wrong, run + 1, len(looks))
            if count.upper < below:
                return count
    return ErrorCount(wrong, runs, len(looks))


def count_errors(
    model: ac.DuelModel,
    algorithm: Algorithm,
    runs: int,
    decoy_gap: float | None,
    seed: int,
    below: float | None = None,
) -> ErrorCount:
    """Run the algorithm at most `runs` times against fresh voters, and count wrong fronts."""
    truth = set(model.front)
    arena = ac.SimulatedArena(model, decoy_gap, seed=seed)
    return counted(
        lambda run: set(ac.find_front(arena, algorithm, seed=run).front) != truth, runs, below
    )


def with_equal_gaps(model: ac.DuelModel, gap: float) -> ac.DuelModel:
    """The same order with every gap equal to `gap`."""
    above = model.poset.above
    return ac.DuelModel(model.poset, np.where(above, gap, 0.0) - np.where(above.T, gap, 0.0))
