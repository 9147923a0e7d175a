"""A run's twin is in exactly its state: whatever is done to both has the same effect."""

import pickle
from typing import Any

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms._events import Asked, Expired, Settled, Told
from antichain.algorithms._rounds import RaceOutcome
from antichain.algorithms._search import Search
from antichain.arenas._arena import Arena
from antichain.errors import ProtocolError
from antichain.evidence._answers import Tally
from antichain.testing._worlds import small_world

from .cases import CASES, WITH_ROUNDS, Case

_PATIENCE = 20_000


class Moves:
    """Moves of every kind, each made in all the given runs alike."""

    def __init__(self, arena: Arena, seed: int, loss: float) -> None:
        self.arena = arena
        self.rng = np.random.default_rng(seed)
        self.loss = loss
        self.past: list[int] = []

    def make(self, *runs: Search) -> None:
        """One move."""
        run = runs[0]
        message = run.message
        assert len({other.message is None for other in runs}) == 1
        chance = self.rng.random()
        if message is not None and chance < 0.6 and self.arena.can_settle(message, None):
            # Now and then in part only, as when a budget runs out.
            limit = int(self.rng.integers(1, 500)) if chance < 0.2 else None
            if limit is None or self.arena.can_settle(message, limit):
                self._settle(runs, self.arena.settle(message, limit))
                return
        if chance < 0.1:
            assert len({other.waiting for other in runs}) == 1
        out = run.outstanding
        if not out or chance < 0.3:
            n = (None, 1, 40, 400)[int(self.rng.integers(4))]
            ahead = bool(self.rng.random() < 0.7)
            singly = bool(self.rng.random() < 0.3)
            avoid = [frozenset((ask.left, ask.right)) for ask in out[:1]]
            asks = [other.ask(n, ahead=ahead, singly=singly, avoid=avoid) for other in runs]
            assert all(other == asks[0] for other in asks)
            return
        if chance < 0.35:
            wanted = [(ask.left, ask.right, ask.decoy) for ask in out[:2]]
            asks_for = [other.ask_for(wanted) for other in runs]
            assert all(other == asks_for[0] for other in asks_for)
            return
        ask = out[int(self.rng.integers(len(out)))]
        if self.rng.random() < self.loss:
            for other in runs:
                other.expire(ask)
            self.past.append(ask.id)
        elif self.past and self.rng.random() < 0.05:
            self._tell(runs, self.past[-1], Tally(left=3))
        else:
            self._tell(runs, ask.id, self._some_skipped(self.arena.answer([ask])[0]))

    def _some_skipped(self, tally: Tally) -> Tally:
        if self.rng.random() >= self.loss or not tally.left:
            return tally
        return tally._replace(left=tally.left - 1, skipped=1)

    @staticmethod
    def _tell(runs: tuple[Search, ...], number: int, tally: Tally) -> None:
        assert len({other.tell(number, tally) for other in runs}) == 1

    @staticmethod
    def _settle(runs: tuple[Search, ...], outcome: Any) -> None:
        for other in runs:
            if isinstance(outcome, RaceOutcome):
                other.settle(RaceOutcome(outcome.eliminated, outcome.counts.copy()))
            else:
                other.settle(outcome.copy())


def _state(search: Search) -> tuple[Any, ...]:
    return search.outstanding, search.finished, search.counts(), search.result().to_dict()


def _moves(case: Case, seed: int) -> Moves:
    loss = 0.03 if case.holds_lost_against else 0.15
    return Moves(case.world(small_world(), seed), seed, loss)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("case", WITH_ROUNDS.values(), ids=WITH_ROUNDS)
def test_a_twin_goes_the_same_way(case: Case, seed: int) -> None:
    search = case.algorithm.start(small_world().items, seed)
    moves = _moves(case, seed)
    for _ in range(int(moves.rng.integers(150))):
        if not search.finished:
            moves.make(search)
    before = _state(search)
    # By way of another process, and a twin of a twin.
    twins = [pickle.loads(pickle.dumps(search.script())).play(), search.twin().twin()]
    assert _state(search) == before
    runs = (search, *twins)
    for _ in range(_PATIENCE):
        assert all(other.outstanding == search.outstanding for other in runs)
        if search.finished:
            break
        moves.make(*runs)
    assert search.finished
    assert all(_state(other) == _state(search) for other in runs)


@pytest.mark.parametrize("case", WITH_ROUNDS.values(), ids=WITH_ROUNDS)
def test_a_twin_goes_its_own_way(case: Case) -> None:
    search = case.algorithm.start(small_world().items)
    moves = _moves(case, 1)
    for _ in range(20):
        moves.make(search)
    before, twin = _state(search), search.twin()
    while not twin.finished:
        moves.make(twin)
    assert _state(search) == before


def test_counts_brought_along_are_the_twin_s_too() -> None:
    direct = {("a", "b"): (400, 100, 3)}
    search = ac.Witness(delta=0.05, decoy_gap=0.1).start(["a", "b", "c"], direct=direct)
    search.tell(search.ask(1)[0], "left")
    expected = _state(search)
    direct["a", "b"] = (0, 0, 0)
    assert _state(search.twin()) == expected


def test_what_is_noted_is_what_changes_something() -> None:
    search = CASES["witness"].algorithm.start(small_world().items)
    asks = search.ask(3)
    first = asks[0]
    for _ in range(5):
        assert not search.waiting
    with pytest.raises(ProtocolError):
        search.tell(first, ["left"] * (first.duels + 1))
    search.expire(first)
    search.expire(first)
    search.tell(first, ["left"] * first.duels)
    more = search.ask()
    for _ in range(5):
        assert search.ask() == []
    assert search.script().events == (
        Asked.of(asks),
        Expired(first.id),
        Told(first.id, Tally(left=first.duels)),
        Asked.of(more),
        Asked.of([]),
    )


def test_a_batch_that_avoids_pairs_is_replayed_with_the_same_numbers() -> None:
    search = CASES["witness"].algorithm.start(small_world().items)
    first = search.ask(1)[0]
    asks = search.ask(200, singly=True, avoid=[frozenset((first.left, first.right))])
    twin = search.twin()
    assert twin.outstanding == search.outstanding == (first, *asks)


def test_settled_rounds_are_kept_apart_from_the_arrays_of_the_caller() -> None:
    case = CASES["witness"]
    search, arena = case.algorithm.start(small_world().items), case.world(small_world())
    assert search.message is not None
    counts = arena.settle(search.message, None)
    assert isinstance(counts, np.ndarray)
    search.settle(counts)
    counts[:] = -1
    (event,) = search.script().events
    assert isinstance(event, Settled)
    assert (event.changes > 0).all()
    assert search.twin().costs().duels == event.changes.sum() == search.costs().duels


def test_without_a_history_there_is_no_twin() -> None:
    search = CASES["witness"].algorithm.start(["a", "b"], history=False)
    search.ask(1)
    with pytest.raises(ProtocolError, match="history=False"):
        search.twin()
