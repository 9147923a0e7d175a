"""The maximum finders: their error rates, and that leaps have the law of single duels.

That they are right where their assumptions hold is part of the contract (tests/contracts).
"""

import math
import random
from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2_contingency, ks_2samp

import antichain as ac
from antichain.algorithms.chains import (
    FINDERS,
    BeatTheMean,
    Challenge,
    InterleavedFilter,
    Knockout,
    MaximumFinder,
    PeelToOne,
)
from antichain.algorithms.chains._beat_the_mean import _Records, _safe_target
from antichain.algorithms.chains._interleaved_filter import _shown, _surely_needed
from antichain.errors import ParameterError
from antichain.evidence._answers import COUNTS
from antichain.testing._finder_checks import WholeChain

ALL = [FINDERS[name]() for name in sorted(FINDERS)]
ANY_GAPS = [Challenge(), PeelToOne(), Knockout()]
"""Those that assume order compatibility only."""
NEEDS_TRANSITIVITY = [InterleavedFilter(), BeatTheMean()]


def by_name(finder: MaximumFinder) -> str:
    return finder.name


def run(finder: MaximumFinder, chances: np.ndarray, delta: float, seed: int) -> ac.Result:
    arena, algorithm = world(finder, chances, delta, seed)
    return ac.find_front(arena, algorithm, seed=seed)


def world(
    finder: MaximumFinder, chances: np.ndarray, delta: float, seed: int
) -> tuple[ac.MatrixArena, WholeChain]:
    names = [f"item {k}" for k in range(len(chances))]
    return ac.MatrixArena(chances, names, seed=seed), WholeChain(delta, finder=finder)


def leap(finder: MaximumFinder, chances: np.ndarray, delta: float, seed: int) -> tuple[int, int]:
    """Duels played and who left first."""
    arena, algorithm = world(finder, chances, delta, seed)
    search = algorithm.start(arena.items, seed)
    while not search.finished:
        search.settle(arena.settle(search.message, None))
    return search.result().duels, next(iter(search.plan_state.fallen))


def bradley_terry(strengths: np.ndarray) -> np.ndarray:
    """Chances with strong stochastic transitivity and the triangle inequality."""
    return 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))


def chances_from(gaps_above: dict[tuple[int, int], float], size: int) -> np.ndarray:
    chances = np.full((size, size), 0.5)
    for (upper, lower), gap in gaps_above.items():
        chances[upper, lower], chances[lower, upper] = 0.5 + gap, 0.5 - gap
    return chances


class TestErrorRate:
    """Rejected only where so many errors have a chance below 1 in 1000 at rate δ."""

    RUNS = 150
    DELTA = 0.2

    def errors(self, finder, chances, runs=RUNS, delta=DELTA):
        return sum(run(finder, chances, delta, seed).front != ("item 0",) for seed in range(runs))

    @pytest.mark.parametrize("finder", ALL, ids=by_name)
    @pytest.mark.slow
    def test_at_most_delta_where_gaps_grow_along_the_order(self, finder):
        errors = self.errors(finder, bradley_terry(np.array([3.0, 1.5, 0.0])))
        assert binom.sf(errors - 1, self.RUNS, self.DELTA) > 0.001

    @pytest.mark.parametrize("finder", ANY_GAPS, ids=by_name)
    def test_at_most_delta_on_equal_gaps(self, finder):
        chances = chances_from({(i, j): 0.2 for i in range(4) for j in range(i + 1, 4)}, 4)
        errors = self.errors(finder, chances)
        assert binom.sf(errors - 1, self.RUNS, self.DELTA) > 0.001

    # The maximum beats everyone by little; below it the gaps are wide.
    FLAT_TOP: ClassVar = {
        (i, j): 0.05 if i == 0 else 0.49 for i in range(8) for j in range(i + 1, 8)
    }

    @pytest.mark.parametrize("finder", ANY_GAPS, ids=by_name)
    def test_at_most_delta_without_stochastic_transitivity(self, finder):
        errors = self.errors(finder, chances_from(self.FLAT_TOP, 8), runs=80, delta=0.05)
        assert binom.sf(errors - 1, 80, 0.05) > 0.001

    @pytest.mark.slow
    def test_interleaved_filter_errs_without_stochastic_transitivity(self):
        # Pruning throws the maximum out with whoever lost clearly to somebody else.
        chances = chances_from(self.FLAT_TOP, 8)
        errors = self.errors(InterleavedFilter(), chances, runs=80, delta=0.05)
        assert binom.sf(errors - 1, 80, 0.05) < 0.001


