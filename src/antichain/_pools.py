"""Where work runs: in this process, in several processes, or on a Dask cluster.

Whatever starts other processes or talks to a cluster does it through this module, so that Ctrl-C,
lost workers and classes that a worker cannot import are dealt with in one place. Workers need
antichain installed and no disk in common with this process.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

from antichain._interrupts import call_deaf, interrupts_end_waits, interrupts_wait
from antichain.errors import AntichainError, InputError, MissingExtraError, ParameterError

Backend = Callable[[], AbstractContextManager[Executor | None]]
"""Makes an executor for as long as its context lasts; None stands for this process."""

Argument = TypeVar("Argument")
Answer = TypeVar("Answer")

# Seconds, set by hand
_PATIENCE = 10.0  # to wait for a Dask scheduler
_STARTING = 60.0  # for a cluster on this machine to start
_FAREWELL = 2.0  # for a cluster to end before it is left alone or killed
_GLANCE = 0.05  # between two glances at a cluster that starts

_LOCAL = "local"  # in place of an address: a new cluster on this machine
_SCHEDULER = re.compile(
    r"(inproc://\S+|([a-z]+://)?(\[[0-9a-f:.]+\]|[^\s:/\[\]]+):\d{1,5}/?)", re.I
)
_ADDRESS = "address"  # the file in which a cluster on this machine says where it is
_NO_LEAKS = "ignore:resource_tracker:UserWarning"
_CHUNKS = 4  # chunks per worker in `run_all`: an even load at little cost; set by hand

_folders: list[str] = []  # where classes were loaded from that no installed package holds


def import_from(folder: str) -> None:
    """Let this process, and every worker it sends work to, import modules from `folder`."""
    if folder not in sys.path:
        # At the end: a file of the user's must not stand in for a library of the same name.
        sys.path.append(folder)
    if folder not in _folders:
        _folders.append(folder)


# -- backends -------------------------------------------------------------------------------------


@contextmanager
def here() -> Iterator[None]:
    yield None


def processes(workers: int) -> Backend:
    return lambda: _process_pool(workers)


def dask(address: str) -> Backend:
    """A backend on the Dask cluster at `address`, or on a new one on this machine for "local"."""
    check_address(address)  # now, not after other work was done
    _distributed()

    @contextmanager
    def backend() -> Iterator[Executor]:
        with connect(address) as client:
            yield client.get_executor(pure=False)

    return backend


def chosen(workers: int = 1, address: str | None = None) -> Backend:
    """The backend for a number of processes, or for a Dask cluster if its address is given."""
    if address is None:
        return here if workers == 1 else processes(workers)
    if workers != 1:
        raise ParameterError(
            f"--workers={workers} and --dask={address} are both given, but they cannot be used "
            "together"
        )
    return dask(address)


def check_address(address: str) -> None:
    """Refuse what has not the form of a Dask scheduler's address."""
    if address != _LOCAL and not _SCHEDULER.fullmatch(address):
        raise ParameterError(
            f"the Dask scheduler is {address!r}, but an address with its port, such as "
            "tcp://host:8786, or the word local was expected"
        )


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A Dask client of the cluster at `address`, or of a new one on this machine for "local"."""
    distributed = _distributed()
    interrupts_end_waits()
    with ExitStack() as stack:
        stack.enter_context(_quiet("distributed", "tornado", "asyncio"))
        if address == _LOCAL:
            address = stack.enter_context(_local_cluster())
        client = _client_at(distributed, address)
        stack.callback(_close, client)
        yield client


@contextmanager
def _local_cluster() -> Iterator[str]:
    """The address of a new cluster on this machine, whose processes end with the block.

    Scheduler and workers belong to a process and a session of their own. There Ctrl-C does not
    reach them, and they can be ended together at any moment, also while they start.
    """
    with TemporaryDirectory(prefix="antichain-", ignore_cleanup_errors=True) as folder:
        # Python tells of semaphores that it cleans up after processes ended in this way.
        warnings = ",".join(filter(None, (os.environ.get("PYTHONWARNINGS"), _NO_LEAKS)))
        environment = {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTHONWARNINGS": warnings,
            "DASK_TEMPORARY_DIRECTORY": folder,
        }
        with interrupts_wait():
            cluster = subprocess.Popen(
                [sys.executable, "-c", f"import {__name__} as pools; pools._serve()", folder],
                stdin=subprocess.PIPE,
                env=os.environ | environment,
                start_new_session=True,
            )
        try:
            yield _address_in(Path(folder, _ADDRESS), cluster)
        finally:
            with interrupts_wait():
                _end(cluster)


def _address_in(path: Path, cluster: subprocess.Popen[bytes]) -> str:
    """The address that a cluster puts into a file once it has started."""
    limit = time.monotonic() + _STARTING
    while not path.exists():
        if cluster.poll() is not None or time.monotonic() > limit:
            raise BrokenExecutor("the workers of a Dask cluster on this machine did not start")
        time.sleep(_GLANCE)
    return path.read_text()


def _serve() -> None:
    """In a process of its own: a cluster that lasts as long as the process that asked for it."""
    folder = Path(sys.argv[1])

    def watch() -> None:
        sys.stdin.buffer.read()
        os._exit(0)  # that process is gone, and with this one its workers go

    async def serve() -> None:
        # One thread per worker: runs are Python from end to end, and threads would wait.
        cluster = _distributed().LocalCluster(
            threads_per_worker=1,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # None would want a fixed port
            silence_logs=logging.CRITICAL,
            asynchronous=True,
        )
        await cluster
        new = folder / f"{_ADDRESS}.new"
        new.write_text(cluster.scheduler_address)
        new.rename(folder / _ADDRESS)
        await asyncio.Event().wait()

    threading.Thread(target=watch, daemon=True).start()
    try:
        asyncio.run(serve())
    finally:
        os._exit(1)  # closing a cluster that did not start may take forever


def _end(cluster: subprocess.Popen[bytes]) -> None:
    """End a cluster's process and those that it started."""
    assert cluster.stdin is not None
    cluster.stdin.close()
    for force in (False, True):
        if sys.platform != "win32":
            with suppress(ProcessLookupError):
                os.killpg(cluster.pid, signal.SIGKILL if force else signal.SIGTERM)
        else:
            cluster.kill()  # its workers notice
        with suppress(subprocess.TimeoutExpired):
            cluster.wait(_FAREWELL)
            return


