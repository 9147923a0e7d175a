"""Pair counts against their definition, in shards, and what they say about the front."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.errors import FileError, InputError, ParameterError
from antichain.ratings._ballots import pair_counts, select, take_census, tally_pairs
from antichain.ratings._pair_counts import PairCounts, exact_front

from .samples import ROWS, csv_log, slow_counts, write_csv

NUMBERS = st.integers(-3, 10**12)


@st.composite
def logs(draw):
    users = draw(st.lists(NUMBERS, min_size=1, max_size=8, unique=True))
    items = draw(st.lists(NUMBERS, min_size=2, max_size=6, unique=True))
    pairs = st.tuples(st.sampled_from(users), st.sampled_from(items))
    rated = draw(st.lists(pairs, min_size=1, max_size=40, unique=True))
    stars = st.sampled_from([-1.25, 0.5, 1.0, 2.5, 3.0, 3.001, 10.0])
    return [(user, item, draw(stars)) for user, item in rated]


@given(logs(), st.integers(1, 50), st.integers(0, 50))
def test_counts_are_those_of_the_definition(tmp_path_factory, rows, group_rows, keep_rows):
    log = csv_log(write_csv(tmp_path_factory.mktemp("log"), rows), keep_rows=keep_rows)
    census = take_census(log)
    items = [int(number) for number in log.items.names]
    assert census.ratings == len(rows)
    assert census.users == len({user for user, _, _ in rows})
    for code, item in enumerate(items):
        stars = [rating for _, i, rating in rows if i == item]
        assert census.item_ratings[code] == len(stars)
        assert census.means[code] == pytest.approx(np.mean(stars))
    chosen = np.arange(len(items))[: max(1, len(items) - 1)]
    counts = pair_counts(log, census, chosen, [str(k) for k in chosen], group_rows)
    wins, ties = slow_counts(rows, [items[k] for k in chosen])
    assert np.array_equal(counts.wins, wins)
    assert np.array_equal(counts.ties, ties)


@given(logs(), st.integers(8, 60))
def test_counts_of_rows_grouped_by_user_are_the_same(tmp_path_factory, rows, block):
    order = {user: k for k, user in enumerate(dict.fromkeys(user for user, _, _ in rows))}
    grouped = sorted(rows, key=lambda row: order[row[0]])
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("antichain.sources._streams.BLOCK", block)  # users go on across blocks
        for version in (rows, grouped):
            log = csv_log(write_csv(tmp_path_factory.mktemp("log"), version))
            census = take_census(log)
            assert census.grouped == (version == grouped)
            items = [int(number) for number in log.items.names]
            counts = pair_counts(log, census, np.arange(len(items)), list(map(str, items)))
            found.append((counts, *slow_counts(rows, items)))
    for counts, wins, ties in found:
        assert np.array_equal(counts.wins, wins)
        assert np.array_equal(counts.ties, ties)


@given(logs())
def test_shards_of_disjoint_users_add_up(tmp_path_factory, rows):
    items = sorted({item for _, item, _ in rows})
    total = PairCounts.zero(tuple(map(str, items)))
    for part in (0, 1):
        shard = [row for row in rows if row[0] % 2 == part]
        wins, ties = slow_counts(shard, items)
        total += PairCounts(total.names, wins, ties)
    wins, ties = slow_counts(rows, items)
    assert np.array_equal(total.wins, wins)
    assert np.array_equal(total.ties, ties)


def test_the_kernel_is_the_same_without_the_compiler():
    rng = np.random.default_rng(1)
    users, starts = np.array([5, 6, 7]), np.array([0, 4, 4, 9])
    items = np.concatenate([rng.permutation(6)[:4], rng.permutation(6)[:5]]).astype(np.int32)
    ratings = rng.integers(1, 4, 9).astype(float)
    position = np.array([0, -1, 1, 2, 3, -1], np.int32)
    found = []
    for kernel in (tally_pairs, getattr(tally_pairs, "py_func", tally_pairs)):
        last_rater, outcomes = np.full(6, -1), np.zeros((4, 4, 3), np.int32)
        assert (
            kernel(users, starts, items, ratings, position, last_rater, outcomes) == -3
        )  # two voters
        found.append((last_rater, outcomes))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
    assert found[0][1].sum() > 0


@pytest.mark.parametrize("again", [(9, 2, 2.0), (1, 40, 1.0)])
@pytest.mark.parametrize("group_rows", [3, 1000])
def test_a_rating_twice_is_told_with_both_lines_whether_chosen_or_not(tmp_path, again, group_rows):
    rows = [*ROWS, (1, 40, 3.0), (5, 1, 1.0), again]
    log = csv_log(write_csv(tmp_path, rows))
    census = take_census(log)
    chosen = select(log, census, top=2)
    first = next(n for n, row in enumerate(rows) if row[:2] == again[:2]) + 2
    message = rf"ratings\.csv, line {len(rows) + 1} .* as line {first} does"
    with pytest.raises(FileError, match=message) as caught:
        pair_counts(log, census, chosen, ["a", "b"], group_rows)
    assert f"item {again[1]} by user {again[0]} again" in str(caught.value)


def test_a_rating_twice_is_told_in_a_log_grouped_by_user_too(tmp_path, monkeypatch):
    monkeypatch.setattr("antichain.sources._streams.BLOCK", 40)
    log = csv_log(write_csv(tmp_path, [*ROWS[:9], (9, 31, 2.5), *ROWS[9:]]))
    census = take_census(log)
    assert census.grouped
    message = r"line 11 rates item 31 by user 9 again, as line 7 does"
    with pytest.raises(FileError, match=message):
        pair_counts(log, census, select(log, census, top=2), ["a", "b"])


def test_items_are_chosen_by_how_often_they_are_rated(tmp_path):
    log = csv_log(write_csv(tmp_path))
    census = take_census(log)
    ids = log.items.names
    assert ids[select(log, census, least=3)].tolist() == [1, 2, 31]
    assert ids[select(log, census, least=2)].tolist() == [1, 2, 31, 40]
    assert ids[select(log, census, top=2)].tolist() == [1, 2]  # of three with the same count
    assert ids[select(log, census, top=99)].tolist() == [1, 2, 31, 40]
    with pytest.raises(InputError, match=r"has 0 items with at least 20,000 ratings .* has 3"):
        select(log, census, least=20_000)
    with pytest.raises(ParameterError, match="exactly one"):
        select(log, census, least=3, top=3)


def counts_of(wins, ties=None):
    wins = np.array(wins)
    ties = np.zeros_like(wins) if ties is None else np.array(ties)
    return PairCounts(tuple("abcdef"[: len(wins)]), wins, ties)


def test_chances_and_gaps_of_counts():
    counts = counts_of([[0, 6, 0], [2, 0, 1], [0, 1, 0]], [[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    assert counts.chances[0, 1] == 0.7
    assert counts.chances[1, 0] == pytest.approx(0.3)
    assert counts.gaps[0, 1] == 0.2
    assert np.isnan(counts.gaps[0, 2])
    low, high = counts.bounds
    assert (low[0, 2], high[0, 2]) == (-0.5, 0.5)  # nobody rated both
    # Wilson's interval of 6 wins and 2 ties among 10.
    spread, square = (6 + 2 / 4) / 10 - 0.49, 1.959964**2
    middle = (7 + square / 2) / (10 + square) - 0.5
    reach = 1.959964 * np.sqrt(10 * spread + square / 4) / (10 + square)
    assert (low[0, 1], high[0, 1]) == pytest.approx((middle - reach, middle + reach), rel=1e-5)
    assert low[1, 0] == pytest.approx(-high[0, 1])
    assert counts.unpaired() == [("a", "c")]
    assert (counts.pairs, counts.min_co_raters) == (2, 0)


def test_counts_that_are_none_are_refused():
    with pytest.raises(InputError, match=r"shape \(2, 2\), but \(1, 1\)"):
        PairCounts(("a",), np.zeros((2, 2), np.int64), np.zeros((1, 1), np.int64))
    with pytest.raises(InputError, match="negative"):
        counts_of([[0, -1], [0, 0]])
    with pytest.raises(InputError, match="itself"):
        counts_of([[1, 0], [0, 0]])
    with pytest.raises(InputError, match="mirror"):
        counts_of([[0, 0], [0, 0]], [[0, 1], [0, 0]])
    with pytest.raises(InputError, match="same items"):
        counts_of([[0, 1], [0, 0]]) + counts_of([[0]])
    total = counts_of([[0, 1], [0, 0]])
    with pytest.raises(InputError, match="same items"):
        total += counts_of([[0]])


def test_adding_in_place_takes_no_new_matrices():
    one, other = counts_of([[0, 3], [1, 0]]), counts_of([[0, 2], [5, 0]], [[0, 1], [1, 0]])
    both = one + other
    assert one.wins.tolist() == [[0, 3], [1, 0]]
    wins, ties = one.wins, one.ties
    one += other
    assert one.wins is wins
    assert one.ties is ties
    assert wins.tolist() == both.wins.tolist() == [[0, 5], [6, 0]]
    assert ties.tolist() == both.ties.tolist() == [[0, 1], [1, 0]]


def test_a_gap_of_exactly_epsilon_is_not_above_it():
    # 11 to 9 among 20: a gap of exactly 0.05, wherever it is rounded.
    counts = counts_of([[0, 11], [9, 0]])
    assert exact_front(counts, 0.05).front == ("a", "b")
    assert exact_front(counts, 0.0499).front == ("a",)


def test_the_exact_front_its_reach_and_its_cycles():
    big = 10_000
    cycle = counts_of([[0, 7 * big, 3 * big], [3 * big, 0, 7 * big], [7 * big, 3 * big, 0]])
    found = exact_front(cycle, 0.05)
    assert found.front == ()
    assert found.groups == found.cycles == (("a", "b", "c"),)
    assert found.doubtful == ()
    # a beats b clearly, but few say so; a and c are never compared.
    few = counts_of([[0, 6, 0], [4, 0, big], [0, big, 0]])
    found = exact_front(few, 0.05)
    assert found.front == ("a", "c")
    assert found.doubtful == ("a", "b", "c")
    assert found.cycles == ()


def test_one_rater_makes_nothing_certain():
    found = exact_front(counts_of([[0, 1], [0, 0]]), 0.05)
    assert found.front == ("a",)
    assert found.doubtful == ("a", "b")


@given(st.integers(0, 2**32 - 1), st.integers(3, 12))
def test_each_step_of_a_cycle_is_a_clear_win(seed, size):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 30, (size, size))
    np.fill_diagonal(wins, 0)
    names = tuple(map(str, range(size)))
    counts = PairCounts(names, wins, np.zeros_like(wins))
    found = exact_front(counts, 0.1)
    assert len(found.cycles) == len(found.groups)
    for cycle, group in zip(found.cycles, found.groups, strict=True):
        assert set(cycle) <= set(group)
        assert len(set(cycle)) == len(cycle)
        for upper, lower in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            assert counts.gaps[int(upper), int(lower)] > 0.1


def test_pairs_with_few_common_raters_can_be_left_out():
    counts = counts_of([[0, 3, 1], [2, 0, 0], [0, 0, 0]]).least(5)
    assert counts.unpaired() == [("a", "c"), ("b", "c")]
    assert counts.wins.tolist() == [[0, 3, 0], [2, 0, 0], [0, 0, 0]]
