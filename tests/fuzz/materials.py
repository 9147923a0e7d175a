"""Well-formed inputs for every command that reads a file: what the fuzzer starts from.

A recipe is a command line with the files it needs. Each is small and quick; what makes a case hard
is done to it afterwards, by `damage`.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

NAMES = ["ale", "beer", "cider", "mead"]
PRECIOUS = {
    # Names that a command might take for its own: nothing may ever happen to them.
    "study.duels.writer": b"shopping list\n",
    "out.json.part": b"half a download of mine\n",
    "out.csv.tmp": b"",
}


@dataclass
class Case:
    """A command line, the files around it, and what is known of its outcome.

    Attributes:
        command: The command's name.
        arguments: What follows it.
        files: What the folder holds, by name; None is a folder.
        stdin: What standard input holds.
        classes: What was done to it.
        rows: Good and bad rows of a log, while they are known by construction.
        changing: Files that the command may change.
    """

    command: str
    arguments: list[str]
    files: dict[str, bytes | None]
    stdin: bytes = b""
    classes: list[str] = field(default_factory=list)
    rows: tuple[int, int] | None = None
    changing: frozenset[str] = frozenset()

    @property
    def line(self) -> list[str]:
        return [*self.command.split(), *self.arguments]


Recipe = Callable[[Random], Case]


def votes(rng: Random, names: list[str] = NAMES, rows: int = 12) -> list[tuple[str, str, str]]:
    answers = ["left", "right", "left", "tie"]
    return [(*rng.sample(names, 2), rng.choice(answers)) for _ in range(rows)]  # type: ignore[misc]


def delimited(header: str, rows: list[tuple[str, ...]], mark: str = ",") -> bytes:
    return "".join(mark.join(row) + "\n" for row in [header.split(","), *rows]).encode()


def _log(rng: Random) -> tuple[str, bytes, tuple[int, int]]:
    """A log of votes in one of its forms: its name, its bytes, and how many rows it has."""
    rows = votes(rng)
    form = rng.choice(["csv", "csv", "tsv", "jsonl", "json"])
    known = (len(rows), 0)
    if form in ("csv", "tsv"):
        mark = {"csv": rng.choice(",;"), "tsv": "\t"}[form]
        return f"votes.{form}", delimited("left,right,winner", rows, mark), known
    named = [dict(zip(("left", "right", "winner"), row, strict=True)) for row in rows]
    if form == "json":
        return "votes.json", json.dumps(named).encode(), known
    return "votes.jsonl", "".join(json.dumps(row) + "\n" for row in named).encode(), known


def front(rng: Random) -> Case:
    name, content, rows = _log(rng)
    arguments = [name, "--delta", "0.2"]
    if rng.random() < 0.3:
        arguments += ["-o", "out.json"]
    if rng.random() < 0.2:
        arguments += ["--report", "page.html", "--markdown", "page.md"]
    if rng.random() < 0.3:
        arguments += ["--items", ",".join(NAMES)]
    if rng.random() < 0.2:
        arguments += ["--words", "tie=skipped,links=left"]
    return Case("front", arguments, {name: content}, rows=rows)


def explain(rng: Random) -> Case:
    name, content, rows = _log(rng)
    return Case("explain", [rng.choice(NAMES), name], {name: content}, rows=rows)


def verify(rng: Random) -> Case:
    from antichain import front as certify

    name, content, _ = _log(rng)
    while not name.endswith("csv"):
        name, content, _ = _log(rng)
    certificate = json.dumps(certify(io.BytesIO(content)).to_dict()).encode()
    return Case("verify", ["certificate.json", name],
                {"certificate.json": certificate, name: content})  # fmt: skip


def next_(rng: Random) -> Case:
    name, content, rows = _log(rng)
    arguments = [name, "-n", "3", "--delta", "0.3", "--epsilon", "0.3"]
    if rng.random() < 0.3:
        arguments += ["-o", "out.csv"]
    return Case("next", arguments, {name: content}, rows=rows)


def grades(rng: Random) -> Case:
    rows = [(name, str(rng.randrange(9)), str(rng.randrange(9))) for name in NAMES]
    return Case("front", ["grades.csv", "--grades", "bad,good", "--item", "name"],
                {"grades.csv": delimited("name,bad,good", rows)})  # fmt: skip


def matrix(rng: Random) -> Case:
    size = len(NAMES)
    table = [[0.5] * size for _ in NAMES]
    for i in range(size):
        for j in range(i):
            table[i][j] = round(rng.random(), 3)
            table[j][i] = round(1 - table[i][j], 3)
    rows = [(name, *map(str, row)) for name, row in zip(NAMES, table, strict=True)]
    more = ["--votes", "50"] if rng.random() < 0.3 else []
    return Case("matrix", ["matrix.csv", *more],
                {"matrix.csv": delimited(",".join(["", *NAMES]), rows)})  # fmt: skip


def _poset(rng: Random) -> bytes:
    relations = [["ale", "beer", 0.3], ["beer", "cider", 0.2], ["ale", "cider", 0.4]]
    document = {"format": "antichain-poset", "version": 1, "items": NAMES, "relations": relations,
                "meta": {"seed": rng.randrange(9)}}  # fmt: skip
    return json.dumps(document).encode()


def draw(rng: Random) -> Case:
    more = ["--title", "Four drinks"] if rng.random() < 0.5 else []
    return Case("draw", ["poset.json", "-o", "out.svg", *more], {"poset.json": _poset(rng)})


def simulate(rng: Random) -> Case:
    arguments = ["--poset", "poset.json", "--runs", "1", "--budget", "300", "--delta", "0.2",
                 "--decoy-gap", "0.3", "--seed", "3"]  # fmt: skip
    if rng.random() < 0.3:
        arguments += ["-o", "out.json"]
    return Case("simulate", arguments, {"poset.json": _poset(rng)})


def bounds(rng: Random) -> Case:
    command = rng.choice(["bounds", "limit"])
    return Case(command, ["--poset", "poset.json", "--delta", "0.1", "--decoy-gap", "0.1"],
                {"poset.json": _poset(rng)})  # fmt: skip


def _items() -> bytes:
    lines = ['title = "Drinks"', 'question = "Which is better?"']
    for name in NAMES:
        lines += ["[[items]]", f'name = "{name}"', f'text = "A {name}."']
    return "\n".join(lines).encode()


def _list() -> bytes:
    return "\n".join(NAMES).encode()


def vote(rng: Random) -> Case:
    keys = "".join(rng.choice(["l\n", "r\n", "t\n", "u\n", "s\n"]) for _ in range(6)) + "q\n"
    items = {"items.toml": _items()} if rng.random() < 0.6 else {"items.txt": _list()}
    return Case("vote", [*items, "--study", "study.duels"], items,
                keys.encode(), changing=frozenset({"study.duels"}))  # fmt: skip


def _study(rng: Random) -> bytes:
    from antichain import Study
    from antichain.study._records import STUDY

    clock = iter(range(1_700_000_000, 1_800_000_000))
    study = Study.in_memory(NAMES, seed=rng.randrange(5), now=lambda: next(clock))
    lines = [study._state.settings.to_header(1_700_000_000.0)]
    for _ in range(8):
        for ask in study.ask(1):
            study.tell(ask, rng.choice(["left", "right", "tie"]), voter="anna")
    lines += [record.to_json() for record in study._state.records]
    return journal(STUDY, lines)


def journal(kind, lines) -> bytes:
    """Lines as a journal of a kind holds them, with the checksums they need."""
    content, checksum = b"", 0
    for line in lines:
        raw, checksum = kind.encode(line, checksum)
        content += raw
    return content


def study(rng: Random) -> Case:
    arguments = ["study.duels"]
    if rng.random() < 0.5:
        arguments += ["--export", rng.choice(["-", "out.csv"])]
    return Case("study", arguments, {"study.duels": _study(rng)})


def _ratings(rng: Random) -> list[tuple[str, ...]]:
    return [
        (str(user), str(item), str(rng.randint(1, 5)))
        for user in range(1, 15)
        for item in rng.sample(range(1, 6), 4)
    ]


_QUICK = ["--min-ratings", "1", "--seeds", "1", "--epsilon", "0.3", "--delta", "0.3"]


def ratings(rng: Random) -> Case:
    return Case("ratings", ["ratings.csv", *_QUICK],
                {"ratings.csv": delimited("user,item,rating", _ratings(rng))})  # fmt: skip


def movielens(rng: Random) -> Case:
    if rng.random() < 0.5:
        titles = [(str(n), f"Film {n} (19{n}0)", "Drama") for n in range(1, 6)]
        films = delimited("movieId,title,genres", titles)
        rows = [(*row, "964982703") for row in _ratings(rng)]
        files = {
            "movies.csv": films,
            "ratings.csv": delimited("userId,movieId,rating,timestamp", rows),
        }
    else:
        lines = ("::".join([*row, "964982703"]) + "\n" for row in _ratings(rng))
        films = b"".join(f"{n}::Film {n} (19{n}0)::Drama\n".encode() for n in range(1, 6))
        files = {"movies.dat": films, "ratings.dat": "".join(lines).encode()}
    if rng.random() < 0.5:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(f"ml/{name}", content)
        return Case("movielens", ["ml.zip", *_QUICK], {"ml.zip": out.getvalue()})
    inside: dict[str, bytes | None] = {f"ml/{name}": text for name, text in files.items()}
    return Case("movielens", ["ml", *_QUICK], inside)


def decoys_make(rng: Random) -> Case:
    how = rng.choice(["drop", "shuffle", "truncate"])
    text = b"One sentence. Another one follows. A third ends it. And a fourth.\n"
    return Case("decoys make",
                ["texts", "--kind", "text", "--how", how, "--strength", "0.5", "-o", "out"],
                {"texts/a.txt": text, "texts/b.txt": text * 2})  # fmt: skip


def decoys_check(rng: Random) -> Case:
    names = [*NAMES, *(f"{name} (decoy)" for name in NAMES)]
    rows = votes(rng, names, 30)
    return Case("decoys check", ["votes.csv", "--decoy-gap", "0.2"],
                {"votes.csv": delimited("left,right,winner", rows)})  # fmt: skip


def reproduce(rng: Random) -> Case:
    spec = b"""name = "small"
title = "Small posets"
vary = "width"
values = [2, 3]
algorithms = ["unchained"]
runs = 1
panels = ["duels"]
note = "For the fuzzer."

[fixed]
front = 2
height = 2
decoy_gap = 0.3
delta = 0.2
"""
    return Case("reproduce", ["spec.toml", "-o", "out", "--runs", "1"], {"spec.toml": spec})


RECIPES: dict[Recipe, int] = {
    front: 6, explain: 2, verify: 3, next_: 2, grades: 2, matrix: 3, draw: 2, simulate: 2,
    bounds: 1, vote: 2, study: 3, ratings: 3, movielens: 4, decoys_make: 2, decoys_check: 2,
    reproduce: 1,
}  # fmt: skip
