"""From a log to stacks of duels: what counts, in which order, and what is set aside."""

import io
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain.algorithms._rounds import round_of
from antichain.errors import AntichainError, InputError, ParameterError
from antichain.evidence._answers import Verdict
from antichain.evidence._bet import Bet
from antichain.evidence._sequential import SequentialTest, Streams
from antichain.nextvotes import next_votes
from antichain.nextvotes._asking import _circle
from antichain.nextvotes._logged_duels import Aside, duels_of
from antichain.nextvotes._stacks import Stacks
from antichain.votes import read_votes

RULES = ac.Rules()


def read(text, suffix=None, **options):
    log = read_votes(io.StringIO(text), order=True, named_decoys=suffix, **options)
    return duels_of(log, RULES, suffix)


def first_votes(duels, left, right, decoy=False, n=100):
    """The first votes on a pair, seen from the left item, as a comparison of so many takes them."""
    index = {name: k for k, name in enumerate(duels.items)}
    test = SequentialTest.fixed(Streams.DECOY if decoy else Streams.DIRECT)
    taken = []
    for m in range(1, n + 1):
        settled = duels.stacks.settle(
            round_of(index[left], np.array([index[right]]), test, targets=[m])
        )
        if settled.missing.size:
            break
        taken.append(settled.counts[0, :4].tolist())
    steps = np.diff(np.array([[0] * 4, *taken]), axis=0)
    return [["left", "right", "tie", "lost"][step.argmax()] for step in steps]


def test_votes_of_a_pair_are_taken_in_their_order_from_either_side():
    duels = read("left,right,winner\na,b,left\nb,a,left\nc,a,tie\na,b,tie\nb,a,right\n")
    assert duels.items == ("a", "b", "c")
    assert first_votes(duels, "a", "b") == ["left", "right", "tie", "left"]
    assert first_votes(duels, "b", "a") == ["right", "left", "tie", "right"]
    assert first_votes(duels, "a", "c") == ["tie"]
    assert first_votes(duels, "b", "c") == []


def test_time_orders_the_votes():
    text = "left,right,winner,when\na,b,left,3\na,b,right,1\na,b,tie,2\n"
    assert first_votes(read(text, time="when"), "a", "b") == ["right", "tie", "left"]


def test_meanings_are_kept_and_what_is_no_duel_is_counted():
    text = "left,right,winner\na,b,tie\na,b,bothbad\na,b,incomparable\na,b,skip\na,b,left\n"
    duels = read(text)
    assert first_votes(duels, "a", "b") == ["tie", "tie", "tie", "left"]
    assert duels.aside == Aside(skipped=1)
    duels = read(text, meanings=ac.Meanings(tie="ignore"))
    assert first_votes(duels, "a", "b") == ["left"]
    assert duels.aside == Aside(skipped=1, ignored=3)
    strict = duels_of(read_votes(io.StringIO(text), order=True), ac.Rules(lost="against"))
    assert first_votes(strict, "a", "b") == ["tie", "tie", "tie", "lost", "left"]


def test_of_a_cluster_the_first_vote_on_each_pair_counts():
    text = "left,right,winner,prompt\na,b,left,1\nb,a,left,1\na,c,left,1\na,b,tie,2\na,b,skip,3\n"
    text += "a,b,right,3\n"
    duels = read(text, cluster="prompt")
    assert first_votes(duels, "a", "b") == ["left", "tie", "right"]
    assert first_votes(duels, "a", "c") == ["left"]
    assert duels.aside == Aside(skipped=1, clustered=1)


