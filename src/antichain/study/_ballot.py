"""Ballots: what people vote on, from a TOML file written by hand.

For instance::

title = "Films"
question = "Which would you rather see?"

[[items]]
name = "Alien"
text = "A crew meets something."    # optional
file = "alien.jpg"                  # optional, beside the ballot
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from antichain import _files
from antichain._text import shown
from antichain.errors import FileError

_QUESTION = "Which is better?"


@dataclass(frozen=True)
class BallotEntry:
    """An item as voters see it: its name, and a text or a file to look at."""

    name: str
    text: str = ""
    file: Path | None = None


@dataclass(frozen=True)
class Ballot:
    """A question and the items it is asked about."""

    title: str
    question: str
    entries: tuple[BallotEntry, ...]

    def entry(self, name: str) -> BallotEntry:
        return next(entry for entry in self.entries if entry.name == name)


def read_ballot(path: str | Path) -> Ballot:
    """The ballot in the TOML file at `path`; a `FileError` says where the file is wrong."""
    path = Path(path)
    document = _files.read_toml(path)
    _check_keys(str(path), document, ("title", "question", "items"))
    entries = document.get("items")
    if not isinstance(entries, list) or not entries:
        raise FileError(f"{path} has no [[items]], but at least two were expected.")
    found: dict[str, BallotEntry] = {}
    for number, entry in enumerate(entries, start=1):
        item = _entry(path, f"{path}, item {number}", entry)
        if item.name in found:
            raise FileError(
                f"{path}, item {number} is {item.name!r}, but an earlier item has that name; "
                "rename one of them."
            )
        found[item.name] = item
    title = _text(str(path), document, "title", path.stem)
    question = _text(str(path), document, "question", _QUESTION)
    if len(found) == 1:  # items cannot be added later to the study that this would begin
        raise FileError(f"{path} has one item, but at least two were expected.")
    return Ballot(title, question, tuple(found.values()))


def _entry(path: Path, where: str, entry: object) -> BallotEntry:
    if not isinstance(entry, dict) or "name" not in entry:
        raise FileError(f'{where} has no name, but every item needs one: name = "…".')
    _check_keys(where, entry, ("name", "text", "file"))
    name = _text(where, entry, "name", "")
    _files.check_name(where, name)
    file = None
    if "file" in entry:
        file = path.parent / _text(where, entry, "file", "")
        try:
            there = file.is_file()
        except (OSError, ValueError):
            there = False
        if not there:
            raise FileError(
                f"{where} names the file {str(file)!r}, which does not exist; files are looked for "
                "beside the ballot."
            )
    return BallotEntry(name, _text(where, entry, "text", ""), file)


def _text(where: str, document: Mapping[str, Any], key: str, default: str) -> str:
    value = document.get(key, default)
    if not isinstance(value, str):
        raise FileError(f"{where}: {key} is {shown(value)}, but text was expected.")
    return value


def _check_keys(where: str, document: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in document:
        if key not in known:
            raise FileError(f"{where} has {shown(key)}, but only {', '.join(known)} are known.")
