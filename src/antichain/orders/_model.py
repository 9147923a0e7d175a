"""`DuelModel`: a poset with a matrix of the gaps of its duels, and the ε-notions on gaps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from antichain import _checks
from antichain._limits import SMALLEST
from antichain._markup import Summarised, Summary
from antichain._text import counted
from antichain.errors import OrderError, ParameterError
from antichain.orders._duel_law import Duels, Floats, Indices, Mask
from antichain.orders._poset import Poset

# A search that needs more branching is given up, and its result marked as inexact. Set by hand.
_SEARCH_NODES = 500


@dataclass(frozen=True)
class EpsWidth:
    """The size of the largest ε-antichain found, and whether it is known to be the largest."""

    value: int
    exact: bool


def checked_epsilon(eps: float) -> float:
    if not eps >= 0:
        raise ParameterError(f"epsilon is {eps}, but a number of at least 0 was expected.")
    return float(eps)


def eps_front_mask(gaps: Floats, eps: float) -> Mask:
    """Whether each item is on the exact ε-front: no item beats it by more than ε.

    Empty for a matrix in which everything is clearly beaten, which takes a cycle.
    """
    return np.asarray(~(gaps > checked_epsilon(eps)).any(axis=0))


def eps_width(gaps: Floats, eps: float, exact_limit: int) -> EpsWidth:
    """The size of the largest set in which nothing beats anything by more than ε.

    This is a maximum clique: exact with at most `exact_limit` items (if the search ends within
    reason), otherwise the best a greedy choice finds, as a lower bound.
    """
    clear = np.abs(gaps) > checked_epsilon(eps)
    greedy = _greedy_size(clear)
    if len(gaps) > exact_limit:
        return EpsWidth(greedy, exact=False)
    largest = _largest_independent(clear)
    return EpsWidth(greedy, exact=False) if largest is None else EpsWidth(largest, exact=True)


def _greedy_size(clear: Mask) -> int:
    """The size of a set without clear pairs, taking what clears away the fewest others first."""
    # How many of those left each one clears away, kept up to date: each item goes only once.
    conflicts = clear.sum(axis=1)
    left = np.ones(len(clear), dtype=np.bool_)
    size = 0
    while left.any():
        chosen = int(np.where(left, conflicts, len(clear) + 1).argmin())
        gone = left & clear[chosen]
        gone[chosen] = True
        conflicts -= clear[:, gone].sum(axis=1)
        left &= ~gone
        size += 1
    return size


def _largest_independent(clear: Mask) -> int | None:
    """The size of the largest set without clear pairs, by integer programming; None if given up."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_matrix

    upper, lower = np.nonzero(np.triu(clear))
    size, pairs = len(clear), len(upper)
    if pairs == 0:
        return size
    rows = np.concatenate([np.arange(pairs), np.arange(pairs)])
    one_of_each = csr_matrix(
        (np.ones(2 * pairs), (rows, np.concatenate([upper, lower]))), shape=(pairs, size)
    )
    solved = milp(
        -np.ones(size),
        integrality=np.ones(size, dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(one_of_each, -np.inf, 1),
        # A limit on nodes, not on time, so that the answer does not depend on the machine.
        options={"node_limit": _SEARCH_NODES, "mip_rel_gap": 0},
    )
    return round(-solved.fun) if solved.success else None


@dataclass(frozen=True, eq=False, repr=False)
class DuelModel(Summarised, Duels):
    """A poset and the gaps γ: items[i] wins a duel against items[j] with chance 1/2 + γ_ij.

    Order compatible: γ_ij > 0 exactly when i is above j; so incomparable items have gap 0, and a
    duel between them is a fair coin (partial observability). A fully observable arena announces
    incomparability instead.

    Attributes:
        poset: The order.
        gaps: Read-only antisymmetric matrix with entries strictly between −1/2 and 1/2.

    Example:
        >>> model = DuelModel.from_relations([("a", "b", 0.3), ("a", "c", 0.2)])
        >>> model.front, model.gap("b", "a"), model.distance("c")
        (('a',), -0.3, 0.2)
    """

    poset: Poset
    gaps: Floats

    def __post_init__(self) -> None:
        gaps = _checked_gaps(self.poset, self.gaps)
        gaps.setflags(write=False)
        object.__setattr__(self, "gaps", gaps)

    @classmethod
    def from_relations(
        cls, relations: Iterable[tuple[str, str, float]], items: Iterable[str] | None = None
    ) -> DuelModel:
        """The model with a above b by the given gap for each (a, b, gap).

        Args:
            relations: Every comparable pair once, the upper item first; what follows by
                transitivity must be there too, since it needs its own gap.
            items: All items in order; by default those named in `relations`, as they appear.

        Raises:
            OrderError: As for `Poset.from_relations`, or for a pair given twice or a gap outside
                (0, 1/2).
        """
        triples = [_checked_triple(triple) for triple in relations]
        pairs = [(upper, lower) for upper, lower, _ in triples]
        poset = Poset.from_relations(pairs, items, transitivity="reject")
        gaps = np.zeros((len(poset), len(poset)))
        for upper, lower, gap in triples:
            i, j = poset.row(upper), poset.row(lower)
            if gaps[i, j] != 0:
                raise OrderError(
                    f"{upper!r} above {lower!r} is given twice, but each pair was expected once."
                )
            gaps[i, j], gaps[j, i] = gap, -gap
        return cls(poset, gaps)

    @property
    def items(self) -> tuple[str, ...]:
        return self.poset.items

    def relations(self) -> tuple[tuple[str, str, float], ...]:
        """Every pair of the order with its gap: (upper, lower, gap)."""
        rows, columns = np.nonzero(self.poset.above)
        names = self.items
        return tuple(
            (names[i], names[j], gap)
            for i, j, gap in zip(rows, columns, self.gaps[rows, columns].tolist(), strict=True)
        )

    def gap_pairs(self, lefts: Indices, rights: Indices) -> Floats:
        pairs: Floats = self.gaps[lefts, rights]
        return pairs

    def front_mask(self) -> Mask:
        return np.asarray(~self.poset.above.any(axis=0))

    def distances(self) -> Floats:
        return self._distances.copy()

    @cached_property
    def _distances(self) -> Floats:
        front = self.front_mask()
        least = np.where(self.poset.above[front], self.gaps[front], np.inf).min(axis=0)
        return np.where(front, 0.0, least)

    def indistinguishable(self, first: str, second: str, eps: float) -> bool:
        """Whether two items are ε-indistinguishable: neither beats the other by more than ε."""
        return abs(self.gap(first, second)) <= checked_epsilon(eps)

    def is_eps_antichain(self, items: Iterable[str], eps: float) -> bool:
        """Whether every two of `items` are ε-indistinguishable."""
        rows = self.poset.rows(items)
        return not (self.gaps[np.ix_(rows, rows)] > checked_epsilon(eps)).any()

    def is_eps_approximation(self, items: Iterable[str], eps: float) -> bool:
        """Whether `items` hold the front and no *member* beats a member by more than ε.

        The paper's ε-approximation of the front, which is not unique: not to be confused with
        `eps_front`.
        """
        names = set(items)
        return names.issuperset(self.front) and self.is_eps_antichain(names, eps)

    def eps_front(self, eps: float) -> tuple[str, ...]:
        """The exact ε-front: the items that no *item* beats by more than ε, in item order."""
        mask = eps_front_mask(self.gaps, eps)
        return tuple(self.items[row] for row in np.flatnonzero(mask))

    def eps_width(self, eps: float, exact_limit: int = 100) -> EpsWidth:
        """The size of the largest ε-antichain, and whether it is exact or only a lower bound.

        Args:
            eps: How far apart two members may be.
            exact_limit: With more items than this no exact search is made (finding a maximum
                clique takes exponential time at worst).
        """
        found = eps_width(self.gaps, eps, exact_limit)
        # An antichain is an ε-antichain, so the width is a lower bound too.
        return found if found.exact else EpsWidth(max(found.value, self.poset.width), exact=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DuelModel):
            return NotImplemented
        return self.poset == other.poset and bool(np.array_equal(self.gaps, other.gaps))

    def __hash__(self) -> int:
        return hash((self.poset, self.gaps.tobytes()))

    def __repr__(self) -> str:
        return f"DuelModel({counted(self.size, 'item')}, front of {len(self.front)})"

    def _summary(self) -> Summary:
        gaps = self.gaps[self.poset.above]
        span = f"{gaps.min():.3g} to {gaps.max():.3g}" if gaps.size else "none"
        facts = [*self.poset._summary().facts, ("gaps", span)]
        return Summary(f"Duel model of {counted(self.size, 'item')}", facts)

    def _repr_html_(self) -> str:
        from antichain.orders._hasse_svg import hasse_svg

        return replace(self._summary(), picture=hasse_svg(self.poset)).html()


def _checked_triple(triple: tuple[str, str, float]) -> tuple[str, str, float]:
    try:
        upper, lower, gap = triple
    except (TypeError, ValueError):
        raise OrderError(
            f"a relation is {triple!r}, but (upper item, lower item, gap) was expected."
        ) from None
    number = not isinstance(gap, bool) and isinstance(gap, int | float | np.floating)
    if not number or not SMALLEST <= gap < 0.5:
        least = f", of at least {SMALLEST:g}," if number and 0 < gap < SMALLEST else ""
        raise OrderError(
            f"the gap of {upper!r} over {lower!r} is {gap!r}, "
            f"but a number strictly between 0 and 1/2{least} was expected."
        )
    return upper, lower, float(gap)


def _checked_gaps(poset: Poset, gaps: ArrayLike) -> Floats:
    """A copy of `gaps` when it is antisymmetric, inside (−1/2, 1/2) and order compatible."""
    _checks.instance("poset", poset, Poset, "a Poset")
    matrix = _checks.numbers_in("gaps", gaps, "a square matrix of numbers with a row for each item")
    size = len(poset)
    if matrix.shape != (size, size):
        raise OrderError(
            f"the matrix of gaps has shape {matrix.shape}, but ({size}, {size}) was expected."
        )

    def refuse(wrong: Mask, expected: str) -> None:
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise OrderError(
                f"the gap of {poset.items[i]!r} over {poset.items[j]!r} is {matrix[i, j]}, "
                f"but {expected} was expected."
            )

    refuse(~(np.abs(matrix) < 0.5), "a number strictly between -1/2 and 1/2")
    refuse(matrix != -matrix.T, "minus the gap the other way round")
    refuse(poset.above & ~(matrix > 0), "a positive gap (the first is above the second)")
    refuse(~poset.above & ~poset.above.T & (matrix != 0), "0 (the two are incomparable)")
    return matrix
