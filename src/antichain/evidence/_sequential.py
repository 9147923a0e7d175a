"""Sequential tests as values: what is the verdict, and how many duels are surely still needed?

A test answers two questions, both pure functions of a pair's counts: which *verdict* the counts
allow, and, if none, its *quota*: how many duels are surely needed before there can be one. The
quota serves twice. A simulator may draw that many duels at once with the very same law, and a
study may hand that many duels out at once with not one of them wasted.

A new kind of test takes one kernel that answers both questions (see `one_sided_bets` here and the
intervals in `_hoeffding`), one line in `answer`, and a constructor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain._kernels import compiled
from antichain.evidence._answers import (
    COMPARABLE,
    EVEN,
    INCOMPARABLE,
    INCOMPARABLE_ANSWERS,
    LEFT,
    LOSSES,
    LOST,
    OPEN,
    RIGHT,
    TIES,
    WINS,
    Counts,
    Floats,
    Verdict,
)
from antichain.evidence._bet import (
    Bet,
    bet_against_gap,
    bet_quota,
    bet_reaches,
    duels_to_rise,
    steps,
)
from antichain.evidence._hoeffding import (
    capped_interval,
    decoys_in_step,
    direct_interval,
    one_sided_interval,
)

# Places among the numbers of a test.
_ABOVE, _NOT_ABOVE, _WIN, _LOSS, _TIE, _BET = range(6)


def bet_numbers(alpha: float, bet: Bet, gap: float, beta: float) -> Floats:
    """The numbers of a test that says "above" at level α, and "not above by `gap`" at level β."""
    _checks.probability("alpha", alpha)
    _checks.gap("gap", gap)
    against = math.log(1 / _checks.probability("beta", beta)) if beta else math.inf
    levels = np.array([math.log(1 / alpha), against, *steps(gap)])
    return np.concatenate([levels, bet.packed])


@compiled
def two_sided_bets(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """Direct duels: LEFT, RIGHT, or EVEN once a gap either way is unlikely."""
    if wants_quota:
        return _two_sided_quota(numbers, c)
    return _two_sided_verdict(numbers, c)


@compiled
def one_sided_bets(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """Decoy duels of one direction: LEFT, or EVEN once a gap is unlikely.

    `prior_evidence` is log-evidence for LEFT from elsewhere; it multiplies into that bet.
    """
    if wants_quota:
        return _one_sided_quota(numbers, c, prior_evidence)
    return _one_sided_verdict(numbers, c, prior_evidence)


@compiled
def _against_left(numbers: Floats, c: Counts) -> float:
    """Log of the bet that the left item is not above by the gap."""
    return bet_against_gap(
        c[WINS] + c[LOST], c[LOSSES], c[TIES], numbers[_WIN], numbers[_LOSS], numbers[_TIE]
    )


@compiled
def _against_right(numbers: Floats, c: Counts) -> float:
    """Log of the bet that the right item is not above by the gap."""
    return bet_against_gap(
        c[LOSSES] + c[LOST], c[WINS], c[TIES], numbers[_WIN], numbers[_LOSS], numbers[_TIE]
    )


@compiled
def _two_sided_verdict(numbers: Floats, c: Counts) -> int:
    bet = numbers[_BET:]
    if bet_reaches(bet, c[WINS], c[LOSSES] + c[LOST], c[TIES], numbers[_ABOVE]):
        return LEFT
    if bet_reaches(bet, c[LOSSES], c[WINS] + c[LOST], c[TIES], numbers[_ABOVE]):
        return RIGHT
    if (
        _against_left(numbers, c) >= numbers[_NOT_ABOVE]
        and _against_right(numbers, c) >= numbers[_NOT_ABOVE]
    ):
        return EVEN
    return OPEN


@compiled
def _two_sided_quota(numbers: Floats, c: Counts) -> int:
    wins, losses = c[WINS], c[LOSSES]
    # The bet on whichever item leads is the nearer of the two.
    nearest = bet_quota(
        numbers[_BET:], max(wins, losses), min(wins, losses) + c[LOST], c[TIES], numbers[_ABOVE]
    )
    left = numbers[_NOT_ABOVE] - _against_left(numbers, c)
    right = numbers[_NOT_ABOVE] - _against_right(numbers, c)
    if left < np.inf:
        # No duel lowers one deficit by more than a loss does, nor their sum by more than a tie.
        alone = duels_to_rise(max(left, right), numbers[_LOSS])
        together = duels_to_rise(left + right, 2.0 * numbers[_TIE])
        nearest = min(nearest, max(alone, together))
    return max(1, nearest)


@compiled
def _one_sided_verdict(numbers: Floats, c: Counts, prior_evidence: float) -> int:
    level = numbers[_ABOVE] - prior_evidence
    if bet_reaches(numbers[_BET:], c[WINS], c[LOSSES] + c[LOST], c[TIES], level):
        return LEFT
    return EVEN if _against_left(numbers, c) >= numbers[_NOT_ABOVE] else OPEN


@compiled
def _one_sided_quota(numbers: Floats, c: Counts, prior_evidence: float) -> int:
    level = numbers[_ABOVE] - prior_evidence
    nearest = bet_quota(numbers[_BET:], c[WINS], c[LOSSES] + c[LOST], c[TIES], level)
    if numbers[_NOT_ABOVE] < np.inf:
        deficit = numbers[_NOT_ABOVE] - _against_left(numbers, c)
        nearest = min(nearest, duels_to_rise(deficit, numbers[_LOSS]))
    return max(1, nearest)


class Streams(IntEnum):
    """Which duels a test is fed with."""

    DIRECT = 0
    """Left against right."""
    DECOY = 1
    """Left against the decoy of right."""
    BOTH_DECOYS = 2
    """Left against the decoy of right and, in step, right against the decoy of left."""


class Kind(IntEnum):
    """The kinds of test, as kernels number them."""

    TWO_SIDED_BETS = 0
    ONE_SIDED_BETS = 1
    DIRECT_INTERVAL = 2
    DECOYS_IN_STEP = 3
    CAPPED_INTERVAL = 4
    ONE_SIDED_INTERVAL = 5
    FIXED = 6
    PROBE = 7


(
    _TWO_SIDED_BETS,
    _ONE_SIDED_BETS,
    _DIRECT_INTERVAL,
    _DECOYS_IN_STEP,
    _CAPPED_INTERVAL,
    _ONE_SIDED_INTERVAL,
    _FIXED,
    _PROBE,
) = (int(kind) for kind in Kind)


@dataclass(frozen=True, eq=False)
class SequentialTest:
    """A test of one pair: build one with a constructor below.

    Tests with the same numbers are equal.

    Example:
        >>> bet = Bet.on_gaps([0.2], [1.0])
        >>> test = SequentialTest.two_sided_bets(0.01, bet, gap=0.2, beta=0.05)
        >>> from antichain import Count
        >>> counts = np.zeros(len(Count), np.int64)
        >>> test.quota(counts)
        14
        >>> counts[Count.WINS] = 14
        >>> test.verdict(counts)
        <Verdict.LEFT: 1>
    """

    kind: int
    """Which kind of test it is, as the number that the compiled loops take."""
    numbers: Floats = field(repr=False)
    streams: Streams = Streams.DIRECT
    name: str = ""

    @classmethod
    def direct_interval(cls, delta: float, gap: float) -> SequentialTest:
        """The paper's direct comparison: Hoeffding at 1−δ, indistinguishable at `gap`."""
        numbers = np.array([math.log(2 / delta), gap])
        return cls(_DIRECT_INTERVAL, numbers, name="direct interval")

    @classmethod
    def capped_interval(cls, level: float, cap: float) -> SequentialTest:
        """UniformSampling's direct test: radius √(level/(2n)), at most `cap` duels.

        `level` is the logarithm of one over the error probability.
        """
        return cls(_CAPPED_INTERVAL, np.array([level, cap]), name="capped interval")

    @classmethod
    def decoys_in_step(cls, delta: float, gap: float) -> SequentialTest:
        """The paper's decoy comparison: both directions in step, each at 1−δ/2."""
        numbers = np.array([math.log(4 / delta), gap])
        return cls(_DECOYS_IN_STEP, numbers, Streams.BOTH_DECOYS, "decoys in step")

    @classmethod
    def one_sided_interval(cls, level: float, gap: float) -> SequentialTest:
        """One direction of a decoy comparison with radius √(level/(2n)).

        `level` is the logarithm of one over the error probability.
        """
        numbers = np.array([level, gap])
        return cls(_ONE_SIDED_INTERVAL, numbers, Streams.DECOY, "one-sided interval")

    @classmethod
    def two_sided_bets(cls, alpha: float, bet: Bet, gap: float, beta: float) -> SequentialTest:
        """Direct duels, valid at any time: either side above (α each), or even at `gap` (β).

        "Even" bets against a gap of `gap` in both directions. With β = 0 the test never says it.
        """
        numbers = bet_numbers(alpha, bet, gap, beta)
        return cls(_TWO_SIDED_BETS, numbers, Streams.DIRECT, "two-sided bets")

    @classmethod
    def one_sided_bets(cls, alpha: float, bet: Bet, gap: float, beta: float) -> SequentialTest:
        """Decoy duels of one direction, valid at any time: above (α), or not above by `gap` (β).

        With a bet on the one gap `gap` this is Wald's sequential test.
        """
        numbers = bet_numbers(alpha, bet, gap, beta)
        return cls(_ONE_SIDED_BETS, numbers, Streams.DECOY, "one-sided bets")

    @classmethod
    def fixed(cls, streams: Streams = Streams.DIRECT) -> SequentialTest:
        """As many duels as the comparison's target says, then EVEN: the caller reads the counts."""
        return cls(_FIXED, np.empty(0), streams, "fixed")

    @classmethod
    def probe(cls, lead: int = 1) -> SequentialTest:
        """Tells whether the pair can be compared at all: by one duel, or by a lead of several.

        Answers "cannot compare" and others are counted against each other, until one kind leads
        by `lead`.
        """
        return cls(_PROBE, np.array([lead], np.float64), Streams.DIRECT, "probe")

    @property
    def is_probe(self) -> bool:
        """Whether this test asks for comparability only."""
        return self.kind == _PROBE

    @property
    def against_decoys(self) -> bool:
        """Whether its duels are with decoys."""
        return self.streams is not Streams.DIRECT

    @property
    def in_step(self) -> bool:
        """Whether two streams of duels run in step."""
        return self.streams is Streams.BOTH_DECOYS

    def verdict(self, counts: Counts, prior_evidence: float = 0.0, target: int = 0) -> Verdict:
        """What the counts of a pair show.

        Args:
            counts: The pair's counts (`Count` names the columns).
            prior_evidence: Log-evidence for "left is above" from elsewhere; one-sided bets only.
            target: How many duels the pair is to have had; fixed numbers of duels only.
        """
        return Verdict(judge(self.kind, self.numbers, counts, prior_evidence, target))

    def quota(self, counts: Counts, prior_evidence: float = 0.0, target: int = 0) -> int:
        """At least how many more duels (of each stream) any verdict needs; 0 if there is one."""
        if self.verdict(counts, prior_evidence, target) is not Verdict.OPEN:
            return 0
        return int(quota(self.kind, self.numbers, counts, prior_evidence, target))

    def verdicts(
        self, counts: Counts, prior_evidence: Floats, targets: NDArray[np.int64]
    ) -> NDArray[np.int8]:
        """The `verdict` of each row, as codes."""
        return judge_all(self.kind, self.numbers, counts, prior_evidence, targets)

    def quotas(
        self, counts: Counts, prior_evidence: Floats, targets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The `quota` of each row."""
        return quota_all(self.kind, self.numbers, counts, prior_evidence, targets)

    @cached_property
    def _value(self) -> tuple[int, int, bytes]:
        return self.kind, self.streams, self.numbers.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SequentialTest) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)


@compiled
def answer(
    wants_quota: bool, kind: int, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """The table of tests: what the test of a kind says on the counts `c` of a pair.

    Either its verdict's code or, for counts without a verdict, its quota.
    """
    if kind == _TWO_SIDED_BETS:
        return two_sided_bets(wants_quota, numbers, c, prior_evidence, target)
    if kind == _ONE_SIDED_BETS:
        return one_sided_bets(wants_quota, numbers, c, prior_evidence, target)
    if kind == _DIRECT_INTERVAL:
        return direct_interval(wants_quota, numbers, c, prior_evidence, target)
    if kind == _DECOYS_IN_STEP:
        return decoys_in_step(wants_quota, numbers, c, prior_evidence, target)
    if kind == _CAPPED_INTERVAL:
        return capped_interval(wants_quota, numbers, c, prior_evidence, target)
    if kind == _ONE_SIDED_INTERVAL:
        return one_sided_interval(wants_quota, numbers, c, prior_evidence, target)
    if kind == _FIXED:
        return _fixed(wants_quota, numbers, c, prior_evidence, target)
    return _probe(wants_quota, numbers, c, prior_evidence, target)


@compiled
def _fixed(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """EVEN once `target` duels are in, carried-over and lost ones included."""
    missing = target - (c[WINS] + c[LOSSES] + c[TIES] + c[LOST])
    if wants_quota:
        return int(missing)
    return OPEN if missing > 0 else EVEN


@compiled
def _probe(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """COMPARABLE or INCOMPARABLE, whichever answers lead by enough."""
    ahead = c[INCOMPARABLE_ANSWERS] - (c[WINS] + c[LOSSES] + c[TIES])
    if wants_quota:
        return int(numbers[0] - abs(ahead))
    if abs(ahead) < numbers[0]:
        return OPEN
    return INCOMPARABLE if ahead > 0 else COMPARABLE


@compiled
def judge(kind: int, numbers: Floats, c: Counts, prior_evidence: float, target: int) -> int:
    """The verdict code of a test on the counts `c` of a pair."""
    return answer(False, kind, numbers, c, prior_evidence, target)


@compiled
def quota(kind: int, numbers: Floats, c: Counts, prior_evidence: float, target: int) -> int:
    """Duels of each stream surely needed from an open state before `judge` can close it."""
    return answer(True, kind, numbers, c, prior_evidence, target)


@compiled
def judge_all(
    kind: int,
    numbers: Floats,
    counts: Counts,
    prior_evidence: Floats,
    targets: NDArray[np.int64],
) -> NDArray[np.int8]:
    """The verdict code of each row of `counts`."""
    codes = np.empty(counts.shape[0], np.int8)
    for row in range(counts.shape[0]):
        codes[row] = judge(kind, numbers, counts[row], prior_evidence[row], targets[row])
    return codes


@compiled
def quota_all(
    kind: int,
    numbers: Floats,
    counts: Counts,
    prior_evidence: Floats,
    targets: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The quota of each row of `counts` that is open, 0 for the others."""
    quotas = np.zeros(counts.shape[0], np.int64)
    for row in range(counts.shape[0]):
        prior, target = prior_evidence[row], targets[row]
        if judge(kind, numbers, counts[row], prior, target) == OPEN:
            quotas[row] = quota(kind, numbers, counts[row], prior, target)
    return quotas
