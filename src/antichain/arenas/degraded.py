"""A simulated arena whose decoys are degraded versions rather than the paper's construction."""

from __future__ import annotations

from typing import Any

import numpy as np

from antichain import checks
from antichain.algorithms.rounds import Indices
from antichain.arenas.base import RegretRates
from antichain.arenas.simulated import SimulatedArena
from antichain.evidence.sequential import Floats
from antichain.orders.duel_law import Duels

_LARGEST = 0.49  # a chance stays a chance, however large gap and decoy gap are together


class DegradedArena(SimulatedArena):
    """Voters who see the decoy of an item as that item, worse by Δ.

    Against whatever is comparable to its original the decoy has the original's gap plus Δ: who
    beats b by 0.1 beats its decoy by 0.1 + Δ, and who is *below* b by less than Δ beats its decoy
    too. It is even with what its original is incomparable to. The paper's first three conditions
    on a decoy hold, its construction (and the fourth, docs/errata.md, 6) does not.

    Args:
        model: The order and its gaps.
        decoy_gap: Δ of the decoys.
        seed: Of the voters.
    """

    decoy_gap: float

    def __init__(self, model: Duels, decoy_gap: float, *, seed: int = 0) -> None:
        super().__init__(model, checks.gap("decoy_gap", decoy_gap), seed=seed)

    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        """One half plus the gap, and Δ more against a decoy where the pair is comparable."""
        if not decoy:
            return super().chances(lefts, rights, decoy=False)
        gaps = self.model.gap_pairs(lefts, rights)
        comparable = (gaps != 0) | (lefts == rights)
        worse = np.minimum(gaps + self.decoy_gap, _LARGEST)
        return 0.5 + np.where(comparable, worse, 0.0)

    def identity(self) -> Any:
        """As of a simulated arena, and that the decoys are degraded."""
        return super().identity() | {"decoys": "degraded"}

    def regret_rates(self) -> RegretRates:
        """Distances to the true front; a decoy is farther by Δ than its original."""
        items = self.model.distances()
        return RegretRates(items, np.minimum(items + self.decoy_gap, _LARGEST))
