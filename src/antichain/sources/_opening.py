"""The way in: open anything that holds rows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from antichain._files import Readable
from antichain._limits import PACKED_TABLE_BYTES, megabytes
from antichain._no_texts import PARQUET
from antichain._text import as_argument
from antichain.errors import FileError, InputError, MissingExtraError
from antichain.sources._chunks import ChunkSource
from antichain.sources._delimited import DelimitedSource
from antichain.sources._documents import known_document
from antichain.sources._helm import helm_runs, run_files
from antichain.sources._json_rows import json_array, json_lines
from antichain.sources._lm_eval import lm_eval_samples, named_samples, sample_files
from antichain.sources._several_files import SeveralSource, several_files
from antichain.sources._streams import ByteLog
from antichain.sources._values import BATCH, Batch, Distinct, RowSource, ValueSource, row_groups

_STDIN = 0


@contextmanager
def open_source(source: Any, **options: Any) -> Iterator[ChunkSource]:
    """The rows of `source`, which is closed afterwards if it was opened here.

    Whatever is made of the rows meanwhile belongs to the reading, so that it is said which source
    was too large for the memory.

    Args:
        source: A path (perhaps with wildcards) or a list of paths, "-" for standard input, an open
            file, a table of pandas, polars or pyarrow, an iterable of rows (sequences or mappings),
            or a `ChunkSource` of one's own.
        options: How to read it, as `_opened` takes them.
    """
    label = "the votes"
    try:
        with _opened(source, **options) as opened:
            label = opened.label
            yield opened
    except MemoryError as error:
        if isinstance(source, str | os.PathLike):
            label = str(source)
        raise FileError(
            f"there is not enough memory to read {label}: a smaller file, or one with fewer "
            "different names, was expected"
        ) from error


@contextmanager
def _opened(
    source: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    kind: str | None = None,
    member: str | None = None,
    names: Sequence[str] | None = None,
) -> Iterator[ChunkSource]:
    """The rows of `source`.

    Args:
        source: As for `open_source`.
        delimiter: The character between the fields of a text; guessed if None.
        encoding: The encoding of a text that is not UTF-8.
        kind: "csv", "lines", "json" or "parquet", where the name does not say it.
        member: The file to read in a zip archive; by default the only table in it.
        names: The names of the columns, of a text without a header.
    """
    paths = several_files(source)
    if isinstance(source, np.ndarray):
        source = source.tolist()  # rows of a table, or records
    samples = named_samples([source] if paths is None else paths) if kind is None else None
    if samples is not None:
        yield samples
        return
    if paths is not None:
        opening = partial(
            _opened, delimiter=delimiter, encoding=encoding, kind=kind, member=member, names=names
        )
        with opening(paths[0]) as first:
            yield first if len(paths) == 1 else SeveralSource(paths, first, opening)
        return
    if isinstance(source, ChunkSource):
        yield source
    elif _is_frame(source):
        lazy = type(source).__name__ == "LazyFrame"
        yield LazySource("the query", source) if lazy else FrameSource(source)
    elif isinstance(source, str | os.PathLike) or hasattr(source, "read"):
        path = os.fspath(source) if isinstance(source, os.PathLike) else source
        if path == "":
            raise FileError("the name of the file is empty (''), but a path was expected")
        if isinstance(path, str) and kind is None and path != "-":
            if os.path.isdir(path):
                yield helm_runs(Path(path)) or lm_eval_samples(Path(path))
                return
            if path.lower().endswith(".toml") and os.path.isfile(path):
                typed = as_argument(path)
                raise FileError(
                    f"{path} is a TOML file, but a table was expected (a study file is read by: "
                    f"antichain serve {typed}; an experiment's by: antichain reproduce {typed})"
                )
            document = known_document(Path(path)) if encoding is None else None
            if document is not None:
                yield document
                return
        with closing(ByteLog(path, kind, encoding, member)) as log:
            log.refuse_others()
            if log.kind == "parquet":
                with _parquet_source(log) as table:
                    yield table
            elif log.kind == "csv":
                yield DelimitedSource(log, delimiter, names)
            elif log.kind == "lines":
                yield RowSource(log.label, json_lines(log), "line")
            else:
                yield RowSource(log.label, json_array(log))
    elif isinstance(source, Mapping):
        raise InputError(
            f"the votes are {type(source).__name__}, but rows were expected (zip(left, right, "
            "winner) makes rows of three lists, and pandas.DataFrame a table of columns)"
        )
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        yield RowSource("the list of votes", row_groups(source))
    else:
        raise InputError(
            f"the votes are {type(source).__name__}, but a path, an open file, a table or an "
            "iterable of rows was expected"
        )


def input_files(sources: Iterable[str | os.PathLike[str]]) -> list[Readable]:
    """The files that are read where these paths are given: wildcards and folders spelt out.

    Standard input, "-", is the number of its stream.
    """
    found: list[Readable] = []
    for source in sources:
        if str(source) == "-":
            found.append(_STDIN)
        elif os.path.isdir(source):
            found += run_files(Path(source)) or sample_files(Path(source))
        else:
            found += several_files(source) or [Path(source)]
    return found


# -- tables of pandas, polars and pyarrow ---------------------------------------------------------


class FrameSource(ValueSource):
    def __init__(self, frame: Any) -> None:
        self.label = "the table"
        self._frame = frame

    def header(self) -> list[str]:
        frame = self._frame
        names = frame.column_names if hasattr(frame, "column_names") else frame.columns
        return [str(name) for name in names]

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        header = self.header()
        places = {column: header.index(column) for column in columns}
        height = len(self._frame)
        for start in range(0, height, BATCH):
            part = _sliced(self._frame, start, min(BATCH, height - start))
            values = {column: _listed(part, place) for column, place in places.items()}
            yield Batch(values, {}, range(start + 1, min(start + BATCH, height) + 1))


def _is_frame(source: Any) -> bool:
    library = type(source).__module__.partition(".")[0]
    return (library, type(source).__name__) in {
        ("pandas", "DataFrame"),
        ("polars", "DataFrame"),
        ("polars", "LazyFrame"),
        ("pyarrow", "Table"),
        ("pyarrow", "RecordBatch"),
    }


def _sliced(frame: Any, start: int, size: int) -> Any:
    return frame.iloc[start : start + size] if hasattr(frame, "iloc") else frame.slice(start, size)


def _listed(frame: Any, place: int) -> list[Any]:
    if hasattr(frame, "iloc"):
        return list(frame.iloc[:, place].tolist())
    if hasattr(frame, "to_series"):
        return list(frame.to_series(place).to_list())
    return list(frame.column(place).to_pylist())


class LazySource(ValueSource):
    """A query of polars, such as the scan of a file, streamed."""

    def __init__(self, label: str, query: Any, *, of_file: bool = False) -> None:
        self.label = label
        self._query = query
        self._of_file = of_file  # and not of the user's own making

    def header(self) -> list[str]:
        with self._errors_in_words():
            names: list[str] = self._query.collect_schema().names()
        return names

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        rows = 0
        with self._errors_in_words():
            parts = iter(self._query.select(columns).collect_batches(chunk_size=BATCH))
        while True:
            with self._errors_in_words():
                part = next(parts, None)
                if part is None:
                    return
                values = {column: _distinct(part[column]) for column in columns}
            yield Batch(values, {}, range(rows + 1, rows + part.height + 1))
            rows += part.height

    @contextmanager
    def _errors_in_words(self) -> Iterator[None]:
        """Turn what polars says of a broken file into one sentence."""
        import polars as pl

        try:
            with _stderr_muted() if self._of_file else nullcontext():
                yield
        # A broken file can make polars panic, which is no Exception.
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            reason = str(error).strip().split("\n", 1)[0]
            raise FileError(f"{self.label} cannot be read as a table: {reason}") from error


@contextmanager
def _stderr_muted() -> Iterator[None]:
    """A block in which nothing gets through to the process's standard error.

    When polars panics over a broken file, it writes a backtrace there, past Python.
    """
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _distinct(column: Any) -> Sequence[Any] | Distinct:
    """The values of a polars column, each different one once where polars can tell."""
    import polars as pl

    if column.dtype.is_nested() or column.dtype == pl.Object:
        return list(column.to_list())
    values = column.unique(maintain_order=True)
    places = pl.Series(np.arange(len(values), dtype=np.int32))
    return Distinct(
        values.to_list(), column.replace_strict(values, places, return_dtype=pl.Int32).to_numpy()
    )


@contextmanager
def _parquet_source(log: ByteLog) -> Iterator[LazySource]:
    """The source of a Parquet file; one that comes as a stream is put on disk meanwhile."""
    try:
        import polars as pl
    except ImportError as error:
        raise MissingExtraError(
            "reading Parquet needs polars, which is not installed: pip install 'antichain[tables]'"
        ) from error

    with tempfile.TemporaryDirectory() as folder:
        path = log.path
        if path is None:
            path = Path(folder) / "table.parquet"
            _put_on_disk(log, path)
        yield LazySource(log.label, pl.scan_parquet(path, glob=False), of_file=True)


def _put_on_disk(log: ByteLog, path: Path) -> None:
    """Write the bytes of a log to a file, unless they are too many or no such table."""
    written = 0
    with open(path, "wb") as out:
        for block in log.blocks():
            if not written and not block.startswith(PARQUET):
                raise FileError(
                    f"{log.label} begins with {block[:8]!r}, but a Parquet table was expected"
                )
            written += out.write(block)
            if written > PACKED_TABLE_BYTES:
                raise FileError(
                    f"{log.label} unpacks to more than {megabytes(PACKED_TABLE_BYTES)}, but a "
                    "smaller table was expected (unpack it first: then it may be of any size)"
                )
