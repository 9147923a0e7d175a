"""A posterior over worlds: who may be above whom, and by how much, given the counts so far.

What is believed about a pair comes from its counts. A *distribution of gaps* is fitted to all pairs
that have met (shrunk towards the uniform one), and gives each pair a likelihood ratio of "above" to
"even". What is believed about an item, dominated or maximal, comes from all its pairs: if it were
dominated, each other survivor would be above it with some probability (the *density*), and at least
one of them would be. A draw picks first how many survivors are maximal, then which ones, then who
is above whom, then the gaps.

Such a world need not be a partial order: an algorithm only sees pairs. The forecasts made from
these worlds are checked by simulation (docs/guides/planning.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from antichain.algorithms._counts import Counted
from antichain.algorithms._rounds import Indices
from antichain.arenas._leaping import LeapingArena
from antichain.errors import NotObservableError, ParameterError
from antichain.evidence._answers import Floats

Mask = NDArray[np.bool_]

MOST_ITEMS = 2000  # each world takes tables over all pairs of survivors and over front sizes

_EDGES = np.concatenate([[0.0], np.geomspace(0.002, 0.05, 10), np.linspace(0.075, 0.5, 18)])
_GAPS: Floats = (_EDGES[:-1] + _EDGES[1:]) / 2
_UNIFORM: Floats = np.diff(_EDGES) / 0.5
# Set by hand: the uniform distribution weighs as much as this many pairs, the fit converges well
# within these rounds, and the densities cover the range coarsely. Only the forecasts that come out
# of them were measured (docs/guides/planning.md).
_SHRINKAGE = 10.0
_ROUNDS_OF_FITTING = 30
_DENSITIES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])


class MatrixWorld(LeapingArena):
    """Voters who follow a matrix of gaps: of each item (row) over each other (column)."""

    def __init__(
        self, items: Sequence[str], gaps: Floats, decoy_gap: float | None, *, seed: int
    ) -> None:
        super().__init__(items, seed)
        self._gaps = gaps
        self.decoy_gap = decoy_gap

    def chances(self, lefts: Indices, rights: Indices, decoy: bool) -> Floats:
        """One half plus the gap; against a decoy, at least Δ for an item above its original."""
        gaps: Floats = self._gaps[lefts, rights]
        if not decoy:
            return 0.5 + gaps
        if self.decoy_gap is None:
            raise NotObservableError("This arena has no decoys; give it a decoy_gap.")
        return 0.5 + np.where(gaps > 0, np.maximum(gaps, self.decoy_gap), 0.0)


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the counts say about who is above whom.

    Attributes:
        decoy_gap: Δ of the decoys; None for no decoys.
        fallen: For each eliminated item, the survivor that it lost to in the end; −1 for a
            survivor.
        law: The probability of each gap of the grid, between comparable items.
        met: The ordered pairs (upper, lower) that have met, in two columns.
        likelihoods: For each of these pairs and each gap, the log-likelihood ratio of "the upper
            is above by that gap" to "the two are even".
    """

    items: tuple[str, ...]
    decoy_gap: float | None
    fallen: Indices
    law: Floats
    met: Indices
    likelihoods: Floats

    @classmethod
    def from_counts(
        cls,
        items: Sequence[str],
        counts: Counted,
        dominated: Mapping[str, str],
        decoy_gap: float | None,
    ) -> Posterior:
        """Compute the beliefs that follow from the counts of a search.

        `dominated` says for each eliminated item which one it lost to.
        """
        if len(items) > MOST_ITEMS:
            raise ParameterError(
                f"the run has {len(items)} items, but at most {MOST_ITEMS} were expected: larger "
                "runs take too much memory to forecast."
            )
        index = {name: k for k, name in enumerate(items)}
        fallen = np.full(len(items), -1, np.int64)
        for loser in dominated:
            fallen[index[loser]] = index[_fell_to(loser, dominated)]
        met, likelihoods = _evidence(index, counts, decoy_gap)
        law = _fitted_law(met, likelihoods)
        return cls(tuple(items), decoy_gap, fallen, law, met, likelihoods)

    @cached_property
    def above(self) -> Floats:
        """The log-likelihood ratio of "row above column" to "even"."""
        table = np.zeros((len(self.items), len(self.items)))
        if self.met.size:
            ratios = logsumexp(self.likelihoods, axis=1, b=self.law[None, :])
            table[self.met[:, 0], self.met[:, 1]] = ratios
        return table

    def draw(self, rng: np.random.Generator) -> Floats:
        density, maximal = self._draw_front(rng)
        return self._draw_gaps(self._draw_relations(density, maximal, rng), rng)

    @cached_property
    def _survivors(self) -> Indices:
        return np.flatnonzero(self.fallen < 0)

    @cached_property
    def _fronts(self) -> tuple[Floats, Floats]:
        """For each density, the probability of each front size, and each survivor's log-odds."""
        survivors, lost = self._survivors, np.flatnonzero(self.fallen >= 0)
        size = survivors.size
        fronts = np.arange(1, size + 1)
        # A priori all sets of one size are equally likely, eliminated items included.
        prior = -np.log(fronts) - _log_choose(len(self.items), fronts)
        scores = np.empty((_DENSITIES.size, size))
        odds = np.empty((_DENSITIES.size, size))
        for k, density in enumerate(_DENSITIES):
            odds[k] = _odds_dominated(self.above, survivors, survivors, density)
            sums = _subset_sums(odds[k])[-1]
            others = _odds_dominated(self.above, survivors, lost, density).sum()
            scores[k] = prior + sums[size - fronts] + others
        weights = np.exp(scores - scores.max())
        return weights / weights.sum(), odds

    def _draw_front(self, rng: np.random.Generator) -> tuple[float, Indices]:
        """Draw a density, and which of the survivors are maximal."""
        survivors, (weights, every) = self._survivors, self._fronts
        row, column = divmod(int(rng.choice(weights.size, p=weights.ravel())), survivors.size)
        density, odds = float(_DENSITIES[row]), every[row]
        dominated = _draw_subset(odds, survivors.size - (column + 1), rng)
        maximal = survivors[~dominated]
        # The odds are about all survivors, but a dominated item must be below a maximal one: if
        # the counts speak against all of these, the item is maximal itself.
        for place in np.flatnonzero(dominated):
            item = survivors[place : place + 1]
            by_maximal = _odds_dominated(self.above, maximal, item, density)[0]
            if np.log(rng.random()) > by_maximal - odds[place]:
                maximal = np.append(maximal, item)
        return density, maximal

    def _draw_relations(self, density: float, maximal: Indices, rng: np.random.Generator) -> Mask:
        size, above, survivors = len(self.items), self.above, self._survivors
        chance = _posterior(above, density)
        upper = rng.random((size, size)) < chance
        # From the top: maximal items, other survivors in random order, eliminated items.
        rank = np.full(size, 2.0)
        rank[survivors] = 1.0 + rng.random(survivors.size) / 2
        rank[maximal] = 0.0
        upper &= rank[:, None] < rank[None, :]
        for item in survivors[rank[survivors] > 0].tolist():
            if not upper[maximal, item].any():
                odds = above[maximal, item]
                weights = np.exp(odds - odds.max())
                upper[rng.choice(maximal, p=weights / weights.sum()), item] = True
        lost = np.flatnonzero(self.fallen >= 0)
        upper[self.fallen[lost], lost] = True
        return upper

    def _draw_gaps(self, upper: Mask, rng: np.random.Generator) -> Floats:
        size = len(self.items)
        place = np.full((size, size), -1, np.int64)
        place[self.met[:, 0], self.met[:, 1]] = np.arange(self.met.shape[0])
        rows, columns = np.nonzero(upper)
        log_law = np.tile(np.log(self.law), (rows.size, 1))
        seen = place[rows, columns]
        log_law[seen >= 0] += self.likelihoods[seen[seen >= 0]]
        log_law -= log_law.max(axis=1, keepdims=True, initial=-np.inf)
        steps = np.cumsum(np.exp(log_law), axis=1)
        picks = (rng.random((rows.size, 1)) * steps[:, -1:] > steps).sum(axis=1)
        gaps = np.zeros((size, size))
        gaps[rows, columns] = _EDGES[picks] + rng.random(rows.size) * np.diff(_EDGES)[picks]
        gaps -= gaps.T.copy()
        return gaps


