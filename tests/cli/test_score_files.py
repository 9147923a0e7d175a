"""Files of scores as evaluation tools write them, from the command line."""

import itertools
import json
import re
import shlex
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.samples import MODELS, inspect_samples, is_right, lm_eval_folder, promptfoo_results

import antichain as ac

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
    assert "used 'question' as the unit that the items were scored on" in called.out
    assert call("front", scores, "--quiet").out == "good\n"
    assert call("front", scores, "--margin", "1", "--quiet").out == "good\nfair\nbad\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--item", "model"], "--unit"),
        (["--unit", "question", "--left", "model"], "--unit and --left are given"),
        (["--wide", "--left", "model"], "--wide and --left are given"),
        (["--wide", "--score", "acc"], "--wide and --score are both given"),
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


# -- as tools write them ---------------------------------------------------------------------------


def certificate(call, *arguments):
    called = call("front", *arguments, "--json")
    assert called.code == 0, called
    return json.loads(called.out)


def test_a_folder_of_lm_eval_samples(call, refused, tmp_path):
    folder = lm_eval_folder(tmp_path / "out")
    found = certificate(call, folder)
    assert sorted(found["items"]) == ["EleutherAI/good", "bad", "fair"]
    assert found["clusters"]["clusters"] == 120
    assert found["answers"]["wins"] == sum(
        2 * (is_right(a, k) != is_right(b, k))
        for a, b in itertools.combinations(MODELS, 2)
        for k in range(60)
    )
    assert [*found["in"]] == ["EleutherAI/good"]
    notes = " ".join(found["notes"])
    assert "arc_easy: acc; gsm8k: exact_match by the filter strict-match" in notes
    assert "older samples of the same model and task: 3 files" in notes
    normed = certificate(call, folder, "--score", "acc_norm")
    assert (normed["answers"]["wins"], normed["clusters"]["clusters"]) == (0, 60)
    notes = " ".join(normed["notes"])
    assert "scored by arc_easy: acc_norm" in notes
    assert "exact_match" not in notes
    assert "left out samples without acc_norm, of: gsm8k" in notes
    assert "one model" in refused("front", folder / "fair")
    assert "leave it out" in refused("front", folder, "--unit", "question")
    assert "'acc_mutual_info'" in refused("front", folder, "--score", "acc_mutual_info")
    path = tmp_path / "c.json"
    assert call("front", folder, "-o", path).code == 0
    assert call("verify", path, folder).code == 0


def test_files_of_lm_eval_samples_are_read_as_their_folder(call, refused, tmp_path, monkeypatch):
    folder = lm_eval_folder(tmp_path / "out")
    named = certificate(call, *folder.glob("*/samples_*.jsonl*"))
    assert named["fingerprint"] == certificate(call, folder)["fingerprint"]
    some = certificate(call, folder / "*" / "samples_gsm8k_*.jsonl")
    assert (sorted(some["items"]), some["clusters"]["clusters"]) == (sorted(named["items"]), 60)
    monkeypatch.chdir(tmp_path)
    one = [*(folder / "fair").glob("samples_gsm8k_*.jsonl")]
    for files in (one[:1], one):
        assert "folders of all models: out)" in refused("front", *files)
    (tmp_path / "x.jsonl").write_text("{}\n")
    assert "give their folder: out)" in refused("front", "x.jsonl", folder / "*" / "samples_*")


def test_metrics_of_which_less_is_better_are_read_on_request(call, refused, tmp_path):
    for model, loss in (("a", 2.5), ("b", 3.5)):
        (tmp_path / model).mkdir()
        rows = [{"doc_id": k, "doc": {}, "resps": [], "perplexity": loss} for k in range(40)]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / model / "samples_wiki.jsonl").write_text(lines)
    assert "--score" in refused("front", tmp_path)
    assert [*certificate(call, tmp_path, "--score", "perplexity", "--lower")["in"]] == ["a"]


def test_quality_against_price(call, scores, tmp_path):
    prices, path = tmp_path / "prices.csv", tmp_path / "c.json"
    prices.write_text("model,price\ngood,9\nfair,3\nbad,3\n")
    options = ("--attribute", "price:min", "--attributes", prices)
    assert call("front", scores, *options, "--report", tmp_path / "p.html", "-o", path).code == 0
    assert sorted(json.loads(path.read_text())["in"]) == ["fair", "good"]
    assert call("verify", path, scores).code == 0
    ballots = tmp_path / "ballots.csv"
    ballots.write_text("rank1,rank2,rank3\n" + "good,bad,fair\n" * 60)
    assert sorted(certificate(call, ballots, *options)["in"]) == ["bad", "good"]


