"""The lines of an experiment: methods by name, each with the options of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from antichain.algorithms import registry
from antichain.algorithms.base import Algorithm
from antichain.algorithms.ubs import peeling_floor, peeling_schedule
from antichain.algorithms.unchained import UnchainedBandits
from antichain.experiments.spec import LINES, Parameters


@dataclass(frozen=True)
class ScaledFloor(UnchainedBandits):
    """UnchainedBandits whose last peel is a multiple of the paper's ε_{N−1} = Δ√K.

    The guarantee does not depend on where peeling ends, the theorems' bounds on the cost do.
    """

    floor_factor: float = 1.0

    def schedule(self, items: int) -> tuple[float, ...]:
        """The gaps of the peeling epochs for that many items."""
        assert self.decoy_gap is not None  # experiments with peels all have decoys
        floor = self.floor_factor * peeling_floor(items, self.decoy_gap)
        return peeling_schedule(floor, self.gamma, self.epsilon0)


@dataclass(frozen=True)
class Method:
    """A method in an experiment.

    Attributes:
        label: What a figure calls it.
        kind: Its class.
        options: Its own options, which no point of an experiment changes.
    """

    label: str
    kind: type[Algorithm]
    options: Mapping[str, Any] = field(default_factory=dict)

    def build(self, point: Parameters) -> Algorithm:
        """The algorithm for a point: with those of the point's parameters that it takes."""
        values = {
            "delta": point.delta,
            "decoy_gap": point.decoy_gap,
            "gamma": point.gamma,
            "epsilon0": point.peeling_start,
            "floor_factor": point.floor_factor,
        }
        taken = {name: value for name, value in values.items() if name in self.kind.options()}
        return self.kind.from_options({**taken, **self.options})

    @property
    def observable(self) -> bool:
        """Whether it runs in the fully observable setting (without decoys)."""
        return self.build(Parameters()).needs_observable


_LABELS = {
    "unchained-paper": "UnchainedBandits, the paper's rules",
    "unchained": "UnchainedBandits, default rules",
    "uniform": "UniformSampling",
    "slicing": "SlicingBandits (fully observable)",
    "slicing-if2": "SlicingBandits with IF2 (fully observable)",
}


def method_of(line: str) -> Method:
    """The method that a spec calls by this name: a line of `LINES`, or any method's name."""
    name, options = LINES.get(line, (line, {}))
    kind = ScaledFloor if name == "unchained" else registry.find(name)
    found = Method(_LABELS.get(line, kind.__name__), kind, options)
    if line not in LINES and found.observable:
        return Method(f"{found.label} (fully observable)", kind, options)
    return found
