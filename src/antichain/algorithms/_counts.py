"""The one store of counts: every duel that is evidence, booked once, when its round ends.

What an item cost, what the next comparison of a pair starts from, and what a run hands on to the
next are views of it. The store also holds the counts that a run was started with: these are
evidence, and cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain.algorithms._rounds import Indices
from antichain.errors import InputError
from antichain.evidence._answers import (
    COUNTS,
    FORMS,
    INCOMPARABLE_ANSWERS,
    LOSSES,
    LOST,
    SECOND_LOST,
    TIES,
    WINS,
    Counts,
    swapped,
)
from antichain.evidence._sequential import SequentialTest

CountsByName = Mapping[tuple[str, str], tuple[int, ...]]
"""For a pair of names: wins of the first, wins of the second and, if there are any, ties."""

# Rows; adding up is slow by the round and quick by the heap. Set by hand, as is the next.
_MOST_WAITING = 2**16
_LARGEST_HEAP = 2**18  # rows; larger heaps are not made, so that a merge takes little memory
_FIRST_SORTING = 2**20  # rows in all heaps, before pairs in several of them are brought together
# What the sums of a pair hold: a stream's four numbers, and what a probe counts besides.
_INCOMPARABLE = FORMS
_SUMS = FORMS + 1
_ANSWERED = [WINS, LOSSES, TIES]
_DIRECT, _PROBE, _DECOY = range(3)


class Counted(NamedTuple):
    """Counts by name, in the form that `Algorithm.start` takes."""

    direct: CountsByName
    """For a pair of items: wins of the first, wins of the second, ties. A pair is there once."""
    decoys: CountsByName
    """The same for duels of the first against the decoy of the second."""


@dataclass(frozen=True, eq=False)
class Costs:
    """How many duels each item took part in, and the sums that a result reports.

    Attributes:
        direct: Duels of item against item, probes left out.
        decoy: Duels of item against decoy.
        probes: Duels asked only to learn whether a pair is comparable.
        peeling: For each item, its direct duels and probes.
        against_decoys: For each item, its duels against some decoy.
        as_decoy: For each item, the duels of its decoy.
    """

    direct: int
    decoy: int
    probes: int
    peeling: NDArray[np.int64]
    against_decoys: NDArray[np.int64]
    as_decoy: NDArray[np.int64]

    @property
    def duels(self) -> int:
        """All duels that counted as evidence."""
        return self.direct + self.decoy + self.probes


class _Heap(NamedTuple):
    """Sums of some bookings: the keys of pairs in order, and for each what its duels came to."""

    keys: Indices
    sums: NDArray[np.signedinteger[Any]]


class _Booking(NamedTuple):
    """New duels of some pairs, as a round or a race brought them."""

    lefts: Indices
    rights: Indices
    test: SequentialTest
    new: Counts


class DuelCounts:
    """Counts of the duels of a run, by pair.

    Bookings are added up now and then, so that a round costs an entry in a list. What they come to
    is kept in heaps, of which small ones are merged; whenever their rows have doubled, all of them
    are sorted anew, so that memory follows the number of pairs. For plans that carry evidence over
    (`direct`), the sums of pairs of items still alive are kept in a matrix besides.

    Args:
        size: How many items there are.
        probes_count: Whether the answer to a probe is evidence like that to any direct duel. It
            is not where lost answers are held against every claim: a probe that was asked again
            after it was lost may have been lost for what it said.

    Attributes:
        duels: How many duels were booked, lost answers left out.
        initial_decoys: Counts the run was started with, of one item against another's decoy.
    """

    def __init__(self, size: int, probes_count: bool = True) -> None:
        self.duels = 0
        self.initial_decoys: dict[tuple[int, int], Counts] = {}
        self._initial: list[tuple[int, int, Counts]] = []
        self._size = size
        self._probes_count = probes_count
        self._alive = np.ones(size, np.bool_)
        self._waiting: list[_Booking] = []
        self._rows = 0
        self._heaps: list[_Heap] = []
        self._sort_at = _FIRST_SORTING
        self._costs = _frozen(Costs(0, 0, 0, *(np.zeros(size, np.int64) for _ in range(3))))
        self._living: _Living | None = None
        self._seen = 0  # of the bookings waiting, by `_living`

    # -- writing ---------------------------------------------------------------------------------

    def book(self, lefts: Indices, rights: Indices, test: SequentialTest, new: Counts) -> None:
        """Add new duels of pairs, in one row of counts per pair."""
        # Copies: a plan may go on to reorder the very array its round was made of.
        self._waiting.append(_Booking(lefts.copy(), rights.copy(), test, new))
        self._rows += lefts.size
        lost = new[:, LOST].sum() + new[:, SECOND_LOST].sum()
        self.duels += int(new.sum() - lost)
        if self._rows > _MOST_WAITING:
            self._add_up()

    def retire(self, item: int) -> None:
        """Note that an item was eliminated: nothing about it will be carried over any more."""
        self._alive[item] = False
        if self._living is not None:
            self._living.forget(item)

    def start_from(self, direct: CountsByName, decoys: CountsByName, names: Sequence[str]) -> None:
        """Take counts that were collected elsewhere as evidence."""
        index = {name: position for position, name in enumerate(names)}
        for pair, numbers in direct.items():
            self._initial.append((*_places(index, *pair), _checked(*pair, numbers)))
        for pair, numbers in decoys.items():
            places = _places(index, *pair)
            known = self.initial_decoys.get(places, np.zeros(COUNTS, np.int64))
            self.initial_decoys[places] = known + _checked(*pair, numbers)

    # -- views -----------------------------------------------------------------------------------

    def direct(self, left: int, rights: Indices) -> Counts:
        """All evidence of direct duels of `left` with each of `rights`, seen from `left`.

        One row of counts per item in `rights`; for pairs of items that are still alive.
        """
        if self._living is None:
            self._living = self._first_look()
        self._show(self._living)
        return self._living.between(left, rights)

    def ever(self, lefts: Indices, rights: Indices) -> Counts:
        """All direct duels of each pair, of eliminated items too, seen from `lefts`."""
        self._add_up()
        low, high = np.minimum(lefts, rights), np.maximum(lefts, rights)
        keys = (_DIRECT * self._size + low) * self._size + high
        found = np.zeros((keys.size, FORMS), np.int64)
        for heap in self._heaps if keys.size else ():
            if heap.keys[-1] < keys.min() or heap.keys[0] > keys.max():
                continue
            places = np.searchsorted(heap.keys, keys).clip(max=heap.keys.size - 1)
            booked = heap.keys[places] == keys
            found[booked] += heap.sums[places[booked], :FORMS]
        for left, right, counts in self._initial:
            one, other = min(left, right), max(left, right)
            mine = counts if left < right else swapped(counts)
            found[(low == one) & (high == other)] += mine[:FORMS]
        return np.where((lefts > rights)[:, None], swapped(found), found)

    def decoys(self, lefts: Indices, rights: Indices) -> Counts:
        """Counts of `lefts` against the decoys of `rights` that the run was started with."""
        start = np.zeros((lefts.size, COUNTS), np.int64)
        if self.initial_decoys:
            for row, pair in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)):
                if pair in self.initial_decoys:
                    start[row] = self.initial_decoys[pair]
        return start

    def costs(self) -> Costs:
        """Who took part in how many duels."""
        self._add_up()
        return self._costs

    def by_name(self, names: Sequence[str]) -> Counted:
        """What was booked, by the items' names; lost answers have no place in it."""
        self._add_up()
        keys, every = _merged(self._heaps)
        kinds, lefts, rights = self._parted(keys)
        tables: tuple[dict[tuple[str, str], tuple[int, ...]], ...] = ({}, {})
        for decoy, table in enumerate(tables):
            ours = ((kinds == _DECOY) == decoy) & every[:, _ANSWERED].any(axis=1)
            order = np.lexsort((rights[ours], lefts[ours]))
            sums = every[ours][order][:, _ANSWERED].tolist()
            for left, right, numbers in zip(
                lefts[ours][order].tolist(), rights[ours][order].tolist(), sums, strict=True
            ):
                _add(table, (names[left], names[right]), numbers)
        return Counted(*tables)

    def copy(self) -> DuelCounts:
        """A copy that can be added to without touching this one; without initial counts."""
        self._add_up()
        other = DuelCounts(self._size, self._probes_count)
        other._heaps, other._costs = self._heaps.copy(), self._costs
        other._sort_at, other.duels = self._sort_at, self.duels
        return other

    # -- inside ----------------------------------------------------------------------------------

    def _add_up(self) -> None:
        """Make a heap of the bookings that wait, and merge the last heaps while they are small.

        An interrupt leaves everything as it was: what is new takes its place at the end.
        """
        if self._living is not None:
            self._show(self._living)
        if not self._waiting:
            return
        by_kind: dict[int, list[_Booking]] = {}
        for booking in self._waiting:
            lefts, rights, test, new = booking
            kind = _DECOY if test.against_decoys else _PROBE if test.is_probe else _DIRECT
            by_kind.setdefault(kind, []).append(booking)
            if test.in_step:
                by_kind[kind].append(_Booking(rights, lefts, test, np.roll(new, FORMS, axis=1)))
        streams = [self._one_stream(kind, bookings) for kind, bookings in by_kind.items()]
        fresh = _merged(streams)
        counted = fresh.sums.any(axis=1)
        heaps = [*self._heaps, _Heap(fresh.keys[counted], fresh.sums[counted])]
        costs, sort_at = self._charged(heaps[-1]), self._sort_at
        while len(heaps) > 1 and _worth_merging(heaps[-2], heaps[-1]):
            heaps[-2:] = [_merged(heaps[-2:])]
        heaps = [heap for heap in heaps if heap.keys.size]
        if _rows_of(heaps) > sort_at:
            heaps = _sorted_anew(heaps)
            sort_at = max(_FIRST_SORTING, 2 * _rows_of(heaps))
        self._waiting, self._rows, self._seen = [], 0, 0
        self._heaps, self._costs, self._sort_at = heaps, costs, sort_at

    def _charged(self, heap: _Heap) -> Costs:
        """The costs with those of a new heap."""
        kinds, lefts, rights = self._parted(heap.keys)
        answered = heap.sums[:, [*_ANSWERED, _INCOMPARABLE]].sum(axis=1, dtype=np.int64)
        direct, probes, decoy = (int(answered[kinds == kind].sum()) for kind in range(3))
        with_decoys = kinds == _DECOY
        old = self._costs
        peeling, against, as_decoy = (
            known.copy() for known in (old.peeling, old.against_decoys, old.as_decoy)
        )
        for items in (lefts, rights):
            np.add.at(peeling, items[~with_decoys], answered[~with_decoys])
        np.add.at(against, lefts[with_decoys], answered[with_decoys])
        np.add.at(as_decoy, rights[with_decoys], answered[with_decoys])
        totals = (old.direct + direct, old.decoy + decoy, old.probes + probes)
        return _frozen(Costs(*totals, peeling, against, as_decoy))

    def _one_stream(self, kind: int, bookings: list[_Booking]) -> _Heap:
        """The pairs of bookings as keys, in any order, and what their first streams count."""
        lefts = np.concatenate([booking.lefts for booking in bookings])
        rights = np.concatenate([booking.rights for booking in bookings])
        new = np.concatenate([booking.new for booking in bookings])
        sums = np.zeros((lefts.size, _SUMS), np.int64)
        sums[:, :FORMS] = new[:, :FORMS]
        if kind == _PROBE:
            sums[:, _INCOMPARABLE] = new[:, INCOMPARABLE_ANSWERS]
        if kind != _DECOY:  # the two orders of a direct pair are one
            sums = np.where((lefts > rights)[:, None], swapped(sums), sums)
            lefts, rights = np.minimum(lefts, rights), np.maximum(lefts, rights)
        return _Heap((kind * self._size + lefts) * self._size + rights, sums)

    def _parted(self, keys: Indices) -> tuple[Indices, Indices, Indices]:
        """The kind of duel, the left and the right item of each key."""
        kinds, pairs = np.divmod(keys, self._size**2)
        lefts, rights = np.divmod(pairs, self._size)
        return kinds, lefts, rights

    def _first_look(self) -> _Living:
        """The matrix of pairs alive, from what was added up and brought along so far."""
        living = _Living(self._size)
        for left, right, counts in self._initial:
            if self._alive[left] and self._alive[right]:
                living.add(np.array([left]), np.array([right]), counts[None, :])
        for heap in self._heaps:
            kinds, lefts, rights = self._parted(heap.keys)
            ours = (kinds == _DIRECT) | ((kinds == _PROBE) & self._probes_count)
            ours &= self._alive[lefts] & self._alive[rights]
            living.add(lefts[ours], rights[ours], heap.sums[ours])
        return living

    def _show(self, living: _Living) -> None:
        """Add the bookings since the last look to the matrix of pairs alive."""
        for lefts, rights, test, new in self._waiting[self._seen :]:
            if test.against_decoys or (test.is_probe and not self._probes_count):
                continue
            rows = np.flatnonzero(self._alive[lefts] & self._alive[rights])
            living.add(lefts[rows], rights[rows], new[rows])
        self._seen = len(self._waiting)


