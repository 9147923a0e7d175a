"""The state machine behind ask and tell, where the contract suite does not reach."""

from typing import Any

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms._counts import DuelCounts
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import (
    Indices,
    Plan,
    Race,
    RaceOutcome,
    Receipt,
    Round,
    round_of,
)
from antichain.algorithms._search import Search
from antichain.errors import InputError, ParameterError, ProtocolError
from antichain.evidence import SequentialTest

NO_DECOYS = ac.UnchainedBandits(delta=0.05, decoy_gap=None, epsilon=0.2)
ABC = ["a", "b", "c"]


def _answer_all(search: Search, answer: str = "left") -> None:
    for ask in search.ask():
        search.tell(ask, [answer] * ask.duels)


class TestItems:
    """Names, and what is refused."""

    @pytest.mark.parametrize(
        ("items", "match"),
        [
            ([], "at least one item"),
            (["a", "b", "a"], "'a' is given twice"),
            (["a", 3], "named by strings; got 3"),
        ],
    )
    def test_bad_items_are_refused(self, items: list[Any], match: str) -> None:
        with pytest.raises(InputError, match=match):
            NO_DECOYS.start(items)

    @pytest.mark.parametrize(
        "algorithm",
        [
            NO_DECOYS,
            ac.UnchainedBandits(),
            ac.UnchainedBandits(rules=ac.Rules.paper()),
            ac.UniformSampling(),
            ac.UniformSampling(decoy_gap=None),
            ac.SlicingBandits(),
        ],
        ids=lambda algorithm: algorithm.name,
    )
    def test_one_item_needs_no_duel(self, algorithm: ac.Algorithm) -> None:
        search = algorithm.start(["only"])
        assert search.ask() == []
        assert search.finished
        assert not search.waiting
        result = search.result()
        assert result.front == ("only",)
        assert result.certified
        assert result.duels == 0

    def test_one_item_is_never_waited_for(self) -> None:
        search = ac.SlicingBandits().start(["only"])
        assert not search.waiting
        assert search.finished


class TestAsk:
    """How much is handed out."""

    @pytest.mark.parametrize("n", [0, -1, 2.5, True])
    def test_a_bad_number_is_refused(self, n: Any) -> None:
        with pytest.raises(ParameterError, match="at least 1"):
            NO_DECOYS.start(ABC).ask(n)

    def test_is_within_the_quota_of_the_test(self) -> None:
        search = NO_DECOYS.start(ABC)
        message = search.message
        assert isinstance(message, Round)
        first = search.ask()
        assert [ask.duels for ask in first] == [message.test.quota(row) for row in message.start]

    def test_looks_ahead_only_when_asked_for_more(self) -> None:
        sure = sum(ask.duels for ask in NO_DECOYS.start(ABC).ask())
        assert sum(ask.duels for ask in NO_DECOYS.start(ABC).ask(sure)) == sure
        further = NO_DECOYS.start(ABC).ask(10_000)
        assert len(further) > 1
        assert sum(ask.duels for ask in further) > sure

    def test_by_the_paper_nothing_is_asked_ahead(self) -> None:
        algorithm = ac.UnchainedBandits(decoy_gap=0.1, rules=ac.Rules.paper())
        assert len(algorithm.start(ABC).ask(10_000)) == 1

    def test_nothing_is_asked_behind_a_verdict_that_ends_the_round(self) -> None:
        search = NO_DECOYS.start(["a", "b", "c", "d"])
        while len(asks := search.ask()) < 3:
            for ask in asks:
                search.tell(ask, ["tie"] * ask.duels)
        first, second, third = asks
        while len(search.outstanding) == 3:
            # The second pivot wins all, the third is given up again and again.
            _, losing, lost = search.outstanding
            search.tell(losing, ["right"] * losing.duels)
            search.expire(lost)
            search.ask()
        assert search.outstanding == (first,)
        assert search.waiting
        assert {second.right, third.right} <= set(search.result().among)

    def test_parts_of_a_bundle_are_judged_together(self) -> None:
        search = NO_DECOYS.start(["a", "b"])
        whole = search.ask()[0]
        search.expire(whole)
        parts = [search.ask(1)[0] for _ in range(whole.duels)]
        for part in parts[:-1]:
            search.tell(part, "left")
            assert search.result().duels == part.id - whole.id
            assert search.ask() == []
        search.tell(parts[-1], "left")
        assert search.ask()


