"""Voting at the terminal, with and without one, and looking at a study."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import antichain as ac
from antichain import _journal
from antichain import remaining as forecast_of
from antichain.cli._keys import Action, read_word
from antichain.study import Study
from antichain.study._records import STUDY

MAIN = "import sys; from antichain.cli import main; sys.exit(main(sys.argv[1:]))"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0\0\0\1" * 2  # as far as anybody here reads it
BALLOT = """
title = "Films"
question = "Which would you rather see?"
[[items]]
name = "Alien"
text = "A crew meets something."
[[items]]
name = "Saw"
file = "saw.txt"
"""


@pytest.fixture
def ballot(tmp_path: Path) -> Path:
    (tmp_path / "saw.txt").write_text("two men")
    path = tmp_path / "films.toml"
    path.write_text(BALLOT)
    return path


@pytest.fixture
def say(call, monkeypatch) -> Callable:
    """Call the command with these lines on stdin."""

    def run(lines: str, *arguments: object):
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return call(*arguments)

    return run


class _Fan(io.StringIO):
    """A voter without a terminal who always prefers Alien, wherever it is shown."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def readline(self, *_: object) -> str:
        (ask,) = Study.read(self.path).outstanding
        return "left\n" if ask.left == "Alien" else "right\n"


class TestLines:
    def test_to_the_end(self, call, ballot: Path, monkeypatch) -> None:
        monkeypatch.setattr(sys, "stdin", _Fan(ballot.with_suffix(".duels")))
        called = call("vote", ballot)
        assert called.code == 0, called
        assert "front  Alien\n" in called.out
        assert called.err.startswith("Films: 2 items\n")
        assert "Which would you rather see?" in called.err
        assert "A crew meets something." in called.err
        assert "     two men\n" in called.err
        assert "[1 answer, 2 of 2 items still in the running, about" in called.err
        again = call("vote", ballot, "--json")
        assert again.code == 0
        record = json.loads(again.out)
        assert record["front"] == ["Alien"]
        assert record["certified"] is True
        assert record["answers"] == record["duels"]
        assert call("vote", ballot, "--quiet").out == "Alien\n"

    def test_a_spent_budget_is_done_but_not_certified(self, say, ballot: Path) -> None:
        called = say("left\nleft\n", "vote", ballot, "--budget", 2, "--json")
        record = json.loads(called.out)
        assert (called.code, record["finished"], record["certified"]) == (1, True, False)
        shown = say("", "study", ballot.with_suffix(".duels"))
        assert shown.code == 1
        assert "The budget is spent, but 2 items are still undecided" in shown.out
        assert "        in  none yet\n undecided  Alien, Saw\n" in shown.out

    def test_every_form_of_answer_is_written_as_said(self, say, ballot: Path) -> None:
        called = say(
            "l\nr\n=\nt\nx\ns\nLEFT\n incomparable \nq\n", "vote", ballot, "--voter", "ann"
        )
        assert called.code == 1
        votes = list(Study.read(ballot.with_suffix(".duels")).votes())
        assert [vote.answer for vote in votes] == [
            "left", "right", "tie", "tie", "incomparable", "skipped", "left", "incomparable",
        ]  # fmt: skip
        assert {vote.voter for vote in votes} == {"ann"}
        assert "undecided  Alien, Saw" in called.out

    def test_the_terms_and_questions_of_a_study_file(self, say, tmp_path: Path) -> None:
        path = tmp_path / "drinks.toml"
        questions = '[questions]\ntaste = "Tastier?"\nlooks = "Nicer?"\n'
        path.write_text(f'delta = 0.2\n{questions}[[items]]\nname = "a"\n[[items]]\nname = "b"\n')
        called = say("l\nr\nl\nr\nq\n", "vote", path, "--epsilon", "0.3")
        assert "Tastier? (taste)" in called.err
        assert "Nicer? (looks)" in called.err
        study = Study.read(path.with_suffix(".duels"))
        assert (study.algorithm.delta, study.algorithm.epsilon) == (0.2, 0.3)

    def test_undo_shows_the_same_duel_again(self, say, ballot: Path) -> None:
        path = ballot.with_suffix(".duels")
        called = say("u\nl\nr\nu\nu\n=\nq\n", "vote", ballot)
        assert called.err.count("taken back") == 2
        assert "There is no answer" in called.err
        study = Study.read(path)
        assert [vote.answer for vote in study.votes()] == ["tie"]
        events = [json.loads(line) for line in path.read_text().splitlines()[1:]]
        answers = [event["ask"] for event in events if event["event"] == "answer"]
        assert answers == [1, 2, 1]
        assert "taken back  2\n" in called.out

    def test_what_means_nothing_is_asked_again(self, say, ballot: Path) -> None:
        called = say("banana\n\nl\n", "vote", ballot)
        assert called.err.count("l r choose, = tie") == 3
        assert called.err.count("is not one of the keys: l r choose, = tie") == 1
        assert "'banana' is not one of the keys: l" in called.err
        assert Study.read(ballot.with_suffix(".duels")).progress.answers == 1

    def test_the_duel_that_was_shown_last_comes_first(self, say, ballot: Path) -> None:
        say("l\nq\n", "vote", ballot)
        shown = Study.read(ballot.with_suffix(".duels")).outstanding
        assert [ask.id for ask in shown] == [2]
        say("l\nq\n", "vote", ballot)
        assert [ask.id for ask in Study.read(ballot.with_suffix(".duels")).outstanding] == [3]

    def test_a_torn_line_is_told(self, say, ballot: Path) -> None:
        say("l\n", "vote", ballot)
        with ballot.with_suffix(".duels").open("a") as stream:
            stream.write('{"event":')
        called = say("l\n", "vote", ballot, "--quiet")
        assert "ended in an incomplete line (9 bytes)" in called.err

    def test_names_that_look_alike_are_told(self, call, tmp_path: Path, monkeypatch) -> None:
        path = tmp_path / "films.toml"
        path.write_text('[[items]]\nname = "Alien"\n[[items]]\nname = "ALIEN"\n')
        for told in (1, 0):  # when the study begins
            monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
            called = call("vote", path)
            assert called.code == 1
            assert called.err.count("'Alien' and 'ALIEN' differ only in case") == told

    def test_what_is_no_text(self, call, ballot: Path, monkeypatch) -> None:
        stdin = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\nl\n"), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
        assert call("vote", ballot).code == 1
        assert Study.read(ballot.with_suffix(".duels")).progress.answers == 1

    @pytest.mark.parametrize("line", ["", "q", "quit\n"])
    def test_quitting(self, line: str) -> None:
        assert read_word(io.StringIO(line)) is Action.QUIT

    def test_the_opening_says_what_to_expect(self, say, ballot: Path) -> None:
        opening = say("l\ns\nq\n", "vote", ballot, "--voter", "ann").err.partition("\n\n")[0]
        words = " ".join(opening.split())
        assert words.startswith("Films: 2 items You will see two items at a time")
        assert f"Every answer is saved at once in {ballot.with_suffix('.duels')}" in words
        assert "stop whenever you like, and continue later" in words
        assert "Welcome, ann; 0 answers so far." in words
        assert words.endswith("u undo, o open files, q quit")
        again = " ".join(say("q\n", "vote", ballot, "--voter", "ann").err.split())
        assert (
            "Welcome back, ann: you have given 1 answer and skipped 1 pair; 2 answers in" in again
        )
        assert "ANN (not the same voter as ann)" in say("q", "vote", ballot, "--voter", "ANN").err
        assert "Voting anonymously (use --voter NAME)" in say("q", "vote", ballot).err
        assert "Welcome" not in say("q", "vote", ballot, "--voter", "ann", "--quiet").err

    def test_an_estimate_of_what_remains_is_shown(self, say, ballot: Path, monkeypatch) -> None:
        monkeypatch.setattr("antichain.cli._booth.Booth._more", lambda _: 1234)
        monkeypatch.setattr("antichain.cli._vote._show", lambda *_: None)
        called = say("q\n", "vote", ballot)
        assert "still in the running, about 1,230 more to come]" in called.err
        told = " ".join(called.err.split())
        assert "About 1,230 more answers would decide every item; whenever you stop," in told

    def test_quitting_says_how_to_go_on(self, say, call, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("my films.txt").write_text("Alien\nSaw\n")
        for lines in ("l\nq\n", "l\n"):  # asked for, or nothing more to read
            told = say(lines, "vote", "my films.txt", "--voter", " ann b ", "--delta", 0.2)
            assert told.code == 1
            assert "Everything is saved in my films.duels." in told.err
            again = "antichain vote 'my films.txt' --voter 'ann b' --delta 0.2"
            assert f"continue  {again}\n" in told.err
        assert say("q", *shlex.split(again)[1:]).err.count("Welcome back, ann b: you have given 2")
        for hint in ("results", "export"):
            line = next(line for line in told.err.splitlines() if line.strip().startswith(hint))
            assert call(*shlex.split(line)[2:]).code in (0, 1)
        assert len(Path("my films.csv").read_text().splitlines()) == 3

    @pytest.mark.parametrize("name", ["", " ", "a\nb"])
    def test_a_voter_without_a_name(self, refused, ballot: Path, name: str) -> None:
        assert "but a name on one line was expected" in refused("vote", ballot, "--voter", name)
        assert not ballot.with_suffix(".duels").exists()

    def test_duels_with_decoys_are_not_shown_as_others(self, refused, ballot: Path) -> None:
        path = ballot.with_suffix(".duels")
        with Study.open(path, ["Alien", "Saw"], ac.RealDecoys(delta=0.1, decoy_gap=0.2)) as study:
            while not any(ask.decoy for ask in study.outstanding):
                for ask in study.outstanding:
                    study.tell(ask, "tie")
                study.ask(1)
        assert "as its decoy" in refused("vote", ballot, "--quiet")

    def test_settings(self, say, refused, ballot: Path, tmp_path: Path, monkeypatch) -> None:
        other = tmp_path / "other"
        say("l\n", "vote", ballot, "--study", other, "--delta", 0.2, "--seed", 5)
        study = Study.read(other)
        assert (study.algorithm.delta, study.seed) == (0.2, 5)
        say("l\n", "vote", ballot, "--study", other)
        assert Study.read(other).progress.answers == 2
        assert "delta = 0.2" in refused("vote", ballot, "--study", other, "--delta", 0.1)
        assert "seed 5" in refused("vote", ballot, "--study", other, "--seed", 6)
        with Study.open(other):
            assert "being written by process" in refused("vote", ballot, "--study", other)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "no [[items]]"),
            ("items = 5", "line 1: items is 5, but a list of at least two items was expected"),
            ("items = []", "line 1: items is [], but a list of at least two items was expected"),
            ("[[items]]", "item 1 has no name"),
            ("items = [5]", "item 1 is 5, but a name, as in"),
            ("[[items]]\nname = 5", "name is 5"),
            ("[[items]]\nname = ' '", "one line of text"),
            (
                "[[items]]\nname = 'a'\n[[items]]\nname = 'a'",
                "'a', but an earlier item has that name",
            ),
            ("[[items]]\nname = 'a'\nfile = 'none.png'", "none.png"),
            ("[[items]]\nname = 'a'\nfile = 'no\\u0000'", "no"),
            ("[[items]]\nname = 'a'\ntext = 1", "text is 1"),
            ("[[items]]\nname = 'a'\nsound = 'b'", "'sound'"),
            ("titel = 'a'", "'titel'"),
            ("title = 1\n[[items]]\nname = 'a'", "title is 1"),
            ("[[items]]\nname = 'a'", "has one item, but at least two"),
            ("title = ", "is not TOML"),
            ("a = " + "[" * 5000, "is nested too deeply"),
            ("title = " + "9" * 5000, "is not TOML"),
            ("title = 0x" + "f" * 9000 + "\n[[items]]\nname='a'\n[[items]]\nname='b'", "long int"),
            ("[[items]]\nname = 'a'\n[[items]]\nname = 'a '", "a name without spaces around it"),
            ("[[items]]\nname = 'a'\n[[items]]\nname = 'b\u2028'", "one line of text"),
        ],
    )
    def test_a_ballot_that_cannot_be_used(self, refused, tmp_path: Path, text, words) -> None:
        path = tmp_path / "bad.toml"
        path.write_text(text)
        assert words in refused("vote", path)
        assert not path.with_suffix(".duels").exists()

    def test_no_ballot(self, refused, tmp_path: Path) -> None:
        assert "cannot read" in refused("vote", tmp_path / "none.toml")
        (tmp_path / "bytes.toml").write_bytes(b"\xff")
        assert "not UTF-8" in refused("vote", tmp_path / "bytes.toml")


