"""One way to open anything: archives, and readers of one's own."""

import io
import zipfile
from itertools import combinations

import pytest

from antichain.errors import FileError
from antichain.sources.values import Batch, ValueSource
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
    with pytest.raises(FileError, match="the ballots, line 2 sets 'tea' against itself"):
        read_votes(Rankings("the ballots", ["tea > fog", "tea > tea"]))


def test_the_only_table_of_an_archive_is_read(tmp_path):
    path = tmp_path / "votes.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("votes/votes.csv", VOTES)
        archive.writestr("votes/readme.txt", "about")
    log = read_votes(path)
    assert (log.items, log.votes, log.source) == (("a", "b", "c"), 2, str(path))
    with pytest.raises(FileError, match="is a zip archive, but its path was expected"):
        read_votes(io.BytesIO(path.read_bytes()))