class TestTell:
    """What counts, and what does not."""

    def test_receipts(self) -> None:
        search = NO_DECOYS.start(["a", "b"])
        ask = search.ask(2)[0]
        assert search.tell(ask, ["left", "tie"]) is Receipt.EVIDENCE
        assert search.tell(ask, ["left", "tie"]) is Receipt.SPARE
        result = search.result()
        assert (result.duels, result.spare) == (2, 2)
        assert result.answers == {"left": 2, "right": 0, "tie": 2, "incomparable": 0, "skipped": 0}

    def test_a_second_answer_of_the_wrong_size_is_refused(self) -> None:
        search = NO_DECOYS.start(["a", "b"])
        ask = search.ask(2)[0]
        search.tell(ask, ["left", "left"])
        with pytest.raises(ProtocolError, match="wants 2 answers; got 1"):
            search.tell(ask, "left")
        assert search.result().spare == 0

    def test_answers_to_dropped_comparisons_are_spare(self) -> None:
        search = ac.UnchainedBandits(delta=0.05, decoy_gap=None, epsilon=0.1).start(ABC, seed=1)
        asks = search.ask(10_000)
        kept = asks[0]
        while not search.result().dominated:
            loses = "right" if kept.left == asks[0].left else "left"
            search.tell(kept, [loses] * kept.duels)
            more = [ask for ask in search.ask() if {ask.left, ask.right} == {kept.left, kept.right}]
            if more:
                kept = more[0]
        fallen = set(search.result().dominated)
        late = [ask for ask in asks[1:] if {ask.left, ask.right} & fallen]
        assert late
        before = search.result()
        for ask in late:
            assert search.tell(ask, ["left"] * ask.duels) is Receipt.SPARE
        after = search.result()
        assert after.spare == before.spare + sum(ask.duels for ask in late)
        assert after.duels == before.duels

    def test_ties_are_coins_by_the_paper_and_halves_otherwise(self) -> None:
        def counts(rules: ac.Rules) -> list[int]:
            search = ac.UnchainedBandits(
                delta=0.05, decoy_gap=None, epsilon=0.1, rules=rules
            ).start(["a", "b"])
            ask = search.ask()[0]
            search.tell(ask, ["tie"] * ask.duels)
            assert search._open is not None
            found: list[int] = search._open.comparisons[0].counts[:3].tolist()
            assert sum(found) == ask.duels
            return found

        assert counts(ac.Rules())[:2] == [0, 0]
        wins, losses, ties = counts(ac.Rules.paper())
        assert ties == 0
        assert wins > 0
        assert losses > 0

    def test_incomparable_is_a_tie_to_whoever_did_not_ask_for_it(self) -> None:
        results = []
        for word in ("tie", "incomparable"):
            search = NO_DECOYS.start(["a", "b"])
            while not search.finished:
                _answer_all(search, word)
            results.append((search.result().front, search.result().duels))
        assert results[0] == results[1]
        assert results[0][0] == ("a", "b")


class TestSettle:
    """Whole rounds at once."""

    def test_a_message_is_there_until_a_part_of_it_is_asked(self) -> None:
        search = NO_DECOYS.start(ABC)
        assert search.message is not None
        search.ask(1)
        assert search.message is None
        with pytest.raises(ProtocolError, match="Nothing to settle"):
            search.settle(np.zeros((1, 8), np.int64))

    def test_looking_whether_to_wait_changes_nothing(self) -> None:
        search = NO_DECOYS.start(ABC)
        assert not search.waiting
        assert search.message is not None

    def test_the_wrong_outcome_is_refused_and_nothing_happens(self) -> None:
        search = NO_DECOYS.start(ABC)
        empty = np.zeros((0, 8), np.int64)
        message = search.message
        for outcome in (empty, np.zeros((5, 8), np.int64), RaceOutcome((), empty)):
            with pytest.raises(ProtocolError):
                search.settle(outcome)
        racing = ac.UniformSampling(decoy_gap=0.1).start(ABC)
        assert isinstance(racing.message, Race)
        with pytest.raises(ProtocolError, match="race"):
            racing.settle(np.zeros((3, 8), np.int64))
        assert search.message is message
        assert search.result().duels == racing.result().duels == 0

    def test_what_was_left_open_is_asked_for(self) -> None:
        search = NO_DECOYS.start(["a", "b"])
        message = search.message
        assert isinstance(message, Round)
        quota = message.test.quota(message.start[0])
        counts = message.start.copy()
        counts[0, 0] = quota - 1
        search.settle(counts)
        assert [ask.duels for ask in search.ask()] == [1]
        assert search.result().duels == quota - 1

    def test_rounds_and_asks_may_take_turns(self) -> None:
        arena = ac.SimulatedArena(ac.posets.total_order(5, gaps="constant:0.3"), seed=1)
        search = NO_DECOYS.start(arena.items)
        turn = 0
        while not search.finished:
            turn += 1
            message = search.message
            if message is not None and turn % 2:
                search.settle(arena.settle(message, None))
                continue
            for ask in search.ask():
                search.tell(ask, arena.answer([ask])[0])
        result = search.result()
        assert result.front == ("item-1",)
        assert sum(epoch.duels for epoch in result.epochs) == result.duels


