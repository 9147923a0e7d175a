"""One writer per file: locks that the system releases when their holder dies."""

import sys
from typing import IO


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


if sys.platform == "win32":
    import msvcrt

    # Beyond any content: Windows does not let others read the bytes that a lock covers.
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
