"""The shipped contract suites catch what they are for: each breach below fails, and is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import round_of
from antichain.evidence import Bet, SequentialTest, Verdict
from antichain.testing import (
    ContractError,
    algorithm_checks,
    arena_checks,
    check_algorithm,
    check_arena,
    check_maximum_finder,
)

CHANCES = [[0.5, 0.8, 0.7], [0.2, 0.5, 0.6], [0.3, 0.4, 0.5]]
ITEMS = ("tea", "coffee", "milk")


@dataclass(frozen=True)
class Base(ac.UnchainedBandits):
    """A right method, for others to spoil."""

    delta: float = 0.01
    decoy_gap: float | None = 0.2


class Unstated(Base):
    """Makes no promise, and so must not come back certified."""

    guarantee: ClassVar[str | None] = None


class Forgetful(Base):
    """Loses an item of the front."""

    def plan(self, state):
        front = yield from super().plan(state)
        return front[:1]


class Generous(Base):
    """Keeps an item that is dominated."""

    def plan(self, state):
        front = yield from super().plan(state)
        return np.arange(state.size) if state.size > 4 else front


class Moody(Base):
    """Uses the global random state."""

    def plan(self, state):
        front = yield from super().plan(state)
        return np.delete(front, 0) if np.random.random() < 0.5 else front  # noqa: NPY002


class Nameless(Base):
    name: ClassVar[str] = ""


@dataclass(frozen=True)
class Unhashable(Base):
    extra: Any = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "extra", [1])


@pytest.mark.parametrize(
    ("breach", "caught"),
    [
        (Forgetful(), "one at a time wastes nothing and is right"),
        (Forgetful(), "not in the front, but were not eliminated"),
        (Generous(), "as a member of the front, but it has eliminated that item"),
        (Moody(), "a seed decides the run"),
        (Nameless(), "it describes itself"),
        (Unhashable(), "its parameters are plain data"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ac.Algorithm) else value,
)
def test_a_broken_algorithm_is_caught(breach: ac.Algorithm, caught: str) -> None:
    with pytest.raises(ContractError, match=caught):
        check_algorithm(breach)


@dataclass(frozen=True)
class AllPairs(ac.Algorithm):
    """A first method of one's own: every pair at once. `mistake` says what is wrong with it."""

    mistake: str = ""
    epsilon: float = 0.15

    name: ClassVar[str] = "all-pairs"
    guarantee: ClassVar[str | None] = "An ε-approximation of the front."

    def plan(self, state: PlanState) -> Any:
        lefts, rights = np.triu_indices(state.size, 1)
        if self.mistake == "an item against itself":
            lefts = rights
        if self.mistake == "items from 1":
            rights = rights + 1
        delta = 1e-6 if self.mistake == "delta ignored" else self.delta
        test = SequentialTest.direct_interval(delta / max(1, lefts.size), self.epsilon)
        if self.mistake == "never even":
            test = SequentialTest.two_sided_bets(delta / 100, Bet.open_ended(), 0.1, beta=0.0)
        if self.mistake == "an empty round":
            yield round_of(lefts[:0], rights[:0], test)
        outcome = yield [(0, 1)] if self.mistake == "pairs" else round_of(lefts, rights, test)
        losers: dict[int, int] = {}
        for verdict, winners, beaten in (
            (Verdict.LEFT, lefts, rights),
            (Verdict.RIGHT, rights, lefts),
        ):
            said = outcome.said(verdict)
            losers.update(zip(beaten[said].tolist(), winners[said].tolist(), strict=True))
        if self.mistake != "nobody eliminated":
            for loser, winner in losers.items():
                state.eliminate(loser, winner)
        front = [item for item in range(state.size) if item not in losers]
        returned: dict[str, Any] = {
            "names": [f"item {item}" for item in front],
            "a mask": np.isin(np.arange(state.size), front),
            "nothing": None,
            "indices from 1": [item + 1 for item in front],
        }
        return returned.get(self.mistake, front)


class NotAGenerator(AllPairs):
    def plan(self, state: PlanState) -> Any:
        return np.arange(state.size)


NEWCOMERS = {
    "nobody eliminated": "call state.eliminate",
    "names": r"returned \['item 0', .* the indices of the front were expected.*not names",
    "a mask": "np.flatnonzero",
    "nothing": "returned None, but the indices",
    "indices from 1": "different numbers from 0 to|as a member of the front, but it has eliminated",
    "items from 1": "rights of a round has .* but items are numbered 0 to 7",
    "an item against itself": "compares an item with itself",
    "pairs": r"yielded \[\(0, 1\)\] .* make one with round_of",
    "delta ignored": "does every test get its share of delta",
    "never even": r"did not finish within 500,000 duels: does every test come to an end",
}


@pytest.mark.parametrize("mistake", NEWCOMERS)
def test_a_newcomers_mistake_is_explained(mistake: str) -> None:
    with pytest.raises(ContractError, match=NEWCOMERS[mistake]) as caught:
        check_algorithm(AllPairs(0.01, mistake=mistake))
    assert str(caught.value).count("\n- ") == 1


