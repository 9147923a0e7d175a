"""Tables: Parquet files, and pandas, polars and pyarrow tables in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from antichain.errors import FileError, MissingExtraError
from antichain.sources.streams import ByteLog
from antichain.sources.values import BATCH, Batch, Distinct, ValueSource


class FrameSource(ValueSource):
    """A table in memory, of whichever library."""

    def __init__(self, frame: Any) -> None:
        self.label = "the table"
        self._frame = frame

    def header(self) -> list[str]:
        """The names of its columns."""
        frame = self._frame
        names = frame.column_names if hasattr(frame, "column_names") else frame.columns
        return [str(name) for name in names]

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows, as lists of values."""
        header = self.header()
        places = {column: header.index(column) for column in columns}
        height = len(self._frame)
        for start in range(0, height, BATCH):
            part = _sliced(self._frame, start, min(BATCH, height - start))
            values = {column: _listed(part, place) for column, place in places.items()}
            yield Batch(values, {}, range(start + 1, min(start + BATCH, height) + 1))


def is_frame(source: Any) -> bool:
    """Whether `source` is a table of pandas, polars or pyarrow."""
    library = type(source).__module__.partition(".")[0]
    return (library, type(source).__name__) in {
        ("pandas", "DataFrame"),
        ("polars", "DataFrame"),
        ("polars", "LazyFrame"),
        ("pyarrow", "Table"),
        ("pyarrow", "RecordBatch"),
    }


def frame_source(source: Any) -> ValueSource:
    """The source of a table in memory, or of a polars query."""
    if type(source).__name__ == "LazyFrame":
        return LazySource("the query", source)
    return FrameSource(source)


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

    def __init__(self, label: str, query: Any) -> None:
        self.label = label
        self._query = query

    def header(self) -> list[str]:
        """The names of its columns."""
        with self._errors_in_words():
            names: list[str] = self._query.collect_schema().names()
        return names

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows, as the query yields them."""
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
            yield
        # A broken file can make polars panic, which is no Exception.
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            reason = str(error).strip().split("\n", 1)[0]
            raise FileError(f"{self.label} cannot be read as a table: {reason}") from error


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
def parquet_source(log: ByteLog) -> Iterator[LazySource]:
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
            with open(path, "wb") as out:
                for block in log.blocks():
                    out.write(block)
        yield LazySource(log.label, pl.scan_parquet(path, glob=False))
