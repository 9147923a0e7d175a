"""The bytes of a log, wherever they are: a path, standard input, an open file; packed or not."""

from __future__ import annotations

import codecs
import gzip
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from antichain.errors import FileError, InputError
from antichain.sources.archives import only_table, open_archive
from antichain.sources.chunks import cut

BLOCK = 1 << 20
LONGEST = 16 << 20
"""Bytes that a single row may have; a longer one is taken for a quote that is never closed."""

_GZIP, _PARQUET, _ZIP = b"\x1f\x8b", b"PAR1", b"PK\x03\x04"
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 begins
_BOM = b"\xef\xbb\xbf"
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
        self._opened = ExitStack()
        if isinstance(source, str | Path) and str(source) != "-":
            source = self._open(Path(source), member)
        elif isinstance(source, str | Path):
            self.label, source = "standard input", getattr(sys.stdin, "buffer", sys.stdin)
        else:
            name = getattr(source, "name", None)
            self.label = name if isinstance(name, str) else "the open file"
        self._stream = _Stream(source)
        start = self._start()
        if start.startswith(_GZIP):
            self.path = None
            packed: Any = self._stream
            self._stream = _Stream(gzip.GzipFile(fileobj=packed))
            start = self._start()
        if encoding is not None and not start.startswith(_PARQUET):
            self.path = None
            coded: Any = self._stream
            self._stream = _Stream(codecs.getreader(encoding)(coded))
            start = self._start()
        self.kind = kind or _KINDS.get(self.suffix) or self._kind_by_start(start)

    def _open(self, path: Path, member: str | None) -> Any:
        """The open file at a path, or the member of the archive there."""
        self.label, self.path = str(path), path
        with self._errors_in_words():
            stream: Any = self._opened.enter_context(open(path, "rb"))  # noqa: SIM115
        names = [path.name]
        if member is not None or path.suffix.lower() == ".zip" or stream.peek(4)[:4] == _ZIP:
            if member is None:
                member = only_table(path, _KINDS)
            else:
                self.label = str(path / member)
            self.path, self._packing = None, "zip"
            archive = self._opened.enter_context(open_archive(path))
            stream = self._opened.enter_context(archive.open(member))
            names.append(member)
        suffixes = [end.lower() for name in names for end in PurePosixPath(name).suffixes]
        known = [suffix for suffix in suffixes if suffix not in (".gz", ".zip")]
        self.suffix = known[-1] if known else ""
        return stream

    def _start(self) -> bytes:
        """The first bytes, which stay unread."""
        with self._errors_in_words():
            return self._stream.peek(8)

    def _kind_by_start(self, start: bytes) -> str:
        if start.startswith(_PARQUET):
            return "parquet"
        if start.startswith(_ZIP):
            raise FileError(
                f"{self.label} is a zip archive, but its path was expected, or an unpacked log"
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
        except (zlib.error, EOFError, gzip.BadGzipFile, zipfile.BadZipFile) as error:
            raise FileError(
                f"{self.label} is no whole {self._packing} file ({str(error).lower()}); it may be "
                "cut off, so fetch it again"
            ) from error
        except (OSError, ValueError, NotImplementedError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise FileError(f"cannot read {self.label}: {reason.lower()}") from error

    def blocks(self) -> Iterator[bytes]:
        """The bytes, a block at a time, without a byte order mark in front."""
        first = True
        while True:
            with self._errors_in_words():
                block = self._stream.read(BLOCK)
            if first:
                if block.startswith(_WIDE):
                    raise FileError(
                        f"{self.label} is in UTF-16, but UTF-8 was expected (or say --encoding "
                        "utf-16)"
                    )
                block, first = block.removeprefix(_BOM), False
            if not block:
                return
            yield block

    def lines(self) -> Iterator[bytes]:
        """The lines, without their newlines."""
        rest, number = b"", 0
        for block in self.blocks():
            *whole, rest = (rest + block).split(b"\n")
            number += len(whole)
            yield from whole
            if len(rest) > LONGEST:
                raise FileError(
                    f"{self.label}, line {number + 1} is longer than {LONGEST:,} bytes, but a row "
                    f"was expected (it begins with {cut(rest[:30])})"
                )
        if rest:
            yield rest

    def close(self) -> None:
        """Close what was opened here."""
        self._opened.close()


class FileSpan:
    """The lines of a file that start between two of its bytes, as an open file."""

    def __init__(self, path: Path, begin: int, end: int) -> None:
        self.name = str(path)
        self._file = open(path, "rb")  # noqa: SIM115 (see `close`)
        if begin:
            # The line across the edge belongs to the span before.
            self._file.seek(begin - 1)
            self._file.readline()
        self._left = end - self._file.tell()

    def read(self, size: int) -> bytes:
        """The next bytes, and after the last ones the rest of their line."""
        if self._left <= 0:
            return b""
        data = self._file.read(min(size, self._left))
        self._left = self._left - len(data) if data else 0
        if self._left == 0 and not data.endswith(b"\n"):
            data += self._file.readline()
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _Stream:
    """The bytes of anything with a `read`, the first of which can be looked at beforehand."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """The next bytes, which stay unread."""
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
