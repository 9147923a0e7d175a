"""Logs without a header, whose first vote was taken for the names of the columns."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from antichain.errors import FileError
from antichain.sources._chunks import ChunkSource, cut, parsed_number
from antichain.votes._answer_words import form_of
from antichain.votes._column_names import plain_name
from antichain.votes._header import MissingColumnError

_HEADER = ("left", "right", "winner")


@contextmanager
def told_without_header(source: ChunkSource) -> Iterator[None]:
    """Raise a FileError about the header where columns are missing because there is none."""
    try:
        yield
    except MissingColumnError as error:
        header = source.header()
        if not looks_like_a_vote(header, source.texts_below()):
            raise
        names = (source.delimiter or ",").replace("\t", "<tab>").join(_HEADER)
        raise FileError(
            f"the first row of {source.label} is {cut(', '.join(header))}, which looks like a "
            "vote, but the names of the columns were expected (add a header as the first line, "
            f"such as {names})"
        ) from error


def looks_like_a_vote(cells: Sequence[str], below: Collection[str]) -> bool:
    """Whether the first row of a table looks like a vote, and not like a header.

    It does if most of it recurs in the rows below, or if an answer follows two names one of which
    recurs: a word for an answer, or one of the names again.

    >>> looks_like_a_vote(["Alien", "Saw", "Alien"], {"Saw", "Senna"})
    True
    >>> looks_like_a_vote(["film a", "film b", "winner"], {"Alien", "Saw"})
    False
    """
    if set(_HEADER[:2]) <= {plain_name(cell) for cell in cells}:
        return False
    told = [cell for cell in cells if cell]
    again = {cell for cell in told if cell in below}
    if len(again) >= 3 and sum(math.isnan(parsed_number(cell)) for cell in again) >= 2:
        return True
    for place, cell in enumerate(told):
        names = set(told[:place])
        answers = cell in names or form_of(cell, "", "") is not None
        if len(names) >= 2 and answers and names & again:
            return True
    return False
