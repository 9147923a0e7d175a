"""The paper's algorithms as plain loops: one duel at a time, no protocol, no leaps.

Written from the pseudocode as docs/theory/errata.md reads it, with the intervals spelled out; only
the random order of the items is shared with the package.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

Duel = Callable[[int, int, bool], bool]
"""Whether the first item wins against the second (or against the second's decoy)."""


@dataclass
class Book:
    """Every duel played, in order."""

    duel: Duel
    played: list[tuple[int, int, bool]] = field(default_factory=list)

    def __call__(self, left: int, right: int, decoy: bool = False) -> bool:
        self.played.append((left, right, decoy))
        return self.duel(left, right, decoy)

    def count(self, decoy: bool) -> int:
        """Duels against items, or against decoys."""
        return sum(against is decoy for _, _, against in self.played)


def interval(wins: int, duels: int, delta: float) -> tuple[float, float]:
    """Hoeffding's two-sided interval."""
    if not duels:
        return -math.inf, math.inf
    radius = math.sqrt(math.log(2 / delta) / (2 * duels))
    return wins / duels - radius, wins / duels + radius


def holds(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


def direct_comparison(a: int, b: int, wins: list[int], delta: float, eps: float, book: Book) -> str:
    """ ">", "<" or "=": the paper's direct comparison, going on from `wins` of a and of b."""
    while True:
        bounds = interval(wins[0], sum(wins), delta)
        if bounds[0] > 0.5:
            return ">"
        if bounds[1] < 0.5:
            return "<"
        if not (holds(0.5 + eps, bounds) or holds(0.5 - eps, bounds)):
            return "="
        wins[0 if book(a, b) else 1] += 1


def decoy_comparison(a: int, b: int, delta: float, gap: float, book: Book) -> str:
    """ ">", "<" or "=": the paper's decoy comparison, both directions in step."""
    first = second = duels = 0
    while True:
        above = interval(first, duels, delta / 2)
        below = interval(second, duels, delta / 2)
        if above[0] > 0.5:
            return ">"
        if below[0] > 0.5:
            return "<"
        if not (holds(0.5 + gap, above) or holds(0.5 + gap, below)):
            return "="
        first += book(a, b, True)
        second += book(b, a, True)
        duels += 1


def ubs_routine(items: list[int], compare: Callable[[int, int], str]) -> list[int]:
    """The pivots that remain."""
    pivots = items[:1]
    for candidate in items[1:]:
        said = [compare(candidate, pivot) for pivot in pivots]
        pivots = [pivot for pivot, word in zip(pivots, said, strict=True) if word != ">"]
        if "<" not in said:
            pivots.append(candidate)
    return pivots


def unchained_bandits(
    size: int, delta: float, gap: float | None, floor: float, seed: int, duel: Duel
) -> tuple[list[int], Book]:
    """The front, and every duel it took. γ = 0.9 and ε_0 = 0.5; `floor` is the last peel."""
    book = Book(duel)
    rng = np.random.default_rng(seed)
    peels = max(0, math.ceil(math.log(floor / 0.5) / math.log(0.9)))
    epochs = peels + (gap is not None)
    wins: dict[tuple[int, int], list[int]] = {}
    survivors = list(range(size))
    for t in range(1, peels + 1):
        eps, level = max(0.5 * 0.9**t, floor), delta / epochs / len(survivors) ** 2

        def direct(a: int, b: int, eps: float = eps, level: float = level) -> str:
            known = wins.setdefault((min(a, b), max(a, b)), [0, 0])
            seen = known if a < b else known[::-1]
            word = direct_comparison(a, b, seen, level, eps, book)
            known[:] = seen if a < b else seen[::-1]
            return word

        survivors = ubs_routine(rng.permutation(survivors).tolist(), direct)
    if gap is not None:
        last = delta / epochs / len(survivors) ** 2
        survivors = ubs_routine(
            rng.permutation(survivors).tolist(),
            lambda a, b: decoy_comparison(a, b, last, gap, book),
        )
    return sorted(survivors), book


def race(
    items: list[int],
    play: Callable[[int, int], tuple[bool, ...]],
    test: Callable[[list[int], int], str],
) -> list[int]:
    """The items left when all pairs were played in step, losers leaving with all their pairs.

    `play` says whether each direction of a pair was won; `test(wins, steps)` says ">", "<", "="
    or "" (go on).
    """
    pairs = list(combinations(items, 2))
    wins = {pair: [0, 0] for pair in pairs}
    gone: set[int] = set()
    steps = 0
    while pairs:
        steps += 1
        for pair in pairs:
            for direction, won in enumerate(play(*pair)):
                wins[pair][direction] += won
        still = []
        for a, b in pairs:
            word = "" if {a, b} & gone else test(wins[a, b], steps)
            if word in (">", "<"):
                gone.add(b if word == ">" else a)
            if not word:
                still.append((a, b))
        pairs = [pair for pair in still if not set(pair) & gone]
    return [item for item in items if item not in gone]


def uniform_sampling(size: int, delta: float, gap: float, duel: Duel) -> tuple[list[int], Book]:
    """The front by UniformSampling with decoys, and every duel it took."""
    book = Book(duel)
    cap = math.log(4 * size**2 / delta) / (2 * gap**2)
    level = delta / (2 * size**2)  # log(2/level) = log(4K²/δ)

    def direct(wins: list[int], duels: int) -> str:
        low, high = interval(wins[0], duels, level)
        return ">" if low > 0.5 else "<" if high < 0.5 else "=" if duels >= cap else ""

    def decoys(wins: list[int], duels: int) -> str:
        above, below = (interval(won, duels, level / 2) for won in wins)
        if above[0] > 0.5:
            return ">"
        if below[0] > 0.5:
            return "<"
        return "" if max(above[1], below[1]) >= 0.5 + gap else "="

    left = race(list(range(size)), lambda a, b: (book(a, b),), direct)
    left = race(left, lambda a, b: (book(a, b, True), book(b, a, True)), decoys)
    return left, book
