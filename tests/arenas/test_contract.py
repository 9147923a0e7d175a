"""One contract for every arena: what it answers, what it refuses, and its random state."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms.rounds import Ask, Race, RaceOutcome, round_of
from antichain.arenas.arena import Arena
from antichain.arenas.recorded import Recorded
from antichain.errors import (
    AntichainError,
    InputError,
    NotObservableError,
    ParameterError,
    ProtocolError,
)
from antichain.evidence import Bet, SequentialTest, Verdict

MODEL = ac.posets.layered(2, 3, 3, seed=1, gaps="minimum:0.1")
CHANCES = 0.5 + MODEL.gaps


def _judge(left: str, right: str) -> str:
    if not {left, right} <= set(MODEL.items):
        return "tie"
    gap = MODEL.gap(left, right)
    return "left" if gap > 0 else "right" if gap < 0 else "tie"


def _recorded(path: Path) -> Recorded:
    return Recorded(ac.SimulatedArena(MODEL, 0.1, seed=3), path / "record.jsonl", {}, resume=False)


ARENAS: dict[str, Callable[[Path], Arena]] = {
    "simulated": lambda _: ac.SimulatedArena(MODEL, seed=3),
    "simulated with decoys": lambda _: ac.SimulatedArena(MODEL, 0.1, seed=3),
    "simulated, observable": lambda _: ac.SimulatedArena(MODEL, observable=True, seed=3),
    "matrix": lambda _: ac.MatrixArena(CHANCES, MODEL.items, seed=3),
    "keyed": lambda _: ac.KeyedArena(ac.SimulatedArena(MODEL, 0.1), seed=3, tie_chance=0.1),
    "callable": lambda _: ac.CallableArena(
        MODEL.items, _judge, against_decoy=lambda left, right: "left", decoy_gap=0.1
    ),
    "recorded": _recorded,
}
TESTS = [
    SequentialTest.two_sided_bets(0.01, Bet.geometric(0.1), 0.2, 0.05),
    SequentialTest.one_sided_bets(0.01, Bet.geometric(0.1), 0.1, 0.05),
    SequentialTest.decoys_in_step(0.01, 0.1),
    SequentialTest.probe(),
    SequentialTest.fixed(),
]


@pytest.fixture(params=ARENAS)
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Arena:
    made = ARENAS[request.param](tmp_path)
    assert isinstance(made, Arena)
    return made


def _asks(decoy: bool = False) -> list[Ask]:
    names = MODEL.items
    pairs = [(a, b) for a in names for b in names if a != b][:20]
    return [Ask(k, a, b, decoy, 1 + k % 7) for k, (a, b) in enumerate(pairs)]


def test_tallies_add_up_to_what_was_asked(arena: Arena) -> None:
    asks = _asks()
    tallies = arena.answer(asks)
    assert [tally.total for tally in tallies] == [ask.duels for ask in asks]
    assert all(count >= 0 for tally in tallies for count in tally)
    assert arena.answer([]) == []


def test_decoys_are_answered_where_they_are_offered_and_refused_elsewhere(arena: Arena) -> None:
    asks = _asks(decoy=True)
    if arena.decoy_gap is None:
        with pytest.raises(NotObservableError, match="decoys"):
            arena.answer(asks)
    else:
        assert [tally.total for tally in arena.answer(asks)] == [ask.duels for ask in asks]


def test_only_an_observable_arena_says_incomparable(arena: Arena) -> None:
    said = sum(tally.incomparable for tally in arena.answer(_asks()))
    assert (said > 0) is arena.observable


def test_an_unknown_item_is_named(arena: Arena) -> None:
    for pair in (("nobody", MODEL.items[0]), (MODEL.items[0], "nobody")):
        with pytest.raises(InputError, match="'nobody'"):
            arena.answer([Ask(1, *pair, False, 1)])


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_what_it_can_settle_it_settles(arena: Arena, test: SequentialTest) -> None:
    rng = np.random.default_rng(0)
    start = np.zeros((7, 8), np.int64)
    if not test.is_probe:
        start[:, :2] = rng.integers(0, 3, (7, 2))
    stop = frozenset({Verdict.RIGHT})
    message = round_of(0, np.arange(1, 8), test, start=start, targets=np.full(7, 9), stop=stop)
    message.start.flags.writeable = False
    if arena.decoy_gap is None and test.streams:
        return  # nobody would ask it
    for allowance in (None, 5):
        if not arena.can_settle(message, allowance):
            assert not isinstance(arena, ac.MatrixArena)
            continue
        counts = arena.settle(message, allowance)
        assert isinstance(counts, np.ndarray)
        assert counts.shape == start.shape
        assert (counts >= start).all()
        if allowance is not None:
            assert (counts - start).sum() <= allowance
        verdicts = [test.verdict(row, 9.0) for row in counts]
        ended = next((k for k, v in enumerate(verdicts) if v in stop), 6)
        assert (counts[ended + 1 :] == start[ended + 1 :]).all()
        if allowance is None:
            assert Verdict.OPEN not in verdicts[: ended + 1]


def test_a_race_is_settled_or_declined(arena: Arena) -> None:
    pairs = [side.astype(np.int64) for side in np.triu_indices(4, 1)]
    race = Race(*pairs, SequentialTest.capped_interval(5.0, 200.0))
    if not arena.can_settle(race, None):
        return
    assert not arena.can_settle(race, 100), "a race on an allowance has no law of its own"
    outcome = arena.settle(race, None)
    assert isinstance(outcome, RaceOutcome)
    assert outcome.counts.shape == (6, 8)
    assert (outcome.counts.sum(axis=1) <= 200).all()
    losers = [loser for loser, _ in outcome.eliminated]
    assert len(set(losers)) == len(losers) <= 3


def test_who_cannot_settle_says_so() -> None:
    arena = ac.CallableArena(MODEL.items, _judge)
    message = round_of(0, np.array([1]), TESTS[0])
    assert not arena.can_settle(message, None)
    with pytest.raises(ProtocolError, match="CallableArena"):
        arena.settle(message, None)


def test_going_back_to_a_state_brings_the_same_answers(arena: Arena) -> None:
    if isinstance(arena, ac.CallableArena):
        pytest.skip("a function's state is its own")
    if isinstance(arena, Recorded):
        arena = arena.inner
    arena.answer(_asks())
    state = json.loads(json.dumps(arena.state()))
    first = [arena.answer(_asks()) for _ in range(3)]
    arena.restore(state)
    assert [arena.answer(_asks()) for _ in range(3)] == first
    if not arena.observable:
        assert first[0] != first[1]


def test_a_state_that_is_none_is_refused() -> None:
    keyed = ac.KeyedArena(ac.SimulatedArena(MODEL))
    for arena in (ac.SimulatedArena(MODEL), keyed, ac.CallableArena(MODEL.items, _judge)):
        with pytest.raises(AntichainError, match="state"):
            arena.restore({"nonsense": 1})


def test_seeds_decide_the_answers() -> None:
    def answers(seed: int) -> list[ac.Tally]:
        return ac.SimulatedArena(MODEL, seed=seed).answer(_asks())

    assert answers(1) == answers(1)
    assert answers(1) != answers(2)


class TestKeyedArena:
    """Answers are functions of (seed, pair, how many before)."""

    def _arena(self, seed: int = 1, ties: float = 0.2) -> ac.KeyedArena:
        return ac.KeyedArena(ac.SimulatedArena(MODEL, 0.1), seed=seed, tie_chance=ties)

    @pytest.mark.parametrize("decoy", [False, True])
    def test_bundles_are_sums_of_single_duels(self, decoy: bool) -> None:
        a, b = MODEL.items[:2]
        whole = self._arena().answer([Ask(1, a, b, decoy, 50)])[0]
        single = ac.Tally()
        arena = self._arena()
        for _ in range(50):
            single = single.plus(arena.answer([Ask(1, a, b, decoy, 1)])[0])
        assert whole == single
        assert whole.tie > 0

    def test_a_pair_is_one_stream_from_either_side(self) -> None:
        a, b = MODEL.items[:2]
        there = self._arena().answer([Ask(1, a, b, False, 60)])[0]
        back = self._arena().answer([Ask(1, b, a, False, 60)])[0]
        assert (there.left, there.right, there.tie) == (back.right, back.left, back.tie)

    def test_pairs_do_not_disturb_each_other(self) -> None:
        a, b, c = MODEL.items[:3]
        busy = self._arena()
        busy.answer([Ask(1, a, c, False, 40), Ask(2, a, b, True, 40)])
        ask = Ask(3, a, b, False, 60)
        assert busy.answer([ask]) == self._arena().answer([ask])

    def test_chances_are_those_of_the_arena_it_follows(self) -> None:
        upper, lower, gap = MODEL.relations()[0]
        tally = self._arena(ties=0.0).answer([Ask(1, upper, lower, False, 20_000)])[0]
        assert tally.left / 20_000 == pytest.approx(0.5 + gap, abs=0.015)


class TestMatrixArena:
    """A bare matrix of chances."""

    @pytest.mark.parametrize(
        ("matrix", "match"),
        [
            ([[0.5, 0.7], [0.2, 0.5]], "row 1, column 2"),
            ([[0.5, 1.2], [-0.2, 0.5]], "row 1, column 2"),
            ([[0.5, float("nan")], [0.5, 0.5]], "row 1, column 2"),
            ([[0.5, 0.5, 0.5]], "square"),
            ([], "square"),
            ("chances", "square table"),
        ],
    )
    def test_bad_matrices_are_refused(self, matrix: object, match: str) -> None:
        with pytest.raises(InputError, match=match):
            ac.MatrixArena(matrix)  # type: ignore[arg-type]

    def test_names_must_fit(self) -> None:
        with pytest.raises(InputError, match="needs 2 names; got 3"):
            ac.MatrixArena([[0.5, 0.5], [0.5, 0.5]], ["a", "b", "c"])
        assert ac.MatrixArena([[0.5]]).items == ("item 1",)

    def test_follows_the_matrix(self) -> None:
        arena = ac.MatrixArena([[0.5, 0.9], [0.1, 0.5]], ["a", "b"], seed=1)
        tally = arena.answer([Ask(1, "a", "b", False, 10_000)])[0]
        assert tally.left / 10_000 == pytest.approx(0.9, abs=0.015)
        assert arena.regret_rates() is None


class TestCallableArena:
    """A function answers."""

    def test_the_function_is_asked_once_a_duel(self) -> None:
        asked: list[tuple[str, str]] = []

        def judge(left: str, right: str) -> str:
            asked.append((left, right))
            return "skipped"

        arena = ac.CallableArena(["a", "b"], judge)
        assert arena.answer([Ask(1, "b", "a", False, 3)]) == [ac.Tally(skipped=3)]
        assert asked == [("b", "a")] * 3

    def test_what_is_no_answer_is_refused(self) -> None:
        arena = ac.CallableArena(["a", "b"], lambda left, right: "both")
        with pytest.raises(InputError, match="'both'"):
            arena.answer([Ask(1, "a", "b", False, 1)])

    def test_decoys_have_a_function_of_their_own(self) -> None:
        arena = ac.CallableArena(
            ["a", "b"],
            lambda left, right: "right",
            against_decoy=lambda left, right: ac.Answer.LEFT,
            decoy_gap=0.2,
        )
        assert arena.decoy_gap == 0.2
        assert arena.answer([Ask(1, "a", "b", True, 2)]) == [ac.Tally(left=2)]
        assert arena.answer([Ask(1, "a", "b", False, 2)]) == [ac.Tally(right=2)]
        with pytest.raises(ParameterError, match="belong together"):
            ac.CallableArena(["a"], lambda left, right: "tie", decoy_gap=0.2)
