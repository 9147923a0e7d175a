"""Bytes of a log from wherever they are: a path, standard input, an open file; packed or not."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from antichain.errors import FileError, InputError
from antichain.logs.duels.chunks import cut

BLOCK = 1 << 20
LONGEST = 16 << 20
"""Bytes a single row may have: more is a quote that nobody closed."""

_GZIP, _PARQUET, _ZIP = b"\x1f\x8b", b"PAR1", b"PK\x03\x04"
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 begins
_BOM = b"\xef\xbb\xbf"
_KINDS = {".csv": "csv", ".tsv": "csv", ".jsonl": "lines", ".ndjson": "lines",
          ".parquet": "parquet"}  # fmt: skip


class ByteLog:
    """The bytes of a log, from its start to its end, once.

    Attributes:
        label: Where they come from, as errors say it.
        path: The file, if it is one and not packed.
        kind: "csv", "lines", "json" or "parquet", by the name or else by how it begins.
        suffix: The end of the name that says what is in it.
    """

    def __init__(self, source: Any, kind: str | None = None, encoding: str | None = None) -> None:
        self.path: Path | None = None
        self.suffix = ""
        self._own: Any = None
        if isinstance(source, str | Path) and str(source) != "-":
            self.label, self.path = str(source), Path(source)
            with self._told():
                self._own = source = open(self.path, "rb")  # noqa: SIM115 (see `close`)
            suffixes = [suffix.lower() for suffix in self.path.suffixes if suffix.lower() != ".gz"]
            self.suffix = suffixes[-1] if suffixes else ""
        elif isinstance(source, str | Path):
            self.label, source = "standard input", getattr(sys.stdin, "buffer", sys.stdin)
        else:
            name = getattr(source, "name", None)
            self.label = name if isinstance(name, str) else "the open file"
        self._stream = self._begun(source)
        start = self._start(8)
        if start.startswith(_GZIP):
            self.path = None
            self._stream = io.BufferedReader(gzip.GzipFile(fileobj=self._stream), BLOCK)
            start = self._start(8)
        if encoding is not None and not start.startswith(_PARQUET):
            self.path = None
            self._stream = self._begun(codecs.getreader(encoding)(self._stream))
            start = self._start(8)
        self.kind = kind or _KINDS.get(self.suffix) or self._kind_by_start(start)

    def _begun(self, source: Any, ahead: bytes = b"") -> io.BufferedReader:
        return io.BufferedReader(_Raw(source, ahead), BLOCK)

    def _start(self, size: int) -> bytes:
        """The first bytes, which stay unread."""
        with self._told():
            start = self._stream.read(size)
        self._stream = self._begun(self._stream, start)
        return start

    def _kind_by_start(self, start: bytes) -> str:
        if start.startswith(_PARQUET):
            return "parquet"
        if start.startswith(_ZIP):
            raise FileError(f"{self.label} is a zip archive, but an unpacked log was expected")
        begin = start.removeprefix(_BOM).lstrip()[:1]
        return {b"{": "lines", b"[": "json"}.get(begin, "csv")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Nothing; what can go wrong while reading is told in one sentence."""
        try:
            yield
        except InputError:
            raise
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise FileError(
                f"{self.label} is no whole gz file ({str(error).lower()}); it may be cut off"
            ) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise FileError(f"cannot read {self.label}: {reason.lower()}") from error

    def blocks(self) -> Iterator[bytes]:
        """The bytes, a block at a time, without a mark of their order in front."""
        first = True
        while True:
            with self._told():
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
        """Let go of a file that was opened here."""
        if self._own is not None:
            self._own.close()


class _Raw(io.RawIOBase):
    """Anything with a `read`, as raw bytes, after bytes that were read ahead."""

    def __init__(self, source: Any, ahead: bytes) -> None:
        self._source = source
        self._ahead = ahead

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """How many bytes were put into `buffer`."""
        if not self._ahead:
            data = self._source.read(len(buffer))
            if isinstance(data, str):
                # Halves of surrogate pairs become bytes that are no UTF-8, to be told of.
                data = data.encode("utf-8", "surrogatepass")
            elif data is not None and not isinstance(data, bytes | bytearray):
                raise InputError(
                    f"an open file gave {type(data).__name__}, but text or bytes were expected"
                )
            self._ahead = bytes(data or b"")
        given = min(len(buffer), len(self._ahead))
        buffer[:given] = self._ahead[:given]
        self._ahead = self._ahead[given:]
        return given
