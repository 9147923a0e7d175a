"""Hypothesis strategies for small random orders, for every test that needs one."""

import numpy as np
from hypothesis import strategies as st

from antichain.orders import DuelModel, Poset


@st.composite
def posets(draw: st.DrawFn, min_size: int = 1, max_size: int = 9) -> Poset:
    """A random poset, its items in no particular order."""
    size = draw(st.integers(min_size, max_size))
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    kept = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    names = draw(st.permutations([f"x{i}" for i in range(size)]))
    shown = draw(st.permutations(names))
    return Poset.from_relations([(names[i], names[j]) for i, j in kept], shown)


@st.composite
def models(
    draw: st.DrawFn,
    min_size: int = 1,
    max_size: int = 9,
    min_gap: float = 0.001,
    max_gap: float = 0.499,
) -> DuelModel:
    """A random poset with arbitrary gaps on its comparable pairs."""
    poset = draw(posets(min_size, max_size))
    gaps = np.zeros((len(poset), len(poset)))
    for i, j in np.argwhere(poset.above):
        gaps[i, j] = draw(st.floats(min_gap, max_gap))
    return DuelModel(poset, gaps - gaps.T)
