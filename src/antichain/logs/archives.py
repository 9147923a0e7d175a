"""Zip archives as users have them: whole, cut off, locked, or no archive at all."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from antichain.errors import FileError

_LOCKED = 0x1  # the bit of a member's flags that says it is encrypted
_START = b"PK"


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip archive, with what can be wrong about it told in one sentence."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except zipfile.BadZipFile as error:
        with open(path, "rb") as stream:
            start = stream.read(8)
        if not start.startswith(_START):
            raise FileError(
                f"{path} begins with {start!r} and is no zip archive, and one was expected"
            ) from error
        raise FileError(
            f"{path} is no whole zip archive ({error}); it may be cut off, so fetch it again"
        ) from error


def members(archive: zipfile.ZipFile) -> list[str]:
    """The files in an archive, without what macOS adds."""
    return [name for name in archive.namelist() if not name.startswith("__MACOSX/")]


def check_unlocked(path: Path, archive: zipfile.ZipFile, name: str) -> None:
    """Nothing, or a FileError about a member that needs a password."""
    if archive.getinfo(name).flag_bits & _LOCKED:
        raise FileError(
            f"{path} holds {name} under a password, and an archive without one was expected"
        )
