"""An arena whose k-th answer of a pair is a function of (seed, pair, k)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antichain import checks
from antichain.algorithms.rounds import Ask
from antichain.arenas.base import Arena, RegretRates
from antichain.arenas.simulated import SimulatedArena
from antichain.errors import InputError
from antichain.evidence.answers import Tally
from antichain.kernels import compiled, keyed_uniform

_ANSWERS = 0x616E7377


class KeyedArena(Arena):
    """The voters of a `SimulatedArena`, with answers that do not depend on who asks first.

    However the duels of a run are ordered, split into bundles or interleaved, the k-th duel of
    a pair comes out the same: common random numbers for comparing algorithms, and the touchstone
    of the ask/tell contract.

    Args:
        arena: Whose chances to follow.
        seed: Of the answers.
        tie_chance: The chance that a duel is a tie, whoever meets.
    """

    def __init__(self, arena: SimulatedArena, seed: int = 0, tie_chance: float = 0.0) -> None:
        if tie_chance:
            checks.probability("tie_chance", tie_chance)
        self._arena = arena
        # Gaps and coins are keyed as well, and may be given the same seed.
        self._seed = checks.whole("seed", seed, least=0) % 2**63 ^ _ANSWERS
        self._tie_chance = tie_chance
        self._asked: dict[tuple[int, int, bool], int] = {}
        self.items = arena.items
        self.observable = arena.observable
        self.decoy_gap = arena.decoy_gap

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        """The next answers of each pair."""
        return [self._answer(ask) for ask in asks]

    def _answer(self, ask: Ask) -> Tally:
        left, right = self._arena._look_up(ask)
        if not ask.decoy and self._arena.observed_incomparable(left, right)[0]:
            return Tally(incomparable=ask.duels)
        a, b = int(left[0]), int(right[0])
        # A pair of items is one stream, whoever stands on the left.
        turned = not ask.decoy and a > b
        if turned:
            left, right, a, b = right, left, b, a
        key = (a, b, ask.decoy)
        first = self._asked.get(key, 0)
        self._asked[key] = first + ask.duels
        chance = float(self._arena.chances(left, right, ask.decoy)[0])
        pair = (a * len(self.items) + b) * 2 + ask.decoy
        wins, ties = _count(self._seed, pair, first, ask.duels, chance, self._tie_chance)
        losses = ask.duels - wins - ties
        return Tally(losses, wins, ties) if turned else Tally(wins, losses, ties)

    def state(self) -> Any:
        """How many answers each pair has given."""
        return [[*pair, asked] for pair, asked in self._asked.items()]

    def restore(self, state: Any) -> None:
        """Go on where each pair was."""
        try:
            self._asked = {(a, b, decoy): asked for a, b, decoy, asked in state}
        except (TypeError, ValueError) as cause:
            raise InputError(
                f"{state!r} is not a state of a keyed arena; one returned by state() was expected."
            ) from cause

    def regret_rates(self) -> RegretRates:
        """Those of the arena it follows."""
        return self._arena.regret_rates()


@compiled
def _count(
    seed: int, pair: int, first: int, duels: int, chance: float, tie_chance: float
) -> tuple[int, int]:
    wins = ties = 0
    for k in range(first, first + duels):
        if tie_chance > 0.0 and keyed_uniform(seed, pair, 1, k) < tie_chance:
            ties += 1
        elif keyed_uniform(seed, pair, 0, k) < chance:
            wins += 1
    return wins, ties
