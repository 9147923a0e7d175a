"""Decoys in logs keep their share of δ, however duels are collected and whenever one stops."""

from __future__ import annotations

import numpy as np
import pytest

from antichain.certify._claims import decoy_claims
from antichain.certify._weigh import all_decoy_answers, weigh_decoys
from antichain.votes._vote_log import DecoyVotes, VoteLog
from tests.guarantees.decoy_logs import GAP, WORLDS, errors_by_decoys, tables
from tests.guarantees.error_rates import runs_for

VOTES = 100


def test_the_runs_claim_what_a_certificate_claims() -> None:
    rng = np.random.default_rng(4)
    above, within = tables(VOTES)
    seen = [0, 0]
    for _ in range(100):
        counts = rng.integers(0, [30, 30, 15], size=(2, 3))
        table = np.concatenate([counts, np.zeros((2, 3), np.int64)], axis=1)
        duels = DecoyVotes(np.array([0, 1]), np.array([1, 0]), table)
        log = VoteLog.from_counts([("a", "b", 1, 1)], decoys=duels)
        said = np.logaddexp(*above[*counts.T]) - np.log(2)
        denied = within[*counts.T].min()
        weighed = weigh_decoys(all_decoy_answers(log), GAP)
        assert weighed.comparable == pytest.approx(said)
        assert weighed.incomparable == pytest.approx(denied)
        comparable, incomparable = decoy_claims(weighed, 2, 0.4)
        assert comparable.rejected.any() == (said >= -np.log(0.4))
        assert incomparable.rejected.any() == (denied >= -np.log(0.4))
        seen[0] += int(comparable.rejected.sum())
        seen[1] += int(incomparable.rejected.sum())
    assert min(seen) > 0, seen  # or the comparison above compared nothing


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("chasing", [False, True])
@pytest.mark.parametrize("world", WORLDS)
def test_decoys_show_nothing_false(world: str, chasing: bool, delta: float) -> None:
    count = errors_by_decoys(WORLDS[world], delta, runs_for(delta), VOTES, chasing, seed=11)
    print(f"{world}, chasing {chasing}, δ = {delta}: {count}")
    assert count.upper < 1.1 * delta, str(count)


@pytest.mark.parametrize("chasing", [False, True])
@pytest.mark.parametrize("world", WORLDS)
def test_decoys_show_nothing_false_in_fewer_runs(world: str, chasing: bool) -> None:
    count = errors_by_decoys(WORLDS[world], 0.2, 1000, 60, chasing, seed=12)
    assert count.upper < 1.2 * 0.2, str(count)


@pytest.mark.parametrize("world", ["incomparable", "formal decoys, at Δ"])
def test_the_attacks_bite(world: str) -> None:
    count = errors_by_decoys(WORLDS[world], 0.2, 1000, VOTES, chasing=True, seed=13)
    assert count.lower > 0.02, str(count)
