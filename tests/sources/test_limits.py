"""Small files that unpack to much, and what is said about them; memory stays within the limits."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from unittest import mock

import pytest
from tests.doc_pages import ROOT

from antichain import _limits
from antichain.errors import FileError, InputError
from antichain.sources import _delimited, _opening, _streams
from antichain.sources._json_rows import json_array
from antichain.sources._streams import ByteLog
from antichain.votes import item_names, read_votes, votes_from_ratings_counts
from antichain.votes._preference_matrix import read_matrix

HEADER = b"left,right,winner\na,b,left\n"
_RUN = """
import pathlib, re, sys
from antichain.cli import main
code = main(sys.argv[1:])
# Not what getrusage says, which counts the memory of the process that started this one.
peak = re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())
print(int(peak[1]) // 1024, file=sys.stderr)
sys.exit(code)
"""


def packed(path, head, unit, megabytes):
    """A gz file that begins with `head` and goes on with so many megabytes of `unit`."""
    member = gzip.compress(unit * ((16 << 20) // len(unit)), 6)
    path.write_bytes(gzip.compress(head) + member * (megabytes // 16))


def refused_within(memory, *arguments):
    """The sentence with which the command refuses, having used less than so many megabytes."""
    ran = subprocess.run(
        [sys.executable, "-c", _RUN, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"COLUMNS": "80"},
    )
    sentence, used = ran.stderr.strip().split("\n")
    assert ran.returncode == 2, ran
    assert int(used) < memory
    return sentence


@pytest.mark.parametrize(
    ("name", "head", "unit", "sentence"),
    [
        ("v.csv.gz", b"", b"\0", "line 1 has a quote that is never closed, or no end within 16"),
        ("v.csv.gz", HEADER, b"\0", "line 3 has a quote that is never closed, or no end within 16"),
        ("v.csv.gz", HEADER, b"\n", "more than 10,000,000 empty lines in a row"),
        ("v.csv.gz", b"", b"\n", "more than 10,000,000 empty lines in a row"),
        ("v.jsonl.gz", b"", b"\n", "more than 10,000,000 empty lines in a row"),
        ("v.json.gz", b"[", b"\0", "row 1 is not JSON"),
        ("v.json.gz", b'["', b"a", "row 1 is longer than 16,777,216 bytes"),
        ("v.json.gz", b"[", b" ", "more than 16,777,216 blanks"),
        ("v.json.gz", b"[", b"[", "row 1 is nested too deeply"),
        ("v.json.gz", b"[", b'{"left":"a","right":"b","winner":"tie"},', "is not JSON (Expecting"),
    ],
)
@pytest.mark.slow
def test_a_packed_file_of_much_more_is_refused_in_little_memory(
    tmp_path, name, head, unit, sentence
):
    path = tmp_path / name
    packed(path, head, unit, 112)
    assert sentence in refused_within(450, "front", path)


@pytest.mark.slow
def test_the_list_of_films_has_a_limit(tmp_path):
    path = tmp_path / "ml.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ml/ratings.csv", "userId,movieId,rating\n1,1,5\n1,2,4\n")
        with archive.open("ml/movies.csv", "w") as films:
            films.write(b"movieId,title,genres\n")
            for _ in range(300):
                films.write(bytes(1 << 20))
    assert "is larger than 16 MB" in refused_within(450, "movielens", path, "--top", 2)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
@pytest.mark.parametrize(
    "command", [["front"], ["ratings"], ["movielens"], ["matrix"], ["limit", "--poset"]]
)
@pytest.mark.slow
def test_a_device_that_never_ends_is_refused(command, device):
    if not os.path.exists(device):
        pytest.skip("this system has no such device")
    refused_within(900, *command, device)


def test_an_array_of_json_is_read_as_it_was_as_a_whole():
    rows = [{"left": "a", "right": "b", "winner": "12:30", "n": 1.5e3, "x": [1, {"y": "ü\\"}]}] * 3
    text = json.dumps(rows, indent=1, ensure_ascii=False).encode() + b"\n "
    for block in (1, 2, 3, 7, 1000):
        with mock.patch.object(_streams, "BLOCK", block):
            found = list(json_array(ByteLog(io.BytesIO(text), "json")))
        assert [row for _, group in found for row in group] == rows
        assert [number for numbers, _ in found for number in numbers] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b'[{"left": 1} {"left": 2}]', "row 1 is followed by neither a comma nor the end"),
        (b'[{"left": 1}] 7', "continues after the end of its list"),
        (b'[{"left": 1}', "row 1 is followed by neither"),
        (b'[{"left": 1},]', "row 2 is not JSON (Expecting value)"),
        (b'[{"left": 1, "left": 2}]', "row 1 is not JSON (a key is given twice)"),
        (b'[{"left": ' + b"9" * 5000 + b"}]", "row 1 is not JSON (a number has thousands of"),
        (b'[{"left": "\xff"}]', r"row 1 has the bytes b'\xff"),
        (b"7", "is '7', but a list of objects was expected"),
        (b"", "is empty, but a list of objects was expected"),
    ],
)
def test_what_is_wrong_with_an_array_is_said(text, sentence):
    for block in (1, 1000):
        with (
            mock.patch.object(_streams, "BLOCK", block),
            pytest.raises(FileError, match=re.escape(sentence)),
        ):
            list(json_array(ByteLog(io.BytesIO(text), "json")))


@pytest.mark.parametrize("kind", ["csv", "lines"])
def test_names_to_remember_have_a_limit(kind):
    rows = [(f"{n:0100}", f"{n + 1:0100}", "left") for n in range(30)]
    if kind == "csv":
        text = "left,right,winner\n" + "".join(",".join(row) + "\n" for row in rows)
    else:
        columns = ("left", "right", "winner")
        text = "".join(json.dumps(dict(zip(columns, r, strict=True))) + "\n" for r in rows)
    assert read_votes(io.StringIO(text), kind=kind).votes == 30
    with (
        mock.patch("antichain.sources._chunks.NAME_BYTES", 2000),
        pytest.raises(FileError, match=r"more than .* of different texts in the column 'right'"),
    ):
        read_votes(io.StringIO(text), kind=kind)


def test_a_packed_table_has_a_limit_on_disk(tmp_path):
    pytest.importorskip("polars")
    path = tmp_path / "v.parquet.gz"
    path.write_bytes(gzip.compress(b"PAR1" + bytes(5_000_000)))
    with (
        mock.patch.object(_opening, "PACKED_TABLE_BYTES", 1 << 20),
        pytest.raises(FileError, match=r"unpacks to more than 1,024 MB|unpacks to more than 1 MB"),
    ):
        read_votes(path)
    path.write_bytes(gzip.compress(bytes(5_000_000)))
    with pytest.raises(FileError, match="but a Parquet table was expected"):
        read_votes(path)


def test_an_archive_may_hold_a_json_array_or_a_packed_table(tmp_path):
    path = tmp_path / "v.zip"
    rows = b'[{"left": "a", "right": "b", "winner": "left"}]'
    for name, content in (("v.json", rows), ("v.csv.gz", gzip.compress(HEADER))):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, content)
        assert read_votes(path).votes == 1


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED])
def test_a_damaged_archive_is_said_to_be_one(tmp_path, packing):
    path = tmp_path / "v.zip"
    with zipfile.ZipFile(path, "w", packing) as archive:
        archive.writestr("v.csv", HEADER * 50)
    content = bytearray(path.read_bytes())
    content[60] ^= 255
    path.write_bytes(bytes(content))
    with pytest.raises(InputError):
        read_votes(path)


def test_too_little_memory_is_said_of_what_was_read(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_bytes(HEADER)
    with (
        mock.patch.object(_delimited.DelimitedSource, "_chunk", side_effect=MemoryError),
        pytest.raises(FileError, match=r"not enough memory to read .*votes\.csv"),
    ):
        read_votes(path)


def test_the_table_of_limits_in_the_docs_is_that_of_the_code():
    page = (ROOT / "docs" / "guides" / "logs.md").read_text("utf-8")
    table = page[page.index("## Limits") :].split("\n## ")[0]
    for name, value in vars(_limits).items():
        if name.isupper():
            said = f"{value >> 20:,} MB" if name.endswith("BYTES") else f"{value:,}"
            assert said in table, name


def test_a_list_of_names_has_a_limit(tmp_path):
    path = tmp_path / "items.txt"
    path.write_text("".join(f"i{k}\n" for k in range(20_000)))
    assert len(item_names(f"@{path}")) == 20_000
    path.write_text("".join(f"i{k}\n" for k in range(100_000)))
    with pytest.raises(InputError, match=r"has 100,000 items, but at most 20,000"):
        item_names(f"@{path}")
    path.write_text("a\nb\na\n")
    with pytest.raises(InputError, match="holds 'a' twice"):
        item_names(f"@{path}")


def test_a_matrix_has_a_limit(tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text("0.5,0.4\n" * 100_000)
    with pytest.raises(FileError, match=r"line 2002 is beyond the limit of 2,001 rows"):
        read_matrix(path)
    path.write_text(",".join(["0.5"] * 100_000))
    with pytest.raises(FileError, match=r"line 1 has more than 2,001 cells"):
        read_matrix(path)


def test_graded_items_have_a_limit(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text("caption,bad,good\n" + "".join(f"c{k},1,2\n" for k in range(20_000)))
    with pytest.raises(FileError, match="has more than 800 items"):
        votes_from_ratings_counts(path, grades=("bad", "good"))
