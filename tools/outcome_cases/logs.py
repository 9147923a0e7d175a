"""Logs of votes: how they are read, what they certify, what to ask for next."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import antichain as ac

from .record import TEXT, Case, call, clean, sha, sha_bytes, shortened

Row = dict[str, Any]
ITEMS = ("ash", "birch", "cedar", "elm", "fir", "hazel")


def votes(n: int = 900, seed: int = 0, decoys: bool = False) -> list[Row]:
    """Votes on six trees: ash and birch are best and even, the others lie in a chain below."""
    rng, strength = random.Random(seed), dict(zip(ITEMS, (4, 4, 3, 2, 1, 0), strict=True))
    rows = []
    for k in range(n):
        left, right = rng.sample(ITEMS, 2)
        chance = 0.5 + 0.11 * (strength[left] - strength[right])
        if decoys and k % 3 == 0:
            right = rng.choice((left, right)) + " (decoy)"
            chance = max(chance, 0.75) if strength[left] >= strength[right.split()[0]] else 0.5
        draw = rng.random()
        winner = "left" if draw < chance else "right"
        if rng.random() < 0.06:
            winner = rng.choice(["tie", "both bad", "incomparable", "skipped"])
        rows.append(
            {
                "left": left,
                "right": right,
                "winner": winner,
                "voter": f"v{rng.randrange(40)}",
                "prompt": f"p{rng.randrange(60)}",
                "time": 1_000 + 7 * k,
            }
        )
    return rows


def as_csv(rows: list[Row], delimiter: str = ",") -> str:
    """The rows as delimited text."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def written(name: str = "votes.csv", **options: Any) -> str:
    """The name of a file of generated votes in the working directory."""
    Path(name).write_text(as_csv(votes(**options)), "utf-8")
    return name


def certificate(found: ac.Certificate) -> dict[str, Any]:
    """What counts of a certificate."""
    document = found.to_dict()
    statuses = {item: found.status(item) for item in found.items}
    return shortened(document) | {"status": statuses, "whole": sha(document)}


def cases() -> Iterator[Case]:
    """All cases of this module."""
    for name, case in _FORMATS.items():
        yield f"reading / {name}", lambda c=case: _read(c())
    for name, options in _CERTIFIED.items():
        yield f"front / generated / {name}", lambda o=options: certificate(ac.front(written(), **o))
    yield (
        "front / generated / decoys by suffix",
        lambda: certificate(ac.front(written(decoys=True), decoys=" (decoy)", decoy_gap=0.2)),
    )
    yield (
        "front / generated / decoys left out",
        lambda: certificate(ac.front(written(decoys=True), decoys=" (decoy)")),
    )
    yield "front / command, verify, explain, report", _commands
    yield "front / command with decoys", _commands_with_decoys
    yield "next / generated", lambda: _next(with_decoys=False)
    yield "next / generated / decoys", lambda: _next(with_decoys=True)
    yield "next / loop until finished", _loop
    yield from _real()


def _read(log: ac.VoteLog) -> dict[str, Any]:
    found = ac.front(log)
    return {
        "items": log.items,
        "votes": log.votes,
        "rows": [log.rows, log.counted_rows, log.other_rows],
        "fingerprint": found.fingerprint,
        "answers": found.answers,
        "certificate": sha(found.to_dict()),
        TEXT: list(log.guessed),
    }


def _scored(transform: Callable[[Row], Row]) -> list[Row]:
    return [transform(row) for row in votes() if row["winner"] in ("left", "right", "tie")]


