"""Clusters whose own answers decided what they were asked are noticed, and no others."""

import io

import numpy as np
import pytest
from scipy import stats

from antichain.votes import _counting, read_votes
from antichain.votes._dependence import FALSE_ALARMS, dependent_clusters

from . import cluster_designs
from .cluster_designs import GUILTY, INNOCENT, voting


@pytest.mark.parametrize("one_mind", [False, True])
@pytest.mark.parametrize("design", GUILTY)
@pytest.mark.parametrize("items", [8, 20])
def test_tournaments_and_sorts_are_noticed(design, one_mind, items):
    for seed in range(3):
        note = dependent_clusters(voting(design, seed, items, 200, one_mind=one_mind))
        assert note is not None
        assert "dependent clusters" in note


@pytest.mark.parametrize("one_mind", [False, True])
@pytest.mark.parametrize("items", [5, 20])
def test_three_items_by_winner_stays_need_few_voters(items, one_mind):
    design = cluster_designs.winner_stays
    logs = [voting(design, seed, items, 80, one_mind=one_mind) for seed in range(20)]
    assert sum(dependent_clusters(log) is not None for log in logs) >= 17


@pytest.mark.parametrize("one_mind", [False, True])
@pytest.mark.parametrize("design", INNOCENT)
def test_designs_that_do_not_look_at_the_answers_are_left_alone(design, one_mind):
    for seed in range(4):
        for items, voters, spread in ((5, 60, 1.0), (20, 60, 3.0), (8, 20, 1.0)):
            log = voting(design, seed, items, voters, one_mind=one_mind, spread=spread)
            assert dependent_clusters(log) is None


@pytest.mark.slow
def test_false_alarms_are_rarer_than_one_in_a_thousand():
    alarms = logs = 0
    for design in INNOCENT:
        for one_mind in (False, True):
            for items, voters, spread in ((5, 60, 1.0), (20, 60, 1.0), (8, 100, 3.0)):
                for seed in range(10_000, 10_100):
                    log = voting(design, seed, items, voters, one_mind=one_mind, spread=spread)
                    alarms += dependent_clusters(log) is not None
                    logs += 1
    assert alarms <= stats.binom.ppf(0.99, logs, FALSE_ALARMS)


def test_a_design_that_learns_from_earlier_clusters_is_left_alone():
    # The strongest so far meets a random item three times: it depends on earlier voters only.
    for seed in range(10):
        won = np.zeros(8)

        def favourite(rng, items, voter, ask, won=won):
            best = int(won.argmax())
            others = [k for k in rng.permutation(items).tolist() if k != best][:3]
            answers = [(other, ask(best, other)) for other in others]
            for other, first in answers:
                won[best if first else other] += 1

        assert dependent_clusters(voting(favourite, seed, 8, 150, one_mind=True)) is None


def test_it_takes_clusters_and_their_order(monkeypatch):
    plain = "left,right,winner\n" + "a,b,left\n" * 30
    assert dependent_clusters(read_votes(io.StringIO(plain))) is None
    rows = []
    rng = np.random.default_rng(0)
    for voter in range(100):
        champion, *others = rng.permutation(list("abcdefg"))[:4].tolist()
        for n, other in enumerate(others):
            won = rng.random() < 0.5
            rows.append((voter, champion, other, "left" if won else "right", f"{voter}{n}"))
            champion = champion if won else other
    header = "voter,left,right,winner,ask\n"
    text = header + "".join(
        ",".join(map(str, (*row[:4], k + 1))) + "\n" for k, row in enumerate(rows)
    )
    assert dependent_clusters(read_votes(io.StringIO(text), cluster="voter")) is not None
    # However the rows are shuffled, the asks say what came first.
    lines = text.splitlines(keepends=True)[1:]
    shuffled = header + "".join(rng.permutation(lines).tolist())
    assert dependent_clusters(read_votes(io.StringIO(shuffled), cluster="voter")) is not None
    monkeypatch.setattr(_counting, "MOST_IN_CLUSTERS", 10)
    assert dependent_clusters(read_votes(io.StringIO(text), cluster="voter")) is None
