"""Arenas around arenas: passing everything on, and a budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antichain import checks
from antichain.algorithms.rounds import Ask, Race, RaceOutcome, Round
from antichain.arenas.base import Arena, RegretRates
from antichain.errors import ProtocolError
from antichain.evidence.answers import Tally
from antichain.evidence.sequential import Counts


class Wrapper(Arena):
    """Passes everything on to another arena."""

    def __init__(self, inner: Arena) -> None:
        self.inner = inner
        self.items = inner.items
        self.observable = inner.observable
        self.decoy_gap = inner.decoy_gap

    @property
    def allowance(self) -> int | None:
        """The inner arena's."""
        return self.inner.allowance

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        """The inner arena's answers."""
        return self.inner.answer(asks)

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        """Whether the inner arena can."""
        return self.inner.can_settle(message, allowance)

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        """As the inner arena plays it."""
        return self.inner.settle(message, allowance)

    def state(self) -> Any:
        """The inner arena's."""
        return self.inner.state()

    def restore(self, state: Any) -> None:
        """Put the inner arena's state back."""
        self.inner.restore(state)

    def identity(self) -> Any:
        """The inner arena's."""
        return self.inner.identity()

    def regret_rates(self) -> RegretRates | None:
        """The inner arena's."""
        return self.inner.regret_rates()


class Budgeted(Wrapper):
    """Answers at most `budget` duels; spare and skipped answers count too."""

    def __init__(self, inner: Arena, budget: int) -> None:
        super().__init__(inner)
        self._left = checks.whole("budget", budget, least=0)

    @property
    def allowance(self) -> int:
        """What is left, of this budget or the inner arena's."""
        inner = self.inner.allowance
        return self._left if inner is None else min(self._left, inner)

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        """The inner arena's answers, as long as the budget lasts."""
        wanted = sum(ask.duels for ask in asks)
        if wanted > self.allowance:
            raise ProtocolError(
                f"{wanted} duels were asked for, but only {self.allowance} are left in the budget; "
                "ask for no more than `allowance`."
            )
        tallies = self.inner.answer(asks)
        self._left -= wanted
        return tallies

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        """As the inner arena plays it, within what is left."""
        limit = self.allowance if allowance is None else min(allowance, self.allowance)
        outcome = self.inner.settle(message, limit)
        if isinstance(outcome, RaceOutcome):
            self._left -= int(outcome.counts.sum())
        elif isinstance(message, Round):
            self._left -= int((outcome - message.start).sum())
        return outcome
