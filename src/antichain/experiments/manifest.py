"""The manifest, from which any row can be repeated alone: spec, seed, versions, machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from antichain import files
from antichain.algorithms.result import versions
from antichain.errors import FileError
from antichain.experiments.claims import Claim
from antichain.experiments.rows import Key, Row, run_row, seed_of
from antichain.experiments.spec import Spec, Value, spec_from

MANIFEST_FORMAT = "antichain-experiment"
MANIFEST_VERSION = 1


def manifest(
    spec: Spec, seed: int, rows: Sequence[Row], found: Sequence[Claim] = ()
) -> dict[str, object]:
    """The manifest of a finished sweep."""
    return {
        "format": MANIFEST_FORMAT,
        "version": MANIFEST_VERSION,
        "spec": spec.to_dict(),
        "seed": seed,
        "seeds": {
            "rule": " ".join((seed_of.__doc__ or "").split()),
            "rows": sorted({int(str(row["seed"])) for row in rows}),
        },
        "rows": len(rows),
        "errors": sum(not row["correct"] for row in rows),
        "run_seconds": round(sum(float(str(row["seconds"])) for row in rows), 3),
        "claims": [claim.to_dict() for claim in found],
        "versions": _versions(),
        "machine": _machine(),
    }


def repeat(path: str | Path, value: Value, algorithm: str, run: int) -> Row:
    """One row made again, from the manifest of its experiment alone."""
    document = files.read_json(path)
    match document:
        case {
            "format": "antichain-experiment",
            "version": version,
            "spec": dict(table),
            "seed": int(seed),
        }:
            spec = spec_from(table, str(path))
        case _:
            raise FileError(f"{path} is not the manifest of an experiment, and one was expected")
    if version != MANIFEST_VERSION:
        raise FileError(f"{path} has the version {version!r}, and {MANIFEST_VERSION} was expected")
    key = Key(value, algorithm, run)
    if value not in spec.values or algorithm not in spec.algorithms or not 0 <= run < spec.runs:
        raise FileError(f"{path} has no run {tuple(key)!r} of (value, algorithm, run)")
    return run_row(spec, key, seed)


def _versions() -> dict[str, str]:
    found = dict(versions())
    for name in ("scipy", "polars", "distributed", "matplotlib"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _machine() -> dict[str, object]:
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }
