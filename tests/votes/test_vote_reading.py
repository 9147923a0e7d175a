"""Logs of votes from anywhere: every source gives the same counts, every guess is told."""

import csv
import gzip
import io
import json
import re
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.certify import certify
from antichain.errors import FileError, InputError, MissingExtraError, ParameterError
from antichain.votes import ReadOptions, item_names, read_votes
from antichain.votes._answer_words import form_of
from antichain.votes._vote_log import ANSWERS, Meanings

from ..shared_data import shared_file
from .plain_loops import log_by_plain_loops

HEADER = ("left", "right", "winner", "n", "who", "what", "when")
OPTIONS = {"count": "n", "voter": "who", "cluster": "what", "time": "when"}
NAMES = ["Alien", "The Thing, 1982", 'a "quoted" one', "two\nlines", "Ürsel", "7"]

votes = st.lists(
    st.tuples(
        st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(ANSWERS),
        st.integers(0, 3), st.sampled_from("uvw"), st.sampled_from("pq"), st.integers(0, 9),
    ).filter(lambda row: row[0] != row[1]),
    min_size=1, max_size=30,
)  # fmt: skip


def plain(name):
    return name.replace("\n", " ")


def csv_text(rows, header=HEADER, **style):
    out = io.StringIO()
    writer = csv.writer(out, **style)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def as_dicts(rows):
    return [dict(zip(HEADER, row, strict=True)) for row in rows]


def as_pandas(rows):
    return pytest.importorskip("pandas").DataFrame(as_dicts(rows))


def as_polars(rows):
    return pytest.importorskip("polars").DataFrame(as_dicts(rows))


def as_arrow(rows):
    return pytest.importorskip("pyarrow").Table.from_pylist(as_dicts(rows))


def parquet_bytes(rows):
    as_polars(rows).write_parquet(out := io.BytesIO())
    return io.BytesIO(out.getvalue())


SOURCES = {
    "text": lambda rows: io.StringIO(csv_text(rows)),
    "bytes": lambda rows: io.BytesIO(csv_text(rows, lineterminator="\n").encode("utf-8-sig")),
    "quoted": lambda rows: io.StringIO(csv_text(rows, quoting=csv.QUOTE_ALL)),
    "tabs": lambda rows: io.StringIO(csv_text(rows, delimiter="\t")),
    "semicolons": lambda rows: io.StringIO(csv_text(rows, delimiter=";")),
    "packed": lambda rows: io.BytesIO(gzip.compress(csv_text(rows).encode())),
    "lines": lambda rows: io.StringIO("\n".join(json.dumps(row) for row in as_dicts(rows))),
    "array": lambda rows: io.StringIO(json.dumps(as_dicts(rows), indent=1)),
    "dicts": as_dicts,
    "generator": lambda rows: (row for row in as_dicts(rows)),
    "pandas": as_pandas,
    "polars": as_polars,
    "lazy": lambda rows: as_polars(rows).lazy(),
    "arrow": as_arrow,
    "parquet": parquet_bytes,
}


def twin_of(rows, meanings=None):
    return log_by_plain_loops(
        [(plain(a), plain(b), answer, n) for a, b, answer, n, *_ in rows],
        voters=[row[4] for row in rows],
        clusters=[row[5] for row in rows],
        meanings=meanings or Meanings(),
    )


def assert_same(log, twin):
    assert log.items == twin.items
    assert log.pairs.first.tolist() == twin.pairs.first.tolist()
    assert log.pairs.second.tolist() == twin.pairs.second.tolist()
    assert log.pairs.table.tolist() == twin.pairs.table.tolist()
    assert log.repeated == twin.repeated
    assert log.clusters.clusters == twin.clusters.clusters
    for mine, theirs in zip(
        [*log.clusters.pairs, *log.clusters.items],
        [*twin.clusters.pairs, *twin.clusters.items],
        strict=True,
    ):
        assert mine.tolist() == theirs.tolist()
    assert log.fingerprint == twin.fingerprint
    assert (log.rows, log.counted_rows) == (twin.rows, twin.counted_rows)


@pytest.mark.parametrize("kind", SOURCES)
@given(rows=votes, tie=st.sampled_from(["half", "ignore"]))
@settings(max_examples=15)
def test_every_source_gives_the_counts_of_plain_loops(kind, rows, tie):
    meanings = Meanings(tie=tie)
    log = read_votes(SOURCES[kind](rows), meanings=meanings, **OPTIONS)
    assert_same(log, twin_of(rows, meanings))


