"""Certificates on several criteria and attributes keep their δ, and find the front that is there.

Each run is stopped as soon as anything false is certified, which is the worst time there is.
"""

from __future__ import annotations

import numpy as np
import pytest

import antichain as ac
from antichain.certify._several import judge_criteria, possible_above
from antichain.referee import Terms
from antichain.votes import read_attributes, read_votes
from antichain.votes._vote_log import VoteLog
from tests.guarantees.certify_runs import Rules
from tests.guarantees.criterion_runs import (
    CriterionWorld,
    Ledger,
    after_a_claim,
    anywhere,
    claimed,
    errors_in_criteria,
    replace_rows,
)
from tests.guarantees.error_rates import runs_for

POLICIES = {"anywhere": anywhere, "after a claim": after_a_claim}


def gaps(size: int, *criteria: dict[str, float]) -> np.ndarray:
    """Matrices of gaps, one for each criterion: {"ab": 0.2} puts a above b by 0.2."""
    found = np.zeros((len(criteria), size, size))
    for matrix, above in zip(found, criteria, strict=True):
        for pair, gap in above.items():
            i, j = (ord(letter) - ord("a") for letter in pair)
            matrix[i, j], matrix[j, i] = gap, -gap
    return found


CHEAPER = np.array([[2.0], [1.0]])  # a is better on the attribute
WORLDS = {
    # Nothing is above anything: any "out" is false.
    "all even": CriterionWorld(gaps(3, {}, {})),
    "all even, ties": CriterionWorld(gaps(2, {}, {}, {}), ties=0.4),
    # Far ahead on one, but worse by a hair more than ε on the other.
    "a hair too much worse": CriterionWorld(gaps(2, {"ab": 0.49}, {"ab": -0.201})),
    # As good on one, and ahead by exactly ε on the other: not clearly better.
    "not clearly better": CriterionWorld(gaps(2, {"ab": 0.2}, {})),
    "not clearly better, ties": CriterionWorld(gaps(2, {"ab": 0.2}, {}), ties=0.4),
    # Ahead on both, on one by a hair more than ε: "in" is false of the lower one.
    "a hair above": CriterionWorld(gaps(2, {"ab": 0.201}, {"ab": 0.001})),
    "far above on one": CriterionWorld(gaps(2, {"ab": 0.49}, {"ab": 0.001})),
    "a cycle": CriterionWorld(
        gaps(3, {"ab": 0.21, "bc": 0.21, "ca": 0.21}, {"ab": 0.001, "bc": 0.001, "ca": 0.001})
    ),
    # Cheaper, and worse by a hair more than ε; or cheaper and better by a hair.
    "cheaper and worse": CriterionWorld(gaps(2, {"ab": -0.201}), values=CHEAPER),
    "cheaper and better": CriterionWorld(gaps(2, {"ab": 0.001}), values=CHEAPER),
    "cheaper, two criteria": CriterionWorld(
        gaps(2, {"ab": 0.49}, {"ab": -0.201}), values=CHEAPER, ties=0.2
    ),
    "cheaper and better, alike": CriterionWorld(
        gaps(2, {"ab": 0.001}, {"ab": 0.001}, {"ab": 0.001}), values=CHEAPER, halo=True
    ),
    # c is dear and truly below both; a and b have the same price and are even.
    "two even, one below": CriterionWorld(
        gaps(3, {"ac": 0.4, "bc": 0.4}, {"ac": 0.4, "bc": 0.4}),
        values=np.array([[1.0], [1.0], [0.0]]),
    ),
}
# All of δ on one family, in a world that attacks just that one.
ALONE = {
    "all even": "out",
    "a hair too much worse": "out",
    "not clearly better": "above",
    "cheaper and worse": "out",
    "a hair above": "in",
    "far above on one": "in",
    "cheaper and better": "in",
    "cheaper and better, alike": "in",
}


