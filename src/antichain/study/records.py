"""The records of a study: the events of its search, with the time, the voter and the cost of each.

A record is a small immutable value with one form as a line of the study's file. Sides are those
that were shown to the voter; `AskRecord.flipped` says how the search sees them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from antichain.algorithms.events import Duel, Expired, Told
from antichain.evidence.answers import Answer, Tally
from antichain.journal import JournalKind

STUDY = JournalKind("study", "antichain-study", 1, chained=True)

_SIDES = ("left", "right")
_OTHER = {Answer.LEFT: Answer.RIGHT, Answer.RIGHT: Answer.LEFT}
_TALLIES = {answer: Tally.of(answer) for answer in Answer}
_END_OF_TIME = 253402300800  # seconds from 1970 to the year 10000, which `datetime` cannot write


@dataclass(frozen=True)
class StudyAsk:
    """One duel for one voter, with its sides as they are to be shown.

    Attributes:
        id: Its number in the study.
        left: The item on the left.
        right: The item on the right.
        decoy: The side ("left" or "right") that must show its item's decoy, or None.
    """

    id: int
    left: str
    right: str
    decoy: str | None = None


@dataclass(frozen=True)
class StudyRecord:
    """Something that happened at a time (seconds since 1970)."""

    kind: ClassVar[str]
    time: float

    def to_json(self) -> dict[str, Any]:
        """The record as a line of the file holds it, without what is None."""
        line: dict[str, Any] = {"event": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                line[field.name] = value.value if isinstance(value, Answer) else value
        return line


@dataclass(frozen=True)
class AskRecord(StudyRecord):
    """A duel was handed out.

    Attributes:
        ask: Its number.
        left: The item shown on the left.
        right: The item shown on the right.
        flipped: Whether the algorithm's left item is the one shown on the right.
        decoy: The side that shows its item's decoy, or None.
    """

    kind: ClassVar[str] = "ask"
    ask: int
    left: str
    right: str
    flipped: bool
    decoy: str | None = None

    @property
    def duel(self) -> Duel:
        """The duel as the search sees it."""
        left, right = (self.right, self.left) if self.flipped else (self.left, self.right)
        return left, right, self.decoy is not None

    @property
    def shown(self) -> StudyAsk:
        """The ask as the voter sees it."""
        return StudyAsk(self.ask, self.left, self.right, self.decoy)


@dataclass(frozen=True)
class AnswerRecord(StudyRecord):
    """A voter answered an ask; `answer` is about the sides as they were shown."""

    kind: ClassVar[str] = "answer"
    ask: int
    answer: Answer
    voter: str | None = None
    reason: str | None = None
    cost: float | None = None

    def event(self, flipped: bool) -> Told:
        """The answer as the search hears it."""
        answer = _OTHER.get(self.answer, self.answer) if flipped else self.answer
        return Told(self.ask, _TALLIES[answer])


@dataclass(frozen=True)
class ExpiryRecord(StudyRecord):
    """An ask was given up."""

    kind: ClassVar[str] = "expire"
    ask: int
    reason: str | None = None
    cost: float | None = None

    def event(self) -> Expired:
        """The expiry as the search hears it."""
        return Expired(self.ask)


@dataclass(frozen=True)
class UndoRecord(StudyRecord):
    """The answer in that line of the file was taken back."""

    kind: ClassVar[str] = "undo"
    line: int
    voter: str | None = None


_KINDS: dict[str, type[StudyRecord]] = {
    kind.kind: kind for kind in (AskRecord, AnswerRecord, ExpiryRecord, UndoRecord)
}
_TYPES: dict[str, tuple[type, ...]] = {
    "time": (int, float),
    "ask": (int,),
    "left": (str,),
    "right": (str,),
    "flipped": (bool,),
    "decoy": (str,),
    "answer": (str,),
    "voter": (str,),
    "reason": (str,),
    "cost": (int, float),
    "line": (int,),
}


def record_from(line: Mapping[str, Any]) -> StudyRecord:
    """The record that a line of a study holds; a `ValueError` says what is wrong with it."""
    kind = _KINDS.get(line.get("event", ""))
    if kind is None:
        expected = ", ".join(_KINDS)
        raise ValueError(f"event is {line.get('event')!r}, but one of {expected} was expected")
    values = {name: value for name, value in line.items() if name != "event"}
    known = {field.name: field for field in fields(kind)}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"an event of kind {kind.kind!r} has no {name!r}")
        allowed = _TYPES[name]
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            raise ValueError(f"{name} is {value!r}, but {allowed[-1].__name__} was expected")
    for name, field in known.items():
        if name not in values and field.default is MISSING:
            raise ValueError(f"an event of kind {kind.kind!r} was expected to have {name!r}")
    if not 0 <= values["time"] < _END_OF_TIME:
        raise ValueError(f"time is {values['time']!r}, but seconds since 1970 were expected")
    if values.get("decoy", "left") not in _SIDES:
        raise ValueError(f"decoy is {values['decoy']!r}, but left or right was expected")
    if "answer" in values:
        values["answer"] = Answer(values["answer"])
    return kind(**values)
