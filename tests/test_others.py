"""The comparison with other tools runs, and follows the rules that their papers state."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def rules() -> ModuleType:
    spec = importlib.util.spec_from_file_location("other_rules", BENCHMARKS / "other_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_smallest_comparison_prints_its_tables():
    command = [sys.executable, str(BENCHMARKS / "others.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line[:1] == "|"]
    named = {row[0] for row in rows}
    assert {"duelpy OptMax", "antichain Certifying", "Chatbot Arena, rank 1"} <= named
    # The last table: nothing beats Senna, and yet a ranking has Saw above it.
    films = rows[-5:]
    assert [row[0] for row in films] == ["Alien", "Saw", "Senna", "Amy", "Troll 2"]
    assert [row[0] for row in films if row[3] == "1"] == ["Alien"]
    assert [row[0] for row in films if row[4] == "in"] == ["Alien", "Senna"]


def test_the_intervals_of_two_items_are_those_of_a_coin(rules):
    score, low, high = rules.arena_intervals(np.array([[0.0, 300.0], [100.0, 0.0]]))
    assert score[0] - score[1] == pytest.approx(np.log(3), rel=1e-3)
    # Centred scores are plus and minus half the log-odds, whose variance is 1/(n p (1 - p)).
    assert high - low == pytest.approx(1.96 / np.sqrt(400 * 0.75 * 0.25), rel=1e-2)


def test_crowd_bt_matches_the_moments_of_the_judge(rules):
    trust, mean, spread = np.array([10.0, 1.0]), np.array([0.4, -0.3]), np.array([0.5, 0.8])
    _, _, (a, b), chance = rules.after(mean, spread, trust, 0, 1)
    p = 1 / (1 + np.exp(-0.7))
    right = p + 0.65 * p * (1 - p) * (1 - 2 * p)  # by a second-order expansion, as in the paper
    eta = (np.arange(400_000) + 0.5) / 400_000
    weight = eta**9 * (right * eta + (1 - right) * (1 - eta))
    average = (weight * eta).sum() / weight.sum()
    variance = (weight * (eta - average) ** 2).sum() / weight.sum()
    assert a / (a + b) == pytest.approx(average, rel=1e-4)
    assert a * b / (a + b) ** 2 / (a + b + 1) == pytest.approx(variance, rel=1e-3)
    assert chance == pytest.approx((10 * right + (1 - right)) / 11)


def test_sets_by_simple_rules(rules):
    wins = np.array([[0.0, 3, 2], [0, 0, 1], [1, 1, 0]])
    assert list(rules.top_by_rate(wins)) == [0]
    assert list(rules.never_lost(wins)) == []
    assert list(rules.never_lost(wins * [[1], [1], [0]])) == [0]
    assert list(rules.rank_one(np.array([1.0, 0, 0]), np.array([2.0, 1, 0.9]))) == [0, 1]
