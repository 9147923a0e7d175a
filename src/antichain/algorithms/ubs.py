"""UBSRoutine: the set of pivots that no item beats, by a given way of comparing."""

from __future__ import annotations

import numpy as np

from antichain.algorithms.board import Board
from antichain.algorithms.comparisons import Compare
from antichain.algorithms.rounds import Indices, Plan


def ubs_routine(
    board: Board, items: Indices, compare: Compare, *, favour_winners: bool = False
) -> Plan[Indices]:
    """The items that remain pivots after each has met the pivots before it.

    Items come in random order. A candidate is compared with every pivot; the pivots it beats
    are removed, and it joins if no pivot beat it (docs/errata.md, 5).

    Args:
        board: Where eliminations are noted.
        items: Who takes part.
        compare: The paper's 𝒜: direct or decoy comparisons at some level.
        favour_winners: Move a pivot forward whenever it beats a candidate, so that candidates
            meet likely dominators first. Pays when comparisons end at the first dominator.
    """
    order = board.rng.permutation(items)
    pivots = np.empty(order.size, np.int64)
    pivots[:1] = order[:1]
    count = min(1, order.size)
    for position in range(1, order.size):
        candidate = int(order[position])
        meeting = yield from compare(board, candidate, pivots[:count], order[position + 1 :])
        if meeting.dominator >= 0:
            board.eliminate(candidate, pivots[meeting.dominator])
            if favour_winners:
                here, there = meeting.dominator, meeting.dominator // 2
                pivots[[here, there]] = pivots[[there, here]]
                meeting.beaten[[here, there]] = meeting.beaten[[there, here]]
        if meeting.beaten.any():
            for loser in pivots[:count][meeting.beaten]:
                board.eliminate(loser, candidate)
            kept = pivots[:count][~meeting.beaten]
            count = kept.size
            pivots[:count] = kept
        if meeting.dominator < 0:
            pivots[count] = candidate
            count += 1
    return pivots[:count].copy()