def test_broken_samples_are_told_together_and_skipped_on_request(call, refused, tmp_path):
    folder = lm_eval_folder(tmp_path / "out")
    before = certificate(call, folder)
    math = next(folder.glob("fair/samples_gsm8k_2024-06-09*"))
    arc = next(folder.glob("bad/samples_arc_easy*"))
    arc.write_text("{oops\n" + arc.read_text())
    odd = '{"doc_id": 1, "filter": "strict-match", "exact_match": "many"}\n'
    math.write_text(math.read_text() + odd)
    said = refused("front", folder)
    assert f"line 1 of {arc} is not JSON" in said
    assert f"line 121 of {math} has 'many' in 'score'" in said
    assert "--skip-bad" in said
    after = certificate(call, folder, "--skip-bad")
    assert after["answers"] == before["answers"]
    assert any("Skipped 2 bad rows" in note for note in after["notes"])


def test_a_task_without_a_usable_metric_is_left_out(call, tmp_path):
    folder = lm_eval_folder(tmp_path / "out")
    before = certificate(call, folder)
    for model in MODELS:
        row = {"doc_id": 0, "doc": {}, "resps": [], "metrics": ["word_perplexity"]}
        row["word_perplexity"] = [-93.5, 25]
        (folder / model / "samples_wikitext.jsonl").write_text(json.dumps(row) + "\n")
    found = certificate(call, folder)
    assert found["answers"] == before["answers"]
    assert any("more is better, of: wikitext" in note for note in found["notes"])


def test_folders_called_alike_are_one_model_or_several_runs(call, tmp_path):
    folder = lm_eval_folder(tmp_path / "by-task" / "gsm8k")
    before = certificate(call, folder)
    for model in MODELS:
        inner = tmp_path / "by-task" / "arc" / model
        inner.mkdir(parents=True)
        next((folder / model).glob("samples_arc*")).rename(inner / "samples_arc_easy.jsonl")
    merged = certificate(call, tmp_path / "by-task")
    assert sorted(merged["items"]) == sorted(before["items"])
    assert merged["answers"] == before["answers"]
    assert any("different tasks as one model" in note for note in merged["notes"])

    for run in ("4bit", "8bit"):
        lm_eval_folder(tmp_path / "runs" / run)
    runs = certificate(call, tmp_path / "runs")
    assert sorted(runs["items"]) == sorted(
        f"{run}/{model}".replace("__", "/") for run in ("4bit", "8bit") for model in MODELS
    )
    assert any("each folder with samples as one item: 4bit/" in note for note in runs["notes"])


def test_any_other_folder_is_refused_with_the_way_on(refused, tmp_path):
    (tmp_path / "a.csv").write_text("name,price\ntea,3\n")
    assert ", such as" not in refused("front", tmp_path)
    (tmp_path / "b.csv").write_text(LONG)
    assert f", such as {tmp_path / 'b.csv'} (a folder is read if" in refused("front", tmp_path)
    (tmp_path / "b.csv").unlink()
    (tmp_path / "z.json").write_text('{"resolved_ids": ["q1"], "unresolved_ids": ["q2"]}')
    assert f", such as '{tmp_path}/*.json' (a folder" in refused("front", tmp_path)
    (tmp_path / "none").mkdir()
    assert "folder" in refused("front", tmp_path / "none")


def test_results_of_promptfoo(call, tmp_path):
    found = certificate(call, promptfoo_results(tmp_path / "results.json"))
    assert sorted(found["items"]) == [f"openai:{model}" for model in sorted(MODELS)]
    assert found["clusters"]["clusters"] == 60
    assert [*found["in"]] == ["openai:EleutherAI__good"]
    assert any("ended in an error: 1" in note for note in found["notes"])
    both = certificate(call, promptfoo_results(tmp_path / "both.json", prompts=2))
    assert len(both["items"]) == 6
    assert "openai:fair, style 1" in both["items"]


