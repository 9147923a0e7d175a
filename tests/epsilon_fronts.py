"""An algorithm around `epsilon_front`, and what its answer must not do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antichain.algorithms._base import Algorithm
from antichain.algorithms._epsilon_front import Against, epsilon_front
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan


@dataclass(frozen=True)
class EpsilonFront(Algorithm):
    """The plan by itself, as an algorithm."""

    epsilon: float = 0.1
    against: Against = "everyone"
    transitive: bool = False

    name: ClassVar[str] = "epsilon-front"
    guarantee: ClassVar[str | None] = "An ε-front with probability at least 1 − δ."

    def plan(self, state: PlanState) -> Plan[Indices]:
        return epsilon_front(
            state,
            self.delta,
            self.epsilon,
            self.rules,
            against=self.against,
            transitive=self.transitive,
        )


def broken_promises(
    gaps: NDArray[np.float64], members: Iterable[int], epsilon: float, among: Iterable[int]
) -> list[str]:
    """Whom nobody beats and who is missing; who of `among` beats a member by more than ε."""
    kept, challengers = set(members), list(among)
    size = len(gaps)
    unbeaten = [d for d in range(size) if not any(gaps[j, d] > 0 for j in range(size))]
    missing = [f"{d} is missing" for d in unbeaten if d not in kept]
    return missing + [
        f"{j} beats {d}" for d in sorted(kept) for j in challengers if gaps[j, d] > epsilon
    ]
