"""Arenas that know each duel's chance, and so can play whole comparisons at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.algorithms.rounds import (
    Ask,
    Indices,
    Race,
    RaceOutcome,
    Round,
    close,
    stop_mask,
)
from antichain.arenas.base import Arena, check_known
from antichain.arenas.leap import play_in_order, run_race, thin_out
from antichain.errors import InputError
from antichain.evidence.answers import Tally
from antichain.evidence.verdicts import (
    COMPARABLE,
    INCOMPARABLE,
    INCOMPARABLE_ANSWERS,
    LOSSES,
    WINS,
    Counts,
    Floats,
)
from antichain.interrupts import interrupts_wait

_NO_LIMIT = 2**62
_VOTERS = (0x766F7465,)
# Comparisons set up at a time: a candidate is often dominated long before the last pivot.
_CHUNK = 512


class LeapingArena(Arena):
    """Answers by drawing from known chances, one generator for all.

    Subclasses define `chances`.
    """

    def __init__(self, items: Sequence[str], seed: int) -> None:
        self.items = tuple(items)
        # A key of its own: algorithms and generators are often given the same seed, and voters
        # must not follow from the order in which they are asked.
        entropy = np.random.SeedSequence(checks.whole("seed", seed, least=0), spawn_key=_VOTERS)
        self._generator = np.random.default_rng(entropy)

    @abstractmethod
    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        """The chance that each left item wins against the right one (or its decoy)."""

    def observed_incomparable(self, lefts: Indices, rights: Indices) -> NDArray[np.bool_]:
        """Which direct duels are answered "incomparable"."""
        return np.zeros(lefts.size, np.bool_)

    @cached_property
    def index(self) -> dict[str, int]:
        """Positions of the items' names."""
        return {name: position for position, name in enumerate(self.items)}

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        """Draw each ask's duels as one binomial."""
        return [self._draw(ask, *self._look_up(ask)) for ask in asks]

    def _look_up(self, ask: Ask) -> tuple[Indices, Indices]:
        check_known(ask, self.index, self.items)
        return np.array([self.index[ask.left]]), np.array([self.index[ask.right]])

    def _draw(self, ask: Ask, left: Indices, right: Indices) -> Tally:
        if not ask.decoy and self.observed_incomparable(left, right)[0]:
            return Tally(incomparable=ask.duels)
        chance = float(self.chances(left, right, ask.decoy)[0])
        wins = int(self._generator.binomial(ask.duels, chance))
        return Tally(wins, ask.duels - wins)

    # -- whole rounds --------------------------------------------------------------------------

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        """Yes, except for races with an allowance and duels answered "incomparable"."""
        if isinstance(message, Race) and allowance is not None:
            return False
        if message.test.is_probe or message.test.against_decoys:
            return True
        return not self.observed_incomparable(message.lefts, message.rights).any()

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        """Play a round's comparisons in order, or a race, by exact leaps."""
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
        """The generator's state as plain data."""
        return self._generator.bit_generator.state

    def restore(self, state: Any) -> None:
        """Put the generator back where it was."""
        try:
            self._generator.bit_generator.state = state
        except (TypeError, ValueError, KeyError) as cause:
            raise InputError(
                f"{state!r} is not a state of this arena's generator; one returned by state() was "
                "expected."
            ) from cause
