"""Moves of particles: an item is placed anew as the votes and all other items would have it.

Where gaps are independent, only the *order* of places matters. So an item's place can be drawn from
its exact distribution given everything else, at the cost of looking once at every other item: the
likelihood changes only where the item passes another. In chains, its colour is drawn along with
its place, and in layered orders whether it is on top and which chains it is then above. Under a
Bradley-Terry law the same is done for a handful of places: the present one and others around a
point near it, among which the choice is free. Both leave the posterior as it is.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from antichain._kernels import compiled
from antichain.likely._pair_evidence import SPREADS, Evidence, Floats, Whole
from antichain.likely._particles import (
    ALL_LAWS,
    COLOURS,
    DIMENSIONS,
    LAYERED,
    MOST_ON_TOP,
    ON_TOP,
    UNIFORM_LAWS,
    Particles,
    dimensions,
    fill_sides,
    fill_strengths,
    law_alike,
    log_chance,
    sum_sides,
    uniform,
)

_POOL = 4  # places that are tried beside the present one
_SWAPS = 0.2  # share of moves that exchange two items, where there are several coordinates
_NEGLIGIBLE = 25.0  # in logs


class _Desk(NamedTuple):
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


@partial(compiled, side_by_side=True)
def sweep(p: Particles, e: Evidence, times: int, bound: bool, seed: int) -> None:
    """Move each particle, `times` moves per item, so that its posterior stays as it is."""
    size = p.colour.shape[1]
    most = (_POOL + 1) * (COLOURS + 1) + size
    desk = _Desk(
        np.zeros(size), np.zeros((DIMENSIONS, size), np.int64), np.zeros(most), np.zeros(most),
        np.zeros(most), np.zeros(most), np.zeros(most, np.int64), np.zeros((3, COLOURS)),
        np.zeros(size), np.zeros(size, np.int64),
    )  # fmt: skip
    for row in range(p.kind.size):
        kind = p.kind[row]
        many = dimensions(kind)
        place, colour, over, rate = p.place[row], p.colour[row], p.over[row], p.rate[row]
        for k in range(many):
            desk.order[k] = np.argsort(place[k])
        fill_strengths(kind, many, place, desk.strength)
        for _ in range(times):
            law = _another_law(p, row, e, bound, seed, place, colour, over, desk)
            p.law[row] = law
            if many > 1:
                _sweep_coordinates(law, many, place, colour, over, e, desk, seed, row, p.drawn)
            else:
                chains = p.chains[row]
                _sweep_chains(
                    kind, law, chains, place[0], colour, over, rate, e, desk, seed, row, p.drawn
                )
                if kind != 0 and colour.size > 2:
                    chains = _move_chains(chains, colour, over, rate, desk, seed, row, p.drawn)
                    p.chains[row] = chains
                if kind == LAYERED:
                    _move_rates(chains, colour, over, rate, seed, row, p.drawn)


@compiled
def _another_law(
    p: Particles, row: int, e: Evidence, bound: bool, seed: int,
    place: Floats, colour: Whole, over: Whole, desk: _Desk,
) -> int:  # fmt: skip
    """Another law of gaps, or the present one."""
    old = p.law[row]
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
    accepted = more >= 0.0 or uniform(seed, row, p.drawn) < math.exp(more)
    return new if accepted else old


@compiled
def _pick(values: Floats, widths: Floats, count: int, chance: float) -> int:
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
def _reorder(order: Whole, k: int, place: Floats, i: int) -> None:
    """Put an item where it belongs in the order of a coordinate."""
    at = 0
    while order[k, at] != i:
        at += 1
    mine = place[i]
    while at > 0 and place[order[k, at - 1]] > mine:
        order[k, at] = order[k, at - 1]
        at -= 1
    while at < place.size - 1 and place[order[k, at + 1]] < mine:
        order[k, at] = order[k, at + 1]
        at += 1
    order[k, at] = i


@compiled
def _around(now: float, places: Floats, seed: int, row: int, drawn: Whole) -> None:
    """The present place and some others around a point near it, on a circle."""
    reach = 1.0
    choice = uniform(seed, row, drawn)
    if choice < 0.4:
        reach = 0.25
    elif choice < 0.7:
        reach = 0.06
    middle = now + reach * (uniform(seed, row, drawn) - 0.5)
    places[0] = now
    for m in range(1, _POOL + 1):
        places[m] = (middle + reach * (uniform(seed, row, drawn) - 0.5)) % 1.0


# -- dominance ------------------------------------------------------------------------------------


@compiled
def _sweep_coordinates(
    law: int, many: int, place: Floats, colour: Whole, over: Whole, e: Evidence, desk: _Desk,
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
        _sides_but(place, many, k, i, desk.sides)
        before = place[k, i]
        if law < UNIFORM_LAWS:
            count = _offer_coordinate(law, place, i, k, e, desk)
            s = _pick(values, widths, count, uniform(seed, row, drawn))
            place[k, i] = lows[s] + widths[s] * uniform(seed, row, drawn)
        else:
            _around(before, lows, seed, row, drawn)
            _offer_coordinate_by_strength(law, many, place, i, k, e, desk)
            s = _pick(values, widths, _POOL + 1, uniform(seed, row, drawn))
            place[k, i] = lows[s]
        strength[i] += (place[k, i] - before) / many
        _reorder(desk.order, k, place[k], i)


@compiled
def _sides_but(place: Floats, many: int, k: int, i: int, sides: Whole) -> None:
    """As `fill_sides`, by all coordinates but one."""
    sides[:] = 2  # not yet known
    for other in range(many):
        if other != k:
            mine = place[other, i]
            for j in range(sides.size):
                now = int(mine > place[other, j]) - int(mine < place[other, j])
                sides[j] = now if sides[j] == now or sides[j] == 2 else 0
    sides[i] = 0


@compiled
def _offer_coordinate(law: int, place: Floats, i: int, k: int, e: Evidence, desk: _Desk) -> int:
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
def _offer_coordinate_by_strength(
    law: int, many: int, place: Floats, i: int, k: int, e: Evidence, desk: _Desk
) -> None:
    """The places of a pool, by a Bradley-Terry law."""
    votes, lost, comparable, sides = e.votes, e.lost, e.comparable, desk.sides
    values, lows, strength = desk.values, desk.lows, desk.strength
    spread = SPREADS[law - UNIFORM_LAWS]
    base = strength[i] - place[k, i] / many
    desk.widths[: _POOL + 1] = 1.0
    values[: _POOL + 1] = 0.0
    for j in range(sides.size):
        if sides[j] == 0:
            continue
        against = lost[i, j] if sides[j] > 0 else votes[i, j] - lost[i, j]
        for m in range(_POOL + 1):
            if (lows[m] > place[k, j]) == (sides[j] > 0):
                x = spread * abs(base + lows[m] / many - strength[j])
                values[m] += votes[i, j] * log_chance(x) - against * x + comparable[i, j]


@compiled
def _swap_items(
    law: int, many: int, place: Floats, colour: Whole, over: Whole, i: int, j: int,
    e: Evidence, desk: _Desk, seed: int, row: int, drawn: Whole,
) -> None:  # fmt: skip
    """Exchange the places of two items, perhaps."""
    order, strength = desk.order, desk.strength
    more = -_both(law, many, place, colour, over, i, j, e, desk)
    _exchange(many, place, strength, i, j)
    more += _both(law, many, place, colour, over, i, j, e, desk)
    if more < 0.0 and uniform(seed, row, drawn) >= math.exp(more):
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
    e: Evidence, desk: _Desk,
) -> float:  # fmt: skip
    """What the pairs of two items add to the log-likelihood."""
    sides, strength = desk.sides, desk.strength
    fill_sides(many, place, colour, over, i, sides)
    total = sum_sides(e, law, i, sides, strength, 0, sides.size)
    fill_sides(many, place, colour, over, j, sides)
    sides[i] = 0
    return total + sum_sides(e, law, j, sides, strength, 0, sides.size)


# -- chains and layers ----------------------------------------------------------------------------


@compiled
def _sweep_chains(
    kind: int, law: int, chains: int, place: Floats, colour: Whole, over: Whole, rate: Floats,
    e: Evidence, desk: _Desk, seed: int, row: int, drawn: Whole,
) -> None:  # fmt: skip
    values, widths, lows, highs = desk.values, desk.widths, desk.lows, desk.highs
    size, strength, half = colour.size, desk.strength, 0.5 if kind == LAYERED else 1.0
    places = np.zeros(_POOL + 1)
    for _ in range(size):
        i = int(uniform(seed, row, drawn) * size)
        count = 0
        if law < UNIFORM_LAWS:
            count = _offer_chains(kind, law, chains, place, colour, over, rate, i, e, desk)
        else:
            _around(place[i] % 1.0, places, seed, row, drawn)
            for m in range(_POOL + 1):
                count = _offer_place(
                    kind, law, chains, place, colour, over, rate, i, e, desk, places[m], count
                )
        s = _pick(values, widths, count, uniform(seed, row, drawn))
        place[i] = lows[s] + (highs[s] - lows[s]) * uniform(seed, row, drawn)
        strength[i] = half * place[i]
        colour[i], over[i] = desk.chains[s], 0
        if colour[i] == ON_TOP:
            over[i] = _chains_below(law, chains, colour, rate, i, e, desk, seed, row, drawn)
        _reorder(desk.order, 0, place, i)


@compiled
def _offer_chains(
    kind: int, law: int, chains: int, place: Floats, colour: Whole, over: Whole, rate: Floats,
    i: int, e: Evidence, desk: _Desk,
) -> int:  # fmt: skip
    """The segments of every chain, and last the place on top, for independent gaps."""
    above, below, order, sums = e.above, e.below, desk.order, desk.sums
    values, widths, lows, highs = desk.values, desk.widths, desk.lows, desk.highs
    sums[:, :chains] = 0.0
    for j in range(colour.size):
        c = colour[j]
        if c == ON_TOP and j != i:
            for lower in range(chains):
                if (over[j] >> lower) & 1:
                    sums[0, lower] += below[law, i, j]
        elif j != i:
            sums[0, c] += below[law, i, j]
            sums[2, c] += above[law, i, j]
    share = (1.0 - rate[COLOURS] if kind == LAYERED else 1.0) / chains
    count = 0
    for at in range(colour.size):
        j = order[0, at]
        c = colour[j]
        if j == i or c == ON_TOP:
            continue
        values[count], lows[count], highs[count] = sums[0, c], sums[1, c], place[j]
        widths[count], desk.chains[count] = (place[j] - sums[1, c]) * share, c
        sums[0, c] += above[law, i, j] - below[law, i, j]
        sums[1, c] = place[j]
        count += 1
    for c in range(chains):
        values[count], lows[count], highs[count] = sums[0, c], sums[1, c], 1.0
        widths[count], desk.chains[count] = (1.0 - sums[1, c]) * share, c
        count += 1
    if kind == LAYERED:
        count = _offer_top(chains, rate, 1.0, 2.0, desk, count)
    return count


@compiled
def _offer_top(chains: int, rate: Floats, low: float, high: float, desk: _Desk, count: int) -> int:
    """The place on top, whichever chains the item is then above."""
    value = 0.0
    for c in range(chains):
        more = desk.sums[2, c]
        if more > 0.0:
            value += more + math.log((1.0 - rate[c]) * math.exp(-more) + rate[c])
        else:
            value += math.log(1.0 - rate[c] + rate[c] * math.exp(more))
    desk.values[count], desk.lows[count], desk.highs[count] = value, low, high
    desk.widths[count], desk.chains[count] = rate[COLOURS], ON_TOP
    return count + 1


@compiled
def _offer_place(
    kind: int, law: int, chains: int, place: Floats, colour: Whole, over: Whole, rate: Floats,
    i: int, e: Evidence, desk: _Desk, at: float, count: int,
) -> int:  # fmt: skip
    """One place in every chain, and on top, by a Bradley-Terry law."""
    votes, lost, comparable, sums, strength = (
        e.votes,
        e.lost,
        e.comparable,
        desk.sums,
        desk.strength,
    )
    layered, spread = kind == LAYERED, SPREADS[law - UNIFORM_LAWS]
    half = 0.5 if layered else 1.0
    mine = half * at
    sums[:, :chains] = 0.0
    for j in range(colour.size):
        if j == i:
            continue
        n, against, c = votes[i, j], lost[i, j], colour[j]
        x = spread * abs(mine - strength[j])
        value = n * log_chance(x) + comparable[i, j]
        if c == ON_TOP:
            for lower in range(chains):
                if (over[j] >> lower) & 1:
                    sums[0, lower] += value - (n - against) * x
            continue
        sums[0, c] += value - (against if at > place[j] else n - against) * x
        if layered:
            x = spread * (mine + half - strength[j])
            sums[2, c] += n * log_chance(x) - against * x + comparable[i, j]
    share = (1.0 - rate[COLOURS] if layered else 1.0) / chains
    for c in range(chains):
        desk.values[count], desk.lows[count], desk.highs[count] = sums[0, c], at, at
        desk.widths[count], desk.chains[count] = share, c
        count += 1
    if layered:
        count = _offer_top(chains, rate, 1.0 + at, 1.0 + at, desk, count)
    return count


@compiled
def _chains_below(
    law: int, chains: int, colour: Whole, rate: Floats, i: int, e: Evidence, desk: _Desk,
    seed: int, row: int, drawn: Whole,
) -> int:  # fmt: skip
    """The chains that an item on top is above, as bits, drawn as the votes would have it."""
    sides, sums, found = desk.sides, desk.sums, 0
    sums[2, :chains] = 0.0
    sides[:] = 1
    for j in range(colour.size):
        if colour[j] != ON_TOP:
            sums[2, colour[j]] += sum_sides(e, law, i, sides, desk.strength, j, j + 1)
    for c in range(chains):
        odds = (1.0 - rate[c]) * math.exp(min(-sums[2, c], 700.0))
        if uniform(seed, row, drawn) * (odds + rate[c]) < rate[c]:
            found |= 1 << c
    return found


@compiled
def _move_rates(
    chains: int, colour: Whole, over: Whole, rate: Floats, seed: int, row: int, drawn: Whole
) -> None:
    """Draw anew how likely an item on top is above each chain, and how likely one is on top.

    Two sums of exponentials give a draw from a beta distribution.
    """
    size, tops = colour.size, 0
    for i in range(size):
        tops += int(colour[i] == ON_TOP)
    for c in range(chains):
        above = 0
        for i in range(size):
            if colour[i] == ON_TOP:
                above += (over[i] >> c) & 1
        yes = _exponentials(above + 1, seed, row, drawn)
        rate[c] = yes / (yes + _exponentials(tops - above + 1, seed, row, drawn))
    for _ in range(_POOL):
        new, old = MOST_ON_TOP * uniform(seed, row, drawn), rate[COLOURS]
        more = tops * math.log(new / old) + (size - tops) * math.log((1.0 - new) / (1.0 - old))
        if more >= 0.0 or uniform(seed, row, drawn) < math.exp(more):
            rate[COLOURS] = new


@compiled
def _exponentials(count: int, seed: int, row: int, drawn: Whole) -> float:
    """The sum of some exponential variables."""
    total, product = 0.0, 1.0
    for _ in range(count):
        product *= 1.0 - uniform(seed, row, drawn)
        if product < 1e-200:
            total -= math.log(product)
            product = 1.0
    return total - math.log(product)


@compiled
def _move_chains(
    chains: int, colour: Whole, over: Whole, rate: Floats, desk: _Desk, seed: int, row: int,
    drawn: Whole,
) -> int:  # fmt: skip
    """Draw anew how many chains there are, most of which may be empty.

    Colours are only names: those in use become the first ones, and the chance of the present
    partition under each number of colours is what decides.
    """
    size, names, values = colour.size, desk.sides, desk.values
    names[:] = -1
    used = items = 0
    for i in range(size):
        c = colour[i]
        if c != ON_TOP:
            items += 1
            if names[c] < 0:
                names[c] = used
                used += 1
    desk.widths[:chains] = rate[:chains]
    for c in range(chains):
        if names[c] >= 0:
            rate[names[c]] = desk.widths[c]
    for i in range(size):
        if colour[i] == ON_TOP:
            before, over[i] = over[i], 0
            for c in range(chains):
                if names[c] >= 0:
                    over[i] |= ((before >> c) & 1) << names[c]
        else:
            colour[i] = names[colour[i]]
    most = min(size, COLOURS)
    count = 0
    for number in range(max(2, used), most + 1):
        value = math.lgamma(number + 1.0) - math.lgamma(number - used + 1.0)
        values[count] = value - items * math.log(number)
        desk.widths[count] = math.log((number + 1.0) / number)
        count += 1
    number = max(2, used) + _pick(values, desk.widths, count, uniform(seed, row, drawn))
    for c in range(used, number):
        rate[c] = uniform(seed, row, drawn)
    for i in range(size):
        if colour[i] == ON_TOP:
            for c in range(used, number):
                if uniform(seed, row, drawn) < rate[c]:
                    over[i] |= 1 << c
    return number
