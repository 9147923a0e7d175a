"""What can happen in a study: an ask, an answer, an expiry, an undo.

Each is a small immutable value with one form as a line of the study's file. Sides are those that
were shown to the voter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from antichain.evidence.answers import Answer

_SIDES = ("left", "right")
_END_OF_TIME = 253402300800  # the year 10000, which no calendar here can write


@dataclass(frozen=True)
class Event:
    """Something that happened at a time (seconds since 1970)."""

    kind: ClassVar[str]
    time: float

    def to_json(self) -> dict[str, Any]:
        """The event as a line of the file holds it; what is not there is left out."""
        found: dict[str, Any] = {"event": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Answer):
                value = value.value
            if value is not None:
                found[field.name] = value
        return found


@dataclass(frozen=True)
class Asked(Event):
    """A duel was handed out.

    Attributes:
        ask: Its number.
        left: The item shown on the left.
        right: The item shown on the right.
        flipped: Whether the algorithm's left item is the one shown on the right.
        decoy: The side that shows its item's decoy, if one does.
    """

    kind: ClassVar[str] = "ask"
    ask: int
    left: str
    right: str
    flipped: bool
    decoy: str | None = None

    @property
    def duel(self) -> tuple[str, str, bool]:
        """The duel as the algorithm sees it: left, right, and whether right is a decoy."""
        left, right = (self.right, self.left) if self.flipped else (self.left, self.right)
        return left, right, self.decoy is not None


@dataclass(frozen=True)
class Answered(Event):
    """Somebody answered an ask; `answer` is about the sides as they were shown."""

    kind: ClassVar[str] = "answer"
    ask: int
    answer: Answer
    voter: str | None = None
    reason: str | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Expired(Event):
    """An ask was given up."""

    kind: ClassVar[str] = "expire"
    ask: int
    reason: str | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Undone(Event):
    """The answer in that line of the file was taken back."""

    kind: ClassVar[str] = "undo"
    line: int
    voter: str | None = None


_KINDS: dict[str, type[Event]] = {kind.kind: kind for kind in (Asked, Answered, Expired, Undone)}
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


def event_from(line: Mapping[str, Any]) -> Event:
    """The event that a line of a study holds; a ValueError says what is wrong with it."""
    kind = _KINDS.get(line.get("event", ""))
    if kind is None:
        raise ValueError(f"{line.get('event')!r} is no kind of event")
    values = {name: value for name, value in line.items() if name != "event"}
    known = {field.name for field in fields(kind)}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"an event of kind {kind.kind!r} has no {name!r}")
        if not isinstance(value, _TYPES[name]) or (
            isinstance(value, bool) and bool not in _TYPES[name]
        ):
            raise ValueError(f"{name} is {value!r}")
    if not 0 <= values.get("time", 0) < _END_OF_TIME:
        raise ValueError(f"time is {values['time']!r}, and seconds since 1970 were expected")
    if values.get("decoy", "left") not in _SIDES:
        raise ValueError(f"decoy is {values['decoy']!r}, and left or right was expected")
    if "answer" in values:
        values["answer"] = Answer(values["answer"])
    try:
        return kind(**values)
    except TypeError:
        raise ValueError(f"something is missing of an event of kind {kind.kind!r}") from None
