"""Ballots: what people vote on, from a list, a table, a TOML file or a folder.

A list is a text with one name per line. A table is a CSV file with a column `name`, and perhaps
`text`, `file` and `link`. A folder's pictures, texts, sounds and films are items that are named
like their files. TOML says more, for instance::

title = "Films"
question = "Which would you rather see?"

[[items]]
name = "Alien"
text = "A crew meets something."    # optional
file = "alien.jpg"                  # optional, beside the ballot

or, without texts and files, `items = ["Alien", "Saw"]`. Of how the study is held it says what
`antichain.study._conduct` reads.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from antichain import _files
from antichain._limits import LIST_BYTES, LISTED_NAMES, TOML_BYTES
from antichain._text import names, shown
from antichain.errors import FileError
from antichain.study._conduct import (
    CONDUCT_KEYS,
    Conduct,
    Places,
    check_keys,
    is_web_address,
    read_conduct,
    text_of,
)
from antichain.votes._attributes import Attributes

QUESTION = "Which is better?"  # unless the study says another
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
_NAME = "name"  # the column of a table
_SHOWN = ("text", "file", "link")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,80}")


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
    """

    title: str
    question: str
    entries: tuple[BallotEntry, ...]
    note: str | None = None
    criteria: Mapping[str, str] = field(default_factory=dict)
    directions: Mapping[str, str] = field(default_factory=dict)
    conduct: Conduct = field(default_factory=Conduct)
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def attributes(self) -> Attributes | None:
        values = {entry.name: entry.values for entry in self.entries}
        return Attributes(self.directions, values) if self.directions else None

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
        text = _files.read_text(path, TOML_BYTES, "a smaller document")
        return _toml(path, _files.parse_toml(path, text), Places(path, text))
    text = _files.read_text(path, LIST_BYTES, "one name per line")
    if _TOML_ITEMS.search(text):
        return _toml(path, _files.parse_toml(path, text), Places(path, text))
    if (delimiter := _TABLES.get(path.suffix.lower())) and _NAME in _first_row(text, delimiter):
        return _table(path, text, delimiter)
    return _list(path, text)


def ballot_from(document: object, source: str, folder: Path | None = None) -> Ballot:
    """The ballot in a document with the keys of a study file.

    Args:
        document: The document.
        source: What to call it.
        folder: Where its files are; None if it may name none.
    """
    if not isinstance(document, dict):
        raise FileError(f"{source} is {shown(document)}, but an object was expected.")
    return _toml(None if folder is None else folder / source, document, Places(source))


def _written(entry: BallotEntry, files: Mapping[Path, str]) -> dict[str, Any]:
    file = None if entry.file is None else files[entry.file]
    shown = {"text": entry.text, "file": file, "link": entry.link}
    return {key: value for key, value in shown.items() if value}


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
    return Ballot(path.stem, QUESTION, _checked(path, "one name per line", read))


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


def _toml(path: Path | None, document: Mapping[str, Any], at: Places) -> Ballot:
    own = ("title", "question", "questions", "items", "attributes")
    for key in document:
        check_keys(at("", key), {key: 0}, (*own, *CONDUCT_KEYS))
    entries = document.get("items")
    if not isinstance(entries, list) or not entries:
        raise FileError(
            f'{at()} has no [[items]] and no items = ["…", "…"], but at least two items were '
            "expected."
        )
    default = "Study" if path is None else path.stem
    title = text_of(at("", "title"), document, "title", default)
    question = text_of(at("", "question"), document, "question", QUESTION)
    directions = _directions(document, at)
    read = (
        (f"item {n}", _entry(path, at("items", "", n), n, entry, directions))
        for n, entry in enumerate(entries, start=1)
    )
    found = _checked(at(), '[[items]], or items = ["…", "…"]', read)
    bare = next((entry.name for entry in found if entry.decoy is None), None)
    if document.get("decoy_gap") is not None and bare is not None:
        raise FileError(
            f"{at('', 'decoy_gap')}: decoy_gap is given, but {shown(bare)} has no decoy: one for "
            "every item was expected."
        )
    return Ballot(
        title,
        question,
        found,
        criteria=_questions(document, at),
        directions=directions,
        conduct=read_conduct(document, at, None if path is None else partial(_tokens, path.parent)),
        source=document,
    )


def _questions(document: Mapping[str, Any], at: Places) -> dict[str, str]:
    """Several questions: a table from the criteria to them."""
    found, where = document.get("questions", {}), at("", "questions")
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise FileError(
            f"{where}: questions is {shown(found)}, but a table with a question for each criterion "
            "was expected."
        )
    if found and ("question" in document or len(found) < 2):
        raise FileError(f"{where}: one question or a table of several was expected.")
    for criterion in found:
        _files.check_new_name(at("questions", criterion), criterion)
    return found


