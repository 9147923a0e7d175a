"""Evidence over time: what a certificate would have said at earlier points of the log."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from antichain.certify.certificate import Certificate
from antichain.certify.claims import claims_of
from antichain.certify.report.svg import ChartLine, line_chart
from antichain.certify.weigh import weigh
from antichain.votes.vote_log import FORMS, PairVotes, VoteLog

_MOST_LINES = 8
_MOST_POINTS = 80
_FEWEST_POINTS = 16
_MOST_WORK = 400_000  # pairs weighed over all points, unless that leaves too few points


def timelines(certificate: Certificate, log: VoteLog) -> list[tuple[str, str]]:
    """Draw the items decided and the evidence against single items, vote by vote.

    Returns:
        Pairs (caption, picture); empty for a log without history, or with clusters, since the
        history consists of single votes.
    """
    if not log.history or log.clusters is not None:
        return []
    votes, decided, evidence = [0], [(0, 0)], [np.zeros(len(log.items))]
    for seen, table in _snapshots(log):
        weighed = weigh(replace(log, pairs=table), certificate.epsilon)
        claims = claims_of(weighed, certificate.split, certificate.delta)
        votes.append(seen)
        decided.append((int(claims.out.sum()), int(claims.front.sum())))
        evidence.append(np.maximum(weighed.pooled, weighed.strongest_against()))
    lines = [
        ChartLine(name, votes, [counts[k] for counts in decided], f"line {css}")
        for k, (name, css) in enumerate((("out", "out"), ("in", "in")))
    ]
    label = f"Items decided over {votes[-1]:,} votes: at the end {decided[-1][0]} out, "
    pictures = [
        (
            "Items decided after each number of votes. The claims hold at all of these times.",
            line_chart(lines, "votes", f"{label}{decided[-1][1]} in", None),
        )
    ]
    return pictures + _against(certificate, log, votes, np.array(evidence))


def _against(
    certificate: Certificate, log: VoteLog, votes: list[int], evidence: np.ndarray
) -> list[tuple[str, str]]:
    """Draw the evidence against the items with the most of it, as powers of ten."""
    chosen = [int(i) for i in np.argsort(-evidence[-1], kind="stable")[:_MOST_LINES]]
    chosen = [i for i in chosen if evidence[-1, i] > 0]
    if not chosen:
        return []
    powers = evidence / math.log(10)
    lines = [
        ChartLine(log.items[i], votes, powers[:, i].tolist(), f"line l{k}")
        for k, i in enumerate(chosen)
    ]
    levels = [why.level for why in certificate.out.values() if why.level]
    threshold = -math.log10(min(levels)) if levels else None
    dashed = " The dashed line is the strictest level required." if levels else ""
    return [
        (
            "Evidence that an item is not maximal, as a power of ten (3 is odds of 1 in 1,000)."
            + dashed,
            line_chart(lines, "votes", "Evidence against single items over time", threshold),
        )
    ]


def _snapshots(log: VoteLog) -> list[tuple[int, PairVotes]]:
    """Return the counts at some points of the log, the last one included."""
    assert log.history is not None
    points = log.history
    most = min(_MOST_POINTS, max(_FEWEST_POINTS, _MOST_WORK // max(1, log.pairs.size)))
    wanted = set(np.linspace(0, len(points) - 1, min(len(points), most)).astype(int))
    table = np.zeros(log.pairs.size * len(FORMS), dtype=np.int64)
    found = []
    for k, point in enumerate(points):
        np.add.at(table, point.cells, point.grew)
        if k in wanted:
            counts = table.reshape(-1, len(FORMS)).copy()
            pairs = PairVotes.from_table(log.pairs.first, log.pairs.second, counts)
            found.append((point.votes, pairs))
    return found
