from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antichain.errors import ParameterError
from antichain.likely import OrderBeliefs, _order_beliefs, expected_by_budget, likely_front
from antichain.likely._budget_forecast import keeps_promise
from antichain.likely._pair_evidence import Evidence, GapTables, weigh
from antichain.testing._mixed_worlds import mixed_log


def after(gaps: np.ndarray, votes: int, seed: int, chosen: bool) -> float:
    """The Brier score after some votes on pairs of the model's choice, or random ones."""
    rng, size = np.random.default_rng(seed), len(gaps)
    wins, beliefs = np.zeros((size, size)), OrderBeliefs(size, 0.1, seed=seed)
    for _ in range(0, votes, 10):
        pairs = beliefs.pairs(10) if chosen else []
        while not chosen and len(pairs) < 10:
            i, j = sorted(rng.choice(size, 2, replace=False))
            pairs.append((int(i), int(j)))
        for i, j in pairs:
            won = rng.random() < 0.5 + gaps[i, j]
            wins[(i, j) if won else (j, i)] += 1
        if chosen:
            beliefs.learn(wins)
    chances = likely_front(wins, epsilon=0.1, seed=seed).chances
    return float(((chances - (gaps.max(axis=0) <= 0.1)) ** 2).mean())


def test_pairs_are_of_those_allowed_and_the_same_for_the_same_seed() -> None:
    wins = mixed_log(3, size=7, per_pair=2).wins
    allowed = np.zeros((7, 7), bool)
    allowed[0, 1:] = True
    answers = []
    for _ in range(2):
        beliefs = OrderBeliefs(7, 0.1, seed=4)
        beliefs.learn(wins)
        answers.append(beliefs.pairs(6, allowed))
        assert beliefs.pairs(3, np.zeros((7, 7), bool)) == []
    assert answers[0] == answers[1]
    assert len(answers[0]) == 6
    assert all(i == 0 and j > 0 for i, j in answers[0])


@pytest.mark.parametrize("world", range(4))
def test_rounding_decides_nothing(world: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Processors differ in the last bit of exp and log; a study must ask the same on all of them.
    rng = np.random.default_rng(world)

    def jittered(*arguments: Any) -> tuple[Evidence, GapTables]:
        evidence, gaps = weigh(*arguments)
        above = evidence.above * (1 + rng.choice([-1, 0, 1], evidence.above.shape) * 2.0**-52)
        return evidence._replace(above=above, below=above.transpose(0, 2, 1).copy()), gaps

    def run() -> tuple[list[tuple[int, int]], list[float]]:
        beliefs = OrderBeliefs(8, 0.1, seed=world)
        pairs = []
        for votes in (1, 2, 3):
            beliefs.learn(mixed_log(world, size=8, per_pair=votes).wins)
            pairs += beliefs.pairs(5)
        return pairs, beliefs.front().chances.round(9).tolist()

    plain = run()
    monkeypatch.setattr(_order_beliefs, "weigh", jittered)
    assert run() == plain


def test_nothing_is_asked_about_what_is_known() -> None:
    wins = np.zeros((6, 6))
    wins[0, 1:] = 600  # a leader beyond doubt, and the others out beyond doubt
    beliefs = OrderBeliefs(6, 0.1)
    beliefs.learn(wins)
    assert beliefs.pairs(10) == []
    assert beliefs.front().front == (0,)


def test_pairs_are_about_items_in_doubt() -> None:
    wins = np.zeros((6, 6))
    wins[0, 2:] = wins[1, 2:] = 60  # 0 or 1 leads
    beliefs = OrderBeliefs(6, 0.1)
    beliefs.learn(wins)
    assert set(beliefs.pairs(4)) == {(0, 1)}


def test_beliefs_kept_agree_with_beliefs_made_afresh() -> None:
    log = mixed_log(8, size=7, per_pair=6)
    kept, fresh = OrderBeliefs(7, 0.1, seed=1), OrderBeliefs(7, 0.1, seed=2)
    for share in (0.5, 0.6, 0.7):
        kept.learn(np.floor(log.wins * share))
    fresh.learn(np.floor(log.wins * 0.7))
    assert np.abs(kept.front().chances - fresh.front().chances).max() < 0.2


def test_votes_that_are_taken_back() -> None:
    beliefs = OrderBeliefs(3, 0.1)
    wins = np.array([[0, 40, 40], [0, 0, 0], [0, 0, 0.0]])
    beliefs.learn(wins)
    assert beliefs.front().front == (0,)
    beliefs.learn(wins.T)
    assert 0 not in beliefs.front().front
    with pytest.raises(ParameterError, match="shape"):
        beliefs.learn(np.zeros((2, 2)))


@pytest.mark.slow
def test_chosen_pairs_tell_more_than_random_ones() -> None:
    logs = [mixed_log(seed, size=8) for seed in range(400, 424)]
    better = [
        after(log.gaps, 120, k, chosen=False) - after(log.gaps, 120, k, chosen=True)
        for k, log in enumerate(logs)
    ]
    assert np.mean(better) > 0


@pytest.mark.slow
def test_more_votes_are_expected_to_give_more() -> None:
    seen: list[tuple[int, int]] = []
    few, many = expected_by_budget(
        5, [10, 150], 0.1, worlds=18, progress=lambda done, of: seen.append((done, of))
    )
    assert (few.votes, many.votes) == (10, 150)
    assert 0.4 < few.expected_f1 < many.expected_f1 <= 1
    assert few.exactly_right <= many.exactly_right
    assert seen[-1] == (18, 18)


def test_the_promise_is_read_from_gaps() -> None:
    gaps = np.array([[0, 0.2, 0.05], [-0.2, 0, 0.15], [-0.05, -0.15, 0]])
    assert keeps_promise(gaps, (0.1, 0.1)).tolist() == [1, 0, 0]
    assert keeps_promise(gaps, (0.1, 0.3)).tolist() == [1, 0, 1]
