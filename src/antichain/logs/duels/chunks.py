"""What a source of votes yields: rows as codes of the texts that stand in them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from antichain.logs.ids import Codes

_BREAKS = re.compile(r"\s*[\r\n]+\s*")


class Flaw(NamedTuple):
    """Why something is no vote: of what kind, and how a sentence about its row goes on."""

    kind: str
    sentence: str


Text = str | Flaw


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive rows.

    Attributes:
        rows: How many.
        codes: By role, a code for the text of each row. Left and right items share their codes.
        new: By table (a role, or "items"), the texts of the codes not told of before.
        flaws: Rows that are none, by their place in the chunk.
        place: Where a row of the chunk is, as in "line 7".
    """

    rows: int
    codes: Mapping[str, Codes]
    new: Mapping[str, Sequence[Text]]
    flaws: Mapping[int, Flaw]
    place: Callable[[int], str]


class Source(ABC):
    """Rows of votes from somewhere.

    Attributes:
        label: Where, as errors say it.
        notes: What was guessed about the form, in sentences.
        counts: The column of counts, where the form of a row says which it is.
        delimiter: What separates the fields of a text; None where there is no such text.
    """

    label: str
    notes: tuple[str, ...] = ()
    counts: str | None = None
    delimiter: str | None = None

    @abstractmethod
    def header(self) -> list[str]:
        """The names of the columns."""

    @abstractmethod
    def chunks(self, columns: Mapping[str, str], passing: frozenset[str]) -> Iterator[Chunk]:
        """The rows; `columns` are those wanted, by role.

        The texts of `passing` roles are coded anew in every chunk.
        """


def table_of(role: str) -> str:
    """The table that holds the texts of a role."""
    return "items" if role in ("left", "right") else role


def one_line(text: str) -> str:
    """A text without spaces around it, and with a space for every break of lines."""
    return _BREAKS.sub(" ", text.strip())


def shown(value: object) -> str:
    """A value of Python as it is quoted in a sentence, whatever it is."""
    try:
        return cut(repr(value))
    except Exception:  # a value's own repr may do anything, as that of a very long number does
        return f"a value of the type {type(value).__name__}"


def cut(text: object) -> str:
    """A text as it is quoted in a sentence, in quotes and not too long."""
    said = str(text)
    return ascii(said if len(said) <= 60 else said[:57] + "...")
