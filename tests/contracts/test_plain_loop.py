"""Under the paper's rules, ask/tell counts duel for duel what a plain loop counts."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms._rounds import Ask
from antichain.orders import DuelModel
from antichain.testing._crowds import Crowd, Feed, in_portions
from antichain.testing._worlds import small_world

from . import plain_loop
from .cases import DECOY_GAP

FEEDS: dict[str, Callable[[], Feed]] = {
    "one at a time": lambda: in_portions(1),
    "bundles": lambda: in_portions(None),
    "batches of 50": lambda: in_portions(50),
    "out of order": lambda: Crowd(0, portion=30),
}
WORLDS = {
    "layered": small_world(),
    "close": ac.posets.layered(2, 3, 3, seed=1, gaps="between:0.05:0.2"),
    "antichain": ac.posets.antichain(4),
    "total order": ac.posets.total_order(5, seed=1, gaps="minimum:0.1"),
}


def _keyed(model: DuelModel, gap: float | None, seed: int) -> ac.KeyedArena:
    return ac.KeyedArena(ac.SimulatedArena(model, gap), seed=seed)


def _duel(arena: ac.KeyedArena) -> plain_loop.Duel:
    items = arena.items

    def duel(left: int, right: int, decoy: bool) -> bool:
        return arena.answer([Ask(0, items[left], items[right], decoy, 1)])[0].left == 1

    return duel


def _regrets(model: DuelModel, gap: float | None, book: plain_loop.Book) -> tuple[float, ...]:
    """Regret, regret while peeling, regret with decoys: summed over the duels one by one."""
    front = model.front_mask()
    gaps = model.gaps

    def distance(item: int) -> float:
        above = [gaps[j, item] for j in np.flatnonzero(front) if gaps[j, item] > 0]
        return 0.0 if front[item] else min(above)

    def decoy_distance(item: int) -> float:
        at_or_above = [j for j in np.flatnonzero(front) if j == item or gaps[j, item] > 0]
        return min(max(gaps[j, item], gap) for j in at_or_above)

    peeling = sum(distance(a) + distance(b) for a, b, decoy in book.played if not decoy)
    against = sum(distance(a) for a, _, decoy in book.played if decoy)
    decoys = sum(decoy_distance(b) for _, b, decoy in book.played if decoy)
    return peeling + against, peeling, peeling + against + decoys


@pytest.mark.parametrize("gap", [DECOY_GAP, None])
@pytest.mark.parametrize("world", WORLDS)
def test_unchained_bandits(world: str, gap: float | None) -> None:
    model, delta, seed = WORLDS[world], 0.05, 2
    epsilon = None if gap is not None else 0.2
    floor = 0.2 if gap is None else gap * math.sqrt(model.size)
    front, book = plain_loop.unchained_bandits(
        model.size, delta, gap, floor, seed, _duel(_keyed(model, gap, seed))
    )
    regrets = _regrets(model, gap, book)
    algorithm = ac.UnchainedBandits(
        delta=delta, decoy_gap=gap, epsilon=epsilon, rules=ac.Rules.paper()
    )
    for name, feed in FEEDS.items():
        search = algorithm.start(model.items, seed)
        feed()(search, _keyed(model, gap, seed))
        result = search.result()
        assert result.front == tuple(model.items[k] for k in front), name
        assert result.direct_duels == book.count(decoy=False), name
        assert result.decoy_duels == book.count(decoy=True), name
        assert result.spare == 0, name
    for batch in (1, 64, None):
        arena = _keyed(model, gap, seed)
        result = ac.find_front(arena, algorithm, seed=seed, batch=batch)
        assert result.duels == len(book.played)
        found = (result.regret, result.regret_peeling, result.regret_with_decoys)
        assert found == pytest.approx(regrets, rel=1e-12)


@pytest.mark.parametrize("world", WORLDS)
def test_uniform_sampling(world: str) -> None:
    model, delta = WORLDS[world], 0.05
    front, book = plain_loop.uniform_sampling(
        model.size, delta, DECOY_GAP, _duel(_keyed(model, DECOY_GAP, 4))
    )
    algorithm = ac.UniformSampling(delta=delta, decoy_gap=DECOY_GAP)
    regrets = _regrets(model, DECOY_GAP, book)
    for name, feed in FEEDS.items():
        search = algorithm.start(model.items)
        feed()(search, _keyed(model, DECOY_GAP, 4))
        result = search.result()
        assert result.front == tuple(model.items[k] for k in front), name
        assert result.direct_duels == book.count(decoy=False), name
        assert result.decoy_duels == book.count(decoy=True), name
    result = ac.find_front(_keyed(model, DECOY_GAP, 4), algorithm)
    found = (result.regret, result.regret_peeling, result.regret_with_decoys)
    assert found == pytest.approx(regrets, rel=1e-12)
