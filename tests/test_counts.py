"""Counts by pair, as a search hands them on."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antichain as ac
from antichain.algorithms import _counts as counting
from antichain.algorithms._counts import Counted, DuelCounts, added
from antichain.evidence._answers import COUNTS
from antichain.evidence._sequential import SequentialTest, Streams

from .run_cases import ALGORITHMS, MODEL, arena_for

TESTS = {streams: SequentialTest.fixed(streams) for streams in Streams}
NAMES = ["a", "b", "c", "d"]
ROWS = st.lists(
    st.tuples(
        st.sampled_from(list(Streams)),
        st.permutations(range(4)),
        st.lists(st.integers(0, 3), min_size=COUNTS, max_size=COUNTS),
    ),
    max_size=12,
)


@given(ROWS, st.integers(0, 5), st.integers(0, 8))
def test_sums_are_those_of_a_plain_table(rows, most, largest):
    direct: Counter[tuple[str, str, str]] = Counter()
    decoys: Counter[tuple[str, str, str]] = Counter()
    book = DuelCounts(4)
    limits = counting._MOST_WAITING, counting._LARGEST_HEAP
    counting._MOST_WAITING, counting._LARGEST_HEAP = most, largest
    try:
        for streams, (left, right, *_), counts in rows:
            lefts, rights = np.array([left]), np.array([right])
            book.book(lefts, rights, TESTS[streams], np.array([counts]))
            lefts[:] = rights[:] = 0  # a plan may go on to use the arrays for something else
            a, b = NAMES[left], NAMES[right]
            if streams is Streams.DIRECT:
                wins, losses, ties = counts[:3]
                if a > b:
                    a, b, wins, losses = b, a, losses, wins
                direct.update({(a, b, "win"): wins, (a, b, "loss"): losses, (a, b, "tie"): ties})
            else:
                there = [(a, b, word) for word in ("win", "loss", "tie")]
                decoys.update(dict(zip(there, counts[:3], strict=True)))
            if streams is Streams.BOTH_DECOYS:
                back = [(b, a, word) for word in ("win", "loss", "tie")]
                decoys.update(dict(zip(back, counts[4:7], strict=True)))
        found = book.by_name(NAMES)
    finally:
        counting._MOST_WAITING, counting._LARGEST_HEAP = limits
    for table, twin in ((found.direct, direct), (found.decoys, decoys)):
        flat = {
            (*pair, word): number
            for pair, numbers in table.items()
            for word, number in zip(("win", "loss", "tie"), numbers, strict=True)
        }
        assert {key: n for key, n in flat.items() if n} == {k: n for k, n in twin.items() if n}


def played_out(name: str, duels: int | None = None) -> ac.Search:
    arena, search = arena_for(name), ALGORITHMS[name].start(MODEL.items, 3)
    while not search.finished and (duels is None or search.costs().duels < duels):
        search.settle(arena.settle(search.message, None))
    return search


@pytest.mark.parametrize("name", ["unchained", "paper", "no decoys", "uniform"])
@pytest.mark.parametrize("duels", [None, 500])
def test_they_agree_with_what_each_item_was_charged(name, duels):
    search = played_out(name, duels)
    counts, costs = search.counts(), search.costs()
    for k, item in enumerate(search.items):
        mine = [sum(n) for pair, n in counts.direct.items() if item in pair]
        assert sum(mine) == costs.peeling[k]
        lefts = [sum(n) for pair, n in counts.decoys.items() if pair[0] == item]
        assert sum(lefts) == costs.against_decoys[k]
        rights = [sum(n) for pair, n in counts.decoys.items() if pair[1] == item]
        assert sum(rights) == costs.as_decoy[k]
    assert sum(map(sum, counts.direct.values())) == search.result().direct_duels > 0


def test_one_at_a_time_they_are_the_answers_told():
    search = ALGORITHMS["unchained"].start(MODEL.items, 3)
    arena, twin = arena_for("unchained"), Counter()
    while not search.finished:
        turn = twin.total()
        (ask,) = search.ask(1, ahead=False)
        answer = "tie" if turn % 7 == 0 else ("left" if arena.answer([ask])[0].left else "right")
        search.tell(ask, answer)
        twin[ask.left, ask.right, ask.decoy, answer] += 1
    counts = search.counts()
    assert any(decoy for _, _, decoy, _ in twin)
    told = [*counts.direct.values(), *counts.decoys.values()]
    assert sum(map(sum, told)) == twin.total()
    for (left, right), numbers in counts.decoys.items():
        assert numbers == tuple(twin[left, right, True, w] for w in ("left", "right", "tie"))
    for (a, b), numbers in counts.direct.items():
        one = [twin[a, b, False, w] for w in ("left", "right", "tie")]
        other = [twin[b, a, False, w] for w in ("right", "left", "tie")]
        assert numbers == tuple(np.add(one, other))


@pytest.mark.parametrize("name", ["unchained", "no decoys"])
def test_a_new_run_takes_them_and_hands_them_on(name):
    search = played_out(name, 400)
    counts = search.counts()
    taken_up = ALGORITHMS[name].start(MODEL.items, 3, counts.direct, counts.decoys)
    assert taken_up.counts() == counts
    arena = arena_for(name, seed=8)
    while not taken_up.finished:
        taken_up.settle(arena.settle(taken_up.message, None))
    assert set(taken_up.result().front) == set(MODEL.front)
    more = taken_up.counts()
    assert sum(map(sum, more.direct.values())) >= sum(map(sum, counts.direct.values()))
    assert taken_up.result().duels > 0
    for pair, numbers in counts.decoys.items():
        assert (np.array(more.decoys[pair]) >= numbers).all()


def test_pairs_brought_along_in_either_order_are_one():
    mine = Counted({("a", "b"): (1, 2, 3)}, {("a", "b"): (1, 0, 0)})
    theirs = Counted({("b", "a"): (10, 20), ("b", "c"): (5, 0)}, {("b", "a"): (4, 4)})
    assert added(mine, theirs) == Counted(
        {("a", "b"): (21, 12, 3), ("b", "c"): (5, 0, 0)},
        {("a", "b"): (1, 0, 0), ("b", "a"): (4, 4, 0)},
    )
