"""Every example runs, and says what its text promises."""

from __future__ import annotations

import csv
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import antichain as ac

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


def test_the_votes_on_films_can_be_made_again_and_have_the_front_that_the_picture_shows() -> None:
    tool = runpy.run_path(str(EXAMPLES.parent / "tools" / "example_votes.py"))
    with (EXAMPLES / "films.csv").open(newline="", encoding="utf-8") as stream:
        rows = [row | {"ask": int(row["ask"])} for row in csv.DictReader(stream)]
    assert rows == tool["votes"](seed=1)
    certificate = ac.front(EXAMPLES / "films.csv")
    assert set(certificate.front) == {best for best, *_ in tool["GENRES"]}
    assert not certificate.undecided
