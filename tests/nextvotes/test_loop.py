"""A loop of next → answer → append → next is the live run."""

import io
import itertools

import numpy as np
import pytest

import antichain as ac
from antichain.nextvotes import next_votes
from tests.nextvotes.loops import Voters, loop

EPSILON_FRONT = ac.Witness(delta=0.2, decoy_gap=None, epsilon=0.3)


def poset(seed):
    return ac.posets.layered(2, 2, 3, seed=seed)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "share"), [(1, 1.0), (7, 1.0), (7, 0.4), (100, 1.0), (100, 0.5)])
def test_the_loop_ends_with_the_front_of_the_live_run(seed, n, share):
    voters = Voters(poset(seed), seed)
    live = voters.live(EPSILON_FRONT, seed)
    looped = loop(voters, EPSILON_FRONT, seed, n, share)
    assert looped.last.front == live.front
    assert looped.last.dominated == live.dominated
    assert looped.last.votes_used == live.duels
    # Without foresight every duel asked for is one that the run needs, whatever comes.
    assert len(looped.rows) == live.duels


@pytest.mark.parametrize("seed", range(2))
def test_foresight_changes_what_is_asked_and_not_what_is_found(seed):
    voters = Voters(poset(seed), seed)
    live = voters.live(EPSILON_FRONT, seed)
    plain = loop(voters, EPSILON_FRONT, seed, 100)
    seeing = loop(Voters(poset(seed), seed), EPSILON_FRONT, seed, 100, runs=10)
    assert (seeing.last.front, seeing.last.votes_used) == (live.front, live.duels)
    assert seeing.calls < 0.8 * plain.calls
    assert len(seeing.rows) < 2 * live.duels


@pytest.mark.parametrize(
    "algorithm",
    [
        ac.Witness(delta=0.2, decoy_gap=0.3),
        ac.UnchainedBandits(delta=0.2, decoy_gap=0.3),
        ac.RealDecoys(delta=0.2, decoy_gap=0.3),
        ac.UnchainedBandits(delta=0.2, decoy_gap=None, epsilon=0.3),
    ],
    ids=lambda algorithm: f"{algorithm.name}-{algorithm.needs_decoys}",
)
def test_every_algorithm_can_be_taken_up_with_and_without_decoys(algorithm):
    voters = Voters(poset(5), 5, decoy_gap=algorithm.needs_decoys)
    live = voters.live(algorithm, 1)
    looped = loop(voters, algorithm, 1, 20)
    assert looped.last.front == live.front
    assert looped.last.votes_used == live.duels
    if algorithm.needs_decoys is not None:
        assert live.decoy_duels > 0
        assert any(" (decoy)" in left + right for left, right, _ in looped.rows)


def test_votes_collected_otherwise_are_taken_in_their_turn():
    """The run is that on the stacks of votes, however many of each there are beforehand."""
    voters = Voters(poset(1), 1)
    live = voters.live(EPSILON_FRONT, 0)
    rng = np.random.default_rng(0)
    items = list(voters.model.items)
    rows = [voters.vote(*rng.choice(items, 2, replace=False)) for _ in range(400)]
    looped = loop(voters, EPSILON_FRONT, 0, 50, rows=rows)
    assert looped.last.front == live.front
    assert looped.last.votes_used == live.duels
    assert looped.last.votes_unused == len(looped.rows) - live.duels > 0


@pytest.mark.parametrize("seed", range(4))
def test_votes_stopped_at_the_worst_time_change_nothing(seed):
    """Each pair was voted on until the item that comes last in the alphabet led by three."""
    voters = Voters(poset(seed), seed)
    live = voters.live(EPSILON_FRONT, 0)
    rows = []
    for pair in itertools.combinations(sorted(voters.model.items), 2):
        lead, votes = 0, 0
        while lead < 3 and votes < 30:
            rows.append(voters.vote(*pair))
            lead += {"left": -1, "right": 1, "tie": 0}[rows[-1][2]]
            votes += 1
    looped = loop(voters, EPSILON_FRONT, 0, 50, rows=rows)
    assert looped.last.front == live.front
    assert looped.last.votes_used == live.duels


def test_a_twin_by_ask_and_tell_uses_the_same_votes():
    """Plain loops over single votes come to the same state as the compiled rounds."""
    voters = Voters(poset(2), 7)
    rng = np.random.default_rng(3)
    items = list(voters.model.items)
    rows = [voters.vote(*rng.choice(items, 2, replace=False)) for _ in range(900)]
    found = next_votes(rows, 5, algorithm=EPSILON_FRONT, seed=4, runs=0, items=items)
    stacks = {}
    for left, right, answer in rows:
        winner = {"left": left, "right": right}.get(answer)
        stacks.setdefault(frozenset((left, right)), []).append(winner)
    search = EPSILON_FRONT.start(items, 4)
    used = 0
    while not search.finished:
        (ask,) = search.ask(1, ahead=False)
        stack = stacks.get(frozenset((ask.left, ask.right)), [])
        if not stack:
            break
        winner = stack.pop(0)
        search.tell(ask, "tie" if winner is None else "left" if winner == ask.left else "right")
        used += 1
    assert not search.finished
    pairs = {frozenset((ask.left, ask.right)) for ask in found.asks}
    assert frozenset((ask.left, ask.right)) in pairs
    # In the phase of fixed rounds the other pairs of the round are used as well.
    assert found.votes_used >= used
    assert found.dominated == search.result().dominated


def test_the_same_log_gives_the_same_asks_and_the_order_of_pairs_does_not_matter():
    voters = Voters(poset(0), 0)
    rows = loop(voters, EPSILON_FRONT, 0, 30).rows[:60]
    items = list(voters.model.items)

    def asked(votes):
        return next_votes(votes, 30, algorithm=EPSILON_FRONT, items=items, runs=3).to_dict()

    by_pair = sorted(rows, key=lambda row: sorted(row[:2]))  # stable: each pair keeps its order
    text = "left,right,winner\n" + "".join(",".join(row) + "\n" for row in rows)
    first, again, sorted_ = asked(rows), asked(rows), asked(by_pair)
    assert first == again == sorted_
    read = asked(io.StringIO(text))
    assert read | {"source": ""} == first | {"source": ""} | {"notes": read["notes"]}


def test_sides_are_tossed_and_are_the_same_when_a_duel_is_asked_again():
    items = [f"item {k}" for k in range(12)]
    asks, again = (next_votes([], 60, items=items, runs=4, chance=0.5).asks for _ in range(2))
    assert len(asks) == 60
    # 60 fair tosses are outside of this once in 30,000 times, and these are always the same.
    assert 14 < sum(ask.left < ask.right for ask in asks) < 46
    assert again == asks
    fewer = next_votes([], 7, items=items, runs=4, chance=0.5).asks
    assert set(fewer) <= set(asks)


def test_the_forecast_counts_what_is_in_hand():
    """Votes that will be wanted later are not forecast again."""
    model = poset(3)
    voters = Voters(model, 3)
    whole = loop(voters, EPSILON_FRONT, 0, 100).rows
    items = list(model.items)
    few = next_votes(whole[:10], 1, algorithm=EPSILON_FRONT, runs=10, items=items).remaining
    fresh = Voters(model, 3)
    order = [(left, right) for left, right, _ in whole]
    later = [fresh.vote(*pair) for pair in reversed(order)]  # the last wanted pairs come first
    held = next_votes(later[: len(later) // 2], 1, algorithm=EPSILON_FRONT, runs=10, items=items)
    assert held.votes_used < 0.5 * held.votes
    assert few is not None
    assert held.remaining is not None
    assert held.remaining.median < 0.85 * few.median
