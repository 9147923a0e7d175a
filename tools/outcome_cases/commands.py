"""The `antichain` command: posets, simulations, forecasts, sweeps, ratings, decoys."""

from __future__ import annotations

import csv
import io
import json
import random
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .record import Case, call, sha, sha_bytes

SMALL = ("--front", 3, "--width", 5, "--height", 4, "--decoy-gap", 0.1, "--delta", 0.05)
_SIMULATED: dict[str, tuple[object, ...]] = {
    "witness": (),
    "witness, least regret": ("--least-regret",),
    "witness, no decoys": ("--no-decoys", "--epsilon", 0.1),
    "witness, budget": ("--budget", 500),
    "faithful": ("--faithful",),
    "unchained": ("--algorithm", "unchained"),
    "unchained, gamma": ("--algorithm", "unchained", "--gamma", 0.7, "--epsilon0", 0.4),
    "unchained, faithful": ("--algorithm", "unchained", "--faithful"),
    "unchained, no decoys": ("--algorithm", "unchained", "--no-decoys", "--epsilon", 0.1),
    "uniform": ("--algorithm", "uniform"),
    "uniform, observable": ("--algorithm", "uniform", "--observable", "--gaps", "minimum:0.1"),
    "slicing": ("--algorithm", "slicing", "--gaps", "minimum:0.1"),
    "orient": ("--algorithm", "orient", "--gaps", "minimum:0.1"),
    "slicing, faithful": ("--algorithm", "slicing", "--faithful", "--gaps", "minimum:0.1"),
    **{
        f"slicing, {finder}": (
            "--algorithm", "slicing", "--maximum", finder, "--gaps", "minimum:0.1",
        )
        for finder in ("challenge", "peel", "if2", "beat-the-mean", "knockout")
    },
    "two workers": ("--workers", 2),
    "slicing with no-decoys is refused": ("--algorithm", "slicing", "--no-decoys"),
}  # fmt: skip
_KINDS: dict[str, tuple[object, ...]] = {
    "layered": (),
    "layered, binomial": ("--parents", "binomial:0.3", "--gaps", "bradley-terry:2"),
    "total": ("--kind", "total-order", "--items", 9),
    "antichain": ("--kind", "antichain", "--items", 5),
    "chains": ("--kind", "chains", "--chains", 3, "--length", 4),
    "dominance": ("--kind", "dominance", "--items", 9, "--dimensions", 2),
    "dag": ("--kind", "dag", "--items", 9, "--probability", 0.3),
    "items of layered are refused": ("--kind", "layered", "--items", 3),
}
_SPEC = """
name = "small"
title = "A small experiment"
vary = "front"
values = [1, 2, 3]
algorithms = ["unchained-paper", "unchained", "uniform", "slicing"]
runs = 2
panels = ["duels", "regret_with_decoys", "error_rate", "decoy_share"]
references = ["theorem-1", "information-limit", "delta"]
[fixed]
height = 3
decoy_gap = 0.1
delta = 0.05
"""


