"""Votes counted as they come: by pair, by cluster and pair, by voter and pair, and over time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain.errors import FileError, InputError
from antichain.sources._chunks import NO_CODE, TextIds
from antichain.sources._spans import Codes
from antichain.votes._ask_order import AskOrder
from antichain.votes._score_sums import ScoreSums, are_fractions
from antichain.votes._tallies import (
    TURNED,
    WIDTH,
    Growth,
    KeyedSums,
    OrderedRows,
    Votes,
    vote_order,
)
from antichain.votes._vote_log import (
    ANSWERS,
    GIVEN_UP,
    MOST_SCORED_VOTES,
    MOST_VOTES,
    UNIT,
    Checkpoint,
    ClusterScores,
    Counts,
    DecoyVotes,
    Floats,
    ItemClusters,
    Meanings,
    PairClusters,
    PairVotes,
    Repeat,
    Repeats,
    SetApart,
)

MOST_IN_CLUSTERS = 1_000_000
"""How many votes in clusters are kept in their order (set by hand: some 25 bytes each)."""

TOP_REPEATS = 10
"""How many of the most frequent repeats are listed."""


class VoteCounts:
    """The counts of all votes so far.

    Items and voters come as numbers of `names` and `voters`, which may grow meanwhile; the first
    `given` names are items even if nobody votes on them. `cluster` says what the clusters are.
    """

    def __init__(
        self,
        label: str,
        names: TextIds,
        given: int,
        meanings: Meanings,
        *,
        voters: TextIds | None = None,
        cluster: str | None = None,
        history: bool = True,
        scored: bool = False,
        both_orders: bool = False,
        sides: bool = False,
    ) -> None:
        # Half votes, unless votes have scores of their own, or are halves of judgments.
        self._unit = UNIT if scored or both_orders else 2
        self._both_orders = both_orders
        of_use = scored or both_orders or sides
        self._scores = ScoreSums(scored, both_orders) if of_use else None
        self._label, self._names, self._meanings = label, names, meanings
        self._voter_names, self._cluster = voters, cluster
        self._item_of = np.arange(given, dtype=np.int32)  # by number of name
        self._items = given
        self.rows = self._votes = 0
        self._pairs = KeyedSums(2 * WIDTH)  # and those with the second item on the left
        self._by_voter, self._by_voter_within = KeyedSums(1), KeyedSums(1)  # cluster or criterion
        self._by_pair, self._by_item = KeyedSums(2), KeyedSums(2)
        self._decoys: tuple[KeyedSums, KeyedSums] | None = None  # by duel, by duel and cluster
        self._clusters: set[int] = set()
        self._growth = Growth() if history else None
        self._timed: list[tuple[Floats, Counts, Counts]] = []
        # To see whether what a cluster is asked depends on its own answers.
        self._within: list[OrderedRows] = []
        scores = meanings.doubled_scores
        self._doubled = np.array([-1 if scores[a] is None else scores[a] for a in ANSWERS])

    def add(self, votes: Votes, against_decoys: Votes | None = None) -> None:
        """Count further votes: on two items, and on an item (left) and another's decoy (right)."""
        if against_decoys is not None:
            self._add_decoys(against_decoys)
        self.rows += votes.left.size
        self._votes += int(votes.number.sum())
        most = MOST_VOTES if self._unit == 2 else MOST_SCORED_VOTES
        if self._votes > most:
            raise FileError(
                f"{self._label} holds {self._votes:,} votes, but at most 2**"
                f"{most.bit_length() - 1} can be counted exactly"
            )
        left, right = self._numbered(votes.left, votes.right)
        turned = left > right
        form = np.where(turned, TURNED[votes.form], votes.form)
        if votes.score is not None:
            votes = votes._replace(score=np.where(turned, UNIT - votes.score, votes.score))
        first, second = np.minimum(left, right), np.maximum(left, right)
        pair = self._pairs.codes(first, second)
        cells = pair.astype(np.int64) * WIDTH + form
        self._pairs.add_cells(cells + WIDTH * (pair + turned.astype(np.int64)), votes.number)
        if votes.cluster is not None:
            self._clusters.update(np.unique(votes.cluster).tolist())
            self._add_clusters(first, second, pair, self._in_units(form, votes), votes)
        if self._scores is not None:
            self._scores.add(pair, self._in_units(form, votes), votes, ~turned)
        if votes.voter is not None:
            self._add_voters(pair, votes)
        if votes.cluster is not None and self.rows <= MOST_IN_CLUSTERS:
            key = votes.time if votes.ask is None else votes.ask
            row = pair, form.astype(np.int8), votes.number, votes.cluster, key
            self._within.append(row)
        if self._growth is not None:
            if votes.time is None:
                self._growth.add(cells, votes.number)
            else:
                self._timed.append((votes.time, cells, votes.number))

    def _numbered(self, left: Codes, right: Codes) -> tuple[Codes, Codes]:
        """The items by their number, in the order in which they are first voted on."""
        self._make_room()
        if (self._item_of[left] < 0).any() or (self._item_of[right] < 0).any():
            met = np.column_stack([left, right]).reshape(-1)
            met = met[self._item_of[met] < 0]
            _, first_at = np.unique(met, return_index=True)
            new = met[np.sort(first_at)]
            self._item_of[new] = np.arange(self._items, self._items + new.size)
            self._items += new.size
        return self._item_of[left], self._item_of[right]

    def _in_units(self, form: Codes, votes: Votes) -> Counts:
        """The score of each vote in units, −1 where it scores nothing."""
        doubled = self._doubled[form].astype(np.int64)
        units = doubled * (self._unit // 2) if votes.score is None else votes.score
        return np.where(doubled < 0, -1, units)

    def _add_clusters(
        self, first: Codes, second: Codes, pair: Codes, units: Counts, votes: Votes
    ) -> None:
        scoring, cluster, ours, number = self._scoring(units, votes)
        for sums, who, score in (
            (self._by_pair, pair, ours),
            (self._by_item, first, ours),
            (self._by_item, second, self._unit * number - ours),
        ):
            sums.add(sums.codes(who[scoring], cluster), score, number)

    def _scoring(
        self, units: Counts, votes: Votes
    ) -> tuple[NDArray[np.bool_], Codes, Counts, Counts]:
        """The rows that score anything: which, their clusters, sums of units and numbers."""
        assert votes.cluster is not None
        scoring = (units >= 0) & (votes.number > 0)
        number = votes.number[scoring]
        return scoring, votes.cluster[scoring], units[scoring] * number, number

    def _add_decoys(self, votes: Votes) -> None:
        # By names, as items are numbered by votes on two of them only.
        if votes.score is not None and are_fractions(votes.score).any():
            raise FileError(
                f"{self._label} has duels against decoys with scores between 0 and 1, but wins, "
                "losses and ties were expected there"
            )
        if self._decoys is None:
            self._decoys = KeyedSums(WIDTH), KeyedSums(2)
        duels, clusters = self._decoys
        duel = duels.codes(votes.left, votes.right)
        duels.add_cells(duel.astype(np.int64) * WIDTH + votes.form, votes.number)
        if votes.cluster is not None:
            scoring, cluster, ours, number = self._scoring(self._doubled[votes.form], votes)
            clusters.add(clusters.codes(duel[scoring], cluster), ours, number)

    def _add_voters(self, pair: Codes, votes: Votes) -> None:
        assert votes.voter is not None
        known = votes.voter >= 0
        number = votes.number[known]
        codes = self._by_voter.codes(votes.voter[known], pair[known])
        within = votes.criterion if votes.cluster is None else votes.cluster
        if within is None:
            self._by_voter.add(codes, number)
        else:
            sums = self._by_voter_within
            sums.add(sums.codes(codes, within[known]), number)

    def _make_room(self) -> None:
        more = len(self._names) - self._item_of.size
        self._item_of = np.concatenate([self._item_of, np.full(more, NO_CODE, np.int32)])

    def log_attributes(self) -> dict[str, Any]:
        """Everything counted, as attributes of a `VoteLog`."""
        self._make_room()
        met = np.flatnonzero(self._item_of >= 0)
        items = np.empty(self._items, object)
        items[self._item_of[met]] = self._names.names[met]
        first, second = self._pairs.keys
        order = np.lexsort((second, first))
        row_of = np.empty(order.size, np.int64)
        row_of[order] = np.arange(order.size)
        return {
            "items": tuple(items.tolist()),
            "pairs": PairVotes.from_table(first, second, self._table()),
            "turned": None if self._both_orders else self._pairs.sums[order, WIDTH:],
            "source": self._label,
            "meanings": self._meanings,
            "clusters": None if self._cluster is None else self._cluster_scores(row_of),
            **self._score_attributes(row_of),
            "repeated": None if self._voter_names is None else self._repeats(items),
            "history": self._history(row_of),
            "counted_rows": self.rows,
            "decoys": self._decoy_votes(),
        }

    def _table(self) -> Counts:
        table = self._pairs.sums[:, :WIDTH] + self._pairs.sums[:, WIDTH:]
        return table if self._scores is None else self._scores.table(table, self._doubled)

    def _score_attributes(self, row_of: Counts) -> dict[str, Any]:
        if self._scores is None:
            return {}
        return self._scores.attributes(row_of, clustered=self._cluster is not None)

    def items_by_name(self) -> Codes:
        """The index of each item by the number of its name, −1 for a name that is no item."""
        self._make_room()
        return self._item_of

    def names_without_votes(self, numbers: Codes) -> tuple[str, ...]:
        """Those of the names with these numbers that no vote on two items is about, sorted."""
        self._make_room()
        met = np.flatnonzero(self._item_of >= 0)
        return tuple(sorted(self._names.names[np.setdiff1d(numbers, met)].tolist()))

    def _decoy_votes(self) -> DecoyVotes | None:
        """The duels against decoys of the log's items, sorted."""
        if self._decoys is None:
            return None
        duels, by_cluster = self._decoys
        item, original = (self._item_of[names] for names in duels.keys)
        kept = np.flatnonzero((item >= 0) & (original >= 0))
        if not kept.size:
            return None
        kept = kept[np.lexsort((original[kept], item[kept]))]
        row_of = np.full(item.size, NO_CODE, np.int64)
        row_of[kept] = np.arange(kept.size)
        clusters = None
        if self._cluster is not None:
            duel, _ = by_cluster.keys
            row, sums = row_of[duel], by_cluster.sums
            rows, (doubled, votes) = row[row >= 0], sums[row >= 0].T
            order = np.lexsort((votes, doubled, rows))
            score = doubled[order] / (2 * votes[order])
            clusters = PairClusters(rows[order], score, votes[order])
        ours, theirs = (codes[kept].astype(np.int64) for codes in (item, original))
        return DecoyVotes(ours, theirs, duels.sums[kept], clusters)

    def _cluster_scores(self, row_of: Counts) -> ClusterScores:
        made = []
        for sums, number_of in ((self._by_pair, row_of), (self._by_item, None)):
            keys, _ = sums.keys
            who = keys if number_of is None else number_of[keys]
            doubled, votes = sums.sums.T
            # By the numbers and not by the cluster, whose number depends on the order of rows.
            order = np.lexsort((votes, doubled, who))
            who, doubled, votes = who[order], doubled[order], votes[order]
            made.append((who, doubled / (self._unit * votes), votes.copy()))
        pairs, items = PairClusters(*made[0]), ItemClusters(*made[1])
        within = vote_order(self._within, row_of)
        return ClusterScores(
            str(self._cluster),
            len(self._clusters),
            pairs,
            items,
            within,
            self._unit if self._is_fractional else 2,
        )

    def _repeats(self, items: NDArray[np.object_]) -> Repeats:
        assert self._voter_names is not None
        voter, pair = self._by_voter.keys
        times = self._by_voter.sums[:, 0]
        key, _ = self._by_voter_within.keys
        if key.size:
            voter, pair, times = voter[key], pair[key], self._by_voter_within.sums[:, 0]
        each = np.bincount(voter, times)[np.unique(voter)]
        again = np.flatnonzero(times > 1)
        first, second = (items[ends[pair[again]]] for ends in self._pairs.keys)
        who, times = self._voter_names.names[voter[again]], times[again]
        largest = np.argsort(-times, kind="stable")
        if largest.size > TOP_REPEATS:  # of those that repeat as often, all, to be sorted by name
            largest = np.flatnonzero(times >= times[largest[TOP_REPEATS - 1]])
        found = []
        for k in largest.tolist():
            one, other = sorted((first[k], second[k]))
            found.append(Repeat(str(who[k]), one, other, int(times[k])))
        top = sorted(found, key=lambda repeat: (-repeat.times, *repeat[:3]))[:TOP_REPEATS]
        return Repeats(
            int(times.sum()) - times.size, len(set(voter[again].tolist())), tuple(top),
            each.size, int(np.median(each)) if each.size else 0, int(each.max(initial=0)),
        )  # fmt: skip

    @property
    def _is_fractional(self) -> bool:
        """Whether any vote has a score that is none of 0, one half and 1."""
        return self._scores is not None and self._scores.fractional

    def _history(self, row_of: Counts) -> tuple[Checkpoint, ...] | None:
        if self._growth is None or self._is_fractional:  # which counts do not show
            return None
        if self._timed:
            times, cells, numbers = map(np.concatenate, zip(*self._timed, strict=True))
            order = np.argsort(times, kind="stable")
            self._growth.add(cells[order], numbers[order])
            self._timed = []
        return self._growth.checkpoints(row_of)


# -- votes given one by one in Python -------------------------------------------------------------


def rows_of_counts(
    counts: Iterable[Sequence[Any]] | Mapping[tuple[str, str], Sequence[int]],
) -> Iterator[tuple[str, str, str, int]]:
    """Votes (left, right, answer, count) with these counts, as `VoteLog.from_counts` takes them."""
    if isinstance(counts, Mapping):
        counts = [(*pair, *numbers) for pair, numbers in counts.items()]
    for entry in counts:
        if not 4 <= len(entry) <= 2 + len(ANSWERS):
            raise InputError(
                f"counts hold {tuple(entry)!r}, but two items and two to six numbers were expected"
            )
        left, right, *numbers = entry
        for answer, number in zip_longest(ANSWERS, numbers, fillvalue=0):
            yield left, right, str(answer), number


def attributes_of_rows(
    rows: Sequence[Sequence[Any]],
    items: Sequence[str] | None,
    clusters: Sequence[Hashable] | None,
    voters: Sequence[Hashable] | None,
    history: bool,
    ordered: bool,
    known: Mapping[str, Any],
) -> dict[str, Any]:
    """The attributes of the log of these rows; the arguments are those of `VoteLog.from_rows`."""
    answers = (*ANSWERS, "given_up") if ordered else ANSWERS
    votes = [_checked_row(n, row, answers) for n, row in enumerate(rows, start=1)]
    for name, given in (("clusters", clusters), ("voters", voters)):
        if given is not None:
            _checks.one_each(name, given, len(votes))
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
    every = Votes(
        ends[:, 0],
        ends[:, 1],
        np.array([answers.index(answer) for _, _, answer, _ in votes], np.int32),
        np.array([number for *_, number in votes], np.int64),
        None if voters is None else np.array(voter_ids.codes(voters), np.int32),
        None if clusters is None else np.array(cluster_ids.codes(clusters), np.int32),
    )
    answered = every.form < GIVEN_UP
    counts.add(every.only(answered))
    found = counts.log_attributes() | {"rows": len(votes)}
    if ordered:
        order = AskOrder("rows")
        order.add(every, np.ones(len(votes), np.bool_), None, None)
        found["asks"] = None if clusters is not None else order.asked(counts.items_by_name())
        found["apart"] = SetApart(given_up=len(votes) - int(answered.sum()))
    return found | dict(known)


def _checked_row(n: int, row: Sequence[Any], answers: Sequence[str]) -> tuple[str, str, str, int]:
    if isinstance(row, str) or not 3 <= len(row) <= 4:
        raise InputError(f"row {n} is {row!r}, but (left, right, answer[, count]) was expected")
    left, right, answer, number = (*row, 1)[:4]
    if not isinstance(left, str) or not isinstance(right, str) or left == right:
        raise InputError(f"row {n} is about {left!r} and {right!r}, but two items were expected")
    answer = getattr(answer, "value", answer)
    if answer not in answers:
        raise InputError(
            f"row {n} has the answer {answer!r}, but one of {', '.join(answers)} was expected"
        )
    return left, right, answer, _checks.whole(f"the count of row {n}", number, least=0)