def _fell_to(loser: str, dominated: Mapping[str, str]) -> str:
    """Follow who lost to whom, up to a survivor if there is one."""
    passed, winner = {loser}, dominated[loser]
    while winner in dominated:
        # Voters need not be consistent: items may have lost to each other in a cycle.
        if winner in passed:
            return dominated[loser]
        passed.add(winner)
        winner = dominated[winner]
    return winner


def _evidence(
    index: Mapping[str, int], counts: Counted, decoy_gap: float | None
) -> tuple[Indices, Floats]:
    """Return the ordered pairs that have met, and the log-likelihood ratio of each gap."""
    tables: dict[tuple[int, int], Floats] = {}

    def add(upper: int, lower: int, wins: float, losses: float, gaps: Floats) -> None:
        ratios = wins * np.log1p(2 * gaps) + losses * np.log1p(-2 * gaps)
        tables[upper, lower] = tables.get((upper, lower), 0.0) + ratios

    for (left, right), (wins, losses, ties) in counts.direct.items():
        a, b = index[left], index[right]
        # A tie is half a win each way, as in the bets.
        add(a, b, wins + ties / 2, losses + ties / 2, _GAPS)
        add(b, a, losses + ties / 2, wins + ties / 2, _GAPS)
    if decoy_gap is not None:
        for (left, right), (wins, losses, ties) in counts.decoys.items():
            with_decoy = np.maximum(_GAPS, decoy_gap)
            add(index[left], index[right], wins + ties / 2, losses + ties / 2, with_decoy)
    met = np.array(list(tables), np.int64).reshape(-1, 2)
    return met, np.array(list(tables.values())).reshape(-1, _GAPS.size)


