"""How often `Witness` errs in worlds made to hurt it, with exact bounds, as JSON lines.

    python benchmarks/errors.py [--delta 0.2] [--runs 250] [--world "two items, tiny gap"]

The bound is an exact one-sided 99% one and must stay below 1.1·δ. With `--runs 5000` at δ = 0.2
and `--runs 20000` at δ = 0.05 a method that errs with 0.95·δ passes; all worlds then take hours.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import antichain as ac

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.guarantees.error_rates import ErrorCount, count_errors
from tests.guarantees.hostile import DECOY_GAP, WORLDS, witnesses_at_any_price

CHUNK = 250


def chunk(world: str, delta: float, seed: int) -> int:
    """The errors of one chunk of runs."""
    algorithm = ac.Witness(delta=delta, decoy_gap=DECOY_GAP)
    with witnesses_at_any_price():
        return count_errors(WORLDS[world], algorithm, CHUNK, DECOY_GAP, seed=seed).errors


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--delta", type=float, default=0.2)
    options.add_argument("--runs", type=int, default=CHUNK, help=f"in chunks of {CHUNK}")
    options.add_argument("--world", choices=WORLDS, action="append")
    options.add_argument("--workers", type=int, default=2)
    chosen = options.parse_args()
    chunks = -(-chosen.runs // CHUNK)
    with ProcessPoolExecutor(chosen.workers) as pool:
        for world in chosen.world or WORLDS:
            errors = sum(pool.map(partial(chunk, world, chosen.delta), range(chunks)))
            count = ErrorCount(errors, chunks * CHUNK)
            row = {"world": world, "delta": chosen.delta} | count.record()
            print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
