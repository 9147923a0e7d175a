"""What a study's file holds: its settings in the header, and one record per line after it.

A record is an event of the search with its time, voter and cost: a small immutable value with one
form as a line of the file. Sides are those that were shown to the voter; `AskRecord.flipped` says
how the search sees them. Events of a study that is served (docs/guides/serve.md) are records as
well: who was handed an ask and until when, voters left out, items added, pauses.
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar

from antichain import _checks, _files
from antichain._journal import JournalKind
from antichain._text import shown
from antichain.algorithms import _registry
from antichain.algorithms._base import Algorithm
from antichain.algorithms._certifying import Certifying
from antichain.algorithms._events import Duel, Told
from antichain.errors import AntichainError, FileError, InputError
from antichain.evidence._answers import Answer, Tally
from antichain.study._criteria_search import CriteriaCertificate

STUDY = JournalKind("study", "antichain-study", 1, chained=True, of_votes=True)

_SIDES = ("left", "right")
_OTHER = {Answer.LEFT: Answer.RIGHT, Answer.RIGHT: Answer.LEFT}
_TALLIES = {answer: Tally.of(answer) for answer in Answer}
_END_OF_TIME = 253402300800  # seconds from 1970 to the year 10000, which `datetime` cannot write
_JUDGED_ANEW = (
    "This study was started with an earlier version of antichain. Its answers are now judged by "
    "the certificate that antichain front makes from them."
)
MOST_PAID = 1e100  # so that no sum of costs is infinite


@dataclass(frozen=True)
class StudyAsk:
    """One duel for one voter, with the sides on which to show its items.

    Attributes:
        id: Its number in the study.
        left: The item on the left.
        right: The item on the right.
        decoy: The side ("left" or "right") that must show its item's decoy, or None.
        criterion: The criterion to ask about, in a study with several; otherwise None.
    """

    id: int
    left: str
    right: str
    decoy: str | None = None
    criterion: str | None = None


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """Something that happened at a time (seconds since 1970)."""

    kind: ClassVar[str]
    time: float

    def to_json(self) -> dict[str, Any]:
        """The record as a line of the file holds it, without what is None."""
        line: dict[str, Any] = {"event": self.kind}
        for name in _FIELDS[type(self)]:
            value = getattr(self, name)
            if value is not None:
                line[name] = value.value if isinstance(value, Answer) else value
        return line


@dataclass(frozen=True, slots=True)
class AskRecord(StudyRecord):
    """A duel was handed out.

    A negative number is a check of the voter's attention, an item against its own decoy; it is no
    evidence, and checks are numbered apart.
    """

    kind: ClassVar[str] = "ask"
    ask: int  # its number
    left: str  # the item shown on the left
    right: str  # the item shown on the right
    flipped: bool  # whether the algorithm's left item is the one shown on the right
    decoy: str | None = None  # the side that shows its item's decoy, or None
    criterion: str | None = None  # what is asked about the two, where there are several criteria
    voter: str | None = None  # who has it, in a study that is served
    until: float | None = None  # when it is given up unless it is answered

    @property
    def duel(self) -> Duel:
        left, right = (self.right, self.left) if self.flipped else (self.left, self.right)
        return left, right, self.decoy is not None

    @property
    def shown(self) -> StudyAsk:
        return StudyAsk(self.ask, self.left, self.right, self.decoy, self.criterion)


@dataclass(frozen=True, slots=True)
class AnswerRecord(StudyRecord):
    """A voter answered an ask; `answer` is about the sides as they were shown."""

    kind: ClassVar[str] = "answer"
    ask: int
    answer: Answer
    voter: str | None = None
    reason: str | None = None
    cost: float | None = None

    def event(self, number: int, flipped: bool) -> Told:
        """The event for a search that has this number for the ask."""
        answer = _OTHER.get(self.answer, self.answer) if flipped else self.answer
        return Told(number, _TALLIES[answer])


@dataclass(frozen=True, slots=True)
class ExpiryRecord(StudyRecord):
    kind: ClassVar[str] = "expire"
    ask: int
    reason: str | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class UndoRecord(StudyRecord):
    """The answer in that line of the file was taken back."""

    kind: ClassVar[str] = "undo"
    line: int
    voter: str | None = None
    until: float | None = None  # when its ask, which is out again, is given up


@dataclass(frozen=True, slots=True)
class ItemRecord(StudyRecord):
    """An item was added; `entry` says what voters see of it, as a study file has it."""

    kind: ClassVar[str] = "item"
    item: str
    entry: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ExcludeRecord(StudyRecord):
    """A voter is left out from here on: the state is that without their asks and answers."""

    kind: ClassVar[str] = "exclude"
    voter: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class IncludeRecord(StudyRecord):
    """A voter who was left out is taken in again."""

    kind: ClassVar[str] = "include"
    voter: str


@dataclass(frozen=True, slots=True)
class PauseRecord(StudyRecord):
    """No asks are handed out until further notice."""

    kind: ClassVar[str] = "pause"


@dataclass(frozen=True, slots=True)
class ResumeRecord(StudyRecord):
    kind: ClassVar[str] = "resume"


@dataclass(frozen=True, slots=True)
class GoneRecord(StudyRecord):
    """What stood here was deleted at a voter's wish; if it was an ask, `ask` is its number.

    The number `by` tells the deletions apart, and `door` is the hash of a link that one closed.
    """

    kind: ClassVar[str] = "gone"
    ask: int | None = None
    by: int | None = None
    door: str | None = None


@dataclass(frozen=True, slots=True)
class BallotRecord(StudyRecord):
    """The study file says something else from here on: `said`, as `Ballot.said` has it."""

    kind: ClassVar[str] = "ballot"
    said: dict[str, Any]
    changed: list[str]  # the keys that differ from what was said before


_ALL = (AskRecord, AnswerRecord, ExpiryRecord, UndoRecord, ItemRecord, ExcludeRecord, BallotRecord)
_KINDS: dict[str, type[StudyRecord]] = {
    kind.kind: kind for kind in (*_ALL, IncludeRecord, PauseRecord, ResumeRecord, GoneRecord)
}
_FIELDS = {kind: {field.name: field for field in fields(kind)} for kind in _KINDS.values()}
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("time", "cost", "until"), (int, float)),
    **dict.fromkeys(("ask", "line", "by"), (int,)),
    **dict.fromkeys(("left", "right", "decoy", "answer", "voter", "reason", "criterion"), (str,)),
    "flipped": (bool,),
    **dict.fromkeys(("item", "door"), (str,)),
    **dict.fromkeys(("entry", "said"), (dict,)),
    "changed": (list,),
}


_REPEATED = frozenset(("left", "right", "criterion", "voter", "reason"))


def record_from(line: Mapping[str, Any]) -> StudyRecord:
    """The record that a line of a study holds; a `ValueError` says what is wrong with it."""
    event = line.get("event")
    kind = _KINDS.get(event) if isinstance(event, str) else None
    if kind is None:
        expected = ", ".join(_KINDS)
        raise ValueError(f"event is {shown(event)}, but one of {expected} was expected")
    values = {name: value for name, value in line.items() if name != "event"}
    known = _FIELDS[kind]
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"an event of kind {kind.kind!r} does not take {shown(name)}")
        allowed = _TYPES[name]
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            raise ValueError(f"{name} is {shown(value)}, but {allowed[-1].__name__} was expected")
    for name, field in known.items():
        if name not in values and field.default is MISSING:
            raise ValueError(f"an event of kind {kind.kind!r} was expected to have {name!r}")
    check_time("time", values["time"])
    check_time("until", values.get("until", 0))
    if not is_cost(values.get("cost", 0)):
        raise ValueError(
            f"cost is {shown(values['cost'])}, but a number from 0 to {MOST_PAID:g} was expected"
        )
    if values.get("decoy", "left") not in _SIDES:
        raise ValueError(f"decoy is {shown(values['decoy'])}, but left or right was expected")
    if "answer" in values:
        values["answer"] = _answer(values["answer"])
    for name in _REPEATED & values.keys():  # many records have the same few names
        values[name] = sys.intern(values[name])
    return kind(**values)


def _answer(word: str) -> Answer:
    try:
        return Answer(word)
    except ValueError:
        expected = ", ".join(answer.value for answer in Answer)
        raise ValueError(f"answer is {shown(word)}, but one of {expected} was expected") from None


def is_cost(value: object) -> bool:
    """Whether a study can hold this as a cost."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return number and 0 <= value <= MOST_PAID  # type: ignore[operator]


