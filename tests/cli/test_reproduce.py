"""`antichain reproduce`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from antichain.cli._screen import pace

pytest.importorskip("polars", reason="polars is not installed")

SPEC = """
name = "mine"
title = "Mine"
vary = "height"
values = [2, 3]
algorithms = ["unchained", "slicing"]
runs = 2
[fixed]
front = 2
decoy_gap = 0.1
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SPEC)
    return path


@pytest.mark.slow
def test_an_experiment_is_run_then_taken_up(call, spec, tmp_path):
    out = tmp_path / "out"
    called = call("reproduce", spec, "-o", out, "--json")
    assert (called.code, called.err) == (0, "")
    first = json.loads(called.out)
    assert (first["experiment"], first["rows"], first["taken_up"]) == ("mine", 8, 0)
    names = {path.name for path in (out / "mine").iterdir()}
    assert names >= {"runs.parquet", "runs.csv", "figure.png", "figure.svg", "manifest.json"}
    again = json.loads(call("reproduce", spec, "-o", out, "--json", "--runs", 3).out)
    assert (again["rows"], again["taken_up"]) == (12, 8)
    anew = json.loads(call("reproduce", spec, "-o", out, "--json", "--force").out)
    assert anew["taken_up"] == 0


def test_only_the_algorithms_asked_for(call, spec, tmp_path):
    called = call("reproduce", spec, "-o", tmp_path / "out", "--algorithms", "uniform", "--json")
    assert json.loads(called.out)["rows"] == 4


def test_it_says_where_no_claim_is_checked(call, spec, tmp_path):
    out = call("reproduce", spec, "-o", tmp_path / "out", "--algorithms", "uniform").out
    assert "  This is not one of the paper's figures, so none of the paper's claims is" in out
    spec.write_text(SPEC.replace('"mine"', '"figure-front"'))
    out = call("reproduce", spec, "-o", tmp_path / "out", "--algorithms", "uniform").out
    assert "  No claim of the paper can be checked with these methods." in out


def test_a_misspelt_method_is_told_in_one_sentence(refused, spec, tmp_path):
    said = refused("reproduce", spec, "-o", tmp_path / "out", "--algorithms", "unchaned")
    assert "did you mean unchained? (the methods of the figures are unchained-paper, unch" in said


def test_everything_makes_a_page(call, spec, tmp_path, monkeypatch):
    monkeypatch.setattr("antichain.experiments._spec.builtin_names", lambda: (str(spec),))
    called = call("reproduce", "all", "-o", tmp_path / "out")
    assert called.code == 0
    assert "Mine" in (tmp_path / "out" / "index.html").read_text("utf-8")


def test_a_single_experiment_makes_a_page_in_its_folder(call, spec, tmp_path):
    out = tmp_path / "out"
    called = call("reproduce", spec, "-o", out)
    page = out / "mine" / "index.html"
    assert called.out.splitlines()[-1].startswith(f"{page}: ")
    text = page.read_text("utf-8")
    assert "Mine" in text
    assert "Fixed: front = 2, decoy_gap = 0.1. 8 runs" in text
    assert not (out / "index.html").exists()  # that is the page of all of them
    page.write_text("<title>My homepage</title>")
    assert call("reproduce", spec, "-o", out).code == 2


def test_a_page_of_somebody_elses_is_left_alone(call, refused, spec, tmp_path, monkeypatch):
    monkeypatch.setattr("antichain.experiments._spec.builtin_names", lambda: (str(spec),))
    page = tmp_path / "index.html"
    page.write_text("<title>My homepage</title>")
    message = refused("reproduce", "all", "-o", tmp_path)
    assert "index.html is not a page of experiments" in message
    assert page.read_text() == "<title>My homepage</title>"
    assert not (tmp_path / "mine").exists()
    assert call("reproduce", "all", "-o", tmp_path, "--force").code == 0
    assert "Mine" in page.read_text("utf-8")
    assert call("reproduce", "all", "-o", tmp_path).code == 0  # this one is ours


def test_runs_of_somebody_elses_are_left_alone(refused, spec, tmp_path):
    folder = tmp_path / "out" / "mine"
    folder.mkdir(parents=True)
    notes = tmp_path / "notes"
    notes.write_text("precious")
    (folder / "runs.jsonl").symlink_to(notes)
    for words in ([], ["--force"]):
        message = refused("reproduce", spec, "-o", tmp_path / "out", "--quiet", *words)
        assert "is not a journal of a sweep" in message
    assert notes.read_text() == "precious"


def test_what_is_in_the_way_of_the_results_is_told_before_the_runs(refused, spec, tmp_path):
    (tmp_path / "out" / "mine" / "figure.png").mkdir(parents=True)
    message = refused("reproduce", spec, "-o", tmp_path / "out", "--quiet", "--force")
    assert "figure.png: it is a directory" in message
    assert not (tmp_path / "out" / "mine" / "runs.jsonl").exists()


