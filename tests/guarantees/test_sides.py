"""Balanced sides keep δ where a side wins more often and items stand on it unevenly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antichain.certify._sides import balanced
from antichain.certify._verdicts import judge_counts
from antichain.referee import Terms
from antichain.votes._vote_log import LogColumns, VoteLog
from tests.guarantees.error_rates import ErrorCount, runs_for

COLUMNS = LogColumns(("home", "away", "winner"), "home", "away", "winner", ("winner",))


def season(rng: np.random.Generator, games: int = 300) -> VoteLog:
    """Three teams that are even over both sides; home wins 8 in 10, and one is mostly at home."""
    pairs, draws = rng.integers(0, 3, games).tolist(), rng.random((games, 2)).tolist()
    rows = []
    for pair, (side, luck) in zip(pairs, draws, strict=True):
        ends = [("0", "1"), ("0", "2"), ("1", "2")][pair]
        home, away = ends if side < (0.85 if pair < 2 else 0.5) else ends[::-1]
        rows.append((home, away, "left" if luck < 0.8 else "right"))
    return replace(VoteLog.from_rows(rows, ["0", "1", "2"], history=False), columns=COLUMNS)


def errors(delta: float, runs: int, seed: int, balance: bool = True) -> ErrorCount:
    rng, wrong = np.random.default_rng(seed), 0
    for _ in range(runs):
        log = season(rng)
        log = balanced(log, "home") if balance else log
        # All three are maximal: any "out" is false.
        wrong += bool(judge_counts(log, Terms(delta, 0.2)).verdicts.out.any())
    return ErrorCount(wrong, runs)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_nothing_false_is_certified_of_balanced_sides(delta: float) -> None:
    count = errors(delta, runs_for(delta) // 5, seed=1)
    print(f"δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


def test_nor_in_fewer_seasons() -> None:
    count = errors(0.2, 200, seed=2)
    assert count.upper < 1.1 * 0.2, str(count)


def test_sides_that_are_not_balanced_do_put_even_teams_out() -> None:
    count = errors(0.2, 80, seed=3, balance=False)
    assert count.lower > 0.3, str(count)
