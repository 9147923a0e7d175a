"""The owner's overview: which lines its diagram has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import antichain as ac
from antichain.algorithms._certifying import Certifying
from antichain.serve._ask_plans import AskPlanner
from antichain.serve._follower import Follower
from antichain.serve._overview import _advice, _beliefs, _without_cycles, overview, voters_of
from antichain.study._exported import certificate_of, votes_csv
from antichain.study._records import Settings
from antichain.study._state import StudyState
from tests.serve.test_desk import Table, a_desk


def test_a_line_that_closes_a_circle_is_left_out() -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "a"), ("a", "d")]
    assert _without_cycles(pairs, ["a", "b", "c", "d"]) == [pairs[k] for k in (0, 1, 3, 5)]


def test_lines_are_likely_where_one_beats_the_other_by_more_than_epsilon() -> None:
    table = Table(a_desk())
    for k in range(120):
        (ask,) = table.ask(f"voter {k % 5}")
        first = "left" if ask["left"] < ask["right"] else "right"
        # "a" is preferred to the others, nobody can compare "c" and "d", and "b" ties with both.
        word = {"a": first, "b": "tie", "c": "incomparable"}[min(ask["left"], ask["right"])]
        table.answer(ask, word)
    state = StudyState(table.desk.settings, history=False)
    state.extend(table.records)
    found = _beliefs(state, 0.1)
    assert {upper for upper, _ in found} == {"a"}
    assert all(0.9 <= chance <= 1.0 for chance in found.values())
    assert len(_beliefs(state, 0.45)) < len(found)


def _state(table: Table) -> StudyState:
    state = StudyState(table.desk.settings, history=False)
    state.extend(table.records)
    return state


def test_only_items_with_a_place_are_drawn() -> None:
    table = Table(a_desk())
    for _ in range(40):
        (ask,) = table.ask("ann")
        table.answer(ask, "left" if ask["left"] < ask["right"] else "right")
    table.do("add_item", "e", {})  # nobody has voted on it
    state = _state(table)
    drawn = overview(state, certificate_of(state, "x", likely=False), 1, 0.0)["hasse"]
    linked = {name for edge in drawn["edges"] for name in (edge["from"], edge["to"])}
    assert linked == {node["name"] for node in drawn["nodes"]} == {"a", "b", "c", "d"}
    assert drawn["alone"] == ["e"]


def test_three_wins_of_three_are_too_few_to_be_drawn() -> None:
    table = Table(a_desk())
    met = 0
    while met < 3:
        (ask,) = table.ask("ann")
        ours = {ask["left"], ask["right"]} == {"a", "b"}
        table.answer(ask, ("left" if ask["left"] == "a" else "right") if ours else "tie")
        met += ours
    state = _state(table)
    assert ("a", "b") not in _beliefs(state, 0.1)  # 1 - 0.6^4 is 0.87
    drawn = overview(state, certificate_of(state, "x", likely=False), 1, 0.0)["hasse"]
    assert {"a", "b"} <= {*drawn["alone"]}
    assert drawn["drawn_from"] == 0.9  # the page says that it takes so much


def test_votes_that_one_voter_repeats_are_no_secret(tmp_path: Path) -> None:
    table = Table(a_desk())
    for _ in range(40):
        (ask,) = table.ask("ann")
        table.answer(ask, "left" if ask["left"] < ask["right"] else "right")
    table.do("add_item", "e", {})
    state = _state(table)
    certificate = certificate_of(state, "x", likely=False)
    said = "34 votes repeat a voter's earlier vote on the same pair (1 of 1 voter did so)"
    (note,) = (note for note in certificate.notes if "repeat" in note)
    assert note.startswith(said)
    assert "cluster" not in note  # the owner of a study need not know the word
    assert not any("--cluster" in text or "as the cluster" in text for text in certificate.notes)
    assert not any("as the cluster" in text for text in certificate.assumptions)
    (flag,) = (f for f in overview(state, certificate, 1, 0.0)["flags"] if f["kind"] == "repeats")
    assert flag["text"] == note
    # Items that joined later were not there before the votes.
    assert not any("chosen before the votes" in text for text in certificate.assumptions)
    assert any(text.startswith("Of the 5 items, 1 joined") for text in certificate.assumptions)
    # Whoever reads the export, with voters under other names, is told the same.
    path = tmp_path / "votes.csv"
    path.write_text(votes_csv(state, lambda voter: f"not {voter}"))
    found, ours = (c.to_dict() for c in (ac.front(path, likely=False), certificate))
    assert {key for key in ours if ours[key] != found[key]} <= {"source", "digest"}


def test_who_votes_alone_agrees_with_nobody() -> None:
    table = Table(a_desk())
    for _ in range(30):
        table.answer(*table.ask("ann"))
    assert [voter["agreement"] for voter in voters_of(_state(table))] == [None]


def test_what_holds_up_votes_is_named_with_the_time_left() -> None:
    table = Table(a_desk(lease=600.0))
    (late,) = table.ask("slow")

    def look() -> dict:
        state = _state(table)
        return overview(state, certificate_of(state, "x", likely=False), 1, table.now)

    assert look()["waiting"] is None  # nothing comes after it
    for _ in range(3):
        table.answer(*table.ask("quick"))
    table.now += 200
    found = look()
    sides = {"left": late["left"], "right": late["right"]}
    assert found["waiting"] == {"voter": "slow", "held": 3, "since": 200, "seconds": 400} | sides
    assert "ask 1" not in found["conclusion"]
    table.do("pause", True)
    table.now += 300
    assert look()["waiting"]["seconds"] == 400
    table.do("pause", False)
    table.now += 100
    assert look()["waiting"]["seconds"] == 300
    table.answer(late)
    assert look()["waiting"] is None
    table.now += 50
    table.do("undo", "slow", None)  # it has the whole lease again, as the last of all asks
    table.now += 10
    assert look()["waiting"] is None
    assert _state(table).search.outstanding[0].id == 5
    table.answer(*table.ask("quick"))
    assert look()["waiting"] == {"voter": "slow", "held": 1, "since": 10, "seconds": 590} | sides


def test_voters_without_an_answer_are_listed_and_whoever_is_left_out_is_noted() -> None:
    table = Table(a_desk())
    table.ask("late")
    table.answer(*table.ask("ann"))

    def voters() -> dict[str, tuple[int, bool]]:
        state = _state(table)
        seen = overview(state, certificate_of(state, "x", likely=False), 1, 0.0)
        assert seen["counts"]["voters"] == 1
        return {v["voter"]: (v["votes"], v["excluded"]) for v in seen["voters"]}

    assert voters() == {"ann": (1, False), "late": (0, False)}
    table.do("leave_out", "late", True, "left")
    assert voters() == {"ann": (1, False), "late": (0, True)}
    table.do("expire", 1, None, None)
    assert voters() == {"ann": (1, False), "late": (0, True)}
    table.do("leave_out", "ann", True, None)
    certificate = certificate_of(_state(table), "x", likely=False)
    assert (certificate.votes, certificate.delta) == (0, 0.05)
    assert any("left out 2 voters with 1 vote." in note for note in certificate.notes)
    assert voters() == {"ann": (1, True), "late": (0, True)}
    table.do("leave_out", "ann", False, None)
    table.do("leave_out", "late", False, None)
    assert voters() == {"ann": (1, False)}


@pytest.mark.parametrize("lost", ["against", "ignore"])
def test_the_certificate_takes_unanswered_asks_as_the_search_does(
    lost: str, tmp_path: Path
) -> None:
    algorithm = Certifying(delta=0.2, epsilon=0.3, rules=ac.Rules(lost=lost))  # type: ignore[arg-type]
    desk = a_desk()
    desk.settings = Settings.new(("a", "b"), algorithm, 1)
    desk.asking = AskPlanner(("a", "b"), (), 1)
    table, follower = Table(desk), Follower(desk.settings, "x")
    for k in range(80):
        (ask,) = table.ask(f"voter {k}")
        if k % 4 == 0:
            table.do("expire", ask["id"], None, None)
        elif k % 4 == 1:
            table.answer(ask, "skipped")
        else:
            table.answer(ask, "left" if ask["left"] == "a" else "right")
            if k % 16 == 2:
                table.do("undo", f"voter {k}", None)
                table.answer(ask, "left" if ask["left"] == "a" else "right")
        follower.follow([json.dumps(r.to_json()) for r in table.records[follower.line - 1 :]])
        if follower.plan().finished:
            break
    finished = lost == "ignore"
    assert follower.plan().finished is finished
    (tmp_path / "votes.csv").write_text(votes_csv(follower.state))
    export = ac.front(tmp_path / "votes.csv", likely=False)
    for found in (export, follower.certificate(likely=False)):
        assert list(found.out) == ["b"] * finished
        said = " ".join((*found.notes, *found.assumptions))
        assert ("against every claim" in said) is not finished
    seen = follower.look("overview", {})
    assert (seen["finished"], bool(seen["undecided"])) == (finished, not finished)
    assert not ac.front(tmp_path / "votes.csv", likely=False, unanswered="stop").out


def test_the_likely_front_does_not_wait_for_open_asks(tmp_path: Path) -> None:
    table = Table(a_desk())
    (late,) = table.ask("slow")
    for k in range(80):
        (ask,) = table.ask(f"voter {k}")
        table.answer(ask, "left" if ask["left"] < ask["right"] else "right")
    held = certificate_of(_state(table), "x")
    assert not held.out
    assert held.likely is not None
    assert held.likely.likely_front == ("a",)
    assert held.likely.chances["a"] > 0.9
    (tmp_path / "votes.csv").write_text(votes_csv(_state(table)))
    assert ac.front(tmp_path / "votes.csv").likely == held.likely
    table.do("expire", late["id"], None, None)
    assert certificate_of(_state(table), "x").likely == held.likely


def test_open_asks_are_waited_for_where_given_up_ones_count_for_nothing() -> None:
    algorithm = Certifying(delta=0.2, epsilon=0.3, rules=ac.Rules(lost="ignore"))
    desk = a_desk()
    desk.settings = Settings.new(("a", "b"), algorithm, 1)
    desk.asking = AskPlanner(("a", "b"), (), 1)
    table = Table(desk)
    table.ask("slow")
    for k in range(60):
        (ask,) = table.ask(f"voter {k}")
        table.answer(ask, "left" if ask["left"] == "a" else "right")
    state = _state(table)
    assert not state.search.finished
    seen = overview(state, certificate_of(state, "x", likely=False), 1, table.now)
    assert seen["front"] == []
    assert (seen["waiting"]["voter"], seen["waiting"]["held"]) == ("slow", 60)
    table.do("expire", 1, None, None)
    state = _state(table)
    assert state.search.finished
    assert certificate_of(state, "x", likely=False).front == ("a",)


def test_advice_is_given_only_where_a_proof_is_out_of_reach() -> None:
    state = StudyState(Settings.new(list("abcd")), history=False)
    near, far = ({"low": n / 2, "median": n, "high": 2 * n} for n in (100.0, 1_000.0))
    assert _advice(state, far, 0) is None  # nobody has come yet
    assert _advice(state, None, 5) is None
    assert _advice(state, near, 20) is None
    found = _advice(state, far, 2)
    assert found is not None
    for word in ("2 voters", "12 more votes", "More voters", "fewer items", "epsilon", "budget"):
        assert word in found
    state = StudyState(Settings.new(list("abcd"), Certifying(budget=400)), history=False)
    assert _advice(state, near, 20) is None
    assert "budget of 400 votes" in (_advice(state, far, 400) or "")


def test_advice_where_all_voters_have_voted_on_all_pairs() -> None:
    table, far = Table(a_desk()), {"low": 100.0, "median": 200.0, "high": 300.0}
    for voter in ("ann", "bob"):
        for _ in range(10):
            (ask,) = table.ask(voter)
            table.answer(ask, "left" if ask["left"] < ask["right"] else "right")
        said = _advice(_state(table), far, 1 if voter == "ann" else 2) or ""
        who = "Your only voter has" if voter == "ann" else "Your 2 voters have"
        words = f"{who} already voted on all 6 pairs, so more votes from them would be repeats."
        assert said.startswith(words)
    (ask,) = table.ask("cem")
    table.answer(ask)
    said = _advice(_state(table), far, 3) or ""
    assert "3 voters can give 5 more votes without" in said
    assert "(18 in all, less the 13 so far)" in said  # of 21 votes, some of which repeat others


def test_the_curve_of_votes_begins_at_none() -> None:
    table = Table(a_desk())
    table.answer(*table.ask("ann"))
    state = _state(table)
    curve = overview(state, certificate_of(state, "x", likely=False), 1, table.now)
    assert curve["votes_over_time"] == [(1000.0, 0), (1001.0, 1)]
