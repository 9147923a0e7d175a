"""What a judge said of a pair in both orders, as a study keeps it beside the answer."""

from __future__ import annotations

import re

_SCORES = {"left": 1.0, "right": 0.0, "tie": 0.5, "incomparable": 0.5}
_NOTE = re.compile(f"both orders: ({'|'.join(_SCORES)}), ({'|'.join(_SCORES)})(;.*)?")


def both_orders_note(first: str, second: str) -> str:
    """The sides that were preferred in the first order and in the second, exchanged one."""
    return f"both orders: {first}, {second}"


def score_of_first_side(note: str) -> float | None:
    """The mean score of the side shown first, by such a note; None if it is no such note.

    >>> score_of_first_side("both orders: left, tie")
    0.75
    """
    found = _NOTE.fullmatch(note)
    return None if found is None else (_SCORES[found[1]] + _SCORES[found[2]]) / 2
