"""One comparison under way: what is known, what is asked, what is still missing."""

from __future__ import annotations

from antichain.algorithms.rounds import Round
from antichain.algorithms.rules import Rules
from antichain.evidence.answers import Tally
from antichain.evidence.sequential import Counts, Streams
from antichain.evidence.verdicts import Verdict
from antichain.keyed import keyed_uniform


class Comparison:
    """One comparison under way: its counts, and what it still waits for."""

    __slots__ = ("bonus", "counts", "left", "out", "right", "start", "target", "test", "verdict")

    def __init__(self, round_: Round, row: int) -> None:
        self.left = int(round_.lefts[row])
        self.right = int(round_.rights[row])
        self.test = round_.test
        self.bonus = float(round_.bonus[row])
        self.start = round_.start[row]
        self.counts: Counts = self.start.copy()
        self.out = [0, 0]
        self.target = 0
        self.verdict = Verdict.OPEN
        self.judge()

    @property
    def streams(self) -> range:
        """The numbers of the streams it is fed with."""
        return range(2 if self.test.streams is Streams.BOTH_DECOYS else 1)

    def answered(self, stream: int) -> int:
        """Duels of a stream that are in, carried over ones included."""
        if self.test.is_probe:
            return int(self.counts[:3].sum() + self.counts[4])
        return int(self.counts[4 * stream : 4 * stream + 4].sum())

    def missing(self, stream: int) -> int:
        """Duels of a stream not yet asked for, up to the end of the bundle."""
        return self.target - self.answered(stream) - self.out[stream]

    def judge(self) -> None:
        """Read the verdict if everything asked for is in, and set the next target."""
        if any(self.answered(stream) < self.target for stream in self.streams):
            return
        self.verdict = self.test.verdict(self.counts, self.bonus)
        if self.verdict is Verdict.OPEN:
            self.target = self.answered(0) + self.test.quota(self.counts, self.bonus)

    @property
    def played(self) -> int:
        """Answers counted here beyond what was carried over, lost ones left out."""
        new = self.counts - self.start
        return int(new.sum() - new[3] - new[7])


_COINS = 0x636F696E


class Reading:
    """What answers mean as evidence, under given rules.

    A tie counts half, or is settled by a coin; "incomparable" is read like a tie, except by a
    probe; a skipped duel is lost like one that nobody answered.
    """

    def __init__(self, rules: Rules, seed: int) -> None:
        self._rules = rules
        # Gaps are keyed as well, and may be given the same seed.
        self._seed = seed % 2**63 ^ _COINS
        self._tossed: dict[tuple[int, int, int], int] = {}

    def count(self, comparison: Comparison, stream: int, tally: Tally) -> None:
        """Add answers to a comparison's counts."""
        counts = comparison.counts
        if comparison.test.is_probe:
            counts[:3] += (tally.left, tally.right, tally.tie)
            counts[4] += tally.incomparable
            return
        left, right, even = tally.left, tally.right, tally.tie + tally.incomparable
        if self._rules.ties == "coin" and even:
            heads = self._toss(comparison, stream, even)
            left, right, even = left + heads, right + even - heads, 0
        counts[4 * stream : 4 * stream + 3] += (left, right, even)
        self.lose(comparison, stream, tally.skipped)

    def lose(self, comparison: Comparison, stream: int, duels: int) -> None:
        """Hold lost answers against every claim, if the rules say so."""
        if self._rules.lost == "against" and not comparison.test.is_probe:
            comparison.counts[4 * stream + 3] += duels

    def _toss(self, comparison: Comparison, stream: int, coins: int) -> int:
        """Heads among the next `coins` tosses of a pair: a function of how many came before."""
        # One sequence of coins for each pair and kind of duel, whichever order answers come in.
        kind = 3 * int(comparison.test.streams) + stream
        key = (comparison.left, comparison.right, kind)
        before = self._tossed.get(key, 0)
        self._tossed[key] = before + coins
        return sum(
            keyed_uniform(self._seed, comparison.left, comparison.right, (toss << 4) + kind) < 0.5
            for toss in range(before, before + coins)
        )
