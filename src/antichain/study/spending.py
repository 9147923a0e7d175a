"""How many votes and how much money a judge by code may still spend."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class Spending:
    """Budgets in votes and in money; calls under way are reserved.

    Attributes:
        max_votes: How many answers the study may have at most.
        max_cost: What they may cost at most.
        expected: What one more call may cost: as given, or the dearest so far. Until that is
            known there is one call at a time.
        votes: How many answers there are.
        spent: What was paid so far.
        under_way: How many calls have not come back, so that their price is not yet known.
    """

    max_votes: int | None
    max_cost: float | None
    expected: float | None
    votes: int = 0
    spent: float = 0.0
    under_way: int = 0

    def room(self) -> int | None:
        """How many more calls may begin now; None for any number."""
        rooms = []
        if self.max_votes is not None:
            rooms.append(self.max_votes - self.votes - self.under_way)
        if self.max_cost is not None:
            rooms.append(self._room_for_money(self.max_cost) - self.under_way)
        return None if not rooms else max(0, min(rooms))

    def _room_for_money(self, most: float) -> int:
        left = most - self.spent
        if left <= 0:
            return 0
        if self.expected is None:
            return 1
        if self.expected == 0:
            return 2**31
        # The rounding of many small prices must not cost the last call.
        return math.floor(left / self.expected + 1e-9)

    def reserve(self) -> None:
        """Note that a call begins."""
        self.under_way += 1

    def settle(self, cost: float, voted: bool) -> None:
        """Note that a call is over."""
        self.under_way -= 1
        self.votes += voted
        self.spent += cost
        if voted or cost:
            self.expected = max(self.expected or 0.0, cost)

    @property
    def price(self) -> float:
        """What to book for a call whose price will never be known."""
        return self.expected or 0.0
