"""Which pair a voter is asked about next: by the last plan, and never the same one soon again."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from antichain._kernels import keyed_uniform
from antichain.algorithms._certifying import Wish
from antichain.study._records import AskRecord

UNDONE = 20  # how many answers back a voter can go
_DRAWS = 60  # pairs drawn, where no plan is there yet, to find one that a voter has not met
_REMEMBERED = 5_000  # asks that were handed out since the last plan


class AskPlan(NamedTuple):
    """What is worth asking, as it was after some line of the records.

    Attributes:
        line: That line.
        wanted: Duels that are worth asking for, each once, best first.
        others: Pairs that are of use, and may be asked for more than once.
        finished: Whether nothing is left to ask.
    """

    line: int
    wanted: list[Wish]
    others: list[Wish]
    finished: bool


@dataclass(slots=True)
class Sitter:
    """A voter, as the desk knows them."""

    name: str = ""
    answered: int = 0
    met: dict[int, int] = field(default_factory=dict)  # how often each pair
    holds: list[int] = field(default_factory=list)  # asks, the oldest first
    recent: deque[tuple[int, AskRecord]] = field(default_factory=lambda: deque(maxlen=UNDONE))
    last: int = -1  # the pair that was last answered or skipped
    unchecked: int = 0  # asks since attention was last checked
    left_out: bool = False


class AskPlanner:
    """Chooses pairs by the plan it was last given; until there is one, pairs are drawn.

    Args:
        items: The items' names.
        criteria: What is asked about them, where there are several questions.
        seed: Of the pairs that are drawn.
    """

    def __init__(self, items: Iterable[str], criteria: Iterable[str], seed: int) -> None:
        self.items, self._criteria = list(items), tuple(criteria)
        self._seed, self._draws = seed, 0
        self._index = {name: k for k, name in enumerate(self.items)}
        self.given: AskPlan | None = None  # the plan as it came
        self._wanted: list[tuple[int, Wish]] = []
        self._others: dict[int, Wish] = {}
        self._uses: dict[int, int] = {}  # how often each of the others was taken
        self._handed: deque[tuple[int, int]] = deque(maxlen=_REMEMBERED)  # lines and pairs
        self._changed = 0  # the line of the last change after which a finished study may go on
        self.finished = False

    def __contains__(self, item: str) -> bool:
        return item in self._index

    def add(self, item: str) -> None:
        self._index[item] = len(self.items)
        self.items.append(item)

    def pair(self, ask: AskRecord | Wish) -> int:
        """A number for the pair and what is asked about it."""
        one, other = self._index[ask.left], self._index[ask.right]
        about = self._criteria.index(ask.criterion) if ask.criterion in self._criteria else 0
        return about << 40 | min(one, other) << 20 | max(one, other)

    def note_handed(self, line: int, ask: AskRecord) -> None:
        self._handed.append((line, self.pair(ask)))

    def go_on(self, line: int) -> None:
        """The record in that line may have opened a finished study again."""
        self._changed, self.finished = line, False

    def take(self, plan: AskPlan) -> None:
        """Go by this plan from now on, less what was handed out since it was made."""
        self.given, self._uses = plan, {}
        self._wanted = [(self.pair(wish), wish) for wish in plan.wanted]
        self._others = {self.pair(wish): wish for wish in plan.others}
        self.finished = plan.finished and plan.line >= self._changed
        since = [entry for entry in self._handed if entry[0] > plan.line]
        self._handed = deque(since, maxlen=_REMEMBERED)
        for _, pair in since:
            place = next((k for k, entry in enumerate(self._wanted) if entry[0] == pair), None)
            if place is not None:
                del self._wanted[place]

    def next_wish(self, sitter: Sitter, held: Collection[int]) -> Wish | None:
        """The duel for this voter: one they have not met, if any such is of use.

        Args:
            sitter: The voter.
            held: Pairs that the voter has been handed.
        """
        for place, (pair, wish) in enumerate(self._wanted):
            if pair not in sitter.met and pair not in held:
                del self._wanted[place]
                return wish
        met, uses, last = sitter.met, self._uses, sitter.last
        known = (pair for pair in self._others if pair not in held)
        best = min(
            known,
            key=lambda pair: (met.get(pair, 0), pair == last, uses.get(pair, 0)),
            default=None,
        )
        if best is None:
            return None if self.finished else self._drawn(sitter, held)
        self._uses[best] = uses.get(best, 0) + 1
        return self._others[best]

    def _drawn(self, sitter: Sitter, held: Collection[int]) -> Wish | None:
        """Two items at random, which this voter has not met together if that can be."""
        found, size = None, len(self.items)
        for _ in range(_DRAWS):
            self._draws += 1
            one, other = (
                int(keyed_uniform(self._seed % 2**63, size, self._draws, k) * size) for k in (1, 2)
            )
            if one == other:
                continue
            about = self._criteria[self._draws % len(self._criteria)] if self._criteria else None
            wish = Wish(self.items[one], self.items[other], False, about)
            pair = self.pair(wish)
            if pair in held:
                continue
            if pair not in sitter.met:
                return wish
            if found is None or pair != sitter.last:
                found = wish
        return found
