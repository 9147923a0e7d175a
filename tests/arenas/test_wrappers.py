"""Arenas around arenas: budgets and replays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import antichain as ac
from antichain.algorithms._rounds import Ask
from antichain.errors import FileError, ParameterError, ProtocolError

MODEL = ac.posets.chains(2, 3, seed=1, gaps="minimum:0.2")
ALGORITHM = ac.UnchainedBandits(delta=0.05, decoy_gap=0.2)


def arena(seed: int = 1) -> ac.SimulatedArena:
    return ac.SimulatedArena(MODEL, 0.2, seed=seed)


class TestBudgeted:
    def test_it_is_what_the_loop_uses(self) -> None:
        by_wrapper = ac.find_front(ac.Budgeted(arena(), 150), ALGORITHM)
        assert by_wrapper == ac.find_front(arena(), ALGORITHM, budget=150)
        assert by_wrapper.duels == 150
        assert not by_wrapper.certified

    def test_what_is_left_counts_down(self) -> None:
        budgeted = ac.Budgeted(arena(), 10)
        budgeted.answer([Ask(1, *MODEL.items[:2], decoy=False, duels=7)])
        assert budgeted.allowance == 3
        with pytest.raises(ProtocolError, match="4 duels were asked for, but only 3 are left"):
            budgeted.answer([Ask(2, *MODEL.items[:2], decoy=False, duels=4)])
        assert ac.Budgeted(budgeted, 100).allowance == 3

    @pytest.mark.parametrize("budget", [-1, 1.5, "many"])
    def test_what_is_no_budget_is_refused(self, budget: int) -> None:
        with pytest.raises(ParameterError, match="budget is"):
            ac.Budgeted(arena(), budget)


class TestReplay:
    @pytest.mark.parametrize("batch", [None, 30])
    def test_the_same_run_again_without_the_arena(self, batch: int | None, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        original = ac.find_front(arena(), ALGORITHM, seed=4, batch=batch, record=path)
        again = ac.find_front(ac.Replay(path), ALGORITHM, seed=4, batch=batch)
        assert again.front == original.front
        assert (again.duels, again.dominated) == (original.duels, original.dominated)
        assert again.regret is None, "a recording does not know the truth"

    def test_other_questions_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        ac.find_front(arena(), ALGORITHM, seed=4, record=path)
        with pytest.raises(FileError, match="other duels were asked for"):
            ac.find_front(ac.Replay(path), ALGORITHM, seed=5)

    def test_it_ends_where_the_recording_ends(self, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        ac.find_front(arena(), ALGORITHM, seed=4, batch=30, record=path)
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:3]))
        with pytest.raises(FileError, match="ends here"):
            ac.find_front(ac.Replay(path), ALGORITHM, seed=4, batch=30)

    @pytest.mark.parametrize("key", ["counts", "state"])
    def test_a_damaged_line_is_told(self, key: str, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        ac.find_front(arena(), ALGORITHM, seed=4, record=path)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        del lines[2][key]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        with pytest.raises(FileError, match="damaged"):
            ac.find_front(arena(), ALGORITHM, seed=4, record=path, resume=True)

    def test_another_world_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        ac.find_front(arena(), ALGORITHM, record=path)
        other = ac.SimulatedArena(ac.posets.chains(2, 3, seed=2, gaps="minimum:0.2"), 0.2)
        with pytest.raises(FileError, match="another run"):
            ac.find_front(other, ALGORITHM, record=path, resume=True)
