"""Files as version 0.1.0 wrote them, and what they must come to for ever after.

    python -m tests.earlier_cases FOLDER

wrote `tests/data/earlier` with that version. The files are the contract that later versions still
open them, so they are not to be written anew when a test fails; a new version's files go into a
folder of their own. Only public names and the command are used here, as they must not change.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import antichain as ac

ITEMS = ["ale", "beer", "cider", "mead"]
GAP = 0.1
TREES = ("ash", "birch", "cedar", "elm", "fir")
SPEC = """\
name = "tiny"
title = "A tiny experiment"
vary = "height"
values = [2, 3]
algorithms = ["unchained-paper", "unchained", "uniform", "slicing"]
runs = 2
panels = ["duels"]
references = ["theorem-1", "information-limit"]
[fixed]
front = 2
decoy_gap = 0.2
delta = 0.05
"""
MATRIX = """\
- a b c d
a - 0.7 0.55 0.9
b 0.3 - 0.5 0.6
c 0.45 0.5 - 0.75
d 0.1 0.4 0.25 -
"""

RECORDINGS: dict[str, tuple[ac.Algorithm, dict[str, Any]]] = {
    # A replay plays the method that it is given, and that of version 0.1.0 did not meet the fallen.
    "witness": (ac.Witness(delta=0.05, decoy_gap=GAP, meet_fallen=False), {"seed": 2}),
    "unchained": (ac.UnchainedBandits(delta=0.05, decoy_gap=GAP), {"seed": 1}),
    "unchained-paper": (
        ac.UnchainedBandits(delta=0.2, decoy_gap=GAP, rules=ac.Rules.paper()),
        {"seed": 1, "batch": 1_500},
    ),
    "slicing": (ac.SlicingBandits(delta=0.05), {"seed": 3, "batch": 20}),
    "beat-the-mean": (
        ac.SlicingBandits(delta=0.2, maximum=ac.BeatTheMean()),
        {"seed": 3, "budget": 900},
    ),
    "real-decoys": (ac.RealDecoys(delta=0.05, decoy_gap=GAP), {"seed": 4}),
}
STUDIES: dict[str, ac.Algorithm] = {
    "witness": ac.Witness(delta=0.2, decoy_gap=None, epsilon=0.3),
    "unchained": ac.UnchainedBandits(delta=0.2, decoy_gap=0.3),
    "slicing": ac.SlicingBandits(delta=0.2, maximum=ac.InterleavedFilter()),
    "real-decoys": ac.RealDecoys(delta=0.2, decoy_gap=0.3, epsilon=0.2),
}


def arena(name: str) -> ac.Arena:
    """The arena of a recording."""
    model = ac.posets.layered(2, 3, 3, seed=21, gaps="minimum:0.2")
    if name == "real-decoys":
        return ac.DegradedArena(model, GAP, seed=5)
    if name in ("slicing", "beat-the-mean"):
        simulated = ac.SimulatedArena(model, observable=True, seed=5)
    else:
        simulated = ac.SimulatedArena(model, GAP, seed=5)
    return ac.KeyedArena(simulated, seed=6) if name == "slicing" else simulated


def summary(result: ac.Result) -> dict[str, Any]:
    """What must not change of a result, as JSON; as front, all items not shown to be dominated."""
    kept = (
        "algorithm", "front", "certified", "duels", "direct_duels", "decoy_duels", "probes",
        "spare", "lost", "answers", "dominated", "too_close", "regret", "regret_with_decoys",
    )  # fmt: skip
    document = result.to_dict() | {"front": result.among}
    found: dict[str, Any] = json.loads(json.dumps({name: document[name] for name in kept}))
    return found


def clock(start: int) -> Callable[[], float]:
    """A clock that goes on by one second at every look."""
    ticks = itertools.count(start)
    return lambda: float(next(ticks))


def answer_to(ask: ac.StudyAsk, rng: random.Random, observable: bool) -> str:
    """Ale is better than beer and cider than mead; a drink of the other kind is incomparable."""
    if (ask.left in ITEMS[:2]) != (ask.right in ITEMS[:2]):
        return "incomparable" if observable else rng.choice(["left", "right"])
    if rng.random() < 0.15:
        return rng.choice(["left", "right", "tie", "skipped"])
    if ask.decoy is None:
        return "left" if ask.left < ask.right else "right"
    whole, degraded = (ask.left, ask.right) if ask.decoy == "right" else (ask.right, ask.left)
    if whole > degraded:
        return rng.choice(["left", "right"])
    return "left" if ask.decoy == "right" else "right"


def vote(study: ac.Study, rng: random.Random, most: int) -> None:
    """Three voters answer, some late, some twice; some answers are taken back."""
    for _ in range(most):
        if study.finished:
            return
        for ask in study.outstanding[:2] or study.ask(2):
            voter = rng.choice(["ann", "bob", None])
            if rng.random() < 0.05:
                study.expire(ask, reason="no answer", cost=0.25)
                continue
            answer = answer_to(ask, rng, study.algorithm.needs_observable)
            study.tell(ask, answer, voter=voter, reason="as I think", cost=0.5)
            if rng.random() < 0.05:
                study.tell(ask, "left", voter="late")
            if rng.random() < 0.05:
                study.undo(voter=voter)


def go_on(path: Path, name: str, algorithm: ac.Algorithm | None = None) -> ac.Study:
    """An unfinished study played to its end; closed."""
    with ac.Study.open(path, algorithm=algorithm, now=clock(2_000_000)) as study:
        vote(study, random.Random(f"{name}, continued"), 10_000)
    return study


def seen(study: ac.Study) -> dict[str, Any]:
    """What a study shows."""
    progress = dict(vars(study.progress))
    progress.pop("phase")  # words
    return {
        "result": summary(study.result()),
        "progress": progress,
        "outstanding": [[ask.id, ask.left, ask.right, ask.decoy] for ask in study.outstanding],
        "votes": digest(study.votes_csv().encode()),
    }


def digest(content: bytes) -> str:
    """A short digest of bytes."""
    return hashlib.sha256(content).hexdigest()[:24]


def command(*arguments: object) -> int:
    """The exit code of the `antichain` command."""
    from antichain.cli import main

    return main([str(argument) for argument in arguments])


def _votes(path: Path, decoys: bool) -> None:
    """A log of votes in which ash and birch are best, the others in a chain below."""
    rng, strength = random.Random(8), dict(zip(TREES, (3, 3, 2, 1, 0), strict=True))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["left", "right", "winner", "prompt"])
        for k in range(1_000):
            left, right = rng.sample(TREES, 2)
            chance = 0.5 + 0.16 * (strength[left] - strength[right])
            if decoys and k % 2:
                other = rng.choice((left, right))
                chance = 0.8 if strength[left] >= strength[other] else 0.5
                right = f"{other} (decoy)"
            winner = "left" if rng.random() < chance else "right"
            if rng.random() < 0.05:
                winner = rng.choice(["tie", "both bad", "incomparable", "skipped"])
            writer.writerow([left, right, winner, f"p{rng.randrange(200)}"])


def _interrupt_after(rounds: int) -> Callable[[ac.Progress], None]:
    left = itertools.count(rounds - 1, -1)

    def progress(_: ac.Progress) -> None:
        if next(left) == 0:
            raise KeyboardInterrupt

    return progress


def _write_recordings(folder: Path) -> dict[str, Any]:
    expected = {}
    for name, (algorithm, options) in RECORDINGS.items():
        whole, cut = folder / f"{name}.jsonl", folder / f"{name}-cut.jsonl"
        result = ac.find_front(arena(name), algorithm, record=whole, **options)
        lines = whole.read_bytes().count(b"\n")
        try:
            progress = _interrupt_after(max(1, lines // 2))
            ac.find_front(arena(name), algorithm, record=cut, progress=progress, **options)
        except KeyboardInterrupt:
            with cut.open("a", encoding="utf-8") as file:
                file.write('{"settled": [[0')  # as a kill leaves it
        expected[name] = {"result": summary(result), "lines": lines}
    return expected


def _write_studies(folder: Path) -> dict[str, Any]:
    expected = {}
    for name, algorithm in STUDIES.items():
        path = folder / f"{name}-unfinished.duels"
        rng = random.Random(name)
        with ac.Study.open(path, ITEMS, algorithm, seed=3, now=clock(1_000_000)) as study:
            vote(study, rng, 8)
            study.ask(1)  # one that is out
            middle = seen(study)
        finished = folder / f"{name}-finished.duels"
        finished.write_bytes(path.read_bytes())
        end = go_on(finished, name)
        expected[name] = {
            "unfinished": middle,
            "finished": seen(end),
            "finished_file": digest(finished.read_bytes()),
        }
    return expected


def write(folder: Path) -> None:
    """Write all files, with paths relative to the folder."""
    os.chdir(folder)
    for name in ("recordings", "studies", "certificates", "decoys", "orders", "sweep", "texts"):
        Path(name).mkdir()
    expected: dict[str, Any] = {
        "recordings": _write_recordings(Path("recordings")),
        "studies": _write_studies(Path("studies")),
    }
    command(
        "study", "studies/witness-finished.duels", "--export", "studies/witness-votes.csv", "-q"
    )
    expected["exported"] = {"front": list(ac.front("studies/witness-votes.csv").front)}

    os.chdir("certificates")
    _votes(Path("votes.csv"), decoys=False)
    _votes(Path("decoy-votes.csv"), decoys=True)
    options: dict[str, tuple[object, ...]] = {
        "plain": ("votes.csv", "--epsilon", 0.15),
        "clustered": ("votes.csv", "--epsilon", 0.2, "--cluster", "prompt", "--ties", "ignore"),
        "decoys": ("decoy-votes.csv", "--decoy-suffix", " (decoy)", "--decoy-gap", 0.2),
    }
    expected["certificates"] = {}
    for name, arguments in options.items():
        command("front", *arguments, "-o", f"{name}.json", "--quiet")
        document = json.loads(Path(f"{name}.json").read_text("utf-8"))
        expected["certificates"][name] = {
            "votes": arguments[0],
            "front": document["front"],
            "out": sorted(document["out"]),
            "fingerprint": document["fingerprint"],
        }
    os.chdir("..")

    for item in ("ode", "elegy"):
        text = " ".join(f"Sentence {n} of the {item}." for n in range(12))
        Path("texts", f"{item}.txt").write_text(text + "\n", "utf-8")
    command(
        "decoys", "make", "texts", "--kind", "text", "--how", "drop", "--strength", 0.4,
        "--seed", 5, "-o", "decoys", "--quiet",
    )  # fmt: skip
    command("generate", "--front", 2, "--width", 4, "--height", 3, "--seed", 3,
            "-o", "orders/poset.json", "--quiet")  # fmt: skip
    Path("orders/matrix.txt").write_text(MATRIX, "utf-8")

    Path("sweep/tiny.toml").write_text(SPEC, "utf-8")
    command("reproduce", "sweep/tiny.toml", "-o", "sweep", "--quiet")
    for path in sorted(Path("sweep/tiny").iterdir()):
        if path.suffix in (".png", ".svg", ".parquet"):
            path.unlink()
    Path("expected.json").write_text(json.dumps(expected, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
