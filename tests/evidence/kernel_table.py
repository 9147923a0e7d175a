"""Prints what every kernel says on fixed inputs; run with and without the compiler."""

import json
import math

import numpy as np

from antichain._kernels import keyed_uniform
from antichain.algorithms._rounds import Race, round_of
from antichain.arenas._simulated import SimulatedArena
from antichain.evidence import Bet, SequentialTest, Verdict
from antichain.evidence._bet import bet_quota, log_bet
from antichain.evidence._hoeffding import direct_quota, direct_verdict
from antichain.evidence._sequential import judge, judge_all, quota, quota_all
from antichain.orders import _generators as posets

TESTS = [
    SequentialTest.direct_interval(0.05, 0.15),
    SequentialTest.capped_interval(4.0, 60.0),
    SequentialTest.capped_interval(4.0, math.inf),
    SequentialTest.decoys_in_step(0.05, 0.2),
    SequentialTest.one_sided_interval(4.0, 0.2),
    SequentialTest.two_sided_bets(0.01, Bet.geometric(0.1), 0.2, 0.05),
    SequentialTest.one_sided_bets(0.01, Bet.open_ended(), 0.2, 0.02),
    SequentialTest.fixed(),
    SequentialTest.probe(),
]


def _tests() -> list[object]:
    rng = np.random.default_rng(1)
    rows = np.zeros((40, 8), np.int64)
    rows[:, :3] = rng.integers(0, 25, (40, 3))
    rows[:, 4] = rng.integers(0, rows[:, 0] + rows[:, 1] + 1)
    rows[:, 5] = rows[:, 0] + rows[:, 1] - rows[:, 4]
    prior, targets = rng.normal(size=40), rng.integers(0, 90, 40)
    found: list[object] = []
    for test in TESTS:
        found.append(judge_all(test.kind, test.numbers, rows, prior, targets).tolist())
        found.append(quota_all(test.kind, test.numbers, rows, prior, targets).tolist())
        found.append([int(judge(test.kind, test.numbers, row, 0.5, 1)) for row in rows[:5]])
        found.append([int(quota(test.kind, test.numbers, row, 0.0, 90)) for row in rows[:5]])
    return found


def _arena() -> SimulatedArena:
    model = posets.layered(2, 3, 3, seed=1, gaps="minimum:0.1")
    return SimulatedArena(model, decoy_gap=0.2, seed=5)


def _leaps() -> list[object]:
    found: list[object] = []
    for test in (*TESTS[:2], *TESTS[3:7]):  # what is never capped need not end
        for allowance in (None, 101):
            arena = _arena()
            stop = frozenset({Verdict.RIGHT})
            counts = arena.settle(round_of(0, np.arange(1, 8), test, stop=stop), allowance)
            found.append([counts.tolist(), arena.state()])
    return found


def _races() -> list[object]:
    found: list[object] = []
    for test in (TESTS[0], TESTS[1], TESTS[3]):
        arena = _arena()
        outcome = arena.settle(Race(*np.triu_indices(8, 1), test), None)
        found.append([outcome.eliminated, outcome.counts.tolist(), arena.state()])
    return found


def table() -> list[object]:
    """Everything, as plain data; floats in hexadecimal, so that equal means equal."""
    bet = Bet.geometric(0.02).packed
    counts = [(w, n - w) for n in (0, 1, 7, 100, 12345) for w in {0, n // 3, n}]
    return [
        [float(log_bet(bet, won, lost, 3)).hex() for won, lost in counts],
        [int(bet_quota(bet, won, lost, 3, 40.0)) for won, lost in counts],
        [int(direct_verdict(won, lost, 4.0, 0.1)) for won, lost in counts],
        [int(direct_quota(won, lost, 4.0, 0.1)) for won, lost in counts],
        [float(keyed_uniform(s, 3, 10**12, k)).hex() for s in (0, 7, 2**40) for k in range(20)],
        _tests(),
        _leaps(),
        _races(),
    ]


if __name__ == "__main__":
    print(json.dumps(table()))