def test_decoys_are_told_by_their_names_and_by_studies():
    text = "left,right,winner\na,b (decoy),left\na (decoy),b,left\nb,b (decoy),left\na,b,right\n"
    text += "a (decoy),b (decoy),left\n"
    duels = read(text, " (decoy)")
    assert duels.items == ("a", "b")
    assert first_votes(duels, "a", "b", decoy=True) == ["left"]
    assert first_votes(duels, "b", "a", decoy=True) == ["right"]
    assert first_votes(duels, "a", "b") == ["right"]
    assert duels.aside == Aside(other=2)
    header = "left,right,answer,voter,time,reason,decoy,receipt\n"
    study = header + "b,a,left,,,,left,evidence\nb,a,left,,,,,evidence\nb,a,left,,,,left,spare\n"
    duels = read(study, " (decoy)")
    assert first_votes(duels, "a", "b", decoy=True) == ["right"]
    assert first_votes(duels, "a", "b") == ["right"]


def decoy_rows(decoy):
    """Votes of two items that are even, in direct duels and against each other's decoys."""
    rows = [("a", "b", "left"), ("b", "a", "left")] * 30
    rows += [("a", decoy("b"), "left"), (decoy("a"), "b", "right"), ("a", decoy("a"), "left")] * 2
    return rows


@pytest.mark.parametrize(
    ("decoys", "decoy"),
    [
        (None, "{} (decoy)"),
        ("(decoy)", "{} (decoy)"),
        ("(decoy)", "{}(decoy)"),
        (" 240p", "{} 240p"),
        ({"a": "worse a", "b": "b, spoilt"}, None),
    ],
)
@pytest.mark.parametrize("items", [None, ("a", "b")])
def test_decoys_may_have_any_names(decoys, decoy, items):
    """Whatever decoys are called and whoever says so, the run is the same, in the log's words."""
    method = {"delta": 0.3, "decoy_gap": 0.3, "runs": 3, "chance": 0.1, "items": items}
    called = decoys.get if decoy is None else decoy.format
    usual = next_votes(decoy_rows("{} (decoy)".format), 20, **method)
    found = next_votes(decoy_rows(called), 20, decoys=decoys, **method)
    assert found.items == ("a", "b")
    assert found.decoys == {"a": called("a"), "b": called("b")}
    new = {"a (decoy)": called("a"), "b (decoy)": called("b")}
    expected = [(new.get(x.left, x.left), new.get(x.right, x.right)) for x in usual.asks]
    assert [(ask.left, ask.right) for ask in found.asks] == expected
    assert {name for pair in expected for name in pair} & set(new.values())
    assert found.aside == usual.aside == Aside(other=2)
    assert found.votes_used == usual.votes_used


def test_without_a_gap_duels_against_decoys_are_left_out_and_told():
    rows = decoy_rows("{} (decoy)".format)
    plain = next_votes(rows[:60], 5, runs=2)
    for decoys in (" (decoy)", {"a": "a (decoy)", "b": "b (decoy)"}):
        found = next_votes(rows, 5, runs=2, decoys=decoys)
        assert (found.items, found.votes, found.asks) == (("a", "b"), 60, plain.asks)
        assert any("against decoys were not counted: 6" in note for note in found.notes)
    unsaid = next_votes(rows, 5, runs=0)
    assert len(unsaid.items) == 4
    assert any("--decoy-suffix" in note for note in unsaid.notes)
    assert not any("decoy" in note for note in plain.notes)


def test_a_gap_without_decoys_in_the_log_is_told():
    found = next_votes([("a", "b", "left")], 1, decoy_gap=0.3, runs=0)
    assert any("No name in the log is that of a decoy" in note for note in found.notes)
    begun = next_votes([], 1, decoy_gap=0.3, runs=0, items=["a", "b"])
    assert begun.notes == ()


def test_each_item_of_a_run_needs_a_decoy_and_its_order():
    rows = decoy_rows("{} (decoy)".format)
    with pytest.raises(InputError, match="the item 'b' without a named decoy"):
        next_votes(rows[:60], 1, decoy_gap=0.3, decoys={"a": "a (decoy)"}, runs=0)
    log = read_votes(rows, order=True, decoys=" (decoy)")
    with pytest.raises(InputError, match="kept apart, but a log read with named_decoys"):
        next_votes(log, 1, decoy_gap=0.3, runs=0)
    with pytest.raises(InputError, match="a mapping"):
        next_votes(log, 1, decoy_gap=0.3, runs=0, decoys=7)


