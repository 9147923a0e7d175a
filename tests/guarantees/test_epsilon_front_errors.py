"""An ε-front breaks its promises with probability at most δ, on instances made to hurt.

Either promise broken is an error: an item that nobody beats is missing, or some item, member or
not, beats a member by more than ε (docs/theory/epsilon-front.md).
"""

from __future__ import annotations

import pytest

import antichain as ac
from antichain.algorithms._base import Algorithm
from antichain.orders import DuelModel
from tests.epsilon_fronts import EpsilonFront, broken_promises
from tests.guarantees.error_rates import (
    ErrorCount,
    at_levels,
    counted,
    runs_for,
    with_equal_gaps,
)

EPSILON = 0.2
JUST_ABOVE = 1.001 * EPSILON
HARD = {
    # One test decides: all of the budget for keeping is at stake.
    "two items, just above ε": with_equal_gaps(ac.posets.total_order(2), JUST_ABOVE),
    "two items, even": ac.posets.antichain(2),
    # Nobody may be thrown out, and all pairs look like it for a while.
    "antichain of 6": ac.posets.antichain(6),
    "all gaps tiny": with_equal_gaps(ac.posets.total_order(4), 1e-6),
    "all gaps at ε": with_equal_gaps(ac.posets.total_order(4), EPSILON),
    "chains, a shared gap just above ε": with_equal_gaps(ac.posets.chains(2, 3), JUST_ABOVE),
    # Many who must not be kept, each with one chance: the level must follow their number.
    "one above six, just above ε": DuelModel.from_relations(
        [("top", f"leaf {k}", JUST_ABOVE) for k in range(6)]
    ),
    # Peeled at once, and the only one to show that "low" must go.
    "thrown out, and above a survivor": DuelModel.from_relations(
        [("top", "mid", 0.4), ("mid", "low", JUST_ABOVE), ("top", "low", 1e-6)]
    ),
    "many thrown out, each above a survivor": DuelModel.from_relations(
        [
            *(("top", f"mid {k}", 0.4) for k in range(3)),
            *((f"mid {k}", f"low {k}", JUST_ABOVE) for k in range(3)),
            *(("top", f"low {k}", 1e-6) for k in range(3)),
        ]
    ),
}


def count_broken(
    model: DuelModel,
    algorithm: Algorithm,
    epsilon: float,
    runs: int,
    seed: int,
    below: float | None = None,
) -> ErrorCount:
    """Runs with fresh voters after which a promise is broken."""
    arena = ac.SimulatedArena(model, seed=seed)
    index = {name: k for k, name in enumerate(model.items)}

    def broken(run: int) -> bool:
        front = ac.find_front(arena, algorithm, seed=run).front
        members = [index[name] for name in front]
        return bool(broken_promises(model.gaps, members, epsilon, range(model.size)))

    return counted(broken, runs, below)


@pytest.mark.slow
@at_levels("name", HARD)
def test_errs_at_most_delta(name: str, delta: float) -> None:
    algorithm = EpsilonFront(delta=delta, epsilon=EPSILON)
    count = count_broken(
        HARD[name], algorithm, EPSILON, runs_for(delta), seed=2026, below=1.1 * delta
    )
    print(f"{name}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


def test_a_quick_look_at_the_same() -> None:
    algorithm = EpsilonFront(delta=0.2, epsilon=EPSILON)
    model = HARD["two items, just above ε"]
    count = count_broken(model, algorithm, EPSILON, 600, seed=1)
    assert count.upper < 0.2, str(count)
    assert count.errors > 0, "a test at 0.18 that never errs is not being tested"
