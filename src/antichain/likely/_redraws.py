"""Moves of particles: an item is placed anew as the votes and all other items would have it.

Where gaps are independent, only the *order* of places matters. So an item's place can be drawn from
its exact distribution given everything else, at the cost of looking once at every other item: the
likelihood changes only where the item passes another. In chains, its colour is drawn along with
its place, and in layered orders whether it is on top and which chains it is then above. Under a
Bradley-Terry law the same is done for a handful of places: the present one and others around a
point near it, among which the choice is free. Both leave the posterior as it is.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from antichain._kernels import compiled
from antichain.likely._chain_redraws import move_chains, move_rates, sweep_chains
from antichain.likely._desk import POOL, Desk, around, insert, pick, reorder
from antichain.likely._pair_evidence import SPREADS, Evidence, Floats, Whole
from antichain.likely._particles import (
    ALL_LAWS,
    COLOURS,
    DIMENSIONS,
    LAYERED,
    UNIFORM_LAWS,
    Particles,
    accepted,
    dimensions,
    fill_sides,
    fill_strengths,
    law_alike,
    log_chance,
    sum_sides,
    uniform,
)

_SWAPS = 0.2  # share of moves that exchange two items, where there are several coordinates


@partial(compiled, side_by_side=True)
def sweep(p: Particles, e: Evidence, bound: bool, seed: int) -> None:
    """Move each particle, about once per item, so that its posterior stays as it is."""
    size = p.colour.shape[1]
    most = (POOL + 1) * (COLOURS + 1) + size
    desk = Desk(
        np.zeros(size), np.zeros((DIMENSIONS, size), np.int64), np.zeros(most), np.zeros(most),
        np.zeros(most), np.zeros(most), np.zeros(most, np.int64), np.zeros((3, COLOURS)),
        np.zeros(size), np.zeros(size, np.int64),
    )  # fmt: skip
    for row in range(p.kind.size):
        kind = p.kind[row]
        many = dimensions(kind)
        place, colour, over, rate = p.place[row], p.colour[row], p.over[row], p.rate[row]
        for k in range(many):
            for i in range(size):
                desk.order[k, i] = i
            for i in range(size):
                insert(desk.order, k, place[k], i)
        fill_strengths(kind, many, place, desk.strength)
        # Coordinates under a Bradley-Terry law hardly move otherwise: with 8 items, three sweeps
        # leave a quarter of the variance that one leaves in the same time.
        tied = many > 1 and p.law[row] >= UNIFORM_LAWS
        for _ in range(3 if tied else 1):
            law = _another_law(p, row, e, bound, seed, place, colour, over, desk)
            p.law[row] = law
            if many > 1:
                _sweep_coordinates(law, many, place, colour, over, e, desk, seed, row, p.drawn)
            else:
                chains = p.chains[row]
                sweep_chains(
                    kind, law, chains, place[0], colour, over, rate, e, desk, seed, row, p.drawn
                )
                if kind != 0 and colour.size > 2:
                    chains = move_chains(chains, colour, over, rate, desk, seed, row, p.drawn)
                    p.chains[row] = chains
                if kind == LAYERED:
                    move_rates(chains, colour, over, rate, seed, row, p.drawn)


@compiled
def _another_law(
    p: Particles, row: int, e: Evidence, bound: bool, seed: int,
    place: Floats, colour: Whole, over: Whole, desk: Desk,
) -> int:  # fmt: skip
    """Another law of gaps, or the present one."""
    old: int = p.law[row]
    new = int(uniform(seed, row, p.drawn) * ALL_LAWS)
    if bound:
        new = law_alike(old, uniform(seed, row, p.drawn))
    if old == new:
        return old
    many, sides, strength = dimensions(p.kind[row]), desk.sides, desk.strength
    more = 0.0
    for i in range(1, sides.size):
        fill_sides(many, place, colour, over, i, sides)
        more += sum_sides(e, new, i, sides, strength, 0, i)
        more -= sum_sides(e, old, i, sides, strength, 0, i)
    return new if accepted(more, seed, row, p.drawn) else old


@compiled
def _sweep_coordinates(
    law: int, many: int, place: Floats, colour: Whole, over: Whole, e: Evidence, desk: Desk,
    seed: int, row: int, drawn: Whole,
) -> None:  # fmt: skip
    values, widths, lows, strength = desk.values, desk.widths, desk.lows, desk.strength
    size = colour.size
    for _ in range(size):
        i = int(uniform(seed, row, drawn) * size)
        if uniform(seed, row, drawn) < _SWAPS:
            j = int(uniform(seed, row, drawn) * size)
            if i != j:
                _swap_items(law, many, place, colour, over, i, j, e, desk, seed, row, drawn)
            continue
        k = int(uniform(seed, row, drawn) * many)
        if law < UNIFORM_LAWS:
            _sides_but(place, many, k, k, i, desk.sides)
            count = _offer_coordinate(law, place, i, k, e, desk)
            s = pick(values, widths, count, uniform(seed, row, drawn))
            place[k, i] = lows[s] + widths[s] * uniform(seed, row, drawn)
        else:
            # Half of the moves keep an item's strength, on which the votes have a tight hold.
            twin = int(uniform(seed, row, drawn) * 2 * many)
            twin = twin if twin < many else k
            _sides_but(place, many, k, twin, i, desk.sides)
            around(place[k, i], lows, seed, row, drawn)
            _offer_coordinates_by_strength(law, many, place, i, k, twin, e, desk)
            s = pick(values, widths, POOL + 1, uniform(seed, row, drawn))
            if twin != k:
                place[twin, i] = (place[twin, i] - (lows[s] - place[k, i])) % 1.0
                reorder(desk.order, twin, place[twin], i)
            place[k, i] = lows[s]
        total = 0.0
        for other in range(many):
            total += place[other, i]
        strength[i] = total / many
        reorder(desk.order, k, place[k], i)


@compiled
def _sides_but(place: Floats, many: int, k: int, twin: int, i: int, sides: Whole) -> None:
    """As `fill_sides`, by all coordinates but one or two; 2 where there is no other one."""
    for j in range(sides.size):
        sides[j] = 2  # not yet known
    for other in range(many):
        if other != k and other != twin:
            mine = place[other, i]
            for j in range(sides.size):
                now = int(mine > place[other, j]) - int(mine < place[other, j])
                sides[j] = now if sides[j] == now or sides[j] == 2 else 0
    sides[i] = 0


@compiled
def _offer_coordinate(law: int, place: Floats, i: int, k: int, e: Evidence, desk: Desk) -> int:
    """The segments of one coordinate between other items, for independent gaps."""
    above, below, order, sides = e.above, e.below, desk.order, desk.sides
    values, lows, widths = desk.values, desk.lows, desk.widths
    size = sides.size
    value = 0.0
    for j in range(size):
        if sides[j] < 0:
            value += below[law, i, j]
    low = 0.0
    count = 0
    for at in range(size):
        j = order[k, at]
        if sides[j] != 0:
            values[count], lows[count], widths[count] = value, low, place[k, j] - low
            value += above[law, i, j] if sides[j] > 0 else -below[law, i, j]
            low = place[k, j]
            count += 1
    values[count], lows[count], widths[count] = value, low, 1.0 - low
    return count + 1


@compiled
def _offer_coordinates_by_strength(
    law: int, many: int, place: Floats, i: int, k: int, twin: int, e: Evidence, desk: Desk
) -> None:
    """The places of a pool, by a Bradley-Terry law; a twin coordinate goes the other way."""
    votes, lost, comparable, sides = e.votes, e.lost, e.comparable, desk.sides
    values, lows, strength, widths = desk.values, desk.lows, desk.strength, desk.widths
    spread = SPREADS[law - UNIFORM_LAWS]
    for m in range(POOL + 1):
        values[m] = 0.0
        moved = lows[m] - place[k, i]
        if twin != k:  # widths hold the twin's place for now
            widths[m] = (place[twin, i] - moved) % 1.0
            moved += widths[m] - place[twin, i]
        desk.highs[m] = strength[i] + moved / many
    for j in range(sides.size):
        if sides[j] == 0:
            continue
        for m in range(POOL + 1):
            found = 1 if lows[m] > place[k, j] else -1
            if sides[j] + found == 0:
                continue
            if twin != k and (widths[m] > place[twin, j]) != (found > 0):
                continue
            x = spread * abs(desk.highs[m] - strength[j])
            against = lost[i, j] if found > 0 else votes[i, j] - lost[i, j]
            values[m] += votes[i, j] * log_chance(x) - against * x + comparable[i, j]
    for m in range(POOL + 1):
        widths[m] = 1.0


@compiled
def _swap_items(
    law: int, many: int, place: Floats, colour: Whole, over: Whole, i: int, j: int,
    e: Evidence, desk: Desk, seed: int, row: int, drawn: Whole,
) -> None:  # fmt: skip
    """Exchange the places of two items, perhaps."""
    order, strength = desk.order, desk.strength
    more = -_both(law, many, place, colour, over, i, j, e, desk)
    _exchange(many, place, strength, i, j)
    more += _both(law, many, place, colour, over, i, j, e, desk)
    if not accepted(more, seed, row, drawn):
        _exchange(many, place, strength, i, j)
        return
    for k in range(many):
        for at in range(colour.size):
            if order[k, at] == i:
                order[k, at] = j
            elif order[k, at] == j:
                order[k, at] = i


@compiled
def _exchange(many: int, place: Floats, strength: Floats, i: int, j: int) -> None:
    for k in range(many):
        place[k, i], place[k, j] = place[k, j], place[k, i]
    strength[i], strength[j] = strength[j], strength[i]


@compiled
def _both(
    law: int, many: int, place: Floats, colour: Whole, over: Whole, i: int, j: int,
    e: Evidence, desk: Desk,
) -> float:  # fmt: skip
    """What the pairs of two items add to the log-likelihood."""
    sides, strength = desk.sides, desk.strength
    fill_sides(many, place, colour, over, i, sides)
    total = sum_sides(e, law, i, sides, strength, 0, sides.size)
    fill_sides(many, place, colour, over, j, sides)
    sides[i] = 0
    return total + sum_sides(e, law, j, sides, strength, 0, sides.size)
