"""Preference matrices in text files: in row i and column j, the chance that i beats j."""

from __future__ import annotations

import math
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain._files import is_one_line, read_text
from antichain._limits import MATRIX_BYTES, MATRIX_ITEMS, megabytes
from antichain._option_names import call_on
from antichain._own_formats import read_by
from antichain._text import counted, refusal, short, shown
from antichain.errors import FileError, InputError
from antichain.sources._streams import refuse_workbook
from antichain.votes._read_options import checked_items

_NUMBER = re.compile(r"[+-]?(\d+(\.(?P<decimals>\d*))?|\.(?P<only>\d+))([eE][+-]?\d{1,3})?", re.A)
_BLANK = {"", "-", "nan", "na", "."}
_MOST_ROUNDED = 0.01  # what may be missing in a sum: more decides verdicts, whatever the decimals
_SLACK = 1e-9  # of sums of decimal fractions in binary


class PreferenceMatrix(NamedTuple):
    """Names, and the chance of the row's item to beat the column's; of a pair they add up to 1.

    Attributes:
        names: Of the items; item 1, item 2, … where the file has none.
        chances: The matrix, with ½ on the diagonal.
    """

    names: tuple[str, ...]
    chances: NDArray[np.float64]


class _Line(NamedTuple):
    number: int
    cells: list[str]


def read_matrix(path: str | Path, names: Sequence[str] | None = None) -> PreferenceMatrix:
    """Read a preference matrix from a text file or a NumPy array file (.npy, .npz).

    Cells are separated by commas, semicolons, tabs or spaces. The first line and the first column
    may hold names. Lines that begin with # are skipped. The diagonal is ½ or blank. The two chances
    of a pair must add up to 1, up to rounding: with two decimals or fewer, 0.01 may be missing, and
    is then shared between them. In a .npz file, an array of texts holds the names.

    Args:
        path: The file.
        names: The names of the items, to use instead of those in the file.

    Raises:
        FileError: The file does not hold such a matrix; the message names the line.
    """
    _checks.path("path", path, optional=False)
    names = names if names is None else checked_items("names", names, "names")
    try:
        array = _array(path)
        lines = _lines(path) if array is None else array
        with _told_of_votes(path, lines):
            found = _matrix_in(path, lines)
    except MemoryError as error:
        raise FileError(f"there is not enough memory to read the matrix in {path}") from error
    if names is None:
        return found
    if len(names) != len(found.names):
        raise FileError(
            f"{path} has {len(found.names)} items, but {len(names)} names were given (see --names)"
        )
    return found._replace(names=tuple(names))


@contextmanager
def told_of_matrix(source: Any) -> Iterator[None]:
    """Raise a FileError about votes that are a matrix, and not rows of votes, if that is so."""
    try:
        yield
    except InputError as error:
        if not _is_matrix(source):
            raise
        raise FileError(
            f"the votes are a square matrix of {len(source)} rows of numbers, but rows (left, "
            "right, answer) were expected (antichain.read_matrix reads a file with a matrix of "
            "chances, and antichain.likely_front takes a matrix of wins)"
        ) from error


def _is_matrix(source: Any) -> bool:
    """Whether this is a square of numbers with the same number all along the diagonal."""
    if not isinstance(source, Sequence | np.ndarray) or isinstance(source, str):
        return False
    try:
        array = np.array(source[: MATRIX_ITEMS + 1])
    except ValueError:  # rows of several lengths
        return False
    square = array.ndim == 2 and len({*array.shape}) == 1 and array.size > 0
    if not square or array.dtype.kind not in "biuf":
        return False
    diagonal = np.diagonal(array).astype(np.float64)
    return bool((diagonal == diagonal[0]).all() or np.isnan(diagonal).all())


@contextmanager
def _told_of_votes(path: str | Path, lines: list[_Line]) -> Iterator[None]:
    """Add to an error what reads votes, where lines look like them: named columns, and words."""
    try:
        yield
    except FileError as error:
        head, *body = (line.cells for line in lines[:2])
        words = sum(not _is_cell(cell) for row in body for cell in row)
        if words < 2 or all(_is_cell(cell) for cell in head):
            raise
        reader = call_on(path, "front", "front")
        raise FileError(f"{error} (if it is a list of votes: {reader})") from error


