"""What duels of a pair are counted as, and what a test can say of the counts.

Each name exists twice: as a member of an enum, for people, and as a plain module-level integer,
which compiled kernels take as a constant.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
"""Counts of one pair (8 numbers) or of many (one row per pair), with columns as in `Count`."""


class Count(IntEnum):
    """The columns of a pair's counts, seen from the left item: two streams of four numbers.

    The first stream is all that most tests have. The second is for tests that run both
    directions of a decoy comparison in step: there the *right* item meets the left one's decoy.
    A probe has one stream, and counts the answers "cannot compare" in the first column of the
    other one.
    """

    WINS = 0
    """Duels that the left item won."""
    LOSSES = 1
    """Duels that it lost."""
    TIES = 2
    LOST = 3
    """Answers that were lost, to be held against every claim (`Rules.lost`)."""
    SECOND_WINS = 4
    """Duels that the right item won against the left one's decoy."""
    SECOND_LOSSES = 5
    SECOND_TIES = 6
    SECOND_LOST = 7
    INCOMPARABLE = 4
    """Probes only: answers "cannot compare"."""


WINS, LOSSES, TIES, LOST = (int(column) for column in list(Count)[:4])
SECOND_WINS, SECOND_LOSSES, SECOND_TIES, SECOND_LOST = (int(c) for c in list(Count)[4:])
INCOMPARABLE_ANSWERS = int(Count.INCOMPARABLE)

COUNTS = len(Count)
"""How many numbers are kept for a pair while it is tested."""
FORMS = COUNTS // 2
"""How many of them belong to one stream."""


def swapped(counts: Counts) -> Counts:
    """Counts of direct duels, seen from the other item: wins and losses trade places.

    >>> swapped(np.array([3, 1, 2, 0])).tolist()
    [1, 3, 2, 0]
    """
    other = counts.copy()
    other[..., WINS], other[..., LOSSES] = counts[..., LOSSES], counts[..., WINS]
    return other


class Verdict(IntEnum):
    """What the evidence on a pair has shown so far."""

    OPEN = 0
    """Nothing yet: more duels are needed."""
    LEFT = 1
    """The left item is above the right one."""
    RIGHT = 2
    """The right item is above the left one."""
    EVEN = 3
    """Neither: indistinguishable at the test's gap (direct duels), or not above (decoys)."""
    COMPARABLE = 4
    """A probe was answered with a preference."""
    INCOMPARABLE = 5
    """A probe was answered "cannot compare"."""


OPEN, LEFT, RIGHT, EVEN, COMPARABLE, INCOMPARABLE = (int(verdict) for verdict in Verdict)