class TestWarmStart:
    """Counts somebody else collected."""

    def test_evidence_carries_over(self) -> None:
        warm = NO_DECOYS.start(["a", "b"], direct={("b", "a"): (400, 100, 20)})
        assert warm.ask() == []
        result = warm.result()
        assert result.front == ("b",)
        assert result.dominated == {"a": "b"}
        assert result.duels == 0, "only what was asked here is counted"

    def test_a_pair_may_be_given_from_either_side_or_both(self) -> None:
        one = NO_DECOYS.start(["a", "b"], direct={("a", "b"): (5, 3, 1)})
        two = NO_DECOYS.start(["a", "b"], direct={("a", "b"): (4, 3), ("b", "a"): (0, 1, 1)})
        assert isinstance(one.message, Round)
        assert isinstance(two.message, Round)
        assert one.message.start.tolist() == two.message.start.tolist()
        assert sorted(one.message.start[0, :3].tolist()) == [1, 3, 5]

    def test_starting_from_a_run_is_going_on_with_it(self) -> None:
        model = ac.posets.layered(2, 3, 3, seed=2, gaps="minimum:0.15")
        algorithm = ac.UnchainedBandits(delta=0.01, decoy_gap=0.15)
        seen: dict[tuple[str, str, bool], ac.Tally] = {}
        arena = ac.KeyedArena(ac.SimulatedArena(model, 0.15), seed=1)
        cold = algorithm.start(model.items)
        while not cold.finished:
            for ask in cold.ask(1):
                tally = arena.answer([ask])[0]
                key = (ask.left, ask.right, ask.decoy)
                seen[key] = seen.get(key, ac.Tally()).plus(tally)
                cold.tell(ask, tally)
        direct = {(a, b): tally[:3] for (a, b, decoy), tally in seen.items() if not decoy}
        decoys = {(a, b): tally[:3] for (a, b, decoy), tally in seen.items() if decoy}
        fresh = ac.KeyedArena(ac.SimulatedArena(model, 0.15), seed=2)
        warm = algorithm.start(model.items, direct=direct, decoys=decoys)
        while not warm.finished:
            for ask in warm.ask(1):
                warm.tell(ask, fresh.answer([ask])[0])
        assert warm.result().front == cold.result().front == model.front
        assert warm.result().duels < 0.1 * cold.result().duels

    def test_slicing_keeps_the_counts_it_was_given(self) -> None:
        search = ac.SlicingBandits().start(["a", "b"], direct={("a", "b"): (1000, 0)})
        (probe,) = search.ask()
        search.tell(probe, "left")
        assert search.ask() == []
        assert search.result().front == ("a",)

    @pytest.mark.parametrize("where", ["direct", "decoys"])
    def test_wrong_names_are_refused(self, where: str) -> None:
        with pytest.raises(InputError, match=r"'z'.*not among the items"):
            NO_DECOYS.start(ABC, **{where: {("a", "z"): (1, 2)}})
        with pytest.raises(InputError, match="'a' against itself"):
            NO_DECOYS.start(ABC, **{where: {("a", "a"): (1, 2)}})

    @pytest.mark.parametrize("counts", [(-1, 3), (0.5, 3), (1,), (1, 2, 3, 4)])
    def test_what_is_no_count_is_refused(self, counts: Any) -> None:
        with pytest.raises(InputError):
            NO_DECOYS.start(ABC, direct={("a", "b"): counts})

    def test_intervals_cannot_start_warm(self) -> None:
        counts = {("a", "b"): (1, 2)}
        for algorithm in (ac.UnchainedBandits(rules=ac.Rules.paper()), ac.UniformSampling()):
            with pytest.raises(ParameterError, match="cannot start from counts"):
                algorithm.start(ABC, direct=counts)
            with pytest.raises(ParameterError, match="cannot start from counts"):
                algorithm.start(ABC, decoys=counts)


def test_lost_answers_held_against_every_claim_cost_duels() -> None:
    def duels(lost: str) -> int:
        rules = ac.Rules(lost=lost)  # type: ignore[arg-type]
        search = ac.UnchainedBandits(delta=0.05, decoy_gap=None, epsilon=0.2, rules=rules).start(
            ["a", "b"]
        )
        count = 0
        while not search.finished:
            for ask in search.ask(1):
                count += 1
                if count % 10 == 0:
                    search.expire(ask)
                else:
                    search.tell(ask, "left" if count % 5 else "right")
        result = search.result()
        (pair,) = result.lost_by_pair
        assert {pair.left, pair.right} == {"a", "b"}
        assert not pair.decoy
        assert 0 < pair.lost == result.lost < pair.asked == count
        return result.duels

    assert duels("against") > duels("ignore")