@given(rows=votes)
@settings(max_examples=30)
def test_a_history_follows_the_time_and_adds_up(rows):
    log = read_votes(as_dicts(rows), **OPTIONS)
    in_time = sorted(rows, key=lambda row: row[6])
    total = np.zeros(log.pairs.table.size, np.int64)
    for checkpoint in log.history:
        total[checkpoint.cells] += checkpoint.grew
        so_far = twin_of(in_time[: checkpoint.rows])
        assert total.sum() == checkpoint.votes == so_far.votes
        assert sorted(total[total > 0].tolist()) == sorted(
            so_far.pairs.table[so_far.pairs.table > 0].tolist()
        )
    assert total.tolist() == log.pairs.table.reshape(-1).tolist()
    assert log.history[-1].rows == len(rows)


def test_a_long_history_is_thinned_and_still_adds_up():
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(70_000):  # more than one chunk
        a, b = rng.choice(5, 2, replace=False)
        rows.append((str(a), str(b), ANSWERS[rng.integers(6)]))
    log = read_votes(rows, answers="sides")
    assert 100 <= len(log.history) <= 200
    total = np.zeros(log.pairs.table.size, np.int64)
    for checkpoint in log.history:
        total[checkpoint.cells] += checkpoint.grew
    assert total.tolist() == log.pairs.table.reshape(-1).tolist()
    assert log.votes == log.history[-1].rows == 70_000


