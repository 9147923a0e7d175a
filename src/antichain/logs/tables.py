"""Ratings in any table: CSV, TSV, JSON lines or Parquet, as they are or packed (.gz, .zip).

Tables are read by polars, batch by batch. Only when something is wrong is the file read once
more, line by line, to say where.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TextIO

import numpy as np

from antichain.errors import FileError, MissingExtraError
from antichain.logs.archives import check_unlocked, members, open_archive
from antichain.logs.ids import TextIds
from antichain.logs.log import KEEP_ROWS, Chunk, RatingLog

if TYPE_CHECKING:
    import polars as pl

_BATCH = 1 << 18
_NOT_UTF_8 = re.compile("[\udc80-\udcff]+")  # what surrogateescape makes of other bytes
_KINDS = {".csv": "csv", ".tsv": "csv", ".txt": "csv", ".jsonl": "lines", ".ndjson": "lines",
          ".parquet": "parquet"}  # fmt: skip


class Columns(NamedTuple):
    """The names of the three columns."""

    user: str = "user"
    item: str = "item"
    rating: str = "rating"


class TableLog(RatingLog):
    """Ratings in three columns of a table.

    Of a CSV file, empty lines are passed, and spaces around names and values do not count.

    Args:
        path: The file; its name says what it is (.csv, .tsv, .jsonl, .parquet; then .gz or .zip).
        columns: Which columns hold what.
        delimiter: Between the fields of a CSV file; by default a comma, in .tsv a tab.
    """

    users: TextIds
    items: TextIds

    def __init__(
        self,
        path: str | Path,
        columns: Columns | None = None,
        delimiter: str | None = None,
        keep_rows: int = KEEP_ROWS,
    ) -> None:
        super().__init__(str(path), keep_rows)
        self.path = Path(path)
        self.columns = columns or Columns()
        self.kind, self.packing, suffix = _kind_of(self.path)
        if self.kind == "csv":
            self.columns = Columns(*(name.strip() for name in self.columns))
        self.delimiter = delimiter or ("\t" if suffix == ".tsv" else ",")
        if len(self.delimiter.encode()) != 1:
            raise FileError(f"the delimiter is {delimiter!r}, and a single character was expected")
        self.users = TextIds()
        self.items = TextIds()

    def read(self) -> Iterator[Chunk]:
        """The rows, some hundred thousand at a time."""
        require_polars()
        import polars as pl

        with tempfile.TemporaryDirectory() as folder:
            plain = self._unpacked(Path(folder))
            rows, passed = 0, 0
            try:
                for batch in self._frame(plain).collect_batches(chunk_size=_BATCH):
                    filled = batch.filter(~pl.col("blank"))
                    passed += batch.height - filled.height
                    if filled.height:
                        yield self._chunk(filled, rows, plain)
                        rows += filled.height
                if passed:
                    self._check_passed(plain)
            except pl.exceptions.PolarsError as error:
                self._explain(plain, str(error))
        if rows == 0:
            raise FileError(f"{self.label} has no rows, and ratings were expected")

    def _frame(self, plain: Path) -> pl.LazyFrame:
        """Users and items as texts, ratings as numbers or null, and whether all are missing."""
        import polars as pl

        frame, names = self._scan(plain)
        user, item, rating = (pl.col(name) for name in names)
        blank = pl.lit(False)
        if self.kind == "csv":
            user, item, rating = (column.str.strip_chars() for column in (user, item, rating))
            blank = pl.all_horizontal(text.fill_null("") == "" for text in (user, item, rating))
        return frame.select(
            user.cast(pl.String).alias("user"),
            item.cast(pl.String).alias("item"),
            rating.cast(pl.Float64, strict=False).alias("rating"),
            blank.alias("blank"),
        )

    def _scan(self, plain: Path) -> tuple[pl.LazyFrame, list[str]]:
        """The whole table, and what polars calls the columns of users, items and ratings."""
        import polars as pl

        if self.kind == "csv":
            frame = pl.scan_csv(plain, separator=self.delimiter, infer_schema=False, glob=False)
        elif self.kind == "lines":
            frame = pl.scan_ndjson(plain, infer_schema_length=None)
        else:
            frame = pl.scan_parquet(plain, glob=False)
        known = frame.collect_schema().names()
        # Polars renames what stands twice in a header, so that the header is looked at as it is.
        header = self._header(plain) if self.kind == "csv" else known
        for column in self.columns:
            if header.count(column) != 1:
                wrong = "exactly one" if column in header else "a"
                raise FileError(
                    f"{self.label} has the columns {', '.join(header)[:200]}, and {wrong} column "
                    f"{column!r} was expected (see --user, --item, --rating and --delimiter)"
                )
        return frame, [known[header.index(column)] for column in self.columns]

    def _check_passed(self, plain: Path) -> None:
        """Raise about a row passed as empty that has something in another column."""
        import polars as pl

        frame, names = self._scan(plain)
        empty = pl.all().fill_null("").str.strip_chars() == ""
        empty_here = pl.col(names).fill_null("").str.strip_chars() == ""
        odd = frame.filter(pl.all_horizontal(empty_here) & ~pl.all_horizontal(empty)).head(1)
        if odd.collect(engine="streaming").height:
            self._explain(plain, "a row has neither user nor item nor rating")

    def _chunk(self, batch: pl.DataFrame, rows_before: int, plain: Path) -> Chunk:
        ratings = batch["rating"].fill_null(np.nan).to_numpy()
        missing = (batch["user"].fill_null("") == "") | (batch["item"].fill_null("") == "")
        bad = np.flatnonzero(~np.isfinite(ratings) | missing.to_numpy())
        if bad.size:
            row = rows_before + int(bad[0])
            self._explain(plain, f"row {row + 1} is no rating", row)
        coded = self._codes(batch["user"], self.users), self._codes(batch["item"], self.items)
        return Chunk(*coded, np.array(ratings, np.float64))

    def _codes(self, texts: pl.Series, ids: TextIds) -> Any:
        import polars as pl

        distinct = texts.unique(maintain_order=True)
        codes = pl.Series(ids.codes(distinct.to_list()), dtype=pl.Int32)
        return texts.replace_strict(distinct, codes, return_dtype=pl.Int32).to_numpy()

    def _unpacked(self, folder: Path) -> Path:
        """The table as a plain file: itself, or unpacked into `folder`."""
        if not self.path.is_file():
            raise FileError(f"there is no file {self.path}, and a table of ratings was expected")
        if not self.packing:
            return self.path
        plain = folder / "table"
        try:
            if self.packing == ".gz":
                with gzip.open(self.path) as packed, open(plain, "wb") as out:
                    shutil.copyfileobj(packed, out)
                return plain
            with open_archive(self.path) as archive:
                name = _only_table(self.path, archive)
                with archive.open(name) as packed, open(plain, "wb") as out:
                    shutil.copyfileobj(packed, out)
            return plain
        except (gzip.BadGzipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise FileError(
                f"{self.path} is no whole {self.packing[1:]} file ({error}), and a packed table "
                "was expected"
            ) from error

    def _explain(self, plain: Path, reason: str, bad_row: int | None = None) -> NoReturn:
        """Raise about the first row that is no rating, with its line; or with the reason.

        `bad_row` is the one polars takes no number from; Python might (as from '1_000').
        """
        import polars as pl

        try:
            for n, (where, values) in enumerate(self._rows(plain)):
                self._check_row(where, values, is_bad=n == bad_row)
        except FileError:
            raise
        except (ValueError, csv.Error) as error:
            raise FileError(f"{self.label} cannot be read: {error}") from error
        except pl.exceptions.PolarsError as error:
            reason = str(error)
        first_line = reason.strip().split("\n", 1)[0]
        raise FileError(f"{self.label} cannot be read as a table of ratings: {first_line}")

    def _check_row(self, where: str, values: dict[str, Any], is_bad: bool) -> None:
        self._check_text(where, "".join(map(str, values.values())))
        for column in self.columns:
            value = values.get(column)
            if value is None or value == "":
                raise FileError(f"{self.label}, {where} has no {column}, and one was expected")
        rating = values[self.columns.rating]
        try:
            good = np.isfinite(float(rating)) and not is_bad
        except (TypeError, ValueError):
            good = False
        if not good:
            raise FileError(
                f"{self.label}, {where} has the {self.columns.rating} {str(rating)[:60]!r}, and a "
                "number was expected"
            )

    def _check_text(self, where: str, text: str) -> None:
        found = _NOT_UTF_8.search(text)
        if found is not None:
            raw = found[0].encode("utf-8", "surrogateescape")
            raise FileError(f"{self.label}, {where} has the bytes {raw!r}, and UTF-8 was expected")

    def _rows(self, plain: Path) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every row with its place, read slowly."""
        if self.kind == "parquet":
            import polars as pl

            for n, row in enumerate(pl.read_parquet(plain).iter_rows(named=True), start=1):
                yield f"row {n}", row
            return
        if self.kind == "csv":
            yield from self._csv_rows(plain)
            return
        with _text_of(plain) as stream:
            for n, line in enumerate(stream, start=1):
                if line.strip():
                    yield f"line {n}", _parsed(n, line)

    def _header(self, plain: Path) -> list[str]:
        """The names of a CSV file's columns."""
        number, header = next(self._fields(plain), (1, []))
        self._check_text(f"line {number}", "".join(header))
        return header

    def _csv_rows(self, plain: Path) -> Iterator[tuple[str, dict[str, Any]]]:
        fields = self._fields(plain)
        _, header = next(fields, (1, []))
        for number, row in fields:
            if len(row) > len(header):
                raise FileError(
                    f"{self.label}, line {number} has {len(row)} fields, and "
                    f"{len(header)} as in the header were expected"
                )
            # A row may end early, as polars allows; what is missing then is told if it is needed.
            yield f"line {number}", dict(zip(header, row, strict=False))

    def _fields(self, plain: Path) -> Iterator[tuple[int, list[str]]]:
        """The rows of a CSV file that are not empty, the header first, each with its line."""
        with _text_of(plain) as stream:
            reader = csv.reader(stream, delimiter=self.delimiter)
            for row in reader:
                values = [value.strip() for value in row]
                if any(values):
                    yield reader.line_num, values

    def places(self, user: object, item: object) -> list[str]:
        """The lines (of a Parquet file: rows) of that user and item."""
        with tempfile.TemporaryDirectory() as folder:
            rows = self._rows(self._unpacked(Path(folder)))
            wanted = str(user), str(item)
            columns = self.columns
            return [
                where
                for where, row in rows
                if (str(row.get(columns.user)), str(row.get(columns.item))) == wanted
            ]