def test_runs_of_helm(call, refused, tmp_path):
    def stat(name: str, mean: float, **more: object) -> dict:
        return {"name": {"name": name, "split": "test"} | more, "count": 1, "sum": mean,
                "sum_squared": mean, "min": mean, "max": mean, "mean": mean}  # fmt: skip

    for model in MODELS:
        for subject in ("anatomy", "law"):
            run = tmp_path / "v1" / f"mmlu:subject={subject},method=joint,model=us_{model}"
            run.mkdir(parents=True)
            rows = [
                {"instance_id": f"id{k}", "train_trial_index": 0,
                 "stats": [stat("num_references", 4), stat("exact_match", is_right(model, k)),
                           stat("exact_match", 0, perturbation={"name": "typos"})]}
                for k in range(30)
            ]  # fmt: skip
            rows.append(rows[0] | {"perturbation": {"name": "typos"}})
            (run / "per_instance_stats.json").write_text(json.dumps(rows, indent=2))
            (run / "run_spec.json").write_text("{}")
    found = certificate(call, tmp_path / "v1")
    assert sorted(found["items"]) == [f"us_{model}" for model in sorted(MODELS)]
    assert found["clusters"]["clusters"] == 60
    assert found["answers"]["wins"] == 2 * sum(
        is_right(a, k) != is_right(b, k)
        for a, b in itertools.combinations(MODELS, 2)
        for k in range(30)
    )
    assert "mmlu:subject=law,method=joint: exact_match" in " ".join(found["notes"])
    assert certificate(call, tmp_path, "--score", "num_references")["answers"]["tie"] == 180
    assert "one model" in refused("front", run)


def test_samples_of_inspect(call, refused, tmp_path):
    text = inspect_samples()
    path = tmp_path / "samples.csv"
    path.write_text(text)
    found = certificate(call, path)
    assert sorted(found["items"]) == [f"openai/{model}" for model in sorted(MODELS)]
    assert found["clusters"] == {"column": "id", "clusters": 40}
    assert any("120 beyond the first" in note for note in found["notes"])
    pl.read_csv(path).write_parquet(tmp_path / "samples.parquet")
    again = certificate(call, tmp_path / "samples.parquet")
    assert again["fingerprint"] == found["fingerprint"]
    path.write_text(text.replace(",model,", ",which,"))
    assert sorted(certificate(call, path)["items"]) == [f"e-{model}" for model in sorted(MODELS)]
    path.write_text(text.replace("total_tokens", "score_match_answer"))
    assert certificate(call, path)["fingerprint"] == found["fingerprint"]
    path.write_text(text.replace("total_tokens", "score_judge"))
    assert "--score score_match or --score score_judge" in refused("front", path)


def test_leaderboards_of_items_and_tasks(call, tmp_path):
    path = tmp_path / "board.csv"
    tasks = range(50)
    head = "instance_id," + ",".join(MODELS) + "\n"
    path.write_text(
        head
        + "".join(f"django-{k}," + ",".join(str(int(is_right(m, k))) for m in MODELS) + "\n"
                  for k in tasks)
    )  # fmt: skip
    found = certificate(call, path)
    assert found["clusters"] == {"column": "instance_id", "clusters": 50}
    path.write_text("model," + ",".join(f"task-{k}" for k in tasks) + "\n" + "".join(
        f"{m}," + ",".join(str(is_right(m, k)) for k in tasks) + "\n" for m in MODELS
    ))  # fmt: skip
    turned = certificate(call, path)
    assert (turned["in"], turned["answers"]) == (found["in"], found["answers"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"format": "antichain-certificate", "version": 2}', "antichain verify"),
        ('{"format": "antichain-poset", "version": 1}', "antichain draw"),
        ('{"items": ["a"], "relations": []}', "antichain draw"),
        ('{"format":"antichain-study","version":1}\n', "antichain study"),
        ('{"format": "antichain-decoys", "version": 1}', "--decoys"),
        ('{"format": "antichain-sweep", "version": 1}\n', "antichain reproduce"),
        ('{"format": "antichain-ratings-front", "version": 1}', "antichain ratings"),
    ],
)
def test_a_file_of_another_sort_names_its_command(refused, tmp_path, text, words):
    path = tmp_path / "file.json"
    path.write_text(text)
    for command in ("front", "ratings", "next", "matrix"):
        assert words in refused(command, path)
        assert not (tmp_path / "drawn.svg").exists()
    if "draw" not in words:
        assert words in refused("draw", path, "-o", tmp_path / "drawn.svg")
    if "verify" not in words:
        assert words in refused("verify", path, path)


