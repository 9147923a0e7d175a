"""Leaping and playing duel by duel: the same law of stopping time and verdict."""

import math

import numpy as np
import pytest
from scipy.stats import fisher_exact, ks_2samp

import antichain as ac
from antichain.algorithms._rounds import Race, RaceOutcome, round_of
from antichain.evidence import Bet, SequentialTest, Verdict
from antichain.evidence._sequential import Streams
from antichain.orders import DuelModel

RUNS = 400
GAP = 0.1
MODEL = DuelModel.from_relations([("a", "b", GAP)], items=["a", "b", "c"])
TESTS = {
    "direct interval": SequentialTest.direct_interval(0.2, 0.15),
    "capped interval": SequentialTest.capped_interval(2.0, 80.0),
    "decoys in step": SequentialTest.decoys_in_step(0.3, 0.2),
    "one-sided interval": SequentialTest.one_sided_interval(2.0, 0.15),
    "two-sided bets": SequentialTest.two_sided_bets(0.1, Bet.geometric(0.1), 0.2, 0.1),
    "one-sided bets": SequentialTest.one_sided_bets(0.1, Bet.geometric(0.1), 0.15, 0.1),
    "one gap": SequentialTest.one_sided_bets(0.1, Bet.on_gaps([0.15], [1.0]), 0.15, 0.1),
}
# Seeded, so that a pass stays one; below this the two samples plainly differ.
SMALLEST_P = 0.005


def _duel_by_duel(
    test: SequentialTest, chances: tuple[float, float], prior: float, rng: np.random.Generator
) -> tuple[int, Verdict]:
    """The paper's way: one duel (or one in each direction), then look."""
    counts = np.zeros(8, np.int64)
    streams = 2 if test.streams is Streams.BOTH_DECOYS else 1
    while (verdict := test.verdict(counts, prior)) is Verdict.OPEN:
        for stream in range(streams):
            counts[4 * stream + (0 if rng.random() < chances[stream] else 1)] += 1
    return int(counts[:2].sum()), verdict


def _leaping(
    test: SequentialTest, right: int, prior: float, arena: ac.SimulatedArena
) -> tuple[int, Verdict]:
    counts = arena.settle(
        round_of(0, np.array([right]), test, prior_evidence=np.array([prior])), None
    )
    assert not isinstance(counts, RaceOutcome)
    return int(counts[0, :2].sum()), test.verdict(counts[0], prior)


@pytest.mark.parametrize("right", ["b", "c"])
@pytest.mark.parametrize("name", TESTS)
def test_same_law_of_stopping_time_and_verdict(name: str, right: str) -> None:
    test, prior = TESTS[name], 0.7 if name == "one-sided bets" else 0.0
    arena = ac.SimulatedArena(MODEL, decoy_gap=GAP, seed=1)
    pair = np.array([0]), np.array([MODEL.row(right)])
    decoy = test.streams is not Streams.DIRECT
    chances = (
        float(arena.chances(*pair, decoy)[0]),
        float(arena.chances(*pair[::-1], decoy)[0]),
    )
    rng = np.random.default_rng(2)
    slow = [_duel_by_duel(test, chances, prior, rng) for _ in range(RUNS)]
    fast = [_leaping(test, MODEL.row(right), prior, arena) for _ in range(RUNS)]
    assert ks_2samp([n for n, _ in slow], [n for n, _ in fast]).pvalue > SMALLEST_P
    assert len({n for n, _ in slow}) > 10, "the law of a constant would show nothing"
    for verdict in (Verdict.LEFT, Verdict.RIGHT):
        said = [sum(v is verdict for _, v in runs) for runs in (slow, fast)]
        table = [said, [RUNS - count for count in said]]
        assert fisher_exact(table).pvalue > SMALLEST_P


def _race_duel_by_duel(
    race: Race, arena: ac.SimulatedArena, rng: np.random.Generator
) -> tuple[int, tuple[int, ...]]:
    """All pairs in step; the duels played and who left, in order."""
    test = race.test
    decoy = test.streams is not Streams.DIRECT
    first = arena.chances(race.lefts, race.rights, decoy)
    second = arena.chances(race.rights, race.lefts, decoy)
    streams = 2 if test.streams is Streams.BOTH_DECOYS else 1
    counts = np.zeros((len(race), 8), np.int64)
    alive, gone = list(range(len(race))), []
    while alive:
        for row in alive:
            for stream, chance in enumerate((first[row], second[row])[:streams]):
                counts[row, 4 * stream + (0 if rng.random() < chance else 1)] += 1
        for row in alive.copy():
            pair = int(race.lefts[row]), int(race.rights[row])
            verdict = test.verdict(counts[row])
            if set(pair) & set(gone) or verdict is Verdict.OPEN:
                continue
            alive.remove(row)
            if verdict is not Verdict.EVEN:
                gone.append(pair[1] if verdict is Verdict.LEFT else pair[0])
        alive = [
            row for row in alive if not {int(race.lefts[row]), int(race.rights[row])} & set(gone)
        ]
    return int(counts.sum()), tuple(gone)


