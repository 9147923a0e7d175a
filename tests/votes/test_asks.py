"""Votes in the order of their asks: open ones, those given up, and those answered twice."""

import io
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.errors import FileError, InputError, ParameterError
from antichain.votes import _ask_numbers, _ask_order, read_votes
from antichain.votes._vote_log import ANSWERS, GIVEN_UP, VoteLog

HEADER = "ask,left,right,winner\n"
SHEET = HEADER + "3,b,c,right\n1,a,b,left\n2,c,a,given up\n5,a,b,tie\n4,a,c,\n6,c,b,left\n"
WORDS = ("left", "right", "tie", "both bad", "cannot compare", "skip", "given up", "")


def rows_of(log):
    asks = log.asks
    assert (asks.number == 1).all()
    return [
        (log.items[i], log.items[j], (*ANSWERS, "given up")[form])
        for i, j, form in zip(asks.first, asks.second, asks.form, strict=True)
    ]


def read(text, **options):
    return read_votes(io.StringIO(text), **options)


def test_answers_are_read_up_to_the_first_open_ask():
    log = read(SHEET, items=("a", "b", "c"))
    assert rows_of(log) == [("a", "b", "left"), ("a", "c", "given up"), ("b", "c", "right")]
    asks = log.asks
    assert (asks.known_by, asks.first_open, asks.waiting, asks.last) == ("asks", 4, 2, 6)
    # The counts are of all answers, also of those that wait.
    assert (log.votes, log.counted_rows, log.apart.open, log.apart.given_up) == (4, 4, 1, 1)
    assert log.rows == log.counted_rows + log.apart.rows
    assert log.columns.ask == "ask"
    assert any("ask 4 has been neither answered nor given up" in note for note in log.guessed)


def test_a_number_that_no_row_has_is_an_open_ask():
    log = read(HEADER + "1,a,b,left\n3,a,b,left\n")
    assert (log.asks.first_open, log.asks.waiting, log.asks.first.size) == (2, 1, 1)


def test_asks_without_an_answer_can_be_ignored():
    log = read(SHEET, unanswered="ignore", items=("a", "b", "c"))
    assert [form for *_, form in rows_of(log)] == ["left", "right", "tie", "right"]
    assert (log.asks.first_open, log.asks.waiting, log.asks.last) == (None, 0, 6)


@pytest.mark.parametrize("word", ["Given-up", "expired", "LOST", "no answer", "timeout"])
def test_words_for_an_ask_that_was_given_up(word):
    text = f"left,right,winner,ask\na,b,left,1\na,b,{word},2\n"
    log = read(text, words={"timeout": "given_up"})
    assert log.asks.form.tolist() == [0, GIVEN_UP]
    assert log.votes == 1


def test_without_numbers_nothing_changes():
    with pytest.raises(InputError, match="has no votes"):
        read("left,right,winner\na,b,\n")
    with pytest.raises(FileError, match="given up needs its number: name its column with --ask"):
        read("left,right,winner\na,b,given up\n")
    log = read("left,right,winner\na,b,no answer\na,b,left\n")
    assert log.pairs.skipped.tolist() == [1]
    assert log.asks is None


def test_the_first_answer_to_an_ask_counts():
    log = read(HEADER + "2,a,b,\n1,a,b,left\n2,b,a,left\n1,b,a,left\n2,a,b,left\n1,a,b,expired\n")
    assert rows_of(log) == [("a", "b", "left"), ("a", "b", "right")]
    assert (log.apart.spare, log.apart.open, log.votes) == (3, 1, 2)
    assert any("an ask that was already answered: 3 rows" in note for note in log.guessed)


def test_one_number_for_two_pairs_is_told_with_both_rows():
    text = HEADER + "1,a,b,left\n2,a,c,\n2,c,b,left\n"
    with pytest.raises(FileError) as caught:
        read(text)
    assert str(caught.value).endswith(
        "line 4 has the ask 2 for 'c' and 'b', but line 3 has it for 'a' and 'c', and one pair for "
        "each ask was expected (--skip-bad skips such rows)"
    )
    log = read(text, skip_bad=True)
    assert log.skipped_rows.kinds == {"ask": 1}
    assert log.asks.first_open == 2


@pytest.mark.parametrize("bad", ["0", "-1", "1.5", "x", "", "1e13", "nan"])
def test_what_is_no_number_of_an_ask(bad):
    with pytest.raises(FileError, match=r"the number of an ask \(a whole number from 1"):
        read(HEADER + f"1,a,b,left\n{bad},a,b,left\n")
    # The column may be something else.
    log = read(HEADER + f"1,a,b,left\n{bad},a,b,left\n", ordered=False)
    assert (log.votes, log.asks) == (2, None)