def check_time(name: str, value: object) -> float:
    """`value`, if it is a time that a study can hold; otherwise a `ValueError`."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value < _END_OF_TIME:  # type: ignore[operator]
        raise ValueError(
            f"{name} is {shown(value)}, but seconds since 1970 were expected, before the year 10000"
        )
    return value  # type: ignore[return-value]


def default_algorithm(delta: float = 0.05, epsilon: float = 0.1) -> Algorithm:
    """Return the algorithm of a study that names none: `Certifying`, without decoys."""
    return Certifying(delta=delta, epsilon=epsilon)


def within_budget(algorithm: Algorithm | None, budget: int | None) -> Algorithm | None:
    """The algorithm with a budget, if one is given."""
    if budget is None:
        return algorithm
    if algorithm is None:
        return Certifying(budget=budget)
    if not isinstance(algorithm, Certifying):
        raise InputError(
            f"A budget of {budget!r} is given for the algorithm {algorithm!r}, but only a study "
            "that is judged by its certificate has one: leave the algorithm out."
        )
    return replace(algorithm, budget=budget)


def _was_default(algorithm: Algorithm) -> bool:
    """Whether studies of earlier versions that named no algorithm had this one."""
    delta, epsilon = algorithm.delta, getattr(algorithm, "epsilon", None)
    if epsilon is None:
        return False
    return algorithm == _registry.default_algorithm(delta, None, epsilon).as_in({})


@dataclass(frozen=True)
class Settings:
    """All that decides a study's state besides its records.

    Attributes:
        items: The items' names.
        algorithm: Who asks.
        seed: The seed of the algorithm's choices and of the sides.
        note: What there is to say about reading them, or None.
        said: What the study file said when the study began, if it began by being served.
    """

    items: tuple[str, ...]
    algorithm: Algorithm
    seed: int
    note: str | None = None
    said: Mapping[str, Any] | None = None

    @classmethod
    def new(
        cls, items: Iterable[str], algorithm: Algorithm | None = None, seed: int | None = None
    ) -> Settings:
        if isinstance(items, str) or not isinstance(items, Iterable):
            raise InputError(f"The items must be a list of names; got {shown(items)}.")
        names = tuple(_checks.text("an item's name", item) for item in items)
        algorithm = default_algorithm() if algorithm is None else algorithm
        if not isinstance(algorithm, Algorithm):
            raise InputError(
                f"The algorithm is {_checks.said(algorithm)}, but an Algorithm was expected."
            )
        algorithm.start(names)  # refuses names given twice, and none at all
        return cls(names, algorithm, _checks.whole("seed", 0 if seed is None else seed, least=0))

    def check_begins(self) -> None:
        """Raise unless a study can begin with these settings, and be read again.

        Studies of earlier versions have names that no study begins with any more.
        """
        if len(self.items) < 2:  # items cannot be added later
            raise InputError(
                f"A study has the items {list(self.items)!r}, but at least two were expected."
            )
        for name in self.items:
            _files.check_new_name("a study", name)
        _described(self.algorithm)

    def to_header(self, time: float) -> dict[str, Any]:
        return STUDY.header(
            items=list(self.items),
            algorithm=_described(self.algorithm),
            chosen=not isinstance(self.algorithm, Certifying),
            seed=self.seed,
            time=time,
            **({} if self.said is None else {"ballot": self.said}),
        )

    @classmethod
    def from_header(
        cls,
        path: Path,
        header: Mapping[str, Any],
        items: Sequence[str] | None = None,
        algorithm: Algorithm | None = None,
        seed: int | None = None,
    ) -> Settings:
        """The settings in a file's first line; those given must agree with it."""
        match header:
            case {
                "items": list(found),
                "algorithm": {"name": str(name), "parameters": dict(parameters)} as described,
                "seed": int(kept_seed),
            } if all(isinstance(item, str) for item in found):
                pass
            case _:
                raise FileError(
                    f"{path}, line 1 lacks items, algorithm or seed, so the study cannot be "
                    "opened; restore the file from a copy, or start a new study."
                )
        if items is not None:
            _check_items(path, found, items)
        if seed is not None and seed != kept_seed:
            raise FileError(
                f"{path} has the seed {kept_seed}, but {seed!r} was given; leave the seed out to "
                "go on with this study."
            )
        if algorithm is not None and algorithm.name == name:
            algorithm = algorithm.as_in(parameters)
        kept, note = algorithm, None
        if kept is None or isinstance(kept, Certifying):
            kept = _rebuilt(path, name, parameters)
            if "chosen" not in header and _was_default(kept):
                kept = default_algorithm(kept.delta, kept.epsilon)  # type: ignore[attr-defined]
                described, note = _described(kept), _JUDGED_ANEW
        if algorithm is not None:
            _check_algorithm(path, described, _described(algorithm))
        try:
            said = header.get("ballot")
            said = said if isinstance(said, dict) else None
            return replace(cls.new(found, kept, kept_seed), note=note, said=said)
        except InputError as error:
            raise FileError(f"{path}, line 1 does not begin a study: {error}") from error


