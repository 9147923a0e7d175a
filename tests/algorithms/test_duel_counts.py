"""What a plan carries over, against a dictionary that forgets nothing but the eliminated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.algorithms import _counts as counting
from antichain.algorithms._counts import DuelCounts
from antichain.evidence import SequentialTest, Streams

SIZE = 40
DIRECT, PROBE = SequentialTest.fixed(), SequentialTest.probe()
DECOYS = SequentialTest.fixed(Streams.DECOY)
Known = dict[tuple[int, int], list[int]]


def _indices(*items: int) -> np.ndarray:
    return np.array(items, np.int64)


_items = st.integers(0, SIZE - 1)
_counts = st.lists(st.integers(0, 10**6), min_size=4, max_size=4)
_moves = st.lists(
    st.one_of(
        st.tuples(st.just("book"), _items, st.dictionaries(_items, _counts, max_size=6)),
        st.tuples(st.just("decoys"), _items, st.dictionaries(_items, _counts, max_size=3)),
        st.tuples(st.just("retire"), st.sets(_items, max_size=5), st.none()),
        st.tuples(st.just("look"), _items, _items),
        st.tuples(st.just("add up"), st.none(), st.none()),
    ),
    max_size=40,
)


def _carried(counts: DuelCounts, left: int, rights: list[int]) -> list[list[int]]:
    rows = counts.direct(left, _indices(*rights))
    assert rows.shape == (len(rights), 8)
    assert not rows[:, 4:].any()
    return [row[:4].tolist() for row in rows]


def _book(
    counts: DuelCounts, test: SequentialTest, left: int, others: dict[int, list[int]]
) -> None:
    rows = np.zeros((len(others), 8), np.int64)
    for row, numbers in enumerate(others.values()):
        rows[row, :4] = numbers
    counts.book(np.full(len(others), left), _indices(*others), test, rows)


@settings(max_examples=120, deadline=None)
@given(_moves, st.sampled_from([3, 2**16]))
def test_carries_over_what_a_dictionary_would(
    moves: list[tuple[str, object, object]], most: int
) -> None:
    counts, known = DuelCounts(SIZE), Known()
    gone: set[int] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_MOST_WAITING", most)
        for name, first, second in moves:
            if name == "add up":
                counts.costs()
            elif name == "look":
                assert isinstance(first, int)
                assert isinstance(second, int)
                if first != second:
                    expected = known.get((first, second), [0] * 4)
                    assert _carried(counts, first, [second]) == [expected]
            elif name == "retire":
                assert isinstance(first, set)
                gone |= first
                for item in first:
                    counts.retire(item)
                known = {pair: c for pair, c in known.items() if not set(pair) & first}
            else:
                assert isinstance(first, int)
                assert isinstance(second, dict)
                others = {right: numbers for right, numbers in second.items() if right != first}
                _book(counts, DECOYS if name == "decoys" else DIRECT, first, others)
                for right, numbers in others.items():
                    if name == "book" and not {first, right} & gone:
                        before = known.get((first, right), [0] * 4)
                        after = [a + b for a, b in zip(before, numbers, strict=True)]
                        known[first, right] = after
                        known[right, first] = [after[1], after[0], *after[2:]]
        for left in range(SIZE):
            rights = [right for right in range(SIZE) if right != left]
            expected = [known.get((left, k), [0] * 4) for k in rights]
            assert _carried(counts, left, rights) == expected


@pytest.mark.parametrize("probes_count", [True, False])
@pytest.mark.parametrize("look_first", [True, False])
def test_probes_are_evidence_unless_lost_answers_count(
    probes_count: bool, look_first: bool
) -> None:
    counts = DuelCounts(2, probes_count)
    if look_first:
        assert _carried(counts, 0, [1]) == [[0] * 4]
    _book(counts, PROBE, 0, {1: [1, 0, 0, 0]})
    if not look_first:
        counts.costs()
    assert _carried(counts, 1, [0]) == [[0, int(probes_count), 0, 0]]
    assert counts.costs().probes == 1


def test_a_slot_given_back_starts_empty() -> None:
    counts = DuelCounts(100)
    for item in range(1, 100):
        _book(counts, DIRECT, 0, {item: [item] * 4})
        assert _carried(counts, 0, [item]) == [[item] * 4]
        counts.retire(item)
        assert _carried(counts, 0, [item]) == [[0] * 4]
    for item in range(1, 100):
        assert _carried(counts, 0, [item]) == [[0] * 4]


def test_memory_follows_who_is_in_play() -> None:
    counts = DuelCounts(1_000_000)
    for item in range(1, 5000):
        _book(counts, DIRECT, 0, {item: [1] * 4})
        assert _carried(counts, 0, [item]) == [[1] * 4]
        counts.retire(item)
    assert counts._living is not None
    assert counts._living._wins.shape[0] <= 16


def test_an_item_that_falls_before_anybody_looks_takes_no_memory() -> None:
    counts = DuelCounts(1_000_000)
    counts.direct(0, _indices(1))
    for item in range(1, 5000):
        _book(counts, DIRECT, item, {0: [1] * 4})
        counts.retire(item)
    counts.direct(0, _indices(1))
    assert counts._living is not None
    assert counts._living._wins.shape[0] == 0


def test_counts_beyond_32_bits() -> None:
    # A gap of 2e-5 takes more duels than that, and uniform gaps do come so close.
    counts = DuelCounts(2)
    _book(counts, DIRECT, 0, {1: [2**31 + 5, 2**33, 0, 0]})
    assert _carried(counts, 0, [1]) == [[2**31 + 5, 2**33, 0, 0]]


def test_initial_counts_are_evidence_and_cost_nothing() -> None:
    counts = DuelCounts(3)
    direct = {("b", "a"): (5, 2, 1), ("a", "b"): (1, 1)}
    counts.start_from(direct, {("a", "c"): (4, 3)}, ["a", "b", "c"])
    assert _carried(counts, 0, [1, 2]) == [[3, 6, 1, 0], [0] * 4]
    assert counts.decoys(_indices(0, 2), _indices(2, 0))[:, :4].tolist() == [[4, 3, 0, 0], [0] * 4]
    assert counts.costs().duels == counts.duels == 0
    assert counts.by_name(["a", "b", "c"]) == ({}, {})


def test_duels_of_the_eliminated_are_there_for_those_who_ask_for_all_ever() -> None:
    counts = DuelCounts(3)
    new = np.zeros((1, 8), np.int64)
    new[0, :4] = 5, 2, 1, 0
    counts.start_from({("a", "c"): (1, 3)}, {}, ["a", "b", "c"])
    counts.book(np.array([2]), np.array([0]), SequentialTest.fixed(), new)
    counts.retire(2)
    asked = counts.ever(np.array([0, 2, 1]), np.array([2, 0, 0]))
    assert asked.tolist() == [[3, 8, 1, 0], [8, 3, 1, 0], [0, 0, 0, 0]]


_BOOKED = st.tuples(
    st.sampled_from([DIRECT, PROBE, DECOYS]),
    st.permutations(range(5)),
    st.lists(st.integers(0, 2**33), min_size=4, max_size=4),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_BOOKED, max_size=30), st.integers(0, 3), st.integers(1, 6), st.integers(1, 12))
def test_every_view_is_that_of_a_plain_sum(
    booked: list[tuple[SequentialTest, list[int], list[int]]], most: int, heap: int, sort: int
) -> None:
    counts, plain = DuelCounts(5), np.zeros((2, 5, 5, 4), np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_MOST_WAITING", most)
        patch.setattr(counting, "_LARGEST_HEAP", heap)
        patch.setattr(counting, "_FIRST_SORTING", sort)
        for test, (left, right, *_), numbers in booked:
            _book(counts, test, left, {right: numbers})
            decoy = int(test is DECOYS)
            if test is not PROBE:
                plain[decoy, left, right] += numbers
            if test is DIRECT:
                plain[decoy, right, left] += [numbers[1], numbers[0], *numbers[2:]]
        pairs = [(left, right) for left in range(5) for right in range(5) if left != right]
        for one in (counts, counts.copy()):
            seen = one.ever(*(_indices(*ends) for ends in zip(*pairs, strict=True)))
            assert seen.tolist() == [plain[0, left, right].tolist() for left, right in pairs]
            costs, (_, against) = one.costs(), one.by_name("abcde")
            assert costs.direct == plain[0, ..., :3].sum() / 2
            assert costs.decoy == plain[1, ..., :3].sum() == sum(map(sum, against.values()))
            assert costs.against_decoys.tolist() == plain[1, ..., :3].sum(axis=(1, 2)).tolist()
            assert costs.as_decoy.tolist() == plain[1, ..., :3].sum(axis=(0, 2)).tolist()


def test_what_is_kept_follows_the_pairs_and_not_the_bookings(monkeypatch) -> None:
    monkeypatch.setattr(counting, "_MOST_WAITING", 0)
    monkeypatch.setattr(counting, "_LARGEST_HEAP", 4)
    monkeypatch.setattr(counting, "_FIRST_SORTING", 20)
    counts, rng = DuelCounts(6), np.random.default_rng(0)
    for _ in range(2_000):
        left, right = rng.permutation(6)[:2].tolist()
        _book(counts, DIRECT, left, {right: [1, 0, 0, 0]})
        assert counting._rows_of(counts._heaps) <= 30  # twice the 15 pairs
    assert counts.costs().direct == 2_000


def test_an_interrupt_while_adding_up_loses_and_doubles_nothing(monkeypatch) -> None:
    counts, merge, calls = DuelCounts(3), counting._merged, []

    def interrupted(heaps):
        calls.append(len(heaps))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return merge(heaps)

    _book(counts, DIRECT, 0, {1: [1, 0, 0, 0]})
    assert counts.costs().direct == 1
    _book(counts, DIRECT, 0, {2: [1, 0, 0, 0]})
    calls.append(0)
    monkeypatch.setattr(counting, "_merged", interrupted)
    with pytest.raises(KeyboardInterrupt):
        counts.costs()
    monkeypatch.undo()
    assert counts.costs().direct == 2
    assert sum(map(sum, counts.by_name("abc").direct.values())) == 2


def test_costs_cannot_be_changed_by_who_reads_them() -> None:
    counts = DuelCounts(2)
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            counts.costs().peeling[:] = 0
        _book(counts, DIRECT, 0, {1: [1, 0, 0, 0]})
