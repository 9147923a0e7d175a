"""A bet by its definition, term by term."""

import math

from antichain.evidence._bet import Bet

SCORES = (1.0, 0.0, 0.5)
"""Of a win, a loss and a tie."""


def evidence(bet: Bet, won: int, lost: int, tied: int) -> float:
    """The e-value after so many wins, losses and ties."""
    counts = zip(SCORES, (won, lost, tied), strict=True)
    scores = [(score, count) for score, count in counts if count]
    return sum(
        weight * math.prod((1 + stake * (score - bet.centre)) ** n for score, n in scores)
        for stake, weight in zip(bet.stakes.tolist(), bet.weights.tolist(), strict=True)
    )
