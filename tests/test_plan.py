"""Forecasts: of a run that has not begun, and of one in the middle."""

import math
from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import antichain as ac
from antichain._intervals import proportion_interval
from antichain._run import play
from antichain.algorithms._counts import Counted
from antichain.algorithms._registry import default_algorithm
from antichain.arenas._arena import Arena, Budgeted
from antichain.errors import InputError, ParameterError, ProtocolError
from antichain.forecast import _posterior
from antichain.forecast._planning import KINDS, _dimensions, plan, remaining
from antichain.forecast._posterior import MatrixWorld, Posterior
from antichain.orders import _generators

EASY = {"delta": 0.05, "decoy_gap": 0.1}


class TestPlan:
    """Before a run."""

    @pytest.mark.slow
    def test_it_is_what_running_such_posets_takes(self):
        forecast = plan(12, 3, **EASY, runs=60)
        algorithm = ac.UnchainedBandits(delta=0.05, decoy_gap=0.1)
        duels = [
            ac.find_front(
                ac.SimulatedArena(_generators.layered_of(12, 3, seed), 0.1, seed=seed), algorithm
            ).duels
            for seed in range(60)
        ]
        assert stats.ks_2samp(duels, forecast.duels).pvalue > 0.001
        assert forecast.median == np.median(forecast.duels)
        assert forecast.mean == pytest.approx(np.mean(forecast.duels))
        assert (forecast.low, forecast.high) == pytest.approx(
            tuple(np.quantile(forecast.duels, [0.05, 0.95]))
        )
        assert forecast.median_low <= forecast.median <= forecast.median_high
        assert forecast.runs == 60
        assert forecast.right >= 0.9

    def test_the_seed_decides_and_more_runs_only_add(self):
        one = plan(8, 2, **EASY, runs=10, seed=3)
        assert plan(8, 2, **EASY, runs=10, seed=3) == one
        assert plan(8, 2, **EASY, runs=15, seed=3).duels[:10] == one.duels
        assert plan(8, 2, **EASY, runs=10, seed=4).duels != one.duels

    @pytest.mark.slow
    def test_several_processes_give_the_same(self):
        assert plan(6, 2, **EASY, runs=6, workers=2) == plan(6, 2, **EASY, runs=6)

    def test_progress_is_told(self):
        told = []
        plan(5, 2, **EASY, runs=4, progress=told.append)
        assert told == [1, 2, 3, 4]

    @pytest.mark.slow
    def test_a_larger_front_takes_more_and_a_larger_delta_less(self):
        few, many = (plan(20, front, **EASY, runs=20).median for front in (2, 8))
        assert many > 2 * few
        assert plan(20, 8, delta=0.3, decoy_gap=0.1, runs=20).median < many

    @pytest.mark.slow
    def test_an_unknown_front_lies_between_and_is_owned_up_to(self):
        unknown = plan(20, **EASY, runs=60)
        assert "unknown" in unknown.settings
        assert unknown.low < plan(20, 4, **EASY, runs=20).median < unknown.high
        assert unknown.high / unknown.low > 2

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_kind_is_simulated(self, kind):
        forecast = plan(9, **EASY, runs=5, kind=kind)
        assert all(duels > 0 for duels in forecast.duels)
        assert kind.split("-")[0] in forecast.settings

    def test_without_decoys_right_means_an_approximation(self):
        forecast = plan(9, 2, delta=0.05, epsilon=0.2, runs=20)
        assert "ε = 0.2" in forecast.settings
        assert forecast.right >= 0.8

    def test_an_algorithm_of_one_s_own_choice_runs(self):
        own = plan(9, 2, algorithm=ac.SlicingBandits(delta=0.05), gaps="minimum:0.1", runs=5)
        assert own.settings.endswith("slicing, δ = 0.05")
        assert own.duels != plan(9, 2, **EASY, gaps="minimum:0.1", runs=5).duels

    def test_a_single_run_has_no_range(self):
        forecast = plan(5, 2, **EASY, runs=1)
        assert forecast.low == forecast.median == forecast.high == forecast.duels[0]
        assert forecast.median_low is None

    @pytest.mark.parametrize(
        ("items", "options", "words"),
        [
            (0, {}, "items is 0"),
            (1, {}, "items is 1, but a whole number of at least 2 was expected"),
            (5, {"front": 6}, "front is 6"),
            (5, {"front": 0}, "front is 0"),
            (5, {"front": 2, "kind": "total-order"}, "1 was expected"),
            (5, {"front": 2, "kind": "antichain"}, "5 was expected"),
            (5, {"kind": "heap"}, "kind is 'heap'"),
            (5, {"gaps": "wide"}, "'wide'"),
            (5, {"runs": 0}, "runs is 0"),
            (5, {"workers": 0}, "workers is 0"),
            (5, {"seed": -1}, "seed is -1"),
            (5, {"delta": 2.0}, "delta is 2.0"),
            (5, {"decoy_gap": None, "epsilon": 0.7}, "epsilon is 0.7"),
            (5, {"decoy_gap": None, "assume": ("weak",)}, "'weak'"),
            (5, {"algorithm": ac.UnchainedBandits()}, "both given"),
            (5, {"algorithm": "unchained"}, "algorithm is 'unchained'"),
        ],
    )
    def test_what_cannot_be_planned_is_refused_in_a_sentence(self, items, options, words):
        with pytest.raises(ParameterError, match=r"expected|must say|cannot be") as caught:
            plan(items, **(EASY | options))
        assert words in str(caught.value)


