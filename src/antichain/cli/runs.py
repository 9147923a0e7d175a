"""Simulated runs of one setting over many seeds, in this process or in several."""

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from antichain.cli.options import Source
from antichain.errors import InputError
from antichain.interrupts import interrupts_ignored

if TYPE_CHECKING:
    from antichain import Algorithm, DuelModel, Progress, Result
    from antichain.orders.duels import Floats

Record = dict[str, object]


class AlgorithmName(StrEnum):
    """The algorithms: ours first, then the paper's."""

    WITNESS = "witness"
    UNCHAINED = "unchained"
    SLICING = "slicing"
    UNIFORM = "uniform"


class MaximumName(StrEnum):
    """What can find the maximum of a chain for slicing."""

    CHALLENGE = "challenge"
    PEEL = "peel"
    IF2 = "if2"
    BEAT_THE_MEAN = "beat-the-mean"
    KNOCKOUT = "knockout"


@dataclass(frozen=True)
class Setting:
    """Everything that decides a run, but its seed."""

    source: Source = field(default_factory=Source)
    algorithm: AlgorithmName = AlgorithmName.WITNESS
    faithful: bool = False
    delta: float = 0.001
    decoy_gap: float | None = 0.01
    gamma: float = 0.9
    epsilon0: float = 0.5
    epsilon: float | None = None
    observable: bool = False
    maximum: MaximumName = MaximumName.CHALLENGE
    budget: int | None = None
    least_regret: bool = False


def build_algorithm(setting: Setting) -> "Algorithm":
    """The algorithm that a setting asks for."""
    import antichain as ac

    if setting.algorithm is AlgorithmName.UNIFORM:
        return ac.UniformSampling(delta=setting.delta, decoy_gap=setting.decoy_gap)
    if setting.algorithm is AlgorithmName.SLICING:
        from antichain.algorithms.chains import FINDERS

        return ac.SlicingBandits(delta=setting.delta, maximum=FINDERS[setting.maximum]())
    if setting.algorithm is AlgorithmName.WITNESS:
        return ac.Witness(
            delta=setting.delta,
            decoy_gap=setting.decoy_gap,
            epsilon=setting.epsilon,
            aim="regret" if setting.least_regret else "duels",
        )
    return ac.UnchainedBandits(
        delta=setting.delta,
        decoy_gap=setting.decoy_gap,
        gamma=setting.gamma,
        epsilon0=setting.epsilon0,
        epsilon=setting.epsilon,
        rules=ac.Rules.paper() if setting.faithful else ac.Rules(),
    )


def run_once(
    setting: Setting,
    model: "DuelModel",
    seed: int,
    progress: "Callable[[Progress], None] | None" = None,
) -> tuple["Result", float]:
    """The result of one run on `model`, and the seconds it took (see also `warm_up`)."""
    import antichain as ac

    algorithm = build_algorithm(setting)
    arena = ac.SimulatedArena(
        model, decoy_gap=setting.decoy_gap, observable=setting.observable, seed=seed
    )
    start = time.perf_counter()
    result = ac.find_front(arena, algorithm, seed=seed, budget=setting.budget, progress=progress)
    return result, time.perf_counter() - start


def warm_up(setting: Setting) -> None:
    """Run the setting's algorithm on a toy, so that what it needs is compiled.

    Afterwards the seconds of a run in this process are the run's own, not the compiler's.
    """
    easy = {
        "delta": 0.2,
        "decoy_gap": None if setting.decoy_gap is None else 0.4,
        "epsilon": None if setting.epsilon is None else 0.4,
    }
    toy = Source(front=2, width=2, height=2, gaps="constant:0.4").model(0)
    # With a budget and without, comparisons go different ways.
    for budget in {None, setting.budget}:
        run_once(replace(setting, **easy, budget=budget), toy, 0)  # type: ignore[arg-type]


def limit_of(setting: Setting, model: "DuelModel") -> float | None:
    """The information limit of the setting's runs on `model`; None without decoys.

    None also where `antichain.theory.limit_if_any` has none.
    """
    from antichain.theory import limit_if_any

    if setting.decoy_gap is None or setting.observable:
        return None
    return limit_if_any(model, setting.delta, setting.decoy_gap)


def record_of(
    setting: Setting,
    model: "DuelModel",
    limit: float | None,
    seed: int,
    result: "Result",
    seconds: float,
) -> Record:
    """One run as JSON-ready data: the truth, the answer, and what it cost."""
    return {
        "algorithm": result.algorithm,
        "seed": seed,
        "items": model.size,
        "width": model.poset.width,
        "height": model.poset.height,
        "true_front": list(model.front),
        "front": list(result.front),
        "correct": is_correct(setting, model, result.front),
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
        "seconds": round(seconds, 6),
        "parameters": result.parameters,
    }


def is_correct(setting: Setting, model: "DuelModel", found: Sequence[str]) -> bool:
    """Whether `found` is what was asked for: the front, or an ε-approximation of it."""
    if setting.epsilon is not None and setting.algorithm is AlgorithmName.WITNESS:
        clear = {name for name in found if name in model.eps_front(setting.epsilon)}
        return set(model.front) <= set(found) == clear
    if setting.epsilon is not None:
        return bool(model.is_eps_approximation(found, setting.epsilon))
    return set(found) == set(model.front)


def simulate_all(setting: Setting, seeds: Sequence[int], workers: int) -> Iterator[Record]:
    """The record of each seed, in the order of the seeds, whatever the number of workers."""
    # A poset file is read once; generated posets are made where they are used.
    given = _with_limit(setting, 0) if setting.source.poset is not None else None
    if workers == 1 or len(seeds) == 1:
        warm_up(setting)
        for seed in seeds:
            yield _simulate(setting, given, seed)
        return
    # Spawned, not forked: the progress bar runs in a thread, which a fork would cut in two.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        min(workers, len(seeds)),
        context,
        initializer=_start_worker,
        initargs=(setting, None if given is None else (given[0].items, given[0].gaps, given[1])),
    ) as pool:
        try:
            with interrupts_ignored():
                futures = [pool.submit(_simulate_in_worker, seed) for seed in seeds]
            for future in futures:
                yield future.result()
        except BrokenProcessPool as error:
            raise InputError(
                "a worker process ended before its run did (is there enough memory?); "
                "fewer --workers may help"
            ) from error
        except BaseException:
            for child in multiprocessing.active_children():
                child.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_Given = tuple["DuelModel", float | None]  # a poset and its information limit


def _with_limit(setting: Setting, seed: int) -> _Given:
    model = setting.source.model(seed)
    return model, limit_of(setting, model)


def _simulate(setting: Setting, given: _Given | None, seed: int) -> Record:
    model, limit = given if given is not None else _with_limit(setting, seed)
    result, seconds = run_once(setting, model, seed)
    return record_of(setting, model, limit, seed, result, seconds)


_job: tuple[Setting, _Given | None]  # what all runs of a worker process share


def _start_worker(
    setting: Setting, content: "tuple[tuple[str, ...], Floats, float | None] | None"
) -> None:
    global _job
    given = None
    if content is not None:
        from antichain.orders import DuelModel, Poset

        items, gaps, limit = content
        given = DuelModel(Poset.from_matrix(gaps > 0, items), gaps), limit
    _job = setting, given
    warm_up(setting)


def _simulate_in_worker(seed: int) -> Record:
    return _simulate(*_job, seed)
