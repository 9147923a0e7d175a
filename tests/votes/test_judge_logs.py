"""The logs that tools for judging write, each in its own shape, read without an option."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import antichain as ac
from antichain.certify._verification import verify
from antichain.certify.report._document import page
from antichain.errors import FileError, ParameterError

PAIRS = [("gpt-4", "claude"), ("gpt-4", "vicuna"), ("claude", "vicuna")]


def lines(*rows: dict) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def mt_bench(first: str, second: str, pair: int = 0) -> dict:
    one, other = PAIRS[pair]
    return {
        "question_id": 81, "model_1": one, "model_2": other, "g1_winner": first,
        "g2_winner": second, "judge": ["gpt-4", "pair-v2"], "g1_judgment": "[[A]]", "turn": 1,
        "tstamp": 1687222743.1,
    }  # fmt: skip


def arena_hard(*scores: str | None) -> dict:
    games = [{"score": score, "judgment": {"answer": "…"}} for score in scores]
    return {"uid": "8f", "category": "hard_prompt", "judge": "gpt-4.1", "model": "mine",
            "baseline": "o3-mini", "games": games}  # fmt: skip


def alpaca(preference: float | None) -> dict:
    return {"instruction": "Hi", "output_1": "a", "generator_1": "base", "dataset": "helpful_base",
            "output_2": "b", "generator_2": "new", "annotator": "weighted",
            "preference": preference}  # fmt: skip


def fastchat(kind: str, models: list[str], hidden: list[str] | None = None) -> dict:
    states = [{"model_name": name, "conv_id": "x"} for name in hidden or models]
    return {"tstamp": 1.5, "type": kind, "models": models, "states": states, "ip": "1.2.3.4"}


# The name of each file, what is in it, the scores of each pair's first item, rows without a
# verdict, and how it is reported.
LOGS = {
    "gpt-4_pair.jsonl": (
        lines(
            mt_bench("model_1", "model_1"), mt_bench("model_1", "model_2"),
            mt_bench("model_1", "tie"), mt_bench("tie", "model_2"), mt_bench("error", "model_1"),
            mt_bench("model_2", "model_2", 2),
        ),
        {("gpt-4", "claude"): [1, 0.5, 0.75, 0.25], ("claude", "vicuna"): [0]},
        1,
        "MT-bench judge pairs",
    ),
    "mine.jsonl": (
        lines(
            # The baseline is A in the first game, and B in the second.
            arena_hard("A>>B", "B>A"), arena_hard("B>A", "A>>B"), arena_hard("A>B", "A>B"),
            arena_hard("A=B", "A>B"), arena_hard(None, "A>B"), arena_hard("A>B"),
            arena_hard() | {"games": None},
        ),
        {("o3-mini", "mine"): [1, 0, 0.5, 0.25]},
        3,
        "Arena-Hard judgments",
    ),
    "mine_v0.jsonl": (
        lines({"question_id": "q", "model": "mine", "judge": "gpt-4-1106",
               "games": [{"score": "B>>A"}, {"score": "A=B"}]}),
        {("gpt-4-0314", "mine"): [0.25]},
        0,
        "'gpt-4-0314'",
    ),
    "annotations.json": (
        json.dumps([*map(alpaca, (1, 2.0, 1.5, 1.25, 1.999999, None, 0)), alpaca(1) | {
            "generator_1": "new", "generator_2": "base"}]),
        {("base", "new"): [1, 0, 0.5, 0.75, 0.000001, 0.5, 0]},
        1,
        "AlpacaEval annotations",
    ),
    "2024-01-01-conv.json": (
        lines(
            {"tstamp": 1.0, "type": "chat", "model": "a", "state": {"model_name": "a"}, "ip": "x"},
            fastchat("leftvote", ["", ""], ["a", "b"]), fastchat("rightvote", ["b", "a"]),
            fastchat("tievote", ["a", "b"]), fastchat("bothbad_vote", ["a", "b"]),
            {"tstamp": 1.0, "type": "upvote", "model": "a", "state": {}, "ip": "x"},
        ),
        {("a", "b"): [1, 1, 0.5, 0.5]},
        2,
        "FastChat's raw log",
    ),
    "train.csv": (
        "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
        '1,x,y,"[""hi""]",r,s,1,0,0\n2,x,y,p,r,s,0,1,0\n3,y,x,p,r,s,0,0,1\n',
        {("x", "y"): [1, 0, 0.5]},
        0,
        "LMSYS on Kaggle",
    ),
    "review.jsonl": (
        lines(*(
            {"model_a": "x", "model_b": "y", "win_1": one, "win_2": other, "anony": True,
             "tstamp": 3, "language": "NA", "question_id": "1"}
            for one, other in (("model_a", "model_a"), ("model_a", "model_b"), ("tie", "unknown"))
        )),
        {("x", "y"): [1, 0.5]},
        1,
        "evalscope reviews",
    ),
    "head-to-heads.csv": (
        "prompt,model_a,model_b,judge,winner\np,x,y,gpt-4o,A\np,x,y,gpt-4o,B\np,y,x,gpt-4o,-\n",
        {("x", "y"): [1, 0, 0.5]},
        0,
        "AutoArena head-to-heads",
    ),
    "matches.jsonl": (
        lines(*({"model1": "x", "model2": "y", "winner": winner, "rationale": ""}
                for winner in ("model1", "model2", "draw"))),
        {("x", "y"): [1, 0, 0.5]},
        0,
        "flexeval matches",
    ),
    "pick-a-pic.jsonl": (
        lines(*({"caption": "a cat", "model_0": "x", "model_1": "y", "label_0": one,
                 "label_1": 1 - one, "user_id": 3} for one in (1.0, 0.0, 0.5))),
        {("x", "y"): [1, 0, 0.5]},
        0,
        "Pick-a-Pic",
    ),
    "decisions.csv": (
        "Annotator ID,Winner ID,Loser ID,Time\n1,7,9,2016-09-17 10:00:00\n2,9,7,2016-09-17 10:01\n",
        {("7", "9"): [1, 0]},
        0,
        "Gavel decisions",
    ),
}  # fmt: skip


def scores_in(log: ac.VoteLog) -> dict[tuple[str, str], Counter[float]]:
    """How often each pair has each score of its first item."""
    found: dict[tuple[str, str], Counter[float]] = {}
    for row in range(log.pairs.size):
        pair = log.items[log.pairs.first[row]], log.items[log.pairs.second[row]]
        if log.scores is not None:
            mine = log.scores.pair_row == row
            scores, times = log.scores.score[mine], log.scores.times[mine]
        else:
            won, tied, lost = (column[row] for column in log.scored())
            scores, times = [1, 0.5, 0], [won, tied, lost]
        numbers = zip(map(float, scores), map(int, times), strict=True)
        found[pair] = Counter({round(score, 9): n for score, n in numbers if n})
    return found


@pytest.mark.parametrize("name", LOGS)
def test_each_is_read_without_an_option(name: str, tmp_path: Path) -> None:
    text, wanted, without, told = LOGS[name]
    path = tmp_path / name
    path.write_text(text)
    log = ac.read_votes(path)
    assert scores_in(log) == {pair: Counter(scores) for pair, scores in wanted.items()}
    assert log.apart.no_verdicts == without
    assert log.rows == log.counted_rows + without
    assert any(told in note for note in log.guessed), log.guessed
    certificate = ac.front(path, likely=False)
    assert any(f"Not counted: {without} row" in note for note in certificate.notes) == (without > 0)
    assert verify(certificate, log) == []


def test_rows_of_python_may_be_nested_too() -> None:
    log = ac.read_votes([arena_hard("A>B", "B>>A")] * 3)
    assert scores_in(log) == {("o3-mini", "mine"): Counter({1.0: 3})}
    rows = [{"pair": {"names": ["a", "b"]}, "verdict": [{"winner": "b"}]}]
    log = ac.read_votes(rows, left="pair.names[0]", right="pair.names[1]",
                        winner="verdict[0].winner")  # fmt: skip
    assert scores_in(log) == {("a", "b"): Counter({0.0: 1})}


def test_columns_that_are_told_are_read_as_told() -> None:
    rows = [mt_bench("model_1", "model_2"), mt_bench("model_1", "tie")]
    log = ac.read_votes(rows, left="model_1", right="model_2", winner="g1_winner")
    assert scores_in(log) == {("gpt-4", "claude"): Counter({1.0: 2})}
    assert log.sides is None


def test_words_have_the_meaning_that_they_are_given() -> None:
    rows = [mt_bench("model_1", "error"), mt_bench("none", "model_1")]
    log = ac.read_votes(rows, words={"error": "tie", "none": "right"})
    assert scores_in(log) == {("gpt-4", "claude"): Counter({0.75: 1, 0.5: 1})}
    with pytest.raises(ParameterError, match="already holds both orders"):
        ac.read_votes(rows, both_orders=("question_id",))


def test_a_verdict_that_is_neither_side_nor_error_is_an_error() -> None:
    with pytest.raises(FileError, match=r"row 2 has 'gpt' in 'g2_winner'.*tie or error"):
        ac.read_votes([mt_bench("model_1", "tie"), mt_bench("tie", "gpt")])


def test_the_side_that_a_judge_prefers_is_told_with_an_interval() -> None:
    rows = [mt_bench("model_1", "model_2")] * 60 + [mt_bench("model_1", "model_1")] * 40
    certificate = ac.front(rows, likely=False)
    bias = certificate.side_bias
    assert bias is not None
    assert (bias.judgments, bias.first, bias.changed) == (100, 0.8, 60)
    assert 0.6 < bias.low < 0.8 < bias.high < 0.95
    assert certificate.to_dict()["side_bias"] == bias._asdict()
    assert any("prefers the side shown first" in note for note in certificate.notes)
    assert any("both orders" in text for text in certificate.assumptions)
    html = page(certificate, ac.read_votes(rows))
    assert "Side bias</h2>" in html
    assert "from 0.7" in html or "from 0.6" in html
    assert "side_bias" not in ac.front([("a", "b", "left")]).to_dict()


def test_both_orders_in_rows_of_their_own_are_one_vote() -> None:
    rows = []
    for question in range(30):
        rows += [
            {"q": question, "judge": "j", "model_a": "x", "model_b": "y", "winner": "model_a"},
            # The other order: x is shown second. Question 0 has one order only.
            {"q": question, "judge": "j", "model_a": "y", "model_b": "x",
             "winner": "model_a" if question % 3 else "tie"},
        ][: 2 if question else 1]  # fmt: skip
    log = ac.read_votes(rows, both_orders=("q", "judge"))
    assert scores_in(log) == {("x", "y"): Counter({0.5: 20, 0.75: 9, 1.0: 1})}
    assert log.votes == 30
    certificate = ac.front(rows, both_orders=("q", "judge"), likely=False)
    assert certificate.side_bias is not None
    assert certificate.side_bias.judgments == 29
    assert certificate.side_bias.first == pytest.approx((20 + 9 * 0.75) / 29)
    assert verify(certificate, log) == []
    # Another judge's rows are other judgments, and the order of rows does not matter.
    others = [row | {"judge": "k"} for row in rows]
    both = ac.read_votes([*rows, *others], both_orders=("q", "judge"))
    assert both.votes == 60
    assert ac.read_votes(rows[::-1], both_orders=("q", "judge")).fingerprint == log.fingerprint


def test_a_judgment_in_both_orders_is_about_one_criterion() -> None:
    rows = [
        {"q": q, "left": left, "right": right, "winner": winner, "about": about}
        for q in range(3)
        for about, winner in (("coding", "xx"), ("writing", "yy"))
        for left, right in (("xx", "yy"), ("yy", "xx"))
    ]
    log = ac.read_votes(rows, both_orders=("q",), criterion="about")
    assert log.votes == 6  # and not three in which both are even
    assert log.answer_counts["tie"] == 0
    assert log.sides is not None
    assert log.sides[1].sum() == 6


def test_judgments_in_both_orders_may_be_clustered() -> None:
    rows = [mt_bench("model_1", second) | {"question_id": question}
            for question in range(5) for second in ("model_2", "model_1")]  # fmt: skip
    log = ac.read_votes(rows, cluster="question_id")
    assert log.clusters is not None
    assert log.clusters.pairs.score.tolist() == [0.75] * 5
    assert log.scores is None


@pytest.mark.parametrize("outputs", [("{}1", "{}2"), ("same", "same"), ("x", "y")])
def test_matches_of_flexeval_in_both_orders_are_one_vote(tmp_path: Path, outputs: tuple) -> None:
    """Its matches are made of all pairs, and then of all pairs the other way round."""
    said = {("a", "b"): ("model1", "model2", "draw", None), ("b", "a"): ("model2",) * 4}
    rows = [
        {"model1": one, "model1_item": {"lm_output": outputs[one > "a"].format(k)},
         "model2": other, "model2_item": {"lm_output": outputs[other > "a"].format(k)},
         "winner": winner, "rationale": None}
        for (one, other), winners in said.items() for k, winner in enumerate(winners)
    ]  # fmt: skip
    path = tmp_path / "matches.jsonl"
    path.write_text(lines(*rows))
    log = ac.read_votes(path)
    assert log.items == ("a", "b")
    assert scores_in(log) == {("a", "b"): Counter([1, 0.5, 0.75, 1])}
    assert log.apart.no_verdicts == 1


def test_what_rows_share_may_be_any_value(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(lines(*(mt_bench("model_1", "tie") | {"judge": ["gpt-4", f"pair-v{k % 2}"]}
                            for k in range(6))))  # fmt: skip
    log = ac.read_votes(path, cluster="judge")
    assert log.clusters is not None
    assert log.clusters.clusters == 2
    assert ac.read_votes(path, voter="judge").repeated.voters == 2


def test_one_file_per_model_is_read_by_a_wildcard(tmp_path: Path) -> None:
    for name in ("mine", "yours", "theirs"):
        row = arena_hard("B>A", "A>>B") | {"model": name}
        (tmp_path / f"{name}.jsonl").write_text(lines(row))
    log = ac.read_votes(str(tmp_path / "*.jsonl"))
    assert sorted(log.items) == ["mine", "o3-mini", "theirs", "yours"]
    assert log.votes == 3
    for name in ("mine", "yours", "theirs"):  # as of version 0.1, which names no baseline
        row = arena_hard("B>A", "A>>B") | {"model": name}
        del row["baseline"]
        (tmp_path / f"{name}.jsonl").write_text(lines(row))
    log = ac.read_votes(str(tmp_path / "*.jsonl"))
    assert sorted(log.items) == ["gpt-4-0314", "mine", "theirs", "yours"]
    assert log.votes == 3
