"""Lines of a study's file: JSON with a checksum that chains each line to those before it.

A line that was changed, lost, doubled or moved breaks the chain, and is found by its number.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from antichain.errors import FileError

FORMAT = "antichain-study"
VERSION = 1

Line = dict[str, Any]
_START = f'{{"format":"{FORMAT}"'.encode()
_TAIL = len(',"crc":"01234567"}')


def encode(line: Mapping[str, Any], before: int) -> tuple[bytes, int]:
    """A line as bytes, and its checksum, given the checksum of the line before it."""
    body = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    checksum = zlib.crc32(body, before)
    return body[:-1] + f',"crc":"{checksum:08x}"}}\n'.encode(), checksum


def decode(raw: bytes, before: int) -> tuple[Line, int]:
    """A line and its checksum; a ValueError says what is wrong with it."""
    body = raw[:-_TAIL] + b"}"
    checksum = zlib.crc32(body, before)
    if raw[-_TAIL:] != f',"crc":"{checksum:08x}"}}'.encode():
        raise ValueError("it does not fit its checksum and the lines before it")
    line = json.loads(body)
    if not isinstance(line, dict):
        raise ValueError("it is no JSON object")
    return line, checksum


@dataclass(frozen=True)
class Content:
    """What a study's file holds.

    Attributes:
        header: The first line, or None where nobody got so far as to write it.
        lines: The others; the first of them is line 2 of the file.
        checksum: Of the last line.
        whole: How many bytes the whole lines take.
        torn: How many bytes follow that are no whole line.
    """

    header: Line | None
    lines: list[Line]
    checksum: int
    whole: int
    torn: int


def parse(content: bytes, path: Path) -> Content:
    """What a file holds; a torn last line is left out, any other damage is an error."""
    whole = content.rfind(b"\n") + 1
    raws = content[:whole].split(b"\n")[:-1]
    if raws and b"\0" in raws[-1]:
        # JSON never holds a zero byte: a power cut left a page of this line unwritten.
        whole -= len(raws.pop()) + 1
    if not raws:
        if not (content.startswith(_START) or _START.startswith(content)):
            raise FileError(f"{path} is no study: {_expected()}.")
        return Content(None, [], 0, 0, len(content))
    _check_format(raws[0], path)
    lines: list[Line] = []
    checksum = 0
    for number, raw in enumerate(raws, start=1):
        try:
            line, checksum = decode(raw, checksum)
        except (ValueError, RecursionError) as error:
            raise FileError(
                f"{path}, line {number} is damaged: {error}; nothing was changed."
            ) from error
        lines.append(line)
    return Content(lines[0], lines[1:], checksum, whole, len(content) - whole)


def _check_format(raw: bytes, path: Path) -> None:
    try:
        header = json.loads(raw)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileError(f"{path} is no study: {_expected()}.")
    version = header.get("version")
    if version != VERSION:
        newer = isinstance(version, int) and version > VERSION
        more = "; a newer antichain is needed" if newer else ""
        raise FileError(
            f"{path} is a study of version {version!r}, and {VERSION} was expected{more}."
        )


def _expected() -> str:
    return f"its first line should begin with {_START.decode()}"