def test_files_and_standard_input_are_read(tmp_path, monkeypatch):
    rows = [("a", "b", "left", 1, "u", "p", 0), ("b", "c", "tie", 2, "u", "p", 1)]
    wanted = twin_of(rows)
    text = csv_text(rows).encode()
    files = {
        "v.csv": text, "v.csv.gz": gzip.compress(text), "v": text, "v.txt": text,
        "v.tsv": csv_text(rows, delimiter="\t").encode(),
        "v.jsonl": "\n".join(map(json.dumps, as_dicts(rows))).encode(),
        "v.ndjson.gz": gzip.compress("\n".join(map(json.dumps, as_dicts(rows))).encode()),
        "v.json": json.dumps(as_dicts(rows)).encode(),
        "v.parquet": parquet_bytes(rows).getvalue(),
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        log = read_votes(tmp_path / name, **OPTIONS)
        assert_same(log, wanted)
        assert log.source == str(tmp_path / name)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert_same(read_votes("-", **OPTIONS), wanted)


def test_rows_across_blocks_are_whole(monkeypatch):
    monkeypatch.setattr("antichain.sources._streams.BLOCK", 7)
    rows = [(f"item {k}", f"item {k + 1}\n, too", "left", 1, "u", "p", k) for k in range(9)]
    text = csv_text(rows) + "item 0,item 5,won,1,u,p,3\n"
    with pytest.raises(FileError, match="line 20 has 'won' in 'winner'"):
        read_votes(io.StringIO(text), **OPTIONS)
    assert_same(read_votes(io.StringIO(csv_text(rows)), **OPTIONS), twin_of(rows))


@pytest.mark.parametrize(
    ("header", "row", "told"),
    [
        ("left,right,winner", "a,b,left", "'left' and 'right'"),
        ("Model_A,Model_B,Winner", "a,b,model_a", "'Model_A' and 'Model_B'"),
        ("winner,loser", "a,b", "'winner' as the item that won and 'loser'"),
        ("timestamp,best,worst", "1,a,b", "'best' as the item that won and 'worst' as the one"),
        ("winner_name,loser_name,score", "a,b,6-0", "'winner_name' as the item that won"),
        ("a,b,score", "a,b,1.0", "'score' as the score of the left item"),
        ("item1,item2,result", "a,b,1", "'result' as the answer"),
        ("First;Second;Outcome", "a;b;>", "semicolons"),
        ("player_1\tplayer_2\tvote", "a\tb\tfirst", "tabs"),
        ("HomeTeam|AwayTeam|FTR", "a|b|H", "vertical bars"),
        ("system1Id,system2Id,preference", "a,b,system 1", "'system1Id'"),
        ("x,y,label", "a,b,a", "'x' and 'y'"),
        ("left,right,Winner?", "a,b,left", "'Winner?' as the answer"),
        ("left,right,Who won?", "a,b,left", "'Who won?' as the answer"),
        ("left,right,Which is better?", "a,b,a", "'Which is better?' as the answer"),
        (
            "Film A,Film B,Which film do you prefer?",
            "a,b,left",
            "'Which film do you prefer?' as the",
        ),
        ("left,right,Your pick,Which browser?", "a,b,left,Lynx", "'Your pick' as the answer"),
    ],
)
def test_common_columns_are_guessed_and_told(header, row, told):
    log = read_votes(io.StringIO(f"{header}\n{row}\n"))
    assert log.items == ("a", "b")
    assert log.pairs.table.tolist() == [[1, 0, 0, 0, 0, 0]]
    assert told in "; ".join(log.guessed)


@pytest.mark.parametrize("header", ["Who won?,Who is the best?", "Who is it?", "better known"])
def test_an_answer_in_other_words_is_guessed_only_where_one_column_fits(header):
    row = ",".join(["left"] * len(header.split(",")))
    with pytest.raises(FileError, match="a column with the winner was expected"):
        read_votes(io.StringIO(f"left,right,{header}\na,b,{row}\n"))


def test_what_is_said_is_not_guessed():
    text = "id,model_x,model_y,left,right,winner\n0,7,8,a,b,left\n"
    guessed = read_votes(io.StringIO(text))
    assert guessed.items == ("a", "b")
    assert "not 'model_x' and 'model_y', which would fit too" in guessed.guessed[0]
    told = read_votes(io.StringIO(text), left="model_x", right="model_y", winner="winner")
    assert told.items == ("7", "8")
    assert told.guessed == ()


def test_columns_that_could_be_used_are_told():
    text = "left,right,winner,worker,prompt_id,timestamp,count\na,b,left,1,2,3,4\n"
    told = " ".join(read_votes(io.StringIO(text)).guessed)
    for hint in ("--voter worker", "--cluster prompt_id", "--count count"):
        assert hint in told
    assert "--voter worker to check for repeated votes" in told
    assert "--cluster worker for verdicts that hold even if each person's votes are alike" in told
    assert "--count" not in " ".join(read_votes(io.StringIO(text), count="count").guessed)


@pytest.mark.parametrize(
    "name",
    ["Your name", "What's your name?", "What is your name", "Name", "Full name", "Email",
     "Email Address", "E-mail", "Your e-mail address", "Username", "User name", "Initials",
     "Respondent ID", "Participant", "login"],
)  # fmt: skip
def test_a_column_in_which_a_form_asks_who_votes_is_told(name):
    log = read_votes(io.StringIO(f"{name},left,right,winner\nAnn,a,b,left\n"))
    assert f"did not use the column {name!r}; if it holds the voter" in " ".join(log.guessed)
    text = f"{name},1st choice,2nd choice\nAnn,a,b\n"  # two places, and no answer beside them
    assert read_votes(io.StringIO(text)).votes == 1


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a,b,a", {"cluster": "pick"}, "cluster is 'pick', which holds the answers in"),
        ("a,b,a", {"voter": "first"}, "voter is 'first', which holds an item of each pair in"),
        ("a,b,a", {"count": "pick"}, "but the column that says how many votes a row stands for"),
        ("a,b,a", {"time": "Pick"}, "but the column that says when each vote was given was"),
        ("a,b,a", {"ask": "second"}, "but the column that numbers the asks was expected"),
        ("a,b,1", {"cluster": "pick", "score": "pick"}, "--cluster is 'pick', which holds the an"),
        ("a,b,?", {"winner": "first", "loser": "second", "voter": "first"}, "--voter is 'first'"),
    ],
)
def test_a_column_of_the_items_or_the_answer_says_nothing_else(text, options, said):
    with pytest.raises(ParameterError, match=said):
        read_votes(io.StringIO(f"first,second,pick\n{text}\n"), **options)


