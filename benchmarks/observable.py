"""Pulls on fully observable posets: `Orient` against `SlicingBandits`, as one JSON.

    python benchmarks/observable.py [--posets 100] [--only "defaults;2-d"] [--error 0.1]
    python benchmarks/observable.py --chains 10000

Both methods see the same posets, with gaps of at least 0.02 (below that the mean is infinite), at
δ = 0.001. Every pull counts, probes included. `ratio` is a ratio of means; `median_ratio` is the
median of the ratios poset by poset. `to_limit` is Orient's mean against that of the information
limit. With --error, voters misjudge that often whether a pair can be compared, and both methods
know. With --chains, Orient runs on ten chains of ever more items, up to so many: `per_item` are
probes per item and chain.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import antichain as ac

DELTA = 0.001
GAPS = "minimum:0.02"


def dominance(items: int, criteria: int, seed: int) -> ac.DuelModel:
    """Random points, each above those it exceeds in every coordinate."""
    rng = np.random.default_rng(seed)
    points = rng.random((items, criteria))
    above = (points[:, None, :] > points[None, :, :]).all(axis=-1)
    gaps = np.where(above, rng.uniform(0.02, 0.5, above.shape), 0.0)
    return ac.DuelModel(ac.Poset(tuple(f"item-{k}" for k in range(items)), above), gaps - gaps.T)


def series(parts: int, size: int, gap: float, seed: int) -> ac.DuelModel:
    """Antichains, each above all that come after it, with equal gaps."""
    part = np.random.default_rng(seed).permutation(parts * size) // size
    above = part[:, None] < part[None, :]
    gaps = np.where(above, gap, 0.0)
    names = tuple(f"item-{k}" for k in range(parts * size))
    return ac.DuelModel(ac.Poset(names, above), gaps - gaps.T)


SETTINGS: dict[str, Callable[[int], ac.DuelModel]] = {
    "defaults": lambda seed: ac.posets.layered(5, 10, 10, seed=seed, gaps=GAPS),
    "p=20": lambda seed: ac.posets.layered(20, 40, 10, seed=seed, gaps=GAPS),
    "2-d": lambda seed: dominance(100, 2, seed),
    "3-d": lambda seed: dominance(100, 3, seed),
    "total order of 50": lambda seed: ac.posets.total_order(50, seed=seed, gaps=GAPS),
    "10 chains of 10": lambda seed: ac.posets.chains(10, 10, seed=seed, gaps=GAPS),
    "series, equal gaps of 0.1": lambda seed: series(10, 3, 0.1, seed),
}


def run(
    model: ac.DuelModel, method: ac.Orient | ac.SlicingBandits, seed: int
) -> tuple[int, int, bool, float]:
    """Pulls, probes among them, whether the front is wrong, and seconds."""
    error = method.comparability_error
    arena = ac.SimulatedArena(model, observable=True, comparability_error=error, seed=seed)
    start = time.perf_counter()
    result = ac.find_front(arena, method, seed=seed)
    wrong = set(result.front) != set(model.front)
    return result.duels, result.probes, wrong, time.perf_counter() - start


def measured(setting: str, posets: int, error: float) -> dict[str, float]:
    """Both methods on the same posets."""
    ours, theirs, limits = [], [], []
    for seed in range(posets):
        model = SETTINGS[setting](seed)
        ours.append(run(model, ac.Orient(delta=DELTA, comparability_error=error), seed))
        theirs.append(run(model, ac.SlicingBandits(delta=DELTA, comparability_error=error), seed))
        limits.append(ac.theory.limit(model, DELTA, None).limit)
    pulls, probes, wrong, seconds = (np.array(column) for column in zip(*ours, strict=True))
    slicing = np.array([row[0] for row in theirs])
    return {
        "orient": round(float(pulls.mean()), 1),
        "orient_median": float(np.median(pulls)),
        "probes": round(float(probes.mean()), 1),
        "slicing": round(float(slicing.mean()), 1),
        "ratio": round(float(pulls.mean() / slicing.mean()), 3),
        "median_ratio": round(statistics.median((pulls / slicing).tolist()), 3),
        "to_limit": round(float(pulls.mean() / np.mean(limits)), 2),
        "wrong": int(wrong.sum()),
        "slicing_wrong": sum(row[2] for row in theirs),
        "median_seconds": round(float(np.median(seconds)), 3),
    }


def chains_of(items: int) -> dict[str, float]:
    """Orient on ten chains, all gaps at least 0.02."""
    model = ac.posets.chains(10, items // 10, seed=1, gaps=GAPS)
    pulls, probes, wrong, seconds = run(model, ac.Orient(delta=DELTA), 1)
    return {
        "items": items,
        "probes": probes,
        "per_item": round(probes / (10 * items), 3),
        "pulls": pulls,
        "wrong": wrong,
        "seconds": round(seconds, 1),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posets", type=int, default=20)
    parser.add_argument("--only", default="", help="these settings, separated by semicolons")
    parser.add_argument("--error", type=float, default=0.0)
    parser.add_argument("--chains", type=int, default=0, help="the largest number of items")
    options = parser.parse_args()
    if options.chains:
        sizes = [size for size in (100, 1_000, 2_000, 5_000) if size < options.chains]
        for size in [*sizes, options.chains]:
            print(json.dumps(chains_of(size)), flush=True)
        return
    rows = {}
    for setting in [
        name for name in SETTINGS if name in options.only.split(";") or not options.only
    ]:
        rows[setting] = measured(setting, options.posets, options.error)
        print(setting, rows[setting], file=sys.stderr, flush=True)
    print(json.dumps({"posets": options.posets, "delta": DELTA, "settings": rows}, indent=1))


if __name__ == "__main__":
    main()