def _described(algorithm: Algorithm) -> dict[str, Any]:
    """An algorithm as plain data, as it comes back from a study's file."""
    described = {"name": algorithm.name, "parameters": algorithm.parameters()}
    try:
        raw, _ = STUDY.encode(described, 0)
        plain, _ = STUDY.decode(raw[:-1], 0)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"the algorithm {algorithm.name!r} has parameters that a study's file cannot hold "
            f"({error}); finite numbers, texts, lists and tables of them were expected."
        ) from error
    return plain


def _rebuilt(path: Path, name: str, parameters: dict[str, Any]) -> Algorithm:
    if name == CriteriaCertificate.name:
        return CriteriaCertificate.from_options(parameters)
    if name not in _registry.names():  # never an import path: a study's file must not run code
        raise FileError(
            f"{path} is a study with the algorithm {name!r}, which is not known here; register it "
            "(antichain.register), or give the algorithm it was started with (--algorithm)."
        )
    try:
        return _registry.build(name, {**_registry.find(name).earlier, **parameters})
    except (TypeError, ValueError, ArithmeticError, AntichainError) as error:
        raise FileError(
            f"{path} is a study with the algorithm {name!r}, which cannot be made from its "
            f"parameters there ({str(error).rstrip('.')}); give the algorithm it was started with."
        ) from error