def test_scores_and_ranks_name_the_winner():
    text = "home,away,hs,as\na,b,2,1\na,c,0.5,.5\nb,c,-1,3\n"
    by_score = read_votes(io.StringIO(text), scores=("hs", "as"))
    assert by_score.pairs.table[:, :3].tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    by_rank = read_votes(io.StringIO(text), ranks=("hs", "as"))
    assert by_rank.pairs.table[:, :3].tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("LEFT", "left"), ("l", "left"), ("a", "left"), ("1", "left"), ("model_a", "left"),
        ("Model A", "left"), ("x", "left"), ("home", "left"), ("1-0", "left"), ("mine", "left"),
        ("right", "right"), ("R", "right"), ("b", "right"), ("2", "right"), ("model_b", "right"),
        ("y", "right"), ("away", "right"), ("0-1", "right"), ("other one", "right"),
        ("tie", "tie"), ("Draw", "tie"), ("equal", "tie"), ("even", "tie"), ("both", "tie"),
        ("=", "tie"), ("0.5", "tie"), ("1/2-1/2", "tie"), ("both_good", "tie"),
        ("tie (bothbad)", "both_bad"), ("bothbad", "both_bad"), ("both bad", "both_bad"),
        ("neither", "both_bad"),
        ("incomparable", "incomparable"), ("Can’t compare", "incomparable"),
        ("skip", "skipped"), ("don't know", "skipped"), ("SKIPPED", "skipped"),
        ("A wins", "left"), ("Model B is better", "right"), ("left much better", "left"),
        ("A>>B", "left"), ("B>A", "right"), ("[[C]]", "tie"), ("rightvote", "right"),
        ("bothbad_vote", "both_bad"), ("No preference", "tie"), ("equally bad", "both_bad"),
        ("-1", None), ("- a", None), ("wins", None), ("much better", None),
        ("0", None), ("", None), ("left right", None), ("nan", None), ("none", None), ("3", None),
    ],
)  # fmt: skip
def test_words_for_answers(word, answer):
    form = form_of(word, "mine", "other_one")
    assert (None if form is None else ANSWERS[form]) == answer


def test_home_and_away_have_letters_of_their_own():
    assert [form_of(letter, "HomeTeam", "AwayTeam") for letter in "HDA"] == [0, 2, 1]


def test_an_answer_may_name_an_item():
    text = "left,right,winner\nAlien,Saw,Saw\nSenna,Saw,Senna\nAlien,Saw,tie\n"
    log = read_votes(io.StringIO(text))
    assert log.items == ("Alien", "Saw", "Senna")
    assert log.pairs.table[:, :3].tolist() == [[0, 1, 1], [0, 1, 0]]


AMBIGUOUS = "left,right,winner\n2,1,1\n1,2,1\n"


def test_a_name_that_is_a_word_for_the_other_side_is_an_error():
    with pytest.raises(FileError, match=r"line 2 has '1' in 'winner'.*--answers names"):
        read_votes(io.StringIO(AMBIGUOUS))
    names = read_votes(io.StringIO(AMBIGUOUS), answers="names")
    assert names.pairs.table[0, :2].tolist() == [0, 2]
    sides = read_votes(io.StringIO(AMBIGUOUS), answers="sides")
    assert sides.pairs.table[0, :2].tolist() == [1, 1]


LETTERS = "left,right,winner\nA,B,A\nB,C,B\nA,C,C\nB,A,tie\n"


def test_answers_that_can_only_be_names_settle_what_the_others_are():
    log = read_votes(io.StringIO(LETTERS))
    assert log.items == ("A", "B", "C")
    assert log.pairs.table[:, :3].tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert any("'C' can only be a name" in note for note in log.guessed)
    assert not any("only be a name" in note for note in read_votes([("A", "B", "A")]).guessed)


@pytest.mark.parametrize("more", ["D,E,A\n", "D,E,left\n"])
def test_a_side_among_the_answers_leaves_them_unclear(more):
    with pytest.raises(FileError, match=r"line 3 has 'B' in 'winner'.*--answers names"):
        read_votes(io.StringIO(LETTERS + more))
    log = read_votes(io.StringIO(LETTERS), skip_bad=True)
    assert dict(log.skipped_rows.kinds) == {"ambiguous": 1}


