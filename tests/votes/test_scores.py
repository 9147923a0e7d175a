"""Votes with scores between 0 and 1."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antichain as ac
from antichain.certify._weigh import all_answers, weigh
from antichain.errors import FileError, ParameterError

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["ab", "ba", "ac", "cb"]), st.integers(0, 1000), st.integers(0, 3)
    ),
    min_size=1,
    max_size=30,
)  # fmt: skip


def table(rows: list[tuple[str, int, int]], extra: bool = False) -> io.StringIO:
    lines = ["left,right,score,n,id", *(
        f"{pair[0]},{pair[1]},{score / 1000},{n},{k}" for k, (pair, score, n) in enumerate(rows)
    )]  # fmt: skip
    return io.StringIO("\n".join(lines) + "\n")


@given(ROWS)
def test_evidence_is_that_of_each_score_by_itself(rows) -> None:
    items = ("a", "b", "c")
    log = ac.read_votes(table(rows), count="n", items=items)
    weighed = weigh(all_answers(log), 0.1)
    bets = {"above": ac.Bet.open_ended(), "within": ac.Bet.against_gap(0.1)}
    for name, bet in bets.items():
        for row in range(log.pairs.size):
            first, second = items[log.pairs.first[row]], items[log.pairs.second[row]]
            for side, (ours, theirs) in enumerate([(first, second), (second, first)]):
                terms = bet.weights.copy()
                for pair, score, n in rows:
                    if pair in (ours + theirs, theirs + ours):
                        x = score / 1000 if pair[0] == ours else 1 - score / 1000
                        terms *= (1 + bet.stakes * (x - bet.centre)) ** n
                found = getattr(weighed, name)[row, side]
                assert found == pytest.approx(np.log(terms.sum()), abs=1e-6)


@given(ROWS, st.randoms())
def test_the_order_of_rows_and_the_sides_do_not_matter(rows, random) -> None:
    log = ac.read_votes(table(rows), count="n")
    mixed = [
        (pair, score, n) if random.random() < 0.5 else (pair[::-1], 1000 - score, n)
        for pair, score, n in rows
    ]
    random.shuffle(mixed)
    assert ac.read_votes(table(mixed), count="n").fingerprint == log.fingerprint


def test_scores_of_0_1_and_a_half_are_wins_losses_and_ties_as_ever() -> None:
    plain = [("ab", 1000, 1), ("ab", 0, 1), ("ab", 500, 1)]
    log = ac.read_votes(table(plain))
    assert log.scores is None
    words = [("a", "b", "left"), ("a", "b", "right"), ("a", "b", "tie")]
    assert log.fingerprint == ac.read_votes(words).fingerprint
    assert ac.read_votes(table([*plain, ("ab", 250, 1)])).scores is not None


def test_a_range_says_which_end_is_left() -> None:
    text = "left,right,liking\na,b,1\na,b,2\na,b,1.25\n"
    log = ac.read_votes(io.StringIO(text), score="liking", score_range=(1, 2))
    assert log.scores is not None
    assert log.scores.score.tolist() == [0, 0.75, 1]
    assert any("1 as a sure win for 'left', and 2 as one for 'right'" in n for n in log.guessed)
    turned = ac.read_votes(io.StringIO(text), score="liking", score_range=(2, 1))
    assert turned.scores is not None
    assert turned.scores.score.tolist() == [0, 0.25, 1]
    with pytest.raises(FileError, match=r"line 3 has '2' in 'liking'.*a score from 0 to 1"):
        ac.read_votes(io.StringIO(text), score="liking")
    with pytest.raises(FileError, match=r"a score from 1 to 1\.2 was expected"):
        ac.read_votes(io.StringIO(text), score="liking", score_range=(1, 1.2))
    for wrong in ((1, 1), (1,), "12", (1, "2")):
        with pytest.raises(ParameterError, match="two different numbers"):
            ac.ReadOptions(score="liking", score_range=wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"has no column of scores.*--score"):
        ac.read_votes([("a", "b", "left")], score_range=(1, 2))


def test_records_have_the_mean_of_the_scores() -> None:
    certificate = ac.front(table([("ab", 900, 1)] * 40), likely=True)
    assert certificate.records["a"].share == pytest.approx(0.9)
    assert certificate.out["b"].by == "a"
    assert any("each score as one vote" in note for note in certificate.notes)


def test_scores_in_clusters_have_their_mean() -> None:
    rows = [
        {"left": "a", "right": "b", "score": x, "p": p} for p, x in [(1, 0.2), (1, 0.4), (2, 1)]
    ]
    log = ac.read_votes(rows, cluster="p")
    assert log.clusters is not None
    assert sorted(log.clusters.pairs.score) == pytest.approx([0.3, 1.0])


def test_decoys_need_wins_and_losses() -> None:
    rows = [
        {"left": "a", "right": "b (decoy)", "score": 0.3},
        {"left": "a", "right": "b", "score": 1},
    ]
    with pytest.raises(FileError, match="duels against decoys with scores between 0 and 1"):
        ac.read_votes(rows, decoys=" (decoy)")


def test_records_have_the_mean_of_the_scores_with_clusters_too() -> None:
    rows = [("a", "b", 0.9, "x"), ("a", "b", 0.6, "x"), ("b", "a", 0.3, "y"), ("a", "b", 0.1, "z")]
    text = "left,right,score,where\n" + "".join(f"{a},{b},{s},{c}\n" for a, b, s, c in rows)
    found = ac.front(io.StringIO(text), cluster="where", likely=False)
    assert found.records["a"].share == pytest.approx((0.9 + 0.6 + 0.7 + 0.1) / 4)
    assert found.records["b"].share == pytest.approx(1 - 2.3 / 4)
