"""Certifying: the certificate as the only judge, as a method that is played by ask and tell."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from antichain import _checks
from antichain.algorithms._base import Algorithm, Rules
from antichain.algorithms._counts import Counted, CountsByName, DuelCounts
from antichain.algorithms._events import Asked, Duel, Expired, Told
from antichain.algorithms._result import PlanState, Result
from antichain.algorithms._rounds import Ask, Indices, Plan, Receipt
from antichain.algorithms._search import Search
from antichain.errors import ParameterError, ProtocolError
from antichain.evidence._answers import COUNTS, LOSSES, LOST, TIES, WINS, Answer, Tally
from antichain.evidence._sequential import SequentialTest, Streams
from antichain.likely import OrderBeliefs, not_estimated
from antichain.orders._model import DuelModel
from antichain.referee import Referee, Terms
from antichain.referee._standing import CANNOT, GIVEN_UP, LOSS, NOTHING, TIE, WIN

_SAID = {
    Answer.LEFT: WIN,
    Answer.RIGHT: LOSS,
    Answer.TIE: TIE,
    Answer.INCOMPARABLE: CANNOT,
    Answer.SKIPPED: GIVEN_UP,
}
_COLUMNS = {WIN: WINS, LOSS: LOSSES, TIE: TIES, CANNOT: TIES, GIVEN_UP: LOST}
_Row = tuple[int, int, int, int]
_MANY = 100  # asks at once: a pair gets up to half of them, and votes beyond that are wasted
_LOOKING, _CLEARING = "who is out", "who is in"
_AGAINST = Rules(lost="against")
DIRECT, AGAINST_DECOYS = SequentialTest.fixed(), SequentialTest.fixed(Streams.DECOY)


@dataclass(frozen=True)
class Certifying(Algorithm):
    """Asks until a certificate shows for every item whether it is in or out.

    The certificate that `antichain.front` makes from votes in the order of their asks judges the
    run, so that a study and its exported votes always agree.

    Attributes:
        delta: The probability that any claim is ever false is at most this.
        epsilon: No item that may be maximal beats one that is in by more than this.
        assume: Further assumptions: "strong" (if one item beats another, it does at least as well
            against any third), "cannot-compare" (what that answer means).
        decoy_gap: Δ of the decoys, if there are decoys.
        budget: The number of answers after which the run ends, whatever is still undecided. The run
            then asks for the duels that tell most about the likely front. An ask that is given up
            does not count.
        rules: Whether lost answers count against every claim (the default here) or are left out.

    Guarantee:
        With probability at least 1 − δ, no maximal item is ever out, and no item that is ever in
        is beaten by a maximal item by more than ε, nor by any item by more than
        `Terms.epsilon_others`: proof in docs/theory/few-votes.md.

    Example:
        >>> from antichain import SimulatedArena, find_front, posets
        >>> arena = SimulatedArena(posets.chains(2, 3, seed=1, gaps="minimum:0.2"), seed=1)
        >>> result = find_front(arena, Certifying())
        >>> set(result.front) == set(arena.model.front), result.certified
        (True, True)
    """

    delta: float = 0.05
    rules: Rules = _AGAINST
    epsilon: float = 0.1
    assume: tuple[str, ...] = ()
    decoy_gap: float | None = None
    budget: int | None = None

    name: ClassVar[str] = "certificate"
    guarantee: ClassVar[str | None] = (
        "With probability at least 1 − δ no maximal item is out, and no maximal item beats one "
        "that is in by more than ε."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "assume", self.terms.assume)  # a list, from a file, is a tuple
        if self.budget is not None:
            _checks.whole("budget", self.budget)
        if self.rules.tests != "bets":
            raise ParameterError(
                f"rules have tests={self.rules.tests!r}, but a certificate rests on bets: rules "
                "with tests='bets', such as Rules(), were expected."
            )

    @property
    def terms(self) -> Terms:
        """What is promised, and what is assumed."""
        return Terms(self.delta, self.epsilon, self.assume, self.decoy_gap)

    @property
    def needs_decoys(self) -> float | None:
        """The gap of the decoys the arena must offer, or None."""
        return self.decoy_gap

    def is_right(self, result: Result, model: DuelModel) -> bool:
        """Tell whether the answer has all maximal items, and none that the promise excludes."""
        found, maximal = (np.isin(model.items, names) for names in (result.front, model.front))
        gaps = np.asarray(model.gaps)
        return bool(
            found[maximal].all()
            and (gaps[np.ix_(maximal, found)] <= self.epsilon).all()
            and (gaps[:, found] <= self.terms.epsilon_others).all()
        )

    def plan(self, state: PlanState) -> Plan[Indices]:
        """Raise an error: `start` makes a run of another kind."""
        raise NotImplementedError

    def start(
        self,
        items: Sequence[str],
        seed: int = 0,
        direct: CountsByName | None = None,
        decoys: CountsByName | None = None,
        *,
        history: bool = True,
    ) -> Search:
        """Start a run over `items`, to be played by ask and tell; see `Algorithm.start`."""
        if direct or decoys:
            raise ParameterError(
                "Counts to start from were given, but a certificate reads answers in the order of "
                "their asks: a run without them was expected."
            )
        return Inquiry(self, items, seed, history=history)


class Wish(NamedTuple):
    """A duel that is worth asking for, and has no number yet."""

    left: str
    right: str
    decoy: bool
    criterion: str | None = None


class Inquiry(Search):
    """A run of `Certifying`: asks by number, and answers read in the order of the asks.

    An answer counts once every ask before its own is answered or given up. What is given up or
    skipped counts against every claim, unless the rules say otherwise.
    """

    algorithm: Certifying
    has_forecast: ClassVar[bool] = True  # whether its referee can be played on

    def __init__(
        self, algorithm: Certifying, items: Sequence[str], seed: int, *, history: bool
    ) -> None:
        self._set_up(algorithm, items, seed, Counted({}, {}))
        self.referee = Referee(len(self.items), algorithm.terms)
        self._index = {name: number for number, name in enumerate(self.items)}
        self._made: list[Ask] = []
        self._said: dict[int, int] = {}  # answers that wait for earlier ones
        self._unanswered: dict[int, Ask] = {}
        self._read, self._lapses_read = 0, 0  # asks that were read; those that were given up
        self._lapsed: set[int] = set()  # given up, and not read yet
        self._unbooked: list[_Row] = []
        self._beliefs: OrderBeliefs | None = None  # with a budget
        self._learnt = -1  # answers that they know
        self._state.phase = _LOOKING
        self._look()
        self._begin_history(history)

    @property
    def more_terms(self) -> dict[str, object]:
        """What an export of the run says besides its terms."""
        return {}

    # -- the state of the game -------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether every item is in or out, or the budget is spent."""
        return self._front is not None or self.answers_left == 0

    @property
    def answers_left(self) -> int | None:
        """How many more answers the budget has room for, by those read so far; None without one."""
        budget = self.algorithm.budget
        return None if budget is None else max(0, budget - self._read + self._lapses_read)

    @property
    def waiting(self) -> bool:
        """Whether nothing at all can be asked until answers that are out come in or expire."""
        return not self.finished and not self._wanted_duels(_MANY, ())

    @property
    def outstanding(self) -> tuple[Ask, ...]:
        """Asks not yet answered or given up."""
        return tuple(self._unanswered.values())

    @property
    def message(self) -> None:
        """A run by certificate has no rounds."""
        return None

    # -- ask and tell ----------------------------------------------------------------------------

    def ask(
        self,
        n: int | None = None,
        *,
        ahead: bool = True,
        singly: bool = False,
        avoid: Collection[frozenset[str]] = (),
    ) -> list[Ask]:
        """Up to `n` duels, each an ask of its own; pairs to `avoid` come last.

        Without `n`, or not `ahead`, the one duel that the answers so far call for, unless an
        answer is out.
        """
        count = _MANY if n is None else _checks.whole("the number of duels to ask for", n)
        if n is None or not ahead:
            count = 0 if self._unanswered else 1
        asks = [self._hand_out(*duel) for duel in self._wanted_duels(count, avoid)]
        self._note(Asked.of(asks))
        return asks

    def wishes(self, n: int, avoid: Collection[frozenset[str]] = ()) -> list[Wish]:
        """Up to `n` duels that are worth asking for; pairs to `avoid` come last."""
        return [Wish(*duel) for duel in self._wanted_duels(n, avoid)]

    def ask_for(
        self, duels: Sequence[Duel], sizes: Sequence[int] | None = None
    ) -> list[Ask | None]:
        """An ask for each of these duels: any pair of items is worth an answer."""
        if sizes is not None and any(size != 1 for size in sizes):
            raise ProtocolError("A run by certificate asks for one duel at a time.")
        asks: list[Ask | None] = [self._hand_out(*duel) for duel in duels]
        self._note(Asked(tuple(duels), (1,) * len(duels)))
        return asks

    def wants(self, ask: Ask | int) -> bool:
        """Whether an answer to this ask would be evidence if it came now."""
        return self._number(ask) in self._unanswered and not self.finished

    def tell(self, ask: Ask | int, answers: object) -> Receipt:
        """Take the answer to an ask; says whether it is evidence or spare."""
        number, tally = self._number(ask), Tally.of(answers)  # type: ignore[arg-type]
        if tally.total != 1:
            raise ProtocolError(f"Ask {number} wants 1 answer; got {tally.total}.")
        self._note(Told(number, tally))
        self._asks.answers = self._asks.answers.plus(tally)
        if not self.wants(number):
            self._unanswered.pop(number, None)
            self._asks.spare += 1
            return Receipt.SPARE
        (answer,) = (form for form, count in zip(Answer, tally, strict=True) if count)
        self._settle_ask(number, _SAID[answer])
        return Receipt.EVIDENCE

    def expire(self, ask: Ask | int) -> None:
        """Give an ask up: it may be lost for what its answer would have said."""
        number = self._number(ask)
        if number not in self._unanswered:
            return
        self._note(Expired(number))
        self._asks.lose(self._unanswered[number])
        self._lapsed.add(number)
        self._settle_ask(number, GIVEN_UP)

    def _number(self, ask: Ask | int) -> int:
        return self._asks.number(ask)

    def _wanted_duels(self, n: int, avoid: Collection[frozenset[str]]) -> list[Duel]:
        budget, names = self.answers_left, self.items
        n = min(n, _MANY)
        if budget is not None:
            answered = sum(number not in self._lapsed for number in self._said)
            n = min(n, budget - answered - len(self._unanswered))
        if n <= 0 or self.finished:
            return []
        waiting = [(self._index[ask.left], self._index[ask.right]) for ask in self.outstanding]
        waiting += [self._pair_of(number) for number in self._said]
        later = [(self._index[one], self._index[other]) for one, other in avoid]
        if budget is not None and not_estimated(len(names)) is None:
            pairs = self._most_telling(n, later)
            if pairs:  # else no vote changes the estimate, but some may still decide items
                return [(names[one], names[other], False) for one, other in pairs]
        found = self.referee.wanted(n, waiting, later)
        return [(names[duel.first], names[duel.second], duel.decoy) for duel in found]

    def _most_telling(self, n: int, later: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
        """The pairs that tell most about the likely front, those for later at the end."""
        if self._beliefs is None:
            terms = self.referee.terms
            limits = terms.epsilon, terms.epsilon_others
            self._beliefs = OrderBeliefs(len(self.items), *limits, seed=self.seed)
        if self._learnt != self._read:  # otherwise nothing is new
            self._learnt = self._read
            counts = self.referee.standing.counts.astype(np.float64)
            self._beliefs.learn(counts[..., 0], counts[..., 3] if counts[..., 3].any() else None)
        allowed = np.ones((len(self.items), len(self.items)), np.bool_)
        for one, other in later:
            allowed[one, other] = allowed[other, one] = False
        found = self._beliefs.pairs(n, allowed)
        return found + (self._beliefs.pairs(n - len(found)) if len(found) < n else [])

    def _pair_of(self, number: int) -> tuple[int, int]:
        ask = self._made[number - 1]
        return self._index[ask.left], self._index[ask.right]

    def _hand_out(self, left: str, right: str, decoy: bool) -> Ask:
        ask = self._asks.number_next(left, right, decoy)
        self._made.append(ask)
        self._unanswered[ask.id] = ask
        return ask

    def _settle_ask(self, number: int, said: int) -> None:
        """Note an answer, and read on as far as there is no gap."""
        if said == GIVEN_UP and self.algorithm.rules.lost == "ignore":
            said = NOTHING
        del self._unanswered[number]
        self._said[number] = said
        rows: list[_Row] = []
        while self._read + 1 in self._said and not self.finished:
            self._note_read(self._read + 1)
            pair, decoy = self._pair_of(self._read), self._made[self._read - 1].decoy
            rows.append((*pair, self._said.pop(self._read), int(decoy)))
        if not rows:
            return
        self.referee.read(*np.array(rows, np.int64).T)
        self._unbooked += rows
        if len(self._unbooked) >= _MANY:
            self._book()
        self._look()

    def _note_read(self, number: int) -> None:
        self._read += 1
        if number in self._lapsed:  # it takes none of the budget
            self._lapsed.remove(number)
            self._lapses_read += 1

    def _counts_so_far(self) -> DuelCounts:
        self._book()
        return super()._counts_so_far()

    def _book(self) -> None:
        """Book the answers that were read since the last time."""
        if not self._unbooked:
            return
        lefts, rights, said, decoys = np.array(self._unbooked, np.int64).T
        self._unbooked = []
        for kind, test in enumerate((DIRECT, AGAINST_DECOYS)):
            ours = np.flatnonzero((decoys == kind) & (said != NOTHING))
            new = np.zeros((ours.size, COUNTS), np.int64)
            new[np.arange(ours.size), [_COLUMNS[code] for code in said[ours].tolist()]] = 1
            if ours.size:
                self._counts.book(lefts[ours], rights[ours], test, new)

    def _decided_in(self) -> set[int]:
        """The items that the certificate shows to be in, long before the end too."""
        return set(np.flatnonzero(self.referee.inside).tolist())

    def _look(self) -> None:
        """Take over who is out."""
        standing, fallen = self.referee.standing, self._state.fallen
        out = np.flatnonzero(standing.out_at)
        for item in out.tolist() if out.size > len(fallen) else ():
            fallen.setdefault(item, int(standing.dominance[:, item].argmax()))
        if self.referee.opened:
            self._state.phase = _CLEARING
        if self.referee.finished:
            self._front = tuple(np.flatnonzero(self.referee.inside).tolist())
