"""The five forms an answer can take, and tallies of them.

What each form means as evidence is the algorithm's business (`algorithms.rules`); here they are
only named and counted, so that nothing is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from antichain import checks
from antichain.errors import InputError


class Answer(Enum):
    """How one duel came out, seen from the left item."""

    LEFT = "left"
    RIGHT = "right"
    TIE = "tie"
    INCOMPARABLE = "incomparable"
    SKIPPED = "skipped"


class Tally(NamedTuple):
    """How often each form of answer was given."""

    left: int = 0
    right: int = 0
    tie: int = 0
    incomparable: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        """The number of answers, skipped ones included."""
        return sum(self)

    def plus(self, other: Tally) -> Tally:
        """The two tallies, added form by form."""
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    @classmethod
    def of(cls, answers: Answer | str | Tally | Iterable[Answer | str]) -> Tally:
        """The tally of one answer, several, or a tally already made.

        >>> Tally.of(["left", "tie", "left"])
        Tally(left=2, right=0, tie=1, incomparable=0, skipped=0)
        """
        if isinstance(answers, Tally):
            named = zip(cls._fields, answers, strict=True)
            return cls(*(checks.whole(name, count, least=0) for name, count in named))
        if isinstance(answers, Answer | str):
            answers = [answers]
        if not isinstance(answers, Iterable):
            raise InputError(
                f"Answers are a Tally, or one or several of {_forms()}; got {answers!r}."
            )
        counts = dict.fromkeys(Answer, 0)
        for answer in answers:
            counts[parse_answer(answer)] += 1
        return cls(*counts.values())


def parse_answer(answer: Answer | str) -> Answer:
    """The form of answer that a name stands for."""
    try:
        return Answer(answer)
    except ValueError:
        raise InputError(f"An answer is one of {_forms()}; got {answer!r}.") from None


def _forms() -> str:
    return ", ".join(form.value for form in Answer)