@pytest.mark.slow
@pytest.mark.parametrize(("delta", "policy"), [(0.05, "after a claim"), (0.2, "anywhere")])
@pytest.mark.parametrize("name", WORLDS)
def test_nothing_false_is_certified(name: str, policy: str, delta: float) -> None:
    # δ is shared by three families, and each world attacks one or two of them: the rates are far
    # below δ, and so many runs are enough.
    count = errors_in_criteria(WORLDS[name], delta, 5000, 100, POLICIES[policy], 3)
    print(f"{name}, {policy}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ALONE)
def test_nothing_false_in_one_family_alone(name: str, policy: str) -> None:
    count = errors_in_criteria(
        WORLDS[name], 0.2, runs_for(0.2), 150, POLICIES[policy], 4, ALONE[name]
    )
    print(f"{name}, {policy}, all of δ on {ALONE[name]}: {count}")
    assert count.upper < 1.1 * 0.2, str(count)


@pytest.mark.parametrize("name", ALONE)
def test_nor_in_fewer_runs(name: str) -> None:
    count = errors_in_criteria(WORLDS[name], 0.2, 1000, 60, after_a_claim, 5, ALONE[name])
    assert count.lower < 0.2, str(count)
    assert count.upper < 0.25, str(count)


@pytest.mark.parametrize("name", ["all even", "two even, one below", "cheaper, two criteria"])
def test_the_runs_claim_what_a_certificate_claims(name: str) -> None:
    # The runs look evidence up in tables; here it comes from a log, as it does for users.
    world, delta, runs = WORLDS[name], 0.4, 60
    rng = np.random.default_rng(2)
    ledger = Ledger(world, runs, 60)
    shape = ledger.counts.shape[:3]
    leaning = rng.random(shape)
    for _ in range(30):
        for criterion, pair in np.ndindex(*shape[1:]):
            cell = np.arange(runs), np.full(runs, criterion), np.full(runs, pair)
            said = (rng.random(runs) > leaning[:, criterion, pair]).astype(int)
            ledger.add(cell, np.where(rng.random(runs) < world.ties, 2, said))
    first, second = world.pairs.T
    one = possible_above(world.known, first, second)
    shown = claimed(ledger.evidence(replace_rows(one, runs)), world, runs, Rules().spent(delta))
    for run in range(runs):
        at = judge_criteria(_log(world, ledger.counts[run]), Terms(delta, world.epsilon))
        assert shown["out"][run].tolist() == at.judged.verdicts.out.tolist()
        assert shown["in"][run].tolist() == at.judged.verdicts.inside.tolist()
    assert min(found.sum() for found in shown.values()) > 0  # or nothing was compared


def _log(world: CriterionWorld, counts: np.ndarray) -> VoteLog:
    items = _items(world)
    rows = [
        {"left": items[i], "right": items[j], "winner": said, "n": int(n), "about": f"c{c}"}
        for c, table in enumerate(counts)
        for (i, j), row in zip(world.pairs.tolist(), table, strict=True)
        for said, n in zip(("left", "right", "tie"), row, strict=True)
    ]
    names = [f"x{k}" for k in range(world.known.shape[1])]
    known = {
        item: dict(zip(names, row.tolist(), strict=True))
        for item, row in zip(items, world.known, strict=True)
    }
    attributes = read_attributes(known, dict.fromkeys(names, "max")) if names else None
    return read_votes(rows, criterion="about", count="n", items=items, attributes=attributes)


def _items(world: CriterionWorld) -> tuple[str, ...]:
    return tuple(f"item {chr(97 + k)}" for k in range(world.size))


@pytest.mark.parametrize("seed", range(30))
def test_with_many_votes_the_certified_front_is_the_true_one(seed: int) -> None:
    # Gaps that are far from every boundary: there the definition leaves no choice.
    rng = np.random.default_rng(seed)
    criteria, size, known = rng.integers(1, 4), 4, rng.integers(0, 3)
    steps = rng.choice([-0.4, -0.05, 0.05, 0.3, 0.4], size=(criteria, size, size))
    upper = np.triu(steps, 1)
    values = rng.integers(0, 3, size=(size, known)).astype(float)
    world = CriterionWorld(upper - upper.transpose(0, 2, 1), 0.1, values)
    counts = np.zeros((criteria, len(world.pairs), 3), np.int64)
    for row, (i, j) in enumerate(world.pairs):
        wins = np.round(20_000 * (0.5 + world.gaps[:, i, j])).astype(np.int64)
        counts[:, row, 0], counts[:, row, 1] = wins, 20_000 - wins
    found = ac.front(_log(world, counts), epsilon=0.1, likely=False)
    for i, item in enumerate(_items(world)):
        out = any(world.is_above(j, i) for j in world.others(i))
        inside = all(world.leaves_in(j, i) for j in world.others(i))
        status = found.status(item)
        if status == "cycle":
            assert out
        elif out != inside:  # otherwise both claims are true, and either may be shown
            assert status == ("out" if out else "in"), item
        assert status != "undecided", item