def _array(path: str | Path) -> list[_Line] | None:
    """The lines that an array of numpy would be as a text; None for a file of another sort."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(6)
        if start != b"\x93NUMPY" and not start.startswith(b"PK"):
            return None
        size = Path(path).stat().st_size
        if start.startswith(b"PK"):
            with zipfile.ZipFile(path) as archive:
                refuse_workbook(path, archive)
                size = sum(member.file_size for member in archive.infolist())
        if size > MATRIX_BYTES:
            raise FileError(
                f"{path} is larger than {megabytes(MATRIX_BYTES)}, but a matrix of at most "
                f"{MATRIX_ITEMS:,} items was expected"
            )
        loaded = np.load(path, allow_pickle=False)
        every = [loaded] if isinstance(loaded, np.ndarray) else [*loaded.values()]
        arrays = [array for array in every if isinstance(array, np.ndarray)]
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {path}: {refusal(error)}") from error
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        reason = str(error).split("\n")[0]
        raise FileError(f"{path} cannot be read as a NumPy array: {reason}") from error
    square = [a for a in arrays if a.ndim == 2 and a.dtype.kind in "fiu"]
    sides = {*square[0].shape} if len(square) == 1 else set()
    if len(sides) != 1 or not 2 <= max(sides) <= MATRIX_ITEMS:
        shapes = ", ".join(str(array.shape) for array in arrays)
        found = f"arrays of the shapes {shapes}" if arrays else "no arrays of numpy"
        raise FileError(
            f"{path} holds {found}, but one square matrix of numbers, of 2 to "
            f"{MATRIX_ITEMS:,} items, was expected"
        )
    rows = [[f"{value!r}" for value in row] for row in square[0].astype(np.float64).tolist()]
    texts = [a.astype(str).tolist() for a in arrays if a.ndim == 1 and a.dtype.kind in "US"]
    names = [_Line(0, [str(name).strip() for name in texts[0]])] if texts else []
    return [*names, *(_Line(n, row) for n, row in enumerate(rows, start=1))]


def _matrix_in(path: str | Path, lines: list[_Line]) -> PreferenceMatrix:
    names, body = _named(path, lines)
    if len(body) < 2:
        rows = counted(len(body), "row")
        raise FileError(f"{path} has {rows} of numbers, but at least two were expected")
    for line in body:
        if len(line.cells) != len(body):
            raise FileError(
                f"{path}, line {line.number} has {counted(len(line.cells), 'number')}, but "
                f"{len(body)} were expected, one for each row"
            )
    matrix = np.array([[_chance(path, line, k) for k in range(len(body))] for line in body])
    _check_diagonal(path, body, matrix)
    names = names or tuple(f"item {k + 1}" for k in range(len(body)))
    _check_sums(path, body, names, matrix)
    odd = np.abs(matrix + matrix.T - 1) > _SLACK
    matrix[odd] = np.round((matrix + 1 - matrix.T) / 2, 12)[odd]
    return PreferenceMatrix(names, matrix)


def _lines(path: str | Path) -> list[_Line]:
    text = read_text(Path(path), MATRIX_BYTES, f"a matrix of at most {MATRIX_ITEMS:,} items")
    if (known := read_by(path, text[:200])) is not None:
        raise FileError(f"{known}, but a preference matrix was expected")
    rows = []
    for n, row in enumerate(text.split("\n"), start=1):
        if row.strip() and not row.lstrip().startswith("#"):
            rows.append((n, row.rstrip("\r")))
            if len(rows) > MATRIX_ITEMS + 1:
                raise FileError(
                    f"{path}, line {n} is beyond the limit of {MATRIX_ITEMS + 1:,} rows, but a "
                    f"matrix of at most {MATRIX_ITEMS:,} items was expected"
                )
    if not rows:
        raise FileError(f"{path} is empty, but a preference matrix was expected")
    mark = next((mark for mark in ",;\t" if all(mark in row for _, row in rows)), None)
    lines = []
    for n, row in rows:
        cells = row.split(mark, MATRIX_ITEMS + 2)
        if len(cells) > MATRIX_ITEMS + 1:
            raise FileError(
                f"{path}, line {n} has more than {MATRIX_ITEMS + 1:,} cells, but a matrix of at "
                f"most {MATRIX_ITEMS:,} items was expected"
            )
        lines.append(_Line(n, [cell.strip().strip('"') for cell in cells]))
    return lines


def _named(path: str | Path, lines: list[_Line]) -> tuple[tuple[str, ...], list[_Line]]:
    """The names, if there are any, and the lines of numbers without them."""
    head, *body = lines
    is_header = any(not _is_cell(cell) for cell in head.cells[1:])
    # Names may be numbers: then there is a row more than there are columns.
    if is_header or (body and len(lines) == len(body[0].cells) + 1 == len(head.cells) + 1):
        above = head.cells
    else:
        above, body = [], lines
    beside: list[str] = []
    width = len(body)
    if body and (
        any(not _is_cell(line.cells[0]) for line in body)
        or (above and all(len(line.cells) == width + 1 for line in body))
    ):
        beside = [line.cells[0] for line in body]
        body = [_Line(line.number, line.cells[1:]) for line in body]
        if len(above) == len(beside) + 1:
            above = above[1:]
    if above and beside and above != beside:
        raise FileError(
            f"{path}, line {head.number} names the columns {short(', '.join(above), 100)!r} and "
            f"the rows are named {short(', '.join(beside), 100)!r}, but the same names were "
            "expected"
        )
    names = above or beside
    _check_names(path, head.number, names, len(body))
    return tuple(names), body


def _check_names(path: str | Path, line: int, names: Sequence[str], rows: int) -> None:
    if names and len(names) != rows:
        raise FileError(
            f"{path}, line {line} has {len(names)} names, but {rows} were expected, one for each "
            "row"
        )
    times = Counter(names)
    for name in names:
        if not is_one_line(name) or times[name] > 1:
            raise FileError(
                f"{path} has the name {name!a}, but different names, each on one line, were "
                "expected"
            )


def _is_cell(text: str) -> bool:
    return text.casefold() in _BLANK or _NUMBER.fullmatch(text) is not None


def _chance(path: str | Path, line: _Line, column: int) -> float:
    text = line.cells[column]
    if text.casefold() in _BLANK:
        return math.nan
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not 0 <= value <= 1:
        raise FileError(
            f"{path}, line {line.number} has {text[:40]!a} in column {column + 1}, but a chance "
            "from 0 to 1 was expected"
        )
    return value


def _check_diagonal(path: str | Path, body: Sequence[_Line], matrix: NDArray[np.float64]) -> None:
    diagonal = np.diagonal(matrix)
    for k in np.flatnonzero(~np.isnan(diagonal) & (diagonal != 0.5)).tolist():
        raise FileError(
            f"{path}, line {body[k].number} has {matrix[k, k]:g} on the diagonal, but 0.5 or "
            "nothing was expected"
        )
    np.fill_diagonal(matrix, 0.5)
    for i, j in np.argwhere(np.isnan(matrix)).tolist():
        raise FileError(
            f"{path}, line {body[i].number} has nothing in column {j + 1}, but a chance was "
            "expected (only the diagonal may be blank)"
        )


def _check_sums(
    path: str | Path, body: Sequence[_Line], names: Sequence[str], matrix: NDArray[np.float64]
) -> None:
    tolerance = _tolerance(body)
    for i, j in np.argwhere(np.abs(matrix + matrix.T - 1) > tolerance + _SLACK).tolist():
        one, other = shown(names[i]), shown(names[j])
        within = f" to within {tolerance:g}" if tolerance else ""
        raise FileError(
            f"{path}, lines {body[i].number} and {body[j].number} have {matrix[i, j]:g} for {one} "
            f"against {other} and {matrix[j, i]:g} for {other} against {one}, but two chances that "
            f"add up to 1{within} were expected (count a tie as half a win for each)"
        )


def _tolerance(body: Sequence[_Line]) -> float:
    """How far from 1 a sum may be, as both numbers may be rounded to their last decimal."""
    found = (_NUMBER.fullmatch(cell) for line in body for cell in line.cells)
    decimals = max((len(m["decimals"] or m["only"] or "") for m in found if m), default=0)
    return min(10.0**-decimals, _MOST_ROUNDED) if decimals else 0.0
