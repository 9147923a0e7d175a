"""Fetching a release of MovieLens from its publisher, checked and resumable.

Nothing of MovieLens is part of this package: its terms forbid passing it on.
"""

from __future__ import annotations

import hashlib
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import IO

from antichain._files import check_target, keep_rights
from antichain._journal import check_ordinary
from antichain._text import refusal
from antichain.errors import FileError, ParameterError

PUBLISHER = "https://files.grouplens.org/datasets/movielens/"

_BLOCK = 1 << 18
_PATIENCE = 30  # seconds without an answer
_NOT_FOUND = 404
_RANGE_PAST_THE_END = 416
_ARCHIVE = b"PK\x03\x04"  # how a zip begins
_CAREFUL = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")  # where the system has them


def download(
    name: str,
    folder: str | Path,
    *,
    base: str = PUBLISHER,
    force: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> Path:
    """The archive `name`.zip in `folder`, complete and with the publisher's checksum.

    Args:
        name: A release: ml-latest-small, ml-100k, ml-1m, ml-10m, ml-20m, ml-25m, ml-32m, …
        folder: Made if it does not exist. What was fetched before an interruption is in
            `name`.zip.part there, and fetching goes on from its end. A link, or a file that does
            not begin as an archive does, is refused and left alone.
        base: Where the archives are.
        force: Whether to replace an archive that is there.
        progress: Called with the number of bytes fetched, and of all bytes if that is known.
    """
    if not re.fullmatch(r"ml-[a-z0-9-]+", name):
        raise ParameterError(f"the release is {name!r}, but a name like 'ml-20m' was expected")
    base, folder = base.rstrip("/") + "/", Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target = check_target(folder / f"{name}.zip", force)
        checksum = _checksum(base, name)
        part = target.with_name(target.name + ".part")
        with _opened(part) as stream:
            _fetch(base + target.name, stream, progress)
            _verify(stream, part, checksum)
            keep_rights(stream.fileno(), target)
        part.replace(target)
    except urllib.error.HTTPError as error:
        raise FileError(
            f"{error.url} answers {error.code} ({error.reason}): is there a {name}?"
        ) from error
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise FileError(
            f"cannot reach {base} ({reason}); continue later with the same command, or put "
            f"{name}.zip into {folder} yourself"
        ) from error
    except OSError as error:
        raise FileError(f"cannot write into {folder}: {refusal(error)}") from error
    return target


def _checksum(base: str, name: str) -> str:
    url = f"{base}{name}.zip.md5"
    try:
        with urllib.request.urlopen(url, timeout=_PATIENCE) as answer:
            text = answer.read(1000).decode("ascii", "replace")
    except urllib.error.HTTPError as error:
        if error.code != _NOT_FOUND:
            raise
        raise FileError(
            f"{url} answers 404: there is no release {name}, or no checksum to verify it with; in "
            f"that case, fetch {name}.zip from {base} yourself, if you trust it"
        ) from error
    found = re.search(r"\b[0-9a-fA-F]{32}\b", text)
    if found is None:
        raise FileError(f"{url} is {text[:60]!r}, but an MD5 checksum was expected")
    return found[0].lower()


def _opened(part: Path) -> IO[bytes]:
    """The file of what was fetched so far, new or taken up; one that is not ours is refused."""
    flags = os.O_RDWR | os.O_CREAT | sum(getattr(os, name, 0) for name in _CAREFUL)
    if part.is_symlink():
        raise FileError(_not_ours(part, "is a link"))
    if part.exists():
        check_ordinary("write", part, part.stat().st_mode)
    stream = open(os.open(part, flags, 0o666), "r+b")  # noqa: SIM115
    try:
        status = os.fstat(stream.fileno())
        check_ordinary("write", part, status.st_mode)
        if status.st_nlink > 1:
            raise FileError(_not_ours(part, "has other names too"))
        if not _ARCHIVE.startswith(start := stream.read(len(_ARCHIVE))):
            raise FileError(_not_ours(part, f"begins with {start!r}"))
    except BaseException:
        stream.close()
        raise
    return stream


def _not_ours(part: Path, why: str) -> str:
    return (
        f"{part} {why}, but a partial archive left by an earlier download was expected; remove it, "
        "or choose another folder"
    )


def _fetch(url: str, part: IO[bytes], progress: Callable[[int, int | None], None] | None) -> None:
    """Append to `part` what is missing of `url`."""
    here = part.seek(0, os.SEEK_END)
    request = urllib.request.Request(url, headers={"Range": f"bytes={here}-"} if here else {})
    try:
        answer = urllib.request.urlopen(request, timeout=_PATIENCE)
    except urllib.error.HTTPError as error:
        if here and error.code == _RANGE_PAST_THE_END:
            return  # everything is here already; the checksum will tell
        raise
    with answer:
        if answer.status != 206:  # the whole file, whatever was asked for
            here = part.seek(0)
            part.truncate()
        length = answer.headers.get("Content-Length")
        total = here + int(length) if length else None
        while block := answer.read(_BLOCK):
            part.write(block)
            here += len(block)
            if progress is not None:
                progress(here, total)
        part.flush()
    if total is not None and here < total:
        raise ConnectionError(f"the connection ended after {here:,} of {total:,} bytes")


def _verify(stream: IO[bytes], part: Path, checksum: str) -> None:
    stream.seek(0)
    found = hashlib.file_digest(
        stream,  # type: ignore[arg-type]
        lambda: hashlib.md5(usedforsecurity=False),
    ).hexdigest()
    if found != checksum:
        part.unlink()
        raise FileError(
            f"the download has the MD5 checksum {found}, but {checksum} was expected; it was "
            "removed, so download it again"
        )
