"""One contract for every algorithm: however answers come in, the run comes to the same end."""

from functools import cache
from typing import Any

import pytest

import antichain as ac
from antichain.algorithms.result import Result
from antichain.algorithms.rounds import Ask, Receipt
from antichain.algorithms.search import Search
from antichain.errors import InputError, ParameterError, ProtocolError

from .cases import Case, cases, small_world
from .feeding import Crowd, Doubled, Feed, Late, Lossy, Skipping, in_portions

CASES = {case.label: case for case in cases()}
TIES = (0.0, 0.25)
_SEED = 3


def _keyed(case: Case, ties: float = 0.0) -> ac.KeyedArena:
    return ac.KeyedArena(case.world(small_world()), seed=_SEED, tie_chance=ties)


def _start(case: Case) -> Search:
    return case.algorithm.start(small_world().items, seed=_SEED)


def _fed(case: Case, feed: Feed, ties: float = 0.0) -> Result:
    search = _start(case)
    feed(search, _keyed(case, ties))
    return search.result()


@cache
def _one_by_one(label: str, ties: float) -> Result:
    return _fed(CASES[label], in_portions(1), ties)


def _outcome(case: Case, result: Result) -> dict[str, Any]:
    """What must not depend on how the answers came in."""
    assert result.certified
    return {
        "front": result.front,
        "dominated": result.dominated,
        "epochs": result.epochs,
        "duels": (result.direct_duels, result.decoy_duels, result.probes),
    }


