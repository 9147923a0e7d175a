"""Pages of help: every command and every option is listed once, where a reader looks for it."""

import io
import json
import re
import shlex
import subprocess
import sys

import pytest
import typer

from antichain.algorithms._registry import OURS
from antichain.cli import _app
from antichain.cli._vote_options import READING
from antichain.study import Study

ROOT = typer.main.get_command(_app.app)
PATHS = ("I have votes", "I want votes", "I study bandits")
READERS = ("front", "explain", "verify", "next")


def commands(group=ROOT, path=()):
    for name, command in group.commands.items():
        yield (*path, name), command
        yield from commands(command, (*path, name)) if hasattr(command, "commands") else ()


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_each_command_stands_once_under_one_of_the_three_paths(call):
    page = call("--help").out
    places = [page.index(f"\n{heading}:\n") for heading in PATHS]
    assert places == sorted(places)
    listed = re.findall(r"^  ([a-z]+) {2,}\S.*\.$", page[places[0] :], re.MULTILINE)
    assert sorted(listed) == sorted(set(ROOT.commands) - {"help"})


def test_the_first_screen_says_where_to_start_and_fits(call):
    page = call("--help").out
    assert page == call().out == call("help").out
    assert len(page.splitlines()) <= 40
    assert max(map(len, page.splitlines())) <= 80
    start = page.partition("\nI have votes")[0]
    for line in ("antichain front votes.csv", "antichain serve items.txt", "antichain demo"):
        assert line in start
    assert "antichain help reading" in page


@pytest.mark.parametrize("name", READERS)
def test_commands_that_read_files_fit_one_screen_and_point_to_the_rest(call, name):
    page = call(name, "--help").out
    assert len(page.splitlines()) <= 38  # of 40: the call above it and the prompt below take two
    assert max(map(len, page.splitlines())) <= 80
    assert page.endswith("Options for reading files: antichain help reading\n")
    assert "--both-bad" not in page


def test_every_option_is_on_its_command_s_page_or_on_the_one_it_points_to(call):
    reading = call("help", "reading").out
    listed = {name for part in READING.values() for name in part}
    for path, command in commands():
        page = call(*path, "--help").out
        pointed = reading if "antichain help reading" in page.splitlines()[-1] else ""
        for param in command.params:
            if param.param_type_name != "option":
                continue
            where = pointed if param.name in listed and param.hidden else page
            for flag in (*param.opts, *param.secondary_opts):
                assert re.search(rf"(?<![\w-]){flag}(?![\w-])", where), (path, flag)


def test_the_options_of_reading_files_stand_under_headings(call):
    page = call("help", "reading").out
    assert max(map(len, page.splitlines())) <= 80
    for heading, options in READING.items():
        section = page.partition(f"\n{heading}:\n")[2].partition("\n\n")[0]
        listed = [line for line in section.splitlines() if line.startswith("  --")]
        assert len(listed) == len(options), heading


