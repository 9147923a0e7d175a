"""From a log of votes to a certificate, against reading it with pandas and fitting Bradley-Terry.

    python benchmarks/votes.py [--votes 1000000] [--items 100] [--repeats 3] [--memory ROWS]

Prints JSON. The file is made up, in a folder that is removed afterwards. Each measure runs in a
process of its own, with what it needs loaded and compiled and the file in memory beforehand,
alternating; the best of `--repeats` counts. The fit is evalica's, with its defaults. Reading and
reducing is a part of the whole, and is measured by itself as well; the likely front, an estimate
whose time depends on the number of items and hardly on that of the votes, comes on top. With
`--memory` the peak of certifying ROWS rows is compared with that of certifying a tenth of them.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

BATCH = 1_000_000


def make_up(path: Path, votes: int, items: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    names = np.array([f"model-{k:03d}" for k in range(items)])
    strength = rng.normal(size=items)
    with open(path, "w") as out:
        out.write("model_a,model_b,winner\n")
        for start in range(0, votes, BATCH):
            size = min(BATCH, votes - start)
            left = rng.integers(items, size=size)
            right = (left + rng.integers(1, items, size=size)) % items
            wins = rng.random(size) < 1 / (1 + np.exp(strength[right] - strength[left]))
            winner = np.where(rng.random(size) < 0.2, "tie", np.where(wins, "model_a", "model_b"))
            rows = zip(names[left], names[right], winner, strict=True)
            out.writelines(f"{a},{b},{w}\n" for a, b, w in rows)


def certify_here(path: Path) -> int:
    from antichain import front

    return front(path, likely=False).votes


def estimate_here(path: Path) -> int:
    from antichain import front

    return front(path).votes


def read_here(path: Path) -> int:
    from antichain.votes import read_votes

    return read_votes(path, history=False).votes


def fit_elsewhere(path: Path) -> int:
    import evalica
    import pandas as pd

    frame = pd.read_csv(path)
    winners = frame["winner"].map(
        {
            "model_a": evalica.Winner.X,
            "model_b": evalica.Winner.Y,
            "tie": evalica.Winner.Draw,
        }
    )
    evalica.bradley_terry(frame["model_a"], frame["model_b"], winners)
    return len(frame)


JOBS = {
    "antichain": certify_here,
    "reading": read_here,
    "with the likely front": estimate_here,
    "evalica": fit_elsewhere,
}


def measure(
    job: Callable[[Path], int], path: Path, make_small: Callable[[Path], None]
) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.csv"
        make_small(small)
        job(small)
    with open(path, "rb") as stream:
        while stream.read(1 << 24):
            pass
    start = time.perf_counter()
    found = job(path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "peak_mib": peak, "found": found}


def in_its_own_process(what: str, path: Path, program: str = __file__) -> dict[str, float]:
    command = [sys.executable, program, "--one", what, "--file", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--votes", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", type=int, default=0)
    parser.add_argument("--one", choices=JOBS)
    parser.add_argument("--file", type=Path)
    given = parser.parse_args()
    if given.one:
        small = partial(make_up, votes=2_000, items=20)
        print(json.dumps(measure(JOBS[given.one], given.file, small)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.csv"
        make_up(path, given.votes, given.items)
        runs: dict[str, list[float]] = {what: [] for what in JOBS}
        for _ in range(given.repeats):
            for what, seconds in runs.items():
                seconds.append(in_its_own_process(what, path)["seconds"])
        report: dict[str, object] = {
            "votes": given.votes,
            "items": given.items,
            "seconds": {what: round(min(seconds), 3) for what, seconds in runs.items()},
            "ratio": round(min(runs["antichain"]) / min(runs["evalica"]), 3),
        }
        if given.memory:
            peaks = {}
            for rows in (given.memory // 10, given.memory):
                make_up(path, rows, given.items)
                told = in_its_own_process("antichain", path)
                peaks[rows] = {"mib": round(told["peak_mib"]), "seconds": round(told["seconds"], 1)}
            report["peaks"] = peaks
    print(json.dumps(report))


if __name__ == "__main__":
    main()
