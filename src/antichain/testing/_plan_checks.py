"""Check a plan while a search runs it, and say where it departs from what a plan must do."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from antichain.algorithms._base import Algorithm
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan, Race, Round
from antichain.evidence import SequentialTest
from antichain.testing._contract import require


class CheckedPlan:
    """Stands in for an algorithm in a `Search`, and checks each thing that its plan does."""

    def __init__(self, algorithm: Algorithm) -> None:
        self._algorithm = algorithm

    def __getattr__(self, name: str) -> Any:
        return getattr(self._algorithm, name)

    def plan(self, state: PlanState) -> Plan[Indices]:
        """The algorithm's own plan, step by step."""
        plan: Any = self._algorithm.plan(state)
        require(
            isinstance(plan, Generator),
            f"plan() returned {_shown(plan)}, but it must be a generator: hand each round over "
            "with `outcome = yield round_of(…)`.",
        )
        outcome = None
        while True:
            try:
                message = plan.send(outcome)
            except StopIteration as stop:
                _require_front(stop.value, state.size)
                return stop.value  # type: ignore[no-any-return]
            _require_round(message, state.size)
            outcome = yield message


def _require_round(message: Any, size: int) -> None:
    require(
        isinstance(message, Round | Race),
        f"plan() yielded {_shown(message)}, but a round was expected: make one with "
        "round_of(lefts, rights, test).",
    )
    require(
        isinstance(message.test, SequentialTest),
        f"the test of a round is {_shown(message.test)}, but a SequentialTest was expected.",
    )
    for side, items in (("lefts", message.lefts), ("rights", message.rights)):
        whole = isinstance(items, np.ndarray) and items.ndim == 1 and items.dtype.kind in "iu"
        require(whole, f"{side} of a round is {_shown(items)}, but an array of indices is needed.")
        wrong = items[(items < 0) | (items >= size)].tolist()
        require(
            not wrong, f"{side} of a round has {wrong}, but items are numbered 0 to {size - 1}."
        )
    left, right = message.lefts.size, message.rights.size
    require(left == right, f"a round has {left} left items, but {right} right ones.")
    twice = message.lefts[message.lefts == message.rights].tolist()
    require(not twice, f"a round compares an item with itself: {twice}.")


def _require_front(front: Any, size: int) -> None:
    returned = f"plan() returned {_shown(front)}, but the indices of the front were expected"
    try:
        indices = np.asarray(list(front))
    except TypeError:
        indices = np.array(["not even a list"])
    if indices.dtype == np.bool_:
        require(False, f"{returned}: use np.flatnonzero to turn a mask into indices.")
    require(
        not indices.size or (indices.ndim == 1 and indices.dtype.kind in "iu"),
        f"{returned}: whole numbers of at least 0, not names (the run turns them into names).",
    )
    found = [int(item) for item in indices]
    require(
        set(found) <= set(range(size)) and len(set(found)) == len(found),
        f"{returned}: different numbers from 0 to {size - 1} for {size} items.",
    )


def _shown(value: Any) -> str:
    if value is None:
        return "None"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:59] + '…'} (type {type(value).__name__})"
