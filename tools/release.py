"""Checks what a release would hand out, in environments outside the checkout.

    python tools/release.py check [EXTRA ...]
    python tools/release.py test [--minimum] [--python PYTHON] [TEST ...]

`check` builds the wheel and the sdist, compares what is in them with the checkout, installs the
wheel without extras (`none`) and with each, and runs tools/smoke.py there. `test` runs some of the
tests against the wheel, with the versions in constraints.txt or the lowest in pyproject.toml.

Every environment is made anew and removed afterwards.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
VERSION = PROJECT["project"]["version"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
# What `test` runs: rooms that call a dependency directly, and files that must stay readable.
TESTS = [f"tests/{name}" for name in (
    "cli/test_app.py", "cli/test_generate.py", "decoys/test_image.py", "evidence/test_kernels.py",
    "experiments/test_output.py", "likely/test_strengths.py", "orders", "plots",
    "ratings/test_tables.py", "ratings/test_arena.py", "serve/test_desk.py",
    "serve/test_overview.py", "serve/test_stores.py", "sources/test_documents.py",
    "sources/test_several.py", "study/test_study.py", "test_earlier_files.py", "test_files.py",
    "test_journal.py", "test_kernel_cache.py", "test_pools.py", "test_run.py",
    "votes/test_vote_reading.py",
)]  # fmt: skip
TOOLS = [
    "pytest",
    "pytest-xdist",
    "hypothesis",
    "httpx",
    "pandas",
    "pyarrow",
]  # what those tests import
SMOKE = ROOT / "tools" / "smoke.py"


def main() -> int:
    """Run one of the two commands; 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check")
    check.add_argument("extras", nargs="*", default=["none", *EXTRAS])
    test = commands.add_parser("test")
    test.add_argument("--minimum", action="store_true")
    test.add_argument("--python", default=sys.executable)
    test.add_argument("tests", nargs="*", default=TESTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="antichain-release-") as scratch:
        folder = Path(scratch)
        wheel, sdist = built(folder)
        if options.command == "test":
            return tested(folder, wheel, options.python, options.minimum, options.tests)
        return checked(folder, wheel, sdist, options.extras)


# -- what is built -------------------------------------------------------------------------------


def tracked() -> list[str]:
    """The files of the checkout that belong to it, named as git does."""
    listed = ["git", "ls-files", "-z", "--cached"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in names.split("\0") if name and (ROOT / name).is_file()]


def built(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist of a copy of the checkout without anything that git ignores."""
    for name in tracked():
        copy = folder / "checkout" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, folder / "checkout")
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def complaints(wheel: Path, sdist: Path) -> list[str]:
    """What is in the wheel or the sdist and should not be, or is not and should be."""
    sources = {name for name in tracked() if name.startswith("src/antichain/")}
    stem = f"antichain-{VERSION}"
    own = {f"{stem}.dist-info/{name}" for name in
           ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "top_level.txt",
            "licenses/LICENSE")}  # fmt: skip
    with zipfile.ZipFile(wheel) as archive:
        found = set(archive.namelist())
    expected = {name.removeprefix("src/") for name in sources} | own
    said = _differences("the wheel", found, expected)
    with tarfile.open(sdist) as archive:
        names = [member.name for member in archive.getmembers() if member.isfile()]
    found = {name.removeprefix(f"{stem}/") for name in names if ".egg-info/" not in name}
    # Whoever has the sdist can do all that its README says.
    expected = {name for name in tracked() if not name.startswith(".")}
    return said + _differences("the sdist", found, expected | {"PKG-INFO", "setup.cfg"})


def _differences(what: str, found: set[str], expected: set[str]) -> list[str]:
    return [
        *(f"{what} lacks {name}" for name in sorted(expected - found)),
        *(f"{what} holds {name}, which does not belong there" for name in sorted(found - expected)),
    ]


# -- where it is installed -----------------------------------------------------------------------


def run(*command: object) -> None:
    """Run a command that must succeed, and show only what it complains about."""
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def environment(folder: Path, python: str, *wanted: str, constraints: Path) -> Path:
    """The Python of a fresh environment with what is wanted installed."""
    run(python, "-m", "venv", folder)
    inside = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    quietly = ("--quiet", "--disable-pip-version-check", "--constraint", constraints)
    run(inside, "-m", "pip", "install", *quietly, *wanted)
    return inside


def lowest(requirements: Iterable[str]) -> list[str]:
    """The lower bounds of requirements, as constraints."""
    bounds = (re.fullmatch(r"([\w.-]+)(?:\[.*\])?>=([\w.]+)", line) for line in requirements)
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound]


def lowest_constraints() -> list[str]:
    """Every runtime dependency at its lower bound, and so the libraries whose tables are read."""
    project = PROJECT["project"]
    tables = [line for line in PROJECT["dependency-groups"]["test"] if line[:3] in ("pan", "pya")]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    pins = lowest([*project["dependencies"], *extras, *tables])
    return [*pins, *(f"distributed{pin[4:]}" for pin in pins if pin.startswith("dask=="))]


# -- what is tried -------------------------------------------------------------------------------


def checked(folder: Path, wheel: Path, sdist: Path, extras: Iterable[str]) -> int:
    """Look into the files that were built, and try the wheel with each of the extras."""
    for kind, path in (("wheel", wheel), ("sdist", sdist)):
        print(f"{kind}: {path.name}, {path.stat().st_size / 1e3:,.0f} kB")
    found = complaints(wheel, sdist)
    print("\n".join(found) or "contents: as expected")
    for extra in extras:
        started = time.monotonic()
        wanted = str(wheel) if extra == "none" else f"{wheel}[{extra}]"
        place = folder / f"with-{extra}"
        python = environment(place, sys.executable, wanted, constraints=ROOT / "constraints.txt")
        outside = folder / f"work-{extra}"
        outside.mkdir()
        has = EXTRAS if extra == "all" else [extra]
        done = subprocess.run([python, SMOKE, VERSION, ",".join(has)], cwd=outside)
        said = "works" if done.returncode == 0 else "FAILS"
        print(f"{extra}: {said} ({time.monotonic() - started:.0f} s)", flush=True)
        found += [] if done.returncode == 0 else [extra]
        shutil.rmtree(place)
    return 1 if found else 0


def tested(folder: Path, wheel: Path, python: str, minimum: bool, tests: list[str]) -> int:
    """Run tests of the checkout against the wheel."""
    constraints = ROOT / "constraints.txt"
    if minimum:
        constraints = folder / "lowest.txt"
        constraints.write_text("\n".join(lowest_constraints()) + "\n", "utf-8")
        print(constraints.read_text("utf-8"), end="", flush=True)
    # Old libraries complain about the newest ones that they use themselves.
    lenient = ["-W", "ignore::DeprecationWarning"] if minimum else []
    place = folder / "environment"
    inside = environment(place, python, f"{wheel}[all]", *TOOLS, constraints=constraints)
    options = ["-q", "-p", "no:cacheprovider", *lenient, *tests]
    return subprocess.run([inside, "-m", "pytest", *options], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
