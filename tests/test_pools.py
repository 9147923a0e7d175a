"""Where work runs: order, losses, and what cannot be sent."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor

import pytest

from antichain import _pools
from antichain.errors import InputError, ParameterError


def square(number: int) -> int:
    return number * number


def test_one_process_answers_one_by_one_and_in_order():
    asked = []

    def work(number: int) -> int:
        asked.append(number)
        return -number

    answers = _pools.run_all(work, range(3))
    assert next(answers) == 0
    assert asked == [0]  # the next is not worked out before it is wanted
    assert list(answers) == [-1, -2]
    assert list(_pools.run_all(work, [], workers=4)) == []


def test_several_processes_answer_in_order_and_leave_others_alone():
    bystander = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    bystander.start()
    try:
        assert list(_pools.run_all(square, range(5), workers=2)) == [0, 1, 4, 9, 16]
        answers = _pools.run_all(square, range(50), workers=2, chunked=False)
        assert next(answers) == 0
        answers.close()  # ends the pool, as an interrupt does
        limit = time.monotonic() + 20
        while multiprocessing.active_children() != [bystander] and time.monotonic() < limit:
            time.sleep(0.05)
        assert multiprocessing.active_children() == [bystander]
    finally:
        bystander.kill()
        bystander.join()


def test_what_cannot_be_sent_is_told_before_a_process_starts():
    with pytest.raises(InputError, match="top level of a module"):
        list(_pools.run_all(lambda number: number, range(2), workers=2))


def test_threads_need_no_sending():
    with ThreadPoolExecutor(1) as executor:
        assert _pools.submit(executor, lambda: 3).result() == 3


def test_what_cannot_be_imported_fails_in_the_task(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(_pools, "_folders", [])
    packed = _pools._packed(square)
    gone = packed._replace(content=packed.content.replace(b"square", b"circle"))
    with pytest.raises(InputError, match="cannot import what it is to run"):
        _pools._unpacked(gone)


def test_one_kind_of_backend_is_chosen():
    assert _pools.chosen() is _pools.here
    with _pools.chosen()() as executor:
        assert executor is None
    with pytest.raises(ParameterError, match="both given"):
        _pools.chosen(2, "local")


@pytest.mark.parametrize(
    "address",
    ["tcp://host:8786", "host:8786", "10.0.0.1:1", "tls://[::1]:8786/", "inproc://10.0.0.1/9/1"],
)
def test_an_address_has_a_host_and_a_port(address):
    _pools.check_address(address)


@pytest.mark.parametrize("address", ["", "foo", "tcp://", "tcp://host", "host:x", "a b:1", ":1"])
def test_what_is_no_address_is_told_before_any_work(address):
    for use in (_pools.dask, _pools.check_address):
        with pytest.raises(ParameterError, match=r"but an address with its port, such as tcp://"):
            use(address)


RATING = """\
import sys
from antichain import _pools, cli
_pools._PATIENCE = 0.2
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("foo", "the Dask scheduler is 'foo', but an address with its port,"),
        ("127.0.0.1:9", "there is no Dask scheduler at '127.0.0.1:9',"),
        ("foo://127.0.0.1:9", "no Dask scheduler can be reached at 'foo://127.0.0.1:9': unknown"),
    ],
)
def test_a_client_that_cannot_connect_ends_in_one_sentence(tmp_path, address, said):
    pytest.importorskip("distributed", reason="the cluster is Dask's")
    ratings = tmp_path / "r.csv"
    rows = (f"{user},{item},{1 + user % 5}\n" for user in range(6) for item in "abc")
    ratings.write_text("user,item,rating\n" + "".join(rows))
    done = subprocess.run(
        [sys.executable, "-c", RATING, "ratings", ratings, "--quiet", "--dask", address],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"antichain: error: {said}")
    assert done.stderr.count("\n") == 1


def test_lost_workers_are_told_from_failed_work():
    assert _pools.is_loss(BrokenExecutor())
    assert _pools.is_loss(CancelledError())
    assert not _pools.is_loss(ZeroDivisionError())


def test_a_lost_connection_is_known_by_its_cause():
    distributed = pytest.importorskip("distributed", reason="the cluster is Dask's")
    closed = distributed.comm.CommClosedError()
    for error, lost in ((OSError("timed out"), True), (ParameterError("no scheduler"), False)):
        error.__cause__ = closed
        assert _pools.is_loss(error) == lost


def lose_the_worker(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="workers are killed by a signal")
class TestLostWorkers:
    """Whoever loses workers hears of it in a sentence, and never waits for them."""

    def test_of_a_pool(self):
        with pytest.raises(InputError, match="a worker process ended before its run did"):
            list(_pools.run_all(lose_the_worker, range(4), workers=2))

    def test_a_cluster_that_ends_while_it_starts(self, monkeypatch, tmp_path):
        pytest.importorskip("distributed", reason="the cluster is Dask's")
        started = []

        def killed(*arguments, **options):
            process = popen(*arguments, **options)
            started.append(process)
            process.kill()
            return process

        popen = _pools.subprocess.Popen
        monkeypatch.setattr(_pools.subprocess, "Popen", killed)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        with pytest.raises(BrokenExecutor, match="did not start"), _pools.connect("local"):
            pytest.fail("there is no cluster")
        assert [process.poll() for process in started] == [-signal.SIGKILL]
        assert list(tmp_path.iterdir()) == []

    def test_a_cluster_that_never_answers(self, monkeypatch, tmp_path):
        pytest.importorskip("distributed", reason="the cluster is Dask's")
        monkeypatch.setattr(_pools, "_STARTING", 0.0)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        with pytest.raises(BrokenExecutor, match="did not start"), _pools.connect("local"):
            pytest.fail("there is no cluster")
        assert list(tmp_path.iterdir()) == []

    def test_a_cluster_that_ends_under_way(self, monkeypatch):
        pytest.importorskip("distributed", reason="the cluster is Dask's")
        started = []

        def noted(*arguments, **options):
            started.append(popen(*arguments, **options))
            return started[-1]

        popen = _pools.subprocess.Popen
        monkeypatch.setattr(_pools.subprocess, "Popen", noted)
        with _pools.dask("local")() as executor:
            assert _pools.submit(executor, abs, -9).result(60) == 9
            future = _pools.submit(executor, time.sleep, 60)
            os.killpg(started[0].pid, signal.SIGKILL)
            try:
                error = future.exception(60)
            except CancelledError as cancelled:
                error = cancelled
        assert _pools.is_loss(error)
