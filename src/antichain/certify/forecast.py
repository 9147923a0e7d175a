"""How many more votes a bet needs, if they fall as expected.

Not a promise: the path of average votes, on which a mixture is at least its best term.
"""

from __future__ import annotations

import numpy as np

from antichain.evidence.bet import Bet, Floats


def votes_needed(
    bet: Bet, terms: Floats, log_threshold: float, means: Floats, decisive: float
) -> Floats:
    """The votes each stream still needs to reach the threshold; infinite where it never will.

    Args:
        bet: The bet.
        terms: The log of each weighted term (columns) of each stream (rows) now.
        log_threshold: The log-evidence that is wanted.
        means: The mean score of each stream's votes to come.
        decisive: The share of votes that are no tie (of clusters: four times the variance that
            an even one has), as far as the means allow.
    """
    lead = 2 * means - 1
    decided = np.maximum(decisive, np.abs(lead))
    chances = np.stack([(decided + lead) / 2, (decided - lead) / 2, 1 - decided], axis=1)
    growth = chances @ bet.steps
    deficit = np.maximum(log_threshold - terms, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        votes = np.where(growth > 0, deficit / growth, np.where(deficit > 0, np.inf, 0.0))
    return np.asarray(np.ceil(votes.min(axis=1)))
