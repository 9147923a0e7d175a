"""How a run may end: twins of it, played to their ends in worlds that fit what it has seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from antichain import _checks, _pools
from antichain._run import play
from antichain.algorithms._counts import Counted, added
from antichain.algorithms._events import Script
from antichain.algorithms._rounds import Ask, Indices, Race, RaceOutcome, Round
from antichain.algorithms._search import Search
from antichain.arenas._arena import Arena, Wrapper
from antichain.errors import ParameterError
from antichain.evidence._answers import Counts, Tally
from antichain.forecast._posterior import MatrixWorld, Posterior

Run = TypeVar("Run")
Duel = tuple[str, str, bool]
"""Two items, and whether the second stands for its decoy."""

_LARGEST_SEED = 2**53
_NOTHING = Counted({}, {})


def duel(left: str, right: str, decoy: bool) -> Duel:
    """Return the duel of two items in the order of their names, or of an item against a decoy."""
    return (left, right, decoy) if decoy or left < right else (right, left, decoy)


class Rollout(NamedTuple):
    """One way a run may end.

    Attributes:
        duels: The number of duels still to be played.
        needed: The number for each pair, in the order in which the pairs come up.
        held: The number of duels in hand that the run will use as well.
    """

    duels: int
    needed: dict[Duel, int]
    held: int = 0


def rollouts(
    search: Search,
    runs: int,
    *,
    seed: int = 0,
    in_hand: Counted | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[Rollout]:
    """Simulate ways in which a run in progress may end; the arguments are those of `remaining`."""
    _checks.instance("search", search, Search, "a Search, as Algorithm.start makes it,")
    _checks.instance("in_hand", in_hand, Counted, "what Search.counts() gives", optional=True)
    method = search.algorithm
    if method.needs_observable:
        raise ParameterError(
            f"the run is one of {type(method).__name__} for fully observable posets, but to "
            "forecast what remains, one for partially observable posets was expected: the counts "
            "do not say which pairs were seen to be incomparable."
        )
    seed = _checks.whole("seed", seed, least=0)
    if search.finished:
        return [Rollout(0, {})] * runs
    in_hand = in_hand or _NOTHING
    posterior = Posterior.from_counts(
        search.items,
        added(search.counts(), in_hand),
        search.result().dominated,
        method.needs_decoys,
    )
    work = partial(_rollout, search.script(), posterior, in_hand, seed)
    return list(all_runs(work, runs, workers, progress))


def _rollout(
    script: Script, posterior: Posterior, in_hand: Counted, seed: int, run: int
) -> Rollout:
    rng = np.random.default_rng([seed, run])
    world = posterior.draw(rng)
    voters = MatrixWorld(posterior.items, world, posterior.decoy_gap, seed=draw_seed(rng))
    arena = _Watched(voters)
    twin = script.play()
    answered, counts = _answered(twin), twin.counts()
    out = twin.outstanding
    for ask, tally in zip(out, arena.answer(out), strict=True):
        twin.tell(ask, tally)
    play(twin, arena, None, None)
    played = _total(twin.counts()) - _total(counts)
    needed = played - _total(in_hand)
    held = played.total() - needed.total()
    in_order = {pair: needed[pair] for pair in arena.met() if pair in needed}
    return Rollout(_answered(twin) - answered - held, in_order, held)


class _Watched(Wrapper):
    """Records which pairs come up, and in which order."""

    def __init__(self, inner: Arena) -> None:
        super().__init__(inner)
        self._rounds: list[tuple[Indices, Indices, bool]] = []
        self._asked: dict[Duel, None] = {}

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        # Asks come before any round is settled.
        self._asked |= dict.fromkeys(duel(ask.left, ask.right, ask.decoy) for ask in asks)
        return super().answer(asks)

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        decoy = message.test.against_decoys
        self._rounds.append((message.lefts.copy(), message.rights.copy(), decoy))
        return super().settle(message, allowance)

    def met(self) -> dict[Duel, None]:
        """Return the pairs in the order in which they first came up."""
        pairs = dict(self._asked)
        for lefts, rights, decoy in self._rounds:
            ends = zip(lefts.tolist(), rights.tolist(), strict=True)
            pairs |= dict.fromkeys(duel(self.items[a], self.items[b], decoy) for a, b in ends)
        return pairs


def _answered(search: Search) -> int:
    """Count the duels answered so far, spare ones included, so that the number never falls."""
    result = search.result()
    return result.duels + result.spare


def _total(counts: Counted) -> Counter[Duel]:
    totals: Counter[Duel] = Counter()
    for table, decoy in zip(counts, (False, True), strict=True):
        for (left, right), numbers in table.items():
            totals[duel(left, right, decoy)] += sum(numbers)
    return totals


def draw_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(_LARGEST_SEED))


def all_runs(
    work: Callable[[int], Run],
    runs: int,
    workers: int,
    progress: Callable[[int], None] | None,
) -> Iterator[Run]:
    _checks.function("progress", progress)
    played = _pools.run_all(work, range(runs), _checks.whole("workers", workers))
    for done, run in enumerate(played, start=1):
        yield run
        if progress is not None:
            progress(done)
