"""What an arena is: somebody who answers duels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from antichain.algorithms.rounds import Ask, Race, RaceOutcome, Round
from antichain.errors import ProtocolError
from antichain.evidence.answers import Tally
from antichain.evidence.sequential import Counts


class Arena(ABC):
    """Answers asks. All but `items` and `answer` has a default that suits people and scripts.

    Attributes:
        items: The items' names.
        observable: Whether a duel of an incomparable pair is answered "incomparable".
        decoy_gap: The gap of the decoys on offer, or None if there are none.
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
        """A tally for each ask, in the same order."""

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        """Whether `settle` can play `message` by itself, within so many duels."""
        return False

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        """Play a whole round (or race) by itself, with the law that asking would have.

        With an allowance (None: no limit) the play ends where it is used up.
        """
        raise ProtocolError(f"{type(self).__name__} answers asks only.")

    def state(self) -> Any:
        """The arena's random state as plain data, so that a recording can be taken up again."""
        return None

    def restore(self, state: Any) -> None:
        """Go back to a state given by `state`."""
        if state is not None:
            raise ProtocolError(f"{type(self).__name__} keeps no random state to restore.")

    def identity(self) -> Any:
        """Plain data that tells this arena from another: a recording must not change hands."""
        return {"observable": self.observable, "decoy_gap": self.decoy_gap}

    def regret_rates(self) -> RegretRates | None:
        """What each item's and decoy's duels cost in regret, where the truth is known."""
        return None


class RegretRates:
    """Distances to the front: of the items, and of their decoys if there are any."""

    def __init__(self, items: Any, decoys: Any | None) -> None:
        self.items = items
        self.decoys = decoys
