"""The algorithms of the experiments, by name, each in the setting it is meant for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from antichain.algorithms.base import Algorithm
from antichain.algorithms.chains import Challenge, InterleavedFilter
from antichain.algorithms.rules import Rules
from antichain.algorithms.slicing import SlicingBandits
from antichain.algorithms.ubs import peeling_floor, peeling_schedule
from antichain.algorithms.unchained import UnchainedBandits
from antichain.algorithms.uniform import UniformSampling
from antichain.experiments.spec import Parameters


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
    """An algorithm of the experiments.

    Attributes:
        label: What a figure calls it.
        observable: Whether it is run in the fully observable setting (without decoys).
        median: Whether its costs are told by medians and quantiles, since their mean may be
            infinite (docs/errata.md, 19).
        build: The algorithm for a point's parameters.
    """

    label: str
    observable: bool
    median: bool
    build: Callable[[Parameters], Algorithm]


def _unchained(rules: Rules) -> Callable[[Parameters], Algorithm]:
    def build(point: Parameters) -> Algorithm:
        return ScaledFloor(
            delta=point.delta,
            rules=rules,
            decoy_gap=point.decoy_gap,
            gamma=point.gamma,
            epsilon0=point.peeling_start,
            floor_factor=point.floor_factor,
        )

    return build


METHODS = {
    "unchained-paper": Method(
        "UnchainedBandits, the paper's rules", False, False, _unchained(Rules.paper())
    ),
    "unchained": Method("UnchainedBandits, default rules", False, False, _unchained(Rules())),
    "uniform": Method(
        "UniformSampling",
        False,
        False,
        lambda point: UniformSampling(delta=point.delta, decoy_gap=point.decoy_gap),
    ),
    "slicing": Method(
        "SlicingBandits (fully observable)",
        True,
        True,
        lambda point: SlicingBandits(delta=point.delta, maximum=Challenge()),
    ),
    "slicing-if2": Method(
        "SlicingBandits with IF2 (fully observable)",
        True,
        True,
        lambda point: SlicingBandits(delta=point.delta, maximum=InterleavedFilter()),
    ),
}
