"""Votes on pairs, reduced to counts: what a log of duels is once it has been read.

A `VoteLog` holds, for each pair seen, the raw counts of each form of answer. What ties and the
like are taken to mean is a choice of its own (`Meanings`) and reported with the counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

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
"""The most checkpoints of how the counts grew (set by hand: as many as a plot can show)."""

TOP_REPEATS = 10
"""How many of the most frequent repeats are listed."""


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

    def scored(self, table: Counts) -> tuple[Counts, Counts, Counts]:
        """Wins of the first, halves, and wins of the second, by row of a table of counts."""
        scores = self.doubled_scores
        ties = [k for k, answer in enumerate(ANSWERS) if k > 1 and scores[answer] is not None]
        return table[:, 0], table[:, ties].sum(axis=1), table[:, 1]

    @property
    def words(self) -> dict[str, str]:
        """What each form of answer counts as, in words."""
        meaning = {2: "a win of the left item", 0: "a win of the right item", 1: "half a win each"}
        return {
            form: "no evidence" if score is None else meaning[score]
            for form, score in self.doubled_scores.items()
        }


@dataclass(frozen=True, eq=False)
class PairVotes:
    """Counts of each form of answer, one row per pair that was seen; `first` < `second`.

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
        """The counts as a table: one row per pair, one column per form (see `FORMS`)."""
        return np.column_stack([getattr(self, form) for form in FORMS])

    @classmethod
    def from_table(cls, first: Counts, second: Counts, table: Counts) -> Self:
        """The pairs (first, second) with the counts of `table`, sorted by pair."""
        order = np.lexsort((second, first))
        columns = np.ascontiguousarray(table[order].astype(np.int64).T)
        return cls(first[order].astype(np.int64), second[order].astype(np.int64), *columns)


class PairClusters(NamedTuple):
    """Per cluster and pair: the row of the pair, its first item's mean score, and its votes."""

    pair_row: Counts
    score: Floats
    votes: Counts


class ItemClusters(NamedTuple):
    """Per cluster and item: the item, its mean score against anyone, and its votes."""

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


@dataclass(frozen=True, eq=False)
class DecoyVotes:
    """Votes on an item and the decoy of another, one row per item and decoy.

    Attributes:
        item: The index of the item.
        original: The index of the item whose decoy was its opponent.
        table: Counts of each form of answer (see `FORMS`), the item first.
        clusters: The item's mean score by cluster and row, if there are clusters.
    """

    item: Counts
    original: Counts
    table: Counts
    clusters: PairClusters | None = None


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


@dataclass(frozen=True)
class SetApart:
    """Rows that are no votes on two items.

    Attributes:
        spare: Rows of an exported study with answers that came too late, twice, or for a duel no
            longer needed.
        decoys: Rows with duels against a decoy, unless they are spare.
        items: Items that occur in such rows only, and so not in the log.
    """

    spare: int = 0
    decoys: int = 0
    items: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """All of them."""
        return self.spare + self.decoys


@dataclass(frozen=True, eq=False)
class VoteOrder:
    """The votes row by row, in the order of the log (or of time).

    Attributes:
        pair_row: The row of the pair in `VoteLog.pairs`.
        form: The place of the answer in `FORMS`.
        number: How many votes the row stands for.
        cluster: The row's cluster, if there are clusters.
    """

    pair_row: Counts
    form: Counts
    number: Counts
    cluster: Counts | None = None

    @classmethod
    def empty(cls) -> Self:
        """The order of no votes."""
        return cls(*(np.zeros(0, np.int64) for _ in range(3)))


@dataclass(frozen=True)
class LogColumns:
    """The columns a log has, so that further rows can be written like those it holds.

    Attributes:
        header: All of them, in order.
        left: The column of the left item.
        right: The column of the right item.
        how: How an answer is given (`antichain.votes.columns:Layout`).
        answers: The columns of the answer: one, none or two.
        decoy: The column of an exported study that says which side showed a decoy.
        receipt: The column of an exported study that says what became of an answer.
        delimiter: What separates the fields of a text; None where the log is no such text.
        encoding: Of that text, if it is not UTF-8.
        count: The column that says how many votes a row stands for, where there is one.
        needed: The columns without which a row is no vote of this log: of clusters, of times.
    """

    header: tuple[str, ...]
    left: str
    right: str
    how: str
    answers: tuple[str, ...]
    decoy: str | None = None
    receipt: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    count: str | None = None
    needed: tuple[str, ...] = ()


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
        order: The votes row by row, if they were kept.
        columns: The columns of the log, if it was read from a table.
        guessed: Sentences on what was guessed.
        rows: Rows read: `counted_rows` + `other_rows` + `skipped_rows.rows` + `apart.rows`.
        counted_rows: Rows that are in the counts.
        other_rows: Rows about items other than the given ones.
        skipped_rows: Rows that were no votes and were passed on request.
        apart: Rows that are no votes on two items: spare answers, and duels against decoys.
        decoys: The votes in the latter, if there are any between the log's items.
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
    order: VoteOrder | None = None
    columns: LogColumns | None = None
    guessed: tuple[str, ...] = ()
    rows: int = 0
    counted_rows: int = 0
    other_rows: int = 0
    skipped_rows: SkippedRows = field(default_factory=SkippedRows)
    apart: SetApart = field(default_factory=SetApart)
    decoys: DecoyVotes | None = None
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
        return self.meanings.scored(self.pairs.table)

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
        if self.decoys is not None:
            duels = self.decoys
            ends = np.column_stack([place[duels.item], place[duels.original]])
            _add_sorted(digest, *ends.T, *duels.table.T)
            if duels.clusters is not None:
                row, score, votes = duels.clusters
                doubled = np.rint(score * 2 * votes).astype(np.int64)
                _add_sorted(digest, *ends[row].T, votes, doubled)
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
        from antichain.votes.vote_rows import log_attributes

        return cls(**log_attributes(list(rows), items, clusters, voters, history, known))


def _add_sorted(digest: Any, *columns: Counts) -> None:
    table = np.column_stack(columns).astype("<i8")
    digest.update(table.shape[0].to_bytes(8, "little"))
    digest.update(np.ascontiguousarray(table[np.lexsort(table.T[::-1])]).tobytes())
