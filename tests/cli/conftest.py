"""Calling the command inside the test process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from antichain.cli import main


@dataclass(frozen=True)
class Called:
    code: int
    out: str
    err: str


Call = Callable[..., Called]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: object) -> Called:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Called(code, out, err)

    return run


@pytest.fixture
def refused(call: Call) -> Callable[..., str]:
    """Call the command, which must refuse with exit code 2 and the one sentence given back."""

    def run(*arguments: object) -> str:
        called = call(*arguments)
        assert called.code == 2, called
        assert called.out == ""
        assert called.err.startswith("antichain: error: ")
        # A list of bad rows has a line for each, indented.
        assert called.err.replace("\n  ", " ").count("\n") == 1
        assert "Traceback" not in called.err
        return called.err

    return run


@pytest.fixture
def poset(tmp_path: Path) -> Path:
    """A small poset file: a and d on the front, b and c below a."""
    path = tmp_path / "poset.json"
    path.write_text(
        '{"items": ["a", "b", "c", "d"],'
        ' "relations": [["a", "b", 0.3], ["b", "c", 0.3], ["a", "c", 0.4]]}'
    )
    return path
