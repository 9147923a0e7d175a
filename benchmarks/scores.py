"""Reading a table of scores and comparing every two items, against a plain scan by polars.

    python benchmarks/scores.py [--rows 10000000] [--items 20] [--repeats 3] [--fractions]

Prints JSON. The file is made up, in a folder that is removed afterwards: one row per item and unit,
scored 0 or 1, or by random fractions. Each measure runs in a process of its own, with what it needs
loaded and compiled and the file in memory beforehand, alternating; the best of `--repeats` counts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from antichain.votes import read_votes
from votes import BATCH, in_its_own_process, measure


def make_up(path: Path, rows: int, items: int, fractions: bool, seed: int = 0) -> None:
    rng, units = np.random.default_rng(seed), rows // items
    names = [f"model-{k:02d}" for k in range(items)]
    with open(path, "wb") as out:
        for start in range(0, units, BATCH // items):
            part = range(start, min(start + BATCH // items, units))
            scores = rng.normal(size=len(part) * items)
            table = {
                "model": np.tile(names, len(part)),
                "question": np.repeat([f"q{unit}" for unit in part], items),
                "score": scores if fractions else (scores > 0).astype(int),
            }
            pl.DataFrame(table).write_csv(out, include_header=start == 0)


def read(path: Path) -> int:
    return read_votes(path, item="model", unit="question", score="score").votes


def scan(path: Path) -> int:
    return pl.scan_csv(path).collect().height


JOBS = {"antichain": read, "polars": scan}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--fractions", action="store_true")
    parser.add_argument("--one", choices=JOBS)
    parser.add_argument("--file", type=Path)
    given = parser.parse_args()
    if given.one:
        small = partial(make_up, rows=2_000, items=20, fractions=True)
        print(json.dumps(measure(JOBS[given.one], given.file, small)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        make_up(path, given.rows, given.items, given.fractions)
        runs: dict[str, list[dict[str, float]]] = {what: [] for what in JOBS}
        for _ in range(given.repeats):
            for what, told in runs.items():
                told.append(in_its_own_process(what, path, __file__))
    best = {what: min(run["seconds"] for run in told) for what, told in runs.items()}
    report = {
        "rows": given.rows,
        "items": given.items,
        "fractions": given.fractions,
        "seconds": {what: round(seconds, 2) for what, seconds in best.items()},
        "ratio": round(best["antichain"] / best["polars"], 2),
        "peak_mib": {what: round(told[0]["peak_mib"]) for what, told in runs.items()},
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
