"""From a CSV of ratings to pair counts, against scanning and grouping the same file with polars.

    python benchmarks/movielens.py [--ratings 20000000] [--films 159] [--folder DIR] [--json]

The file is made up (`antichain movielens --synthesize`), in a folder that is removed afterwards
unless one is given. Each measure runs in a process of its own, with its kernels compiled and
the file in memory beforehand, alternating; the best of `--repeats` counts, and its peak memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from antichain.ratings._ballots import pair_counts, select, take_census
from antichain.ratings._releases import open_release
from antichain.ratings._synth import synthesize


def count_pairs_of(folder: Path, films: int) -> int:
    log = open_release(folder).log
    census = take_census(log)
    chosen = select(log, census, top=films)
    counts = pair_counts(log, census, chosen, [str(code) for code in chosen])
    return int(counts.co_raters.sum()) // 2


def group_by(folder: Path, column: str) -> int:
    import polars as pl

    scan = pl.scan_csv(folder / "ratings.csv")
    rating = pl.col("rating")
    grouped = scan.group_by(column).agg(pl.len(), rating.mean()).collect(engine="streaming")
    return grouped.height


def measure(what: str, folder: Path, films: int) -> dict[str, float]:
    def job(place: Path) -> int:
        return count_pairs_of(place, films) if what == "pairs" else group_by(place, what)

    with tempfile.TemporaryDirectory() as small:
        synthesize(small, 20_000)
        job(Path(small))
    start = time.perf_counter()
    outcome = job(folder)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "peak_mib": peak, "outcome": outcome}


def in_its_own_process(what: str, folder: Path, films: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", what, "--folder", str(folder)]
    command += ["--films", str(films)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compare(folder: Path, ratings: int, films: int, repeats: int) -> dict[str, object]:
    if not (folder / "ratings.csv").exists():
        synthesize(folder, ratings)
    rows: dict[str, list[dict[str, float]]] = {"pairs": [], "userId": [], "movieId": []}
    for _ in range(repeats):
        for what, found in rows.items():
            found.append(in_its_own_process(what, folder, films))
    best = {what: min(found, key=lambda row: row["seconds"]) for what, found in rows.items()}
    seconds = best["pairs"]["seconds"]
    return {
        "bytes": (folder / "ratings.csv").stat().st_size,
        "films": films,
        "seconds_to_pair_counts": seconds,
        "peak_mib": best["pairs"]["peak_mib"],
        "polars_seconds_grouping_by_user": best["userId"]["seconds"],
        "polars_seconds_grouping_by_film": best["movieId"]["seconds"],
        "polars_peak_mib": max(best[what]["peak_mib"] for what in ("userId", "movieId")),
        "times_grouping_by_user": seconds / best["userId"]["seconds"],
        "times_grouping_by_film": seconds / best["movieId"]["seconds"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ratings", type=int, default=20_000_000)
    parser.add_argument("--films", type=int, default=159)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.folder, options.films)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        report = compare(folder, options.ratings, options.films, options.repeats)
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for name, value in report.items():
        print(f"{name:34} {value:14,.2f}")


if __name__ == "__main__":
    main()
