"""Small orders with clear gaps, on which contract suites run quickly."""

from __future__ import annotations

import numpy as np

from antichain.orders import DuelModel, Poset
from antichain.orders import _generators as posets


def graded(poset: Poset, slope: float = 1.2) -> DuelModel:
    """The poset with gaps that grow with the difference in depth.

    Strong stochastic transitivity and the triangle inequality hold, and no gap is small, so
    that the assumptions of every maximum finder are met and runs are short.
    """
    above = poset.above
    depth = np.zeros(len(poset))
    for item in np.argsort(above.sum(axis=0), kind="stable"):  # whatever is above comes first
        depth[item] = 1 + max(depth[above[:, item]], default=-1)
    gaps = np.tanh(slope * (depth[None, :] - depth[:, None]) / 2) / 2
    return DuelModel(poset, np.where(above | above.T, gaps, 0.0))


def small_world(seed: int = 5) -> DuelModel:
    """Eight items: two on the front and three chains of two below them."""
    return graded(posets.layered(2, 3, 3, seed=seed).poset)


def random_world(seed: int, most: int = 7) -> DuelModel:
    """A random order of up to `most` items, from an antichain to a total order."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, most + 1))
    edges = np.triu(rng.random((size, size)) < rng.random(), 1)
    shuffled = rng.permutation(size)
    return graded(Poset.from_matrix(edges[np.ix_(shuffled, shuffled)]))


def random_chain(seed: int, *, size: int | None = None, any_gaps: bool = False) -> DuelModel:
    """A total order of up to eight items in random order.

    With `any_gaps` the gaps satisfy no transitivity but that of the order.
    """
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 9)) if size is None else size
    names = [f"item {k + 1}" for k in range(size)]
    ranks = rng.permutation(size)
    poset = Poset.from_matrix(ranks[:, None] < ranks[None, :], names)
    if not any_gaps:
        return graded(poset)
    gaps = np.triu(rng.uniform(0.08, 0.49, (size, size)), 1)
    gaps = (gaps - gaps.T)[np.ix_(ranks, ranks)]
    return DuelModel(poset, gaps)
