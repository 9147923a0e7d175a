"""Rows of a small CSV file, with the line each was on."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from antichain.errors import FileError


class Row(NamedTuple):
    """The values of the columns asked for, and where they stand."""

    where: str
    values: tuple[str, ...]


def read_rows(path: str | Path, columns: Sequence[str]) -> Iterator[Row]:
    """Each row's values of `columns`, from a CSV file whose first line names them."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            places = _places(path, next(reader, []), columns)
            for row in reader:
                if not any(value.strip() for value in row):
                    continue
                where = f"{path}, line {reader.line_num}"
                if len(row) <= max(places):
                    raise FileError(
                        f"{where} has {len(row)} fields, but at least {max(places) + 1} were "
                        "expected"
                    )
                yield Row(where, tuple(row[place].strip() for place in places))
    except csv.Error as error:
        raise FileError(f"{path}, line {reader.line_num} is not CSV: {error}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not UTF-8 text (byte {error.start} is not)") from error
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"cannot read {path}: {reason.lower()}") from error


def _places(path: str | Path, header: Sequence[str], columns: Sequence[str]) -> list[int]:
    names = [name.strip().casefold() for name in header]
    for column in columns:
        if names.count(column.casefold()) != 1:
            shown = ", ".join(name.strip() for name in header) or "nothing"
            raise FileError(
                f"{path} has the columns {shown} in its first line, but one named {column} was "
                "expected"
            )
    return [names.index(column.casefold()) for column in columns]
