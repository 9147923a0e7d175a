"""Witness: right on all kinds of orders, cheap, the same in batches, and fair with its budget."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.guarantees.error_rates import ErrorCount, with_equal_gaps
from tests.guarantees.hostile import WORLDS, witnesses_at_any_price

import antichain as ac
from antichain.algorithms._result import PlanState
from antichain.algorithms.witness import _witness
from antichain.algorithms.witness._choice import Chooser
from antichain.algorithms.witness._table import Budget, Table, log_bets_of
from antichain.errors import ParameterError
from antichain.evidence._answers import COUNTS, Counts
from antichain.evidence._bet import bets_against_gap, steps

GAP = 0.1


def found(model: ac.DuelModel, seed: int = 0, gap: float = GAP, **options: object) -> ac.Result:
    arena = ac.SimulatedArena(model, decoy_gap=gap, seed=seed)
    return ac.find_front(arena, ac.Witness(delta=0.001, decoy_gap=gap, **options), seed=seed)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["dag", "chains", "layered", "antichain", "total", "dominance"]),
    st.integers(1, 14),
    st.integers(0, 10_000),
    st.booleans(),
)
def test_the_front_of_random_orders(kind: str, size: int, seed: int, pricey: bool) -> None:
    model = {
        "dag": lambda: ac.posets.random_dag(size, 0.3, seed=seed),
        "chains": lambda: ac.posets.chains(1 + size // 4, 3, seed=seed),
        "layered": lambda: ac.posets.layered(1 + size // 4, 2 + size // 4, 3, seed=seed),
        "antichain": lambda: ac.posets.antichain(size),
        "total": lambda: ac.posets.total_order(size, seed=seed),
        "dominance": lambda: ac.posets.dominance(size, 3, seed=seed),
    }[kind]()
    if pricey:
        with witnesses_at_any_price():
            result = found(model, seed)
    else:
        result = found(model, seed)
    assert set(result.front) == set(model.front)
    assert result.certified


@pytest.mark.parametrize("name", WORLDS)
def test_hostile_worlds_end_and_are_mostly_right(name: str) -> None:
    with witnesses_at_any_price():
        fronts = [set(found(WORLDS[name], seed).front) for seed in range(8)]
    assert sum(front == set(WORLDS[name].front) for front in fronts) >= 7


def test_a_shared_witness_saves_duels() -> None:
    # A poset whose chains have several parents each, so that one decoy clears several pairs: its
    # front needs about half as many duels with witnesses as without.
    model = ac.posets.layered(5, 10, 10, seed=3)
    with_witnesses = np.mean([found(model, seed, gap=0.01).duels for seed in range(4)])
    without = np.mean([found(model, seed, gap=0.01, aim="regret").duels for seed in range(4)])
    assert with_witnesses < 0.75 * without


@pytest.mark.slow
def test_batches_of_a_hundred_cost_hardly_more_than_one_at_a_time() -> None:
    model = ac.posets.layered(4, 6, 4, seed=1)
    costs = {}
    for batch in (1, 100):
        # The same voters in the same mood: chance alone would make a difference otherwise.
        results = [
            ac.find_front(
                ac.KeyedArena(ac.SimulatedArena(model, decoy_gap=0.1), seed=seed),
                ac.Witness(delta=0.01, decoy_gap=0.1),
                seed=seed,
                batch=batch,
            )
            for seed in range(12)
        ]
        assert all(set(result.front) == set(model.front) for result in results)
        costs[batch] = sum(result.duels + result.spare for result in results)
    assert costs[1] < costs[100] <= 1.1 * costs[1]


def test_batches_come_to_the_same_end_duel_for_duel() -> None:
    model = ac.posets.layered(3, 4, 3, seed=2)

    def run(batch: int | None) -> ac.Result:
        arena = ac.KeyedArena(ac.SimulatedArena(model, decoy_gap=0.1), seed=4)
        return ac.find_front(arena, ac.Witness(delta=0.05, decoy_gap=0.1), seed=1, batch=batch)

    first, second = run(1), run(100)
    assert (first.front, first.duels) == (second.front, second.duels)


def test_more_than_a_table_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_witness, "_LARGEST_TABLE", 3)
    model = ac.posets.layered(5, 6, 2, seed=1)
    assert set(found(model).front) == set(model.front)


def test_early_exit_can_be_done_without() -> None:
    model = ac.posets.layered(3, 5, 4, seed=1)
    whole = found(model, rules=ac.Rules(early_exit=False))
    assert set(whole.front) == set(model.front)
    # In the first peel everybody meets every pivot, however early it has fallen.
    assert whole.epochs[0].duels > found(model).epochs[0].duels


def test_no_decoys_wants_an_epsilon_and_the_paper_has_no_bets() -> None:
    with pytest.raises(ParameterError, match="epsilon must say"):
        ac.Witness(decoy_gap=None)
    with pytest.raises(ParameterError, match="with decoys the front is exact"):
        ac.Witness(decoy_gap=0.1, epsilon=0.1)
    with pytest.raises(ParameterError, match="bets"):
        ac.Witness(rules=ac.Rules.paper())
    with pytest.raises(ParameterError, match="aim is 'fun', but one of duels, regret"):
        ac.Witness(aim="fun")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="runs with decoys"):
        ac.Witness(decoy_gap=None, epsilon=0.1, aim="regret")


@pytest.mark.parametrize("kind", [ac.Witness, ac.UnchainedBandits, ac.UniformSampling])
def test_a_gap_that_takes_more_duels_than_can_be_counted_is_refused(kind: type) -> None:
    with pytest.raises(ParameterError, match="decoy_gap is 2e-08, but at least 1e-06"):
        kind(decoy_gap=2e-8)
    assert kind(decoy_gap=1e-6).decoy_gap == 1e-6


def table_of_three(delta: float = 0.1) -> Table:
    """Items 0, 1, 2 in the field; 3, which fell to 1, and 4, which fell to 3, below."""
    state = PlanState(5, 0)
    state.eliminate(3, 1)
    state.eliminate(4, 3)
    table = Table(state, np.arange(3), np.array([3, 4]), GAP, Budget(delta, 0.1))
    table.weigh(np.zeros((3, 3)))
    return table


def feed(
    table: Table, kind: str, row: int, column: int, wins: int, losses: int, lost: int = 0
) -> None:
    """Play one pair, with a given outcome."""
    target = np.zeros(table.certified.shape)
    counts = getattr(table, kind)
    target[row, column] = counts[row, column].sum() + wins + losses + lost
    plan = table.duel(target) if kind == "direct" else table.duel_decoys(target)
    message = next(plan)
    after = message.start.copy()
    after[0, :4] += (wins, losses, 0, lost)
    with pytest.raises(StopIteration):
        plan.send(type("Outcome", (), {"counts": after})())


def test_certificates_of_peeling_pass_down_the_fallen() -> None:
    certified = table_of_three().certified
    assert certified[:, 3:].tolist() == [[False, False], [True, True], [False, False]]


def test_a_duel_counts_for_all_certified_above_and_for_nobody_certified_later() -> None:
    table = table_of_three()
    once = bets_against_gap(np.array([[10, 40, 0, 0]]), steps(GAP))[0]
    feed(table, "decoy", 0, 3, 10, 40)
    assert table.credit[0].tolist() == pytest.approx([0.0, once, 0.0])
    # Item 2 is now shown above item 3. What 0 did against 3's decoy before does not count...
    feed(table, "direct", 2, 3, 80, 0)
    table.certify()
    assert table.certified[2, 3]
    assert table.credit[0, 2] == 0.0
    # ... and what it does from now on counts for both.
    feed(table, "decoy", 0, 3, 10, 40)
    assert table.credit[0].tolist() == pytest.approx([0.0, 2 * once, once])


def test_whoever_falls_to_a_decoy_makes_the_others_owe_more() -> None:
    table = table_of_three()
    before = table.owed()
    feed(table, "decoy", 0, 2, 400, 100)
    assert table.alive.tolist() == [True, True, False]
    after = table.owed()
    # One fell, all weights are one: the level is δ/2 for those who are left.
    assert after[0, 1] == pytest.approx(before[0, 1] + np.log(2))
    assert (after[2] == 0).all()
    assert (after[:, 2] == 0).all()


def test_with_each_fall_the_next_takes_less() -> None:
    table = table_of_three()
    wins, losses, level = 300, 200, Budget(0.1, 0.1).decoys
    first, then = (-math.log(level / pairs) for pairs in (6, 4))
    while not first > log_bets_of(table._falling_bet, counts_of(wins, losses))[0, 0] > then:
        wins -= 1
        assert wins > losses
    feed(table, "decoy", 0, 1, wins, losses)
    assert table.alive.all()
    # Item 2 falls, and so does item 1: six pairs shared the budget, and now it is four.
    feed(table, "decoy", 0, 2, 400, 100)
    assert table.alive.tolist() == [True, False, False]


def counts_of(wins: int, losses: int) -> Counts:
    """A table of one pair with these counts."""
    counts = np.zeros((1, 1, COUNTS), np.int64)
    counts[0, 0, :2] = wins, losses
    return counts


def test_weights_are_set_before_any_decoy_duel() -> None:
    state = PlanState(2, 0)
    table = Table(state, np.arange(2), np.arange(0), GAP, Budget(0.1, 0.1))
    with pytest.raises(AssertionError):
        next(table.duel_decoys(np.ones((2, 2))))


def test_lost_answers_count_against_every_claim() -> None:
    counts = np.array([[5, 20, 3, 0], [5, 20, 3, 10]])
    plain, lost = bets_against_gap(counts, steps(GAP))
    assert lost < plain
    assert lost == pytest.approx(bets_against_gap(np.array([[15, 20, 3, 0]]), steps(GAP))[0])


def test_lost_answers_neither_certify_nor_clear_nor_throw_out() -> None:
    table = table_of_three()
    feed(table, "direct", 2, 3, 80, 0, lost=80)
    table.certify()
    assert not table.certified[2, 3]
    feed(table, "decoy", 0, 3, 10, 40, lost=30)
    as_wins = bets_against_gap(np.array([[40, 40, 0, 0]]), steps(GAP))[0]
    assert table.credit[0, 1] == pytest.approx(as_wins)
    feed(table, "decoy", 0, 2, 400, 100, lost=300)
    assert table.alive.all()


def test_what_a_rounding_error_lacks_is_asked_for() -> None:
    # It must be: a plan that asks for nothing while something is owed never ends.
    table = table_of_three()
    feed(table, "decoy", 0, 1, 10, 40)
    table.goal = float(np.nextafter(table.credit[0, 1], np.inf))
    owed = table.owed()
    assert 0 < owed[0, 1] < 1e-6
    owed[[1, 2]] = owed[0, 2] = 0.0
    amounts = Chooser(table).choose(np.zeros(table.certified.shape), owed).amounts
    assert amounts[0].any()


def test_a_row_whose_duels_would_count_for_nobody_turns_to_the_decoys_of_those_it_owes() -> None:
    # 4 fell to 3 and is believed below 1 and 2 as well. What 0 owes them is too little for
    # certificates, without which duels against 4's decoy earn nothing: such a plan never ends.
    state = PlanState(5, 0)
    state.eliminate(4, 3)
    table = Table(state, np.arange(4), np.array([4]), GAP, Budget(0.1, 0.1))
    table.weigh(np.zeros((4, 4)))
    feed(table, "decoy", 0, 4, 10, 40)
    table.direct[1:3, 4, 0] = 8
    owed = np.zeros((4, 4))
    owed[0, 1:3] = 0.003
    above = np.zeros(table.certified.shape)
    above[1:3, 4] = 0.9
    choice = Chooser(table).choose(above, owed)
    assert not choice.direct.any()
    assert choice.amounts[0].tolist() == [0.0, 0.003, 0.003, 0.0, 0.0]


def test_decoy_counts_brought_along_count_by_what_the_peel_has_shown() -> None:
    state = PlanState(5, 0)
    state.eliminate(3, 1)
    state.counts.initial_decoys[0, 3] = counts_of(10, 40)[0, 0]
    table = Table(state, np.arange(3), np.array([3]), GAP, Budget(0.1, 0.1))
    once = bets_against_gap(np.array([[10, 40, 0, 0]]), steps(GAP))[0]
    assert table.credit[0].tolist() == pytest.approx([0.0, once, 0.0])
    # A certificate that comes later may have been sought because of them: it earns nothing.
    feed(table, "direct", 2, 3, 80, 0)
    table.certify()
    assert table.certified[2, 3]
    assert table.credit[0, 2] == 0.0


@pytest.mark.parametrize("brought", [True, False])
def test_decoy_counts_brought_along_have_no_part_in_the_weights(
    brought: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    weigh = Table.weigh
    monkeypatch.setattr(Table, "weigh", lambda table, s: (seen.append(s), weigh(table, s)))
    model = with_equal_gaps(ac.posets.antichain(3), GAP)
    a, b, _ = model.items
    decoys = {(a, b): (30, 10)} if brought else None
    arena = ac.SimulatedArena(model, decoy_gap=GAP, seed=1)
    ac.find_front(arena, ac.Witness(delta=0.1, decoy_gap=GAP), seed=1, decoys=decoys)
    (suspicion,) = seen
    assert suspicion.any() != brought


@pytest.mark.slow
def test_falls_of_maximal_items_stay_within_their_budget() -> None:
    # Items 0 and 1 are maximal; 2 falls at once, which makes the others' falls easier.
    rng = np.random.default_rng(0)
    budget = Budget(0.9, 0.9)
    pairs = np.array([(0, 1), (1, 0), (2, 0), (2, 1)])
    wrong = 0
    runs = 300
    for _ in range(runs):
        table = Table(PlanState(3, 0), np.arange(3), np.arange(0), GAP, budget)
        table.weigh(rng.random((3, 3)))
        feed(table, "decoy", 0, 2, 400, 100)
        assert not table.alive[2]
        for _look in range(25):
            for row, column in pairs:
                wins = int(rng.binomial(60, 0.5))
                feed(table, "decoy", int(row), int(column), wins, 60 - wins)
        wrong += not table.alive[:2].all()
    count = ErrorCount(wrong, runs)
    assert count.lower < budget.decoys + budget.certificates, str(count)
    assert wrong > 0


def test_equal_gaps_at_the_decoys_own_are_found() -> None:
    model = with_equal_gaps(ac.posets.layered(3, 4, 3, seed=1), GAP)
    assert set(found(model).front) == set(model.front)


def test_who_fell_too_early_to_meet_a_survivor_meets_it_again() -> None:
    above = np.triu(np.ones((3, 3), np.bool_), 1)  # best, middle, low
    gaps = np.array([[0, 0.4, 1e-6], [-0.4, 0, 0.4], [-1e-6, -0.4, 0]])
    model = ac.DuelModel(ac.Poset(("best", "middle", "low"), above), gaps)
    for seed in range(12):  # in some of them the middle one falls before it meets the low one
        result = found(model, seed, gap=0.01)
        assert result.front == ("best",)
        assert result.decoy_duels == 0


def test_where_decoys_decide_soon_the_fallen_are_not_met_again() -> None:
    # A test against a decoy with so large a gap takes fewer duels than meeting those who fell.
    model = ac.posets.total_order(8, seed=13, gaps="minimum:0.05")
    duels = [
        sum(found(model, seed, gap=0.3, meet_fallen=again).duels for seed in range(12))
        for again in (True, False)
    ]
    assert duels[0] <= 1.02 * duels[1]
