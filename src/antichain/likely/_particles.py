"""Transitive orders as particles, and the moves that draw them from their posterior.

A particle is an order on the items together with a law of gaps. The order is of one of six kinds,
each transitive by construction:

- *total*, and *dominance* in two, three or four coordinates: an item is above another if it is
  larger in every coordinate;
- *chains*: the same with one coordinate, among items of one colour;
- *layered*, as in the paper: some items are on top, the others form chains by colour, and an item
  on top is above the whole of some chains.

A pair that is not comparable is a fair coin. The evidence that one item is above another is thus
the likelihood ratio of its wins to fair coins, averaged over the gaps of the law (`Evidence`).

Everything random comes from a counter and a hash (`_kernels.keyed_uniform`), so that a seed gives
the same particles everywhere.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain._kernels import compiled, keyed_uniform

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

KINDS = 6
_TOTAL, _CHAINS, _LAYERED = 0, 4, 5  # 1, 2 and 3 are dominance in one coordinate more each
_DIMENSIONS = 4
_COLOURS = 62  # chains on top of which an item can be: one bit each

LAWS = ((0.0, 0.5), (0.05, 0.5), (0.0, 0.1), (0.0, 0.25))
"""The ranges of gaps that are independent and uniform; after them come the spreads below."""
SPREADS = (2.0, 4.0, 8.0)
"""Bradley-Terry laws: an item's strength is the mean of its coordinates times the spread."""
_GAPS = 12  # midpoints of the range of a law


class Evidence(NamedTuple):
    """What the votes say of each ordered pair, for each law of independent gaps.

    Attributes:
        above: The log of the likelihood ratio of "the first is above the second" to "even".
        beyond: The chance that the gap exceeds ε, given that the first is above.
        mean: The mean gap, given that the first is above.
        wins: Wins of the first over the second.
        comparable: The log of the likelihood ratio of "comparable" to "incomparable" from the
            answers "cannot compare".
        epsilon: The ε of `beyond`.
    """

    above: Floats
    beyond: Floats
    mean: Floats
    wins: Floats
    comparable: Floats
    epsilon: float


class Particles(NamedTuple):
    """Many orders at once: one row per particle, then one per item.

    Attributes:
        kind: The kind of order.
        law: The number of the law of gaps.
        chains: How many colours there are.
        place: The item's coordinates; an item on top of a layered order is beyond 1.
        colour: The item's chain.
        top: Whether the item is on top of a layered order.
        over: The chains that it is above, if so, as bits.
        rate: For each chain of a layered order, how likely an item on top is above it.
        pairs: What each pair of items adds to the log-likelihood of the votes.
        score: The log-likelihood of the votes.
        drawn: How many random numbers the particle has used.
    """

    kind: Whole
    law: Whole
    chains: Whole
    place: Floats
    colour: Whole
    top: Whole
    over: Whole
    rate: Floats
    pairs: Floats
    score: Floats
    drawn: Whole

    def taken(self, rows: Whole) -> Particles:
        """The particles of these rows, each with random numbers of its own from now on."""
        *parts, _ = (part[rows] for part in self)
        return Particles(*parts, self.drawn)


def weigh(wins: Floats, cannot: Floats, epsilon: float) -> Evidence:
    """The evidence in a matrix of wins and one of answers "cannot compare" (symmetric)."""
    size = len(wins)
    above, beyond, mean = (np.zeros((len(LAWS), size, size)) for _ in range(3))
    for number, (low, high) in enumerate(LAWS):
        gaps = low + (high - low) * (np.arange(_GAPS) + 0.5) / _GAPS
        logs = np.multiply.outer(np.log1p(2 * gaps), wins)
        logs += np.multiply.outer(np.log1p(-2 * gaps), wins.T)
        top = logs.max(axis=0)
        shares = np.exp(logs - top)
        total = shares.sum(axis=0)
        above[number] = top + np.log(total / _GAPS)
        # A midpoint stands for its whole twelfth of the range.
        half = (high - low) / _GAPS / 2
        part = np.clip((gaps + half - epsilon) / (2 * half), 0.0, 1.0)
        beyond[number] = np.tensordot(part, shares, 1) / total
        mean[number] = np.tensordot(gaps, shares, 1) / total
    return Evidence(above, beyond, mean, wins, _comparable(wins, cannot), epsilon)


def _comparable(wins: Floats, cannot: Floats) -> Floats:
    """What "cannot compare" says of a pair: rates of at most 1/3 if comparable, else 2/3 or more.

    The rates are uniform in these ranges. Where nobody said so, voters perhaps could not.
    """
    if not cannot.any():
        return np.zeros_like(wins)
    compared = wins + wins.T
    low = (np.arange(_GAPS) + 0.5) / _GAPS / 3

    def log_mean(rates: Floats) -> Floats:
        logs = np.multiply.outer(np.log(rates), cannot)
        logs += np.multiply.outer(np.log1p(-rates), compared)
        top = logs.max(axis=0)
        return np.asarray(top + np.log(np.exp(logs - top).mean(axis=0)))

    return log_mean(low) - log_mean(1 - low)


