"""The command as a whole: help, version, exit codes, and what importing it costs."""

import os
import subprocess
import sys
from unittest import mock

import pytest

from antichain import cli
from antichain.cli import _app

HEAVY = ("numpy", "scipy", "numba", "networkx", "matplotlib")


def test_help_brings_in_nothing_heavy():
    program = (
        "import sys; from antichain.cli import main; code = main(sys.argv[1:]);"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr);"
        "sys.exit(code)"
    )
    for arguments in (["--help"], ["--version"], ["simulate", "--help"], []):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "[]\n")
        assert "antichain" in done.stdout


def test_version(call):
    from importlib.metadata import version

    assert call("--version").out == f"antichain {version('antichain')}\n"


def test_every_command_is_in_the_help_and_takes_json_and_quiet(call):
    names = (
        "demo", "front", "explain", "verify", "matrix", "vote", "study", "generate", "simulate",
        "plan", "bounds", "limit", "draw", "reproduce", "movielens", "ratings",
    )  # fmt: skip
    listing = call("--help").out
    for name in names:
        assert name in listing
        page = call(name, "--help")
        assert page.code == 0
        assert "--json" in page.out
        assert "--quiet" in page.out
        assert "<bool>" not in page.out


@pytest.mark.parametrize(("group", "heading"), [((), "I have votes"), (("decoys",), "Commands")])
def test_lists_of_commands_cut_no_sentence_short(call, monkeypatch, group, heading):
    monkeypatch.setenv("COLUMNS", "80")
    listing = call(*group, "--help").out.partition(f"{heading}:\n")[2].partition("\nOptions")[0]
    listing = [line for line in listing.splitlines() if line.startswith("  ")]
    assert len(listing) > 2
    for line in listing:
        assert line.endswith(".")
        assert not line.endswith("...")


def test_options_say_what_they_take_in_the_same_words_everywhere(call):
    for name in ("reproduce", "movielens", "ratings"):
        options = call(name, "--help").out.partition("Options:\n")[2]
        for word in ("INTEGER", "FLOAT", "<str>", "<path>", "TEXT", "PATH"):
            assert word not in options, (name, word)


def test_help_leaves_laws_and_defaults_as_they_are_written(call):
    page = " ".join(call("simulate", "--help").out.split())
    for words in ("between:M:S", "bradley-terry:R", "Number of items on the front. [default: 5]",
                  "one line per run", "correct if"):  # fmt: skip
        assert words in page
    assert "[default: antichain-demo.png in this directory" in " ".join(
        call("demo", "--help").out.split()
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["unknown"], ["unknown"]),
        (["--wrong"], ["--wrong"]),
        (["draw"], ["FILE"]),
        (["draw", "poset.json"], ["--output"]),
        (["simulate", "--algorithm", "magic"], ["--algorithm", "magic", "unchained", "slicing"]),
        (["simulate", "--runs", "many"], ["--runs", "many"]),
        (["simulate", "--runs", "0"], ["--runs", "0"]),
        (["simulate", "--delta"], ["--delta"]),
    ],
)
def test_wrong_usage_is_told_in_one_sentence(refused, arguments, words):
    sentence = refused(*arguments)
    subcommand = f" {arguments[0]}" if arguments[0] in ("draw", "simulate") else ""
    assert sentence.endswith(f" (see antichain{subcommand} --help)\n")
    assert "." not in sentence.replace("poset.json", "").replace("'.", "")
    for word in words:
        assert word in sentence


@pytest.mark.parametrize("command", ["simulate", "bounds"])
@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("--delta", ["0", "1", "-0.1", "1.5", "nan", "inf"]),
        ("--decoy-gap", ["0", "0.5", "nan", "-inf"]),
        ("--gamma", ["0", "1", "nan"]),
        ("--epsilon0", ["0", "0.6", "nan"]),
        ("--seed", ["-1", "1.5", str(2**60)]),
        ("--front", ["0"]),
        ("--gaps", ["wide", "minimum:x"]),
        ("--parents", ["none"]),
    ],
)
def test_numbers_out_of_range_are_refused_with_the_value(refused, command, option, values):
    for value in values:
        sentence = refused(command, option, value)
        assert option.lstrip("-").split("-")[0].rstrip("s") in sentence
        assert value in sentence


