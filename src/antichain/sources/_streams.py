"""The bytes of a log, wherever they are: a path, standard input, an open file; packed or not."""

from __future__ import annotations

import codecs
import gzip
import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from antichain._limits import EMPTY_LINES, ROW_BYTES
from antichain._no_texts import ARRAY, DATABASE, GZIP, NOT_TABLES, PARQUET, WIDE, ZIP
from antichain._option_names import call_on
from antichain._own_formats import read_by
from antichain._text import as_argument, refusal
from antichain.errors import FileError, InputError
from antichain.sources._chunks import cut

BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_LOCKED = 0x1  # the bit of a member's flags that says it is encrypted
_KINDS = {".csv": "csv", ".tsv": "csv", ".jsonl": "lines", ".ndjson": "lines",
          ".parquet": "parquet"}  # fmt: skip


class ByteLog:
    """The bytes of a log, from its start to its end, once.

    Args:
        source: A path, "-" for standard input, or an open file; packed as gz or not. A zip
            archive is read from a path only.
        kind: What is in it, if neither its name nor its beginning says so.
        encoding: The encoding of a text that is not UTF-8.
        member: The file to read in a zip archive; by default the only table in it.

    Attributes:
        label: Where the bytes come from, as errors name it.
        path: The file, unless it is packed or recoded.
        kind: "csv", "lines", "json" or "parquet", by the name or else by how the log begins.
        suffix: The end of the name that says what is in it.
    """

    def __init__(
        self,
        source: Any,
        kind: str | None = None,
        encoding: str | None = None,
        member: str | None = None,
    ) -> None:
        self.path: Path | None = None
        self.suffix = ""
        self._packing = "zip" if member else "gz"
        # Whatever fails here must not leave a file open, as nobody could close it.
        with ExitStack() as self._opened:
            if isinstance(source, str | Path) and str(source) != "-":
                source = self._open(Path(source), member)
            elif isinstance(source, str | Path):
                self.label, source = "standard input", getattr(sys.stdin, "buffer", sys.stdin)
            else:
                name = getattr(source, "name", None)
                self.label = name if isinstance(name, str) else "the open file"
            self._stream = _Stream(source)
            start = self._start()
            if start.startswith(GZIP):
                start = self._through(lambda packed: gzip.GzipFile(fileobj=packed))
            if encoding is not None and not start.startswith(PARQUET):
                start = self._through(codecs.getreader(encoding))
            self.kind = kind or _KINDS.get(self.suffix) or self._kind_by_start(start)
            self._opened = self._opened.pop_all()

    def _through(self, reader: Callable[[Any], Any]) -> bytes:
        """Read what a reader makes of the bytes from now on; returns the first of that."""
        self.path, self._stream = None, _Stream(reader(self._stream))
        return self._start()

    def _open(self, path: Path, member: str | None) -> Any:
        """The open file at a path, or the member of the archive there."""
        self.label, self.path = str(path), path
        with self._errors_in_words():
            stream: Any = self._opened.enter_context(open(path, "rb"))  # noqa: SIM115
            begin = stream.peek(4)[:4]
        names = [path.name]
        if member is not None or path.suffix.lower() == ".zip" or begin == ZIP:
            if member is None:
                member = _only_table(path)
            else:
                self.label = str(path / member)
            self.path, self._packing = None, "zip"
            archive = self._opened.enter_context(open_archive(path))
            stream = self._opened.enter_context(archive.open(member))
            names.append(member)
        self.suffix = _suffix(names)
        return stream

    def _start(self) -> bytes:
        """The first bytes, which stay unread."""
        with self._errors_in_words():
            return self._stream.peek(8)

    def refuse_others(self) -> None:
        """Raise about a file that something else reads: one of our own, or an array of numpy."""
        with self._errors_in_words():
            start = self._stream.peek(200)
        if start.startswith(ARRAY):
            raise FileError(
                f"{self.label} is a NumPy array, but a table was expected (a matrix of chances "
                f"is read by: {call_on(self.label, 'read_matrix', 'matrix')})"
            )
        known = read_by(self.label, start.removeprefix(_BOM).decode("utf-8", "replace"))
        if known is not None:
            raise FileError(f"{known}, but a table with rows was expected")

    def _kind_by_start(self, start: bytes) -> str:
        if start.startswith(PARQUET):
            return "parquet"
        if start.startswith(ZIP):
            raise FileError(
                f"{self.label} is a zip archive, but an unpacked log or the path of the archive "
                "was expected"
            )
        begin = start.removeprefix(_BOM).lstrip()[:1]
        return {b"{": "lines", b"[": "json"}.get(begin, "csv")

    @contextmanager
    def _errors_in_words(self) -> Iterator[None]:
        """Turn what can go wrong while reading into one sentence."""
        try:
            yield
        except InputError:
            raise
        except (
            zlib.error,
            lzma.LZMAError,
            EOFError,
            gzip.BadGzipFile,
            zipfile.BadZipFile,
        ) as error:
            raise FileError(
                f"{self.label} is not a complete {self._packing} file ({str(error).lower()}); it "
                "may be cut off, so fetch it again"
            ) from error
        except (OSError, ValueError, NotImplementedError) as error:
            raise FileError(f"cannot read {self.label}: {refusal(error)}") from error

    def blocks(self) -> Iterator[bytes]:
        """The bytes, a block at a time, without a byte order mark in front."""
        first = True
        while True:
            with self._errors_in_words():
                block = self._stream.read(BLOCK)
            if first:
                for start, encoding in WIDE.items():
                    if block.startswith(start):
                        raise FileError(
                            f"{self.label} is in {encoding}, but UTF-8 was expected (save it as "
                            f"UTF-8 or, where you give other options for reading files, give "
                            f"--encoding {encoding.lower()})"
                        )
                for start, what in NOT_TABLES.items():
                    if block.startswith(start):
                        raise FileError(
                            f"{self.label} is {what}, but a table was expected (as CSV, JSON or "
                            f"Parquet{self._leading_on(start)})"
                        )
                block, first = block.removeprefix(_BOM), False
            if not block:
                return
            yield block

    def _leading_on(self, start: bytes) -> str:
        """What makes a table of a file that begins so, if antichain does."""
        if start != DATABASE:
            return ""
        export = f"antichain study {as_argument(self.label)} --export votes.csv"
        return f"; the votes of a served study are written by: {export}"

    def lines(self) -> Iterator[list[bytes]]:
        """The lines without their newlines, some at a time."""
        rest, number = b"", 0
        for block in self.blocks():
            *whole, rest = (rest + block).split(b"\n")
            number += len(whole)
            yield whole
            if len(rest) > ROW_BYTES:
                start = cut(rest[:30].decode("utf-8", "replace"))
                raise FileError(
                    f"{self.label}, line {number + 1} is longer than {ROW_BYTES:,} bytes, but a "
                    f"row was expected (it begins with {start})"
                )
        if rest:
            yield [rest]

    def check_empty(self, empty: int) -> None:
        """Raise if there are too many empty lines in a row."""
        if empty > EMPTY_LINES:
            raise FileError(
                f"{self.label} has more than {EMPTY_LINES:,} empty lines in a row, but rows were "
                "expected"
            )

    def close(self) -> None:
        self._opened.close()


