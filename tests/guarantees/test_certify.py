"""Certificates keep their δ: nothing false is certified at any time, however votes are collected.

Each run is stopped as soon as anything false is certified, which is the worst time there is.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from antichain.certify._verdicts import judge_counts
from antichain.certify._weigh import all_answers, weigh
from antichain.referee import Terms
from tests.guarantees.certify_runs import (
    Evidence,
    Rules,
    Tables,
    World,
    add_evidence,
    by_the_closest,
    chasing,
    claimed,
    cluster_evidence,
    cluster_log,
    cluster_scores,
    errors_in_clusters,
    errors_in_clusters_taken_singly,
    errors_in_votes,
    log_of,
    uniformly,
)
from tests.guarantees.error_rates import at_levels, runs_for

POLICIES = {"uniformly": uniformly, "chasing": chasing, "by the closest": by_the_closest}


def gaps(size: int, **above: float) -> np.ndarray:
    """A matrix of gaps: `ab=0.2` puts a above b by 0.2."""
    matrix = np.zeros((size, size))
    for pair, gap in above.items():
        i, j = (ord(letter) - ord("a") for letter in pair)
        matrix[i, j], matrix[j, i] = gap, -gap
    return matrix


WORLDS = {
    # All three are maximal: any "out" is false.
    "antichain": World(gaps(3), epsilon=0.2),
    "antichain, ties": World(gaps(3), epsilon=0.2, ties=0.4),
    # Just above ε: "in" is false of the lower one, and so is "indistinguishable".
    "a hair above epsilon": World(gaps(2, ab=0.201), epsilon=0.2),
    "a hair above epsilon, ties": World(gaps(2, ab=0.201), epsilon=0.2, ties=0.4),
    # One truly below: the step-down spends more on the rest once it is out.
    "one below, two even": World(gaps(3, ab=0.4, cb=0.4), epsilon=0.2),
    # Nothing is maximal, everyone is beaten clearly: "in" is false of all.
    "cycle": World(gaps(3, ab=0.21, bc=0.21, ca=0.21), epsilon=0.2),
    # Half of the voters cannot compare, which is not most of them.
    "half incomparable": World(gaps(2), epsilon=0.2, incomparable=0.5),
}
CASES = [
    (world, policy)
    for world in WORLDS
    for policy in POLICIES
    if policy == "uniformly" or WORLDS[world].size > 2  # with one pair there is nothing to choose
]

CLUSTERED = ["antichain", "a hair above epsilon", "cycle"]


def test_the_runs_claim_what_a_certificate_claims() -> None:
    # The runs below look evidence up in tables; here it comes from a log, as it does for users.
    world = World(gaps(3, ab=0.3, bc=0.1), epsilon=0.3)
    rng = np.random.default_rng(5)
    tables, delta, runs = Tables(world.epsilon, 100), 0.4, 200
    counts = np.zeros((runs, 3, 6), dtype=np.int64)
    counts[:, :, :5] = rng.integers(0, [30, 15, 8, 4, 40], size=(runs, 3, 5))
    for assume in ((), ("strong",), ("cannot-compare",), ("strong", "cannot-compare")):
        apart = World(world.gaps, world.epsilon, cannot_apart="cannot-compare" in assume)
        evidence = Evidence.none(runs, apart)
        for pair in range(3):
            add_evidence(evidence, apart, counts, np.full(runs, pair), tables)
        shown = claimed(evidence, apart, delta, Rules(assume=assume))
        for run in range(runs):
            terms = Terms(delta, world.epsilon, assume)
            at = judge_counts(log_of(world, counts[run]), terms).verdicts
            assert shown["out"][run].tolist() == at.out.tolist(), counts[run]
            assert shown["in"][run].tolist() == at.inside.tolist(), counts[run]
        assert min(found.sum() for found in shown.values()) > 0  # or nothing was compared


def first_the_clear(evidence: Evidence, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """c against d and e in turn, and then a against b only."""
    votes = counts.sum(axis=(1, 2))
    return np.select([votes >= 40, votes % 2 == 0], [0, 7], default=8)


# Gaps of an order in which each is at least as far above the third as the second is.
LADDER = gaps(3, ab=0.21, bc=0.21, ac=0.3)
# Of comparable pairs a third say "cannot compare", of incomparable ones two thirds, who lean.
SAY = np.array([[0, 1 / 3, 2 / 3], [1 / 3, 0, 2 / 3], [2 / 3, 2 / 3, 0]])
ASSUMED = {
    "strong": (World(LADDER, 0.2), Rules(assume=("strong",))),
    "cannot compare": (
        World(gaps(3, ab=0.21, bc=0.2, ac=0.2), 0.2, incomparable=SAY, cannot_apart=True),
        Rules(assume=("cannot-compare",)),
    ),
}

# All of δ on one family, in a world that attacks just that one.
ALONE = {
    "out": (World(gaps(2), epsilon=0.2), uniformly, Rules("out")),
    # d and e are soon out, and the closed test then asks less of a and b, which are even.
    "out, after others": (
        World(gaps(5, cd=0.49, ce=0.49), epsilon=0.2),
        first_the_clear,
        Rules("out"),
    ),
    # a is soon in, and the level is lower for b then, which is not.
    "in": (WORLDS["a hair above epsilon"], uniformly, Rules("in")),
    "above": (World(gaps(2), epsilon=0.2), uniformly, Rules("above")),
    "even": (WORLDS["a hair above epsilon"], uniformly, Rules("even")),
    "incomparable": (WORLDS["half incomparable"], uniformly, Rules("incomparable")),
}


@pytest.mark.slow
@at_levels("name, policy", product(ASSUMED, POLICIES))
def test_nothing_false_is_certified_under_assumptions(name: str, policy: str, delta: float) -> None:
    world, rules = ASSUMED[name]
    count = errors_in_votes(world, delta, runs_for(delta), 120, POLICIES[policy], 9, rules)
    print(f"{name}, {policy}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.parametrize("name", ASSUMED)
def test_nor_in_fewer_runs(name: str) -> None:
    world, rules = ASSUMED[name]
    count = errors_in_votes(world, 0.2, 600, 100, chasing, 10, rules)
    assert count.upper < 1.3 * 0.2, str(count)


@pytest.mark.slow
@at_levels("family", ALONE)
def test_each_family_alone_keeps_all_of_delta(family: str, delta: float) -> None:
    world, policy, rules = ALONE[family]
    count = errors_in_votes(world, delta, runs_for(delta), 150, policy, seed=7, rules=rules)
    print(f"all on {family}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.parametrize("family", ALONE)
def test_each_family_alone_keeps_delta_in_fewer_runs(family: str) -> None:
    world, policy, rules = ALONE[family]
    count = errors_in_votes(world, 0.2, 1000, 100, policy, seed=8, rules=rules)
    assert count.upper < 1.1 * 0.2, str(count)
    assert count.lower > 0.01, str(count)  # the attack does bite: a broken level would show


@pytest.mark.slow
@at_levels("world, policy", CASES)
def test_nothing_false_is_certified(world: str, policy: str, delta: float) -> None:
    count = errors_in_votes(WORLDS[world], delta, runs_for(delta), 120, POLICIES[policy], seed=1)
    print(f"{world}, {policy}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.parametrize(("world", "policy"), CASES)
def test_nothing_false_is_certified_in_fewer_runs(world: str, policy: str) -> None:
    delta = 0.2
    count = errors_in_votes(WORLDS[world], delta, 600, 100, POLICIES[policy], seed=2)
    assert count.upper < 1.3 * delta, str(count)


def test_the_runs_of_clusters_claim_what_a_certificate_claims() -> None:
    world = WORLDS["one below, two even"]
    scores = cluster_scores(world, 20, 15, 8, np.random.default_rng(6))
    evidence = cluster_evidence(world, scores)[-1]
    for run in range(20):
        weighed = weigh(all_answers(cluster_log(world, scores[run], 8, known=True)), world.epsilon)
        assert weighed.above == pytest.approx(evidence.above[run])
        assert weighed.within == pytest.approx(evidence.within[run])
        assert weighed.pooled == pytest.approx(evidence.pooled[run])


@pytest.mark.slow
@at_levels("world", CLUSTERED)
def test_clusters_of_one_mind_are_harmless_when_named(world: str, delta: float) -> None:
    count = errors_in_clusters(WORLDS[world], delta, runs_for(delta), 40, size=8, seed=3)
    print(f"{world}, clusters, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


def test_clusters_taken_as_single_votes_are_not_harmless() -> None:
    # The reason why a cluster's mean is one observation.
    world = WORLDS["antichain"]
    single = errors_in_clusters_taken_singly(world, 0.2, 100, 12, size=8, seed=4)
    assert single.lower > 0.2, str(single)
    named = errors_in_clusters(world, 0.2, 1000, 25, size=8, seed=4)
    assert named.upper < 1.2 * 0.2, str(named)