@pytest.mark.parametrize("word", ["a", "A"])
@pytest.mark.parametrize("name", ["a", "A"])
@pytest.mark.parametrize("last", [True, False])
def test_a_word_that_is_a_name_elsewhere_is_an_error_in_any_order(word, name, last):
    rows = [f"{name},B,{name}", f"C,B,{word}"]
    text = "\n".join(["left,right,winner", *(rows if last else rows[::-1])])
    said = f"line {3 if last else 2} has the answer '{word}'.*elsewhere the name of .* '{name}'"
    with pytest.raises(FileError, match=said):
        read_votes(io.StringIO(text))


def test_names_only_takes_no_words_for_sides():
    with pytest.raises(
        FileError, match="line 2 has 'left' in 'winner', but 'a', 'b' or tie was expected"
    ):
        read_votes(io.StringIO("left,right,winner\na,b,left\n"), answers="names")


BAD = [
    ("a,b,won", "answer", "has 'won' in 'winner', but left or right, 'a', 'b', tie"),
    ("a,a,left", "itself", "pits 'a' against itself, but two different items were expected"),
    ("a,,left", "item", "has nothing in 'right', but the name of an item"),
    ("a,b", "fields", "has 2 fields, but 3 were expected, as in the header"),
    ("a,b,left,x", "fields", "has 4 fields, but 3 were expected, as in the header"),
    ('a,"b"c,left', "quotes", "has text after a closing quote"),
    ("a,b\0,left", "item", r"has 'b\x00' in 'right', but the name of an item on one line"),
    (
        b"a,b\xff,left",
        "item",
        r"has the bytes b'\xff' in 'right', but UTF-8 was expected; give another encoding with "
        "--encoding, such as windows-1252",
    ),
    (
        b"a,b,\xe9",
        "answer",
        r"has the bytes b'\xe9' in 'winner', but UTF-8 was expected; give another encoding with "
        "--encoding, such as windows-1252",
    ),
    (",,left", "item", "has nothing in 'left', but"),
]


@pytest.mark.parametrize(("row", "kind", "said"), BAD)
def test_a_row_that_is_no_vote_is_an_error_or_counted(row, kind, said):
    raw = row if isinstance(row, bytes) else row.encode()
    content = b"left,right,winner\na,b,left\n\n" + raw + b"\nb,a,tie\n"
    with pytest.raises(FileError) as told:
        read_votes(io.BytesIO(content))
    assert str(told.value).startswith(f"the open file, line 4 {said}")
    log = read_votes(io.BytesIO(content), skip_bad=True)
    assert (log.rows, log.counted_rows, log.votes) == (3, 2, 2)
    assert log.skipped_rows.rows == 1
    assert log.skipped_rows.places == ("line 4",)
    assert log.skipped_rows.kinds == {kind: 1}


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("count", "-1", "has '-1' in 'extra', but a whole number from 0"),
        ("count", "1.5", "has '1.5' in 'extra', but a whole number"),
        ("count", "many", "has 'many' in 'extra', but a whole number"),
        ("count", "1e13", "has '1e13' in 'extra', but a whole number"),
        ("count", "", "has nothing in 'extra', but a whole number"),
        ("cluster", "", "has nothing in 'extra', but the name of a cluster was expected"),
        ("time", "later", "has 'later' in 'extra', but a number was expected"),
        ("time", "2024-01-01", "has '2024-01-01' in 'extra', but a number was expected"),
    ],
)
def test_extra_columns_are_checked(column, value, said):
    text = f"left,right,winner,extra\na,b,left,1\na,b,left,{value}\n"
    with pytest.raises(FileError) as told:
        read_votes(io.StringIO(text), **{column: "extra"})
    assert str(told.value).startswith(f"the open file, line 3 {said}")
    log = read_votes(io.StringIO(text), skip_bad=True, **{column: "extra"})
    assert log.skipped_rows.kinds == {column: 1}
    assert log.votes == 1


def test_dates_order_the_history_and_unknown_voters_are_nobody():
    text = "left,right,winner,at,by\na,b,left,2024-02-01T10:00:00Z,\na,c,left,2024-01-31,\n"
    log = read_votes(io.StringIO(text), time="at", voter="by")
    assert [checkpoint.cells.tolist() for checkpoint in log.history] == [[6], [0]]
    assert (log.repeated.votes, log.repeated.most) == (0, 0)


