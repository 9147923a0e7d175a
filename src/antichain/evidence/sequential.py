"""Sequential tests as values: what is the verdict, and how many duels are surely still needed?

A `SequentialTest` is a kind and an array of numbers. `judge` and `quota` are pure functions of
it and of the counts of a pair, compiled, and the same lines run without the compiler. The quota
serves twice: a simulator may draw that many duels at once with the very same law, and a study
may hand that many duels out at once with not one of them wasted.

Counts of a pair are eight numbers, two *streams* of four (`Count`): left wins, right wins, ties,
and lost answers held against every claim. The second stream is only used where two directions
run in step, and by probes, which count "cannot compare" in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.compiled import compiled
from antichain.evidence.bet import LARGEST_GAP, Bet, bet_quota, bet_reaches
from antichain.evidence.confidence import sequence_quota, sequence_verdict, tuning
from antichain.evidence.hoeffding import (
    capped_quota,
    capped_verdict,
    decoys_quota,
    decoys_verdict,
    direct_quota,
    direct_verdict,
    one_sided_quota,
    one_sided_verdict,
)
from antichain.evidence.sprt import bet_against_gap, duels_to_rise, steps
from antichain.evidence.verdicts import COMPARABLE, EVEN, INCOMPARABLE, LEFT, OPEN, RIGHT, Verdict

COUNTS = 8
"""Numbers kept for a pair while it is tested."""
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class Streams(IntEnum):
    """Which duels a test is fed with."""

    DIRECT = 0
    """Left against right."""
    DECOY = 1
    """Left against the decoy of right."""
    BOTH_DECOYS = 2
    """Left against the decoy of right and, in step, right against the decoy of left."""


_DIRECT_INTERVAL = 0
_CAPPED_INTERVAL = 1
_DECOYS_IN_STEP = 2
_ONE_SIDED_INTERVAL = 3
_TWO_SIDED_BETS = 4
_ONE_SIDED_BETS = 5
_CONFIDENCE_SEQUENCE = 6
_FIXED = 7
_PROBE = 8

# Where the packed bet of a bet-based test starts: after the two thresholds and the three steps.
_BET = 5


@dataclass(frozen=True, eq=False)
class SequentialTest:
    """A test of one pair. Build one with a constructor below."""

    kind: int
    numbers: Floats = field(repr=False)
    streams: Streams = Streams.DIRECT
    name: str = ""

    @classmethod
    def direct_interval(cls, delta: float, gap: float) -> SequentialTest:
        """The paper's direct comparison: Hoeffding at 1−δ, indistinguishable at `gap`."""
        return cls(_DIRECT_INTERVAL, np.array([math.log(2 / delta), gap]), name="direct interval")

    @classmethod
    def capped_interval(cls, level: float, cap: float) -> SequentialTest:
        """UniformSampling's direct test: radius √(level/2n), at most `cap` duels."""
        return cls(_CAPPED_INTERVAL, np.array([level, cap]), name="capped interval")

    @classmethod
    def decoys_in_step(cls, delta: float, gap: float) -> SequentialTest:
        """The paper's decoy comparison: both directions in step, each at 1−δ/2."""
        numbers = np.array([math.log(4 / delta), gap])
        return cls(_DECOYS_IN_STEP, numbers, Streams.BOTH_DECOYS, "decoys in step")

    @classmethod
    def one_sided_interval(cls, level: float, gap: float) -> SequentialTest:
        """One direction of a decoy comparison with radius √(level/2n)."""
        numbers = np.array([level, gap])
        return cls(_ONE_SIDED_INTERVAL, numbers, Streams.DECOY, "one-sided interval")

    @classmethod
    def two_sided_bets(cls, alpha: float, bet: Bet, gap: float, beta: float) -> SequentialTest:
        """Direct duels, valid at any time: either side above (α each), or even at `gap` (β).

        "Even" bets against a gap of `gap` in both directions. With β = 0 it is never said.
        """
        numbers = np.concatenate([_bet_numbers(alpha, gap, beta), bet.packed])
        return cls(_TWO_SIDED_BETS, numbers, Streams.DIRECT, "two-sided bets")

    @classmethod
    def one_sided_bets(cls, alpha: float, bet: Bet, gap: float, beta: float) -> SequentialTest:
        """Decoy duels of one direction, valid at any time: above (α), or not above by `gap` (β)."""
        numbers = np.concatenate([_bet_numbers(alpha, gap, beta), bet.packed])
        return cls(_ONE_SIDED_BETS, numbers, Streams.DECOY, "one-sided bets")

    @classmethod
    def sprt(cls, alpha: float, gap: float, beta: float) -> SequentialTest:
        """Wald's test at a known gap: the one-sided bets with a bet on that one gap."""
        return cls.one_sided_bets(alpha, Bet.on_gaps([gap], [1.0]), gap, beta)

    @classmethod
    def not_maximal(cls, alpha: float) -> SequentialTest:
        """All duels of one item pooled, its opponents on the left: LEFT says it is not maximal.

        A maximal item loses each of its duels with chance at most one half, whoever the
        opponent, so that all of them feed one bet.
        """
        numbers = np.concatenate([_bet_numbers(alpha, LARGEST_GAP, 0.0), Bet.open_ended().packed])
        return cls(_ONE_SIDED_BETS, numbers, Streams.DIRECT, "not maximal")

    @classmethod
    def confidence_sequence(cls, alpha: float, gap: float, tuned_for: int = 1000) -> SequentialTest:
        """Direct duels by an interval that holds at all times: above, below, or within `gap`."""
        checks.probability("alpha", alpha)
        rho = tuning(alpha, checks.whole("tuned_for", tuned_for))
        numbers = np.array([alpha, rho, checks.gap("gap", gap)])
        return cls(_CONFIDENCE_SEQUENCE, numbers, Streams.DIRECT, "confidence sequence")

    @classmethod
    def fixed(cls, streams: Streams = Streams.DIRECT) -> SequentialTest:
        """So many duels as the comparison's bonus says, then EVEN: the caller reads the counts."""
        return cls(_FIXED, np.empty(0), streams, "fixed")

    @classmethod
    def probe(cls) -> SequentialTest:
        """One duel that tells whether the pair can be compared at all."""
        return cls(_PROBE, np.empty(0), Streams.DIRECT, "probe")

    @property
    def is_probe(self) -> bool:
        """Whether this test asks for comparability only."""
        return self.kind == _PROBE

    def verdict(self, counts: Counts, bonus: float = 0.0) -> Verdict:
        """What the counts of a pair show."""
        return Verdict(judge(self.kind, self.numbers, counts, bonus))

    def quota(self, counts: Counts, bonus: float = 0.0) -> int:
        """Duels (of each stream) surely needed before any verdict; 0 if there is one."""
        if self.verdict(counts, bonus) is not Verdict.OPEN:
            return 0
        return int(quota(self.kind, self.numbers, counts, bonus))


