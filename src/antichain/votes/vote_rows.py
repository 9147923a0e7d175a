"""Votes given one by one in Python: checked, and counted like those of any log."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from antichain import checks
from antichain.errors import InputError
from antichain.sources.chunks import TextIds
from antichain.votes.counting import VoteCounts
from antichain.votes.tallies import Votes
from antichain.votes.vote_log import ANSWERS, MOST_VOTES, Meanings


def log_attributes(
    rows: Sequence[Sequence[Any]],
    items: Sequence[str] | None,
    clusters: Sequence[Hashable] | None,
    voters: Sequence[Hashable] | None,
    history: bool,
    known: Mapping[str, Any],
) -> dict[str, Any]:
    """The attributes of the log of these rows; the arguments are those of `VoteLog.from_rows`."""
    votes = [_checked_row(n, row) for n, row in enumerate(rows, start=1)]
    for name, given in (("clusters", clusters), ("voters", voters)):
        if given is not None:
            checks.one_each(name, given, len(votes))
    names = TextIds(items or ())
    if items is not None and len(names) < len(items):
        raise InputError(f"items are {tuple(items)!r}, but different names were expected")
    given_items = len(names)
    ends = np.array([names.codes(row[:2]) for row in votes], np.int32).reshape(-1, 2)
    if items is not None and len(names) > given_items:
        n, k = np.argwhere(ends >= given_items)[0].tolist()
        raise InputError(f"row {n + 1} is about {votes[n][k]!r}, but one of items was expected")
    if sum(number for *_, number in votes) > MOST_VOTES:
        raise InputError(
            f"there are {sum(number for *_, number in votes)} votes, but at most 2**53 can be "
            "counted exactly"
        )
    voter_ids, cluster_ids = TextIds(), TextIds()
    counts = VoteCounts(
        str(known.get("source", "votes")),
        names,
        given_items,
        known.get("meanings", Meanings()),
        voters=None if voters is None else voter_ids,
        cluster=None if clusters is None else "cluster",
        history=history,
    )
    counts.add(
        Votes(
            ends[:, 0],
            ends[:, 1],
            np.array([ANSWERS.index(answer) for _, _, answer, _ in votes], np.int32),
            np.array([number for *_, number in votes], np.int64),
            None if voters is None else np.array(voter_ids.codes(voters), np.int32),
            None if clusters is None else np.array(cluster_ids.codes(clusters), np.int32),
        )
    )
    return counts.log_attributes() | {"rows": len(votes)} | dict(known)


def _checked_row(n: int, row: Sequence[Any]) -> tuple[str, str, str, int]:
    if isinstance(row, str) or not 3 <= len(row) <= 4:
        raise InputError(f"row {n} is {row!r}, but (left, right, answer[, count]) was expected")
    left, right, answer, number = (*row, 1)[:4]
    if not isinstance(left, str) or not isinstance(right, str) or left == right:
        raise InputError(f"row {n} is about {left!r} and {right!r}, but two items were expected")
    answer = getattr(answer, "value", answer)
    if answer not in ANSWERS:
        raise InputError(
            f"row {n} has the answer {answer!r}, but one of {', '.join(ANSWERS)} was expected"
        )
    return left, right, answer, checks.whole(f"the count of row {n}", number, least=0)
