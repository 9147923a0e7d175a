"""What a referee promises, under which assumptions, and the bets that this takes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from antichain import _checks
from antichain.errors import ParameterError
from antichain.evidence._bet import Bet, Floats

ASSUMPTIONS = ("strong", "cannot-compare")
"""What may be assumed on request."""

OUT, INSIDE, PAIRS = 0.2, 0.75, 0.05
"""The shares of δ for "out", for "in", and for claims about named pairs; set by hand. Most votes go
into clearing the front."""
FROM_START = 0.3
"""The share of the second that the rule from the first vote on has; the rule from the opening on
has the rest, since that is where studies that choose their duels end."""
COARSEST = 0.3
"""ε for opponents that were out at the opening, unless ε itself is larger."""
CANNOT_LOW, CANNOT_HIGH = 1 / 3, 2 / 3
"""With "cannot-compare": at most this share of voters says so of two comparable items, and at
least that share of two incomparable ones."""
_RATES = (0.5, 2 / 3, 0.8, 0.95)  # of "cannot compare" that the bets are on; set by hand


class Rulebook(NamedTuple):
    """The terms as the kernels take them: packed bets, logarithms of levels, switches."""

    dominance: Floats
    clearing: Floats
    clearing_others: Floats
    cannot: Floats
    can: Floats
    decoy: Floats
    delta_out: float
    log_inside: Floats  # −log of the level of each of the two rules
    strong: bool
    cannot_compare: bool
    decoys: bool
    pooling: bool
    rival_cost: float  # what clearing one item costs, in votes
    log_out: float  # the log-evidence that shows a rival to be above
    gaps: Floats  # of the beliefs about a pair
    rates: Floats  # what a duel tells at these gaps, in nats


@dataclass(frozen=True)
class Terms:
    """The terms of a certificate: δ, ε and further assumptions.

    Attributes:
        delta: An upper bound on the probability that any claim is ever false.
        epsilon: No item that may be maximal beats one that is in by more than this.
        assume: Further assumptions, out of `ASSUMPTIONS`: "strong" (strong stochastic
            transitivity) or "cannot-compare" (what that answer means).
        decoy_gap: Δ of the decoys, if there are decoys.

    >>> Terms().epsilon_others, Terms(assume=("strong",)).epsilon_others
    (0.3, 0.1)
    """

    delta: float = 0.05
    epsilon: float = 0.1
    assume: tuple[str, ...] = ()
    decoy_gap: float | None = None

    def __post_init__(self) -> None:
        _checks.probability("delta", self.delta)
        _checks.gap("epsilon", self.epsilon)
        if self.decoy_gap is not None:
            _checks.gap("decoy_gap", self.decoy_gap)
        object.__setattr__(self, "assume", checked_assumptions(self.assume))

    @property
    def strong(self) -> bool:
        return "strong" in self.assume

    @property
    def cannot_compare(self) -> bool:
        return "cannot-compare" in self.assume

    @property
    def epsilon_others(self) -> float:
        """By how much no item at all beats one that is in."""
        return self.epsilon if self.strong else max(COARSEST, self.epsilon)

    @property
    def shares(self) -> dict[str, float]:
        """How much of δ each kind of claim may spend."""
        return {
            "out": OUT * self.delta,
            "in": INSIDE * self.delta,
            "pairs": PAIRS * self.delta,
        }

    def parameters(self) -> dict[str, Any]:
        """The terms as plain data."""
        return {
            "delta": self.delta,
            "epsilon": self.epsilon,
            "assume": list(self.assume),
            "decoy_gap": self.decoy_gap,
        }

    @cached_property
    def _bets(self) -> dict[str, Floats]:
        return {
            "dominance": Bet.open_ended().packed,
            "clearing": Bet.clearing(self.epsilon).packed,
            "clearing_others": Bet.clearing(self.epsilon_others).packed,
            "cannot": on_rates(CANNOT_LOW, above=True).packed,
            "can": on_rates(CANNOT_HIGH, above=False).packed,
            "decoy": Bet.against_gap(self.decoy_gap or 0.25).packed,
        }

    def rulebook(self, size: int) -> Rulebook:
        """The rules for so many items."""
        delta_in = INSIDE * self.delta
        gaps = (np.arange(12) + 0.5) / 24
        rates = (0.5 + gaps) * np.log1p(2 * gaps) + (0.5 - gaps) * np.log1p(-2 * gaps)
        # Set by hand, as in the measurements: clearing takes about 60% of what it would if every
        # opponent were even, and with "strong" about √K opponents are left to clear.
        opponents = min(size - 1, math.sqrt(size)) if self.strong else size - 1
        cost = 0.6 * opponents * (math.log(1 / delta_in) + 1) / (2 * self.epsilon**2)
        return Rulebook(
            **self._bets,
            delta_out=OUT * self.delta,
            log_inside=-np.log(delta_in * np.array([FROM_START, 1 - FROM_START])),
            strong=self.strong,
            cannot_compare=self.cannot_compare,
            decoys=self.decoy_gap is not None,
            pooling=not self.cannot_compare,
            rival_cost=cost,
            log_out=math.log(6 * size / (OUT * self.delta)),
            gaps=gaps,
            rates=rates,
        )


def checked_assumptions(assume: str | Iterable[str]) -> tuple[str, ...]:
    """The assumptions by name, each once, in the order of `ASSUMPTIONS`."""
    if not isinstance(assume, Iterable):
        raise ParameterError(
            f"assume is {assume!r}, but a list of {', '.join(ASSUMPTIONS)} was expected"
        )
    named = [assume] if isinstance(assume, str) else list(assume)
    for name in named:
        if name not in ASSUMPTIONS:
            raise ParameterError(
                f"assume is {name!r}, but one of {', '.join(ASSUMPTIONS)} was expected"
            )
    return tuple(name for name in ASSUMPTIONS if name in named)


def on_rates(bound: float, *, above: bool) -> Bet:
    """The bet against "the share of an answer is at most `bound`" (or, not `above`, at least)."""
    rates = np.array(_RATES)
    stakes = (rates - CANNOT_LOW) / (CANNOT_LOW * CANNOT_HIGH)
    weights = np.full(len(rates), 1 / len(rates))
    return Bet(bound, stakes if above else -stakes, weights)