class TestCountsGivenAtTheStart:
    @pytest.mark.parametrize("finder", ANY_GAPS, ids=by_name)
    def test_are_evidence(self, finder):
        search = WholeChain(0.01, finder=finder).start(["a", "b"], direct={("b", "a"): (60, 2, 5)})
        assert search.ask() == []
        assert search.finished
        assert search.result().front == ("b",)

    @pytest.mark.parametrize("finder", NEEDS_TRANSITIVITY, ids=by_name)
    def test_are_no_evidence_to_intervals(self, finder):
        search = WholeChain(0.01, finder=finder).start(["a", "b"], direct={("b", "a"): (60, 2, 5)})
        assert search.ask()

    def test_that_show_everyone_below_someone_still_leave_one(self):
        circle = {("a", "b"): (99, 0), ("b", "c"): (99, 0), ("c", "a"): (99, 0)}
        result = WholeChain(0.01, finder=Challenge()).start(list("abc"), direct=circle).result()
        assert result.certified
        assert len(result.front) == 1


def filter_duel_by_duel(chances, delta, rng):
    """Interleaved Filter 2 from its pseudocode: duels played and who left first."""
    size = len(chances)
    limit = math.log(size**2 / delta)
    candidate, *rivals = rng.sample(range(size), size)
    wins, t, duels, first_out = dict.fromkeys(rivals, 0), 0, 0, None
    while rivals:
        t += 1
        for rival in rivals:
            wins[rival] += rng.random() < chances[candidate][rival]
            duels += 1
        radius = math.sqrt(4 * limit / t)
        gone = [k for k in rivals if wins[k] / t - 0.5 >= radius]
        rivals = [k for k in rivals if k not in gone]
        above = [k for k in rivals if 0.5 - wins[k] / t >= radius]
        if above:
            gone.append(candidate)
            candidate = min(above, key=wins.__getitem__)
            rivals = [k for k in rivals if wins[k] / t <= 0.5 and k != candidate]
            wins, t = dict.fromkeys(rivals, 0), 0
        if gone and first_out is None:
            first_out = gone[0]
    return duels, first_out


def mean_duel_by_duel(chances, delta, rng):
    """Beat-the-Mean from its pseudocode: duels played and who left first."""
    left = list(range(len(chances)))
    limit = math.log(len(left) ** 3 / delta)
    wins, played = Counter(), Counter()
    duels, first_out = 0, None
    while len(left) > 1:
        total = {a: sum(played[a, b] for b in left) for a in left}
        fewest = min(total.values())
        one = rng.choice([a for a in left if total[a] == fewest])
        other = rng.choice([b for b in left if b != one])
        wins[one, other] += rng.random() < chances[one][other]
        played[one, other] += 1
        total[one] += 1
        duels += 1
        share = {a: sum(wins[a, b] for b in left) / total[a] if total[a] else 0.5 for a in left}
        fewest = min(total.values())
        radius = 3 * math.sqrt(limit / fewest) if fewest else 1
        worst = min(left, key=share.__getitem__)
        if share[worst] + radius <= max(share.values()) - radius:
            left.remove(worst)
            first_out = worst if first_out is None else first_out
    return duels, first_out


