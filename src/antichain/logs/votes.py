"""Votes on pairs, reduced to counts: what a log of duels is once it has been read.

A `VoteLog` holds raw counts of each form of answer for each pair seen, before anything is made of
ties and the like; what they mean is chosen once (`Meanings`) and told.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.errors import InputError, ParameterError

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

FORMS = ("wins_first", "wins_second", "ties", "both_bad", "incomparable", "skipped")
"""The columns of `PairVotes` that count answers, in the order of the columns of its `table`."""

ANSWERS = ("left", "right", "tie", "both_bad", "incomparable", "skipped")
"""The same forms as one vote has them, seen from the left item."""

MOST_VOTES = 2**53
"""More votes than this cannot be counted exactly in a float."""

MOST_CHECKPOINTS = 200
"""Checkpoints kept of how the counts grew."""

_TOP_REPEATS = 10


@dataclass(frozen=True)
class Meanings:
    """What the answers that name no winner are taken to mean. Skipped ones are never evidence.

    Attributes:
        tie: "half" (half a win for either) or "ignore".
        both_bad: "tie" (whatever a tie means) or "ignore".
        incomparable: "tie" (for the mean score; such answers are also counted for a verdict of
            their own) or "ignore".
    """

    tie: str = "half"
    both_bad: str = "tie"
    incomparable: str = "tie"

    def __post_init__(self) -> None:
        known = {"tie": "half", "both_bad": "tie", "incomparable": "tie"}
        for name, default in known.items():
            value = getattr(self, name)
            if value not in (default, "ignore"):
                raise ParameterError(
                    f"the meaning of {name} is {value!r}, but {default!r} or 'ignore' was expected"
                )

    @property
    def doubled_scores(self) -> dict[str, int | None]:
        """Twice the left item's score by form of answer; None where an answer scores nothing."""
        tie = 1 if self.tie == "half" else None
        return {
            "left": 2,
            "right": 0,
            "tie": tie,
            "both_bad": tie if self.both_bad == "tie" else None,
            "incomparable": tie if self.incomparable == "tie" else None,
            "skipped": None,
        }

    @property
    def words(self) -> dict[str, str]:
        """What each form of answer counts as, in words."""
        said = {2: "a win of the left item", 0: "a win of the right item", 1: "half a win each"}
        return {
            form: "no evidence" if score is None else said[score]
            for form, score in self.doubled_scores.items()
        }


@dataclass(frozen=True, eq=False)
class PairVotes:
    """Counts of each form of answer, one row a pair that was seen; `first` < `second`.

    Attributes:
        first: The index of one item of the pair.
        second: The index of the other one.
        wins_first: Votes for the first.
        wins_second: Votes for the second.
        ties: Votes for neither.
        both_bad: Votes that both are bad.
        incomparable: Votes that the two cannot be compared.
        skipped: Votes that were not given.
    """

    first: Counts
    second: Counts
    wins_first: Counts
    wins_second: Counts
    ties: Counts
    both_bad: Counts
    incomparable: Counts
    skipped: Counts

    @property
    def size(self) -> int:
        """How many pairs were seen."""
        return int(self.first.size)

    @property
    def table(self) -> Counts:
        """The counts as a table: a row a pair, a column a form (see `FORMS`)."""
        return np.column_stack([getattr(self, form) for form in FORMS])

    @classmethod
    def from_table(cls, first: Counts, second: Counts, table: Counts) -> Self:
        """The pairs (first, second) with the counts of `table`, sorted by pair."""
        order = np.lexsort((second, first))
        columns = np.ascontiguousarray(table[order].astype(np.int64).T)
        return cls(first[order].astype(np.int64), second[order].astype(np.int64), *columns)


class PairClusters(NamedTuple):
    """One entry a cluster and pair: the row of the pair, its first item's mean score, its votes."""

    pair_row: Counts
    score: Floats
    votes: Counts


class ItemClusters(NamedTuple):
    """One entry a cluster and item: the item, its mean score against anyone, its votes."""

    item: Counts
    score: Floats
    votes: Counts


