"""Ways of answering a search: all of them must come to the same end."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from antichain.algorithms._rounds import Ask, Receipt
from antichain.algorithms._search import Search
from antichain.arenas._arena import Arena
from antichain.evidence._answers import Tally

Feed = Callable[[Search, Arena], None]

# An ask that nobody takes up again would make these loops endless: stop long before that.
_PATIENCE = 200_000


def _until_finished(search: Search, step: Callable[[], None]) -> None:
    for _ in range(_PATIENCE):
        if search.finished:
            return
        step()
    raise AssertionError("the search does not come to an end")


def in_portions(n: int | None) -> Feed:
    """Ask for up to n duels (None: all surely wanted), answer them all, ask again."""

    def feed(search: Search, arena: Arena) -> None:
        def step() -> None:
            asks = search.ask(n)
            assert asks or search.finished, "nothing is out, so there must be something to ask"
            assert n is None or sum(ask.duels for ask in asks) <= n
            for ask, tally in zip(asks, arena.answer(asks), strict=True):
                search.tell(ask, tally)

        _until_finished(search, step)

    return feed


class Crowd:
    """Voters who answer what is out in any order, and not always as they should."""

    def __init__(self, seed: int, portion: int, rate: float = 0.3) -> None:
        self.rng = np.random.default_rng(seed)
        self.portion = portion
        self.rate = rate
        self.spare = 0
        self.lost = 0

    def __call__(self, search: Search, arena: Arena) -> None:
        """Play to the end."""

        def step() -> None:
            asks = search.ask(self.portion) if self.rng.random() < 0.5 else []
            out = search.outstanding
            assert {ask.id for ask in asks} <= {ask.id for ask in out}
            if out:
                self.take(search, arena, out[int(self.rng.integers(len(out)))])
            else:
                assert search.finished or not search.waiting

        _until_finished(search, step)

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer one of the asks that are out."""
        search.tell(ask, arena.answer([ask])[0])


class Late(Crowd):
    """Some asks are given up, and answered all the same: every answer is a lie."""

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer, or give up and answer later."""
        if self.rng.random() >= self.rate:
            super().take(search, arena, ask)
            return
        search.expire(ask)
        self.lost += ask.duels
        search.expire(ask)  # giving up twice is giving up once
        assert search.tell(ask, Tally(left=ask.duels)) is Receipt.SPARE
        self.spare += ask.duels


class Doubled(Crowd):
    """Everybody answers twice, the second time the other way round."""

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer twice."""
        tally = arena.answer([ask])[0]
        search.tell(ask, tally)
        turned = Tally(tally.right, tally.left, tally.tie, tally.incomparable)
        assert search.tell(ask, turned) is Receipt.SPARE
        self.spare += tally.total


class Lossy(Crowd):
    """Some of the asks are never answered."""

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer, or not."""
        if self.rng.random() < self.rate:
            search.expire(ask.id)
            self.lost += ask.duels
        else:
            super().take(search, arena, ask)


class Skipping(Crowd):
    """Of the duels asked some are skipped."""

    rate = 0.5

    def take(self, search: Search, arena: Arena, ask: Ask) -> None:
        """Answer a part of the duels."""
        answered = int(self.rng.binomial(ask.duels, 1 - self.rate))
        tally = Tally(skipped=ask.duels - answered)
        if answered:
            tally = tally.plus(arena.answer([replace(ask, duels=answered)])[0])
        search.tell(ask, tally)