def test_dimensions_have_the_front_they_are_chosen_for():
    def distance(dimensions: int, front: int) -> float:
        sizes = [len(_generators.dominance(100, dimensions, seed).front) for seed in range(60)]
        return abs(math.log(np.mean(sizes) / front))

    assert _dimensions(100, 1) == 1
    for front in (5, 15):
        chosen = _dimensions(100, front)
        assert distance(chosen, front) < min(distance(chosen + k, front) for k in (-1, 1))


class TestWorlds:
    """What is believed of who is above whom."""

    @given(st.lists(st.floats(-5, 5), min_size=1, max_size=7))
    def test_sums_over_subsets_are_those_of_all_subsets(self, odds):
        sums = _posterior._subset_sums(np.array(odds))[-1]
        for k in range(len(odds) + 1):
            brute = sum(math.exp(sum(part)) for part in combinations(odds, k))
            assert sums[k] == pytest.approx(math.log(brute), abs=1e-9)

    def test_subsets_are_drawn_as_often_as_their_odds_say(self):
        odds = np.array([0.0, 1.0, -1.0, 0.5])
        rng = np.random.default_rng(5)
        draws = [tuple(np.flatnonzero(_posterior._draw_subset(odds, 2, rng))) for _ in range(4000)]
        subsets = list(combinations(range(4), 2))
        weights = np.array([math.exp(odds[list(subset)].sum()) for subset in subsets])
        seen = [draws.count(subset) for subset in subsets]
        assert stats.chisquare(seen, 4000 * weights / weights.sum()).pvalue > 0.001

    def test_odds_of_being_dominated_are_those_of_all_sets_of_dominators(self):
        rng = np.random.default_rng(2)
        above, density, uppers = rng.normal(0, 2, (4, 4)), 0.3, np.arange(4)
        found = _posterior._odds_dominated(above, uppers, uppers, density)
        for item in range(4):
            others = [k for k in range(4) if k != item]
            total = none = 0.0
            for size in range(1, 4):
                for part in combinations(others, size):
                    chance = density**size * (1 - density) ** (3 - size)
                    none += chance
                    total += chance * math.exp(above[list(part), item].sum())
            assert found[item] == pytest.approx(math.log(total / none))

    def test_evidence_for_a_gap_is_the_ratio_of_likelihoods(self):
        counts = Counted({("a", "b"): (30, 10, 4)}, {("a", "b"): (7, 5, 0)})
        beliefs = Posterior.from_counts(["a", "b"], counts, {}, decoy_gap=0.2)
        rows = {tuple(pair): row for row, pair in enumerate(beliefs.met.tolist())}
        for gap, found in zip(_posterior._GAPS, beliefs.likelihoods[rows[0, 1]], strict=True):
            direct = 32 * math.log(1 + 2 * gap) + 12 * math.log(1 - 2 * gap)
            decoy_gap = max(gap, 0.2)
            decoys = 7 * math.log(1 + 2 * decoy_gap) + 5 * math.log(1 - 2 * decoy_gap)
            assert found == pytest.approx(direct + decoys)
        assert beliefs.above[0, 1] > 0 > beliefs.above[1, 0]

    def test_the_law_of_gaps_follows_the_pairs_that_have_met(self):
        def mean_gap(chance: float) -> float:
            wins = round(400 * chance)
            names = [f"i{k}" for k in range(30)]
            direct = dict.fromkeys(pairwise(names), (wins, 400 - wins, 0))
            law = Posterior.from_counts(names, Counted(direct, {}), {}, None).law
            assert law.sum() == pytest.approx(1)
            return float(law @ _posterior._GAPS)

        assert mean_gap(0.95) > 0.33 > 0.2 > mean_gap(0.6)

    def test_worlds_agree_with_what_is_clear(self):
        names = ["a", "b", "c", "d"]
        direct = {("a", "b"): (900, 100, 0), ("a", "c"): (500, 500, 0), ("c", "d"): (80, 20, 0)}
        decoys = {("a", "c"): (5000, 5000, 0), ("c", "a"): (5000, 5000, 0)}
        beliefs = Posterior.from_counts(names, Counted(direct, decoys), {"d": "c"}, decoy_gap=0.1)
        rng = np.random.default_rng(0)
        for _ in range(50):
            gaps = beliefs.draw(rng)
            assert (gaps == -gaps.T).all()
            assert gaps[0, 1] == pytest.approx(0.4, abs=0.08)
            assert gaps[0, 2] == 0
            assert gaps[2, 3] > 0
            assert np.abs(gaps).max() < 0.5

    def test_what_is_not_clear_is_left_open(self):
        beliefs = Posterior.from_counts(["a", "b", "c"], Counted({}, {}), {}, None)
        rng = np.random.default_rng(0)
        fronts = [int((~(beliefs.draw(rng) < 0).any(axis=1)).sum()) for _ in range(600)]
        # One of three sizes, each as likely as its inverse says.
        expected = 600 * np.array([1, 1 / 2, 1 / 3]) / (1 + 1 / 2 + 1 / 3)
        assert stats.chisquare(np.bincount(fronts)[1:], expected).pvalue > 0.001

    def test_whoever_fell_fell_to_a_survivor(self):
        counts = Counted({("b", "c"): (9, 1, 0)}, {})
        beliefs = Posterior.from_counts(["a", "b", "c"], counts, {"c": "b", "b": "a"}, None)
        assert beliefs.fallen.tolist() == [-1, 0, 0]
        for seed in range(20):
            gaps = beliefs.draw(np.random.default_rng(seed))
            assert gaps[0, 1] > 0 < gaps[0, 2]

    def test_items_that_fell_in_a_circle_fell_to_whom_they_met(self):
        circle = {"a": "b", "b": "c", "c": "a", "d": "a"}
        beliefs = Posterior.from_counts(["a", "b", "c", "d", "e"], Counted({}, {}), circle, None)
        assert beliefs.fallen.tolist() == [1, 2, 0, 0, -1]
        gaps = beliefs.draw(np.random.default_rng(0))
        assert gaps[1, 0] > 0 < gaps[2, 1]

    def test_too_many_items_are_refused(self):
        names = [str(k) for k in range(_posterior.MOST_ITEMS + 1)]
        with pytest.raises(ParameterError, match="2001 items"):
            Posterior.from_counts(names, Counted({}, {}), {}, None)