def test_the_default_method_is_the_one_that_is_built(call, tmp_path, monkeypatch):
    items = tmp_path / "drinks.txt"
    items.write_text("tea\nmilk\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    call("vote", items)
    built = {"vote": Study.read(tmp_path / "drinks.duels").algorithm.name}
    monkeypatch.setattr("antichain.cli._plan._outlook", lambda *given: None)
    plan = ("plan", "--items", 2, "--runs", 1, "--json")
    built["plan"] = json.loads(call(*plan).out)["settings"]
    for name, method in built.items():
        page = " ".join(call(name, "--help").out.split())
        said = re.search(r"module:Class\. \[default: (\w+)", page)
        assert said, name
        assert said[1] in method
        assert "recognise incomparable pairs. [default: none]" in page
    with_decoys = json.loads(call(*plan, "--decoy-gap", 0.3).out)["settings"]
    assert "or witness with --decoy-gap]" in page
    assert "witness" in with_decoys


@pytest.mark.parametrize("name", READERS)
def test_commands_that_read_files_share_all_options_of_reading(name):
    own = {param.name for param in ROOT.commands[name].params}
    assert {option for part in READING.values() for option in part} <= own


def test_every_page_fits_eighty_columns(call):
    for path, _ in commands():
        assert max(map(len, call(*path, "--help").out.splitlines())) <= 80, path


def test_epsilon_and_the_gap_of_decoys_have_a_unit_on_every_page(call):
    for path, command in commands():
        page = " ".join(call(*path, "--help").out.split())
        for flag in {"--epsilon", "--decoy-gap"} & {
            name for p in command.params for name in p.opts
        }:
            said = page.partition(f" {flag} X ")[2][:120]
            assert "(0.1: losing 60% of " in said, (path, flag)


def test_methods_are_listed_where_one_is_chosen(call):
    for path, command in commands():
        if any("--algorithm" in param.opts for param in command.params):
            page = " ".join(call(*path, "--help").out.split()).replace("- ", "-")
            assert "--algorithm METHOD" in page, path
            assert ", ".join(OURS) in page, path


def test_help_of_a_command_is_its_own_page(call):
    assert call("help", "front").out == call("front", "--help").out
    assert call("help", "decoys", "make").out == call("decoys", "make", "--help").out
    assert "front, which has no commands of its own" in call("help", "front", "reading").err


def test_pages_name_no_python_types(call):
    for path, _ in commands():
        page = call(*path, "--help").out
        assert not re.search(r"<\w+(\[\w+\])?>|\{[A-Z]+\}", page), path


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("help frnt", "'frnt' is not an antichain command; did you mean front?"),
        ("help readin", "'readin' is not an antichain command; did you mean reading?"),
        ("reproduce figure-wdth", "no experiment 'figure-wdth'; did you mean figure-width? (see"),
        ("generate --kind layerd", "--kind is 'layerd'; did you mean layered? (see"),
        ("generate --kind zzzzzz", "--kind is 'zzzzzz', but one of layered, total-order,"),
        ("help zzzzzz", "'zzzzzz' is not an antichain command (see antichain --help)"),
        ("help reading extra", "'extra' was given after reading, which is a page of its own (see"),
        ("plan --items 0", "error: --items is '0', but a whole number of at least 2 was expected"),
        ("front a.csv --delta 2", "error: --delta is '2', but a number above 0 and below 1 was"),
        ("simulate --algorithm witnes", "--algorithm is 'witnes', but there is no method"),
        ("generate --gaps constant:0.9 -o x", "--gaps is 'constant:0.9', but a gap above 0 and"),
        ("generate --gaps between:0.4:0.1 -o x", "but two gaps from 0 to 1/2, the smaller one"),
        ("decoys make a -o x --kind foo --how drop --strength 1", "--kind is 'foo', but image,"),
        ("decoys make a -o x --kind text --how foo --strength 1", "--how is 'foo', but for text"),
        ("vote --items a.txt", "--items is not an option of antichain vote (see"),
        ("front a.csv --budget 4", "; it is one of antichain next, vote, plan or simulate (see"),
        ("front a.csv --rep x", "--rep is not an option of antichain front; did you mean --report"),
        ("explain votes.csv", "antichain explain needs ITEM and then FILE (see"),
        ("verify votes.csv", "antichain verify needs CERTIFICATE and then FILE (see"),
        ("fornt votes.csv", "'fornt' is not an antichain command; did you mean front? (see"),
        ("decoys chek", "'chek' is not an antichain decoys command; did you mean check?"),
        (
            "front votes.csv --epsilo 0.1",
            "--epsilo is not an option of antichain front; did you mean --epsilon? "
            "(see antichain front --help)",
        ),
        (
            "next votes.csv --lft a",
            "--lft is not an option of antichain next; did you mean --left? "
            "(see antichain help reading)",
        ),
        (
            "decoys make photos --how blur",
            "antichain decoys make needs --kind, --strength and --output "
            "(see antichain decoys make --help)",
        ),
        (
            "front votes.csv --ordered --unordered",
            "--ordered and --unordered are both given, but they cannot be used together "
            "(see antichain help reading)",
        ),
        ("draw", "antichain draw needs FILE and --output (see antichain draw --help)"),
        ("next a.csv --budget", "error: --budget needs a value: --budget N (see antichain next --"),
        ("front a.csv -o", "error: -o needs a value: -o FILE (see antichain front --help)"),
        (
            "front --version",
            "--version is not an option of antichain front; did you mean antichain --version? (see",
        ),
        (
            "plan 8 --runs 3",
            "antichain plan takes no arguments, but '8' was given: antichain plan --items 8 (see",
        ),
        (
            "generate chains",
            "takes no arguments, but 'chains' was given: antichain generate --kind chains (see",
        ),
        ("simulate 8", "antichain simulate takes no arguments, but '8' was given (see"),
        ("matrix a.txt b.txt", "antichain matrix takes only FILE, but 'b.txt' was given too (see"),
        (
            "front a.csv --margin -1",
            "--margin is '-1', but a number of at least 0 was expected (see antichain help reading",
        ),
        ("front a.csv --json=1", "error: --json takes no value (see antichain front --help)"),
        ("plan --items 4000000", "4,000,000 items were asked for, but at most 16,384 were"),
        (
            "front votes.csv --decoys d.json --decoy-suffix x",
            "--decoys and --decoy-suffix are both given, but they cannot be used together "
            "(see antichain help reading)",
        ),
    ],
)
def test_what_is_not_understood_is_answered_with_what_may_be_meant(refused, line, sentence):
    assert sentence in refused(*line.split())


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("front ''", "FILE"),
        ("front votes.csv ''", "FILE"),
        ("front votes.csv -o ''", "--certificate"),
        ("front votes.csv --attribute a:min --attributes ''", "--attributes"),
        ("explain a ''", "FILE"),
        ("verify '' votes.csv", "CERTIFICATE"),
        ("next ''", "FILE"),
        ("matrix ''", "FILE"),
        ("ratings ''", "FILE"),
        ("movielens ''", "DIR"),
        ("vote ''", "ITEMS"),
        ("study ''", "FILE"),
        ("serve ''", "FILE"),
        ("draw '' -o x.svg", "FILE"),
        ("decoys check ''", "FILE"),
        ("decoys make '' --kind text --how drop --strength 1 -o x", "FILES"),
        ("decoys make a.txt --kind text --how drop --strength 1 -o ''", "--output"),
    ],
)
def test_an_empty_name_is_not_the_folder_one_is_in(refused, tmp_path, monkeypatch, line, called):
    monkeypatch.chdir(tmp_path)
    wanted = "folder" if called in ("DIR", "--output") else "file"
    words = f"{called} is empty (''), but the name of a {wanted} was expected (see antichain "
    assert words in refused(*shlex.split(line))


