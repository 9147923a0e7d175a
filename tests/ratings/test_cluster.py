"""On a real local Dask cluster the counts are those of one machine."""

import pickle
import re
import weakref

import numpy as np
import pytest

from antichain.errors import FileError, ParameterError
from antichain.ratings.ballots import pair_counts
from antichain.ratings.census import select, take_census
from antichain.ratings.cluster import _deal, connect, pair_counts_on
from antichain.ratings.rating_log import RatingLog
from antichain.ratings.releases import open_release
from antichain.ratings.synth import synthesize

from .samples import ROWS, csv_log, write_csv, zipped

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
    rng = np.random.default_rng(0)
    lines = [
        f"user {u},item {i},{rng.integers(1, 6)}"
        for u in range(60)
        for i in rng.permutation(15)[:6]
    ]
    (tmp_path / "t.csv").write_text("user,item,rating\n" + "\n".join(lines) + "\n")
    here, there = both_ways(client, RatingLog(tmp_path / "t.csv"), shares=3)
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


def test_a_log_travels_without_what_it_has_read(tmp_path):
    synthesize(tmp_path, 5_000, seed=3)
    log = csv_log(tmp_path)
    unread = len(pickle.dumps(log))
    take_census(log)
    assert len(pickle.dumps(log)) == unread < 2_000
    assert len(log.items) > 0
    there = pickle.loads(pickle.dumps(log))
    assert len(there.items) == 0
    assert sum(chunk.users.size for chunk in there.chunks()) == 5_000


def test_a_relative_path_is_found_from_another_folder(tmp_path, monkeypatch):
    folder = write_csv(tmp_path / "ml-x")
    zipped(folder, tmp_path / "ml.zip")
    (tmp_path / "t.csv").write_text("user,item,rating\n1,31,2\n")
    monkeypatch.chdir(tmp_path)
    release, packed = open_release("ml-x").log, open_release("ml.zip").log
    logs = [pickle.loads(pickle.dumps(log)) for log in (release, packed, RatingLog("t.csv"))]
    monkeypatch.chdir(folder)
    wanted = [sum(item == 31 for _, item, _ in ROWS)] * 2 + [1]
    for log, rows, item in zip(logs, wanted, (31, 31, "31"), strict=True):
        assert sum(slip.places.size for slip in _deal(log, [item], 3)) == rows


def test_a_worker_that_cannot_open_the_file_says_so(client, tmp_path):
    folder = write_csv(tmp_path / "ml-x")
    log, table = csv_log(folder), RatingLog(folder / "ratings.csv")
    for part_of, parts in ((log, log.parts(2)), (table, [table])):
        part_of.parts = lambda _, parts=parts: parts
    (folder / "ratings.csv").unlink()
    for gone in (log, table):
        words = f"a worker on .* cannot open {re.escape(str(folder))}/ratings.csv"
        with pytest.raises(FileError, match=words):
            pair_counts_on(client, gone, [1, 2], ["a", "b"], shares=2)


def test_only_rows_of_the_chosen_items_are_held(tmp_path, monkeypatch):
    monkeypatch.setattr("antichain.sources.streams.BLOCK", 64)
    log = csv_log(write_csv(tmp_path, [(u, i, 1.0) for u in range(50) for i in range(20)]))
    alive, most = 0, 0

    def counted(chunk):
        nonlocal alive, most
        alive, most = alive + 1, max(most, alive + 1)
        weakref.finalize(chunk.users, gone)
        return chunk

    def gone():
        nonlocal alive
        alive -= 1

    read = log.read
    log.read = lambda: map(counted, read())
    hands = _deal(log, [3, 4], 2)
    assert sum(hand.users.size for hand in hands) == 100
    assert most <= 3


def test_no_cluster_there(monkeypatch):
    monkeypatch.setattr("antichain.ratings.cluster._PATIENCE", 0.2)
    with pytest.raises(ParameterError, match="no Dask scheduler answers at 'tcp://127"):
        connect("tcp://127.0.0.1:9")