Voters = Callable[[int], ac.SimulatedArena]


def stopped(case: int, base: int, epsilon: bool = False) -> tuple[ac.Search, Voters]:
    """A run stopped somewhere, and voters to go on with."""
    rng = np.random.default_rng([base, case])
    front = int(np.exp(rng.random() * np.log(11)))
    model = _generators.layered_of(20, front, rng)
    algorithm = default_algorithm(0.05, None if epsilon else 0.05, 0.1 if epsilon else None)

    def voters(seed: int) -> ac.SimulatedArena:
        return ac.SimulatedArena(model, algorithm.needs_decoys, seed=seed)

    in_all = ac.find_front(voters(case), algorithm, seed=case).duels
    search = algorithm.start(model.items, case)
    play(search, Budgeted(voters(case), max(1, int(rng.random() * in_all))), None, None)
    return search, voters


def played_on(search: ac.Search, arena: Arena) -> int:
    """The duels that a run takes from here to its end, those that turn out needless included."""
    plenty = 10**9
    voices = Budgeted(arena, plenty)
    play(search, voices, None, None)
    return plenty - voices.allowance


def covered(case: int, base: int, runs: int, epsilon: bool = False) -> bool:
    search, voters = stopped(case, base, epsilon)
    forecast = remaining(search, runs=runs, seed=case)
    return forecast.low <= played_on(search, voters(case + 10**6)) <= forecast.high


