"""Graded votes made into duels: each vote once within a pair, and the law of the grades."""

import csv
import io

import numpy as np
import pytest

from antichain.errors import InputError
from antichain.votes import votes_from_ratings_counts

from ..shared_data import shared_file

GRADES = ("bad", "fair", "good")
TEXT = "caption,good,bad,fair\nx,3,0,0\ny,0,2,0\nz,0,0,5\n"


def read(text, **options):
    return votes_from_ratings_counts(io.StringIO(text), grades=GRADES, **options)


def test_the_higher_grade_wins_and_no_vote_serves_twice_in_a_pair():
    log = read(TEXT)
    assert log.items == ("x", "y", "z")
    assert log.pairs.table[:, :3].tolist() == [[2, 0, 0], [3, 0, 0], [0, 2, 0]]
    assert (log.pooling, bool(log.pooling_reason)) == (False, True)


def test_equal_grades_tie_and_items_without_votes_meet_nobody():
    log = read("caption,good,bad,fair\nx,0,0,4\ny,0,0,3\nz,0,0,0\n")
    assert log.items == ("x", "y", "z")
    assert log.pairs.table.tolist() == [[0, 0, 3, 0, 0, 0]]


def test_all_votes_are_paired_whatever_the_shuffle():
    # Equally many votes of both: the sum of grades is that of the counts, whoever meets whom.
    text = "caption,good,bad,fair\nx,40,30,30\ny,20,50,30\n"
    tables = [read(text, seed=seed).pairs.table[0, :3] for seed in range(20)]
    assert len({tuple(table) for table in tables}) > 5
    assert all(table.sum() == 100 for table in tables)
    assert read(text, seed=3).fingerprint == read(text, seed=3).fingerprint


def test_the_share_of_wins_is_that_of_independent_votes():
    text = "caption,good,bad,fair\nx,40,30,30\ny,20,50,30\n"
    wins = np.array([read(text, seed=seed).pairs.wins_first[0] for seed in range(400)])
    # In a random pairing of 100 votes each the mean is 100 times the chance for one of each.
    wanted = 100 * (0.4 * 0.8 + 0.3 * 0.5)
    assert abs(wins.mean() - wanted) < 4 * wins.std() / 20


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("caption,good,bad\nx,1,1\n", "a column 'fair' was expected"),
        ("caption,good,bad,fair\nx,1,1,1\n", "has 1 item, but at least two"),
        ("caption,good,bad,fair\nx,1,1,1\nx,1,1,1\n", "line 3 has the caption 'x' again"),
        ("caption,good,bad,fair\nx,1,-1,1\n", "line 2 has the bad '-1', but a whole number"),
        ("caption,good,bad,fair\nx,1.5,1,1\n", "line 2 has the good '1.5'"),
        ("caption,good,bad,fair\n,1,1,1\n", "line 2 has the caption ''"),
        ("caption,good,bad,fair\nx,1,1\n", "line 2 has 3 fields"),
        ("caption,good,bad,fair\nx,1,1,40000000\ny,1,1,40000000\n", "at most 50,000,000 fit"),
    ],
)
def test_counts_that_are_none_are_told(text, said):
    with pytest.raises(InputError) as told:
        read(text)
    assert said in str(told.value)


@pytest.mark.parametrize("options", [{"grades": "ab"}, {"grades": ["a"]}, {"seed": -1}])
def test_options_are_checked(options):
    with pytest.raises(InputError, match="expected"):
        votes_from_ratings_counts(io.StringIO(TEXT), **options)


def test_the_caption_contest_is_read():
    path = shared_file("newyorker-captions-559.csv")
    log = votes_from_ratings_counts(path)
    with open(path, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    totals = [int(row["count"]) for row in rows]
    assert len(log.items) == len(rows) == 138
    assert log.items[0] == "I can't believe my eye!"
    met = log.pairs.table.sum(axis=1)
    ends = zip(log.pairs.first, log.pairs.second, strict=True)
    assert met.tolist() == [min(totals[i], totals[j]) for i, j in ends]
