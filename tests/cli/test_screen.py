"""What reaches the terminal: never what foreign text would do there, and always readable."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from antichain.cli import _screen, main

_ACTS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)
EVIL = (
    "\x1b[31mred", "\x9b31m", "\u202eabc", "a\rb", "bell\x07", "line\nbreak", "\u2066isolate",
    "zero\u200bwidth", "a\x00b", "\ud800", "[red]x[/]", "[/]", "<script>", r"$\frac{$",
    "x" * 10_000,
)  # fmt: skip


def _files(folder: Path, name: str) -> dict[str, Path]:
    """A file of each kind that commands read, with `name` wherever others choose the text."""
    cell = '"' + name.replace('"', '""') + '"'
    toml = json.dumps(name.replace("\ud800", "?"), ensure_ascii=True)
    texts = {
        "votes.csv": "left,right,winner,who\n" + f"{cell},tea,left,{cell}\n" * 30,
        "header.csv": f"{cell},right,winner\n" + "tea,fog,left\n" * 3,
        "answer.csv": f"left,right,winner\ntea,fog,{cell}\n",
        "votes.jsonl": (json.dumps({"left": name, "right": "b", "winner": "left"}) + "\n") * 30,
        "keys.jsonl": json.dumps({name: "a", "right": "b", "winner": "left"}) + "\n",
        "poset.json": json.dumps({"items": [name, "b"], "relations": [[name, "b", 0.3]]}),
        "format.json": json.dumps({"format": name, name: 1}),
        "items.toml": f"title={toml}\nquestion={toml}\n[[items]]\nname='a'\ntext={toml}\n"
        "[[items]]\nname='b'\n",
        "names.toml": f"[[items]]\nname={toml}\n[[items]]\nname='b'\n",
        "spec.toml": f"title={toml}\n",
        "matrix.csv": f",{cell},b\n{cell},0.5,0.7\nb,0.3,0.5\n",
        "ratings.csv": "user,item,rating\n"
        + "".join(f"{u},{cell},{u % 5}\n{u},b,{u % 3}\n" for u in range(20)),
    }
    for file, text in texts.items():
        (folder / file).write_bytes(text.encode("utf-8", "surrogatepass"))
    return {file: folder / file for file in texts}


def _commands(files: dict[str, Path], name: str, out: Path) -> list[list[object]]:
    posets, votes = files["poset.json"], files["votes.csv"]
    found: list[list[object]] = []
    for file in ("votes.csv", "header.csv", "answer.csv", "votes.jsonl", "keys.jsonl"):
        found += [["front", files[file]], ["front", files[file], "--json"], ["next", files[file]]]
    found += [
        ["front", votes, "--voter", "who", "-q"],
        ["front", votes, "-o", out / "c.json", "--report", out / "c.html", "--markdown",
         out / "c.md", "--cluster", "who"],
        ["verify", out / "c.json", votes],
        ["verify", out / "c.json", votes, "--json"],
        ["explain", name, votes],
        ["explain", name, files["votes.jsonl"], "--json"],
        ["front", votes, "--left", name],
        ["front", votes, "--words", f"{name}=tie"],
        ["front", votes, f"--{name}"],
        [name],
        ["draw", posets, "-o", out / "p.svg"],
        ["draw", files["format.json"], "-o", out / "q.svg"],
        ["simulate", "--poset", posets, "--runs", 1],
        ["simulate", "--algorithm", name],
        ["matrix", files["matrix.csv"]],
        ["matrix", files["matrix.csv"], "--json"],
        ["ratings", files["ratings.csv"], "--top", 2, "--seeds", 1],
        ["ratings", files["ratings.csv"], "--top", 2, "--seeds", 1, "--json"],
        ["ratings", files["ratings.csv"], "--user", name],
        ["reproduce", files["spec.toml"], "-o", out / "r"],
        ["reproduce", name, "-o", out / "r"],
        ["vote", files["items.toml"], "--voter", name],
        ["vote", files["names.toml"], "-q"],
        ["study", out / "items.duels"],
        ["study", out / "items.duels", "--json"],
    ]  # fmt: skip
    return found


@pytest.mark.parametrize("name", EVIL, ids=lambda name: ascii(name[:12]))
@pytest.mark.slow
def test_foreign_text_never_acts_on_the_terminal(call, tmp_path, monkeypatch, name):
    for command in _commands(_files(tmp_path, name), name, tmp_path):
        monkeypatch.setattr(sys, "stdin", io.StringIO("l\nr\nq\n"))
        called = call(*command)
        assert called.code in (0, 1, 2), (command, called)
        assert not _ACTS.search(called.out), (command, called)
        assert not _ACTS.search(called.err), (command, called)
        if "--json" in command and called.code < 2:
            json.loads(called.out)
    for page in ("c.html", "c.md", "p.svg"):
        if (tmp_path / page).exists():
            assert not _ACTS.search((tmp_path / page).read_text("utf-8"))


@pytest.mark.parametrize("part", [b"\x1b[31m", b"\xff", "\u202e".encode(), b"a\nb", b"[red]"])
def test_names_of_files_never_act_on_the_terminal(call, tmp_path, monkeypatch, part):
    try:
        folder = tmp_path / os.fsdecode(part)
        folder.mkdir()
    except OSError:
        pytest.skip("this file system has no such names")
    files = _files(folder, "fog")
    monkeypatch.setattr(sys, "stdin", io.StringIO("l\nr\nq\n"))
    for command in (
        ["front", files["votes.csv"], "-o", folder / "c.json", "--report", folder / "c.html",
         "--markdown", folder / "c.md"],
        ["verify", folder / "c.json", files["votes.csv"]],
        ["front", files["votes.csv"], "--json"],
        ["next", files["votes.csv"], "-o", folder / "next.csv"],
        ["draw", files["poset.json"], "-o", folder / "p.svg"],
        ["vote", files["items.toml"]],
        ["study", folder / "items.duels", "--json"],
        ["matrix", files["matrix.csv"]],
    ):  # fmt: skip
        called = call(*command)
        assert called.code in (0, 1), (command, called)
        assert not _ACTS.search(called.out + called.err), (command, called)
    assert call("movielens", folder / "none").code == 2


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii"])
@pytest.mark.slow
def test_a_stdout_that_is_not_utf_8_gets_something_readable(tmp_path, monkeypatch, encoding):
    files = _files(tmp_path, "茶 δ")
    for command in _commands(files, "茶 δ", tmp_path):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
        monkeypatch.setattr(sys, "stdin", io.StringIO("l\nr\nq\n"))
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        code = main([str(part) for part in command])
        for stream in streams:
            stream.flush()
        out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams)
        assert code in (0, 1, 2), (command, err)
        assert "┃" not in out
        if "--json" in command and code < 2:
            json.loads(out)
        if command[:2] == ["front", files["votes.csv"]] and len(command) == 2:
            assert "+----" in out
            assert "\\u8336 delta" in out
            assert "(delta = 0.05, epsilon = 0.1)" in out


def test_help_keeps_to_the_letters_of_stdout(monkeypatch):
    for command in (["--help"], ["front", "--help"], ["decoys", "check", "--help"]):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(command) == 0
        stream.flush()
        assert "Options:" in stream.buffer.getvalue().decode("ascii")


def test_exported_votes_are_the_same_on_any_stdout(tmp_path, monkeypatch):
    files = _files(tmp_path, "茶")
    written = []
    monkeypatch.setattr(sys, "stdin", io.StringIO("l\nq\n"))
    assert main(["vote", str(files["names.toml"]), "-q"]) == 1
    for encoding in ("utf-8", "ascii"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["study", str(tmp_path / "names.duels"), "--export", "-"]) == 0
        written.append(stream.buffer.getvalue())
    assert written[0] == written[1]
    assert "茶" in written[0].decode()


_MAIN = "from antichain.cli import main; raise SystemExit(main())"
_SHELL = f'antichain() {{ "{sys.executable}" -c "{_MAIN}" "$@"; }}; '


def _in_shell(folder: Path, command: str) -> tuple[int, str, str]:
    done = subprocess.run(
        ["bash", "-c", _SHELL + command],
        cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="about descriptors of a shell")
@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("front votes.csv >&-", 2, "cannot write to standard output: it is closed"),
        ("front votes.csv --json >&-", 2, "cannot write to standard output: it is closed"),
        ("front votes.csv > /dev/full", 2, "standard output: no space left on device"),
        ("front votes.csv --json > /dev/full", 2, "standard output: no space left on device"),
        ("--help > /dev/full", 2, "no space left on device"),
        ("front votes.csv -q -o kept.json --force >&- 2>&-", 2, ""),
        ("front - <&-", 2, "standard input is empty"),
        ("vote items.toml <&-", 1, "Which is better?"),
        ("vote items.toml 2> /dev/full", 2, ""),
        ("front missing.csv 2>&-", 2, ""),
        ("front missing.csv 2> /dev/full", 2, ""),
    ],
)
@pytest.mark.slow
def test_closed_and_full_streams_end_in_a_sentence(tmp_path, command, code, words):
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    _files(tmp_path, "Which is better?")
    found, out, err = _in_shell(tmp_path, f"antichain {command}")
    assert found == code, (out, err)
    assert words in err
    assert err.count("\n") == 1 or command.startswith("vote") or not words
    if "kept.json" in command:  # and nothing that was meant for the screen went into the file
        assert json.loads((tmp_path / "kept.json").read_text())["votes"] == 30


@pytest.mark.skipif(sys.platform == "win32", reason="about pipes of a shell")
@pytest.mark.slow
def test_a_reader_that_goes_away_ends_every_kind_of_printing(tmp_path, monkeypatch):
    files = _files(tmp_path, "tea δ")
    monkeypatch.setattr(sys, "stdin", io.StringIO("l\nr\nq\n"))
    assert main(["vote", str(files["items.toml"]), "-q"]) == 1
    for command in ("front votes.csv", "study items.duels --export -"):
        _, out, err = _in_shell(tmp_path, f"antichain {command} | true; echo ${{PIPESTATUS[0]}}")
        assert (out, err) == ("141\n", ""), command


def test_what_the_system_refuses_is_no_fault_of_ours(refused, monkeypatch):
    from antichain.cli import _app

    def full(arguments: object) -> int:
        raise OSError(28, "No space left on device", "votes.csv")

    monkeypatch.setattr(_app, "run", full)
    full.__code__ = full.__code__.replace(co_filename=_app.__file__)  # as if it were ours
    assert "cannot continue with 'votes.csv': no space left on device" in refused("demo")


@pytest.mark.parametrize(
    ("number", "said"),
    [(1.2, "about 1 more vote"), (0, "about 0 more votes"), (12345, "about 12,300 more votes")],
)
def test_forecasts_say_one_vote_and_two_votes(number, said):
    assert _screen.about(number, "more vote") == said


@pytest.mark.parametrize(
    ("columns", "gone"),
    [
        (80, ""),
        (60, "column 'why'"),
        (45, "columns 'why' and 'score'"),
        (37, "columns 'why', 'score' and 'votes'"),
    ],
)
def test_a_narrow_terminal_gets_fewer_columns(call, tmp_path, monkeypatch, columns, gone):
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,winner\n" + "Paddington 2,Alien,left\nAlien,Saw,tie\n" * 3)
    monkeypatch.setenv("COLUMNS", str(columns))
    said = call("front", votes).out
    table = [line for line in said.splitlines() if line[:1] in "┃│"]
    assert max(map(len, table)) <= columns
    assert any("│ Paddington 2 │ undecided │" in line for line in table)
    assert "…" not in "".join(table)
    words = " ".join(said.split())
    told = f"The terminal is too narrow for the {gone}; widen it, or use --report."
    assert (told in words) if gone else ("too narrow" not in words)


def test_the_narrowest_terminal_still_shows_names_and_verdicts(call, tmp_path, monkeypatch):
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,winner\n" + "Supercalifragilistic,Alien,left\n" * 3)
    monkeypatch.setenv("COLUMNS", "24")
    table = [line for line in call("front", votes).out.splitlines() if line[:1] == "│"]
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in table]
    assert max(map(len, table)) <= 24
    assert "".join("".join(column) for column in zip(*cells, strict=True)).count("undecided") == 2
    assert "Supercalifragilistic" in "".join(row[0] for row in cells)
