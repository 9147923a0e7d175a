"""Sweeps: the same rows everywhere, and nothing finished done twice."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import pytest

from antichain import _pools
from antichain.errors import FileError, InputError, ParameterError
from antichain.experiments import Key, run_row, sweep
from antichain.experiments import _rows as experiments_rows
from antichain.experiments._engine import sweep_on
from antichain.experiments._rows import keys_of, seed_of

from .cases import SMALL, timeless


@pytest.fixture(scope="module")
def rows():
    return sweep(SMALL)


def test_there_is_a_row_for_every_key_in_order(rows):
    keys = [Key(row["value"], row["algorithm"], row["run"]) for row in rows]
    assert keys == keys_of(SMALL)
    assert len(keys) == 3 * 4 * 2


def test_a_row_says_what_was_run_and_what_came_of_it(rows):
    for row in rows:
        slicing = row["algorithm"] == "slicing"
        assert row["front"] == row["value"]
        assert row["items"] == row["front"] + row["width"] * 2
        assert row["true_height"] == 3
        assert row["true_width"] >= row["width"]
        assert row["duels"] == row["direct_duels"] + row["decoy_duels"] + row["probes"]
        assert (row["decoy_duels"] == 0) or not slicing
        assert (row["probes"] > 0) == slicing
        assert row["regret_peeling"] <= row["regret"] <= row["regret_with_decoys"]
        assert row["theorem_1_duels"] > row["duels"] or slicing
        assert json.loads(json.dumps(row)) == row


def test_a_row_can_be_made_alone(rows):
    row = rows[17]
    alone = run_row(SMALL, Key(row["value"], row["algorithm"], row["run"]))
    assert timeless([alone]) == timeless([row])


def test_another_seed_gives_other_rows(rows):
    key = Key(3, "unchained", 0)
    assert run_row(SMALL, key, seed=1)["duels"] != run_row(SMALL, key)["duels"]


def test_seeds_are_shared_by_algorithms_and_in_a_paired_experiment_by_points():
    seeds = {key: seed_of(SMALL, key, 0) for key in keys_of(SMALL)}
    assert len(set(seeds.values())) == 3 * 2
    assert seeds[Key(1, "uniform", 0)] == seeds[Key(1, "slicing", 0)] == 154686885168852
    paired = replace(SMALL, paired=True)
    assert len({seed_of(paired, key, 0) for key in keys_of(paired)}) == 2
    assert max(seeds.values()) < 2**48


def test_threads_give_the_same_rows(rows):
    with ThreadPoolExecutor(2) as executor:
        assert timeless(sweep(SMALL, executor)) == timeless(rows)


@pytest.mark.slow
def test_two_processes_give_the_same_rows(rows, tmp_path):
    found = sweep_on(_pools.processes(2), SMALL, tmp_path / "runs.jsonl")
    assert timeless(found) == timeless(rows)


@pytest.mark.slow
def test_a_real_dask_cluster_gives_the_same_rows(rows, tmp_path):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        backend = _pools.dask(cluster.scheduler_address)
        found = sweep_on(backend, SMALL, tmp_path / "runs.jsonl")
    assert timeless(found) == timeless(rows)


def test_a_dask_client_is_an_executor_too(rows):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with distributed.Client(processes=False, n_workers=1, dashboard_address=":0") as client:
        assert timeless(sweep(SMALL, client)) == timeless(rows)


def test_what_is_no_executor_is_told():
    with pytest.raises(ParameterError, match=r"executor is 4, but an executor of concurrent"):
        sweep(SMALL, 4)


def test_a_dask_scheduler_lost_in_the_midst_is_told_and_finished_runs_are_kept(
    tmp_path, monkeypatch, capfd
):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    monkeypatch.setattr(_pools, "_PATIENCE", 0.5)
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    )
    store = tmp_path / "runs.jsonl"

    def close(done, total):
        if done >= 5:
            cluster.close()

    backend = _pools.dask(cluster.scheduler_address)
    with pytest.raises(InputError, match=r"no Dask scheduler at .* finished runs are kept"):
        sweep_on(backend, SMALL.chosen(50), store, progress=close)
    assert len(store.read_bytes().splitlines()) > 5
    assert "Traceback" not in capfd.readouterr().err


def test_no_scheduler_at_the_address_is_said_in_a_sentence(tmp_path):
    pytest.importorskip("distributed", reason="distributed is not installed")
    with pytest.raises(InputError, match="no Dask scheduler can be reached at 'foo://nowhere:1'"):
        sweep_on(_pools.dask("foo://nowhere:1"), SMALL, tmp_path / "runs.jsonl")


def refuse(*arguments):
    raise AssertionError("a finished run was done again")


def test_finished_runs_are_read_and_not_redone(rows, tmp_path, monkeypatch):
    store = tmp_path / "runs.jsonl"
    first = sweep(SMALL, store=store)
    seen = []
    with monkeypatch.context() as patch:
        patch.setattr("antichain.experiments._engine.run_rows", refuse)
        again = sweep(SMALL, store=store, progress=lambda *counts: seen.append(counts))
    assert again == first  # the clock's readings too: these are the same runs
    assert timeless(again) == timeless(rows)
    assert seen == [(24, 24)]


def test_more_runs_are_added_to_those_there(tmp_path):
    store = tmp_path / "runs.jsonl"
    first = sweep(SMALL, store=store)
    seen = []
    more = sweep(SMALL.chosen(3), store=store, progress=lambda *counts: seen.append(counts))
    assert seen[0] == (24, 36)
    assert [row for row in more if row["run"] < 2] == first


def test_a_journal_from_before_the_limit_is_taken_up_and_completed(rows, tmp_path, monkeypatch):
    store = tmp_path / "runs.jsonl"
    sweep(SMALL, store=store)
    header, *lines = store.read_text().splitlines()
    old = [json.loads(line) for line in lines]
    for row in old:
        del row["information_limit"]
    store.write_text("\n".join([header, *map(json.dumps, old)]) + "\n")
    before = store.read_bytes()
    monkeypatch.setattr("antichain.experiments._engine.run_rows", refuse)
    assert timeless(sweep(SMALL, store=store)) == timeless(rows)
    plain = sweep(replace(SMALL, references=()), store=store)
    assert {row["information_limit"] for row in plain} == {None}
    assert store.read_bytes() == before


def test_the_limit_is_worked_out_once_a_poset_and_only_where_it_is_shown(monkeypatch):
    calls = []

    def counted(model, delta, decoy_gap):
        calls.append(model.size)
        return 1.0

    experiments_rows._limit.cache_clear()
    monkeypatch.setattr(experiments_rows, "limit_if_any", counted)
    try:
        found = sweep(SMALL)
    finally:
        experiments_rows._limit.cache_clear()  # nobody else shall meet the made-up limits
    assert len(found) == 24
    assert len(calls) == 3 * 2  # values times runs, not times algorithms
    assert {row["information_limit"] for row in found} == {1.0}
    sweep(replace(SMALL, references=("delta",)))
    assert len(calls) == 6


def test_what_a_crash_left_of_a_line_is_cut_off(tmp_path):
    store = tmp_path / "runs.jsonl"
    first = sweep(SMALL, store=store)
    whole = store.read_bytes()
    store.write_bytes(whole[:-30])
    seen = []
    again = sweep(SMALL, store=store, progress=lambda *counts: seen.append(counts))
    assert seen == [(23, 24), (24, 24)]
    assert timeless(again) == timeless(first)
    assert [row for row in again if row != first[-1]][:23] == first[:23]
    assert len(store.read_bytes().splitlines()) == 25


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda lines: [lines[0], b"nonsense", *lines[2:]], "line 2"),
        (lambda lines: [lines[0], b"{}", *lines[2:]], "line 2"),
        (lambda lines: [lines[0].replace(b'"seed": 0', b'"seed": 5'), *lines[1:]], "seed 5"),
    ],
)
def test_a_journal_that_is_not_this_sweeps_is_refused(tmp_path, spoil, words):
    store = tmp_path / "runs.jsonl"
    sweep(SMALL.chosen(1, ["slicing"]), store=store)
    store.write_bytes(b"\n".join(spoil(store.read_bytes().splitlines())) + b"\n")
    before = store.read_bytes()
    with pytest.raises(FileError, match=words):
        sweep(SMALL, store=store)
    assert store.read_bytes() == before
    assert len(sweep(SMALL.chosen(1, ["slicing"]), store=store, force=True)) == 3


@pytest.mark.parametrize("torn", [b"", b'{"experi'])
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda lines: [b"my own runs", *lines], "not a journal of a sweep"),
        (lambda lines: [b'{"format": "other"}', *lines[1:]], "not a journal of a sweep"),
        (lambda lines: [lines[0].replace(b'"small"', b'"big"'), *lines[1:]], "another experiment"),
        (lambda lines: [b'{"format": "antichain-sweep", "spec": 3}'], "another experiment"),
    ],
)
def test_force_empties_only_what_is_this_experiments(tmp_path, spoil, words, torn):
    (tmp_path / "elsewhere").mkdir()
    store, link = tmp_path / "elsewhere" / "theirs", tmp_path / "runs.jsonl"
    sweep(SMALL.chosen(1, ["slicing"]), store=store)
    store.write_bytes(b"\n".join(spoil(store.read_bytes().splitlines())) + b"\n" + torn)
    before = store.read_bytes()
    link.symlink_to(store)
    for place in (store, link):
        with pytest.raises(FileError, match=words):
            sweep(SMALL, store=place, force=True)
        with pytest.raises(FileError):
            sweep(SMALL, store=place)
    assert store.read_bytes() == before
    assert link.is_symlink()


def test_the_option_that_starts_again_is_named(tmp_path):
    store = tmp_path / "runs.jsonl"
    sweep(SMALL.chosen(1, ["slicing"]), store=store)
    with pytest.raises(FileError) as caught:
        sweep(SMALL, store=store, seed=1)
    assert str(caught.value).endswith("was expected; give --force to start again.")


def test_a_journal_that_is_refused_keeps_its_torn_line(tmp_path):
    store = tmp_path / "runs.jsonl"
    sweep(SMALL.chosen(1, ["slicing"]), store=store)
    store.write_bytes(store.read_bytes() + b'{"torn')
    before = store.read_bytes()
    with pytest.raises(FileError, match="holds runs with seed 0"):
        sweep(SMALL, store=store, seed=1)
    with pytest.raises(InputError):
        sweep(replace(SMALL, algorithms=("no_such_module:Method",)), store=store, force=True)
    assert store.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"run": int("9" * 400)}, "line 3 has the run 999"),
        ({"duels": 1.5}, "line 3 has the duels 1.5"),
        ({"duels": None}, "line 3 has the duels None"),
        ({"correct": 1}, "line 3 has the correct 1"),
        ({"seconds": True}, "line 3 has the seconds True"),
        ({"value": [1]}, r"line 3 has the value \[1\]"),
        ({"algorithm": {}}, "line 3 has the algorithm {}"),
        ({"regret": "much"}, "line 3 has the regret 'much'"),
        ({"information_limit": "x"}, "line 3 has the information_limit 'x'"),
        ({"regret": 1e300}, r"line 3 has the regret 1e\+300"),
        ({"parents": "\ud800"}, "line 3 has the parents"),
        ({"more": 1}, "line 3 has 'more'"),
    ],
)
def test_a_line_that_is_no_row_is_named(tmp_path, change, words):
    store = tmp_path / "runs.jsonl"
    sweep(SMALL.chosen(1, ["slicing"]), store=store)
    lines = store.read_text().splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | change)
    store.write_text("\n".join(lines) + "\n")
    with pytest.raises(FileError, match=words):
        sweep(SMALL.chosen(1, ["slicing"]), store=store)
    for odd in ("[" * 100_000 + "]" * 100_000, '{"run": 1e999}', '{"run": NaN}', "7", "{}"):
        store.write_text("\n".join([*lines[:2], odd, ""]))
        with pytest.raises(FileError, match="line 3 "):
            sweep(SMALL.chosen(1, ["slicing"]), store=store)


def test_two_sweeps_do_not_write_one_journal(tmp_path):
    pytest.importorskip("fcntl", reason="this system locks no files")
    store = tmp_path / "runs.jsonl"
    met = []

    def meddle(done, total):
        if not met:
            with pytest.raises(FileError, match="being written by process") as caught:
                sweep(SMALL, store=store)
            met.append(caught)

    sweep(SMALL.chosen(1, ["slicing"]), store=store, progress=meddle)
    assert met


class Unlucky(ThreadPoolExecutor):
    """An executor whose second future fails, as Dask's do."""

    def __init__(self, error):
        super().__init__(1)
        self.error = error
        self.handed_out = 0

    def submit(self, function, /, *arguments, **words):
        self.handed_out += 1
        if self.handed_out != 2:
            return super().submit(function, *arguments, **words)
        failed = Future()
        failed.set_exception(self.error)
        return failed


