"""UnchainedBandits: its schedule, its parameters, and the front it finds."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain.algorithms._ubs import peeling_floor, peeling_schedule
from antichain.errors import ParameterError
from antichain.orders import DuelModel

from ..orders.strategies import models

RULES = {
    "default": ac.Rules(),
    "paper": ac.Rules.paper(),
    "intervals, early exit": ac.Rules(tests="intervals", ties="coin"),
    "intervals in step, early exit": ac.Rules(tests="intervals", ties="coin", in_step=True),
    "lost against": ac.Rules(lost="against"),
}
every_rule = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
# So small that one wrong front in all these runs means a mistake in the code.
DELTA = 1e-6


def _front(model: DuelModel, algorithm: ac.UnchainedBandits, seed: int = 0) -> ac.Result:
    arena = ac.SimulatedArena(model, algorithm.decoy_gap, seed=seed)
    return ac.find_front(arena, algorithm, seed=seed)


@every_rule
@settings(max_examples=40, deadline=None)
@given(models(max_size=7, min_gap=0.05), st.integers(0, 1000))
def test_finds_the_front_of_any_order(rules: ac.Rules, model: DuelModel, seed: int) -> None:
    algorithm = ac.UnchainedBandits(delta=DELTA, decoy_gap=0.1, rules=rules)
    result = _front(model, algorithm, seed)
    assert result.certified
    assert result.front == tuple(
        item for item in model.items if not any(model.gap(o, item) > 0 for o in model.items)
    )
    for item, dominator in result.dominated.items():
        assert model.gap(dominator, item) > 0


@every_rule
@settings(max_examples=40, deadline=None)
@given(models(max_size=7, min_gap=0.02), st.floats(0.1, 0.45), st.integers(0, 1000))
def test_without_decoys_finds_an_approximation(
    rules: ac.Rules, model: DuelModel, epsilon: float, seed: int
) -> None:
    algorithm = ac.UnchainedBandits(delta=DELTA, decoy_gap=None, epsilon=epsilon, rules=rules)
    result = _front(model, algorithm, seed)
    assert result.decoy_duels == 0
    assert set(result.front) >= set(model.front)
    assert not [(a, b) for a in result.front for b in result.front if model.gap(a, b) > epsilon]
    assert model.is_eps_approximation(result.front, epsilon)


def test_the_last_peel_is_sure_of_what_it_keeps() -> None:
    # Nine items have one item above them, by little more than ε: each test must find it.
    star = [("top", f"leaf {k}", 0.21) for k in range(9)]
    model = DuelModel.from_relations(star)
    algorithm = ac.UnchainedBandits(delta=DELTA, decoy_gap=None, epsilon=0.2)
    for seed in range(30):
        assert model.is_eps_approximation(_front(model, algorithm, seed).front, 0.2)


@pytest.mark.parametrize("shape", ["one", "two incomparable", "two", "antichain", "total order"])
@every_rule
def test_the_smallest_and_the_plainest(rules: ac.Rules, shape: str) -> None:
    model = {
        "one": ac.posets.antichain(1),
        "two incomparable": ac.posets.antichain(2),
        "two": ac.posets.total_order(2, gaps="constant:0.2"),
        "antichain": ac.posets.antichain(6),
        "total order": ac.posets.total_order(8, gaps="minimum:0.1"),
    }[shape]
    algorithm = ac.UnchainedBandits(delta=DELTA, decoy_gap=0.2, rules=rules)
    for seed in range(3):
        assert _front(model, algorithm, seed).front == model.front


@settings(max_examples=25, deadline=None)
@given(models(min_size=2, max_size=6, min_gap=0.1), st.data())
def test_the_answer_does_not_depend_on_how_items_are_listed(
    model: DuelModel, data: st.DataObject
) -> None:
    shown = data.draw(st.permutations(model.items))
    order = [model.row(item) for item in shown]
    turned = DuelModel(
        ac.Poset(tuple(shown), model.poset.above[np.ix_(order, order)]),
        model.gaps[np.ix_(order, order)],
    )
    algorithm = ac.UnchainedBandits(delta=DELTA, decoy_gap=0.2)
    assert set(_front(model, algorithm).front) == set(_front(turned, algorithm).front)


def test_matrices_that_are_no_order_end_too() -> None:
    # Real voters may go round in circles: a ≻ b ≻ c ≻ a. Something is left, and it is said.
    circle = [[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]]
    algorithm = ac.UnchainedBandits(delta=0.01, decoy_gap=None, epsilon=0.1)
    for seed in range(5):
        result = ac.find_front(ac.MatrixArena(circle, seed=seed), algorithm, seed=seed)
        assert result.certified
        assert len(result.front) + len(result.dominated) == 3


class TestSchedule:
    """How fine each epoch looks (docs/theory/errata.md, 10)."""

    @given(st.floats(1e-4, 0.6), st.floats(0.1, 0.99), st.floats(0.05, 0.5))
    def test_falls_to_the_floor_and_stops_there(
        self, floor: float, gamma: float, epsilon0: float
    ) -> None:
        schedule = peeling_schedule(floor, gamma, epsilon0)
        assert (schedule == ()) is (floor >= epsilon0)
        if schedule:
            assert schedule[-1] == pytest.approx(floor)
            assert all(later < earlier for earlier, later in pairwise(schedule))
            assert schedule[0] == pytest.approx(max(epsilon0 * gamma, floor))
            for earlier, later in pairwise(schedule[:-1]):
                assert later / earlier == pytest.approx(gamma)

    def test_at_the_defaults(self) -> None:
        floor = peeling_floor(95, 0.01)
        assert floor == pytest.approx(0.01 * math.sqrt(95))
        assert len(ac.UnchainedBandits().schedule(95)) == 16
        movies = ac.UnchainedBandits(decoy_gap=None, epsilon=0.05)
        assert len(movies.schedule(159)) == 22

    def test_a_floor_on_the_grid_is_not_repeated(self) -> None:
        assert len(peeling_schedule(0.5 * 0.9**7)) == 7

    def test_without_peeling_there_is_one_epoch(self) -> None:
        algorithm = ac.UnchainedBandits(decoy_gap=0.2, epsilon0=0.2)
        result = _front(ac.posets.antichain(3), algorithm)
        assert [epoch.name for epoch in result.epochs] == ["decoys"]
        assert result.direct_duels == 0

    def test_epochs_are_those_of_the_schedule(self) -> None:
        algorithm = ac.UnchainedBandits(delta=0.01, decoy_gap=0.1)
        model = ac.posets.layered(2, 2, 3, seed=0, gaps="minimum:0.1")
        result = _front(model, algorithm)
        gaps = [epoch.epsilon for epoch in result.epochs]
        assert gaps == [*algorithm.schedule(model.size), 0.1]
        sizes = [epoch.entering for epoch in result.epochs]
        assert sizes[1:] == [epoch.surviving for epoch in result.epochs[:-1]]

    def test_an_epsilon_above_where_peeling_starts_is_kept_or_refused(self) -> None:
        model = ac.posets.total_order(4, gaps="constant:0.45")
        try:
            algorithm = ac.UnchainedBandits(decoy_gap=None, epsilon=0.35, epsilon0=0.3)
        except ParameterError:
            return
        result = _front(model, algorithm)
        assert model.is_eps_approximation(result.front, 0.35)


class TestParameters:
    """What is refused, in one sentence."""

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            ({"delta": 0}, "delta is 0, .*between 0 and 1"),
            ({"delta": 1}, "delta"),
            ({"delta": math.nan}, "delta is nan"),
            ({"delta": "0.1"}, "delta is '0.1'"),
            ({"delta": True}, "delta"),
            ({"decoy_gap": 0}, "decoy_gap"),
            ({"decoy_gap": 0.5}, "decoy_gap"),
            ({"decoy_gap": math.nan}, "decoy_gap"),
            ({"decoy_gap": None}, "epsilon must say"),
            ({"decoy_gap": None, "epsilon": 0.5}, "epsilon is 0.5"),
            ({"epsilon": 0.1}, "without decoys"),
            ({"gamma": 1.0}, "gamma"),
            ({"gamma": 0.0}, "gamma"),
            ({"gamma": math.nan}, "gamma"),
            ({"epsilon0": 0.6}, "epsilon0"),
            ({"epsilon0": 0.0}, "epsilon0"),
        ],
    )
    def test_of_the_algorithm(self, given: dict[str, Any], match: str) -> None:
        with pytest.raises(ParameterError, match=match):
            ac.UnchainedBandits(**given)

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            ({"tests": "guesses"}, "tests is 'guesses', but one of bets, intervals was expected"),
            ({"ties": "third"}, "ties"),
            ({"lost": "found"}, "lost"),
            ({"elimination_share": 1.0}, "elimination_share"),
            ({"peeling_doubt": math.nan}, "peeling_doubt"),
            ({"in_step": True}, "in_step is True.*tests='intervals'"),
            ({"tests": "intervals"}, "ties='coin' was expected"),
            (
                {"tests": "intervals", "ties": "coin", "lost": "against"},
                "lost is 'against'.*tests='bets'",
            ),
        ],
    )
    def test_of_the_rules(self, given: dict[str, Any], match: str) -> None:
        with pytest.raises(ParameterError, match=match):
            ac.Rules(**given)

    def test_rules_are_values(self) -> None:
        assert ac.Rules.paper() == ac.Rules.paper()
        assert ac.Rules.paper().is_paper
        assert not ac.Rules().is_paper
        assert ac.UnchainedBandits(rules=ac.Rules.paper()) != ac.UnchainedBandits()


def test_direct_duels_count_towards_dominance_and_never_against_it() -> None:
    # docs/theory/errata.md, 7.
    algorithm = ac.UnchainedBandits(delta=0.01, decoy_gap=0.1)

    def asked(direct: dict[tuple[str, str], tuple[int, int]]) -> dict[str, float]:
        """The log-evidence each decoy test of two even items starts with, by its left item."""
        search = algorithm.start(["a", "b"], direct=direct)
        arena = ac.SimulatedArena(DuelModel(ac.Poset(("a", "b"), np.zeros((2, 2), bool)),
                                            np.zeros((2, 2))), 0.1, seed=1)  # fmt: skip
        found: dict[str, float] = {}
        while not search.finished:
            message = search.message
            assert message is not None
            if message.test.streams:
                assert not message.start.any()
                found[search.items[message.lefts[0]]] = float(message.prior_evidence[0])
            search.settle(arena.settle(message, None))
        return found

    cold, warm = asked({}), asked({("a", "b"): (26, 14)})
    assert set(cold) == set(warm) == {"a", "b"}
    assert warm["a"] > cold["a"]
    assert warm["b"] < cold["b"]


@pytest.mark.parametrize("rules", [ac.Rules(), ac.Rules.paper()], ids=["default", "paper"])
def test_a_fully_observable_arena_will_do_too(rules: ac.Rules) -> None:
    # "Incomparable" is a tie to it, so that it comes to the same front.
    model = ac.posets.layered(2, 2, 2, seed=3, gaps="minimum:0.2")
    arena = ac.SimulatedArena(model, 0.2, observable=True, seed=1)
    algorithm = ac.UnchainedBandits(delta=0.01, decoy_gap=0.2, rules=rules)
    result = ac.find_front(arena, algorithm)
    assert result.front == model.front
    assert result.answers["incomparable"] > 0