def test_rows_about_other_items_are_counted_apart():
    text = "left,right,winner\na,b,left\na,x,left\nb,a,tie\nx,x,what\n"
    log = read_votes(io.StringIO(text), items=("b", "a", "z"))
    assert log.items == ("b", "a", "z")
    assert (log.rows, log.counted_rows, log.other_rows) == (4, 2, 2)
    assert log.pairs.table.tolist() == [[0, 1, 1, 0, 0, 0]]
    assert read_votes(io.StringIO("left,right,winner\n"), items=("a", "b")).votes == 0


def test_items_can_be_listed(tmp_path):
    assert item_names("a, b ,c") == ("a", "b", "c")
    (tmp_path / "items").write_text("a,1\n\nb\r\n")
    assert item_names(f"@{tmp_path / 'items'}") == ("a,1", "b")
    for wrong, said in [("a", "has 1 item"), ("a,a", "twice"), ("a,,b", "one line of text"),
                        ("@nowhere", "cannot read nowhere")]:  # fmt: skip
        with pytest.raises(InputError, match=said):
            item_names(wrong)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty, but a header and rows were expected"),
        (b"\n \n", "is empty"),
        (b"left,right,winner\n", "has no votes, but at least one was expected"),
        (b"left,right\na,b\n", "has the columns 'left, right', but a column with the winner"),
        (b"p,q,winner\na,b,left\n", "but a pair of columns with the two items was expected"),
        (b"left,left,right,winner\n", "but exactly one column 'left' was expected"),
        (b"A,B,A\nB,C,C\n", "the first row of the open file is 'A, B, A', which looks like a vote"),
        (b"Alien;Saw;tie\nSaw;Up;Up", "add a header as the first line, such as left;right;winner"),
        (b"ann,Alien,Saw,left\nbob,Saw,Up,right\n", "which looks like a vote, but the names of"),
        (b"Up,Saw,0.7\nUp,Heat,0.3\nSaw,Heat,0.7\n", "which looks like a vote"),
        (
            b"film,note,film\nUp,good,Saw\nSaw,bad,Heat\n",
            "but a pair of columns with the two items",
        ),
        (b"left,right,left\na,b,left\n", "but exactly one column 'left' was expected"),
        (b'left,right,winner\na,"b,left\nc,d,left\n', "line 2 has a quote that is never closed"),
        (b'left,"right,winner\na,b,left\n', "line 1 has a quote that is never closed"),
        (b"l\xe9ft,right,winner\na,b,left\n", r"line 1 has the bytes b'\xe9ft'"),
        ("left,right,winner\na,b,left\n".encode("utf-16"), "is in UTF-16, but UTF-8"),
        ("left,right,winner\na,b,left\n".encode("utf-32"), "is in UTF-32, but UTF-8"),
        (b"\x7fELF\x02\x00\x00\r\x01 and\nmore\n", "is a binary file, not text"),
        (b"\x02a\rb\x05\n", "is a binary file, not text"),
        (b"left,right\x00,winner\na,b,left\n", "is a binary file, not text"),
        (b"\x1f\x8b\x08\x00broken", "is not a complete gz file"),
        (
            gzip.compress(b"left,right,winner\n" + b"a,b,left\n" * 999, mtime=0)[:-9],
            "is not a complete gz file",
        ),
        (b"PK\x03\x04zip", "is a zip archive"),
        (b"PAR1 and no more", "cannot be read as a table"),
        (b'{"left": 1', "line 1 is not JSON"),
        (b'{"left": "a", "left": "b"}', "line 1 is not JSON (a key is given twice)"),
        (b'{"left": "a", "right": "b", "winner": ["a"]}', "has a value of the type list"),
        (b'{"left": {"name": "a"}, "right": "b", "winner": "a"}', "write COLUMN.name"),
        (b'{"left": "a", "right": "b", "winner": "a"}\n7\n', "line 2 is '7', but a JSON object"),
        (b'[{"left": "a", "right": "b", "winner": "a"}, 7]', "row 2 is '7', but a JSON object"),
        (b"[" * 100_000, "is nested too deeply"),
    ],
)
def test_files_that_are_no_logs_are_told(content, said):
    with pytest.raises(InputError) as told:
        read_votes(io.BytesIO(content))
    assert said in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"winner": "winner", "score": "n"}, "--winner and --score are given"),
        ({"winner": "left"}, "--winner is 'left', which already names one item of each pair"),
        ({"loser": "right", "left": "left"}, "together with --left or --right"),
        ({"loser": "right", "score": "n"}, "--loser and --score are given"),
        ({"scores": "ab"}, "two columns were expected"),
        ({"delimiter": "::"}, "a single character"),
        ({"kind": "xml"}, "one of csv, lines, json, parquet"),
        ({"answers": "maybe"}, "one of auto, names, sides"),
        ({"items": "ab"}, "a list of names"),
        ({"colour": "red"}, "'colour' is not an option, but one of"),
    ],
)
def test_options_are_checked(options, said):
    with pytest.raises(ParameterError, match=said):
        read_votes([("a", "b", "left")], **options)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (7, "the votes are int"),
        (b"left,right", "the votes are bytes"),
        ({"left": ["a"], "right": ["b"]}, "the votes are dict, but rows were expected"),
        ([7], "row 1 is 7, but"),
        ([("a", "b")], "but .left, right, winner"),
        ([("a", "b", "left"), ("a", "b")], "row 2 is .* but 3 fields were expected"),
        ([("a", "b", "left"), "abc"], "row 2 is"),
        ([("a", "b", "left", 1, 2)], "row 1 is"),
        ([], "is empty"),
        ("no such file.csv", "cannot read no such file.csv: no such file"),
        (".", ". is a folder, but a file"),
        ("nul\0", "cannot read nul"),
    ],
)
def test_sources_that_are_no_logs_are_told(source, said):
    with pytest.raises(InputError, match=said):
        read_votes(source)