def cases() -> Iterator[Case]:
    """All cases of this module."""
    for name, options in _SIMULATED.items():
        yield (
            f"simulate / {name}",
            lambda o=options: call("simulate", *SMALL, "--runs", 3, "--seed", 4, *o, "--json"),
        )
    yield "simulate / poset file, output", _poset_file
    for name, options in _KINDS.items():
        yield f"generate / {name}", lambda o=options: _generated(o)
    for name, options in {
        "decoys": ("--front", 3, "--decoy-gap", 0.1),
        "front not known": ("--decoy-gap", 0.1),
        "epsilon": ("--front", 3, "--epsilon", 0.1),
        "total order": ("--kind", "total-order", "--decoy-gap", 0.1),
    }.items():
        yield (
            f"plan / {name}",
            lambda o=options: call(
                "plan", "--items", 15, "--delta", 0.05, *o, "--runs", 12, "--json"
            ),
        )
    for command in ("bounds", "limit"):
        yield f"{command} / default", lambda c=command: call(c, "--json")
        yield f"{command} / small", lambda c=command: call(c, *SMALL, "--json")
    yield "reproduce / small experiment, taken up", _small_sweep
    yield "reproduce / figure-width", lambda: _figure("figure-width", "unchained")
    yield "reproduce / figure-front", lambda: _figure("figure-front", "unchained,slicing")
    yield "reproduce / list", lambda: call("reproduce", "list")
    yield "ratings / synthesized release", _movielens
    yield "ratings / a table", _ratings
    yield "decoys / make", _decoys
    yield (
        "decoys / plan",
        lambda: call(
            "decoys", "plan", "--items", 7, "--precision", 0.04, "--incomparable", 3, "--json"
        ),
    )
    yield "matrix / a cycle", _matrix
    yield "vote / letters on stdin", _voted
    yield "draw", _drawn
    yield "usage errors", lambda: {
        " ".join(map(str, arguments)): call(*arguments)
        for arguments in (
            ("simulate", "--delta", 2), ("front", "absent.csv"), ("nothing",),
            ("reproduce", "figure-depth"), ("study", "absent.duels"), ("limit", "--poset", "no"),
        )
    }  # fmt: skip


def _poset_file() -> dict[str, Any]:
    call("generate", "--front", 2, "--width", 4, "--height", 3, "--seed", 3, "-o", "p.json")
    simulated = call(
        "simulate", "--poset", "p.json", "--runs", 2, "--decoy-gap", 0.1, "-o", "s.json", "--json"
    )
    return {
        "simulate": simulated,
        "written": sha(json.loads(Path("s.json").read_text("utf-8"))),
        "bounds": call("bounds", "--poset", "p.json", "--json"),
        "limit": call("limit", "--poset", "p.json", "--json"),
    }


def _generated(options: tuple[object, ...]) -> dict[str, Any]:
    called = call("generate", *options, "--seed", 6, "-o", "p.json", "--quiet")
    path = Path("p.json")
    printed = call("generate", *options, "--seed", 6, "--json")
    return {
        "called": called,
        "file": sha_bytes(path.read_bytes()) if path.exists() else None,
        "printed": sha(printed.get("json")),
    }


def _table(path: Path) -> dict[str, Any]:
    """A CSV file without its column of seconds."""
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    for row in rows:
        row.pop("seconds", None)
    return {"rows": len(rows), "columns": list(rows[0]) if rows else [], "sha256": sha(rows)}


def _sweep(folder: Path) -> dict[str, Any]:
    """What a sweep wrote, without what a clock or a drawing program put in."""
    lines = [json.loads(line) for line in (folder / "runs.jsonl").read_text("utf-8").splitlines()]
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    return {
        "files": sorted(path.name for path in folder.iterdir()),
        "runs.jsonl": {"lines": len(lines), "sha256": sha(lines)},
        "runs.csv": _table(folder / "runs.csv"),
        "curves.csv": _table(folder / "curves.csv"),
        "manifest": manifest | {"seeds": manifest["seeds"]["rows"]},
    }


def _small_sweep() -> dict[str, Any]:
    Path("small.toml").write_text(_SPEC, "utf-8")
    first = call("reproduce", "small.toml", "-o", "out", "--json")
    again = call("reproduce", "small.toml", "-o", "out", "--runs", 3, "--json")
    return {"first": first, "again": again, "written": _sweep(Path("out/small"))}


def _figure(name: str, algorithms: str) -> dict[str, Any]:
    called = call(
        "reproduce", name, "--runs", 1, "--algorithms", algorithms, "-o", "out", "--seed", 2,
        "--json",
    )  # fmt: skip
    return {"called": called, "written": _sweep(Path("out") / name)}


