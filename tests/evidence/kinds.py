"""Every kind of test, with numbers of all sizes, for the tests of the tests."""

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from antichain.evidence import Bet, SequentialTest
from antichain.evidence._answers import COUNTS

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Kind:
    """A test, its prior evidence, and which counts it takes."""

    label: str
    test: SequentialTest
    prior_evidence: float = 0.0
    ties: bool = False

    @property
    def in_step(self) -> bool:
        """Whether two streams run in step."""
        return self.test.in_step

    def fresh(self) -> Counts:
        """The counts before any duel."""
        return np.zeros(COUNTS, np.int64)

    def verdicts(self, counts: Counts) -> NDArray[np.int8]:
        """The verdict of each row."""
        rows = len(counts)
        no_target = np.zeros(rows, np.int64)
        return self.test.verdicts(counts, np.full(rows, self.prior_evidence), no_target)

    def quotas(self, counts: Counts) -> NDArray[np.int64]:
        """The quota of each row."""
        rows = len(counts)
        no_target = np.zeros(rows, np.int64)
        return self.test.quotas(counts, np.full(rows, self.prior_evidence), no_target)


KINDS = [
    Kind("direct interval", SequentialTest.direct_interval(0.05, 0.15)),
    Kind("capped interval", SequentialTest.capped_interval(4.0, 90.5)),
    Kind("uncapped interval", SequentialTest.capped_interval(4.0, math.inf)),
    Kind("one-sided interval", SequentialTest.one_sided_interval(4.0, 0.15)),
    Kind("decoys in step", SequentialTest.decoys_in_step(0.05, 0.15)),
    Kind(
        "two-sided bets",
        SequentialTest.two_sided_bets(0.01, Bet.geometric(0.1), 0.2, 0.05),
        ties=True,
    ),
    Kind(
        "two-sided, open", SequentialTest.two_sided_bets(0.1, Bet.open_ended(), 0.2, 0.0), ties=True
    ),
    Kind(
        "one-sided bets",
        SequentialTest.one_sided_bets(0.01, Bet.geometric(0.15), 0.15, 0.02),
        prior_evidence=1.0,
        ties=True,
    ),
    Kind(
        "one gap",
        SequentialTest.one_sided_bets(0.05, Bet.on_gaps([0.1], [1.0]), 0.1, 0.1),
        prior_evidence=-0.5,
        ties=True,
    ),
    Kind(
        "one-sided, open",
        SequentialTest.one_sided_bets(0.05, Bet.open_ended(), 0.2, 0.0),
        ties=True,
    ),
]
LABELS = [kind.label for kind in KINDS]


@st.composite
def any_kind(draw: st.DrawFn) -> Kind:
    """A test of any kind, with levels and gaps of any size."""
    label = draw(st.sampled_from(LABELS))
    gap = draw(st.floats(0.005, 0.45))
    alpha = draw(st.floats(1e-9, 0.5))
    beta = draw(st.one_of(st.just(0.0), st.floats(1e-6, 0.5)))
    level = math.log(2 / alpha)
    bet = draw(
        st.one_of(
            st.floats(0.01, 0.4).map(Bet.geometric),
            st.just(Bet.open_ended()),
            st.just(Bet.on_gaps([gap], [1.0])),
        )
    )
    prior = draw(st.floats(-3.0, 3.0)) if label in ("one-sided bets", "one gap") else 0.0
    test = {
        "direct interval": lambda: SequentialTest.direct_interval(alpha, gap),
        "capped interval": lambda: SequentialTest.capped_interval(level, level / (2 * gap**2)),
        "uncapped interval": lambda: SequentialTest.capped_interval(level, math.inf),
        "one-sided interval": lambda: SequentialTest.one_sided_interval(level, gap),
        "decoys in step": lambda: SequentialTest.decoys_in_step(alpha, gap),
        "two-sided bets": lambda: SequentialTest.two_sided_bets(alpha, bet, gap, beta),
        "two-sided, open": lambda: SequentialTest.two_sided_bets(alpha, Bet.open_ended(), gap, 0.0),
        "one-sided bets": lambda: SequentialTest.one_sided_bets(alpha, bet, gap, beta),
        "one gap": lambda: SequentialTest.one_sided_bets(
            alpha, Bet.on_gaps([gap], [1.0]), gap, beta
        ),
        "one-sided, open": lambda: SequentialTest.one_sided_bets(alpha, Bet.open_ended(), gap, 0.0),
    }[label]()
    without_ties = "interval" in label or label == "decoys in step"
    return Kind(label, test, prior, ties=not without_ties)


@st.composite
def states(draw: st.DrawFn, kind: Kind) -> Counts:
    """Counts that the kind of test may meet."""
    counts = np.zeros(8, np.int64)
    size = draw(st.sampled_from([3, 30, 300, 3000]))
    some = st.integers(0, size)
    if kind.in_step:
        duels = draw(some)
        for stream in (0, 4):
            counts[stream] = draw(st.integers(0, duels))
            counts[stream + 1] = duels - counts[stream]
        return counts
    counts[0], counts[1] = draw(some), draw(some)
    if kind.ties:
        counts[2] = draw(some)
        counts[3] = draw(st.integers(0, 3))
    return counts
