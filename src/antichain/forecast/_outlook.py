"""What a study would take, and what a budget would give: the small table of `antichain plan`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from antichain.algorithms._base import Algorithm
from antichain.algorithms._certifying import Certifying
from antichain.algorithms._registry import default_algorithm
from antichain.forecast._planning import plan
from antichain.likely import expected_by_budget, not_estimated
from antichain.likely._budget_forecast import Duels, ExpectedFront
from antichain.referee import Referee, Terms
from antichain.referee._standing import CANNOT, LOSS, WIN

EPSILONS = (0.05, 0.1, 0.15, 0.2)
BUDGETS = (100, 300)
ASSUMED = {(): "nothing assumed", ("cannot-compare",): "“cannot compare” answers"}
"""What rows of the table assume of the orders that `plan` imagines."""
_DECOY_GAP = 0.3
_STRONG = "bradley-terry"  # gaps of which strong transitivity is true
_RUNS = 20  # simulated studies per cell of the table
_WORLDS = 16  # simulated worlds per budget
_SAID = {"first": WIN, "second": LOSS, "cannot": CANNOT}


@dataclass(frozen=True)
class Outlook:
    """What studies of so many items take, and what numbers of votes give.

    Attributes:
        votes: The median number of votes that decide every item, by what is assumed (or used) and
            by ε; with decoys ε does not matter.
        budgets: What each number of votes gives.
    """

    votes: dict[str, dict[str, float]]
    budgets: tuple[ExpectedFront, ...]

    def to_dict(self) -> dict[str, Any]:
        budgets = [budget._asdict() for budget in self.budgets]
        return asdict(self) | {"budgets": budgets}


def outlook(
    items: int,
    delta: float = 0.05,
    *,
    kind: str = "layered",
    gaps: str = "uniform",
    front: int | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Outlook:
    """Simulate small studies of each sort; the arguments are those of `plan`."""
    done = 0

    def step(_: int = 0, __: int = 0) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done)

    def median(method: Algorithm, law: str = gaps) -> float:
        return plan(
            items,
            front,
            algorithm=method,
            kind=kind,  # type: ignore[arg-type]  # `plan` checks it
            gaps=law,
            runs=_RUNS,
            seed=seed,
            progress=step,
        ).median

    votes = {
        name: {
            f"{epsilon:g}": median(Certifying(delta, epsilon=epsilon, assume=assume), law)
            for epsilon in EPSILONS
        }
        for name, assume, law in (
            *((name, assume, gaps) for assume, name in ASSUMED.items()),
            ("strong order holds, not assumed", (), _STRONG),
            ("strong order holds and is assumed", ("strong",), _STRONG),
        )
    }
    votes["decoys"] = {f"{_DECOY_GAP:g}": median(default_algorithm(delta, _DECOY_GAP))}
    terms = Terms(delta)
    budgets = () if not_estimated(items) else budget_outlook(items, BUDGETS, terms, seed, step)
    return Outlook(votes, budgets)


STEPS = (4 * len(EPSILONS) + 1) * _RUNS + _WORLDS
"""How often `outlook` reports progress."""


def budget_outlook(
    items: int,
    budgets: tuple[int, ...],
    terms: Terms,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    worlds: int = _WORLDS,
) -> tuple[ExpectedFront, ...]:
    """What so many votes will probably give: the likely front's F1, and items decided."""

    def decided(answers: Duels) -> int:
        referee = Referee(items, terms)
        if answers:
            first, second, said = zip(*answers, strict=True)
            referee.read(first, second, [_SAID[answer] for answer in said])
        return int(np.count_nonzero(referee.out | referee.inside))

    found = expected_by_budget(
        items,
        budgets,
        terms.epsilon,
        terms.epsilon_others,
        terms.cannot_compare,
        seed,
        worlds,
        progress,
        decided,
    )
    return tuple(found)
