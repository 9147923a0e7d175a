"""Every duel that counted, by pair: what a run hands on to whoever starts from its counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.algorithms.rounds import Indices
from antichain.algorithms.warm import Warm
from antichain.evidence.sequential import Counts, SequentialTest, Streams

_MOST_WAITING = 2**16  # rows; adding up is slow by the round and quick by the heap


class Counted(NamedTuple):
    """Counts by name, in the form that `Algorithm.start` takes."""

    direct: Warm
    """For a pair of items: wins of the first, wins of the second, ties. A pair is there once."""
    decoys: Warm
    """The same for duels of the first against the decoy of the second."""


class Played:
    """Counts of each pair, added up now and then: a round costs an entry in a list."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._waiting: list[tuple[Indices, Indices, SequentialTest, Counts]] = []
        self._rows = 0
        self._keys: Indices = np.zeros(0, np.int64)
        self._sums: Counts = np.zeros((0, 3), np.int64)

    def add(self, lefts: Indices, rights: Indices, test: SequentialTest, played: Counts) -> None:
        """Book `played` (comparisons × 8) new duels of the pairs."""
        # Copies: a plan may go on to reorder the very array its round was made of.
        self._waiting.append((lefts.copy(), rights.copy(), test, played))
        self._rows += lefts.size
        if self._rows > _MOST_WAITING:
            self._add_up()

    def copy(self) -> Played:
        """A copy that can be added to without touching this one."""
        self._add_up()
        other = Played(self._size)
        other._keys, other._sums = self._keys, self._sums
        return other

    def by_name(self, names: Sequence[str]) -> Counted:
        """What was played, by the items' names."""
        self._add_up()
        tables: tuple[dict[tuple[str, str], tuple[int, ...]], ...] = ({}, {})
        for key, sums in zip(self._keys.tolist(), self._sums.tolist(), strict=True):
            kind, pair = divmod(key, self._size**2)
            left, right = divmod(pair, self._size)
            tables[kind][names[left], names[right]] = tuple(sums)
        return Counted(*tables)

    def _add_up(self) -> None:
        keys, sums = [self._keys], [self._sums]
        for lefts, rights, test, played in self._waiting:
            decoy = test.streams is not Streams.DIRECT
            keys.append(self._key(lefts, rights, decoy))
            sums.append(played[:, :3] if decoy else _turned(played[:, :3], lefts > rights))
            if test.streams is Streams.BOTH_DECOYS:
                keys.append(self._key(rights, lefts, decoy))
                sums.append(played[:, 4:7])
        self._waiting, self._rows = [], 0
        every, rows = np.concatenate(keys), np.concatenate(sums)
        told = rows.any(axis=1)
        self._keys, places = np.unique(every[told], return_inverse=True)
        self._sums = np.zeros((self._keys.size, 3), np.int64)
        np.add.at(self._sums, places, rows[told])

    def _key(self, lefts: Indices, rights: Indices, decoy: bool) -> Indices:
        """A number for each pair; the two orders of a direct pair are one."""
        if not decoy:
            lefts, rights = np.minimum(lefts, rights), np.maximum(lefts, rights)
        return (decoy * self._size + lefts) * self._size + rights


def _turned(counts: Counts, other_way: NDArray[np.bool_]) -> Counts:
    """The counts with wins and losses swapped where told."""
    return np.where(other_way[:, None], counts[:, [1, 0, 2]], counts)


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
    table: dict[tuple[str, str], tuple[int, ...]], pair: tuple[str, str], numbers: tuple[int, ...]
) -> None:
    known = table.get(pair, (0, 0, 0))
    table[pair] = tuple(a + b for a, b in zip(known, (*numbers, 0)[:3], strict=True))