def require_polars() -> None:
    """Nothing, or a MissingExtraError that says how to install what tables need."""
    try:
        import polars  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "reading tables needs polars, which is not installed: pip install 'antichain[tables]'"
        ) from error


def _kind_of(path: Path) -> tuple[str, str, str]:
    """What sort of table a file is, how it is packed ('' if not), and the suffix that says so."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packing = suffixes.pop() if suffixes and suffixes[-1] in (".gz", ".zip") else ""
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in _KINDS and packing == ".zip" and path.is_file():
        with open_archive(path) as archive:
            suffix = Path(_only_table(path, archive)).suffix.lower()
    if suffix not in _KINDS:
        raise FileError(
            f"{path} is of no kind that is known by its name: {', '.join(_KINDS)} was expected, "
            "with .gz or .zip after it if it is packed"
        )
    return _KINDS[suffix], packing, suffix


def _only_table(path: Path, archive: zipfile.ZipFile) -> str:
    """The one table in an archive; a text is one only where there is nothing else."""
    names = [name for name in members(archive) if Path(name).suffix.lower() in _KINDS]
    names = [name for name in names if not name.lower().endswith(".txt")] or names
    if len(names) != 1:
        raise FileError(f"{path} holds {len(names)} tables, and exactly one was expected")
    check_unlocked(path, archive, names[0])
    return names[0]


def _text_of(plain: Path) -> TextIO:
    # Bytes that are not UTF-8 are let through here, to be told with their line.
    return open(plain, encoding="utf-8-sig", errors="surrogateescape", newline="")


def _parsed(number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise ValueError(f"line {number} is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise ValueError(f"line {number} is {line[:40]!r}, and a JSON object was expected")
    return value
