"""Disks that are full or read-only: every command that writes says so, and keeps what was there."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from antichain import Study

SPEC = """
name = "mine"
title = "Mine"
vary = "height"
values = [2]
algorithms = ["slicing"]
runs = 1
[fixed]
front = 2
decoy_gap = 0.1
"""
COMMANDS = {
    "front": "front {votes} --certificate {out} --force",
    "markdown": "front {votes} --markdown {out} --force",
    "next": "next {votes} -o {out} --force",
    "study": "study {study} --export {out} --force",
    "generate": "generate -o {out} --force",
    "simulate": "simulate --front 2 --runs 1 -o {out} --force --quiet",
    "draw": "draw {poset} -o {out}.svg --force",
    "plan": "plan --items 3 --runs 2 --decoy-gap 0.4 -o {out}.svg --force --quiet",
    "decoys": "decoys make {text} --kind text --how drop --strength 0.5 -o {folder} --force",
    "reproduce": "reproduce {spec} -o {folder} --quiet",
    "vote": "vote {ballot} --study {new}",
}


@pytest.fixture
def places(tmp_path: Path, poset: Path) -> dict[str, Path]:
    """A file of every kind that commands read, and one that is in the way of what they write."""
    contents = {
        "votes": "left,right,winner\n" + "a,b,left\n" * 20,
        "text": "One a. Two b. Three c. Four d.",
        "spec": SPEC,
        "ballot": '[[items]]\nname = "a"\n[[items]]\nname = "b"\n',
        "out": "precious",
    }
    found = {name: tmp_path / f"{name}.txt" for name in contents}
    found["spec"] = tmp_path / "spec.toml"
    for name, content in contents.items():
        found[name].write_text(content)
    found |= {"poset": poset, "study": tmp_path / "some.duels", "folder": tmp_path / "folder"}
    found["new"] = tmp_path / "new.duels"
    with Study.open(found["study"], ["a", "b"]) as study:
        study.tell(study.ask(1)[0], "left")
    return found


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("number", "words"), [(errno.ENOSPC, "space"), (errno.EROFS, "read-only")])
def test_it_is_told_in_a_sentence(
    call, places, monkeypatch, command: str, number: int, words: str
) -> None:
    if command == "reproduce":
        pytest.importorskip("polars", reason="polars is not installed")
    line = COMMANDS[command].format(**places).split()
    opening = os.open

    def broken(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    def read_only(path: object, flags: int, *rest: object, **named: object) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            broken()
        return opening(path, flags, *rest, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        if number == errno.EROFS:
            patch.setattr(os, "open", read_only)
        called = call(*line)
    assert called.code == 2, called
    *_, last = called.err.splitlines()
    assert last.startswith("antichain: error: cannot write ")
    assert words in last.lower()
    assert "Traceback" not in called.err
    assert places["out"].read_text() == "precious"
    assert not list(places["out"].parent.rglob("*.tmp"))


def test_force_keeps_who_may_read_a_file(call, places) -> None:
    places["out"].chmod(0o600)
    assert call("study", places["study"], "--export", places["out"], "--force").code == 0
    assert places["out"].read_text().startswith("ask,left,right,answer")
    assert stat.S_IMODE(places["out"].stat().st_mode) == 0o600


READ_AND_WRITTEN = {
    "votes": ("front {votes} -o", "front {votes} --markdown", "next {votes} -o"),
    "votes, by a pattern": ("front {votes.parent}/vote[s].txt -o",),
    "list": ("front {votes} --items @{list} -o", "next {votes} --items @{list} -o"),
    "ratings": ("ratings {ratings} -o", "ratings {ratings} --counts"),
    "names": ("ratings {ratings} --names {names} -o",),
    "study": ("study {study} --export",),
    "poset": ("simulate --poset {poset} -o", "draw {poset} -o"),
    "method": ("simulate --algorithm {method}:Method -o",),
    "release/ratings.csv": ("movielens {folder} -o",),
    "release/movies.csv": ("movielens {folder} --markdown",),
    "samples/tea/samples_mmlu_1.jsonl": ("front {samples} -o",),
    "runs/mmlu:model=tea/per_instance_stats.json": ("front {runs} -o",),
}
LINES = [
    (name.partition(",")[0], line) for name, lines in READ_AND_WRITTEN.items() for line in lines
]


@pytest.mark.parametrize(("name", "line"), LINES)
def test_what_is_read_is_never_replaced(refused, places, monkeypatch, name: str, line: str) -> None:
    folder = places["out"].parent
    for inner in ("list", "ratings", "names", "method.py"):
        places[inner.partition(".")[0]] = folder / inner
    places |= {"folder": folder / "release", "samples": folder / "samples", "runs": folder / "runs"}
    precious = places.get(name, folder / name)
    if not precious.exists():
        precious.parent.mkdir(parents=True, exist_ok=True)
        precious.write_text("a\nb\n")
    if name.startswith("release"):
        for film in ("ratings.csv", "movies.csv"):
            (folder / "release" / film).write_text("precious")
    before = precious.read_bytes()
    (link := folder / "link.html").symlink_to(precious)
    monkeypatch.chdir(folder)
    called = [word.format(**places) for word in line.split()]
    for target in (precious, os.path.relpath(precious), link):
        for force in ([], ["--force"]):
            assert "is also one of the input files" in refused(*called, target, *force)
    assert precious.read_bytes() == before
    assert not list(folder.rglob("*.tmp"))


def test_standard_input_is_not_replaced_by_what_it_gives(places) -> None:
    votes = places["votes"]
    before = votes.read_bytes()
    line = [sys.executable, "-m", "antichain", "next", "-", "-o", str(votes), "--force"]
    with votes.open("rb") as stream:
        ended = subprocess.run(line, stdin=stream, capture_output=True, text=True, check=False)
    assert ended.returncode == 2, ended
    assert "is also one of the input files" in ended.stderr
    assert votes.read_bytes() == before


@pytest.mark.parametrize("place", ["/dev/full", "/dev/zero", "/dev/null"])
def test_devices_are_refused_at_once(refused, places, place: str) -> None:
    assert "not a regular file" in refused("study", place)
    assert "not a regular file" in refused("vote", places["ballot"], "--study", place)
    assert "not a regular file" in refused("study", places["study"], "--export", place, "--force")


@pytest.mark.parametrize("name", ["n" * 5000, "nul\0l"])
def test_names_that_no_file_has(refused, places, name: str) -> None:
    pytest.importorskip("polars", reason="polars is not installed")
    place = places["out"].parent / name
    how = ["--kind", "text", "--how", "drop", "--strength", "1"]
    for line in (
        ["study", place],
        ["vote", places["ballot"], "--study", place],
        ["study", places["study"], "--export", place],
        ["reproduce", places["spec"], "-o", place, "--quiet"],
        ["decoys", "make", place, "-o", place, *how],
        ["decoys", "make", places["text"], "-o", place, *how],
    ):
        assert refused(*line)
