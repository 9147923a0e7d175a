"""On a real local Dask cluster the counts are those of one machine."""

import numpy as np
import pytest

from antichain.errors import FileError, ParameterError
from antichain.logs.census import select, take_census
from antichain.logs.cluster import connect, pair_counts_on
from antichain.logs.reduce import pair_counts
from antichain.logs.synth import synthesize
from antichain.logs.tables import TableLog

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
    there = pair_counts_on(client, log, [log.items.names[c] for c in chosen], names, **options)
    return here, there


@pytest.mark.parametrize("shares", [1, 5])
def test_the_cluster_counts_the_same(client, tmp_path, shares):
    synthesize(tmp_path, 5_000, seed=3)
    here, there = both_ways(client, csv_log(tmp_path), shares=shares)
    assert here.co_raters.sum() > 0
    assert np.array_equal(here.wins, there.wins)
    assert np.array_equal(here.ties, there.ties)


def test_a_table_with_names_counts_the_same(client, tmp_path):
    pytest.importorskip("polars", reason="tables are read by polars")
    rng = np.random.default_rng(0)
    lines = [
        f"user {u},item {i},{rng.integers(1, 6)}"
        for u in range(60)
        for i in rng.permutation(15)[:6]
    ]
    (tmp_path / "t.csv").write_text("user,item,rating\n" + "\n".join(lines) + "\n")
    here, there = both_ways(client, TableLog(tmp_path / "t.csv"), shares=3)
    assert np.array_equal(here.wins, there.wins)
    assert np.array_equal(here.ties, there.ties)


def test_a_rating_twice_is_told_from_there_too(client, tmp_path):
    rows = [(1, 1, 3.0), (1, 2, 4.0), (2, 1, 3.0), (2, 2, 1.0), (1, 2, 2.0)]
    log = csv_log(write_csv(tmp_path, rows))
    with pytest.raises(FileError, match="line 6 rates item 2 by user 1 again, as line 3"):
        pair_counts_on(client, log, [1, 2], ["a", "b"], shares=2)


def test_a_bad_line_is_told_from_there_too(client, tmp_path):
    log = csv_log(write_csv(tmp_path, [(1, 1, 3.0), (2, 1, "bad")]))
    with pytest.raises(FileError, match="line 3 has the rating 'bad'"):
        pair_counts_on(client, log, [1, 2], ["a", "b"], shares=2)


def test_no_cluster_there(monkeypatch):
    monkeypatch.setattr("antichain.logs.cluster._PATIENCE", 0.2)
    with pytest.raises(ParameterError, match="no Dask scheduler answers at 'tcp://127"):
        connect("tcp://127.0.0.1:9")
