"""What the votes on each pair say by themselves: that one item is above, and by how much.

A law of gaps says how far apart two comparable items are. Under the laws of independent gaps each
pair has a gap of its own, uniform in a range; its votes then give the likelihood ratio of "the
first is above" to "even", and what is known of the gap if so. Under the Bradley-Terry laws gaps
follow from the items' places, so that only the counts are kept here.

Nothing here is compiled; the kernels read these tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

LAWS = ((0.0, 0.5), (0.05, 0.5), (0.1, 0.5), (0.0, 0.1), (0.0, 0.1), (0.0, 0.25))
"""The ranges of gaps that are independent and uniform: wide ones, then small ones.

One occurs twice, since laws are equally likely beforehand. After them come the spreads below.
"""
SPREADS = (2.0, 4.0, 8.0)
"""Bradley-Terry laws: an item's strength is the mean of its coordinates times the spread."""
FAMILY = 3
"""Laws of each family: wide gaps, small gaps, Bradley-Terry."""
FAMILIES = (len(LAWS) + len(SPREADS)) // FAMILY

MOST_PER_PAIR = 10_000.0
"""A pair with more votes counts as if it had so many: more would not move any chance."""
_CELLS = 96  # of the range of a law; set by hand, finer than 10,000 votes can tell apart
_RATES = 12  # midpoints of a range of rates of "cannot compare"


class Evidence(NamedTuple):
    """The log-likelihood of the votes on each ordered pair, relative to an even pair.

    Attributes:
        above: If the first is above the second, for each law of independent gaps.
        below: If the second is above the first: `above` with the two exchanged.
        votes: Votes on the pair, symmetric.
        lost: Wins of the second over the first.
        comparable: What answers "cannot compare" add if the two are comparable.
    """

    above: Floats
    below: Floats
    votes: Floats
    lost: Floats
    comparable: Floats

    def minus(self, other: Evidence) -> Evidence:
        return Evidence(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))

    def towards(self, difference: Evidence, share: float) -> Evidence:
        """This and a share of a difference: every part is linear in what it stands for."""
        return Evidence(*(a + share * b for a, b in zip(self, difference, strict=True)))


class GapTables(NamedTuple):
    """What is known of a gap if the first is above the second, for each law of independent gaps.

    Attributes:
        beyond: The chance that the gap exceeds ε (first) or the ε of other items (second).
        mean: The mean gap.
        spread: Its variance.
        lean: The covariance of the gap and of "it exceeds", as in `beyond`.
        limits: The two ε themselves.
    """

    beyond: Floats
    mean: Floats
    spread: Floats
    lean: Floats
    limits: Floats


def no_evidence(size: int) -> Evidence:
    """Before any vote."""
    tables = np.zeros((2, len(LAWS), size, size))
    counts = np.zeros((3, size, size))
    return Evidence(*tables, *counts)


def weigh(
    wins: Floats, cannot: Floats | None, limits: tuple[float, float]
) -> tuple[Evidence, GapTables]:
    """The evidence in a matrix of wins and one of answers "cannot compare" (symmetric)."""
    votes = wins + wins.T
    wins = wins * np.minimum(1.0, MOST_PER_PAIR / np.maximum(votes, 1.0))
    size, many = len(wins), len(LAWS)
    above, mean, spread = (np.zeros((many, size, size)) for _ in range(3))
    beyond, lean = np.zeros((2, many, size, size)), np.zeros((2, many, size, size))
    for law, (low, high) in enumerate(LAWS):
        edges = np.linspace(low, high, _CELLS + 1)
        gaps = (edges[:-1] + edges[1:]) / 2
        logs = np.multiply.outer(np.log1p(2 * gaps), wins)
        logs += np.multiply.outer(np.log1p(-2 * gaps), wins.T)
        top = logs.max(axis=0)
        shares = np.exp(logs - top)
        total = shares.sum(axis=0)
        shares /= total
        above[law] = top + np.log(total / _CELLS)
        mean[law] = np.tensordot(gaps, shares, 1)
        spread[law] = np.maximum(np.tensordot(gaps**2, shares, 1) - mean[law] ** 2, 0.0)
        for which, limit in enumerate(limits):
            # A midpoint stands for its whole cell.
            part = np.clip((edges[1:] - limit) / (edges[1:] - edges[:-1]), 0.0, 1.0)
            beyond[which, law] = np.tensordot(part, shares, 1)
            lean[which, law] = np.tensordot(part * gaps, shares, 1)
            lean[which, law] -= beyond[which, law] * mean[law]
    comparable = _comparable(wins, cannot)
    above += comparable
    below = np.ascontiguousarray(above.transpose(0, 2, 1))
    lost = np.ascontiguousarray(wins.T)
    evidence = Evidence(above, below, wins + wins.T, lost, comparable)
    return evidence, GapTables(beyond, mean, spread, lean, np.array(limits))


def _comparable(wins: Floats, cannot: Floats | None) -> Floats:
    """What "cannot compare" says of a pair: rates of at most 1/3 if comparable, else 2/3 or more.

    The rates are uniform in these ranges. Where nobody said so at all, voters perhaps could not.
    """
    if cannot is None or not cannot.any():
        return np.zeros_like(wins)
    compared = wins + wins.T
    scale = np.minimum(1.0, MOST_PER_PAIR / np.maximum(compared + cannot, 1.0))
    low = (np.arange(_RATES) + 0.5) / _RATES / 3

    def log_mean(rates: Floats) -> Floats:
        logs = np.multiply.outer(np.log(rates), cannot * scale)
        logs += np.multiply.outer(np.log1p(-rates), compared * scale)
        top = logs.max(axis=0)
        return np.asarray(top + np.log(np.exp(logs - top).mean(axis=0)))

    return log_mean(low) - log_mean(1 - low)
