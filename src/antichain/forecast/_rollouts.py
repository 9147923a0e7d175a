"""How a run may end: twins of it, played to their ends in worlds that fit what it has seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np

from antichain import _checks, _pools
from antichain._run import play
from antichain.algorithms._events import Script
from antichain.algorithms._search import Search
from antichain.errors import ParameterError
from antichain.forecast._posterior import MatrixWorld, Posterior

Run = TypeVar("Run")
_LARGEST_SEED = 2**53


def rollouts(
    search: Search,
    runs: int,
    *,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[int]:
    """The duels that a run in progress still takes, each way that it may end.

    The arguments are those of `remaining`.
    """
    _checks.instance("search", search, Search, "a Search, as Algorithm.start makes it,")
    method = search.algorithm
    if method.needs_observable:
        raise ParameterError(
            f"the run is one of {type(method).__name__} for fully observable posets, but to "
            "forecast what remains, one for partially observable posets was expected: the counts "
            "do not say which pairs were seen to be incomparable."
        )
    seed = _checks.whole("seed", seed, least=0)
    if search.finished:
        return [0] * runs
    posterior = Posterior.from_counts(
        search.items,
        search.counts(),
        search.result().dominated,
        method.needs_decoys,
    )
    work = partial(_rollout, search.script(), posterior, seed)
    return list(all_runs(work, runs, workers, progress))


def _rollout(script: Script, posterior: Posterior, seed: int, run: int) -> int:
    rng = np.random.default_rng([seed, run])
    world = posterior.draw(rng)
    arena = MatrixWorld(posterior.items, world, posterior.decoy_gap, seed=draw_seed(rng))
    twin = script.play()
    answered, out = _answered(twin), twin.outstanding
    for ask, tally in zip(out, arena.answer(out), strict=True):
        twin.tell(ask, tally)
    play(twin, arena, None, None)
    return _answered(twin) - answered


def _answered(search: Search) -> int:
    """Count the duels answered so far, spare ones included, so that the number never falls."""
    result = search.result()
    return result.duels + result.spare


def draw_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(_LARGEST_SEED))


def all_runs(
    work: Callable[[int], Run],
    runs: int,
    workers: int,
    progress: Callable[[int], None] | None,
) -> Iterator[Run]:
    _checks.function("progress", progress)
    played = _pools.run_all(work, range(runs), _checks.whole("workers", workers))
    for done, run in enumerate(played, start=1):
        yield run
        if progress is not None:
            progress(done)