def _file(name: str, content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    Path(name).write_bytes(data)
    return name


def _points(row: Row) -> Row:
    left = {"left": 2, "right": 1, "tie": 2}[row["winner"]]
    right = {"left": 1, "right": 2, "tie": 2}[row["winner"]]
    return {"home": row["left"], "away": row["right"], "one": left, "two": right}


def _score(row: Row) -> Row:
    score = {"left": 1, "right": 0, "tie": 0.5}[row["winner"]]
    return {"a": row["left"], "b": row["right"], "score": score}


def _winners() -> list[Row]:
    return [
        {
            "winner": row[row["winner"]],
            "loser": row["right" if row["winner"] == "left" else "left"],
            "n": 1 + k % 3,
        }
        for k, row in enumerate(votes())
        if row["winner"] in ("left", "right")
    ]


def _names(row: Row) -> Row:
    winner = row["winner"]
    return {"model_a": row["left"], "model_b": row["right"], "winner": row.get(winner, winner)}


_FORMATS: dict[str, Callable[[], ac.VoteLog]] = {
    "csv": lambda: ac.read_votes(written()),
    "tsv": lambda: ac.read_votes(_file("v.tsv", as_csv(votes(), "\t"))),
    "semicolons, gz": lambda: ac.read_votes(
        _file("v.csv.gz", gzip.compress(as_csv(votes(), ";").encode(), mtime=0))
    ),
    "quoted, utf-16": lambda: ac.read_votes(
        _file("v.csv", as_csv(votes()).replace("ash", '"a, ""sh"""').encode("utf-16")),
        encoding="utf-16",
    ),
    "json lines": lambda: ac.read_votes(
        _file("v.jsonl", "".join(json.dumps(row) + "\n" for row in votes()))
    ),
    "json array": lambda: ac.read_votes(_file("v.json", json.dumps(votes()))),
    "mappings": lambda: ac.read_votes(votes()),
    "tuples": lambda: ac.read_votes([(r["left"], r["right"], r["winner"]) for r in votes()]),
    "tuples with counts": lambda: ac.read_votes(
        [(r["left"], r["right"], r["winner"], 3) for r in votes()]
    ),
    "winner by name": lambda: ac.read_votes(_file("v.csv", as_csv(_scored(_names)))),
    "winner and loser, counts": lambda: ac.read_votes(
        _file("v.csv", as_csv(_winners())), count="n"
    ),
    "score": lambda: ac.read_votes(_file("v.csv", as_csv(_scored(_score)))),
    "scores": lambda: ac.read_votes(
        _file("v.csv", as_csv(_scored(_points))), scores=("one", "two")
    ),
    "ranks": lambda: ac.read_votes(_file("v.csv", as_csv(_scored(_points))), ranks=("one", "two")),
    "other words": lambda: ac.read_votes(
        _file("v.csv", as_csv(votes()).replace(",tie,", ",gleich,")), words={"gleich": "tie"}
    ),
    "given items": lambda: ac.read_votes(written(), items=ITEMS[:4]),
    "bad rows skipped": lambda: ac.read_votes(
        _file("v.csv", as_csv(votes()) + "ash,ash,left,v,p,3\nash,elm,what,v,p,3\n"), skip_bad=True
    ),
    "ties ignored": lambda: ac.read_votes(
        written(), meanings=ac.Meanings(tie="ignore", both_bad="ignore", incomparable="ignore")
    ),
}

_CERTIFIED: dict[str, dict[str, Any]] = {
    "default": {},
    "delta 0.2": {"delta": 0.2},
    "epsilon 0.2": {"epsilon": 0.2},
    "cluster": {"cluster": "prompt"},
    "cluster, epsilon 0.2": {"cluster": "prompt", "epsilon": 0.2, "delta": 0.1},
    "voter and time": {"voter": "voter", "time": "time"},
    "items": {"items": ["ash", "birch", "cedar"], "epsilon": 0.15},
}


def _commands() -> dict[str, Any]:
    log = written(n=2_500)
    options = ("--cluster", "prompt", "--time", "time", "--voter", "voter", "--epsilon", 0.1)
    front = call("front", log, *options, "-o", "c.json", "--report", "page.html", "--json")
    markdown = call("front", log, "--epsilon", 0.1, "--markdown", "page.md", "--quiet")
    written("other.csv", n=2_500, seed=1)
    return {
        "front": front,
        "markdown": markdown,
        "certificate": sha(json.loads(Path("c.json").read_text("utf-8"))),
        "report": Path("page.html").stat().st_size > 1_000,
        "verify": call("verify", "c.json", log, "--json"),
        "verify other": call("verify", "c.json", "other.csv", "--json"),
        "explain": [
            call("explain", item, log, "--epsilon", 0.1)["code"] for item in ("ash", "fir")
        ],
        "explain json": _facts(call("explain", "fir", log, "--epsilon", 0.1, "--json")),
        "explain unknown": call("explain", "oak", log),
        "refused": call("front", log, "--left", "nothing", "--json"),
    }


def _facts(called: dict[str, Any]) -> dict[str, Any]:
    """Exit code and the names of the fields: the rest of an explanation is words."""
    return {"code": called["code"], "fields": sorted(called["json"][0]), TEXT: called["json"]}


def _commands_with_decoys() -> dict[str, Any]:
    log = written(n=2_500, decoys=True)
    manifest = {"decoys": [{"item": item, "decoy": f"{item} (decoy)"} for item in ITEMS]}
    Path("decoys.json").write_text(json.dumps(manifest), "utf-8")
    named = ("--decoys", "decoys.json", "--decoy-gap", 0.2)
    Path("pairs.csv").write_text("left,right\nash,birch\n", "utf-8")
    return {
        "front": call("front", log, *named, "-o", "c.json", "--json"),
        "verify": call("verify", "c.json", log, "--decoys", "decoys.json", "--json"),
        "check": call("decoys", "check", log, *named, "--json"),
        "check pairs": call(
            "decoys", "check", log, "--incomparable", "pairs.csv", "--decoy-gap", 0.1, "--json"
        ),
        "check in python": ac.check_decoys(
            log, {item: f"{item} (decoy)" for item in ITEMS}, 0.2, incomparable=[("ash", "birch")]
        ),
        "next": call("next", log, *named, "-n", 20, "--json"),
    }


def _next(with_decoys: bool) -> dict[str, Any]:
    log = written(n=400, decoys=with_decoys)
    options = ("--decoy-suffix", " (decoy)", "--decoy-gap", 0.2) if with_decoys else ()
    called = call("next", log, *options, "-n", 30, "-o", "asks.csv", "--json")
    asks = Path("asks.csv").read_bytes() if Path("asks.csv").exists() else b""
    return {"called": called, "asks": sha_bytes(asks), "rows": asks.count(b"\n")}


def _loop() -> dict[str, Any]:
    """Asks answered and appended until nothing is asked any more."""
    rng, rows, asked = random.Random(7), [("ash", "elm", "left")] * 2, []
    items = ITEMS[:4]
    for _ in range(60):
        found = ac.next_votes(rows, 40, delta=0.1, epsilon=0.2, items=items, forecast=False)
        if found.finished:
            break
        asked.append([(ask.ask, ask.left, ask.right) for ask in found.asks])
        for ask in found.asks:
            better = ask.left if ask.left < ask.right else ask.right
            won = "left" if (better == ask.left) == (rng.random() < 0.8) else "right"
            rows.append((ask.left, ask.right, won))
    return {
        "trips": len(asked),
        "votes": len(rows),
        "asked_sha256": sha(asked),
        "end": shortened(clean(found.to_dict())),
    }


def _data() -> Path | None:
    """The folder of shared logs, if there is one."""
    given = os.environ.get("ANTICHAIN_SHARED_DATA")
    places = [Path(given)] if given else []
    places += [parent / "shared" / "data" for parent in Path(__file__).resolve().parents]
    return next((place for place in places if place.is_dir()), None)


def _real() -> Iterator[Case]:
    """Certificates of logs that are no part of the repository."""
    folder = _data()
    names = ("llmfao-crowd-comparisons.csv", "newyorker-captions-559.csv", "pref_arxiv.txt")
    for name in names:
        if folder is None or not (folder / name).is_file():
            print(f"skipped: {name} is not here; see ANTICHAIN_SHARED_DATA")
            return
    assert folder is not None
    models, captions, rankers = (folder / name for name in names)
    sets: dict[str, dict[str, Any]] = {
        "default": {},
        "delta 0.2, epsilon 0.1": {"delta": 0.2, "epsilon": 0.1},
        "cluster prompt": {"cluster": "prompt"},
        "cluster worker, epsilon 0.2": {"cluster": "worker", "epsilon": 0.2},
        "model_x and model_y": {"left": "model_x", "right": "model_y", "voter": "worker"},
        "ties ignored": {"meanings": ac.Meanings(tie="ignore")},
    }
    for name, options in sets.items():
        yield (
            f"front / language models / {name}",
            lambda o=options: certificate(ac.front(models, **o)),
        )
    yield (
        "next / language models",
        lambda: shortened(ac.next_votes(models, 50, epsilon=0.2).to_dict()),
    )
    for seed in (0, 1):
        yield (
            f"front / captions / seed {seed}",
            lambda s=seed: certificate(
                ac.front(ac.votes_from_ratings_counts(captions, seed=s), epsilon=0.2)
            ),
        )
    yield (
        "front / captions / command",
        lambda: call(
            "front",
            captions,
            "--grades",
            "unfunny,somewhat_funny,funny",
            "--item",
            "caption",
            "--json",
        ),
    )
    yield "matrix / rankers", lambda: call("matrix", rankers, "--json")
    yield (
        "matrix / rankers, epsilon 0.1",
        lambda: call("matrix", rankers, "--epsilon", 0.1, "--json"),
    )
    yield "matrix / rankers, votes", lambda: call("matrix", rankers, "--votes", 3000, "--json")
    yield (
        "matrix / rankers in python",
        lambda: clean(
            {
                "names": ac.read_matrix(rankers).names,
                "chances": ac.read_matrix(rankers).chances.tolist(),
            }
        ),
    )