def _bet_numbers(alpha: float, gap: float, beta: float) -> Floats:
    checks.probability("alpha", alpha)
    checks.gap("gap", gap)
    against = math.log(1 / checks.probability("beta", beta)) if beta else math.inf
    return np.array([math.log(1 / alpha), against, *steps(gap)])


@compiled
def judge(kind: int, numbers: Floats, c: Counts, bonus: float) -> int:
    """The verdict code of a test on the counts `c` of a pair."""
    if kind == _TWO_SIDED_BETS:
        return _judge_two_sided_bets(numbers, c)
    if kind == _ONE_SIDED_BETS:
        return _judge_one_sided_bets(numbers, c, bonus)
    if kind == _DIRECT_INTERVAL:
        return direct_verdict(c[0], c[1], numbers[0], numbers[1])
    if kind == _DECOYS_IN_STEP:
        return decoys_verdict(c[0], c[4], c[0] + c[1], numbers[0], numbers[1])
    if kind == _CAPPED_INTERVAL:
        return capped_verdict(c[0], c[1], numbers[0], numbers[1])
    if kind == _ONE_SIDED_INTERVAL:
        return one_sided_verdict(c[0], c[1], numbers[0], numbers[1])
    if kind == _CONFIDENCE_SEQUENCE:
        return sequence_verdict(c[0], c[1], c[2], c[3], numbers[0], numbers[1], numbers[2])
    if kind == _FIXED:
        return EVEN if c[0] + c[1] + c[2] + c[3] >= bonus else OPEN
    if c[4] > 0:
        return INCOMPARABLE
    return COMPARABLE if c[0] + c[1] + c[2] > 0 else OPEN


