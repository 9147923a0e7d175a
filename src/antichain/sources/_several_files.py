"""Several files as one log: the same columns in each, read one after the other."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antichain.errors import FileError
from antichain.sources._chunks import Chunk, ChunkSource, TextIds, cut, table_of
from antichain.sources._spans import Codes
from antichain.sources._values import RowSource, path_of

MOST_FILES = 10_000
"""Files that are read as one log (set by hand)."""
_LONGEST_PATH = 4096  # as on Linux

Opening = Callable[[str], AbstractContextManager[ChunkSource]]


def several_files(source: Any) -> list[str] | None:
    """The files that a list of paths names, or a path with wildcards; None for any other source."""
    if isinstance(source, str | os.PathLike):
        text = os.fspath(source)
        if not isinstance(text, str) or not glob.has_magic(text) or os.path.exists(text):
            return None
        return _matching(text)
    if not isinstance(source, list | tuple) or not source:
        return None
    if not all(_may_be_path(path) for path in source):
        return None
    found: list[str] = []
    for path in map(str, source):
        wild = glob.has_magic(path) and not os.path.exists(path)
        found += _matching(path) if wild else [path]
    for n, path in enumerate(found):
        if path in found[:n]:
            raise FileError(f"{path} is given twice, but each file can be read only once")
    if len(found) > MOST_FILES:
        raise FileError(f"{len(found):,} files are given, but at most {MOST_FILES:,} were expected")
    return found


def _may_be_path(value: Any) -> bool:
    if isinstance(value, str):
        return value.isprintable() and len(value) <= _LONGEST_PATH
    return isinstance(value, os.PathLike)


def _matching(pattern: str) -> list[str]:
    found = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
    if not found:
        raise FileError(f"no file matches {pattern}, but at least one was expected")
    return found


def listed_files(paths: Sequence[str]) -> str:
    """What to call these files together."""
    if len(paths) < 3:
        return " and ".join(paths)
    return f"{paths[0]} and {len(paths) - 1} more files"


class SeveralSource(ChunkSource):
    """The rows of several files, with texts coded alike in all of them.

    Args:
        paths: The files.
        first: The first of them, which is open.
        opening: Opens one of the others.
    """

    def __init__(self, paths: Sequence[str], first: ChunkSource, opening: Opening) -> None:
        self.label = listed_files(paths)
        self._paths, self._first, self._opening = paths, first, opening
        self._open = first  # the file that is being read
        self.notes, self.delimiter, self.scored = first.notes, first.delimiter, first.scored
        self.nested = first.nested

    def header(self) -> list[str]:
        return self._first.header()

    def texts_below(self) -> frozenset[str]:
        return self._first.texts_below()

    def other_encoding(self) -> str | None:
        return self._open.other_encoding()

    def chunks(self, columns: Mapping[str, str], passing: frozenset[str]) -> Iterator[Chunk]:
        kept = {table_of(role): TextIds() for role in columns if role not in passing}
        yield from self._of_file(self._paths[0], self._first, columns, kept)
        for path in self._paths[1:]:
            with self._opening(path) as source:
                self._check(path, source, columns)
                self._open = source
                yield from self._of_file(path, source, columns, kept)

    def _of_file(
        self,
        path: str,
        source: ChunkSource,
        columns: Mapping[str, str],
        kept: Mapping[str, TextIds],
    ) -> Iterator[Chunk]:
        """The chunks of one file, with the codes that all files share."""
        passing = frozenset(role for role in columns if table_of(role) not in kept)
        shared: dict[str, Codes] = {name: np.empty(0, np.int32) for name in kept}
        for chunk in source.chunks(columns, passing):
            new = dict(chunk.new)
            for name, ids in kept.items():
                known = len(ids)
                codes = np.array(ids.codes(chunk.new[name]), np.int32)
                shared[name] = np.concatenate([shared[name], codes])
                new[name] = ids.texts[known:]
            coded = {
                role: shared[table_of(role)][codes] if table_of(role) in kept else codes
                for role, codes in chunk.codes.items()
            }
            yield replace(chunk, codes=coded, new=new, place=partial(_placed, chunk, path))
        self.notes = tuple(dict.fromkeys((*self.notes, *source.notes)))

    def _check(self, path: str, source: ChunkSource, columns: Mapping[str, str]) -> None:
        """Raise about a file that has other columns than the first one."""
        ours, theirs = self._first.header(), source.header()
        # Objects need not all have the same keys, nor the first file what another one may have.
        wanted: Sequence[str] = ours
        if isinstance(source, RowSource):
            wanted = [name for name in columns.values() if name in ours or path_of(name)[0] in ours]
        missing = next(
            (
                name
                for name in wanted
                if name not in theirs and not (source.nested and path_of(name)[0] in theirs)
            ),
            None,
        )
        if missing is not None:
            raise FileError(
                f"{path} has no column {cut(missing)}, but the same columns as in {self._paths[0]} "
                "were expected"
            )
        other = next((name for name in theirs if name not in ours), None)
        if other is not None and not isinstance(source, RowSource):
            raise FileError(
                f"{path} has a column {cut(other)} that {self._paths[0]} lacks, but the same "
                "columns were expected"
            )


def _placed(chunk: Chunk, path: str, row: int) -> str:
    return f"{chunk.place(row)} of {path}"
