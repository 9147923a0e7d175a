"""The loop of next → answer → append → next: one judge, whoever asks and however much at a time."""

import itertools

import numpy as np
import pytest

import antichain as ac
from antichain.nextvotes import next_votes
from tests.nextvotes.loops import Voters, loop, numberless, verdicts

TERMS = {"delta": 0.2, "epsilon": 0.3}


def poset(seed):
    return ac.posets.layered(2, 2, 2, seed=seed, gaps="minimum:0.15")


def good(found, model):
    """Whether the verdicts keep the promise."""
    shown = found.certificate
    inside = [name in shown.front for name in model.items]
    gaps = np.asarray(model.gaps)[:, inside]
    top = np.isin(model.items, model.front)
    return (
        not set(shown.out) & set(model.front)
        and gaps[top].max() <= shown.epsilon
        and gaps.max() <= shown.epsilon_others
    )


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("n", [1, 7, 100])
def test_the_loop_decides_every_item(seed, n):
    """`loop` holds every call against `ac.front` on the same log."""
    model = poset(seed)
    looped = loop(Voters(model, seed), n, **TERMS)
    assert good(looped.last, model)
    assert not looped.last.certificate.undecided
    assert looped.last.certificate.votes == len(looped.rows)
    if n == 1:  # one vote after the other is what a study asks for
        study = ac.Study.in_memory(sorted(model.items), ac.Certifying(**TERMS))
        voters = Voters(model, seed)
        while not study.finished:
            (ask,) = study.ask(1)
            study.tell(ask, voters.answer(ask.left, ask.right))
        assert study.result().front == tuple(sorted(looped.last.certificate.front))
        assert study.progress.answers == len(looped.rows)


@pytest.mark.parametrize(
    ("share", "empty"), [(0.4, "open"), (0.8, "open"), (0.9, "given up"), (0.5, "late")]
)
def test_sheets_may_be_answered_in_part_and_rows_appended_in_any_order(share, empty):
    model = poset(1)
    looped = loop(Voters(model, 3), 12, share, empty=empty, **TERMS)
    assert good(looped.last, model)


def test_what_stays_open_is_asked_again_by_its_number():
    items = ["ale", "bun", "cod"]
    first = next_votes([], 6, items=items, forecast=False)
    rows = [
        {"ask": a.ask, "left": a.left, "right": a.right, "winner": "tie" if a.ask != 3 else ""}
        for a in first.asks
    ]
    again = next_votes(rows, 4, items=items, forecast=False)
    assert again.asks[0] == first.asks[2]
    assert [ask.ask for ask in again.asks] == [3, 7, 8, 9]
    assert next_votes(rows, 1, items=items, forecast=False).asks == first.asks[2:3]
    assert any("The log has 1 ask without an answer" in note for note in again.notes)
    for word in ("given up", "left"):
        closed = [*rows, rows[2] | {"winner": word}]
        more = next_votes(closed, 4, items=items, forecast=False)
        assert [ask.ask for ask in more.asks] == [7, 8, 9, 10]
        assert not any("without an answer" in note for note in more.notes)


def test_a_number_that_no_row_has_is_told():
    """Nobody knows what it was about, so it cannot be asked again."""
    rows = [{"ask": 1, "left": "ale", "right": "bun", "winner": "tie"}]
    rows += [{"ask": 3, "left": "ale", "right": "cod", "winner": "tie"}]
    found = next_votes(rows, 2, forecast=False)
    assert [ask.ask for ask in found.asks] == [4, 5]
    (note,) = [note for note in found.notes if note.startswith("No answer after ask 2 is read")]
    assert "append its row from its sheet" in note
    assert found.certificate.votes == 2


def test_answers_that_wait_are_not_asked_for_twice():
    """Behind an open ask the judge reads nothing, but what is there need not be collected again."""
    items = ["ale", "bun"]
    first = next_votes([], 100, items=items, forecast=False, **TERMS)
    rows = [
        {"ask": a.ask, "left": a.left, "right": a.right, "winner": "tie" if a.ask > 1 else ""}
        for a in first.asks
    ]
    assert 3 < len(rows) < 100
    # The judge has read nothing: without the answers in hand it would want as many again.
    more = next_votes(rows, 100, items=items, forecast=False, **TERMS).asks
    assert more == first.asks[:1]


