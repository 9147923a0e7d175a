"""Folders given where a file of votes was expected: one of their files may be meant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from antichain.errors import AntichainError, FileError
from antichain.sources._lm_eval import FolderError, instead_of_folder
from antichain.sources._opening import open_source
from antichain.votes._columns import ballot_columns
from antichain.votes._header import Columns
from antichain.votes._read_options import ReadOptions
from antichain.votes._score_columns import score_columns

_LOOKED_AT = 20  # files of a folder whose columns are looked at


@contextmanager
def told_with_a_file() -> Iterator[None]:
    """Raise a FileError about a folder that names a file with votes, if there is one in it."""
    try:
        yield
    except FolderError as error:
        found = (_meant(path) for path in islice(error.tables, _LOOKED_AT))
        first = next(filter(None, found), None)
        such_as = "" if first is None else f", such as {first}"
        wanted = f"a file of votes was expected{such_as}"
        raise FileError(instead_of_folder(error.folder, wanted)) from error


def _meant(path: Path) -> str | None:
    """What to give instead, if a file can be read and its columns look like those of votes."""
    options = ReadOptions()
    try:
        with open_source(path) as opened:
            label, header = opened.label, opened.header()
            if opened.scored is not None:  # one item in each file, perhaps
                return f"'{path.parent}/*{path.suffix}'"
            known = Columns(label, header, opened.nested).has_pairs()
            known = known or ballot_columns(label, header, options) is not None
            scored = None if known else score_columns(label, header, options)
            return str(path) if known or (scored is not None and scored.sure) else None
    except AntichainError:
        return None
