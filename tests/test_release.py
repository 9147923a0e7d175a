"""What a release hands out: its version, its files and what it needs."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tools import release

import antichain

ROOT = Path(__file__).resolve().parent.parent
MODULES = {
    "PIL": "pillow", "markdown_it": "markdown-it-py",
    "starlette": "fastapi", "pydantic": "fastapi",  # FastAPI is built on them
}  # fmt: skip


def test_every_paper_names_the_version_of_the_package():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    newest = re.search(r"^## (\d\S*) - (\S+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    assert newest is not None
    assert (antichain.__version__, newest[1]) == (stated, stated)
    assert f"\nversion: {newest[1]}\ndate-released: {newest[2]}\n" in cited


def test_the_package_is_a_command():
    for words, code in ((["--version"], 0), (["nonsense"], 2)):
        done = subprocess.run(
            [sys.executable, "-m", "antichain", *words], capture_output=True, text=True
        )
        assert done.returncode == code
    assert "'nonsense' is not an antichain command" in done.stderr


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a clone knows its own files")
def test_wheel_and_sdist_hold_what_belongs_there_and_nothing_else(tmp_path):
    wheel, sdist = release.built(tmp_path)
    assert release.complaints(wheel, sdist) == []


def test_only_declared_libraries_are_imported():
    groups = [release.PROJECT["project"]["dependencies"], *release.EXTRAS.values()]
    declared = {re.match(r"[\w-]+", line)[0] for lines in groups for line in lines}
    imported = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    others = imported - sys.stdlib_module_names - {"antichain"}
    assert {MODULES.get(name, name) for name in others} <= declared


def test_lower_bounds_become_constraints():
    bounds = ["numpy>=2.0", "dask[distributed]>=2025.1", "antichain[plots,tables]"]
    assert release.lowest(bounds) == ["numpy==2.0", "dask==2025.1"]
    assert {pin.partition("==")[0] for pin in release.lowest_constraints()} >= {
        "numpy", "typer", "sqlalchemy", "pandas", "distributed"
    }  # fmt: skip
