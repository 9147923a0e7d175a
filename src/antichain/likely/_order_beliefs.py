"""Beliefs about an order between batches of votes, and the pairs worth asking about next.

The pair to ask about is the one whose next vote is expected to lower the Brier score of the chances
most. Over draws from the posterior, a vote on a pair tells of an item as much as the chance to win
it and the item's place on the front go together; within a batch, answers not yet known are taken
into account as if everything were Gaussian.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from antichain._checks import whole
from antichain._kernels import compiled
from antichain.errors import ParameterError
from antichain.likely._likely_front import (
    LikelyFront,
    checked_counts,
    checked_limits,
    not_estimated,
    read_runs,
)
from antichain.likely._pair_evidence import (
    Flags,
    Floats,
    GapTables,
    Whole,
    no_evidence,
    weigh,
)
from antichain.likely._particles import (
    UNIFORM_LAWS,
    Particles,
    chance_beyond,
    relate,
    strength_gap,
)
from antichain.likely._redraws import sweep
from antichain.likely._sampler import Effort, draw, lead, read

_GROWTH = 1.5  # from scratch whenever there are so many times the votes
_LOOKS = 4  # sweeps over which covariances are read
_LEAST_GAIN = 1e-6  # expected drop of the summed Brier score below which nothing is asked
_ENTRIES = 4_000_000  # of the matrix of chances to win that is held at once


class _Covariances(NamedTuple):
    """How the next vote on each pair goes together with other things.

    Attributes:
        wins: For each draw and pair, the chance that the first item wins, less its mean.
        within: For each pair, the variance of that chance within a draw.
        items: For each pair and item, the covariance of the vote with the item's place.
        noise: For each pair, the variance of one vote.
    """

    wins: Floats
    within: Floats
    items: Floats
    noise: Floats


class OrderBeliefs:
    """What is believed of the order of some items, kept from one batch of votes to the next.

    Args:
        size: How many items there are.
        epsilon: By how much a maximal item may beat an item of the front.
        epsilon_others: By how much any other item may; the same unless given.
        seed: The same seed and the same calls give the same pairs.
        effort: How hard to try; chosen by the number of items unless given.

    Example:
        >>> beliefs = OrderBeliefs(3, epsilon=0.1)
        >>> beliefs.learn(np.array([[0, 4, 5], [0, 0, 2], [0, 2, 0]], dtype=float))
        >>> pairs = beliefs.pairs(4)
        >>> len(pairs), all(i < j for i, j in pairs)
        (4, True)
    """

    def __init__(
        self,
        size: int,
        epsilon: float,
        epsilon_others: float | None = None,
        seed: int = 0,
        effort: Effort | None = None,
    ) -> None:
        self._size = whole("size", size)
        reason = not_estimated(size)
        if reason is not None:
            raise ParameterError(reason)
        self._limits = checked_limits(epsilon, epsilon_others)
        self._seed = whole("seed", seed, least=0)
        self._effort = effort or _policy_effort(size)
        self._batch = 0
        self._scratch = -1.0  # votes when particles were last drawn from scratch
        self._particles: list[Particles] = []
        self._wins = np.zeros((size, size))
        self._evidence = no_evidence(size)
        self._gaps = weigh(self._wins, None, self._limits)[1]

    def learn(self, wins: Floats, cannot: Floats | None = None) -> None:
        """Take in the counts of *all* votes so far, as `likely_front` has them."""
        wins, cannot = checked_counts(wins, cannot)
        if wins.shape != self._wins.shape:
            raise ParameterError(
                f"wins has the shape {wins.shape}, but {self._wins.shape} was expected."
            )
        before, grown = self._evidence, bool((wins >= self._wins).all())
        self._wins, self._batch = wins, self._batch + 1
        self._evidence, self._gaps = weigh(wins, cannot, self._limits)
        total = float(wins.sum() + (0.0 if cannot is None else cannot.sum() / 2))
        if self._particles and grown and total < _GROWTH * max(self._scratch, 1.0):
            for number, p in enumerate(self._particles):
                lead(p, before, self._evidence, self._key(number), False)
        else:
            self._draw(total)

    def front(self) -> LikelyFront:
        """The likely front by the votes so far."""
        runs = [
            read(p, self._evidence, self._gaps, self._effort.reads, self._key(64 + number))
            for number, p in enumerate(self._drawn())
        ]
        return read_runs(runs, self._wins)

    def pairs(self, n: int, allowed: Flags | None = None) -> list[tuple[int, int]]:
        """Up to `n` pairs to ask about, one vote each; a pair may occur several times.

        Args:
            n: The most votes that can be asked for.
            allowed: Which pairs may be asked about (symmetric); all unless given.

        Returns:
            Pairs (i, j) with i < j, best first; fewer than `n` where no vote is worth its while.
        """
        whole("n", n, least=0)
        first, second = np.triu_indices(self._size, 1)
        if allowed is not None:
            asked = np.asarray(allowed, np.bool_)
            keep = asked[first, second] | asked[second, first]
            first, second = first[keep], second[keep]
        if not first.size:
            return []
        chosen = _best_batch(self._covariances(first, second), n)
        return [(int(first[p]), int(second[p])) for p in chosen]

    def _drawn(self) -> list[Particles]:
        if not self._particles:
            self._draw(0.0)
        return self._particles

    def _draw(self, total: float) -> None:
        self._particles = draw(self._evidence, self._effort, self._key(0))
        self._scratch = total

    def _key(self, number: int) -> int:
        """A seed of its own for each batch and part of the work."""
        return (self._seed * 4096 + self._batch) * 128 + number

    def _covariances(self, first: Whole, second: Whole) -> _Covariances:
        runs = self._drawn()
        rows = max(1, min(sum(p.kind.size for p in runs), _ENTRIES // first.size // _LOOKS))
        p = Particles(
            *(np.concatenate(parts)[:: _stride(runs, rows)] for parts in zip(*runs, strict=True))
        )
        looks = []
        for look in range(_LOOKS):
            sweep(p, self._evidence, False, self._key(100 + look))
            looks.append(_look(p, self._gaps, first, second))
        wins = np.concatenate([look[0] for look in looks])
        places = np.concatenate([look[1] for look in looks])
        within, lean = (np.mean([look[part] for look in looks], axis=0) for part in (2, 3))
        means = wins.mean(axis=0)
        wins -= means
        items = wins.T @ (places - places.mean(axis=0)) / len(wins)
        pairs = np.arange(first.size)
        items[pairs, second] -= lean[0]
        items[pairs, first] += lean[1]
        return _Covariances(wins, within, items, np.maximum(means * (1.0 - means), 1e-3))


def _policy_effort(size: int) -> Effort:
    """How hard to try for a choice of pairs."""
    if size <= 30:
        return Effort(1, 6, 200, 300, 8)
    return Effort(1, 6, 60, 100, 8) if size <= 60 else Effort(1, 4, 16, 40, 4)


def _stride(runs: list[Particles], rows: int) -> int:
    return -(-sum(p.kind.size for p in runs) // rows)


def _look(p: Particles, gaps: GapTables, first: Whole, second: Whole) -> tuple[Floats, ...]:
    count, size = p.colour.shape
    wins, places = np.empty((count, first.size)), np.empty((count, size))
    within, lean = np.zeros(first.size), np.zeros((2, first.size))
    look_at_duels(p, gaps, first, second, wins, places, within, lean)
    return wins, places, within / count, lean / count


def _best_batch(found: _Covariances, n: int) -> list[int]:
    """The pairs of a batch, each chosen as if the votes before it were about to be known."""
    wins, within, items, noise = found
    items, noise = items.copy(), noise.copy()
    chosen: list[int] = []
    known: list[Floats] = []  # for each pair chosen: its covariances over its deviation
    for _ in range(n):
        gains = (items**2).sum(axis=1) / noise
        best = int(np.argmax(gains))
        if gains[best] < _LEAST_GAIN:
            break
        column = wins.T @ wins[:, best] / len(wins)
        column[best] += within[best]
        for earlier in known:
            column -= earlier * earlier[best]
        items -= np.multiply.outer(column, items[best]) / noise[best]
        known.append(column / np.sqrt(noise[best]))
        noise = np.maximum(noise - known[-1] ** 2, 1e-3)
        chosen.append(best)
    return chosen


@partial(compiled, side_by_side=True)
def look_at_duels(
    p: Particles, g: GapTables, first: Whole, second: Whole, wins: Floats, places: Floats,
    within: Floats, lean: Floats,
) -> None:  # fmt: skip
    """For each particle: the chance of each duel, and of each item to keep the promise.

    Added up over particles: the variance of a duel's chance, and its covariance with the place of
    its second item (if the first is above) and of its first one (if the second is).
    """
    size = p.colour.shape[1]
    sides, strength, maximal = np.zeros((size, size), np.int64), np.zeros(size), np.zeros(size)
    for row in range(p.kind.size):
        law = p.law[row]
        relate(p, row, sides, strength, maximal)
        for i in range(size):
            chance = 1.0
            for j in range(size):
                if sides[i, j] < 0:
                    apart = strength[j] - strength[i]
                    chance *= 1.0 - chance_beyond(g, law, j, i, apart, maximal[j])
            places[row, i] = chance
        for pair in range(first.size):
            i, j = first[pair], second[pair]
            found = sides[i, j]
            wins[row, pair] = 0.5
            if found == 0:
                continue
            upper, lower = (i, j) if found > 0 else (j, i)
            if law >= UNIFORM_LAWS:
                gap = strength_gap(law, strength[upper] - strength[lower])
                wins[row, pair] += found * gap
                continue
            wins[row, pair] += found * g.mean[law, upper, lower]
            within[pair] += g.spread[law, upper, lower]
            which = 0 if maximal[upper] > 0 else 1
            free = 1.0 - g.beyond[which, law, upper, lower]
            if free > 1e-9:
                part = g.lean[which, law, upper, lower] * places[row, lower] / free
                lean[0 if found > 0 else 1, pair] += part
