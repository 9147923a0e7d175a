"""Ways of answering a search. Whichever is used, the run must come to the same end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from antichain.algorithms._rounds import Ask, Receipt
from antichain.algorithms._search import Search
from antichain.arenas._arena import Arena, Wrapper
from antichain.evidence._answers import Tally
from antichain.testing._contract import require

Feed = Callable[[Search, Arena], None]
"""Plays a search to its end with the answers of an arena."""

# An ask that is never taken up again, or a test that never comes to a verdict, would make these
# loops endless: give up long after any contract world is solved (the longest of ours takes some
# 20,000 steps).
_PATIENCE = 200_000
MOST_DUELS = 500_000


def until_finished(search: Search, step: Callable[[], None]) -> None:
    """Take steps until the search is finished; fail if it will hardly ever be."""
    for _ in range(_PATIENCE):
        if search.finished:
            return
        step()
    require(False, f"the search did not finish within {_PATIENCE:,} steps.")


class Watched(Wrapper):
    """Voters who are asked no more than a run can need."""

    def __init__(self, inner: Arena) -> None:
        super().__init__(inner)
        self._duels = 0

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        """Answer, unless the run will hardly come to an end."""
        self._duels += sum(ask.duels for ask in asks)
        require_few(self._duels)
        return self.inner.answer(asks)


def require_few(duels: int) -> None:
    """Fail if a run took so many duels that it will hardly come to an end."""
    require(
        duels < MOST_DUELS,
        f"the search did not finish within {MOST_DUELS:,} duels: does every test come to an end on "
        "pairs that cannot be compared, where half of all duels are won (by a verdict EVEN, or a "
        "limit)?",
    )


def in_portions(n: int | None) -> Feed:
    """Ask for up to `n` duels (None: all that are surely wanted), answer them all, ask again."""

    def feed(search: Search, arena: Arena) -> None:
        def step() -> None:
            asks = search.ask(n)
            require(asks or search.finished, f"ask({n}) was empty although nothing is outstanding.")
            duels = sum(ask.duels for ask in asks)
            require(n is None or duels <= n, f"ask({n}) wanted {duels} duels.")
            for ask, tally in zip(asks, arena.answer(asks), strict=True):
                search.tell(ask, tally)

        until_finished(search, step)

    return feed


class Crowd:
    """Voters who answer outstanding asks in any order. Subclasses misbehave at a given rate."""

    def __init__(self, seed: int, portion: int, rate: float = 0.3) -> None:
        self.rng = np.random.default_rng(seed)
        self.portion = portion
        self.rate = rate
        self.spare = 0
        self.lost = 0
        self.skipped = 0

    def __call__(self, search: Search, arena: Arena) -> None:
        """Play to the end."""

        def step() -> None:
            asks = search.ask(self.portion) if self.rng.random() < 0.5 else []
            out = search.outstanding
            missing = {ask.id for ask in asks} - {ask.id for ask in out}
            require(not missing, f"asks {missing} were handed out but are not outstanding.")
            if out:
                self.take(search, arena, out[int(self.rng.integers(len(out)))])
            else:
                require(
                    search.finished or not search.waiting,
                    "the search is waiting although nothing is outstanding.",
                )

        until_finished(search, step)

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer one outstanding ask."""
        search.tell(ask, arena.answer([ask])[0])

    def tell_spare(self, search: Search, ask: Ask, tally: Tally) -> None:
        """Give an answer that must not count as evidence."""
        receipt = search.tell(ask, tally)
        require(receipt is Receipt.SPARE, f"a late or repeated answer to {ask} became evidence.")
        self.spare += tally.total


class Late(Crowd):
    """Some asks expire and are answered all the same, each time with a lie."""

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer, or expire first and answer later."""
        if self.lost and self.rng.random() >= self.rate:  # the first is always late
            super().take(search, arena, ask)
            return
        search.expire(ask)
        self.lost += ask.duels
        search.expire(ask)  # the second time changes nothing
        self.tell_spare(search, ask, Tally(left=ask.duels))


class Doubled(Crowd):
    """Everybody answers twice, the second time the other way round."""

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer twice."""
        tally = arena.answer([ask])[0]
        search.tell(ask, tally)
        self.tell_spare(search, ask, Tally(tally.right, tally.left, tally.tie, tally.incomparable))


class Lossy(Crowd):
    """Some asks are never answered."""

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer, or expire."""
        if not self.lost or self.rng.random() < self.rate:  # the first is always lost
            search.expire(ask.id)
            self.lost += ask.duels
        else:
            super().take(search, arena, ask)


class Skipping(Crowd):
    """Some duels of each ask are skipped."""

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer part of the duels."""
        answered = int(self.rng.binomial(ask.duels, 1 - self.rate)) if self.skipped else 0
        tally = Tally(skipped=ask.duels - answered)
        self.skipped += tally.skipped
        if answered:
            tally = tally.plus(arena.answer([replace(ask, duels=answered)])[0])
        search.tell(ask, tally)
