"""Raters as an arena: the law of their answers, the front they lead to, and pairs without any."""

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms._rounds import Ask
from antichain.errors import InputError, NotObservableError
from antichain.ratings._ballots import chosen_ballots, pair_counts, select, take_census
from antichain.ratings._pair_counts import PairCounts
from antichain.ratings._rater_arenas import RatingsArena, ReplayArena
from antichain.ratings._synth import synthesize

from .samples import ROWS, csv_log, write_csv


def material(log, top):
    census = take_census(log)
    chosen = select(log, census, top=top)
    names = [str(log.items.names[code]) for code in chosen]
    counts = pair_counts(log, census, chosen, names)
    return counts, chosen_ballots(log, census, chosen)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    synthesize(folder, 20_000, seed=1)
    return material(csv_log(folder), top=8)


def arenas(made, seed=0):
    counts, ballots = made
    return RatingsArena(counts, seed=seed), ReplayArena(counts, ballots, seed=seed)


def test_the_raters_replayed_are_those_counted(made):
    counts, _ = made
    arena = arenas(made)[1]
    for i in range(8):
        for j in range(8):
            if i != j:
                said = arena.outcomes(i, j)
                assert (said == 1).sum() == counts.wins[i, j]
                assert (said == 0).sum() == counts.ties[i, j]
                assert said.size == counts.co_raters[i, j]


def test_both_answer_with_the_chance_of_the_counts(made):
    counts, _ = made
    duels = 200_000
    for arena in arenas(made, seed=4):
        for left, right in ((0, 1), (3, 2), (7, 0)):
            ask = Ask(1, counts.names[left], counts.names[right], False, duels)
            [tally] = arena.answer([ask])
            assert tally.left + tally.right == duels
            # Five standard deviations, and 0.5 bounds the deviation of one duel.
            assert abs(tally.left / duels - counts.chances[left, right]) < 5 * 0.5 / duels**0.5


def test_whole_comparisons_and_actual_raters_find_much_the_same(made):
    algorithm = ac.UnchainedBandits(delta=0.01, decoy_gap=None, epsilon=0.1)
    counts, _ = made
    best = counts.names[int((counts.gaps > 0).sum(axis=1).argmax())]
    for arena in arenas(made):
        result = ac.find_front(arena, algorithm)
        assert result.certified
        assert best in result.front
        assert set(result.front) < set(counts.names)


def test_a_pair_that_nobody_rated_is_never_made_up(tmp_path):
    rows = [(u, i, float(i)) for u in range(40) for i in ((1, 2) if u % 2 else (2, 3))]
    counts, ballots = material(csv_log(write_csv(tmp_path, rows)), top=3)
    assert counts.unpaired() == [("1", "3")]
    for arena in (RatingsArena(counts), ReplayArena(counts, ballots)):
        [tally] = arena.answer([Ask(1, "1", "3", False, 7)])
        assert tally == (0, 0, 0, 7, 0)
        with pytest.raises(InputError, match="Nobody rated both '1' and '3'"):
            arena.chances(np.array([0, 1]), np.array([1, 2]), False)
        result = ac.find_front(arena, ac.UnchainedBandits(decoy_gap=None, epsilon=0.1))
        # 1 stays where 2, the only one that beats it, has left before it was asked about.
        assert result.front in (("3",), ("1", "3"))
        assert result.dominated["2"] == "3"


def test_an_item_that_is_never_rated_with_another_is_refused():
    counts = PairCounts(("a", "b", "c"), np.eye(3, k=1, dtype=np.int64) * [[1], [0], [0]],
                        np.zeros((3, 3), np.int64))  # fmt: skip
    with pytest.raises(InputError, match="'c' has no common rater"):
        RatingsArena(counts)


def test_ratings_have_no_decoys_and_no_other_items(tmp_path):
    counts, ballots = material(csv_log(write_csv(tmp_path, ROWS)), top=3)
    for arena in (RatingsArena(counts), ReplayArena(counts, ballots)):
        with pytest.raises(NotObservableError, match="no decoys"):
            arena.answer([Ask(1, "1", "2", True, 1)])
        with pytest.raises(InputError, match="no item 'x'"):
            arena.answer([Ask(1, "1", "x", False, 1)])
        state = arena.state()
        asks = [Ask(1, "1", "2", False, 50)]
        first = arena.answer(asks)
        arena.restore(state)
        assert arena.answer(asks) == first
