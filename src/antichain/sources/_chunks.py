"""What every source yields: rows as codes of the texts that stand in them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain._limits import NAME_BYTES, megabytes
from antichain.errors import FileError
from antichain.sources._plain_numbers import PlainTexts
from antichain.sources._spans import Codes

NO_CODE = -1
"""What stands for a text that names nothing."""

_BREAKS = re.compile(r"\s*[\r\n]+\s*")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


class Flaw(NamedTuple):
    """Why a row or a text cannot be used: its kind, and the rest of a sentence about its row."""

    kind: str
    sentence: str

    def of(self, column: str) -> str:
        """The rest of the sentence about a text, with the column that it is in.

        >>> Flaw("value", "has a value of the type list, but text was expected").of("left")
        "has a value of the type list in 'left', but text was expected"
        """
        found, but, wanted = self.sentence.rpartition(", but ")
        return f"{found or wanted} in {column!r}{but}{wanted if found else ''}"


Text = str | Flaw
RowGroup = tuple[Sequence[int], list[Any]]  # rows (or a Flaw for each bad one) and their numbers


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive rows."""

    rows: int  # the number of rows
    # By role, a code for the text of each row. Left and right items share their codes.
    codes: Mapping[str, Codes]
    # By table (a role, or "items"), the texts of the codes that appear for the first time.
    new: Mapping[str, Sequence[Text]]
    flaws: Mapping[int, Flaw]  # the rows that cannot be used, by their place in the chunk
    place: Callable[[int], str]  # where a row of the chunk is, as in "line 7"
    # The rows in which every field is empty, wanted or not, where that is known.
    empty: Sequence[int] = ()

    def text(self, role: str, row: int) -> Text:
        return self.new[role][int(self.codes[role][row])]

    def numbers(self, role: str) -> NDArray[np.float64]:
        """The numbers in the texts of a passing role, NaN where a text is none."""
        texts = self.new[role]
        if isinstance(texts, PlainTexts) and not texts.dated:
            return texts.values
        values = np.array([parsed_number(text) for text in texts], np.float64)
        return values[self.codes[role]]


class ChunkSource(ABC):
    """Rows from somewhere."""

    label: str  # where they come from, as errors name it
    notes: tuple[str, ...] = ()  # sentences on what was guessed about the form
    counts: str | None = None  # the column of counts, where the form of a row says which it is
    delimiter: str | None = None  # between the fields of a text; None if this is no such text
    nested: bool = False  # whether values may stand inside of others, as in games[0].score
    # The columns of item, unit and score, where the form of a file says that it holds scores.
    scored: tuple[str, str, str] | None = None

    @abstractmethod
    def header(self) -> list[str]:
        """The names of the columns."""

    def texts_below(self) -> frozenset[str]:
        """The texts in the first rows, where the line above them was taken for the header."""
        return frozenset()

    def other_encoding(self) -> str | None:
        """A sentence on a text that is not in UTF-8, where what was read of it shows that."""
        return None

    @abstractmethod
    def chunks(self, columns: Mapping[str, str], passing: frozenset[str]) -> Iterator[Chunk]:
        """The rows, chunk by chunk.

        Args:
            columns: The column to read for each role.
            passing: The roles whose texts are coded anew in every chunk, so that memory does not
                grow with the number of different texts.
        """


class NameRoom:
    """Keeps what a log gives to remember within bounds.

    Args:
        label: The log.
        columns: The column of each role.
        passing: The roles whose texts are forgotten after their chunk.
    """

    def __init__(self, label: str, columns: Mapping[str, str], passing: frozenset[str]) -> None:
        self._label = label
        self._columns = {table_of(role): column for role, column in columns.items()}
        self._taken = dict.fromkeys(self._columns.keys() - passing, 0)

    def take(self, new: Mapping[str, Sequence[Text]]) -> None:
        """Count the texts that are new, or raise a FileError if they are too much."""
        for name in self._taken:
            self._taken[name] += sum(map(len, new[name]))
            if self._taken[name] > NAME_BYTES:
                raise FileError(
                    f"{self._label} has more than {megabytes(NAME_BYTES)} of different texts in "
                    f"the column {cut(self._columns[name])}, but short names were expected (a "
                    "column of identifiers would do)"
                )


class TextIds:
    """Codes 0, 1, 2, … for `texts` (or anything hashable), in the order of first sight."""

    def __init__(self, texts: Iterable[Hashable] = ()) -> None:
        self._codes: dict[Hashable, int] = {}
        self.texts: list[Any] = []
        self.codes(texts)

    def __len__(self) -> int:
        return len(self.texts)

    def __contains__(self, text: Hashable) -> bool:
        return text in self._codes

    @property
    def names(self) -> NDArray[np.object_]:
        return np.fromiter(self.texts, np.object_, len(self.texts))

    def code(self, text: Hashable) -> int:
        """The code of a text, which may be new."""
        code = self._codes.setdefault(text, len(self.texts))
        if code == len(self.texts):
            self.texts.append(text)
        return code

    def codes(self, texts: Iterable[Hashable]) -> list[int]:
        return [self.code(text) for text in texts]


class CodedTexts:
    """What the texts of a table stand for, by their codes.

    Attributes:
        texts: The texts seen so far.
        values: A number for each.
    """

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.values: Codes = np.empty(0, np.int32)

    def extend(self, texts: Sequence[Text], value_of: Callable[[Text], int]) -> None:
        if texts:
            self.texts += texts
            new = np.fromiter((value_of(text) for text in texts), np.int32, len(texts))
            self.values = np.concatenate([self.values, new])


def table_of(role: str) -> str:
    return "items" if role in ("left", "right") else role


def parsed_number(text: Text) -> float:
    """The number in a text, or NaN."""
    return float(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else float("nan")


def one_line(text: str) -> str:
    """A text without spaces around it, and with a space for every line break."""
    text = text.strip()
    return _BREAKS.sub(" ", text) if "\n" in text or "\r" in text else text


def cut(text: object) -> str:
    """A text as it is quoted in a sentence, in quotes and not too long."""
    said = str(text)
    return repr(said if len(said) <= 60 else said[:57] + "...")
