"""What the counts suggest, before anything is shown.

Beliefs choose which duels to ask for; no claim ever rests on one. They take gaps to be spread
evenly, as in the paper's simulations; where that is wrong, duels are wasted and nothing else.

The numbers below were set by hand; docs/measurements/numbers.md, "Fewest duels", says what runs
with them cost.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain._kernels import compiled
from antichain.algorithms.witness._table import Table, played
from antichain.evidence._answers import Floats
from antichain.evidence._bet import Bet, log_bets

_SPREAD = Bet.on_gaps(
    [0.01, 0.03, 0.05, *np.arange(0.1, 0.46, 0.05)], [0.04, 0.04, 0.07, *[0.85 / 8] * 8]
).packed
"""Gaps and how often each is met, small ones included: those are what spoils a witness."""
_SURELY = 12.0
"""The log-odds of what is certified, and the most that duels alone can give."""
_LEAST = -8.0
"""The least log-odds that duels alone can give."""
_LOOKS_EVEN = -1.4
"""Log-odds that a pair of the field is ordered: four pairs in five that look even are."""
_NEWS = 1.08
"""Groups are guessed again once there are this many times as many direct duels."""

_SAMPLERS = 8
"""Sortings kept side by side: one alone gets stuck in groups that should be two, and is sure."""
_FIRST_SWEEPS = 20
"""How often all items are sorted anew the first time."""
_SWEEPS = 2
"""How often they are sorted anew later."""
_COUNTED = 2
"""How many of these sweeps count, the last ones."""
_NEW_GROUP = 2.0
"""How likely an item is to found a group, against joining a given one of its own."""
_CROWDING = 0.3
"""A group of n items draws as n to this power: large groups draw little more than small ones."""
_RATES = np.arange(0.05, 1.0, 0.1)
"""How many of the rows may be above an item, in parts, each as likely as the other."""


class Beliefs(NamedTuple):
    """How likely each row is above each column, and how suspicious each pair of the field."""

    above: Floats
    suspicion: Floats


class Believer:
    """Forms beliefs; what stems from direct duels alone is kept until those change."""

    def __init__(self, table: Table) -> None:
        self._patterns = Patterns(table.columns.size - table.size, table.plan_state.rng)
        self._played = np.zeros(table.certified.shape, np.int64)
        self._log_odds = np.zeros(table.certified.shape)
        self._relatives: Floats | None = None
        self._excused: Floats | None = None
        self._read = 0

    def _evidence(self, table: Table) -> Floats:
        """Log-odds of "row above column" by their duels; only what changed is worked out."""
        counts = table.direct + table.decoy
        total = played(counts)
        new = total != self._played
        self._log_odds[new] = log_bets(_SPREAD, counts[new])
        self._played = total
        return self._log_odds

    def look_again(self, table: Table) -> None:
        """Read the direct duels afresh, if there are enough new ones to matter."""
        duels = int(table.direct.sum())
        if duels > _NEWS * self._read:
            self._relatives = self._excused = None
            self._read = duels

    def believe(self, table: Table) -> Beliefs:
        """Beliefs on all counts so far."""
        evidence = self._evidence(table)
        log_odds = np.where(table.certified, _SURELY, np.clip(evidence, _LEAST, _SURELY))
        size = table.size
        if self._relatives is None:
            self._relatives = np.zeros_like(log_odds)
            if table.columns.size > size:
                self._relatives[:, size:] = self._patterns.expected(log_odds[:, size:])
        above = chance(log_odds + self._relatives)
        above[table.certified] = 1.0
        if self._excused is None:
            self._excused = _unwitnessed(above, size)
        suspicion = self._excused * chance(evidence[:, :size] + _LOOKS_EVEN)
        np.fill_diagonal(suspicion, 0.0)
        return Beliefs(above, suspicion)


def chance(log_odds: Floats) -> Floats:
    """The probability with the given log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -50, 50))))


def _unwitnessed(above: Floats, size: int) -> Floats:
    """How likely row a is above all that row d is above: no witness speaks against a ≻ d."""
    witnesses = above[:, size:]
    if witnesses.shape[1] < 2:
        return np.ones((size, size))
    excused = np.empty((size, size))
    for d in range(size):
        against = 1 - witnesses[d] * (1 - witnesses)
        # The second best witness: the best of many is often lucky.
        excused[:, d] = np.partition(against, 1, axis=1)[:, 1]
    return excused


