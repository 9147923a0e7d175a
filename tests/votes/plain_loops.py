"""Votes counted in plain loops, from the definitions: what every reader must come to."""

import statistics
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from antichain.votes._counting import TOP_REPEATS
from antichain.votes._vote_log import (
    ANSWERS,
    FORMS,
    ClusterScores,
    ItemClusters,
    Meanings,
    PairClusters,
    PairVotes,
    Repeat,
    Repeats,
    VoteLog,
)

Cell = tuple[int, int, str]  # two items, the first before the second, and a form of `FORMS`


def log_by_plain_loops(
    votes: Sequence[tuple[str, str, str, int]],
    clusters: Sequence[Hashable] | None = None,
    voters: Sequence[Hashable] | None = None,
    meanings: Meanings | None = None,
) -> VoteLog:
    """The log of votes (left, right, answer[, count])."""
    votes = [(*vote, 1)[:4] for vote in votes]
    meanings = meanings or Meanings()
    names = tuple(dict.fromkeys(name for left, right, *_ in votes for name in (left, right)))
    place = {name: k for k, name in enumerate(names)}
    cells = [_cell(place[left], place[right], answer) for left, right, answer, _ in votes]
    numbers = [number for *_, number in votes]
    pairs, row_of = _summed(cells, numbers)
    return VoteLog(
        names,
        pairs,
        meanings=meanings,
        clusters=None if clusters is None else _means(cells, numbers, clusters, row_of, meanings),
        repeated=None if voters is None else _repeats(votes, voters, clusters),
        rows=len(votes),
        counted_rows=len(votes),
    )


def _cell(left: int, right: int, answer: str) -> Cell:
    """The count a vote belongs to."""
    form = FORMS[ANSWERS.index(answer)]
    if left < right:
        return left, right, form
    turned = {"wins_first": "wins_second", "wins_second": "wins_first"}
    return right, left, turned.get(form, form)


def _summed(
    cells: Sequence[Cell], numbers: Sequence[int]
) -> tuple[PairVotes, dict[tuple[int, int], int]]:
    """The counts, and the row of each pair."""
    seen = sorted({(i, j) for i, j, _ in cells})
    row_of = {pair: row for row, pair in enumerate(seen)}
    table = np.zeros((len(seen), len(FORMS)), np.int64)
    for (i, j, form), number in zip(cells, numbers, strict=True):
        table[row_of[i, j], FORMS.index(form)] += number
    ends = np.array(seen, np.int64).reshape(-1, 2)
    return PairVotes.from_table(ends[:, 0], ends[:, 1], table), row_of


def _means(
    cells: Sequence[Cell],
    numbers: Sequence[int],
    clusters: Sequence[Hashable],
    row_of: Mapping[tuple[int, int], int],
    meanings: Meanings,
) -> ClusterScores:
    by_pair: dict[tuple[int, Hashable], list[int]] = {}
    by_item: dict[tuple[int, Hashable], list[int]] = {}
    scores = meanings.doubled_scores
    for (i, j, form), number, cluster in zip(cells, numbers, clusters, strict=True):
        doubled = scores[ANSWERS[FORMS.index(form)]]
        if doubled is None or number == 0:
            continue
        entries = (by_pair, row_of[i, j], doubled), (by_item, i, doubled), (by_item, j, 2 - doubled)
        for sums, key, score in entries:
            entry = sums.setdefault((key, cluster), [0, 0])
            entry[0] += score * number
            entry[1] += number
    columns = []
    for sums in (by_pair, by_item):
        entries_in_order = sorted((key, *entry) for (key, _), entry in sums.items())
        table = np.array(entries_in_order, np.int64).reshape(-1, 3)
        columns.append((table[:, 0], table[:, 1] / (2 * table[:, 2]), table[:, 2]))
    pairs, items = columns
    return ClusterScores("cluster", len(set(clusters)), PairClusters(*pairs), ItemClusters(*items))


def _repeats(
    votes: Sequence[tuple[str, str, str, int]],
    voters: Sequence[Hashable],
    clusters: Sequence[Hashable] | None,
) -> Repeats:
    times: Counter[tuple[Hashable, ...]] = Counter()
    for n, ((left, right, _, number), voter) in enumerate(zip(votes, voters, strict=True)):
        cluster = None if clusters is None else clusters[n]
        times[voter, *sorted((left, right)), cluster] += number
    again = {key: count for key, count in times.items() if count > 1}
    top = sorted(again.items(), key=lambda entry: (-entry[1], *map(str, entry[0])))
    each = Counter[Hashable]()
    for key, count in times.items():
        each[key[0]] += count
    return Repeats(
        sum(again.values()) - len(again),
        len({key[0] for key in again}),
        tuple(
            Repeat(str(key[0]), str(key[1]), str(key[2]), count) for key, count in top[:TOP_REPEATS]
        ),
        len(set(voters)),
        int(statistics.median(each.values())) if each else 0,
        max(each.values(), default=0),
    )
