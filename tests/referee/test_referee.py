"""The referee against a slow twin, and what holds of verdicts and duels whatever is answered."""

from collections import Counter

import numpy as np
import pytest

from antichain.orders._generators import layered_of
from antichain.referee import Referee, Terms, _standing
from antichain.referee._standing import CANNOT, GIVEN_UP, LOSS, NOTHING, TIE, WIN
from tests.referee.plain_referee import TURNED, PlainReferee

TERMS = {
    "plain": Terms(0.6, 0.3),
    "two tiers": Terms(0.6, 0.15),
    "strong": Terms(0.6, 0.3, ("strong",)),
    "cannot compare": Terms(0.6, 0.3, ("cannot-compare",)),
    "decoys": Terms(0.6, 0.3, decoy_gap=0.3),
    "all of it": Terms(0.6, 0.3, ("strong", "cannot-compare"), 0.3),
}


def answers(seed, size, number, terms):
    """Rows (first, second, said, decoy): a ladder in steps of two items, and whatever may be."""
    rng = np.random.default_rng([seed, size])
    rows = []
    for _ in range(number):
        i, j = rng.choice(size, 2, replace=False).tolist()
        decoy = terms.decoy_gap is not None and rng.random() < 0.4
        ahead = 0.5 if decoy else np.clip(0.5 + 0.3 * (j // 2 - i // 2), 0.05, 0.95)
        said = WIN if rng.random() < ahead else LOSS
        said = rng.choice([said, TIE, CANNOT, GIVEN_UP, NOTHING], p=[0.8, 0.08, 0.08, 0.02, 0.02])
        if i // 2 == j // 2 and terms.cannot_compare and rng.random() < 0.7:
            said = CANNOT
        rows.append((i, j, int(said), int(decoy)))
    return rows


def read(referee, rows):
    referee.read(*np.array(rows, np.int64).reshape(-1, 4).T)
    return referee


def verdicts(referee):
    return referee.out.tolist(), referee.inside.tolist()


def worlds(size, runs, seed=0):
    """Gaps in which some pairs are even, and items are ordered by a height otherwise."""
    for run in range(runs):
        rng = np.random.default_rng([seed, size, run])
        height = rng.normal(size=size) * rng.choice([0.2, 0.6, 1.5])
        met = np.triu(rng.random((size, size)) < 0.6, 1)
        gaps = np.clip((height[:, None] - height) * 0.2, -0.45, 0.45)
        yield run, np.where(met | met.T, gaps, 0.0)


# -- verdicts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("name", TERMS)
def test_the_referee_says_what_the_rules_say(name, size):
    terms, seen = TERMS[name], Counter()
    for seed in range(1 if size == 5 else 3):
        fast, slow = Referee(size, terms), PlainReferee(size, terms)
        for row in answers(seed, size, 70 * size, terms):
            read(fast, [row])
            slow.tell((*row[:3], bool(row[3])))
            assert set(np.flatnonzero(fast.out)) == set(slow.out)
            assert set(np.flatnonzero(fast.inside)) == set(slow.inside)
            assert fast.opened == (slow.opened or 0)
        assert np.allclose(np.exp(fast.standing.not_maximal), list(slow.against.values()))
        seen.update(out=len(slow.out), inside=len(slow.inside), opened=fast.opened > 0)
    assert seen["inside"] > 0
    assert seen["opened"] > 0
    assert seen["out"] > 0 or size == 2


@pytest.mark.parametrize("name", TERMS)
def test_verdicts_stay_and_exclude_each_other(name):
    terms, decided = TERMS[name], 0
    for seed in range(10):
        referee = Referee(5, terms)
        out, inside = np.zeros(5, bool), np.zeros(5, bool)
        for row in answers(seed, 5, 500, terms):
            read(referee, [row])
            assert (referee.out >= out).all()
            assert (referee.inside >= inside).all()
            out, inside = referee.out, referee.inside
            assert not (out & inside).any()
        decided += int((out | inside).sum())
    assert decided > 20


@pytest.mark.parametrize("name", TERMS)
def test_reading_in_portions_is_reading_at_once(name):
    terms = TERMS[name]
    for seed in range(5):
        rows = answers(seed, 5, 500, terms)
        once = read(Referee(5, terms), rows)
        portions = Referee(5, terms)
        rng, start = np.random.default_rng(seed), 0
        while start < len(rows):
            stop = start + int(rng.integers(0, 40))
            read(portions, rows[start:stop])
            start = stop
        for one, other in zip(once.standing, portions.standing, strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize("name", TERMS)
def test_verdicts_depend_neither_on_the_order_of_items_nor_on_their_sides(name):
    terms, decided = TERMS[name], 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rows, order = answers(seed, 5, 400, terms), rng.permutation(5)
        moved = [(int(order[i]), int(order[j]), said, decoy) for i, j, said, decoy in rows]
        turned = [
            (j, i, TURNED.get(said, said), decoy) if not decoy and rng.random() < 0.5 else row
            for row, (i, j, said, decoy) in zip(moved, moved, strict=True)
        ]
        here, there = read(Referee(5, terms), rows), read(Referee(5, terms), turned)
        assert (here.standing.out_at == there.standing.out_at[order]).all()
        assert (here.standing.in_at == there.standing.in_at[order]).all()
        assert here.opened == there.opened
        decided += int((here.out | here.inside).sum())
    assert decided > 15


def test_an_answer_given_up_is_never_better_than_any_that_might_have_been():
    """Whatever the answer would have been, nothing is shown without it that is not shown with it.

    That is: of the three answers to one ask there is always one, for each claim, with which the
    claim stands no better than with the ask given up.
    """
    terms, lost = TERMS["plain"], 0
    for seed in range(5):
        rows = answers(seed, 4, 250, terms)
        for at in (20, 60, 120):
            i, j, _, _ = rows[at]
            given_up = read(Referee(4, terms), [*rows[:at], (i, j, GIVEN_UP, 0)]).standing
            for said in (WIN, LOSS, TIE):
                would = read(Referee(4, terms), [*rows[:at], (i, j, said, 0)]).standing
                assert (given_up.not_maximal <= would.not_maximal + 1e-12).all()
                assert (given_up.cleared <= would.cleared + 1e-12).all()
                lost += int((given_up.cleared < would.cleared).sum())
    assert lost > 0


# -- small cases -----------------------------------------------------------------------------------


def test_one_item_is_in_and_nothing_is_asked():
    for terms in TERMS.values():
        referee = Referee(1, terms)
        assert referee.finished
        assert verdicts(referee) == ([False], [True])
        assert referee.wanted(5) == []
        referee.play(np.full((1, 1), 0.5))
        assert referee.answers == 0


@pytest.mark.parametrize(
    ("gap", "expected"), [(0.4, ([False, True], [True, False])), (0.0, ([False] * 2, [True] * 2))]
)
def test_two_items(gap, expected):
    gaps = np.array([[0, gap], [-gap, 0]])
    for seed in range(5):
        referee = Referee(2, Terms(0.01, 0.2))
        referee.play(0.5 + gaps, seed=seed)
        assert referee.finished
        assert verdicts(referee) == expected


def test_items_that_beat_each_other_in_a_circle_are_all_out():
    referee = Referee(3, Terms(0.05, 0.1))
    for _ in range(200):
        read(referee, [(0, 1, WIN, 0), (1, 2, WIN, 0), (2, 0, WIN, 0)])
    assert referee.finished
    assert verdicts(referee) == ([True] * 3, [False] * 3)
    assert referee.wanted(3) == []


def test_a_twin_goes_its_own_way_and_the_same_way():
    (_, gaps), *_ = worlds(5, 1)
    referee = read(Referee(5, TERMS["plain"]), answers(1, 5, 60, TERMS["plain"]))
    before = [part.copy() for part in referee.standing]
    one, other = referee.twin(), referee.twin()
    one.play(0.5 + gaps, seed=1)
    other.play(0.5 + gaps, seed=1)
    for was, still, here, there in zip(
        before, referee.standing, one.standing, other.standing, strict=True
    ):
        assert np.array_equal(was, still)
        assert np.array_equal(here, there)
    assert one.answers > referee.answers


def test_a_referee_of_counts_knows_what_the_answers_show():
    terms = Terms(0.05, 0.1)
    for seed in range(5):
        rows = [row for row in answers(seed, 5, 15, terms) if row[2] not in (GIVEN_UP, NOTHING)]
        known = read(Referee(5, terms), rows)
        assert not known.out.any()
        assert not known.opened
        told = Referee.of_counts(
            terms, known.standing.counts[..., :4], np.zeros(5, bool), np.zeros(5, bool)
        )
        for name in ("counts", "pooled", "dominance", "not_maximal", "rivals", "numbers"):
            here, there = (getattr(standing, name) for standing in (known.standing, told.standing))
            assert np.allclose(here, there), name
        assert np.allclose(known.standing.cleared[0], told.standing.cleared[0])
        assert told.answers == len(rows)
        assert told.wanted(10) == known.wanted(10)


def test_a_referee_of_counts_takes_over_verdicts_and_asks_about_the_others():
    counts = np.zeros((4, 4, 4), np.int64)
    out, inside = np.array([True, False, False, False]), np.array([False, True, False, False])
    told = Referee.of_counts(Terms(), counts, out, inside)
    assert verdicts(told) == (out.tolist(), inside.tolist())
    duels = told.wanted(100)
    assert duels
    assert all({duel.first, duel.second} & {2, 3} for duel in duels)


# -- which duels -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TERMS)
def test_only_duels_are_wanted_that_may_decide_somebody(name):
    """A pair of which no item is undecided is never asked for, nor one that is settled for both."""
    terms, asked = TERMS[name], 0
    for run, gaps in worlds(5, 6):
        referee = Referee(5, terms)
        rng = np.random.default_rng(run)
        while not referee.finished:
            duels = referee.wanted(8)
            undecided = ~referee.out & ~referee.inside
            settled = referee.standing.out_at > 0
            rows = []
            for one, other, decoy in duels:
                assert undecided[one] or undecided[other]
                if terms.strong:  # who is out neither goes in nor has to be cleared
                    assert not settled[one]
                    assert not settled[other]
                chance = 0.5 + (0.0 if decoy else gaps[one, other])
                rows.append((one, other, WIN if rng.random() < chance else LOSS, int(decoy)))
            assert rows, "undecided items, but nothing is wanted"
            read(referee, rows)
            asked += len(rows)
    assert asked > 100


@pytest.mark.parametrize("n", [1, 7, 40])
def test_no_pair_is_wanted_more_often_than_is_allowed(n):
    for _, gaps in worlds(5, 4):
        for answered in (0, 50, 400):
            referee = Referee(5, Terms(0.05, 0.1))
            referee.play(0.5 + gaps, seed=3, budget=answered)
            found = referee.wanted(n)
            assert len(found) <= n
            times = Counter(frozenset(duel[:2]) for duel in found)
            level = np.log(6) + max(referee.rules.log_inside)  # the strictest that can be wanted
            most = 0.5 * level / min(referee._paces)
            assert max(times.values(), default=0) <= max(3, n // 2, most)
            for voters in (1, 2):
                times = Counter(frozenset(duel[:2]) for duel in referee.wanted(n, voters=voters))
                assert max(times.values(), default=0) <= voters


def test_pairs_that_wait_for_answers_are_asked_less_and_pairs_for_later_last():
    referee = Referee(4, Terms())
    first = referee.wanted(6)
    pairs = [duel[:2] for duel in first]
    assert sorted(pairs) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert [duel[:2] for duel in referee.wanted(3, later=pairs[:3])] == pairs[3:]
    assert referee.wanted(1, waiting=pairs[:1] * 3)[0][:2] != pairs[0]


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("size", [4, 6])
def test_every_run_comes_to_an_end(name, size):
    """Who came in earlier does not keep others out: there is always a duel worth asking for."""
    terms = TERMS[name]
    for run, gaps in worlds(size, 40, seed=5):
        referee = Referee(size, terms)
        cannot = np.where(gaps == 0, 0.8, 0.2) if terms.cannot_compare else None
        referee.play(0.5 + gaps, cannot=cannot, seed=run, budget=200_000)
        assert referee.finished, (run, referee.answers)


def test_who_comes_in_by_one_rule_helps_others_by_the_other():
    """Found among posets: the last item that the first rule puts in leaves nothing to ask for."""
    gaps = np.asarray(layered_of(8, 1, 12).gaps)
    referee = Referee(8, Terms(0.05, 0.2))
    referee.play(0.5 + gaps, seed=12)
    assert referee.finished


def test_decoys_are_asked_for_where_they_tell_more():
    """Four items that nobody compares: each meets the others' decoys, and that clears it."""
    even, behind = np.full((4, 4), 0.5), np.full((4, 4), 0.2)
    direct = Referee(4, Terms(0.05, 0.05))
    direct.play(even, seed=1)
    with_decoys = Referee(4, Terms(0.05, 0.05, decoy_gap=0.3))
    with_decoys.play(even, decoys=behind, seed=1)
    assert direct.finished
    assert with_decoys.finished
    assert with_decoys.inside.all()
    assert with_decoys.answers < direct.answers / 3


def test_duels_with_decoys_say_nothing_where_no_gap_of_theirs_is_known():
    # As Python, which notices what compiled code would write outside its arrays.
    count_decoy = getattr(_standing._count_decoy, "py_func", _standing._count_decoy)
    referee = Referee(3, TERMS["plain"])
    count_decoy(referee.standing, referee.rules, 0, 1, WIN)
    assert not referee.standing.cleared.any()
    rows = answers(1, 3, 60, TERMS["plain"])
    with_decoys = [row for a, b, *rest in rows for row in ((a, b, *rest), (a, b, LOSS, 1))]
    assert verdicts(read(Referee(3, TERMS["plain"]), with_decoys)) == verdicts(
        read(Referee(3, TERMS["plain"]), rows)
    )
