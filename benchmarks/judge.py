"""Votes until every item is in or out: the one judge against the sequential run `Witness`.

    python benchmarks/judge.py [--worlds 20] [--sizes 8 12 20 30] [--json]
    python benchmarks/judge.py --speed

Both meet the same worlds, one vote at a time, at δ = 0.05. Prints a Markdown table or JSON lines:
medians and means, the ratio of the sums, and the mean of the paired ratios with its standard error.
`--speed` prints how long judging a million ordered votes takes, beside reading them from a CSV
file.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable, Iterator

import numpy as np

import antichain as ac
from antichain.certify._replay import judge_in_order
from antichain.orders import DuelModel, _generators
from antichain.referee import Referee, Terms
from antichain.votes import read_votes
from tables import print_records

DELTA = 0.05


def front_size(size: int, seed: int) -> int:
    """Log-uniform from one to half of the items."""
    rng = np.random.default_rng(seed * 7919 + size)
    return round(np.exp(rng.uniform(0, np.log(max(1, size // 2)))))


def _chains(size: int, seed: int) -> DuelModel:
    number = max(2, size // 5)
    each, more = divmod(size, number)
    return _generators.chains(number, [each + (k < more) for k in range(number)], seed)


FAMILIES: dict[str, Callable[[int, int], DuelModel]] = {
    "layered": lambda size, seed: _generators.layered_of(size, front_size(size, seed), seed),
    "chains": _chains,
    "2-d dominance": lambda size, seed: _generators.dominance(size, 2, seed),
    "total order": _generators.total_order,
    "layered, Bradley–Terry": lambda size, seed: _generators.layered_of(
        size, front_size(size, seed), seed, gaps="bradley-terry"
    ),
}


def by_judge(model: DuelModel, seed: int, epsilon: float, assume: tuple[str, ...] = ()) -> int:
    referee = Referee(len(model.items), Terms(DELTA, epsilon, assume))
    referee.play(0.5 + np.asarray(model.gaps), seed=seed)
    assert referee.finished
    return referee.answers


def by_run(model: DuelModel, seed: int, epsilon: float) -> int:
    witness = ac.Witness(delta=DELTA, decoy_gap=None, epsilon=epsilon)
    return ac.find_front(ac.SimulatedArena(model, seed=seed), witness, seed=seed).duels


def records(worlds: int, sizes: list[int]) -> Iterator[dict[str, object]]:
    """One record per family, size and ε, and another where strong transitivity is assumed."""
    for family, make in FAMILIES.items():
        for assume in ((), ("strong",)) if "Bradley" in family else ((),):
            for size in sizes:
                models = [make(size, seed) for seed in range(worlds)]
                for epsilon in (0.1, 0.2):
                    yield {
                        "worlds": f"{family}, strong" if assume else family,
                        "items": size,
                        "epsilon": epsilon,
                        **compared(models, epsilon, assume),
                    }


def compared(
    models: list[DuelModel], epsilon: float, assume: tuple[str, ...]
) -> dict[str, float | None]:
    """Votes of the run and of the judge on the same worlds."""
    runs = np.array([by_run(model, seed, epsilon) for seed, model in enumerate(models)])
    ours = np.array([by_judge(model, seed, epsilon, assume) for seed, model in enumerate(models)])
    ratios = ours / runs
    error = ratios.std(ddof=1) / np.sqrt(len(ratios)) if len(ratios) > 1 else None
    return {
        "run_median": float(np.median(runs)),
        "run_mean": float(runs.mean()),
        "judge_median": float(np.median(ours)),
        "judge_mean": float(ours.mean()),
        "of_all_votes": float(ours.sum() / runs.sum()),
        "paired_ratio": float(ratios.mean()),
        "standard_error": error,
    }


def speed(votes: int = 1_000_000, size: int = 20) -> str:
    """How long a log of so many ordered votes takes to read, and to judge."""
    rng = np.random.default_rng(1)
    first = rng.integers(size, size=votes)
    second = (first + rng.integers(1, size, size=votes)) % size
    left = rng.random(votes) < 0.5 + (second - first) / (4 * size)
    file = io.StringIO()
    file.write("ask,left,right,answer\n")
    answers = np.where(left, "left", "right")
    file.writelines(
        f"{k},item {a},item {b},{c}\n"
        for k, (a, b, c) in enumerate(zip(first, second, answers, strict=True), start=1)
    )
    judge_in_order(read_votes([{"ask": 1, "left": "a", "right": "b", "answer": "left"}]), Terms())
    start = time.perf_counter()
    log = read_votes(io.BytesIO(file.getvalue().encode()))
    read = time.perf_counter() - start
    start = time.perf_counter()
    judge_in_order(log, Terms())
    judged = time.perf_counter() - start
    return (
        f"{votes:,} ordered votes on {size} items: read in {read:.1f} s, judged in {judged:.1f} s, "
        f"{judged / read:.2f} times as long"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 12, 20, 30])
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--json", action="store_true", help="one JSON line per record")
    chosen = parser.parse_args()
    if chosen.speed:
        print(speed())
        return
    print_records(records(chosen.worlds, chosen.sizes), chosen.json)


if __name__ == "__main__":
    main()
