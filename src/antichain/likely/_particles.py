"""Transitive orders as particles: drawn from the prior, scored by the votes, and read.

A particle is an order on the items together with a law of gaps. The order is of one of six kinds,
each transitive by construction:

- *total*: a chain;
- *dominance* in two, three or four coordinates: an item is above another if it is larger in every
  coordinate;
- *chains*: items have a colour, and those of one colour form a chain;
- *layered*, as in the paper: some items are on top, the others form chains, and an item on top is
  above the whole of some chains.

A pair that is not comparable is a fair coin. Everything random comes from a counter and a hash
(`_kernels.keyed_uniform`), so that a seed gives the same particles everywhere.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from antichain._kernels import compiled, keyed_uniform
from antichain.likely._pair_evidence import (
    FAMILY,
    LAWS,
    SPREADS,
    Evidence,
    Floats,
    GapTables,
    Whole,
)

KINDS = 6
KIND_NAMES = ("total", "dominance in 2", "dominance in 3", "dominance in 4", "chains", "layered")
CHAINS, LAYERED = 4, 5  # 0 is total; 1, 2 and 3 are dominance in one coordinate more each
DIMENSIONS = 4
COLOURS = 62  # chains on top of which an item can be: one bit each
MOST_ON_TOP = 0.5  # the largest rate of items on top
ON_TOP = -1  # the colour of an item on top of a layered order

UNIFORM_LAWS = len(LAWS)
ALL_LAWS = len(LAWS) + len(SPREADS)
_FINE = 128  # cells per unit of the table of logarithms
_REACH = 10  # units that it spans: more than the largest spread
_ROUNDING = 1e-9  # differences of log-likelihoods below which the sign may be a matter of rounding
_STEPS = np.arange(_REACH * _FINE + 2) / _FINE
_LOGS = math.log(2) - np.log1p(np.exp(-_STEPS))  # of twice the logistic function


class Particles(NamedTuple):
    """Many orders at once: one row per particle.

    Attributes:
        kind: The kind of order.
        law: The number of the law of gaps.
        chains: How many colours there are.
        place: Each coordinate of each item; an item on top of a layered order is beyond 1.
        colour: The item's chain, or `ON_TOP`.
        over: The chains that an item on top is above, as bits.
        rate: For each chain of a layered order, how likely an item on top is above it; last, how
            likely an item is on top.
        drawn: How many random numbers the particle has used.
    """

    kind: Whole
    law: Whole
    chains: Whole
    place: Floats
    colour: Whole
    over: Whole
    rate: Floats
    drawn: Whole

    def taken(self, rows: Whole) -> Particles:
        """The particles of these rows, each with random numbers of its own from now on."""
        return self._replace(
            kind=self.kind[rows],
            law=self.law[rows],
            chains=self.chains[rows],
            place=self.place[rows],
            colour=self.colour[rows],
            over=self.over[rows],
            rate=self.rate[rows],
            drawn=np.zeros(rows.size, np.int64),
        )

    def keep(self, rows: Whole) -> None:
        """Go on with these rows instead, each with the random numbers of its new place."""
        for part in self[:-1]:
            part[:] = part[rows]


def prior_particles(count: int, size: int, kind: int, family: int, seed: int) -> Particles:
    """Particles of one kind drawn from the prior, the laws of a family in turn."""
    whole = np.int64
    p = Particles(
        np.full(count, kind), family * FAMILY + np.arange(count) % FAMILY, np.ones(count, whole),
        np.zeros((count, DIMENSIONS, size)), np.zeros((count, size), whole),
        np.zeros((count, size), whole), np.zeros((count, COLOURS + 1)), np.zeros(count, whole),
    )  # fmt: skip
    _draw_prior(p, seed)
    return p


@compiled
def uniform(seed: int, row: int, drawn: Whole) -> float:
    """The next random number of a particle."""
    drawn[row] += 1
    return keyed_uniform(seed, row, drawn[row], 0)


@compiled
def accepted(more: float, seed: int, row: int, drawn: Whole) -> bool:
    """Whether to move to where the log-likelihood is larger by `more`, or smaller by −`more`.

    Many moves change nothing that was voted on. Then rounding, which differs between processors,
    must not decide whether a random number is used up.
    """
    return more >= -_ROUNDING or uniform(seed, row, drawn) < math.exp(more)


@compiled
def dimensions(kind: int) -> int:
    """How many coordinates count."""
    return kind + 1 if kind < CHAINS else 1


@compiled
def law_alike(law: int, chance: float) -> int:
    """A law of the same family."""
    return law - law % FAMILY + int(chance * FAMILY)


@compiled
def draw_rate(seed: int, row: int, drawn: Whole) -> float:
    """How likely items on top are above a chain: the larger of two, since few chains are free."""
    return max(uniform(seed, row, drawn), uniform(seed, row, drawn))


@compiled
def _draw_prior(p: Particles, seed: int) -> None:
    size = p.colour.shape[1]
    for row in range(p.kind.size):
        kind = p.kind[row]
        if kind >= CHAINS:  # from two to all, each doubling as likely
            most = min(size, COLOURS)
            p.chains[row] = int(2 * ((most + 1) / 2) ** uniform(seed, row, p.drawn))
        for chain in range(COLOURS):
            p.rate[row, chain] = draw_rate(seed, row, p.drawn)
        p.rate[row, COLOURS] = MOST_ON_TOP * uniform(seed, row, p.drawn)
        for i in range(size):
            for k in range(DIMENSIONS):
                p.place[row, k, i] = uniform(seed, row, p.drawn)
            p.colour[row, i] = int(uniform(seed, row, p.drawn) * p.chains[row])
            if kind == LAYERED and uniform(seed, row, p.drawn) < p.rate[row, COLOURS]:
                p.colour[row, i] = ON_TOP
                p.place[row, 0, i] += 1.0
                for chain in range(p.chains[row]):
                    if uniform(seed, row, p.drawn) < p.rate[row, chain]:
                        p.over[row, i] |= 1 << chain


@compiled
def fill_sides(many: int, place: Floats, colour: Whole, over: Whole, i: int, sides: Whole) -> None:
    """For each item: 1 if i is above it, −1 if it is above i, else 0."""
    size = sides.size
    mine = place[0, i]
    for j in range(size):
        sides[j] = int(mine > place[0, j]) - int(mine < place[0, j])
    if many > 1:
        for k in range(1, many):
            mine = place[k, i]
            for j in range(size):
                now = int(mine > place[k, j]) - int(mine < place[k, j])
                sides[j] = now if sides[j] == now else 0
        return
    chain = colour[i]
    if chain == ON_TOP:
        above = over[i]
        for j in range(size):
            sides[j] = 0 if colour[j] == ON_TOP else (above >> colour[j]) & 1
        return
    for j in range(size):
        if colour[j] == ON_TOP:
            sides[j] = -((over[j] >> chain) & 1)
        elif colour[j] != chain:
            sides[j] = 0


@compiled
def log_chance(x: float) -> float:
    """The log of twice the logistic function, of x from 0 up to `_REACH`."""
    at = x * _FINE
    cell = int(at)
    value: float = _LOGS[cell] + (at - cell) * (_LOGS[cell + 1] - _LOGS[cell])
    return value


@compiled
def sum_sides(
    e: Evidence, law: int, i: int, sides: Whole, strength: Floats, first: int, last: int
) -> float:
    """What pairs of one item with others in a range add to the log-likelihood of the votes."""
    total = 0.0
    if law < UNIFORM_LAWS:
        above, below = e.above, e.below
        for j in range(first, last):
            if sides[j] > 0:
                total += above[law, i, j]
            elif sides[j] < 0:
                total += below[law, i, j]
        return total
    spread, mine = SPREADS[law - UNIFORM_LAWS], strength[i]
    votes, lost, comparable = e.votes, e.lost, e.comparable
    for j in range(first, last):
        if sides[j] != 0:
            x = spread * abs(mine - strength[j])
            against = lost[i, j] if sides[j] > 0 else votes[i, j] - lost[i, j]
            total += votes[i, j] * log_chance(x) - against * x + comparable[i, j]
    return total


@compiled
def fill_strengths(kind: int, many: int, place: Floats, strength: Floats) -> None:
    """The items' strengths by a Bradley-Terry law of spread 1."""
    scale = 0.5 if kind == LAYERED else 1.0 / many
    for i in range(strength.size):
        total = 0.0
        for k in range(many):
            total += place[k, i]
        strength[i] = total * scale


