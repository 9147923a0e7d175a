"""Scores that units gave to items, turned into votes: each unit compares every two that it scored.

A unit (a question, a task, a judge) is a cluster: its votes are on pairs of its items, one each.
So the mean score of a unit on a pair is that one vote, and its mean score on an item is taken over
all others that it scored. Units alike are counted together, so that memory does not grow with the
number of pairs in a unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from antichain._kernels import compiled
from antichain.sources._chunks import NO_CODE, Chunk, Text
from antichain.sources._spans import Codes, KeyIds
from antichain.votes._tallies import KeyedSums
from antichain.votes._vote_log import (
    FORMS,
    ClusterScores,
    Counts,
    Floats,
    ItemClusters,
    Meanings,
    PairClusters,
    PairVotes,
)

_BLOCK = 1 << 20  # scores that are compared at a time
_SCORES = np.array([1.0, 0.0, 0.5])  # of wins, losses and ties
_HALF, _LOW = 32, (1 << 32) - 1  # two counts in one place
_WIDTH = 1 << 15  # more than twice the items there can be
_SLACK = 1e-12  # sums of decimal fractions are off in their last digits


class TextNumbers:
    """Numbers for the texts of a column, −1 for those that cannot be used.

    Args:
        role: The role of the column.
        numbers: Says the numbers of texts.
        passing: Whether the texts of each chunk are coded anew.
    """

    def __init__(
        self, role: str, numbers: Callable[[Sequence[Text]], Sequence[int]], passing: bool
    ) -> None:
        self._role, self._numbers, self._passing = role, numbers, passing
        self._known, self._count = np.empty(1 << 10, np.int32), 0

    def numbers(self, chunk: Chunk) -> Codes:
        new = self._numbers(chunk.new[self._role])
        first = 0 if self._passing else self._count
        self._count = first + len(new)
        if self._count > self._known.size:
            self._known = np.resize(self._known, 2 * self._count)
        self._known[first : self._count] = new
        return self._known[chunk.codes[self._role]]


class Units:
    """Numbers for units, which several columns may tell apart; without any, each row is one."""

    def __init__(self, roles: Sequence[str], passing: bool) -> None:
        self._ids: list[dict[Text, int]] = [{} for _ in roles]
        self._texts = [
            TextNumbers(role, partial(_known_texts, ids), passing)
            for role, ids in zip(roles, self._ids, strict=True)
        ]
        self._together = [KeyIds() for _ in roles[1:]]
        self.count = 0

    def numbers(self, chunk: Chunk) -> Codes:
        if not self._texts:
            self.count += chunk.rows
            return np.arange(self.count - chunk.rows, self.count, dtype=np.int32)
        first, *others = (texts.numbers(chunk) for texts in self._texts)
        self.count = len(self._ids[0])
        for more, ids in zip(others, self._together, strict=True):
            keys = (np.maximum(first, 0).astype(np.int64) << 32) | np.maximum(more, 0)
            missing = (first < 0) | (more < 0)
            first = np.where(missing, NO_CODE, ids.codes(keys.view(np.uint64)))
            self.count = len(ids)
        return first.astype(np.int32)


def _known_texts(ids: dict[Text, int], texts: Sequence[Text]) -> Sequence[int]:
    """A number for each text, −1 where it is empty or flawed."""
    first = len(ids)
    fresh = dict(zip(texts, range(first, first + len(texts)), strict=True))
    if (
        len(fresh) == len(texts)
        and "" not in fresh
        and ids.keys().isdisjoint(fresh)
        and set(map(type, texts)) <= {str}
    ):  # nearly always, and many times as fast
        ids.update(fresh)
        return range(first, first + len(texts))
    return [
        ids.setdefault(text, len(ids)) if text and isinstance(text, str) else NO_CODE
        for text in texts
    ]


@compiled
def _sort_in(
    unit: Codes, item: Codes, score: Floats, at: Counts, items: Codes, scores: Floats
) -> None:
    """Put each score where its unit goes on; `at` says where that is."""
    for k in range(unit.size):
        place = at[unit[k]]
        items[place], scores[place] = item[k], score[k]
        at[unit[k]] = place + 1


@compiled
def _merge(starts: Counts, items: Codes, scores: Floats, size: int) -> int:
    """Average the scores of an item in its unit, in place; how many scores that made fewer."""
    place = np.full(size, -1, np.int64)
    times = np.zeros(size, np.int64)
    end, start = 0, starts[0]
    for unit in range(starts.size - 1):
        begin, stop = end, starts[unit + 1]
        for k in range(start, stop):
            item = items[k]
            if place[item] < 0:
                place[item], times[item] = end, 1
                items[end], scores[end] = item, scores[k]
                end += 1
            else:
                times[item] += 1
                scores[place[item]] += scores[k]
        for k in range(begin, end):
            scores[k] /= times[items[k]]
            place[items[k]] = -1
        start, starts[unit + 1] = stop, end
    return items.size - end


@compiled
def _sort_items(starts: Counts, items: Codes, scores: Floats) -> None:
    """Sort the scores of each unit by item, which they nearly always are."""
    for unit in range(starts.size - 1):
        for k in range(starts[unit] + 1, starts[unit + 1]):
            item, score, at = items[k], scores[k], k
            while at > starts[unit] and items[at - 1] > item:
                items[at], scores[at] = items[at - 1], scores[at - 1]
                at -= 1
            items[at], scores[at] = item, score


@compiled
def _compare(
    starts: Counts,
    items: Codes,
    scores: Floats,
    margin: float,
    size: int,
    table: Counts,
    lead: Counts,
) -> None:
    """Compare every two scores of each unit, which are sorted by item.

    `table` counts, for each two items, wins of the first and (times 2³²) of the second in one
    place, and comparisons in the next. `lead` counts, for each score, those below it and (times
    2³²) those above it.
    """
    for unit in range(starts.size - 1):
        for k in range(starts[unit], starts[unit + 1]):
            ours, item, mine = scores[k], items[k], np.int64(0)
            for other in range(starts[unit], k):
                theirs, first = scores[other], np.int64(items[other])
                row = 2 * (first * size - first * (first + 3) // 2 + item - 1)
                room = margin + _SLACK * (abs(ours) + abs(theirs) + margin)
                won, lost = np.int64(ours - theirs > room), np.int64(theirs - ours > room)
                seen = lost | won << _HALF
                table[row] += seen
                table[row + 1] += 1
                lead[other] += seen
                mine += won | lost << _HALF
            lead[k] += mine


class UnitVotes(NamedTuple):
    """What units say of pairs of items."""

    pairs: PairVotes
    clusters: ClusterScores
    again: int  # scores beyond the first of an item in its unit, which were averaged
    alone: int  # units that scored a single item, and so compare nothing
    partial: int  # units that scored some items, but not all


class UnitScores:
    """Scores by unit and item, as they come.

    Args:
        higher: Whether higher scores are better.
        margin: Scores that differ by no more than this tie.
    """

    def __init__(self, higher: bool, margin: float) -> None:
        self._sign, self._margin = 1.0 if higher else -1.0, margin
        self._chunks: list[tuple[Codes, Codes, Floats]] = []
        self.scores = 0
        self._last, self._sorted = 0, True  # whether scores of a unit stand together, in order

    def add(self, unit: Codes, item: Codes, score: Floats) -> None:
        """Take further scores, by numbers of units and items."""
        self._chunks.append((unit, item.astype(np.int32, copy=False), score))
        self.scores += unit.size
        if self._sorted and unit.size:
            self._sorted = bool(unit[0] >= self._last and (unit[1:] >= unit[:-1]).all())
            self._last = int(unit[-1])

    def votes(self, column: str, units: int, size: int, meanings: Meanings) -> UnitVotes:
        """All comparisons of `size` items by `units` units, whose column has this name."""
        starts, items, scores = self._by_unit(units)
        again = _merge(starts, items, scores, size)
        scores *= self._sign
        _sort_items(starts, items, scores)
        table = np.zeros(size * (size - 1), np.int64)
        sums = KeyedSums(1)
        scored = np.diff(starts)
        edges = [*np.searchsorted(starts[:-1], np.arange(0, starts[-1], _BLOCK)).tolist(), units]
        for begin, stop in pairwise(edges):
            block = slice(starts[begin], starts[stop])
            lead = np.zeros(block.stop - block.start, np.int64)
            places = starts[begin : stop + 1] - starts[begin]
            _compare(places, items[block], scores[block], self._margin, size, table, lead)
            met = np.repeat(scored[begin:stop] - 1, scored[begin:stop])
            won, lost = lead & _LOW, lead >> _HALF
            _add_items(sums, items[block], won, met - won - lost, met, meanings)
        pairs, of_pairs, pair_times = _pairs(table.reshape(-1, 2), size, meanings)
        of_items, item_times = _items(sums)
        compared, alone = int((scored > 1).sum()), int((scored == 1).sum())
        means = ClusterScores(column, compared, of_pairs, of_items, times=(pair_times, item_times))
        return UnitVotes(pairs, means, again, alone, compared - int((scored == size).sum()))

    def _by_unit(self, units: int) -> tuple[Counts, Codes, Floats]:
        """Where each unit starts, and the items and scores of one unit after the other."""
        starts = np.zeros(units + 1, np.int64)
        for unit, _, _ in self._chunks:
            if unit.size:
                counts = np.bincount(unit - unit.min())
                starts[unit.min() + 1 :][: counts.size] += counts
        np.cumsum(starts, out=starts)
        if self._sorted and self._chunks:
            _, *columns = zip(*self._chunks, strict=True)
            self._chunks = []
            items, scores = (np.concatenate(column) for column in columns)
            return starts, items, scores
        items, scores = np.empty(self.scores, np.int32), np.empty(self.scores, np.float64)
        at = starts[:-1].copy()
        self._chunks.reverse()
        while self._chunks:  # each is given up as soon as it is sorted in
            _sort_in(*self._chunks.pop(), at, items, scores)
        return starts, items, scores


def _add_items(
    sums: KeyedSums, items: Codes, won: Counts, tied: Counts, met: Counts, meanings: Meanings
) -> None:
    """Count how often an item has which score against how many others."""
    halves = meanings.tie == "half"
    votes = met if halves else met - tied
    rows = votes > 0
    codes = sums.codes(items[rows], (votes * _WIDTH + 2 * won + tied * halves)[rows])
    sums.add(codes, np.ones(codes.size, np.int64))


def _pairs(table: Counts, size: int, meanings: Meanings) -> tuple[PairVotes, PairClusters, Counts]:
    first, second = np.triu_indices(size, 1)
    met = np.flatnonzero(table[:, 1])
    both, times = table[met].T
    counts = np.zeros((met.size, len(FORMS)), np.int64)
    counts[:, 0], counts[:, 1] = both & _LOW, both >> _HALF
    counts[:, 2] = times - counts[:, 0] - counts[:, 1]
    forms = 3 if meanings.tie == "half" else 2
    row, form = np.nonzero(counts[:, :forms])
    times = counts[row, form]
    means = PairClusters(row, _SCORES[form], np.ones(row.size, np.int64))
    return PairVotes.from_table(first[met], second[met], counts), means, times


def _items(sums: KeyedSums) -> tuple[ItemClusters, Counts]:
    item, key = sums.keys
    votes, doubled = key // _WIDTH, key % _WIDTH
    order = np.lexsort((votes, doubled, item))
    item, votes, doubled = item[order], votes[order], doubled[order]
    return ItemClusters(item, doubled / (2 * votes), votes), sums.sums[order, 0]