def test_a_folder_with_votes_names_a_file_that_holds_them(tmp_path):
    (tmp_path / "a.csv").write_text("name,price\ntea,3\n")
    (tmp_path / "b.jsonl").write_text("no JSON\n")
    reads = r"\(a folder is read if it holds lm-eval samples or HELM runs\)"
    with pytest.raises(FileError, match=rf"but a file of votes was expected {reads}$"):
        read_votes(tmp_path)
    (tmp_path / "c").mkdir()
    votes = tmp_path / "c" / "votes.csv"
    votes.write_text("film a,film b,winner\nAlien,Saw,Saw\n")
    with pytest.raises(FileError, match=rf", such as {re.escape(str(votes))} {reads}$"):
        read_votes(tmp_path)


def test_a_missing_extra_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"antichain\[tables\]"):
        read_votes(io.BytesIO(b"PAR1"))


def test_values_of_python_are_texts():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"left": [1.0, None], "right": [2, 2], "winner": ["left", "left"]})
    with pytest.raises(FileError, match="row 2 has nothing in 'left'"):
        read_votes(frame)
    log = read_votes(frame, skip_bad=True)
    assert log.items == ("1", "2")
    assert log.rows == log.counted_rows + log.skipped_rows.rows == 2


def test_progress_hears_of_rows():
    heard = []
    read_votes([("a", "b", "left")] * 70_000, progress=heard.append)
    assert heard == [65_536, 70_000]


