"""The ε-notions on a matrix of gaps, whether or not it comes from an order."""

from dataclasses import dataclass

import numpy as np

from antichain.errors import ParameterError
from antichain.orders.duel_law import Floats, Mask

# A search that needs more branching is given up, and its result marked as inexact. Set by hand.
_SEARCH_NODES = 500


@dataclass(frozen=True)
class EpsWidth:
    """The size of the largest ε-antichain found, and whether it is known to be the largest."""

    value: int
    exact: bool


def checked_epsilon(eps: float) -> float:
    """`eps`, if it is a number of at least 0."""
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
    left = np.ones(len(clear), dtype=np.bool_)
    size = 0
    while left.any():
        conflicts = np.where(left, clear @ left.astype(np.int64), len(clear) + 1)
        chosen = int(conflicts.argmin())
        left[chosen] = False
        left &= ~clear[chosen]
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