@compiled
def quota(kind: int, numbers: Floats, c: Counts, bonus: float) -> int:
    """Duels of each stream surely needed from an open state before `judge` can close it."""
    if kind == _TWO_SIDED_BETS:
        return _quota_two_sided_bets(numbers, c)
    if kind == _ONE_SIDED_BETS:
        return _quota_one_sided_bets(numbers, c, bonus)
    if kind == _DIRECT_INTERVAL:
        return direct_quota(c[0], c[1], numbers[0], numbers[1])
    if kind == _DECOYS_IN_STEP:
        return decoys_quota(c[0], c[4], c[0] + c[1], numbers[0], numbers[1])
    if kind == _CAPPED_INTERVAL:
        return capped_quota(c[0], c[1], numbers[0], numbers[1])
    if kind == _ONE_SIDED_INTERVAL:
        return one_sided_quota(c[0], c[1], numbers[0], numbers[1])
    if kind == _CONFIDENCE_SEQUENCE:
        return sequence_quota(c[0], c[1], c[2], c[3], numbers[0], numbers[1], numbers[2])
    if kind == _FIXED:
        return int(math.ceil(bonus) - (c[0] + c[1] + c[2] + c[3]))
    return 1


@compiled
def _judge_two_sided_bets(numbers: Floats, c: Counts) -> int:
    wins, losses, ties, lost = c[0], c[1], c[2], c[3]
    bet = numbers[_BET:]
    # A lost answer is held against each claim: as a loss of whoever is claimed to be above, and
    # as a win of whoever is claimed not to be.
    if bet_reaches(bet, wins, losses + lost, ties, numbers[0]):
        return LEFT
    if bet_reaches(bet, losses, wins + lost, ties, numbers[0]):
        return RIGHT
    win, loss, tie = numbers[2], numbers[3], numbers[4]
    if (
        bet_against_gap(wins + lost, losses, ties, win, loss, tie) >= numbers[1]
        and bet_against_gap(losses + lost, wins, ties, win, loss, tie) >= numbers[1]
    ):
        return EVEN
    return OPEN


@compiled
def _quota_two_sided_bets(numbers: Floats, c: Counts) -> int:
    wins, losses, ties, lost = c[0], c[1], c[2], c[3]
    win, loss, tie = numbers[2], numbers[3], numbers[4]
    bet = numbers[_BET:]
    # The bet on whoever leads is the nearer of the two.
    nearest = bet_quota(bet, max(wins, losses), min(wins, losses) + lost, ties, numbers[0])
    left = numbers[1] - bet_against_gap(wins + lost, losses, ties, win, loss, tie)
    right = numbers[1] - bet_against_gap(losses + lost, wins, ties, win, loss, tie)
    if left < np.inf:
        # No duel lowers one deficit by more than a loss does, nor their sum by more than a tie.
        alone = duels_to_rise(max(left, right), loss)
        together = duels_to_rise(left + right, 2.0 * tie)
        nearest = min(nearest, max(alone, together))
    return max(1, nearest)


@compiled
def _judge_one_sided_bets(numbers: Floats, c: Counts, bonus: float) -> int:
    wins, losses, ties, lost = c[0], c[1], c[2], c[3]
    if bet_reaches(numbers[_BET:], wins, losses + lost, ties, numbers[0] - bonus):
        return LEFT
    against = bet_against_gap(wins + lost, losses, ties, numbers[2], numbers[3], numbers[4])
    return EVEN if against >= numbers[1] else OPEN


@compiled
def _quota_one_sided_bets(numbers: Floats, c: Counts, bonus: float) -> int:
    wins, losses, ties, lost = c[0], c[1], c[2], c[3]
    nearest = bet_quota(numbers[_BET:], wins, losses + lost, ties, numbers[0] - bonus)
    against = bet_against_gap(wins + lost, losses, ties, numbers[2], numbers[3], numbers[4])
    if numbers[1] < np.inf:
        nearest = min(nearest, duels_to_rise(numbers[1] - against, numbers[3]))
    return max(1, nearest)


@compiled
def judge_all(kind: int, numbers: Floats, counts: Counts, bonus: Floats) -> NDArray[np.int8]:
    """The verdict code of each row of `counts`."""
    codes = np.empty(counts.shape[0], np.int8)
    for row in range(counts.shape[0]):
        codes[row] = judge(kind, numbers, counts[row], bonus[row])
    return codes


@compiled
def quota_all(kind: int, numbers: Floats, counts: Counts, bonus: Floats) -> Counts:
    """The quota of each row of `counts` that is open, 0 for the others."""
    quotas = np.zeros(counts.shape[0], np.int64)
    for row in range(counts.shape[0]):
        if judge(kind, numbers, counts[row], bonus[row]) == OPEN:
            quotas[row] = quota(kind, numbers, counts[row], bonus[row])
    return quotas
