"""Ratings in any table: every kind gives the same rows, and every fault is told with its line."""

import builtins
import gzip
import json
import zipfile

import numpy as np
import pytest

from antichain.errors import FileError, MissingExtraError
from antichain.ratings._ballots import pair_counts, select, take_census
from antichain.ratings._rated_items import load_ratings
from antichain.ratings._rating_log import RatingFormat, RatingLog

from .samples import locked, slow_counts

pl = pytest.importorskip("polars", reason="Parquet is read by polars")

COLUMNS = ("who", "what", "stars")
FORM = RatingFormat(*COLUMNS)
ROWS = [
    ("ann", "ham, raw", 4.5), ("bob", "spam", 1.0), ("ann", "spam", 2.0), ("eve", "eggs", 3.0),
    ("bob", "ham, raw", 1.0), ("eve", "spam", -1.5), ("bob", "eggs", 5.0),
]  # fmt: skip
PLAIN = ["t.csv", "t.tsv", "t.jsonl", "t.parquet"]
NAMES = [*PLAIN, "t.csv.gz", "t.csv.zip", "t.zip", "t.tsv.gz", "t.jsonl.gz", "t.parquet.zip"]


def content(name, rows=ROWS):
    frame = pl.DataFrame(rows, schema=list(COLUMNS), orient="row").with_columns(other=pl.lit("x"))
    if ".jsonl" in name:
        return frame.write_ndjson().encode()
    if ".parquet" in name:
        import io

        frame.write_parquet(out := io.BytesIO())
        return out.getvalue()
    return frame.write_csv(separator="\t" if ".tsv" in name else ",").encode()


