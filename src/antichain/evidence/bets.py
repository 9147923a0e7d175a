"""Tests made of bets: valid at any time, however often one looks.

Each claim has a bet of its own (`bet`, `sprt`), and is made as soon as the log of that bet
reaches its level. A lost answer is held against every claim: as a loss of the item claimed to be
above, and as a win of the item claimed not to be.

Their numbers are the level of "above", the level of "not above by the gap", what a win, a loss
and a tie add to the bet against the gap, and then the packed bet on dominance.
"""

from __future__ import annotations

import math

import numpy as np

from antichain import checks
from antichain.compiled import compiled
from antichain.evidence.bet import Bet, bet_quota, bet_reaches
from antichain.evidence.sprt import bet_against_gap, duels_to_rise, steps
from antichain.evidence.verdicts import (
    EVEN,
    LEFT,
    LOSSES,
    LOST,
    OPEN,
    RIGHT,
    TIES,
    WINS,
    Counts,
    Floats,
)

# Places among the numbers of a test.
_ABOVE, _NOT_ABOVE, _WIN, _LOSS, _TIE, _BET = range(6)


def bet_numbers(alpha: float, bet: Bet, gap: float, beta: float) -> Floats:
    """The numbers of a test that says "above" at level α, and "not above by `gap`" at level β."""
    checks.probability("alpha", alpha)
    checks.gap("gap", gap)
    against = math.log(1 / checks.probability("beta", beta)) if beta else math.inf
    levels = np.array([math.log(1 / alpha), against, *steps(gap)])
    return np.concatenate([levels, bet.packed])


@compiled
def two_sided_bets(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """Direct duels: LEFT, RIGHT, or EVEN once a gap either way is unlikely."""
    if wants_quota:
        return _two_sided_quota(numbers, c)
    return _two_sided_verdict(numbers, c)


@compiled
def one_sided_bets(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """Decoy duels of one direction: LEFT, or EVEN once a gap is unlikely.

    `prior_evidence` is log-evidence for LEFT from elsewhere; it multiplies into that bet.
    """
    if wants_quota:
        return _one_sided_quota(numbers, c, prior_evidence)
    return _one_sided_verdict(numbers, c, prior_evidence)


@compiled
def _against_left(numbers: Floats, c: Counts) -> float:
    """Log of the bet that the left item is not above by the gap."""
    return bet_against_gap(
        c[WINS] + c[LOST], c[LOSSES], c[TIES], numbers[_WIN], numbers[_LOSS], numbers[_TIE]
    )


@compiled
def _against_right(numbers: Floats, c: Counts) -> float:
    """Log of the bet that the right item is not above by the gap."""
    return bet_against_gap(
        c[LOSSES] + c[LOST], c[WINS], c[TIES], numbers[_WIN], numbers[_LOSS], numbers[_TIE]
    )


@compiled
def _two_sided_verdict(numbers: Floats, c: Counts) -> int:
    bet = numbers[_BET:]
    if bet_reaches(bet, c[WINS], c[LOSSES] + c[LOST], c[TIES], numbers[_ABOVE]):
        return LEFT
    if bet_reaches(bet, c[LOSSES], c[WINS] + c[LOST], c[TIES], numbers[_ABOVE]):
        return RIGHT
    if (
        _against_left(numbers, c) >= numbers[_NOT_ABOVE]
        and _against_right(numbers, c) >= numbers[_NOT_ABOVE]
    ):
        return EVEN
    return OPEN


@compiled
def _two_sided_quota(numbers: Floats, c: Counts) -> int:
    wins, losses = c[WINS], c[LOSSES]
    # The bet on whichever item leads is the nearer of the two.
    nearest = bet_quota(
        numbers[_BET:], max(wins, losses), min(wins, losses) + c[LOST], c[TIES], numbers[_ABOVE]
    )
    left = numbers[_NOT_ABOVE] - _against_left(numbers, c)
    right = numbers[_NOT_ABOVE] - _against_right(numbers, c)
    if left < np.inf:
        # No duel lowers one deficit by more than a loss does, nor their sum by more than a tie.
        alone = duels_to_rise(max(left, right), numbers[_LOSS])
        together = duels_to_rise(left + right, 2.0 * numbers[_TIE])
        nearest = min(nearest, max(alone, together))
    return max(1, nearest)


@compiled
def _one_sided_verdict(numbers: Floats, c: Counts, prior_evidence: float) -> int:
    level = numbers[_ABOVE] - prior_evidence
    if bet_reaches(numbers[_BET:], c[WINS], c[LOSSES] + c[LOST], c[TIES], level):
        return LEFT
    return EVEN if _against_left(numbers, c) >= numbers[_NOT_ABOVE] else OPEN


@compiled
def _one_sided_quota(numbers: Floats, c: Counts, prior_evidence: float) -> int:
    level = numbers[_ABOVE] - prior_evidence
    nearest = bet_quota(numbers[_BET:], c[WINS], c[LOSSES] + c[LOST], c[TIES], level)
    if numbers[_NOT_ABOVE] < np.inf:
        deficit = numbers[_NOT_ABOVE] - _against_left(numbers, c)
        nearest = min(nearest, duels_to_rise(deficit, numbers[_LOSS]))
    return max(1, nearest)