def test_undo_takes_back_only_ones_own(say, ballot: Path) -> None:
    say("left\n", "vote", ballot, "--voter", "ann")
    called = say("right\nundo\nundo\n", "vote", ballot, "--voter", "bob")
    assert "There is no answer of 'bob' to take back." in called.err
    study = Study.read(ballot.with_suffix(".duels"))
    assert [(vote.voter, vote.answer) for vote in study.votes()] == [("ann", "left")]


class TestLooking:
    def test_progress_and_export(self, say, call, ballot: Path, tmp_path: Path) -> None:
        say("l\nr\nq\n", "vote", ballot, "--voter", "ann")
        path = ballot.with_suffix(".duels")
        shown = call("study", path)
        assert shown.code == 1
        assert "undecided  Alien, Saw" in shown.out
        assert "awaiting  1 answer" in shown.out
        record = json.loads(call("study", path, "--json").out)
        assert (record["answers"], record["finished"], record["outstanding"]) == (2, False, 1)
        assert record["answers_by_form"]["left"] + record["answers_by_form"]["right"] == 2
        exported = call("study", path, "--export", tmp_path / "votes.csv")
        assert exported.code == 0
        assert f"votes  {tmp_path / 'votes.csv'}" in exported.out
        rows = list(csv.DictReader((tmp_path / "votes.csv").read_text().splitlines()))
        assert [row["answer"] for row in rows] == ["left", "right"]
        assert call("study", path, "--export", "-").out == (tmp_path / "votes.csv").read_text()

    def test_skipped_answers_are_told(self, say, call, ballot: Path) -> None:
        said = say("l\ns\nq\n", "vote", ballot).out
        assert "answers  2, of which 1 counts (1 skipped)\n" in said

    def test_only_what_says_something_has_a_row(self, call, tmp_path: Path) -> None:
        with Study.open(tmp_path / "s", ["a", "b", "c"]) as study:
            for ask in study.ask(2):
                study.tell(ask, "left")
        rows = {line[:10].strip() for line in call("study", tmp_path / "s").out.splitlines()[-4:]}
        assert rows == {"in", "undecided", "answers", "study"}
        assert "   answers  2\n" in call("study", tmp_path / "s").out

    def test_the_forecast_of_what_remains(self, say, call, ballot: Path) -> None:
        say("l\nr\nq\n", "vote", ballot)
        path = ballot.with_suffix(".duels")
        assert json.loads(call("study", path, "--json").out)["remaining"] is None
        called = call("study", path, "--forecast", "--json")
        assert called.code == 1
        remaining = json.loads(called.out)["remaining"]
        assert 0 <= remaining["low"] <= remaining["median"] <= remaining["high"]
        expected = forecast_of(Study.read(path).search, runs=remaining["runs"])
        assert remaining == expected.in_short()
        assert "to come  about" in call("study", path, "--forecast").out

    def test_a_finished_study_has_nothing_to_come(self, call, tmp_path: Path) -> None:
        with Study.open(tmp_path / "s", ["a", "b"]) as study:
            while not study.finished:
                for ask in study.ask(5):
                    study.tell(ask, "left" if ask.left == "a" else "right")
        called = call("study", tmp_path / "s", "--forecast", "--json")
        assert called.code == 0
        remaining = json.loads(called.out)["remaining"]
        assert (remaining["low"], remaining["median"], remaining["high"]) == (0, 0, 0)
        assert "to come" not in call("study", tmp_path / "s", "--forecast").out

    def test_the_votes_of_a_served_study(self, call, refused, tmp_path: Path) -> None:
        databases = pytest.importorskip("antichain.serve._databases", reason="needs SQLAlchemy")
        path, votes = tmp_path / "drinks.sqlite", tmp_path / "votes.csv"
        with Study.open(tmp_path / "s", ["tea", "milk"]) as study:
            for ask in study.ask(3):
                study.tell(ask, "left", voter="ann")
        content, database = _journal.read(tmp_path / "s", STUDY), databases.Database(path)
        database.store("drinks").begin(content.header, content.lines)
        database.close()
        assert "   answers  3\n" in call("study", path, "--export", votes).out
        assert votes.read_text() == Study.read(tmp_path / "s").votes_csv()
        assert call("study", path, "--name", "drinks", "--export", "-").out == votes.read_text()
        assert call("front", votes).code == 0
        sentence = refused("front", path)
        assert f"study are written by: antichain study {path} --export votes.csv" in sentence

    def test_no_forecast_where_incomparable_is_an_answer(self, refused, tmp_path: Path) -> None:
        with Study.open(tmp_path / "s", ["a", "b"], ac.SlicingBandits(delta=0.1)):
            pass
        assert "fully observable" in refused("study", tmp_path / "s", "--forecast")

    def test_it_may_be_written_meanwhile(self, say, call, ballot: Path) -> None:
        say("l\n", "vote", ballot)
        path = ballot.with_suffix(".duels")
        with Study.open(path):
            called = call("study", path, "--quiet")
        assert called.out == ""  # they are undecided, not in
        assert called.err == "antichain: no item is certified yet: 2 items are undecided\n"

    def test_what_cannot_be_looked_at(self, refused, ballot: Path, tmp_path: Path) -> None:
        assert "cannot read" in refused("study", tmp_path / "none")
        assert "is not a study" in refused("study", ballot)
        with Study.open(tmp_path / "s", ["a", "b"]):
            pass
        assert "already exists" in refused("study", tmp_path / "s", "--export", ballot)

    def test_options_in_vain_are_refused(self, call, refused, tmp_path: Path) -> None:
        with Study.open(tmp_path / "s", ["a", "b"]):
            pass
        said = refused("study", tmp_path / "s", "--algorithm", "witness")
        assert f"--algorithm is witness, but {tmp_path / 's'} is a study with the method" in said
        assert call("study", tmp_path / "s", "--algorithm", "certificate").code == 1
        for option in ("--json", "--forecast"):
            said = refused("study", tmp_path / "s", "--export", "-", option)
            assert f"--export - and {option} are both given" in said
        items = tmp_path / "drinks.txt"
        items.write_text("tea\nmilk\n")
        assert "--criteria" in refused("vote", items, "--criteria", "")
        assert not items.with_suffix(".duels").exists()

    def test_help(self, call) -> None:
        assert "with --export, it is 0" in " ".join(call("study", "--help").out.split())
        for name in ("vote", "study"):
            page = call(name, "--help").out
            assert "--json" in page
            assert "--quiet" in page


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, *arguments: object, **environment: str) -> None:
        import pty

        self.master, slave = pty.openpty()
        self.child = subprocess.Popen(
            [sys.executable, "-c", MAIN, *map(str, arguments)],
            stdin=slave, stdout=subprocess.PIPE, stderr=slave, start_new_session=True,
            preexec_fn=_take_terminal, env=os.environ | environment,
        )  # fmt: skip
        os.close(slave)
        self.heard = ""
        self._decode = codecs.getincrementaldecoder("utf-8")().decode

    def wait_for(self, words: str, seconds: float = 120) -> str:
        """What it showed since it was last waited for, up to and with these words."""
        end = time.monotonic() + seconds
        while words not in self.heard:
            assert time.monotonic() < end, self.heard
            if select.select([self.master], [], [], 0.2)[0]:
                self.heard += self._decode(os.read(self.master, 4096))
        before, _, self.heard = self.heard.partition(words)
        return before + words

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def end(self) -> tuple[int, str]:
        assert self.child.stdout is not None
        out = self.child.stdout.read().decode()
        return self.child.wait(60), out

    def close(self) -> None:
        self.child.kill()
        self.child.wait()
        assert self.child.stdout is not None
        self.child.stdout.close()
        self.hang_up()

    def hang_up(self) -> None:
        if self.master >= 0:
            os.close(self.master)
        self.master = -1


