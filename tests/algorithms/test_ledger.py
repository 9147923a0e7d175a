"""The ledger against a dictionary that forgets nothing but what it is told to."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.algorithms.ledger import Ledger

SIZE = 40
Known = dict[tuple[int, int], list[int]]


def _indices(*items: int) -> np.ndarray:
    return np.array(items, np.int64)


_items = st.integers(0, SIZE - 1)
_counts = st.lists(st.integers(0, 10**6), min_size=4, max_size=4)
_moves = st.lists(
    st.one_of(
        st.tuples(st.just("remember"), _items, st.dictionaries(_items, _counts, max_size=6)),
        st.tuples(st.just("forget"), st.sets(_items, max_size=5), st.none()),
    ),
    max_size=40,
)


def _recalled(ledger: Ledger, left: int, rights: list[int]) -> list[list[int]]:
    counts = ledger.recall(left, _indices(*rights))
    assert counts.shape == (len(rights), 8)
    assert not counts[:, 4:].any()
    return [row[:4].tolist() for row in counts]


@settings(max_examples=80, deadline=None)
@given(_moves)
def test_remembers_what_a_dictionary_would(moves: list[tuple[str, object, object]]) -> None:
    ledger, known = Ledger(SIZE), Known()
    for name, first, second in moves:
        if name == "forget":
            assert isinstance(first, set)
            ledger.forget(_indices(*first))
            known = {pair: c for pair, c in known.items() if not set(pair) & first}
            continue
        assert isinstance(first, int)
        assert isinstance(second, dict)
        rights = {right: counts for right, counts in second.items() if right != first}
        rows = np.zeros((len(rights), 8), np.int64)
        for row, (right, counts) in enumerate(rights.items()):
            rows[row, :4] = counts
            known[first, right] = counts
            known[right, first] = [counts[1], counts[0], *counts[2:]]
        ledger.remember(first, _indices(*rights), rows)
    for left in range(SIZE):
        rights = [right for right in range(SIZE) if right != left]
        assert _recalled(ledger, left, rights) == [known.get((left, k), [0] * 4) for k in rights]


def test_a_slot_given_back_starts_empty() -> None:
    ledger = Ledger(100)
    row = np.zeros((1, 8), np.int64)
    for item in range(1, 100):
        row[0, :4] = item
        ledger.remember(0, _indices(item), row)
        ledger.forget(_indices(item))
        assert _recalled(ledger, 0, [item]) == [[0] * 4]
    for item in range(1, 100):
        assert _recalled(ledger, 0, [item]) == [[0] * 4]


def test_memory_follows_who_is_in_play() -> None:
    ledger = Ledger(1_000_000)
    row = np.ones((1, 8), np.int64)
    for item in range(1, 5000):
        ledger.remember(0, _indices(item), row)
        ledger.forget(_indices(item))
    assert ledger._wins.shape[0] <= 16


def test_counts_beyond_32_bits() -> None:
    # A gap of 2e-5 takes more duels than that, and uniform gaps do come so close.
    ledger = Ledger(2)
    row = np.array([[2**31 + 5, 2**33, 0, 0, 0, 0, 0, 0]], np.int64)
    ledger.remember(0, _indices(1), row)
    assert _recalled(ledger, 0, [1]) == [[2**31 + 5, 2**33, 0, 0]]
