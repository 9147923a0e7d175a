"""One way to open anything: archives, and readers of one's own."""

import io
import json
import threading
import zipfile
from itertools import combinations, count
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.errors import FileError
from antichain.sources import _delimited, _json_rows, _streams
from antichain.sources._json_rows import json_lines
from antichain.sources._opening import open_source
from antichain.sources._streams import ByteLog
from antichain.sources._values import Batch, ValueSource
from antichain.votes import read_votes

VOTES = "left,right,winner\na,b,left\nb,c,right\n"


class Rankings(ValueSource):
    """One ranking per line, the best item first: the first of every two wins."""

    word = "line"

    def __init__(self, label, lines):
        self.label, self._lines = label, lines

    def header(self):
        return ["left", "right", "winner"]

    def batches(self, columns):
        for number, line in enumerate(self._lines, start=1):
            pairs = list(combinations([name.strip() for name in line.split(">")], 2))
            left, right = ([pair[side] for pair in pairs] for side in (0, 1))
            values = {"left": left, "right": right, "winner": ["left"] * len(pairs)}
            yield Batch({name: values[name] for name in columns}, {}, [number] * len(pairs))


def test_a_reader_of_ones_own_is_a_source_of_batches():
    log = read_votes(Rankings("the ballots", ["tea > rain > fog", "fog > tea"]))
    assert log.items == ("tea", "rain", "fog")
    assert log.pairs.table[:, :2].tolist() == [[1, 0], [1, 1], [1, 0]]
    with pytest.raises(FileError, match="the ballots, line 2 pits 'tea' against itself"):
        read_votes(Rankings("the ballots", ["tea > fog", "tea > tea"]))


def test_the_only_table_of_an_archive_is_read(tmp_path):
    path = tmp_path / "votes.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("votes/votes.csv", VOTES)
        archive.writestr("votes/readme.txt", "about")
    log = read_votes(path)
    assert (log.items, log.votes, log.source) == (("a", "b", "c"), 2, str(path))
    with pytest.raises(FileError, match="is a zip archive, but an unpacked log or the path"):
        read_votes(io.BytesIO(path.read_bytes()))


LINES = [
    b'{"left": "a", "right": "b", "winner": "left"}',
    b'{"left": "a", "right": "b", "winner": "12:30"}',
    b' {"left": "a", "right": "b", "winner": "tie"}\r',
    b'{"left": "a", "left": "b", "winner": "tie"}',
    b'{"left": "a"},{"right": "b"}',
    b'{"left": ["a"',
    b'"b"]}',
    b'{"left": "a", "more": {"right": "b"}}',
    b'{"left": "{", "right": "}", "winner": "left"}',
    b'{"left": "\xff"}',
    b"[1]",
    b"7",
    b"",
]


@given(st.lists(st.sampled_from(LINES), max_size=8), st.integers(1, 200))
def test_lines_of_json_read_at_once_are_those_read_one_by_one(lines, block):
    def rows():
        log = ByteLog(io.BytesIO(b"\n".join(lines)), "lines")
        return [row for group in json_lines(log) for row in zip(*group, strict=True)]

    with mock.patch.object(_streams, "BLOCK", block):
        at_once = rows()
        with mock.patch.object(_json_rows, "_parsed_at_once", return_value=None):
            assert rows() == at_once


def test_plain_lines_of_json_are_read_at_once():
    assert _json_rows._parsed_at_once(LINES[:2]) == [json.loads(line) for line in LINES[:2]]
    assert all(_json_rows._parsed_at_once([line]) is None for line in LINES[3:])


def test_a_file_that_cannot_be_read_is_closed_again(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_bytes("a,b,winner\nü,y,a\n".encode("cp1252"))
    opened, real = [], open

    def recorded(*args):
        opened.append(real(*args))
        return opened[-1]

    with mock.patch("builtins.open", recorded):
        for options in ({"encoding": "utf-8"}, {"encoding": "utf-16"}):
            with pytest.raises(FileError):
                read_votes(path, **options)
    assert len(opened) == 2
    assert all(stream.closed for stream in opened)


def test_a_reader_that_gives_up_waits_for_no_thread(tmp_path, monkeypatch):
    # Python may close the abandoned generator while a thread starts, where waiting never ends.
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n" + "a,b,left\n" * 200)
    monkeypatch.setattr(_streams, "BLOCK", 64)
    plain, going, calls = _delimited._split, threading.Event(), count()

    def slow(*arguments):
        if next(calls):  # all but the first
            going.wait()
        return plain(*arguments)

    with open_source(path) as source:
        monkeypatch.setattr(_delimited, "_split", slow)
        chunks = source.chunks({"left": "left", "right": "right"}, frozenset())
        next(chunks)
        closing = threading.Thread(target=chunks.close)
        closing.start()
        try:
            closing.join(10)
            assert not closing.is_alive()
        finally:
            going.set()