@compiled
def _uniform(seed: int, row: int, drawn: Whole) -> float:
    drawn[row] += 1
    return keyed_uniform(seed, row, drawn[row], 0)


@compiled
def _dimensions(kind: int) -> int:
    return kind + 1 if kind < _CHAINS else 1


@compiled
def _draw_item(p: Particles, row: int, item: int, seed: int) -> None:
    """Place an item anew, as the prior does."""
    kind = p.kind[row]
    for k in range(_DIMENSIONS):
        p.place[row, item, k] = _uniform(seed, row, p.drawn)
    p.colour[row, item] = int(_uniform(seed, row, p.drawn) * p.chains[row])
    p.top[row, item], p.over[row, item] = 0, 0
    if kind == _LAYERED and _uniform(seed, row, p.drawn) < p.rate[row, _COLOURS]:
        p.top[row, item] = 1
        p.place[row, item, 0] += 1.0
        _draw_over(p, row, item, seed)


@compiled
def _draw_over(p: Particles, row: int, item: int, seed: int) -> None:
    over = 0
    for chain in range(p.chains[row]):
        if _uniform(seed, row, p.drawn) < p.rate[row, chain]:
            over |= 1 << chain
    p.over[row, item] = over


@compiled
def _relations(
    kind: int, place: Floats, colour: Whole, top: Whole, over: Whole, i: int, sides: Whole
) -> None:
    """For each item: 1 if i is above it, −1 if it is above i, else 0."""
    size = colour.size
    if kind == _LAYERED and top[i]:
        for j in range(size):
            sides[j] = 0 if top[j] else (over[i] >> colour[j]) & 1
        return
    many = _dimensions(kind)
    for j in range(size):
        if kind == _LAYERED and top[j]:
            sides[j] = -((over[j] >> colour[i]) & 1)
            continue
        up = down = colour[i] == colour[j]
        for k in range(many):
            up &= place[i, k] > place[j, k]
            down &= place[i, k] < place[j, k]
        sides[j] = int(up) - int(down)
    sides[i] = 0


@compiled
def _strength_gaps(kind: int, law: int, place: Floats, i: int, gaps: Floats) -> None:
    """The gaps between item i and each other by a Bradley-Terry law, if they are comparable."""
    many = _dimensions(kind)
    scale = 0.5 * SPREADS[law - len(LAWS)] / (2 * many if kind == _LAYERED else many)
    for j in range(gaps.size):
        apart = 0.0
        for k in range(many):
            apart += place[i, k] - place[j, k]
        gaps[j] = 0.5 * math.tanh(scale * abs(apart))


@compiled
def _item(
    p: Particles, row: int, i: int, e: Evidence, found: Floats, sides: Whole, gaps: Floats
) -> float:
    """What an item's pairs add to the log-likelihood as it is placed now; each is put in `found`."""
    kind, law, place = p.kind[row], p.law[row], p.place[row]
    _relations(kind, place, p.colour[row], p.top[row], p.over[row], i, sides)
    wins, comparable = e.wins, e.comparable
    by_strength = law >= len(LAWS)
    if by_strength:
        _strength_gaps(kind, law, place, i, gaps)
    above = e.above[0 if by_strength else law]
    total = 0.0
    for j in range(found.size):
        side = sides[j]
        value = 0.0
        if side:
            upper, lower = (i, j) if side > 0 else (j, i)
            if by_strength:
                gap = gaps[j]
                value = wins[upper, lower] * math.log1p(2 * gap)
                value += wins[lower, upper] * math.log1p(-2 * gap)
            else:
                value = above[upper, lower]
            value += comparable[i, j]
        found[j] = value
        total += value
    return total


@compiled
def _stored(p: Particles, row: int, i: int) -> float:
    total = 0.0
    for j in range(p.pairs.shape[1]):
        total += p.pairs[row, i, j]
    return total


@compiled
def _store(p: Particles, row: int, i: int, found: Floats) -> None:
    for j in range(found.size):
        p.pairs[row, i, j] = p.pairs[row, j, i] = found[j]


@compiled
def _whole(
    p: Particles, row: int, e: Evidence, found: Floats, sides: Whole, gaps: Floats
) -> float:
    """The log-likelihood of the order as it is now; each pair's part is put in `found`."""
    total = 0.0
    for i in range(found.shape[0]):
        total += _item(p, row, i, e, found[i], sides, gaps)
    return total / 2