def test_duels_are_charged_to_whoever_played_them() -> None:
    # An in-step comparison cut short by a budget: more duels one way than the other.
    counts = DuelCounts(3)
    played = np.array([[3, 1, 0, 0, 1, 0, 1, 0]], np.int64)
    test = SequentialTest.decoys_in_step(0.1, 0.1)
    counts.book(np.array([0]), np.array([2]), test, played)
    costs = counts.costs()
    assert (costs.direct, costs.decoy, costs.probes, costs.duels) == (0, 6, 0, 6)
    assert costs.against_decoys.tolist() == [4, 0, 2]
    assert costs.as_decoy.tolist() == [2, 0, 4]
    probe = np.array([[0, 0, 0, 0, 1, 0, 0, 0]], np.int64)
    counts.book(np.array([1]), np.array([2]), SequentialTest.probe(), probe)
    costs = counts.costs()
    assert (costs.decoy, costs.probes) == (6, 1)
    assert costs.peeling.tolist() == [0, 1, 1]
    assert counts.duels == costs.duels == 7


class TestBroughtAlong:
    """Counts that decide before anything is asked."""

    def test_a_run_that_is_already_decided_is_finished(self) -> None:
        search = NO_DECOYS.start(["a", "b"], direct={("a", "b"): (10_000, 10)})
        assert search.finished
        assert search.result().certified
        assert search.result().front == ("a",)

    def test_direct_counts_help_even_without_a_peel(self) -> None:
        algorithm = ac.UnchainedBandits(delta=0.05, decoy_gap=0.4)
        assert algorithm.schedule(2) == ()
        search = algorithm.start(["a", "b"], direct={("a", "b"): (10_000, 10)})
        assert search.result().front == ("a",)

    def test_the_loop_can_start_warm(self) -> None:
        arena = ac.SimulatedArena(ac.posets.antichain(2), 0.1)
        algorithm = ac.UnchainedBandits(delta=0.05, decoy_gap=0.1)
        a, b = arena.items
        result = ac.find_front(arena, algorithm, direct={(a, b): (9_000, 1_000)})
        assert result.front == (a,)
        assert result.duels == 0


@pytest.mark.parametrize("tally", [ac.Tally(2.0, 0.0), ac.Tally(-1, 3), ac.Tally(float("nan"), 1)])
def test_a_tally_of_anything_but_whole_numbers_changes_nothing(tally: ac.Tally) -> None:
    search = NO_DECOYS.start(["a", "b"])
    (ask,) = search.ask(2)
    before = search.result()
    with pytest.raises(InputError):
        search.tell(ask, tally)
    assert search.result() == before
    assert search.outstanding == (ask,)


class TestLooking:
    """Looking changes nothing, and is not noted."""

    def test_whoever_looks_sees_and_does_nothing(self) -> None:
        search = NO_DECOYS.start(ABC)
        asks = search.ask(2, ahead=False)
        before, ahead = search.script().events, dict(search._ahead)
        for _ in range(3):
            assert not search.waiting
            assert search.outstanding == tuple(asks)
            search.result(), search.costs(), search.counts()
        assert search.script().events == before
        assert search._ahead == ahead == {}

    def test_work_ahead_begins_with_an_ask_for_it(self) -> None:
        search = NO_DECOYS.start(ABC)
        search.ask()
        assert not search.waiting
        assert not search._ahead
        assert search.ask(1)
        assert len(search._ahead) == 1


class _Guess(ac.Algorithm):
    """The first item, whatever the voters say."""

    name = "guess"

    def plan(self, state: PlanState) -> Plan[Indices]:
        yield round_of(0, np.array([1]), SequentialTest.fixed(), targets=[1])
        return np.array([0])


class _Promise(_Guess):
    guarantee = "The first item, always."


@pytest.mark.parametrize(("algorithm", "certified"), [(_Guess(), False), (_Promise(), True)])
def test_a_method_without_a_guarantee_certifies_nothing(
    algorithm: ac.Algorithm, certified: bool
) -> None:
    search = algorithm.start(["a", "b"])
    assert not search.result().certified
    _answer_all(search)
    assert search.finished
    assert search.result().front == ("a",)
    assert search.result().certified is certified


def test_every_method_of_the_package_states_its_guarantee() -> None:
    methods = [
        ac.UnchainedBandits(),
        ac.Witness(),
        ac.UniformSampling(),
        ac.SlicingBandits(),
        ac.RealDecoys(),
    ]
    for method in methods:
        assert method.guarantee
        assert method.guarantee.endswith(".")
