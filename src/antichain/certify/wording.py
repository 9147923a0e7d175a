"""Numbers of a certificate as words, the same in every place that shows them."""

from __future__ import annotations

import math


def odds(log_evidence: float) -> str:
    """An e-value as odds: how rarely chance alone would show as much.

    >>> odds(math.log(4720)), odds(0.1)
    ('1 in 4,720', '1 in 1')
    """
    if log_evidence < math.log(1e6):
        return f"1 in {max(1, math.floor(math.exp(log_evidence) * (1 + 1e-12))):,}"
    power = log_evidence / math.log(10)
    return f"1 in 10^{math.floor(power)}"


def level_odds(level: float) -> str:
    """A level as odds."""
    return f"1 in {math.ceil(1 / level * (1 - 1e-12)):,}" if level else "never"


def percent(share: float | None) -> str:
    """A share as a percentage, a dash if there is none."""
    return "–" if share is None else f"{100 * share:.0f}%"


def needed(votes: int | None) -> str:
    """A number of votes still needed, in words that do not pretend to be exact."""
    if votes is None:
        return "no number"
    return f"about {votes:,}" if votes < 100 else f"about {float(f'{votes:.2g}'):,.0f}"
