"""Worlds with decoys that break the paper's construction, and what `RealDecoys` promises there."""

from __future__ import annotations

import numpy as np

import antichain as ac
from antichain.algorithms._rounds import Indices
from antichain.arenas._simulated import DegradedArena
from antichain.evidence._answers import Floats


class BoostedArena(DegradedArena):
    """Whoever is below an item beats its decoy by a fixed gap (docs/theory/errata.md, 6)."""

    boost = 0.3

    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        """As of a degraded arena but for items below."""
        chances = super().chances(lefts, rights, decoy)
        if not decoy:
            return chances
        below = self.model.gap_pairs(lefts, rights) < 0
        return np.where(below, 0.5 + self.boost, chances)


def broken_promises(model: ac.DuelModel, result: ac.Result, epsilon: float) -> list[str]:
    """Which of the guarantee's three statements do not hold of this result."""
    broken = []
    kept, front = set(result.front), set(model.front)
    pairs = {frozenset(pair) for pair in result.too_close}
    if not front <= kept:
        broken.append("a maximal item is out")
    for item in kept - front:
        above = [j for j in front & kept if 0 < model.gap(j, item) <= epsilon]
        if not any(frozenset((j, item)) in pairs for j in above):
            broken.append("a dominated item is kept and not named as too close")
            break
    if any(not 0 < abs(model.gap(*pair)) <= epsilon for pair in result.too_close):
        broken.append("a too-close pair is incomparable or too far apart")
    return broken
