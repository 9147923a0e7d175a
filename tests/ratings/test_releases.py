"""Every layout of MovieLens, as folder, folder around it, and zip; and what is wrong with one."""

import os
import threading

import numpy as np
import pytest

from antichain.errors import FileError
from antichain.ratings._rated_items import load_ratings
from antichain.ratings._releases import film_names, open_release, read_names

from .samples import FILMS, ROWS, locked, write_100k, write_csv, write_dat, zipped

WRITERS = {
    "csv": write_csv,
    "csv, CRLF": lambda folder: write_csv(folder, newline="\r\n"),
    "dat, Latin-1": write_dat,
    "dat, UTF-8": lambda folder: write_dat(folder, "utf-8"),
    "100k": write_100k,
}


def rows_of(log):
    return [
        (int(log.users.names[u]), int(log.items.names[i]), float(r))
        for chunk in log.chunks()
        for u, i, r in zip(chunk.users, chunk.items, chunk.ratings, strict=True)
    ]


@pytest.fixture(params=WRITERS)
def release_folder(request, tmp_path):
    return WRITERS[request.param](tmp_path / "around" / "ml-test")


@pytest.mark.parametrize("form", ["folder", "around", "zip", "zip in a folder"])
def test_rows_and_films_come_out_as_written(release_folder, tmp_path, form):
    path = release_folder if form == "folder" else release_folder.parent
    if form.startswith("zip"):
        (tmp_path / "packed").mkdir()
        path = zipped(release_folder, tmp_path / "packed" / "ml.zip")
    if form == "zip in a folder":
        path = path.parent
    release = open_release(path)
    assert rows_of(release.log) == ROWS
    assert rows_of(release.log) == ROWS  # a second pass, from memory
    found = {number: (film.title, film.genres) for number, film in release.films().items()}
    assert found == FILMS


def test_a_log_too_long_to_keep_is_read_again_with_the_same_codes(tmp_path):
    release = open_release(write_csv(tmp_path))
    release.log._keep_rows = 5
    first, second = rows_of(release.log), rows_of(release.log)
    assert first == second == ROWS
    assert release.log._kept is None


def test_the_last_line_may_lack_its_newline_and_empty_lines_are_passed(tmp_path):
    write_csv(tmp_path)
    path = tmp_path / "ratings.csv"
    path.write_bytes(path.read_bytes().replace(b"\n7,2", b"\n\n7,2").rstrip(b"\n"))
    assert rows_of(open_release(tmp_path).log) == ROWS


@pytest.mark.parametrize("end", ["1000000,31,1.0", "1000000,31,1.0,", "1000000,31,1.", "1000000,3"])
def test_a_file_cut_off_in_its_last_line_is_refused(tmp_path, end):
    write_csv(tmp_path)
    path = tmp_path / "ratings.csv"
    whole = path.read_text()
    path.write_text(whole[: whole.rindex("1000000")] + end)
    with pytest.raises(FileError, match=r"ratings\.csv, (line 12 has|the last line is cut off)"):
        list(open_release(tmp_path).log.chunks())


def test_long_files_are_read_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("antichain.sources._streams.BLOCK", 37)
    assert rows_of(open_release(write_csv(tmp_path)).log) == ROWS


def test_lines_longer_than_a_block_are_read_too(tmp_path, monkeypatch):
    monkeypatch.setattr("antichain.sources._streams.BLOCK", 4)
    assert rows_of(open_release(write_csv(tmp_path)).log) == ROWS


def test_equal_titles_are_told_apart_by_number():
    class Titled:
        def __init__(self, title):
            self.title = title

    films = {"1": Titled("Emma"), "2": Titled("Emma"), "3": Titled("Heat")}
    assert film_names("1329", films) == ["Emma [1]", "Heat", "Emma [2]", "film 9"]
    assert film_names("13", films) == ["Emma", "Heat"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id\n1\n", "a column of items and a column of their names were expected"),
        ("id,name\n1,A\n1,B\n", "line 3 names the item"),
        ("id,name\n1,\n", "line 2 names no item"),
    ],
)
def test_a_bad_table_of_names_is_told(tmp_path, text, words):
    path = tmp_path / "names.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=words):
        read_names(path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("9;1;3;0", ["has 1 field, but 4 were expected, as in the header"]),
        ("9,1", ["has 2 fields"]),
        ("9,1,good,0", ["rating 'good'", "number was expected"]),
        ("9,1,nan,0", ["rating 'nan'"]),
        ("9,1,,0", ["no rating"]),
        ("9,1,3.5.1,0", ["rating '3.5.1'"]),
        ("9,1,3 stars,0", ["rating '3 stars'"]),
        ("nobody,1,3,0", ["userId 'nobody'", "whole number"]),
        ("9,1.5,3,0", ["movieId '1.5'"]),
        ("9,,3,0", ["no movieId"]),
        ("9,99999999999999999999,3,0", ["movieId '99999999999999999999'"]),
    ],
)
def test_a_line_that_is_no_rating_is_told_with_its_number(tmp_path, line, words):
    write_csv(tmp_path)
    path = tmp_path / "ratings.csv"
    lines = path.read_text().split("\n")
    lines.insert(5, line)
    path.write_text("\n".join(lines))
    with pytest.raises(FileError, match=r"ratings\.csv, line 6 ") as caught:
        list(open_release(tmp_path).log.chunks())
    for word in words:
        assert word in str(caught.value)


