"""The errors of certificates, default rules and `RealDecoys` in full counts of runs, as JSON lines.

    python -m tests.guarantees.many_runs [PART ...] [--divide 500]

Runs for tens of minutes; `make test-slow` has the same worlds with as many runs as it can afford.
`tools/measurements.py` puts the outcome into docs/measurements/numbers.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator

from tests.guarantees import decoy_logs
from tests.guarantees import test_certify as votes
from tests.guarantees import test_error_rates as rules
from tests.guarantees import test_real_decoys as decoys
from tests.guarantees.certify_runs import errors_in_clusters, errors_in_votes
from tests.guarantees.error_rates import ErrorCount, runs_for

Case = tuple[str, Callable[[float, int], ErrorCount]]
"""The name of a world, and its errors at a δ in so many runs."""


def certificates() -> Iterator[Case]:
    """Any false claim, in logs stopped at the worst time."""
    for world, policy in votes.CASES:
        yield (
            f"{world}; asked {policy}",
            lambda delta, runs, world=world, policy=policy: errors_in_votes(
                votes.WORLDS[world], delta, runs, 120, votes.POLICIES[policy], seed=1
            ),
        )


def families() -> Iterator[Case]:
    """All of δ on one family of claims, in a world that attacks just that one."""
    for family, (world, policy, spent) in votes.ALONE.items():
        yield (
            f"all of δ on {family}",
            lambda delta, runs, world=world, policy=policy, spent=spent: errors_in_votes(
                world, delta, runs, 150, policy, seed=7, rules=spent
            ),
        )


def clusters() -> Iterator[Case]:
    """Clusters of one mind, looked at after each."""
    for world in votes.CLUSTERED:
        yield (
            f"{world}; in clusters",
            lambda delta, runs, world=world: errors_in_clusters(
                votes.WORLDS[world], delta, runs, 40, size=8, seed=3
            ),
        )


def real_decoys() -> Iterator[Case]:
    """Any broken promise of `RealDecoys`."""
    for world in decoys.WORLDS:
        yield (
            world,
            lambda delta, runs, world=world: decoys.promises_broken(
                world, decoys.algorithm(delta, world), runs, seed=2026
            )[0],
        )


def decoys_in_logs() -> Iterator[Case]:
    """Anything false that decoys in a log show, all of δ spent on them."""
    for world in decoy_logs.WORLDS:
        for chasing in (False, True):
            yield (
                f"{world}; asked {'chasing' if chasing else 'uniformly'}",
                lambda delta, runs, world=world, chasing=chasing: decoy_logs.errors_by_decoys(
                    decoy_logs.WORLDS[world], delta, runs, 100, chasing, seed=11
                ),
            )


def default_rules() -> Iterator[Case]:
    """Wrong fronts of `UnchainedBandits` under the default rules."""
    for world in rules.HARD:
        yield world, lambda delta, runs, world=world: rules.default_errors(world, delta, runs)
    yield "without decoys, gaps just above ε", rules.approximation_errors


PARTS = {
    part.__name__: part
    for part in (certificates, families, clusters, real_decoys, decoys_in_logs, default_rules)
}


def main() -> None:
    """Print one line per world and δ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--divide", type=int, default=1, help="so many times fewer runs")
    chosen = parser.parse_args()
    for part in chosen.parts or PARTS:
        for world, count in PARTS[part]():
            for delta in (0.05, 0.2):
                found = count(delta, runs_for(delta) // chosen.divide)
                row = {"part": part, "world": world, "delta": delta} | found.record()
                print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
