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
    assert "Column 'about' holds the criterion." in said
    assert ("price (lower is better)" in said) == bool(known)
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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--criterion", "winner"], "--criterion is 'winner', which holds the answers in votes"),
        (["--criterion", "left"], "--criterion is 'left', which holds an item of each pair in"),
        (["--criteria", "coding"], "a column of criteria was expected (say which with --criterion"),
        (
            ["--criterion", "about", "--criteria", "Codin,writing"],
            "no row about the criterion 'Codin'; did you mean 'coding'?",
        ),
    ],
)
def test_what_is_no_criterion_is_refused(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["front", "votes.csv", "--count", "n", *given]) == 2
    assert said in capsys.readouterr().err


def test_votes_by_criterion_need_more_than_one(capsys: pytest.CaptureFixture[str]) -> None:
    Path("items.txt").write_text("tea\nmilk\n")
    assert main(["vote", "items.txt", "--criteria", "coding"]) == 2
    assert "--criteria has 1 criterion, but at least two were expected" in capsys.readouterr().err


def test_rows_about_other_criteria_are_called_that(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["front", *READ, "--criteria", "coding"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "did not count rows about other criteria: writing" in said
    assert "Not counted: 6 rows about other items or criteria." in said
    assert "The front is decided: Ann." in said
    assert main(["front", *READ, "--criteria", "coding,cooking"]) == 0
    assert "no row is about the criterion 'cooking'" in capsys.readouterr().out


def test_a_column_of_criteria_is_found_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    Path("votes.csv").write_text(VOTES.replace("about", "criterion"))
    assert main(["front", "votes.csv", "--count", "n", "--criteria", "coding,writing"]) == 0
    said = capsys.readouterr().out
    assert "note: used 'criterion' as the criterion" in said
    assert "did not use the column 'criterion'" not in said


def test_hints_quote_names_with_spaces(capsys: pytest.CaptureFixture[str]) -> None:
    Path("votes.csv").write_text("left,right,winner,Annotator ID\na,b,a,x\n")
    assert main(["front", "votes.csv"]) == 0
    assert "--voter 'Annotator ID'" in capsys.readouterr().out.replace('"', "'")
