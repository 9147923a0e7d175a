"""Worlds made to hurt `Witness`: small, so that tens of thousands of runs are affordable.

Prices are changed so that witnesses are sought whatever they cost: at such small sizes they
would hardly ever pay, and the part of the proof that is about them would go untried.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import antichain as ac
from antichain.algorithms.witness import _choice, _witness
from tests.guarantees.error_rates import with_equal_gaps

DECOY_GAP = 0.1


@contextmanager
def witnesses_at_any_price() -> Iterator[None]:
    """Look for witnesses, certify and use them even where that cannot pay."""
    kept = _witness._LOOKING, _witness._FIRST_LOOK, _choice._CERTIFIABLE, _choice._LONGEST_LOOK
    _witness._LOOKING, _witness._FIRST_LOOK = 1e9, 4
    _choice._CERTIFIABLE, _choice._LONGEST_LOOK = 1e9, 0.2
    try:
        yield
    finally:
        _witness._LOOKING, _witness._FIRST_LOOK = kept[:2]
        _choice._CERTIFIABLE, _choice._LONGEST_LOOK = kept[2:]


def fan(tops: int, bottoms: int, gap: float, tiny: tuple[tuple[int, int], ...]) -> ac.DuelModel:
    """Tops above all bottoms by `gap`, but for the pairs in `tiny`, where it is 1e-6."""
    names = [f"top-{k}" for k in range(tops)] + [f"low-{k}" for k in range(bottoms)]
    above = np.zeros((tops + bottoms,) * 2, np.bool_)
    above[:tops, tops:] = True
    gaps = np.where(above, gap, 0.0)
    for top, low in tiny:
        gaps[top, tops + low] = 1e-6
    return ac.DuelModel(ac.Poset(tuple(names), above), gaps - gaps.T)


def suspects(near: int, lows: int) -> ac.DuelModel:
    """One item a hair above `near` others; all of them above common lows by large gaps.

    Every near-dominated item reaches the decoys, each may be kept wrongly, and one stream of the
    top item against a low's decoy would clear all of them at once.
    """
    names = ["best", *(f"near-{k}" for k in range(near)), *(f"low-{k}" for k in range(lows))]
    size = 1 + near + lows
    above = np.zeros((size, size), np.bool_)
    above[0, 1:] = True
    above[1 : 1 + near, 1 + near :] = True
    gaps = np.where(above, 0.4, 0.0)
    gaps[0, 1:] = 1e-6  # looks even with everything, lows included
    return ac.DuelModel(ac.Poset(tuple(names), above), gaps - gaps.T)


WORLDS = {
    "all gaps at the decoys' own": with_equal_gaps(ac.posets.layered(3, 3, 3, seed=1), DECOY_GAP),
    "just below a grid point": with_equal_gaps(ac.posets.layered(3, 3, 2, seed=2), 0.0999),
    "just above a grid point": with_equal_gaps(ac.posets.layered(3, 3, 2, seed=2), 0.1501),
    "near-dominators": with_equal_gaps(ac.posets.layered(3, 4, 2, seed=3, parents="all"), 1e-6),
    "chains with a shared tiny gap": with_equal_gaps(ac.posets.chains(3, 2), 1e-6),
    # Each top looks even with one low it is above: no witness, but taken for one.
    "witnesses that are dominated": fan(3, 3, 0.4, ((0, 0), (1, 1), (2, 2))),
    "retries": fan(3, 4, 0.4, ((0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1))),
    "one witness for all pairs": suspects(near=3, lows=2),
    "incomparable": ac.posets.antichain(5),
    "two items, tiny gap": with_equal_gaps(ac.posets.total_order(2), 1e-6),
}