@pytest.mark.parametrize("command", ["simulate", "bounds"])
def test_a_poset_is_either_read_or_generated(refused, poset, command):
    assert "--poset and --front" in refused(command, "--poset", poset, "--front", 3)


def test_a_fault_is_one_sentence_too(call, monkeypatch):
    monkeypatch.setattr(_app, "run", {}.__getitem__)  # fails in compiled code, called by ours
    called = call("demo")
    assert called.code == 70
    assert "a bug in antichain: TypeError: unhashable" in called.err
    assert called.err.count("\n") == 1
    monkeypatch.setenv("ANTICHAIN_TRACEBACK", "1")
    with pytest.raises(TypeError):
        cli.main(["demo"])


def test_an_error_in_the_users_own_file_names_its_line(call, tmp_path):
    own = tmp_path / "own_method.py"
    own.write_text(
        "import antichain as ac\n\n\nclass Own(ac.Witness):\n    name = 'own'\n\n"
        "    def plan(self, state):\n        raise ZeroDivisionError('two\\nlines')\n"
    )
    called = call("simulate", "--algorithm", f"{own}:Own", "--front", "1", "--width", "1")
    assert called.code == 2
    assert f"{own}, line 8, in plan, raised ZeroDivisionError: two lines" in called.err
    assert called.err.count("\n") == 1


def test_an_interrupt_is_130(call, monkeypatch):
    def interrupted(arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(_app, "run", interrupted)
    called = call("demo")
    assert (called.code, called.err) == (130, "antichain: error: interrupted\n")


def test_a_reader_that_goes_away_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        done = subprocess.run(
            [sys.executable, "-c", "import sys; from antichain.cli import main; sys.exit(main())",
             "generate", "--json"],
            stdout=gone, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["bounds", "--decoy-gap", "1e-320"],
        ["bounds", "--gamma", "5e-324"],
        ["bounds", "--gamma", "0.9999999999999999"],
        ["bounds", "--epsilon0", "1e-308"],
        ["bounds", "--gaps", "small:5e-324"],
        ["decoys", "plan", "--items", "3", "--precision", "5e-324"],
        ["decoys", "plan", "--items", "3", "--precision", "0.1", "--delta", "1e-320"],
        ["limit", "--delta", "nan"],
    ],
)
def test_numbers_at_the_edge_of_their_range_are_refused(refused, arguments):
    assert "was expected" in refused(*arguments) or "were expected" in refused(*arguments)


def test_numbers_near_the_edge_of_their_range_are_taken(call):
    for option in ("--decoy-gap", "--delta", "--epsilon0"):
        assert call("bounds", option, "1e-40", "--json").code == 0
    assert call("decoys", "plan", "--items", "3", "--precision", "1e-9").code == 0


def test_too_little_memory_is_not_said_of_a_poset_where_there_is_none(call):
    with mock.patch("antichain.cli._app.run", side_effect=MemoryError):
        called = call("front", "votes.csv")
    assert (called.code, "poset" in called.err) == (2, False)
    assert "out of memory: use fewer items or a machine with more memory" in called.err


@pytest.mark.parametrize(
    "line",
    [
        "simulate --runs {}",
        "plan --items 5 --runs {}",
        "movielens nowhere --seeds {}",
        "reproduce figure-width --runs {}",
    ],
)
def test_more_runs_than_anybody_waits_for_are_refused_at_once(refused, line: str) -> None:
    said = refused(*line.format(10**19).split())
    assert "from 1 to 1,000,000 was expected" in said
