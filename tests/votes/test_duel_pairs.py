"""Tables of pairs: read by the rules of votes, and every complaint has its line."""

import io
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.errors import AntichainError, FileError
from antichain.votes._small_tables import read_pairs


def _read(content: bytes) -> list[tuple[str, str, str]]:
    found = read_pairs(io.BytesIO(content))
    return [(pair.where.rpartition(", ")[2], pair.left, pair.right) for pair in found]


@pytest.mark.parametrize(
    "content",
    [
        b'\xef\xbb\xbfwhy, RIGHT ,left\nx,"b\nc",a\n\ny, e , d ',
        b"item_a\titem_b\na\tb c\n\n\nd\te\n",
        b'{"a": "a", "b": "b c"}\n\n\n{"a": "d", "b": "e"}\n',
    ],
)
def test_columns_are_found_by_name_in_any_order(content) -> None:
    (_, *first), (line, *second) = _read(content)
    assert (first, second) == (["a", "b c"], ["d", "e"])
    assert line in ("line 4", "line 5")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"left,why\na,b\n", "a pair of columns with the two items was expected"),
        (b"left,left,right\na,b,c\n", "exactly one column 'left'"),
        (b"left,right\na,b\na\n", "line 3 has 1 field,"),
        (b'left,right\na,b\n"a,b\n', "line 3 has a quote that is never closed"),
        (b"left,right\na,\xff\n", "line 2 .*'right', but UTF-8"),
        (b"left,right\n,b\n", "line 2 has the left ''"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(content, words) -> None:
    with pytest.raises(FileError, match=words):
        _read(content)


def test_a_missing_file_and_a_folder(tmp_path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(FileError, match=r"cannot read|is a folder"):
            read_pairs(path)


@settings(max_examples=300)
@given(st.binary(max_size=80), st.booleans())
def test_no_bytes_cause_anything_but_an_error_of_ours(content, header) -> None:
    with suppress(AntichainError):
        _read((b"left,right\n" if header else b"") + content)
