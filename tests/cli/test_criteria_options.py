"""--criterion, --criteria, --attribute and --attributes at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antichain.cli import main

VOTES = """left,right,winner,about,n
Ann,Bob,Ann,coding,160
Ann,Bob,Bob,coding,40
Ann,Bob,Ann,writing,40
Ann,Bob,Bob,writing,160
Ann,Cat,Ann,coding,190
Ann,Cat,Cat,coding,10
Ann,Cat,Ann,writing,150
Ann,Cat,Cat,writing,50
Bob,Cat,Bob,coding,150
Bob,Cat,Cat,coding,50
Bob,Cat,Bob,writing,180
Bob,Cat,Cat,writing,20
"""
READ = ["votes.csv", "--criterion", "about", "--count", "n"]
KNOWN = ["--attributes", "models.csv", "--attribute", "price:min"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "votes.csv").write_text(VOTES)
    (tmp_path / "models.csv").write_text("price,model\n3,Ann\n3,Bob\n1,Cat\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("known", "front"), [([], ["Ann", "Bob"]), (KNOWN, ["Ann", "Bob", "Cat"])])
def test_front_verify_and_explain(
    known: list[str], front: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["front", *READ, *known, "-q", "-o", "c.json", "--report", "p.html"]) == 0
    assert capsys.readouterr().out.split() == front
    assert main(["verify", "c.json", "votes.csv"]) == 0
    said = capsys.readouterr().out
    assert "The column of the criteria is 'about'." in said
    assert ("price (less is better)" in said) == bool(known)
    assert main(["verify", "c.json", "votes.csv", "--reading", "strict"]) == 1
    assert main(["explain", "Cat", *READ, *known]) == 0
    assert "coding" in capsys.readouterr().out
    assert '<section id="front">' in Path("p.html").read_text("utf-8")


def test_the_document_has_criteria_and_qualities(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["front", *READ, *KNOWN, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["criteria"]["names"] == ["coding", "writing"]
    assert document["criteria"]["attributes"] == {"price": "min"}
    assert document["criteria"]["records"]["Ann"]["coding"]["share"] == 0.875
    assert document["criteria"]["without_votes"] == ["Cat"]
    assert set(document["qualities"]["Bob"]["writing"]) == {"middle", "low", "high"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--attribute", "price:min"], "without --attributes"),
        (["--attributes", "models.csv"], "without --attribute"),
        (["--attributes", "models.csv", "--attribute", "price"], "price:min or speed:max"),
        (["--attributes", "models.csv", "--attribute", "cost:min"], "a column 'cost'"),
        (["--attributes", "none.csv", "--attribute", "price:min"], "no such file"),
        (["--criterion", "nothing"], "a column 'nothing'"),
        (["--criteria", "coding"], "has 1 criteria, but at least two"),
        (["--criterion", "about", "--assume", "strong"], "leave out --assume"),
        (["--criterion", "about", "--decoy-gap", "0.1"], "leave out --decoy-gap"),
    ],
)
def test_one_clear_sentence(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["front", "votes.csv", "--count", "n", *options]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
