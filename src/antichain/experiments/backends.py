"""Where sweeps run: this process, several, or a Dask cluster."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from antichain.errors import InputError, MissingExtraError
from antichain.experiments.engine import Progress, sweep
from antichain.experiments.rows import Row
from antichain.experiments.spec import Spec
from antichain.interrupts import interrupts_ignored

Backend = Callable[[], AbstractContextManager[Executor | None]]
_ATTEMPTS = 3
_PATIENCE = 10.0  # seconds to wait for a scheduler


def sweep_on(
    backend: Backend,
    spec: Spec,
    store: Path,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    force: bool = False,
) -> list[Row]:
    """The rows of an experiment; lost workers are replaced, and no finished run is redone.

    Args:
        backend: Makes an executor, again if one breaks.
        spec: The experiment.
        store: The journal.
        seed: Of the whole experiment.
        progress: Called with the number of finished runs and of all runs.
        force: Begin the journal anew.
    """
    for attempt in range(_ATTEMPTS):
        try:
            with backend() as executor:
                return sweep(
                    spec,
                    executor,
                    store,
                    seed=seed,
                    progress=progress,
                    force=force and attempt == 0,
                )
        except BrokenExecutor:
            continue
        except InputError as error:
            if attempt == 0:
                raise
            # It was right at the first attempt: what is wrong now is what broke the executor.
            raise InputError(
                f"the connection to the workers was lost, and now {error}; finished runs are kept, "
                "and the same command goes on from there"
            ) from error
    raise InputError(
        f"workers ended before their runs did, {_ATTEMPTS} times over (is there enough memory?); "
        "finished runs are kept, and fewer workers may help"
    )


@contextmanager
def here() -> Iterator[None]:
    """No executor: everything in this process."""
    yield None


def processes(workers: int) -> Backend:
    """A backend of that many processes on this machine."""

    @contextmanager
    def backend() -> Iterator[Executor]:
        # Spawned, not forked: a progress bar runs in a thread, which a fork would cut in two.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, context) as pool:
            try:
                with interrupts_ignored():
                    pool.submit(int).result()  # starts the workers, deaf to Ctrl-C
                yield pool
            except BaseException:
                for child in multiprocessing.active_children():
                    child.terminate()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    return backend


def dask(address: str) -> Backend:
    """A backend on the Dask cluster at `address`, or on a new one here if that is "local"."""
    try:
        # As a name: the package says nothing about its types.
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise MissingExtraError(
            "--dask needs distributed, which is not installed: pip install 'antichain[cluster]'"
        ) from error

    @contextmanager
    def backend() -> Iterator[Executor]:
        with ExitStack() as stack:
            stack.enter_context(_quiet("distributed"))
            if address == "local":
                # One thread a worker: runs are Python from end to end, and threads would wait.
                cluster = distributed.LocalCluster(threads_per_worker=1, dashboard_address=None)
                client = distributed.Client(stack.enter_context(cluster))
            else:
                client = _client_at(distributed, address)
            stack.enter_context(client)
            yield client.get_executor(pure=False)

    return backend


@contextmanager
def _quiet(package: str) -> Iterator[None]:
    """No log of that package: it tells of lost connections in tracebacks, we in a sentence."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == package]
    levels = {name: logging.getLogger(name).level for name in names}
    try:
        for name in names:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _client_at(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise InputError(
            f"there is no Dask scheduler at {address!r}, and an address such as "
            "tcp://host:8786 or the word local was expected"
        ) from error
