"""Tables of scores: each unit compares every two items that it scored."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain.errors import FileError, InputError, ParameterError
from antichain.sources._opening import open_source
from antichain.votes import read_votes
from antichain.votes._attributes import Attributes
from antichain.votes._vote_log import Meanings, VoteLog

LONG = "model,question,acc\n" + "".join(
    f"{model},q{k},{score}\n"
    for k in range(30)
    for model, score in (("good", 1), ("fair", int(k % 2 == 0)), ("bad", 0))
)
WIDE = "question,good,fair,bad\n" + "".join(f"q{k},1,{int(k % 2 == 0)},0\n" for k in range(30))
ROWS = "model," + ",".join(f"q{k}" for k in range(30)) + "\n"
ROWS += "good" + ",1" * 30 + "\nfair" + ",1,0" * 15 + "\nbad" + ",0" * 30 + "\n"


def written(folder: Path, text: str, name: str = "scores.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def counts(log: VoteLog) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Wins, losses and ties, by the names of the two items."""
    found = {}
    for first, second, row in zip(log.pairs.first, log.pairs.second, log.pairs.table, strict=True):
        one, other, numbers = log.items[first], log.items[second], tuple(row[:3].tolist())
        if one > other:
            one, other, numbers = other, one, (numbers[1], numbers[0], numbers[2])
        found[one, other] = numbers
    return found


EXPECTED = {
    ("bad", "fair"): (0, 15, 15),
    ("bad", "good"): (0, 30, 0),
    ("fair", "good"): (0, 15, 15),
}


# -- the same table in every form ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (LONG, {"item": "model", "unit": "question", "score": "acc"}),
        (LONG, {"unit": "question"}),
        (LONG, {}),
        (WIDE, {"wide": True}),
        (WIDE, {"wide": True, "unit": "question"}),
        (WIDE, {}),
        (WIDE.replace("question", ""), {"wide": True}),
        (WIDE.replace("question", "").replace("q", ""), {}),
        (ROWS.replace("model", ""), {"wide": True, "item": ""}),
        (ROWS, {"wide": True, "item": "model"}),
        (ROWS, {}),
        (LONG.replace(",", ";"), {}),
        ("sep=;\r\n" + LONG.replace(",", ";").replace("\n", "\r\n"), {}),
        (LONG.replace(",1\n", ",True\n").replace(",0\n", ",False\n"), {}),
        (LONG.replace(",1\n", ",C\n").replace(",0\n", ",I\n"), {}),
        (LONG.replace(",1\n", ",pass\n").replace(",0\n", ",FAIL\n"), {}),
        (LONG.replace(",1\n", ",100%\n").replace(",0\n", ",12.5 %\n"), {}),
    ],
)  # fmt: skip
def test_every_form_of_a_table_is_read_alike(tmp_path: Path, text: str, options: dict) -> None:
    log = read_votes(written(tmp_path, text), **options)
    assert sorted(log.items) == ["bad", "fair", "good"]
    assert counts(log) == EXPECTED
    assert log.clusters is not None
    assert log.clusters.clusters == 30
    guessed = {"item", "unit", "wide"} - set(options)
    assert bool(log.guessed) == (len(guessed) > 1)
    assert ac.front(log).front == ("good",)


def test_tables_in_memory_and_parquet_are_read_too(tmp_path: Path) -> None:
    frame = pl.read_csv(written(tmp_path, LONG))
    frame.write_parquet(tmp_path / "scores.parquet")
    for source in (frame, frame.to_pandas(), frame.to_arrow(), frame.to_dicts(),
                   tmp_path / "scores.parquet"):  # fmt: skip
        assert counts(read_votes(source)) == EXPECTED
    assert counts(read_votes(pl.read_csv(written(tmp_path, WIDE)), wide=True)) == EXPECTED


def test_rows_without_a_name_are_units_of_their_own(tmp_path: Path) -> None:
    bare = "\n".join(line.partition(",")[2] for line in WIDE.splitlines())
    log = read_votes(written(tmp_path, bare), wide=True)
    assert counts(log) == EXPECTED
    assert log.clusters is not None
    assert (log.clusters.column, log.clusters.clusters) == ("row", 30)


