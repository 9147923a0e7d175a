"""Exact leaps: whole comparisons played inside one kernel call.

From an open state no verdict is possible before the quota is spent, so that many duels are
drawn at once as one binomial: the law of the stopping time and of the verdict is that of
playing duel by duel, at a few draws per comparison.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from antichain.algorithms.rounds import Indices, ends_round
from antichain.evidence.answers import (
    COUNTS,
    LEFT,
    LOSSES,
    OPEN,
    RIGHT,
    SECOND_LOSSES,
    SECOND_WINS,
    WINS,
    Counts,
    Floats,
)
from antichain.evidence.sequential import judge, quota
from antichain.kernels import compiled


@compiled
def play_in_order(
    kind: int,
    numbers: Floats,
    first: Floats,
    second: Floats,
    counts: Counts,
    prior_evidence: Floats,
    targets: Indices,
    stop: NDArray[np.bool_],
    streams: int,
    allowance: int,
    generator: Generator,
) -> tuple[bool, int]:
    """Play comparisons one after the other, in place; up to the first whose verdict stops.

    Args:
        kind: The test's kind.
        numbers: The test's numbers.
        first: Chance of a left win in each comparison's first stream.
        second: The same in the second stream (ignored with one stream).
        counts: Counts of each comparison, changed in place.
        prior_evidence: Log-evidence from elsewhere, for each comparison.
        targets: The number of duels each comparison is to have had, where its test has one.
        stop: Which verdict codes end the round.
        streams: 1, or 2 for directions in step.
        allowance: Duels that may be played at most.
        generator: Source of randomness.

    Returns:
        Whether the round ended here (by a verdict or the allowance), and the duels played.
    """
    played = 0
    for row in range(counts.shape[0]):
        c, prior, target = counts[row], prior_evidence[row], targets[row]
        verdict = judge(kind, numbers, c, prior, target)
        while verdict == OPEN:
            sure = quota(kind, numbers, c, prior, target)
            duels = min(sure, (allowance - played) // streams)
            if duels <= 0:
                return True, played
            _draw(c, duels, first[row], second[row], streams, generator)
            played += streams * duels
            verdict = judge(kind, numbers, c, prior, target)
        if ends_round(stop, verdict):
            return True, played
    return False, played


@compiled
def _draw(
    c: Counts, duels: int, first: float, second: float, streams: int, generator: Generator
) -> None:
    """Play duels of each stream, and count them."""
    wins = generator.binomial(duels, first)
    c[WINS] += wins
    c[LOSSES] += duels - wins
    if streams == 2:
        wins = generator.binomial(duels, second)
        c[SECOND_WINS] += wins
        c[SECOND_LOSSES] += duels - wins


@compiled
def run_race(
    kind: int,
    numbers: Floats,
    first: Floats,
    second: Floats,
    lefts: Indices,
    rights: Indices,
    items: int,
    streams: int,
    generator: Generator,
) -> tuple[Indices, Indices, Counts, Indices, Counts, Indices]:
    """Play a race pair by pair, looking at each pair only where its test could stop.

    A pair's duels are drawn up to its next possible stop, which may lie beyond the step at
    which one of its items leaves: what was drawn too much is given back by `thin_out`.

    Returns:
        (loser, winner) rows in the order of leaving; for each pair its duels (of a stream) and
        its counts before the last leap, the same after it, and the duels it took.
    """
    pairs = lefts.size
    before, after = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)
    counts_before = np.zeros((pairs, COUNTS), np.int64)
    counts = np.zeros((pairs, COUNTS), np.int64)
    gone_at = np.full(items, -1, np.int64)
    eliminated = np.empty((items, 2), np.int64)
    losers = 0
    queue = [(0, row) for row in range(pairs)]
    heapq.heapify(queue)
    while len(queue) > 0:
        duels, row = heapq.heappop(queue)
        left, right = lefts[row], rights[row]
        if gone_at[left] >= 0 or gone_at[right] >= 0:
            continue
        c = counts[row]
        verdict = judge(kind, numbers, c, 0.0, 0)
        if verdict == OPEN:
            step = quota(kind, numbers, c, 0.0, 0)
            before[row], after[row] = duels, duels + step
            counts_before[row] = c
            _draw(c, step, first[row], second[row], streams, generator)
            heapq.heappush(queue, (duels + step, row))
        elif verdict in (LEFT, RIGHT):
            loser, winner = (right, left) if verdict == LEFT else (left, right)
            gone_at[loser] = duels
            eliminated[losers, 0], eliminated[losers, 1] = loser, winner
            losers += 1
    taken = after.copy()
    for row in range(pairs):
        for item in (lefts[row], rights[row]):
            if gone_at[item] >= 0:
                taken[row] = min(taken[row], gone_at[item])
    return eliminated[:losers].copy(), before, counts_before, after, counts, taken


def thin_out(
    before: Indices,
    counts_before: Counts,
    after: Indices,
    counts_after: Counts,
    taken: Indices,
    generator: Generator,
) -> Counts:
    """The counts of each pair at the step it ended, given the leap that passed it.

    Which of a leap's duels were wins is exchangeable, so that the wins among its first few are
    hypergeometric.
    """
    counts = counts_before.copy()
    part = taken - before
    for wins, losses in ((WINS, LOSSES), (SECOND_WINS, SECOND_LOSSES)):
        won = counts_after[:, wins] - counts_before[:, wins]
        lost = counts_after[:, losses] - counts_before[:, losses]
        if (won + lost == 0).all():
            continue  # one stream only
        kept = generator.hypergeometric(won, lost, part)
        counts[:, wins] += kept
        counts[:, losses] += part - kept
    return counts
