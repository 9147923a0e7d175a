"""Files of scores as evaluation tools write them, from the command line."""

import json
from pathlib import Path

import pytest

LONG = "model,question,acc\n" + "".join(
    f"{model},q{k},{score}\n"
    for k in range(60)
    for model, score in (("good", 1), ("fair", int(k % 3 == 0)), ("bad", 0))
)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(LONG)
    return path


def test_a_table_of_scores_is_certified_explained_and_verified(call, scores, tmp_path):
    options = ("--item", "model", "--unit", "question", "--score", "acc", "--lower")
    path, page = tmp_path / "c.json", tmp_path / "page.html"
    assert call("front", scores, *options, "-o", path, "--report", page).code == 0
    document = json.loads(path.read_text())
    assert document["clusters"] == {"column": "question", "clusters": 60}
    assert document["reading"] == {
        "item": "model", "unit": "question", "score": "acc", "higher": False,
    }  # fmt: skip
    assert [*document["in"]] == ["bad"]
    assert "question" in page.read_text()
    again = call("verify", path, scores)
    assert again.code == 0
    assert "Lower scores are better." in again.out
    assert call("verify", path, scores, "--higher").code == 1
    assert "out" in call("explain", "good", scores, *options).out


def test_a_table_of_scores_is_recognised(call, scores):
    called = call("front", scores)
    assert called.code == 0
    assert "took 'question' as the unit that scored the items" in called.out
    assert call("front", scores, "--quiet").out == "good\n"
    assert call("front", scores, "--margin", "1", "--quiet").out == "good\nfair\nbad\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--item", "model"], "--unit"),
        (["--unit", "question", "--left", "model"], "--unit and --left are given"),
        (["--wide", "--left", "model"], "--wide and --left are given"),
        (["--wide", "--score", "acc"], "--wide and --score are given"),
        (["--grade-seed", "3"], "--grades"),
        (["--margin", "-1"], "--margin"),
        (["--margin", "nan"], "margin"),
    ],
)
def test_mixed_options_are_refused(refused, scores, options, words):
    assert words in refused("front", scores, *options)


def test_next_does_not_ask_about_scores(refused, scores):
    assert "antichain front" in refused("next", scores)


def test_several_files_are_certified_and_verified_together(call, refused, scores, tmp_path):
    head, *rows = LONG.splitlines(keepends=True)
    for name, part in (("a.csv", rows[:90]), ("b.csv", rows[90:])):
        (tmp_path / name).write_text(head + "".join(part))
    path, single = tmp_path / "c.json", tmp_path / "single.json"
    both = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert call("front", *both, "-o", path).code == 0
    assert call("front", scores, "-o", single).code == 0
    documents = [json.loads(each.read_text()) for each in (path, single)]
    assert documents[0]["fingerprint"] == documents[1]["fingerprint"]
    assert call("verify", path, *both).code == 0
    assert call("verify", path, tmp_path / "?.csv").code == 0
    assert call("verify", path, tmp_path / "a.csv").code == 1
    assert "in" in call("explain", "good", *both).out
    (tmp_path / "b.csv").write_text("model,question,f1\n")
    assert "b.csv has no column 'acc'" in refused("front", *both)
