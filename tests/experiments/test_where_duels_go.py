"""`benchmarks/duels.py --where` puts every duel of `Witness` down to one step and one use."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import antichain as ac

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("seed", [0, 3])
def test_every_duel_has_one_step_and_one_use(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from where import as_table, means, where

    model = ac.posets.layered(5, 10, 5, seed=seed)
    arena = ac.SimulatedArena(model, decoy_gap=0.02, seed=seed)
    plain = ac.find_front(arena, ac.Witness(delta=0.01, decoy_gap=0.02), seed=seed)
    parts = where(model, seed, delta=0.01, gap=0.02)
    assert parts["run"]["duels"] == plain.duels, "counting must not change the run"
    steps = parts["steps"]
    assert sum(steps.values()) == plain.duels
    assert sum(n for name, n in parts["decoys"].items() if name[0] != "(") == plain.decoy_duels
    assert sum(parts["direct"].values()) == plain.direct_duels - steps["peel"]
    assert min(*steps.values(), *parts["cover"].values(), *parts["if"].values()) > 0
    assert parts["cover"]["true order"] <= parts["cover"]["certificates at the end"] * (1 + 1e-9)
    # What the covering program takes with the true order is the limit, but for the constants.
    assert parts["cover"]["true order"] == pytest.approx(parts["limit"]["front"], rel=0.05)
    assert f"{plain.duels:,}" in as_table(means([parts]))


def test_the_command_prints_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import duels

    name = next(name for name in duels.SETTINGS if name.startswith("few items"))
    monkeypatch.setattr(
        sys, "argv", ["duels.py", "--where", name, "--first", "2", "--posets", "2", "--json"]
    )
    duels.main()
    found = json.loads(capsys.readouterr().out)
    assert found["seeds"] == [2, 3]
    total = sum(run["run"]["duels"] for run in found["runs"])
    assert found["means"]["run"]["duels"] == total / 2