def test_asks_about_other_items_are_passed_over():
    text = HEADER + "1,a,b,left\n2,a,x,left\n3,y,x,\n4,b,a,left\n"
    log = read(text, items=("a", "b"))
    assert rows_of(log) == [("a", "b", "left"), ("a", "b", "right")]
    assert (log.asks.first_open, log.asks.last, log.other_rows) == (None, 4, 2)


def test_duels_against_decoys_keep_their_place_and_their_sides():
    text = HEADER + "1,a,b (decoy),left\n2,a,b,right\n3,a (decoy),b,left\n4,a,a (decoy),left\n"
    log = read(text + "5,b,a (decoy),lost\n6,c,d,left\n", decoys=" (decoy)")
    asks = log.asks
    assert asks.first.tolist() == [0, 0, 1, 1, 2]
    assert asks.second.tolist() == [1, 1, 0, 0, 3]
    assert asks.form.tolist() == [0, 1, 1, GIVEN_UP, 0]
    assert asks.decoy.tolist() == [1, 0, 1, 1, 0]
    assert asks.first_open is None


@pytest.mark.parametrize("how", ["score", "scores", "ranks"])
def test_other_sorts_of_answers(how):
    columns, cells = {
        "score": ("s", ["1", "", "expired"]),
        "scores": ("p,q", ["2,1", ",", "given up,"]),
        "ranks": ("p,q", ["1,2", ",", ",given up"]),
    }[how]
    text = f"ask,left,right,{columns}\n" + "".join(
        f"{n},a,b,{cell}\n" for n, cell in zip((1, 3, 2), cells, strict=True)
    )
    option = tuple(columns.split(",")) if "," in columns else columns
    log = read(text, **{how: option})
    assert log.asks.form.tolist() == [0, GIVEN_UP]
    assert (log.asks.first_open, log.apart.open, log.apart.given_up) == (3, 1, 1)


def test_every_kind_of_table_says_the_same(tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    wanted = read(SHEET)
    rows = [
        dict(zip(HEADER.strip().split(","), line.split(","), strict=True))
        for line in SHEET.splitlines()[1:]
    ]
    for row in rows:
        row["ask"] = int(row["ask"])
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    polars.DataFrame(rows).write_parquet(tmp_path / "log.parquet")
    frame = pandas.DataFrame(rows)
    frame["ask"] = frame["ask"].astype(float)
    frame["winner"] = frame["winner"].replace("", None)
    crlf = io.BytesIO(SHEET.replace("\n", "\r\n").replace("ask,", " Ask ,").encode())
    for source in (rows, tmp_path / "log.jsonl", tmp_path / "log.parquet", frame, crlf):
        log = read_votes(source)
        assert rows_of(log) == rows_of(wanted)
        assert log.fingerprint == wanted.fingerprint
        assert log.apart == wanted.apart


ASKED = st.lists(
    st.tuples(st.integers(1, 8), st.sampled_from(WORDS), st.booleans()), min_size=1, max_size=14
)
PAIRS = [("a", "b"), ("c", "b"), ("a", "c"), ("d", "a")]


@settings(deadline=None, max_examples=200)
@given(asked=ASKED)
def test_reading_is_as_defined(asked):
    items = ("a", "b", "c", "d")
    text, closed = HEADER, {}
    counted = 0
    for number, word, turned in asked:
        left, right = PAIRS[number % 4][:: -1 if turned else 1]
        text += f"{number},{left},{right},{word}\n"
        if word and number not in closed:
            closed[number] = (left, right, word)
            counted += word != "given up"
    log = read(text, items=items)
    forms = dict(zip(WORDS, (*range(6), GIVEN_UP), strict=False))
    wanted, number = [], 1
    while number in closed:
        left, right, word = closed[number]
        form = forms[word]
        if items.index(left) > items.index(right):
            left, right, form = right, left, {0: 1, 1: 0}.get(form, form)
        wanted.append((items.index(left), items.index(right), form))
        number += 1
    asks = log.asks
    assert list(zip(asks.first, asks.second, asks.form, strict=True)) == wanted
    last = max(number for number, *_ in asked)
    assert asks.last == last
    assert asks.first_open == (number if number <= last else None)
    behind = [word for n, (*_, word) in closed.items() if n > number and word != "given up"]
    assert asks.waiting == len(behind)
    assert log.votes == counted
    assert log.rows == log.counted_rows + log.apart.rows
    # The order of the rows does not matter, only that of the asks.
    lines = text.splitlines()[1:]
    firsts = [n for n, _ in enumerate(lines) if lines[n].split(",")[0] not in
              {line.split(",")[0] for line in lines[:n]}]  # fmt: skip
    if len(firsts) == len(lines):
        again = read(HEADER + "\n".join(reversed(lines)) + "\n", items=items)
        assert again.fingerprint == log.fingerprint


# -- time, rows, and where no order is evidence ---------------------------------------------------

TIMED = "left,right,winner,time\na,b,left,2024-01-02T00:00:00\na,b,tie,2024-01-01 10:00:00Z\n"


def test_times_say_the_order():
    for text in (TIMED, TIMED.replace("time", "Created at"), TIMED.replace("tie,2024", "tie,2023")):
        log = read(text)
        assert log.asks.form.tolist() == [2, 0]
        assert (log.asks.known_by, log.asks.last, log.asks.first_open) == ("time", 2, None)
        assert any("read the votes in the order of" in note for note in log.guessed)
    assert read(TIMED, ordered=False).asks is None
    by_rows = read(TIMED, ordered=True)
    assert (by_rows.asks.known_by, by_rows.asks.form.tolist()) == ("rows", [0, 2])


def test_a_column_that_is_called_time_and_cannot_be_read_says_no_order():
    log = read(TIMED + "a,b,left,soon\n")
    assert (log.asks, log.votes) == (None, 3)
    assert any("'time' cannot be read in some rows" in note for note in log.guessed)
    with pytest.raises(FileError, match="line 4 has 'soon' in 'time'"):
        read(TIMED + "a,b,left,soon\n", time="time")


def test_one_date_for_all_says_no_order_unless_the_user_says_so():
    # Such a file may be sorted by who won, which would certify falsehoods.
    text = "left,right,winner,date\n" + "a,b,left,2024-01-31\n" * 3 + "a,b,right,2024-01-31\n" * 3
    log = read(text)
    assert log.asks is None
    assert any("many rows share a time" in note for note in log.guessed)
    assert read(text, time="date").asks.form.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("extra", "options", "words"),
    [
        ("x", {"cluster": "n"}, "'n' are one observation"),
        ("2", {"count": "n"}, "some rows stand for several votes"),
        ("0", {"count": "n"}, "some rows stand for several votes"),
    ],
)
def test_where_the_order_is_no_evidence(extra, options, words):
    text = f"ask,left,right,winner,n\n1,a,b,left,1\n2,a,b,left,{extra}\n"
    for log in (read(text, **options), read(text[4:].replace("\n1,", "\n").replace("\n2,", "\n"),
                                            ordered=True, **options)):  # fmt: skip
        assert log.asks is None
        assert any(words in note for note in log.guessed)
    ones = text.replace(f"left,{extra}", "left,1")
    if "count" in options:
        assert read(ones, **options).asks.first.size == 2


