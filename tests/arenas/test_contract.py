"""Every arena of the package keeps the contract that we ship, and has some duties of its own."""

import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import antichain
import antichain as ac
from antichain.algorithms._rounds import Ask, round_of
from antichain.arenas._arena import Arena, Wrapper
from antichain.arenas._recorded import Recorded, Replay
from antichain.arenas._simulated import DegradedArena
from antichain.errors import InputError, MissingExtraError, ParameterError, ProtocolError
from antichain.evidence import SequentialTest
from antichain.forecast._posterior import MatrixWorld
from antichain.ratings._ballots import Ballots
from antichain.ratings._pair_counts import PairCounts
from antichain.ratings._rater_arenas import RatingsArena, ReplayArena
from antichain.testing import Check, arena_checks
from antichain.testing._crowds import Watched

MODEL = ac.posets.layered(2, 3, 3, seed=1, gaps="minimum:0.1")
CHANCES = 0.5 + MODEL.gaps


def _judge(left: str, right: str) -> str:
    gap = MODEL.gap(left, right)
    return "left" if gap > 0 else "right" if gap < 0 else "tie"


def _simulated(decoy_gap: float | None = 0.1) -> ac.SimulatedArena:
    return ac.SimulatedArena(MODEL, decoy_gap, seed=3)


def _ratings() -> tuple[PairCounts, Ballots]:
    """Forty raters of four items each out of five; the first and the last have none in common."""
    rng = np.random.default_rng(1)
    items = np.array([(0, 1, 2, 3) if user % 2 else (1, 2, 3, 4) for user in range(40)])
    ratings = rng.integers(1, 6, items.shape).astype(float)
    wins, ties = np.zeros((5, 5), np.int64), np.zeros((5, 5), np.int64)
    for mine, given in zip(items, ratings, strict=True):
        wins[np.ix_(mine, mine)] += given[:, None] > given[None, :]
        ties[np.ix_(mine, mine)] += given[:, None] == given[None, :]
    np.fill_diagonal(ties, 0)
    users, starts = np.arange(40), np.arange(41) * 4
    return PairCounts(tuple("abcde"), wins, ties), Ballots(
        users, starts, items.ravel(), ratings.ravel()
    )


ARENAS: dict[str, Callable[[], Arena]] = {
    "simulated": lambda: _simulated(decoy_gap=None),
    "simulated with decoys": _simulated,
    "simulated, observable": lambda: ac.SimulatedArena(MODEL, observable=True, seed=3),
    "degraded": lambda: DegradedArena(MODEL, 0.1, seed=3),
    "matrix": lambda: ac.MatrixArena(CHANCES, MODEL.items, seed=3),
    "matrix world": lambda: MatrixWorld(MODEL.items, MODEL.gaps, 0.1, seed=3),
    "keyed": lambda: ac.KeyedArena(_simulated(), seed=3, tie_chance=0.1),
    "callable": lambda: ac.CallableArena(
        MODEL.items, _judge, against_decoy=lambda left, right: "left", decoy_gap=0.1
    ),
    "ratings": lambda: RatingsArena(_ratings()[0], seed=3),
    "raters": lambda: ReplayArena(*_ratings(), seed=3),
    "wrapper": lambda: Wrapper(_simulated()),
    "watched": lambda: Watched(_simulated()),
    "budgeted": lambda: ac.Budgeted(_simulated(), 2000),
}
CHECKS = {f"{name}-{check}": check for name, make in ARENAS.items() for check in arena_checks(make)}
NAMES = [str(check) for check in arena_checks(_simulated)]


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_arena(check: Check) -> None:
    check()


def _named(name: str, arena: Arena) -> Check:
    return next(check for check in arena_checks(arena) if str(check) == name)


@pytest.mark.parametrize("name", NAMES)
def test_recorded(name: str, tmp_path: Path) -> None:
    with closing(Recorded(_simulated(), tmp_path / "record.jsonl", {}, resume=False)) as arena:
        _named(name, arena)()


@pytest.mark.parametrize(
    "name",
    sorted(
        set(NAMES)
        - {
            "an unknown item is named",
            "races are settled or declined",
            "going back to a state brings the same answers",
        }
    ),
)
def test_replay(name: str, tmp_path: Path) -> None:
    """A recording of the check itself is replayed: it holds the answers to just these questions.

    Three checks do not apply. Replay refuses every question that the recording does not hold, an
    unknown item included, with an error about the file; it leaves it to the recorded run whether
    a race could be settled; and it has a state to hand over to the arena that takes the run up
    again, but cannot go back to one itself.
    """
    path = tmp_path / "record.jsonl"
    with closing(Recorded(_simulated(), path, {}, resume=False)) as arena:
        _named(name, arena)()
    _named(name, Replay(path))()


def _arena_classes(base: type[Arena] = Arena) -> Iterator[type[Arena]]:
    for kind in base.__subclasses__():
        # Examples in docstrings define classes too, which are not in their module.
        if getattr(sys.modules[kind.__module__], kind.__name__, None) is kind:
            yield kind
        yield from _arena_classes(kind)


def test_no_arena_is_forgotten() -> None:
    for module in pkgutil.walk_packages(antichain.__path__, "antichain."):
        if not module.name.endswith("__main__"):
            try:
                import_module(module.name)
            except MissingExtraError:
                continue
    covered = {type(make()) for make in ARENAS.values()} | {Recorded, Replay}
    ours = {kind for kind in _arena_classes() if kind.__module__.startswith("antichain.")}
    assert {kind for kind in ours if not inspect.isabstract(kind)} == covered


# -- what only some arenas do --------------------------------------------------------------------


def _asks() -> list[Ask]:
    names = MODEL.items
    pairs = [(a, b) for a in names for b in names if a != b][:20]
    return [Ask(k, a, b, False, 1 + k % 7) for k, (a, b) in enumerate(pairs)]


@pytest.mark.parametrize("name", sorted(ARENAS.keys() - {"ratings", "raters"}))
def test_only_an_observable_arena_says_incomparable(name: str) -> None:
    arena = ARENAS[name]()
    said = sum(tally.incomparable for tally in arena.answer(_asks()))
    assert (said > 0) is arena.observable


@pytest.mark.parametrize("name", ["simulated", "simulated with decoys", "degraded", "matrix"])
@pytest.mark.parametrize("allowance", [None, 5])
def test_known_chances_settle_every_round(name: str, allowance: int | None) -> None:
    arena = ARENAS[name]()
    for test in (SequentialTest.probe(), SequentialTest.fixed()):
        message = round_of(0, np.arange(1, 8), test, targets=np.full(7, 9))
        assert arena.can_settle(message, allowance)


def test_an_arena_that_cannot_settle_raises() -> None:
    arena = ac.CallableArena(MODEL.items, _judge)
    message = round_of(0, np.array([1]), SequentialTest.fixed(), targets=[3])
    assert not arena.can_settle(message, None)
    with pytest.raises(ProtocolError, match="CallableArena"):
        arena.settle(message, None)


def test_answers_vary_and_seeds_decide_them() -> None:
    def answers(seed: int) -> list[list[ac.Tally]]:
        arena = ac.SimulatedArena(MODEL, seed=seed)
        return [arena.answer(_asks()) for _ in range(2)]

    assert answers(1) == answers(1)
    assert answers(1) != answers(2)
    assert answers(1)[0] != answers(1)[1]


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