def read_all(path):
    release = open_release(path)
    release.films()
    return list(release.log.chunks())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: (f / "ratings.csv").unlink(), ["none of ratings.csv, ratings.dat, u.data"]),
        (lambda f: (f / "movies.csv").unlink(), ["ratings.csv but no movies.csv"]),
        (
            lambda f: (f / "ratings.csv").write_text("a;b;c\n"),
            ["ratings.csv has the columns a;b;c", "'userId'"],
        ),
        (lambda f: (f / "ratings.csv").write_text(""), ["ratings.csv is empty"]),
        (
            lambda f: (f / "ratings.csv").write_text("userId,movieId,rating\n"),
            ["has no rows, but ratings"],
        ),
        (lambda f: (f / "movies.csv").write_text("id;t\n"), ["movies.csv, line 1", "'id;t'"]),
        (
            lambda f: (f / "movies.csv").write_text("movieId,title,genres\n1,A,B\nx,C,D\n"),
            ["movies.csv, line 3", "'x,C,D'"],
        ),
        (
            lambda f: (f / "movies.csv").write_text("movieId,title,genres\n1,A,B\n1,C,D\n"),
            ["movies.csv, line 3", "film 1 again"],
        ),
    ],
)
def test_what_is_wrong_with_a_release_is_told(tmp_path, change, words):
    change(write_csv(tmp_path))
    with pytest.raises(FileError) as caught:
        read_all(tmp_path)
    for word in words:
        assert word in str(caught.value)


def test_several_releases_are_not_guessed_among(tmp_path):
    write_csv(tmp_path / "one")
    write_dat(tmp_path / "two")
    with pytest.raises(FileError, match="several releases"):
        open_release(tmp_path)


def test_nothing_there_and_a_file_of_another_kind(tmp_path):
    with pytest.raises(FileError, match="there is no"):
        open_release(tmp_path / "none")
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(FileError, match=r"begins with b'hello' and is not a zip archive"):
        open_release(tmp_path / "notes.txt")


def test_a_release_two_folders_deep_is_found_and_none_deeper(tmp_path):
    write_csv(tmp_path / "0" / "1" / "2")
    assert rows_of(open_release(tmp_path / "0").log) == ROWS
    with pytest.raises(FileError, match=r"none of ratings\.csv"):
        open_release(tmp_path)


def test_an_archive_under_a_password_is_told(tmp_path):
    path = locked(zipped(write_csv(tmp_path / "ml-x"), tmp_path / "ml.zip"))
    with pytest.raises(FileError, match=r"ml\.zip holds ml-x/movies\.csv behind a password"):
        open_release(path)


def test_a_truncated_zip_is_told_wherever_it_is_cut(tmp_path):
    rng = np.random.default_rng(0)
    # Random stars, so that the archive cannot be packed into a few bytes.
    rows = [(u, i, float(rng.integers(1, 10)) / 2) for u in range(300) for i in (1, 2, 31, 40)]
    whole = zipped(write_csv(tmp_path / "ml-x", rows), tmp_path / "whole.zip").read_bytes()
    for size in (10, len(whole) // 2, len(whole) - 10):
        cut = tmp_path / "cut.zip"
        cut.write_bytes(whole[:size])
        with pytest.raises(FileError, match=r"cut\.zip is not a complete zip archive"):
            open_release(cut)
    damaged = bytearray(whole)
    at = whole.index(b"ratings.csv") + 200
    damaged[at : at + 50] = bytes(50)
    (tmp_path / "damaged.zip").write_bytes(damaged)
    with pytest.raises(FileError, match=r"damaged\.zip"):
        list(open_release(tmp_path / "damaged.zip").log.chunks())


@pytest.mark.parametrize(
    ("films", "sentence"),
    [
        ("²,Alien,x\n", "a film's number, title and genres were expected"),
        ("9" * 5000 + ",Alien,x\n", "a film's number, title and genres were expected"),
        ("1," + "a" * 200_000 + ",x\n", "line 2 is not a row of a table"),
    ],
)
def test_odd_film_lists_get_a_sentence(tmp_path, films, sentence):
    (tmp_path / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,1,5,1\n")
    (tmp_path / "movies.csv").write_text("movieId,title,genres\n" + films)
    with pytest.raises(FileError, match=sentence):
        open_release(tmp_path).films()


def test_odd_places_and_numbers_get_a_sentence(tmp_path):
    with pytest.raises(FileError, match=r"cannot read x+: file name too long"):
        open_release("x" * 300)
    (tmp_path / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,²,5,1\n")
    (tmp_path / "movies.csv").write_text("movieId,title,genres\n1,A,x\n")
    with pytest.raises(FileError, match="but a whole number was expected"):
        list(open_release(tmp_path).log.read())


def test_a_header_too_long_for_a_table_gets_a_sentence(tmp_path):
    (tmp_path / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,1,5,1\n")
    (tmp_path / "movies.csv").write_text("a" * 200_000 + ",title,genres\n1,A,x\n")
    with pytest.raises(FileError, match="line 1 is not a row of a table"):
        open_release(tmp_path).films()


def test_a_pipe_is_not_read_twice_to_say_where_a_row_is(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    content = b"user,item,rating\n1,1,5\n1,1,4\n1,2,4\n"
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    with pytest.raises(FileError, match="another row rates item 1 by user 1 again, as one row"):
        load_ratings(path, top=2)
    writer.join()
