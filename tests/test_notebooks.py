"""The notebooks of the docs: stored without outputs, and every cell runs and shows something."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "docs"
NOTEBOOKS = sorted(FOLDER.rglob("*.ipynb"))
SHOWN = ("_repr_html_", "_repr_png_")


def test_there_is_one() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_every_cell_runs_and_shows_its_last_line(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    assert notebook["nbformat"] == 4
    names: dict[str, Any] = {}
    monkeypatch.chdir(tmp_path)
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] != "code":
            continue
        # The docs are built from what the cells give then, not from what they gave once.
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
        tree = ast.parse("".join(cell["source"]))
        last = tree.body[-1]
        if not (isinstance(last, ast.Expr) and not ast.unparse(last).startswith("print(")):
            exec(compile(tree, f"{path.name}, cell {number}", "exec"), names)
            continue
        exec(compile(ast.Module(tree.body[:-1], []), f"{path.name}, cell {number}", "exec"), names)
        value = eval(ast.unparse(last), names)
        ways = [getattr(value, way) for way in SHOWN if hasattr(value, way)]
        assert ways, f"{path.name}, cell {number} shows {type(value)} as plain text"
        assert all(len(way()) > 100 for way in ways)


def test_a_notebook_shows_what_the_text_around_it_says() -> None:
    cells = json.loads((FOLDER / "tutorials" / "notebook.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and "plots" not in source:
            exec(source, names)
    assert names["certificate"].status("Alien") == "in"
    assert names["certificate"].out
    assert len(names["order"].front) < len(names["order"])
    assert names["result"].certified
