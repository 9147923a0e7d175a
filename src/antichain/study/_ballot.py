"""Ballots: what people vote on, from a list, a TOML file or a folder.

A list is a text with one name per line. A folder's pictures, texts, sounds and films are items
that are named like their files. TOML says more, for instance::

title = "Films"
question = "Which would you rather see?"

[[items]]
name = "Alien"
text = "A crew meets something."    # optional
file = "alien.jpg"                  # optional, beside the ballot

or, without texts and files, `items = ["Alien", "Saw"]`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from antichain import _files
from antichain._limits import LIST_BYTES, LISTED_NAMES
from antichain._text import names, shown
from antichain.errors import FileError

_QUESTION = "Which is better?"
_FILES_NAMED = 3  # of those in a folder that are no items

PICTURES = frozenset((
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".svg", ".avif", ".heic",
    ".heif", ".jxl",
))  # fmt: skip
TEXTS = frozenset((".txt", ".text", ".md", ".markdown", ".rst"))
_SOUNDS = frozenset((
    ".wav", ".mp3", ".flac", ".ogg", ".oga", ".opus", ".m4a", ".aac", ".aif", ".aiff",
))  # fmt: skip
_FILMS = frozenset((".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi", ".ogv", ".mpg", ".mpeg"))
EXHIBITS = PICTURES | TEXTS | _SOUNDS | _FILMS | {".pdf"}
"""The extensions of files that are items of a folder; to open one runs nothing that is in it."""

# A line by which a text is a ballot in TOML, whatever the file is called.
_TOML_ITEMS = re.compile(r"^\s*(\[\[\s*items\s*\]\]|items\s*=\s*\[)", re.MULTILINE)
_TABLES = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True)
class BallotEntry:
    """An item as voters see it: its name, and a text or a file to look at."""

    name: str
    text: str = ""
    file: Path | None = None


@dataclass(frozen=True)
class Ballot:
    """A question and the items it is asked about.

    Attributes:
        title: What the vote is about.
        question: What voters are asked about two items.
        entries: The items.
        note: What there is to say about reading it, or None.
    """

    title: str
    question: str
    entries: tuple[BallotEntry, ...]
    note: str | None = None

    @cached_property
    def _by_name(self) -> dict[str, BallotEntry]:
        return {entry.name: entry for entry in self.entries}

    def entry(self, name: str) -> BallotEntry:
        return self._by_name[name]

    @property
    def has_files(self) -> bool:
        return any(entry.file is not None for entry in self.entries)


def read_ballot(path: str | Path) -> Ballot:
    """The ballot at `path`: a folder, a TOML file, or a text with one name per line.

    A `FileError` says where it is wrong.
    """
    path = Path(path)
    if os.path.isdir(path):
        return _folder(path)
    if path.suffix.lower() == ".toml":
        return _toml(path, _files.read_toml(path))
    text = _files.read_text(path, LIST_BYTES, "one name per line")
    if _TOML_ITEMS.search(text):
        return _toml(path, _files.parse_toml(path, text))
    return _list(path, text)


def study_file(path: Path) -> Path:
    """Where the votes on the ballot at `path` are kept: beside it."""
    if not os.path.isdir(path):
        return path.with_suffix(".duels")
    folder = path if path.name not in ("", "..") else path.resolve()
    if not folder.name:
        raise FileError(f"{path} has no place beside it for the votes; give a file to --study.")
    return folder.with_name(f"{folder.name}.duels")  # of a folder v1.2, ".2" is no extension


# -- three kinds of ballots ------------------------------------------------------------------------


def _list(path: Path, text: str) -> Ballot:
    # Not splitlines(): it would break a name at characters that no other reader takes for an end.
    lines = [(n, line.strip()) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if lines:
        _check_is_list(path, lines[0][1])
    read = ((f"line {n}", _listed(f"{path}, line {n}", name)) for n, name in lines)
    return Ballot(path.stem, _QUESTION, _checked(path, "one name per line", read))


def _listed(where: str, name: str) -> BallotEntry:
    _files.check_new_name(where, name)
    return BallotEntry(name)


def _check_is_list(path: Path, first: str) -> None:
    """Raise about a file whose lines are something else than names."""
    wanted = "but a list with one name per line was expected, a TOML file or a folder"
    try:
        document = json.loads(first) if first.startswith("{") else None
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        if document.get("format") == "antichain-study":
            raise FileError(
                f"{path} is a study, {wanted}: give what the study was begun with, and the study "
                "to --study."
            )
        raise FileError(f"{path} begins with a JSON object, {wanted}.")
    if (delimiter := _TABLES.get(path.suffix.lower())) and delimiter in first:
        raise FileError(f"{path} is a table (its first line is {shown(first)}), {wanted}.")


def _toml(path: Path, document: Mapping[str, Any]) -> Ballot:
    _check_keys(str(path), document, ("title", "question", "items"))
    entries = document.get("items")
    if not isinstance(entries, list) or not entries:
        raise FileError(
            f'{path} has no [[items]] and no items = ["…", "…"], but at least two items were '
            "expected."
        )
    read = (
        (f"item {n}", _entry(path, f"{path}, item {n}", entry))
        for n, entry in enumerate(entries, start=1)
    )
    title = _text(str(path), document, "title", path.stem)
    question = _text(str(path), document, "question", _QUESTION)
    found = _checked(path, '[[items]], or items = ["…", "…"]', read)
    return Ballot(title, question, found)


def _folder(path: Path) -> Ballot:
    files, others = _sorted_files(path)
    found: dict[str, str] = {}  # from the items to their files
    for file in files:
        name = Path(file).stem
        _files.check_new_name(f"{path}: the file {file!a}", name)
        if name in found:
            raise FileError(
                f"{path} holds {found[name]!r} and {file!r}, which would both be the item "
                f"{name!r}; rename one of them or move it away."
            )
        found[name] = file
    _check_enough(path, len(found), "files with pictures, texts, sounds or films")
    note = None
    if others:
        listed = names([shown(name) for name in others], _FILES_NAMED)
        note = (
            f"Passed over in {path}: {listed}. Items are pictures, texts, sounds, films and PDFs."
        )
    title = (path if path.name not in ("", "..") else path.resolve()).name
    entries = tuple(BallotEntry(name, file=path / file) for name, file in found.items())
    return Ballot(title or str(path), _QUESTION, entries, note)


def _sorted_files(folder: Path) -> tuple[list[str], list[str]]:
    """The files of a folder that are items, and the others; hidden ones are neither."""
    found: list[str] = []
    others: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or not entry.is_file():
                    continue
                known = Path(entry.name).suffix.lower() in EXHIBITS
                (found if known else others).append(entry.name)
                _check_not_too_many(folder, len(found))
    except OSError as error:
        raise FileError(f"cannot read {folder}: {str(error.strerror).lower()}") from error
    return sorted(found), sorted(others)


# -- checks ----------------------------------------------------------------------------------------


def _checked(
    path: Path, wanted: str, entries: Iterable[tuple[str, BallotEntry]]
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
        _check_not_too_many(path, len(found))
    _check_enough(path, len(found), wanted)
    return tuple(entry for _, entry in found.values())


def _check_not_too_many(path: Path, number: int) -> None:
    if number > LISTED_NAMES:
        raise FileError(
            f"{path} has more than {LISTED_NAMES:,} items, but at most that many were expected."
        )


def _check_enough(path: Path, number: int, wanted: str) -> None:
    if number < 2:  # items cannot be added later to the study that this would begin
        have = "one item" if number else "no items"
        raise FileError(f"{path} has {have}, but at least two were expected: {wanted}.")


def _entry(path: Path, where: str, entry: object) -> BallotEntry:
    if isinstance(entry, str):
        entry = {"name": entry}
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
