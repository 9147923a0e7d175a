"""What differs between systems about files: locks, and waiting for the disk.

Linux, macOS and Windows each have their own calls, which nothing else in the package needs to know.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    # Beyond any content: Windows does not let others read the bytes that a lock covers.
    _FAR = 2**40

    def _lock(stream: IO[bytes]) -> None:
        here = stream.tell()
        try:
            stream.seek(_FAR)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            stream.seek(here)

    def release(stream: IO[bytes]) -> None:
        """Nothing to do: no other process shares the lock, and closing the file releases it."""

    def sync(descriptor: int) -> None:
        """Wait until what was written to a file survives a power cut."""
        os.fsync(descriptor)

else:
    import fcntl

    def _lock(stream: IO[bytes]) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def release(stream: IO[bytes]) -> None:
        """Let others hold the file, although a forked process may still have it open."""
        fcntl.flock(stream, fcntl.LOCK_UN)

    def sync(descriptor: int) -> None:
        """Wait until what was written to a file survives a power cut."""
        # On macOS, fsync alone leaves it in the memory of the drive.
        full_sync: int | None = getattr(fcntl, "F_FULLFSYNC", None)
        if full_sync is not None:
            with suppress(OSError):  # a network drive need not have it
                fcntl.fcntl(descriptor, full_sync)
                return
        os.fsync(descriptor)


def hold_alone(stream: IO[bytes]) -> bool:
    """Whether this stream now holds the file alone, until it is closed.

    On a file system without locks there is nothing to hold, and the answer is yes.
    """
    try:
        _lock(stream)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


def holder(stream: IO[bytes]) -> str:
    """Who holds the lock on a file, as far as the system tells."""
    if sys.platform == "win32":
        return "another process"
    with suppress(OSError, ValueError):  # macOS does not say so
        status = os.fstat(stream.fileno())
        place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        for line in Path("/proc/locks").read_text("ascii").splitlines():
            fields = line.split()
            if "FLOCK" in fields and place in fields:
                process = int(fields[fields.index(place) - 1])
                return f"process {process}" if process > 0 else "another process"
    return "another process"


def sync_folder(folder: Path) -> None:
    """Make the names of files survive a power cut too, where folders can be flushed."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # on Windows, a folder cannot be opened
        return
    with suppress(OSError):
        sync(descriptor)
    os.close(descriptor)
