"""Running an experiment: every run that is not in the journal yet, on any executor.

The journal has one line per finished run, so that no run is done twice; its header says what the
rows belong to. Only the process that drives the sweep writes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from pathlib import Path
from typing import Any

from antichain import pools
from antichain.algorithms.result import versions
from antichain.errors import FileError, InputError
from antichain.experiments.rows import (
    Key,
    Method,
    Row,
    key_of,
    keys_of,
    method_of,
    run_rows,
    with_limit,
)
from antichain.experiments.spec import Spec
from antichain.journal import Journal, JournalKind

SWEEP = JournalKind("journal of a sweep", "antichain-sweep", 1)


class RunStore:
    """Rows on disk, and in memory by their key.

    Args:
        path: The file; made if it is not there.
        origin: What decides a row besides its key: the spec's identity, the seed, versions. A
            journal of another origin is refused.
        force: Whether to begin anew whatever is there.
    """

    def __init__(self, path: Path, origin: dict[str, object], force: bool = False) -> None:
        self.rows: dict[Key, Row] = {}
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot write {path}: {error.strerror}.") from error
        self._journal = Journal(path, SWEEP, anew=force)
        try:
            self._take_up(SWEEP.header(**origin))
        except BaseException:
            self.close()
            raise

    def add(self, rows: Iterable[Row]) -> None:
        """Write rows down; when this returns they survive a crash."""
        rows = list(rows)
        self._journal.append(rows)
        self.rows.update((key_of(row), row) for row in rows)

    def close(self) -> None:
        self._journal.close()

    def _take_up(self, header: dict[str, object]) -> None:
        content = self._journal.content
        if content.header is None:
            self._journal.append([header])
            return
        for name, value in json.loads(json.dumps(header)).items():
            found = content.header.get(name)
            if found != value:
                raise FileError(
                    f"{self.path} holds runs with {name} {_short(found)}, but {_short(value)} was "
                    "expected; give --force (force=True) to begin anew."
                )
        for number, row in enumerate(content.lines, start=2):
            try:
                self.rows[key_of(row)] = row
            except (KeyError, ValueError, TypeError) as error:
                raise FileError(
                    f"{self.path}, line {number} lacks the value, the algorithm or the number of a "
                    "run; give --force (force=True) to begin anew."
                ) from error


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 160 else text[:157] + "..."


_TASKS = 200  # about: an even load and a lively progress bar at little cost; set by hand
_ATTEMPTS = 3  # how often an executor that breaks is replaced; set by hand

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
        force: Start a new journal.

    Raises:
        BrokenExecutor: The executor lost a worker, or Dask its scheduler. What was finished is in
            the journal: call again with a fresh executor.
    """
    executor = pools.usable(executor)
    if store is None:
        return _sweep(spec, executor, {}, lambda rows: None, seed, progress)
    journal = RunStore(Path(store), origin_of(spec, seed), force)
    try:
        return _sweep(spec, executor, journal.rows, journal.add, seed, progress)
    finally:
        journal.close()


def sweep_on(
    backend: pools.Backend,
    spec: Spec,
    store: Path,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    force: bool = False,
) -> list[Row]:
    """The rows of an experiment; lost workers are replaced, and no finished run is repeated.

    Args:
        backend: Makes an executor, and another if one breaks.
        spec: The experiment.
        store: The journal.
        seed: Of the whole experiment.
        progress: Called with the number of finished runs and of all runs.
        force: Start a new journal.
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
            # All was well at the first attempt: what is wrong now is what broke the executor.
            raise InputError(
                f"the connection to the workers was lost, and now {error}; finished runs are kept, "
                "and the same command goes on from there"
            ) from error
    raise InputError(
        f"workers ended before their runs did, {_ATTEMPTS} times over (is there enough memory?); "
        "finished runs are kept, and fewer workers may help"
    )


def origin_of(spec: Spec, seed: int) -> dict[str, object]:
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
    methods = {name: method_of(name) for name in spec.algorithms}
    for chunk, rows in _play(executor, spec, methods, _chunks(missing), seed):
        keep(rows)
        found.update(zip(chunk, rows, strict=True))
        if progress is not None:
            progress(len(found), len(keys))
    return [found[key] for key in keys]


def _chunks(keys: Sequence[Key]) -> list[list[Key]]:
    size = max(1, len(keys) // _TASKS)
    return [list(keys[i : i + size]) for i in range(0, len(keys), size)]


def _play(
    executor: Executor | None,
    spec: Spec,
    methods: dict[str, Method],
    chunks: list[list[Key]],
    seed: int,
) -> Iterator[tuple[list[Key], list[Row]]]:
    if executor is None:
        for chunk in chunks:
            yield chunk, run_rows(spec, methods, chunk, seed)
        return
    waiting: dict[Future[list[Row]], list[Key]] = {}
    lost: Exception | None = None
    try:
        for chunk in chunks:
            waiting[pools.submit(executor, run_rows, spec, methods, chunk, seed)] = chunk
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


def _loss(error: Exception) -> Exception:
    """The error, if it means that a worker or a scheduler was lost; otherwise it is raised."""
    if pools.is_loss(error):
        return error
    raise error
