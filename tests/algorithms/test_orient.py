"""Orient: the brute-force front, sparing probes, and far fewer pulls than SlicingBandits."""

import contextlib
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain.algorithms._orient import _Run
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Outcome
from antichain.errors import NotObservableError, OrderError, ParameterError

from ..orders.strategies import models
from .test_slicing import TINY, Watchful, brute_force_front


@settings(deadline=None, max_examples=60)
@given(models(max_size=9, min_gap=0.1), st.integers(0, 1000))
def test_the_front_of_random_orders(model: ac.DuelModel, seed: int) -> None:
    arena = Watchful(model, seed=seed)
    result = ac.find_front(arena, ac.Orient(delta=TINY), seed=seed)
    assert set(result.front) == brute_force_front(model)
    assert result.certified
    assert len(arena.probed) == len(set(arena.probed)) == result.probes
    assert set(result.dominated) == set(model.items) - set(result.front)


def pulls(model: ac.DuelModel, method: ac.Algorithm, seed: int) -> int:
    arena = ac.SimulatedArena(model, observable=True, seed=seed)
    result = ac.find_front(arena, method, seed=seed)
    assert set(result.front) == set(model.front)
    return result.duels


@pytest.mark.parametrize(
    ("make", "at_most"),
    [
        (lambda seed: ac.posets.layered(5, 10, 10, seed=seed, gaps="minimum:0.02"), 0.2),
        (lambda seed: ac.posets.dominance(100, 2, seed=seed, gaps="minimum:0.02"), 0.3),
        (lambda seed: ac.posets.dominance(100, 3, seed=seed, gaps="minimum:0.02"), 0.3),
        (lambda seed: ac.posets.total_order(30, seed=seed, gaps="minimum:0.05"), 1.1),
    ],
    ids=["layered", "2-d", "3-d", "total order"],
)
@pytest.mark.slow
def test_far_fewer_pulls_than_slicing(make, at_most: float) -> None:
    worlds = [make(seed) for seed in range(8)]
    ours = sum(pulls(model, ac.Orient(), seed) for seed, model in enumerate(worlds))
    theirs = sum(pulls(model, ac.SlicingBandits(), seed) for seed, model in enumerate(worlds))
    assert ours <= at_most * theirs


def test_an_antichain_takes_one_probe_a_pair_and_no_duel() -> None:
    arena = ac.SimulatedArena(ac.posets.antichain(12), observable=True)
    result = ac.find_front(arena, ac.Orient())
    assert (result.duels, result.probes) == (66, 66)


def test_one_bit_of_many_pairs_takes_few_duels_besides_the_probes() -> None:
    gaps = "minimum:0.1"
    model = ac.posets.layered(5, 10, 2, seed=3, gaps=gaps, parents="uniform")
    arena = ac.SimulatedArena(model, observable=True, seed=3)
    result = ac.find_front(arena, ac.Orient(), seed=3)
    assert set(result.front) == set(model.front)
    assert result.direct_duels < 100  # a single pair would take as many


def test_it_wants_to_see_what_is_incomparable() -> None:
    with pytest.raises(NotObservableError):
        ac.find_front(ac.SimulatedArena(ac.posets.chains(2, 2)), ac.Orient())


def test_the_same_seed_gives_the_same_run() -> None:
    model = ac.posets.layered(3, 6, 4, seed=1, gaps="minimum:0.05")
    runs = [
        ac.find_front(ac.SimulatedArena(model, observable=True, seed=2), ac.Orient(), seed=5)
        for _ in range(2)
    ]
    assert runs[0].to_dict() == runs[1].to_dict()
    assert np.isfinite(runs[0].regret)


def test_what_led_to_an_item_is_no_evidence_about_it() -> None:
    state = PlanState(2, seed=0)
    run = _Run(state, ac.SequentialTest.probe(), delta=0.01)
    run._order.note(0, 1, comparable=True)
    lucky = np.array([60, 0, 0, 0])
    run._book(0, 1, lucky)
    run._take_up()
    test = run._test(0, 1, 0.01)
    asked = next(test)  # sixty wins that were there before decide nothing
    assert len(asked) == 1
    run._book(0, 1, lucky)  # sixty that came since do
    counts = asked.start.copy()
    counts[:, 0] += asked.targets
    with pytest.raises(StopIteration):
        test.send(Outcome(np.array([3], np.int8), counts))
    assert run._order.above(0, 1)


