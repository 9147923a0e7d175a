"""`antichain demo`."""

import json
import os
import pty
import subprocess
import sys


def test_the_demo_tells_the_whole_story_and_draws_it(call, tmp_path):
    picture = tmp_path / "hasse.png"
    called = call("demo", "-o", picture)
    assert called.code == 0
    for word in ("front found", "true front", "correct", "direct", "with decoys", "regret",
                 "Theorem 1", "1.14e+09 duels, peeling and decoys", "one decoy comparison",
                 "because it compiles", str(picture)):  # fmt: skip
        assert word in called.out
    assert "front-1, front-2, front-3, front-4, front-5" in called.out
    assert "items alive" in called.err
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_as_json_it_is_one_record(call, tmp_path):
    called = call("demo", "--seed", 2, "-o", tmp_path / "hasse.svg", "--json", "--quiet")
    assert (called.code, called.err) == (0, "")
    record = json.loads(called.out)
    assert record["items"] == 95
    assert set(record["front"]) == set(record["true_front"])
    assert record["correct"] is True
    assert record["bounds"]["epochs"] == 17
    assert record["diagram"] == str(tmp_path / "hasse.svg")


def test_quiet_is_the_front_alone_and_a_default_name_is_never_taken_twice(
    call, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        called = call("demo", "--quiet")
        assert called.out == "front-1\nfront-2\nfront-3\nfront-4\nfront-5\n"
        assert called.err == ""
    assert sorted(os.listdir(tmp_path)) == ["antichain-demo-2.png", "antichain-demo.png"]


def test_a_name_that_is_taken_is_refused_before_anything_runs(refused, tmp_path):
    taken = tmp_path / "taken.png"
    taken.write_text("mine")
    assert "--force" in refused("demo", "-o", taken)
    assert "is a directory" in refused("demo", "-o", tmp_path)
    assert taken.read_text() == "mine"
    assert ".png" in refused("demo", "-o", tmp_path / "hasse.txt")


def test_without_matplotlib_only_a_diagram_that_was_asked_for_fails(
    call, refused, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    called = call("demo")
    assert called.code == 0
    why = "drawing needs matplotlib, which is not installed: pip install 'antichain[plots]'"
    assert f"diagram  not drawn: {why}" in called.out
    assert why in call("demo", "--json").err
    assert os.listdir(tmp_path) == []
    assert "antichain[plots]" in refused("demo", "-o", "hasse.png")


def test_on_a_terminal_the_bar_is_live_and_on_stderr(tmp_path):
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from antichain.cli import main; sys.exit(main())",
         "demo", "-o", str(tmp_path / "hasse.png")],
        stdout=subprocess.PIPE, stderr=theirs, text=True, env=os.environ | {"TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other end is closed and everything is read
        pass
    os.close(ours)
    assert done.returncode == 0
    assert b"items alive" in shown
    assert b"\x1b[" in shown
    assert "\x1b[" not in done.stdout
    assert "items alive" not in done.stdout
