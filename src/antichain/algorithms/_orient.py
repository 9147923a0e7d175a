"""Orient: the front of a fully observable poset, by the few ways its pairs can point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from antichain.algorithms._base import Algorithm
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan, round_of
from antichain.algorithms.chains import Challenge
from antichain.evidence._answers import COUNTS, FORMS, Counts, Floats, Verdict, swapped
from antichain.evidence._bet import Bet, log_bet, log_bets
from antichain.evidence._sequential import SequentialTest
from antichain.orders._implications import Implications

# Set by hand; they decide what a run costs and never what it claims.
_GLANCE = 8
"""Items that the first guess at a maximal item meets at a time."""
_SECOND_LOOK = 3
"""Duels after which an item that won its first one takes the place of the guess, if it leads."""
_TRIES = 10
"""Probes that look in vain for a tie of a group of items, before it is left alone."""
_STRANGERS = 16
"""Items already shown dominated that are asked whether they can help with ties."""
_HANDFUL = 4
"""Of them, so many are asked at a time."""
_SMALL = 6
"""A class with fewer pairs may take long to test, so that more ties are sought."""
_PATIENCE, _EVERYBODY = 100, 100
"""After so many duels of a small class, up to so many items are asked for ties."""
_NEAR, _FAR = 12, 3
"""Before a race, so many neighbours of an item each meet so many that it cannot be compared to."""
_OPTIMISM = 0.7
"""What a pair with n duels is granted on top of its record: this over √n."""
_FEW = 3
"""Groups that are tested one by one; more of them race."""


@dataclass(frozen=True)
class Orient(Algorithm):
    """For fully observable posets: tells which way pairs point from how they hang together.

    Where an incomparable pair is answered "incomparable", the comparability graph can be seen,
    and few orders have the same one: pairs fall into classes that point one way together, so
    that every duel of a class is evidence about all of it. Orient guesses a maximal item, ties
    the pairs around it into as few classes as it can, tests which way each points, and lets those
    race that nothing ties.

    Guarantee:
        The exact front with probability at least 1 − δ, for any order-compatible gaps
        (docs/orient.md). Assumes, like `SlicingBandits`, that a duel of an incomparable pair is
        always answered "incomparable", and one of a comparable pair never.

    Example:
        >>> from antichain import SimulatedArena, find_front, posets
        >>> model = posets.layered(5, 10, 10, seed=1, gaps="minimum:0.02")
        >>> arena = SimulatedArena(model, observable=True)
        >>> result = find_front(arena, Orient())
        >>> set(result.front) == set(model.front), result.duels < 1000
        (True, True)
    """

    name: ClassVar[str] = "orient"
    needs_observable: ClassVar[bool] = True
    guarantee: ClassVar[str | None] = "The front is exact with probability at least 1 − δ."
    mean_may_be_infinite: ClassVar[bool] = True  # docs/errata.md, 19

    def plan(self, state: PlanState) -> Plan[Indices]:
        """One front item after the other, each with all that is comparable to it."""
        run = _Run(state, self.delta)
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


class _Run:
    """What a run of `Orient` knows, and its steps.

    Attributes:
        alive: Which items may still be found maximal: not crowned, not shown below anybody.
    """

    def __init__(self, state: PlanState, delta: float) -> None:
        self.alive = np.ones(state.size, np.bool_)
        self._state = state
        self._delta = delta
        self._tests = 0
        self._crowned = False
        self._order = Implications(state.size)
        self._counts: Counts = np.zeros((64, FORMS), np.int64)  # of each pair, smaller item first
        self._hints = self._counts[:0]  # as they stood when the item under way was taken up
        self._score = np.zeros(state.size, np.int64)  # first duels won less those lost
        self._ranks = self._score  # as they stood then
        self._bet = Bet.open_ended().packed
        self._shuffled: Indices = state.rng.permutation(state.size)

    # -- which item ----------------------------------------------------------------------------

    def others(self, item: int) -> Indices:
        """Everybody alive but one item, in the order of the draw."""
        found = self._shuffled[self.alive[self._shuffled]]
        return found[found != item]

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
                if _must_race(open_):
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

    def _take_up(self) -> None:
        """Begin with an item: what was answered so far may have led to it, and is no evidence."""
        self._hints = self._counts[: len(self._order.pairs)].copy()
        self._ranks = self._score.copy()

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
        high = [
            k for k in order.tolist() if any(order_.above(k, z) for z in order_.comparable[k])
        ]
        strays = [k for k in order.tolist() if k not in set(high)]
        high.sort(key=lambda k: (-self._score[k], k))
        if not high or not strays:
            return -1
        for low in range(0, len(high), _GLANCE):
            yield from self.probe(strays[0], np.array(high[low : low + _GLANCE]))
            near = [k for k in high if k in order_.comparable[strays[0]] and self.alive[k]]
            if near:
                return near[0]
        return -1

    def _higher(self, item: int) -> int:
        """The likeliest of the items alive above one that fell; −1 if nobody is left."""
        above = [k for k in self._order.comparable[item] if self._order.above(k, item)]
        living = [k for k in above if self.alive[k]] or self.others(item).tolist()
        return max(living, key=lambda k: (self._score[k], -k), default=-1)

    def _lead(self, one: int, other: int) -> int:
        """Duels that one has won against the other, less those it lost."""
        number = self._order.comparable[one].get(other)
        if number is None:
            return 0
        lead = int(self._counts[number, 0] - self._counts[number, 1])
        return lead if one < other else -lead

    # -- probes and ties -----------------------------------------------------------------------

    def probe(self, one: int | Indices, others: Indices) -> Plan[None]:
        """Learn which pairs are comparable, those not known yet, side by side."""
        ones = np.broadcast_to(np.asarray(one, np.int64), others.shape)
        unknown = [not self._order.knows(a, b) for a, b in zip(ones.tolist(), others.tolist())]
        lefts, rights = ones[unknown], others[unknown]
        if not lefts.size:
            return
        outcome = yield round_of(lefts, rights, SequentialTest.probe())
        seen = zip(lefts.tolist(), rights.tolist(), outcome.counts, outcome.verdicts.tolist())
        for left, right, counts, verdict in seen:
            self._order.note(left, right, comparable=verdict == Verdict.COMPARABLE)
            if verdict == Verdict.COMPARABLE:
                self._book(left, right, counts[:FORMS])
                self._score[left] += counts[0] - counts[1]
                self._score[right] += counts[1] - counts[0]
        self._sweep()

    def _book(self, left: int, right: int, new: Counts) -> None:
        number = self._order.comparable[left][right]
        if number >= len(self._counts):
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)])
        self._counts[number] += new if left < right else swapped(new)

    def _sweep(self) -> None:
        """Drop whoever turned out to be below somebody."""
        news, self._order.news = self._order.news, []
        for upper, lower in news:
            # Never the last one: only errors could show everybody below somebody.
            if self.alive[lower] and (self._crowned or self.alive.sum() > 1):
                self.alive[lower] = False
                if lower not in self._state.fallen:
                    self._state.eliminate(lower, upper)

    def _open(self, item: int) -> dict[int, list[int]]:
        """Those alive and comparable to an item that may be above it, by class."""
        groups: dict[int, list[int]] = {}
        for other in self._order.comparable[item]:
            if self.alive[other] and self._order.above(item, other) is None:
                groups.setdefault(self._order.find(item, other)[0], []).append(other)
        return groups

    def _tie(self, item: int) -> Plan[None]:
        """Tie the pairs of an item: two of them, as soon as their far ends are incomparable."""
        vain: dict[int, int] = {}
        yield from self._tie_near(item, vain)
        fallen = [k for k in self._state.fallen if not self._order.knows(item, k)]
        some = self._state.rng.permutation(np.array(fallen, np.int64))[:_STRANGERS]
        for low in range(0, some.size, _HANDFUL):
            if not (self.alive[item] and self._loose(item)):
                return
            yield from self._tie_far(item, some[low : low + _HANDFUL])
            yield from self._tie_near(item, vain)
        if not _must_race(self._open(item)):
            yield from self._tie_beyond(item)

    def _tie_beyond(self, item: int) -> Plan[None]:
        """Tie by probes of an item's neighbours with those it cannot be compared to."""
        for group in self._loose(item)[:_FEW]:
            far = [k for k in self._order.incomparable[item] if not self._order.knows(group[0], k)]
            some = self._state.rng.permutation(np.array(sorted(far), np.int64))[:_STRANGERS]
            for low in range(0, some.size, _HANDFUL):
                if group not in self._loose(item):
                    break
                yield from self.probe(group[0], some[low : low + _HANDFUL])

    def _tie_near(self, item: int, vain: dict[int, int]) -> Plan[None]:
        """Tie by probes between those comparable to an item."""
        while self.alive[item] and len(pairs := self._untied(item, vain)):
            yield from self.probe(*pairs.T)
            for one, other in pairs.tolist():
                if other in self._order.comparable[one]:
                    vain[one] = vain.get(one, 0) + 1

    def _tie_far(self, item: int, strangers: Indices) -> Plan[None]:
        """Tie by probes with some of the fallen: those that only one end of a pair is above."""
        yield from self.probe(item, strangers)
        loose = self._loose(item)
        ends = [group[0] for group in loose] if len(loose) <= _FEW else []
        apart = [k for k in strangers.tolist() if k in self._order.incomparable[item]]
        pairs = [(end, k) for end in ends for k in apart]
        if pairs:
            yield from self.probe(*np.array(pairs, np.int64).T)

    def _loose(self, item: int) -> list[list[int]]:
        """The groups of an item whose class is so small that its test may take long."""
        groups = self._open(item)
        return [group for root, group in groups.items() if len(self._order.members(root)) < _SMALL]

    def _untied(self, item: int, vain: dict[int, int]) -> Indices:
        """Pairs to probe next: members of different groups, each group at most once."""
        groups = self._open(item)
        known = [k for k in self._order.comparable[item] if self._order.above(item, k)]
        ranked = sorted(groups.values(), key=lambda group: (len(group), group[0]))
        whole = sum(map(len, ranked))
        pairs: list[tuple[int, int]] = []
        taken: set[int] = set()
        largest = known if known else ranked[-1] if ranked and 3 * len(ranked[-1]) > whole else []
        for place, group in enumerate(ranked):
            if group[0] in taken or group is largest or sum(vain.get(k, 0) for k in group) > _TRIES:
                continue
            rest = [g for g in ranked[place + 1 :] if g[0] not in taken and g is not largest]
            for partners in ([largest] if largest else []) + ([] if known else rest[:3]):
                found = self._unknown_pair(group, partners)
                if found is not None:
                    pairs.append(found)
                    taken.add(group[0])
                    if partners is not largest:
                        taken.add(partners[0])
                    break
        return np.array(pairs, np.int64).reshape(-1, 2)

    def _look_around(
        self, item: int, groups: dict[int, list[int]], tried: set[int]
    ) -> Plan[int | None]:
        """A neighbour that beats some of those the item cannot be compared to, if there is one."""
        near = [k for group in groups.values() for k in group if k not in tried]
        far = np.array(sorted(self._order.incomparable[item] | self._state.fallen.keys()), np.int64)
        near.sort(key=lambda k: (-self._ranks[k], k))
        pairs = [
            (k, int(z)) for k in near[:_NEAR] for z in self._state.rng.permutation(far)[:_FAR]
        ]
        if pairs:
            yield from self.probe(*np.array(pairs, np.int64).T)
        hits = {k for k, z in pairs if z in self._order.comparable[k] and self.alive[k]}
        best = max(hits, key=lambda k: (self._score[k], -k), default=None)
        return None if best is None or self._score[best] <= 0 else best

    def _unknown_pair(self, group: list[int], partners: list[int]) -> tuple[int, int] | None:
        rng = self._state.rng
        for one in rng.permutation(group)[:4].tolist():
            unknown = [k for k in partners if not self._order.knows(one, k)]
            if unknown:
                return one, unknown[int(rng.integers(len(unknown)))]
        return None

    # -- tests ---------------------------------------------------------------------------------

    def _level(self) -> float:
        """The level of the next test: all of them together stay below δ."""
        self._tests += 1
        return self._delta / (self._tests * (self._tests + 1))

    def _settle(self, item: int, groups: dict[int, list[int]]) -> Plan[int | None]:
        """Decide which way the largest class around an item points, or let small ones race."""
        if _must_race(groups):
            top = yield from self._race(item, list(groups.values()))
            return top
        root = max(groups, key=lambda root: (len(self._order.members(root)), -root))
        other, size, level = groups[root][0], len(self._order.members(root)), self._level()
        if size < _SMALL:
            yield from self._test(item, other, level, _PATIENCE)
            yield from self._tie_at_length(item, other, size)
            if self._order.above(item, other) is None and size < self._class_size(item, other):
                self._take_up()  # the ties were sought because of the answers
                return None
        yield from self._test(item, other, level)
        return None

    def _class_size(self, item: int, other: int) -> int:
        return len(self._order.members(self._order.find(item, other)[0]))

    def _tie_at_length(self, item: int, other: int, size: int) -> Plan[None]:
        """Look everywhere for a tie of a pair, as long as it is not decided."""
        far = self._state.fallen.keys() | self._order.incomparable[item]
        far -= self._order.comparable[item].keys() | {other}
        some = self._state.rng.permutation(np.array(sorted(far), np.int64))[:_EVERYBODY]
        for low in range(0, some.size, _HANDFUL):
            undecided = self._order.above(item, other) is None
            if not undecided or self._class_size(item, other) > size:
                return
            strangers = some[low : low + _HANDFUL]
            yield from self.probe(item, strangers)
            yield from self.probe(other, strangers)

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
            for upper, lower, seen in ((item, other, counts - hints), (other, item, swapped(counts - hints))):
                if self._evidence(seen) >= math.log(1 / level):
                    self._order.decide(upper, lower)
                    self._sweep()
                    return
            if counts.sum() >= patience:
                return
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

    def _play(self, pairs: list[tuple[int, int]], duels: int, *, more: bool = False) -> Plan[None]:
        """Play comparable pairs up to a number of duels, or so many more."""
        lefts, rights = np.array(pairs, np.int64).T
        start = np.zeros((lefts.size, COUNTS), np.int64)
        if not more:
            start[:, :FORMS] = [self._of_pair(left, right) for left, right in pairs]
        targets = np.full(lefts.size, duels)
        fixed = SequentialTest.fixed()
        outcome = yield round_of(lefts, rights, fixed, start=start, targets=targets)
        for left, right, new in zip(lefts.tolist(), rights.tolist(), outcome.counts - start):
            self._book(left, right, new[:FORMS])

    def _of_pair(self, left: int, right: int) -> Counts:
        counts = self._counts[self._order.comparable[left][right]]
        return counts if left < right else swapped(counts)

    # -- races ---------------------------------------------------------------------------------

    def _race(self, item: int, groups: list[list[int]]) -> Plan[int]:
        """The top of a chain through an item to which nobody above the item can be added."""
        chain = [item]
        members = sorted((k for group in groups for k in group), key=lambda k: (-self._ranks[k], k))
        for other in members:
            yield from self.probe(other, np.array(chain))
            if all(k in self._order.comparable[other] for k in chain):
                chain.append(other)
        size = len(chain)
        counts = np.zeros((size, size, COUNTS), np.int64)
        hints = np.zeros_like(counts)
        for row, left in enumerate(chain):
            for column, right in enumerate(chain):
                if row != column:
                    counts[row, column, :FORMS] = self._of_pair(left, right)
                    number = self._order.comparable[left][right]
                    if number < len(self._hints):
                        seen = self._hints[number]
                        hints[row, column, :FORMS] = seen if left < right else swapped(seen)
        level = self._level()
        top = yield from Challenge().race(self._state, np.array(chain), level, counts, hints)
        return top


def _must_race(groups: dict[int, list[int]]) -> bool:
    """Whether the groups of an item are too many and too small to be tested one by one."""
    return len(groups) > _FEW and max(map(len, groups.values())) <= 2


def _next_duels(counts: Counts) -> tuple[int, int]:
    """Which pair of a class to play next, and how often, given how each leads."""
    wins, losses, ties = (counts[:, column].astype(np.float64) for column in range(3))
    duels: Floats = wins + losses + ties
    if losses.sum() > wins.sum():
        wins = losses
    chances = (wins + 0.5 * (ties + 1)) / (duels + 1) + _OPTIMISM / np.sqrt(duels + 1)
    best = int(chances.argmax())
    return best, max(1, int(duels[best] / 4), int(duels.sum() / 50))
