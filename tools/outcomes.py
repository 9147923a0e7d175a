"""Records what a fixed set of runs comes to, and compares two such records.

    python tools/outcomes.py -o before.json
    python tools/outcomes.py -o after.json
    python tools/outcomes.py --compare before.json after.json

The runs use nothing but the names in `antichain.__all__` and the `antichain` command, so the same
script serves any version of the package. Whatever depends on the clock, the machine or the
installed versions is left out. Text meant for people is recorded under the key "text", which the
comparison ignores. Logs of real votes are certified where they are found: in the folder given by
ANTICHAIN_SHARED_DATA or in a folder shared/data beside or above the repository.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outcome_cases import commands, files, logs, runs
from outcome_cases.record import TEXT, clean


def record(only: str = "") -> dict[str, Any]:
    """The outcome of every case whose name contains `only`, by name."""
    outcomes: dict[str, Any] = {}
    for module in (runs, files, logs, commands):
        for name, case in module.cases():
            if only not in name:
                continue
            if name in outcomes:
                raise SystemExit(f"two cases are called {name!r}; give one of them another name")
            start = time.perf_counter()
            with _own_folder():
                try:
                    outcomes[name] = clean(case())
                except Exception as error:
                    outcomes[name] = {"error": type(error).__name__, TEXT: str(error)}
            seconds = time.perf_counter() - start
            print(f"{seconds:6.1f} s  {name}", file=sys.stderr)
    return outcomes


@contextlib.contextmanager
def _own_folder() -> Iterator[None]:
    """An empty working directory, so that all paths in outputs are relative and the same."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def differences(old: Any, new: Any, path: str = "", tolerance: float = 0.0) -> Iterator[str]:
    """One line for each place where two records differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key == TEXT:
                continue
            inner = f"{path} > {key}" if path else key
            if key not in new:
                yield f"{inner}: only in the old record"
            elif key not in old:
                yield f"{inner}: only in the new record"
            else:
                yield from differences(old[key], new[key], inner, tolerance)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{path}[{number}]", tolerance)
    elif not _same(old, new, tolerance):
        yield f"{path}: {_short(old)} → {_short(new)}"


def _same(old: Any, new: Any, tolerance: float) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        # NaN is the same as NaN here: both runs had nothing to say.
        return (
            old == new
            or (old != old and new != new)
            or abs(old - new) <= tolerance * max(abs(old), abs(new))
        )
    return type(old) is type(new) and bool(old == new)


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"


def main() -> int:
    """Record or compare; exit code 1 if two records differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, help="the file to write the record to")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("OLD", "NEW"))
    parser.add_argument(
        "--tolerance",
        type=float,
        default=0.0,
        help="the relative difference up to which two numbers count as equal [default: 0]",
    )
    options = parser.parse_args()
    if options.compare:
        old, new = (json.loads(path.read_text("utf-8")) for path in options.compare)
        found = list(differences(old, new, tolerance=options.tolerance))
        print("\n".join(found) if found else f"{len(old)} cases, no difference")
        return 1 if found else 0
    if options.output is None:
        parser.error("give -o FILE to record the outcomes, or --compare OLD NEW")
    start = time.perf_counter()
    outcomes = record(options.only)
    text = json.dumps(outcomes, sort_keys=True, ensure_ascii=False, indent=1)
    options.output.write_text(text + "\n", "utf-8")
    errors = sorted(name for name, outcome in outcomes.items() if "error" in outcome)
    seconds = time.perf_counter() - start
    print(f"{len(outcomes)} cases in {seconds:.0f} s, {len(errors)} ended in an error")
    for name in errors:
        print(f"  {name}: {outcomes[name]['error']}: {outcomes[name][TEXT]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