def _apart(work: Callable[[], Answer]) -> Future[Answer]:
    """What `work` will return in a thread that holds nobody up who stops waiting for it."""
    future: Future[Answer] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def _close(client: Any) -> None:
    """Say goodbye to a cluster; one that is in trouble must not hold the program up."""
    with suppress(Exception), interrupts_wait():
        _apart(lambda: client.close(timeout=_FAREWELL)).result(_FAREWELL)


@contextmanager
def _process_pool(workers: int, *initial: Any) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes that end with the block, however it ends.

    Args:
        workers: How many processes.
        *initial: A function to call first in each worker, and its arguments.
    """
    interrupts_end_waits()
    others = set(multiprocessing.active_children())
    # Spawned, not forked: a progress bar runs in a thread, which a fork would cut in two.
    context = multiprocessing.get_context("spawn")
    first = {"initializer": initial[0], "initargs": initial[1:]} if initial else {}
    with ProcessPoolExecutor(workers, context, **first) as pool:
        try:
            yield pool
        except BaseException:
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _distributed() -> Any:
    try:
        # By name, since the package does not declare its types.
        return import_module("distributed")
    except ImportError as error:
        raise MissingExtraError(
            "--dask needs distributed, which is not installed: pip install 'antichain[cluster]'"
        ) from error


def _client_at(distributed: Any, address: str) -> Any:
    # Not made by a call: of a client that cannot connect, nothing would be left to close.
    client = distributed.Client.__new__(distributed.Client)
    try:
        _apart(lambda: client.__init__(address, timeout=_PATIENCE, set_as_default=False)).result()
    except BaseException as error:
        client.status = "closed"  # else Python waits for it to say goodbye when it forgets it
        if isinstance(error, OSError):
            raise ParameterError(
                f"there is no Dask scheduler at {address!r}, but an address such as "
                "tcp://host:8786 or the word local was expected"
            ) from error
        if isinstance(error, ValueError | TypeError):  # a protocol that is unknown or not set up
            raise ParameterError(
                f"no Dask scheduler can be reached at {address!r}: {error}"
            ) from error
        raise
    return client


@contextmanager
def _quiet(*packages: str) -> Iterator[None]:
    """Silence the packages' logs, which report lost connections as tracebacks."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in packages]
    levels = {name: logging.getLogger(name).level for name in names}
    try:
        for name in names:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


