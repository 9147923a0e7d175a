"""The comparison with other tools runs, and follows the rules that their papers state."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import antichain as ac

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
import other_rules as rules  # noqa: E402
import stopping  # noqa: E402

# The first item is above the second, and the third cannot be compared with either.
TWO_BEST = np.array([[0, 0.4, 0], [-0.4, 0, 0], [0, 0, 0]])
ONE_BETTER = np.array([[0, 0.5], [-0.5, 0]])


@pytest.mark.slow
def test_the_smallest_comparison_prints_its_tables():
    command = [sys.executable, str(BENCHMARKS / "others.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line[:1] == "|"]
    named = {row[0] for row in rows}
    assert {"duelpy OptMax", "antichain Certifying", "Chatbot Arena, rank 1"} <= named
    assert {"Bradley–Terry intervals, until one is best", "antichain Witness, decoys"} <= named
    # The last table: nothing beats Senna, and yet a ranking has Saw above it.
    films = rows[-5:]
    assert [row[0] for row in films] == ["Alien", "Saw", "Senna", "Amy", "Troll 2"]
    assert [row[0] for row in films if row[3] == "1"] == ["Alien"]
    assert [row[0] for row in films if row[4] == "in"] == ["Alien", "Senna"]


def test_the_intervals_of_two_items_are_those_of_a_coin():
    score, low, high = rules.arena_intervals(np.array([[0.0, 300.0], [100.0, 0.0]]))
    assert score[0] - score[1] == pytest.approx(np.log(3), rel=1e-3)
    # Centred scores are plus and minus half the log-odds, whose variance is 1/(n p (1 - p)).
    assert high - low == pytest.approx(1.96 / np.sqrt(400 * 0.75 * 0.25), rel=1e-2)


def test_crowd_bt_matches_the_moments_of_the_judge():
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


def test_sets_by_simple_rules():
    wins = np.array([[0.0, 3, 2], [0, 0, 1], [1, 1, 0]])
    assert list(rules.top_by_rate(wins)) == [0]
    assert list(rules.never_lost(wins)) == []
    assert list(rules.never_lost(wins * [[1], [1], [0]])) == [0]
    assert list(rules.rank_one(np.array([1.0, 0, 0]), np.array([2.0, 1, 0.9]))) == [0, 1]


@pytest.mark.parametrize("rule", [stopping.by_front, stopping.by_front_in_order])
def test_a_round_robin_stops_with_the_front_where_intervals_of_a_ranking_name_one_item(rule):
    votes, found = rule(TWO_BEST, 0)
    assert list(found) == [0, 2]
    assert votes < stopping.MOST
    assert list(stopping.by_intervals(TWO_BEST, 0)[1]) == [0]


def test_a_round_robin_in_order_stops_when_the_command_decides_everything():
    votes, found = stopping.by_front_in_order(TWO_BEST, 0)
    rows, looks = [], [0]

    def look(_, won):
        for row in won:
            for i, j, first in zip(*np.triu_indices(3, 1), row, strict=True):
                rows.append((str(i), str(j), "left" if first else "right"))
        looks.append(len(rows))
        return found if len(rows) == votes else ()

    stopping.robin(TWO_BEST, 0, look)
    told = ac.front(rows, ordered=True, likely=False)
    assert not told.undecided
    assert sorted(told.front) == [str(item) for item in found]
    assert ac.front(rows[: looks[-2]], ordered=True, likely=False).undecided


def test_a_round_robin_ends_without_a_set_when_nothing_stops_it():
    votes, found = stopping.robin(ONE_BETTER, 0, lambda *_: ())
    assert votes >= stopping.MOST
    assert list(found) == []


def test_the_votes_of_tests_by_pair_are_those_of_their_formulas():
    # ((1.960 + 1.645) / 0.2)² votes tell 60% from 50% at 5%, with a power of 95%.
    assert stopping.by_fixed_tests(ONE_BETTER, 0) == (325, [0])
    # Who always wins is ahead by ½, which is more than √(log(2/δ) / 2n) from the 8th vote on.
    assert stopping.by_hoeffding(ONE_BETTER, 0, looks=False) == (8, [0])
    assert stopping.by_hoeffding(ONE_BETTER, 0, looks=True) == (20, [0])
    for run in (stopping.by_fixed_tests, lambda *at: stopping.by_hoeffding(*at, looks=True)):
        assert list(run(TWO_BEST, 0)[1]) == [0, 2]
