"""Mixture bets on the mean of scores in [0, 1], for many streams at once.

A bet on a stream of scores X multiplies 1 + s·(X − m), with a stake s small enough that the
factor stays positive for every X in [0, 1]. If the scores' mean, given what came before, is at
most m and s > 0 (or at least m and s < 0), each factor has mean at most one: the product is a
non-negative supermartingale, and so is any average over stakes. Nothing here asks that X be 0,
1/2 or 1, so the mean of a whole cluster of votes is as good an observation as a single vote.

Two of them are used (docs/certificates.md):

- `on_dominance`: against "the mean is at most one half", stakes 4g over a grid of gaps g;
- `against_gap`: against "the mean is at least 1/2 + ε", stakes −λ over a grid around the best
  one for an even pair, up to nearly the largest: an opponent that clearly loses is cleared soon.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.evidence.mixture import open_grid

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

_NEARLY = 0.95  # of the largest stake: a single score may cost all but a twentieth, never all
_FINER = 3  # halvings of the stake below the best one for an even pair
_ROWS = 65_536  # observations a block, so that a million of them need no gigabyte


@dataclass(frozen=True, eq=False)
class Bet:
    """A mixture of bets on the mean of a stream of scores.

    Attributes:
        centre: The mean m that the bet is against.
        stakes: The stake s of each term, all of one sign.
        weights: The weight of each term; they sum to one.
    """

    centre: float
    stakes: Floats
    weights: Floats

    @cached_property
    def steps(self) -> Floats:
        """What a win, a loss and a tie add to the logarithm of each term, as three rows."""
        return np.stack([self._log_factors(score) for score in (1.0, 0.0, 0.5)])

    def _log_factors(self, score: float) -> Floats:
        return np.asarray(np.log1p(self.stakes * (score - self.centre)))

    def terms_of_counts(self, wins: Whole, losses: Whole, ties: Whole) -> Floats:
        """The log of each weighted term (columns) for each stream (rows), from its counts."""
        counts = np.stack([wins, losses, ties], axis=1).astype(np.float64)
        return np.asarray(counts @ self.steps + np.log(self.weights))

    def terms_of_scores(self, stream: Whole, scores: Floats, streams: int) -> Floats:
        """The log of each weighted term for each of `streams` streams, from single scores.

        Args:
            stream: Which stream each score belongs to.
            scores: The scores, in [0, 1].
            streams: How many streams there are.
        """
        terms = np.tile(np.log(self.weights), (streams, 1))
        for start in range(0, len(scores), _ROWS):
            block = slice(start, start + _ROWS)
            factors = np.log1p(np.multiply.outer(self.stakes, scores[block] - self.centre))
            for column, logs in enumerate(factors):
                terms[:, column] += np.bincount(stream[block], logs, minlength=streams)
        return terms


def on_dominance() -> Bet:
    """The bet against "the mean score is at most one half", at an unknown gap."""
    gaps, weights = np.array(open_grid()).T
    return Bet(0.5, 4 * gaps, weights)


def against_gap(epsilon: float) -> Bet:
    """The bet against "the mean score is at least one half plus ε".

    The stake 4ε/(1 − 4ε²) is the best one when the pair is even and nobody ties. Smaller ones
    help where the opponent is ahead by less than ε, larger ones where there are ties or the
    opponent is behind.
    """
    checks.gap("epsilon", epsilon)
    centre = 0.5 + epsilon
    even, largest = 4 * epsilon / (1 - 4 * epsilon**2), _NEARLY / (1 - centre)
    powers = np.arange(-_FINER, 64)
    stakes: Floats = np.asarray(even * 2.0**powers, dtype=np.float64)
    fitting = stakes < largest
    stakes, powers = stakes[fitting], np.abs(powers[fitting])
    weights = 1 / ((powers + 1.0) * (powers + 2.0))
    # The last one is the largest stake itself: the fastest where the opponent never wins.
    weights = np.append(weights, weights[-1])
    return Bet(centre, np.append(-stakes, -largest), weights / weights.sum())


def total(terms: Floats) -> Floats:
    """The log of each row's sum of terms, whose logs are given: the log-evidence of the bets."""
    if not len(terms):
        return np.zeros(0)
    top = terms.max(axis=1)
    return np.asarray(top + np.log(np.exp(terms - top[:, None]).sum(axis=1)))
