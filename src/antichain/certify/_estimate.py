"""The likely front of a log: a model's estimate from all of its answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from antichain.certify._certificate import Likely
from antichain.certify._weigh import PairAnswers
from antichain.evidence._bet import Floats
from antichain.likely import likely_front, not_estimated
from antichain.votes._vote_log import VoteLog

_DIGITS = 3  # seeds differ by more than that

_BY_CLUSTER = (
    "The likely front counts each cluster's mean on a pair as one vote, shared between the two."
)
_BY_SCORE = "The likely front counts each score as one vote, shared between the two."


def estimated(
    log: VoteLog, read: PairAnswers, epsilon: float, epsilon_others: float
) -> tuple[Likely | None, tuple[str, ...]]:
    """How likely each item is to be on the front, and notes on that; None for very many items."""
    reason = not_estimated(len(log.items))
    if reason is not None:
        return None, (reason,)
    # By name, since chance enters and must not depend on the order of the items.
    order = np.array(sorted(range(read.size), key=log.items.__getitem__))
    cannot = _matrix(read, read.cannot, read.cannot)
    found = likely_front(
        _wins(read)[np.ix_(order, order)],
        epsilon=epsilon,
        epsilon_others=epsilon_others,
        cannot=cannot[np.ix_(order, order)] if cannot.any() else None,
    )
    chances = np.empty(read.size)
    chances[order] = found.chances
    likely = Likely(
        chances={
            item: round(chance, _DIGITS)
            for item, chance in zip(log.items, chances.tolist(), strict=True)
        },
        likely_front=tuple(sorted(log.items[order[k]] for k in found.front)),
        expected_f1=round(found.expected_f1, _DIGITS),
        exactly_right=round(found.exactly_right, _DIGITS),
    )
    notes = [f"About the likely front: {doubt}" for doubt in found.doubts]
    if log.clusters is not None and not _is_single(read):
        notes.append(_BY_CLUSTER)
    elif log.scores is not None:
        notes.append(_BY_SCORE)
    return likely, tuple(notes)


def _is_single(read: PairAnswers) -> bool:
    """Whether no cluster has more than one vote on a pair, as in a table of scores."""
    scores = read.scores
    return scores.clusters is None or bool((scores.observations == scores.votes).all())


def _wins(read: PairAnswers) -> Floats:
    """Wins of each item over each other one; ties say nothing."""
    scores = read.scores
    if scores.clusters is None or _is_single(read):
        return _matrix(read, scores.wins, scores.losses)
    pairs, score = len(read.first), scores.clusters.score
    won, lost = (scores.clusters.counts(pairs, part) for part in (score, 1 - score))
    return _matrix(read, won, lost)


def _matrix(read: PairAnswers, of_first: Any, of_second: Any) -> Floats:
    table = np.zeros((read.size, read.size))
    table[read.first, read.second] = of_first
    table[read.second, read.first] = of_second
    return table
