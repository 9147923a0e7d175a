"""Which duels a voter is shown, in studies where it is known which pairs are useful."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from types import SimpleNamespace

import pytest

from antichain.cli._booth import Booth, pair_of
from antichain.cli._keys import Action
from antichain.study import StudyAsk
from antichain.study._ballot_entries import Ballot, BallotEntry

ANSWERS = (Action.LEFT, Action.RIGHT, Action.TIE, Action.INCOMPARABLE, Action.SKIP)


@dataclass
class EasyStudy:
    """A study in which the same pairs are useful for ever, and the first of them the most."""

    items: tuple[str, ...]
    useful: list[tuple[str, str]]
    asks: list[StudyAsk] = field(default_factory=list)
    open: dict[int, StudyAsk] = field(default_factory=dict)
    told: list[SimpleNamespace] = field(default_factory=list)
    expired: list[StudyAsk] = field(default_factory=list)
    finished = False

    @property
    def outstanding(self) -> tuple[StudyAsk, ...]:
        return tuple(self.open.values())

    def votes(self) -> Iterable[SimpleNamespace]:
        return iter(self.told)

    def ask(self, n: int, *, avoid: Iterable[StudyAsk] = ()) -> list[StudyAsk]:
        assert n == 1
        avoided = {pair_of(ask) for ask in avoid}
        left, right = min(self.useful, key=lambda pair: frozenset(pair) in avoided)
        ask = StudyAsk(len(self.asks) + 1, left, right)
        self.asks.append(ask)
        self.open[ask.id] = ask
        return [ask]

    def tell(self, ask: StudyAsk, answer: str, *, voter: str | None) -> None:
        del self.open[ask.id]
        told = {"left": ask.left, "right": ask.right, "answer": answer, "voter": voter}
        self.told.append(SimpleNamespace(**told, ask=ask))

    def expire(self, ask: StudyAsk, *, reason: str) -> None:
        self.expired.append(self.open.pop(ask.id))

    def undo(self, *, voter: str | None) -> StudyAsk:
        last = next(vote for vote in reversed(self.told) if vote.voter == voter)
        self.told.remove(last)
        self.open[last.ask.id] = last.ask
        return last.ask


@pytest.fixture
def study() -> EasyStudy:
    items = ("a", "b", "c", "d", "e")
    return EasyStudy(items, list(combinations(items, 2)))


def sit(study: EasyStudy, voter: str | None, *said: Action) -> list[StudyAsk]:
    """Let a voter answer, and leave with a duel on the screen; the duels that were shown."""
    shown: list[StudyAsk] = []
    words = iter((*said, Action.QUIT))
    ballot = Ballot("", "", tuple(map(BallotEntry, study.items)))
    booth = Booth(study, ballot, voter, lambda: next(words), quiet=True)  # type: ignore[arg-type]
    booth._show = shown.append  # type: ignore[method-assign]
    booth.sit()
    return shown


def met(study: EasyStudy, voter: str | None) -> Counter[frozenset[str]]:
    return Counter(pair_of(vote.ask) for vote in study.told if vote.voter == voter)


def test_each_voter_meets_a_pair_once_while_there_is_another(study: EasyStudy) -> None:
    rng, voters = random.Random(0), ("ann", "bob", None)
    while len(study.told) < 3 * len(study.useful):
        voter = min(voters, key=lambda voter: met(study, voter).total())
        left = len(study.useful) - met(study, voter).total()
        sit(study, voter, *rng.choices(ANSWERS, k=rng.randint(1, min(3, left))))
    for voter in voters:
        assert met(study, voter) == Counter(map(frozenset, study.useful))
    assert study.expired  # some duels on the screen were known to the voter who came next


def test_what_one_leaves_the_next_is_shown_first(study: EasyStudy) -> None:
    *_, left = sit(study, "ann", Action.LEFT, Action.LEFT)
    assert sit(study, "bob") == [left]
    assert sit(study, "bob", Action.RIGHT)[0] == left
    assert not study.expired


def test_what_was_left_is_given_up_if_the_voter_has_met_the_pair(study: EasyStudy) -> None:
    first, left = sit(study, "ann", Action.LEFT)
    study.tell(left, "tie", voter="bob")
    (out,) = study.ask(1)  # what comes first, and ann has met
    assert pair_of(out) == pair_of(first)
    (shown,) = sit(study, "ann")
    assert pair_of(shown) != pair_of(first)
    assert study.expired == [out]
    assert study.outstanding == (shown,)


def test_what_was_left_is_shown_if_nothing_is_new_to_the_voter(study: EasyStudy) -> None:
    shown = sit(study, "ann", *[Action.TIE] * len(study.useful))
    assert sit(study, "ann", Action.TIE)[0] == shown[-1]
    assert not study.expired


@pytest.mark.parametrize("useful", [2, 3, 10])
def test_no_pair_comes_straight_back(study: EasyStudy, useful: int) -> None:
    study.useful = study.useful[:useful]
    shown = sit(study, None, *[Action.SKIP, Action.TIE] * 15)
    assert len(shown) == 31
    assert all(pair_of(one) != pair_of(other) for one, other in pairwise(shown))
    assert len(study.outstanding) <= 2


def test_the_only_useful_pair_does(study: EasyStudy) -> None:
    study.useful = study.useful[:1]
    assert len(sit(study, None, *[Action.SKIP] * 5)) == 6


def test_undo_shows_the_same_duel_again_and_then_the_one_before(study: EasyStudy) -> None:
    first, second, again, then = sit(study, "ann", Action.LEFT, Action.UNDO, Action.RIGHT)
    assert (again, then) == (first, second)
    assert met(study, "ann") == {pair_of(first): 1}
