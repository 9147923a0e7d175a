"""An arena in five lines: a Python function answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from antichain import checks
from antichain.algorithms.rounds import Ask
from antichain.arenas.arena import Arena, check_known
from antichain.errors import NotObservableError, ParameterError
from antichain.evidence.answers import Answer, Tally

Judge = Callable[[str, str], Answer | str]


class CallableArena(Arena):
    """Calls `judge(left, right)` once per duel.

    Args:
        items: The items' names.
        judge: Returns "left", "right", "tie", "incomparable" or "skipped".
        against_decoy: Judges the left item against the decoy of the right one; without it the
            arena has no decoys.
        decoy_gap: The gap of those decoys.
        observable: Whether `judge` returns "incomparable" for every pair that is.

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
        self.items = tuple(items)
        self.observable = observable
        if (decoy_gap is None) != (against_decoy is None):
            raise ParameterError(
                "decoy_gap and against_decoy belong together; got "
                f"{'against_decoy' if decoy_gap is None else 'decoy_gap'} alone."
            )
        self.decoy_gap = None if decoy_gap is None else checks.gap("decoy_gap", decoy_gap)
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
