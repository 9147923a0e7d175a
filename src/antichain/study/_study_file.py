"""Ballots in TOML, and in tables: items with texts, files and links, and how the study is held."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from antichain import _files
from antichain._limits import LIST_BYTES
from antichain._text import shown
from antichain.errors import FileError
from antichain.study._ballot_entries import QUESTION, Ballot, BallotEntry, checked
from antichain.study._conduct import (
    CONDUCT_KEYS,
    Places,
    check_keys,
    is_web_address,
    read_conduct,
    text_of,
)

_NAME = "name"  # the column of a table
_SHOWN = ("text", "file", "link")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,80}")


def ballot_from(document: object, source: str, folder: Path | None = None) -> Ballot:
    """The ballot in a document with the keys of a study file.

    Args:
        document: The document.
        source: What to call it.
        folder: Where its files are; None if it may name none.
    """
    if not isinstance(document, dict):
        raise FileError(f"{source} is {shown(document)}, but an object was expected.")
    return from_toml(None if folder is None else folder / source, document, Places(source))


def from_toml(path: Path | None, document: Mapping[str, Any], at: Places) -> Ballot:
    own = ("title", "question", "questions", "items", "attributes")
    for key in document:
        check_keys(at("", key), {key: 0}, (*own, *CONDUCT_KEYS))
    entries = document.get("items")
    if entries is None:
        raise FileError(
            f'{at()} has no [[items]] and no items = ["…", "…"], but at least two items were '
            "expected."
        )
    if not isinstance(entries, list) or not entries:
        raise FileError(
            f"{at('', 'items')}: items is {shown(entries)}, but a list of at least two items was "
            'expected, such as ["…", "…"].'
        )
    default = "Study" if path is None else path.stem
    title = text_of(at("", "title"), document, "title", default)
    question = text_of(at("", "question"), document, "question", QUESTION)
    directions = _directions(document, at)
    read = (
        (at.line("items", "name", n), _entry(path, partial(_item_place, at, n), entry, directions))
        for n, entry in enumerate(entries, start=1)
    )
    found = checked(at(), '[[items]], or items = ["…", "…"]', read)
    bare = next((entry.name for entry in found if entry.decoy is None), None)
    if document.get("decoy_gap") is not None and bare is not None:
        raise FileError(
            f"{at('', 'decoy_gap')}: decoy_gap is given, but {shown(bare)} has no decoy: with "
            "decoy_gap, every item needs one."
        )
    return Ballot(
        title,
        question,
        found,
        criteria=_questions(document, at),
        directions=directions,
        conduct=read_conduct(document, at, None if path is None else partial(_tokens, path.parent)),
        source=document,
        at=at,
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
        raise FileError(
            f"{where}: either one question or a table of several questions was expected."
        )
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


def from_table(path: Path, text: str, delimiter: str) -> Ballot:
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter, restkey="", restval="")
    known = (_NAME, "text", "file", "link")
    check_keys(f"{path}, line 1", dict.fromkeys(rows.fieldnames or (), 0), known)

    def read() -> Iterator[tuple[str, BallotEntry]]:
        for row in rows:
            place = f"line {rows.line_num}"
            if "" in row:
                raise FileError(f"{path}, {place} has more cells than the first line.")
            given = {key: value for key, value in row.items() if value}
            yield place, _entry(path, partial("{}, {}".format, path, place), given, {})

    entries = checked(path, "one row for each item", read())
    return Ballot(path.stem, QUESTION, entries, at=Places(path))


def is_table(text: str, delimiter: str) -> bool:
    """Whether the first line of a text has the names of columns, one of which holds items."""
    return _NAME in next(csv.reader([text.partition("\n")[0]], delimiter=delimiter), [])


def _tokens(folder: Path, where: str, name: str) -> dict[str, str | None]:
    """The voters in a CSV file with a column `voter`, and perhaps `token`, the secret of each."""
    try:
        text = _files.read_text(folder / name, LIST_BYTES, "one row for each voter")
    except FileError as error:
        raise FileError(f"{where}: {str(error).rstrip('.')}.") from error
    rows = csv.DictReader(io.StringIO(text))
    if "voter" not in (rows.fieldnames or ()):
        raise FileError(f"{where} names {name}, whose first line has no column voter.")
    found: dict[str, str | None] = {}
    for row in rows:
        voter, token = row["voter"], row.get("token") or None
        if not voter or voter in found or (token is not None and not _TOKEN.fullmatch(token)):
            raise FileError(
                f"{folder / name}, line {rows.line_num}: each row must name a voter not listed "
                "above, with no token or with one of 16 to 80 letters and digits."
            )
        found[voter] = token
    return found


def _item_place(at: Places, number: int, key: str) -> str:
    """Where a key of an item stands."""
    return f"{at()}, {at.line('items', key, number)}"


def _entry(
    path: Path | None, at: Callable[[str], str], entry: object, directions: Mapping[str, str]
) -> BallotEntry:
    """An item, given where each of its keys stands."""
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, dict):
        raise FileError(
            f'{at("")} is {shown(entry)}, but a name, as in "…", or a table with a name was '
            "expected."
        )
    if "name" not in entry:
        raise FileError(f'{at("")} has no name, but every item needs one: name = "…".')
    for key in entry:
        check_keys(at(key), {key: 0}, ("name", *_SHOWN, "decoy", *directions))
    name = text_of(at("name"), entry, "name", "")
    (_files.check_name if path else _files.check_new_name)(at("name"), name)
    decoy = entry.get("decoy")
    if isinstance(decoy, str):
        decoy = {"text": decoy}
    if decoy is not None:
        where = at("decoy")
        if not isinstance(decoy, dict):
            raise FileError(f"{where}: decoy is {shown(decoy)}, but text or a table was expected.")
        check_keys(f"{where}, decoy", decoy, _SHOWN)
        decoy = _shown(path, lambda _: f"{where}, decoy", name, decoy)
    values = {key: entry[key] for key in directions if key in entry}
    return replace(_shown(path, at, name, entry), decoy=decoy, values=values)


def _shown(
    path: Path | None, at: Callable[[str], str], name: str, entry: Mapping[str, Any]
) -> BallotEntry:
    """What there is to see of an item or a decoy."""
    file, link = None, text_of(at("link"), entry, "link", "") or None
    if link is not None and not is_web_address(link):
        raise FileError(
            f"{at('link')}: link is {shown(link)}, but an address that begins with https:// or "
            "http:// was expected."
        )
    if "file" in entry:
        where = at("file")
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
                "next to the study file."
            )
    return BallotEntry(name, text_of(at("text"), entry, "text", ""), file, link)
