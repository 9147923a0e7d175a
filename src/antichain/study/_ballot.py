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

import os
import re
from contextlib import suppress
from pathlib import Path

from antichain import _files
from antichain._limits import LIST_BYTES, TOML_BYTES
from antichain._no_texts import not_text
from antichain._own_formats import read_by
from antichain._text import names, refusal, shown
from antichain.errors import FileError
from antichain.study._ballot_entries import (
    QUESTION,
    Ballot,
    BallotEntry,
    check_enough,
    check_not_too_many,
    checked,
)
from antichain.study._conduct import Places, unclosed
from antichain.study._records import STUDY
from antichain.study._study_file import from_table, from_toml, is_table

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
_WANTED = "but a list with one name per line, a TOML file or a folder was expected"
_BEGINNING = 200  # bytes or characters by which a file is known
# How a document begins that is no list: JSON over one or several lines, or a web page.
_JSON = re.compile(r"\{|\[\s*(\{|$)")
_PAGE = re.compile(r"<(!doctype|html)\b", re.IGNORECASE)


def read_ballot(path: str | Path) -> Ballot:
    """The ballot at `path`: a folder, a TOML file, or a text with one name per line.

    A `FileError` says where it is wrong.
    """
    path = Path(path)
    if os.path.isdir(path):
        return _folder(path)
    if path.suffix.lower() == ".toml":
        return _toml(path, _files.read_text(path, TOML_BYTES, "a smaller document"))
    try:
        text = _files.read_text(path, LIST_BYTES, "one name per line")
    except FileError:
        _check_is_text(path, _beginning(path))
        raise
    start = text[:_BEGINNING]
    if "\0" in start or start.startswith("%PDF-"):  # PAR1 may also be the name of an item
        _check_is_text(path, start.encode())
    if _TOML_ITEMS.search(text):
        return _toml(path, text)
    if (delimiter := _TABLES.get(path.suffix.lower())) and is_table(text, delimiter):
        return from_table(path, text, delimiter)
    return _list(path, text)


def study_file(path: Path) -> Path:
    """Where the votes on the ballot at `path` are kept: beside it."""
    if not os.path.isdir(path):
        return path.with_suffix(".duels")
    folder = path if path.name not in ("", "..") else path.resolve()
    if not folder.name:
        raise FileError(
            f"The votes cannot be kept next to {path}; give a file for them with --study."
        )
    return folder.with_name(f"{folder.name}.duels")  # of a folder v1.2, ".2" is no extension


def _toml(path: Path, text: str) -> Ballot:
    try:
        document = _files.parse_toml(path, text)
    except FileError as error:
        if "end of document" in str(error) and (line := unclosed(text)) is not None:
            raise FileError(f"{error}; what begins on line {line} is never closed") from error
        raise
    return from_toml(path, document, Places(path, text))


# -- three kinds of ballots ------------------------------------------------------------------------


def _list(path: Path, text: str) -> Ballot:
    # Not splitlines(): it would break a name at characters that no other reader takes for an end.
    lines = [(n, line.strip()) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if lines:
        _check_is_list(path, text, lines[0][1])
    read = ((f"line {n}", _listed(f"{path}, line {n}", name)) for n, name in lines)
    entries = checked(path, "one name per line", read)
    return Ballot(path.stem, QUESTION, entries, at=Places(path))


def _listed(where: str, name: str) -> BallotEntry:
    _files.check_new_name(where, name)
    return BallotEntry(name)


def _beginning(path: Path) -> bytes:
    """The first bytes of a file; none of a pipe, which would be waited for."""
    with suppress(OSError, ValueError):
        if path.is_file():
            with path.open("rb") as stream:
                return stream.read(_BEGINNING)
    return b""


def _check_is_text(path: Path, start: bytes) -> None:
    """Raise about a file that holds no text, by how it begins."""
    if (what := not_text(start)) is not None:
        raise FileError(f"{path} is {what}, {_WANTED}.")


def _check_is_list(path: Path, text: str, first: str) -> None:
    """Raise about a file whose lines are something else than names, given the first of them."""
    if text.startswith(STUDY.start.decode()):
        raise FileError(
            f"{path} is a study, {_WANTED}: give the items that the study was started with, and "
            "the study to --study."
        )
    start = text[:_BEGINNING]
    # A document of others may have "items", too, which read_by takes for a poset by hand.
    if '"format"' in start and (known := read_by(path, start)) is not None:
        raise FileError(f"{known}, {_WANTED}.")
    if _JSON.match(first):
        begins = "object" if first.startswith("{") else "list"
        raise FileError(f"{path} begins with a JSON {begins}, {_WANTED}.")
    if _PAGE.match(first):
        raise FileError(f"{path} is a web page, {_WANTED}.")
    if path.suffix.lower() in _TABLES:
        raise FileError(
            f"{path} is a table (its first line is {shown(first)}), but one with a column called "
            "name was expected, or a list with one name per line in a .txt file."
        )


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
    check_enough(path, len(found), "files with pictures, texts, sounds or videos")
    note = None
    if others:
        listed = names([shown(name) for name in others], _FILES_NAMED)
        note = f"Left out of {path}: {listed}. Items are pictures, texts, sounds, videos and PDFs."
    title = (path if path.name not in ("", "..") else path.resolve()).name
    entries = tuple(BallotEntry(name, file=path / file) for name, file in found.items())
    return Ballot(title or str(path), QUESTION, entries, note, at=Places(path))


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
                check_not_too_many(folder, len(found))
    except OSError as error:
        raise FileError(f"cannot read {folder}: {refusal(error)}") from error
    return sorted(found), sorted(others)
