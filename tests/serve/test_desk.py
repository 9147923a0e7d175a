"""The desk: what is handed to whom, as a function of the records alone."""

from __future__ import annotations

import json
import random

import pytest

from antichain.algorithms._certifying import Certifying, Wish
from antichain.serve import _ballot_desk
from antichain.serve._ask_plans import AskPlan
from antichain.serve._ballot_desk import BallotDesk, RefusalError
from antichain.serve._follower import Follower
from antichain.serve._guard import ask_id, ask_number
from antichain.serve._service import Service
from antichain.serve._stores import MemoryStore
from antichain.study._ballot_entries import Ballot, BallotEntry
from antichain.study._conduct import Conduct
from antichain.study._records import ItemRecord, Settings, StudyRecord
from antichain.study._state import StudyState
from antichain.study._study_file import ballot_from

ITEMS = ("a", "b", "c", "d")


def a_desk(seed: int = 1, **conduct: object) -> BallotDesk:
    entries = tuple(BallotEntry(name) for name in ITEMS)
    ballot = Ballot("t", "q", entries, conduct=Conduct(**conduct))  # type: ignore[arg-type]
    return BallotDesk(Settings.new(ITEMS, None, seed), ballot)


class Table:
    """A desk, all records that it made, and a clock."""

    def __init__(self, desk: BallotDesk) -> None:
        self.desk, self.now = desk, 1000.0
        self.records: list[StudyRecord] = []

    def do(self, move: str, *arguments: object) -> dict:
        self.take(list(self.desk.overdue(self.now)))
        records, reply = getattr(self.desk, move)(*arguments, self.now)
        self.take(records)
        return reply()

    def take(self, records: list[StudyRecord]) -> None:
        for record in records:
            self.desk.apply(record)
            self.records.append(record)

    def ask(self, voter: str, n: int = 1) -> list[dict]:
        return self.do("ask", voter, n)["asks"]

    def answer(self, ask: dict, word: str = "left") -> dict:
        return self.do("answer", ask["id"], word, None, None)


def pair(ask: dict) -> frozenset[str]:
    return frozenset((ask["left"], ask["right"]))


def test_a_lease_that_ends_gives_the_ask_up() -> None:
    table = Table(a_desk(lease=60.0))
    (ask,) = table.ask("ann")
    assert ask["until"] == 1060.0
    table.now += 59
    assert table.ask("ann") == [ask]
    table.now += 2
    (other,) = table.ask("ann")
    assert other["id"] == 2
    with pytest.raises(RefusalError) as caught:
        table.answer(ask)
    assert caught.value.kind == "gone"


def test_an_undone_answer_has_a_lease_of_its_own() -> None:
    table = Table(a_desk(lease=60.0))
    (ask,) = table.ask("ann")
    table.now += 50
    table.answer(ask)
    table.now += 50
    assert table.do("undo", "ann", None)["until"] == table.now + 60
    table.now += 59
    assert table.ask("ann", 0)[0]["id"] == ask["id"]
    table.now += 2
    assert table.ask("ann", 0) == []


def test_pairs_follow_the_plan_and_do_not_come_back() -> None:
    table = Table(a_desk())
    wanted = [Wish("a", "b", False)] * 3 + [Wish("c", "d", False)]
    others = [Wish("a", "b", False), Wish("c", "d", False), Wish("a", "c", False)]
    table.desk.asking.take(AskPlan(1, list(wanted), others, False))
    seen = [pair(*table.ask(voter)) for voter in ("ann", "bob", "cy", "dan")]
    assert seen == [frozenset("ab")] * 3 + [frozenset("cd")]
    for voter in ("ann", "bob"):
        table.answer(table.ask(voter)[0])
    met = [frozenset("ab")]
    for _ in range(2):
        (ask,) = table.ask("ann")
        met.append(pair(ask))
        table.answer(ask, "skipped")
    assert len(set(met)) == 3
    (again,) = table.ask("ann")  # all that is of use was met: not what came last
    assert pair(again) != met[-1]