def write(folder, name, data=None):
    path = folder / name
    data = content(name) if data is None else data
    if name.endswith(".gz"):
        data = gzip.compress(data)
    if name.endswith(".zip"):
        inner = "t.csv" if name == "t.zip" else name.removesuffix(".zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("readme", "about")
            archive.writestr(inner, data)
    else:
        path.write_bytes(data)
    return path


def rows_of(log):
    return [
        (log.users.names[u], log.items.names[i], float(r))
        for chunk in log.chunks()
        for u, i, r in zip(chunk.users, chunk.items, chunk.ratings, strict=True)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_table_gives_the_same_rows(tmp_path, name):
    log = RatingLog(write(tmp_path, name), FORM, keep_rows=0)
    assert rows_of(log) == ROWS
    assert rows_of(log) == ROWS


def test_counts_of_a_table_are_those_of_the_definition(tmp_path):
    log = RatingLog(write(tmp_path, "t.csv"), FORM)
    census = take_census(log)
    chosen = select(log, census, top=3)
    names = [str(log.items.names[code]) for code in chosen]
    assert names == ["spam", "eggs", "ham, raw"]
    counts = pair_counts(log, census, chosen, names)
    wins, ties = slow_counts(ROWS, names)
    assert np.array_equal(counts.wins, wins)
    assert np.array_equal(counts.ties, ties)


def test_numbers_name_users_and_items_too_and_the_delimiter_can_be_given(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("user;item;rating\n1;7;2\n2;7;3.5\n")
    assert rows_of(RatingLog(path, RatingFormat(delimiter=";"))) == [
        ("1", "7", 2.0),
        ("2", "7", 3.5),
    ]
    pl.DataFrame({"user": [1], "item": [7], "rating": [2]}).write_parquet(tmp_path / "t.parquet")
    assert rows_of(RatingLog(tmp_path / "t.parquet")) == [("1", "7", 2.0)]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_empty_lines_and_spaces_do_not_count(tmp_path, newline):
    lines = [
        "",
        "user , item,\trating,at",
        "1 , a b, 2 ,0",
        "",
        "2,a b,3,0",
        "  ",
        ",,,",
        "1,c,4,",
        "",
    ]
    path = tmp_path / "t.csv"
    path.write_text(newline.join([*lines, ""]), newline="")
    log = RatingLog(path, RatingFormat(" user", "item", "rating"))
    assert rows_of(log) == [("1", "a b", 2.0), ("2", "a b", 3.0), ("1", "c", 4.0)]
    assert log.places("a b", "2") == ["line 5"]


def test_columns_that_are_not_asked_for_may_stand_twice(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("note,note,rating,user,item,,\nx,y,3,ann,ham,,\n")
    assert rows_of(RatingLog(path)) == [("ann", "ham", 3.0)]


@pytest.mark.parametrize("name", ["t.zip", "t.csv.zip"])
def test_a_readme_beside_the_table_is_left_alone(tmp_path, name):
    with zipfile.ZipFile(write(tmp_path, name), "a") as archive:
        archive.writestr("readme.txt", "about")
        archive.writestr("__MACOSX/t.csv", "not a table")
    assert rows_of(RatingLog(tmp_path / name, FORM)) == ROWS
    with zipfile.ZipFile(tmp_path / "text.zip", "w") as archive:
        archive.writestr("t.txt", content("t.csv"))
    assert rows_of(RatingLog(tmp_path / "text.zip", FORM)) == ROWS


@pytest.mark.parametrize("name", ["t.zip", "t.csv.zip"])
def test_a_package_that_is_locked_or_none_at_all_is_told(tmp_path, name):
    locked(write(tmp_path, name))
    with pytest.raises(FileError, match=f"{name} holds t.csv behind a password"):
        rows_of(RatingLog(tmp_path / name, FORM))
    (tmp_path / name).write_bytes(content("t.csv"))
    with pytest.raises(FileError, match=f"{name} begins with b'who,what' and is not a zip archive"):
        rows_of(RatingLog(tmp_path / name, FORM))


def lines_of(name, *rows):
    if name.endswith(".jsonl"):
        return "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows)
    separator = "\t" if name.endswith(".tsv") else ","
    quoted = (separator.join(f'"{"" if v is None else v}"' for v in row) for row in rows)
    return separator.join(COLUMNS) + "\n" + "".join(row + "\n" for row in quoted)


@pytest.mark.parametrize("name", PLAIN[:3])
@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("ann", "eggs", "good"), ["stars 'good'", "number was expected"]),
        (("ann", "eggs", "nan"), ["stars 'nan'"]),
        (("ann", "eggs", None), ["no stars"]),
        ((None, "eggs", "3"), ["no who"]),
    ],
)
def test_a_row_that_is_no_rating_is_told_with_its_line(tmp_path, name, row, words):
    rows = [("ann", "two\nlines" if name != "t.jsonl" else "x", "1"), ("bob", "x", "2"), row]
    path = write(tmp_path, name, lines_of(name, *rows).encode())
    with pytest.raises(FileError) as caught:
        rows_of(RatingLog(path, FORM))
    line = 3 if name == "t.jsonl" else 5  # a header, and a field with a newline
    assert f"{name}, line {line} has" in str(caught.value)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("name", PLAIN)
def test_a_rating_twice_is_told_with_its_lines(tmp_path, name):
    path = write(tmp_path, name, content(name, [*ROWS, ("ann", "spam", 5.0)]))
    log = RatingLog(path, FORM)
    census = take_census(log)
    places = {"t.jsonl": ("line 8", "line 3"), "t.parquet": ("row 8", "row 3")}
    second, first = places.get(name, ("line 9", "line 4"))
    message = f"{name}, {second} rates item spam by user ann again, as {first} does"
    with pytest.raises(FileError, match=message):
        pair_counts(log, census, select(log, census, top=3), ["a", "b", "c"])


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("t.csv", b"who:what:stars\na:b:1\n", ["columns who:what:stars", "'who'", "--delimiter"]),
        ("t.csv", b"who,what\na,b\n", ["columns who, what", "'stars'"]),
        ("t.csv", b"who,what,stars\na,b,1\na,c,2,9\n", ["line 3 has 4 fields", "3 were"]),
        ("t.csv", b"who,what,stars\n", ["no rows"]),
        ("t.csv", b"who,what,stars\n\n \n", ["no rows"]),
        ("t.csv", b"who,what,stars\na,b,1\n\na,c,1_000\n", ["t.csv, line 4 has", "'1_000'"]),
        ("t.csv", b"who,what,stars\na,b,1\na,c\n", ["t.csv, line 3 has 2 fields, but 3"]),
        ("t.csv", b"who,what,stars,at\na,b,1,0\n\n,,,7\na,c,2,0\n", ["line 4 has no who"]),
        ("t.csv", b"who,what,stars\na,b,1\na,caf\xe9,2\n", ["t.csv, line 3", r"b'\xe9'", "UTF-8"]),
        ("t.csv", b"who,what,stars,\xe9\na,b,1,0\n", ["t.csv, line 1", r"b'\xe9'", "UTF-8"]),
        ("t.jsonl", b'{"who": "\xe9", "what": "b", "stars": 1}\n', ["line 1 has", r"b'\xe9"]),
        ("t.csv", b"who,what,stars, stars\na,b,1,2\n", ["who, what, stars, stars", "exactly one"]),
        ("t.csv", b"", ["t.csv"]),
        ("t.jsonl", b'{"who": "a", "what": "b", "stars": 1}\n{"who":\n', ["line 2 is not JSON"]),
        ("t.parquet", b"PAR1 but not really", ["t.parquet"]),
        ("t.xls", b"", ["t.xls is empty, but a header and rows were expected"]),
    ],
)
def test_what_is_wrong_with_a_table_is_told(tmp_path, name, data, words):
    path = write(tmp_path, name, data)
    with pytest.raises(FileError) as caught:
        rows_of(RatingLog(path, FORM))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.zip", "t.zip"])
def test_a_truncated_package_is_told(tmp_path, name):
    path = write(tmp_path, name)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FileError, match=f"{name} is not a complete"):
        rows_of(RatingLog(path, FORM))


def test_no_file_and_two_tables_in_one_package(tmp_path):
    with pytest.raises(FileError, match=r"cannot read .*none\.csv: no such file"):
        rows_of(RatingLog(tmp_path / "none.csv"))
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("a.csv", "x")
        archive.writestr("b.csv", "x")
    with pytest.raises(FileError, match="holds 2 tables"):
        rows_of(RatingLog(tmp_path / "t.zip"))


def test_without_polars_the_way_to_install_it_is_told(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name == "polars":
            raise ImportError(name)
        return real(name, *rest)

    log, text = (RatingLog(write(tmp_path, name), FORM) for name in ("t.parquet", "t.csv"))
    monkeypatch.setattr(builtins, "__import__", without)
    assert rows_of(text) == ROWS  # a text needs no extra
    with pytest.raises(MissingExtraError, match=r"pip install 'antichain\[tables\]'"):
        next(log.chunks())


def test_users_who_rated_fewer_than_two_of_the_items_are_no_clusters(tmp_path):
    path = write(tmp_path, "t.csv")
    found = load_ratings(path, FORM, items=["ham, raw", "spam"])
    assert found.counts.voters == 2  # eve rated only one of them
    assert found.votes().clusters.clusters == 2
    assert (found.counts + found.counts).voters == 4
