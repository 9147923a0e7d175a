"""How many answers a referee will still need: play on in worlds that fit the answers so far."""

from __future__ import annotations

import numpy as np

from antichain.evidence._bet import Floats
from antichain.referee._referee import Referee

WAYS_AHEAD = 10
"""Ways to go on that `next` and `vote` look at; set by hand."""
MOST_AHEAD = 200_000
"""Answers beyond which nobody looks."""


def answers_to_come(referee: Referee, runs: int, seed: int = 0) -> list[int]:
    """The answers that each of so many ways to go on takes until every item is in or out.

    The worlds are those by which the referee chooses duels: each pair by itself is even, or one
    item is above at any gap alike. This is a rough forecast.
    """
    found = []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        twin = referee.twin()
        chances, cannot = _world(referee, rng)
        budget = referee.answers + MOST_AHEAD
        twin.play(chances, cannot=cannot, seed=int(rng.integers(2**53)), budget=budget)
        found.append(twin.answers - referee.answers)
    return found


def _world(referee: Referee, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Chances to win, and to be called incomparable, drawn pair by pair given the counts."""
    counts = referee.standing.counts
    wins, losses = (counts[..., side] + counts[..., 2] / 2 for side in (0, 1))
    gaps = np.concatenate([[0.0], referee.rules.gaps, -referee.rules.gaps])
    weight = np.concatenate([[0.4], np.full(len(gaps) - 1, 0.6 / (len(gaps) - 1))])
    fit = wins[..., None] * np.log1p(2 * gaps) + losses[..., None] * np.log1p(-2 * gaps)
    fit += np.log(weight)
    drawn = gaps[(fit + rng.gumbel(size=fit.shape)).argmax(axis=-1)]
    above = np.triu(drawn, 1)
    said = counts[..., 3]
    cannot = (said + 0.0) / np.maximum(1, counts[..., :4].sum(axis=-1))
    return 0.5 + above - above.T, np.where(referee.terms.cannot_compare, cannot, 0.0)
