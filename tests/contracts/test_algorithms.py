"""Every algorithm and every maximum finder of the package keeps the contract that we ship."""

import pytest

import antichain as ac
from antichain.algorithms._registry import OURS
from antichain.algorithms.chains import Challenge, Knockout, PeelToOne
from antichain.testing import Check, algorithm_checks, finder_checks
from antichain.testing._crowds import in_portions
from antichain.testing._worlds import small_world

from .cases import CASES, Case, finders, repeatable

TIES = (0.0, 0.25)
"""The share of ties among the answers; `make test-slow` has the cases with ties."""
ANY_GAPS = (Challenge, PeelToOne, Knockout)
"""The finders that assume order compatibility only."""

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)

ALGORITHM_CHECKS = [
    pytest.param(check, id=f"{label}-{ties}-{check}", marks=[pytest.mark.slow] if ties else [])
    for label, case in CASES.items()
    for ties in TIES
    for check in algorithm_checks(case.algorithm, repeatable=case.repeatable, ties=ties)
]
FINDER_CHECKS = {
    f"{finder.name}-{ties}-{check}": check
    for finder in finders()
    for ties in TIES
    for check in finder_checks(
        finder, any_gaps=isinstance(finder, ANY_GAPS), repeatable=repeatable(finder), ties=ties
    )
}


@pytest.mark.parametrize("check", ALGORITHM_CHECKS)
def test_algorithm(check: Check) -> None:
    check()


@pytest.mark.parametrize("check", FINDER_CHECKS.values(), ids=FINDER_CHECKS)
def test_finder(check: Check) -> None:
    check()


def test_no_algorithm_is_forgotten() -> None:
    assert set(OURS) <= {case.algorithm.name for case in CASES.values()}


@every_case
def test_every_run_is_exact_where_gaps_are_clear_and_has_its_phases(case: Case) -> None:
    search = case.algorithm.start(small_world().items, seed=3)
    in_portions(None)(search, ac.KeyedArena(case.world(small_world()), seed=3))
    result = search.result()
    assert result.certified
    assert case.label.startswith("unchained-no-decoys") or result.front == small_world().front
    assert result.duels > 0
    phases = sum(epoch.duels for epoch in result.epochs)
    assert phases == (0 if case.label.startswith("certificate") else result.duels)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("n", [7, 100])
@pytest.mark.parametrize("label", ["unchained-paper", "unchained-no-decoys-paper"])
def test_by_the_paper_no_answer_is_spare(label: str, n: int, ties: float) -> None:
    case = CASES[label]
    assert case.algorithm.rules.is_paper
    search = case.algorithm.start(small_world().items, seed=3)
    in_portions(n)(search, ac.KeyedArena(case.world(small_world()), seed=3, tie_chance=ties))
    assert search.result().spare == 0
