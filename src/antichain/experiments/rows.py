"""One run as one row of a tidy table."""

from __future__ import annotations

import hashlib
import time
from functools import lru_cache
from typing import NamedTuple

from antichain.algorithms.result import Result
from antichain.arenas.simulated import SimulatedArena
from antichain.experiments.methods import METHODS, ScaledFloor
from antichain.experiments.spec import Parameters, Spec, Value
from antichain.orders import DuelModel
from antichain.orders.generators import layered
from antichain.run import find_front
from antichain.theory import limit_if_any, unchained_duels

Row = dict[str, object]


class Key(NamedTuple):
    """Which run: the point's value, the algorithm and the number of the run, from 0."""

    value: Value
    algorithm: str
    run: int


def keys_of(spec: Spec) -> list[Key]:
    """Every run of an experiment; whole rounds over the points, so that a rate means something."""
    return [
        Key(value, algorithm, run)
        for run in range(spec.runs)
        for value in spec.values
        for algorithm in spec.algorithms
    ]


def key_of(row: Row) -> Key:
    """The key a row answers."""
    return Key(row["value"], str(row["algorithm"]), int(str(row["run"])))  # type: ignore[arg-type]


def seed_of(spec: Spec, key: Key, seed: int) -> int:
    """The seed of a run: of its poset, its voters and the algorithm's choices.

    The first 48 bits of the SHA-256 of "seed/experiment/value/run"; the value is left out in a
    paired experiment, and the algorithm always, so that all algorithms meet the same posets.
    """
    value = "" if spec.paired else repr(key.value)
    text = f"{seed}/{spec.name}/{value}/{key.run}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def run_row(spec: Spec, key: Key, seed: int = 0) -> Row:
    """The row of one run: its parameters, the truth, the cost, the outcome.

    It depends on its arguments only (and on the versions of what runs), but for `seconds`.
    """
    point = spec.parameters(key.value)
    method = METHODS[key.algorithm]
    own_seed = seed_of(spec, key, seed)
    model = _poset(point, own_seed)
    arena = SimulatedArena(
        model,
        decoy_gap=None if method.observable else point.decoy_gap,
        observable=method.observable,
        seed=own_seed,
    )
    start = time.perf_counter()
    result = find_front(arena, method.build(point), seed=own_seed)
    seconds = time.perf_counter() - start
    return {
        "experiment": spec.name,
        "vary": spec.vary,
        "value": key.value,
        "algorithm": key.algorithm,
        "run": key.run,
        "seed": own_seed,
        **_settings(point),
        **_truth(model),
        **_outcome(result, model),
        "theorem_1_duels": _theorem_1(point, model),
        "information_limit": _limit(point, own_seed) if _shows_limit(spec) else None,
        "seconds": round(seconds, 6),
    }


def with_limit(spec: Spec, row: Row) -> Row:
    """The row with its poset's information limit, if the spec shows it.

    A journal has none if it is older than the limit, or if the spec did not show it then.
    """
    found = row.get("information_limit")
    if found is None and _shows_limit(spec):
        point = spec.parameters(row["value"])  # type: ignore[arg-type]
        found = _limit(point, int(str(row["seed"])))
    return {**row, "information_limit": found}


def run_rows(spec: Spec, keys: list[Key], seed: int) -> list[Row]:
    """The rows of several runs: what a worker is sent, and sends back."""
    return [run_row(spec, Key(*key), seed) for key in keys]


def _poset(point: Parameters, own_seed: int) -> DuelModel:
    return layered(
        point.front, point.chains, point.height, own_seed, parents=point.parents, gaps=point.gaps
    )


def _shows_limit(spec: Spec) -> bool:
    return "information-limit" in spec.references


@lru_cache(maxsize=10_000)  # a number each: all algorithms of an experiment meet the same posets
def _limit(point: Parameters, own_seed: int) -> float | None:
    return limit_if_any(_poset(point, own_seed), point.delta, point.decoy_gap)


def _settings(point: Parameters) -> Row:
    return {
        "front": point.front,
        "width": point.chains,
        "height": point.height,
        "parents": point.parents,
        "gaps": point.gaps,
        "delta": point.delta,
        "decoy_gap": point.decoy_gap,
        "gamma": point.gamma,
        "epsilon0": point.peeling_start,
        "floor_factor": point.floor_factor,
    }


def _truth(model: DuelModel) -> Row:
    return {
        "items": model.size,
        "true_width": model.poset.width,
        "true_height": model.poset.height,
    }


def _outcome(result: Result, model: DuelModel) -> Row:
    last = result.epochs[-1]
    return {
        "correct": set(result.front) == set(model.front),
        "certified": result.certified,
        "found": len(result.front),
        "duels": result.duels,
        "direct_duels": result.direct_duels,
        "decoy_duels": result.decoy_duels,
        "probes": result.probes,
        "entering_decoys": last.entering if last.name == "decoys" else None,
        "regret": result.regret,
        "regret_peeling": result.regret_peeling,
        "regret_with_decoys": result.regret_with_decoys,
    }


def _theorem_1(point: Parameters, model: DuelModel) -> float | None:
    """The bound of Theorem 1 with its constants; none where peeling ends elsewhere."""
    if point.floor_factor != 1.0:
        return None
    schedule = ScaledFloor(
        decoy_gap=point.decoy_gap, gamma=point.gamma, epsilon0=point.peeling_start
    ).schedule(model.size)
    return unchained_duels(model.size, model.poset.width, schedule, point.delta, point.decoy_gap)
