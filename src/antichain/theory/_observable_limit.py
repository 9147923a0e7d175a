"""What it takes to learn which way comparable pairs point, where it is seen which ones are.

An order can be laid on a comparability graph in few ways, and these follow from its modules: sets
of items that nobody outside tells apart (Gallai 1967). docs/theory/limit.md has the argument.
"""

from collections.abc import Iterator

import numpy as np

from antichain.orders._closure import Relation
from antichain.orders._duel_law import Indices, Mask
from antichain.orders._model import DuelModel


def telling_gaps(model: DuelModel) -> Iterator[float]:
    """The largest gap among the pairs of each constraint; no pair is in two of them."""
    waiting = [np.arange(model.size)]
    while waiting:
        items = waiting.pop()
        above = model.poset.above[np.ix_(items, items)]
        graph = above | above.T
        parts = _components(graph)
        if parts.any():  # no part says anything about another one
            waiting += _split(items, parts)
            continue
        parts = _components(~graph)
        one_by_one = bool(parts.any())  # one above the other, in any order
        if not one_by_one:  # a whole that can only be turned upside down
            parts = _modules(graph)
        across = above & (parts[:, None] != parts)
        gaps = np.where(across, model.gaps[np.ix_(items, items)], 0.0)
        top = ~across.any(axis=0)
        if one_by_one:
            yield from (float(gaps[:, parts == part].max()) for part in set(parts[~top].tolist()))
        elif items.size > 1:
            yield float(gaps.max())
        if items.size > 1:
            waiting += _split(items[top], parts[top])


def _split(items: Indices, parts: Indices) -> list[Indices]:
    return [items[parts == part] for part in np.unique(parts)]


def _components(graph: Relation) -> Indices:
    """For each item, the number of the connected part that it is in."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    _, parts = connected_components(csr_array(graph.astype(np.int8)), directed=False)
    return np.asarray(parts, np.int64)


def _modules(graph: Relation) -> Indices:
    """The largest modules but the whole of a graph that is connected, as its complement is."""
    modules = _modules_without_first(graph)
    # The first item's own module is the union of those that do not span the whole with it.
    for module, item in zip(*np.unique(modules, return_index=True), strict=True):
        if item and not _spanned(graph, int(item)).all():
            modules[modules == module] = modules[0]
    return modules


def _modules_without_first(graph: Relation) -> Indices:
    """The largest modules that the first item is not in; that item by itself."""
    modules: Indices = graph[0].astype(np.int64)
    modules[0] = 2
    while True:
        before = int(modules.max())
        for item in range(1, len(graph)):
            told = 2 * modules + (graph[item] & (modules != modules[item]))
            modules = np.asarray(np.unique(told, return_inverse=True)[1], np.int64)
        if modules.max() == before:
            return modules


def _spanned(graph: Relation, item: int) -> Mask:
    """The smallest module with the first item and another one in it."""
    inside = np.zeros(len(graph), np.bool_)
    new = np.array([0, item])
    seen = np.zeros(len(graph), np.int64)  # how many of those inside each item is comparable to
    while new.size:
        inside[new] = True
        seen += graph[:, new].sum(axis=1)
        new = np.flatnonzero(~inside & (seen > 0) & (seen < inside.sum()))
    return inside
