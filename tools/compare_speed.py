"""Times the same jobs in two checkouts by turns, and reports the ratio new / old.

    python tools/compare_speed.py OLD_TREE NEW_TREE [--rounds 5] [--only WORD] [--json]

Each checkout has its own interpreter in .venv/bin/python. Times are processor seconds, which a
busy machine changes little, and the checkouts take turns, so that what remains of that hits both.
Runs and logs are timed inside a warm process; the command and the import from start to end.
A first round that compiles the kernels is not counted. The last two columns are the ratios of the
medians and of the shortest times. Give the same checkout twice to see how large ratios are that
mean nothing: on two busy cores, with one round only, they went from 0.7 to 1.4.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

_RUN = """
import time
import antichain as ac

def job(seed):
    model = ac.posets.layered(5, 10, 10, seed=seed)
    return ac.find_front(ac.SimulatedArena(model, 0.01, seed=seed), ac.{algorithm}, seed=seed)

job(0)
start = time.process_time()
for seed in range({runs}):
    job(seed)
print((time.process_time() - start) / {runs})
"""
_TELL = """
import time
import antichain as ac

def job(seed):
    model = ac.posets.layered(3, 5, 4, seed=seed, gaps="minimum:0.1")
    arena = ac.KeyedArena(ac.SimulatedArena(model, 0.1, seed=seed), seed=seed)
    search = ac.{algorithm}.start(arena.items, seed)
    while not search.finished:
        for ask in search.ask(1):
            search.tell(ask, arena.answer([ask])[0])

job(0)
start = time.process_time()
for seed in range(2):
    job(seed)
print((time.process_time() - start) / 2)
"""
_STUDY = """
import time
import antichain as ac

def job():
    study = ac.Study.in_memory([f"item {k}" for k in range(6)], seed=1)
    return ac.judge(study, lambda a, b: "left" if a < b else "right", concurrency=1)

job()
start = time.process_time()
for _ in range(10):
    job()
print((time.process_time() - start) / 10)
"""
_CERTIFY = """
import time
import antichain as ac

ac.front("small.csv")
start = time.process_time()
for _ in range(4):
    ac.front("votes.csv")
print((time.process_time() - start) / 4)
"""
_CLUSTERED = _CERTIFY.replace('.csv")', '.csv", cluster="prompt")')
_PAPER = "UnchainedBandits(rules=ac.Rules.paper())"

INSIDE = {
    "UnchainedBandits, default": _RUN.format(algorithm="UnchainedBandits()", runs=20),
    "UnchainedBandits, the paper's rules": _RUN.format(algorithm=_PAPER, runs=20),
    "Witness, default": _RUN.format(algorithm="Witness()", runs=4),
    "UnchainedBandits, a duel at a time": _TELL.format(
        algorithm="UnchainedBandits(delta=0.05, decoy_gap=0.1)"
    ),
    "Witness, a duel at a time": _TELL.format(algorithm="Witness(delta=0.05, decoy_gap=0.1)"),
    "a study with a judge": _STUDY,
    "certifying 200,000 votes": _CERTIFY,
    "certifying 200,000 votes, clusters": _CLUSTERED,
}
_COMMAND = "import sys; from antichain.cli import main; sys.exit(main(sys.argv[1:]))"
WHOLE: dict[str, list[str]] = {
    "a million ratings": [
        *("-c", _COMMAND, "movielens", "ratings", "--top", "40", "--seeds", "1", "--quiet"),
    ],
    "antichain --help": ["-c", _COMMAND, "--help"],
    "import antichain": ["-c", "import antichain"],
    "import antichain and its methods": ["-c", "import antichain as ac; ac.Witness, ac.find_front"],
}


def write_votes(path: Path, rows: int) -> None:
    """A log of votes on forty items in a chain."""
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("left,right,winner,prompt\n")
        for _ in range(rows):
            a, b = rng.sample(range(40), 2)
            winner = "tie" if rng.random() < 0.1 else "left"
            if winner == "left" and rng.random() > 0.5 + 0.01 * (b - a):
                winner = "right"
            file.write(f"item {a},item {b},{winner},{rng.randrange(5000)}\n")


def timed(python: Path, arguments: list[str], folder: Path) -> tuple[float, str]:
    """Processor seconds of a process from start to end, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [python, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{python} {arguments[-1]} failed:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, done.stdout


def main() -> None:
    """Run every job in both checkouts by turns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="only jobs whose name contains this")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pythons = {
        name: (tree / ".venv/bin/python").absolute()  # not resolved: a link leads out of the venv
        for name, tree in (("old", options.old), ("new", options.new))
    }
    jobs = [name for name in (*INSIDE, *WHOLE) if options.only in name]
    report = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_votes(folder / "small.csv", 500)
        write_votes(folder / "votes.csv", 200_000)
        made = ["movielens", "ratings", "--synthesize", "--ratings", "1000000", "--quiet"]
        timed(pythons["old"], ["-c", _COMMAND, *made], folder)
        for job in jobs:
            report[job] = compared(job, pythons, folder, options.rounds)
            if not options.json:
                print(_line(job, report[job]), flush=True)
    if options.json:
        print(json.dumps(report, indent=1))


def compared(job: str, pythons: dict[str, Path], folder: Path, rounds: int) -> dict[str, float]:
    """The times of one job in both checkouts, the first time of each left out."""
    times: dict[str, list[float]] = {"old": [], "new": []}
    for round_ in range(rounds + 1):
        for name in ("old", "new") if round_ % 2 else ("new", "old"):
            if job in INSIDE:
                seconds = float(timed(pythons[name], ["-c", INSIDE[job]], folder)[1])
            else:
                seconds = timed(pythons[name], WHOLE[job], folder)[0]
            if round_:
                times[name].append(seconds)
    old, new = (statistics.median(times[name]) for name in ("old", "new"))
    return {
        "old": old,
        "new": new,
        "ratio": new / old,
        "ratio_of_shortest": min(times["new"]) / min(times["old"]),
    }


def _line(job: str, found: dict[str, float]) -> str:
    times = f"{found['old']:>9.4f} s{found['new']:>9.4f} s"
    return f"{job:<38}{times}{found['ratio']:>7.2f}{found['ratio_of_shortest']:>7.2f}"


if __name__ == "__main__":
    sys.exit(main())
