"""Running an experiment: every run that is not in the journal yet, on any executor.

The journal has one line per finished run, so that no run is done twice; its header says what the
rows belong to. Only the process that drives the sweep writes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from contextlib import closing
from pathlib import Path
from typing import Any

from antichain import _checks, _pools
from antichain._interrupts import interrupts_wait
from antichain._journal import Journal, JournalKind
from antichain._text import refusal, short
from antichain.algorithms._result import versions
from antichain.errors import FileError, InputError
from antichain.experiments._rows import (
    Key,
    Method,
    Row,
    check_row,
    keys_of,
    method_of,
    run_rows,
    with_limit,
)
from antichain.experiments._spec import Spec

SWEEP = JournalKind("journal of a sweep", "antichain-sweep", 1)
_TASKS = 200  # about: an even load and a lively progress bar at little cost; set by hand
_ATTEMPTS = 3  # executors that may break before a sweep gives up; set by hand

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
    """Run an experiment, and return the row of every run, in the order of their keys.

    Args:
        spec: The experiment.
        executor: An executor of `concurrent.futures` or anything with its `submit`, or a
            `distributed.Client`; this process if None. Its workers need antichain installed and
            no disk in common: they send rows back.
        store: The file of the journal. Runs that are already in it are not repeated, and each
            finished run is written to it before the next.
        seed: The seed of the whole experiment, from which each run's seed follows.
        progress: Called with the number of finished runs and of all runs.
        force: Whether to start the journal again. A file that is not the journal of a sweep, or
            that belongs to another experiment, is never replaced.

    Raises:
        BrokenExecutor: The executor lost a worker, or Dask its scheduler. What was finished is in
            the journal: call again with a fresh executor.
    """
    _checks.instance("spec", spec, Spec, "a Spec, as load_spec gives it,")
    _checks.path("store", store)
    _checks.function("progress", progress)
    seed = _checks.whole("seed", seed, least=0)
    executor = _pools.usable(executor)
    methods = {name: method_of(name) for name in spec.algorithms}
    if store is None:
        return _sweep(spec, executor, methods, {}, None, seed, progress)
    # What decides the rows of a sweep besides their keys.
    origin = {"spec": spec.identity(), "seed": seed, "versions": dict(versions())}
    journal = _journal(Path(store), force)
    with closing(journal):
        _check_replaced(journal, spec.name)
        finished = _finished(journal, SWEEP.header(**origin))
        return _sweep(spec, executor, methods, finished, journal, seed, progress)


def sweep_on(
    backend: _pools.Backend,
    spec: Spec,
    store: Path,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    force: bool = False,
) -> list[Row]:
    """As `sweep`, on an executor that `backend` makes, and makes again if it breaks."""
    for attempt in range(_ATTEMPTS):
        try:
            with backend() as executor:
                anew = force and attempt == 0
                return sweep(spec, executor, store, seed=seed, progress=progress, force=anew)
        except BrokenExecutor:
            continue
        except InputError as error:
            if attempt == 0:
                raise
            # All was well at the first attempt: what is wrong now is what broke the executor.
            raise InputError(
                f"the connection to the workers was lost, and now {error}; finished runs are kept, "
                "and the same command continues from there"
            ) from error
    raise InputError(
        f"workers ended before their runs did, {_ATTEMPTS} times over (is there enough memory?); "
        "finished runs are kept, and fewer workers may help"
    )


def _journal(path: Path, force: bool) -> Journal:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write {path}: {refusal(error)}.") from error
    return Journal(path, SWEEP, anew=force)


def _check_replaced(journal: Journal, name: str) -> None:
    """Raise if beginning anew would empty the journal of another experiment."""
    if journal.replaced is None:
        return
    match journal.replaced:
        case {"spec": {"name": found}} if found == name:
            return
    raise FileError(
        f"{journal.path} holds runs of another experiment than {name!r}, but --force replaces only "
        "runs of the same one; choose another folder, or remove that file."
    )


def _finished(journal: Journal, header: dict[str, Any]) -> dict[Key, Row]:
    """The rows in a journal, which must have this header; an empty journal is given it."""
    content = journal.content
    if content.header is None:
        journal.append([header])
        return {}
    for name, value in json.loads(json.dumps(header)).items():
        found = content.header.get(name)
        if found != value:
            raise FileError(
                f"{journal.path} holds runs with {name} {short(json.dumps(found), 160)}, but "
                f"{short(json.dumps(value), 160)} was expected; give --force to start again."
            )
    rows = {}
    for number, row in enumerate(content.lines, start=2):
        try:
            check_row(row)
        except ValueError as error:
            raise FileError(
                f"{journal.path}, line {number} {error}, but the row of a run was expected; give "
                "--force to start again."
            ) from error
        rows[Key.of(row)] = row
    journal.claim()
    return rows


def _sweep(
    spec: Spec,
    executor: Executor | None,
    methods: dict[str, Method],
    finished: dict[Key, Row],
    journal: Journal | None,
    seed: int,
    progress: Progress | None,
) -> list[Row]:
    keys = keys_of(spec)
    found = {key: with_limit(spec, finished[key]) for key in keys if key in finished}
    missing = [key for key in keys if key not in found]
    tell = progress or (lambda done, total: None)
    tell(len(found), len(keys))
    size = max(1, len(missing) // _TASKS)
    chunks = [missing[start : start + size] for start in range(0, len(missing), size)]
    for chunk, rows in _play(executor, spec, methods, chunks, seed):
        if journal is not None:
            with interrupts_wait():  # in full, or not at all
                journal.append(rows)
        found.update(zip(chunk, rows, strict=True))
        tell(len(found), len(keys))
    return [found[key] for key in keys]


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
            waiting[_pools.submit(executor, run_rows, spec, methods, chunk, seed)] = chunk
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
    if _pools.is_loss(error):
        return error
    raise error
