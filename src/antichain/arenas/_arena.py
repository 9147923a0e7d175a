"""What an arena is (whoever answers duels), a function as an arena, and arenas around arenas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple

from antichain import _checks
from antichain.algorithms._rounds import Ask, Race, RaceOutcome, Round
from antichain.errors import InputError, NotObservableError, ParameterError, ProtocolError
from antichain.evidence._answers import Answer, Counts, Tally

Judge = Callable[[str, str], Answer | str]


class Arena(ABC):
    """Whoever answers duels: the base class of every arena.

    A subclass sets `items` and defines `answer`. Everything else has a default that suits people
    and scripts.

    Attributes:
        items: The items' names.
        observable: Whether a duel of an incomparable pair is answered "incomparable".
        decoy_gap: The gap of the decoys on offer, or None if there are none.

    Example:
        Voters who prefer the shorter word (docs/design/contributing.md has an arena that passes
        `antichain.testing.check_arena`, which also tries unknown items and decoys):

        >>> class Brevity(Arena):
        ...     items = ("otter", "ox", "owl")
        ...     def answer(self, asks):
        ...         return [
        ...             Tally(left=ask.duels) if len(ask.left) < len(ask.right)
        ...             else Tally(right=ask.duels)
        ...             for ask in asks
        ...         ]
        >>> Brevity().answer([Ask(1, "ox", "otter", False, duels=3)])
        [Tally(left=3, right=0, tie=0, incomparable=0, skipped=0)]
    """

    items: tuple[str, ...]
    observable: bool = False
    decoy_gap: float | None = None

    @property
    def allowance(self) -> int | None:
        """How many more duels will be answered; None for no limit."""
        return None

    @abstractmethod
    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        """Return a tally for each ask, in the same order."""

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        """Tell whether `settle` can play `message` within `allowance` duels (None: no limit)."""
        return False

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        """Play a whole round (or race) by itself, with the law that asking would have.

        With an allowance (None: no limit) the play ends where it is used up.
        """
        raise ProtocolError(
            f"{type(self).__name__} cannot play a whole round; it answers asks only. Call settle "
            "where can_settle returns True."
        )

    def state(self) -> Any:
        """Return the arena's random state as plain data, so that a recording can be resumed."""
        return None

    def restore(self, state: Any) -> None:
        """Go back to a state that `state` returned."""
        if state is not None:
            raise ProtocolError(
                f"{type(self).__name__} keeps no random state, and cannot restore {state!r}; None "
                "was expected."
            )

    def identity(self) -> Any:
        """Return plain data that identifies this arena.

        A recording is used only with the arena that made it.
        """
        return {"observable": self.observable, "decoy_gap": self.decoy_gap}

    def regret_rates(self) -> RegretRates | None:
        """Return what each item's and decoy's duels cost in regret, where the truth is known."""
        return None


class RegretRates(NamedTuple):
    """Distances to the front: of the items, and of their decoys if there are any."""

    items: Any
    """The distance of each item."""
    decoys: Any | None
    """The distance of each item's decoy; None if there are no decoys."""


def check_known(ask: Ask, items: Container[str], names: Sequence[str]) -> None:
    for name in (ask.left, ask.right):
        if name not in items:
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            raise InputError(
                f"This arena has no item {name!r}, which ask {ask.id} is about; its items are "
                f"{', '.join(map(repr, names[:5]))}{more}."
            )


class Wrapper(Arena):
    """Passes everything on to another arena."""

    def __init__(self, inner: Arena) -> None:
        _checks.instance("the arena inside", inner, Arena, "an Arena")
        self.inner = inner
        self.items = inner.items
        self.observable = inner.observable
        self.decoy_gap = inner.decoy_gap

    @property
    def allowance(self) -> int | None:
        return self.inner.allowance

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        return self.inner.answer(asks)

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        return self.inner.can_settle(message, allowance)

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        return self.inner.settle(message, allowance)

    def state(self) -> Any:
        return self.inner.state()

    def restore(self, state: Any) -> None:
        self.inner.restore(state)

    def identity(self) -> Any:
        return self.inner.identity()

    def regret_rates(self) -> RegretRates | None:
        return self.inner.regret_rates()


class Budgeted(Wrapper):
    """An arena that answers at most `budget` duels, including spare and skipped ones."""

    def __init__(self, inner: Arena, budget: int) -> None:
        super().__init__(inner)
        # Kernels count in 64 bits, and nobody plays that many duels.
        self._left = min(_checks.whole("budget", budget, least=0), 2**62)

    @property
    def allowance(self) -> int:
        """How many more duels will be answered."""
        inner = self.inner.allowance
        return self._left if inner is None else min(self._left, inner)

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        wanted = sum(ask.duels for ask in asks)
        if wanted > self.allowance:
            raise ProtocolError(
                f"{wanted} duels were asked for, but only {self.allowance} are left in the budget; "
                "ask for no more than `allowance`."
            )
        tallies = self.inner.answer(asks)
        self._left -= wanted
        return tallies

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        return self.inner.can_settle(message, self._limit(allowance))

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        outcome = self.inner.settle(message, self._limit(allowance))
        if isinstance(outcome, RaceOutcome):
            self._left -= int(outcome.counts.sum())
        elif isinstance(message, Round):
            self._left -= int((outcome - message.start).sum())
        return outcome

    def _limit(self, allowance: int | None) -> int:
        return self.allowance if allowance is None else min(allowance, self.allowance)


class CallableArena(Arena):
    """An arena that calls `judge(left, right)` once per duel.

    Args:
        items: The items' names.
        judge: Returns "left", "right", "tie", "incomparable" or "skipped".
        against_decoy: Judges the left item against the decoy of the right one; without it the
            arena has no decoys.
        decoy_gap: The gap of those decoys.
        observable: Whether `judge` returns "incomparable" for every incomparable pair.

    >>> arena = CallableArena(["ham", "spam"], lambda left, right: min(left, right) == left
    ...     and "left" or "right")
    >>> arena.answer([Ask(1, "ham", "spam", False, 3)])
    [Tally(left=3, right=0, tie=0, incomparable=0, skipped=0)]
    """

    def __init__(
        self,
        items: Sequence[str],
        judge: Judge,
        *,
        against_decoy: Judge | None = None,
        decoy_gap: float | None = None,
        observable: bool = False,
    ) -> None:
        self.items = _checks.item_names(items)
        _checks.function("judge", judge, optional=False)
        _checks.function("against_decoy", against_decoy)
        _checks.instance("observable", observable, bool, "yes or no (a bool)")
        self.observable = observable
        if (decoy_gap is None) != (against_decoy is None):
            raise ParameterError(
                "decoy_gap and against_decoy belong together; got "
                f"{'against_decoy' if decoy_gap is None else 'decoy_gap'} alone."
            )
        self.decoy_gap = None if decoy_gap is None else _checks.gap("decoy_gap", decoy_gap)
        self._judge = judge
        self._against_decoy = against_decoy

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        return [self._answer(ask) for ask in asks]

    def _answer(self, ask: Ask) -> Tally:
        check_known(ask, self.items, self.items)
        judge = self._judge
        if ask.decoy:
            if self._against_decoy is None:
                raise NotObservableError("This arena has no decoys; give it against_decoy.")
            judge = self._against_decoy
        return Tally.of(judge(ask.left, ask.right) for _ in range(ask.duels))
