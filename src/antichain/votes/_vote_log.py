"""Votes on pairs, reduced to counts: what a log of duels is once it has been read.

A `VoteLog` holds, for each pair seen, the raw counts of each form of answer. What ties and the
like are taken to mean is a choice of its own (`Meanings`) and reported with the counts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from antichain._markup import Summarised, Summary, listed
from antichain._text import counted, short
from antichain.errors import ParameterError
from antichain.votes._attributes import Attributes
from antichain.votes._fingerprint import fingerprint_of

if TYPE_CHECKING:
    from antichain.votes._criteria import CriterionVotes

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

FORMS = ("wins_first", "wins_second", "ties", "both_bad", "incomparable", "skipped")
"""The columns of `PairVotes` that count answers, in the order of the columns of its `table`."""

ANSWERS = ("left", "right", "tie", "both_bad", "incomparable", "skipped")
"""The same forms as one vote has them, seen from the left item."""

GIVEN_UP = len(ANSWERS)
"""The form of an ask that was given up: no answer, and in no count."""

MOST_VOTES = 2**53
"""More votes than this cannot be counted exactly in a float."""

UNIT = 10**9
"""Scores between 0 and 1 are kept to nine decimals, as whole numbers up to this one."""

MOST_SCORED_VOTES = 2**33
"""More votes than this with such scores cannot be added up exactly."""


@dataclass(frozen=True)
class Meanings:
    """How answers without a winner count. Skipped answers are never evidence.

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
        known = {
            "tie": ("--ties", "half"),
            "both_bad": ("--both-bad", "tie"),
            "incomparable": ("--incomparable", "tie"),
        }
        for name, (flag, default) in known.items():
            value = getattr(self, name)
            if value not in (default, "ignore"):
                raise ParameterError(f"{flag} is {value!r}, but {default} or ignore was expected")

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
    """Counts of each form of answer, one row per pair that was seen; `first` < `second`."""

    first: Counts  # the index of one item of the pair
    second: Counts  # the index of the other one
    wins_first: Counts  # votes for the first
    wins_second: Counts  # votes for the second
    ties: Counts  # votes for neither
    both_bad: Counts  # votes that both are bad
    incomparable: Counts  # votes that the two cannot be compared
    skipped: Counts  # votes that were not given

    @property
    def size(self) -> int:
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


class PairScores(NamedTuple):
    """Per pair and score: the row of the pair, its first item's score, and how many votes have it.

    For votes with scores between 0 and 1; each vote is one observation of its pair.
    """

    pair_row: Counts
    score: Floats
    times: Counts


class SideScores(NamedTuple):
    """How the side shown first did in judgments in both orders.

    Per score: the mean score of the side shown first over both orders (one half if the judge says
    the same in both), and how many judgments have it.
    """

    score: Floats
    times: Counts


@dataclass(frozen=True, eq=False)
class VoteOrder:
    """The votes row by row, in the order of the log (or of time)."""

    pair_row: Counts  # the row of the pair in `VoteLog.pairs`
    form: Counts  # the place of the answer in `FORMS`
    number: Counts  # how many votes the row stands for
    cluster: Counts | None = None  # the row's cluster, if there are clusters

    @classmethod
    def empty(cls) -> Self:
        return cls(*(np.zeros(0, np.int64) for _ in range(3)))


@dataclass(frozen=True, eq=False)
class ClusterScores:
    """Mean scores by cluster, of the votes that score anything under the chosen meanings."""

    column: str  # what the clusters are (the column's name)
    clusters: int  # how many there are
    pairs: PairClusters  # means by cluster and pair, sorted by pair
    items: ItemClusters  # means by cluster and item, sorted by item
    # The votes row by row, of a very long log the first ones only.
    order: VoteOrder | None = None
    unit: int = 2  # scores of single votes are whole multiples of one divided by this
    # How many clusters each row of `pairs`, and of `items`, stands for; one each if None.
    times: tuple[Counts | None, Counts | None] = (None, None)
    # Whether each cluster votes at most once on a pair: then the counts of the pairs are its
    # observations, and there are no means.
    single: bool = False

    @classmethod
    def one_vote_each(cls, column: str, clusters: int) -> Self:
        """Clusters that vote at most once on a pair."""
        none, scores = np.zeros(0, np.int64), np.zeros(0)
        means = PairClusters(none, scores, none), ItemClusters(none, scores, none)
        return cls(column, clusters, *means, single=True)


@dataclass(frozen=True, eq=False)
class DecoyVotes:
    """Votes on an item and the decoy of another, one row per item and decoy."""

    item: Counts  # the index of the item
    original: Counts  # the index of the item whose decoy was its opponent
    table: Counts  # counts of each form of answer (see `FORMS`), the item first
    # The item's mean score by cluster and row, if there are clusters.
    clusters: PairClusters | None = None


