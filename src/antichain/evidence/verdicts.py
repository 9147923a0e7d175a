"""What a test can say of a pair, and how the kernels spell it."""

from enum import IntEnum


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


# Plain integers for compiled code: numba takes module-level ones as constants.
OPEN, LEFT, RIGHT, EVEN, COMPARABLE, INCOMPARABLE = (int(verdict) for verdict in Verdict)
