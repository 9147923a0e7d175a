"""Arenas that know each duel's chance, and so play whole comparisons by exact leaps.

From an open state no verdict is possible before the quota is spent, so that many duels are
drawn at once as one binomial: the law of the stopping time and of the verdict is that of
playing duel by duel, at a few draws per comparison.
"""

from __future__ import annotations

import heapq
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from antichain import _checks
from antichain._interrupts import interrupts_wait
from antichain._kernels import compiled
from antichain.algorithms._rounds import (
    Ask,
    Indices,
    Race,
    RaceOutcome,
    Round,
    close,
    ends_round,
    stop_mask,
)
from antichain.arenas._arena import Arena, check_known
from antichain.errors import InputError
from antichain.evidence._answers import (
    COMPARABLE,
    COUNTS,
    INCOMPARABLE,
    INCOMPARABLE_ANSWERS,
    LEFT,
    LOSSES,
    OPEN,
    RIGHT,
    SECOND_LOSSES,
    SECOND_WINS,
    WINS,
    Counts,
    Floats,
    Tally,
)
from antichain.evidence._sequential import judge, quota

_NO_LIMIT = 2**62
_VOTERS = (0x766F7465,)
# Comparisons set up at a time: a candidate is often dominated long before the last pivot.
_CHUNK = 512


@compiled
def play_in_order(
    kind: int,
    numbers: Floats,
    first: Floats,
    second: Floats,
    counts: Counts,
    prior_evidence: Floats,
    targets: Indices,
    stop: NDArray[np.bool_],
    streams: int,
    allowance: int,
    generator: Generator,
) -> tuple[bool, int]:
    """Play comparisons one after the other, in place; up to the first whose verdict stops.

    Args:
        kind: The test's kind.
        numbers: The test's numbers.
        first: Chance of a left win in each comparison's first stream.
        second: The same in the second stream (ignored with one stream).
        counts: Counts of each comparison, changed in place.
        prior_evidence: Log-evidence from elsewhere, for each comparison.
        targets: The number of duels each comparison is to have had, where its test has one.
        stop: Which verdict codes end the round.
        streams: 1, or 2 for directions in step.
        allowance: Duels that may be played at most.
        generator: Source of randomness.

    Returns:
        Whether the round ended here (by a verdict or the allowance), and the duels played.
    """
    played = 0
    for row in range(counts.shape[0]):
        c, prior, target = counts[row], prior_evidence[row], targets[row]
        verdict = judge(kind, numbers, c, prior, target)
        while verdict == OPEN:
            sure = quota(kind, numbers, c, prior, target)
            duels = min(sure, (allowance - played) // streams)
            if duels <= 0:
                return True, played
            _draw(c, duels, first[row], second[row], streams, generator)
            played += streams * duels
            verdict = judge(kind, numbers, c, prior, target)
        if ends_round(stop, verdict):
            return True, played
    return False, played


@compiled
def _draw(
    c: Counts, duels: int, first: float, second: float, streams: int, generator: Generator
) -> None:
    wins = generator.binomial(duels, first)
    c[WINS] += wins
    c[LOSSES] += duels - wins
    if streams == 2:
        wins = generator.binomial(duels, second)
        c[SECOND_WINS] += wins
        c[SECOND_LOSSES] += duels - wins


@compiled
def run_race(
    kind: int,
    numbers: Floats,
    first: Floats,
    second: Floats,
    lefts: Indices,
    rights: Indices,
    items: int,
    streams: int,
    generator: Generator,
) -> tuple[Indices, Indices, Counts, Indices, Counts, Indices]:
    """Play a race pair by pair, looking at each pair only where its test could stop.

    A pair's duels are drawn up to its next possible stop, which may lie beyond the step at
    which one of its items leaves: what was drawn too much is given back by `thin_out`.

    Returns:
        (loser, winner) rows in the order of leaving; for each pair its duels (of a stream) and
        its counts before the last leap, the same after it, and the duels it took.
    """
    pairs = lefts.size
    before, after = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)
    counts_before = np.zeros((pairs, COUNTS), np.int64)
    counts = np.zeros((pairs, COUNTS), np.int64)
    gone_at = np.full(items, -1, np.int64)
    eliminated = np.empty((items, 2), np.int64)
    losers = 0
    queue = [(0, row) for row in range(pairs)]
    heapq.heapify(queue)
    while len(queue) > 0:
        duels, row = heapq.heappop(queue)
        left, right = lefts[row], rights[row]
        if gone_at[left] >= 0 or gone_at[right] >= 0:
            continue
        c = counts[row]
        verdict = judge(kind, numbers, c, 0.0, 0)
        if verdict == OPEN:
            step = quota(kind, numbers, c, 0.0, 0)
            before[row], after[row] = duels, duels + step
            counts_before[row] = c
            _draw(c, step, first[row], second[row], streams, generator)
            heapq.heappush(queue, (duels + step, row))
        elif verdict in (LEFT, RIGHT):
            loser, winner = (right, left) if verdict == LEFT else (left, right)
            gone_at[loser] = duels
            eliminated[losers, 0], eliminated[losers, 1] = loser, winner
            losers += 1
    taken = after.copy()
    for row in range(pairs):
        for item in (lefts[row], rights[row]):
            if gone_at[item] >= 0:
                taken[row] = min(taken[row], gone_at[item])
    return eliminated[:losers].copy(), before, counts_before, after, counts, taken


