"""A log of ratings: rows of user, item and rating in any file, read as often as needed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from antichain._text import did_you_mean
from antichain.errors import FileError
from antichain.sources._chunks import (
    NO_CODE,
    Chunk,
    ChunkSource,
    CodedTexts,
    Flaw,
    Text,
    TextIds,
    cut,
)
from antichain.sources._delimited import DelimitedSource
from antichain.sources._opening import open_source
from antichain.sources._spans import Codes

Floats = NDArray[np.float64]

KEEP_ROWS = 64_000_000
"""Rows kept in memory between passes (16 bytes each); a longer log is read again instead."""

MOST_DIGITS = 18
"""Digits of a number of a user or an item: more would not fit into 64 bits."""


# What a column may be called, in letters alone and without a last "id".
_CALLED = {
    "user": ("user", "rater", "reviewer", "voter", "customer", "username", "userid"),
    "item": ("item", "movie", "film", "book", "isbn", "product", "song", "track", "game", "anime"),
    "rating": ("rating", "score", "stars", "bookrating", "overall", "grade", "ratings"),
}


class Ratings(NamedTuple):
    """Consecutive rows: the codes of users and items, and the ratings."""

    users: Codes
    items: Codes
    ratings: Floats

    def only(self, rows: NDArray[Any] | slice) -> Ratings:
        return Ratings(self.users[rows], self.items[rows], self.ratings[rows])

    @classmethod
    def joined(cls, parts: Iterable[Ratings]) -> Ratings:
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


@dataclass(frozen=True)
class RatingFormat:
    """What a table of ratings looks like.

    Attributes:
        user: The column of users.
        item: The column of items.
        rating: The column of ratings.
        delimiter: The character between the fields of a text; guessed if None.
        names: The names of the first columns of a text that has no header.
        numbered: Whether users and items are whole numbers and every line ends with a value; then a
            line that ends with an empty field was cut off.
    """

    user: str = "user"
    item: str = "item"
    rating: str = "rating"
    delimiter: str | None = None
    names: tuple[str, ...] | None = None
    numbered: bool = False

    @property
    def columns(self) -> dict[str, str]:
        """The column of each role: user, item and rating."""
        return {role: getattr(self, role).strip() for role in ("user", "item", "rating")}


class RatingLog:
    """Ratings of items by users.

    Args:
        path: The file: CSV, TSV, JSON lines or Parquet, as it is or packed (.gz, .zip).
        form: What it looks like.
        member: The file to read in a zip archive; by default the only table in it.
        keep_rows: How many rows may be kept in memory between passes.

    Attributes:
        label: The file, as errors name it.
        users: The users seen so far, by code.
        items: The items seen so far, by code.
        guessed: Sentences on columns that were recognised by their names.
    """

    def __init__(
        self,
        path: str | Path,
        form: RatingFormat | None = None,
        member: str | None = None,
        keep_rows: int = KEEP_ROWS,
    ) -> None:
        self.path, self._form, self._member = Path(path), form or RatingFormat(), member
        self.label = str(self.path if member is None else self.path / member)
        self.users, self.items = TextIds(), TextIds()
        self.guessed: list[str] = []
        self._keep_rows = keep_rows
        self._kept: list[Ratings] | None = None

    def chunks(self) -> Iterator[Ratings]:
        """The rows, from memory if an earlier pass kept them."""
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Ratings] | None = []
        rows = 0
        for chunk in self.read():
            rows += chunk.users.size
            if rows > self._keep_rows:
                kept = None
            if kept is not None:
                kept.append(chunk)
            yield chunk
        self._kept = kept

    def read(self) -> Iterator[Ratings]:
        """The rows, from the file; a second reading gives the codes of the first."""
        for _, _, ratings in self._placed():
            yield ratings

    def places(self, item: Hashable, user: Hashable | None = None) -> list[str]:
        """Where an item is rated, by anybody or one user ("line 7"); reads the file again."""
        if not self.path.is_file():  # a pipe can be read once only
            return ["one row"]
        found = []
        for chunk, used, rows in self._placed():
            these = rows.items == self.items.code(item)
            if user is not None:
                these &= rows.users == self.users.code(user)
            found += [chunk.place(row) for row in used[these].tolist()]
        return found

    def refuse_twice(self, user: Hashable, item: Hashable) -> NoReturn:
        """Raise about a user who rated an item twice, with both lines."""
        first, second, *_ = [*self.places(item, user), "another row", "another row"]
        raise FileError(
            f"{self.label}, {second} rates item {item} by user {user} again, as {first} does "
            "already, but one rating per user and item was expected"
        )

    def _placed(self) -> Iterator[tuple[Chunk, Codes, Ratings]]:
        """Every chunk, which of its rows are not empty, and the ratings in these rows."""
        tables = {"user": CodedTexts(), "item": CodedTexts()}
        seen = False
        form = self._form
        with open_source(
            self.path, delimiter=form.delimiter, member=self._member, names=form.names
        ) as source:
            columns = self._columns(source)
            for chunk in source.chunks(columns, frozenset({"rating"})):
                for role, ids in (("user", self.users), ("item", self.items)):
                    tables[role].extend(chunk.new[role], partial(self._code, ids))
                users, items = (tables[role].values[chunk.codes[role]] for role in tables)
                ratings = Ratings(users, items, chunk.numbers("rating"))
                used = np.arange(chunk.rows, dtype=np.int32)
                if chunk.empty:
                    used = np.delete(used, chunk.empty)
                    ratings = ratings.only(used)
                self._check(chunk, used, ratings, tables)
                seen = seen or used.size > 0
                yield chunk, used, ratings
            if form.numbered and isinstance(source, DelimitedSource):
                self._check_last_line(source)
        if not seen:
            raise FileError(f"{self.label} has no rows, but ratings were expected")

    def _columns(self, source: ChunkSource) -> dict[str, str]:
        """The columns of the three roles, each of which must be there once."""
        header = source.header()
        columns = {
            role: self._guess(role, name, header) for role, name in self._form.columns.items()
        }
        for column in columns.values():
            if header.count(column) != 1:
                wanted = "exactly one column" if column in header else "a column"
                meant = "" if column in header else did_you_mean(column, header)
                raise FileError(
                    f"{self.label} has the columns {', '.join(header)[:200]}, but {wanted} "
                    f"{column!r} was expected{meant} (see --user, --item, "
                    "--rating and --delimiter)"
                )
        return columns

    def _guess(self, role: str, column: str, header: Sequence[str]) -> str:
        """The column of a role, or, where none was named, one that is called like it."""
        if column != role or column in header:
            return column
        alike = [
            name
            for name in header
            if "".join(filter(str.isalpha, name.casefold())).removesuffix("id") in _CALLED[role]
        ]
        if len(alike) != 1:
            return column
        said = f"used {alike[0]!r} as the {role}"
        if said not in self.guessed:
            self.guessed.append(said)
        return alike[0]

    def _code(self, ids: TextIds, text: Text) -> int:
        """The code of a user or an item, or −1 if the text cannot be one."""
        if isinstance(text, Flaw) or not text:
            return NO_CODE
        if not self._form.numbered:
            return ids.code(text)
        is_number = len(text) <= MOST_DIGITS and text.removeprefix("-").isdecimal()
        return ids.code(int(text)) if is_number else NO_CODE

    def _check(
        self, chunk: Chunk, used: Codes, rows: Ratings, tables: Mapping[str, CodedTexts]
    ) -> None:
        wrong = (rows.users < 0) | (rows.items < 0) | ~np.isfinite(rows.ratings)
        if chunk.flaws:
            wrong |= np.isin(used, list(chunk.flaws))
        bad = used[wrong]
        if not bad.size:
            return
        row = int(bad[0])
        where = f"{self.label}, {chunk.place(row)}"
        if row in chunk.flaws:
            raise FileError(f"{where} {chunk.flaws[row].sentence}")
        for role, column in self._form.columns.items():
            code = int(chunk.codes[role][row])
            text = tables[role].texts[code] if role in tables else chunk.new[role][code]
            if isinstance(text, Flaw):
                raise FileError(f"{where} {text.sentence} (column {column!r})")
            if text == "":
                raise FileError(f"{where} has no {column}, but one was expected")
            if role == "rating" or self._code(TextIds(), text) < 0:
                wanted = "a number" if role == "rating" else "a whole number"
                raise FileError(f"{where} has the {column} {cut(text)}, but {wanted} was expected")

    def _check_last_line(self, source: DelimitedSource) -> None:
        """Raise about a last line that was cut off, as far as that can be seen."""
        if source.unclosed is not None:
            text = source.unclosed.decode("utf-8", "replace")
            if text.endswith((str(source.delimiter), ".")):
                raise FileError(
                    f"{self.label}, the last line is cut off after {cut(text)}, but "
                    f"{len(source.header())} fields were expected"
                )