def test_votes_in_hand_that_will_be_used_are_told():
    """Where the run ends with what is in hand, all it lacks is a few votes on one pair."""
    rows = [("a", "b", "left")] * 200
    over = next_votes(rows, 1, delta=0.2, epsilon=0.3, runs=3)
    assert (over.finished, over.votes_later) == (True, 0)
    rest = [("a", "c", "left")] * 200 + [("b", "c", "left")] * 200
    waiting = next_votes(rest, 1, delta=0.2, epsilon=0.3, runs=5)
    live = next_votes([*rest, *rows], 1, delta=0.2, epsilon=0.3, runs=0)
    assert not waiting.finished
    assert live.finished
    assert 0 < waiting.votes_later <= waiting.votes_unused
    assert next_votes(rest, 1, delta=0.2, epsilon=0.3, runs=0).votes_later is None


def test_votes_that_fit_no_order_are_told():
    rows = [("x", "y", "left"), ("y", "z", "left"), ("z", "x", "left")] * 80
    found = next_votes(rows, 3, runs=0)
    (note,) = [note for note in found.notes if "No order fits" in note]
    told = note.split(": ")[1].split(".")[0].split(" > ")
    assert told[0] == told[-1]
    above = {("x", "y"), ("y", "z"), ("z", "x")}
    assert set(pairwise(told)) == above
    fine = next_votes([("x", "y", "left"), ("y", "z", "left"), ("x", "z", "left")] * 80, 3, runs=0)
    assert fine.dominated
    assert not any("No order" in note for note in fine.notes)


def test_a_circle_is_found_wherever_it_is():
    assert _circle({}) == []
    assert _circle({"a": "b", "b": "c"}) == []
    assert _circle({"a": "b", "c": "b", "b": "d"}) == []
    assert _circle({"a": "b", "b": "c", "c": "b"}) == ["c", "b"]
    assert _circle({"a": "z", "b": "c", "c": "d", "d": "b"}) == ["d", "c", "b"]


def test_rows_that_are_left_out_are_told():
    text = "left,right,winner,who\na,b,left,x\na,b,left,x\na,c,left,y\na,b,what,y\n"
    found = next_votes(io.StringIO(text), 1, runs=0, items=["a", "b"], voter="who", skip_bad=True)
    told = " ".join(found.notes)
    assert found.votes == 2
    assert "Rows about other items were not counted: 1." in told
    assert "Bad rows were skipped: 1 (answer: 1)" in told
    assert "1 votes repeat a voter's earlier vote" in told


def test_rows_of_several_votes_have_no_order():
    with pytest.raises(InputError, match="rows that stand for several votes"):
        read("left,right,winner,n\na,b,left,3\n", count="n")
    duels = read("left,right,winner,n\na,b,left,1\na,b,right,0\n", count="n")
    assert first_votes(duels, "a", "b") == ["left"]
    with pytest.raises(InputError, match="without the order of its votes"):
        next_votes(ac.VoteLog.from_rows([("a", "b", "left")]))


VOTES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0, 1, 2])).filter(
        lambda vote: vote[0] != vote[1]
    ),
    max_size=60,
)


