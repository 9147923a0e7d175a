"""On a real local Dask cluster the counts are those of one machine."""

import os
import signal

import numpy as np
import pytest

from antichain import _pools
from antichain._pools import connect
from antichain.errors import FileError, InputError, ParameterError
from antichain.ratings import _rated_items
from antichain.ratings._ballots import pair_counts, select, take_census
from antichain.ratings._rated_items import load_movielens
from antichain.ratings._rating_log import RatingLog
from antichain.ratings._synth import synthesize

from .samples import csv_log, write_csv

distributed = pytest.importorskip("distributed", reason="the cluster is Dask's")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        connect(cluster.scheduler_address) as client,
    ):
        yield client


def both_ways(client, log, **options):
    census = take_census(log)
    chosen = select(log, census, top=12)
    names = [str(log.items.names[code]) for code in chosen]
    here = pair_counts(log, census, chosen, names)
    return here, pair_counts(log, census, chosen, names, client=client, **options)


@pytest.mark.parametrize("group_rows", [400, 5_000])
def test_the_cluster_counts_the_same(client, tmp_path, group_rows):
    synthesize(tmp_path, 5_000, seed=3)
    here, there = both_ways(client, csv_log(tmp_path), group_rows=group_rows)
    assert here.co_raters.sum() > 0
    assert np.array_equal(here.wins, there.wins)
    assert np.array_equal(here.ties, there.ties)


@pytest.mark.slow
def test_a_table_with_names_counts_the_same(client, tmp_path):
    rng = np.random.default_rng(0)
    lines = [
        f"user {u},item {i},{rng.integers(1, 6)}"
        for u in range(60)
        for i in rng.permutation(15)[:6]
    ]
    (tmp_path / "t.csv").write_text("user,item,rating\n" + "\n".join(lines) + "\n")
    here, there = both_ways(client, RatingLog(tmp_path / "t.csv"))
    assert np.array_equal(here.wins, there.wins)
    assert np.array_equal(here.ties, there.ties)


def test_a_rating_twice_is_told_from_there_too(client, tmp_path):
    rows = [(1, 1, 3.0), (1, 2, 4.0), (2, 1, 3.0), (2, 2, 1.0), (1, 2, 2.0)]
    log = csv_log(write_csv(tmp_path, rows))
    census = take_census(log)
    with pytest.raises(FileError, match="line 6 rates item 2 by user 1 again, as line 3"):
        pair_counts(log, census, select(log, census, top=2), ["a", "b"], client=client)


def test_workers_need_not_open_the_file(client, tmp_path):
    log = csv_log(write_csv(tmp_path))
    census = take_census(log)
    chosen = select(log, census, top=3)
    here = pair_counts(log, census, chosen, ["a", "b", "c"])
    (tmp_path / "ratings.csv").unlink()
    there = pair_counts(log, census, chosen, ["a", "b", "c"], client=client)
    assert np.array_equal(here.wins, there.wins)


def test_no_cluster_there(monkeypatch, tmp_path):
    monkeypatch.setattr("antichain._pools._PATIENCE", 0.2)
    synthesize(tmp_path, 5_000, seed=3)
    with pytest.raises(ParameterError, match="there is no Dask scheduler at 'tcp://127"):
        load_movielens(tmp_path, top=3, dask="tcp://127.0.0.1:9")


def test_a_cluster_that_is_lost_is_told(monkeypatch, tmp_path):
    synthesize(tmp_path, 5_000, seed=3)
    started = []

    def noted(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    def lost(*_, **__):
        os.killpg(started[0].pid, signal.SIGKILL)
        return counted(*_, **__)

    popen, counted = _pools.subprocess.Popen, _rated_items.pair_counts
    monkeypatch.setattr(_pools.subprocess, "Popen", noted)
    monkeypatch.setattr(_rated_items, "pair_counts", lost)
    with pytest.raises(InputError, match="'local' lost its workers or its scheduler"):
        load_movielens(tmp_path, top=3, dask="local")