def _directions(document: Mapping[str, Any], at: Places) -> dict[str, str]:
    found = document.get("attributes", {})
    if not isinstance(found, dict) or not all(way in ("min", "max") for way in found.values()):
        raise FileError(
            f"{at('', 'attributes')}: attributes is {shown(found)}, but a table that says of each "
            'attribute whether less ("min") or more ("max") is better was expected.'
        )
    return found


def _table(path: Path, text: str, delimiter: str) -> Ballot:
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter, restkey="", restval="")
    known = (_NAME, "text", "file", "link")
    check_keys(f"{path}, line 1", dict.fromkeys(rows.fieldnames or (), 0), known)

    def read() -> Iterator[tuple[str, BallotEntry]]:
        for row in rows:
            place = f"line {rows.line_num}"
            if "" in row:
                raise FileError(f"{path}, {place} has more cells than the first line.")
            given = {key: value for key, value in row.items() if value}
            yield place, _entry(path, f"{path}, {place}", 0, given, {})

    return Ballot(path.stem, QUESTION, _checked(path, "one row for each item", read()))


def _first_row(text: str, delimiter: str) -> list[str]:
    return next(csv.reader([text.partition("\n")[0]], delimiter=delimiter), [])


def _tokens(folder: Path, where: str, name: str) -> dict[str, str | None]:
    """The voters in a CSV file with a column `voter`, and perhaps `token`, the secret of each."""
    text = _files.read_text(folder / name, LIST_BYTES, "one row for each voter")
    rows = csv.DictReader(io.StringIO(text))
    if "voter" not in (rows.fieldnames or ()):
        raise FileError(f"{where} names {name}, whose first line has no column voter.")
    found: dict[str, str | None] = {}
    for row in rows:
        voter, token = row["voter"], row.get("token") or None
        if not voter or voter in found or (token is not None and not _TOKEN.fullmatch(token)):
            raise FileError(
                f"{folder / name}, line {rows.line_num}: a voter who is not there yet was "
                "expected, with no token or one of 16 to 80 letters and digits."
            )
        found[voter] = token
    return found


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
    return Ballot(title or str(path), QUESTION, entries, note)


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
        _check_not_too_many(path, len(found))
    _check_enough(path, len(found), wanted)
    return tuple(entry for _, entry in found.values())


def _check_not_too_many(path: object, number: int) -> None:
    if number > LISTED_NAMES:
        raise FileError(
            f"{path} has more than {LISTED_NAMES:,} items, but at most that many were expected."
        )


def _check_enough(path: object, number: int, wanted: str) -> None:
    if number < 2:  # items cannot be added later to the study that this would begin
        have = "one item" if number else "no items"
        raise FileError(f"{path} has {have}, but at least two were expected: {wanted}.")


def _entry(
    path: Path | None, where: str, number: int, entry: object, directions: Mapping[str, str]
) -> BallotEntry:
    if isinstance(entry, str):
        entry = {"name": entry}
    if number:
        where = f"{where}, item {number}"
    if not isinstance(entry, dict) or "name" not in entry:
        raise FileError(f'{where} has no name, but every item needs one: name = "…".')
    check_keys(where, entry, ("name", *_SHOWN, "decoy", *directions))
    name = text_of(where, entry, "name", "")
    (_files.check_name if path else _files.check_new_name)(where, name)
    decoy = entry.get("decoy")
    if isinstance(decoy, str):
        decoy = {"text": decoy}
    if decoy is not None:
        if not isinstance(decoy, dict):
            raise FileError(f"{where}: decoy is {shown(decoy)}, but text or a table was expected.")
        check_keys(f"{where}, decoy", decoy, _SHOWN)
        decoy = _shown(path, f"{where}, decoy", name, decoy)
    values = {key: entry[key] for key in directions if key in entry}
    return replace(_shown(path, where, name, entry), decoy=decoy, values=values)


def _shown(path: Path | None, where: str, name: str, entry: Mapping[str, Any]) -> BallotEntry:
    """What there is to see of an item or a decoy."""
    file, link = None, text_of(where, entry, "link", "") or None
    if link is not None and not is_web_address(link):
        raise FileError(
            f"{where}: link is {shown(link)}, but an address that begins with https:// or http:// "
            "was expected."
        )
    if "file" in entry:
        if path is None:
            raise FileError(f"{where} has a file, but only texts and links were expected here.")
        file = path.parent / text_of(where, entry, "file", "")
        try:
            there = file.is_file()
        except (OSError, ValueError):
            there = False
        if not there:
            raise FileError(
                f"{where} names the file {str(file)!r}, which does not exist; files are looked for "
                "beside the ballot."
            )
    return BallotEntry(name, text_of(where, entry, "text", ""), file, link)
