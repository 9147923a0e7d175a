"""JSON documents and tables in forms of their own."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from tests.cli.samples import promptfoo_results

import antichain as ac
from antichain.errors import FileError


def written(path: Path, document: object, **how: object) -> Path:
    path.write_text(json.dumps(document, **how))
    return path


def same_votes(one: ac.VoteLog, other: ac.VoteLog) -> bool:
    names = [sorted(log.items) for log in (one, other)]
    records = [
        sorted(
            (*sorted((log.items[a], log.items[b])), *sorted((w, v)), t)
            for a, b, w, v, t in zip(
                log.pairs.first.tolist(),
                log.pairs.second.tolist(),
                log.pairs.wins_first.tolist(),
                log.pairs.wins_second.tolist(),
                log.pairs.ties.tolist(),
                strict=True,
            )
        )
        for log in (one, other)
    ]
    return names[0] == names[1] and records[0] == records[1]


# -- promptfoo ------------------------------------------------------------------------------------


@pytest.fixture
def promptfoo(tmp_path: Path) -> tuple[ac.VoteLog, list[dict]]:
    path = promptfoo_results(tmp_path / "results.json", prompts=2)
    return ac.read_votes(path), json.loads(path.read_text())["results"]["results"]


def as_table(results: list[dict], new: bool, quoted: str = "") -> str:
    """A table as promptfoo writes it: a row for each test, and columns for each output."""
    places = sorted({(r["promptIdx"], r["provider"]["id"]) for r in results})
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    beside = ["Status", "Score", "Named Scores", "Grader Reason", "Comment"] if new else []
    heads = [[f"[{provider}] style {k}", *beside] for k, provider in places]
    table.writerow(["question", *(name for head in heads for name in head)])
    for test in range(60):
        cells = [f"question {test}"]
        for place in places:
            r = next(
                r for r in results if r["testIdx"] == test
                and (r["promptIdx"], r["provider"]["id"]) == place
            )  # fmt: skip
            status = "ERROR" if r["failureReason"] == 2 else "PASS" if r["success"] else "FAIL"
            text = f'Some, "text"\nin lines{quoted}'
            score = f"{r['score']:.2f}"
            cells += (
                [text, status, score, '{"x": 0.5}', "why", ""]
                if new
                else [f"[{status}] ({score}, x: 0.50)\n\n{text}\n\nPass Reason: why"]
            )
        table.writerow(cells)
    return out.getvalue()


def test_lines_and_tables_of_promptfoo_are_read_like_its_documents(promptfoo, tmp_path):
    expected, results = promptfoo
    lines = tmp_path / "results.jsonl"
    lines.write_text("".join(json.dumps(result) + "\n" for result in results))
    assert same_votes(ac.read_votes(lines), expected)
    for new in (False, True):
        table = tmp_path / f"results-{new}.csv"
        table.write_text(as_table(results, new))
        found = ac.read_votes(table)
        assert same_votes(found, expected)
        assert found.clusters.clusters == expected.clusters.clusters == 60
        assert any("promptfoo results" in note for note in found.guessed)
    assert same_votes(ac.read_votes(written(tmp_path / "list.json", results)), expected)
    # What evaluate() returns, as a program writes it.
    summary = {"version": 3, "results": results, "stats": {}}
    assert same_votes(ac.read_votes(written(tmp_path / "summary.json", summary)), expected)


def test_a_table_with_a_status_is_not_promptfoos(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("model,Status,Score,question\nx,PASS,1,q\ny,FAIL,0,q\n")
    assert ac.read_votes(path).items == ("x", "y")


def test_a_broken_line_of_promptfoo_is_a_bad_row(promptfoo, tmp_path):
    expected, results = promptfoo
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(result) + "\n" for result in results) + '{"cut o')
    with pytest.raises(FileError, match=r"line 361 is not JSON .*--skip-bad"):
        ac.read_votes(path)
    assert same_votes(ac.read_votes(path, skip_bad=True), expected)


def test_long_prompts_are_numbered_apart_from_providers(promptfoo, tmp_path):
    _, results = promptfoo
    for place, result in enumerate(results):
        result["prompt"]["label"] = "Say it well. " * 10 + result["prompt"]["label"]
        result["promptIdx"] = place % 6  # that of the column: provider and prompt
    log = ac.read_votes(written(tmp_path / "long.json", {"results": {"results": results}}))
    assert len(log.items) == 6
    assert {name.partition(", ")[2] for name in log.items} == {"prompt 1", "prompt 2"}


def test_repeats_of_a_test_are_one_unit(promptfoo, tmp_path):
    expected, results = promptfoo
    again = [result | {"testIdx": result["testIdx"] + 60} for result in results]
    log = ac.read_votes(written(tmp_path / "twice.json", {"results": {"results": results + again}}))
    assert same_votes(log, expected)
    assert log.clusters.clusters == 60


# -- other documents ------------------------------------------------------------------------------

VOTES = [{"model_a": "x", "model_b": "y", "winner": w} for w in ("model_a", "tie", "model_b", "x")]


def test_performances_of_livecodebench(tmp_path):
    rows = [
        {"question_id": str(2700 + q), "model": model, "date": 1692662400000, "pass@1": score,
         "difficulty": "easy", "platform": "leetcode"}
        for q in range(30) for model, score in (("A", 100.0), ("B", 10.0 * (q % 3)))
    ]  # fmt: skip
    document = {"performances": rows, "models": [{"model_name": "A"}, {"model_name": "B"}],
                "date_marks": [1693526400000]}  # fmt: skip
    for how in ({"indent": 4}, {}):
        log = ac.read_votes(written(tmp_path / "performances.json", document, **how))
        assert (log.items, log.clusters.clusters) == (("A", "B"), 30)
        assert log.pairs.wins_first.tolist() == [30]
        assert any("'performances'" in note for note in log.guessed)
    packed = tmp_path / "performances.json.gz"
    packed.write_bytes(gzip.compress((tmp_path / "performances.json").read_bytes()))
    assert same_votes(ac.read_votes(packed), log)


@pytest.mark.parametrize(
    "document",
    [
        {"battles": VOTES, "models": [{"name": "x"}]},
        {"version": 1, "anything": VOTES},
        {name: [row[name] for row in VOTES] for name in VOTES[0]},
        {name: {str(k): row[name] for k, row in enumerate(VOTES)} for name in VOTES[0]},
        {"columns": list(VOTES[0]), "index": [0, 1, 2, 3], "data": [[*r.values()] for r in VOTES]},
        {"schema": {"fields": []}, "data": VOTES},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_votes_in_a_document(tmp_path, document, indent):
    log = ac.read_votes(written(tmp_path / "votes.json", document, indent=indent))
    assert same_votes(log, ac.read_votes(VOTES))
    assert log.rows == 4


def test_scores_by_item_and_unit_in_a_document(tmp_path):
    document = {"good": {"q1": 1, "q2": 1, "q3": float("nan")}, "bad": {"q1": 0, "q2": 1, "q3": 1}}
    path = written(tmp_path / "scores.json", document, indent=1)
    with pytest.raises(FileError, match="--wide if each other column is an item"):
        ac.read_votes(path)  # which are the items, and which the units?
    log = ac.read_votes(path, wide=True)
    assert (log.items, log.clusters.clusters) == (("good", "bad"), 2)
    assert (log.pairs.wins_first.tolist(), log.pairs.ties.tolist()) == ([1], [1])


def test_reports_of_swe_bench_are_one_item_each(tmp_path):
    for name, resolved in (("good", range(40)), ("bad", range(0, 40, 4))):
        every = [f"django__django-{k}" for k in range(50)]
        done = [every[k] for k in resolved]
        report = {
            "total_instances": 500, "submitted_instances": 50, "submitted_ids": every,
            "resolved_ids": done, "unresolved_ids": [u for u in every[:45] if u not in done],
            "error_ids": every[45:], "empty_patch_ids": [], "schema_version": 2,
        }  # fmt: skip
        written(tmp_path / f"{name}.run1.json", report, indent=4)
    log = ac.read_votes(str(tmp_path / "*.json"))
    assert log.items == ("bad.run1", "good.run1")
    assert (log.pairs.wins_second.tolist(), log.pairs.ties.tolist()) == ([30], [20])
    with pytest.raises(FileError, match="scores of two items"):
        ac.read_votes(tmp_path / "good.run1.json")


def test_logs_of_inspect_say_how_to_make_a_table_of_them(tmp_path):
    path = written(tmp_path / "log.json", {"version": 2, "eval": {}, "samples": [{"id": 1}]})
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "log.eval").write_bytes(b"PK\x03\x04")
    for source in (path, tmp_path / "logs" / "log.eval"):
        with pytest.raises(FileError, match="samples_df"):
            ac.read_votes(source)
    with pytest.raises(FileError, match="Inspect logs"):
        ac.read_votes(tmp_path / "logs")


def test_any_other_document_is_named_with_its_keys(tmp_path):
    path = written(tmp_path / "config.json", {"name": "x", "seed": 3, "nested": {"a": 1}}, indent=2)
    with pytest.raises(FileError, match="keys name, seed, nested, but rows were expected"):
        ac.read_votes(path)
    path.write_text('{\n  "performances": [\n    {"model": "A"')
    with pytest.raises(FileError, match="is not valid JSON"):
        ac.read_votes(path)


def test_objects_in_lines_are_no_document(tmp_path):
    path = tmp_path / "votes.json"
    path.write_text("".join(json.dumps(row | {"results": []}) + "\n" for row in VOTES))
    assert ac.read_votes(path).rows == 4
    path.write_text(json.dumps(VOTES[0]) + "\n")
    assert ac.read_votes(path).rows == 1
    path.write_text('{"model_a": "x",\n' + "".join(json.dumps(row) + "\n" for row in VOTES))
    with pytest.raises(FileError, match="line 1 is not JSON"):
        ac.read_votes(path)
    assert ac.read_votes(path, skip_bad=True).rows == 5