def test_grades_of_mt_bench_leave_out_what_its_judge_failed_on(tmp_path: Path) -> None:
    rows = [
        {"question_id": q, "model": model, "judge": ["gpt-4", "single-v1"], "user_prompt": "…",
         "judgment": "Rating: [[7]]", "score": score, "turn": turn, "tstamp": 1.5}
        for q in range(81, 90) for turn in (1, 2) for model, score in (("x", 7), ("y", 6))
    ]  # fmt: skip
    rows[0]["score"] = rows[2]["score"] = -1  # x has no score on the first question
    rows[4]["score"] = -1  # and one only on the second
    path = tmp_path / "gpt-4_single.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    log = read_votes(path)
    assert counts(log) == {("x", "y"): (8, 0, 0)}
    assert log.clusters is not None
    assert log.clusters.clusters == 8
    assert any("MT-bench grades" in note for note in log.guessed)


def test_commas_are_decimal_points_where_they_do_not_separate(tmp_path: Path) -> None:
    rows = "model;question;score\na;q1;0,5\nb;q1;0,25\na;q2;-1,5 %\nb;q2;2\n"
    for text in (rows, rows.replace(";", "\t")):
        log = read_votes(written(tmp_path, text))
        assert counts(log) == {("a", "b"): (1, 1, 0)}
        assert "read commas in scores as decimal points" in log.guessed


def test_several_columns_may_tell_units_apart(tmp_path: Path) -> None:
    text = LONG.replace("question", "task,id").replace(",q", ",arc,")
    twice = text + text.partition("\n")[2].replace(",arc,", ",mmlu,")
    log = read_votes(written(tmp_path, twice), item="model", unit="task,id", score="acc")
    assert log.clusters is not None
    assert (log.clusters.column, log.clusters.clusters) == ("task, id", 60)
    assert counts(log) == {pair: tuple(2 * n for n in row) for pair, row in EXPECTED.items()}
    assert not log.guessed


def test_what_is_better_and_what_ties_can_be_said(tmp_path: Path) -> None:
    path = written(
        tmp_path, "model,task,loss\na,1,0.1\nb,1,0.4\na,2,0.1\nb,2,0.2\na,3,0.3\nb,3,0.3\n"
    )
    options = {"item": "model", "unit": "task", "score": "loss"}
    assert counts(read_votes(path, **options)) == {("a", "b"): (0, 2, 1)}
    assert counts(read_votes(path, higher=False, **options)) == {("a", "b"): (2, 0, 1)}
    near = read_votes(path, higher=False, margin=0.1, **options)  # 0.2 - 0.1 > 0.1 in binary
    assert counts(near) == {("a", "b"): (1, 0, 2)}
    assert counts(read_votes(path, margin=0.3, **options)) == {("a", "b"): (0, 0, 3)}


def test_repeated_scores_are_averaged_and_missing_ones_said(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "model,sample,epoch,score\na,1,1,C\na,1,2,I\nb,1,1,I\nb,1,2,I\nc,1,1,\nc,2,1,nan\n"
        "a,2,1,0.25\nb,2,1,1/4\n".replace("1/4", "0.25"),
    )
    log = read_votes(path)
    assert counts(log) == {("a", "b"): (1, 0, 1)}
    assert log.items == ("a", "b", "c")
    assert any("2 beyond the first" in note for note in log.guessed), log.guessed
    assert any("scores are missing" in note for note in log.guessed), log.guessed
    assert (log.rows, log.counted_rows) == (8, 8)


def test_items_restrict_a_table(tmp_path: Path) -> None:
    only = {("bad", "good"): (0, 30, 0)}
    log = read_votes(written(tmp_path, LONG), items=("good", "bad"))
    assert (log.items, counts(log), log.other_rows) == (("good", "bad"), only, 30)
    wide = read_votes(written(tmp_path, WIDE), items=("good", "bad"), wide=True)
    assert (wide.items, counts(wide)) == (("good", "bad"), only)
    rows = read_votes(written(tmp_path, ROWS), items=("good", "bad"), wide=True, item="model")
    assert (rows.items, counts(rows), rows.other_rows) == (("good", "bad"), only, 1)
    noted = WIDE.replace("question,", "question,notes,").replace(",1,", ",see below,1,")
    log = read_votes(written(tmp_path, noted), items=("good", "bad"), wide=True)
    assert counts(log) == only