@pytest.mark.parametrize("name", ["capped interval", "one-sided interval", "decoys in step"])
def test_same_law_of_a_race(name: str) -> None:
    model = ac.posets.layered(2, 2, 2, seed=1, gaps="between:0.1:0.3")
    arena = ac.SimulatedArena(model, decoy_gap=GAP, seed=3)
    pairs = np.triu_indices(model.size, 1)
    if name == "one-sided interval":
        pairs = np.nonzero(~np.eye(model.size, dtype=np.bool_))
    race = Race(pairs[0].astype(np.int64), pairs[1].astype(np.int64), TESTS[name])
    rng = np.random.default_rng(4)
    slow = [_race_duel_by_duel(race, arena, rng) for _ in range(RUNS)]
    fast = []
    for _ in range(RUNS):
        outcome = arena.settle(race, None)
        assert isinstance(outcome, RaceOutcome)
        fast.append((int(outcome.counts.sum()), tuple(a for a, _ in outcome.eliminated)))
    assert ks_2samp([n for n, _ in slow], [n for n, _ in fast]).pvalue > SMALLEST_P
    for item in range(model.size):
        left = [sum(item in gone for _, gone in runs) for runs in (slow, fast)]
        table = [left, [RUNS - count for count in left]]
        assert fisher_exact(table).pvalue > SMALLEST_P
    assert len({gone for _, gone in slow}) > 1


def test_counts_of_a_race_have_the_right_mean() -> None:
    # What was drawn beyond an item's leaving is given back: the rest must not be biased.
    model = ac.posets.total_order(3, seed=0, gaps="constant:0.2")
    arena = ac.SimulatedArena(model, seed=5)
    race = Race(
        *(side.astype(np.int64) for side in np.triu_indices(3, 1)), TESTS["direct interval"]
    )
    rng = np.random.default_rng(6)
    fast = sum(_settled(arena, race) for _ in range(RUNS))
    slow = sum(_in_step(arena, race, rng) for _ in range(RUNS))
    for row in range(3):
        wins = [fast[row, 0], slow[row, 0]]
        losses = [fast[row, 1], slow[row, 1]]
        assert fisher_exact([wins, losses]).pvalue > SMALLEST_P


def _settled(arena: ac.SimulatedArena, race: Race) -> np.ndarray:
    outcome = arena.settle(race, None)
    assert isinstance(outcome, RaceOutcome)
    return outcome.counts


def _in_step(arena: ac.SimulatedArena, race: Race, rng: np.random.Generator) -> np.ndarray:
    chances = arena.chances(race.lefts, race.rights, decoy=False)
    counts = np.zeros((len(race), 8), np.int64)
    gone: set[int] = set()
    closed: set[int] = set()
    while len(closed) < len(race):
        for row in set(range(len(race))) - closed:
            counts[row, 0 if rng.random() < chances[row] else 1] += 1
        for row in range(len(race)):
            pair = int(race.lefts[row]), int(race.rights[row])
            if row in closed or set(pair) & gone:
                closed.add(row)
            elif (verdict := race.test.verdict(counts[row])) is not Verdict.OPEN:
                closed.add(row)
                if verdict is not Verdict.EVEN:
                    gone.add(pair[1] if verdict is Verdict.LEFT else pair[0])
        closed |= {
            row for row in range(len(race)) if {int(race.lefts[row]), int(race.rights[row])} & gone
        }
    return counts


def test_a_leap_may_be_cut_short_by_an_allowance() -> None:
    test = TESTS["two-sided bets"]
    for allowance in range(30):
        arena = ac.SimulatedArena(MODEL, seed=allowance)
        counts = arena.settle(round_of(0, np.array([1, 2]), test), allowance)
        assert not isinstance(counts, RaceOutcome)
        assert counts.sum() <= allowance
        verdicts = [test.verdict(row) for row in counts]
        assert counts.sum() == allowance or Verdict.OPEN not in verdicts


def test_the_unbounded_interval_leaps_far() -> None:
    # What UniformSampling uses where comparability shows; a quota of one duel would be no leap.
    test = SequentialTest.capped_interval(20.0, math.inf)
    assert test.quota(np.zeros(8, np.int64)) > 20
