"""Attacks on the judge of ordered answers: each deceives a naive reading, and not ours.

Where all items are even, whoever is out is out falsely; so is whoever is in that somebody beats
by more than ε.
"""

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms._certifying import Certifying
from antichain.referee import Referee, Terms
from antichain.referee._standing import LOSS, WIN
from tests.guarantees.error_rates import ErrorCount
from tests.guarantees.judge_worlds import close_pairs

DELTA = 0.2
DISHES = ("soup", "salad", "pie", "curry", "pasta", "stew")


def rarely(errors, runs):
    """Whether so few errors are what was promised."""
    return ErrorCount(errors, runs).upper < 1.1 * DELTA


def far_too_often(errors, runs):
    return ErrorCount(errors, runs).lower > 1.5 * DELTA


def names(size):
    return [f"item {k:02}" for k in range(size)]


class Batch:
    """Duels of item 0 with every other one, all asked at once, where no item is better.

    Attributes:
        rows: The opponent in each ask, and whether item 0 lost.
    """

    def __init__(self, size, each, seed):
        rng = np.random.default_rng([size, each, seed])
        opponents = rng.permutation(np.repeat(np.arange(1, size), each)).tolist()
        self.size, self.rng = size, rng
        self.rows = [
            (opponent, bool(lost))
            for opponent, lost in zip(opponents, rng.random(len(opponents)) < 0.5, strict=True)
        ]

    def errs_in_order(self, arrival):
        """Whether a run by ask numbers puts item 0 out at any time, answers arriving like this."""
        items = names(self.size)
        run = Certifying(delta=DELTA).start(items, history=False)
        asks = run.ask_for([(items[0], items[opponent], False) for opponent, _ in self.rows])
        for k in arrival:
            run.tell(asks[k], "right" if self.rows[k][1] else "left")
            if run.referee.out[0]:
                return True
        return False

    def errs_as_they_come(self, arrival):
        """The same for a judge who reads answers when they arrive."""
        referee = Referee(self.size, Terms(DELTA))
        rows = [self.rows[k] for k in arrival]
        referee.read(
            [0] * len(rows), [row[0] for row in rows], [LOSS if row[1] else WIN for row in rows]
        )
        return bool(referee.out[0])


def wins_first(batch):
    """Whatever speaks against item 0 arrives first."""
    return sorted(range(len(batch.rows)), key=lambda k: not batch.rows[k][1])


def three_times_faster(batch):
    """What speaks against item 0 takes a third of the time."""
    latency = [batch.rng.exponential(1 if lost else 3) for _, lost in batch.rows]
    return np.argsort(latency).tolist()


@pytest.mark.parametrize("arrival", [wins_first, three_times_faster])
def test_quick_answers_that_differ_from_slow_ones(arrival):
    runs, ours, naive = 60, 0, 0
    for seed in range(runs):
        batch = Batch(4, 100, seed)
        order = arrival(batch)
        ours += batch.errs_in_order(order)
        naive += batch.errs_as_they_come(order)
    assert far_too_often(naive, runs), naive
    assert rarely(ours, runs), ours


def test_slow_losses_with_thirty_items():
    """The opponents' wins come at once and their losses never: each pair shows wins only.

    Reading each pair up to its own first gap is not enough: N_i is a product over pairs.
    """
    runs, ours, naive = 60, 0, 0
    for seed in range(runs):
        batch = Batch(30, 8, seed)
        quick = [k for k, (_, lost) in enumerate(batch.rows) if lost]
        waiting, read = set(), []
        for k, (opponent, lost) in enumerate(batch.rows):
            if not lost:
                waiting.add(opponent)
            elif opponent not in waiting:
                read.append(k)
        naive += batch.errs_as_they_come(read)
        slow = batch.rng.permutation(sorted(set(range(len(batch.rows))) - set(quick))).tolist()
        ours += batch.errs_in_order(quick + slow)
    assert far_too_often(naive, runs), naive
    assert rarely(ours, runs), ours


# -- asks given up because of their answer -------------------------------------------------------


def errs_when_adverse_answers_are_lost(lost, gap, adverse, seed):
    """Whether anything false is shown of two items if each `adverse` answer is given up."""
    algorithm = Certifying(delta=DELTA, epsilon=0.2, rules=ac.Rules(lost=lost))
    run = algorithm.start(["above", "below"], history=False)
    rng = np.random.default_rng([seed, round(1000 * gap)])
    while not run.finished and run.referee.answers < 300:
        (ask,) = run.ask(1)
        above_wins = rng.random() < 0.5 + gap
        winner = "above" if above_wins else "below"
        if winner == adverse:
            run.expire(ask)
        else:
            run.tell(ask, "left" if ask.left == winner else "right")
    out, inside = run.referee.out, run.referee.inside
    return bool(out[0] or (out[1] if gap == 0 else inside[1]))


@pytest.mark.parametrize(("gap", "adverse"), [(0.0, "above"), (0.2001, "above"), (0.2001, "below")])
def test_asks_that_are_given_up_because_of_their_answer(gap, adverse):
    runs = 40
    ours, naive = (
        sum(errs_when_adverse_answers_are_lost(lost, gap, adverse, seed) for seed in range(runs))
        for lost in ("against", "ignore")
    )
    # Where it is the lower item's wins that are lost, what is shown is true, and that is fine.
    assert far_too_often(naive, runs) == (adverse == "above"), naive
    assert rarely(ours, runs), ours


