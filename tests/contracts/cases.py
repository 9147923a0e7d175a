"""What the contracts are checked on: every algorithm of the package, in every setting."""

from dataclasses import dataclass, replace

import antichain as ac
from antichain.algorithms._base import Algorithm
from antichain.algorithms._certifying import Certifying
from antichain.algorithms._real_decoys import RealDecoys
from antichain.algorithms.chains import FINDERS, MaximumFinder
from antichain.orders import DuelModel
from antichain.testing._algorithm_checks import Repeatable

DECOY_GAP = 0.15


@dataclass(frozen=True)
class Case:
    """An algorithm, and how far its duels may depend on how answers arrive."""

    label: str
    algorithm: Algorithm
    repeatable: Repeatable = "always"

    @property
    def holds_lost_against(self) -> bool:
        """Whether losing an answer changes the run."""
        return self.algorithm.rules.lost == "against"

    def world(self, model: DuelModel, seed: int = 0) -> ac.SimulatedArena:
        """A simulated arena that shows what the algorithm needs."""
        algorithm = self.algorithm
        return ac.SimulatedArena(
            model, algorithm.needs_decoys, observable=algorithm.needs_observable, seed=seed
        )


def finders() -> list[MaximumFinder]:
    """One of each maximum finder that the package offers."""
    return [FINDERS[name]() for name in sorted(FINDERS)]


def repeatable(finder: MaximumFinder) -> Repeatable:
    """How far a finder's duels may depend on how answers arrive."""
    return "front only" if finder.name == "beat-the-mean" else "always"


def cases() -> list[Case]:
    """Every algorithm, in every setting it knows."""
    delta = 0.01
    unchained = ac.UnchainedBandits(delta=delta, decoy_gap=DECOY_GAP)
    plain = ac.UnchainedBandits(delta=delta, decoy_gap=None, epsilon=0.2)
    in_between = ac.Rules(tests="intervals", ties="coin")
    witness = ac.Witness(delta=delta, decoy_gap=DECOY_GAP)
    no_decoys = ac.Witness(delta=delta, decoy_gap=None, epsilon=0.2)
    # Held against every claim, lost answers would leave nothing to claim at the rates of the suite.
    certifying = Certifying(delta=delta, epsilon=0.19, rules=ac.Rules(lost="ignore"))
    return [
        Case("witness", witness),
        Case("witness-lost-against", replace(witness, rules=ac.Rules(lost="against"))),
        Case("witness-least-regret", replace(witness, aim="regret")),
        Case("witness-no-decoys", no_decoys, "without spare"),
        Case("unchained", unchained),
        Case("unchained-paper", replace(unchained, rules=ac.Rules.paper())),
        Case("unchained-intervals-early-exit", replace(unchained, rules=in_between)),
        Case("unchained-lost-against", replace(unchained, rules=ac.Rules(lost="against"))),
        Case("unchained-no-decoys", plain),
        Case("unchained-no-decoys-paper", replace(plain, rules=ac.Rules.paper())),
        Case("real-decoys", RealDecoys(delta=delta, decoy_gap=DECOY_GAP)),
        Case("certificate", certifying, "by answers in"),
        Case("certificate-decoys", replace(certifying, decoy_gap=DECOY_GAP), "by answers in"),
        Case("uniform", ac.UniformSampling(delta=delta, decoy_gap=DECOY_GAP)),
        Case("uniform-observable", ac.UniformSampling(delta=delta, decoy_gap=None)),
        Case("orient", ac.Orient(delta=delta)),
        Case("orient-lost-against", ac.Orient(delta=delta, rules=ac.Rules(lost="against"))),
        *(
            Case(
                f"slicing-{finder.name}",
                ac.SlicingBandits(delta=delta, maximum=finder),
                repeatable(finder),
            )
            for finder in finders()
        ),
    ]


CASES = {case.label: case for case in cases()}
WITH_ROUNDS = {
    label: case for label, case in CASES.items() if case.algorithm.start(["a", "b"]).message
}
"""Those whose runs go in rounds; the others ask for one duel at a time."""