def _merged(heaps: Sequence[_Heap]) -> _Heap:
    """The sums of all heaps in one, its keys in order and its numbers as narrow as they may be."""
    if not heaps:
        return _Heap(np.zeros(0, np.int64), np.zeros((0, _SUMS), np.int64))
    keys = np.concatenate([heap.keys for heap in heaps])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    firsts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]][: keys.size])
    every = np.concatenate([heap.sums for heap in heaps])[order]
    sums = np.add.reduceat(every, firsts, axis=0, dtype=np.int64) if keys.size else every
    largest = sums.max(initial=0)
    narrow = next(kind for kind in (np.int16, np.int32, np.int64) if largest <= np.iinfo(kind).max)
    return _Heap(keys[firsts], sums.astype(narrow))


def _worth_merging(older: _Heap, newer: _Heap) -> bool:
    """Whether the newer heap is not much smaller, so that few pairs are merged often."""
    sizes = older.keys.size, newer.keys.size
    return sum(sizes) <= _LARGEST_HEAP and 2 * sizes[1] >= sizes[0]


def _rows_of(heaps: Sequence[_Heap]) -> int:
    return sum(heap.keys.size for heap in heaps)


def _sorted_anew(heaps: Sequence[_Heap]) -> list[_Heap]:
    """The same sums in heaps that share no pair: each has the pairs of a range of keys."""
    parts = -(-_rows_of(heaps) // max(1, _LARGEST_HEAP))
    some = np.sort(np.concatenate([heap.keys[:: max(1, heap.keys.size // 64)] for heap in heaps]))
    bounds = np.unique(some[np.arange(1, parts) * some.size // parts])
    cuts = [np.r_[0, np.searchsorted(heap.keys, bounds), heap.keys.size] for heap in heaps]
    made = []
    for part in range(bounds.size + 1):
        ranges = [slice(cut[part], cut[part + 1]) for cut in cuts]
        of_range = [_Heap(h.keys[r], h.sums[r]) for h, r in zip(heaps, ranges, strict=True)]
        made.append(_merged(of_range))
    return [heap for heap in made if heap.keys.size]


def _frozen(costs: Costs) -> Costs:
    """The same, with arrays that nobody can change: they are kept, and handed out."""
    for numbers in (costs.peeling, costs.against_decoys, costs.as_decoy):
        numbers.setflags(write=False)
    return costs


class _Living:
    """Counts of direct duels between items alive, in a square matrix.

    An item gets a slot when it is first counted and gives it back when it is eliminated, so that
    memory follows the number of items still in play and not the number there were: 100,000 items
    of which 3,000 survive the first epoch need a 4,096-square matrix.
    """

    def __init__(self, size: int) -> None:
        self._slot = np.full(size, -1, np.int64)
        self._free: list[int] = []
        self._wins: NDArray[np.int64] = np.zeros((0, 0), np.int64)
        # Ties and lost answers, which read the same from either side: most runs never see one,
        # so that these matrices are made on the first.
        self._others: dict[int, NDArray[np.int64]] = {}

    def between(self, left: int, rights: Indices) -> Counts:
        """What is known of `left` against each of `rights`, seen from `left`."""
        counts = np.zeros((rights.size, COUNTS), np.int64)
        slot = self._slot[left]
        if slot < 0:
            return counts
        others = self._slot[rights]
        known = np.flatnonzero(others >= 0)
        others = others[known]
        counts[known, WINS] = self._wins[slot, others]
        counts[known, LOSSES] = self._wins[others, slot]
        for column, matrix in self._others.items():
            counts[known, column] = matrix[slot, others]
        return counts

    def add(self, lefts: Indices, rights: Indices, new: Counts) -> None:
        """Add counts of pairs, seen from `lefts`."""
        for items in (lefts, rights):
            for item in items[self._slot[items] < 0].tolist():
                self._settle_in(item)
        firsts, seconds = self._slot[lefts], self._slot[rights]
        np.add.at(self._wins, (firsts, seconds), new[:, WINS])
        np.add.at(self._wins, (seconds, firsts), new[:, LOSSES])
        for column in (TIES, LOST):
            if column not in self._others and new[:, column].any():
                self._others[column] = np.zeros_like(self._wins)
            if column in self._others:
                np.add.at(self._others[column], (firsts, seconds), new[:, column])
                np.add.at(self._others[column], (seconds, firsts), new[:, column])

    def forget(self, item: int) -> None:
        """Drop everything about an item; its slot goes to whichever comes next."""
        if self._slot[item] >= 0:
            self._free.append(int(self._slot[item]))
            self._slot[item] = -1

    def _settle_in(self, item: int) -> None:
        if self._slot[item] >= 0:
            return
        if not self._free:
            self._grow()
        slot = self._free.pop()
        for matrix in (self._wins, *self._others.values()):
            matrix[slot, :] = 0
            matrix[:, slot] = 0
        self._slot[item] = slot

    def _grow(self) -> None:
        old = self._wins.shape[0]
        new = max(16, 2 * old)
        self._wins = _enlarged(self._wins, new)
        self._others = {column: _enlarged(m, new) for column, m in self._others.items()}
        self._free = list(range(new - 1, old - 1, -1))


def _enlarged(matrix: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    larger = np.zeros((size, size), np.int64)
    larger[: matrix.shape[0], : matrix.shape[1]] = matrix
    return larger


# -- counts by name ------------------------------------------------------------------------------


def added(mine: Counted, theirs: Counted) -> Counted:
    """The two counts as one; a direct pair keeps the order it has in the first."""
    direct, decoys = dict(mine.direct), dict(mine.decoys)
    for (left, right), numbers in theirs.direct.items():
        wins, losses, ties = (*numbers, 0)[:3]
        if (right, left) in direct:
            left, right, wins, losses = right, left, losses, wins
        _add(direct, (left, right), (wins, losses, ties))
    for pair, numbers in theirs.decoys.items():
        _add(decoys, pair, numbers)
    return Counted(direct, decoys)


def _add(
    table: dict[tuple[str, str], tuple[int, ...]], pair: tuple[str, str], numbers: Sequence[int]
) -> None:
    known = table.get(pair, (0, 0, 0))
    table[pair] = tuple(a + b for a, b in zip(known, (*numbers, 0)[:3], strict=True))


def _places(index: Mapping[str, int], left: str, right: str) -> tuple[int, int]:
    for name in (left, right):
        if name not in index:
            raise InputError(f"Counts were given for {name!r}, which is not among the items.")
    if left == right:
        raise InputError(
            f"Counts were given for {left!r} against itself; two different items were expected."
        )
    return index[left], index[right]


def _checked(left: str, right: str, numbers: tuple[int, ...]) -> Counts:
    if not isinstance(numbers, Sequence) or len(numbers) not in (2, 3):
        raise InputError(
            f"Counts of {left!r} against {right!r} are wins of the first, wins of the second and "
            f"perhaps ties; got {numbers!r}."
        )
    counts = np.zeros(COUNTS, np.int64)
    for column, number in zip(_ANSWERED, numbers, strict=False):
        counts[column] = _checks.whole(f"a count of {left!r} against {right!r}", number, least=0)
    return counts
