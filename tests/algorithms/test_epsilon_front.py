"""The ε-front without decoys: its promises, its bookkeeping, and what it costs."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import antichain as ac
from antichain.algorithms._epsilon_front import Against
from antichain.algorithms._rounds import Race, RaceOutcome, Round
from antichain.errors import ParameterError
from antichain.evidence._bet import Bet, log_bet
from antichain.orders import DuelModel
from antichain.testing._crowds import Crowd, Doubled, Feed, Late, Lossy, Skipping, in_portions

from ..epsilon_fronts import EpsilonFront, broken_promises
from ..orders.strategies import models

# So small that one broken promise in all these runs means a mistake in the code.
DELTA = 1e-6
SHARE = ac.Rules().elimination_share


@st.composite
def matrices(draw: st.DrawFn) -> NDArray[np.float64]:
    """Gaps between any items, order or no order."""
    size = draw(st.integers(1, 6))
    upper = np.zeros((size, size))
    for i, j in zip(*np.triu_indices(size, 1), strict=True):
        upper[i, j] = draw(st.sampled_from([0.0, 0.0, 0.02, 0.1, 0.3, 0.45])) * draw(
            st.sampled_from([-1, 1])
        )
    return upper - upper.T


def members_of(
    gaps: NDArray[np.float64], algorithm: EpsilonFront, seed: int
) -> tuple[list[int], ac.Result]:
    names = [f"x{k}" for k in range(len(gaps))]
    arena = ac.MatrixArena(0.5 + gaps, names, seed=seed)
    result = ac.find_front(arena, algorithm, seed=seed)
    assert result.certified
    return [names.index(name) for name in result.front], result


@settings(max_examples=60, deadline=None)
@given(matrices(), st.sampled_from([0.15, 0.2, 0.4]), st.integers(0, 1000))
def test_keeps_its_promises_on_any_matrix(
    gaps: NDArray[np.float64], epsilon: float, seed: int
) -> None:
    algorithm = EpsilonFront(delta=DELTA, epsilon=epsilon)
    members, result = members_of(gaps, algorithm, seed)
    assert not broken_promises(gaps, members, epsilon, range(len(gaps)))
    for loser, winner in result.dominated.items():
        assert gaps[int(winner[1:]), int(loser[1:])] > 0


@settings(max_examples=40, deadline=None)
@given(matrices(), st.integers(0, 1000))
def test_against_the_field_no_member_beats_a_member(gaps: NDArray[np.float64], seed: int) -> None:
    algorithm = EpsilonFront(delta=DELTA, epsilon=0.2, against="field")
    members, _ = members_of(gaps, algorithm, seed)
    assert not broken_promises(gaps, members, 0.2, members)


@settings(max_examples=40, deadline=None)
@given(models(max_size=7, min_gap=0.02), st.booleans(), st.integers(0, 1000))
def test_keeps_its_promises_on_any_order(model: DuelModel, transitive: bool, seed: int) -> None:
    algorithm = EpsilonFront(delta=DELTA, epsilon=0.15, transitive=transitive)
    members, _ = members_of(model.gaps, algorithm, seed)
    assert not broken_promises(model.gaps, members, 0.15, range(model.size))
    names = [model.items[k] for k in members]
    assert set(model.front) <= set(names) <= set(model.eps_front(0.15))


def test_an_outsider_that_beats_a_member_is_found() -> None:
    # docs/theory/errata.md, "Three ε-fronts": two of six orders fool whoever asks members only.
    model = DuelModel.from_relations([("a", "d", 0.4), ("d", "b", 0.3), ("a", "b", 0.01)])
    fronts: dict[Against, set[tuple[str, ...]]] = {"everyone": set(), "field": set()}
    for against, seen in fronts.items():
        algorithm = EpsilonFront(delta=DELTA, epsilon=0.05, against=against)
        for seed in range(12):
            seen.add(ac.find_front(ac.SimulatedArena(model, seed=seed), algorithm, seed=seed).front)
    assert fronts["everyone"] == {("a",)}
    assert ("a", "b") in fronts["field"]


def test_where_everybody_is_beaten_nobody_is_left() -> None:
    ring = np.array([[0, 0.3, -0.3], [-0.3, 0, 0.3], [0.3, -0.3, 0]])
    for seed in range(5):
        assert members_of(ring, EpsilonFront(delta=DELTA, epsilon=0.1), seed)[0] == []


@pytest.mark.parametrize("against", ["everyone", "field"])
def test_one_item_needs_no_duel(against: Against) -> None:
    result = members_of(np.zeros((1, 1)), EpsilonFront(against=against), 0)[1]
    assert (result.front, result.duels) == (("x0",), 0)


def test_a_run_is_a_function_of_its_seeds() -> None:
    gaps = ac.posets.layered(2, 3, 3, seed=1).gaps
    runs = [members_of(gaps, EpsilonFront(), seed)[1] for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0].duels != runs[2].duels


# -- a plain twin of the clearing phase ------------------------------------------------------------


class Watched(ac.MatrixArena):
    """Keeps the rounds of fixed size, which are those of the clearing phase."""

    def __init__(self, gaps: NDArray[np.float64], seed: int) -> None:
        super().__init__(0.5 + gaps, [f"x{k}" for k in range(len(gaps))], seed=seed)
        self.rounds: list[list[tuple[int, int, int, int]]] = []

    def settle(
        self, message: Round | Race, allowance: int | None
    ) -> NDArray[np.int64] | RaceOutcome:
        outcome = super().settle(message, allowance)
        if message.test.name == "fixed":
            assert not isinstance(outcome, RaceOutcome)
            rows = zip(message.lefts, message.rights, outcome[:, 0], outcome[:, 1], strict=True)
            self.rounds.append([tuple(int(number) for number in row) for row in rows])
        return outcome


class Twin:
    """The bets of the clearing phase, one claim and one duel count at a time."""

    def __init__(self, field: set[int], size: int, epsilon: float, delta: float) -> None:
        self.bet = Bet.clearing(epsilon).packed
        self.inclusion = (1 - SHARE) * delta
        self.field, self.size = field, size
        self.bets = {(j, d): (0, 0) for d in field for j in range(size) if j != d}

    def open(self, claim: tuple[int, int], fallen: dict[int, int]) -> bool:
        challenger, candidate = claim
        gone = sum(item in self.field for item in fallen)
        shown = log_bet(self.bet, *self.bets[claim], 0)
        certain = fallen.get(challenger) == candidate
        short = shown < math.log((gone + 1) / self.inclusion)
        return candidate not in fallen and not certain and short

    def play(self, rows: list[tuple[int, int, int, int]], fallen: dict[int, int]) -> None:
        turned = [(right, left, lost, won) for left, right, won, lost in rows]
        before = {claim for claim in self.bets if self.open(claim, fallen)}
        for left, right, won, lost in rows + turned:
            if (left, right) in before:
                wins, losses = self.bets[left, right]
                self.bets[left, right] = wins + won, losses + lost


def rounds_with_falls(
    arena: Watched, algorithm: EpsilonFront, seed: int
) -> Iterator[tuple[list[tuple[int, int, int, int]], dict[int, int], dict[int, int]]]:
    """Each round of the clearing phase, and who had fallen before and after it."""
    search = algorithm.start(arena.items, seed)
    while not search.finished:
        before = dict(search.plan_state.fallen)
        seen = len(arena.rounds)
        assert search.message is not None
        search.settle(arena.settle(search.message, None))
        if len(arena.rounds) > seen:
            yield arena.rounds[-1], before, dict(search.plan_state.fallen)


def falls_beside_the_twin(gaps: NDArray[np.float64], seed: int) -> int:
    """How many fall in the clearing phase, all of it as the twin says."""
    arena = Watched(gaps, seed)
    algorithm = EpsilonFront(delta=0.2, epsilon=0.2)
    twin, falls = None, 0
    still: list[tuple[int, int]] = []
    for rows, before, after in rounds_with_falls(arena, algorithm, seed):
        if twin is None:
            twin = Twin(set(range(len(gaps))) - set(before), len(gaps), 0.2, 0.2)
        pairs = [frozenset(row[:2]) for row in rows]
        assert len(set(pairs)) == len(pairs), "a pair is asked for once a round"
        for left, right, _, _ in rows:
            claims = {(left, right), (right, left)} & twin.bets.keys()
            assert any(twin.open(claim, before) for claim in claims)
        twin.play(rows, before)
        still = [claim for claim in twin.bets if twin.open(claim, after)]
        falls += len(after) - len(before)
    assert still == [], "it ends when no claim is open"
    return falls


@settings(max_examples=40, deadline=None)
@given(matrices(), st.integers(0, 1000))
def test_rounds_ask_for_open_claims_only_and_end_when_none_is(
    gaps: NDArray[np.float64], seed: int
) -> None:
    falls_beside_the_twin(gaps, seed)


def test_who_falls_while_others_are_cleared_raises_the_level_of_all() -> None:
    # Two pairs that look alike at first; claims shown before somebody falls are topped up.
    gaps = np.zeros((4, 4))
    gaps[0, 1], gaps[1, 0] = 0.24, -0.24
    assert sum(falls_beside_the_twin(gaps, seed) for seed in range(20)) > 3


# -- answers in any order, late, lost, in batches --------------------------------------------------

FEEDS: dict[str, Feed] = {
    "one at a time": in_portions(1),
    "all at once": in_portions(None),
    "in any order": Crowd(1, 40),
    "late": Late(2, 40),
    "doubled": Doubled(3, 40),
    "lossy": Lossy(4, 40),
    "skipping": Skipping(5, 40),
}


@pytest.mark.parametrize("feed", FEEDS.values(), ids=FEEDS)
@pytest.mark.parametrize("tie_chance", [0.0, 0.3])
def test_however_the_answers_come_in(feed: Feed, tie_chance: float) -> None:
    model = DuelModel.from_relations(
        [("a", "c", 0.3), ("b", "c", 0.35), ("c", "e", 0.3), ("a", "e", 0.3), ("b", "e", 0.3)]
    )
    arena = ac.KeyedArena(ac.SimulatedArena(model), seed=3, tie_chance=tie_chance)
    search = EpsilonFront(delta=1e-3, epsilon=0.2).start(model.items, seed=4)
    feed(search, arena)
    assert search.result().front == ("a", "b")


def test_ties_are_evidence_that_nobody_is_above() -> None:
    search = EpsilonFront(delta=0.01, epsilon=0.1).start(["a", "b"])
    while not search.finished:
        for ask in search.ask():
            search.tell(ask, ac.Tally(tie=ask.duels))
    assert search.result().front == ("a", "b")
    assert search.result().duels < 2 * math.log(100) / (4 * 0.1**2)


def kept_wrongly(lost: str, seed: int) -> bool:
    """A beats b by 0.3; of the voters who would say so half skip. Is b kept at ε = 0.25?"""
    algorithm = EpsilonFront(delta=0.05, epsilon=0.25, rules=ac.Rules(lost=lost))
    voters = np.random.default_rng(seed)
    search = algorithm.start(["a", "b"], seed=seed)
    duels = 0
    while not search.finished and duels < 3000:
        for ask in search.ask():
            for_a = int(voters.binomial(ask.duels, 0.8))
            skipped = int(voters.binomial(for_a, 0.6))
            tally = ac.Tally(for_a - skipped, ask.duels - for_a, skipped=skipped)
            if ask.left == "b":
                tally = ac.Tally(tally.right, tally.left, skipped=skipped)
            search.tell(ask, tally)
            duels += ask.duels
    return search.finished and "b" in search.result().front


def test_lost_answers_held_against_the_claim_keep_nobody_wrongly() -> None:
    assert sum(kept_wrongly("against", seed) for seed in range(40)) == 0
    assert sum(kept_wrongly("ignore", seed) for seed in range(40)) > 10


def test_counts_brought_along_throw_out_but_clear_nothing() -> None:
    algorithm = EpsilonFront(delta=0.01, epsilon=0.1)
    out = algorithm.start(["a", "b"], direct={("a", "b"): (900, 100)})
    assert out.finished
    assert out.result().front == ("a",)
    even = algorithm.start(["a", "b"], direct={("a", "b"): (10_000, 10_000)})
    assert not even.finished


@pytest.mark.slow
def test_batches_of_a_hundred_cost_at_most_a_tenth_more() -> None:
    algorithm = EpsilonFront(delta=0.01, epsilon=0.15)
    spent = {1: 0, 100: 0}
    for seed in range(6):
        model = ac.posets.layered(3, 5, 4, seed=seed)
        for batch in spent:
            arena = ac.SimulatedArena(model, seed=seed)
            result = ac.find_front(arena, algorithm, seed=seed, batch=batch)
            spent[batch] += result.duels + result.spare
    assert spent[100] <= 1.1 * spent[1]


def test_clearing_outsiders_costs_less_than_a_union_over_pairs_would() -> None:
    # What the same promise takes where every claim is tested by itself, at δ/K(K−1).
    model = ac.posets.layered(3, 6, 4, seed=2, gaps="minimum:0.1")
    delta, epsilon = 0.001, 0.1
    result = ac.find_front(
        ac.SimulatedArena(model, seed=1), EpsilonFront(delta=delta, epsilon=epsilon), seed=1
    )
    assert set(result.front) == set(model.front)
    claims = [
        (gap + epsilon) for d in model.front for j in model.items if (gap := model.gap(d, j)) >= 0
    ]
    each = math.log(model.size * (model.size - 1) / delta)
    union = sum(each / (2 * margin**2) for margin in claims)
    assert result.duels < 0.75 * union


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 0.5}, "epsilon is 0.5"),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"rules": ac.Rules.paper()}, "tests='intervals'"),
        ({"against": "members"}, "against is 'members', but one of 'everyone', 'field'"),
    ],
)
def test_refuses_what_it_cannot_do(change: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        replace(EpsilonFront(), **change).start(["a", "b"])  # type: ignore[arg-type]