def test_too_many_rows_are_not_kept(monkeypatch):
    for module in (_ask_order, _ask_numbers):
        monkeypatch.setattr(module, "MOST_ORDERED", 3)
    for options in ({}, {"ordered": True}):
        text = (HEADER + "".join(f"{n},a,b,left\n" for n in range(1, 5))) if not options else (
            "left,right,winner\n" + "a,b,left\n" * 4)  # fmt: skip
        log = read(text, **options)
        assert (log.asks, log.votes) == (None, 4)
        assert any("more than 3" in note for note in log.guessed)


def test_the_order_is_kept_only_where_something_says_it():
    assert read("left,right,winner\na,b,left\n").asks is None
    assert read("left,right,winner\na,b,left\n", ordered=True).asks.known_by == "rows"
    for wrong in ({"ordered": "yes"}, {"unanswered": "maybe"}, {"ask": 3}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            read(SHEET, **wrong)


def test_rows_in_python():
    rows = [("b", "a", "left"), ("a", "c", "given_up"), ("a", "b", "tie")]
    log = VoteLog.from_rows(rows, ("a", "b", "c"), ordered=True)
    assert rows_of(log) == [("a", "b", "right"), ("a", "c", "given up"), ("a", "b", "tie")]
    assert (log.votes, log.rows, log.apart.given_up) == (2, 3, 1)
    with pytest.raises(InputError, match="given_up"):
        VoteLog.from_rows(rows)


# -- the fingerprint ------------------------------------------------------------------------------


def test_the_fingerprint_covers_the_order_where_it_is_evidence():
    rows = [("a", "b", "left"), ("a", "b", "right"), ("a", "c", "left")]
    plain, turned = VoteLog.from_rows(rows), VoteLog.from_rows(rows[::-1])
    assert plain.fingerprint == turned.fingerprint == plain.order_free_fingerprint
    known = [VoteLog.from_rows(some, ordered=True) for some in (rows, rows[::-1])]
    assert known[0].fingerprint != known[1].fingerprint
    assert {log.order_free_fingerprint for log in known} == {plain.fingerprint}
    # Sides and the order of items are no evidence; asks given up are.
    other = [("b", "a", "right"), *rows[1:]]
    assert VoteLog.from_rows(other, ordered=True).fingerprint == known[0].fingerprint
    given_up = [*rows, ("a", "b", "given_up")]
    assert VoteLog.from_rows(given_up, ordered=True).fingerprint != known[0].fingerprint


# -- the terms of an exported study ---------------------------------------------------------------

EXPORT = "left,right,answer,voter,time,reason,decoy,receipt,ask,terms\n"
TERMS = {"delta": 0.05, "epsilon": 0.1, "assume": ["strong"], "items": ["c", "a", "b"], "seed": 1}


def export(terms, more=""):
    cell = '"' + terms.replace('"', '""') + '"'
    return f"{EXPORT}a,b,left,,,,,evidence,1,{cell}\na,b,given up,,,,,evidence,2,{more}\n"


def test_the_terms_of_an_export():
    log = read(export(json.dumps(TERMS)))
    assert dict(log.terms) == TERMS
    assert log.items == ("c", "a", "b")
    assert log.columns.terms == "terms"
    assert log.asks.form.tolist() == [0, GIVEN_UP]
    assert read(export(json.dumps(TERMS)), items=("a", "b")).items == ("a", "b")
    assert read(export("")).terms is None
    # Elsewhere terms are anything.
    assert read("left,right,winner,ask,terms\na,b,left,1,paid\n").terms is None


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ('{"delta": 0.05', "line 2 has the terms .* which is not valid JSON"),
        ('{"delta": NaN}', "which is not valid JSON: it holds NaN"),
        ("[1]", "but a JSON object was expected"),
        ('{"delta": "x"}', "terms with delta 'x', but a number above 0 and below 1 was"),
        ('{"epsilon": 0.7}', "epsilon '0.7', but a number above 0 and below 0.5"),
        ('{"assume": [1]}', "but a list of texts was expected"),
        ('{"items": ["a"]}', "has terms whose list of items has 1 item"),
        ('{"items": ["a", "a"]}', "holds 'a' twice"),
        ('{"split": {"a": 1}}', "terms with split"),
    ],
)
def test_terms_that_no_study_writes(terms, words):
    with pytest.raises(FileError, match=words):
        read(export(terms))


