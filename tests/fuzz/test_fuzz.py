"""Damaged inputs to every command: an answer or one sentence, and nothing of the user's touched."""

import sys
from pathlib import Path
from random import Random

import pytest

import antichain.cli

from . import running
from .damage import DAMAGES
from .materials import RECIPES, Case


def check(tally: running.Tally) -> None:
    assert not tally.troubles, "\n".join(f"{n}: {said}" for n, said in tally.troubles.items())


@pytest.mark.parametrize("start", range(1_000_000, 1_000_160, 40))
@pytest.mark.slow
def test_no_damaged_input_ends_in_a_fault(start: int) -> None:
    check(running.run_many(range(start, start + 40)))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(2_000_000, 2_000_600, 150))
def test_none_of_many_damaged_inputs_ends_in_a_fault(start: int) -> None:
    check(running.run_many(range(start, start + 150)))


@pytest.mark.slow
def test_the_real_command_holds_too() -> None:
    check(running.run_many(range(3_000_000, 3_000_020), really=True))


@pytest.mark.slow
def test_every_recipe_and_every_damage_takes_part() -> None:
    cases = [running.make(seed) for seed in range(700)]
    assert {damage.__name__ for damage in DAMAGES} <= {name for c in cases for name in c.classes}
    assert {recipe(Random(0)).command for recipe in RECIPES} <= {case.command for case in cases}


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.__name__)
def test_what_is_not_damaged_is_accepted(recipe) -> None:
    case = recipe(Random(5))
    outcome = running.run(case)
    assert outcome.troubles == []
    assert outcome.code in (0, 1), outcome.err


class TestWhatTheFuzzerNotices:
    """Each kind of trouble, brought about on purpose."""

    def outcome(self, monkeypatch: pytest.MonkeyPatch, fault) -> str:
        monkeypatch.setattr(antichain.cli, "main", fault)
        case = Case("front", ["votes.csv", "--json"], {"votes.csv": b"left,right,winner\n"})
        case.rows = (3, 1)
        return "; ".join(running.run(case).troubles)

    @pytest.mark.parametrize(
        ("out", "err", "code", "noticed"),
        [
            ("", "antichain: error: this is a fault", 70, "exit code 70"),
            ("", "Traceback (most recent call last)", 2, "a traceback"),
            ("", "antichain: error: a\nantichain: error: b\n", 2, "not one sentence"),
            ("", "antichain: error: \x1b[31m\n", 2, "stderr holds"),
            ("{,}\n", "", 0, "not JSON"),
        ],
    )
    def test_output(self, monkeypatch, out: str, err: str, code: int, noticed: str) -> None:
        def fault(line: list[str]) -> int:
            sys.stdout.write(out)
            sys.stderr.write(err)
            return code

        if code == 0:
            monkeypatch.setattr(running, "_check_rows", lambda case, outcome: None)
        assert noticed in self.outcome(monkeypatch, fault)

    def test_files(self, monkeypatch) -> None:
        def fault(line: list[str]) -> int:
            Path("study.duels.writer").unlink()
            sys.stderr.write("antichain: error: x\n")
            return 2

        assert "changed ['study.duels.writer']" in self.outcome(monkeypatch, fault)

    def test_rows(self, monkeypatch) -> None:
        def fault(line: list[str]) -> int:
            sys.stdout.write('{"votes": 2, "notes": []}\n')
            return 0

        said = self.outcome(monkeypatch, fault)
        assert "1 bad rows, and no word of them" in said
        assert "3 good rows and 1 bad, but 2 votes counted" in said

    def test_memory(self, monkeypatch) -> None:
        def fault(line: list[str]) -> int:
            assert len(b"x" * (600 << 20)) == 600 << 20  # more than a process has to give back
            sys.stderr.write("antichain: error: x\n")
            return 2

        monkeypatch.setattr(running, "MEGABYTES", 50)
        assert " MB" in self.outcome(monkeypatch, fault)

    def test_time(self, monkeypatch) -> None:
        def fault(line: list[str]) -> int:
            while True:
                pass

        monkeypatch.setattr(running, "SECONDS", 1)
        assert "more than 1 seconds" in self.outcome(monkeypatch, fault)
