"""The duels to ask for next: those that move the certificate of a log forward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from antichain import _checks
from antichain._kernels import keyed_uniform
from antichain._limits import ASKED_DUELS
from antichain._markup import Summarised, Summary, listed
from antichain._option_names import in_python
from antichain._text import counted
from antichain.certify._certificate import Certificate
from antichain.certify._certifier import agreed_terms, certify
from antichain.certify._criterion_asks import criterion_duels
from antichain.certify._reading import kept
from antichain.certify._replay import is_ordered, referees
from antichain.certify._several import check_several, criteria_of, is_several
from antichain.errors import InputError, ParameterError
from antichain.forecast._planning import Forecast, forecast_of_answers
from antichain.likely import OrderBeliefs
from antichain.referee import Referee, Terms
from antichain.referee._ahead import WAYS_AHEAD, answers_to_come
from antichain.referee._referee import MOST_ITEMS
from antichain.votes import ReadOptions, read_votes
from antichain.votes._criteria import no_votes_yet
from antichain.votes._decoy_names import DECOY_SUFFIX, DecoyNaming, Decoys
from antichain.votes._vote_log import FORMS, LogColumns, VoteLog

_SIDES = 0x6E657874  # keeps the coins that toss sides apart from other coins
_Duel = TypeVar("_Duel", bound=tuple[int, int, int])  # items, and a decoy or a criterion


@dataclass(frozen=True)
class NextVote:
    """A duel to ask for, with the sides on which to show its items.

    Attributes:
        ask: Its number. In a log, the column `ask` says which ask a row answers.
        left: The item on the left.
        right: The item on the right.
        criterion: The criterion to ask about, if there are several; otherwise None.
    """

    ask: int
    left: str
    right: str
    criterion: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fields that say something, ready for JSON."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class NextVotes(Summarised):
    """The duels to ask for next, and what the votes show so far.

    Attributes:
        asks: The duels: first those in the log without an answer, then new ones, with duels of the
            same pair spread out.
        finished: Whether every item is decided; then there are no asks.
        spent: Whether the budget is spent; then there are no asks either.
        certificate: What the votes show so far, as `antichain.front` certifies it; without the
            likely front, unless there is a budget.
        remaining: A rough forecast of how many more votes decide every item; None if every item is
            decided or no forecast was wanted.
        budget: The number of votes that there will be in all, if it was given.
        decoy_gap: Δ of the decoys, if any are asked for.
        columns: The columns of the log, if it was read from a table.
        decoys: The name of each item's decoy; None if there are none.
        notes: What a reader should know, in sentences.
    """

    asks: tuple[NextVote, ...]
    finished: bool
    spent: bool
    certificate: Certificate
    remaining: Forecast | None
    budget: int | None
    decoy_gap: float | None
    columns: LogColumns | None
    decoys: dict[str, str] | None
    notes: tuple[str, ...]

    @property
    def items(self) -> tuple[str, ...]:
        """All items."""
        return self.certificate.items

    @property
    def beyond_forecast(self) -> bool:
        """Whether there are more asks than the forecast's median, so that the first may do."""
        return self.remaining is not None and len(self.asks) > self.remaining.median

    @property
    def source(self) -> str:
        """Where the votes come from."""
        return self.certificate.source

    def to_dict(self) -> dict[str, Any]:
        """What `antichain next --json` prints."""
        shown = self.certificate.to_dict()
        same = ("votes", "delta", "epsilon", "epsilon_others", "assume", "source")
        verdicts = ("front", "out", "undecided", "among", "promise")
        return {
            "asks": [ask.to_dict() for ask in self.asks],
            "finished": self.finished,
            "spent": self.spent,
            "items": list(self.items),
            "remaining": None if self.remaining is None else self.remaining.in_short(),
            "budget": self.budget,
            "decoy_gap": self.decoy_gap,
            **{name: shown[name] for name in (*verdicts, *same)},
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        asks = counted(len(self.asks), "ask")
        return f"NextVotes({asks}, {counted(len(self.items), 'item')}, finished={self.finished})"

    def _summary(self) -> Summary:
        title = f"{counted(len(self.asks), 'duel')} to ask for next"
        if not self.asks:
            why = "every item is decided" if self.finished else "the budget is spent"
            title = f"Nothing to ask for: {why}"
        verdicts = self.certificate.by_verdict()
        facts = [(word, listed(items)) for word, items in verdicts.items()]
        if self.remaining is not None:
            to_come = f"about {counted(round(self.remaining.median), 'vote')} (a forecast)"
            if self.beyond_forecast:
                to_come += "; the first asks may be enough: stop there and call again"
            facts.append(("still to come", to_come))
        several = any(ask.criterion for ask in self.asks)
        heads = ("ask", "left", "right", *(("criterion",) if several else ()))
        rows = [
            (str(ask.ask), ask.left, ask.right, *((ask.criterion or "",) if several else ()))
            for ask in self.asks
        ]
        return Summary(title, facts, [f"note: {note}" for note in self.notes], heads, rows)


def next_votes(
    votes: Any,
    n: int = 100,
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    assume: str | Iterable[str] | None = None,
    decoy_gap: float | None = None,
    decoys: Decoys | None = None,
    budget: int | None = None,
    forecast: bool = True,
    **options: Any,
) -> NextVotes:
    """Choose the duels to ask for next, so that the certificate of a log moves forward.

    The same log gives the same asks. Append the answers to the log, in any order, each with the
    number of its ask, and call again (docs/guides/next.md).

    Args:
        votes: A path, an open file, "-" for standard input, a pandas, polars or pyarrow table,
            rows (left, right, answer), dictionaries, or a `VoteLog`.
        n: The largest number of duels to return, at most 1,000,000.
        delta: The largest acceptable probability that any claim is false; by default that of the
            study if the votes are a study's export, and 0.05 otherwise.
        epsilon: The gap by which an item may be beaten and still be in; by default that of the
            study, or 0.1.
        assume: Further assumptions: "strong" or "cannot-compare" or both.
        decoy_gap: Δ of the decoys, if there are decoys.
        decoys: The name of each item's decoy, or the ending that decoys' names have (with
            " (decoy)", "Saw (decoy)" is the decoy of "Saw").
        budget: The number of votes that there will be in all; then the duels are those that tell
            most about the likely front.
        forecast: Whether to forecast how many more votes it will take.
        options: How to read the votes (`antichain.ReadOptions`).

    >>> votes = [{"ask": 1, "left": "tea", "right": "rain", "winner": "tea"}]
    >>> [ask.to_dict() for ask in next_votes(votes, 1).asks]
    [{'ask': 2, 'left': 'rain', 'right': 'tea'}]
    """
    n = _checks.whole("n", n)
    _checks.instance("forecast", forecast, bool, "yes or no (a bool)")
    if n > ASKED_DUELS:
        raise ParameterError(
            f"n is {n:,}, but a whole number of at most {ASKED_DUELS:,} was expected."
        )
    if budget is not None:
        _checks.whole("budget", budget)
    if decoys is None and decoy_gap is not None:
        decoys = DECOY_SUFFIX
    if decoys is not None:
        options = options | {"decoys": decoys}
    log = votes if isinstance(votes, VoteLog) else _read(votes, options)
    if len(log.items) > MOST_ITEMS:
        raise ParameterError(
            f"{log.source} has {len(log.items):,} items, but duels can be chosen among at most "
            f"{MOST_ITEMS:,}; name the items that matter (--items)."
        )
    terms, _ = agreed_terms(log, delta, epsilon, assume, decoy_gap)
    if is_several(log):
        check_several(log, terms)
    found = certify(
        log,
        delta,
        epsilon,
        assume=assume,
        decoy_gap=None if log.decoys is None else decoy_gap,  # the first ones are yet to come
        reading=_stored(options),
        likely=budget is not None,
    )
    return _Chooser(log, found, terms, budget, _naming(log, decoys, terms)).next(n, forecast)


def _stored(options: dict[str, Any]) -> dict[str, Any]:
    return kept({name: value for name, value in options.items() if name != "history"})


def _read(votes: Any, options: dict[str, Any]) -> VoteLog:
    items = ReadOptions(items=options.get("items")).items
    if isinstance(votes, list | tuple) and not votes:
        if not items:
            raise InputError(
                "the list of votes is empty, but at least one vote was expected, or items to start "
                "from"
            )
        known = ReadOptions(**options)
        log = VoteLog.from_rows([], items, history=False)
        attributes = known.attributes and known.attributes.of(items, log.source)[0]
        return replace(log, criteria=no_votes_yet(known), attributes=attributes)
    log = read_votes(votes, **(options | {"history": False}))
    if _holds_scores(log):
        raise InputError(
            f"{log.source} holds scores or rankings, but votes on pairs were expected, because "
            f"only duels can be asked for ({in_python('antichain.front', typed='antichain front')} "
            "certifies this file)"
        )
    return log


def _holds_scores(log: VoteLog) -> bool:
    """Whether a log is not of duels, but of scores or rankings that were made into votes."""
    return log.clusters is not None and any(times is not None for times in log.clusters.times)


def can_ask(log: VoteLog) -> bool:
    """Whether there are duels to choose for a log, and not too many items to choose among."""
    return not _holds_scores(log) and len(log.items) <= MOST_ITEMS


def collected(log: VoteLog) -> int:
    """The votes of a log that count towards a budget: those against decoys do, too."""
    return log.votes + (0 if log.decoys is None else int(log.decoys.table.sum()))


def _naming(log: VoteLog, decoys: Decoys | None, terms: Terms) -> dict[str, str] | None:
    if decoys is None and terms.decoy_gap is None:
        return None
    naming = DecoyNaming(DECOY_SUFFIX if decoys is None else decoys)
    alone = [item for item in log.items if not naming.names(item)]
    if alone and terms.decoy_gap is not None:
        raise InputError(
            f"{log.source} names no decoy for the item {alone[0]!r}, but every item needs one, "
            "because any decoy may be asked for"
        )
    return {item: naming.decoy_of(item) for item in log.items if naming.names(item)}


class _Chooser:
    """Chooses duels for a log whose certificate is known; items are in the order of names."""

    def __init__(
        self,
        log: VoteLog,
        found: Certificate,
        terms: Terms,
        budget: int | None,
        decoys: dict[str, str] | None,
    ) -> None:
        self.log, self.found, self.terms = log, found, terms
        self.budget, self.decoys = budget, decoys
        self.names = sorted(log.items)
        self.place = {name: k for k, name in enumerate(self.names)}
        self.several = is_several(log)
        self.referee = self._referee()
        self.open = self._open_asks()

    def _referee(self) -> Referee:
        if self.several:
            return Referee(len(self.names), self.terms)  # knows nothing of criteria: not asked
        if is_ordered(self.log):
            ((referee, _),) = referees(self.log, self.terms)
            return referee
        size, pairs = len(self.names), self.log.pairs
        counts = np.zeros((size, size, 4), np.int64)
        wins, halves, losses = self.log.scored()
        first, second = (
            np.array([self.place[self.log.items[k]] for k in ends.tolist()], np.int64)
            for ends in (pairs.first, pairs.second)
        )
        counts[first, second] = np.stack([wins, losses, halves, np.zeros_like(wins)], axis=1)
        counts[second, first] = np.stack([losses, wins, halves, np.zeros_like(wins)], axis=1)
        decided = np.array([self.found.status(name) for name in self.names])
        return Referee.of_counts(
            self.terms, counts, np.isin(decided, ("out", "cycle")), decided == "in"
        )

    def _open_asks(self) -> list[tuple[int, int, int, bool]]:
        """Asks that the log has without an answer, in which the judge has to wait for it."""
        if self.log.book is None or not is_ordered(self.log):
            return []
        names, place = self.log.items, self.place
        return [
            (ask.number, place[names[ask.first]], place[names[ask.second]], ask.decoy)
            for ask in self.log.book.open
        ]

    def _waiting(self) -> list[tuple[int, int]]:
        """Pairs that were asked for and whose answers the judge has not read."""
        pairs = [(one, other) for _, one, other, _ in self.open]
        asks = self.log.asks
        if asks is None or not asks.waiting:
            return pairs
        behind = Counter[tuple[int, int]]()
        ends = zip(self.log.pairs.first.tolist(), self.log.pairs.second.tolist(), strict=True)
        for pair, votes in zip(ends, self.log.pairs.table.sum(axis=1).tolist(), strict=True):
            behind[pair] = votes
        read = (asks.decoy == 0) & (asks.form < len(FORMS))
        behind.subtract(zip(asks.first[read].tolist(), asks.second[read].tolist(), strict=True))
        names = self.log.items
        return pairs + [(self.place[names[a]], self.place[names[b]]) for a, b in behind.elements()]

    @property
    def _spent(self) -> bool:
        return self.budget is not None and collected(self.log) >= self.budget

    @property
    def _asks_nothing(self) -> bool:
        return not self.found.undecided or self._spent

    def next(self, n: int, forecast: bool) -> NextVotes:
        found, done = self.found, self._asks_nothing
        asks: tuple[NextVote, ...] = ()
        if not done and self.several:
            asks = self._by_criterion(n)
        elif not done:
            again = self.open[:n]
            asks = self._shown(again, self._duels(n - len(again)))
        remaining = None
        if forecast and not done and self.budget is None and not self.several:
            remaining = forecast_of_answers(
                answers_to_come(self.referee, WAYS_AHEAD), len(self.names)
            )
        return NextVotes(
            asks=asks,
            finished=not found.undecided,
            spent=self._spent,
            certificate=found,
            remaining=remaining,
            budget=self.budget,
            decoy_gap=self.terms.decoy_gap,
            columns=self.log.columns,
            decoys=self.decoys,
            notes=self._notes(),
        )

    def _notes(self) -> tuple[str, ...]:
        notes, asks = self.found.notes, self.log.asks
        if self.open and not self._asks_nothing:
            notes += (
                f"The log has {counted(len(self.open), 'ask')} without an answer. Each is listed "
                "again under its number; skip any that somebody is still answering.",
            )
        elif (
            asks is not None and asks.waiting and not self._asks_nothing and not self.several
        ):  # with several criteria nothing waits for anything
            number = asks.first_open
            notes += (
                f"No answer after ask {number:,} is read until that ask is settled: append its row "
                "from its sheet, with the answer or the words “given up”.",
            )
        if self.log.clusters is not None and not self._asks_nothing:
            column = self.log.clusters.column
            notes += (
                f"These duels are for one new {column!r}: give each sheet to somebody who has not "
                "answered an earlier one, and wait for the answers before the next sheet.",
            )
        return notes

    def _duels(self, n: int) -> list[tuple[int, int, bool]]:
        voters = None if self.log.clusters is None else 1
        if self.budget is not None:
            duels = self._by_beliefs(min(n, self.budget - collected(self.log) - len(self.open)))
            return duels if voters is None else list(dict.fromkeys(duels))
        wanted = self.referee.wanted(n, self._waiting(), voters=voters) if n else []
        return [(*duel,) for duel in wanted] or ([] if self.open else self._missing(n))

    def _by_criterion(self, n: int) -> tuple[NextVote, ...]:
        if self.budget is not None:
            n = min(n, self.budget - collected(self.log))
        items, criteria = self.log.items, criteria_of(self.log)
        number = self._last + 1
        once = self.log.clusters is not None
        duels = criterion_duels(self.log, self.terms, n, number, once)
        asks = []
        for k, (one, other, criterion) in enumerate(_spread(duels), start=number):
            sides = self._sides(k, self.place[items[one]], self.place[items[other]], False)
            asks.append(NextVote(k, *sides, criteria[criterion] or None))
        return tuple(asks)

    def _by_beliefs(self, n: int) -> list[tuple[int, int, bool]]:
        terms, counts = self.terms, self.referee.standing.counts
        if n <= 0:
            return []
        decided = self.referee.out | self.referee.inside
        beliefs = OrderBeliefs(len(self.names), terms.epsilon, terms.epsilon_others)
        cannot = counts[..., 3].astype(float) if counts[..., 3].any() else None
        beliefs.learn(counts[..., 0].astype(float), cannot)
        pairs = beliefs.pairs(n, ~(decided[:, None] & decided))
        return [(*pair, False) for pair in pairs] or self._missing(n)

    def _missing(self, n: int) -> list[tuple[int, int, bool]]:
        """Pairs that the certificate itself lists as missing, those nearest to a claim first."""
        listed = [
            (entry.if_even or 0, self.place[item], self.place[entry.opponent])
            for item, entries in self.found.undecided.items()
            for entry in entries
        ]
        pairs = dict.fromkeys((min(a, b), max(a, b)) for _, a, b in sorted(listed))
        return [(*pair, False) for pair in list(pairs)[:n]]

    def _shown(
        self, again: list[tuple[int, int, int, bool]], duels: list[tuple[int, int, bool]]
    ) -> tuple[NextVote, ...]:
        """Number the new duels, the k-th of each pair before the (k+1)-st of any, sides tossed."""
        numbered = [(self._last + k, *duel) for k, duel in enumerate(_spread(duels), start=1)]
        return tuple(NextVote(ask[0], *self._sides(*ask)) for ask in [*again, *numbered])

    @property
    def _last(self) -> int:
        """The number of the last ask."""
        return self.log.votes if self.log.book is None else self.log.book.last

    def _sides(self, number: int, one: int, other: int, decoy: bool) -> tuple[str, str]:
        left, right = self.names[one], self.names[other]
        if decoy:
            assert self.decoys is not None  # only then are decoys asked for
            right = self.decoys[right]
        flipped = keyed_uniform(_SIDES, number, one, other) < 0.5
        return (right, left) if flipped else (left, right)


def _spread(duels: Sequence[_Duel]) -> list[_Duel]:
    """The same duels, the k-th of each pair before the (k+1)-st of any."""
    met: Counter[tuple[int, int]] = Counter()
    turns = []
    for duel in duels:
        pair = min(duel[:2]), max(duel[:2])
        turns.append((met[pair], duel))
        met[pair] += 1
    return [duel for _, duel in sorted(turns, key=lambda turn: turn[0])]
