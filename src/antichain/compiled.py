"""`compiled`: numba's compiler as a typed decorator.

The decorated function is ordinary Python, so that `NUMBA_DISABLE_JIT=1` (or `.py_func`) runs
the very same lines without the compiler; the tests hold the two against each other.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast
from zlib import crc32

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function, *, side_by_side: bool = False) -> Function:
    """`function`, compiled on first use and cached on disk.

    With `side_by_side` several threads can run it at once: it releases Python's lock.
    """
    dispatcher: Any = numba.njit(cache=True, nogil=side_by_side)(function)
    if hasattr(dispatcher, "_cache"):  # without the compiler it is the function itself
        # numba trusts a cached kernel as long as its own file is unchanged, although it holds
        # the code of kernels it calls from other files. Here a change of any file that takes
        # part in compiled code makes all of them stale: slower once, never wrong.
        dispatcher._cache._cache_file._source_stamp = _sources_stamp()
    return cast(Function, dispatcher)


@cache
def _sources_stamp() -> tuple[tuple[str, int], ...]:
    """Name and checksum of every source file that takes part in compiled code.

    Those are the files that mention the word: each that defines a kernel imports this module,
    and one that only holds constants for kernels says so in a comment.
    """
    root = Path(__file__).parent
    sources = ((path, path.read_bytes()) for path in sorted(root.rglob("*.py")))
    return tuple((path.name, crc32(text)) for path, text in sources if b"compiled" in text)
