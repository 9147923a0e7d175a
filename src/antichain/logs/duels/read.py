"""The way in: any log of votes, read and reduced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from typing import Any

import numpy as np

from antichain.errors import InputError, ParameterError
from antichain.logs.duels.chunks import Source
from antichain.logs.duels.columns import Layout, lay_out
from antichain.logs.duels.delimited import DelimitedSource
from antichain.logs.duels.frames import frame_source, is_frame, parquet_source
from antichain.logs.duels.judge import Judge
from antichain.logs.duels.options import ReadOptions
from antichain.logs.duels.reduce import Reducer
from antichain.logs.duels.rows import RowSource, json_array, json_lines, numbered_rows
from antichain.logs.duels.streams import ByteLog
from antichain.logs.votes import LogColumns, VoteLog


def read_votes(
    source: Any,
    options: ReadOptions | None = None,
    *,
    progress: Callable[[int], None] | None = None,
    **changes: Any,
) -> VoteLog:
    """The votes in a log: how often each pair was voted on, and how it came out.

    Memory does not grow with the number of rows, except where `time`, `voter` or `cluster` is
    given (by some bytes a row, a voter and pair, or a cluster and pair) and for a JSON array.

    Args:
        source: A path, "-" for standard input, an open file, a table of pandas, polars or
            pyarrow, or an iterable of rows: (left, right, winner[, count]) or mappings.
        options: Which column is what, and what to make of the rows.
        progress: Hears how many rows were read.
        changes: Single options by name, as in `read_votes("log.csv", winner="won")`.

    Raises:
        FileError: The log cannot be read, or a row is no vote; the message says which, and why.

    >>> log = read_votes([("Alien", "Saw", "left"), ("Saw", "Alien", "Alien")])
    >>> log.items, log.pairs.wins_first
    (('Alien', 'Saw'), array([2]))
    """
    chosen = _with(options or ReadOptions(), changes)
    with open_source(source, chosen) as opened:
        if chosen.count is None:
            chosen = replace(chosen, count=opened.counts)
        layout = lay_out(opened.label, opened.header(), chosen)
        judge = Judge(opened.label, layout, chosen)
        reducer = Reducer(judge)
        for chunk in opened.chunks(layout.roles, judge.passing):
            reducer.add(*judge.votes(chunk))
            if progress is not None:
                progress(judge.rows)
        return reducer.log((*opened.notes, *layout.guessed), _columns(opened, layout, chosen))


def _columns(source: Source, layout: Layout, options: ReadOptions) -> LogColumns:
    return LogColumns(
        tuple(source.header()),
        layout.left,
        layout.right,
        layout.how,
        layout.answers,
        layout.decoy,
        layout.receipt,
        source.delimiter,
        options.encoding,
        layout.count,
        tuple(dict.fromkeys(filter(None, (layout.cluster, layout.time)))),
    )


def _with(options: ReadOptions, changes: dict[str, Any]) -> ReadOptions:
    known = {field.name for field in fields(ReadOptions)}
    for name in changes:
        if name not in known:
            raise ParameterError(
                f"the option {name!r} is given, but one of {', '.join(sorted(known))} was expected"
            )
    return replace(options, **changes)


@contextmanager
def open_source(source: Any, options: ReadOptions) -> Iterator[Source]:
    """The source, closed afterwards if it was opened here."""
    if isinstance(source, np.ndarray):
        source = source.tolist()  # rows of a table, or records
    if is_frame(source):
        yield frame_source(source)
    elif isinstance(source, str | os.PathLike) or hasattr(source, "read"):
        path = os.fspath(source) if isinstance(source, os.PathLike) else source
        with closing(ByteLog(path, options.kind, options.encoding)) as log:
            if log.kind == "parquet":
                with parquet_source(log) as table:
                    yield table
            elif log.kind == "csv":
                yield DelimitedSource(log, options.delimiter)
            else:
                is_lines = log.kind == "lines"
                rows = json_lines(log) if is_lines else json_array(log)
                yield RowSource(log.label, rows, "line" if is_lines else "row")
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        yield RowSource("the list of votes", numbered_rows(source))
    else:
        raise InputError(
            f"the votes are {type(source).__name__}, but a path, an open file, a table or an "
            "iterable of rows was expected"
        )
