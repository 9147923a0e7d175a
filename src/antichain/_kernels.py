"""What kernels are made with: numba's compiler as a typed decorator, and keyed randomness.

A function decorated with `compiled` is ordinary Python, so that `NUMBA_DISABLE_JIT=1` (or
`.py_func`) runs the very same lines without the compiler; the tests hold the two against each
other.

`keyed_uniform` is randomness without a state or an order of drawing. The k-th answer of a pair, the
gap of a pair in an order of 100,000 items, a coin for the k-th tie: each is computed on demand and
must come out the same in whatever order they are asked for. A counter-based hash (the finaliser of
SplitMix64, applied once per word) gives that.
"""

import os
import pickle
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast
from zlib import crc32

import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from antichain._interrupts import interrupts_come_up

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function, *, side_by_side: bool = False) -> Function:
    """`function`, compiled on first use and cached on disk where that is possible.

    With `side_by_side` several threads can run it at once: it releases Python's lock.
    """
    dispatcher: Any = numba.njit(nogil=side_by_side)(function)
    if hasattr(dispatcher, "_cache"):  # without the compiler it is the function itself
        found = _cache_of(function)
        if found is not None:
            dispatcher._cache = found
    return cast(Function, dispatcher)


class _CheckedResults(CompileResultCacheImpl):
    """Kernels as they are kept in files: with a checksum, since wrong machine code would run."""

    def reduce(self, result: Any) -> tuple[bytes, bytes]:
        content = dumps(super().reduce(result))
        return _checksum(content), content

    def rebuild(self, target_context: Any, kept: tuple[bytes, bytes]) -> Any:
        checksum, content = kept
        if checksum != _checksum(content):
            raise ValueError("a kernel in the cache is damaged, or is of other sources")
        return super().rebuild(target_context, pickle.loads(content))


class _KernelCache(FunctionCache):
    """numba's cache, which may be full, damaged or in use by others without any harm."""

    _impl_class = _CheckedResults

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        # numba trusts a cached kernel as long as its own file is unchanged, although it holds
        # the code of kernels it calls from other files. Here a change of any file that takes
        # part in compiled code makes all of them stale: slower once, never wrong.
        self._cache_file._source_stamp = _sources_stamp()

    def load_overload(self, types: Any, target_context: Any) -> Any:
        # Compiling takes many seconds, and may begin where Ctrl-C waits for a kernel to end.
        interrupts_come_up()
        # Damaged files raise all kinds of errors; then the kernel is compiled again.
        with suppress(Exception):
            found = super().load_overload(types, target_context)
            # Two processes that save at once may give a file for other types the same name.
            if found is not None and found.signature.args == tuple(types):
                return found
        return None

    def save_overload(self, types: Any, result: Any) -> None:
        for attempt in range(2):
            with suppress(Exception):  # what cannot be saved is compiled again next time
                if attempt:
                    self.flush()  # the index may be what is damaged
                super().save_overload(types, result)
                return


def _cache_of(function: Callable[..., object]) -> _KernelCache | None:
    """The cache on disk for a kernel: where numba would have it, or in a temporary folder.

    In containers neither the package nor the home folder need be writable. None if there is no
    place at all: then every process compiles for itself.
    """
    with suppress(RuntimeError, OSError):
        return _KernelCache(function)
    folder = _temporary_folder()
    if folder is None:
        return None
    settings: Any = numba.config
    chosen = settings.CACHE_DIR
    settings.CACHE_DIR = folder
    try:
        return _KernelCache(function)
    except (RuntimeError, OSError):
        return None
    finally:
        settings.CACHE_DIR = chosen


@cache
def _temporary_folder() -> str | None:
    """A temporary folder for this user's caches, the same for all processes; None without one.

    Code is run from it, so it must be nobody else's.
    """
    user = os.getuid() if hasattr(os, "getuid") else "numba"
    with suppress(OSError):
        folder = Path(tempfile.gettempdir(), f"antichain-{user}")
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        private = not hasattr(os, "getuid") or (
            found.st_uid == user and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        )
        if stat.S_ISDIR(found.st_mode) and private:
            return str(folder)
    return None


def _checksum(content: bytes) -> bytes:
    return sha256(repr(_sources_stamp()).encode() + content).digest()


@cache
def _sources_stamp() -> tuple[tuple[str, int], ...]:
    """Name and checksum of every source file that takes part in compiled code.

    Those are the files that mention the word: each that defines a kernel imports this module,
    and one that only holds constants for kernels says so in a comment.
    """
    root = Path(__file__).parent
    sources = ((path, path.read_bytes()) for path in sorted(root.rglob("*.py")))
    return tuple((path.name, crc32(text)) for path, text in sources if b"compiled" in text)


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0  # 2**-53


@compiled
def _scramble(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> _S30)) * _MIX1
    word = (word ^ (word >> _S27)) * _MIX2
    return word ^ (word >> _S31)


@compiled
def keyed_uniform(seed: int, first: int, second: int, index: int) -> float:
    """A uniform on [0, 1) that depends on the four integers and nothing else."""
    word = _scramble(np.uint64(seed) + _GOLDEN)
    word = _scramble((word ^ np.uint64(first)) + _GOLDEN)
    word = _scramble((word ^ np.uint64(second)) + _GOLDEN)
    word = _scramble((word ^ np.uint64(index)) + _GOLDEN)
    return float(word >> _S11) * _UNIT
