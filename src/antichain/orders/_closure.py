"""Relations as boolean matrices: cycles, transitive closure and reduction, levels."""

import numpy as np
from numpy.typing import NDArray

Relation = NDArray[np.bool_]


def topological_order(relation: Relation) -> NDArray[np.int64]:
    """The indices with every upper item before its lower ones, as far as cycles allow.

    Items on a cycle, or below one, are left out: the answer is shorter than the relation exactly
    when there is a cycle.
    """
    waiting = relation.sum(axis=0, dtype=np.int64)
    ready = list(np.flatnonzero(waiting == 0)[::-1])
    order: list[int] = []
    while ready:
        item = int(ready.pop())
        order.append(item)
        below = np.flatnonzero(relation[item])
        waiting[below] -= 1
        ready.extend(below[waiting[below] == 0][::-1])
    return np.array(order, dtype=np.int64)


def find_cycle(relation: Relation) -> list[int]:
    """The indices along one cycle, each above the next; empty when there is none."""
    stuck = np.ones(len(relation), dtype=np.bool_)
    stuck[topological_order(relation)] = False
    if not stuck.any():
        return []
    # Everything stuck has something stuck above it, so walking up must come back to itself.
    walk = [int(np.flatnonzero(stuck)[0])]
    seen = {walk[0]: 0}
    while True:
        up = int(np.flatnonzero(relation[:, walk[-1]] & stuck)[0])
        if up in seen:
            return walk[seen[up] :][::-1]
        seen[up] = len(walk)
        walk.append(up)


def strong_components(relation: Relation) -> list[NDArray[np.int64]]:
    """The indices of each set of more than one item that are all above each other by some path."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(csr_array(relation.astype(np.int8)), connection="strong")
    sizes = np.bincount(labels, minlength=1)
    found = [np.flatnonzero(labels == label) for label in np.flatnonzero(sizes > 1)]
    return sorted(found, key=lambda members: int(members[0]))


def transitive_closure(relation: Relation) -> Relation:
    """The smallest transitive relation that holds `relation`, which must have no cycle."""
    size = len(relation)
    # Eight items per byte: the unions below are what the closure costs.
    rows = np.packbits(relation, axis=1)
    for item in topological_order(relation)[::-1]:
        below = np.flatnonzero(relation[item])
        if len(below):
            rows[item] |= np.bitwise_or.reduce(rows[below], axis=0)
    return np.unpackbits(rows, axis=1, count=size).astype(np.bool_)


def transitive_reduction(closed: Relation) -> Relation:
    """The pairs of a closed relation with nothing strictly between (its Hasse diagram)."""
    # Counts of items between; float32 because only float products use the fast matrix routines.
    weights = closed.astype(np.float32)
    between = weights @ weights
    return closed & (between < 0.5)


def levels_from_top(closed: Relation) -> NDArray[np.int64]:
    """How many items the longest chain ending at each item has above that item (0 on the front)."""
    levels = np.zeros(len(closed), dtype=np.int64)
    # Whoever is above has strictly fewer items above, so this sort is a topological order.
    for item in np.argsort(closed.sum(axis=0), kind="stable"):
        above = levels[closed[:, item]]
        if len(above):
            levels[item] = above.max() + 1
    return levels


def largest_antichain(closed: Relation) -> NDArray[np.int64]:
    """The indices of a largest antichain, by Dilworth's theorem and a maximum matching.

    A minimum chain cover is a maximum matching between upper and lower copies of the items; by
    König's theorem the items with neither copy in the minimum vertex cover are an antichain of
    the same size.
    """
    upper_of = _matched_uppers(closed)
    upper_reached = np.ones(len(closed), dtype=np.bool_)
    upper_reached[upper_of[upper_of >= 0]] = False
    lower_reached = np.zeros(len(closed), dtype=np.bool_)
    frontier = np.flatnonzero(upper_reached)
    while len(frontier):
        fresh = closed[frontier].any(axis=0) & ~lower_reached
        lower_reached |= fresh
        # The matching is maximum, so every lower copy reached has a partner, and a new one.
        frontier = upper_of[fresh]
        upper_reached[frontier] = True
    return np.flatnonzero(upper_reached & ~lower_reached)


def _matched_uppers(closed: Relation) -> NDArray[np.int64]:
    """For each item the one above it that a maximum matching gives it, or −1.

    By maximum flow: scipy's maximum_bipartite_matching can take exponential time on just such
    relations (scipy issue 26147; 600 items of a random order did not end).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    size = len(closed)
    source, sink = 2 * size, 2 * size + 1
    upper, lower = np.nonzero(closed)
    everything = np.arange(size)
    tails = np.concatenate([np.full(size, source), upper, size + everything])
    heads = np.concatenate([everything, size + lower, np.full(size, sink)])
    network = csr_array(
        (np.ones(len(tails), dtype=np.int32), (tails, heads)), shape=(sink + 1, sink + 1)
    )
    flow = maximum_flow(network, source, sink).flow[:size, size:source].tocoo()
    used = flow.data > 0
    upper_of = np.full(size, -1, dtype=np.int64)
    upper_of[flow.col[used]] = flow.row[used]
    return upper_of
