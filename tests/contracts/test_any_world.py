"""Every algorithm on any world: the same however it is answered, in law where rounds settle."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp

import antichain as ac
from antichain.algorithms._rounds import Ask
from antichain.arenas._arena import Arena
from antichain.orders import Poset
from antichain.testing._crowds import Crowd, Doubled, Feed, Late, Lossy, Skipping, in_portions
from antichain.testing._worlds import graded

from ..orders.strategies import posets
from .cases import CASES, WITH_ROUNDS, Case

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@st.composite
def feeds(draw: st.DrawFn, losing: bool) -> Feed:
    """Some way of answering."""
    if draw(st.booleans()):
        return in_portions(draw(st.sampled_from([None, 2, 9, 500])))
    crowd = draw(st.sampled_from([Crowd, Doubled] + [Late, Lossy, Skipping] * losing))
    return crowd(draw(st.integers(0, 99)), draw(st.sampled_from([3, 20, 200])))


@every_case
@settings(max_examples=12, deadline=None)
@given(posets(max_size=6), st.integers(0, 1000), st.sampled_from([0.0, 0.3]), st.data())
@pytest.mark.slow
def test_same_end_however_it_is_answered(
    case: Case, poset: Poset, seed: int, ties: float, data: st.DataObject
) -> None:
    model = graded(poset)
    feed = data.draw(feeds(losing=not case.holds_lost_against))
    results = []
    for way in (in_portions(1), feed):
        search = case.algorithm.start(model.items, seed)
        way(search, ac.KeyedArena(case.world(model), seed, tie_chance=ties))
        results.append(search.result())
    alone, other = results
    assert alone.spare == 0
    if case.repeatable in ("front only", "by answers in"):
        return
    assert other.front == alone.front
    if case.repeatable == "without spare" and other.spare:
        return
    assert other.dominated == alone.dominated
    assert other.epochs == alone.epochs
    assert other.duels == alone.duels


class _AskOnly(Arena):
    """Another arena that cannot play whole rounds."""

    def __init__(self, inner: Arena) -> None:
        self.inner = inner
        self.items, self.observable = inner.items, inner.observable
        self.decoy_gap = inner.decoy_gap

    def answer(self, asks: Sequence[Ask]) -> list[ac.Tally]:
        return self.inner.answer(asks)


@pytest.mark.parametrize("case", WITH_ROUNDS.values(), ids=WITH_ROUNDS)
@pytest.mark.slow
def test_whole_rounds_and_asks_have_the_same_law(case: Case) -> None:
    model = graded(ac.posets.layered(2, 2, 3, seed=4).poset, slope=0.8)
    duels: tuple[list[int], list[int]] = ([], [])
    for seed in range(60):
        settled = ac.find_front(case.world(model, seed), case.algorithm, seed=seed)
        asked = ac.find_front(
            _AskOnly(case.world(model, 1000 + seed)), case.algorithm, seed=1000 + seed
        )
        duels[0].append(settled.duels)
        duels[1].append(asked.duels)
    assert ks_2samp(*duels).pvalue > 0.005
    assert len(set(duels[0])) > 10
