"""`compiled`: numba's compiler as a typed decorator.

The decorated function is ordinary Python, so that `NUMBA_DISABLE_JIT=1` (or `.py_func`) runs
the very same lines without the compiler; the tests hold the two against each other.
"""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """`function`, compiled on first use and cached on disk."""
    return cast(Function, numba.njit(cache=True)(function))