def _loss_rate(case: Case) -> float:
    # Held against every claim, losses larger than the gaps would leave nothing to be claimed.
    return 0.03 if case.holds_lost_against else 0.3


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
class TestEveryAlgorithm:
    """The ask/tell contract."""

    def _same(self, case: Case, ties: float, feed: Feed) -> Result:
        result = _fed(case, feed, ties)
        expected = _one_by_one(case.label, ties)
        changed = case.holds_lost_against and result.lost
        shifted = case.revisits and result.spare
        if changed or shifted or (case.mingles and isinstance(feed, Crowd)):
            assert result.certified
            assert result.front == expected.front
        else:
            assert _outcome(case, result) == _outcome(case, expected)
        return result

    def test_one_at_a_time_wastes_nothing_and_finds_the_front(
        self, case: Case, ties: float
    ) -> None:
        result = _one_by_one(case.label, ties)
        assert result.certified
        assert result.spare == result.lost == 0
        model = small_world()
        if case.label.startswith("unchained-no-decoys"):
            assert model.is_eps_approximation(result.front, case.algorithm.epsilon)
        else:
            assert result.front == model.front
        assert sum(result.answers.values()) == result.duels
        assert sum(epoch.duels for epoch in result.epochs) == result.duels

    def test_whole_bundles(self, case: Case, ties: float) -> None:
        self._same(case, ties, in_portions(None))

    @pytest.mark.parametrize("n", [7, 100])
    def test_batches(self, case: Case, ties: float, n: int) -> None:
        result = self._same(case, ties, in_portions(n))
        if case.by_the_paper:
            assert result.spare == 0

    def test_out_of_order(self, case: Case, ties: float) -> None:
        self._same(case, ties, Crowd(1, portion=40))

    def test_late_answers_are_spare(self, case: Case, ties: float) -> None:
        crowd = Late(2, portion=40, rate=_loss_rate(case))
        result = self._same(case, ties, crowd)
        assert result.spare >= crowd.spare > 0
        assert result.lost == crowd.lost == sum(pair.lost for pair in result.lost_by_pair)

    def test_second_answers_are_spare(self, case: Case, ties: float) -> None:
        crowd = Doubled(3, portion=40)
        result = self._same(case, ties, crowd)
        assert result.spare >= crowd.spare > 0

    def test_lost_answers_are_asked_again(self, case: Case, ties: float) -> None:
        crowd = Lossy(4, portion=40, rate=_loss_rate(case))
        result = self._same(case, ties, crowd)
        assert result.lost == crowd.lost > 0

    def test_skipped_duels_are_asked_again(self, case: Case, ties: float) -> None:
        crowd = Skipping(5, portion=40)
        crowd.rate = _loss_rate(case)
        # Where they are held against every claim, they also change what it takes.
        result = (
            _fed(case, crowd, ties) if case.holds_lost_against else self._same(case, ties, crowd)
        )
        assert result.answers["skipped"] > 0
        assert result.lost == 0


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
class TestTheGame:
    """Moves, legal and not."""

    def test_waiting_is_not_finished(self, case: Case) -> None:
        search = _start(case)
        assert not search.waiting
        asks = search.ask()
        assert asks
        assert search.ask() == []
        while search.ask(100):  # work further ahead
            pass
        assert search.waiting
        assert not search.finished
        search.expire(asks[0])
        assert not search.waiting

    def test_finished_is_not_waiting(self, case: Case) -> None:
        search = _start(case)
        in_portions(None)(search, _keyed(case))
        assert search.finished
        assert not search.waiting
        assert search.ask() == search.ask(5) == []

    def test_illegal_moves_change_nothing(self, case: Case) -> None:
        search = _start(case)
        ask = search.ask(3)[0]
        before = _visible(search)
        too_many = ["left"] * (ask.duels + 1)
        for number in (ask, ask.id):
            with pytest.raises(ProtocolError, match=f"wants {ask.duels} answers"):
                search.tell(number, too_many)
        for unknown in (0, -1, ask.id + 1000):
            with pytest.raises(ProtocolError, match="No ask"):
                search.tell(unknown, "left")
            with pytest.raises(ProtocolError, match="No ask"):
                search.expire(unknown)
        with pytest.raises(InputError, match="'perhaps'"):
            search.tell(ask, ["perhaps"] * ask.duels)
        with pytest.raises(ParameterError):
            search.ask(0)
        with pytest.raises(ProtocolError, match="Nothing to settle"):
            search.settle(None)  # type: ignore[arg-type]
        assert _visible(search) == before
        in_portions(7)(_answered(search, case), _keyed(case))
        assert search.finished

    def test_asks_and_answers_balance(self, case: Case) -> None:
        search, arena = _start(case), _keyed(case)
        told = 0
        while not search.finished:
            asks = search.ask(60)
            assert len({ask.id for ask in asks}) == len(asks)
            for ask, tally in zip(asks, arena.answer(asks), strict=True):
                told += tally.total
                search.tell(ask, tally)
        result = search.result()
        assert result.duels + result.spare == told

    def test_answers_count_evidence_and_spare(self, case: Case) -> None:
        result = _fed(case, in_portions(100))
        assert sum(result.answers.values()) == result.duels + result.spare

    def test_what_comes_after_the_end_is_spare(self, case: Case) -> None:
        search = _start(case)
        first = search.ask(1)[0]
        search.expire(first)
        in_portions(50)(search, _keyed(case))
        before = search.result()
        assert search.tell(first, "left") is Receipt.SPARE
        after = search.result()
        assert after.spare == before.spare + 1
        assert after.duels == before.duels
        assert after.front == before.front


def _answered(search: Search, case: Case) -> Search:
    """The search with everything that was out answered."""
    arena = _keyed(case)
    for ask in search.outstanding:
        search.tell(ask, arena.answer([ask])[0])
    return search


def _visible(search: Search) -> tuple[Any, ...]:
    result = search.result().to_dict()
    return search.outstanding, search.finished, search.waiting, result


def test_asks_name_items_and_never_an_item_against_itself() -> None:
    search = _start(CASES["unchained"])
    for ask in search.ask(500):
        assert isinstance(ask, Ask)
        assert ask.left != ask.right
        assert {ask.left, ask.right} <= set(small_world().items)
