"""Simulated arenas over a model of duels, and over a bare matrix of chances."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antichain import checks
from antichain.algorithms.rounds import Indices
from antichain.arenas.base import RegretRates
from antichain.arenas.leaping import LeapingArena
from antichain.errors import InputError, NotObservableError
from antichain.evidence.sequential import Floats
from antichain.orders.duel_law import Duels, decoy_gap_pairs


class SimulatedArena(LeapingArena):
    """Voters who follow a `DuelModel` (or an implicit one).

    Args:
        model: The order and its gaps.
        decoy_gap: Δ of the decoys, built as in Proposition "Extending a poset with a decoy";
            None for no decoys.
        observable: Fully observable: an incomparable pair is answered "incomparable". Otherwise
            partially observable: it is a fair coin.
        seed: Of the voters.
    """

    def __init__(
        self,
        model: Duels,
        decoy_gap: float | None = None,
        *,
        observable: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(model.items, seed)
        self.model = model
        self.observable = observable
        self.decoy_gap = None if decoy_gap is None else checks.gap("decoy_gap", decoy_gap)

    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        """One half plus the gap."""
        if not decoy:
            return 0.5 + self.model.gap_pairs(lefts, rights)
        if self.decoy_gap is None:
            raise NotObservableError("This arena has no decoys; give it a decoy_gap.")
        return 0.5 + decoy_gap_pairs(self.model, lefts, rights, self.decoy_gap)

    def observed_incomparable(self, lefts: Indices, rights: Indices) -> NDArray[np.bool_]:
        """Pairs with no gap, where that shows."""
        if not self.observable:
            return super().observed_incomparable(lefts, rights)
        incomparable: NDArray[np.bool_] = self.model.gap_pairs(lefts, rights) == 0
        incomparable &= lefts != rights
        return incomparable

    def identity(self) -> Any:
        """Its setting, and a digest of the gaps of a thousand pairs."""
        picks = np.random.default_rng(0).integers(self.model.size, size=(2, 1000))
        gaps = self.model.gap_pairs(picks[0], picks[1])
        return super().identity() | {"gaps": hashlib.sha256(gaps.tobytes()).hexdigest()[:16]}

    def regret_rates(self) -> RegretRates:
        """Distances to the true front."""
        decoys = None
        if self.decoy_gap is not None:
            decoys = self.model.decoy_distances(self.decoy_gap)
        return RegretRates(self.model.distances(), decoys)


class MatrixArena(LeapingArena):
    """Voters who follow a matrix of chances, order or no order.

    Args:
        matrix: P[i][j], the chance that item i wins against item j; P[j][i] = 1 − P[i][j].
        items: Names; numbered from 1 if not given.
        seed: Of the voters.
    """

    def __init__(
        self, matrix: ArrayLike, items: Sequence[str] | None = None, *, seed: int = 0
    ) -> None:
        self._matrix = _checked_chances(matrix)
        size = self._matrix.shape[0]
        names = [f"item {k + 1}" for k in range(size)] if items is None else list(items)
        if len(names) != size:
            raise InputError(
                f"A {size}×{size} matrix of chances needs {size} names; got {len(names)}."
            )
        super().__init__(names, seed)

    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        """As the matrix says."""
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
