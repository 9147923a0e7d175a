"""Witness keeps its δ in worlds made to hurt it, with witnesses sought at any price."""

from __future__ import annotations

import pytest

import antichain as ac
from tests.guarantees.error_rates import ErrorCount, count_errors, runs_for
from tests.guarantees.hostile import DECOY_GAP, WORLDS, witnesses_at_any_price

# More runs of all worlds at both levels: docs/measurements/numbers.md.
WORLDS_HERE = (
    "two items, tiny gap",
    "one witness for all pairs",
    "witnesses that are dominated",
    "retries",
    "chains with a shared tiny gap",
    "just above a grid point",
)


def errors(name: str, delta: float, runs: int, seed: int, below: float | None = None) -> ErrorCount:
    with witnesses_at_any_price():
        algorithm = ac.Witness(delta=delta, decoy_gap=DECOY_GAP)
        return count_errors(WORLDS[name], algorithm, runs, DECOY_GAP, seed=seed, below=below)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS_HERE)
def test_witness_errs_at_most_delta(name: str) -> None:
    delta = 0.2
    count = errors(name, delta, runs_for(delta), seed=2026, below=1.1 * delta)
    print(f"{name}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.slow
def test_witness_errs_at_most_a_small_delta() -> None:
    delta, name = 0.05, "two items, tiny gap"
    count = errors(name, delta, runs_for(delta), seed=2026, below=1.1 * delta)
    print(f"{name}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


def test_a_quick_look_at_the_same() -> None:
    count = errors("two items, tiny gap", 0.2, 300, seed=1)
    assert count.lower < 0.2, str(count)
    assert count.errors > 0, "a sequential test at 0.18 that never errs is not being tested"
