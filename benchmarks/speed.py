"""How fast a simulated run is: against one duel at a time, and against a plain Python loop.

    python benchmarks/speed.py [--runs 20] [--json]

All three play the same problem, the paper's defaults with the paper's rules (about two million
duels). The times are only worth something against each other.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import antichain as ac

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.contracts.plain_loop import unchained_bandits

DELTA, DECOY_GAP = 0.001, 0.01


def arena_of(seed: int) -> ac.SimulatedArena:
    return ac.SimulatedArena(ac.posets.layered(5, 10, 10, seed=seed), DECOY_GAP, seed=seed)


def whole_comparisons(seed: int, rules: ac.Rules) -> int:
    """The usual run: every round inside one kernel call."""
    algorithm = ac.UnchainedBandits(delta=DELTA, decoy_gap=DECOY_GAP, rules=rules)
    return ac.find_front(arena_of(seed), algorithm, seed=seed).duels


def one_at_a_time(seed: int) -> int:
    """The same run through ask and tell, a duel at a time."""
    arena = arena_of(seed)
    algorithm = ac.UnchainedBandits(delta=DELTA, decoy_gap=DECOY_GAP, rules=ac.Rules.paper())
    search = algorithm.start(arena.items, seed)
    while not search.finished:
        for ask in search.ask(1):
            search.tell(ask, arena.answer([ask])[0])
    return search.result().duels


def plain_loop(seed: int) -> int:
    """The pseudocode as a Python loop: no protocol, a list of chances and random numbers."""
    model = ac.posets.layered(5, 10, 10, seed=seed)
    gaps = model.gaps.tolist()
    rng = np.random.default_rng(seed)
    random = rng.random

    def duel(left: int, right: int, decoy: bool) -> bool:
        gap = gaps[left][right]
        if decoy:
            gap = max(gap, DECOY_GAP) if gap > 0 else 0.0
        return random() < 0.5 + gap

    floor = DECOY_GAP * len(gaps) ** 0.5
    _, book = unchained_bandits(len(gaps), DELTA, DECOY_GAP, floor, seed, duel)
    return len(book.played)


def timed(job: Callable[[int], int], runs: int) -> tuple[float, float]:
    """Processor seconds per run (a busy machine does not change them much), and duels per run."""
    start = time.process_time()
    duels = sum(job(seed) for seed in range(runs))
    return (time.process_time() - start) / runs, duels / runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="runs of the fast path")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    whole_comparisons(0, ac.Rules.paper()), whole_comparisons(0, ac.Rules())  # compile
    rows = {
        "whole comparisons": timed(lambda s: whole_comparisons(s, ac.Rules.paper()), options.runs),
        "one duel at a time": timed(one_at_a_time, 1),
        "plain Python loop": timed(plain_loop, 1),
        "whole comparisons, default rules": timed(
            lambda s: whole_comparisons(s, ac.Rules()), options.runs
        ),
    }
    fast = rows["whole comparisons"]
    report = {
        name: {
            "seconds_per_run": seconds,
            "duels_a_run": duels,
            "duels_a_second": duels / seconds,
            "times_slower_a_duel": (seconds / duels) / (fast[0] / fast[1]),
        }
        for name, (seconds, duels) in rows.items()
    }
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for name, row in report.items():
        print(
            f"{name:34} {row['seconds_per_run'] * 1e3:10.1f} ms per run "
            f"{row['duels_a_second']:14,.0f} duels/s {row['times_slower_a_duel']:9.1f} times slower"
        )


if __name__ == "__main__":
    main()
