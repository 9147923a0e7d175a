"""Preference matrices: every common form is read, and what is none is told with its line."""

import numpy as np
import pytest

from antichain import front
from antichain.errors import FileError
from antichain.votes._preference_matrix import read_matrix

from ..shared_data import shared_file

WANTED = [[0.5, 0.6, 0.75], [0.4, 0.5, 0.5], [0.25, 0.5, 0.5]]
NUMBERS = ["0.5 0.6 0.75", "0.4 0.5 0.5", "0.25 0.5 0.5"]


def write(tmp_path, text):
    path = tmp_path / "matrix.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("mark", [" ", "   ", ",", ", ", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_numbers_alone_are_a_matrix(tmp_path, mark, newline):
    text = newline.join(["# chances", *(row.replace(" ", mark) for row in NUMBERS), ""])
    matrix = read_matrix(write(tmp_path, text))
    assert matrix.names == ("item 1", "item 2", "item 3")
    assert matrix.chances.tolist() == WANTED


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n0.5,.6,.75\n.4,0.5,.5\n.25,.5,0.5\n",
        ",a,b,c\na,,.6,.75\nb,.4,,.5\nc,.25,.5,\n",
        "name,a,b,c\na,0.5,.6,.75\nb,.4,0.5,.5\nc,.25,.5,0.5\n",
        "a b c\n- .6 .75\n.4 - .5\n.25 .5 -\n",
        "a nan .6 .75\nb .4 nan .5\nc .25 .5 nan\n",
        '\ufeff"a";"b";"c"\n0.5;.6;.75\n.4;0.5;.5\n.25;.5;0.5\n',
    ],
)
def test_names_may_stand_above_and_beside(tmp_path, text):
    matrix = read_matrix(write(tmp_path, text))
    assert matrix.names == ("a", "b", "c")
    assert matrix.chances.tolist() == WANTED


def test_names_may_be_numbers(tmp_path):
    above = read_matrix(write(tmp_path, "7,8\n0.5,0.6\n0.4,0.5\n"))
    assert above.names == ("7", "8")
    assert above.chances.tolist() == [[0.5, 0.6], [0.4, 0.5]]


def test_rounding_is_shared(tmp_path):
    matrix = read_matrix(write(tmp_path, "0.5 0.34\n0.67 0.5\n"))
    assert matrix.chances.tolist() == [[0.5, 0.335], [0.665, 0.5]]
    with pytest.raises(
        FileError, match=r"0.34 for 'item 1' against 'item 2' and 0.68 for 'item 2'"
    ):
        read_matrix(write(tmp_path, "0.5 0.34\n0.68 0.5\n"))
    with pytest.raises(FileError, match=r"have 0.334 .* 0.67 .* add up to 1 to within 0.001 were"):
        read_matrix(write(tmp_path, "0.5 0.334\n0.670 0.5\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("0.5\n", "has 1 row of numbers"),
        ("0.5 0.6\n0.4 0.5 0.5\n", "line 2 has 3 numbers, but 2 were expected"),
        ("0.5 0.6\n\n0.4\n", "line 3 has 1 number, but 2 were expected"),
        ("0.5 1.6\n-.6 0.5\n", "line 1 has '1.6' in column 2, but a chance from 0 to 1"),
        ("0.5 0.6\n0.4 0.6\n", "line 2 has 0.6 on the diagonal"),
        ("0.5 -\n- 0.5\n", "line 1 has nothing in column 2"),
        ("1 1\n1 1\n", "line 1 has 1 on the diagonal"),
        ("- 1\n1 -\n", "lines 1 and 2 have 1 for 'item 1' against 'item 2' and 1 for 'item 2'"),
        ("a,b\n0.5,0.6\n0.5,0.5\n", "have 0.6 for 'a' against 'b' and 0.5 for 'b' against 'a'"),
        ("0.5 0.6\n0.5 0.5\n", "add up to 1 to within 0.01 were expected (count a tie as half"),
        ("a,a\n0.5,0.6\n0.4,0.5\n", "has the name 'a', but different names"),
        ("a,b,c\n0.5,0.6\n0.4,0.5\n", "line 1 has 3 names, but 2 were expected"),
        (",a,b\na,0.5,0.6\nc,0.4,0.5\n", "the same names were expected"),
        ("0.5 0.6\n0.4 x\n", "line 2 has 'x' in column 2"),
        (b"0.5 \xff\n", "is not UTF-8 text"),
    ],
)
def test_what_is_no_matrix_is_told(tmp_path, text, said):
    with pytest.raises(FileError) as told:
        read_matrix(write(tmp_path, text))
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_a_list_of_votes_leads_to_what_reads_it(tmp_path):
    for text in ("left,right,winner\ntea,milk,left\n" * 2, "who,won,lost\nann,tea,milk\n"):
        path = write(tmp_path, text)
        with pytest.raises(FileError) as told:
            read_matrix(path)
        assert str(told.value).endswith(f" (if it is a list of votes: antichain front {path})")
    for text in ("a,b\n0.5,x\n0.4,0.5\n", "0.5 0.6\n0.4 x\n", "a,b,c\na,0.5,0.6\n"):
        with pytest.raises(FileError) as told:
            read_matrix(write(tmp_path, text))
        assert "antichain front" not in str(told.value)


@pytest.mark.parametrize("votes", [np.eye(3), np.full((4, 4), 0.5).tolist(), [[0, 3], [2, 0]]])
def test_a_matrix_instead_of_votes_leads_to_what_takes_it(votes):
    said = (
        r"a square matrix of \d rows of numbers, but rows .* \(antichain.read_matrix reads a file"
    )
    with pytest.raises(FileError, match=said):
        front(votes)


def test_votes_between_numbers_are_no_matrix():
    votes = [[1, 2, 1], [2, 3, 3], [3, 1, 1]]
    assert front(votes).votes == 3
    with pytest.raises(FileError, match="row 2 pits '2' against itself"):
        front([*votes[:1], [2, 2, 2], votes[2]])


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(FileError, match=r"cannot read .*: no such file"):
        read_matrix(tmp_path / "none")


def test_the_rankers_of_arxiv_are_read():
    matrix = read_matrix(shared_file("pref_arxiv.txt"))
    assert matrix.chances.shape == (6, 6)
    assert np.allclose(matrix.chances + matrix.chances.T, 1, atol=1e-12)
    assert matrix.chances[0].tolist() == [0.50, 0.55, 0.55, 0.54, 0.61, 0.61]
