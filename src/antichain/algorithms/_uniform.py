"""UniformSampling: the paper's baseline, all pairs at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from antichain.algorithms._base import Algorithm, Rules, check_countable
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan, Race, round_of
from antichain.errors import ParameterError
from antichain.evidence._answers import Verdict
from antichain.evidence._sequential import SequentialTest


@dataclass(frozen=True)
class UniformSampling(Algorithm):
    """Duels all pairs in step, and removes an item as soon as it looks suboptimal.

    In the partially observable setting a pair gets at most log(4K²/δ)/(2Δ²) direct duels; what
    is then left is decided by decoys, again all pairs in step. In the fully observable setting
    each pair is probed once, and the comparable ones are duelled until one item loses.

    Attributes:
        decoy_gap: Δ of the decoys; None in the fully observable setting.

    Guarantee:
        The exact front with probability at least 1 − δ, but only as far as the paper's intervals
        keep their level: they are meant for one look, and are read after every duel
        (docs/theory/errata.md, 2). Levels, which the paper leaves open: log(4K²/δ) for direct and
        log(8K²/δ) for decoy duels (docs/theory/errata.md, 17b).

    Example:
        >>> from antichain import SimulatedArena, find_front, posets
        >>> arena = SimulatedArena(posets.chains(2, 3, seed=1), decoy_gap=0.1, seed=1)
        >>> result = find_front(arena, UniformSampling(delta=0.01, decoy_gap=0.1))
        >>> set(result.front) == set(arena.model.front)
        True
    """

    rules: Rules = Rules.paper()  # noqa: RUF009 (frozen, so that sharing it is safe)
    decoy_gap: float | None = 0.01

    name: ClassVar[str] = "uniform"
    guarantee: ClassVar[str | None] = (
        "The front is exact with probability at least 1 − δ, but only as far as the paper's "
        "intervals, which are read after every duel, keep their level."
    )
    paper: ClassVar[Mapping[str, Any] | None] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.rules.is_paper:
            raise ParameterError(
                f"rules is {self.rules!r}, but UniformSampling is the paper's baseline: "
                "Rules.paper(), the default, was expected."
            )
        if self.decoy_gap is not None:
            check_countable("decoy_gap", self.decoy_gap)

    @property
    def needs_decoys(self) -> float | None:
        """The gap of the decoys the arena must offer, or None."""
        return self.decoy_gap

    @property
    def needs_observable(self) -> bool:  # type: ignore[override]
        """Without decoys, the arena must tell which pairs are incomparable."""
        return self.decoy_gap is None

    def plan(self, state: PlanState) -> Plan[Indices]:
        """Race, then race against decoys (or probe, then race)."""
        everyone: Indices = np.arange(state.size)
        level = math.log(4 * state.size**2 / self.delta)
        if self.decoy_gap is None:
            return (yield from self._observable(state, everyone, level))
        gap = self.decoy_gap
        with state.epoch("all pairs", gap, state.size):
            test = SequentialTest.capped_interval(level, level / (2 * gap * gap))
            left = yield from _race(state, everyone, *np.triu_indices(state.size, 1), test)
        with state.epoch("decoys", gap, left.size):
            # log(8K²/δ): the paper's decoy comparison at δ/2K², both directions in step.
            test = SequentialTest.decoys_in_step(self.delta / (2 * state.size**2), gap)
            firsts, seconds = np.triu_indices(left.size, 1)
            left = yield from _race(state, left, left[firsts], left[seconds], test)
        return left

    def _observable(self, state: PlanState, everyone: Indices, level: float) -> Plan[Indices]:
        with state.epoch("all pairs", None, state.size):
            firsts, seconds = np.triu_indices(state.size, 1)
            outcome = yield round_of(firsts, seconds, SequentialTest.probe())
            comparable = outcome.said(Verdict.COMPARABLE)
            test = SequentialTest.capped_interval(level, math.inf)
            return (
                yield from _race(state, everyone, firsts[comparable], seconds[comparable], test)
            )


def _race(
    state: PlanState, items: Indices, lefts: Indices, rights: Indices, test: SequentialTest
) -> Plan[Indices]:
    """Those of `items` that no other beats in a race of the given pairs."""
    outcome = yield Race(lefts.astype(np.int64), rights.astype(np.int64), test)
    for loser, winner in outcome.eliminated:
        state.eliminate(loser, winner)
    return items[[item not in state.fallen for item in items.tolist()]]
