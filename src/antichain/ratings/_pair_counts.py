"""Pair counts: for every two items, who was rated higher by how many of their common raters.

Also what they say about the front by themselves, without a bandit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antichain.errors import InputError
from antichain.orders._closure import find_cycle, strong_components
from antichain.orders._model import eps_front_mask

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Wins and ties of every pair of items among the users who rated both.

    The counts are sums over users: those of disjoint users add up (`one + other`, or
    `one += other` in the place of `one`, which takes no more memory).

    Attributes:
        names: The items.
        wins: How many common raters rated item i above item j, in `wins[i, j]`.
        ties: How many common raters rated them alike, in `ties[i, j]` and `ties[j, i]`.
        voters: How many users rated two or more of the items, if that was counted.

    >>> wins, ties = np.array([[0, 2], [1, 0]]), np.array([[0, 1], [1, 0]])
    >>> one = PairCounts(("a", "b"), wins, ties)
    >>> (one + one).co_raters[0, 1], one.chances[0, 1]
    (np.int64(8), np.float64(0.625))
    """

    names: tuple[str, ...]
    wins: Counts
    ties: Counts
    voters: int = 0

    def __post_init__(self) -> None:
        shape = (len(self.names), len(self.names))
        for what, counts in (("wins", self.wins), ("ties", self.ties)):
            if counts.shape != shape:
                raise InputError(f"{what} has the shape {counts.shape}, but {shape} was expected")
            if (counts < 0).any() or np.diagonal(counts).any():
                raise InputError(
                    f"{what} has a negative count or one of an item against itself, but counts "
                    "of pairs were expected"
                )
        if not np.array_equal(self.ties, self.ties.T):
            raise InputError("ties differs from its mirror image, but a tie has no direction")

    def __add__(self, other: PairCounts) -> PairCounts:
        self._check_same_items(other)
        voters = self.voters + other.voters
        return PairCounts(self.names, self.wins + other.wins, self.ties + other.ties, voters)

    def __iadd__(self, other: PairCounts) -> PairCounts:
        self._check_same_items(other)
        np.add(self.wins, other.wins, out=self.wins)
        np.add(self.ties, other.ties, out=self.ties)
        object.__setattr__(self, "voters", self.voters + other.voters)
        return self

    def _check_same_items(self, other: PairCounts) -> None:
        if self.names != other.names:
            raise InputError(
                f"counts of {len(self.names)} and of {len(other.names)} items were given, but only "
                "counts of the same items in the same order can be added"
            )

    @classmethod
    def zero(cls, names: tuple[str, ...]) -> PairCounts:
        """Return the counts of no users at all."""
        empty = np.zeros((len(names), len(names)), np.int64)
        return cls(names, empty, empty.copy())

    @property
    def co_raters(self) -> Counts:
        """How many users rated both items of each pair."""
        raters = self.wins + self.wins.T
        raters += self.ties
        return raters

    @property
    def chances(self) -> Floats:
        """The chance that i wins with a random common rater; NaN if there is none."""
        return _divided(2 * self.wins + self.ties, 2 * self.co_raters, itself=0.5)

    @property
    def gaps(self) -> Floats:
        """How far that chance is above one half; NaN where there is no common rater."""
        # One division of whole numbers, so that a gap of exactly ε compares equal to ε.
        return _divided(self.wins - self.wins.T, 2 * self.co_raters, itself=0.0)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The ends of Wilson's 95% interval of each gap; −½ and ½ where nobody rated both.

        The variance is that of one rater's say: 1 for a win, 1/2 for a tie, 0 for a loss. However
        much a few raters agree, their interval stays wide.
        """
        raters = np.maximum(self.co_raters, 1)
        means = (2 * self.wins + self.ties) / (2 * raters)
        spread = np.maximum((4 * self.wins + self.ties) / (4 * raters) - means**2, 0)
        square = _NORMAL_95**2
        middle = (raters * means + square / 2) / (raters + square) - 0.5
        reach = _NORMAL_95 * np.sqrt(raters * spread + square / 4) / (raters + square)
        nobody = self.co_raters == 0
        low, high = np.where(nobody, -0.5, middle - reach), np.where(nobody, 0.5, middle + reach)
        for ends in (low, high):
            np.fill_diagonal(ends, 0.0)
        return low, high

    def least(self, raters: int) -> PairCounts:
        """Return the counts without the pairs that have fewer common raters than this."""
        enough = self.co_raters >= raters
        return PairCounts(self.names, self.wins * enough, self.ties * enough)

    @property
    def pairs(self) -> int:
        """How many pairs have a common rater."""
        return int(np.count_nonzero(self.co_raters)) // 2

    @property
    def min_co_raters(self) -> int:
        """The fewest common raters of any pair; 0 if some pair has none."""
        if len(self.names) < 2:
            return 0
        raters = self.co_raters
        np.fill_diagonal(raters, np.iinfo(np.int64).max)
        return int(raters.min())

    def unpaired(self) -> list[tuple[str, str]]:
        """The pairs without a common rater."""
        apart = np.argwhere(np.triu(self.co_raters == 0, 1))
        return [(self.names[i], self.names[j]) for i, j in apart]

    def lonely(self) -> list[str]:
        """The items that have no common rater with any other."""
        company = self.co_raters.sum(axis=1)
        return [name for name, raters in zip(self.names, company, strict=True) if raters == 0]


def _divided(above: Counts, below: Counts, itself: float) -> Floats:
    """The quotients, NaN where there is nothing to divide by, `itself` on the diagonal."""
    with np.errstate(invalid="ignore"):
        quotients: Floats = above / below
    np.fill_diagonal(quotients, itself)
    return quotients


@dataclass(frozen=True)
class ExactFront:
    """The exact ε-front of a matrix of pair counts, and how firmly it stands.

    Attributes:
        front: The items that no item beats by more than ε; empty if everything is beaten.
        doubtful: Items within sampling reach of being on the other side. An item on the front is
            if some opponent's gap over it is above ε at the upper end of its 95% interval, as it
            always is where nobody rated both; an item off the front is if every gap above ε over
            it is at most ε at the lower end. The intervals hold one pair at a time: many pairs are
            not corrected for.
        groups: Sets of items each of which beats itself by way of others, every step by more
            than ε; real tastes need not be transitive.
        cycles: One cycle of each group: each item beats the next by more than ε, and the last one
            the first.
    """

    front: tuple[str, ...]
    doubtful: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    cycles: tuple[tuple[str, ...], ...]


def exact_front(counts: PairCounts, epsilon: float) -> ExactFront:
    """The exact ε-front of `counts`; a pair without a common rater beats nobody."""
    gaps = np.nan_to_num(counts.gaps, nan=0.0)
    on_front = eps_front_mask(gaps, epsilon)
    low, high = counts.bounds
    may_fall = (high > epsilon).any(axis=0)
    surely_beaten = ((gaps > epsilon) & (low > epsilon)).any(axis=0)
    doubtful = np.where(on_front, may_fall, ~surely_beaten)
    groups = [list(members) for members in strong_components(gaps > epsilon)]
    cycles = []
    for members in groups:
        around = [members[k] for k in find_cycle(gaps[np.ix_(members, members)] > epsilon)]
        start = around.index(min(around))
        cycles.append(around[start:] + around[:start])
    return ExactFront(
        _named(counts, on_front),
        _named(counts, doubtful),
        tuple(tuple(counts.names[k] for k in members) for members in groups),
        tuple(tuple(counts.names[k] for k in members) for members in cycles),
    )


def _named(counts: PairCounts, mask: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, wanted in zip(counts.names, mask, strict=True) if wanted)
