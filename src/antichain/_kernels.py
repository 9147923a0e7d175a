"""What kernels are made with: numba's compiler as a typed decorator, and keyed randomness.

A function decorated with `compiled` is ordinary Python, so that `NUMBA_DISABLE_JIT=1` (or
`.py_func`) runs the very same lines without the compiler; the tests hold the two against each
other.

`keyed_uniform` is randomness without a state or an order of drawing. The k-th answer of a pair, the
gap of a pair in an order of 100,000 items, a coin for the k-th tie: each is computed on demand and
must come out the same in whatever order they are asked for. A counter-based hash (the finaliser of
SplitMix64, applied once per word) gives that.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast
from zlib import crc32

import numba
import numpy as np

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