def test_fractions_of_any_length_are_read_as_python_reads_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    values = [*rng.normal(size=4000), *rng.normal(size=500) * 1e-7, 0.1 + 0.2, -1e300, 5e-324, 7.0]
    for texts in ([repr(float(v)) for v in values], [f"{v:.14f}" for v in values[:4000]]):
        path = written(
            tmp_path, "\n".join(["left,right,time", *(f"a,b,{t}" for t in texts)]) + "\n"
        )
        with open_source(path) as source:
            chunk = next(source.chunks({"score": "time"}, frozenset({"score"})))
        assert chunk.numbers("score").tolist() == [float(text) for text in texts]


# -- held against brute force ----------------------------------------------------------------------


def plain_votes(
    table: list[tuple[str, str, float]], margin: float
) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Each comparison of each unit as a vote, with its cluster."""
    cells: dict[str, dict[str, list[float]]] = {}
    for unit, item, score in table:
        if not math.isnan(score):
            cells.setdefault(unit, {}).setdefault(item, []).append(score)
    votes, clusters = [], []
    for unit, scores in cells.items():
        means = {item: sum(values) / len(values) for item, values in scores.items()}
        for one, other in itertools.combinations(means, 2):
            lead = means[one] - means[other]
            answer = "tie" if abs(lead) <= margin + 1e-9 else "left" if lead > 0 else "right"
            votes.append((one, other, answer))
            clusters.append(unit)
    return votes, clusters


CELLS = st.tuples(
    st.sampled_from(["u1", "u2", "u3", "u4"]),
    st.sampled_from(["a", "b", "c", "d"]),
    st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan]),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(CELLS, min_size=1, max_size=40), st.sampled_from([0.0, 0.25]), st.booleans())
@pytest.mark.slow
def test_a_table_is_worth_its_comparisons(
    table: list[tuple[str, str, float]], margin: float, ignore_ties: bool
) -> None:
    votes, clusters = plain_votes(table, margin)
    if not votes:
        return
    meanings = Meanings(tie="ignore" if ignore_ties else "half")
    rows = [{"unit": unit, "item": item, "score": score} for unit, item, score in table]
    log = read_votes(rows, margin=margin, meanings=meanings)
    twin = VoteLog.from_rows(votes, log.items, clusters=clusters, meanings=meanings)
    assert counts(log) == counts(twin)
    assert log.clusters is not None
    assert twin.clusters is not None
    assert log.clusters.clusters == twin.clusters.clusters
    one, other = (ac.front(each, delta=0.3, epsilon=0.3).to_dict() for each in (log, twin))
    for name in ("in", "out", "undecided", "records", "pairs", "likely"):
        assert_alike(one.get(name), other.get(name))


def assert_alike(one: object, other: object) -> None:
    if isinstance(one, dict):
        assert isinstance(other, dict)
        assert one.keys() == other.keys()
        for key in one:
            assert_alike(one[key], other[key])
    elif isinstance(one, list):
        assert isinstance(other, list)
        assert len(one) == len(other)
        for ours, theirs in zip(one, other, strict=True):
            assert_alike(ours, theirs)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-9)
    else:
        assert one == other


def test_a_large_table_agrees_with_brute_force_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antichain.votes._unit_scores._BLOCK", 37)
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 4, size=(200, 6)) / 3
    scores[rng.random(scores.shape) < 0.2] = math.nan
    rows = [(str(u), f"m{k}", scores[u, k]) for u in range(200) for k in range(6)]
    rng.shuffle(rows)
    table = [(str(unit), str(item), float(score)) for unit, item, score in rows]
    log = read_votes([{"unit": u, "item": i, "score": s} for u, i, s in table])
    votes, clusters = plain_votes(table, 0)
    twin = VoteLog.from_rows(votes, log.items, clusters=clusters)
    assert counts(log) == counts(twin)
    assert log.clusters is not None
    assert twin.clusters is not None
    assert log.clusters.times is not None
    assert log.clusters.times[0].sum() == twin.clusters.pairs.votes.sum()
    spread = np.repeat(np.arange(len(log.clusters.items.item)), log.clusters.times[1])
    columns = [column[spread] for column in log.clusters.items]
    theirs = sorted(zip(*(column.tolist() for column in twin.clusters.items), strict=True))
    assert sorted(zip(*(column.tolist() for column in columns), strict=True)) == theirs


# -- what is refused, with the way on --------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (LONG, {"item": "model"}, ["--item", "--unit"]),
        (LONG, {"unit": "question", "left": "model"}, ["--unit", "--left"]),
        (LONG, {"wide": True, "left": "model"}, ["--wide", "--left"]),
        (LONG, {"wide": True, "score": "acc"}, ["--wide", "--score"]),
        (LONG, {"unit": "question", "cluster": "question"}, ["--unit", "--cluster"]),
        (LONG, {"unit": "question", "margin": -1}, ["margin", "-1"]),
        (LONG, {"unit": "query"}, ["'query'", "--unit"]),
        (LONG.replace("acc", "quality"), {"unit": "question"}, ["--score"]),
        (LONG.replace("model", "who"), {"unit": "question"}, ["--item"]),
        (LONG.replace("model", "model,task").replace(",q", ",arc,q"), {},
         ["--unit question", "--unit task", "--unit question,task"]),
        (LONG.replace("acc", "acc,f1").replace(",1\n", ",1,1\n").replace(",0\n", ",0,0\n"), {},
         ["--score acc", "--score f1"]),
        (LONG, {"unit": "question", "answers": "names"}, ["--unit", "--answers"]),
        *((LONG, {name: value}, ["a table of scores", "--" + name.replace("_", "-")])
          for name, value in {"criterion": "question", "criteria": ("a", "b"), "voter": "model",
                              "cluster": "question", "both_orders": ("question",), "time": "acc",
                              "words": {"x": "tie"}, "unanswered": "ignore"}.items()),
        (WIDE, {"criterion": "question"}, ["a table of scores", "--criterion"]),
        (WIDE, {"wide": True, "cluster": "question"}, ["--wide", "--cluster"]),
        (ROWS, {"voter": "model"}, ["a table of scores", "--voter"]),
        ("left,right,winner\na,b,a\n", {"higher": False}, ["votes on pairs", "--lower"]),
        ("left,right,winner\na,b,a\n", {"margin": 0.1}, ["votes on pairs", "--margin"]),
        ("left,right,winner\na,b,a\n", {"wide": True}, ["are not scores", "left, right, winner"]),
        (LONG.replace("q7,1", "q7,often"), {}, ["line 23", "'often'", "'acc'", "--skip-bad"]),
        (LONG.replace("good,q7", ",q7"), {}, ["line 23", "'model'", "name of an item"]),
        (LONG.replace("good,q7", "good,"), {}, ["line 23", "'question'"]),
        (WIDE.replace("q7,1", "q7,often"), {"unit": "question", "wide": True},
         ["line 9", "'often'", "'good'"]),
        (WIDE.replace("question", "what"), {}, ["--wide", "--wide --item what"]),
        (WIDE.replace("question", ""), {}, ["--wide if each other", "--wide --item ''"]),
        (ROWS.replace("model", "Unnamed: 0"), {}, ["--wide if", "--wide --item 'Unnamed: 0'"]),
        (WIDE.replace("question", "x,y").replace("q", "v,w"), {"wide": True},
         ["x", "y", "--unit", "--items"]),
        (WIDE, {"wide": True, "items": ("good", "best")}, ["'best'", "--items"]),
        (WIDE.replace("fair", "good"), {"wide": True}, ["several columns", "'good'"]),
        (LONG.replace("q7,1", 'q7,"1,5"'), {}, ["line 23", "'1,5'"]),  # or a thousand and more?
        (LONG.replace("\n", "\r"), {}, ["carriage returns only", "newlines"]),
        ("model,question,score\na,1,1\nb,2,1\n", {}, ["two items"]),
        ("model,question,score\n", {}, ["two items"]),
    ],
)  # fmt: skip
def test_what_is_refused_says_which_option_leads_on(
    tmp_path: Path, text: str, options: dict, words: list[str]
) -> None:
    with pytest.raises((FileError, ParameterError)) as caught:
        read_votes(written(tmp_path, text), **options)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_bad_rows_are_counted_on_request(tmp_path: Path) -> None:
    text = LONG.replace("q7,1", "q7,often").replace("fair,q8", ",q8").replace("bad,q9", "bad,")
    log = read_votes(written(tmp_path, text + "x,y\n"), skip_bad=True)
    assert log.skipped_rows.kinds == {"item": 1, "row": 1, "score": 1, "unit": 1}
    assert (log.rows, log.counted_rows) == (91, 87)


def test_bad_rows_are_reported_together(tmp_path: Path) -> None:
    text = LONG.replace("good,q1,1", "good,q1,x").replace("fair,q2,", ",q2,") + "a,b\n"
    with pytest.raises(FileError) as caught:
        read_votes(written(tmp_path, text))
    assert str(caught.value).count("\n") == 3
    for words in ("3 rows that are not scores (", "score: 1", "--skip-bad", "line 5 has 'x'",
                  "line 9 has '' in 'model'", "line 92 "):  # fmt: skip
        assert words in str(caught.value), str(caught.value)
    with pytest.raises(FileError, match=r"has 45 rows .* the first 10 are"):
        read_votes(written(tmp_path, LONG.replace(",1\n", ",x\n")))


@pytest.mark.parametrize("bad", ["error", "inf"])
def test_a_bad_score_does_not_make_its_column_one_of_names(tmp_path: Path, bad: str) -> None:
    bare = "\n".join(line.partition(",")[2] for line in WIDE.splitlines())
    path = written(tmp_path, bare.replace("1,1,0", f"1,{bad},0", 1))
    with pytest.raises(FileError, match=f"line 2 has '{bad}' in 'fair'.*--skip-bad"):
        read_votes(path, wide=True)
    log = read_votes(path, wide=True, skip_bad=True)
    assert sorted(log.items) == ["bad", "fair", "good"]
    assert (log.votes, log.skipped_rows.rows) == (87, 1)
    numbered = WIDE.replace("q0,1,1", f"q0,1,{bad}").replace("\nq", "\n")
    assert read_votes(written(tmp_path, numbered), skip_bad=True).items == ("good", "fair", "bad")


@pytest.mark.parametrize("options", [{}, {"items": ("good!", "bad")}])
def test_names_that_fold_alike_are_one_item_on_request(tmp_path: Path, options: dict) -> None:
    name = "good!" if options else "Good"
    long = "model,task,acc\nGood,1,1\ngood,1,0\nbad,1,0\ngood,2,1\nbad,2,0\n"
    wide = "task,Good,good,bad\n1,1,0,0\n2,,1,0\n"
    rows = "model,arc,mmlu\nGood,1,\ngood,0,1\nbad,0,0\n"
    for text in (long, wide, rows):
        log = read_votes(written(tmp_path, text), fold=True, **options)
        assert sorted(log.items) == sorted((name, "bad"))
        assert counts(log) == {
            tuple(sorted((name, "bad"))): (2, 0, 0) if name < "bad" else (0, 2, 0)
        }
        notes = " ".join(log.guessed)
        assert "merged names that differ only by case" in notes
        assert "1 beyond the first" in notes
        if not options:
            apart = read_votes(written(tmp_path, text))
            assert any("--fold treats them as one" in note for note in apart.guessed)
            assert len(apart.items) == 3


def test_attributes_go_with_scores(tmp_path: Path) -> None:
    prices = {"good": {"price": 9.0}, "fair": {"price": 9.0}, "bad": {"price": 1.0}}
    known = Attributes({"price": "min"}, prices | {"other": {"price": 0.0}})
    for text in (LONG, WIDE, ROWS):
        log = read_votes(written(tmp_path, text), attributes=known)
        assert log.attributes is not None
        assert log.attributes.values == prices
        assert any("without any vote: 1" in note for note in log.guessed)
    assert sorted(ac.front(log).front) == ["bad", "good"]
    with pytest.raises(InputError, match="'x'"):
        read_votes(written(tmp_path, LONG.replace("bad,", "x,")), attributes=known)


def test_too_many_items_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antichain.votes._score_tables.SCORED_ITEMS", 2)
    with pytest.raises(FileError, match=r"more than 2 items.*--items"):
        read_votes(written(tmp_path, LONG))
    assert counts(read_votes(written(tmp_path, LONG), items=("bad", "good")))


def test_a_log_of_votes_is_never_taken_for_a_table_of_scores(tmp_path: Path) -> None:
    text = "model_a,model_b,winner,score,question\nx,y,model_a,0.3,1\ny,x,model_b,0.5,2\n"
    log = read_votes(written(tmp_path, text))
    assert (log.clusters, log.votes) == (None, 2)
