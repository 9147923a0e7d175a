"""Moves in chains and layered orders: an item's chain, place, and whether it is on top."""

from __future__ import annotations

import math

import numpy as np

from antichain._kernels import compiled
from antichain.likely._desk import POOL, Desk, around, pick, reorder
from antichain.likely._pair_evidence import SPREADS, Evidence, Floats, Whole
from antichain.likely._particles import (
    COLOURS,
    LAYERED,
    MOST_ON_TOP,
    ON_TOP,
    UNIFORM_LAWS,
    accepted,
    draw_rate,
    log_chance,
    sum_sides,
    uniform,
)


@compiled
def sweep_chains(
    kind: int, law: int, chains: int, place: Floats, colour: Whole, over: Whole, rate: Floats,
    e: Evidence, desk: Desk, seed: int, row: int, drawn: Whole,
) -> None:  # fmt: skip
    values, widths, lows, highs = desk.values, desk.widths, desk.lows, desk.highs
    size, strength, half = colour.size, desk.strength, 0.5 if kind == LAYERED else 1.0
    places = np.zeros(POOL + 1)
    for _ in range(size):
        i = int(uniform(seed, row, drawn) * size)
        count = 0
        if law < UNIFORM_LAWS:
            count = _offer_chains(kind, law, chains, place, colour, over, rate, i, e, desk)
        else:
            around(place[i] % 1.0, places, seed, row, drawn)
            for m in range(POOL + 1):
                count = _offer_place(
                    kind, law, chains, place, colour, over, rate, i, e, desk, places[m], count
                )
        s = pick(values, widths, count, uniform(seed, row, drawn))
        place[i] = lows[s] + (highs[s] - lows[s]) * uniform(seed, row, drawn)
        strength[i] = half * place[i]
        colour[i], over[i] = desk.chains[s], 0
        if colour[i] == ON_TOP:
            over[i] = _chains_below(law, chains, colour, rate, i, e, desk, seed, row, drawn)
        reorder(desk.order, 0, place, i)


@compiled
def _offer_chains(
    kind: int, law: int, chains: int, place: Floats, colour: Whole, over: Whole, rate: Floats,
    i: int, e: Evidence, desk: Desk,
) -> int:  # fmt: skip
    """The segments of every chain, and last the place on top, for independent gaps."""
    above, below, order, sums = e.above, e.below, desk.order, desk.sums
    values, widths, lows, highs = desk.values, desk.widths, desk.lows, desk.highs
    for c in range(chains):
        sums[0, c] = sums[1, c] = sums[2, c] = 0.0
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
def _offer_top(chains: int, rate: Floats, low: float, high: float, desk: Desk, count: int) -> int:
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
    i: int, e: Evidence, desk: Desk, at: float, count: int,
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
    for c in range(chains):
        sums[0, c] = sums[1, c] = sums[2, c] = 0.0
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
    law: int, chains: int, colour: Whole, rate: Floats, i: int, e: Evidence, desk: Desk,
    seed: int, row: int, drawn: Whole,
) -> int:  # fmt: skip
    """The chains that an item on top is above, as bits, drawn as the votes would have it."""
    sides, sums, found = desk.sides, desk.sums, 0
    for c in range(chains):
        sums[2, c] = 0.0
    for j in range(colour.size):
        sides[j] = 1
    for j in range(colour.size):
        if colour[j] != ON_TOP:
            sums[2, colour[j]] += sum_sides(e, law, i, sides, desk.strength, j, j + 1)
    for c in range(chains):
        odds = (1.0 - rate[c]) * math.exp(min(-sums[2, c], 700.0))
        if uniform(seed, row, drawn) * (odds + rate[c]) < rate[c]:
            found |= 1 << c
    return found


@compiled
def move_rates(
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
        yes = _exponentials(above + 2, seed, row, drawn)
        rate[c] = yes / (yes + _exponentials(tops - above + 1, seed, row, drawn))
    for _ in range(POOL):
        new, old = MOST_ON_TOP * uniform(seed, row, drawn), rate[COLOURS]
        more = tops * math.log(new / old) + (size - tops) * math.log((1.0 - new) / (1.0 - old))
        if accepted(more, seed, row, drawn):
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
def move_chains(
    chains: int, colour: Whole, over: Whole, rate: Floats, desk: Desk, seed: int, row: int,
    drawn: Whole,
) -> int:  # fmt: skip
    """Draw anew how many chains there are, most of which may be empty.

    Colours are only names: those in use become the first ones, and the chance of the present
    partition under each number of colours is what decides.
    """
    size, names, values = colour.size, desk.sides, desk.values
    for i in range(size):
        names[i] = -1
    used = items = 0
    for i in range(size):
        c = colour[i]
        if c != ON_TOP:
            items += 1
            if names[c] < 0:
                names[c] = used
                used += 1
    for c in range(chains):
        desk.widths[c] = rate[c]
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
    number = max(2, used) + pick(values, desk.widths, count, uniform(seed, row, drawn))
    for c in range(used, number):
        rate[c] = draw_rate(seed, row, drawn)
    for i in range(size):
        if colour[i] == ON_TOP:
            for c in range(used, number):
                if uniform(seed, row, drawn) < rate[c]:
                    over[i] |= 1 << c
    return number
