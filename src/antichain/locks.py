"""One writer a file: locks that the system lets go of when their holder dies."""

import sys
from typing import IO


def hold_alone(stream: IO[bytes]) -> bool:
    """Whether the file is now held by this stream alone, until it is closed.

    Where the file system has no locks there is nothing to be had, and it counts as held.
    """
    try:
        _lock(stream)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


if sys.platform == "win32":
    import msvcrt

    # Where no content is: others cannot read what a lock covers there.
    _FAR = 2**62

    def _lock(stream: IO[bytes]) -> None:
        here = stream.tell()
        try:
            stream.seek(_FAR)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            stream.seek(here)

else:
    import fcntl

    def _lock(stream: IO[bytes]) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
