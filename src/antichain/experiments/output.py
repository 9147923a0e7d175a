"""An experiment's folder: journal, tables, figure, manifest.

runs.jsonl       the journal: finished runs as they came
runs.parquet     the tidy table, one row per run; also runs.csv
curves.parquet   what the figure shows, one row per point of a line; also curves.csv
figure.png       the figure; also figure.svg
manifest.json    spec, seed, versions, machine
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from antichain import files
from antichain.errors import FileError
from antichain.experiments.aggregate import Curve, curves
from antichain.experiments.claims import Claim, claims
from antichain.experiments.engine import Progress, sweep_on
from antichain.experiments.figures import figure
from antichain.experiments.manifest import manifest
from antichain.experiments.rows import Row
from antichain.experiments.spec import Spec
from antichain.experiments.tables import csv, parquet, require_polars
from antichain.plots.hasse import require_matplotlib
from antichain.pools import Backend

JOURNAL = "runs.jsonl"


@dataclass(frozen=True)
class Finished:
    """An experiment that was run: its rows, the points of its figure, the claims judged."""

    spec: Spec
    folder: Path
    rows: list[Row]
    curves: list[Curve]
    claims: list[Claim]
    manifest: dict[str, object]


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
    table = [point.to_dict() for point in points]
    about = manifest(spec, seed, rows, found)
    contents = {
        "runs.parquet": parquet(rows),
        "runs.csv": csv(rows),
        "curves.parquet": parquet(table),
        "curves.csv": csv(table),
        "figure.png": figure(spec, points, "png"),
        "figure.svg": figure(spec, points, "svg"),
        "manifest.json": files.json_text(about).encode(),
    }
    for name, content in contents.items():
        files.write_bytes(folder / name, content, force=True)
    return Finished(spec, folder, rows, points, found, about)


def check(folder: Path, force: bool) -> None:
    """Raise if the experiment cannot be written to the folder, or a library to do so is missing."""
    require_polars()
    require_matplotlib()
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder} is a file, and a folder for the experiment was expected")
    if force or not folder.is_dir() or (folder / JOURNAL).exists():
        return
    if any(folder.iterdir()):
        raise FileError(
            f"{folder} has files in it, but no {JOURNAL} of a sweep to go on with; give --force "
            "to write there all the same"
        )
