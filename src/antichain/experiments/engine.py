"""Running an experiment: every run that is not in the journal yet, on any executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, as_completed
from pathlib import Path
from typing import Any

from antichain.algorithms.result import versions
from antichain.errors import ParameterError
from antichain.experiments.rows import Key, Row, keys_of, run_rows, with_limit
from antichain.experiments.run_store import RunStore
from antichain.experiments.spec import Spec

_TASKS = 200  # about: enough for an even load and a lively progress, few enough to be cheap

Progress = Callable[[int, int], None]


def sweep(
    spec: Spec,
    executor: Any = None,
    store: str | Path | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    force: bool = False,
) -> list[Row]:
    """The row of every run of an experiment, in the order of its keys.

    Args:
        spec: The experiment.
        executor: An executor of `concurrent.futures` or anything with its `submit`, or a
            `distributed.Client`; this process if None. Its workers need antichain installed and
            no disk in common: they send rows back.
        store: The journal, a file. Runs that are in it already are not done again, and a
            finished run is in it before the next is waited for.
        seed: Of the whole experiment; see `antichain.experiments.rows.seed_of`.
        progress: Called with the number of finished runs and of all runs.
        force: Begin the journal anew.

    Raises:
        BrokenExecutor: The executor lost a worker, or Dask its scheduler. What was finished is in
            the journal: call again with a fresh executor.
    """
    executor = _usable(executor)
    if store is None:
        return _sweep(spec, executor, {}, lambda rows: None, seed, progress)
    journal = RunStore(Path(store), origin_of(spec, seed), force)
    try:
        return _sweep(spec, executor, journal.rows, journal.add, seed, progress)
    finally:
        journal.close()


def _usable(executor: Any) -> Executor | None:
    """The executor, of a Dask client the one it makes."""
    if hasattr(executor, "get_executor"):
        # Not its own submit: the futures of that are not those of concurrent.futures.
        executor = executor.get_executor(pure=False)
    if executor is not None and not hasattr(executor, "submit"):
        raise ParameterError(
            f"executor is {executor!r}, and an executor of concurrent.futures, a "
            "distributed.Client or None was expected"
        )
    found: Executor | None = executor
    return found


def origin_of(spec: Spec, seed: int) -> dict[str, object]:
    """What decides the rows of a sweep besides their keys."""
    return {"spec": spec.identity(), "seed": seed, "versions": dict(versions())}


def _sweep(
    spec: Spec,
    executor: Executor | None,
    finished: dict[Key, Row],
    keep: Callable[[list[Row]], None],
    seed: int,
    progress: Progress | None,
) -> list[Row]:
    keys = keys_of(spec)
    found = {key: with_limit(spec, finished[key]) for key in keys if key in finished}
    missing = [key for key in keys if key not in found]
    if progress is not None:
        progress(len(found), len(keys))
    play = _play_here if executor is None else _play_on(executor)
    for chunk, rows in play(spec, _chunks(missing), seed):
        keep(rows)
        found.update(zip(chunk, rows, strict=True))
        if progress is not None:
            progress(len(found), len(keys))
    return [found[key] for key in keys]


def _chunks(keys: Sequence[Key]) -> list[list[Key]]:
    size = max(1, len(keys) // _TASKS)
    return [list(keys[i : i + size]) for i in range(0, len(keys), size)]


Played = Iterator[tuple[list[Key], list[Row]]]


def _play_here(spec: Spec, chunks: list[list[Key]], seed: int) -> Played:
    for chunk in chunks:
        yield chunk, run_rows(spec, chunk, seed)


def _play_on(executor: Executor) -> Callable[[Spec, list[list[Key]], int], Played]:
    def play(spec: Spec, chunks: list[list[Key]], seed: int) -> Played:
        waiting: dict[Future[list[Row]], list[Key]] = {}
        lost: Exception | None = None
        try:
            for chunk in chunks:
                waiting[executor.submit(run_rows, spec, chunk, seed)] = chunk
        except Exception as error:  # a worker died while work was still handed out
            lost = _loss(error)
        for future in as_completed(waiting):
            try:
                rows = future.result()
            except Exception as error:
                lost = _loss(error)  # others may have finished before: keep theirs first
                continue
            yield waiting[future], rows
        if lost is not None:
            raise BrokenExecutor(str(lost)) from lost

    return play


def _loss(error: Exception) -> Exception:
    """The error if it says that a worker or a scheduler was lost; otherwise it is raised."""
    # Dask's errors (KilledWorker, CommClosedError, …) have no base class in common, and it need
    # not be installed.
    by_dask = type(error).__module__.split(".")[0] == "distributed"
    if by_dask or isinstance(error, BrokenExecutor | CancelledError):
        return error
    raise error
