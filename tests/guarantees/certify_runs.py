"""Many logs of votes grown side by side, each stopped as soon as something false is certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from antichain.certify.bets import against_gap, on_dominance, total
from antichain.certify.budget import Split
from antichain.certify.claims import Claims, claims_of
from antichain.certify.weigh import weigh
from antichain.logs.votes import ClusterScores, ItemClusters, PairClusters, PairVotes, VoteLog
from tests.guarantees.error_rates import ErrorCount

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """How voters really answer.

    Attributes:
        gaps: The mean score of the row's item against the column's, less one half.
        epsilon: The ε of the certificates.
        ties: The chance of a tie (as far as the gap allows).
        incomparable: The chance that a voter says so instead.
    """

    gaps: Floats
    epsilon: float
    ties: float = 0.0
    incomparable: float = 0.0

    @property
    def size(self) -> int:
        return len(self.gaps)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(self.size), 2))

    def false_claims(self, claims: Claims) -> bool:
        """Whether any claim of any kind is false."""
        first, second = np.array(self.pairs).T
        beaten = self.gaps > 0
        maximal = ~beaten.any(axis=0)
        clearly = self.gaps > self.epsilon
        apart = np.abs(self.gaps[first, second]) > self.epsilon
        return bool(
            (claims.above & ~beaten).any()
            or (claims.pooled.rejected & maximal).any()
            or (claims.out() & maximal).any()
            or (claims.inside.rejected & clearly.any(axis=0)).any()
            or (claims.even.rejected & apart).any()
            or (claims.incomparable.rejected.any() and self.incomparable <= 0.5)
        )


# Which pair each run asks next: from its log-evidence of dominance (run, pair, direction), its
# counts (run, pair, form), and the generator.
Policy = Callable[[Floats, NDArray[np.int64], np.random.Generator], NDArray[np.int64]]


def uniformly(
    above: Floats, counts: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Any pair, evenly."""
    return rng.integers(counts.shape[1], size=len(counts))


