"""The shipped contract suites catch what they are for: each breach below fails, and is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import antichain as ac
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
        (Generous(), "right on random orders"),
        (Moody(), "a seed decides the run"),
        (Nameless(), "it describes itself"),
        (Unhashable(), "it describes itself"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ac.Algorithm) else "",
)
def test_a_broken_algorithm_is_caught(breach: ac.Algorithm, caught: str) -> None:
    with pytest.raises(ContractError, match=caught):
        check_algorithm(breach)


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
