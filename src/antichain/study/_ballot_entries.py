"""A ballot: a question and the items it is asked about, as voters see them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from antichain._limits import LISTED_NAMES
from antichain.algorithms._base import Algorithm
from antichain.errors import FileError
from antichain.study._conduct import Conduct, Places
from antichain.study._criteria_search import with_criteria
from antichain.votes._attributes import Attributes

QUESTION = "Which is better?"  # unless the study says another
_BEGINNING = 1 << 20  # bytes of a file by which it is known


@dataclass(frozen=True)
class BallotEntry:
    """An item as voters see it: its name, and a text, a file or a page to look at.

    Attributes:
        name: Its name.
        text: A text, in Markdown where that is understood.
        file: A picture, a sound, a film or a text, or None.
        link: The address of a page, or None.
        decoy: What its decoy shows, or None.
        values: What is known of it, by attribute.
    """

    name: str
    text: str = ""
    file: Path | None = None
    link: str | None = None
    decoy: BallotEntry | None = None
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Ballot:
    """A question and the items it is asked about.

    Attributes:
        title: What the vote is about.
        question: What voters are asked about two items.
        entries: The items.
        note: What there is to say about reading it, or None.
        criteria: Several questions, by the criterion that each is about; empty if there is one.
        directions: For each known attribute "min" if less is better, or "max".
        conduct: How the study is held.
        source: What the file said of that.
        at: Where the file says it.
    """

    title: str
    question: str
    entries: tuple[BallotEntry, ...]
    note: str | None = None
    criteria: Mapping[str, str] = field(default_factory=dict)
    directions: Mapping[str, str] = field(default_factory=dict)
    conduct: Conduct = field(default_factory=Conduct)
    source: Mapping[str, Any] = field(default_factory=dict)
    at: Places = field(default_factory=lambda: Places("the study"), compare=False)

    @property
    def attributes(self) -> Attributes | None:
        values = {entry.name: entry.values for entry in self.entries}
        return Attributes(self.directions, values) if self.directions else None

    @property
    def algorithm(self) -> Algorithm | None:
        """Who asks, with the criteria and attributes; None if nothing is said of that."""
        return with_criteria(self.conduct.algorithm, tuple(self.criteria) or None, self.attributes)

    @cached_property
    def _by_name(self) -> dict[str, BallotEntry]:
        return {entry.name: entry for entry in self.entries}

    def entry(self, name: str) -> BallotEntry:
        return self._by_name[name]

    def document(self, files: Mapping[Path, str]) -> dict[str, Any]:
        """The ballot with the keys of a study file, given the names that its files have there."""
        voters = self.conduct.voters
        items = [
            _written(entry, files)
            | ({"decoy": _written(entry.decoy, files)} if entry.decoy else {})
            | {"name": entry.name, **entry.values}
            for entry in self.entries
        ]
        own = {"title": self.title, "items": items}
        if not self.criteria:
            own["question"] = self.question
        return {**self.source, **own, **({"voters": list(voters)} if voters else {})}

    @property
    def said(self) -> dict[str, Any]:
        """What the file says that may change while votes come in, less who votes; in plain data.

        Of items and of the end there are digests only: texts may be long, and a code is secret.
        """
        conduct = self.conduct
        asked = {"questions": dict(self.criteria)} if self.criteria else {"question": self.question}
        stop = {"votes": conduct.most_votes, "date": conduct.closes}
        found = {
            "title": self.title,
            **asked,
            "answers": list(conduct.answers),
            "reasons": list(conduct.reasons),
            **{key: getattr(conduct, key) for key in ("session", "lease", "checks", "language")},
            "stop": {key: value for key, value in stop.items() if value is not None},
            "end": _digest(asdict(conduct.ending)),
            "items": {entry.name: _digest(_seen(entry)) for entry in self.entries},
        }
        return {key: value for key, value in found.items() if value is not None}

    @property
    def has_files(self) -> bool:
        return any(entry.file is not None for entry in self.entries)


def _written(entry: BallotEntry, files: Mapping[Path, str]) -> dict[str, Any]:
    file = None if entry.file is None else files[entry.file]
    shown = {"text": entry.text, "file": file, "link": entry.link}
    return {key: value for key, value in shown.items() if value}


def _seen(entry: BallotEntry) -> list[Any]:
    """What voters see of an item; an exported study has its files under other names."""
    file = None if entry.file is None else _content(entry.file)
    decoy = None if entry.decoy is None else _seen(entry.decoy)
    return [entry.text, file, entry.link, decoy]


def _content(file: Path) -> list[Any]:
    """Tells files apart by their size and how they begin: films are long."""
    try:
        with file.open("rb") as stream:
            return [file.stat().st_size, sha256(stream.read(_BEGINNING)).hexdigest()]
    except OSError:
        return []


def fingerprint(file: Path) -> str:
    """Changes with what is in the file."""
    return _digest(_content(file))


def _digest(value: object) -> str:
    return sha256(json.dumps(value).encode()).hexdigest()[:12]


def checked(
    path: object, wanted: str, entries: Iterable[tuple[str, BallotEntry]]
) -> tuple[BallotEntry, ...]:
    """The entries, each given with its place, if they are different, and two or more."""
    found: dict[str, tuple[str, BallotEntry]] = {}
    for place, entry in entries:
        if entry.name in found:
            raise FileError(
                f"{path}, {place} is {entry.name!r}, but an earlier item has that name "
                f"({found[entry.name][0]}); rename one of them."
            )
        found[entry.name] = place, entry
        check_not_too_many(path, len(found))
    check_enough(path, len(found), wanted)
    return tuple(entry for _, entry in found.values())


def check_not_too_many(path: object, number: int) -> None:
    if number > LISTED_NAMES:
        raise FileError(
            f"{path} has more than {LISTED_NAMES:,} items, but at most that many were expected."
        )


def check_enough(path: object, number: int, wanted: str) -> None:
    if number < 2:  # items cannot be added later to the study that this would begin
        have = "one item" if number else "no items"
        raise FileError(f"{path} has {have}, but at least two were expected: {wanted}.")