class Patterns:
    """Guesses which of the items thrown out belong together, and remembers it for the next time.

    In most orders an item's neighbours have the same items above them, or nearly so: the items
    of a genre below the best of it. Duels alone are slow to find small gaps; but the gaps of a
    whole group are as many draws, of which hardly all are small. So the columns are sorted into
    groups with a common *pattern* of rows above them, by sampling: each in turn leaves its group
    and joins one with a probability that grows with how well the group's pattern explains its
    duels.
    """

    def __init__(self, columns: int, rng: np.random.Generator) -> None:
        self._groups: NDArray[np.int64] = np.full((_SAMPLERS, columns), -1)
        self._rng = rng

    def expected(self, log_odds: Floats) -> Floats:
        """More log-odds that each row is above each column, by the duels of other columns.

        Args:
            log_odds: Log-odds by each column's own duels.
        """
        first = bool((self._groups[0] < 0).any())
        sweeps = _FIRST_SWEEPS if first else _SWEEPS
        chances = np.zeros(log_odds.shape)
        for groups in self._groups:
            chances += sort_out(
                log_odds, groups, self._rng.random((sweeps, log_odds.shape[1])), _COUNTED
            )
        chances = np.clip(chances / _SAMPLERS, 1e-6, 1 - 1e-6)
        return np.asarray(np.log(chances / (1 - chances))) - log_odds


@compiled
def sort_out(log_odds: Floats, groups: NDArray[np.int64], draws: Floats, counted: int) -> Floats:
    """The chance that each row is above each column by its group, mean of the last sweeps.

    Args:
        log_odds: Log-odds that each row is above each column, by the column's own duels.
        groups: The group of each column, or −1; changed in place.
        draws: Uniform random numbers, one for each sweep and column.
        counted: How many of the sweeps count.
    """
    rows, columns = log_odds.shape
    ratio = np.exp(log_odds).T.copy()
    alone = _alone(ratio)
    sizes = np.zeros(columns, np.int64)
    sums = np.zeros((columns, rows))
    pattern = np.zeros((columns, rows))
    for column in range(columns):
        if groups[column] >= 0:
            _move(groups[column], 1, log_odds[:, column], sizes, sums, pattern)
    chances = np.zeros((rows, columns))
    for sweep in range(draws.shape[0]):
        for column in range(columns):
            if groups[column] >= 0:
                _move(groups[column], -1, log_odds[:, column], sizes, sums, pattern)
            group = _joined(sizes, pattern, ratio[column], alone[column], draws[sweep, column])
            groups[column] = group
            _move(group, 1, log_odds[:, column], sizes, sums, pattern)
            if sweep >= draws.shape[0] - counted:
                chances[:, column] += pattern[group] / counted
    return chances


@compiled
def _move(
    group: int,
    step: int,
    log_odds: Floats,
    sizes: NDArray[np.int64],
    sums: Floats,
    pattern: Floats,
) -> None:
    """Let a column join a group (step 1) or leave it (step −1)."""
    if sizes[group] == 0:
        sums[group] = 0.0  # what rounding has left of those who were here before
    sizes[group] += step
    sums[group] += step * log_odds
    _read_pattern(sums[group], pattern[group])


@compiled
def _joined(
    sizes: NDArray[np.int64], pattern: Floats, ratio: Floats, alone: float, draw: float
) -> int:
    """The group that a column joins: one that explains its duels, or an empty one."""
    scores = np.zeros(sizes.size + 1)
    places = np.zeros(sizes.size + 1, np.int64)
    options = 0
    empty = -1
    for group in range(sizes.size):
        if sizes[group] == 0:
            if empty < 0:
                empty = group
            continue
        scores[options] = _CROWDING * math.log(sizes[group])
        scores[options] += _explained(pattern[group], ratio)
        places[options] = group
        options += 1
    # The column itself is in no group just now, so that one at least is empty.
    scores[options] = math.log(_NEW_GROUP) + alone
    places[options] = empty
    return int(places[_one_of(scores[: options + 1], draw)])


@compiled
def _alone(ratio: Floats) -> Floats:
    """Log-likelihood of each column in a group of its own."""
    columns = ratio.shape[0]
    alone = np.zeros(columns)
    scores = np.zeros(_RATES.size)
    for column in range(columns):
        for k in range(_RATES.size):
            scores[k] = 0.0
            for odds in ratio[column]:
                scores[k] += math.log(_RATES[k] * odds + 1 - _RATES[k])
        most = scores.max()
        weights = np.exp(scores - most)
        alone[column] = most + math.log(weights.mean())
    return alone


@compiled
def _explained(pattern: Floats, ratio: Floats) -> float:
    """Log-likelihood of a column's duels if it has the pattern."""
    total, product = 0.0, 1.0
    for row in range(pattern.size):
        product *= pattern[row] * ratio[row] + 1 - pattern[row]
        if row % 4 == 3:  # a logarithm takes longer than all the rest
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


@compiled
def _read_pattern(sums: Floats, pattern: Floats) -> None:
    """Chances that each row is above a group's items, where many above make one more likelier."""
    rate = 0.5
    for _ in range(3):
        total = 0.0
        for row in range(sums.size):
            odds = math.exp(min(30.0, max(-30.0, sums[row]))) * rate / (1 - rate)
            pattern[row] = odds / (1 + odds)
            total += pattern[row]
        rate = (total + 1) / (sums.size + 2)


@compiled
def _one_of(scores: Floats, draw: float) -> int:
    """A place drawn with probability proportional to the exponential of its score."""
    weights = np.exp(scores - scores.max())
    left = draw * weights.sum()
    for place in range(weights.size):
        left -= weights[place]
        if left < 0:
            return place
    return len(weights) - 1
