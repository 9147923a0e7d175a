"""Votes given one by one in Python, reduced in plain loops.

For small logs and for tests: large ones are read by `antichain.logs.duels`, which must come to
the very same counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from antichain import checks
from antichain.errors import InputError
from antichain.logs.votes import (
    ANSWERS,
    FORMS,
    MOST_CHECKPOINTS,
    MOST_VOTES,
    TOP_REPEATS,
    Checkpoint,
    ClusterScores,
    ItemClusters,
    Meanings,
    PairClusters,
    PairVotes,
    Repeat,
    Repeats,
)

Cell = tuple[int, int, str]  # two items, the first before the second, and a form of `FORMS`


def reduced(
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
    names = tuple(items) if items is not None else _in_order(votes)
    place = {name: k for k, name in enumerate(names)}
    if len(place) < len(names):
        raise InputError(f"items are {names!r}, but different names were expected")
    for n, (left, right, *_) in enumerate(votes, start=1):
        for name in (left, right):
            if name not in place:
                raise InputError(f"row {n} is about {name!r}, but one of items was expected")
    cells = [_cell(place[left], place[right], answer) for left, right, answer, _ in votes]
    numbers = [number for *_, number in votes]
    if sum(numbers) > MOST_VOTES:
        raise InputError(f"there are {sum(numbers)} votes, but at most 2**53 were expected")
    pairs, row_of = _summed(cells, numbers)
    made: dict[str, Any] = {"items": names, "pairs": pairs}
    if clusters is not None:
        meanings = known.get("meanings", Meanings())
        made["clusters"] = _means(cells, numbers, clusters, row_of, meanings)
    if voters is not None:
        made["repeated"] = _repeats(votes, voters, clusters)
    if history:
        steps = [len(FORMS) * row_of[i, j] + FORMS.index(form) for i, j, form in cells]
        made["history"] = _growth(steps, numbers)
    return made | {"rows": len(votes), "counted_rows": len(votes)} | dict(known)


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


def _in_order(votes: Iterable[tuple[str, str, str, int]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for left, right, *_ in votes for name in (left, right)))


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
    return Repeats(
        sum(again.values()) - len(again),
        len({key[0] for key in again}),
        tuple(
            Repeat(str(key[0]), str(key[1]), str(key[2]), count) for key, count in top[:TOP_REPEATS]
        ),
        len(set(voters)),
    )


def _growth(steps: Sequence[int], numbers: Sequence[int]) -> tuple[Checkpoint, ...]:
    votes = np.cumsum(numbers)
    stride = max(1, -(-len(steps) // MOST_CHECKPOINTS))
    checkpoints = []
    for start in range(0, len(steps), stride):
        end = min(start + stride, len(steps))
        cells, place = np.unique(np.array(steps[start:end], np.int64), return_inverse=True)
        grew = np.zeros(cells.size, np.int64)
        np.add.at(grew, place, numbers[start:end])
        checkpoints.append(Checkpoint(end, int(votes[end - 1]), cells, grew))
    return tuple(checkpoints)
