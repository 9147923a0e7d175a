"""Malformed logs: every one is read with no row lost, or refused in one sentence."""

import csv
import gzip
import io
import json
import os
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antichain.errors import AntichainError, FileError
from antichain.sources._opening import LazySource
from antichain.votes import read_votes, votes_from_ratings_counts
from antichain.votes._preference_matrix import read_matrix

HEADERS = [
    "left,right,winner", "model_a,model_b,winner", "winner,loser,n", "a,b,score", "who,left,right",
    "left;right;winner;n", "left\tright\twinner\tn", "home,away,hs,as", '"left","right","winner"',
    "left,right,answer,voter,time,reason,decoy,receipt",
]  # fmt: skip
FIELDS = st.sampled_from([
    "a", "b", "c", "left", "right", "tie", "model_a", "1", "0", "0.5", "2", "bothbad", "skip", "",
    " a ", '"a"', '"a\nb"', '"a""b"', '"', '""', 'x"y', "-1", "1e3", "nan", "inf", "1_0", "١",
    "2024-01-01", "\0", "\r", "\ufeff", "é", "\u2028", "x" * 300, ",", "A", "null", "[]", "{}",
])  # fmt: skip
SCRAPS = st.one_of(
    st.sampled_from([b"\xff", b"\xc3", b'"', b"\n", b"\r\n", b"\r", b",", b";", b"\0",
                     b"\xef\xbb\xbf", b"\xff\xfe", b"{", b"}", b"[", b"\x1f\x8b", b"PAR1",
                     b"a,b,left\n"]),
    st.binary(max_size=4),
)  # fmt: skip
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5), SCRAPS), max_size=4)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "skip_bad": st.just(True),
        "items": st.sampled_from([("a", "b"), ("a", "b", "c", "left")]),
        "answers": st.sampled_from(["names", "sides"]),
        "count": st.sampled_from(["n", "winner"]),
        "cluster": st.sampled_from(["left", "winner", "n"]),
        "voter": st.sampled_from(["right", "n"]),
        "time": st.sampled_from(["n", "winner"]),
        "scores": st.just(("hs", "as")),
        "delimiter": st.sampled_from([",", " ", "a"]),
        "kind": st.sampled_from(["csv", "lines", "json"]),
        "decoys": st.sampled_from(["b", " a", {"a": "b"}, {"left": "c", "a": "1"}]),
        "words": st.sampled_from([{"": "skipped", "0": "tie"}, {"a": "left", "x": "both_bad"}]),
        "encoding": st.sampled_from(["latin-1", "utf-16", "utf-8-sig", "shift-jis", "utf-7"]),
    },
)

MILD_OPTIONS = st.fixed_dictionaries(
    {"skip_bad": st.just(True)},
    optional={
        "items": st.just(("a", "b")),
        "answers": st.just("sides"),
        "cluster": st.just("winner"),
        "voter": st.just("winner"),
        "decoys": st.sampled_from(["c", {"a": "c"}]),
        "words": st.just({"": "skipped", "0": "tie"}),
    },
)


@st.composite
def tables(draw):
    header = draw(st.sampled_from(HEADERS))
    mark = next((mark for mark in ";\t" if mark in header), ",")
    width = header.count(mark) + 1
    row = st.lists(FIELDS, min_size=width, max_size=width)
    ragged = st.lists(FIELDS, max_size=6)
    tails = st.just(["1"] * (width - 3))
    if "receipt" in header:
        ends = [("", "evidence"), ("left", "spare"), ("right", "evidence")]
        tails = st.sampled_from([["", "", "", *end] for end in ends])
    votes = st.sampled_from(["a,b,left", "b,c,tie", "a,c,b", "c,b,right"])
    good = st.builds(lambda text, tail: text.split(",") + tail, votes, tails)
    rows = draw(st.lists(st.one_of(good, good, row, ragged), max_size=6))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return newline.join([header, *(mark.join(row) for row in rows), ""]).encode()


