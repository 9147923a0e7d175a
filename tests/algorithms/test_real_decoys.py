"""RealDecoys: the items it keeps, the pairs it leaves unordered, and what it refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.guarantees.degraded_worlds import BoostedArena, broken_promises

import antichain as ac
from antichain.algorithms._real_decoys import RealDecoys
from antichain.arenas._simulated import DegradedArena
from antichain.errors import NotObservableError, ParameterError
from antichain.orders import DuelModel

from ..orders.strategies import models

# So small that one broken promise in all these runs means a mistake in the code.
DELTA = 1e-6
ARENAS = {"formal": ac.SimulatedArena, "degraded": DegradedArena, "boosted": BoostedArena}


@pytest.mark.parametrize("make", ARENAS.values(), ids=ARENAS)
@settings(max_examples=40, deadline=None)
@given(models(max_size=6), st.sampled_from([0.05, 0.1, 0.3]), st.integers(0, 1000))
def test_every_promise_is_kept_on_any_order(make, model: DuelModel, epsilon, seed) -> None:
    algorithm = RealDecoys(delta=DELTA, decoy_gap=0.1, epsilon=epsilon)
    result = ac.find_front(make(model, 0.1, seed=seed), algorithm, seed=seed)
    assert result.certified
    assert broken_promises(model, result, epsilon) == []
    for item, dominator in result.dominated.items():
        assert model.gap(dominator, item) > 0


@pytest.mark.parametrize("make", ARENAS.values(), ids=ARENAS)
@settings(max_examples=20, deadline=None)
@given(models(max_size=6, min_gap=0.12), st.integers(0, 1000))
def test_with_no_gap_below_epsilon_the_front_is_exact(make, model: DuelModel, seed) -> None:
    algorithm = RealDecoys(delta=DELTA, decoy_gap=0.1)
    result = ac.find_front(make(model, 0.1, seed=seed), algorithm, seed=seed)
    assert result.too_close == ()
    assert result.front == result.certain == model.front


def test_a_finer_epsilon_orders_what_a_coarser_one_leaves() -> None:
    model = DuelModel.from_relations([("a", "b", 0.06)], items=["a", "b", "c"])
    arena = DegradedArena(model, 0.2)
    coarse = ac.find_front(arena, RealDecoys(delta=DELTA, decoy_gap=0.2, epsilon=0.2))
    fine = ac.find_front(arena, RealDecoys(delta=DELTA, decoy_gap=0.2, epsilon=0.02))
    assert coarse.too_close == (("a", "b"),)
    assert coarse.certain == ("c",)
    assert fine.front == ("a", "c")
    assert fine.dominated == {"b": "a"}
    assert fine.duels > coarse.duels


def test_decoys_that_are_worth_nothing_throw_nobody_out() -> None:
    """Statement 1 rests on direct duels alone: here every decoy loses to everyone."""

    class Hopeless(DegradedArena):
        def chances(self, lefts, rights, decoy):
            chances = super().chances(lefts, rights, decoy)
            return chances * 0 + 0.95 if decoy else chances

    model = ac.posets.antichain(5)
    for seed in range(20):
        arena = Hopeless(model, 0.1, seed=seed)
        result = ac.find_front(arena, RealDecoys(delta=DELTA, decoy_gap=0.1), seed=seed)
        assert result.front == model.front
        assert len(result.too_close) == 10  # wrong, as (D2) does not hold, and said to be in doubt
        assert result.certain == ()


def test_pairs_of_which_one_fell_later_are_not_reported() -> None:
    # b and c are close, and both are below a: whoever meets whom first, none of it is left.
    relations = [("a", "b", 0.2), ("a", "c", 0.2), ("b", "c", 0.001)]
    model = DuelModel.from_relations(relations)
    for seed in range(12):
        arena = DegradedArena(model, 0.2, seed=seed)
        # No peeling: the decoy epoch sees all three.
        algorithm = RealDecoys(delta=DELTA, decoy_gap=0.2, epsilon0=0.2)
        assert algorithm.schedule(3) == ()
        result = ac.find_front(arena, algorithm, seed=seed)
        assert result.front == ("a",)
        assert result.too_close == ()


@pytest.mark.parametrize("exits", [True, False])
def test_early_exit_changes_cost_only(exits: bool) -> None:
    model = ac.posets.layered(2, 3, 3, seed=2, gaps="minimum:0.15")
    rules = ac.Rules(early_exit=exits)
    algorithm = RealDecoys(delta=DELTA, decoy_gap=0.1, rules=rules)
    result = ac.find_front(DegradedArena(model, 0.1), algorithm)
    assert result.front == model.front


def test_a_batch_far_ahead_is_mostly_of_use() -> None:
    model = ac.posets.antichain(6)
    algorithm = RealDecoys(delta=0.05, decoy_gap=0.1)
    result = ac.find_front(DegradedArena(model, 0.1, seed=1), algorithm, batch=100)
    assert result.front == model.front
    assert result.spare <= 0.05 * result.duels


def test_the_result_as_plain_data_names_the_pairs() -> None:
    model = DuelModel.from_relations([("a", "b", 0.001)])
    result = ac.find_front(DegradedArena(model, 0.2), RealDecoys(delta=DELTA, decoy_gap=0.2))
    assert result.to_dict()["too_close"] == (("a", "b"),)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"decoy_gap": 0.5}, "decoy_gap is 0.5"),
        ({"decoy_gap": None}, "decoy_gap is None"),
        ({"epsilon": 0}, "epsilon is 0"),
        ({"epsilon0": 2}, "epsilon0 is 2"),
        ({"rules": ac.Rules.paper()}, "RealDecoys rests on bets"),
        ({"rules": ac.Rules(elimination_share=0.5)}, "elimination_share is 1"),
    ],
)
def test_bad_parameters_are_refused(options, words) -> None:
    with pytest.raises(ParameterError, match=words):
        RealDecoys(**options)


def test_an_arena_without_decoys_or_with_weaker_ones_is_refused() -> None:
    model = ac.posets.antichain(2)
    with pytest.raises(NotObservableError, match="decoys"):
        ac.find_front(ac.SimulatedArena(model), RealDecoys())
    with pytest.raises(NotObservableError, match=r"only 0\.1"):
        ac.find_front(DegradedArena(model, 0.1), RealDecoys(decoy_gap=0.2))


@settings(max_examples=10, deadline=None)
@given(models(min_size=3, max_size=5), st.integers(0, 100))
def test_batches_leave_the_same_pairs_unordered(model: DuelModel, seed: int) -> None:
    algorithm = RealDecoys(delta=0.05, decoy_gap=0.2)
    runs = [
        ac.find_front(
            ac.KeyedArena(DegradedArena(model, 0.2), seed=seed), algorithm, seed=seed, batch=batch
        )
        for batch in (1, 40)
    ]
    one, many = runs
    assert (one.front, one.too_close, one.dominated) == (
        many.front,
        many.too_close,
        many.dominated,
    )
    assert one.duels == many.duels