class TestLeaping:
    """Many duels at once have the very law of one duel at a time."""

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("finder", "duel_by_duel", "runs"),
        [
            (InterleavedFilter(), filter_duel_by_duel, 400),
            (BeatTheMean(), mean_duel_by_duel, 100),
        ],
        ids=["if2", "beat-the-mean"],
    )
    def test_equals_duel_by_duel(self, finder, duel_by_duel, runs):
        chances = chances_from({(0, 1): 0.35, (0, 2): 0.47, (1, 2): 0.4}, 3)
        rng = random.Random(11)
        slow = [duel_by_duel(chances.tolist(), 0.3, rng) for _ in range(runs)]
        fast = [leap(finder, chances, 0.3, seed) for seed in range(2 * runs)]
        assert ks_2samp([n for n, _ in slow], [n for n, _ in fast]).pvalue > 0.001
        outs = [[first for _, first in some] for some in (slow, fast)]
        # One more of each, so that no column is empty.
        table = [[out.count(k) + 1 for k in range(3)] for out in outs]
        assert chi2_contingency(table).pvalue > 0.001

    @given(
        wins=st.integers(0, 400),
        losses=st.integers(0, 400),
        ties=st.integers(0, 50),
        doubt=st.floats(0.5, 20),
    )
    def test_filter_reads_no_interval_too_late(self, wins, losses, ties, doubt):
        def decided(more_wins, more_losses):
            counts = np.zeros((1, COUNTS), np.int64)
            counts[0, :3] = wins + more_wins, losses + more_losses, ties
            below, above = _shown(counts, doubt)
            return bool(below[0] or above[0])

        assume(wins + losses + ties == 0 or not decided(0, 0))
        counts = np.zeros((1, COUNTS), np.int64)
        counts[0, :3] = wins, losses, ties
        needed = _surely_needed(counts, doubt)
        assert not any(decided(needed - 1 - k, k) for k in range(needed))
        # The slack against rounding may make it one too small where the two sides meet exactly.
        assert decided(needed + 1, 0) or decided(0, needed + 1)

    @pytest.mark.slow
    @settings(deadline=None, max_examples=50)
    @given(
        records=st.lists(st.tuples(st.integers(0, 300), st.floats(0, 1)), min_size=2, max_size=5),
        scale=st.floats(3, 12),
        seed=st.integers(0, 2**32 - 1),
    )
    def test_mean_reads_no_record_too_late(self, records, scale, seed):
        duels = np.array([n for n, _ in records])
        points = np.round([n * share for n, share in records])
        table = _Records(points, duels, np.zeros_like(duels))
        target = _safe_target(table, int(duels.min()), scale)
        assume(target > duels.min())
        # The worst case: one item wins all its duels and another loses all.
        rng = np.random.default_rng(seed)
        winner, loser = rng.permutation(duels.size)[:2]
        while duels.min() < target:
            item = rng.choice(np.flatnonzero(duels == duels.min()))
            duels[item] += 1
            points[item] += 1 if item == winner else 0 if item == loser else rng.integers(2)
            spread = _Records(points, duels, table.lost).spread()
            assert duels.min() == 0 or spread < 2 * scale / math.sqrt(duels.min())

    def test_mean_leaps_as_far_as_it_can_at_the_start(self):
        nothing = np.zeros(4, np.int64)
        # No spread exceeds 1, so that nobody leaves before 2·scale/√n is at most 1.
        assert _safe_target(_Records(nothing.astype(float), nothing, nothing), 0, 5.0) == 99


class TestParameters:
    @pytest.mark.parametrize("gamma", [0.99, math.inf, math.nan, True, "1"])
    def test_gamma_is_at_least_one(self, gamma):
        with pytest.raises(ParameterError, match="at least 1"):
            BeatTheMean(gamma=gamma)

    @pytest.mark.parametrize("options", [{"optimism": 0}, {"growth": 0}, {"growth": math.nan}])
    def test_challenge_takes_positive_numbers(self, options):
        with pytest.raises(ParameterError, match=next(iter(options))):
            Challenge(**options)

    def test_wider_gamma_takes_more_duels(self):
        chances = bradley_terry(np.array([2.0, 0.0]))
        strict = run(BeatTheMean(), chances, 0.1, 0)
        relaxed = run(BeatTheMean(gamma=1.5), chances, 0.1, 0)
        assert strict.duels < relaxed.duels

    def test_finders_go_by_their_names(self):
        assert all(FINDERS[finder.name] is type(finder) for finder in ALL)
        assert all(isinstance(finder, MaximumFinder) for finder in ALL)