@st.composite
def json_texts(draw):
    value = st.one_of(FIELDS, st.integers(), st.floats(), st.none(), st.booleans(), st.just([1]))
    keys = ["left", "right", "winner", "n", "left\n"]
    rows = draw(st.lists(st.dictionaries(st.sampled_from(keys), value, min_size=2), max_size=5))
    rows += draw(st.lists(st.just({"left": "a", "right": "b", "winner": "b", "n": 1}), max_size=3))
    if draw(st.booleans()):
        return json.dumps(rows).encode()
    return "\n".join(json.dumps(row) for row in rows).encode()


@st.composite
def malformed(draw):
    """A broken log, and options: wildly broken, or only here and there in its rows."""
    mild = draw(st.integers(0, 2)) > 0
    content = draw(st.one_of(tables(), tables(), json_texts(), st.binary(max_size=60)))
    start = content.find(b"\n") + 1 if mild else 0
    for place, removed, added in draw(EDITS):
        at = start + int(place * (len(content) - start))
        content = content[:at] + added + content[at + removed :]
    if not mild and draw(st.integers(0, 4)) == 0:
        packed = gzip.compress(content)
        content = packed[: draw(st.integers(0, len(packed))) or None]
    return content, draw(MILD_OPTIONS if mild else OPTIONS)


def csv_rows(content: bytes, delimiter: str) -> int | None:
    """The rows of a text, counted by Python's own reader; None if it cannot tell."""
    text = content.decode("utf-8-sig", "surrogateescape")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    rows = [row for row in lines if row]
    filled = sum(len(row) > 1 or bool(row[0].strip(" \t\r")) for row in rows)
    # To that reader a blank line and a pair of quotes are the same.
    return None if filled < len(rows) and '"' in text else filled - 1


def delimiter_of(log, options) -> str:
    said = {"semicolons": ";", "tabs": "\t", "vertical bars": "|"}
    found = [mark for name, mark in said.items() if any(f"used {name} " in g for g in log.guessed)]
    return options.get("delimiter") or (found or [","])[0]


def outcome(function, *given, **options):
    """What a function returns, or None if it refuses in one sentence."""
    try:
        return function(*given, **options)
    except AntichainError as error:
        said = str(error)
    sentences = said.split("\n  ")  # bad rows are listed, a sentence each
    assert len(sentences) <= 11
    assert all("\n" not in sentence and len(sentence) < 1_000 for sentence in sentences)
    return None


def check(content, options):
    log = outcome(read_votes, io.BytesIO(content), **options)
    if log is None:
        return
    parts = log.counted_rows, log.other_rows, log.skipped_rows.rows, log.apart.rows
    assert log.rows == sum(parts)
    assert sum(log.skipped_rows.kinds.values()) == log.skipped_rows.rows
    assert log.skipped_rows.rows == 0 or options.get("skip_bad")
    assert log.other_rows == 0 or "items" in options
    if "count" not in options:
        assert log.votes == log.counted_rows
        duels = 0 if log.decoys is None else log.decoys.table.sum()
        assert duels <= log.apart.decoys
    if log.history:
        assert (log.history[-1].rows, log.history[-1].votes) == (log.counted_rows, log.votes)
    if log.clusters is not None:
        wins, halves, losses = log.scored()
        assert log.clusters.pairs.votes.sum() == (wins + halves + losses).sum()
        assert log.clusters.items.votes.sum() == 2 * log.clusters.pairs.votes.sum()
    assert len(set(log.items)) == len(log.items)
    rows = own_count(content, log, options)
    assert rows in (None, log.rows + empty_rows(log))


def empty_rows(log):
    """How many empty rows were skipped, as the notes say."""
    told = (re.fullmatch(r"skipped ([\d,]+) empty rows?", note) for note in log.guessed)
    return sum(int(found[1].replace(",", "")) for found in told if found)


def own_count(content, log, options):
    """How many rows there are, found in another way; None where it cannot be said."""
    if options.get("encoding") in ("utf-16", "shift-jis", "utf-7"):
        return None  # what a line is depends on it
    if content.startswith(b"\x1f\x8b") or b"\r" in content.replace(b"\r\n", b"\n"):
        return None
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    kind = options.get("kind") or {b"{": "lines", b"[": "json"}.get(start, "csv")
    if kind == "lines":
        return sum(1 for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip())
    if kind == "json":
        bare = content.removeprefix(b"\xef\xbb\xbf")
        return len(json.loads(bare.decode(options.get("encoding") or "utf-8", "surrogatepass")))
    # A quote in the wrong place, or bytes that Python takes for an end of line, are its own matter.
    if log.skipped_rows.kinds.get("quotes") or b"\0" in content or options.get("delimiter") == " ":
        return None
    return csv_rows(content, delimiter_of(log, options))


