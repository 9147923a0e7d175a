"""Many tables of scores grown unit by unit, each stopped once something false is certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from antichain.evidence._bet import Bet, total
from tests.guarantees.certify_runs import Evidence, Floats, Rules, World, false_claims
from tests.guarantees.error_rates import ErrorCount

_BLOCK = 500  # runs at a time, for the sake of memory

Draw = Callable[[tuple[int, int], np.random.Generator], Floats]


@dataclass(frozen=True)
class ScoreWorld:
    """How units score: `draw` gives scores by run, unit and item, NaN where one is missing.

    `world` says which gaps that makes between items, whose units compare every two they scored.
    """

    world: World
    draw: Draw


def compared(scores: Floats, pairs: np.ndarray) -> Floats:
    """The score of the first item of each pair (last axis), NaN where one of the two is missing."""
    lead = scores[..., pairs[:, 0]] - scores[..., pairs[:, 1]]
    return np.where(np.isnan(lead), np.nan, 0.5 + np.sign(lead) / 2)


def unit_evidence(world: World, scores: Floats) -> list[Evidence]:
    """The evidence of each run after each unit, from scores by run, unit and item."""
    won = compared(scores, world.pairs)
    both = np.stack([won, 1 - won], axis=-1)
    above, within = _grown(Bet.open_ended(), both), _grown(Bet.against_gap(world.epsilon), both)
    pooled = _grown(Bet.open_ended(), 1 - item_means(world, won))
    silent = np.zeros(above[:, 0, :, 0].shape)
    return [
        Evidence(above[:, k], within[:, k], pooled[:, k], silent, silent, silent)
        for k in range(scores.shape[1])
    ]


def item_means(world: World, won: Floats) -> Floats:
    """The mean score of each item of a unit over all that it met, NaN where it met none."""
    found = []
    for item in range(world.size):
        first, second = world.pairs[:, 0] == item, world.pairs[:, 1] == item
        mine = np.concatenate([won[..., first], 1 - won[..., second]], axis=-1)
        met = (~np.isnan(mine)).sum(axis=-1)
        mean = np.nansum(mine, axis=-1) / np.maximum(met, 1)
        found.append(np.where(met > 0, mean, np.nan))
    return np.stack(found, axis=-1)


def _grown(bet: Bet, scores: Floats) -> Floats:
    """The log-evidence after each unit (second axis); what is missing changes nothing."""
    steps = np.log1p(np.multiply.outer(scores - bet.centre, bet.stakes))
    terms = np.nan_to_num(steps).cumsum(axis=1) + np.log(bet.weights)
    return total(terms.reshape(-1, terms.shape[-1])).reshape(scores.shape)


def errors_in_units(
    case: ScoreWorld, delta: float, runs: int, units: int, seed: int, rules: Rules | None = None
) -> ErrorCount:
    """Runs in which something false was certified after any number of units up to `units`."""
    rng, wrong = np.random.default_rng(seed), 0
    rules = rules or Rules(clustered=True)
    for start in range(0, runs, _BLOCK):
        block = min(_BLOCK, runs - start)
        over = np.zeros(block, dtype=np.bool_)
        for evidence in unit_evidence(case.world, case.draw((block, units), rng)):
            over |= false_claims(evidence, case.world, delta, over, rules)
        wrong += int(over.sum())
    return ErrorCount(wrong, runs)