def test_a_plan_that_is_behind_is_not_followed_twice() -> None:
    table = Table(a_desk())
    table.desk.asking.take(AskPlan(1, [Wish("a", "b", False)], [], False))
    table.ask("ann")
    late = AskPlan(1, [Wish("a", "b", False), Wish("a", "c", False)], [], False)
    table.desk.asking.take(late)
    assert pair(*table.ask("bob")) == frozenset("ac")


def test_a_plan_that_knows_more_than_the_desk_waits() -> None:
    """The process that judges may have read an item which another server has added."""
    desk = a_desk()
    ballot = Ballot("t", "q", tuple(map(BallotEntry, ITEMS)))
    service = Service(desk.settings, ballot, MemoryStore(), lambda *_: None)  # type: ignore[arg-type]
    service._plan = plan = AskPlan(2, [Wish("a", "e", False)], [], False)
    service._give_plan(desk)
    assert desk.asking.given is None
    desk.apply(ItemRecord(1.0, "e"))
    service._give_plan(desk)
    assert desk.asking.given is plan


def test_the_end_of_a_study() -> None:
    table = Table(a_desk(closes=2000.0))
    table.desk.asking.take(AskPlan(1, [], [], True))
    assert table.do("ask", "ann", 1)["state"] == "finished"
    table.do("add_item", "e", {})
    table.desk.asking.take(AskPlan(1, [], [], True))  # it does not know of the item
    assert table.do("ask", "ann", 1)["state"] == "open"
    table.now = 2001.0
    assert table.do("ask", "ann", 1)["state"] == "finished"


def test_no_more_votes_than_were_wanted() -> None:
    table = Table(a_desk(most_votes=3))
    first = table.ask("ann", 2)
    second = table.ask("bob", 5)
    assert len(first) + len(second) == 3
    assert table.do("ask", "cy", 1) == {"asks": [], "state": "open", "answered": 0, "of": None}
    for ask in first + second:
        table.answer(ask)
    assert table.do("ask", "cy", 1)["state"] == "finished"


def test_asks_that_were_given_up_free_their_place() -> None:
    table = Table(a_desk(most_votes=3, lease=60.0))
    for ask in table.ask("ann", 2):
        table.do("expire", ask["id"], None, None)
    table.ask("bob", 1)
    table.now += 61  # bob's is given up as well
    asks = table.ask("cy", 5)
    assert len(asks) == 3
    for ask in asks:
        table.answer(ask)
    assert table.do("ask", "cy", 1)["state"] == "finished"
    assert table.desk.counts()["votes"] == 3


@pytest.mark.parametrize("criteria", [None, ("taste", "looks")])
def test_asks_that_were_given_up_take_none_of_the_budget(criteria: tuple[str, ...] | None) -> None:
    """Neither for the desk nor for the process that judges."""
    entries = tuple(BallotEntry(name) for name in ITEMS)
    asked = dict.fromkeys(criteria or (), "?")
    ballot = Ballot("t", "q", entries, criteria=asked, conduct=Conduct(Certifying(budget=3)))
    table = Table(BallotDesk(Settings.new(ITEMS, ballot.algorithm, 1), ballot))
    follower = Follower(table.desk.settings, "x")

    def planned() -> AskPlan:
        lines = [json.dumps(record.to_json()) for record in table.records[follower.line - 1 :]]
        follower.follow(lines)
        return follower.plan()

    last, *asks = table.ask("ann", 3)
    for ask in asks:
        table.do("expire", ask["id"], None, None)
    assert len(planned().wanted) == 2  # one is out
    table.answer(last)
    assert len(planned().wanted) == 2
    for _ in range(2):
        assert not planned().finished
        table.desk.asking.take(planned())
        table.answer(*table.ask("ann"), "left")
    assert planned().finished
    assert follower.certificate(likely=False).votes == 3
    assert table.do("ask", "ann", 1)["state"] == "finished"


