"""What `Orient` knows of the pairs: probes, ties between them, and their duels."""

from __future__ import annotations

import numpy as np

from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan, round_of
from antichain.evidence._answers import COUNTS, FORMS, Counts, Verdict, swapped
from antichain.evidence._sequential import SequentialTest
from antichain.orders._implications import Implications

# Set by hand; they decide what a run costs and never what it claims.
_TRIES = 10
"""Probes that look in vain for a tie of a group of items, before it is left alone."""
_STRANGERS = 16
"""Items already shown dominated that are asked whether they can help with ties."""
_HANDFUL = 4
"""Of them, so many are asked at a time."""
SMALL = 6
"""A class with fewer pairs may take long to test, so that more ties are sought."""
_NEAR, _FAR = 12, 3
"""Before a race, so many neighbours of an item each meet so many that it cannot be compared to."""
_FEW = 3
"""Groups that are tested one by one; more of them race."""
_EVERYBODY = 100
"""Items that are asked for a tie where a test has taken long, at most."""


class Pairs:
    """The pairs of a run of `Orient`: which are comparable, which hang together, how they duel.

    Attributes:
        alive: Which items may still be found maximal: not crowned, not shown below anybody.
    """

    def __init__(self, state: PlanState, probe: SequentialTest) -> None:
        self.alive = np.ones(state.size, np.bool_)
        self._state, self._probe = state, probe
        self._price = int(probe.numbers[0])  # duels that a probe takes, at least
        self._crowned = False
        self._order = Implications(state.size)
        self._counts: Counts = np.zeros((64, FORMS), np.int64)  # of each pair, smaller item first
        self._hints = self._counts[:0]  # as they stood when the item under way was taken up
        self._score = np.zeros(state.size, np.int64)  # first duels won less those lost
        self._ranks = self._score  # as they stood then
        self._shuffled: Indices = state.rng.permutation(state.size)

    def others(self, item: int) -> Indices:
        """Everybody alive but one item, in the order of the draw."""
        order = self._shuffled
        found: Indices = order[self.alive[order] & (order != item)]
        return found

    def probe(self, one: int | Indices, others: Indices) -> Plan[None]:
        """Learn which pairs are comparable, those not known yet, side by side."""
        ones = np.broadcast_to(np.asarray(one, np.int64), others.shape)
        pairs = zip(ones.tolist(), others.tolist(), strict=True)
        unknown = [not self._order.knows(one, other) for one, other in pairs]
        lefts, rights = ones[unknown], others[unknown]
        if not lefts.size:
            return
        outcome = yield round_of(lefts, rights, self._probe)
        seen = zip(
            lefts.tolist(), rights.tolist(), outcome.counts, outcome.verdicts.tolist(), strict=True
        )
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

    def _few(self, probes: int) -> int:
        """So many probes, or fewer where each takes several duels."""
        return -(-probes // self._price)

    def _take_up(self) -> None:
        """Begin with an item: what was answered so far may have led to it, and is no evidence."""
        self._hints = self._counts[: len(self._order.pairs)].copy()
        self._ranks = self._score.copy()

    def _lead(self, one: int, other: int) -> int:
        """Duels that one has won against the other, less those it lost."""
        number = self._order.comparable[one].get(other)
        if number is None:
            return 0
        lead = int(self._counts[number, 0] - self._counts[number, 1])
        return lead if one < other else -lead

    def _of_pair(self, left: int, right: int) -> Counts:
        counts = self._counts[self._order.comparable[left][right]]
        return counts if left < right else swapped(counts)

    def _play(self, pairs: list[tuple[int, int]], duels: int, *, more: bool = False) -> Plan[None]:
        """Play comparable pairs up to a number of duels, or so many more."""
        lefts, rights = np.array(pairs, np.int64).T
        start = np.zeros((lefts.size, COUNTS), np.int64)
        if not more:
            start[:, :FORMS] = [self._of_pair(left, right) for left, right in pairs]
        targets = np.full(lefts.size, duels)
        fixed = SequentialTest.fixed()
        outcome = yield round_of(lefts, rights, fixed, start=start, targets=targets)
        for (left, right), new in zip(pairs, outcome.counts - start, strict=True):
            self._book(left, right, new[:FORMS])

    # -- ties -----------------------------------------------------------------------------------

    def _open(self, item: int) -> dict[int, list[int]]:
        """Those alive and comparable to an item that may be above it, by class."""
        groups: dict[int, list[int]] = {}
        for other in self._order.comparable[item]:
            if self.alive[other] and self._order.above(item, other) is None:
                groups.setdefault(self._order.find(item, other)[0], []).append(other)
        return groups

    def _loose(self, item: int) -> list[list[int]]:
        """The groups of an item whose class is so small that its test may take long."""
        groups = self._open(item)
        return [group for root, group in groups.items() if len(self._order.members(root)) < SMALL]

    def _class_size(self, item: int, other: int) -> int:
        return len(self._order.members(self._order.find(item, other)[0]))

    def _tie(self, item: int) -> Plan[None]:
        """Tie the pairs of an item: two of them, as soon as their far ends are incomparable."""
        vain: dict[int, int] = {}
        yield from self._tie_near(item, vain)
        fallen = [k for k in self._state.fallen if not self._order.knows(item, k)]
        some = self._state.rng.permutation(np.array(fallen, np.int64))[: self._few(_STRANGERS)]
        for low in range(0, some.size, _HANDFUL):
            if not (self.alive[item] and self._loose(item)):
                return
            yield from self._tie_far(item, some[low : low + _HANDFUL])
            yield from self._tie_near(item, vain)
        if not must_race(self._open(item)):
            yield from self._tie_beyond(item)

    def _tie_near(self, item: int, vain: dict[int, int]) -> Plan[None]:
        """Tie by probes between those comparable to an item."""
        while self.alive[item] and len(pairs := self._untied(item, vain)):
            yield from self.probe(*pairs.T)
            for one, other in pairs.tolist():
                if other in self._order.comparable[one]:
                    vain[one] = vain.get(one, 0) + 1

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
            if (
                group[0] in taken
                or group is largest
                or sum(vain.get(k, 0) for k in group) > self._few(_TRIES)
            ):
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

    def _unknown_pair(self, group: list[int], partners: list[int]) -> tuple[int, int] | None:
        rng = self._state.rng
        for one in rng.permutation(group)[:4].tolist():
            unknown = [k for k in partners if not self._order.knows(one, k)]
            if unknown:
                return one, unknown[int(rng.integers(len(unknown)))]
        return None

    def _tie_far(self, item: int, strangers: Indices) -> Plan[None]:
        """Tie by probes with some of the fallen: those that only one end of a pair is above."""
        yield from self.probe(item, strangers)
        loose = self._loose(item)
        ends = [group[0] for group in loose] if len(loose) <= _FEW else []
        apart = [k for k in strangers.tolist() if k in self._order.incomparable[item]]
        pairs = [(end, k) for end in ends for k in apart]
        if pairs:
            yield from self.probe(*np.array(pairs, np.int64).T)

    def _tie_beyond(self, item: int) -> Plan[None]:
        """Tie by probes of an item's neighbours with those it cannot be compared to."""
        for group in self._loose(item)[:_FEW]:
            far = [k for k in self._order.incomparable[item] if not self._order.knows(group[0], k)]
            some = self._state.rng.permutation(np.array(sorted(far), np.int64))[
                : self._few(_STRANGERS)
            ]
            for low in range(0, some.size, _HANDFUL):
                if group not in self._loose(item):
                    break
                yield from self.probe(group[0], some[low : low + _HANDFUL])

    def _tie_at_length(self, item: int, other: int, size: int) -> Plan[None]:
        """Look everywhere for a tie of a pair, as long as it is not decided."""
        order = self._order
        missing = [(not order.knows(item, k)) + (not order.knows(other, k)) for k in self._shuffled]
        cheap = np.argsort(missing, kind="stable")  # those that need one probe first
        some = self._shuffled[[k for k in cheap if missing[k]]]
        some = some[(some != item) & (some != other)][: self._few(_EVERYBODY)]
        for low in range(0, some.size, _HANDFUL):
            if order.above(item, other) is not None or self._class_size(item, other) > size:
                return
            strangers = some[low : low + _HANDFUL]
            yield from self.probe(item, strangers)
            yield from self.probe(other, strangers)

    def _look_around(
        self, item: int, groups: dict[int, list[int]], tried: set[int]
    ) -> Plan[int | None]:
        """A neighbour that beats some of those the item cannot be compared to, if there is one."""
        near = [k for group in groups.values() for k in group if k not in tried]
        far = np.array(sorted(self._order.incomparable[item] | self._state.fallen.keys()), np.int64)
        near.sort(key=lambda k: (-self._ranks[k], k))
        near = near[: self._few(_NEAR)]
        pairs = [(k, int(z)) for k in near for z in self._state.rng.permutation(far)[:_FAR]]
        if pairs:
            yield from self.probe(*np.array(pairs, np.int64).T)
        hits = {k for k, z in pairs if z in self._order.comparable[k] and self.alive[k]}
        best = max(hits, key=lambda k: (self._score[k], -k), default=None)
        if best is not None and self._score[best] <= 0:
            self._take_up()  # that it stays with the item is due to the answers
            return None
        return best


def must_race(groups: dict[int, list[int]]) -> bool:
    """Whether the groups of an item are too many and too small to be tested one by one."""
    return len(groups) > _FEW and max(map(len, groups.values())) <= 2