def killed_worker():
    scheduler = pytest.importorskip("distributed.scheduler", reason="no distributed")
    return scheduler.KilledWorker("run", SimpleNamespace(address="tcp://there"), 3)


def comm_closed():
    return pytest.importorskip("distributed.comm", reason="no distributed").CommClosedError("gone")


@pytest.mark.parametrize("error", [killed_worker, comm_closed, CancelledError])
def test_what_was_finished_beside_a_lost_run_is_kept(tmp_path, error):
    store = tmp_path / "runs.jsonl"
    with Unlucky(error()) as executor, pytest.raises(BrokenExecutor):
        sweep(SMALL, executor, store)
    assert len(store.read_bytes().splitlines()) == 1 + 23


def test_an_error_of_a_run_itself_is_no_lost_worker(tmp_path):
    with Unlucky(ZeroDivisionError()) as executor, pytest.raises(ZeroDivisionError):
        sweep(SMALL, executor, tmp_path / "runs.jsonl")


class Fragile(ThreadPoolExecutor):
    """An executor that breaks, as a process pool does when a worker is killed."""

    limit = 5

    def submit(self, function, /, *arguments, **words):
        from concurrent.futures.process import BrokenProcessPool

        self.limit -= 1
        if self.limit < 0:
            raise BrokenProcessPool("a worker is gone")
        return super().submit(function, *arguments, **words)