class TestRemaining:
    """In the middle of a run."""

    @pytest.mark.slow
    def test_asking_does_not_disturb_the_run(self):
        search, voters = stopped(1, 0)
        before = search.costs().duels
        first = remaining(search, runs=5, seed=2)
        assert remaining(search, runs=5, seed=2) == first
        assert search.costs().duels == before
        assert remaining(search, runs=5, seed=3).duels != first.duels
        play(search, voters(9), None, None)
        assert search.finished

    @pytest.mark.slow
    def test_several_processes_give_the_same(self):
        search, _ = stopped(2, 0)
        assert remaining(search, runs=4, workers=2) == remaining(search, runs=4)

    def test_nothing_remains_of_a_finished_run(self):
        search, voters = stopped(3, 0)
        play(search, voters(9), None, None)
        assert set(remaining(search, runs=3).duels) == {0}

    @pytest.mark.slow
    def test_less_remains_towards_the_end(self):
        model = _generators.layered_of(20, 4, 1)
        algorithm = default_algorithm(0.05, 0.05)
        in_all = ac.find_front(ac.SimulatedArena(model, 0.05), algorithm).duels
        medians = []
        for share in (0.0, 0.5, 0.95):
            search = algorithm.start(model.items)
            budget = Budgeted(ac.SimulatedArena(model, 0.05), int(share * in_all))
            play(search, budget, None, None)
            medians.append(remaining(search, runs=40).median)
        assert medians[0] > medians[1] > medians[2]

    def test_the_range_is_stretched_about_the_median(self):
        forecast = remaining(stopped(5, 0)[0], runs=20)
        low, high = np.quantile(forecast.duels, [0.05, 0.95])
        assert 0 <= forecast.low < low < forecast.median < high < forecast.high
        stretch = math.log((forecast.high + 1) / (forecast.median + 1))
        assert stretch == pytest.approx(2 * math.log((high + 1) / (forecast.median + 1)))

    @pytest.mark.parametrize("out", [False, True])
    def test_it_is_what_the_run_takes_in_such_a_world_asks_that_are_out_included(self, out):
        search, _ = stopped(6, 0)
        asks = [ask for _ in range(3) for ask in search.ask(500)] if out else []
        forecast = remaining(search, runs=1, seed=8)
        assert len(search.outstanding) == len(asks)
        rng = np.random.default_rng([8, 0])
        beliefs = Posterior.from_counts(
            search.items, search.counts(), search.result().dominated, 0.05
        )
        world = MatrixWorld(search.items, beliefs.draw(rng), 0.05, seed=int(rng.integers(2**53)))
        for ask, tally in zip(asks, world.answer(asks), strict=True):
            search.tell(ask, tally)
        still_out = sum(ask.duels for ask in asks)
        assert bool(still_out) == out
        assert forecast.duels == (still_out + played_on(search, world),)

    @pytest.mark.parametrize(
        "algorithm",
        [
            ac.UnchainedBandits(delta=0.05, decoy_gap=0.1, rules=ac.Rules.paper()),
            ac.UnchainedBandits(delta=0.05, decoy_gap=0.1),
            ac.UniformSampling(delta=0.05, decoy_gap=0.1),
        ],
    )
    def test_runs_that_cannot_start_from_counts_are_forecast_too(self, algorithm):
        model = _generators.layered_of(8, 2, 1)
        search = algorithm.start(model.items)
        in_all = ac.find_front(ac.SimulatedArena(model, 0.1), algorithm).duels
        play(search, Budgeted(ac.SimulatedArena(model, 0.1), in_all // 2), None, None)
        forecast = remaining(search, runs=20)
        truth = played_on(search, ac.SimulatedArena(model, 0.1, seed=5))
        assert forecast.low <= truth <= forecast.high

    @pytest.mark.parametrize("algorithm", [ac.SlicingBandits(), ac.UniformSampling(decoy_gap=None)])
    def test_a_run_in_an_observable_world_is_refused(self, algorithm):
        with pytest.raises(InputError, match=rf"{type(algorithm).__name__}.* was expected"):
            remaining(algorithm.start(["a", "b"]))

    def test_a_run_without_history_is_refused(self):
        search = default_algorithm(0.05, 0.1).start(["a", "b"], history=False)
        with pytest.raises(ProtocolError, match="history=False"):
            remaining(search)

    @pytest.mark.parametrize("epsilon", [False, True])
    @pytest.mark.slow
    def test_the_range_holds_the_truth_most_of_the_time(self, epsilon):
        hits = sum(covered(case, 1, 20, epsilon) for case in range(24))
        assert hits >= 18

    @pytest.mark.slow
    @pytest.mark.parametrize("epsilon", [False, True])
    def test_the_range_holds_the_truth_nearly_as_often_as_it_says(self, epsilon):
        cases = 40
        hits = sum(covered(case, 2, 40, epsilon) for case in range(cases))
        assert proportion_interval(hits, cases, level=0.99).high >= 0.9
        assert hits >= 0.8 * cases, hits