@settings(deadline=None)
@given(votes=VOTES, wanted=st.lists(st.integers(0, 12), min_size=6, max_size=6))
def test_stacks_play_rounds_as_single_votes_would(votes, wanted):
    """Against a twin with a list a pair, over a round of bets that may stop, and a fixed one."""
    lists = {}
    for a, b, score in votes:
        turned = {0: 1, 1: 0, 2: 2}[score] if a > b else score
        lists.setdefault((min(a, b), max(a, b)), []).append(turned)
    a, b, scores = (
        (np.array(column, np.int64) for column in zip(*votes, strict=True))
        if votes
        else [np.zeros(0, np.int64)] * 3
    )
    scores = np.where((a > b) & (scores < 2), 1 - scores, scores)
    stacks = Stacks(4, Stacks.key(4, a, b, False), scores)
    pairs = [(1, 0), (0, 2), (3, 0), (1, 2), (1, 3), (2, 3)]
    lefts, rights = (np.array(side) for side in zip(*pairs, strict=True))
    bets = SequentialTest.two_sided_bets(0.3, Bet.on_gaps([0.4], [1.0]), 0.4, 0.3)
    rounds = [
        round_of(lefts, rights, bets, stop=frozenset({Verdict.RIGHT})),
        round_of(lefts, rights, SequentialTest.fixed(), targets=wanted),
    ]
    taken = dict.fromkeys(lists, 0)
    for round_ in rounds:
        settled = stacks.settle(round_)
        expected, used, missing = _twin(round_, lists, taken)
        assert settled.counts[:, :3].tolist() == expected
        assert settled.used.tolist() == used
        assert settled.missing.tolist() == missing
        stacks.take(settled.places, settled.used)
        for (left, right), number in zip(pairs, used, strict=True):
            if number:
                taken[min(left, right), max(left, right)] += number
    assert stacks.taken == sum(taken.values())


def _twin(round_, lists, taken):
    """The round played row by row, vote by vote: counts, votes used, rows surely missing some."""
    counts, used, missing = [], [], []
    over = False
    for row, (left, right) in enumerate(
        zip(round_.lefts.tolist(), round_.rights.tolist(), strict=True)
    ):
        tally, number, verdict = [0, 0, 0], 0, Verdict.OPEN
        pair = (min(left, right), max(left, right))
        stack = lists.get(pair, [])[taken.get(pair, 0) :]
        while not over:
            padded = np.array([*tally, 0, 0, 0, 0, 0])
            verdict = round_.test.verdict(padded, target=int(round_.targets[row]))
            if verdict is not Verdict.OPEN or number == len(stack):
                break
            score = stack[number]
            tally[1 - score if left > right and score < 2 else score] += 1
            number += 1
        if not over and verdict is Verdict.OPEN:
            missing.append(row)
        over = over or (bool(round_.stop) and verdict in (*round_.stop, Verdict.OPEN))
        counts.append(tally)
        used.append(number)
    return counts, used, missing


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 0}, "n is 0"),
        ({"chance": 0}, "chance is 0"),
        ({"chance": 1.5}, "chance is 1.5"),
        ({"runs": -1}, "runs is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"delta": 2}, "delta is 2"),
        ({"decoy_gap": 0.1, "epsilon": 0.1}, "epsilon is for runs without decoys"),
        ({"decoy_gap": 0.1, "decoys": ""}, "suffix of decoys is ''"),
        ({"algorithm": "witness"}, "algorithm is 'witness'"),
        ({"algorithm": ac.SlicingBandits()}, "the algorithm is slicing"),
        ({"algorithm": ac.UniformSampling()}, "that uses bets was expected"),
        ({"algorithm": ac.Witness(), "delta": 0.1}, "algorithm and delta are both given"),
        ({"colour": "red"}, "the option 'colour' is given"),
        ({"items": "ab"}, "items is 'ab'"),
        ({"items": ["a", "b"], "left": "x"}, "a column 'x' was expected"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(options, words):
    with pytest.raises(AntichainError, match=words) as caught:
        next_votes([("a", "b", "left")], **options)
    assert "\n" not in str(caught.value)


def test_more_items_than_worlds_hold_have_no_future():
    votes = [(f"item {k}", f"item {k + 1}", "left") for k in range(2000)]
    with pytest.raises(ParameterError, match=r"2,001 items, but .* at most 2,000; use 0 runs"):
        next_votes(votes)
    assert next_votes(votes, 1, runs=0).asks


def test_a_race_is_refused():
    class Racing(ac.Witness):
        def plan(self, state):
            from antichain.algorithms._rounds import Race

            yield Race(np.array([0]), np.array([1]), SequentialTest.fixed())

    with pytest.raises(ParameterError, match="round by round"):
        next_votes([("a", "b", "left")], algorithm=Racing(decoy_gap=None, epsilon=0.1))