def test_help_states_ranges_in_words(call):
    page = call("help", "reading").out
    assert "[x>=" not in page
    assert "tie. [default: 0]" in " ".join(page.split())


def test_a_poset_is_an_option(refused, poset, monkeypatch):
    monkeypatch.chdir(poset.parent)
    assert (
        "antichain bounds takes no arguments, but 'poset.json' was given: "
        "antichain bounds --poset poset.json (see" in refused("bounds", poset.name)
    )


def test_a_list_from_a_file_needs_its_name(refused):
    words = "--items is '@', but the name of a file was expected after the @"
    assert words in refused("front", "votes.csv", "--items", "@")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--words foo", "--words is 'foo', but words and their meanings were expected"),
        ("--words foo=bar", "--words gives 'foo' the meaning 'bar', but one of left,"),
        ("--delimiter ''", "--delimiter is '', but a single character"),
        ("--encoding foo", "--encoding is 'foo', but the name of an"),
        ("--kind cvs", "--kind is 'cvs', but one of csv,"),
        ("--answers foo", "--answers is 'foo', but one of auto,"),
        ("--unanswered foo", "--unanswered is 'foo', but one of stop,"),
        ("--ties foo", "--ties is 'foo', but half or ignore"),
        ("--both-bad foo", "--both-bad is 'foo', but tie or ignore"),
        ("--items Alien", "--items has 1 item, but at least two"),
        ("--items @one.txt", "--items @one.txt has 1 item, but at least two"),
        ("--criteria a,a", "--criteria holds 'a' twice"),
        ("--decoy-suffix ' '", "--decoy-suffix is ' ', but a text"),
        ("--winner a --score b", "--winner and --score are given, but only one"),
        ("--loser a --left b", "--loser a is given together with --left or --right"),
        ("--loser a --score b", "--loser and --score are given"),
        ("--score-range 1,1", "--score-range is (1.0, 1.0), but two different numbers"),
        ("--min-votes 100", "v.csv has no items with at least 100 votes against each other, but"),
        ("--min-votes 100", "at least two were expected: lower --min-votes to 1 or less"),
        ("--grades a,b --item c --ties half", "--grades and --ties are given, but only --item,"),
        ("--attributes v.csv --attribute x", "--attribute is 'x', but a column"),
    ],
)
def test_what_is_wrong_with_a_way_of_reading_leads_to_its_page(
    refused, tmp_path, monkeypatch, options, sentence
):
    (tmp_path / "v.csv").write_text("left,right,winner\nAlien,Saw,left\n")
    (tmp_path / "one.txt").write_text("Alien\n")
    monkeypatch.chdir(tmp_path)
    said = refused("front", "v.csv", *shlex.split(options))
    assert sentence in said
    assert said.endswith("(see antichain help reading)\n")


def test_the_package_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "antichain", "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("antichain ")
