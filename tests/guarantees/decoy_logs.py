"""Many logs of duels against decoys, each stopped as soon as decoys show something false."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from antichain.evidence._bet import Bet, total
from tests.guarantees.error_rates import ErrorCount

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
GAP = 0.2


@dataclass(frozen=True)
class DecoyWorld:
    """How duels against decoys really come out.

    Attributes:
        ahead: The mean score of the row's item against the decoy of the column's, less one half.
        comparable: Whether the row's item and the column's are comparable.
        ties: The chance of a tie (as far as the mean allows).
    """

    ahead: Floats
    comparable: NDArray[np.bool_]
    ties: float = 0.0

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.ahead)), 2))


def incomparable(size: int, ties: float = 0.0) -> DecoyWorld:
    """Nobody beats anybody's decoy: "comparable" is false of all."""
    return DecoyWorld(np.zeros((size, size)), np.zeros((size, size), np.bool_), ties)


def chain(size: int, below: float, ties: float = 0.0) -> DecoyWorld:
    """A total order: uppers beat decoys by Δ exactly, lowers by `below`; all are comparable."""
    upper = np.triu(np.ones((size, size), np.bool_), 1)
    ahead = np.where(upper, GAP, np.where(upper.T, below, 0.0))
    return DecoyWorld(ahead, upper | upper.T, ties)


@cache
def tables(votes: int) -> tuple[Floats, Floats]:
    """The log-evidence that the item wins, and that it does not by Δ, for wins, losses, ties."""
    counts = np.indices((votes + 1,) * 3).reshape(3, -1)
    fitting = counts.sum(axis=0) <= votes

    def table(bet: Bet) -> Floats:
        logs = np.zeros(fitting.size)
        logs[fitting] = total(bet.terms_of_counts(*counts[:, fitting]))
        return logs.reshape((votes + 1,) * 3)

    return table(Bet.open_ended()), table(Bet.against_gap(GAP))


def errors_by_decoys(
    world: DecoyWorld, delta: float, runs: int, votes: int, chasing: bool, seed: int
) -> ErrorCount:
    """Runs in which decoys showed something false at any time, all of δ spent on them.

    Args:
        world: How duels against decoys come out.
        delta: The δ of the certificates.
        runs: How many logs.
        votes: Votes in each.
        chasing: Whether to ask where a claim is nearest, and not anywhere.
        seed: Of all chance.
    """
    rng = np.random.default_rng(seed)
    above, within = tables(votes)
    pairs = np.array(world.pairs)
    ends = np.concatenate([pairs, pairs[:, ::-1]])  # who meets whose decoy
    mean, size = world.ahead[*ends.T], len(pairs)
    is_comparable = world.comparable[*pairs.T]
    threshold = np.log(size / delta)
    counts = np.zeros((runs, 2 * size, 3), dtype=np.int64)
    wrong = np.zeros(runs, dtype=np.bool_)
    everyone = np.arange(runs)
    for _ in range(votes):
        wins, cleared = (table[*counts.transpose(2, 0, 1)] for table in (above, within))
        said = np.logaddexp(wins[:, :size], wins[:, size:]) - np.log(2)
        denied = np.minimum(cleared[:, :size], cleared[:, size:])
        false = np.where(is_comparable, denied, said)
        wrong |= (false >= threshold).any(axis=1)
        asked = rng.integers(2 * size, size=runs)
        if chasing:
            pair = np.argmax(false + rng.random(false.shape) * 1e-3, axis=1)
            weaker = np.where(cleared[everyone, pair] > cleared[everyone, pair + size], size, 0)
            asked = pair + np.where(is_comparable[pair], weaker, rng.integers(2, size=runs) * size)
        counts[everyone, asked, _answers(mean[asked], world.ties, rng)] += 1
    return ErrorCount(int(wrong.sum()), runs)


def _answers(mean: Floats, ties: float, rng: np.random.Generator) -> Whole:
    """0 a win of the item, 1 a loss, 2 a tie."""
    tied = np.minimum(ties, 1 - 2 * np.abs(mean))
    draw = rng.random(len(mean))
    return np.select([draw < (1 - tied) / 2 + mean, draw < 1 - tied], [0, 1], default=2)


WORLDS = {
    "incomparable": incomparable(2),
    "incomparable, ties": incomparable(3, ties=0.4),
    # The paper's decoys: items below are even with them, so that one test alone must hold.
    "formal decoys, at Δ": chain(2, 0.0),
    "formal decoys, at Δ, ties": chain(3, 0.0, ties=0.3),
    # Items below lose to decoys: "incomparable" has nothing but the uppers against it.
    "decoys that beat items below": chain(2, -0.4),
    "degraded, tiny gaps": chain(3, GAP),
}