@dataclass(frozen=True, eq=False)
class ClusterScores:
    """Mean scores by cluster, of the votes that score anything under the chosen meanings.

    Attributes:
        column: What the clusters are (the column's name).
        clusters: How many there are.
        pairs: Means by cluster and pair, sorted by pair.
        items: Means by cluster and item, sorted by item.
    """

    column: str
    clusters: int
    pairs: PairClusters
    items: ItemClusters


class Repeat(NamedTuple):
    """A voter who voted on a pair (of a cluster, if there are clusters) more than once."""

    voter: str
    left: str
    right: str
    times: int


@dataclass(frozen=True)
class Repeats:
    """Votes of a voter on a pair (and cluster) that the voter had voted on already.

    Attributes:
        votes: How many.
        voters: How many voters gave any.
        top: Who voted on what most often.
        most: How many voted at all.
    """

    votes: int
    voters: int
    top: tuple[Repeat, ...] = ()
    most: int = 0


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What was added to the counts since the checkpoint before, up to some row of the log.

    Attributes:
        rows: Rows counted so far.
        votes: Votes counted so far, skipped ones included.
        cells: Which counts grew: the pair's row times `len(FORMS)` plus the form's place.
        grew: By how much.
    """

    rows: int
    votes: int
    cells: Counts
    grew: Counts


@dataclass(frozen=True)
class SkippedRows:
    """Rows that were no votes and were passed on request.

    Attributes:
        rows: How many.
        kinds: How many of each kind.
        places: Where the first few are.
    """

    rows: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)
    places: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class VoteLog:
    """A log of votes, reduced.

    Attributes:
        items: In the order of first appearance, or as given.
        pairs: The counts.
        source: Where they come from.
        meanings: What ties and the like are taken to mean.
        clusters: Mean scores by cluster, if there are clusters.
        repeated: Repeated votes, if voters are known.
        history: How the counts grew, in the order of the log (or of time).
        guessed: Sentences on what was guessed.
        rows: Rows read: `counted_rows` + `other_rows` + `skipped_rows.rows`.
        counted_rows: Rows that are in the counts.
        other_rows: Rows about items other than the given ones.
        skipped_rows: Rows that were no votes and were passed on request.
        pooling: Whether duels of one item against different opponents may be multiplied.
        pooling_reason: If not, why not.
    """

    items: tuple[str, ...]
    pairs: PairVotes
    source: str = "votes"
    meanings: Meanings = field(default_factory=Meanings)
    clusters: ClusterScores | None = None
    repeated: Repeats | None = None
    history: tuple[Checkpoint, ...] | None = None
    guessed: tuple[str, ...] = ()
    rows: int = 0
    counted_rows: int = 0
    other_rows: int = 0
    skipped_rows: SkippedRows = field(default_factory=SkippedRows)
    pooling: bool = True
    pooling_reason: str = ""

    @property
    def votes(self) -> int:
        """All votes counted, skipped ones included."""
        return int(self.pairs.table.sum())

    @property
    def answer_counts(self) -> dict[str, int]:
        """How many answers of each form there are, wins of either side together."""
        wins_first, wins_second, *others = (int(n) for n in self.pairs.table.sum(axis=0))
        return {"wins": wins_first + wins_second, **dict(zip(ANSWERS[2:], others, strict=True))}

    def scored(self) -> tuple[Counts, Counts, Counts]:
        """Wins of the first, halves, and wins of the second, by pair, under the meanings."""
        halves = np.zeros(self.pairs.size, np.int64)
        counted = zip(("tie", "both_bad", "incomparable"), FORMS[2:5], strict=True)
        for answer, form in counted:
            if self.meanings.doubled_scores[answer] is not None:
                halves = halves + getattr(self.pairs, form)
        return self.pairs.wins_first, halves, self.pairs.wins_second

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of the items, the counts and the cluster scores, whatever their order."""
        order = np.argsort(np.array(self.items, dtype=object), kind="stable")
        place = np.empty(len(self.items), np.int64)
        place[order] = np.arange(len(self.items))
        digest = hashlib.sha256()
        for name in (self.items[k] for k in order):
            encoded = name.encode()
            digest.update(len(encoded).to_bytes(8, "little") + encoded)
        pairs = self.pairs
        ends = np.sort(np.column_stack([place[pairs.first], place[pairs.second]]), axis=1)
        turned = place[pairs.first] > place[pairs.second]
        table = pairs.table
        table[turned] = table[turned][:, [1, 0, 2, 3, 4, 5]]
        _add_sorted(digest, *ends.T, *table.T)
        if self.clusters is not None:
            row, score, votes = self.clusters.pairs
            score = np.where(turned[row], 1 - score, score)
            _add_sorted(digest, *ends[row].T, votes, np.rint(score * 2 * votes).astype(np.int64))
            item, score, votes = self.clusters.items
            _add_sorted(digest, place[item], votes, np.rint(score * 2 * votes).astype(np.int64))
        digest.update(b"pooled" if self.pooling else b"not pooled")
        return digest.hexdigest()

    @classmethod
    def from_counts(
        cls,
        counts: Iterable[Sequence[Any]] | Mapping[tuple[str, str], Sequence[int]],
        items: Sequence[str] | None = None,
        **known: Any,
    ) -> Self:
        """The log with these counts.

        Args:
            counts: (left, right, wins of left, wins of right[, ties[, both bad[, incomparable[,
                skipped]]]]), or a mapping from (left, right) to the rest.
            items: All items; by default those of the pairs, in order.
            known: Further attributes of the log, such as `meanings` or `pooling`.

        >>> VoteLog.from_counts([("a", "b", 3, 1, 2)]).pairs.ties
        array([2])
        """
        if isinstance(counts, Mapping):
            counts = [(*pair, *numbers) for pair, numbers in counts.items()]
        votes: list[tuple[str, str, str, int]] = []
        for entry in counts:
            if not 4 <= len(entry) <= 2 + len(ANSWERS):
                raise InputError(
                    f"counts hold {tuple(entry)!r}, but two items and two to six numbers were "
                    "expected"
                )
            left, right, *numbers = entry
            padded = [*numbers, *[0] * (len(ANSWERS) - len(numbers))]
            for answer, number in zip(ANSWERS, padded, strict=True):
                votes.append((left, right, answer, number))
        return cls.from_rows(votes, items, history=False, **known)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[Any]],
        items: Sequence[str] | None = None,
        *,
        clusters: Sequence[Hashable] | None = None,
        voters: Sequence[Hashable] | None = None,
        history: bool = True,
        **known: Any,
    ) -> Self:
        """The log of votes (left, right, answer[, count]); an answer is one of `ANSWERS`.

        For logs that were checked already, and for tests: `read_votes` reads anything else.

        Args:
            rows: The votes.
            items: All items; by default those of the votes, in order.
            clusters: The cluster of each row.
            voters: The voter of each row.
            history: Whether to keep how the counts grew.
            known: Further attributes of the log, such as `meanings` or `pooling`.

        >>> log = VoteLog.from_rows([("a", "b", "left"), ("b", "a", "right"), ("a", "b", "tie")])
        >>> log.items, log.pairs.wins_first, log.votes
        (('a', 'b'), array([2]), 3)
        """
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
        meanings = known.get("meanings", Meanings())
        steps = [len(FORMS) * row_of[i, j] + FORMS.index(form) for i, j, form in cells]
        return cls(
            names,
            pairs,
            clusters=None
            if clusters is None
            else _means(cells, numbers, clusters, row_of, meanings),
            repeated=None if voters is None else _repeats(votes, voters, clusters),
            history=_growth(steps, numbers) if history else None,
            rows=len(votes),
            counted_rows=len(votes),
            **known,
        )


Cell = tuple[int, int, str]  # two items, the first before the second, and a form of `FORMS`


def _add_sorted(digest: Any, *columns: Counts) -> None:
    table = np.column_stack(columns).astype("<i8")
    digest.update(table.shape[0].to_bytes(8, "little"))
    digest.update(np.ascontiguousarray(table[np.lexsort(table.T[::-1])]).tobytes())


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
            Repeat(str(key[0]), str(key[1]), str(key[2]), count)
            for key, count in top[:_TOP_REPEATS]
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
