"""The guess at groups of items: it finds them, it tells more than duels alone, and it is honest."""

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms.witness._beliefs import _SPREAD, Patterns, chance, sort_out
from antichain.evidence._answers import Floats
from antichain.evidence._bet import log_bets

LOOK = 16


def first_looks(front: int, seed: int) -> tuple[Floats, Floats]:
    """Log-odds after a look at each pair of front item and other item, and who is above whom."""
    model = ac.posets.layered(front, 2 * front, 10, seed=seed)
    lower = [i for i, name in enumerate(model.poset.items) if name not in model.front]
    upper = [model.poset.items.index(name) for name in model.front]
    chances = 0.5 + np.asarray(model.gaps)[np.ix_(upper, lower)]
    wins = np.random.default_rng(seed).binomial(LOOK, chances)
    nothing = np.zeros_like(wins)
    counts = np.stack([wins, LOOK - wins, nothing, nothing], axis=-1)
    told = log_bets(_SPREAD, counts.reshape(-1, 4)).reshape(wins.shape)
    return told, np.asarray(model.poset.above)[np.ix_(upper, lower)]


def believed(told: Floats, seed: int = 0) -> Floats:
    patterns = Patterns(told.shape[1], np.random.default_rng(seed))
    return chance(told + patterns.expected(told))


def loss(belief: Floats, above: Floats) -> float:
    """Mean log-loss of chances."""
    return float(-np.log(np.clip(np.where(above, belief, 1 - belief), 1e-9, 1)).mean())


@pytest.mark.parametrize("front", [5, 20])
@pytest.mark.slow
def test_groups_tell_more_than_duels_alone(front: int) -> None:
    pooled, alone = [], []
    for seed in range(6):
        told, above = first_looks(front, seed)
        pooled.append(loss(believed(told), above))
        alone.append(min(loss(chance(told + shift), above) for shift in np.arange(-2, 2.1, 0.5)))
    # The duels alone are given the best base rate with hindsight, the groups are not.
    assert np.mean(pooled) < (0.75 if front == 20 else 1.0) * np.mean(alone)


@pytest.mark.slow
def test_what_is_believed_even_mostly_is() -> None:
    sure, wrong = 0, 0
    for seed in range(5):
        told, above = first_looks(20, seed)
        even = believed(told) < 0.03
        sure += int(even.sum())
        wrong += int((even & above).sum())
        assert not (chance(told) < 0.03).any()  # the duels alone are too few to be sure of any
    assert sure > 4000
    assert wrong < 0.04 * sure


def test_a_relative_with_small_gaps_is_seen_through() -> None:
    rng = np.random.default_rng(1)
    kinds = rng.random((12, 4)) < 0.5
    told = np.where(np.repeat(kinds, 6, axis=1), 3.0, -1.5)
    row, kind = np.argwhere(kinds)[0]
    told[row, 6 * kind] = -1.0  # above by a little: looks even
    assert chance(told[row, 6 * kind]) < 0.3
    assert believed(told)[row, 6 * kind] > 0.95


def test_nothing_told_is_nothing_learnt() -> None:
    assert np.allclose(believed(np.zeros((6, 9))), 0.5, atol=0.05)


def test_one_column_alone_has_its_common_rate() -> None:
    told = np.array([[4.0], [4.0], [4.0], [4.0], [0.0]])
    belief = believed(told)[:, 0]
    assert 0.6 < belief[4] < 0.95  # likely, since everybody else is above it


def test_the_compiled_twin_sorts_alike() -> None:
    told, _ = first_looks(5, 3)
    told = told[:, :25]
    draws = np.random.default_rng(0).random((4, told.shape[1]))
    groups = np.full((2, told.shape[1]), -1)
    fast = sort_out(told, groups[0], draws, 2)
    plain = sort_out.py_func(told, groups[1], draws, 2)  # type: ignore[attr-defined]
    assert (groups[0] == groups[1]).all()
    assert np.allclose(fast, plain, rtol=1e-9)
