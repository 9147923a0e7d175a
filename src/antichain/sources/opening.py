"""The way in: open anything that holds rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import numpy as np

from antichain.errors import InputError
from antichain.sources.chunks import ChunkSource
from antichain.sources.delimited import DelimitedSource
from antichain.sources.frames import frame_source, is_frame, parquet_source
from antichain.sources.row_source import RowSource, json_array, json_lines
from antichain.sources.streams import ByteLog


@contextmanager
def open_source(
    source: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    kind: str | None = None,
    member: str | None = None,
    names: Sequence[str] | None = None,
    line: int = 1,
) -> Iterator[ChunkSource]:
    """The rows of `source`, which is closed afterwards if it was opened here.

    Args:
        source: A path, "-" for standard input, an open file, a table of pandas, polars or
            pyarrow, an iterable of rows (sequences or mappings), or a `ChunkSource` of one's own.
        delimiter: The character between the fields of a text; guessed if None.
        encoding: The encoding of a text that is not UTF-8.
        kind: "csv", "lines", "json" or "parquet", where the name does not say it.
        member: The file to read in a zip archive; by default the only table in it.
        names: The names of the columns, of a text without a header.
        line: The number of the first line, of a text that is part of a longer one.
    """
    if isinstance(source, np.ndarray):
        source = source.tolist()  # rows of a table, or records
    if isinstance(source, ChunkSource):
        yield source
    elif is_frame(source):
        yield frame_source(source)
    elif isinstance(source, str | os.PathLike) or hasattr(source, "read"):
        path = os.fspath(source) if isinstance(source, os.PathLike) else source
        with closing(ByteLog(path, kind, encoding, member)) as log:
            if log.kind == "parquet":
                with parquet_source(log) as table:
                    yield table
            elif log.kind == "csv":
                yield DelimitedSource(log, delimiter, names, line)
            elif log.kind == "lines":
                yield RowSource(log.label, json_lines(log), "line")
            else:
                yield RowSource(log.label, json_array(log))
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        yield RowSource("the list of votes", enumerate(source, start=1))
    else:
        raise InputError(
            f"the votes are {type(source).__name__}, but a path, an open file, a table or an "
            "iterable of rows was expected"
        )