@pytest.mark.slow
def test_probes_of_chains_grow_like_width_times_items():
    """Those of a race by all pairs would grow with the square of a chain's length."""
    per_item = []
    for length in (100, 400):
        model = ac.posets.chains(3, length, seed=1, gaps="constant:0.4")
        result = ac.find_front(ac.SimulatedArena(model, observable=True), ac.Orient(delta=0.01))
        assert set(result.front) == set(model.front)
        per_item.append(result.probes / model.size)
    assert per_item[1] < 1.3 * per_item[0]


def test_answers_that_fit_no_order_are_named():
    names = "abcdefg"
    ring = {frozenset(pair) for pair in zip(names, names[1:] + "a", strict=True)}  # of no order

    def judge(left: str, right: str) -> str:
        if {left, right} not in ring:
            return "incomparable"
        return "left" if left < right else "right"

    said = []
    for seed in range(20):  # not every run meets the contradiction
        arena = ac.CallableArena(list(names), judge, observable=True)
        try:
            ac.find_front(arena, ac.Orient(delta=0.1), seed=seed)
        except OrderError as error:
            said.append(str(error))
    assert said
    for sentence in said:
        assert re.search("no order fits .* '[a-g]' can be compared to '[a-g]'", sentence)


def voted(method: ac.Algorithm, seed: int) -> tuple[set[str], bool]:
    """The front that a method finds among voters who err, and whether that is the front."""
    model = ac.posets.layered(3, 5, 4, seed=seed, gaps="minimum:0.1")
    arena = ac.SimulatedArena(model, observable=True, comparability_error=0.1, seed=seed)
    found = set(ac.find_front(arena, method, budget=50_000).front)
    return found, found == set(model.front)


@pytest.mark.parametrize("method", [ac.Orient, ac.SlicingBandits])
def test_voters_who_misjudge_what_can_be_compared(method):
    for seed in range(10):
        assert voted(method(delta=0.01, comparability_error=0.1), seed)[1]


def test_believing_every_answer_would_be_wrong():
    right = 0
    for seed in range(10):
        with contextlib.suppress(OrderError):
            right += voted(ac.Orient(delta=0.01), seed)[1]
    assert right < 5


@pytest.mark.parametrize("error", [-0.1, 0.5, float("nan")])
def test_an_error_that_cannot_be(error):
    with pytest.raises(ParameterError, match="comparability_error is"):
        ac.Orient(comparability_error=error)


def test_only_voters_who_are_asked_can_misjudge():
    with pytest.raises(ParameterError, match="observable=True"):
        ac.SimulatedArena(ac.posets.antichain(3), comparability_error=0.1)


def test_how_often_simulated_voters_misjudge():
    model = ac.DuelModel.from_relations([("a", "b", 0.2)], items=["a", "b", "c"])
    arena = ac.SimulatedArena(model, observable=True, comparability_error=0.1, seed=3)
    close, apart = arena.answer(
        [ac.Ask(1, "a", "b", False, 4000), ac.Ask(2, "a", "c", False, 4000)]
    )
    assert 320 < close.incomparable < 480
    assert close.left / (close.left + close.right) == pytest.approx(0.7, abs=0.04)
    assert 3520 < apart.incomparable < 3680


def test_copeland_winners_are_some_of_the_maximal_items():
    """As docs/theory/orient.md says of methods that look for them: a subset, and rarely all."""
    fewer = 0
    for seed in range(30):
        above = ac.posets.layered(3, 5, 3, seed=seed).poset.above
        score = above.sum(axis=1) + 0.5 * (~above & ~above.T).sum(axis=1)
        winners = set(np.flatnonzero(score == score.max()).tolist())
        front = set(np.flatnonzero(~above.any(axis=0)).tolist())
        assert winners <= front
        fewer += winners < front
    assert fewer > 20


@pytest.mark.parametrize("method", [ac.Orient(delta=0.1), ac.SlicingBandits(delta=0.1)])
def test_items_that_are_never_told_apart_are_named(method):
    arena = Even(["ham", "spam"])
    with pytest.raises(OrderError, match=r"'(ham|spam)' and '(ham|spam)' have met more than"):
        ac.find_front(arena, method)


class Even(ac.Arena):
    """Voters for whom all items are comparable and equal."""

    observable = True

    def __init__(self, items: list[str]) -> None:
        self.items = tuple(items)

    def answer(self, asks):
        return [ac.Tally(tie=ask.duels) for ask in asks]
