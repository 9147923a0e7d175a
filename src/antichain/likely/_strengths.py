"""Strengths of items on several criteria by the Bradley–Terry model: an estimate, no claim.

On each criterion item i beats j with the chance 1/(1 + exp(θ_j − θ_i)), the θ being independent
normal beforehand. The posterior is taken as normal around its mode (Laplace), and drawn from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antichain.likely._likely_front import MOST_ITEMS, best_set
from antichain.likely._pair_evidence import Floats

_SPREAD = 1.5  # the standard deviation of θ beforehand; set by hand
_STEPS = 50
_DRAWS = 500
_INTERVAL = (0.05, 0.95)


class SeveralLikely(NamedTuple):
    """How likely each item is to be on the front of several criteria, by the model.

    Attributes:
        chances: By item.
        front: The items whose set has the largest expected F1.
        expected_f1: That expected F1.
        exactly_right: How likely exactly these items are the front.
        qualities: By criterion and item, the mean chance to win against the other items: the
            middle, and the ends of an interval that holds nine in ten draws.
    """

    chances: Floats
    front: tuple[int, ...]
    expected_f1: float
    exactly_right: float
    qualities: Floats


def likely_by_strengths(
    wins: list[Floats], values: Floats, epsilon: float, seed: int = 0
) -> SeveralLikely | None:
    """Estimate the front from wins on each criterion; None if there are too many items.

    Args:
        wins: By criterion, how often each item (row) beat each other one; ties are half a win each.
        values: The attributes of each item, more being better; no columns if there are none.
        epsilon: The ε of "in" (docs/guides/criteria.md).
        seed: The same seed gives the same estimate.
    """
    size = len(values)
    if size > MOST_ITEMS:
        return None
    rng = np.random.default_rng(seed)
    drawn = [_draws(table, rng) for table in wins]
    no_worse = (values[:, None, :] >= values[None, :, :]).all(axis=2)
    better = no_worse & (values[:, None, :] > values[None, :, :]).any(axis=2)
    fronts = np.zeros((_DRAWS, size), np.bool_)
    qualities = np.zeros((len(wins), _DRAWS, size))
    for k in range(_DRAWS):
        chances = [1 / (1 + np.exp(θ[k][None, :] - θ[k][:, None])) for θ in drawn]
        for c, chance in enumerate(chances):
            qualities[c, k] = (chance.sum(axis=1) - 0.5) / max(1, size - 1)
        gaps = np.array(chances) - 0.5  # of the row over the column
        # Between what "out" and what "in" claim: not worse by more than ε, and not beaten at all.
        beaten = (gaps > -epsilon / 2).all(axis=0) & (better | (gaps > epsilon).any(axis=0))
        beaten &= no_worse
        fronts[k] = ~beaten.any(axis=0)
    chances = fronts.mean(axis=0)
    weights = np.full(_DRAWS, 1 / _DRAWS)
    front, expected = best_set(fronts.astype(np.int64), weights, chances)
    chosen = np.isin(np.arange(size), front)
    exactly = float((fronts == chosen).all(axis=1).mean())
    low, high = np.quantile(qualities, _INTERVAL, axis=1)
    middle = qualities.mean(axis=1)
    return SeveralLikely(
        chances, tuple(front.tolist()), expected, exactly, np.stack([middle, low, high], axis=2)
    )


def _draws(wins: Floats, rng: np.random.Generator) -> Floats:
    """Draws of the strengths, one row each."""
    size, precision = len(wins), 1 / _SPREAD**2
    votes, strengths = wins + wins.T, np.zeros(len(wins))
    curvature = np.eye(size) * precision
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        slope = (wins - votes * chance).sum(axis=1) - precision * strengths
        weight = votes * chance * (1 - chance)
        np.fill_diagonal(weight, 0.0)
        curvature = np.diag(weight.sum(axis=1) + precision) - weight
        step = np.linalg.solve(curvature, slope)
        strengths = strengths + step * min(1.0, 2.0 / max(1e-12, float(np.abs(step).max())))
        if float(np.abs(step).max()) < 1e-10:
            break
    noise = rng.standard_normal((size, _DRAWS))
    return np.asarray(strengths + np.linalg.solve(np.linalg.cholesky(curvature).T, noise).T)