def test_the_order_of_appended_rows_does_not_matter_where_asks_have_numbers():
    rows = loop(Voters(poset(0), 0), 30, **TERMS).rows[:90]
    items = list(poset(0).items)
    shuffled = [rows[k] for k in np.random.default_rng(1).permutation(len(rows))]
    one, other = (next_votes(some, 20, items=items, **TERMS).to_dict() for some in (rows, shuffled))
    assert one == other


@pytest.mark.parametrize("seed", range(2))
def test_a_log_without_numbers_is_judged_without_its_order(seed):
    model = poset(seed)
    looped = loop(Voters(model, seed), 25, numbered=False, most=200, **TERMS)
    assert good(looped.last, model)
    rng = np.random.default_rng(seed)
    shuffled = [looped.rows[k] for k in rng.permutation(len(looped.rows))]
    again = ac.front(shuffled, likely=False, items=list(model.items), **TERMS)
    assert verdicts(again) == verdicts(looped.last.certificate)


def test_votes_collected_otherwise_serve():
    """Whatever was voted on before, in whatever design, moves the same certificate forward."""
    model = poset(1)
    voters = Voters(model, 1)
    rng = np.random.default_rng(0)
    pairs = [tuple(rng.choice(list(model.items), 2, replace=False)) for _ in range(300)]
    rows = [{"left": a, "right": b, "winner": voters.answer(a, b)} for a, b in pairs]
    fresh = loop(Voters(model, 1), 50, numbered=False, **TERMS)
    looped = loop(voters, 50, rows=rows, numbered=False, **TERMS)
    assert good(looped.last, model)
    assert len(looped.rows) - 300 < len(fresh.rows)


def test_each_sheet_of_a_cluster_has_a_pair_at_most_once():
    """A sheet is for one new voter; the loop ends, by means of the clusters."""
    model = ac.posets.chains(1, 3, seed=2, gaps="minimum:0.3")
    voters, rows = Voters(model, 2), []
    terms = {"delta": 0.3, "epsilon": 0.4, "cluster": "who", "items": list(model.items)}
    for who in range(200):
        if rows:
            found = next_votes(rows, 10, forecast=False, **terms)
            plain = ac.front(rows, likely=False, **terms)
            assert found.finished == (not plain.undecided)
        else:
            found = next_votes([], 10, items=terms["items"], forecast=False)
        if found.finished:
            break
        pairs = [frozenset((ask.left, ask.right)) for ask in found.asks]
        if rows:
            assert len(set(pairs)) == len(pairs)
            assert any("one new 'who'" in note for note in found.notes)
        once = {frozenset((a.left, a.right)): a for a in reversed(found.asks)}
        rows += [voters.row(ask, who=f"voter {who}") for ask in once.values()]
    assert found.finished
    assert good(found, model)
    assert not any("dependent clusters" in note for note in found.notes)


def test_numbers_of_asks_go_on_in_clusters_too():
    rows = [
        {"ask": 1, "left": "ale", "right": "bun", "winner": "left", "who": "x"},
        {"ask": 7, "left": "ale", "right": "cod", "winner": "given up", "who": "x"},
    ]
    found = next_votes(rows, 2, cluster="who", items=["ale", "bun", "cod"], forecast=False)
    assert [ask.ask for ask in found.asks] == [8, 9]


@pytest.mark.parametrize("items", [None, "given"])
def test_decoys_are_asked_for_and_decide(items):
    """From an empty log: the first decoys are yet to come."""
    model = ac.posets.layered(2, 2, 1, seed=1, gaps="minimum:0.3")
    voters = Voters(model, 4, decoy_gap=0.4)
    terms = {"delta": 0.2, "epsilon": 0.1, "decoy_gap": 0.4, "items": list(model.items)}
    rows, found = [], None
    for _ in range(60):
        found = next_votes(rows, 40, forecast=False, **terms)
        if found.finished:
            break
        rows += [voters.row(ask) for ask in found.asks]
    assert found.finished
    assert found.to_dict()["decoy_gap"] == 0.4
    assert set(found.certificate.front) == set(model.front)
    against = [row for row in rows if " (decoy)" in row["left"] + row["right"]]
    assert against
    if items is not None:
        plain = ac.front(rows, likely=False, decoys=" (decoy)", **terms)
        assert verdicts(plain) == verdicts(found.certificate)