def test_what_is_no_mistake_is_accepted() -> None:
    check_algorithm(AllPairs(0.01))
    check_algorithm(AllPairs(0.01, mistake="an empty round"))


def test_a_plan_must_be_a_generator() -> None:
    with pytest.raises(ContractError, match="must be a generator"):
        check_algorithm(NotAGenerator(0.01))


def test_a_class_is_not_an_algorithm() -> None:
    with pytest.raises(ContractError, match=r"AllPairs'> is not an Algorithm with its parameters"):
        check_algorithm(AllPairs)  # type: ignore[arg-type]


def test_a_method_without_a_guarantee_is_never_certified() -> None:
    check_algorithm(Unstated())
    arena = ac.SimulatedArena(ac.posets.chains(2, 2, seed=0, gaps="minimum:0.2"), 0.2)
    assert ac.find_front(arena, Base()).certified
    assert not ac.find_front(arena, Unstated()).certified


class Spoiled(ac.MatrixArena):
    """A right arena with one method replaced."""

    def __init__(self, **methods: Any) -> None:
        super().__init__(CHANCES, ITEMS, seed=1)
        for name, method in methods.items():
            setattr(self, name, method)


def _generator_kept(arena: ac.MatrixArena) -> Callable[[Sequence[ac.Ask]], list[ac.Tally]]:
    """Answers from a generator that `state` knows nothing of."""
    rng = np.random.default_rng(0)

    def answer(asks):
        wins = [int(rng.binomial(ask.duels, 0.5)) for ask in asks]
        return [ac.Tally(won, ask.duels - won) for won, ask in zip(wins, asks, strict=True)]

    return answer


def _spoiled(**methods: Any) -> Callable[[], ac.Arena]:
    return lambda: Spoiled(**methods)


def _all_left(message, allowance):
    counts = message.start.copy()
    counts[:, 0] += 400
    return counts


ARENA_BREACHES = {
    "one answer too many": (
        _spoiled(answer=lambda asks: [ac.Tally(left=ask.duels + 1) for ask in asks]),
        "tallies add up",
    ),
    "no tally": (_spoiled(answer=lambda asks: []), "tallies add up"),
    "decoys out of nowhere": (
        _spoiled(answer=lambda asks: [ac.Tally(left=ask.duels) for ask in asks]),
        "decoys are answered only where offered",
    ),
    "unknown items": (
        _spoiled(answer=lambda asks: [ac.Tally(left=ask.duels) for ask in asks]),
        "an unknown item is named",
    ),
    "a law of its own": (_spoiled(settle=_all_left), "the law of answering"),
    "an allowance ignored": (_spoiled(settle=_all_left), "rounds are settled or declined"),
    "state that is not its own": (
        lambda: Spoiled(answer=_generator_kept(Spoiled())),
        "going back to a state",
    ),
    "any state will do": (_spoiled(restore=lambda state: None), "is refused"),
    "strings": (
        _spoiled(answer=lambda asks: ["left" for ask in asks]),
        r"Ask\(id=0, .* was answered with 'left'. Tally.of",
    ),
    "bare counts": (
        _spoiled(answer=lambda asks: [(ask.duels, 0) for ask in asks]),
        "must return a Tally for each ask",
    ),
    "parts of duels": (
        _spoiled(answer=lambda asks: [ac.Tally(ask.duels * 0.7, ask.duels * 0.3) for ask in asks]),
        "whole numbers",
    ),
    "a generator": (
        _spoiled(answer=lambda asks: (ac.Tally(left=ask.duels) for ask in asks)),
        r"answer\(\[\]\) must return an empty list; it returned <generator",
    ),
    "a list of items": (_spoiled(items=["tea", "coffee"]), "items must be a tuple of names"),
    "one item": (lambda: ac.MatrixArena([[0.5]]), "describes itself"),
    "objects for an identity": (_spoiled(identity=lambda: {"id": object()}), "describes itself"),
}


@pytest.mark.parametrize(("make", "caught"), ARENA_BREACHES.values(), ids=ARENA_BREACHES)
def test_a_broken_arena_is_caught(make: Callable[[], ac.Arena], caught: str) -> None:
    with pytest.raises(ContractError, match=caught):
        check_arena(make)


class LastOne:
    """No finder at all: always the last item."""

    name: ClassVar[str] = "last"

    def find(self, state, chain, delta):
        for item in chain[:-1].tolist():
            state.eliminate(int(item), int(chain[-1]))
        return int(chain[-1])
        yield


def test_a_broken_finder_is_caught() -> None:
    with pytest.raises(ContractError, match="right on random orders"):
        check_maximum_finder(LastOne())


def test_every_failure_is_reported_at_once() -> None:
    with pytest.raises(ContractError) as caught:
        check_arena(Spoiled(answer=lambda asks: [], restore=lambda state: None))
    assert str(caught.value).count("\n- ") >= 3
    assert "fails" in str(caught.value)


def test_checks_have_readable_names_for_pytest() -> None:
    names = [str(check) for check in arena_checks(Spoiled()) + algorithm_checks(Base())]
    assert len(set(names)) >= len(names) - 1  # both kinds describe themselves
    assert all(name and "_" not in name for name in names)
