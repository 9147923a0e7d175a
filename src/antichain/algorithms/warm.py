"""Starting from counts that somebody else collected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from antichain import checks
from antichain.algorithms.board import Board
from antichain.algorithms.rules import Rules
from antichain.errors import InputError, ParameterError
from antichain.evidence.sequential import COUNTS, Counts

Warm = Mapping[tuple[str, str], tuple[int, ...]]
"""For a pair of names: wins of the first, wins of the second and, if there are any, ties."""


def load_counts(
    board: Board, index: Mapping[str, int], rules: Rules, direct: Warm, decoys: Warm
) -> None:
    """Put counts of direct duels, and of duels against decoys, on the board as evidence."""
    if (direct or decoys) and rules.tests != "bets":
        raise ParameterError(
            "The paper's fixed-sample intervals cannot start from counts collected elsewhere; "
            "use the default rules."
        )
    for (left, right), numbers in direct.items():
        a, b = _pair(index, left, right)
        others = np.array([b], np.int64)
        known = board.ledger.recall(a, others)
        board.ledger.remember(a, others, known + _counts(left, right, numbers))
    for (left, right), numbers in decoys.items():
        pair = _pair(index, left, right)
        known = board.decoy_counts.get(pair, np.zeros(COUNTS, np.int64))
        board.decoy_counts[pair] = known + _counts(left, right, numbers)


def _pair(index: Mapping[str, int], left: str, right: str) -> tuple[int, int]:
    for name in (left, right):
        if name not in index:
            raise InputError(f"Counts were given for {name!r}, which is not among the items.")
    if left == right:
        raise InputError(f"Counts were given for {left!r} against itself.")
    return index[left], index[right]


def _counts(left: str, right: str, numbers: tuple[int, ...]) -> Counts:
    if not isinstance(numbers, Sequence) or len(numbers) not in (2, 3):
        raise InputError(
            f"Counts of {left!r} against {right!r} are wins of the first, wins of the second and "
            f"perhaps ties; got {numbers!r}."
        )
    counts = np.zeros(COUNTS, np.int64)
    for column, number in enumerate(numbers):
        counts[column] = checks.whole(f"a count of {left!r} against {right!r}", number, least=0)
    return counts
