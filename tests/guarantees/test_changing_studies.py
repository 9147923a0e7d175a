"""Studies in which voters and owners change their minds, as they please or to deceive.

Voters take answers back, skip and drop out for what the answers say; owners leave voters out and
take them in again, and add items when it suits them. False claims stay below δ all the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

import antichain as ac
from antichain.evidence._answers import Answer
from antichain.study._records import (
    AnswerRecord,
    AskRecord,
    ExcludeRecord,
    ExpiryRecord,
    IncludeRecord,
    ItemRecord,
    Settings,
    StudyRecord,
    UndoRecord,
)
from antichain.study._state import StudyState, shown_ask
from tests.guarantees.test_judge_attacks import DELTA, far_too_often, rarely

EPSILON = 0.25
_ABOVE = EPSILON + 1e-4
# The second item is beaten by a hair too much to be in; and no item is better than another.
EDGE = np.array([[0, _ABOVE, 0.3], [-_ABOVE, 0, 0.1], [-0.3, -0.1, 0]])
EVEN = np.zeros((3, 3))


@dataclass(frozen=True)
class Habits:
    """How often voters do what, if an answer hurts the favourite; and what the owner does."""

    afresh: float = 0.0  # take it back and answer again, as often as it takes
    lapse: float = 0.0  # take it back and leave
    skip: float = 0.0
    ties: float = 0.0  # of all answers, which keeps the mean scores
    leaves_out: bool = False
    adds: bool = False


class ChangingStudy:
    """A study of two or three items, played without any server."""

    def __init__(self, gaps: NDArray[np.float64], habits: Habits, seed: int, lost: str) -> None:
        self.gaps, self.habits, self.rng = gaps, habits, random.Random(seed)
        self.items = ("a", "b", "c")[: len(gaps)]
        self.favourite = "b" if gaps.any() else self.rng.choice(self.items[:2])
        judge = ac.Certifying(delta=DELTA, epsilon=EPSILON, rules=ac.Rules(lost=lost))
        begun = self.items[: 2 if habits.adds else None]
        self.state = StudyState(Settings.new(begun, judge, seed), history=False)
        self.wrong = False  # at any time since the items and the voters are what they are

    def play(self, answers: int) -> bool:
        """Whether anything false was shown."""
        rng = self.rng
        changes = sorted(rng.sample(range(10, answers), 2))
        for turn in range(answers):
            if self.habits.leaves_out and turn in changes:
                kind = ExcludeRecord if turn == changes[0] else IncludeRecord
                self._note(kind(0.0, "v0"), anew=True)
            self._add_item(turn, answers)
            if self.state.search.finished:
                break
            self._vote(f"v{rng.randrange(4)}")
        return self.wrong

    def _add_item(self, turn: int, answers: int) -> None:
        """The owner adds the third item to have another chance: when all is decided, and true."""
        if self.habits.adds and len(self.state.items) == 2:
            decided = self.state.search.finished and not self.wrong
            if decided or turn == answers // 2:
                self._note(ItemRecord(0.0, "c"), anew=True)

    def _vote(self, voter: str) -> None:
        (wish,) = self.state.search.wishes(1)
        ask = shown_ask(self.state.settings.seed, self.state.made + 1, wish, 0.0, voter)
        self._note(ask)
        answer, luck, habits = self._drawn(ask), self.rng.random(), self.habits
        if self._hurts(ask, answer) and luck < habits.skip:
            answer = Answer.SKIPPED
        self._note(AnswerRecord(0.0, ask.ask, answer, voter))
        while self._hurts(ask, answer) and self.rng.random() < habits.afresh + habits.lapse:
            self._note(UndoRecord(0.0, self.state.next_line - 1, voter))
            if self.rng.random() < habits.lapse / (habits.afresh + habits.lapse):
                self._note(ExpiryRecord(0.0, ask.ask))
                return
            answer = self._drawn(ask)
            self._note(AnswerRecord(0.0, ask.ask, answer, voter))

    def _hurts(self, ask: AskRecord, answer: Answer) -> bool:
        loser = {Answer.LEFT: ask.right, Answer.RIGHT: ask.left}.get(answer)
        return loser == self.favourite

    def _drawn(self, ask: AskRecord) -> Answer:
        gap = self.gaps[self.items.index(ask.left), self.items.index(ask.right)]
        ties = min(self.habits.ties, 1 - 2 * abs(gap))
        luck = self.rng.random() - ties
        return (
            Answer.TIE if luck < 0 else Answer.LEFT if luck < 0.5 + gap - ties / 2 else Answer.RIGHT
        )

    def _note(self, record: StudyRecord, anew: bool = False) -> None:
        self.state.extend([record])
        if anew:  # a new certificate begins
            self.wrong = False
        size, judge = len(self.state.items), self.state.search.referee
        above = self.gaps[:size, :size]
        maximal = ~(above > 0).any(axis=0)
        beaten = (above[maximal] > EPSILON).any(axis=0) | (above > 0.3).any(axis=0)
        self.wrong |= bool((judge.out & maximal).any() or (judge.inside & beaten).any())


def errors(gaps: NDArray[np.float64], habits: Habits, runs: int, answers: int, **rules: str) -> int:
    lost = rules.get("lost", "against")
    return sum(ChangingStudy(gaps, habits, seed, lost).play(answers) for seed in range(runs))


@pytest.mark.slow
def test_answers_that_are_taken_back_for_what_they_say() -> None:
    """Votes against a favourite are taken back and cast afresh: nothing false comes of it."""
    runs, habits = 40, Habits(afresh=1.0)
    ours, naive = (
        errors(EVEN[:2, :2], habits, runs, 25, lost=lost) for lost in ("against", "ignore")
    )
    assert far_too_often(naive, runs), naive
    assert rarely(ours, runs), ours


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [EDGE, EVEN], ids=["edge", "even"])
@pytest.mark.parametrize(
    "habits",
    [
        Habits(afresh=0.3),
        Habits(lapse=0.2, skip=0.2),
        Habits(ties=0.4, leaves_out=True),
        Habits(adds=True),
        Habits(0.1, 0.05, 0.1, 0.2, leaves_out=True, adds=True),
    ],
)
def test_nothing_false_whoever_changes_their_mind(
    gaps: NDArray[np.float64], habits: Habits
) -> None:
    runs = 150
    assert rarely(wrong := errors(gaps, habits, runs, 70), runs), wrong
