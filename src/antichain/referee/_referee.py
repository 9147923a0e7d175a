"""`Referee`: the judge of one sequence of answers, who also says what to ask for next."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antichain.evidence._bet import Floats, Whole, divergence_from_even
from antichain.referee import _policy
from antichain.referee._standing import (
    OPENED,
    READ,
    Standing,
    fresh,
    put_in,
    put_out,
    read_answers,
    weigh_again,
)
from antichain.referee._terms import Terms

Mask = NDArray[np.bool_]

MOST_ITEMS = 1000
"""More items than this have too many pairs to be judged answer by answer."""


class Wanted(NamedTuple):
    """A duel worth asking for: two items, and whether the second is shown as its decoy."""

    first: int
    second: int
    decoy: bool


class Referee:
    """Judges answers in the order of their asks: which items are in, out or undecided.

    Items are numbers from 0. With probability at least 1 − δ, everything that is ever shown is
    true, under the assumptions of the terms (docs/theory/few-votes.md). What was shown once stays
    shown.

    >>> referee = Referee(2, Terms())
    >>> while not referee.finished:
    ...     (duel,) = referee.wanted(1)
    ...     referee.read([duel.first], [duel.second], [0 if duel.first == 0 else 1])
    >>> referee.inside.tolist(), referee.out.tolist()
    ([True, False], [False, True])
    """

    def __init__(self, size: int, terms: Terms) -> None:
        self.size, self.terms = size, terms
        self.rules = terms.rulebook(size)
        self.standing: Standing = fresh(size, self.rules)

    @classmethod
    def of_counts(cls, terms: Terms, counts: Whole, out: Mask, inside: Mask) -> Referee:
        """A referee who knows counts and somebody else's verdicts, and only says what to ask.

        Args:
            terms: The terms.
            counts: For each ordered pair of items: wins, losses, ties, "cannot compare".
            out: Which items are out.
            inside: Which items are in.
        """
        referee = cls(len(out), terms)
        standing = referee.standing
        standing.counts[..., :4] = counts
        standing.since[0] = standing.counts
        standing.pooled[...] = standing.counts.sum(axis=0)
        weigh_again(standing, referee.rules)
        standing.numbers[READ] = counts[..., :4].sum() // 2
        for item in np.flatnonzero(out).tolist():
            put_out(standing, referee.rules, item)
        for item in np.flatnonzero(inside).tolist():
            put_in(standing, referee.rules, item)
        return referee

    # -- judging ---------------------------------------------------------------------------------

    def read(
        self, first: ArrayLike, second: ArrayLike, said: ArrayLike, decoy: ArrayLike | None = None
    ) -> None:
        """Take in the next answers.

        Args:
            first: The first item of each.
            second: The second.
            said: What was answered, seen from the first: `WIN`, `LOSS`, `TIE`, `CANNOT`,
                `GIVEN_UP` or `NOTHING`.
            decoy: Whether the first met the second's decoy.
        """
        lefts, rights, answers = (np.asarray(part, np.int64) for part in (first, second, said))
        shown = np.zeros_like(lefts) if decoy is None else np.asarray(decoy, np.int64)
        read_answers(self.standing, self.rules, lefts, rights, answers, shown)

    @property
    def answers(self) -> int:
        """How many answers were read."""
        return int(self.standing.numbers[READ])

    @property
    def opened(self) -> int:
        """After how many answers the opening was; 0 if it has not been yet."""
        return int(self.standing.numbers[OPENED])

    @property
    def out(self) -> Mask:
        return np.asarray(self.standing.out_at > 0)

    @property
    def inside(self) -> Mask:
        return np.asarray((self.standing.in_at > 0) & (self.standing.out_at == 0))

    @property
    def finished(self) -> bool:
        """Whether every item is in or out."""
        return bool(_policy.is_done(self.standing))

    # -- asking ----------------------------------------------------------------------------------

    @cached_property
    def _paces(self) -> Floats:
        ends = self.terms.epsilon, self.terms.epsilon_others
        return np.array([divergence_from_even(epsilon) for epsilon in ends])

    def wanted(
        self,
        n: int,
        waiting: Iterable[tuple[int, int]] = (),
        later: Iterable[tuple[int, int]] = (),
        voters: int | None = None,
    ) -> list[Wanted]:
        """Up to `n` duels that move the verdicts on; fewer rather than useless ones.

        Args:
            n: How many at most.
            waiting: Pairs that were asked for and are not answered yet.
            later: Pairs that should wait while another is useful.
            voters: No pair is asked for more often than there are voters.
        """
        asked, last = self._pairs(waiting), np.minimum(self._pairs(later), 1)
        found: list[Wanted] = []
        if self.finished:
            return found
        limit = n if voters is None else voters
        while len(found) < n:
            one, other, decoy = _policy.next_duel(
                self.standing, self.rules, self._paces, asked, last, n
            )
            if one < 0:
                break
            low, high = min(one, other), max(one, other)
            asked[low, high] += 1 if asked[low, high] + 1 < limit else 10**6
            found.append(Wanted(one, other, bool(decoy)))
        return found

    def _pairs(self, pairs: Iterable[tuple[int, int]]) -> Whole:
        table = np.zeros((self.size, self.size), np.int64)
        for one, other in pairs:
            table[min(one, other), max(one, other)] += 1
        return table

    # -- looking ahead ---------------------------------------------------------------------------

    def play(
        self,
        chances: Floats,
        *,
        cannot: Floats | None = None,
        decoys: Floats | None = None,
        ties: float = 0.0,
        seed: int = 0,
        budget: int = 10**7,
    ) -> None:
        """Ask and answer at random until all is decided or `budget` answers were read.

        Args:
            chances: The chance of each item to win against each other one, if nobody ties.
            cannot: The share of voters who say that a pair cannot be compared.
            decoys: The chance of each item to win against the decoy of each other one; as against
                the other one itself if it is not given.
            ties: The share of ties among the other answers.
            seed: Of the answers.
            budget: The largest number of answers, those read before included.
        """
        silent = np.zeros_like(chances) if cannot is None else cannot
        shown = chances if decoys is None else decoys
        arguments = (self._paces, chances, silent, shown, ties, seed, budget)
        _policy.play(self.standing, self.rules, *arguments)

    def twin(self) -> Referee:
        """Another referee in the same state, which can go its own way from here."""
        other = Referee.__new__(Referee)
        other.size, other.terms, other.rules = self.size, self.terms, self.rules
        copied: Any = (part.copy() for part in self.standing)
        other.standing = Standing(*copied)
        return other