# -- work -----------------------------------------------------------------------------------------


def run_all(
    work: Callable[[Argument], Answer],
    arguments: Sequence[Argument],
    workers: int = 1,
    *,
    chunked: bool = True,
) -> Iterator[Answer]:
    """The answers of `work` in the order of its arguments, whatever the number of workers.

    Each worker process receives `work` once; one worker is this process. Arguments sent in chunks
    cost less, and their answers come in chunks too.
    """
    workers = min(workers, len(arguments))
    if workers <= 1:
        yield from map(work, arguments)
        return
    size = -(-len(arguments) // (_CHUNKS * workers)) if chunked else 1
    with _process_pool(workers, _receive, _packed(work)) as pool:
        try:
            # Not with map: an interrupt would cancel its futures before the workers are ended,
            # and the thread that looks after them stumbles over that, with a traceback.
            futures = call_deaf(  # workers start with the first
                lambda: [
                    pool.submit(_work_on, arguments[start : start + size])
                    for start in range(0, len(arguments), size)
                ]
            )
            for future in futures:
                yield from future.result()
        except BrokenExecutor as error:
            raise InputError(
                "a worker process ended before its run did (is there enough memory?); "
                "fewer workers may help"
            ) from error


def submit(
    executor: Executor, function: Callable[..., Answer], /, *arguments: Any
) -> Future[Answer]:
    """The future of `function(*arguments)` on an executor.

    What cannot be imported where the executor's workers are fails in the future with an
    `InputError` that says so, and not as a lost worker.
    """
    if isinstance(executor, ThreadPoolExecutor):
        return executor.submit(function, *arguments)
    packed = _packed((function, arguments))
    return call_deaf(lambda: executor.submit(_call, packed))


def usable(executor: Any) -> Executor | None:
    if hasattr(executor, "get_executor"):
        # Not the client's own submit, whose futures are not those of concurrent.futures.
        executor = executor.get_executor(pure=False)
    if executor is not None and not hasattr(executor, "submit"):
        raise ParameterError(
            f"executor is {executor!r}, but an executor of concurrent.futures, a "
            "distributed.Client or None was expected"
        )
    found: Executor | None = executor
    return found


def is_loss(error: Exception) -> bool:
    """Whether an error means that a worker or a scheduler was lost, and not that work failed."""
    # Dask's errors (KilledWorker, CommClosedError, …) have no base class in common, and Dask
    # need not be installed. A lost connection may come as a plain OSError caused by one of them.
    # Errors of ours have found out already what is wrong.
    reason: BaseException | None = None if isinstance(error, AntichainError) else error
    while reason is not None:
        if type(reason).__module__.split(".")[0] == "distributed":
            return True
        reason = reason.__cause__
    return isinstance(error, BrokenExecutor | CancelledError)


class _Packed(NamedTuple):
    """Work for another process, to be opened there by the task and not by the executor.

    An executor whose worker cannot unpickle a task loses the worker; a task can say what failed.
    """

    content: bytes
    folders: tuple[str, ...]


def _packed(work: Any) -> _Packed:
    try:
        return _Packed(pickle.dumps(work), tuple(_folders))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"this cannot be sent to other processes: {error}; a method or function for several "
            "processes must be defined at the top level of a module or file, or use one process"
        ) from error


def _unpacked(packed: _Packed) -> Any:
    for folder in packed.folders:
        import_from(folder)
    try:
        return pickle.loads(packed.content)
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"a worker process cannot import what it is to run: {error}; define the method in a "
            "module that is installed where the workers are, or use one process"
        ) from error


def _call(packed: _Packed) -> Any:
    function, arguments = _unpacked(packed)
    return function(*arguments)


_received: _Packed  # in a worker of `run_all`: the work, as it was sent
_work: Callable[[Any], Any] | None = None  # the same, opened by the first task


def _receive(work: _Packed) -> None:
    global _received
    _received = work


def _work_on(arguments: Sequence[Any]) -> list[Any]:
    global _work
    if _work is None:
        _work = _unpacked(_received)
    return [_work(argument) for argument in arguments]
