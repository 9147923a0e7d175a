"""Simulated voters, who follow a model of duels or a matrix of chances."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antichain import _checks
from antichain._kernels import compiled, keyed_uniform
from antichain.algorithms._rounds import Ask, Indices
from antichain.arenas._arena import Arena, RegretRates
from antichain.arenas._leaping import LeapingArena
from antichain.errors import InputError, NotObservableError, ParameterError
from antichain.evidence._answers import Floats, Tally
from antichain.orders._duel_law import Duels, decoy_gap_pairs

_LARGEST = 0.49  # a chance stays a chance, however large gap and decoy gap are together
_ANSWERS = 0x616E7377


class SimulatedArena(LeapingArena):
    """Simulated voters who follow a `DuelModel` (or an implicit one).

    Args:
        model: The order and its gaps.
        decoy_gap: Δ of the decoys, built as in Proposition "Extending a poset with a decoy";
            None for no decoys.
        observable: Whether the poset is fully observable, so that an incomparable pair is answered
            "incomparable"; otherwise a duel of an incomparable pair is a fair coin.
        comparability_error: In a fully observable poset, how often voters say "cannot compare" of
            a pair that can be compared, or choose a side of one that cannot. Below ½.
        seed: The seed of the voters.
    """

    def __init__(
        self,
        model: Duels,
        decoy_gap: float | None = None,
        *,
        observable: bool = False,
        comparability_error: float = 0.0,
        seed: int = 0,
    ) -> None:
        _checks.instance("model", model, Duels, "a DuelModel, as ac.posets.layered gives it,")
        _checks.instance("observable", observable, bool, "yes or no (a bool)")
        super().__init__(model.items, seed)
        self.model = model
        if comparability_error:
            _checks.between("comparability_error", comparability_error, 0.0, 0.5)
            if not observable:
                raise ParameterError(
                    "comparability_error is given, but only voters in a fully observable arena "
                    "(observable=True) say what can be compared."
                )
        self.comparability_error = comparability_error
        self.observable = observable
        self.decoy_gap = None if decoy_gap is None else _checks.gap("decoy_gap", decoy_gap)

    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        if not decoy:
            return 0.5 + self.model.gap_pairs(lefts, rights)
        if self.decoy_gap is None:
            raise NotObservableError("This arena has no decoys; give it a decoy_gap.")
        return 0.5 + decoy_gap_pairs(self.model, lefts, rights, self.decoy_gap)

    def observed_incomparable(self, lefts: Indices, rights: Indices) -> NDArray[np.bool_]:
        if not self.observable:
            return super().observed_incomparable(lefts, rights)
        incomparable: NDArray[np.bool_] = self.model.gap_pairs(lefts, rights) == 0
        incomparable &= lefts != rights
        return incomparable

    def identity(self) -> Any:
        picks = np.random.default_rng(0).integers(self.model.size, size=(2, 1000))
        gaps = self.model.gap_pairs(picks[0], picks[1])
        found = super().identity() | {"gaps": hashlib.sha256(gaps.tobytes()).hexdigest()[:16]}
        if self.comparability_error:
            found["comparability_error"] = self.comparability_error
        return found

    def regret_rates(self) -> RegretRates:
        decoys = None
        if self.decoy_gap is not None:
            decoys = self.model.decoy_distances(self.decoy_gap)
        return RegretRates(self.model.distances(), decoys)


class MatrixArena(LeapingArena):
    """Simulated voters who follow a matrix of chances, whether or not it fits an order.

    Args:
        matrix: P[i][j], the chance that item i wins against item j; P[j][i] = 1 − P[i][j].
        items: The items' names; numbered from 1 if not given.
        seed: The seed of the voters.
    """

    def __init__(
        self, matrix: ArrayLike, items: Sequence[str] | None = None, *, seed: int = 0
    ) -> None:
        self._matrix = _checked_chances(matrix)
        size = self._matrix.shape[0]
        names = (
            [f"item {k + 1}" for k in range(size)] if items is None else _checks.item_names(items)
        )
        if len(names) != size:
            raise InputError(
                f"A {size}×{size} matrix of chances needs {size} names; got {len(names)}."
            )
        super().__init__(names, seed)

    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        if decoy:
            raise NotObservableError("A matrix of chances has no decoys.")
        chances: Floats = self._matrix[lefts, rights]
        return chances


def _checked_chances(matrix: ArrayLike) -> Floats:
    try:
        array = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"A matrix of chances is a square table of numbers; got {type(matrix).__name__} that "
            "numpy cannot read as one."
        ) from None
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise InputError(f"A matrix of chances is square; got shape {array.shape}.")
    # A NaN fails both comparisons, so that it is caught here too.
    bad = ~((array >= 0) & (array <= 1) & (np.abs(array + array.T - 1) < 1e-9))
    np.fill_diagonal(bad, False)
    if bad.any():
        i, j = (int(k) for k in np.argwhere(bad)[0])
        raise InputError(
            f"Chances lie in [0, 1] and those of a pair add up to 1; row {i + 1}, column {j + 1} "
            f"has {float(array[i, j])!r} and its mirror {float(array[j, i])!r}."
        )
    return array


class DegradedArena(SimulatedArena):
    """Voters who see the decoy of an item as that item, worse by Δ.

    Against any item that is comparable to its original, the decoy has the original's gap plus Δ: an
    item that beats b by 0.1 beats b's decoy by 0.1 + Δ, and an item *below* b by less than Δ beats
    b's decoy too. The decoy is even with items that are incomparable to its original. The paper's
    first three conditions on a decoy hold; the fourth (docs/theory/errata.md, 6) does not.

    Args:
        model: The order and its gaps.
        decoy_gap: Δ of the decoys.
        seed: The seed of the voters.
    """

    decoy_gap: float

    def __init__(self, model: Duels, decoy_gap: float, *, seed: int = 0) -> None:
        super().__init__(model, _checks.gap("decoy_gap", decoy_gap), seed=seed)

    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        if not decoy:
            return super().chances(lefts, rights, decoy=False)
        gaps = self.model.gap_pairs(lefts, rights)
        comparable = (gaps != 0) | (lefts == rights)
        worse = np.minimum(gaps + self.decoy_gap, _LARGEST)
        return 0.5 + np.where(comparable, worse, 0.0)

    def identity(self) -> Any:
        return super().identity() | {"decoys": "degraded"}

    def regret_rates(self) -> RegretRates:
        items = self.model.distances()
        return RegretRates(items, np.minimum(items + self.decoy_gap, _LARGEST))


class KeyedArena(Arena):
    """The voters of a `SimulatedArena`, with answers that do not depend on who asks first.

    However the duels of a run are ordered, split into bundles or interleaved, the k-th duel of
    a pair comes out the same: common random numbers for comparing algorithms, and the touchstone
    of the ask/tell contract.

    Args:
        arena: The arena whose chances to follow.
        seed: The seed of the answers.
        tie_chance: The chance that a duel is a tie, the same for every pair.
    """

    def __init__(self, arena: SimulatedArena, seed: int = 0, tie_chance: float = 0.0) -> None:
        _checks.instance("arena", arena, SimulatedArena, "a SimulatedArena")
        if tie_chance:
            _checks.probability("tie_chance", tie_chance)
        if arena.comparability_error:
            raise ParameterError(
                f"comparability_error is {arena.comparability_error!r}, but voters with keyed "
                "answers never err about what can be compared: 0 was expected."
            )
        self._arena = arena
        # Gaps and coins are keyed as well, and may be given the same seed.
        self._seed = _checks.whole("seed", seed, least=0) % 2**63 ^ _ANSWERS
        self._tie_chance = tie_chance
        self._asked: dict[tuple[int, int, bool], int] = {}
        self.items = arena.items
        self.observable = arena.observable
        self.decoy_gap = arena.decoy_gap

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
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
        return [[*pair, asked] for pair, asked in self._asked.items()]

    def restore(self, state: Any) -> None:
        try:
            self._asked = {(a, b, decoy): asked for a, b, decoy, asked in state}
        except (TypeError, ValueError) as cause:
            raise InputError(
                f"{state!r} is not a state of a keyed arena; one returned by state() was expected."
            ) from cause

    def regret_rates(self) -> RegretRates:
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
