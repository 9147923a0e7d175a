"""An experiment's folder: journal, tables, figure, manifest.

runs.jsonl       the journal: finished runs as they came
runs.parquet     the tidy table, one row per run; also runs.csv
curves.parquet   what the figure shows, one row per point of a line; also curves.csv
figure.png       the figure; also figure.svg
manifest.json    spec, seed, versions, machine: any row can be repeated alone from these
"""

from __future__ import annotations

import io
import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from antichain import _files
from antichain._pools import Backend
from antichain._text import refusal
from antichain.algorithms._result import versions
from antichain.errors import FileError, MissingExtraError
from antichain.experiments._engine import Progress, sweep_on
from antichain.experiments._figures import PAGE_TITLE, figure
from antichain.experiments._findings import Claim, Finished, claims, curves
from antichain.experiments._rows import Key, Row, run_row, seed_of
from antichain.experiments._spec import Spec, Value, spec_from
from antichain.plots._hasse import require_matplotlib

if TYPE_CHECKING:
    import polars


Records = Sequence[dict[str, object]]


MANIFEST_FORMAT = "antichain-experiment"
MANIFEST_VERSION = 1
JOURNAL = "runs.jsonl"
_RESULTS = ("runs.parquet", "runs.csv", "curves.parquet", "curves.csv", "figure.png", "figure.svg",
            "manifest.json")  # fmt: skip
_HEAD = 4096  # bytes in which the title of a page stands


def require_polars() -> None:
    try:
        import polars  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "writing tables needs polars, which is not installed: "
            "pip install 'antichain[plots,tables]'"
        ) from error


def parquet(records: Records) -> bytes:
    stream = io.BytesIO()
    _frame(records).write_parquet(stream)
    return stream.getvalue()


def csv(records: Records) -> bytes:
    return _frame(records).write_csv().encode()


def _frame(records: Records) -> polars.DataFrame:
    require_polars()
    import polars

    # Every record counts for the types: a column may begin with nulls, or with whole numbers.
    return polars.DataFrame(list(records), infer_schema_length=None, strict=False)


def manifest(
    spec: Spec, seed: int, rows: Sequence[Row], found: Sequence[Claim] = ()
) -> dict[str, object]:
    return {
        "format": MANIFEST_FORMAT,
        "version": MANIFEST_VERSION,
        "spec": spec.to_dict(),
        "seed": seed,
        "seeds": {
            "rule": " ".join((seed_of.__doc__ or "").split()),
            "rows": sorted({row["seed"] for row in rows}),
        },
        "rows": len(rows),
        "errors": sum(not row["correct"] for row in rows),
        "run_seconds": round(sum(row["seconds"] for row in rows), 3),
        "claims": [asdict(claim) for claim in found],
        "versions": _versions(),
        "machine": _machine(),
    }


def repeat(path: str | Path, value: Value, algorithm: str, run: int) -> Row:
    """Make one row again, from nothing but the manifest of its experiment."""
    document = _files.read_json(path)
    match document:
        case {
            "format": "antichain-experiment",
            "version": version,
            "spec": dict(table),
            "seed": int(seed),
        }:
            spec = spec_from(table, str(path))
        case _:
            raise FileError(f"{path} is not the manifest of an experiment, but one was expected")
    if version != MANIFEST_VERSION:
        raise FileError(f"{path} has the version {version!r}, but {MANIFEST_VERSION} was expected")
    key = Key(value, algorithm, run)
    if value not in spec.values or algorithm not in spec.algorithms or not 0 <= run < spec.runs:
        raise FileError(f"{path} has no run {tuple(key)!r} of (value, algorithm, run)")
    return run_row(spec, key, seed)


def _versions() -> dict[str, str]:
    found = dict(versions())
    for name in ("scipy", "polars", "distributed", "matplotlib"):
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def _machine() -> dict[str, object]:
    return {"system": platform.system(), "machine": platform.machine(), "cores": os.cpu_count()}


def reproduce(
    spec: Spec,
    folder: Path,
    backend: Backend,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    force: bool = False,
) -> Finished:
    """Run an experiment, or go on with it, and write it into its folder.

    Runs in the folder's journal are not repeated; the other files are made from the journal each
    time. A folder with files and no journal, or with the journal of another
    experiment, is refused unless `force`.
    """
    check(folder, force)
    rows = sweep_on(backend, spec, folder / JOURNAL, seed=seed, progress=progress, force=force)
    points, found = curves(spec, rows), claims(spec, rows)
    table = [asdict(point) for point in points]
    about = manifest(spec, seed, rows, found)
    contents = (
        parquet(rows),
        csv(rows),
        parquet(table),
        csv(table),
        figure(spec, points, "png"),
        figure(spec, points, "svg"),
        _files.json_text(about).encode(),
    )
    for name, content in zip(_RESULTS, contents, strict=True):
        _files.write_bytes(folder / name, content, force=True)
    return Finished(spec, folder, rows, points, found, about)


def check(folder: Path, force: bool) -> None:
    """Raise if the experiment cannot be written to the folder, or a library to do so is missing."""
    require_polars()
    require_matplotlib()
    if os.path.exists(folder) and not folder.is_dir():
        raise FileError(f"{folder} is a file, but a folder for the experiment was expected")
    if not os.path.isdir(folder):
        return
    for name in _RESULTS:  # whatever stands in their way is an error now, not after hours of runs
        _files.check_target(folder / name, force=True)
    if force or (folder / JOURNAL).exists():
        return
    try:
        empty = not any(folder.iterdir())
    except OSError as error:
        raise FileError(f"cannot read the folder {folder}: {refusal(error)}") from error
    if not empty:
        raise FileError(
            f"{folder} has files in it, but no {JOURNAL} of a sweep to resume; give --force to "
            "write there anyway"
        )


def check_page(path: Path, force: bool) -> None:
    """Raise if there is a file at `path` that is not a page of experiments."""
    if force or not os.path.exists(path):
        return
    _files.check_target(path, force=True)
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if PAGE_TITLE.encode() not in head:
        raise FileError(
            f"{path} is not a page of experiments, but the page of all of them would replace it; "
            "give --force to replace it, or another --output"
        )