@pytest.mark.parametrize("by", ["budget", "votes"])
def test_voters_who_are_left_out_take_no_room(by: str) -> None:
    """Neither for the desk nor for the process that judges."""
    limit = {"algorithm": Certifying(budget=3)} if by == "budget" else {"most_votes": 3}
    desk = a_desk(**limit)
    desk.settings = Settings.new(ITEMS, desk.conduct.algorithm, 1)
    table = Table(desk)
    for ask in table.ask("bad", 3)[:2]:  # one stays out
        table.answer(ask)
    assert table.ask("good") == []
    table.do("leave_out", "bad", True, None)
    assert table.desk.counts()["votes"] == 0
    assert len(table.ask("good", 3)) == 3
    search = StudyState(desk.settings, table.records).search
    assert len(search.outstanding) == 3
    for ask in table.ask("good", 3):
        table.answer(ask)
    assert table.do("ask", "good", 1)["state"] == "finished"
    assert table.desk.counts()["votes"] == 3
    if by == "budget":
        assert StudyState(desk.settings, table.records).search.finished
    table.do("leave_out", "bad", False, None)
    assert table.desk.counts()["votes"] == 5
    assert len(table.ask("bad", 3)) == 1  # the one that was out


def test_nothing_is_taken_back_when_the_study_is_over() -> None:
    table = Table(a_desk(closes=2000.0))
    table.answer(*table.ask("ann"))
    table.answer(*table.ask("ann"))
    table.do("undo", "ann", None)
    for over in (AskPlan(99, [], [], True), None):
        if over is None:
            table.desk.asking.go_on(99)
            table.now = 2001.0
        else:
            table.desk.asking.take(over)
        with pytest.raises(RefusalError, match="The study is over"):
            table.do("undo", "ann", None)


def test_a_pause_is_no_part_of_a_lease() -> None:
    table = Table(a_desk(lease=60.0))
    first, second = table.ask("ann", 2)
    table.now += 20
    table.do("pause", True)
    table.now += 1000
    found = table.do("ask", "ann", 2)
    assert ([ask["id"] for ask in found["asks"]], found["state"]) == ([1, 2], "paused")
    assert table.do("ask", "bob", 1)["asks"] == []
    table.answer(first)
    again = table.do("undo", "ann", first["id"])
    assert again["until"] == table.now + 60
    table.now += 10
    table.do("pause", False)
    untils = {ask["id"]: ask["until"] for ask in table.ask("ann", 2)}
    assert untils == {1: table.now + 60, 2: table.now + 40}
    table.now += 41
    assert [ask["id"] for ask in table.ask("ann", 0)] == [1]
    table.now += 20
    assert table.ask("ann", 0) == []
    assert second["id"] == 2


def test_checks_of_attention_are_no_votes() -> None:
    document = {
        "items": [{"name": "a", "decoy": "worse"}, "b", "c"],
        "checks": 3,
    }
    ballot = ballot_from(document, "x")
    table = Table(BallotDesk(Settings.new(["a", "b", "c"], None, 1), ballot))
    numbers = []
    for _ in range(8):
        (ask,) = table.ask("ann")
        numbers.append(ask["id"])
        table.answer(ask)
    assert numbers == [1, 2, 3, -1, 4, 5, 6, -2]
    assert table.desk.counts()["votes"] == 6


def test_a_check_whose_decoy_is_gone_is_not_handed_out() -> None:
    """The owner has taken the decoy out of the study file, and started the server again."""
    items, decoy = ["a", "b", "c"], {"name": "a", "decoy": "worse"}
    settings = Settings.new(items, None, 1)
    before = BallotDesk(settings, ballot_from({"items": [decoy, "b", "c"], "checks": 1}, "x"))
    table = Table(before)
    table.answer(*table.ask("ann"))
    (check,) = table.ask("ann")
    assert check["id"] == -1
    table.desk = BallotDesk(settings, ballot_from({"items": items, "checks": 1}, "x"))
    for record in table.records:
        table.desk.apply(record)
    (ask,) = table.ask("ann")
    assert ask["id"] == 2
    assert ask["left"] != ask["right"]
    assert [ask["id"] for ask in table.ask("ann", 2)] == [2, 3]
    table.answer(check)  # a page that was open before has shown the decoy
    table.do("undo", "ann", None)
    assert [ask["id"] for ask in table.ask("ann", 3)] == [1, 2, 3]


