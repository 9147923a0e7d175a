"""Orders of all kinds with gaps of all laws, and votes on them by all designs.

These are the worlds on which estimates from few votes are measured.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.orders import DuelModel
from antichain.orders import _generators as posets

Floats = NDArray[np.float64]

KINDS = ("total", "dominance-2", "dominance-3", "dominance-4", "chains", "layered")
GAPS = ("uniform", "minimum:0.1", "small:0.1", "bradley-terry:4")
DESIGNS = ("full", "sparse", "baseline", "unequal")


class MixedLog(NamedTuple):
    """Votes on a random world.

    Attributes:
        wins: How often the row's item beat the column's.
        gaps: The true gaps: antisymmetric, positive where the row's item is above.
        kind: The kind of order, one of `KINDS`.
        law: The law of gaps, one of `GAPS`.
        design: Which pairs were asked about, one of `DESIGNS`.
        per_pair: Votes per pair of items, on average.
    """

    wins: Floats
    gaps: Floats
    kind: str
    law: str
    design: str
    per_pair: float


def mixed_model(rng: np.random.Generator, size: int, kind: str, law: str) -> DuelModel:
    """A random order of about that many items."""
    seed = int(rng.integers(1 << 30))
    if kind == "total":
        return posets.total_order(size, seed, gaps=law)
    if kind == "chains":
        count = int(rng.integers(2, min(5, size)))
        cuts = np.sort(rng.choice(np.arange(1, size), count - 1, replace=False))
        lengths = np.diff(np.concatenate([[0], cuts, [size]]))
        return posets.chains(count, [int(length) for length in lengths], seed, gaps=law)
    if kind == "layered":
        front = int(rng.integers(1, max(2, size // 3) + 1))
        return posets.layered_of(size, front, seed, gaps=law)
    return posets.dominance(size, int(kind[-1]), seed, gaps=law)


def mixed_log(seed: int, size: int | None = None, per_pair: float | None = None) -> MixedLog:
    """A random world of 5 to 20 items, and half a vote to 16 votes per pair on it."""
    rng = np.random.default_rng(seed)
    drawn = int(rng.integers(5, 21))
    kind, law = str(rng.choice(KINDS)), str(rng.choice(GAPS, p=(0.3, 0.2, 0.25, 0.25)))
    design = str(rng.choice(DESIGNS))
    model = mixed_model(rng, size or drawn, kind, law)
    order = rng.permutation(model.size)
    gaps = model.gaps[np.ix_(order, order)]
    rate = float(0.5 * 32 ** rng.random())
    rate = per_pair or rate
    i, j = np.triu_indices(model.size, 1)
    weights = {
        "full": np.ones(i.size),
        "sparse": (rng.random(i.size) < 0.3) + 1e-6,
        "baseline": (i == 0) + 1e-6,
        "unequal": rng.exponential(size=i.size),
    }[design]
    counts = rng.multinomial(max(1, round(rate * i.size)), weights / weights.sum())
    if rng.random() < 0.3:
        counts = rng.binomial(counts, 0.7)  # the others are ties
    wins = np.zeros_like(gaps)
    wins[i, j] = rng.binomial(counts, 0.5 + gaps[i, j])
    wins[j, i] = counts - wins[i, j]
    return MixedLog(wins, gaps, kind, law, design, rate)
