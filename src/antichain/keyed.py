"""Randomness that is a function of its key: it has no state, and no order of drawing.

The k-th answer of a pair, the gap of a pair in an order of 100,000 items, a coin for the k-th
tie: each is computed on demand and must come out the same in whatever order they are asked for. A
counter-based hash (the finaliser of SplitMix64, applied once per word) gives that.
"""

import numpy as np

from antichain.compiled import compiled

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
