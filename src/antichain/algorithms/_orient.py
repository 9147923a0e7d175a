"""Orient: the front of a fully observable poset, by the few ways its pairs can point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from antichain.algorithms._observing import Observing
from antichain.algorithms._orient_pairs import SMALL, Pairs, must_race
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan
from antichain.algorithms.chains import Challenge
from antichain.algorithms.chains._challenge import check_end
from antichain.evidence._answers import COUNTS, FORMS, Counts, Floats, swapped
from antichain.evidence._bet import Bet, log_bet, log_bets
from antichain.evidence._sequential import SequentialTest

# Set by hand; they decide what a run costs and never what it claims.
_GLANCE = 8
"""Items that the first guess at a maximal item meets at a time."""
_SECOND_LOOK = 3
"""Duels after which an item that won its first one takes the place of the guess, if it leads."""
_PATIENCE = 100
"""Duels of a small class after which more ties are sought."""
_RACERS = 64
"""Items that race at a time; each meets each other one first."""
_OPTIMISM = 0.7
"""What a pair with n duels is granted on top of its record: this over √n."""


@dataclass(frozen=True)
class Orient(Observing):
    """For fully observable posets: works out which way pairs point from how they are connected.

    Where an incomparable pair is answered "incomparable", the comparability graph can be seen,
    and few orders have the same one: pairs fall into classes that point one way together, so every
    duel of a class is evidence about the whole class. Orient guesses a maximal item, joins the
    pairs around it into as few classes as it can, and tests which way each class points. Pairs that
    belong to no class race.

    Guarantee:
        The exact front with probability at least 1 − δ, for any order-compatible gaps
        (docs/theory/orient.md). Assumes, like `SlicingBandits`, that voters tell whether a pair can
        be compared, wrongly at most as often as `comparability_error` says.

    Example:
        >>> from antichain import SimulatedArena, find_front, posets
        >>> model = posets.layered(5, 10, 10, seed=1, gaps="minimum:0.02")
        >>> arena = SimulatedArena(model, observable=True)
        >>> result = find_front(arena, Orient())
        >>> set(result.front) == set(model.front), result.duels < 1000
        (True, True)
    """

    name: ClassVar[str] = "orient"
    guarantee: ClassVar[str | None] = "The front is exact with probability at least 1 − δ."
    mean_may_be_infinite: ClassVar[bool] = True  # docs/theory/errata.md, 19

    def plan(self, state: PlanState) -> Plan[Indices]:
        """One front item after the other, each with all that is comparable to it."""
        run = _Run(state, *self.probing(state.size))
        front: list[int] = []
        while run.alive.any():
            entering = int(run.alive.sum())
            with state.epoch(f"front item {len(front) + 1}", None, entering):
                top = yield from run.maximal()
                if top < 0:  # somebody fell who should not have
                    break
                yield from run.probe(top, run.others(top))
                run.crown(top)
                front.append(top)
        return np.array(front, np.int64)


class _Run(Pairs):
    """The steps of a run of `Orient`."""

    def __init__(self, state: PlanState, probe: SequentialTest, delta: float) -> None:
        super().__init__(state, probe)
        self._delta = delta
        self._tests = 0
        self._bet = Bet.open_ended().packed

    def crown(self, top: int) -> None:
        """Note that an item is maximal: what is comparable to it falls."""
        self.alive[top], self._crowned = False, True
        for item in list(self._order.comparable[top]):
            if self._order.above(top, item) is None:
                self._order.decide(top, item)
        self._sweep()

    def maximal(self) -> Plan[int]:
        """An item of those alive that is below none of them."""
        item = yield from self._guess()
        tried: set[int] = set()
        self._take_up()
        while True:
            tried.add(item)
            yield from self.probe(item, self.others(item))
            open_ = self._open(item)
            if self.alive[item] and open_:
                yield from self._tie(item)
                open_ = self._open(item)
            if self.alive[item]:
                if not open_:
                    return item
                if must_race(open_):
                    better = yield from self._look_around(item, open_, tried)
                    if better is not None:
                        item = better
                        self._take_up()
                        continue
                top = yield from self._settle(item, open_)
                if top is not None:
                    return top
            if not self.alive[item]:
                item = self._higher(item)
                self._take_up()
            if item < 0:
                return item

    def _guess(self) -> Plan[int]:
        """An item that is likely maximal: whoever beats the one before takes its place."""
        order = self.others(-1)
        item = yield from self._above_a_stray(order)
        if item >= 0:
            return item
        item = int(order[self._score[order].argmax()])
        waiting = order[order != item]
        while waiting.size:
            glance, waiting = waiting[:_GLANCE], waiting[_GLANCE:]
            yield from self.probe(item, glance)
            ahead = [k for k in glance.tolist() if self.alive[k] and self._lead(k, item) > 0]
            if ahead:
                yield from self._play([(item, k) for k in ahead], _SECOND_LOOK)
                best = max(ahead, key=lambda k: self._lead(k, item))
                if self._lead(best, item) > 0:
                    item = best
            if not self.alive[item]:
                item = self._higher(item)
            waiting = waiting[self.alive[waiting] & (waiting != item)]
        return item

    def _above_a_stray(self, order: Indices) -> Plan[int]:
        """One of the items shown above somebody that is comparable to one that is not; or −1.

        Whoever is above somebody is likely maximal, and there is nothing to gain from taking up
        one with nobody left below it.
        """
        order_ = self._order
        high = [k for k in order.tolist() if any(order_.above(k, z) for z in order_.comparable[k])]
        strays = [k for k in order.tolist() if k not in set(high)]
        high.sort(key=lambda k: (-self._score[k], k))
        if not high or not strays:
            return -1
        for low in range(0, len(high), _GLANCE):
            yield from self.probe(strays[0], np.array(high[low : low + _GLANCE]))
            near = [k for k in high if k in order_.comparable[strays[0]] and self.alive[k]]
            if near:
                return int(near[0])
        return -1

    def _higher(self, item: int) -> int:
        """The likeliest of the items alive above one that fell; −1 if nobody is left."""
        above = [k for k in self._order.comparable[item] if self._order.above(k, item)]
        living: list[int] = [k for k in above if self.alive[k]] or self.others(item).tolist()
        return max(living, key=lambda k: (self._score[k], -k), default=-1)

    def _level(self) -> float:
        """The level of the next test: all of them together stay below δ."""
        self._tests += 1
        return self._delta / (self._tests * (self._tests + 1))

    def _settle(self, item: int, groups: dict[int, list[int]]) -> Plan[int | None]:
        """Decide which way the largest class around an item points, or let small ones race."""
        if must_race(groups):
            top = yield from self._race(item, list(groups.values()))
            return top
        root = max(groups, key=lambda root: (len(self._order.members(root)), -root))
        other, size, level = groups[root][0], len(self._order.members(root)), self._level()
        if size < SMALL:
            yield from self._test(item, other, level, _PATIENCE)
            yield from self._tie_at_length(item, other, size)
            if self._order.above(item, other) is None and size < self._class_size(item, other):
                self._take_up()  # the ties were sought because of the answers
                return None
        yield from self._test(item, other, level)
        return None

    def _test(self, item: int, other: int, level: float, patience: float = math.inf) -> Plan[None]:
        """Decide which way the class of a pair points, by duels of whichever pairs promise most."""
        if self._order.above(item, other) is not None:
            return
        root, side = self._order.find(item, other)
        numbers = np.array(self._order.members(root))
        sides = np.array([side * self._order.side(number) for number in numbers.tolist()])
        while True:
            counts = self._turned(self._counts[numbers], sides)
            hints = np.zeros_like(counts)
            known = numbers < len(self._hints)
            hints[known] = self._turned(self._hints[numbers[known]], sides[known])
            for upper, lower, seen in (
                (item, other, counts - hints),
                (other, item, swapped(counts - hints)),
            ):
                if self._evidence(seen) >= math.log(1 / level):
                    self._order.decide(upper, lower)
                    self._sweep()
                    return
            if counts.sum() >= patience:
                return
            check_end(counts, (self._order.pairs[number] for number in numbers.tolist()))
            best, duels = _next_duels(counts)
            yield from self._play([self._order.pairs[numbers[best]]], duels, more=True)

    @staticmethod
    def _turned(counts: Counts, sides: Indices) -> Counts:
        return np.where((sides < 0)[:, None], swapped(counts), counts)

    def _evidence(self, counts: Counts) -> float:
        """Log-evidence that all pairs point up: half on their sum, half on each by itself."""
        wins, losses, ties, lost = counts.sum(axis=0).tolist()
        together = log_bet(self._bet, wins, losses + lost, ties)
        apart = float(log_bets(self._bet, counts).sum())
        return float(np.logaddexp(together, apart)) - math.log(2)

    def _race(self, item: int, groups: list[list[int]]) -> Plan[int]:
        """The top of chains through an item, a handful of racers at a time; each begins anew."""
        waiting = sorted((k for group in groups for k in group), key=lambda k: (-self._ranks[k], k))
        while True:
            chain = [item]
            while waiting and len(chain) < _RACERS:
                other = waiting.pop(0)
                yield from self.probe(other, np.array(chain))
                if all(k in self._order.comparable[other] for k in chain):
                    chain.append(other)
            counts, hints = self._among(chain)
            level = self._level()
            item = yield from Challenge().race(self._state, np.array(chain), level, counts, hints)
            if not waiting:
                return item
            self._take_up()

    def _among(self, chain: list[int]) -> tuple[Counts, Counts]:
        """The duels of the pairs of a chain, and those of them that are no evidence."""
        counts = np.zeros((len(chain), len(chain), COUNTS), np.int64)
        hints = np.zeros_like(counts)
        for row, left in enumerate(chain):
            for column, right in enumerate(chain):
                if row != column:
                    counts[row, column, :FORMS] = self._of_pair(left, right)
                    number = self._order.comparable[left][right]
                    if number < len(self._hints):
                        seen = self._hints[number]
                        hints[row, column, :FORMS] = seen if left < right else swapped(seen)
        return counts, hints


def _next_duels(counts: Counts) -> tuple[int, int]:
    """Which pair of a class to play next, and how often, given how each leads."""
    wins, losses, ties = (counts[:, column].astype(np.float64) for column in range(3))
    duels: Floats = wins + losses + ties
    if losses.sum() > wins.sum():
        wins = losses
    chances = (wins + 0.5 * (ties + 1)) / (duels + 1) + _OPTIMISM / np.sqrt(duels + 1)
    best = int(chances.argmax())
    return best, max(1, int(duels[best] / 4), int(duels.sum() / 50))
