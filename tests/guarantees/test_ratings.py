"""Certificates of ratings keep their δ, whoever rates what: users are clusters, pairs stand alone.

Each run is looked at after every user, and stopped as soon as anything false is certified.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from antichain.certify._verdicts import judge_counts
from antichain.ratings._rated_items import load_ratings
from antichain.referee import Terms
from tests.guarantees.certify_runs import (
    Floats,
    Rules,
    World,
    claimed,
    cluster_evidence,
    false_claims,
)
from tests.guarantees.error_rates import ErrorCount, at_levels, runs_for

ALONE = Rules(clustered=True, pooled=False)
BLOCK = 250  # runs at a time, for the sake of memory
LOSES = (0.5 * (0.4 / 3 + 0.6) - 0.4 / 3) / 0.6  # the chance that makes each pair even


def personal_scales(runs: int, users: int, rng: np.random.Generator) -> Floats:
    """Four films that are all even, on scales of the users' own, in half stars."""
    level = rng.normal(3, 2, (runs, users, 1))
    scale = np.exp(rng.normal(0, 1.5, (runs, users, 1)))
    stars = np.clip(np.round(2 * (level + scale * rng.normal(size=(runs, users, 4)))) / 2, 0.5, 5)
    return np.where(rng.random(stars.shape) < 0.8, stars, np.nan)


def different_users(runs: int, users: int, rng: np.random.Generator) -> Floats:
    """All even in each pair, but those who rate the first film and one other dislike the first.

    Two in five rate just these two films, and all put the other above. Those who rate all four make
    up for it in each pair; taken over all films together, the first one seems to lose.
    """
    order = rng.permuted(np.tile(np.arange(1.0, 4), (runs, users, 1)), axis=2)
    first = np.where(rng.random((runs, users, 1)) < LOSES, 0.5, 5.0)
    everything = np.concatenate([first, order], axis=2)
    other = rng.integers(1, 4, (runs, users, 1))
    two = np.where(np.arange(4) == other, 4.0, np.where(np.arange(4) == 0, 2.0, np.nan))
    return np.where(rng.random((runs, users, 1)) < 0.4, two, everything)


def hair_above_epsilon(runs: int, users: int, rng: np.random.Generator) -> Floats:
    """The first film is above the second by 0.201, and some users rate one of them only."""
    better = rng.random((runs, users)) < 0.701
    stars = np.stack([np.where(better, 4.0, 2.0), np.where(better, 2.0, 4.0)], axis=2)
    return np.where(rng.random(stars.shape) < 0.9, stars, np.nan)


def world(size: int, lead: float = 0.0) -> World:
    gaps = np.zeros((size, size))
    gaps[0, 1], gaps[1, 0] = lead, -lead
    return World(gaps, 0.2)


WORLDS: dict[str, tuple[World, Callable[..., Floats], int]] = {
    "personal scales": (world(4), personal_scales, 50),
    "different users": (world(4), different_users, 40),
    "a hair above epsilon": (world(2, 0.201), hair_above_epsilon, 120),
}


def scores_of(truth: World, stars: Floats) -> Floats:
    """The score of each pair's first film by each user, NaN if the user did not rate both."""
    first, second = truth.pairs.T
    return (1 + np.sign(stars[..., first] - stars[..., second])) / 2


def errors(
    name: str, delta: float, runs: int, seed: int, rules: Rules = ALONE, users: int = 0
) -> ErrorCount:
    truth, rate, usual = WORLDS[name]
    users = users or usual
    rng, wrong = np.random.default_rng(seed), 0
    for start in range(0, runs, BLOCK):
        stars = rate(min(BLOCK, runs - start), users, rng)
        over = np.zeros(len(stars), np.bool_)
        for evidence in cluster_evidence(truth, scores_of(truth, stars)):
            over |= false_claims(evidence, truth, delta, over, rules)
        wrong += int(over.sum())
    return ErrorCount(wrong, runs)


@pytest.mark.parametrize("name", WORLDS)
def test_the_worlds_are_as_even_as_they_say(name: str) -> None:
    truth, rate, _ = WORLDS[name]
    scores = scores_of(truth, rate(1, 100_000, np.random.default_rng(1))[0])
    assert np.nanmean(scores, axis=0) - 0.5 == pytest.approx(truth.gaps[*truth.pairs.T], abs=0.01)


def test_the_runs_claim_what_a_certificate_of_the_file_claims(tmp_path) -> None:
    truth, rate, users = WORLDS["different users"]
    for run in range(4):
        stars = rate(1, users, np.random.default_rng(run))
        stars[:, :, 1] -= 3 * (run % 2)  # so that something is claimed
        rows = [
            f"u{u},{film},{stars[0, u, film]}"
            for u, film in np.argwhere(np.isfinite(stars[0])).tolist()
        ]
        path = tmp_path / f"{run}.csv"
        path.write_text("\n".join(["user,item,rating", *rows]))
        log = load_ratings(path).votes()
        at = judge_counts(log, Terms(0.2, truth.epsilon)).verdicts
        evidence = cluster_evidence(truth, scores_of(truth, stars))[-1]
        shown = claimed(evidence, truth, 0.2, ALONE)
        assert {log.items[k] for k in np.flatnonzero(at.out)} == set(
            map(str, np.flatnonzero(shown["out"][0]))
        )
        assert at.out.any() or not run % 2
        assert at.inside.sum() == shown["in"].sum()


@pytest.mark.slow
@at_levels("name", WORLDS)
def test_nothing_false_is_certified_of_ratings(name: str, delta: float) -> None:
    count = errors(name, delta, runs_for(delta), seed=3)
    print(f"{name}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.parametrize("name", WORLDS)
def test_nor_in_fewer_runs_of_ratings(name: str) -> None:
    count = errors(name, 0.2, 500, seed=4)
    assert count.upper < 1.1 * 0.2, str(count)


@pytest.mark.parametrize("family", ["out", "in"])
def test_one_family_alone_keeps_all_of_delta(family: str) -> None:
    name = "different users" if family == "out" else "a hair above epsilon"
    rules = Rules(family, clustered=True, pooled=False)
    count = errors(name, 0.2, 750, seed=5, rules=rules)
    assert count.upper < 1.1 * 0.2, str(count)
    assert count.lower > 0.01, str(count)  # the attack does bite


def test_taking_a_user_s_films_together_would_be_false() -> None:
    # Which is why pairs of ratings are never taken together.
    rules = Rules("out", clustered=True)
    count = errors("different users", 0.2, 150, seed=6, rules=rules, users=200)
    assert count.lower > 0.3, str(count)
