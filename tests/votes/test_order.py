"""Votes of clusters are kept in their order, and they are the votes that are counted."""

import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.votes import read_votes
from antichain.votes._vote_log import FORMS

ANSWERS = ("left", "right", "tie", "bothbad", "incomparable", "skip")
ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.sampled_from("abcd"),
        st.sampled_from(ANSWERS),
        st.integers(0, 3),
        st.integers(0, 9),
        st.sampled_from("xyz"),
    ).filter(lambda row: row[0] != row[1]),
    min_size=1,
    max_size=40,
)
HEADER = "left,right,winner,n,when,where\n"


@settings(deadline=None)
@given(rows=ROWS)
def test_the_order_adds_up_to_the_counts(rows):
    text = HEADER + "".join(",".join(map(str, row)) + "\n" for row in rows)
    options = {"count": "n", "time": "when", "cluster": "where"}
    log = read_votes(io.StringIO(text), **options)
    order = log.clusters.order
    table = np.zeros((log.pairs.size, len(FORMS)), np.int64)
    np.add.at(table, (order.pair_row, order.form), order.number)
    assert (table == log.pairs.table).all()
    by_time = sorted(rows, key=lambda row: row[4])
    pairs = [
        {log.items[log.pairs.first[row]], log.items[log.pairs.second[row]]}
        for row in order.pair_row.tolist()
    ]
    assert pairs == [{left, right} for left, right, *_ in by_time]
    assert order.number.tolist() == [row[3] for row in by_time]
    same = [[one[5] == other[5] for one in by_time] for other in by_time]
    assert (order.cluster[:, None] == order.cluster[None, :]).tolist() == same


def test_a_log_tells_its_columns():
    log = read_votes(io.StringIO("left,right,winner\na,b,left\n"))
    assert log.columns.header == ("left", "right", "winner")
    assert log.columns.delimiter == ","
    assert read_votes([("a", "b", "left")]).columns.delimiter is None