def _fitted_law(met: Indices, likelihoods: Floats) -> Floats:
    law, even = _UNIFORM, 0.5
    if not met.size:
        return law
    for _ in range(_ROUNDS_OF_FITTING):
        # Each pair is listed in both orders; in each, it is even or the first is above.
        joint = likelihoods + np.log(law * (1 - even))[None, :]
        total = np.logaddexp(logsumexp(joint, axis=1), np.log(even))
        shares = np.exp(joint - total[:, None]).sum(axis=0)
        even = float(1 - shares.sum() / met.shape[0])
        even = min(max(even, 0.01), 0.99)
        law = (shares + _SHRINKAGE * _UNIFORM) / (shares.sum() + _SHRINKAGE)
    return law


def _posterior(above: Floats, density: float) -> Floats:
    """The probability that row is above column, whose prior is `density`."""
    odds = np.log(density / (1 - density)) + above
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _odds_dominated(above: Floats, uppers: Indices, lowers: Indices, density: float) -> Floats:
    """For each of `lowers`, the log-likelihood ratio of "dominated" to "maximal".

    If it is dominated, each of `uppers` is above it with probability `density`, and at least one
    is.
    """
    each = np.logaddexp(np.log1p(-density), np.log(density) + above[np.ix_(uppers, lowers)])
    own = uppers[:, None] == lowers[None, :]
    each[own] = 0.0
    count = (~own).sum(axis=0)
    none = count * np.log1p(-density)
    some = each.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = some + np.log1p(-np.exp(none - some)) - np.log1p(-np.exp(none))
    # Nothing can dominate a lone survivor.
    return np.where((count > 0) & np.isfinite(odds), odds, -1e9)


def _subset_sums(odds: Floats) -> Floats:
    """In row s, column k: the log-sum over the k-subsets of the first s of their odds' products."""
    size = odds.size
    sums = np.full((size + 1, size + 1), -np.inf)
    sums[0, 0] = 0.0
    for s in range(size):
        sums[s + 1] = sums[s]
        sums[s + 1, 1:] = np.logaddexp(sums[s, 1:], odds[s] + sums[s, :-1])
    return sums


def _draw_subset(odds: Floats, count: int, rng: np.random.Generator) -> Mask:
    """Draw a subset of that size, with probability proportional to its members' odds."""
    sums = _subset_sums(odds)
    chosen = np.zeros(odds.size, np.bool_)
    for s in range(odds.size, 0, -1):
        if count == 0:
            break
        chance = np.exp(odds[s - 1] + sums[s - 1, count - 1] - sums[s, count])
        chosen[s - 1] = rng.random() < chance
        count -= int(chosen[s - 1])
    return chosen


def _log_choose(size: int, parts: Indices) -> Floats:
    return np.asarray(gammaln(size + 1) - gammaln(parts + 1) - gammaln(size - parts + 1))
