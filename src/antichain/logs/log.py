"""What a log of ratings is: chunks of rows, read as often as needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from antichain.errors import FileError
from antichain.logs.ids import Codes, NumberIds, TextIds

Floats = NDArray[np.float64]

KEEP_ROWS = 64_000_000
"""Rows kept in memory between passes (16 bytes each); a longer log is read again instead."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive rows: codes of users and items, and the ratings."""

    users: Codes
    items: Codes
    ratings: Floats


class RatingLog(ABC):
    """Ratings of items by users.

    Attributes:
        label: The file, as errors name it.
        users: The users seen so far, by code.
        items: The items seen so far, by code.
    """

    label: str
    users: NumberIds | TextIds
    items: NumberIds | TextIds

    def __init__(self, label: str, keep_rows: int = KEEP_ROWS) -> None:
        self.label = label
        self._keep_rows = keep_rows
        self._kept: list[Chunk] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # A copy reads the file itself: rows and identifiers seen here must not travel with it.
        return self.__dict__ | {"_kept": None, "users": type(self.users), "items": type(self.items)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        fresh = {"users": state["users"](), "items": state["items"]()}
        self.__dict__.update(state | fresh)

    @abstractmethod
    def read(self) -> Iterator[Chunk]:
        """The rows, from the file; the codes of a second reading are those of the first."""

    @abstractmethod
    def places(self, user: object, item: object) -> list[str]:
        """Where the rows of that user and item are ("line 7"), in the order of the file."""

    def parts(self, wanted: int) -> Sequence[RatingLog]:
        """Logs that together hold the rows of this one, about as many as wanted."""
        return [self]

    def chunks(self) -> Iterator[Chunk]:
        """The rows, from memory where an earlier pass could keep them."""
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Chunk] | None = []
        rows = 0
        for chunk in self.read():
            rows += chunk.users.size
            if rows > self._keep_rows:
                kept = None
            if kept is not None:
                kept.append(chunk)
            yield chunk
        self._kept = kept

    def forget(self) -> None:
        """Let go of the rows kept in memory."""
        self._kept = None

    def refuse_twice(self, user: object, item: object) -> NoReturn:
        """Raise about a user who rated an item twice, with the lines."""
        first, second, *_ = [*self.places(user, item), "another row", "another row"]
        raise FileError(
            f"{self.label}, {second} rates item {item} by user {user} again, as {first} does "
            "already, and one rating of an item a user was expected"
        )
