"""The small CSV reader: every complaint has its line."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antichain.errors import AntichainError, FileError
from antichain.makers.rows import read_rows

COLUMNS = ("left", "right", "winner")


def _read(tmp_path: Path, content: bytes) -> list[tuple[str, tuple[str, ...]]]:
    path = tmp_path / "votes.csv"
    path.write_bytes(content)
    return [(row.where.rpartition(", ")[2], row.values) for row in read_rows(path, COLUMNS)]


def test_columns_are_found_by_name_in_any_order(tmp_path) -> None:
    rows = _read(
        tmp_path, b'\xef\xbb\xbfWinner,who, LEFT ,right\nleft,x,a,"b\nc"\n\n,,,\ntie,x, d ,e'
    )
    assert rows == [("line 3", ("a", "b\nc", "left")), ("line 6", ("d", "e", "tie"))]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "has the columns nothing"),
        (b"left,right\na,b\n", "one named winner"),
        (b"left,left,right,winner\n", "one named left"),
        (b"left,right,winner\na,b\n", "line 2 has 2 fields"),
        (b'left,right,winner\na,b,left\n"a,b,left\n', "line 3 is not CSV"),
        (b"left,right,winner\na,\xff,left\n", "not UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, content, words) -> None:
    with pytest.raises(FileError, match=words):
        _read(tmp_path, content)


def test_a_missing_file_and_a_folder(tmp_path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(FileError, match="cannot read"):
            list(read_rows(path, COLUMNS))


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=80), st.booleans())
def test_no_bytes_cause_anything_but_an_error_of_ours(tmp_path, content, header) -> None:
    with suppress(AntichainError):
        _read(tmp_path, (b"left,right,winner\n" if header else b"") + content)