def test_terms_of_another_study_are_refused():
    with pytest.raises(FileError, match="line 3 has the terms 'x', but terms in the first row"):
        read(export(json.dumps(TERMS), "x"))


# -- plain numbers and dates, read from bytes -----------------------------------------------------

CELLS = st.one_of(
    st.integers(-5, 10**18).map(str),
    st.decimals(0, 10**6, places=3).map(str),
    st.sampled_from(["007", "5.", ".5", " 7 ", "+3", "1e5", "", '"8"', "1_0", "999999999999999"]),
)
DATES = st.one_of(
    st.datetimes().map(str),
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "+00:00"),
    st.sampled_from(["2023-02-29T00:00:00", "2024-02-29T23:59:59", "2024-12-31 00:00:00",
                     "2024-13-01T00:00:00", "2024-01-01T24:00:00", "2024-01-01"]),
)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(cells=st.lists(CELLS, min_size=1, max_size=4) | st.lists(DATES, min_size=1, max_size=4))
def test_numbers_and_dates_from_bytes_are_those_from_texts(cells):
    text = "left,right,winner,t\n" + "".join(f"a,b,left,{cell}\n" for cell in cells)
    rows = [{"left": "a", "right": "b", "winner": "left", "t": cell.strip('" ')} for cell in cells]
    try:
        wanted = read_votes(rows, time="t", ordered=None)
    except FileError:
        with pytest.raises(FileError):
            read(text, time="t")
        return
    found = read(text, time="t")
    assert found.fingerprint == wanted.fingerprint


def test_dates_from_bytes_are_python_s():
    from datetime import UTC, datetime, timedelta

    from antichain.sources._plain_numbers import plain_texts

    rng = np.random.default_rng(5)
    start = datetime(1700, 1, 1)
    moments = [start + timedelta(seconds=int(s)) for s in rng.integers(0, 17_000_000_000, 3000)]
    moments = [moment.replace(microsecond=(k * 7919) % 10**6) for k, moment in enumerate(moments)]
    texts = [moment.isoformat(timespec="microseconds").encode() for moment in moments]
    data = np.frombuffer(b"".join(texts), np.uint8)
    ends = np.cumsum([len(text) for text in texts]).astype(np.int32)
    found = plain_texts(data, ends - 26, ends, bytes.decode)
    assert found.dated
    assert found.values.tolist() == [moment.replace(tzinfo=UTC).timestamp() for moment in moments]
    assert found[3] == texts[3].decode()