@compiled
def draw_prior(p: Particles, e: Evidence, seed: int) -> None:
    """Draw every particle from the prior."""
    size = p.place.shape[1]
    sides, gaps = np.zeros(size, np.int64), np.zeros(size)
    for row in range(p.kind.size):
        kind = row % KINDS
        p.kind[row] = kind
        p.law[row] = int(_uniform(seed, row, p.drawn) * (len(LAWS) + len(SPREADS)))
        p.chains[row] = 1
        if kind in (_CHAINS, _LAYERED):  # from two to all, each doubling as likely
            most = min(size, _COLOURS)
            p.chains[row] = int(2 * (most / 2 + 0.5) ** _uniform(seed, row, p.drawn))
        for chain in range(_COLOURS + 1):
            p.rate[row, chain] = _uniform(seed, row, p.drawn)
        p.rate[row, _COLOURS] *= 0.6  # how likely an item is on top
        for item in range(size):
            _draw_item(p, row, item, seed)
        p.score[row] = _whole(p, row, e, p.pairs[row], sides, gaps)


@compiled
def _copy(p: Particles, row: int, i: int, kept: Floats) -> None:
    for k in range(_DIMENSIONS):
        kept[k] = p.place[row, i, k]
    kept[4], kept[5] = p.colour[row, i], p.top[row, i]


@compiled
def _restore(p: Particles, row: int, i: int, kept: Floats, over: int) -> None:
    for k in range(_DIMENSIONS):
        p.place[row, i, k] = kept[k]
    p.colour[row, i], p.top[row, i] = int(kept[4]), int(kept[5])
    p.over[row, i] = over


@compiled
def _swap(p: Particles, row: int, i: int, j: int) -> None:
    for k in range(_DIMENSIONS):
        p.place[row, i, k], p.place[row, j, k] = p.place[row, j, k], p.place[row, i, k]
    p.colour[row, i], p.colour[row, j] = p.colour[row, j], p.colour[row, i]
    p.top[row, i], p.top[row, j] = p.top[row, j], p.top[row, i]
    p.over[row, i], p.over[row, j] = p.over[row, j], p.over[row, i]


@compiled
def _move_item(p: Particles, row: int, i: int, choice: float, seed: int) -> None:
    """Propose another place for an item: a coordinate anew or nearby, a chain, or everything."""
    kind = p.kind[row]
    raised = float(p.top[row, i])
    k = int(_uniform(seed, row, p.drawn) * _dimensions(kind))
    if choice < 0.43:
        p.place[row, i, k] = raised * (k == 0) + _uniform(seed, row, p.drawn)
    elif choice < 0.65:
        step = 0.3 * (_uniform(seed, row, p.drawn) - 0.5)
        inside = (p.place[row, i, k] - raised * (k == 0) + step) % 1.0
        p.place[row, i, k] = raised * (k == 0) + inside
    elif choice < 0.85 and kind >= _CHAINS:
        if p.top[row, i]:
            if _uniform(seed, row, p.drawn) < 0.5:
                _draw_over(p, row, i, seed)
            else:
                p.over[row, i] ^= 1 << int(_uniform(seed, row, p.drawn) * p.chains[row])
        else:
            p.colour[row, i] = int(_uniform(seed, row, p.drawn) * p.chains[row])
    else:
        _draw_item(p, row, i, seed)


@compiled
def _flip_log_ratio(p: Particles, row: int, before: int, after: int) -> float:
    """The prior of `after` over that of `before`, for chains flipped one at a time."""
    total = 0.0
    changed = before ^ after
    for chain in range(p.chains[row]):
        if (changed >> chain) & 1:
            rate = min(max(p.rate[row, chain], 1e-9), 1 - 1e-9)
            ratio = math.log(rate) - math.log1p(-rate)
            total += ratio if (after >> chain) & 1 else -ratio
    return total


@partial(compiled, side_by_side=True)
def sweep(
    p: Particles, e: Evidence, power: float, times: int, seed: int, first: int, last: int
) -> None:
    """Metropolis moves at the likelihood to a power, `times` per item of particles in a range."""
    size = p.place.shape[1]
    kept, one, other = np.empty(6), np.empty(size), np.empty(size)
    every, sides, gaps = np.zeros((size, size)), np.zeros(size, np.int64), np.zeros(size)
    for row in range(first, last):
        for _ in range(times):
            _move_law(p, row, e, power, seed, every, sides, gaps)
            for _ in range(size):
                i = int(_uniform(seed, row, p.drawn) * size)
                if _uniform(seed, row, p.drawn) < 0.3:
                    j = int(_uniform(seed, row, p.drawn) * size)
                    if i != j:
                        _move_two(p, row, i, j, e, power, seed, one, other, sides, gaps)
                else:
                    _move_one(p, row, i, e, power, seed, one, kept, sides, gaps)