def test_the_experiments_are_listed(call):
    called = call("reproduce", "list")
    assert called.code == 0
    assert called.out.startswith("figure-width")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["figure-depth"], "no experiment 'figure-depth'"),
        (["absent.toml"], "cannot read absent.toml"),
        (["figure-width", "--runs", 0], "from 1 to 1,000,000"),
        (["figure-width", "--algorithms", "best"], "'best'"),
        (["all", "--algorithms", "best"], "'best'"),
        (["figure-width", "--workers", 2, "--dask", "local"], "both given"),
        ([], "antichain reproduce needs EXPERIMENT"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(refused, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in refused("reproduce", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_another_experiments_folder_is_refused(refused, call, spec, tmp_path):
    out = tmp_path / "out"
    call("reproduce", spec, "-o", out, "--quiet")
    spec.write_text(SPEC.replace("front = 2", "front = 1"))
    assert "--force" in refused("reproduce", spec, "-o", out)


def test_the_rate_and_the_time_left_are_told():
    assert pace(30, 90, 10.0) == ", 3.0 per second, 0:30 left"
    assert pace(1, 600, 1.0) == ", 1.0 per second, 10:00 left"
    assert "compiles" in pace(0, 5, 0.0)
    assert pace(5, 0, 3.0) == ""


LONG = SPEC.replace("runs = 2", "runs = 400").replace("[2, 3]", "[8, 10]")
"""An experiment that is under way for as long as anybody waits."""


class Reproducing:
    """`antichain reproduce` as a process and a session of its own, where Ctrl-C is heard."""

    def __init__(self, tmp_path: Path, *options: str) -> None:
        spec = tmp_path / "mine.toml"
        spec.write_text(LONG)
        self.journal = tmp_path / "out" / "mine" / "runs.jsonl"
        self.scratch = tmp_path / "scratch"
        self.scratch.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-c", "import sys; from antichain.cli import main; sys.exit(main())",
             "reproduce", str(spec), "-o", str(tmp_path / "out"), *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env=os.environ | {"TMPDIR": str(self.scratch)},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip

    def has_begun(self) -> bool:
        return self.journal.exists() and self.journal.read_bytes().count(b"\n") > 2

    def stop(self, *, group: bool, again: float | None = None) -> str:
        """Press Ctrl-C, perhaps twice; what it said, once it and all its workers have ended."""
        send = os.killpg if group else os.kill
        began = time.monotonic()
        send(self.process.pid, signal.SIGINT)
        if again is not None:
            time.sleep(again)
            if self.process.poll() is None:
                send(self.process.pid, signal.SIGINT)
        try:
            out, err = self.process.communicate(timeout=30)
        finally:
            self.process.kill()
        assert (self.process.returncode, out) == (130, ""), err
        assert time.monotonic() - began < 15
        while list(self.scratch.iterdir()) and time.monotonic() - began < 20:
            time.sleep(0.05)
        assert list(self.scratch.iterdir()) == []  # a cluster's workers keep files there
        return err


BACKENDS = {"here": [], "processes": ["--workers", "2"], "dask": ["--dask", "local"]}
INTERRUPTED = (
    "antichain: finished runs are kept, and the same command continues from there\n"
    "antichain: error: interrupted\n"
)


@pytest.mark.parametrize(
    ("backend", "group"),
    [("here", True), ("processes", True), ("dask", True), ("dask", False)],
    ids=lambda value: value if isinstance(value, str) else "terminal" if value else "kill",
)
@pytest.mark.slow
def test_ctrl_c_ends_it_and_keeps_what_is_done(backend, group, call, tmp_path):
    if backend == "dask":
        pytest.importorskip("distributed", reason="the cluster is Dask's")
    running = Reproducing(tmp_path, *BACKENDS[backend])
    limit = time.monotonic() + 120  # kernels may have to be compiled first
    while not running.has_begun() and time.monotonic() < limit:
        time.sleep(0.05)
    assert running.has_begun()
    assert running.stop(group=group, again=0.1) == INTERRUPTED
    lines = running.journal.read_text().splitlines(keepends=True)
    assert all(line.endswith("\n") and json.loads(line) for line in lines)
    resumed = call("reproduce", tmp_path / "mine.toml", "-o", tmp_path / "out", "--runs", 1)
    assert (resumed.code, resumed.err) == (0, "")
    assert running.journal.read_text().startswith("".join(lines))  # it goes on, and repeats none


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_ctrl_c_at_any_moment(backend, tmp_path):
    for number in range(12):
        folder = tmp_path / str(number)
        folder.mkdir()
        running = Reproducing(folder, *BACKENDS[backend])
        time.sleep(0.8 + 0.3 * number)  # before, Python itself is starting
        if running.process.poll() == 0:  # a fast machine is done by now
            assert number > 3
            return
        again = (None, 0.05, 0.5)[number % 3]
        said = running.stop(group=bool(number % 2), again=again)
        assert said in (INTERRUPTED, "antichain: error: interrupted\n")


def test_nobody_is_at_the_address(refused, spec, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="the cluster is Dask's")
    monkeypatch.setattr("antichain._pools._PATIENCE", 0.2)
    out = tmp_path / "out"
    said = refused("reproduce", spec, "-o", out, "--dask", "tcp://127.0.0.1:9")
    assert "no Dask scheduler at 'tcp://127.0.0.1:9'" in said