@partial(compiled, side_by_side=True)
def measure(p: Particles, e: Evidence, scores: Floats) -> None:
    """The log-likelihood of every particle."""
    size = p.colour.shape[1]
    strength, sides = np.zeros(size), np.zeros(size, np.int64)
    for row in range(p.kind.size):
        kind, law = p.kind[row], p.law[row]
        many = dimensions(kind)
        place, colour, over = p.place[row], p.colour[row], p.over[row]
        fill_strengths(kind, many, place, strength)
        total = 0.0
        for i in range(1, size):
            fill_sides(many, place, colour, over, i, sides)
            total += sum_sides(e, law, i, sides, strength, 0, i)
        scores[row] = total


@partial(compiled, side_by_side=True)
def read_fronts(
    p: Particles, e: Evidence, g: GapTables, chances: Floats, fronts: Whole, misfit: Floats,
    seed: int,
) -> None:  # fmt: skip
    """For each particle, the chance of each item to keep the promise, and a front drawn by it.

    `misfit` tells how far the votes are from those that the order would give.
    """
    size = p.colour.shape[1]
    sides, strength, maximal = np.zeros((size, size), np.int64), np.zeros(size), np.zeros(size)
    for row in range(p.kind.size):
        law = p.law[row]
        relate(p, row, sides, strength, maximal)
        misfit[row] = _misfit(e, sides)
        for i in range(size):
            chance, free = 1.0, 1
            for j in range(size):
                if sides[i, j] < 0:
                    beyond = chance_beyond(g, law, j, i, strength[j] - strength[i], maximal[j])
                    chance *= 1.0 - beyond
                    if free and beyond > 0.0 and uniform(seed, row, p.drawn) < beyond:
                        free = 0
            chances[row, i], fronts[row, i] = chance, free


