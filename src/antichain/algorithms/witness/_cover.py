"""The covering program: how to clear all opponents of an item with the fewest duels.

A front item a must be shown not to be above each b. Duels of a against the decoy of c count for
every b known to be at or above c, so that the cheapest plan is a linear program: choose amounts
x ≥ 0 for the columns c, of least total cost, such that each row b gets what it needs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antichain._kernels import compiled
from antichain.evidence._answers import Floats

_TINY = 1e-10  # what rounding leaves of a zero; set by hand


@compiled
def cheapest_cover(covers: NDArray[np.bool_], costs: Floats, needs: Floats) -> Floats:
    """Amounts x ≥ 0 of least `costs`·x with (`covers` x) ≥ `needs`.

    The simplex method on the dual (most `needs`·y with `covers`ᵀy ≤ `costs`), whose slack basis
    is feasible from the start. It is run thousands of times a search on a few dozen rows, where
    calling a general solver would take a hundred times as long.

    Args:
        covers: Which column counts for which row, shape (rows, columns); each row must have one.
        costs: Cost of a unit of each column, all positive.
        needs: What each row needs, not negative.
    """
    rows, columns = covers.shape
    tableau = np.zeros((columns + 1, rows + 1))
    for column in range(columns):
        for row in range(rows):
            tableau[column, row] = 1.0 if covers[row, column] else 0.0
        tableau[column, rows] = costs[column]
    for row in range(rows):
        tableau[columns, row] = -needs[row]
    # Labels: rows first (the dual's variables), then the columns' slacks.
    basic = np.arange(rows, rows + columns)
    free = np.arange(rows)
    patience = 10 * (rows + columns)
    for turn in range(50 * (rows + columns)):
        entering = _entering(tableau, free, careful=turn >= patience)
        if entering < 0:
            break
        leaving = _leaving(tableau, basic, entering)
        if leaving < 0:
            break
        _pivot(tableau, leaving, entering)
        basic[leaving], free[entering] = free[entering], basic[leaving]
    amounts = np.zeros(columns)
    for place in range(rows):
        if free[place] >= rows:
            amounts[free[place] - rows] = max(0.0, tableau[columns, place])
    return amounts


@compiled
def _entering(tableau: Floats, free: NDArray[np.int64], careful: bool) -> int:
    """The place that improves most; if careful, by Bland's rule, which cannot cycle."""
    last = tableau.shape[0] - 1
    chosen = -1
    for place in range(free.size):
        if tableau[last, place] >= -_TINY:
            continue
        if careful:
            better = chosen < 0 or free[place] < free[chosen]
        else:
            better = chosen < 0 or tableau[last, place] < tableau[last, chosen]
        if better:
            chosen = place
    return chosen


@compiled
def _leaving(tableau: Floats, basic: NDArray[np.int64], entering: int) -> int:
    """The row of the tableau that binds first, ties broken by label."""
    last = tableau.shape[1] - 1
    chosen, least = -1, np.inf
    for row in range(basic.size):
        if tableau[row, entering] > _TINY:
            ratio = tableau[row, last] / tableau[row, entering]
            if ratio < least - 1e-12 or (
                chosen >= 0 and ratio <= least + 1e-12 and basic[row] < basic[chosen]
            ):
                chosen, least = row, ratio
    return chosen


@compiled
def _pivot(tableau: Floats, leaving: int, entering: int) -> None:
    pivot = tableau[leaving, entering]
    for place in range(tableau.shape[1]):
        if place != entering:
            tableau[leaving, place] /= pivot
    tableau[leaving, entering] = 1.0 / pivot
    for row in range(tableau.shape[0]):
        factor = tableau[row, entering]
        if row == leaving or factor == 0.0:
            continue
        for place in range(tableau.shape[1]):
            if place != entering:
                tableau[row, place] -= factor * tableau[leaving, place]
        tableau[row, entering] = -factor / pivot
