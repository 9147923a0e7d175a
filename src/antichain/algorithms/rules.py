"""How an algorithm follows the paper, or improves on it: one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from antichain import checks
from antichain.errors import ParameterError


@dataclass(frozen=True)
class Rules:
    """Which tests, at which levels, when to stop, and what ties and lost answers mean.

    The default is valid at any time. `Rules.paper()` follows the paper to the letter, intervals
    read after every duel included (docs/errata.md, 2).

    Attributes:
        tests: "bets" (likelihood ratios and mixtures, with one level per ordered pair for all
            epochs) or "intervals" (Hoeffding, at δ/(N|S_t|²) in epoch t).
        early_exit: Leave the rest of a candidate's comparisons out once it is dominated.
        in_step: Duel the two directions of a decoy comparison in step, as the paper does;
            otherwise each direction stops by itself. Bets always stop by themselves.
        ties: "half" counts a tie as half a win, "coin" tosses one. A duel answered
            "incomparable" counts like a tie: neither was preferred.
        lost: "ignore" takes for granted that losing an answer (an ask given up, a duel skipped)
            does not depend on the answer, and asks again; "against" holds every lost answer
            against every claim (bets only).
        elimination_share: The share of δ that may be spent on throwing maximal items out (bets
            only); the rest is for keeping dominated ones. The default was set by hand.
        peeling_doubt: While peeling, a pair is left alone for this epoch when a gap of ε_t is
            this unlikely (bets only). It costs nothing in δ: see `UnchainedBandits`. The default
            was set by hand.
    """

    tests: Literal["bets", "intervals"] = "bets"
    early_exit: bool = True
    in_step: bool = False
    ties: Literal["half", "coin"] = "half"
    lost: Literal["ignore", "against"] = "ignore"
    elimination_share: float = 0.1
    peeling_doubt: float = 0.05

    def __post_init__(self) -> None:
        _one_of("tests", self.tests, ("bets", "intervals"))
        _one_of("ties", self.ties, ("half", "coin"))
        _one_of("lost", self.lost, ("ignore", "against"))
        for name in ("elimination_share", "peeling_doubt"):
            checks.probability(name, getattr(self, name))
        if self.tests == "bets" and self.in_step:
            raise ParameterError(
                "in_step is True, but with tests='bets' each direction stops by itself: "
                "in_step=False was expected, or tests='intervals'."
            )
        if self.tests == "intervals" and self.ties == "half":
            raise ParameterError(
                "ties is 'half', but the paper's intervals count whole wins: ties='coin' was "
                "expected, or tests='bets'."
            )
        if self.tests == "intervals" and self.lost == "against":
            raise ParameterError(
                "lost is 'against', but only bets can hold lost answers against a claim: "
                "lost='ignore' was expected, or tests='bets'."
            )

    @classmethod
    def paper(cls) -> Rules:
        """The paper to the letter, as read in docs/errata.md."""
        return cls(tests="intervals", early_exit=False, in_step=True, ties="coin")

    @property
    def is_paper(self) -> bool:
        """Whether these are the paper's own rules."""
        return self == Rules.paper()


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ParameterError(f"{name} is {value!r}, but one of {', '.join(choices)} was expected.")
