"""What a log of votes is: counts by pair, means by cluster, a fingerprint of all of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.errors import AntichainError, InputError, ParameterError
from antichain.votes._vote_log import ANSWERS, Meanings, VoteLog

ROWS = [
    ("a", "b", "left"),
    ("b", "a", "left", 2),
    ("c", "a", "tie"),
    ("a", "c", "both_bad", 3),
    ("b", "a", "incomparable"),
    ("a", "b", "skipped", 5),
]


def test_counts_are_seen_from_the_first_item():
    log = VoteLog.from_rows(ROWS)
    pairs = log.pairs
    assert log.items == ("a", "b", "c")
    assert list(zip(pairs.first, pairs.second, strict=True)) == [(0, 1), (0, 2)]
    assert pairs.table.tolist() == [[1, 2, 0, 0, 1, 5], [0, 0, 1, 3, 0, 0]]
    assert log.votes == 13
    assert log.answer_counts == {
        "wins": 3, "tie": 1, "both_bad": 3, "incomparable": 1, "skipped": 5
    }  # fmt: skip


@pytest.mark.parametrize(
    ("meanings", "halves"),
    [
        (Meanings(), [1, 4]),
        (Meanings(tie="ignore"), [0, 0]),
        (Meanings(both_bad="ignore"), [1, 1]),
        (Meanings(incomparable="ignore"), [0, 4]),
    ],
)
def test_halves_follow_the_meanings(meanings, halves):
    wins, found, losses = VoteLog.from_rows(ROWS, meanings=meanings).scored()
    assert (wins.tolist(), found.tolist(), losses.tolist()) == ([1, 0], halves, [2, 0])


def test_meanings_are_told_in_words():
    words = Meanings(both_bad="ignore").words
    assert words["both_bad"] == words["skipped"] == "no evidence"
    assert words["tie"] == "half a win each"
    with pytest.raises(ParameterError, match="--ties is 'quarter', but half or ignore"):
        Meanings(tie="quarter")


def test_clusters_are_means_by_pair_and_by_item():
    rows = [("a", "b", "left"), ("b", "a", "left"), ("a", "c", "left"), ("a", "b", "tie")]
    log = VoteLog.from_rows(rows, clusters=["p", "p", "p", "q"])
    assert log.clusters is not None
    by_pair = {(int(r), float(s), int(v)) for r, s, v in zip(*log.clusters.pairs, strict=True)}
    assert by_pair == {(0, 0.5, 2), (0, 0.5, 1), (1, 1.0, 1)}
    by_item = sorted(zip(*(column.tolist() for column in log.clusters.items), strict=True))
    assert by_item == [(0, 0.5, 1), (0, pytest.approx(2 / 3), 3), (1, 0.5, 1), (1, 0.5, 2),
                       (2, 0.0, 1)]  # fmt: skip


def test_repeats_are_votes_on_a_pair_after_the_first():
    rows = [("a", "b", "left"), ("b", "a", "left"), ("a", "c", "left"), ("a", "b", "tie", 2)]
    log = VoteLog.from_rows(rows, voters=["v", "v", "v", "w"])
    assert log.repeated is not None
    assert (log.repeated.votes, log.repeated.voters, log.repeated.most) == (2, 2, 2)
    assert log.repeated.top == (("v", "a", "b", 2), ("w", "a", "b", 2))


def test_a_history_adds_up_to_the_counts():
    log = VoteLog.from_rows([("a", "b", "left"), ("a", "c", "tie")] * 300)
    assert log.history is not None
    assert len(log.history) == 150  # of four rows each, the least power of two that is enough
    total = np.zeros(log.pairs.table.size, np.int64)
    for checkpoint in log.history:
        total[checkpoint.cells] += checkpoint.grew
        assert total.sum() == checkpoint.votes
    assert total.tolist() == log.pairs.table.reshape(-1).tolist()


rows_of_votes = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.sampled_from(ANSWERS),
              st.integers(0, 4)).filter(lambda row: row[0] != row[1]),
    min_size=1, max_size=12,
)  # fmt: skip


@given(rows_of_votes, st.randoms())
def test_the_fingerprint_is_of_the_votes_and_not_of_their_order(rows, random):
    marks = [random.choice("xy") for _ in rows]
    log = VoteLog.from_rows(rows, "abcd", clusters=marks)
    both = list(zip(rows, marks, strict=True))
    random.shuffle(both)
    turned = {"left": "right", "right": "left"}
    mirrored = [(b, a, turned.get(answer, answer), n) for (a, b, answer, n), _ in both]
    other = VoteLog.from_rows(mirrored, "dbca", clusters=[mark for _, mark in both])
    assert log.fingerprint == other.fingerprint
    more = VoteLog.from_rows([*rows, ("a", "b", "left", 1)], "abcd", clusters=[*marks, "x"])
    assert log.fingerprint != more.fingerprint


def test_the_fingerprint_knows_clusters_names_and_pooling():
    rows = [("a", "b", "left"), ("a", "b", "right")]
    logs = [
        VoteLog.from_rows(rows),
        VoteLog.from_rows(rows, clusters=[1, 1]),
        VoteLog.from_rows(rows, clusters=[1, 2]),
        VoteLog.from_rows(rows, ["a", "b", "c"]),
        VoteLog.from_rows(rows, pooling=False),
        VoteLog.from_rows([("ab", "", "left"), ("ab", "", "right")]),
    ]
    assert len({log.fingerprint for log in logs}) == len(logs)


def test_counts_can_be_given_as_they_are():
    log = VoteLog.from_counts({("b", "a"): (3, 1), ("a", "c"): (0, 2, 5, 1, 1, 1)}, ["a", "b", "c"])
    assert log.pairs.table.tolist() == [[1, 3, 0, 0, 0, 0], [0, 2, 5, 1, 1, 1]]
    assert log.history is None


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", "a", "left")], "row 1 is about 'a' and 'a', but two items were expected"),
        ([("a", "b", "won")], "row 1 has the answer 'won'"),
        ([("a", "b")], "row 1 is"),
        ([("a", "b", "left", -1)], "the count of row 1 is -1"),
        ([("a", "b", "left", 2**53 + 1)], r"at most 2\*\*53"),
    ],
)
def test_rows_that_are_no_votes_are_refused(rows, said):
    with pytest.raises(InputError, match=said):
        VoteLog.from_rows(rows)


def test_items_must_be_those_of_the_votes():
    with pytest.raises(AntichainError, match="about 'b', but one of items"):
        VoteLog.from_rows([("a", "b", "left")], ["a", "c"])
    with pytest.raises(AntichainError, match="different names"):
        VoteLog.from_rows([("a", "b", "left")], ["a", "b", "a"])
    with pytest.raises(AntichainError, match="two to six numbers"):
        VoteLog.from_counts([("a", "b", 1)])
