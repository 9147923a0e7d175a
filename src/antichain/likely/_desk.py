"""What all moves of particles need: a desk to write on, and choices among segments of places."""

from __future__ import annotations

import math
from typing import NamedTuple

from antichain._kernels import compiled
from antichain.likely._pair_evidence import Floats, Whole
from antichain.likely._particles import uniform

POOL = 4  # places that are tried beside the present one
_NEGLIGIBLE = 25.0  # in logs


class Desk(NamedTuple):
    """What a sweep writes on; made once.

    Attributes:
        strength: Of each item, in units.
        order: For each coordinate, the items from the lowest to the highest.
        values: The log-likelihood of each segment on offer.
        widths: Its prior weight.
        lows: Where it begins.
        highs: Where it ends.
        chains: Its chain.
        sums: Per chain: the log-likelihood of the item at the present place in it, where its
            present segment began, and the log-likelihood of being above all of it.
        change: Per item.
        sides: Per item.
    """

    strength: Floats
    order: Whole
    values: Floats
    widths: Floats
    lows: Floats
    highs: Floats
    chains: Whole
    sums: Floats
    change: Floats
    sides: Whole


@compiled
def pick(values: Floats, widths: Floats, count: int, chance: float) -> int:
    """One of the segments on offer, by its weight; overwrites `values`."""
    top = values[0]
    for s in range(1, count):
        if values[s] > top:
            top = values[s]
    total = 0.0
    for s in range(count):
        if values[s] > top - _NEGLIGIBLE:
            total += widths[s] * math.exp(values[s] - top)
        values[s] = total
    goal = chance * total
    for s in range(count):
        if goal < values[s]:
            return s
    return count - 1


@compiled
def reorder(order: Whole, k: int, place: Floats, i: int) -> None:
    """Put an item where it belongs now in the order of a coordinate."""
    at = 0
    while order[k, at] != i:
        at += 1
    insert(order, k, place, at)
    at = place.size - 1
    while order[k, at] != i:
        at -= 1
    mine = place[i]
    while at < place.size - 1 and place[order[k, at + 1]] < mine:
        order[k, at] = order[k, at + 1]
        at += 1
    order[k, at] = i


@compiled
def insert(order: Whole, k: int, place: Floats, at: int) -> None:
    """Move the item at a position down until the one before it is lower."""
    i = order[k, at]
    while at > 0 and place[order[k, at - 1]] > place[i]:
        order[k, at] = order[k, at - 1]
        at -= 1
    order[k, at] = i


@compiled
def around(now: float, places: Floats, seed: int, row: int, drawn: Whole) -> None:
    """The present place and some others around a point near it, on a circle."""
    reach = 1.0
    choice = uniform(seed, row, drawn)
    if choice < 0.4:
        reach = 0.25
    elif choice < 0.7:
        reach = 0.06
    middle = now + reach * (uniform(seed, row, drawn) - 0.5)
    places[0] = now
    for m in range(1, POOL + 1):
        places[m] = (middle + reach * (uniform(seed, row, drawn) - 0.5)) % 1.0
