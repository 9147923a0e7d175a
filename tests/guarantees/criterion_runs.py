"""Many logs with several criteria or attributes grown side by side, stopped at a false claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from antichain.certify._claims import step_down
from antichain.certify._several import CriterionEvidence, Possible, beyond_gap, possible_above
from antichain.evidence._bet import Bet, total
from tests.guarantees.certify_runs import Floats, Mask, Rules, Whole
from tests.guarantees.error_rates import ErrorCount


@dataclass(frozen=True)
class CriterionWorld:
    """What is true.

    Attributes:
        gaps: By criterion, the mean score of the row's item against the column's, less one half.
        epsilon: The ε of the certificates.
        values: Attributes of each item (rows), more being better.
        ties: The chance of a tie (as far as the gap allows).
        halo: Whether a voter answers all criteria of a pair at once, and by the same coin.
    """

    gaps: Floats
    epsilon: float = 0.2
    values: Floats | None = None
    ties: float = 0.0
    halo: bool = False

    @property
    def size(self) -> int:
        return self.gaps.shape[1]

    @property
    def known(self) -> Floats:
        return np.zeros((self.size, 0)) if self.values is None else self.values

    @property
    def pairs(self) -> Whole:
        return np.array(list(combinations(range(self.size), 2)))

    def is_above(self, j: int, i: int) -> bool:
        """Whether j is above i, word for word as docs/guides/criteria.md says it."""
        ahead, known = self.gaps[:, j, i], self.known[j] - self.known[i]
        if (known < 0).any():
            return False
        if all(gap > 0 for gap in ahead):
            return True
        clearly = (known > 0).any() or any(gap > self.epsilon for gap in ahead)
        return bool(clearly and all(gap >= -self.epsilon for gap in ahead))

    def leaves_in(self, j: int, i: int) -> bool:
        """Whether "in" is true of i as far as j is concerned."""
        ahead, known = self.gaps[:, j, i], self.known[j] - self.known[i]
        if (known < 0).any() or any(gap <= 0 for gap in ahead):
            return True
        return bool((known == 0).all() and all(gap <= self.epsilon for gap in ahead))

    def others(self, i: int) -> list[int]:
        return [j for j in range(self.size) if j != i]

    def true_nulls(self) -> dict[str, Mask]:
        """Which claims of each family would be false."""
        above = [[self.is_above(*pair), self.is_above(*pair[::-1])] for pair in self.pairs.tolist()]
        even = [bool((np.abs(self.gaps[:, i, j]) <= self.epsilon).all()) for i, j in self.pairs]
        every = range(self.size)
        return {
            "out": np.array([not any(self.is_above(j, i) for j in self.others(i)) for i in every]),
            "in": np.array([not all(self.leaves_in(j, i) for j in self.others(i)) for i in every]),
            "above": ~np.array(above).ravel(),
            "even": ~np.array(even),
        }


class Ledger:
    """The log e-values of many runs, by run, criterion, pair and direction, looked up in tables."""

    def __init__(self, world: CriterionWorld, runs: int, most: int) -> None:
        shape = (runs, len(world.gaps), len(world.pairs))
        self.counts = np.zeros((*shape, 3), np.int64)  # wins of the first, losses, ties
        self.logs = np.zeros((3, *shape, 2))
        grid = np.indices((most + 1,) * 3 if world.ties else (most + 1, most + 1, 1)).reshape(3, -1)
        bets = Bet.open_ended(), Bet.against_gap(world.epsilon), beyond_gap(world.epsilon)
        self._tables = np.array([total(bet.terms_of_counts(*grid)) for bet in bets])
        self._base = most + 1

    def add(self, cell: tuple[Whole, Whole, Whole], said: Whole) -> None:
        self.counts[*cell, said] += 1
        wins, losses, ties = self.counts[cell].T
        last = self._base if self._tables.shape[1] > self._base**2 else 1
        for side, (won, lost) in enumerate(((wins, losses), (losses, wins))):
            self.logs[:, *cell, side] = self._tables[:, (won * self._base + lost) * last + ties]

    def evidence(self, possible: Possible) -> CriterionEvidence:
        """All pairs of all runs, as if they were pairs of one log."""
        rows = self.logs.transpose(0, 2, 1, 3, 4).reshape(3, self.logs.shape[2], -1, 2)
        return CriterionEvidence(rows[0], rows[1], rows[2], possible)


def claimed(
    evidence: CriterionEvidence, world: CriterionWorld, runs: int, spent: dict[str, float]
) -> dict[str, Mask]:
    """What is claimed of items in each run, written once more for all runs at once."""
    size, (first, second) = world.size, world.pairs.T
    above = evidence.dominates.reshape(runs, -1, 2)
    cleared = evidence.cleared.reshape(runs, -1, 2)
    tested = possible_above(world.known, first, second).rivals > 0
    against = np.ones((runs, size))
    for i in np.flatnonzero(tested):
        mine = np.concatenate([above[:, second == i, 0], above[:, first == i, 1]], axis=1)
        parts = [
            np.logaddexp(np.log1p(-rho), np.log(rho) + mine).sum(axis=1)
            for rho in (1 / size, 0.15, 0.5)
        ]
        against[:, i] = np.exp(np.minimum(np.logaddexp.reduce(parts) - np.log(3), 700))
    short = np.where(tested, np.maximum(0, 1 - spent["out"] * against), 0)
    needed = 1 + short.sum(axis=1, keepdims=True) - short
    out = (spent["out"] * against >= needed) & tested & (spent["out"] > 0)
    least = np.full((runs, size), np.inf)
    for side, ours in enumerate((second, first)):
        for pair, i in enumerate(ours):
            least[:, i] = np.minimum(least[:, i], cleared[:, pair, side])
    least = np.where(out, -np.inf, least)
    inside = np.zeros((runs, size), np.bool_)
    for members in range(1, size + 1):  # the largest set that passes is the last one kept
        with np.errstate(divide="ignore"):
            passing = least >= np.log((1 + size - members) / np.float64(spent["in"]))
        enough = passing.sum(axis=1) >= members
        inside[enough] = passing[enough]
    return {"out": out, "in": inside}


def false_claims(
    evidence: CriterionEvidence, world: CriterionWorld, runs: int, spent: dict[str, float]
) -> Mask:
    nulls, wrong = world.true_nulls(), np.zeros(runs, np.bool_)
    for name, shown in claimed(evidence, world, runs, spent).items():
        wrong |= (shown & nulls[name]).any(axis=1)
    pairs = len(world.pairs)
    families = (
        ("above", evidence.dominates.reshape(runs, -1), 2 * pairs),
        ("even", evidence.within.min(axis=(0, 2)).reshape(runs, -1), pairs),
    )
    for name, logs, family in families:
        if spent[name]:
            thinkable = ((logs >= -np.log(spent[name])) & nulls[name]).any(axis=1) & ~wrong
            for run in np.flatnonzero(thinkable):
                shown = step_down(logs[run], family, spent[name]).rejected
                wrong[run] = (shown & nulls[name]).any()
    return wrong


# Which criterion and pair each run asks next.
Policy = Callable[[Ledger, CriterionEvidence, np.random.Generator], tuple[Whole, Whole]]


def anywhere(
    ledger: Ledger, evidence: CriterionEvidence, rng: np.random.Generator
) -> tuple[Whole, Whole]:
    runs, criteria, pairs = ledger.counts.shape[:3]
    return rng.integers(criteria, size=runs), rng.integers(pairs, size=runs)


def after_a_claim(
    ledger: Ledger, evidence: CriterionEvidence, rng: np.random.Generator
) -> tuple[Whole, Whole]:
    """The pair nearest to a claim, on the criterion that holds it back, or pushes it most."""
    runs, criteria, pairs = ledger.counts.shape[:3]
    shown = np.maximum(evidence.dominates, np.where(evidence.possible.above, evidence.cleared, 0))
    nearest = shown.max(axis=1).reshape(runs, pairs)
    pair = np.argmax(nearest + rng.random(nearest.shape), axis=1)
    logs = ledger.logs[:, np.arange(runs), :, pair].max(axis=(1, 3))
    weakest = np.argmin(logs + rng.random((runs, criteria)) * 1e-3, axis=1)
    any_one = rng.integers(criteria, size=runs)
    return np.where(rng.random(runs) < 0.7, weakest, any_one), pair


def errors_in_criteria(
    world: CriterionWorld,
    delta: float,
    runs: int,
    votes: int,
    policy: Policy,
    seed: int,
    only: str | None = None,
) -> ErrorCount:
    """Count the runs in which anything false is ever claimed, looking after every vote."""
    rng, spent = np.random.default_rng(seed), Rules(only).spent(delta)
    first, second = world.pairs.T
    one = possible_above(world.known, first, second)
    wrong = 0
    ledger = Ledger(world, runs, votes)
    for _ in range(votes):
        alive = len(ledger.counts)
        possible = replace_rows(one, alive)
        evidence = ledger.evidence(possible)
        criterion, pair = policy(ledger, evidence, rng)
        gap = world.gaps[criterion, first[pair], second[pair]]
        decided = np.maximum(1 - world.ties, 2 * np.abs(gap))
        coin = rng.random(alive)
        said = np.select([coin < decided / 2 + gap, coin < decided], [0, 1], 2)
        for about in range(len(world.gaps)) if world.halo else (criterion,):
            ledger.add((np.arange(alive), np.broadcast_to(about, alive), pair), said)
        bad = false_claims(ledger.evidence(possible), world, alive, spent)
        wrong += int(bad.sum())
        if bad.any():
            ledger.counts, ledger.logs = ledger.counts[~bad], ledger.logs[:, ~bad]
    return ErrorCount(wrong, runs)


def replace_rows(one: Possible, runs: int) -> Possible:
    return Possible(np.tile(one.above, (runs, 1)), np.tile(one.better, (runs, 1)), one.rivals)
