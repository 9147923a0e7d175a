"""SlicingBandits against the brute-force front, and how sparingly it probes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain.algorithms.chains import (
    BeatTheMean,
    Challenge,
    InterleavedFilter,
    Knockout,
    PeelToOne,
)
from antichain.errors import NotObservableError

from ..orders.strategies import models, posets

ORDER_ONLY = [Challenge(), PeelToOne(), Knockout()]
TINY = 1e-7
"""An error level at which a wrong front is a bug."""


class Watchful(ac.SimulatedArena):
    """A fully observable arena that notes every pair it was probed about.

    And how many duels each round of others started from.
    """

    def __init__(self, model: ac.DuelModel, seed: int = 0) -> None:
        super().__init__(model, observable=True, seed=seed)
        self.probed: list[frozenset[int]] = []
        self.carried_over: list[int] = []

    def settle(self, message, allowance):
        counts = super().settle(message, allowance)
        if message.test.is_probe:
            asked = (counts != message.start).any(axis=1)
            pairs = zip(message.lefts[asked], message.rights[asked], strict=True)
            self.probed += [frozenset((int(a), int(b))) for a, b in pairs]
        else:
            self.carried_over.append(int(message.start.sum()))
        return counts


def brute_force_front(model: ac.DuelModel) -> set[str]:
    """Items that lose to nobody by any gap."""
    items = range(model.size)
    gap = [[model.gap(model.items[i], model.items[j]) for j in items] for i in items]
    return {model.items[j] for j in items if not any(gap[i][j] > 0 for i in items)}


@st.composite
def models_with_growing_gaps(draw: st.DrawFn) -> ac.DuelModel:
    """A random poset whose gaps are those of strengths: transitive in the strong sense."""
    poset = draw(posets(max_size=7))
    depth = [int(poset.above[:, k].sum()) for k in range(len(poset))]
    strengths = -0.8 * np.array(depth, dtype=float)
    # tanh(d/2)/2 is the logistic function less one half, and odd to the last bit.
    gaps = np.tanh((strengths[:, None] - strengths[None, :]) / 2) / 2
    return ac.DuelModel(poset, np.where(poset.above | poset.above.T, gaps, 0.0))


@pytest.mark.parametrize("finder", ORDER_ONLY, ids=lambda finder: finder.name)
@settings(max_examples=25, deadline=None)
@given(model=models(min_gap=0.08), seed=st.integers(0, 2**32 - 1))
def test_finds_the_front_whatever_the_gaps(finder, model, seed):
    arena = Watchful(model, seed=seed)
    result = ac.find_front(arena, ac.SlicingBandits(delta=TINY, maximum=finder), seed=seed)
    assert set(result.front) == brute_force_front(model)
    assert result.certified
    assert set(result.dominated) == set(model.items) - set(result.front)


@pytest.mark.parametrize(
    "finder", [InterleavedFilter(), BeatTheMean()], ids=lambda finder: finder.name
)
@settings(max_examples=15, deadline=None)
@given(model=models_with_growing_gaps(), seed=st.integers(0, 2**32 - 1))
def test_finds_the_front_where_gaps_grow_along_the_order(finder, model, seed):
    arena = Watchful(model, seed=seed)
    result = ac.find_front(arena, ac.SlicingBandits(delta=TINY, maximum=finder), seed=seed)
    assert set(result.front) == brute_force_front(model)


@settings(max_examples=40, deadline=None)
@given(model=models(min_gap=0.1), seed=st.integers(0, 2**32 - 1))
def test_probes_no_pair_twice(model, seed):
    arena = Watchful(model, seed=seed)
    result = ac.find_front(arena, ac.SlicingBandits(delta=0.05), seed=seed)
    assert len(arena.probed) == len(set(arena.probed)) == result.probes
    assert result.probes <= model.size * (model.size - 1) // 2


def test_probes_are_all_an_antichain_takes():
    model = ac.posets.antichain(9)
    result = ac.find_front(Watchful(model), ac.SlicingBandits())
    assert (result.probes, result.duels) == (36, 36)
    assert result.front == model.items


@pytest.mark.parametrize("finder", ORDER_ONLY, ids=lambda finder: finder.name)
def test_probes_are_evidence(finder):
    arena = Watchful(ac.posets.total_order(2, gaps="constant:0.3"))
    ac.find_front(arena, ac.SlicingBandits(delta=0.01, maximum=finder))
    assert arena.carried_over[0] == 1


@pytest.mark.parametrize("runs", [1, 7])
def test_each_chain_is_an_epoch(runs):
    model = ac.posets.chains(3, 4, seed=runs, gaps="minimum:0.2")
    result = ac.find_front(Watchful(model, runs), ac.SlicingBandits(delta=0.001), seed=runs)
    assert [epoch.name for epoch in result.epochs] == ["chain 1", "chain 2", "chain 3"]
    assert [epoch.entering for epoch in result.epochs] == [12, 8, 4]
    assert sum(epoch.duels for epoch in result.epochs) == result.duels


def test_is_refused_where_comparability_does_not_show():
    arena = ac.SimulatedArena(ac.posets.chains(2, 2), observable=False)
    with pytest.raises(NotObservableError, match="cannot be compared"):
        ac.find_front(arena, ac.SlicingBandits())


def test_names_its_finder():
    assert ac.SlicingBandits(maximum=Knockout()).parameters()["finder"] == "knockout"
