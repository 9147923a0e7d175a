"""Rows that are no votes: passed and counted, or reported all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from antichain._text import counted
from antichain.errors import FileError
from antichain.sources._chunks import ChunkSource
from antichain.votes._vote_log import SkippedRows

MOST_BAD = 100_000
"""After so many bad rows reading ends: something else is wrong than rows (set by hand)."""

_FIRST_PLACES = 5
_FIRST_SENTENCES = 10


class BadRowsError(FileError):
    """Several rows of a log are no votes."""


@contextmanager
def told_of_encoding(source: ChunkSource) -> Iterator[None]:
    """Raise a FileError about the encoding where several rows are bad because of it."""
    try:
        yield
    except BadRowsError as error:
        other = source.other_encoding()
        if other is None:
            raise
        raise FileError(other) from error


class BadRows:
    """The rows of a log that are no votes.

    Args:
        label: The log.
        skip: Whether they may be passed; otherwise `check` raises about them.
        noun: What each row should be.
    """

    def __init__(self, label: str, skip: bool, noun: str = "vote") -> None:
        self._label, self._skip, self._noun = label, skip, noun
        self._kinds: Counter[str] = Counter()
        self._places: list[str] = []
        self._sentences: list[str] = []
        self._ended_early = False

    @property
    def sentences_wanted(self) -> int:
        """How many more rows are to be described."""
        return 0 if self._skip else _FIRST_SENTENCES - len(self._sentences)

    def add(self, kinds: Counter[str], places: Iterable[str], sentences: Iterable[str]) -> None:
        """Count rows by kind; the first ones come with their places, and with what is wrong."""
        self._kinds.update(kinds)
        self._places += list(places)[: _FIRST_PLACES - len(self._places)]
        self._sentences += sentences
        if not self._skip and self._kinds.total() > MOST_BAD:
            self._ended_early = True
            self.check()

    @property
    def skipped(self) -> SkippedRows:
        kinds = dict(sorted(self._kinds.items()))
        return SkippedRows(self._kinds.total(), kinds, tuple(self._places))

    @contextmanager
    def reported_first(self) -> Iterator[None]:
        """`check` after a reading, also one that ends in an error: bad rows are further up."""
        try:
            yield
        except FileError:
            self.check()
            raise
        self.check()

    def check(self) -> None:
        """Raise about all of these rows in one message, if there are any and none may be."""
        rows = self._kinds.total()
        if self._skip or not rows:
            return
        if rows == 1:
            raise FileError(f"{self._label}, {self._sentences[0]} (--skip-bad skips such rows)")
        kinds = ", ".join(f"{kind}: {n:,}" for kind, n in self._kinds.most_common())
        least = "at least " if self._ended_early else ""
        first = len(self._sentences)
        which = "they are" if first == rows else f"the first {first} are"
        lines = "".join(f"\n  {sentence}" for sentence in self._sentences)
        raise BadRowsError(
            f"{self._label} has {least}{counted(rows, 'row')} that are not {self._noun}s "
            f"({kinds}), but a {self._noun} in each row was expected (--skip-bad skips and counts "
            f"such rows); {which}:{lines}"
        )