def _movielens() -> dict[str, Any]:
    made = call("movielens", "ml", "--synthesize", "--ratings", 30_000, "--seed", 2, "--json")
    files = {path.name: sha_bytes(path.read_bytes()) for path in sorted(Path("ml").iterdir())}
    found: dict[str, Any] = {"made": made, "files": files}
    for name, options in {
        "default": (),
        "faithful": ("--faithful",),
        "unchained": ("--algorithm", "unchained"),
        "replay": ("--replay",),
        "at least": ("--min-ratings", 500),
    }.items():
        top = () if "--min-ratings" in options else ("--top", 10)
        found[name] = call("movielens", "ml", *top, "--seeds", 2, *options, "--json")
    call("movielens", "ml", "--top", 6, "--seeds", 1, "--counts", "counts.json", "--quiet")
    found["counts"] = sha(json.loads(Path("counts.json").read_text("utf-8")))
    return found


def _ratings() -> dict[str, Any]:
    rng = random.Random(3)
    rows = [
        (f"u{user}", f"film {item}", min(5, max(1, round(rng.gauss(2 + item / 4, 1)))))
        for user in range(200)
        for item in range(9)
        if rng.random() < 0.7
    ]
    Path("r.csv").write_text(
        "who,what,stars\n" + "".join(f"{u},{i},{r}\n" for u, i, r in rows), "utf-8"
    )
    lines = [json.dumps({"user": u, "item": i, "rating": r}) for u, i, r in rows]
    Path("r.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    columns = ("--user", "who", "--item", "what", "--rating", "stars")
    common = ("--min-ratings", 50, "--epsilon", 0.1, "--seeds", 2, "--json")
    return {
        "csv": call("ratings", "r.csv", *columns, *common),
        "lines": call("ratings", "r.jsonl", *common),
        "top": call("ratings", "r.csv", *columns, "--top", 5, "--seeds", 1, "--json"),
    }


def _decoys() -> dict[str, Any]:
    Path("texts").mkdir()
    for name in ("ode", "elegy"):
        text = " ".join(f"Sentence {n} of the {name}." for n in range(30))
        Path("texts", f"{name}.txt").write_text(text, "utf-8")
    with wave.open("tone.wav", "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes((k * k) % 256 for k in range(4000)))
    found: dict[str, Any] = {}
    ways = {"text": ("drop", "shuffle", "truncate"), "audio": ("noise", "bits", "rate")}
    for kind, hows in ways.items():
        source = "texts" if kind == "text" else "tone.wav"
        for how in hows:
            folder = Path(f"{kind}-{how}")
            called = call(
                "decoys", "make", source, "--kind", kind, "--how", how, "--strength", 0.4,
                "--seed", 5, "-o", folder, "--json",
            )  # fmt: skip
            files = {p.name: sha_bytes(p.read_bytes()) for p in sorted(folder.iterdir())}
            found[f"{kind}, {how}"] = {"called": called, "files": files}
    return found


def _matrix() -> dict[str, Any]:
    Path("m.txt").write_text(
        "- a b c d\na - 0.7 0.3 0.9\nb 0.3 - 0.8 0.6\nc 0.7 0.2 - 0.55\nd 0.1 0.4 0.45 -\n", "utf-8"
    )
    return {
        "exact": call("matrix", "m.txt", "--json"),
        "votes": call("matrix", "m.txt", "--votes", 300, "--epsilon", 0.1, "--json"),
    }


def _voted() -> dict[str, Any]:
    """The terminal's study with answers line by line."""
    import io
    import sys

    Path("films.toml").write_text(
        'title = "Films"\n' + "".join(f'[[items]]\nname = "{n}"\n' for n in ("A", "B", "C")),
        "utf-8",
    )
    before, sys.stdin = sys.stdin, io.StringIO("l\nr\n=\nu\nx\ns\nl\nl\nq\n")
    try:
        called = call("vote", "films.toml", "--voter", "ann", "--seed", 2, "--json")
    finally:
        sys.stdin = before
    events = [json.loads(line) for line in Path("films.duels").read_text("utf-8").splitlines()]
    for event in events:
        event.pop("time"), event.pop("crc")
    return {"called": called, "events": events}


def _drawn() -> dict[str, Any]:
    call("generate", "--front", 2, "--width", 4, "--height", 3, "-o", "p.json")
    called = call("draw", "p.json", "-o", "p.svg", "--json")
    return {"called": called, "drawn": Path("p.svg").stat().st_size > 1_000}