@compiled
def _misfit(e: Evidence, sides: Whole) -> float:
    """By how many standard deviations votes disagree with an order.

    The squared excess of wins is 1 on average for an even pair with one vote or many; where one
    item is above, only wins of the other speak against it, and the average is at most 1/2.
    """
    excess = expected = variance = 0.0
    for i in range(sides.shape[0]):
        for j in range(i):
            n = e.votes[i, j]
            if n < 1.0:
                continue
            lead = (n - 2.0 * e.lost[i, j]) * (sides[i, j] if sides[i, j] != 0 else 1)
            even = sides[i, j] == 0
            if even or lead < 0.0:
                excess += lead * lead / n
            expected += 1.0 if even else 0.5
            variance += 2.0 * (1.0 - 1.0 / n) if even else 1.25
    return (excess - expected) / math.sqrt(variance + 1.0)


@compiled
def relate(p: Particles, row: int, sides: Whole, strength: Floats, maximal: Floats) -> None:
    """Which items of a particle are above which, their strengths, and 1 for each on the front."""
    kind = p.kind[row]
    many = dimensions(kind)
    place, colour, over = p.place[row], p.colour[row], p.over[row]
    fill_strengths(kind, many, place, strength)
    for i in range(maximal.size):
        fill_sides(many, place, colour, over, i, sides[i])
        maximal[i] = 1.0
        for j in range(maximal.size):
            if sides[i, j] < 0:
                maximal[i] = 0.0


@compiled
def chance_beyond(
    g: GapTables, law: int, upper: int, lower: int, apart: float, maximal: float
) -> float:
    """The chance that an upper item is further above than the promise allows."""
    which = 0 if maximal > 0 else 1
    if law < UNIFORM_LAWS:
        chance: float = g.beyond[which, law, upper, lower]
        return chance
    return 1.0 if strength_gap(law, apart) > g.limits[which] else 0.0


@compiled
def strength_gap(law: int, apart: float) -> float:
    """The gap of items whose unit strengths are so far apart, by a Bradley-Terry law."""
    return 0.5 * math.tanh(0.5 * SPREADS[law - UNIFORM_LAWS] * apart)
