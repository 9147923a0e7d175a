"""When somebody with a spreadsheet can stop voting, and with which set of best items.

`others.py` runs them. Each takes the true gaps and a seed, draws votes, and returns how many there
were and the set; no set if there were `MOST` votes and it was not to stop yet.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import norm

import antichain as ac
from antichain.likely._pair_evidence import Floats
from antichain.referee import Referee, Terms
from antichain.referee._standing import LOSS, WIN
from likely import overlapping
from other_rules import Items

DELTA, EPSILON = 0.05, 0.1
MOST = 100_000
Stopped = tuple[int, Items]


def robin(gaps: Floats, seed: int, look: Callable[[Floats, Floats], Items]) -> Stopped:
    """Whole rounds of all pairs; a look after every round, later after every twentieth more.

    Args:
        gaps: Of each pair.
        seed: Of the votes.
        look: The set to stop with, or no items, from who beat whom how often and from the rounds
            since the last look: whether the first item of each pair won.
    """
    rng, (first, second) = np.random.default_rng(seed), np.triu_indices(len(gaps), 1)
    wins, played = np.zeros_like(gaps), 0
    while wins.sum() < MOST:
        won = rng.random((1 + played // 20, len(first))) < 0.5 + gaps[first, second]
        wins[first, second] += won.sum(axis=0)
        wins[second, first] += (~won).sum(axis=0)
        played += len(won)
        found = look(wins, won)
        if len(found):
            return int(wins.sum()), found
    return int(wins.sum()), ()


def by_intervals(gaps: Floats, seed: int) -> Stopped:
    """Until only the leader's interval by Bradley–Terry reaches the leader's."""

    def look(wins: Floats, _: Floats) -> Items:
        near = overlapping(wins)
        return near if len(near) == 1 else ()

    return robin(gaps, seed, look)


def by_front(gaps: Floats, seed: int) -> Stopped:
    """Until `antichain front` leaves no item undecided, from the votes counted by pair."""

    def look(wins: Floats, _: Floats) -> Items:
        rows = [(f"{i:02}", f"{j:02}", "left", wins[i, j]) for i, j in np.argwhere(wins)]
        table = [dict(zip(("left", "right", "answer", "votes"), row, strict=True)) for row in rows]
        told = ac.front(table, delta=DELTA, epsilon=EPSILON, count="votes", likely=False)
        return () if told.undecided else [int(item) for item in told.front]

    return robin(gaps, seed, look)


def by_front_in_order(gaps: Floats, seed: int) -> Stopped:
    """The same with `--ordered`: its judge, who reads one vote after the other."""
    referee = Referee(len(gaps), Terms(DELTA, EPSILON))

    def look(_: Floats, won: Floats) -> Items:
        for row in won:
            referee.read(*np.triu_indices(len(gaps), 1), np.where(row, WIN, LOSS))
        return np.flatnonzero(referee.inside) if referee.finished else ()

    return robin(gaps, seed, look)


def by_fixed_tests(gaps: Floats, seed: int) -> Stopped:
    """One test of each pair, with as many votes as tell a gap of ε from none; δ is split evenly."""
    first, second = np.triu_indices(len(gaps), 1)
    level = DELTA / len(first)
    critical = norm.isf(level / 2)
    votes = int(np.ceil(((critical + norm.isf(level)) / (2 * EPSILON)) ** 2))
    wins = np.random.default_rng(seed).binomial(votes, 0.5 + gaps[first, second])
    lead = (2 * wins - votes) / np.sqrt(votes)
    fallen = np.append(first[lead < -critical], second[lead > critical])
    return votes * len(first), np.setdiff1d(np.arange(len(gaps)), fallen)


def by_hoeffding(gaps: Floats, seed: int, looks: bool) -> Stopped:
    """Rounds of all pairs that are neither separated nor within ε, without those that fell.

    Args:
        gaps: Of each pair.
        seed: Of the votes.
        looks: Whether δ is split over the looks as well as over the pairs, as it must be.
    """
    rng, (first, second) = np.random.default_rng(seed), np.triu_indices(len(gaps), 1)
    wins, votes, played = np.zeros(len(first)), 0, 0
    fallen, still = np.zeros(len(gaps), bool), np.ones(len(first), bool)
    while still.any():
        played, votes = played + 1, votes + int(still.sum())
        wins += rng.random(len(first)) < 0.5 + gaps[first, second]
        claims = 2 * len(first) * (played * (played + 1) if looks else 1)
        reach = np.sqrt(np.log(claims / DELTA) / (2 * played))
        lead = wins / played - 0.5
        fallen[second[still & (lead > reach)]] = True
        fallen[first[still & (lead < -reach)]] = True
        still &= ~(fallen[first] | fallen[second] | (np.abs(lead) + reach < EPSILON))
    return votes, np.flatnonzero(~fallen)