@pytest.mark.slow
@pytest.mark.parametrize("n", [7, 100])
def test_a_budget_is_spent_and_no_more(n):
    model = ac.posets.layered(3, 3, 2, seed=0)
    looped = loop(Voters(model, 0), n, budget=60, **TERMS)
    assert looped.last.finished == (not looped.last.certificate.undecided)
    assert looped.last.asks == ()
    if looped.last.certificate.undecided:
        assert looped.last.spent
        assert len(looped.rows) == 60
    assert looped.last.certificate.likely is not None


def test_open_asks_are_part_of_the_budget():
    items = ["ale", "bun", "cod"]
    first = next_votes([], 10, items=items, budget=10)
    rows = [
        {"ask": a.ask, "left": a.left, "right": a.right, "winner": "" if a.ask > 6 else "tie"}
        for a in first.asks
    ]
    assert len(first.asks) == 10
    assert next_votes(rows, 10, items=items, budget=10).asks == first.asks[6:]


def test_settled_items_are_left_alone_unless_they_decide_another():
    """Two items that are decided never meet again."""
    model = poset(0)
    voters, rows, items = Voters(model, 0), [], list(model.items)
    settled = False
    for _ in range(100):
        found = next_votes(rows, 10, items=items, forecast=False, **TERMS)
        if found.finished:
            break
        decided = set(items) - set(found.certificate.undecided)
        settled |= bool(decided)
        for ask in found.asks:
            assert not {ask.left, ask.right} <= decided
        rows += [voters.row(ask) for ask in found.asks]
    assert found.finished
    assert settled


def test_sides_are_tossed_and_stay():
    items = [f"item {k}" for k in range(12)]
    asks, again = (next_votes([], 60, items=items, forecast=False).asks for _ in range(2))
    assert len(asks) == 60
    # 60 fair tosses are outside of this once in 30,000 times, and these are always the same.
    assert 14 < sum(ask.left < ask.right for ask in asks) < 46
    assert again == asks


def test_duels_of_a_pair_are_spread_out():
    asks = next_votes([], 30, items=["ale", "bun", "cod"], forecast=False).asks
    pairs = [frozenset((ask.left, ask.right)) for ask in asks]
    turns = [pairs[:k].count(pair) for k, pair in enumerate(pairs)]
    assert max(turns) > 1
    assert turns == sorted(turns)


def test_the_forecast_shrinks_as_votes_come_in():
    model = poset(3)
    looped = loop(Voters(model, 3), 20, **TERMS)
    items = list(model.items)
    early, late = (
        next_votes(looped.rows[:some], 1, items=items, **TERMS).remaining
        for some in (10, len(looped.rows) * 3 // 4)
    )
    assert late.median < early.median
    assert looped.last.remaining is None


def test_votes_stopped_at_the_worst_time_certify_nothing_false():
    """Each pair was voted on until the item that comes last in the alphabet led by three."""
    model = poset(2)
    voters, rows = Voters(model, 2), []
    for one, other in itertools.combinations(sorted(model.items), 2):
        lead = votes = 0
        while lead < 3 and votes < 20:
            winner = voters.answer(one, other)
            rows.append({"left": one, "right": other, "winner": winner})
            lead += {"left": -1, "right": 1, "tie": 0}[winner]
            votes += 1
    looped = loop(voters, 50, rows=rows, numbered=False, **TERMS)
    assert good(looped.last, model)


def test_rows_without_numbers_in_a_numbered_log_are_refused():
    rows = [{"ask": 1, "left": "ale", "right": "bun", "winner": "left"}]
    with pytest.raises(ac.AntichainError, match="the number of an ask"):
        next_votes([*rows, numberless(rows[0]) | {"ask": ""}], 1)