def test_a_broken_executor_is_replaced_and_finished_runs_are_kept(tmp_path, rows):
    made = []

    def backend():
        made.append(Fragile(1) if not made else ThreadPoolExecutor(1))
        return made[-1]

    seen = []
    found = sweep_on(
        backend, SMALL, tmp_path / "runs.jsonl", progress=lambda *counts: seen.append(counts)
    )
    assert timeless(found) == timeless(rows)
    assert len(made) == 2
    assert [done for done, _ in seen] == [*range(6), *range(5, 25)]


def test_executors_that_go_on_breaking_are_given_up(tmp_path):
    with pytest.raises(InputError, match="finished runs are kept"):
        sweep_on(lambda: Fragile(1), SMALL, tmp_path / "runs.jsonl")
    assert len((tmp_path / "runs.jsonl").read_bytes().splitlines()) == 1 + 3 * 5


@pytest.mark.slow
def test_a_worker_killed_in_the_midst_loses_nothing(tmp_path):
    long = SMALL.chosen(10)
    killed = []

    def kill_one(done, total):
        import multiprocessing

        if done >= 5 and not killed:
            killed.append(multiprocessing.active_children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    found = sweep_on(_pools.processes(2), long, tmp_path / "runs.jsonl", progress=kill_one)
    assert killed
    assert timeless(found) == timeless(sweep(long))


DRIVER = """
import sys
from antichain.experiments import sweep
sys.path.insert(0, sys.argv[2])
from cases import SMALL
sweep(SMALL.chosen(200), store=sys.argv[1])
"""


def test_a_driver_killed_in_the_midst_is_taken_up_again(tmp_path):
    store = tmp_path / "runs.jsonl"
    here = os.path.dirname(__file__)
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(store), here])
    limit = time.monotonic() + 60
    while not store.exists() or store.read_bytes().count(b"\n") < 30:
        assert driver.poll() is None, "the driver ended by itself"
        assert time.monotonic() < limit
        time.sleep(0.01)
    driver.kill()
    driver.wait()
    kept = [json.loads(line) for line in store.read_bytes().split(b"\n")[1:-1]]
    assert 24 < len(kept) < 200 * 12
    seen = []
    found = sweep(SMALL, store=store, progress=lambda *counts: seen.append(counts))
    assert seen == [(24, 24)]
    assert all(row in kept for row in found)


@pytest.mark.parametrize("name", ["spec", "executor", "store", "progress", "seed"])
def test_what_is_of_a_wrong_type_is_told(name):
    with pytest.raises(ParameterError, match=f"{name} is 3.5"):
        sweep(**{"spec": SMALL} | {name: 3.5})
