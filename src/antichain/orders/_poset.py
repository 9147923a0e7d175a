"""`Poset`: an immutable strict partial order over named items."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antichain._checks import entries
from antichain._markup import Summarised, Summary, listed
from antichain._text import counted
from antichain.errors import MissingExtraError, OrderError, ParameterError
from antichain.orders._closure import (
    Relation,
    find_cycle,
    largest_antichain,
    levels_from_top,
    transitive_closure,
    transitive_reduction,
)

if TYPE_CHECKING:
    import networkx

Transitivity = Literal["close", "reject"]
_NAMES_SHOWN = 8


@dataclass(frozen=True, eq=False, repr=False)
class Poset(Summarised):
    """A finite partially ordered set.

    Two posets are equal when they have the same items in the same order and the same relations.

    Attributes:
        items: The items' names, all different.
        above: Read-only boolean matrix, transitively closed; `above[i, j]` says that
            `items[i]` is strictly above `items[j]`.

    Example:
        >>> poset = Poset.from_relations([("a", "c"), ("b", "c"), ("c", "d")])
        >>> poset.front
        ('a', 'b')
        >>> poset.is_above("a", "d"), poset.height, poset.width
        (True, 3, 2)
        >>> print(poset)
        Poset of 4 items with 5 relations
          front  2: a, b
          below  2: c, d
    """

    items: tuple[str, ...]
    above: Relation

    def __post_init__(self) -> None:
        items = _checked_items(self.items)
        above = _closed(items, _as_relation(self.above, len(items)), "reject")
        above.setflags(write=False)
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "above", above)

    @classmethod
    def from_relations(
        cls,
        relations: Iterable[tuple[str, str]],
        items: Iterable[str] | None = None,
        transitivity: Transitivity = "close",
    ) -> Poset:
        """The poset in which each pair (a, b) of `relations` has a above b.

        Args:
            relations: Pairs of names, the upper one first.
            items: All items in order; by default those named in `relations`, as they appear.
            transitivity: "close" adds what follows from the relations; "reject" raises when
                something that follows is missing.

        Raises:
            OrderError: For a cycle, a self-loop, an unknown or duplicate item, a pair given in
                both directions, or (with "reject") a missing relation.
        """
        pairs = [_checked_pair(pair) for pair in entries("relations", relations, "pairs")]
        names = _checked_items(
            dict.fromkeys(name for pair in pairs for name in pair) if items is None else items
        )
        place = {name: index for index, name in enumerate(names)}
        relation = np.zeros((len(names), len(names)), dtype=np.bool_)
        for upper, lower in pairs:
            relation[_place(place, upper), _place(place, lower)] = True
        return cls(names, _closed(names, relation, transitivity))

    @classmethod
    def from_matrix(
        cls,
        matrix: ArrayLike,
        items: Iterable[str] | None = None,
        transitivity: Transitivity = "close",
    ) -> Poset:
        """The poset in which `matrix[i, j]` (0 or 1) says that item i is above item j.

        Items are named "item-1", "item-2"… unless given; for the rest see `from_relations`.
        """
        array = np.asarray(matrix)
        size = array.shape[0] if array.ndim else 0
        names = _checked_items(
            (f"item-{index + 1}" for index in range(size)) if items is None else items
        )
        return cls(names, _closed(names, _as_relation(array, len(names)), transitivity))

    @classmethod
    def from_networkx(cls, graph: networkx.Graph, transitivity: Transitivity = "close") -> Poset:
        """The poset of a directed graph whose edges go from the upper item to the lower.

        Nodes are named by `str`; for the rest see `from_relations`.
        """
        if not graph.is_directed():
            raise OrderError("the graph is undirected, but a directed graph was expected.")
        edges = [(str(upper), str(lower)) for upper, lower in graph.edges()]
        return cls.from_relations(edges, [str(node) for node in graph.nodes()], transitivity)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The row of each item in `above`."""
        return MappingProxyType({name: index for index, name in enumerate(self.items)})

    @cached_property
    def front(self) -> tuple[str, ...]:
        """The maximal items (the Pareto front), in item order."""
        return self._names(np.asarray(~self.above.any(axis=0)))

    @cached_property
    def longest_chain(self) -> tuple[str, ...]:
        """The items of one longest chain, from the top down."""
        levels = levels_from_top(self.above)
        item = int(levels.argmax())
        chain = [item]
        while levels[item] > 0:
            item = int(np.flatnonzero(self.above[:, item] & (levels == levels[item] - 1))[0])
            chain.append(item)
        return tuple(self.items[member] for member in reversed(chain))

    @cached_property
    def longest_antichain(self) -> tuple[str, ...]:
        """The items of one largest antichain, in item order."""
        return self._names(largest_antichain(self.above))

    @property
    def height(self) -> int:
        """The size of the longest chain."""
        return len(self.longest_chain)

    @property
    def width(self) -> int:
        """The size of the largest antichain."""
        return len(self.longest_antichain)

    def is_above(self, upper: str, lower: str) -> bool:
        """Whether `upper` is strictly above `lower`."""
        return bool(self.above[self.row(upper), self.row(lower)])

    def comparable(self, first: str, second: str) -> bool:
        """Whether one of the two is at or above the other (an item is comparable to itself)."""
        i, j = self.row(first), self.row(second)
        return i == j or bool(self.above[i, j] or self.above[j, i])

    def incomparable(self, first: str, second: str) -> bool:
        """Whether neither item is at or above the other."""
        return not self.comparable(first, second)

    def above_of(self, item: str) -> tuple[str, ...]:
        """The items strictly above `item`, in item order."""
        return self._names(self.above[:, self.row(item)])

    def below_of(self, item: str) -> tuple[str, ...]:
        """The items strictly below `item`, in item order."""
        return self._names(self.above[self.row(item)])

    def is_chain(self, items: Iterable[str]) -> bool:
        """Whether every two of `items` are comparable."""
        rows = self.rows(items)
        return bool(self._related(rows, rows).all())

    def is_antichain(self, items: Iterable[str]) -> bool:
        """Whether no two different ones of `items` are comparable."""
        rows = self.rows(items)
        return not self.above[np.ix_(rows, rows)].any()

    def is_maximal_chain(self, items: Iterable[str]) -> bool:
        """Whether `items` are a chain to which no other item can be added."""
        names = set(items)
        return self.is_chain(names) and len(self.maximal_chain(names)) == len(names)

    def is_maximal_antichain(self, items: Iterable[str]) -> bool:
        """Whether `items` are an antichain to which no other item can be added."""
        rows = self.rows(items)
        if self.above[np.ix_(rows, rows)].any():
            return False
        everything = np.arange(len(self), dtype=np.int64)
        return bool(self._related(everything, rows).any(axis=1).all())

    def maximal_chain(self, containing: Iterable[str] = ()) -> tuple[str, ...]:
        """The items of a maximal chain that contains the given chain, from the top down.

        Of several, the one that takes the earliest items in item order is returned.
        """
        names = tuple(dict.fromkeys(containing))
        if not self.is_chain(names):
            raise OrderError(f"{_listed(names)} are not a chain, but a chain was expected.")
        rows = self.rows(names)
        everything = np.arange(len(self), dtype=np.int64)
        fits = np.asarray(self._related(everything, rows).all(axis=1))
        chosen = list(rows)
        fits[rows] = False
        while fits.any():
            item = int(fits.argmax())
            chosen.append(item)
            fits &= self.above[item] | self.above[:, item]
        depth = self.above[:, chosen].sum(axis=0)
        return tuple(self.items[chosen[place]] for place in np.argsort(depth, kind="stable"))

    def hasse_edges(self) -> tuple[tuple[str, str], ...]:
        """The pairs (upper, lower) with nothing between: the transitive reduction."""
        return self._pairs(transitive_reduction(self.above))

    def relations(self) -> tuple[tuple[str, str], ...]:
        """Every pair (upper, lower) of the order."""
        return self._pairs(self.above)

    def sub(self, items: Iterable[str]) -> Poset:
        """The order restricted to `items`, in the order given."""
        names = _checked_items(items)
        rows = self.rows(names)
        return Poset(names, self.above[np.ix_(rows, rows)])

    def to_networkx(self) -> networkx.DiGraph:
        """The whole order as a directed graph, edges from the upper item to the lower."""
        try:
            import networkx
        except ImportError as error:
            raise MissingExtraError(
                "a graph needs networkx, which is not installed: pip install 'antichain[graphs]'"
            ) from error

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.items)
        graph.add_edges_from(self.relations())
        return graph

    def row(self, item: str) -> int:
        """The row of `item` in `above`; an `OrderError` when there is no such item."""
        return _place(self.index, item)

    def rows(self, items: Iterable[str]) -> NDArray[np.int64]:
        """The row of each of `items` in `above`."""
        return np.array([self.row(item) for item in items], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, item: object) -> bool:
        return item in self.index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Poset):
            return NotImplemented
        return self.items == other.items and bool(np.array_equal(self.above, other.above))

    def __hash__(self) -> int:
        return hash((self.items, np.packbits(self.above).tobytes()))

    def __repr__(self) -> str:
        items, relations = len(self), int(self.above.sum())
        return f"Poset({counted(items, 'item')}, {counted(relations, 'relation')})"

    def _summary(self) -> Summary:
        relations = counted(int(self.above.sum()), "relation")
        below = self._names(np.asarray(self.above.any(axis=0)))
        return Summary(
            f"Poset of {counted(len(self), 'item')} with {relations}",
            [("front", listed(self.front)), ("below", listed(below))],
        )

    def _repr_html_(self) -> str:
        from antichain.orders._hasse_svg import hasse_svg

        return replace(self._summary(), picture=hasse_svg(self)).html()

    def _related(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Relation:
        """Whether each row's item is at, above or below each column's."""
        down, up = self.above[np.ix_(rows, columns)], self.above[np.ix_(columns, rows)].T
        related: Relation = down | up | (rows[:, None] == columns[None, :])
        return related

    def _names(self, chosen: NDArray[Any]) -> tuple[str, ...]:
        return tuple(self.items[row] for row in np.arange(len(self))[chosen])

    def _pairs(self, relation: Relation) -> tuple[tuple[str, str], ...]:
        return tuple((self.items[i], self.items[j]) for i, j in np.argwhere(relation))


def _listed(names: Collection[str]) -> str:
    shown = [repr(name) for name in list(names)[:_NAMES_SHOWN]]
    return ", ".join(shown) + (", …" if len(names) > _NAMES_SHOWN else "")


def _place(index: Mapping[str, int], item: str) -> int:
    try:
        return index[item]
    except (KeyError, TypeError):
        raise OrderError(
            f"{item!r} is not an item of this poset, but one of {_listed(index)} was expected."
        ) from None


def _checked_pair(pair: tuple[str, str]) -> tuple[str, str]:
    try:
        upper, lower = pair
    except (TypeError, ValueError):
        raise OrderError(f"a relation is {pair!r}, but a pair of items was expected.") from None
    return upper, lower


def _checked_items(items: Iterable[str]) -> tuple[str, ...]:
    """`items` as a tuple of different, non-empty names, at least one."""
    if isinstance(items, str):
        raise OrderError(f"the items are the one string {items!r}, but several were expected.")
    names = entries("items", items)
    if not names:
        raise OrderError("there are no items, but at least one was expected.")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise OrderError(f"an item is {name!r}, but a non-empty string was expected.")
        if name in seen:
            raise OrderError(f"the item {name!r} is given twice, but items must be different.")
        seen.add(name)
    return names


def _as_relation(matrix: ArrayLike, size: int) -> Relation:
    array = np.asarray(matrix)
    if array.shape != (size, size):
        raise OrderError(
            f"the matrix of relations has shape {array.shape}, but ({size}, {size}) was expected."
        )
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise OrderError(
            "the matrix of relations has entries other than 0 and 1, but only these were expected."
        )
    return array.astype(np.bool_)


def _closed(names: tuple[str, ...], relation: Relation, transitivity: Transitivity) -> Relation:
    """The transitive closure of `relation`, or an error that names what is wrong with it."""
    if transitivity not in ("close", "reject"):
        raise ParameterError(
            f"transitivity is {transitivity!r}, but 'close' or 'reject' was expected."
        )
    loops = np.flatnonzero(relation.diagonal())
    if len(loops):
        raise OrderError(
            f"{names[loops[0]]!r} is given as above itself, but a strict order was expected."
        )
    both = np.argwhere(relation & relation.T)
    if len(both):
        i, j = both[0]
        raise OrderError(
            f"{names[i]!r} and {names[j]!r} are each given as above the other, "
            "but at most one direction was expected."
        )
    cycle = [names[item] for item in find_cycle(relation)]
    if cycle:
        around = " ≻ ".join([*cycle[:_NAMES_SHOWN], "…" if len(cycle) > _NAMES_SHOWN else cycle[0]])
        raise OrderError(f"the relations have the cycle {around}, but none was expected.")
    closed = transitive_closure(relation)
    missing = np.argwhere(closed & ~relation)
    if transitivity == "reject" and len(missing):
        # The closure may have needed many steps; some missing pair needed only one.
        top, bottom = next((i, j) for i, j in missing if (relation[i] & relation[:, j]).any())
        between = names[int(np.flatnonzero(relation[top] & relation[:, bottom])[0])]
        raise OrderError(
            f"{names[top]!r} ≻ {between!r} ≻ {names[bottom]!r} but {names[top]!r} is not given as "
            f"above {names[bottom]!r}, and a transitive relation was expected."
        )
    return closed