class Repeat(NamedTuple):
    """A voter who voted on a pair (of a cluster, if there are clusters) more than once."""

    voter: str
    left: str
    right: str
    times: int


@dataclass(frozen=True)
class Repeats:
    """Votes of a voter on a pair (and cluster) that the voter had voted on already."""

    votes: int  # how many
    voters: int  # how many voters gave any
    top: tuple[Repeat, ...] = ()  # who voted on what most often
    most: int = 0  # how many voted at all
    usual: int = 0  # the median number of votes of one of them
    largest: int = 0  # the largest number of votes of one of them


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What was added to the counts since the checkpoint before, up to some row of the log."""

    rows: int  # rows counted so far
    votes: int  # votes counted so far, skipped ones included
    cells: Counts  # which counts grew: the pair's row times `len(FORMS)` plus the form's place
    grew: Counts  # by how much


@dataclass(frozen=True)
class SkippedRows:
    """Rows that were no votes and were passed on request."""

    rows: int = 0  # how many
    kinds: Mapping[str, int] = field(default_factory=dict)  # how many of each kind
    places: tuple[str, ...] = ()  # where the first few are


@dataclass(frozen=True)
class SetApart:
    """Rows that are no votes on two items."""

    # Rows of an exported study: the answer came too late, twice, or for a duel no longer needed.
    # Or of any log: an earlier row answers the ask of that number.
    spare: int = 0
    decoys: int = 0  # rows with duels against a decoy, unless they are spare
    items: tuple[str, ...] = ()  # items that occur in such rows only, and so not in the log
    open: int = 0  # rows with the number of an ask and no answer yet
    given_up: int = 0  # rows that say that an ask was given up
    no_verdicts: int = 0  # rows of a judge's log without a verdict: errors, and what is no vote

    @property
    def rows(self) -> int:
        return self.spare + self.decoys + self.open + self.given_up + self.no_verdicts


@dataclass(frozen=True, eq=False)
class AskedVotes:
    """The answers in the order of the asks, up to the first ask that is open.

    An ask is open if it is neither answered nor given up. Asks about other items, and duels of an
    item against its own decoy or of two decoys, are not among them.
    """

    # The index of one item. It is smaller than the other one's, except against a decoy.
    first: Counts
    second: Counts  # the index of the other item, whose decoy was shown if `decoy` is 1
    form: Counts  # the place of the answer in `FORMS`, seen from the first, or `GIVEN_UP`
    decoy: Counts  # 1 where the first met the decoy of the second, otherwise 0
    known_by: str  # what says the order: "asks" (their numbers), "time" or "rows"
    waiting: int = 0  # how many answers stand behind the first open ask
    first_open: int | None = None  # the number of that ask
    last: int = 0  # the largest number of an ask
    # What asks without an answer mean (`antichain.votes._read_options:ReadOptions`).
    unanswered: str = "stop"

    @property
    def number(self) -> Counts:
        """How many votes each row stands for: one."""
        return np.ones(self.first.size, np.int64)


class OpenAsk(NamedTuple):
    """An ask that a row of the log has without an answer."""

    number: int
    first: int  # the index of one item
    second: int  # the index of the other item, whose decoy is to be shown if `decoy`
    decoy: bool


class AskBook(NamedTuple):
    """The numbers of the asks, where a column of the log has them."""

    last: int  # the largest number
    open: tuple[OpenAsk, ...]  # asks without an answer, by number


@dataclass(frozen=True)
class LogColumns:
    """The columns a log has, so that further rows can be written like those it holds."""

    header: tuple[str, ...]  # all of them, in order
    left: str  # the column of the left item
    right: str  # the column of the right item
    how: str  # how an answer is given (`antichain.votes._columns:Layout`)
    answers: tuple[str, ...]  # the columns of the answer: one, none or two
    decoy: str | None = None  # the column of an exported study that says which side showed a decoy
    receipt: str | None = None  # the column of an exported study that says what became of an answer
    # What separates the fields of a text; None where the log is no such text.
    delimiter: str | None = None
    encoding: str | None = None  # of that text, if it is not UTF-8
    # The column that says how many votes a row stands for, where there is one.
    count: str | None = None
    # The columns without which a row is no vote of this log: of clusters, of times.
    needed: tuple[str, ...] = ()
    # The column of an exported study that says that texts have apostrophes (`antichain._cells`).
    escape: str | None = None
    ask: str | None = None  # the column of the numbers of asks
    terms: str | None = None  # the column of an exported study that holds its terms
    criterion: str | None = None  # the column of criteria


@dataclass(frozen=True, eq=False)
class VoteLog(Summarised):
    """The votes of a log, counted by pair.

    Attributes:
        items: The items, in the order of first appearance or as given.
        pairs: The counts of each pair.
        source: Where the votes come from.
        meanings: How ties and other answers without a winner count.
        clusters: Mean scores by cluster, if there are clusters.
        scores: The scores of the votes, if some are between 0 and 1 and there are no clusters. In
            the counts such a vote is a win of the side that it leans to.
        sides: How the side shown first did, if judgments were made in both orders.
        repeated: Repeated votes, if voters are known.
        history: How the counts grew, in the order of the log (or of time).
        asks: The answers in the order of the asks; None where no order is known that can be
            evidence (docs/guides/logs.md).
        book: The numbers of the asks, and which of them are open, if a column has them.
        terms: The terms of the study whose export the log is, such as its δ, if they are in it.
        columns: The columns of the log, if it was read from a table.
        guessed: What was guessed when the votes were read, in sentences.
        rows: Rows read: `counted_rows` + `other_rows` + `skipped_rows.rows` + `apart.rows`.
        counted_rows: Rows that are in the counts.
        other_rows: Rows about items or criteria other than the given ones.
        skipped_rows: Rows that are not votes and were skipped on request.
        apart: Rows that are not votes on two items: spare answers, and duels against decoys.
        decoys: The votes against decoys, if there are any between the log's items.
        criteria: The votes by criterion, if a column says what each is about.
        attributes: What is known of each item without votes, if anything is.
        pooling: Whether the evidence from duels with different opponents may be multiplied.
        pooling_reason: If not, why.
        turned: The part of the counts in `pairs` from votes with the second item on the left.
        chosen: A sentence on how the items were chosen, if the votes were used to choose them.
    """

    items: tuple[str, ...]
    pairs: PairVotes
    source: str = "votes"
    meanings: Meanings = field(default_factory=Meanings)
    clusters: ClusterScores | None = None
    scores: PairScores | None = None
    sides: SideScores | None = None
    repeated: Repeats | None = None
    history: tuple[Checkpoint, ...] | None = None
    asks: AskedVotes | None = None
    book: AskBook | None = None
    terms: Mapping[str, Any] | None = None
    columns: LogColumns | None = None
    guessed: tuple[str, ...] = ()
    rows: int = 0
    counted_rows: int = 0
    other_rows: int = 0
    skipped_rows: SkippedRows = field(default_factory=SkippedRows)
    apart: SetApart = field(default_factory=SetApart)
    decoys: DecoyVotes | None = None
    criteria: CriterionVotes | None = None
    attributes: Attributes | None = None
    pooling: bool = True
    pooling_reason: str = ""
    turned: Counts | None = None
    chosen: str = ""

    @property
    def votes(self) -> int:
        """All votes counted, skipped ones included."""
        return int(self.pairs.table.sum())

    @property
    def answer_counts(self) -> dict[str, int]:
        """How many answers of each form there are, wins of either side together."""
        wins_first, wins_second, *others = (int(n) for n in self.pairs.table.sum(axis=0))
        return {"wins": wins_first + wins_second, **dict(zip(ANSWERS[2:], others, strict=True))}

    def __repr__(self) -> str:
        size, votes = counted(len(self.items), "item"), counted(self.votes, "vote")
        return f"VoteLog({short(self.source, 60)!r}, {size}, {votes})"

    def _summary(self) -> Summary:
        size = len(self.items)
        forms = (f"{n:,} {form.replace('_', ' ')}" for form, n in self.answer_counts.items() if n)
        pairs = f"{self.pairs.size:,} of {size * (size - 1) // 2:,} have votes"
        facts = [("items", listed(self.items)), ("pairs", pairs)]
        facts.append(("answers", ", ".join(forms) or "none"))
        return Summary(f"{counted(self.votes, 'vote')} from {short(self.source, 60)}", facts)

    def scored(self) -> tuple[Counts, Counts, Counts]:
        """Wins of the first, halves, and wins of the second, by pair, under the meanings."""
        return self.meanings.scored(self.pairs.table)

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of the items and the votes: also of their order where it is evidence."""
        return fingerprint_of(self, ordered=True)

    @property
    def order_free_fingerprint(self) -> str:
        """A SHA-256 of the items, the counts and the cluster scores, whatever their order."""
        return fingerprint_of(self, ordered=False)

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
        from antichain.votes._counting import rows_of_counts

        return cls.from_rows(rows_of_counts(counts), items, history=False, **known)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[Any]],
        items: Sequence[str] | None = None,
        *,
        clusters: Sequence[Hashable] | None = None,
        voters: Sequence[Hashable] | None = None,
        history: bool = True,
        ordered: bool = False,
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
            ordered: Whether the rows stand in the order of their asks (`asks`); then an answer
                may also be "given_up".
            known: Further attributes of the log, such as `meanings` or `pooling`.

        >>> log = VoteLog.from_rows([("a", "b", "left"), ("b", "a", "right"), ("a", "b", "tie")])
        >>> log.items, log.pairs.wins_first, log.votes
        (('a', 'b'), array([2]), 3)
        """
        from antichain.votes._counting import attributes_of_rows

        return cls(
            **attributes_of_rows(list(rows), items, clusters, voters, history, ordered, known)
        )
