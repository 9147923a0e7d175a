"""Runs against simulated voters: one run, one record."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from antichain import _pools
from antichain._run import Progress, find_front
from antichain.algorithms._base import Algorithm
from antichain.algorithms._result import Result
from antichain.arenas._simulated import SimulatedArena
from antichain.errors import AntichainError
from antichain.orders._generators import layered
from antichain.orders._model import DuelModel
from antichain.orders._poset import Poset
from antichain.theory import limit_if_any

Record = dict[str, Any]

_EASY = {"delta": 0.2, "decoy_gap": 0.4, "epsilon": 0.4}  # what makes a run short


@dataclass(frozen=True)
class Layered:
    """The paper's layered posets, another one for each seed; the defaults are the paper's."""

    front: int = 5  # the size of the front
    width: int = 10  # the number of chains below it
    height: int = 10  # the number of layers
    parents: str = "uniform"  # the law of the number of parents of a chain
    gaps: str = "uniform"  # the law of the gaps

    def model(self, seed: int) -> DuelModel:
        return layered(
            self.front, self.width, self.height, seed, parents=self.parents, gaps=self.gaps
        )


Posets = Layered | DuelModel
"""A poset for each seed, or the same for all."""


@dataclass(frozen=True)
class Run:
    """A run that is done: who ran on what, the answer, and the seconds it took."""

    algorithm: Algorithm
    model: DuelModel
    seed: int
    result: Result
    seconds: float

    @property
    def correct(self) -> bool:
        return self.algorithm.is_right(self.result, self.model)

    def record(self, limit: float | None = None) -> Record:
        """The run as JSON-ready data: the truth, the answer, and what it cost.

        Args:
            limit: The information limit of the poset, if it is known.
        """
        result, model = self.result, self.model
        return {
            "algorithm": result.algorithm,
            "seed": self.seed,
            "items": model.size,
            "width": model.poset.width,
            "height": model.poset.height,
            "true_front": list(model.front),
            "front": list(result.front),
            "undecided": list(result.undecided),
            "correct": self.correct,
            "duels": result.duels,
            "direct_duels": result.direct_duels,
            "decoy_duels": result.decoy_duels,
            "probes": result.probes,
            "limit": limit,
            # A poset of one item has the limit 0: there is nothing to compare with.
            "ratio_to_limit": result.duels / limit if limit else None,
            "spare": result.spare,
            "certified": result.certified,
            "regret": result.regret,
            "regret_peeling": result.regret_peeling,
            "regret_with_decoys": result.regret_with_decoys,
            "seconds": round(self.seconds, 6),
            "parameters": result.parameters,
        }


def run(
    algorithm: Algorithm,
    model: DuelModel,
    seed: int,
    *,
    budget: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Run:
    """One run on voters who follow `model`, in the arena that the algorithm needs.

    The seed is that of the voters and of the algorithm's own choices; `progress` is called after
    every round.
    """
    arena = SimulatedArena(
        model,
        algorithm.needs_decoys,
        observable=algorithm.needs_observable,
        comparability_error=getattr(algorithm, "comparability_error", 0.0),
        seed=seed,
    )
    start = time.perf_counter()
    result = find_front(arena, algorithm, seed=seed, budget=budget, progress=progress)
    return Run(algorithm, model, seed, result, time.perf_counter() - start)


def warm_up(algorithm: Algorithm, budget: int | None = None) -> None:
    """Run the algorithm on a toy, so that the compiler has done its work.

    Afterwards the seconds of a run in this process are the run's own, not the compiler's.
    """
    own = (field.name for field in fields(algorithm) if getattr(algorithm, field.name) is not None)
    easy: dict[str, Any] = {name: _EASY[name] for name in own if name in _EASY}
    toy = Layered(2, 2, 2, gaps="constant:0.4").model(0)
    # A method of the user's may refuse such numbers; then its first run compiles.
    with contextlib.suppress(AntichainError):
        easily = replace(algorithm, **easy)
        # With a budget and without, comparisons go different ways.
        for limit in {None, budget}:
            run(easily, toy, 0, budget=limit)


def limit_of(algorithm: Algorithm, model: DuelModel) -> float | None:
    """The information limit of the algorithm's runs on `model`.

    None if it neither has decoys nor sees which pairs are incomparable, and where
    `antichain.theory.limit_if_any` has none.
    """
    if algorithm.needs_observable:
        return limit_if_any(model, algorithm.delta, None)
    if algorithm.needs_decoys is None:
        return None
    return limit_if_any(model, algorithm.delta, algorithm.needs_decoys)


def simulate(
    algorithm: Algorithm,
    posets: Posets,
    seeds: Sequence[int],
    *,
    budget: int | None = None,
    workers: int = 1,
) -> Iterator[Record]:
    """The record of each seed's run, in the order of the seeds, whatever the number of workers.

    A seed is that of the run's poset, its voters and the algorithm's choices. With several
    workers, call this under `if __name__ == "__main__":`.
    """
    limit = limit_of(algorithm, posets) if isinstance(posets, DuelModel) else None
    job = _Job(algorithm, posets, limit, budget)
    return _pools.run_all(job, seeds, workers, chunked=False)


@dataclass
class _Job:
    """What all runs of a simulation share; each process warms up before its first run."""

    algorithm: Algorithm
    posets: Any  # Posets; in a pickle, a model as its items and gaps
    limit: float | None
    budget: int | None
    warm: bool = False

    def __getstate__(self) -> dict[str, Any]:
        # A model keeps views of itself that cannot be pickled.
        posets = self.posets
        plain = (posets.items, posets.gaps) if isinstance(posets, DuelModel) else posets
        return {**self.__dict__, "posets": plain}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(self.posets, tuple):
            items, gaps = self.posets
            self.posets = DuelModel(Poset.from_matrix(gaps > 0, items), gaps)

    def __call__(self, seed: int) -> Record:
        if not self.warm:
            warm_up(self.algorithm, self.budget)
            self.warm = True
        model, limit = self.posets, self.limit
        if isinstance(model, Layered):
            model = model.model(seed)
            limit = limit_of(self.algorithm, model)
        return run(self.algorithm, model, seed, budget=self.budget).record(limit)
