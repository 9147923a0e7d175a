"""Sums that grow: steps of a history hold every row whatever is thinned, keys keep their sums."""

from collections import Counter
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antichain.votes import _tallies
from antichain.votes._tallies import WIDTH, Growth, KeyedSums

PAIRS = 4

chunks = st.lists(
    st.lists(st.tuples(st.integers(0, PAIRS * WIDTH - 1), st.integers(0, 3)), max_size=25),
    max_size=8,
)


@given(chunks, st.integers(2, 9), st.integers(5, 60))
def test_a_history_is_that_of_its_rows_however_it_is_thinned(chunks, checkpoints, cells):
    with (
        mock.patch.object(_tallies, "MOST_CHECKPOINTS", checkpoints),
        mock.patch.object(_tallies, "_MOST_CELLS", cells),
    ):
        growth = Growth()
        for chunk in chunks:
            table = np.array(chunk, np.int64).reshape(-1, 2)
            growth.add(table[:, 0], table[:, 1])
        turned = np.arange(PAIRS)[::-1].copy()
        found = growth.checkpoints(turned)
    rows = [row for chunk in chunks for row in chunk]
    assert len(found) <= checkpoints
    assert (found[-1].rows if found else 0) == len(rows)
    so_far: Counter[int] = Counter()
    for checkpoint in found:
        so_far.update(dict(zip(checkpoint.cells.tolist(), checkpoint.grew.tolist(), strict=True)))
        wanted: Counter[int] = Counter()
        for cell, number in rows[: checkpoint.rows]:
            wanted[(PAIRS - 1 - cell // WIDTH) * WIDTH + cell % WIDTH] += number
        assert +so_far == +wanted
        assert checkpoint.votes == wanted.total()


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 9))))
def test_sums_by_key_are_those_of_a_dictionary(rows):
    sums, wanted = KeyedSums(2), {}
    for part in (rows[:10], rows[10:]):
        table = np.array(part, np.int64).reshape(-1, 3)
        sums.add(sums.codes(table[:, 0], table[:, 1]), table[:, 2], 2 * table[:, 2])
        for one, other, number in part:
            before = wanted.get((one, other), 0)
            wanted[one, other] = before + number
    keys = list(zip(*(keys.tolist() for keys in sums.keys), strict=True))
    assert len(sums) == len(wanted)
    assert dict(zip(keys, sums.sums[:, 0].tolist(), strict=True)) == wanted
    assert (sums.sums[:, 1] == 2 * sums.sums[:, 0]).all()


def test_many_keys_make_room():
    numbers = np.arange(5_000)
    sums = KeyedSums(1)
    sums.add(sums.codes(numbers, numbers), numbers)
    sums.add(sums.codes(numbers, numbers), numbers)
    assert sums.sums[:, 0].tolist() == (2 * numbers).tolist()
