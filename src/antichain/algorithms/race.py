"""A race, played in rounds: all pairs in step, losers leave with all their pairs."""

from __future__ import annotations

import numpy as np

from antichain.algorithms.rounds import Plan, Race, RaceOutcome, round_of
from antichain.evidence.sequential import COUNTS, SequentialTest, judge_all, quota_all
from antichain.evidence.verdicts import Verdict


def race_in_rounds(race: Race) -> Plan[RaceOutcome]:
    """The outcome of `race`, in rounds of as many duels a pair as no test could stop within."""
    test = race.test
    equal_share = SequentialTest.fixed(test.streams)
    counts = np.zeros((len(race), COUNTS), np.int64)
    open_ = np.ones(len(race), np.bool_)
    eliminated: list[tuple[int, int]] = []
    duels = 0
    while open_.any():
        rows = np.flatnonzero(open_)
        nothing = np.zeros(rows.size)
        duels += int(quota_all(test.kind, test.numbers, counts[rows], nothing).min())
        outcome = yield round_of(
            race.lefts[rows],
            race.rights[rows],
            equal_share,
            start=counts[rows],
            bonus=np.full(rows.size, float(duels)),
        )
        counts[rows] = outcome.counts
        verdicts = judge_all(test.kind, test.numbers, counts[rows], nothing)
        for row, verdict in zip(rows.tolist(), verdicts.tolist(), strict=True):
            if not open_[row] or verdict == Verdict.OPEN:
                continue
            open_[row] = False
            if verdict != Verdict.EVEN:
                pair = int(race.lefts[row]), int(race.rights[row])
                winner, loser = pair if verdict == Verdict.LEFT else pair[::-1]
                eliminated.append((loser, winner))
                open_ &= (race.lefts != loser) & (race.rights != loser)
    return RaceOutcome(tuple(eliminated), counts)
