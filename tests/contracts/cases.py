"""What the contract suite runs over: every algorithm, and worlds they can be run in."""

from dataclasses import dataclass, replace

import numpy as np

import antichain as ac
from antichain.algorithms import chains
from antichain.algorithms.base import Algorithm
from antichain.algorithms.chains import MaximumFinder
from antichain.algorithms.real_decoys import RealDecoys
from antichain.orders import DuelModel, Poset

DECOY_GAP = 0.15


@dataclass(frozen=True)
class Case:
    """An algorithm and the setting it needs."""

    label: str
    algorithm: Algorithm
    observable: bool = False
    decoy_gap: float | None = DECOY_GAP
    mingles: bool = False
    """Whether a pair may be asked about for two purposes at once: who comes first then decides
    which answer goes where, and only the law of the run is the same."""
    revisits: bool = False
    """Whether items thrown out are met again: a pair's spare answers, where voters are keyed by
    how often a pair was asked, then shift those that count."""

    @property
    def holds_lost_against(self) -> bool:
        """Whether losing an answer changes the run."""
        return self.algorithm.rules.lost == "against"

    @property
    def by_the_paper(self) -> bool:
        """Whether counts, too, must not depend on how the answers come in."""
        return self.algorithm.rules.is_paper

    def world(self, model: DuelModel, seed: int = 0) -> ac.SimulatedArena:
        """A simulated arena that shows what the algorithm needs."""
        return ac.SimulatedArena(model, self.decoy_gap, observable=self.observable, seed=seed)

    def at_level(self, delta: float) -> Algorithm:
        """The algorithm at another error level."""
        return replace(self.algorithm, delta=delta)


def finders() -> list[MaximumFinder]:
    """One of each maximum finder that the package offers."""
    classes = {value for value in vars(chains).values() if isinstance(value, type)}
    return sorted(
        (kind() for kind in classes - {MaximumFinder} if hasattr(kind, "find")),
        key=lambda finder: finder.name,
    )


def cases() -> list[Case]:
    """Every algorithm, in every setting it knows."""
    delta = 0.01
    unchained = ac.UnchainedBandits(delta=delta, decoy_gap=DECOY_GAP)
    plain = ac.UnchainedBandits(delta=delta, decoy_gap=None, epsilon=0.2)
    in_between = ac.Rules(tests="intervals", ties="coin")
    witness = ac.Witness(delta=delta, decoy_gap=DECOY_GAP)
    return [
        Case("witness", witness),
        Case("witness-lost-against", replace(witness, rules=ac.Rules(lost="against"))),
        Case("witness-least-regret", replace(witness, aim="regret")),
        Case(
            "witness-no-decoys",
            ac.Witness(delta=delta, decoy_gap=None, epsilon=0.2),
            decoy_gap=None,
            revisits=True,
        ),
        Case("unchained", unchained),
        Case("unchained-paper", replace(unchained, rules=ac.Rules.paper())),
        Case("unchained-intervals-early-exit", replace(unchained, rules=in_between)),
        Case("unchained-lost-against", replace(unchained, rules=ac.Rules(lost="against"))),
        Case("unchained-no-decoys", plain, decoy_gap=None),
        Case("unchained-no-decoys-paper", replace(plain, rules=ac.Rules.paper()), decoy_gap=None),
        Case("real-decoys", RealDecoys(delta=delta, decoy_gap=DECOY_GAP)),
        Case("uniform", ac.UniformSampling(delta=delta, decoy_gap=DECOY_GAP)),
        Case(
            "uniform-observable",
            ac.UniformSampling(delta=delta, decoy_gap=None),
            observable=True,
            decoy_gap=None,
        ),
        *(
            Case(
                f"slicing-{finder.name}",
                ac.SlicingBandits(delta=delta, maximum=finder),
                observable=True,
                decoy_gap=None,
                mingles=finder.name == "beat-the-mean",
            )
            for finder in finders()
        ),
    ]


def graded(poset: Poset, slope: float = 1.2) -> DuelModel:
    """The poset with gaps that grow with the difference in depth.

    Strong stochastic transitivity and the triangle inequality hold, and no gap is small: every
    maximum finder is on its own ground, and quick.
    """
    depth = np.array(
        [max((len(c) for c in _chains_down_to(poset, k)), default=0) for k in range(len(poset))]
    )
    gaps = np.tanh(slope * (depth[None, :] - depth[:, None]) / 2) / 2
    return DuelModel(poset, np.where(poset.above | poset.above.T, gaps, 0.0))


def _chains_down_to(poset: Poset, item: int) -> list[tuple[int, ...]]:
    """Every chain of items above `item`, longest ones included."""
    uppers = np.flatnonzero(poset.above[:, item]).tolist()
    return [(), *((upper, *more) for upper in uppers for more in _chains_down_to(poset, upper))]


def small_world(seed: int = 5) -> DuelModel:
    """Eight items: a front of two, three chains of two below it."""
    return graded(ac.posets.layered(2, 3, 3, seed=seed).poset)