def _check_items(path: Path, found: Sequence[str], given: Sequence[str]) -> None:
    """Raise unless these are the study's items, in whatever order."""
    known, wanted = set(found), set(given)
    new = [name for name in given if name not in known]
    gone = [name for name in found if name not in wanted]
    if new or gone or len(given) != len(found):
        parts = [f"{name!r} is not in the study" for name in new[:1]]
        parts += [f"{name!r} is missing" for name in gone[:1]]
        raise FileError(
            f"{path} is a study of {len(found)} items, but {len(given)} were given "
            f"({' and '.join(parts) or 'some twice'}); items cannot be added to a study or removed "
            "from it: to change them, start a new study."
        )


def _check_algorithm(path: Path, found: dict[str, Any], given: dict[str, Any]) -> None:
    if found["name"] != given["name"]:
        raise FileError(
            f"{path} is a study with the algorithm {found['name']!r}, but {given['name']!r} was "
            "given; leave the algorithm out to go on with this study."
        )
    mine, theirs = _flat(found["parameters"]), _flat(given["parameters"])
    for name in [*mine, *theirs]:
        if mine.get(name) != theirs.get(name):
            kept, asked = mine.get(name), theirs.get(name)
            has = f"is a study with {name} = {kept!r}" if kept is not None else f"has no {name}"
            raise FileError(
                f"{path} {has}, but {'none' if asked is None else repr(asked)} was given; the "
                "settings of a study cannot be changed: leave them out to go on with it, or start "
                "a new one."
            )


def _flat(parameters: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Parameters by name, those of nested values with the outer name in front."""
    flat: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat
