"""Runs many cases and reports what became of them.

    python -m tests.fuzz --cases 20000 [--start 0] [--really] [--keep SEED FOLDER]

The exit code is 1 if anything was wrong with any case. The same seed makes the same case.
"""

import argparse
import json
import sys
import time
from functools import partial
from pathlib import Path

from .running import keep, run_many


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--really", action="store_true", help="by the real command")
    parser.add_argument("--keep", nargs=2, metavar=("SEED", "FOLDER"))
    given = parser.parse_args()
    if given.keep:
        print(ascii(keep(int(given.keep[0]), Path(given.keep[1])).line))
        return 0
    start = time.monotonic()
    seeds = range(given.start, given.start + given.cases)
    tally = run_many(seeds, really=given.really, report=partial(print, flush=True))
    print(json.dumps({
        "cases": tally.cases, "wrong": len(tally.troubles), "commands": tally.commands,
        "classes": tally.classes, "codes": {str(k): n for k, n in tally.codes.items()},
        "slowest": tally.slowest, "seconds": round(time.monotonic() - start),
        "largest": tally.largest,
    }))  # fmt: skip
    return bool(tally.troubles)


if __name__ == "__main__":
    sys.exit(main())
