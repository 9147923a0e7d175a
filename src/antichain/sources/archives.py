"""Zip archives as users have them: whole, cut off, locked, or no archive at all."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from antichain.errors import FileError

_LOCKED = 0x1  # the bit of a member's flags that says it is encrypted
_START = b"PK"


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip archive; whatever is wrong with it is said in one sentence."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        with open(path, "rb") as stream:
            start = stream.read(8)
        if not start.startswith(_START):
            raise FileError(
                f"{path} begins with {start!r} and is no zip archive, but one was expected"
            ) from error
        raise FileError(
            f"{path} is no whole zip archive ({error}); it may be cut off, so fetch it again"
        ) from error
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error


def members(archive: zipfile.ZipFile) -> list[str]:
    """The files in an archive, without what macOS adds."""
    return [name for name in archive.namelist() if not name.startswith("__MACOSX/")]


def check_unlocked(path: Path, archive: zipfile.ZipFile, name: str) -> None:
    """Raise a FileError about a member that needs a password."""
    if archive.getinfo(name).flag_bits & _LOCKED:
        raise FileError(
            f"{path} holds {name} under a password, but an archive without one was expected"
        )


def only_table(path: Path, suffixes: Collection[str]) -> str:
    """The one table in an archive; a .txt counts as one only where there is no other table."""
    with open_archive(path) as archive:
        every = [(name, PurePosixPath(name).suffix.lower()) for name in members(archive)]
        found = [name for name, suffix in every if suffix in suffixes]
        found = found or [name for name, suffix in every if suffix == ".txt"]
        if len(found) != 1:
            raise FileError(f"{path} holds {len(found)} tables, but exactly one was expected")
        check_unlocked(path, archive, found[0])
        return found[0]
