"""Many logs of votes grown side by side, each stopped as soon as something false is certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from antichain.certify._claims import step_down
from antichain.certify._verdicts import judge_counts
from antichain.evidence._bet import Bet, total
from antichain.referee import Terms
from antichain.referee._terms import on_rates
from antichain.votes._vote_log import ClusterScores, ItemClusters, PairClusters, PairVotes, VoteLog
from tests.guarantees.error_rates import ErrorCount

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Mask = NDArray[np.bool_]

_BLOCK = 500  # runs of clusters at a time, for the sake of memory


@dataclass(frozen=True)
class World:
    """How voters really answer.

    Attributes:
        gaps: The mean score of the row's item against the column's, less one half.
        epsilon: The ε of the certificates.
        ties: The chance of a tie (as far as the gap allows).
        incomparable: The chance that a voter says so instead, of all pairs or of each.
        cannot_apart: Whether gaps are about the votes that compare, and such answers score nothing.
    """

    gaps: Floats
    epsilon: float
    ties: float = 0.0
    incomparable: float | Floats = 0.0
    cannot_apart: bool = False

    @property
    def size(self) -> int:
        return len(self.gaps)

    @property
    def pairs(self) -> Whole:
        return np.array(list(combinations(range(self.size), 2)))

    @property
    def cannot(self) -> Floats:
        """The chance that a voter says "cannot compare", by pair."""
        if isinstance(self.incomparable, float):
            return np.full(len(self.pairs), self.incomparable)
        return self.incomparable[*self.pairs.T]

    def true_nulls(self) -> dict[str, Mask]:
        """Which claims of each family would be false; ordered pairs as (pair, direction)."""
        first, second = self.pairs.T
        ahead = np.stack([self.gaps[first, second], self.gaps[second, first]], axis=1)
        gaps = self.gaps
        if self.cannot_apart:  # whom most voters cannot compare are incomparable
            gaps = gaps.copy()
            apart = self.cannot > 0.5
            gaps[first[apart], second[apart]] = gaps[second[apart], first[apart]] = 0
        return {
            "out": ~(gaps > 0).any(axis=0),
            "in": (gaps > self.epsilon).any(axis=0),
            "above": (ahead <= 0).ravel(),
            "even": (ahead > self.epsilon).any(axis=1),
            "incomparable": np.broadcast_to(self.cannot <= 0.5, len(first)),
        }


@dataclass(frozen=True)
class Evidence:
    """Log e-values of many runs: (run, pair, direction), (run, item) or (run, pair)."""

    above: Floats
    within: Floats
    pooled: Floats
    incomparable: Floats
    can: Floats
    apart: Floats

    @classmethod
    def none(cls, runs: int, world: World) -> Evidence:
        pairs = len(world.pairs)
        single = (np.zeros((runs, pairs)) for _ in range(3))
        both = np.zeros((runs, pairs, 2)), np.zeros((runs, pairs, 2))
        return cls(*both, np.zeros((runs, world.size)), *single)


@dataclass(frozen=True)
class Rules:
    """What δ is spent on and what is assumed; by default as certificates do."""

    only: str | None = None  # all of δ on one family, which then has nothing to hide behind
    assume: tuple[str, ...] = ()
    clustered: bool = False
    pooled: bool = True  # whether all duels of an item together count, too

    def spent(self, delta: float) -> dict[str, float]:
        shares = Terms(delta).shares
        pairs = {"above": 0.7, "even": 0.2, "incomparable": 0.1}
        spent = {"out": shares["out"], "in": shares["in"]}
        spent |= {name: share * shares["pairs"] for name, share in pairs.items()}
        if self.only is not None:
            spent = dict.fromkeys(spent, 0.0) | {self.only: delta}
        return spent


def claimed(evidence: Evidence, world: World, delta: float, rules: Rules) -> dict[str, Mask]:
    """What is claimed in each run (first axis), all runs at once."""
    spent, size = rules.spent(delta), world.size
    first, second = world.pairs.T
    above, within = evidence.above, evidence.within
    if "cannot-compare" in rules.assume:
        above = np.minimum(above, evidence.can[:, :, None])
        within = np.logaddexp(within, evidence.apart[:, :, None]) - np.log(2)
    ones, runs = [], len(above)
    for i in range(size):
        mine = np.concatenate([above[:, second == i, 0], above[:, first == i, 1]], axis=1)
        if rules.clustered:
            mean = np.logaddexp.reduce(mine, axis=1) - np.log(size - 1)
        else:
            parts = [
                np.logaddexp(np.log1p(-rho), np.log(rho) + mine).sum(axis=1)
                for rho in (1 / size, 0.15, 0.5)
            ]
            mean = np.logaddexp.reduce(parts) - np.log(3)
        if rules.pooled and "cannot-compare" not in rules.assume:
            mean = np.logaddexp(np.log(0.75) + mean, np.log(0.25) + evidence.pooled[:, i])
        ones.append(mean)
    against = np.exp(np.minimum(np.stack(ones, axis=1), 700))
    out = np.zeros((runs, size), np.bool_)
    if spent["out"]:
        short = np.maximum(0, 1 - spent["out"] * against)
        out = spent["out"] * against >= 1 + short.sum(axis=1, keepdims=True) - short
    cleared = np.full((runs, size, size), np.inf)
    cleared[:, first, second], cleared[:, second, first] = within.transpose(2, 0, 1)
    if "strong" in rules.assume:
        cleared[out] = np.inf
    least = np.where(out, -np.inf, cleared.min(axis=1))
    inside = np.zeros((runs, size), np.bool_)
    if spent["in"]:
        for members in range(1, size + 1):  # the largest set that passes is the last one kept
            passing = least >= np.log((1 + size - members) / spent["in"])
            enough = passing.sum(axis=1) >= members
            inside[enough] = passing[enough]
    return {"out": out, "in": inside}


def false_claims(
    evidence: Evidence, world: World, delta: float, over: Mask, rules: Rules | None = None
) -> Mask:
    """The runs with a false claim of any kind, among those that are not `over`."""
    rules = rules or Rules()
    spent, nulls = rules.spent(delta), world.true_nulls()
    wrong = np.zeros(len(over), dtype=np.bool_)
    for name, shown in claimed(evidence, world, delta, rules).items():
        wrong |= (shown & nulls[name]).any(axis=1)
    runs, pairs, _ = evidence.above.shape
    families = (
        ("above", evidence.above.reshape(runs, -1), 2 * pairs),
        ("even", evidence.within.min(axis=2), pairs),
        ("incomparable", evidence.incomparable, pairs),
    )
    for name, logs, family in families:
        if not spent[name]:
            continue
        # No step-down ever claims anything whose evidence is below the inverse of the share.
        thinkable = ((logs >= -np.log(spent[name])) & nulls[name]).any(axis=1) & ~over & ~wrong
        for run in np.flatnonzero(thinkable):
            shown = step_down(logs[run], family, spent[name]).rejected
            wrong[run] = (shown & nulls[name]).any()
    return wrong & ~over


# Which pair each run asks next, from the evidence, the counts (run, pair, form) and chance.
Policy = Callable[[Evidence, Whole, np.random.Generator], Whole]


def uniformly(evidence: Evidence, counts: Whole, rng: np.random.Generator) -> Whole:
    """Any pair, evenly."""
    return rng.integers(counts.shape[1], size=len(counts))


def chasing(evidence: Evidence, counts: Whole, rng: np.random.Generator) -> Whole:
    """The pair that is nearest to showing anything: whoever wants a claim asks there."""
    nearest = np.maximum(evidence.above.max(axis=2), evidence.within.min(axis=2))
    return np.argmax(nearest + rng.random(nearest.shape) * 1e-3, axis=1)


def by_the_closest(evidence: Evidence, counts: Whole, rng: np.random.Generator) -> Whole:
    """The closest pair, most often: whom a leader would ask to be sure of its lead."""
    lead = np.abs(counts[:, :, 0] - counts[:, :, 1]) + rng.random(counts.shape[:2])
    anywhere = rng.integers(counts.shape[1], size=len(counts))
    return np.where(rng.random(len(counts)) < 0.8, lead.argmin(axis=1), anywhere)


class Tables:
    """The log-evidence of every count there can be, looked up instead of computed each time."""

    def __init__(self, epsilon: float, votes: int) -> None:
        grid = np.indices((votes + 1, votes + 1)).reshape(2, -1)
        self._dominance = _table(Bet.open_ended(), *grid, np.zeros_like(grid[0]), votes)
        won, lost, tied = np.indices((votes + 1,) * 3).reshape(3, -1)
        fitting = won + lost + tied <= votes
        self._gap = np.zeros((votes + 1) ** 3)
        found = total(
            Bet.against_gap(epsilon).terms_of_counts(*(n[fitting] for n in (won, lost, tied)))
        )
        self._gap[fitting] = found
        self._gap = self._gap.reshape((votes + 1,) * 3)

    def dominance(self, won: Whole, lost: Whole) -> Floats:
        return self._dominance[won, lost]

    def within(self, won: Whole, lost: Whole, tied: Whole) -> Floats:
        return self._gap[won, lost, tied]


def _table(bet: Bet, won: Whole, lost: Whole, tied: Whole, votes: int) -> Floats:
    return total(bet.terms_of_counts(won, lost, tied)).reshape(votes + 1, votes + 1)


def errors_in_votes(
    world: World,
    delta: float,
    runs: int,
    votes: int,
    policy: Policy,
    seed: int,
    rules: Rules | None = None,
) -> ErrorCount:
    """Runs in which something false was certified at any time up to `votes` votes.

    Args:
        world: How voters answer.
        delta: The δ of the certificates.
        runs: How many logs.
        votes: Votes in each, if nothing false turns up.
        policy: Which pairs are asked.
        seed: Of all chance.
        rules: How δ is spent and what is assumed.
    """
    rng, tables = np.random.default_rng(seed), Tables(world.epsilon, votes)
    counts = np.zeros((runs, len(world.pairs), 6), dtype=np.int64)
    evidence = Evidence.none(runs, world)
    wrong = np.zeros(runs, dtype=np.bool_)
    for _ in range(votes):
        asked = policy(evidence, counts, rng)
        counts[np.arange(runs), asked, _answers(world, asked, rng)] += 1
        add_evidence(evidence, world, counts, asked, tables)
        wrong |= false_claims(evidence, world, delta, wrong, rules)
    return ErrorCount(int(wrong.sum()), runs)


def add_evidence(
    evidence: Evidence, world: World, counts: Whole, asked: Whole, tables: Tables
) -> None:
    """Bring the evidence of each run up to date after a vote on the pair it asked."""
    everyone = np.arange(len(counts))
    won, lost, tied, bad, cannot, _ = counts[everyone, asked].T
    halves = tied + bad + cannot * (not world.cannot_apart)
    for side, (mine, theirs) in enumerate(((won, lost), (lost, won))):
        evidence.above[everyone, asked, side] = tables.dominance(mine, theirs)
        evidence.within[everyone, asked, side] = tables.within(mine, theirs, halves)
    evidence.incomparable[everyone, asked] = tables.dominance(cannot, won + lost + tied + bad)
    compared, none = won + lost + tied + bad, np.zeros_like(cannot)
    for bets, above, bound in ((evidence.can, False, 2 / 3), (evidence.apart, True, 1 / 3)):
        terms = on_rates(bound, above=above).terms_of_counts(cannot, compared, none)
        bets[everyone, asked] = total(terms)
    for item in world.pairs[asked].T:
        is_first = world.pairs[None, :, 0] == item[:, None]
        is_second = world.pairs[None, :, 1] == item[:, None]
        mine = (counts[:, :, 0] * is_first + counts[:, :, 1] * is_second).sum(axis=1)
        theirs = (counts[:, :, 1] * is_first + counts[:, :, 0] * is_second).sum(axis=1)
        evidence.pooled[everyone, item] = tables.dominance(theirs, mine)


def log_of(world: World, counts: Whole) -> VoteLog:
    """The log of one run."""
    names = tuple(map(str, range(world.size)))
    return VoteLog(names, PairVotes.from_table(*world.pairs.T, counts))


def _answers(world: World, asked: Whole, rng: np.random.Generator) -> Whole:
    """A form of answer for each run: 0 first wins, 1 second wins, 2 tie, 4 incomparable."""
    lead = 2 * world.gaps[*world.pairs.T][asked]
    if world.cannot_apart:
        silent = rng.random(len(asked)) < world.cannot[asked]
        won = rng.random(len(asked)) < (1 + lead) / 2
        return np.where(silent, 4, np.where(won, 0, 1))
    cannot = np.minimum(world.cannot[asked], 1 - np.abs(lead))
    ties = np.minimum(world.ties, 1 - np.abs(lead) - cannot)
    draw = rng.random(len(asked))
    first = (1 - ties - cannot + lead) / 2
    return np.select(
        [draw < first, draw < 1 - ties - cannot, draw < 1 - cannot], [0, 1, 2], default=4
    )


def errors_in_clusters(
    world: World, delta: float, runs: int, clusters: int, size: int, seed: int
) -> ErrorCount:
    """The same for votes that come in clusters, half of them of one mind, after each cluster.

    A cluster has `size` votes on every pair, and its mean is one observation.
    """
    rng = np.random.default_rng(seed)
    wrong = 0
    for start in range(0, runs, _BLOCK):
        block = min(_BLOCK, runs - start)
        grown = cluster_evidence(world, cluster_scores(world, block, clusters, size, rng))
        over = np.zeros(block, dtype=np.bool_)
        for evidence in grown:
            over |= false_claims(evidence, world, delta, over, Rules(clustered=True))
        wrong += int(over.sum())
    return ErrorCount(wrong, runs)


def errors_in_clusters_taken_singly(
    world: World, delta: float, runs: int, clusters: int, size: int, seed: int
) -> ErrorCount:
    """The same when the certificate is not told of clusters, and takes each vote for itself."""
    drawn = cluster_scores(world, runs, clusters, size, np.random.default_rng(seed))
    nulls = world.true_nulls()
    wrong = 0
    for scores in drawn:
        for seen in range(1, clusters + 1):
            log = cluster_log(world, scores[:seen], size, known=False)
            at = judge_counts(log, Terms(delta, world.epsilon)).verdicts
            if (at.out & nulls["out"]).any():
                wrong += 1
                break
    return ErrorCount(wrong, runs)


def cluster_evidence(world: World, scores: Floats) -> list[Evidence]:
    """The evidence of each run after each cluster, from scores by run, cluster and pair."""
    by_item = np.stack(_item_scores(world, scores), axis=-1)
    both = np.stack([scores, 1 - scores], axis=-1)
    above, within = _grown(Bet.open_ended(), both), _grown(Bet.against_gap(world.epsilon), both)
    pooled = _grown(Bet.open_ended(), 1 - by_item)
    silent = np.zeros((len(scores), scores.shape[2]))  # nobody says "cannot compare" here
    return [
        Evidence(above[:, k], within[:, k], pooled[:, k], silent, silent, silent)
        for k in range(scores.shape[1])
    ]


def _grown(bet: Bet, scores: Floats) -> Floats:
    """The log-evidence after each cluster (second axis), each score a factor, NaN none at all."""
    from_centre = np.nan_to_num(scores - bet.centre)
    logs = np.log1p(np.multiply.outer(from_centre, bet.stakes)).cumsum(axis=1)
    terms = logs + np.log(bet.weights)
    return total(terms.reshape(-1, terms.shape[-1])).reshape(scores.shape)


def cluster_scores(
    world: World, runs: int, clusters: int, size: int, rng: np.random.Generator
) -> Floats:
    """The mean score of each cluster of each run on each pair."""
    shape = (runs, clusters, len(world.pairs))
    chance = np.broadcast_to(0.5 + world.gaps[*world.pairs.T], shape)
    single = rng.binomial(size, chance) / size
    together = (rng.random(shape) < chance).astype(float)
    return np.where(rng.random(shape) < 0.5, single, together)


def cluster_log(world: World, scores: Floats, size: int, known: bool) -> VoteLog:
    """The log of clusters with `size` votes a pair each, whose mean scores are given."""
    clusters, pairs = scores.shape
    counts = np.zeros((pairs, 6), dtype=np.int64)
    counts[:, 0] = np.rint(scores.sum(axis=0) * size)
    counts[:, 1] = clusters * size - counts[:, 0]
    log = log_of(world, counts)
    if not known:
        return log
    rows, items = np.tile(np.arange(pairs), clusters), np.repeat(np.arange(world.size), clusters)
    means = ClusterScores(
        "cluster",
        clusters,
        PairClusters(rows, scores.ravel(), np.full(rows.size, size)),
        ItemClusters(
            items,
            np.concatenate(_item_scores(world, scores)),
            np.full(items.size, size * (world.size - 1)),
        ),
    )
    return VoteLog(log.items, log.pairs, clusters=means)


def _item_scores(world: World, scores: Floats) -> list[Floats]:
    """The mean score of each item in each cluster (last but one axis), over its pairs there."""
    found = []
    for item in range(world.size):
        mine = np.where(world.pairs[:, 0] == item, scores, 1 - scores)
        mine = mine[..., (world.pairs == item).any(axis=1)]
        votes = np.isfinite(mine).sum(-1)
        found.append(np.where(votes, np.nansum(mine, -1) / np.maximum(votes, 1), np.nan))
    return found
