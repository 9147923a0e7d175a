"""The asks as rows that fit the log."""

import csv
import io

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain._cells import is_formula
from antichain.errors import AntichainError, InputError
from antichain.nextvotes import next_votes, sheet, sheet_bytes
from antichain.nextvotes._sheet import fits


@pytest.mark.parametrize(
    ("text", "header", "options"),
    [
        ("left,right,winner\na,b,left\n", "left,right,winner", {}),
        ("day,ask,left,right,winner\n1,1,a,b,left\n", "day,ask,left,right,winner", {}),
        ("id;who;model_a;model_b;winner\n1;x;a;b;model_a\n", "id;who;model_a;model_b;winner", {}),
        ("a\tb\tscore\nx\ty\t1\n", "a\tb\tscore", {}),
        ("home,away,h,a\nx,y,1,0\n", "home,away,h,a", {"scores": ("h", "a")}),
    ],
)
def test_rows_have_the_shape_of_the_log_and_no_answer(text, header, options):
    found = next_votes(io.StringIO(text), 2, forecast=False, **options)
    assert fits(found)
    lines = sheet(found).splitlines()
    assert lines[0] == header
    assert len(lines) == 1 + len(found.asks) > 1
    mark = next(mark for mark in "\t;," if mark in header)
    columns = found.columns
    for row, ask in zip(csv.DictReader(lines, delimiter=mark), found.asks, strict=True):
        assert (row.pop(columns.left), row.pop(columns.right)) == (ask.left, ask.right)
        assert int(row.pop("ask", ask.ask)) == ask.ask
        assert set(row.values()) == {""}


def test_answered_rows_are_read_and_unanswered_ones_wait_for_their_answer():
    log = "model_a,model_b,winner,note\na,b,tie,\n"
    found = next_votes(io.StringIO(log), 2, forecast=False)
    first, second = sheet(found).splitlines()[1:]
    answered = log + first.replace(",,", ",model_b,") + "\n"
    assert next_votes(io.StringIO(answered), 1, forecast=False).certificate.votes == 2
    passed = next_votes(io.StringIO(answered + second + "\n"), 1, forecast=False)
    assert passed.certificate.votes == 2
    assert any("1 row without an answer yet" in note for note in passed.notes)


def test_a_log_of_winners_and_losers_has_no_room_for_a_duel_without_an_answer():
    found = next_votes(io.StringIO("winner,loser\na,b\n"), 1, forecast=False)
    assert not fits(found)
    assert sheet(found).startswith("ask,left,right,winner\n")
    rows = next_votes([("a", "b", "left")], 1, forecast=False)
    assert not fits(rows)
    assert sheet(rows).startswith("left,right,winner\n")


def test_rows_say_what_a_row_of_the_log_must_say():
    text = "left,right,winner,n,prompt,day\na,b,left,1,p,2024-01-01\n"
    options = {"count": "n", "cluster": "prompt", "time": "day", "forecast": False}
    found = next_votes(io.StringIO(text), 1, **options)
    assert found.columns.needed == ("prompt", "day")
    row = sheet(found).splitlines()[1]
    assert row.endswith(",,1,,")
    filled = text + row.replace(",,1,,", ",left,1,q,2024-01-02") + "\n"
    assert next_votes(io.StringIO(filled), 1, **options).certificate.votes == 2
    lines = '{"left": "a", "right": "b", "winner": "a", "n": 1, "prompt": "p"}\n'
    found = next_votes(
        io.StringIO(lines), 1, kind="lines", count="n", cluster="prompt", forecast=False
    )
    assert sheet(found).startswith("left,right,winner,n,prompt\n")
    lines = '{"ask": 1, "left": "a", "right": "b", "winner": "a"}\n'
    found = next_votes(io.StringIO(lines), 1, kind="lines", forecast=False)
    assert sheet(found).startswith("ask,left,right,winner\n2,")


def test_rows_have_the_encoding_of_the_log():
    log = "left,right,winner\nMüller,b,left\n".encode("windows-1252")
    found = next_votes(io.BytesIO(log), 1, encoding="windows-1252", forecast=False)
    assert "Müller".encode("windows-1252") in sheet_bytes(found)
    plain = next_votes(io.StringIO("left,right,winner\nMüller,b,left\n"), 1, forecast=False)
    assert sheet_bytes(plain) == sheet(plain).encode()
    options = {"encoding": "windows-1252", "items": ["Müller", "猫"], "forecast": False}
    strange = next_votes(io.BytesIO(log), 1, **options)
    with pytest.raises(InputError, match="contain '猫', which the log's encoding"):
        sheet_bytes(strange)


def test_tables_are_read_alike():
    pandas = pytest.importorskip("pandas")
    rows = [("a", "b", "left"), ("b", "c", "tie"), ("c", "a", "right")]
    by_rows = next_votes(rows, 5, forecast=False)
    frame = pandas.DataFrame(rows, columns=["model_a", "model_b", "winner"])
    by_table = next_votes(frame, 5, forecast=False)
    assert by_table.asks == by_rows.asks
    assert not fits(by_table)
    assert sheet(by_table).startswith("model_a,model_b,winner\n")


