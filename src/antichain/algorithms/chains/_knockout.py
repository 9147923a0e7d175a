"""Knockout: the maximum of a chain by a single-elimination tournament."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan, round_of
from antichain.evidence._answers import Verdict
from antichain.evidence._bet import LARGEST_GAP, Bet
from antichain.evidence._sequential import SequentialTest


@dataclass(frozen=True)
class Knockout:
    """A tournament with a random bracket; each match runs until one side is shown above.

    The matches of a round run side by side. With an odd number of items one has a bye.

    Guarantee:
        The maximum, with probability at least 1 − δ, for any order-compatible gaps: no
        stochastic transitivity, no triangle inequality. The maximum plays at most ⌈log₂ n⌉
        matches and is above whomever it meets; each match errs with probability at most
        δ/⌈log₂ n⌉, read at any time. Who it meets is decided by duels of other pairs, so that
        direct duels played before (probes) count. Two items closer than 1e-8 are never told
        apart; with gaps that come arbitrarily close to 0 the mean number of duels is infinite.

    What it costs:
        Every match is played to the end, even one between two close items that are both far below
        the maximum; `Challenge` leaves such pairs alone. Where all gaps are about alike it takes
        fewer duels than the others.
    """

    name: ClassVar[str] = "knockout"
    guarantee: ClassVar[str | None] = "The maximum with probability at least 1 − δ."

    def find(self, state: PlanState, chain: Indices, delta: float) -> Plan[int]:
        """Return the maximum of `chain`; it is wrong with probability at most `delta`."""
        rounds = max(1, math.ceil(math.log2(chain.size)))
        # With β = 0 a match is never called even, so that the gap given is of no account.
        match = SequentialTest.two_sided_bets(delta / rounds, Bet.open_ended(), LARGEST_GAP, 0.0)
        order = state.rng.permutation(chain)
        while order.size > 1:
            paired = order.size // 2 * 2
            lefts, rights = order[0:paired:2], order[1:paired:2]
            known = [
                state.counts.direct(int(left), rights[row : row + 1])
                for row, left in enumerate(lefts)
            ]
            outcome = yield round_of(lefts, rights, match, start=np.concatenate(known))
            left_won = outcome.said(Verdict.LEFT)
            winners = np.where(left_won, lefts, rights)
            losers = np.where(left_won, rights, lefts)
            for loser, winner in zip(losers.tolist(), winners.tolist(), strict=True):
                state.eliminate(loser, winner)
            order = np.append(winners, order[paired:])
        return int(order[0])
