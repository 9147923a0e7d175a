"""Every example runs, and says what its text promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PROMISES = {
    "ask_tell.py": "best: Alien, Hoop Dreams",
    "degraded_decoys.py": "certainly maximal ('Senna',) too close (('Alien', 'Saw'),)",
    "judge_llm.py": "best: milk (certified)",
    "quickstart.py": "found: front-1, front-2, front-3",
    "resume.py": "same result: True",
    "your_own_judge.py": "best: pho, trifle (certified)",
}


def test_every_example_has_a_promise() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize("name", PROMISES)
def test_example(name: str) -> None:
    command = [sys.executable, str(EXAMPLES / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert PROMISES[name] in done.stdout