def _take_terminal() -> None:
    import fcntl
    import signal
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
class TestTerminal:
    @pytest.fixture
    def terminal(self, ballot: Path) -> Iterator[Callable[..., Terminal]]:
        made = []

        def start(*arguments: object, items: Path = ballot, **environment: str) -> Terminal:
            made.append(Terminal("vote", items, *arguments, **environment))
            return made[-1]

        yield start
        for terminal in made:
            terminal.close()

    @pytest.mark.slow
    def test_keys(self, terminal, ballot: Path) -> None:
        screen = terminal()
        screen.wait_for("← → choose")
        keys = ["\x1b[D", "\x1bOC", "\x1b[A", "\x1b[B", "=", "x", "s", "\x1b[D", "u", "Z", "\x1b"]
        for keystroke in keys:
            screen.wait_for("→  ")  # the right side of a duel is the last thing shown
            screen.press(keystroke)
            if keystroke in ("Z", "\x1b"):
                screen.wait_for("← → choose")
                screen.heard = "→  "  # the same duel stays
                time.sleep(0.3)
        screen.press("q")
        code, out = screen.end()
        assert code == 1
        assert "undecided  " in out
        votes = list(Study.read(ballot.with_suffix(".duels")).votes())
        assert [vote.answer for vote in votes] == [
            "left", "right", "tie", "incomparable", "tie", "incomparable", "skipped",
        ]  # fmt: skip

    @pytest.mark.slow
    def test_to_the_end_with_a_kill_between(self, terminal, ballot: Path) -> None:
        path = ballot.with_suffix(".duels")
        screen = terminal()
        for answers in range(1, 200):
            shown = screen.wait_for("→  ")
            if answers == 4:
                screen.child.kill()  # it dies with a duel on the screen
                screen.child.wait()
                screen = terminal()
                shown = screen.wait_for("→  ")
            left = shown.split("←  ")[-1].split("\r\n")[0].strip()
            screen.press("\x1b[D" if left == "Alien" else "\x1b[C")
            screen.wait_for("     Alien\r\n")
            if Study.read(path).finished:
                break
        code, out = screen.end()
        assert code == 0
        assert "front  Alien" in out
        assert Study.read(path).progress.answers == answers
        assert Study.read(path).result().duels == answers

    def test_ctrl_c_leaves_the_terminal_as_it_was(self, terminal, ballot: Path) -> None:
        import termios

        screen = terminal()
        screen.wait_for("→  ")
        screen.press("=")
        screen.wait_for("→  ")
        before = termios.tcgetattr(screen.master)[3]
        assert not before & termios.ICANON
        screen.press("\x03")
        screen.wait_for("antichain: interrupted; everything is saved in ")
        screen.wait_for(f"continue  antichain vote {ballot}\r\n")
        assert screen.end()[0] == 130
        after = termios.tcgetattr(screen.master)[3]
        assert after & termios.ICANON
        assert after & termios.ECHO
        assert Study.read(ballot.with_suffix(".duels")).progress.answers == 1

    def test_a_request_to_end_is_heard_like_ctrl_c(self, terminal, ballot: Path) -> None:
        import termios

        screen = terminal("--voter", "ann")
        screen.wait_for("→  ")
        screen.press("=")
        screen.wait_for("→  ")
        screen.child.terminate()
        screen.wait_for("everything is saved in ")
        screen.wait_for(f"continue  antichain vote {ballot} --voter ann\r\n")
        assert screen.end()[0] == 130
        assert termios.tcgetattr(screen.master)[3] & termios.ECHO
        assert Study.read(ballot.with_suffix(".duels")).progress.answers == 1

    def test_a_closed_terminal(self, terminal, ballot: Path) -> None:
        before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # it may be ignored around the tests
        try:
            screen = terminal()
        finally:
            signal.signal(signal.SIGHUP, before)
        screen.wait_for("→  ")
        screen.press("=")
        screen.wait_for("→  ")
        screen.hang_up()
        assert screen.end()[0] in (1, 130)  # it is heard of by a signal, or by the end of input
        with Study.open(ballot.with_suffix(".duels")) as study:  # which nobody holds any more
            assert study.progress.answers == 1

    @pytest.mark.slow
    def test_pictures_are_shown_where_the_terminal_can(self, terminal, tmp_path: Path) -> None:
        for name in ("tea", "milk"):
            (tmp_path / "drinks").mkdir(exist_ok=True)
            (tmp_path / "drinks" / f"{name}.png").write_bytes(PNG)
        for multiplexer in ("", "/tmp/tmux"):
            screen = terminal(items=tmp_path / "drinks", TERM="xterm-kitty", TMUX=multiplexer)
            shown = screen.wait_for("→  ")
            assert shown.count("\x1b_Ga=T,f=100,q=2") == (0 if multiplexer else 2)
            assert ("drinks/" in shown.partition("←  ")[2]) == bool(multiplexer)
            screen.press("q")
            assert screen.end()[0] == 1

    @pytest.mark.slow
    def test_opening_files_never_stops_the_vote(self, terminal, ballot: Path) -> None:
        screen = terminal(PATH="/nowhere")
        screen.wait_for("→  ")
        screen.press("o")
        screen.wait_for("cannot open saw.txt: ")
        screen.press("=q")
        assert screen.end()[0] == 1
        assert Study.read(ballot.with_suffix(".duels")).progress.answers == 1

    def test_no_pictures_where_stderr_is_no_terminal(self, say, tmp_path: Path) -> None:
        for name in ("tea.png", "milk.png"):
            (tmp_path / name).write_bytes(PNG)
        called = say("q\n", "vote", tmp_path, "--study", tmp_path / "s", "--pictures", "kitty")
        assert "\x1b" not in called.err
        assert f"     {tmp_path / 'tea.png'}\n" in called.err


def test_a_study_of_votes_that_fit_no_order_has_no_front(call, tmp_path):
    path, above = tmp_path / "round.duels", {("x", "y"), ("y", "z"), ("z", "x")}
    with ac.Study.open(path, items=["x", "y", "z"]) as study:
        ac.judge(study, lambda left, right: "left" if (left, right) in above else "right")
        assert study.result().front == ()
    assert "front  none: every item is shown to be below another" in call("study", path).out