@compiled
def _move_two(
    p: Particles, row: int, i: int, j: int, e: Evidence, power: float, seed: int,
    one: Floats, other: Floats, sides: Whole, gaps: Floats,
) -> None:  # fmt: skip
    """Swap the places of two items, perhaps."""
    before = _stored(p, row, i) + _stored(p, row, j) - p.pairs[row, i, j]
    _swap(p, row, i, j)
    after = _item(p, row, i, e, one, sides, gaps) + _item(p, row, j, e, other, sides, gaps) - one[j]
    if _accepted(power * (after - before), seed, row, p.drawn):
        p.score[row] += after - before
        _store(p, row, i, one)
        _store(p, row, j, other)
    else:
        _swap(p, row, i, j)


@compiled
def _move_one(
    p: Particles, row: int, i: int, e: Evidence, power: float, seed: int,
    one: Floats, kept: Floats, sides: Whole, gaps: Floats,
) -> None:  # fmt: skip
    """Place an item elsewhere, perhaps."""
    _copy(p, row, i, kept)
    over, on_top = p.over[row, i], p.top[row, i]
    before = _stored(p, row, i)
    choice = _uniform(seed, row, p.drawn)
    _move_item(p, row, i, choice, seed)
    after = _item(p, row, i, e, one, sides, gaps)
    log_ratio = power * (after - before)
    if on_top and 0.65 <= choice < 0.85:
        log_ratio += _over_correction(p, row, over, p.over[row, i])
    if _accepted(log_ratio, seed, row, p.drawn):
        p.score[row] += after - before
        _store(p, row, i, one)
    else:
        _restore(p, row, i, kept, over)


@compiled
def _accepted(log_ratio: float, seed: int, row: int, drawn: Whole) -> bool:
    chance = _uniform(seed, row, drawn)
    return log_ratio >= 0.0 or chance < math.exp(log_ratio)


@compiled
def _over_correction(p: Particles, row: int, before: int, after: int) -> float:
    """The log of prior(after)·q(before|after) / prior(before)·q(after|before).

    Half of the proposals are draws from the prior, half flip one chain at random.
    """
    changed = before ^ after
    if changed == 0:
        return 0.0
    single = changed & (changed - 1) == 0
    ratio = _flip_log_ratio(p, row, before, after)  # log prior(after) − log prior(before)
    if not single:
        return 0.0
    flip = 1.0 / p.chains[row]
    log_before, log_after = _log_over(p, row, before), _log_over(p, row, after)
    there, back = math.exp(log_after) + flip, math.exp(log_before) + flip
    return ratio + math.log(back) - math.log(there)


@compiled
def _log_over(p: Particles, row: int, over: int) -> float:
    total = 0.0
    for chain in range(p.chains[row]):
        rate = min(max(p.rate[row, chain], 1e-9), 1 - 1e-9)
        total += math.log(rate) if (over >> chain) & 1 else math.log1p(-rate)
    return total


@compiled
def _move_law(
    p: Particles, row: int, e: Evidence, power: float, seed: int, every: Floats, sides: Whole, gaps: Floats
) -> None:
    old = p.law[row]
    p.law[row] = int(_uniform(seed, row, p.drawn) * (len(LAWS) + len(SPREADS)))
    if p.law[row] == old:
        return
    score = _whole(p, row, e, every, sides, gaps)
    if _accepted(power * (score - p.score[row]), seed, row, p.drawn):
        p.score[row] = score
        p.pairs[row] = every
    else:
        p.law[row] = old


@compiled
def read_fronts(p: Particles, e: Evidence, chances: Floats, fronts: Whole, seed: int) -> None:
    """For each particle, the chance of each item to be on the ε-front, and a front drawn by it."""
    size = p.place.shape[1]
    sides, gaps = np.zeros(size, np.int64), np.zeros(size)
    for row in range(p.kind.size):
        kind, law, place = p.kind[row], p.law[row], p.place[row]
        for i in range(size):
            _relations(kind, place, p.colour[row], p.top[row], p.over[row], i, sides)
            if law >= len(LAWS):
                _strength_gaps(kind, law, place, i, gaps)
            chance, free = 1.0, 1
            for j in range(size):
                if sides[j] >= 0:
                    continue
                if law < len(LAWS):
                    beyond = e.beyond[law, j, i]
                else:
                    beyond = 1.0 if gaps[j] > e.epsilon else 0.0
                chance *= 1.0 - beyond
                if _uniform(seed, row, p.drawn) < beyond:
                    free = 0
            chances[row, i], fronts[row, i] = chance, free