def chasing(
    above: Floats, counts: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """The pair that is nearest to showing anything: whoever wants a claim asks there."""
    return np.argmax(above.max(axis=2) + rng.random(counts.shape[:2]) * 1e-3, axis=1)


def by_the_leader(
    above: Floats, counts: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """The closest pair, most often: whom a leader would ask to be sure of its lead."""
    lead = np.abs(counts[:, :, 0] - counts[:, :, 1]) + rng.random(counts.shape[:2])
    anywhere = rng.integers(counts.shape[1], size=len(counts))
    return np.where(rng.random(len(counts)) < 0.8, lead.argmin(axis=1), anywhere)


def errors_in_votes(
    world: World, delta: float, runs: int, votes: int, policy: Policy, seed: int
) -> ErrorCount:
    """Runs in which something false was certified at any time up to `votes` votes."""
    rng = np.random.default_rng(seed)
    split, pairs = Split(), np.array(world.pairs)
    counts = np.zeros((runs, len(pairs), 6), dtype=np.int64)
    loosest = _loosest(split, delta)
    above = np.zeros((runs, len(pairs), 2))
    strongest = np.zeros((runs, len(pairs), 5))
    pooled = np.zeros((runs, world.size))
    wrong = np.zeros(runs, dtype=np.bool_)
    everyone = np.arange(runs)
    dominance, gap = on_dominance(), against_gap(world.epsilon)
    for _ in range(votes):
        asked = policy(above, counts, rng)
        np.add.at(counts, (everyone, asked, _answers(world, pairs[asked], rng)), 1)
        won, lost, tied, _, cannot, _ = counts[everyone, asked].T
        tied = tied + cannot
        for side, (mine, theirs) in enumerate(((won, lost), (lost, won))):
            found = total(dominance.terms_of_counts(mine, theirs, tied))
            above[everyone, asked, side] = strongest[everyone, asked, side] = found
            within = total(gap.terms_of_counts(mine, theirs, tied))
            strongest[everyone, asked, 2 + side] = within
        if world.incomparable:
            others = won + lost + tied - cannot
            strongest[everyone, asked, 4] = total(
                dominance.terms_of_counts(cannot, others, np.zeros_like(others))
            )
        for end in (0, 1):
            item = pairs[asked, end]
            mine, theirs = _of_item(counts, pairs, item)
            pooled[everyone, item] = total(
                dominance.terms_of_counts(theirs, mine, np.zeros_like(mine))
            )
        doubtful = _doubtful(world, pairs, strongest, pooled, loosest) & ~wrong
        for run in np.flatnonzero(doubtful):
            table = PairVotes.from_table(pairs[:, 0], pairs[:, 1], counts[run])
            log = VoteLog(tuple(map(str, range(world.size))), table)
            claims = claims_of(weigh(log, world.epsilon), split, delta)
            wrong[run] = world.false_claims(claims)
    return ErrorCount(int(wrong.sum()), runs)


def _loosest(split: Split, delta: float) -> dict[str, float]:
    """The log-evidence without which no claim of a family is ever made, by any step-down."""
    return {name: -np.log(spent) for name, spent in split.of(delta).items()}


def _answers(world: World, pairs: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """A form of answer for each run: 0 first wins, 1 second wins, 2 tie, 4 incomparable."""
    lead = 2 * world.gaps[pairs[:, 0], pairs[:, 1]]
    cannot = np.minimum(world.incomparable, 1 - np.abs(lead))
    ties = np.minimum(world.ties, 1 - np.abs(lead) - cannot)
    draw = rng.random(len(pairs))
    first = (1 - ties - cannot + lead) / 2
    return np.select(
        [draw < first, draw < 1 - ties - cannot, draw < 1 - cannot], [0, 1, 2], default=4
    )


def _of_item(
    counts: NDArray[np.int64], pairs: NDArray[np.int64], item: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Wins and losses of one item of each run, over all its pairs."""
    is_first = pairs[None, :, 0] == item[:, None]
    is_second = pairs[None, :, 1] == item[:, None]
    won, lost = counts[:, :, 0], counts[:, :, 1]
    return (
        (won * is_first + lost * is_second).sum(axis=1),
        (lost * is_first + won * is_second).sum(axis=1),
    )


def _doubtful(
    world: World,
    pairs: NDArray[np.int64],
    strongest: Floats,
    pooled: Floats,
    loosest: dict[str, float],
) -> NDArray[np.bool_]:
    """Runs in which a false claim is thinkable: only these are certified in full."""
    gaps = np.stack([world.gaps[*pairs.T], -world.gaps[*pairs.T]], axis=1)
    maximal = ~(world.gaps > 0).any(axis=0)
    above = (strongest[:, :, :2] >= loosest["pairs"]) & (gaps <= 0)
    lenient = min(loosest["inside"], loosest["even"])
    within = (strongest[:, :, 2:4] >= lenient) & (gaps > world.epsilon)
    cannot = (strongest[:, :, 4] >= loosest["incomparable"]) & (world.incomparable <= 0.5)
    thrown = (pooled >= loosest["pooled"]) & maximal
    return above.any((1, 2)) | within.any((1, 2)) | cannot.any(1) | thrown.any(1)


def errors_in_clusters(
    world: World, delta: float, runs: int, clusters: int, size: int, seed: int, known: bool
) -> ErrorCount:
    """The same for votes that come in clusters of one mind, looked at after each cluster.

    A cluster has `size` votes on every pair; with chance 1/2 all of them go to one side, chosen
    by the gap. With `known` false the certificate takes them as single votes.
    """
    rng = np.random.default_rng(seed)
    split, pairs = Split(), np.array(world.pairs)
    names = tuple(map(str, range(world.size)))
    loosest = min(_loosest(split, delta).values())
    wrong = 0
    for _ in range(runs):
        scores, counts = _cluster_scores(world, pairs, clusters, size, rng)
        times = range(2, clusters + 1)
        if known:
            times = 1 + np.flatnonzero(_highest(world, pairs, scores) >= loosest)
        for seen in times:
            log = _cluster_log(names, pairs, scores[:seen], counts[:seen].sum(axis=0), known)
            if world.false_claims(claims_of(weigh(log, world.epsilon), split, delta)):
                wrong += 1
                break
    return ErrorCount(wrong, runs)


def _highest(world: World, pairs: NDArray[np.int64], scores: Floats) -> Floats:
    """After each cluster, a bound on the log-evidence of anything: that of its best single term.

    A mixture is at most its largest term, so that times below every threshold need no closer look.
    """
    by_item = np.stack(_item_scores(world.size, pairs, scores), axis=1)
    bounds = []
    for bet, streams in (
        (on_dominance(), np.hstack([scores, 1 - scores, 1 - by_item])),
        (against_gap(world.epsilon), np.hstack([scores, 1 - scores])),
    ):
        factors = np.log1p(np.multiply.outer(streams - bet.centre, bet.stakes))
        bounds.append(factors.cumsum(axis=0).max(axis=(1, 2)))
    return np.maximum(*bounds)


def _cluster_scores(
    world: World, pairs: NDArray[np.int64], clusters: int, size: int, rng: np.random.Generator
) -> tuple[Floats, NDArray[np.int64]]:
    chance = np.broadcast_to(0.5 + world.gaps[*pairs.T], (clusters, len(pairs)))
    single = rng.binomial(size, chance)
    together = size * (rng.random(chance.shape) < chance)
    won = np.where(rng.random(chance.shape) < 0.5, single, together)
    counts = np.zeros((clusters, len(pairs), 6), dtype=np.int64)
    counts[:, :, 0], counts[:, :, 1] = won, size - won
    return won / size, counts


def _cluster_log(
    names: tuple[str, ...],
    pairs: NDArray[np.int64],
    scores: Floats,
    counts: NDArray[np.int64],
    known: bool,
) -> VoteLog:
    table = PairVotes.from_table(pairs[:, 0], pairs[:, 1], counts)
    if not known:
        return VoteLog(names, table)
    clusters, width = scores.shape
    per = int(counts[0].sum()) // clusters
    rows = np.tile(np.arange(width), clusters)
    by_item = _item_scores(len(names), pairs, scores)
    means = ClusterScores(
        "cluster",
        clusters,
        PairClusters(rows, scores.ravel(), np.full(rows.size, per)),
        ItemClusters(
            np.repeat(np.arange(len(names)), clusters),
            np.concatenate(by_item),
            np.full(len(names) * clusters, per * (len(names) - 1)),
        ),
    )
    return VoteLog(names, table, clusters=means)


def _item_scores(size: int, pairs: NDArray[np.int64], scores: Floats) -> list[Floats]:
    """The mean score of each item in each cluster, over all its pairs."""
    return [
        np.where(pairs[:, 0] == item, scores, 1 - scores)[:, (pairs == item).any(axis=1)].mean(1)
        for item in range(size)
    ]