FAST = settings(max_examples=500, suppress_health_check=list(HealthCheck), deadline=None)
SLOW = settings(max_examples=4_000, suppress_health_check=list(HealthCheck), deadline=None)


@pytest.mark.slow
@FAST
@given(malformed())
def test_no_malformed_log_is_half_read(log_and_options):
    check(*log_and_options)


@pytest.mark.slow
@SLOW
@given(malformed())
def test_none_of_many_malformed_logs_is_half_read(log_and_options):
    check(*log_and_options)


anything = st.one_of(
    FIELDS, st.none(), st.integers(), st.floats(), st.booleans(), st.binary(max_size=3), st.dates(),
    st.text(max_size=4), st.tuples(), st.complex_numbers(), st.builds(lambda: 10**5000),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(anything, anything, anything),
            st.tuples(st.sampled_from("ab"), st.sampled_from("bc"), st.just("left")),
            st.dictionaries(st.sampled_from(["left", "right", "winner"]), anything),
            anything,
        ),
        max_size=5,
    ),
    st.booleans(),
)
def test_no_malformed_rows_are_half_read(rows, skip_bad):
    log = outcome(read_votes, rows, skip_bad=skip_bad)
    if log is not None:
        assert log.rows == log.counted_rows + log.skipped_rows.rows
        assert len(rows) == log.rows + empty_rows(log)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=8), st.floats(0, 1), st.integers(0, 40))
def test_no_broken_parquet_file_ends_in_a_traceback(added, place, removed):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"left": ["a", "b"], "right": ["b", "c"], "winner": ["a", "tie"]})
    frame.write_parquet(out := io.BytesIO())
    content = out.getvalue()
    at = 4 + int(place * (len(content) - 4))
    content = content[:at] + added + content[at + removed :]
    log = outcome(read_votes, io.BytesIO(content))
    assert log is None or log.rows == log.counted_rows


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(st.one_of(FIELDS, st.sampled_from(["0.5", "0.4", "0.6", "-"])), max_size=4)),
    st.sampled_from([",", " ", "\t", ";"]), EDITS,
)  # fmt: skip
def test_no_malformed_matrix_ends_in_a_traceback(tmp_path_factory, rows, mark, edits):
    content = "\n".join(mark.join(row) for row in rows).encode()
    for place, removed, added in edits:
        at = int(place * len(content))
        content = content[:at] + added + content[at + removed :]
    path = tmp_path_factory.getbasetemp() / "matrix.txt"
    path.write_bytes(content)
    matrix = outcome(read_matrix, path)
    assert matrix is None or matrix.chances.shape == (len(matrix.names),) * 2


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(FIELDS, min_size=3, max_size=4), max_size=5), EDITS)
def test_no_malformed_grades_end_in_a_traceback(rows, edits):
    content = "\n".join(["caption,funny,unfunny", *(",".join(row) for row in rows)]).encode()
    for place, removed, added in edits:
        at = int(place * len(content))
        content = content[:at] + added + content[at + removed :]
    log = outcome(votes_from_ratings_counts, io.BytesIO(content), grades=("unfunny", "funny"))
    assert log is None or not log.pooling


def test_a_backtrace_that_polars_writes_past_python_is_not_shown(capfd):
    pl = pytest.importorskip("polars")

    class Query:
        def collect_schema(self):
            os.write(2, b"thread 'main' panicked at parquet.rs:418\n")
            raise pl.exceptions.ComputeError("not a table")

    for of_file in (True, False):
        with pytest.raises(FileError, match=r"v\.parquet cannot be read as a table: not a table"):
            LazySource("v.parquet", Query(), of_file=of_file).header()
        assert ("panicked" in capfd.readouterr().err) is not of_file
    os.write(2, b"afterwards as before\n")
    assert "afterwards" in capfd.readouterr().err