def thin_out(
    before: Indices,
    counts_before: Counts,
    after: Indices,
    counts_after: Counts,
    taken: Indices,
    generator: Generator,
) -> Counts:
    """The counts of each pair at the step it ended, given the leap that passed it.

    Which of a leap's duels were wins is exchangeable, so that the wins among its first few are
    hypergeometric.
    """
    counts = counts_before.copy()
    part = taken - before
    for wins, losses in ((WINS, LOSSES), (SECOND_WINS, SECOND_LOSSES)):
        won = counts_after[:, wins] - counts_before[:, wins]
        lost = counts_after[:, losses] - counts_before[:, losses]
        if (won + lost == 0).all():
            continue  # one stream only
        kept = generator.hypergeometric(won, lost, part)
        counts[:, wins] += kept
        counts[:, losses] += part - kept
    return counts


class LeapingArena(Arena):
    """Answers by drawing from known chances, one generator for all.

    Subclasses define `chances`.
    """

    comparability_error: float = 0.0

    def __init__(self, items: Sequence[str], seed: int) -> None:
        self.items = _checks.item_names(items)
        # A key of its own: algorithms and generators are often given the same seed, and voters
        # must not follow from the order in which they are asked.
        entropy = np.random.SeedSequence(_checks.whole("seed", seed, least=0), spawn_key=_VOTERS)
        self._generator = np.random.default_rng(entropy)

    @abstractmethod
    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        """The chance that each left item wins against the right one (or its decoy)."""

    def observed_incomparable(self, lefts: Indices, rights: Indices) -> NDArray[np.bool_]:
        """Which direct duels are answered "incomparable"."""
        return np.zeros(lefts.size, np.bool_)

    @cached_property
    def index(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.items)}

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        return [self._draw(ask, *self._look_up(ask)) for ask in asks]

    def _look_up(self, ask: Ask) -> tuple[Indices, Indices]:
        check_known(ask, self.index, self.items)
        return np.array([self.index[ask.left]]), np.array([self.index[ask.right]])

    def _draw(self, ask: Ask, left: Indices, right: Indices) -> Tally:
        cannot = 0 if ask.decoy else self._cannot_compare(ask.duels, left, right)
        if cannot == ask.duels:  # and perhaps there is no chance that the left item wins
            return Tally(incomparable=cannot)
        chance = float(self.chances(left, right, ask.decoy)[0])
        wins = int(self._generator.binomial(ask.duels - cannot, chance))
        return Tally(wins, ask.duels - cannot - wins, incomparable=cannot)

    def _cannot_compare(self, duels: int, left: Indices, right: Indices) -> int:
        """How many of a pair's duels are answered "cannot compare"."""
        seen = bool(self.observed_incomparable(left, right)[0])
        error = self.comparability_error
        if not error:
            return duels if seen else 0
        return int(self._generator.binomial(duels, 1 - error if seen else error))

    # -- whole rounds --------------------------------------------------------------------------

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        """Yes, except for races with an allowance and duels answered "incomparable".

        Nor where voters err about what can be compared, or a probe takes several duels.
        """
        if self.comparability_error and not message.test.against_decoys:
            return False
        if message.test.is_probe and message.test.numbers[0] > 1:
            return False
        if isinstance(message, Race) and allowance is not None:
            return False
        if message.test.is_probe or message.test.against_decoys:
            return True
        return not self.observed_incomparable(message.lefts, message.rights).any()

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        limit = _NO_LIMIT if allowance is None else allowance
        with interrupts_wait():
            if isinstance(message, Race):
                return self._run(message)
            if message.test.is_probe:
                return self._probe(message, limit)
            return self._play(message, limit)

    def _play(self, message: Round, allowance: int) -> Counts:
        test = message.test
        counts = message.start.copy()
        both, decoy = test.in_step, test.against_decoys
        for low in range(0, len(message), _CHUNK):
            part = slice(low, min(low + _CHUNK, len(message)))
            lefts, rights = message.lefts[part], message.rights[part]
            first = self.chances(lefts, rights, decoy)
            ended, played = play_in_order(
                test.kind,
                test.numbers,
                first,
                self.chances(rights, lefts, decoy) if both else first,
                counts[part],
                message.prior_evidence[part],
                message.targets[part],
                stop_mask(message.stop),
                2 if both else 1,
                allowance,
                self._generator,
            )
            allowance -= played
            if ended:
                break
        return counts

    def _probe(self, message: Round, allowance: int) -> Counts:
        counts = message.start.copy()
        incomparable = self.observed_incomparable(message.lefts, message.rights)
        verdicts = np.where(incomparable, INCOMPARABLE, COMPARABLE).astype(np.int8)
        asked = np.arange(min(close(message, verdicts).closed, allowance))
        counts[asked[incomparable[asked]], INCOMPARABLE_ANSWERS] += 1
        told = asked[~incomparable[asked]]
        chances = self.chances(message.lefts[told], message.rights[told], decoy=False)
        won = self._generator.random(told.size) < chances
        counts[told[won], WINS] += 1
        counts[told[~won], LOSSES] += 1
        return counts

    def _run(self, race: Race) -> RaceOutcome:
        both, decoy = race.test.in_step, race.test.against_decoys
        first = self.chances(race.lefts, race.rights, decoy)
        eliminated, before, counts_before, after, counts_after, taken = run_race(
            race.test.kind,
            race.test.numbers,
            first,
            self.chances(race.rights, race.lefts, decoy) if both else first,
            race.lefts,
            race.rights,
            len(self.items),
            2 if both else 1,
            self._generator,
        )
        counts = thin_out(before, counts_before, after, counts_after, taken, self._generator)
        return RaceOutcome(tuple((int(a), int(b)) for a, b in eliminated), counts)

    # -- state -----------------------------------------------------------------------------------

    def state(self) -> Any:
        return self._generator.bit_generator.state

    def restore(self, state: Any) -> None:
        try:
            self._generator.bit_generator.state = state
        except (TypeError, ValueError, KeyError) as cause:
            raise InputError(
                f"{state!r} is not a state of this arena's generator; one returned by state() was "
                "expected."
            ) from cause