def test_checks_of_attention_are_no_part_of_a_session() -> None:
    document = {"items": [{"name": "a", "decoy": "worse"}, "b", "c"], "checks": 2, "session": 4}
    table = Table(BallotDesk(Settings.new(["a", "b", "c"], None, 1), ballot_from(document, "x")))
    numbers, answered = [], []
    while asks := table.ask("ann", 2):
        numbers.append(asks[0]["id"])
        answered.append(table.answer(asks[0])["answered"])
    assert (numbers, answered) == ([1, 2, -1, 3, 4], [1, 2, 2, 3, 4])
    assert table.do("ask", "ann", 1)["state"] == "session"
    table.do("undo", "ann", None)
    assert table.ask("ann", 1)[0]["id"] == 4


def test_ids_do_not_tell_checks_from_votes() -> None:
    votes, checks = ([ask_id("secret", sign * k) for k in range(1, 401)] for sign in (1, -1))
    assert [ask_number("secret", ask) for ask in checks] == [-k for k in range(1, 401)]
    assert [ask_number("secret", ask) for ask in votes] == [*range(1, 401)]
    for ids in (votes, checks):
        assert 0 < min(ids) < max(ids) < 2**53
        for bit in range(53):  # each is a fair coin, which falls outside in one of 10^9 cases
            assert 130 < sum(ask >> bit & 1 for ask in ids) < 270


def test_only_so_many_asks_are_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ballot_desk, "MOST_OUT", 7)
    table = Table(a_desk())
    found = [len(table.ask(f"voter {k}", 5)) for k in range(4)]
    assert found == [5, 2, 0, 0]
    table.answer(table.ask("voter 1")[0])
    assert len(table.ask("voter 3", 5)) == 1


def test_a_reason_that_is_not_offered() -> None:
    table = Table(a_desk(reasons=("crunch",)))
    (ask,) = table.ask("ann")
    for word, reason in (("left", "why not"), ("left", "don't know"), ("skipped", "")):
        with pytest.raises(RefusalError, match="one of none, crunch was expected"):
            table.do("answer", ask["id"], word, reason, None)
    assert table.do("answer", ask["id"], "left", "crunch", None)["answered"] == 1


def test_a_plan_has_every_question_about_a_pair() -> None:
    entries = tuple(BallotEntry(name) for name in ITEMS)
    ballot = Ballot("t", "q", entries, criteria={"taste": "?", "looks": "?"})
    follower = Follower(Settings.new(ITEMS, ballot.algorithm, 1), "x")
    planned = {(frozenset(wish[:2]), wish.criterion) for wish in follower.plan().others}
    assert len(planned) > 6  # there are six pairs, and each has two questions


@pytest.mark.parametrize("seed", range(3))
def test_the_state_is_that_of_the_records(seed: int) -> None:
    """A desk and a follower that read the records later stand where the first desk stands."""
    rng, table = random.Random(seed), Table(a_desk(seed, lease=30.0, session=60))
    held: dict[str, list[dict]] = {}
    for _ in range(400):
        voter, luck = f"v{rng.randrange(4)}", rng.random()
        table.now += rng.choice([0.5, 1.0, 12.0])
        try:
            if luck < 0.5:
                held[voter] = table.ask(voter, rng.randrange(3))
            elif luck < 0.85 and held.get(voter):
                table.answer(held[voter].pop(), rng.choice(["left", "right", "tie", "skipped"]))
            elif luck < 0.93:
                table.do("undo", voter, None)
            elif luck < 0.97:
                table.do("leave_out", voter, luck < 0.95, None)
            else:
                table.do("pause", luck < 0.98)
        except RefusalError:
            pass
    twin = a_desk(seed, lease=30.0, session=60)
    for record in table.records:
        twin.apply(record)
    assert twin.counts() == table.desk.counts()
    assert twin.out == table.desk.out
    assert {n: s.holds for n, s in twin.voters.items()} == {
        n: s.holds for n, s in table.desk.voters.items()
    }
    follower = Follower(table.desk.settings, "x")
    lines = [json.dumps(record.to_json()) for record in table.records]
    for start in range(0, len(lines), 37):
        follower.follow(lines[start : start + 37])
    at_once = Follower(table.desk.settings, "x")
    at_once.follow(lines)
    mine, theirs = (f.certificate(likely=False).to_dict() for f in (follower, at_once))
    assert mine == theirs
    assert table.desk.answers == len(at_once.state.answers)
