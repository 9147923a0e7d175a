from __future__ import annotations

import numpy as np
import pytest

from antichain.errors import ParameterError
from antichain.likely import likely_front, not_estimated
from antichain.likely._likely_front import MOST_ITEMS
from antichain.testing._mixed_worlds import mixed_log


def ring(size: int, votes: float) -> np.ndarray:
    wins = np.zeros((size, size))
    for i in range(size):
        wins[i, (i + 1) % size] = votes
    return wins


def test_a_clear_leader() -> None:
    wins = np.array([[0, 30, 30, 30], [1, 0, 15, 16], [2, 15, 0, 15], [1, 14, 15, 0]], float)
    found = likely_front(wins, epsilon=0.1)
    assert found.front == (0,)
    assert found.chances[0] > 0.98
    assert found.chances[1:].max() < 0.02
    assert found.expected_f1 > 0.97
    assert found.exactly_right > 0.97
    assert found.doubts == ()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_chances_and_another_nearly_the_same() -> None:
    for seed in range(3):
        wins = mixed_log(seed, size=8, per_pair=4).wins
        one, again, other = (likely_front(wins, epsilon=0.1, seed=s) for s in (1, 1, 2))
        assert (one.chances == again.chances).all()
        assert one.front == again.front
        assert np.abs(one.chances - other.chances).max() < 0.1


def test_names_of_items_do_not_matter() -> None:
    wins = mixed_log(11, size=6, per_pair=6).wins
    order = np.array([3, 0, 5, 1, 4, 2])
    straight = likely_front(wins, epsilon=0.1).chances
    shuffled = likely_front(wins[np.ix_(order, order)], epsilon=0.1).chances
    assert np.abs(straight[order] - shuffled).max() < 0.1


def test_others_may_be_further_above() -> None:
    # A chain: 0 is above 1 by 0.08 and above 2 by 0.3; 1, which is not maximal, is above 2 by 0.2.
    wins = np.array([[0, 580, 800.0], [420, 0, 700], [200, 300, 0]])
    plain = likely_front(wins, epsilon=0.1).chances
    assert plain[1] > 0.5
    assert plain[2] < 0.01
    wins = np.array([[0, 800, 540.0], [200, 0, 700], [460, 300, 0]])
    plain = likely_front(wins, epsilon=0.1).chances
    tiers = likely_front(wins, epsilon=0.1, epsilon_others=0.3).chances
    assert plain[2] < 0.01
    assert tiers[2] > 0.9


def test_cannot_compare_is_evidence() -> None:
    wins = np.array([[0, 9.0], [2, 0]])
    cannot = np.array([[0, 40.0], [40, 0]])
    without, with_answers = (
        likely_front(wins, epsilon=0.1, cannot=told).chances[1] for told in (None, cannot)
    )
    assert with_answers > 0.9 > without + 0.2
    nobody = likely_front(wins, epsilon=0.1, cannot=np.zeros((2, 2))).chances[1]
    assert nobody == without  # voters were perhaps not offered the answer


@pytest.mark.parametrize("size", [1, 2, 5])
def test_without_votes_all_items_are_alike(size: int) -> None:
    found = likely_front(np.zeros((size, size)), epsilon=0.1)
    assert np.ptp(found.chances) < 0.1
    assert len(found.front) == size
    assert bool(found.doubts) == (size > 1)


def test_very_many_votes_on_one_pair() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[2, 3] = 700_000, 300_000, 2
    found = likely_front(wins, epsilon=0.1)
    assert np.isfinite(found.chances).all()
    assert found.chances[1] < 0.01
    assert found.chances[0] > 0.5


@pytest.mark.slow
def test_circles_are_said_to_fit_no_order() -> None:
    assert "fit no order" in " ".join(likely_front(ring(3, 15), epsilon=0.1).doubts)
    assert "fit no order" in " ".join(likely_front(ring(6, 20), epsilon=0.1).doubts)
    doubted = sum(
        "fit no order" in " ".join(likely_front(mixed_log(s, 8).wins, epsilon=0.1).doubts)
        for s in range(8)
    )
    assert doubted == 0


def test_items_that_never_met_are_said_to_be_so() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1] = 5
    # They may well have ties, which say nothing here.
    assert likely_front(wins, epsilon=0.1).doubts[0].startswith("2 items have neither wins nor")
    wins[2, 3] = 5
    assert "in 2 unconnected groups" in likely_front(wins, epsilon=0.1).doubts[0]


def test_what_cannot_be_counts_is_refused() -> None:
    for wins, words in (
        (np.zeros((2, 3)), r"shape \(2, 3\)"),
        (np.zeros((0, 0)), "square"),
        (np.full((2, 2), -1.0), "counts"),
        (np.full((2, 2), np.nan), "counts"),
        (np.zeros((MOST_ITEMS + 1,) * 2), "at most"),
    ):
        with pytest.raises(ParameterError, match=words):
            likely_front(wins, epsilon=0.1)
    for one, other in ((0.5, None), (-0.1, None), (0.1, 0.05), (float("nan"), None)):
        with pytest.raises(ParameterError, match="epsilon"):
            likely_front(np.zeros((2, 2)), epsilon=one, epsilon_others=other)
    with pytest.raises(ParameterError, match="symmetric"):
        likely_front(np.zeros((2, 2)), epsilon=0.1, cannot=np.array([[0, 1.0], [0, 0]]))
    assert not_estimated(MOST_ITEMS) is None
    assert str(MOST_ITEMS) in str(not_estimated(MOST_ITEMS + 1))


def chances_and_truth(seeds: range) -> tuple[np.ndarray, np.ndarray]:
    said, true = [], []
    for seed in seeds:
        log = mixed_log(seed)
        said.append(likely_front(log.wins, epsilon=0.1, seed=seed).chances)
        true.append(log.gaps.max(axis=0) <= 0.1)
    return np.concatenate(said), np.concatenate(true).astype(float)


@pytest.mark.slow
def test_chances_are_calibrated_on_mixed_worlds() -> None:
    said, true = chances_and_truth(range(70_000, 70_150))
    skill = 1 - ((said - true) ** 2).mean() / true.var()
    assert skill > 0.33  # 0.42 over very many worlds; worlds differ
    tenth = np.minimum((said * 10).astype(int), 9)
    apart = [abs(said[tenth == k].mean() - true[tenth == k].mean()) for k in np.unique(tenth)]
    assert np.mean(apart) < 0.08


def test_chances_are_never_below_zero() -> None:
    wins = [[0, 239, 238, 488], [213, 0, 249, 453], [254, 313, 0, 453], [38, 38, 24, 0]]
    chances = likely_front(np.array(wins, float), epsilon=0.1).chances
    assert not np.signbit(chances).any()  # nor minus zero
    assert chances.max() <= 1