def test_the_crowd_comparisons_are_read_as_they_are():
    path = shared_file("llmfao-crowd-comparisons.csv")
    with open(path, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    log = read_votes(path, voter="worker", cluster="prompt")
    wanted = log_by_plain_loops(
        [(row["left"], row["right"], row["winner"]) for row in rows],
        clusters=[row["prompt"] for row in rows],
        voters=[row["worker"] for row in rows],
    )
    assert_same(log, wanted)
    assert (len(log.items), log.pairs.size, log.votes) == (59, 927, 8931)
    assert "'left' and 'right'" in log.guessed[0]
    told = " ".join(read_votes(path).guessed)
    assert "--voter worker" in told
    assert "--cluster prompt" in told


def test_options_can_be_given_as_one():
    options = ReadOptions(winner="w", skip_bad=True)
    log = read_votes(io.StringIO("a,b,w\nx,y,x\nx,y,?\n"), options, skip_bad=True)
    assert log.skipped_rows.rows == 1


def test_the_fourth_place_of_a_tuple_is_its_count():
    rows = [("a", "b", "left", 7), ["b", "a", "tie", 0], ("a", "b", "right", 2)]
    log = read_votes(rows)
    assert log.pairs.table.tolist() == [[7, 2, 0, 0, 0, 0]]
    assert not any("--count" in words for words in log.guessed)
    with pytest.raises(FileError, match="row 4 has 'many' in 'count', but a whole number"):
        read_votes([*rows, ("a", "b", "left", "many")])
    with pytest.raises(FileError, match=r"row 4 is .*, but 4 fields were expected"):
        read_votes([*rows, ("a", "b", "left")])


def test_arrays_of_numpy_are_rows():
    rows = [("a", "b", "left"), ("b", "a", "tie")]
    wanted = read_votes(rows).fingerprint
    assert read_votes(np.array(rows)).fingerprint == wanted
    kinds = [("left", "U5"), ("right", "U5"), ("winner", "U5")]
    assert read_votes(np.array(rows, dtype=kinds)).fingerprint == wanted
    with pytest.raises(InputError, match=r"row 1 is .*'left'"):
        read_votes(np.array(["left", "right"]))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("left,right,winner\na,b,left\na,b,\nb,a, \n", {}),
        ("left,right,winner\na,b,a\na,b,\nb,a,\n", {"answers": "names"}),
        ("left,right,score\na,b,1\na,b,\nb,a,\n", {}),
        ("left,right,l,r\na,b,3,1\na,b,,\nb,a,,\n", {"scores": ("l", "r")}),
        ("left,right,winner,time\na,b,left,1\na,b,,2\nb,a,,3\n", {"time": "time"}),
    ],
)
def test_rows_without_an_answer_yet_are_counted_and_no_votes(text, options):
    log = read_votes(io.StringIO(text), **options)
    assert (log.votes, log.rows, log.counted_rows, log.apart.open) == (1, 3, 1, 2)
    told = " ".join(certify(log, 0.05, 0.1, likely=False).notes)
    assert "Not counted: 2 rows without an answer yet." in told
    tied = {**options, "words": {"": "tie"}}
    if "winner" in text and not options:
        assert read_votes(io.StringIO(text), **tied).answer_counts["tie"] == 2


def test_an_answer_of_which_half_is_missing_is_an_error():
    with pytest.raises(FileError, match="line 3 has nothing in 'r'"):
        read_votes(io.StringIO("left,right,l,r\na,b,3,1\na,b,3,\n"), scores=("l", "r"))


def test_a_log_without_any_answer_has_no_votes():
    with pytest.raises(InputError, match=r"no votes .*, 2 without an answer\)"):
        read_votes(io.StringIO("left,right,winner\na,b,\nb,c,\n"))


def test_empty_rows_of_a_spreadsheet_are_skipped_and_told(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner,who\na,b,a,x\n,,,\na,b,b,\n,,,y\n")
    log = read_votes(path)
    assert (log.rows, log.skipped_rows.rows) == (2, 0)
    assert "skipped 2 empty rows" in log.guessed
    path.write_text("left,right,winner\na,b,a\n,,a\n")
    with pytest.raises(FileError, match="line 3 has nothing in 'left'"):
        read_votes(path)


def test_a_name_that_looks_misspelt_is_told(tmp_path):
    rows = [("Steelcase Leap", "Embody", "left")] * 12 + [("Steelcase Leep", "Embody", "left")]
    (told,) = [note for note in read_votes(rows).guessed if "looks like" in note]
    assert told.startswith("'Steelcase Leep' (1 vote) looks like 'Steelcase Leap' (12 votes)")
    numbered = [("model 1", "model 2", "left")] * 12 + [("model 3", "model 2", "left")]
    assert not [note for note in read_votes(numbered).guessed if "looks like" in note]


@pytest.mark.parametrize(
    ("begin", "what"),
    [(b"\x89PNG\r\n\x1a\n", "a picture"), (b"%PDF-1.7\n", "a PDF document")],
)
def test_a_file_that_is_no_table_is_called_what_it_is(tmp_path, begin, what):
    path = tmp_path / "votes.csv"
    path.write_bytes(begin + bytes(range(256)))
    with pytest.raises(FileError, match=f"is {what}, but a table was expected"):
        read_votes(path)


def test_an_excel_workbook_is_to_be_saved_as_csv(tmp_path):
    path = tmp_path / "votes.xlsx"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(FileError, match=r"is an Excel workbook.*save the sheet as CSV"):
        read_votes(path)


def test_an_empty_name_is_not_the_folder_one_is_in():
    with pytest.raises(FileError, match="the name of the file is empty"):
        read_votes("")