def test_what_leads_on_from_a_file_of_ours_works_as_it_is_typed(
    call, refused, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "v.csv"
    log.write_text("left,right,winner\n" + "tea,milk,left\n" * 40)
    (tmp_path / "decoys.json").write_text(
        '{"format": "antichain-decoys", "version": 1, "decoys": [{"item": "tea", "decoy": "t2"}]}'
    )
    assert call("generate", "--front", 2, "--height", 2, "-o", "my poset.json").code == 0
    assert call("front", log, "-o", "c.json", "-q").code == 0
    with ac.Study.open("s.duels", ["tea", "milk"]) as study:
        study.tell(study.ask(1)[0], "left")
    for path, commands in (
        ("my poset.json", 2),
        ("c.json", 1),
        ("s.duels", 1),
        ("decoys.json", 1),
    ):
        advice = re.search(r"\(read by: (.*)\),", refused("front", path))[1]
        typed = [shlex.split(command) for command in advice.split(", or ")]
        assert len(typed) == commands
        for program, *words in typed:
            words = [word.replace("VOTES", str(log)) for word in words]
            assert program == "antichain"
            assert call(*words).code in (0, 1), words  # the study is not finished
    assert (tmp_path / "my poset.svg").exists()
    assert (tmp_path / "votes.csv").exists()


# -- matrices of numpy -----------------------------------------------------------------------------

CHANCES = np.array([[0.5, 0.75, 0.5], [0.25, 0.5, 0.625], [0.5, 0.375, 0.5]])


def test_a_matrix_of_numpy(call, refused, tmp_path):
    bare, named = tmp_path / "m.npy", tmp_path / "m.npz"
    np.save(bare, CHANCES)
    np.savez(named, chances=CHANCES, names=np.array(["a", "b", "c"]))
    text = tmp_path / "m.csv"
    text.write_text("a,b,c\n.5,.75,.5\n.25,.5,.625\n.5,.375,.5\n")
    found = [json.loads(call("matrix", path, "--json").out) for path in (named, text)]
    assert found[0] == found[1]
    assert json.loads(call("matrix", bare, "--json").out)["items"] == ["item 1", "item 2", "item 3"]
    renamed = call("matrix", bare, "--names", "x,y,z", "--json").out
    assert json.loads(renamed)["items"] == ["x", "y", "z"]
    assert "3 items, but 2 names" in refused("matrix", bare, "--names", "x,y")
    for path in (bare, named):
        assert f"antichain matrix {path}" in refused("front", path)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.ones((2, 3)), "(2, 3)"),
        (np.ones((0, 0)), "(0, 0)"),
        (np.ones((1, 1)), "of 2 to "),
        (np.array(["a", "b"]), "(2,)"),
        (np.array([[0.5, 0.7], [0.7, 0.5]]), "two chances that add up to 1"),
        (np.array([[{}, 1], [1, 2]], dtype=object), "cannot be read as a NumPy array"),
    ],
)
def test_no_matrix_of_numpy(refused, tmp_path, array, words):
    np.save(tmp_path / "m.npy", array, allow_pickle=True)
    assert words in refused("matrix", tmp_path / "m.npy")


def test_an_archive_without_arrays_is_no_matrix(refused, tmp_path):
    path = tmp_path / "book.xlsx"
    for inner, words in (
        ("xl/workbook.xml", f"{path} is an Excel workbook, but a table as text was expected"),
        ("table.csv", f"{path} holds no arrays of numpy, but one square matrix"),
    ):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(inner, "x")
        assert words in refused("matrix", path)


def test_a_matrix_of_numpy_that_is_too_large(refused, tmp_path, monkeypatch):
    monkeypatch.setattr("antichain.votes._preference_matrix.MATRIX_BYTES", 100)
    np.save(tmp_path / "m.npy", CHANCES)
    assert "error: " + str(tmp_path / "m.npy is larger than") in refused(
        "matrix", tmp_path / "m.npy"
    )


def test_a_broken_array_is_refused(refused, tmp_path):
    path = tmp_path / "m.npz"
    np.savez(path, CHANCES)
    path.write_bytes(path.read_bytes()[:100])
    assert "m.npz" in refused("matrix", path)
    (tmp_path / "m.npy").write_bytes(b"\x93NUMPY\x01")
    assert "m.npy" in refused("matrix", tmp_path / "m.npy")