class _Stream:
    """The bytes of anything with a `read`, the first of which can be looked at beforehand."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        while len(self._ahead) < size:
            more = self._next(size - len(self._ahead))
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most `size`; no bytes at the end."""
        ahead, self._ahead = self._ahead, b""
        if 0 <= size <= len(ahead):
            self._ahead = ahead[size:]
            return ahead[:size]
        more = self._next(size - len(ahead) if size >= 0 else size)
        return ahead + more if ahead else more

    def _next(self, size: int) -> bytes:
        data = self._source.read(size)
        if isinstance(data, str):
            # Halves of surrogate pairs become bytes that are no UTF-8, to be reported.
            data = data.encode("utf-8", "surrogatepass")
        elif data is not None and not isinstance(data, bytes | bytearray):
            raise InputError(
                f"an open file gave {type(data).__name__}, but text or bytes were expected"
            )
        return bytes(data or b"")


# -- zip archives as users have them: whole, cut off, locked, or no archive at all ----------------


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip archive; whatever is wrong with it is said in one sentence."""
    try:
        # Of a device or a pipe, zipfile would look for the end, which there may never be.
        if not path.is_file():
            raise FileError(f"{path} is not a regular file, but a zip archive was expected")
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        NotImplementedError,
    ) as error:
        with open(path, "rb") as stream:
            start = stream.read(8)
        if not start.startswith(b"PK"):
            raise FileError(
                f"{path} begins with {start!r} and is not a zip archive, but one was expected"
            ) from error
        raise FileError(
            f"{path} is not a complete zip archive ({error}); it may be cut off, so fetch it again"
        ) from error
    except OSError as error:
        raise FileError(f"cannot read {path}: {refusal(error)}") from error


def refuse_workbook(path: str | Path, archive: zipfile.ZipFile) -> None:
    """Raise a FileError about an archive that is a workbook of Excel."""
    if any(name.startswith("xl/") for name in archive.namelist()):
        raise FileError(
            f"{path} is an Excel workbook, but a table as text was expected: save the sheet as "
            "CSV, and read that file"
        )


def members(archive: zipfile.ZipFile) -> list[str]:
    """The files in an archive, without what macOS adds."""
    return [name for name in archive.namelist() if not name.startswith("__MACOSX/")]


def check_unlocked(path: Path, archive: zipfile.ZipFile, name: str) -> None:
    """Raise a FileError about a member that needs a password."""
    if archive.getinfo(name).flag_bits & _LOCKED:
        raise FileError(
            f"{path} holds {name} behind a password, but an archive without one was expected"
        )


def _only_table(path: Path) -> str:
    """The one table in an archive; a .txt or .json is one only where there is no other table."""
    with open_archive(path) as archive:
        every = [(name, _suffix([name])) for name in members(archive)]
        found = [name for name, suffix in every if suffix in _KINDS]
        found = found or [name for name, suffix in every if suffix in (".json", ".txt")]
        if len(found) != 1:
            refuse_workbook(path, archive)
            arrays = any(suffix == ".npy" for _, suffix in every)
            reader = call_on(path, "read_matrix", "matrix")
            hint = f" (NumPy arrays are read by: {reader})" if arrays else ""
            raise FileError(f"{path} holds {len(found)} tables, but exactly one was expected{hint}")
        check_unlocked(path, archive, found[0])
        return found[0]


def _suffix(names: Iterable[str]) -> str:
    """The end of the names that says what is in a file, behind those that say how it is packed."""
    suffixes = [end.lower() for name in names for end in PurePosixPath(name).suffixes]
    known = [suffix for suffix in suffixes if suffix not in (".gz", ".zip")]
    return known[-1] if known else ""
