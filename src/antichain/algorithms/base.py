"""What every algorithm is: a frozen value that can start a search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from antichain import checks
from antichain.algorithms.board import Board
from antichain.algorithms.counts import CountsByName
from antichain.algorithms.rounds import Indices, Plan
from antichain.algorithms.rules import Rules
from antichain.algorithms.search import Search
from antichain.errors import ParameterError

_SMALLEST_GAP = 1e-6


@dataclass(frozen=True)
class Algorithm(ABC):
    """A method for finding the front, as a value: its parameters and nothing else.

    Attributes:
        delta: The probability with which the answer may be wrong.
        rules: How the paper is followed or improved on.
    """

    delta: float = 0.001
    rules: Rules = Rules()  # noqa: RUF009 (frozen, so that sharing it is safe)

    name: ClassVar[str]
    needs_observable: ClassVar[bool] = False
    """Whether the arena must tell comparable from incomparable pairs."""
    guarantee: ClassVar[str | None] = None
    """What holds for the answer of a run that came to its end, in one sentence.

    A method without one never comes back certified (`Result.certified`).
    """

    def __post_init__(self) -> None:
        checks.probability("delta", self.delta)
        if not isinstance(self.rules, Rules):
            raise ParameterError(
                f"rules is {self.rules!r}, but Rules() or Rules.paper() was expected."
            )

    @property
    def needs_decoys(self) -> float | None:
        """The gap of the decoys the arena must offer, or None."""
        return None

    @abstractmethod
    def plan(self, board: Board) -> Plan[Indices]:
        """The method itself: rounds of comparisons, and in the end the front."""

    def start(
        self,
        items: Sequence[str],
        seed: int = 0,
        direct: CountsByName | None = None,
        decoys: CountsByName | None = None,
        *,
        history: bool = True,
    ) -> Search:
        """A run over `items`, to be played by ask and tell.

        Args:
            items: The items' names.
            seed: Of the algorithm's own choices (the order in which items are taken).
            direct: Counts somebody else collected, as evidence to start from: for a pair of
                names the wins of the first, the wins of the second and, if there are any, ties.
                They must come from the same voters' law, and how many there are must not have
                been decided by looking at the decoy counts; only good for bets.
            decoys: The same for duels of the first against the decoy of the second.
            history: Keep what is asked and told, so that the run can have a twin
                (`Search.twin`) and what remains of it a forecast. Takes memory for each event.
        """
        return Search(self, items, seed, direct, decoys, history=history)

    def parameters(self) -> dict[str, Any]:
        """The parameters and rules as plain data."""
        return asdict(self)


def check_countable(name: str, gap: float) -> None:
    """Raise unless duels that tell this gap from none are few enough to be counted."""
    if checks.gap(name, gap) < _SMALLEST_GAP:
        raise ParameterError(
            f"{name} is {gap!r}, but at least {_SMALLEST_GAP} was expected: telling a smaller gap "
            "from none takes more duels than can be counted."
        )


def check_decoys_or_epsilon(decoy_gap: float | None, epsilon: float | None) -> None:
    """Raise unless there are decoys, or else an ε to settle for."""
    if decoy_gap is None:
        if epsilon is None:
            raise ParameterError("Without decoys, epsilon must say how fine to look; got None.")
        check_countable("epsilon", epsilon)
        return
    check_countable("decoy_gap", decoy_gap)
    if epsilon is not None:
        raise ParameterError(
            "epsilon is for runs without decoys (decoy_gap=None); with decoys the front "
            f"is exact; got epsilon={epsilon!r}."
        )
