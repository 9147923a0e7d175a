"""SlicingBandits: chain after chain, where comparability can be seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from antichain.algorithms._observing import Observing
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Outcome, Plan, round_of
from antichain.algorithms.chains import FINDERS, Challenge, MaximumFinder
from antichain.errors import ParameterError, ProtocolError
from antichain.evidence._answers import Verdict
from antichain.evidence._sequential import SequentialTest


@dataclass(frozen=True)
class SlicingBandits(Observing):
    """The paper's algorithm for fully observable posets.

    Takes a maximal chain of what is left, finds its maximum, which is on the front, removes
    everything comparable to it, and starts again.

    Attributes:
        maximum: How the maximum of a chain is found; see `antichain.algorithms.chains`.

    Guarantee:
        The exact front with probability at least 1 − δ, if the maximum finder keeps its word
        at level δ/K: it is called once for each front item. Assumes that voters tell whether a
        pair can be compared, wrongly at most as often as `comparability_error` says.

    Departures from the paper:
        No pair is probed twice. The level is δ/K as in the algorithm, not δ|C|/K as in the
        theorem (docs/theory/errata.md, 18). The default maximum finder assumes order compatibility
        only; the paper's choice, Interleaved Filter 2, is `InterleavedFilter`.

    Example:
        >>> from antichain import SimulatedArena, find_front, posets
        >>> arena = SimulatedArena(posets.chains(3, 4, seed=2, gaps="minimum:0.1"), observable=True)
        >>> result = find_front(arena, SlicingBandits(delta=0.01))
        >>> set(result.front) == set(arena.model.front)
        True
    """

    maximum: MaximumFinder = Challenge()  # noqa: RUF009 (frozen, so that sharing it is safe)

    name: ClassVar[str] = "slicing"
    paper: ClassVar[Mapping[str, Any] | None] = {"finder": "if2"}
    mean_may_be_infinite: ClassVar[bool] = True  # docs/theory/errata.md, 19

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.maximum, type) or not isinstance(self.maximum, MaximumFinder):
            raise ParameterError(
                f"maximum is {self.maximum!r}, but a finder such as Challenge() was expected."
            )

    @property
    def guarantee(self) -> str | None:  # type: ignore[override]
        """What holds of the front; None if the finder states no guarantee."""
        if getattr(self.maximum, "guarantee", None) is None:
            return None
        return "The front is exact with probability at least 1 − δ, as far as the finder's is."

    def parameters(self) -> dict[str, Any]:
        """The parameters and rules as plain data, the finder by name."""
        return super().parameters() | {"finder": self.maximum.name}

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """The names of the fields, and `finder`."""
        return (*super().options(), "finder")

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """As for every method; `finder` names the maximum finder, `maximum` has its parameters."""
        values = dict(options)
        if "finder" in values and not values.get("faithful"):  # which comes back with a finder
            finder = values.pop("finder")
            if finder not in FINDERS:
                raise ParameterError(
                    f"finder is {finder!r}, but one of {', '.join(FINDERS)} was expected."
                )
            values["maximum"] = FINDERS[finder](**values.get("maximum", {}))
        return super().from_options(values)

    def plan(self, state: PlanState) -> Plan[Indices]:
        """Slice, find the maximum, prune, until nothing is left."""
        probe, delta = self.probing(state.size)
        probes = _Probes(probe)
        remaining: Indices = state.rng.permutation(state.size)
        front: list[int] = []
        while remaining.size:
            with state.epoch(f"chain {len(front) + 1}", None, remaining.size):
                chain = yield from probes.maximal_chain(remaining)
                top = yield from self.maximum.find(state, chain, delta / state.size)
                if top not in chain:
                    raise ProtocolError(
                        f"the finder {self.maximum.name!r} returned {top!r}, but an item of its "
                        f"chain was expected: one of {chain.tolist()}."
                    )
                front.append(top)
                remaining = remaining[~np.isin(remaining, chain)]
                below = yield from probes.comparable(top, remaining)
                for item in np.append(chain, remaining[below]).tolist():
                    if item != top and item not in state.fallen:
                        state.eliminate(item, top)
                remaining = remaining[~below]
        return np.array(front, np.int64)


class _Probes:
    """Which pairs are comparable: each asked at most once."""

    def __init__(self, test: SequentialTest) -> None:
        self._test = test
        self.known: dict[tuple[int, int], bool] = {}

    def maximal_chain(self, items: Indices) -> Plan[Indices]:
        """A chain of `items`, started at the first, to which none of the others can be added."""
        first = int(items[0])
        related = yield from self.comparable(first, items[1:])
        chain = [first]
        for item in items[1:][related].tolist():
            # With the first it is comparable; the others it still has to meet.
            fits = yield from self._fits(item, chain[1:])
            if fits:
                chain.append(item)
        return np.array(chain, np.int64)

    def comparable(self, item: int, others: Indices) -> Plan[np.ndarray[Any, np.dtype[np.bool_]]]:
        """Whether `item` is comparable to each of `others`; all probes side by side."""
        unknown = np.array([k for k in others.tolist() if self._key(item, k) not in self.known])
        if unknown.size:
            outcome = yield round_of(item, unknown, self._test)
            self._note(item, unknown, outcome)
        return np.array([self.known[self._key(item, k)] for k in others.tolist()], np.bool_)

    def _fits(self, item: int, chain: list[int]) -> Plan[bool]:
        """Whether `item` is comparable to all of `chain`; ends at the first that it is not."""
        known = [self.known.get(self._key(item, other)) for other in chain]
        if False in known:
            return False
        unknown = np.array([k for k, seen in zip(chain, known, strict=True) if seen is None])
        if unknown.size:
            stop = frozenset({Verdict.INCOMPARABLE})
            outcome = yield round_of(item, unknown, self._test, stop=stop)
            self._note(item, unknown, outcome)
            return bool(outcome.first(Verdict.INCOMPARABLE) < 0)
        return True

    def _note(self, item: int, others: Indices, outcome: Outcome) -> None:
        """Remember which pairs the probes showed comparable."""
        for other, verdict in zip(others.tolist(), outcome.verdicts.tolist(), strict=True):
            if verdict != Verdict.OPEN:
                self.known[self._key(item, other)] = verdict == Verdict.COMPARABLE

    @staticmethod
    def _key(one: int, other: int) -> tuple[int, int]:
        return (one, other) if one < other else (other, one)
