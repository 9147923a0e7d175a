"""Sides balanced: one vote from either side of a pair makes one observation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antichain._checks import instance
from antichain._text import counted
from antichain.errors import InputError, ParameterError
from antichain.evidence._bet import Floats
from antichain.votes._vote_log import (
    FORMS,
    ClusterScores,
    Counts,
    ItemClusters,
    PairClusters,
    PairVotes,
    VoteLog,
)

BOTH_SIDES = "two-sided vote"
"""What the clusters of a balanced log are called."""


def known_sides(log: VoteLog) -> tuple[str, str] | None:
    """The columns of the two sides, or None where the log does not say who was on which side."""
    if log.columns is None or log.columns.how == "loser" or log.turned is None:
        return None
    return log.columns.left, log.columns.right


def by_side(log: VoteLog) -> tuple[tuple[Counts, ...], tuple[Counts, ...]]:
    """Wins, halves and losses of each pair's first item: shown on the left, and on the right."""
    assert log.turned is not None, "the caller has checked that the sides are known"
    table = log.pairs.table
    return log.meanings.scored(table - log.turned), log.meanings.scored(log.turned)


def balanced(log: VoteLog, side: str) -> VoteLog:
    """The log in which each observation is the mean of a vote from either side of its pair.

    What a side gains cancels then. Votes of one side of a pair are paired with those of the other
    in a shuffled order; those that one side has more are not used.

    Args:
        log: The votes.
        side: One of the two sides, as its column or the log itself calls it.
    """
    _check(log, side)
    rng = np.random.default_rng(0)
    left, right = by_side(log)
    number = np.minimum(sum(left), sum(right))
    row = np.repeat(np.arange(log.pairs.size), number)
    scores = np.zeros((2, row.size))
    end = np.cumsum(number)
    for k in np.flatnonzero(number).tolist():
        these = slice(end[k] - number[k], end[k])
        for part, (won, tied, lost) in zip(scores, (left, right), strict=True):
            part[these] = _drawn(rng, won[k], tied[k], lost[k])[: number[k]]
    return _joined(log, row, scores)


def _drawn(rng: np.random.Generator, won: int, tied: int, lost: int) -> Floats:
    return rng.permutation(np.repeat([1.0, 0.5, 0.0], [won, tied, lost]))


def _joined(log: VoteLog, row: Counts, scores: Floats) -> VoteLog:
    first, second = log.pairs.first, log.pairs.second
    table = np.zeros((log.pairs.size, len(FORMS)), np.int64)
    for part in scores:
        np.add.at(table, (row, (2 * (1 - part)).astype(int)), 1)  # 1, ½, 0: wins, halves, losses
    table[:, [1, 2]] = table[:, [2, 1]]
    mean, two = scores.mean(axis=0), np.full(row.size, 2)
    order = np.lexsort((mean, row))
    items = np.concatenate([first[row], second[row]])
    both = np.concatenate([mean, 1 - mean])
    by_item = np.lexsort((both, items))
    seen = table.sum(axis=1) > 0
    place = np.cumsum(seen) - 1
    clusters = ClusterScores(
        BOTH_SIDES,
        row.size,
        PairClusters(place[row[order]], mean[order], two),
        ItemClusters(items[by_item], both[by_item], np.tile(two, 2)),
    )
    alone = int(log.pairs.size - seen.sum())
    note = (
        f"Sides were balanced: {2 * row.size:,} of {counted(log.votes, 'vote')} were paired, one "
        "from each side of their pair; the others are not used."
    )
    if alone:
        note += f" {counted(alone, 'pair')} had votes from one side only, and do not count."
    return replace(
        log,
        pairs=PairVotes.from_table(first[seen], second[seen], table[seen]),
        clusters=clusters,
        asks=None,
        history=None,
        turned=None,
        guessed=(*log.guessed, note),
    )


def _check(log: VoteLog, side: str) -> None:
    instance("sides", side, str, "the name of one of the log's sides")
    columns = known_sides(log)
    if columns is None:
        raise InputError(
            f"{log.source} does not say which item was on which side, but balancing sides needs "
            "columns of two items and an answer (leave out --sides)"
        )
    if log.criteria is not None or log.scores is not None or log.sides is not None:
        what = "criteria" if log.criteria is not None else "scores, or judgments in both orders"
        raise ParameterError(
            f"--sides is {side!r}, but {log.source} has {what}, and sides can be balanced only "
            "where each row is a win, a loss or a tie on one question (leave out --sides)"
        )
    if log.clusters is not None:
        raise ParameterError(
            f"--sides and --cluster {log.clusters.column} are both given, but they cannot be used "
            "together: --sides already turns two votes, one from each side, into one observation"
        )
    wanted = _letters(side)
    if not wanted or not any(wanted in _letters(name) for name in (*columns, "left", "right")):
        raise ParameterError(
            f"--sides is {side!r}, but one of the log's sides was expected: {columns[0]} or "
            f"{columns[1]}"
        )


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
