"""The vocabulary of evidence: answers and their tallies, counts of a pair, verdicts on them.

What each form of answer means as evidence is the algorithm's business (`Rules`); here they are
only named and counted, so that nothing is dropped in silence.

The columns of counts and the verdicts exist twice: as members of an enum, for people, and as plain
module-level integers, which compiled kernels take as constants.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain.errors import InputError


class Answer(Enum):
    """How one duel came out: `left`, `right`, `tie`, `incomparable` or `skipped`.

    Wherever an answer is expected, its word will do.
    """

    LEFT = "left"
    RIGHT = "right"
    TIE = "tie"
    INCOMPARABLE = "incomparable"
    SKIPPED = "skipped"


class Tally(NamedTuple):
    """How often each form of answer was given."""

    left: int = 0
    """Duels that the left item won."""
    right: int = 0
    """Duels that the right item won."""
    tie: int = 0
    """Ties."""
    incomparable: int = 0
    """Answers that the two items cannot be compared."""
    skipped: int = 0
    """Duels that the voter skipped."""

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
            return cls(*(_checks.whole(name, count, least=0) for name, count in named))
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


Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
"""Counts of one pair (8 numbers) or of many (one row per pair), with columns as in `Count`."""


class Count(IntEnum):
    """The columns of a pair's counts, seen from the left item: two streams of four numbers.

    The first stream is all that most tests have. The second is for tests that run both
    directions of a decoy comparison in step: there the *right* item meets the left one's decoy.
    A probe has one stream, and counts the answers "cannot compare" in the first column of the
    other one.
    """

    WINS = 0
    """Duels that the left item won."""
    LOSSES = 1
    """Duels that it lost."""
    TIES = 2
    """Ties."""
    LOST = 3
    """Answers that were lost, to be held against every claim (`Rules.lost`)."""
    SECOND_WINS = 4
    """Duels that the right item won against the left one's decoy."""
    SECOND_LOSSES = 5
    """Duels that the right item lost against the left one's decoy."""
    SECOND_TIES = 6
    """Ties of these two."""
    SECOND_LOST = 7
    """Answers of the second stream that were lost."""
    INCOMPARABLE = 4
    """Probes only: answers "cannot compare"."""


WINS, LOSSES, TIES, LOST = (int(column) for column in list(Count)[:4])
SECOND_WINS, SECOND_LOSSES, SECOND_TIES, SECOND_LOST = (int(c) for c in list(Count)[4:])
INCOMPARABLE_ANSWERS = int(Count.INCOMPARABLE)

COUNTS = len(Count)
"""How many numbers are kept for a pair while it is tested."""
FORMS = COUNTS // 2
"""How many of them belong to one stream."""


def swapped(counts: Counts) -> Counts:
    """Counts of direct duels, seen from the other item: wins and losses trade places.

    >>> swapped(np.array([3, 1, 2, 0])).tolist()
    [1, 3, 2, 0]
    """
    other = counts.copy()
    other[..., WINS], other[..., LOSSES] = counts[..., LOSSES], counts[..., WINS]
    return other


class Verdict(IntEnum):
    """What the evidence on a pair has shown so far."""

    OPEN = 0
    """Nothing yet: more duels are needed."""
    LEFT = 1
    """The left item is above the right one."""
    RIGHT = 2
    """The right item is above the left one."""
    EVEN = 3
    """Neither: indistinguishable at the test's gap (direct duels), or not above (decoys)."""
    COMPARABLE = 4
    """A probe was answered with a preference."""
    INCOMPARABLE = 5
    """A probe was answered "cannot compare"."""


OPEN, LEFT, RIGHT, EVEN, COMPARABLE, INCOMPARABLE = (int(verdict) for verdict in Verdict)
