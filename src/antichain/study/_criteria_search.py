"""A study with several criteria or known attributes: its certificate asks and judges.

The judge is that of `antichain.front` (`antichain.certify._several`), which reads votes whatever
their order: an answer counts when it comes, and an ask that is given up counts for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from antichain import _checks
from antichain.algorithms._base import Algorithm
from antichain.algorithms._certifying import Certifying, Inquiry, Wish
from antichain.algorithms._counts import Counted, CountsByName
from antichain.algorithms._events import Asked, Duel
from antichain.algorithms._rounds import Ask
from antichain.algorithms._search import Search
from antichain.certify._criterion_asks import criterion_duels
from antichain.certify._several import check_several, judge_criteria
from antichain.certify._verdicts import Verdicts
from antichain.errors import InputError, ParameterError, ProtocolError
from antichain.referee import Referee
from antichain.referee._standing import CANNOT, LOSS, TIE, WIN
from antichain.votes._attributes import Attributes
from antichain.votes._criteria import CriterionVotes
from antichain.votes._read_options import checked_items
from antichain.votes._vote_log import FORMS, PairVotes, VoteLog

_FORMS = {WIN: 0, LOSS: 1, TIE: 2, CANNOT: FORMS.index("incomparable")}
_MANY = 100  # duels asked for at once


@dataclass(frozen=True)
class CriteriaCertificate(Certifying):
    """Asks until a certificate on several criteria shows of every item that it is in or out.

    Attributes:
        criteria: What votes are about; empty for votes on a single question.
        directions: For each attribute "min" if less is better, or "max".
        values: For each item, its value of each attribute.
    """

    criteria: tuple[str, ...] = ()
    directions: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    name: ClassVar[str] = "criteria"
    guarantee: ClassVar[str | None] = (
        "With probability at least 1 − δ every item that is out has another one above it, and no "
        "item is clearly better than one that is in on everything."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.criteria:  # a list, from a file, is a tuple
            object.__setattr__(
                self, "criteria", checked_items("criteria", self.criteria, "criteria")
            )

    @property
    def attributes(self) -> Attributes | None:
        return Attributes(self.directions, self.values) if self.directions else None

    def start(
        self,
        items: Sequence[str],
        seed: int = 0,
        direct: CountsByName | None = None,
        decoys: CountsByName | None = None,
        *,
        history: bool = True,
    ) -> Search:
        """A run over `items`, to be played by ask and tell; see `Algorithm.start`."""
        if direct or decoys:
            raise ParameterError("Counts to start from were given, but this run cannot use any.")
        return CriteriaInquiry(self, items, seed, history=history)


def with_criteria(
    algorithm: Algorithm | None, criteria: Iterable[str] | None, attributes: Attributes | None
) -> Algorithm | None:
    """The algorithm with criteria or attributes, if they are given."""
    if criteria is None and attributes is None:
        return algorithm
    if algorithm is not None and type(algorithm) is not Certifying:
        raise InputError(
            f"Criteria or attributes are given for the algorithm {algorithm!r}, but only a study "
            "that is judged by its certificate has them: leave the algorithm out."
        )
    chosen = algorithm or Certifying()
    _checks.instance("attributes", attributes, Attributes, "Attributes", optional=True)
    shared = {part.name: getattr(chosen, part.name) for part in fields(Certifying)}
    known: dict[str, Any] = {"criteria": criteria or ()}
    if attributes is not None:
        known |= {"directions": dict(attributes.directions), "values": dict(attributes.values)}
    return CriteriaCertificate(**shared, **known)


class CriteriaInquiry(Inquiry):
    """A run of `CriteriaCertificate`: each ask has a criterion, and answers count as they come."""

    algorithm: CriteriaCertificate
    has_forecast: ClassVar[bool] = False

    def __init__(
        self, algorithm: CriteriaCertificate, items: Sequence[str], seed: int, *, history: bool
    ) -> None:
        self._set_up(algorithm, items, seed, Counted({}, {}))
        self.referee = Referee(len(self.items), algorithm.terms)  # for its terms
        self._index = {name: number for number, name in enumerate(self.items)}
        self._made, self._said, self._unanswered = [], {}, {}
        self._read, self._lapses_read, self._lapsed, self._unbooked = 0, 0, set(), []
        self._state.phase = "criteria"
        known = algorithm.attributes
        self._known = None if known is None else known.of(self.items, "the study")[0]
        pairs = len(self.items) * (len(self.items) - 1) // 2
        self._first, self._second = np.triu_indices(len(self.items), 1)
        row = np.zeros((len(self.items),) * 2, np.int64)
        row[self._first, self._second] = row[self._second, self._first] = np.arange(pairs)
        self._row = row
        self._tables = np.zeros((max(1, len(algorithm.criteria)), pairs, len(FORMS)), np.int64)
        check_several(self.log(), algorithm.terms)
        self._look()
        self._begin_history(history)

    @property
    def more_terms(self) -> dict[str, object]:
        """What an export says besides, so that its reader judges as this run does."""
        found: dict[str, object] = {}
        if self.algorithm.criteria:
            found["criteria"] = list(self.algorithm.criteria)
        if self._known is not None:
            known = {"directions": self._known.directions, "values": self._known.values}
            found["attributes"] = json.dumps(known)
        return found

    def log(self) -> VoteLog:
        """The answers so far, as `antichain.front` would read them."""
        whole = self._votes(self._tables.sum(axis=0))
        criteria = None
        if self.algorithm.criteria:
            by_name = zip(self.algorithm.criteria, map(self._votes, self._tables), strict=True)
            criteria = CriterionVotes("criterion", dict(sorted(by_name)))
        return VoteLog(self.items, whole.pairs, criteria=criteria, attributes=self._known)

    def _votes(self, table: np.ndarray) -> VoteLog:
        seen = table.sum(axis=1) > 0
        ends = self._first[seen], self._second[seen]
        return VoteLog(self.items, PairVotes.from_table(*ends, table[seen]))

    # -- ask and tell ----------------------------------------------------------------------------

    @property
    def waiting(self) -> bool:
        """Whether nothing at all can be asked: never, before it is finished."""
        return False

    def ask(
        self,
        n: int | None = None,
        *,
        ahead: bool = True,
        singly: bool = False,
        avoid: Collection[frozenset[str]] = (),
    ) -> list[Ask]:
        """Up to `n` duels, each with its criterion; pairs to `avoid` come last."""
        count = 1 if n is None else _checks.whole("the number of duels to ask for", n)
        wishes = self.wishes(count, avoid)
        if not wishes:
            return []
        asks = [self._put(wish.left, wish.right, wish.criterion) for wish in wishes]
        self._note(Asked.of(asks))
        return asks

    def wishes(self, n: int, avoid: Collection[frozenset[str]] = ()) -> list[Wish]:
        """Up to `n` duels that are worth asking for; pairs to `avoid` come last."""
        if self.answers_left is not None:
            n = min(n, self.answers_left - len(self._unanswered))
        if n <= 0 or self.finished:
            return []
        number, spare = len(self._made) + 1, 2 * len(avoid)
        drawn = criterion_duels(self.log(), self.algorithm.terms, min(n, _MANY) + spare, number)
        named: list[str | None] = [*sorted(self.algorithm.criteria)] or [None]
        wishes = [Wish(self.items[i], self.items[j], False, named[c]) for i, j, c in drawn]
        wishes.sort(key=lambda wish: frozenset(wish[:2]) in avoid)
        return wishes[:n]

    def ask_about(self, duels: Sequence[Duel], about: Sequence[str | None]) -> None:
        """Make these asks again."""
        for (left, right, _), criterion in zip(duels, about, strict=True):
            if (criterion is None) != (not self.algorithm.criteria) or (
                criterion is not None and criterion not in self.algorithm.criteria
            ):
                raise ProtocolError(
                    f"An ask is about {criterion!r}, but one of the study's criteria was expected."
                )
            self._put(left, right, criterion)
        self._note(Asked(tuple(duels), (1,) * len(duels), tuple(about)))

    def ask_for(
        self, duels: Sequence[Duel], sizes: Sequence[int] | None = None
    ) -> list[Ask | None]:
        """The asks of these duels, where there are no criteria."""
        self.ask_about(duels, [None] * len(duels))
        return list(self._made[-len(duels) :])

    def _put(self, left: str, right: str, criterion: str | None) -> Ask:
        ask = self._asks.number_next(left, right, False, criterion=criterion)
        self._made.append(ask)
        self._unanswered[ask.id] = ask
        return ask

    def _settle_ask(self, number: int, said: int) -> None:
        ask = self._unanswered.pop(number)
        left, right = self._pair_of(number)
        self._note_read(number)
        self._unbooked.append((left, right, said, 0))
        if said not in _FORMS:
            return
        form = _FORMS[said]
        if left > right and form < 2:
            form = 1 - form
        names = self.algorithm.criteria
        criterion = names.index(ask.criterion) if ask.criterion is not None else 0
        self._tables[criterion, self._row[left, right], form] += 1
        self._look()

    def _look(self) -> None:
        """Judge the answers so far."""
        if not self.algorithm.criteria and self._known is None:
            raise InputError("This study has neither criteria nor attributes: leave them out.")
        found = judge_criteria(self.log(), self.algorithm.terms).judged
        at: Verdicts = found.verdicts
        self._state.fallen.clear()
        for item in np.flatnonzero(at.out).tolist():
            above, read = np.full(len(self.items), -np.inf), found.read
            for ours, theirs, side in ((read.second, read.first, 0), (read.first, read.second, 1)):
                rows = ours == item
                above[theirs[rows]] = at.above[rows, side]
            self._state.fallen[item] = int(above.argmax())
        self._inside = set(np.flatnonzero(at.inside).tolist())
        done = (at.out | at.inside).all()
        self._front = tuple(np.flatnonzero(at.inside).tolist()) if done else None

    def _decided_in(self) -> set[int]:
        return self._inside
