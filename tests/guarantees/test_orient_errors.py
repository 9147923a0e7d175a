"""Orient keeps its δ in worlds made to hurt it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

import antichain as ac
from antichain.errors import OrderError
from tests.guarantees.error_rates import ErrorCount, counted, runs_for, with_equal_gaps

DELTA = 0.2


def world(size: int, pairs: Iterable[tuple[int, int]], gap: float) -> ac.DuelModel:
    """The order in which each pair's first item is above its second, with equal gaps."""
    names = [f"item-{k}" for k in range(size)]
    poset = ac.Poset.from_relations([(names[a], names[b]) for a, b in pairs], names)
    gaps = np.where(poset.above, gap, 0.0)
    return ac.DuelModel(poset, gaps - gaps.T)


def worlds(gap: float) -> dict[str, ac.DuelModel]:
    """Small orders of each kind, with equal gaps."""
    n_shape = [(0, 2), (1, 2), (1, 3)]
    below = [(a + 4, b + 4) for a, b in n_shape]
    across = [(a, b) for a in range(4) for b in range(4, 8)]
    layers = [(a, b) for a in range(6) for b in range(6) if a // 2 < b // 2]
    return {
        "N": world(4, n_shape, gap),
        "N over N": world(8, n_shape + below + across, gap),
        "twin chains": world(6, [(0, 1), (1, 2), (3, 4), (4, 5)], gap),
        "series": world(6, layers, gap),
        "total order": world(5, [(k, k + 1) for k in range(4)], gap),
        "layered": with_equal_gaps(ac.posets.layered(3, 4, 3, seed=5), gap),
        "antichain": ac.posets.antichain(6),
    }


def errors(
    model: ac.DuelModel,
    runs: int,
    seed: int,
    error: float = 0.0,
    delta: float = DELTA,
    below: float | None = None,
) -> ErrorCount:
    arena = ac.SimulatedArena(model, observable=True, comparability_error=error, seed=seed)
    truth, method = set(model.front), ac.Orient(delta=delta, comparability_error=error)
    return counted(lambda run: found(arena, method, run) != truth, runs, below)


def found(arena: ac.SimulatedArena, method: ac.Orient, run: int) -> set[str] | None:
    """The front of a run; None if the answers fit no order, which counts as an error."""
    try:
        return set(ac.find_front(arena, method, seed=run).front)
    except OrderError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("name", worlds(0.1))
def test_orient_errs_at_most_delta(name: str) -> None:
    count = errors(worlds(0.05)[name], runs_for(DELTA), seed=2026, below=1.1 * DELTA)
    print(f"{name}, δ = {DELTA}: {count}")
    assert count.upper < 1.1 * DELTA, str(count)


@pytest.mark.slow
@pytest.mark.parametrize("error", [0.02, 0.1])
@pytest.mark.parametrize("name", ["N", "series", "layered", "antichain"])
def test_voters_who_misjudge_what_can_be_compared(name: str, error: float) -> None:
    count = errors(worlds(0.05)[name], runs_for(DELTA), seed=7, error=error, below=1.1 * DELTA)
    print(f"{name}, δ = {DELTA}, {error:.0%} misjudged: {count}")
    assert count.upper < 1.1 * DELTA, str(count)


def test_a_quick_look_at_the_same() -> None:
    counts = [errors(worlds(0.05)[name], 60, seed=1) for name in ("N", "layered")]
    count = ErrorCount(sum(each.errors for each in counts), sum(each.runs for each in counts))
    assert count.upper < DELTA, str(count)
    assert count.errors > 0, "tests at 0.1 that never err are not being tried"