# -- clusters ------------------------------------------------------------------------------------


def ranking_voters(size, voters, seed, winner_stays):
    """Each voter has an order of all items at random; rows of three duels by it."""
    rng = np.random.default_rng([seed, size, voters])
    rows = []
    for voter in range(voters):
        rank = rng.permutation(size)
        a, b, c, *_ = rng.permutation(size).tolist()
        kept = (a if rank[a] < rank[b] else b) if winner_stays else a
        for one, other in ((a, b), (kept, c)):
            winner = one if rank[one] < rank[other] else other
            rows.append(
                {
                    "voter": f"v{voter}",
                    "left": DISHES[one],
                    "right": DISHES[other],
                    "winner": DISHES[winner],
                }
            )
    return rows


def test_where_the_winner_stays_the_certificate_says_that_clusters_depend():
    for seed in range(3):
        told = ac.front(ranking_voters(6, 400, seed, True), cluster="voter", likely=False)
        assert any("dependent clusters" in note for note in told.notes)
        quiet = ac.front(ranking_voters(6, 400, seed, False), cluster="voter", likely=False)
        assert not any("dependent clusters" in note for note in quiet.notes)


def sheets_to_voters_of_one_mind(size, voters, seed):
    """The loop of `next_votes`, one new voter per sheet, who answers all of it by one order.

    No item is better than another: orders are drawn at random. Says whether ours claims anything
    false, and whether a judge who takes the votes for independent does.
    """
    rng = np.random.default_rng([seed, size])
    items, rows = names(size), []
    naive = Referee(size, Terms(DELTA))
    wrong = False
    for voter in range(voters):
        options = {"cluster": "voter", "items": items} if rows else {"items": items}
        found = ac.next_votes(rows, 60, delta=DELTA, epsilon=0.2, forecast=False, **options)
        rank = dict(zip(items, rng.permutation(size), strict=True))
        seen = set()
        for ask in found.asks:
            pair = frozenset((ask.left, ask.right))
            if pair in seen:  # the first sheet does not know of voters yet
                continue
            seen.add(pair)
            left = rank[ask.left] < rank[ask.right]
            winner = ask.left if left else ask.right
            rows.append(
                {"voter": f"v{voter}", "left": ask.left, "right": ask.right, "winner": winner}
            )
            naive.read([items.index(ask.left)], [items.index(ask.right)], [WIN if left else LOSS])
        wrong |= bool(found.certificate.out)
    return wrong, bool(naive.out.any())


@pytest.mark.slow
def test_voters_of_one_mind_with_our_own_sheets():
    runs = 40
    found = [sheets_to_voters_of_one_mind(10, 12, seed) for seed in range(runs)]
    ours, naive = (sum(errors) for errors in zip(*found, strict=True))
    assert far_too_often(naive, runs), naive
    assert rarely(ours, runs), ours


# -- items that join later, and runs that happen to be finished ------------------------------------


def played_on(referee, gaps, rng, budget):
    """Ask and answer one by one; the rows that were read."""
    rows = []
    while not referee.finished and len(rows) < budget:
        (duel,) = referee.wanted(1)
        said = WIN if rng.random() < 0.5 + gaps[duel.first, duel.second] else LOSS
        rows.append((duel.first, duel.second, said))
        referee.read(*([value] for value in rows[-1]))
    return rows


def test_items_that_join_later_start_a_new_certificate():
    """The certificate of the longer list reads the same votes anew, and keeps its own promise.

    Verdicts of the shorter list do not carry over: its front may well be below who joined.
    """
    world = close_pairs(8, 0.3)  # items 4 to 7 are beaten by 0 to 3
    few = [4, 5, 1, 2]  # the two best of these join later
    inner = world.gaps[np.ix_(few, few)]
    runs, wrong, overturned = 40, 0, 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        first = Referee(4, Terms(DELTA, 0.3))
        rows = played_on(first, inner, rng, 5000)
        longer = Referee(8, Terms(DELTA, 0.3))
        moved = [(few[one], few[other], said) for one, other, said in rows]
        longer.read(*zip(*moved, strict=True))
        played_on(longer, world.gaps, rng, 5000)
        wrong += world.is_wrong(longer)
        overturned += bool((first.inside & longer.out[few]).any())
    assert overturned > runs / 2
    assert rarely(wrong, runs), wrong


@pytest.mark.slow
def test_of_many_runs_those_that_are_finished_early_are_wrong_more_often():
    """The promise is about each run, not a choice among runs: docs/theory/few-votes.md says so."""
    world = close_pairs(2, 0.1)
    played = [world.played(DELTA, seed, budget=20_000) for seed in range(900)]
    early = [referee for referee in played if referee.answers <= 150]
    wrong, wrong_early = (
        ErrorCount(sum(map(world.is_wrong, those)), len(those)) for those in (played, early)
    )
    assert all(referee.finished for referee in played)
    assert wrong_early.lower > wrong.upper
    assert wrong.upper < 1.1 * DELTA
