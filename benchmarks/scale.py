"""How duels, seconds and memory grow with the number of items.

    python benchmarks/scale.py [--sizes 1000 10000 100000] [--json]

100 disjoint chains with implicit uniform gaps, ε = 0.1, δ = 0.05, no decoys, default rules. Each
size runs in a process of its own, so that its peak memory is its own; growth is reported against
the smallest size.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import antichain as ac
from antichain.orders._implicit import ImplicitChains

CHAINS = 100


def measure(items: int) -> dict[str, float]:
    model = ImplicitChains(CHAINS, items // CHAINS, seed=0, gaps="uniform")
    algorithm = ac.UnchainedBandits(delta=0.05, decoy_gap=None, epsilon=0.1)
    small = ImplicitChains(2, 2, seed=0, gaps="uniform")
    ac.find_front(ac.SimulatedArena(small), algorithm)  # compile
    start = time.perf_counter()
    result = ac.find_front(ac.SimulatedArena(model), algorithm)
    return {
        "items": items,
        "duels": result.duels,
        "seconds": time.perf_counter() - start,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "found": len(result.front),
        "holds_the_front": set(model.front) <= set(result.front),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one)))
        return
    rows = []
    for size in options.sizes:
        command = [sys.executable, __file__, "--one", str(size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows.append(json.loads(done.stdout))
        rows[-1] |= {f"{key}_growth": rows[-1][key] / rows[0][key] for key in ("duels", "seconds")}
        if not options.json:
            print("  ".join(f"{key} {value:,.4g}" for key, value in rows[-1].items()), flush=True)
    if options.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
