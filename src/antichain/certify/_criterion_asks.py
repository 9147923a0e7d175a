"""Which pair to ask about, and on which criterion, where there are several criteria or attributes.

Rates are drawn from what the votes so far leave open (Thompson sampling); at the rates drawn, the
undecided item that would be decided soonest is asked about, where its verdict is held up. Pairs
that attributes settle, and criteria that no verdict waits for, are never asked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antichain.certify._routes import Route, Routes
from antichain.certify._several import JudgedCriteria, judge_criteria
from antichain.evidence._bet import Floats
from antichain.referee import Terms
from antichain.votes._vote_log import VoteLog

_DRAWS = 25  # of rates, for one sheet
_SEED = 0x63726974

Whole = NDArray[np.int64]


def criterion_duels(
    log: VoteLog, terms: Terms, n: int, number: int, once: bool = False
) -> list[tuple[int, int, int]]:
    """Choose up to `n` duels: the index of both items, and of the criterion.

    Args:
        log: The votes so far.
        terms: δ and ε.
        n: The largest number of duels.
        number: The number of the first of these asks: the same log and number give the same.
        once: Whether a pair is to be asked about on a criterion at most once.
    """
    found = judge_criteria(log, terms, every=True)
    rng = np.random.default_rng([_SEED, number])
    asked = np.zeros((len(found.streams), len(found.judged.read.first)))
    chosen: list[tuple[int, int, int]] = []
    batch = max(1, n // _DRAWS)
    while len(chosen) < n:
        cell = _next_cell(found, terms, _drawn(found, rng), asked, rng)
        if cell is None:
            break
        criterion, row = cell
        again = 1 if once else min(batch, n - len(chosen))
        if once and asked[criterion, row]:
            break
        asked[criterion, row] += again
        read = found.judged.read
        chosen += [(int(read.first[row]), int(read.second[row]), criterion)] * again
    return chosen


def _drawn(found: JudgedCriteria, rng: np.random.Generator) -> Floats:
    """A rate for each criterion and pair, from what its votes leave open."""
    means = np.array([stream.mean for stream in found.streams])
    observed = np.array([stream.observations for stream in found.streams])
    return np.asarray(rng.beta(1 + means * observed, 1 + (1 - means) * observed))


def _next_cell(
    found: JudgedCriteria, terms: Terms, rates: Floats, asked: Floats, rng: np.random.Generator
) -> tuple[int, int] | None:
    at, read = found.judged.verdicts, found.judged.read
    is_open = ~at.out & ~at.inside
    if not is_open.any():
        return None
    routes = Routes(found.evidence, rates, terms.epsilon, asked)
    out, inside = routes.out(at.to_lose), routes.inside(at.wanted)
    lowers = np.stack([read.second, read.first], axis=1)
    to_clear = np.zeros(read.size)
    np.add.at(to_clear, lowers, inside.votes)
    soonest = np.full(read.size, np.inf)
    np.minimum.at(soonest, lowers, out.votes)
    cost = np.where(is_open, np.minimum(to_clear, soonest), np.inf)
    item = int(np.argmin(cost))
    if not np.isfinite(cost[item]):
        return _least_asked(found, is_open, asked, rng)
    mine = lowers == item
    if soonest[item] <= to_clear[item]:
        return _cell(out, mine & (out.votes == soonest[item]))
    # The opponent that takes longest first: if it is above, that shows soonest.
    left = np.where(mine, inside.votes, -1.0)
    return _cell(inside, left == left.max())


def _cell(route: Route, where: NDArray[np.bool_]) -> tuple[int, int]:
    row, side = np.argwhere(where)[0].tolist()
    return int(route.criterion[row, side]), row


def _least_asked(
    found: JudgedCriteria, is_open: NDArray[np.bool_], asked: Floats, rng: np.random.Generator
) -> tuple[int, int] | None:
    """Where no claim is in sight: what was asked least among what may decide an item."""
    at, read = found.judged.verdicts, found.judged.read
    lowers = np.stack([read.second, read.first], axis=1)
    wanted = is_open[lowers] & found.evidence.possible.above & (at.cleared < at.wanted)
    rows = np.flatnonzero(wanted.any(axis=1))
    if not rows.size:
        return None
    votes = np.array([stream.observations for stream in found.streams])[:, rows] + asked[:, rows]
    least = np.argwhere(votes == votes.min())
    criterion, place = least[rng.integers(len(least))].tolist()
    return criterion, int(rows[place])