@pytest.mark.parametrize("decoy_gap", [None, 0.4])
def test_the_export_of_a_study_grows_by_its_own_rows(decoy_gap):
    """Its terms hold for what comes, and its asks go on."""
    terms = {"delta": 0.3, "epsilon": 0.2, "decoy_gap": decoy_gap}
    study = ac.Study.in_memory(["-ale", "bun", "cod"], ac.Certifying(**terms))
    while sum(vote.decoy is not None for vote in study.votes()) < 3 * (decoy_gap is not None):
        for ask in study.ask(4):
            study.tell(ask, "tie")
    for ask in study.ask(3)[:2]:
        study.tell(ask, "tie")
    text = study.votes_csv()
    for _ in range(40):
        found = next_votes(io.StringIO(text), 30, forecast=False)
        assert found.to_dict().items() >= terms.items()
        assert fits(found)
        if found.finished:
            break
        rows = list(csv.DictReader(io.StringIO(sheet(found))))
        assert {row["receipt"] for row in rows} == {"evidence"}
        assert {row["left"] for row in rows} | {row["right"] for row in rows} <= {
            "'-ale", "bun", "cod"
        }  # fmt: skip
        if decoy_gap is not None:
            assert {row["decoy"] for row in rows} <= {"left", "right", ""}
        more = io.StringIO()
        writer = csv.DictWriter(more, rows[0].keys(), lineterminator="\n")
        writer.writerows(row | {"answer": "tie"} for row in rows)
        text += more.getvalue()
    assert found.finished
    assert set(found.certificate.front) == {"-ale", "bun", "cod"}


def test_the_sheet_of_an_empty_log_begins_it():
    for header in ("left,right,winner\n", "ask;left;right;winner;who\n"):
        found = next_votes(io.StringIO(header), 2, items=["x", "y", "z"], forecast=False)
        lines = sheet(found).splitlines()
        assert lines[0] + "\n" == header
        assert len(lines) == 3
        assert fits(found)
    by_items = next_votes([], 2, items=["x", "y", "z"], forecast=False)
    assert sheet(by_items).startswith("ask,left,right,winner\n1,")
    with pytest.raises(
        InputError, match=r"no votes, but at least one was expected \(to start without votes"
    ):
        next_votes(io.StringIO("left,right,winner\n"), 2)
    with pytest.raises(AntichainError, match=r"empty, but .* or items to start from"):
        next_votes([], 2)


NAMES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1)
    .map(str.strip)
    .filter(bool),
    min_size=2,
    max_size=5,
    unique_by=str.casefold,
)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(names=NAMES, delimiter=st.sampled_from(",;\t|"), decoys=st.booleans())
@example(names=["-5%", "=SUM(A1)", "'quoted", "@you"], delimiter=",", decoys=False)
@example(names=["-5%", "=SUM(A1)", "+1"], delimiter=";", decoys=True)
def test_any_names_survive_the_sheet(names, delimiter, decoys):
    """Quotes, delimiters and words for answers in names: the rows come back as they were asked."""
    suffix = " (decoy)"
    names = [name for name in names if not name.endswith(suffix.strip())]
    assume(len(names) > 1)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([("left", "right", "vote"), (names[0], names[1], "tie")])
    method = {"decoy_gap": 0.4, "delta": 0.4} if decoys else {"epsilon": 0.4, "delta": 0.4}
    options = {
        "items": names,
        "answers": "sides",
        "delimiter": delimiter,
        "forecast": False,
        **method,
    }
    log = text.getvalue()
    for _ in range(3):
        found = next_votes(io.StringIO(log), 4, **options)
        rows = list(csv.reader(io.StringIO(sheet(found)), delimiter=delimiter))
        assert [row[:2] for row in rows[1:]] == [
            ["'" + name if is_formula(name) else name for name in (ask.left, ask.right)]
            for ask in found.asks
        ]
        more = io.StringIO()
        csv.writer(more, delimiter=delimiter, lineterminator="\n").writerows(
            [*row[:2], "tie"] for row in rows[1:]
        )
        log += more.getvalue()
        again = next_votes(io.StringIO(log), 4, **options)
        shown, before = again.certificate, found.certificate
        grown = shown.votes + shown.decoy_votes - before.votes - before.decoy_votes
        assert grown == len(found.asks)


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(st.sampled_from('ab,"\n;(decoy) lefrightwn01.'), max_size=80),
    options=st.fixed_dictionaries(
        {},
        optional={
            "decoy_gap": st.sampled_from([0.3, 0, "x"]),
            "decoys": st.sampled_from(["(decoy)", "b", "", 3, {"a": "b"}, {"b": "(decoy)"}]),
            "items": st.sampled_from([("a", "b"), ("a",), "ab", ()]),
            "count": st.just("w"),
            "cluster": st.just("n"),
            "skip_bad": st.booleans(),
            "n": st.sampled_from([1, 3, None]),
        },
    ),
)
def test_whatever_is_given_there_is_an_answer_or_one_sentence(text, options):
    log = io.StringIO("left,right,winner\n" + text)
    found, complaint = None, ""
    try:
        found = next_votes(log, **{"n": 2, "forecast": False} | options)
    except AntichainError as error:
        complaint = str(error)
    assert "\n" not in complaint.replace("\n  ", " ")  # bad rows are listed
    assert bool(complaint) == (found is None)
    if found is not None:
        assert found.finished == (not found.asks)
        assert sheet(found).count("\n") == 1 + len(found.asks)
