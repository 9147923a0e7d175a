"""The contract of a maximum finder: the top of a chain, with at most the stated error."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from antichain.algorithms._base import Algorithm
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan
from antichain.algorithms.chains import Challenge, MaximumFinder
from antichain.testing._algorithm_checks import AlgorithmSuite, Repeatable
from antichain.testing._contract import Check, checks_of, run_checks
from antichain.testing._worlds import random_chain


def check_maximum_finder(
    finder: MaximumFinder,
    *,
    any_gaps: bool = False,
    repeatable: Repeatable = "always",
    ties: float = 0.0,
) -> None:
    """Run the contract suite of maximum finders on `finder`; raise `ContractError` if it fails.

    The finder is run by itself on total orders, through the whole suite of `check_algorithm`.

    Args:
        finder: The finder to check, with its parameters.
        any_gaps: Whether it promises the maximum under order compatibility alone. Otherwise it
            is tried only on chains with strong stochastic transitivity.
        repeatable: As for `check_algorithm`.
        ties: The share of duels that the simulated voters call a tie.

    Example:
        >>> import antichain as ac
        >>> from antichain.testing import check_maximum_finder
        >>> check_maximum_finder(ac.Knockout(), any_gaps=True)
    """
    checks = finder_checks(finder, any_gaps=any_gaps, repeatable=repeatable, ties=ties)
    run_checks(finder, checks)


def finder_checks(
    finder: MaximumFinder,
    *,
    any_gaps: bool = False,
    repeatable: Repeatable = "always",
    ties: float = 0.0,
) -> list[Check]:
    """The checks of `check_maximum_finder` one by one."""
    suite = AlgorithmSuite(
        WholeChain(0.01, finder=finder),
        repeatable=repeatable,
        ties=ties,
        model=random_chain(0, size=5),
        random_model=partial(random_chain, any_gaps=any_gaps),
    )
    return checks_of(suite)


@dataclass(frozen=True)
class WholeChain(Algorithm):
    """A finder alone, on all items at once: no chains to build, no probes.

    The chain is not in the order of the items, so that a position is not taken for an item.
    """

    finder: MaximumFinder = field(default_factory=Challenge)

    name: ClassVar[str] = "whole chain"
    guarantee: ClassVar[str | None] = "The maximum of a total order, if the finder keeps its word."

    def plan(self, state: PlanState) -> Plan[Indices]:
        """The maximum of all items."""
        top = yield from self.finder.find(state, np.arange(state.size)[::-1].copy(), self.delta)
        return np.array([top])
