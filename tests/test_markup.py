"""What `print`, `repr` and a notebook show of the values that people hold in their hands."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import antichain as ac

EVIL = '<script>alert("x")</script>&amp;'
VOTES = [("tea", "rain", "left")] * 30 + [("fog", "rain", "left")] * 30 + [("tea", "fog", "tie")]
MODEL = ac.posets.layered(2, 3, 3, seed=0)
WITNESS = ac.Witness(delta=0.01, decoy_gap=0.1)


def arena() -> ac.SimulatedArena:
    return ac.SimulatedArena(MODEL, decoy_gap=0.1)


def study() -> ac.Study:
    opened = ac.Study.in_memory(["tea", EVIL])
    for ask in opened.ask(3):
        opened.tell(ask, "left")
    return opened


THINGS = {
    "certificate": lambda: ac.front(VOTES),
    "certificate of hostile names": lambda: ac.front([(EVIL, "b", "left")] * 20),
    "next votes": lambda: ac.next_votes(VOTES, 30),
    "result": lambda: ac.find_front(arena(), WITNESS),
    "unfinished result": lambda: ac.find_front(arena(), WITNESS, budget=300),
    "poset": lambda: MODEL.poset,
    "duel model": lambda: MODEL,
    "duel model of one item": lambda: ac.posets.antichain(1),
    "poset of hostile names": lambda: ac.Poset.from_relations([(EVIL, "b"), (EVIL * 30, "b")]),
    "forecast": lambda: ac.plan(4, 2, runs=5),
    "likely front": lambda: ac.likely_front(np.array([[0.0, 9.0], [1.0, 0.0]]), epsilon=0.1),
    "study": study,
    "log": lambda: ac.read_votes(VOTES),
}


class Tags(HTMLParser):
    """The elements and attributes of a piece of HTML, which must close what it opens."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", THINGS)
def test_it_is_short_in_a_repr_a_few_lines_in_print_and_safe_in_a_notebook(name: str) -> None:
    thing: Any = THINGS[name]()
    assert re.fullmatch(rf"{type(thing).__name__}\(.{{5,200}}\)", repr(thing))
    lines = str(thing).splitlines()
    assert 2 <= len(lines) <= 12
    assert not str(thing).startswith(type(thing).__name__ + "(")
    html = thing._repr_html_()
    tags = Tags(html)
    assert tags.seen <= {
        *("div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"),
        *("svg", "g", "title", "rect", "text", "path"),
    }
    # No id collides with another output's, and nothing is fetched or run.
    assert not tags.attributes & {"id", "href", "src", "onclick", "onload"}
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "background" not in html  # light and dark are the notebook's own


def test_a_run_whose_budget_is_spent_does_not_look_like_an_answer() -> None:
    result = ac.find_front(arena(), WITNESS, budget=300)
    assert not result.finished
    assert result.front == ()
    assert result.undecided == result.among
    assert str(result).startswith("Not finished (method: witness): the front is not decided yet")
    assert "  front " not in str(result)
    assert "not finished" in repr(result)
    done = ac.find_front(arena(), WITNESS)
    assert done.finished
    assert done.undecided == ()
    assert re.match(r"Front of \d+ items \(method: witness\)\n", str(done))
    assert f"Certified: right with probability at least {1 - WITNESS.delta:g}." in str(done)
    assert "undecided" not in str(done)


def test_a_certificate_that_is_not_finished_says_what_is_in_already() -> None:
    items = ["tea", "fog", "rain", "snow"]
    better = {("tea", "fog"): 0.6, ("fog", "tea"): 0.4, ("tea", "rain"): 0.6, ("rain", "tea"): 0.4}
    opened = ac.Certifying(epsilon=0.2).start(items)
    inside: set[str] = set()
    rng = np.random.default_rng(0)
    while not opened.finished:
        (ask,) = opened.ask(1)
        chance = better.get((ask.left, ask.right), 0.5)
        opened.tell(ask, "left" if rng.random() < chance else "right")
        result = opened.result()
        assert result.finished == opened.finished
        if not result.finished and result.front:
            inside = set(result.front)
            assert not inside & set(result.undecided)
            assert f"in         {len(inside)}: " in str(result)
    assert inside  # the four are not decided at once


def test_a_method_without_a_guarantee_says_so() -> None:
    # As a result of a method that states none comes back: finished, and not certified.
    result = replace(ac.find_front(arena(), WITNESS), certified=False)
    assert "states no guarantee" in str(result)
    assert "not certified" in repr(result)


def test_a_run_by_the_papers_rules_does_not_promise_what_they_do_not_keep() -> None:
    faithful = ac.UnchainedBandits(rules=ac.Rules.paper(), delta=0.01, decoy_gap=WITNESS.decoy_gap)
    said = str(ac.find_front(arena(), faithful))
    assert "Finished by the paper's rules" in said
    assert "Certified" not in said
    ours = str(ac.find_front(arena(), replace(faithful, rules=ac.Rules())))
    assert "Certified: right with probability at least 0.99." in ours


def test_a_judge_whose_budget_is_spent_says_how_to_get_the_likely_front() -> None:
    items = ["tea", "rain", "fog"]
    spent = ac.judge(items, lambda left, right: max(left, right), budget=6)
    assert not spent.finished
    assert "takes an open study (antichain.Study.open), not a list of items" in str(spent)
    assert "study.certificate().likely" in str(spent)
    with ac.Study.in_memory(items, ac.Certifying(budget=6)) as study:
        ac.judge(study, lambda left, right: max(left, right))
        assert study.certificate().likely is not None
    other = ac.find_front(arena(), WITNESS, budget=5)
    assert "likely" not in str(other)


def test_a_spent_study_does_not_look_decided() -> None:
    opened = ac.Study.in_memory(["tea", "rain", "fog"], ac.Certifying(budget=2))
    for _ in range(2):
        (ask,) = opened.ask(1)
        opened.tell(ask, "left")
    assert opened.finished
    assert "budget is spent" in str(opened)
    assert "not decided" in str(opened)


def test_a_picture_of_a_poset_has_every_item_and_every_line() -> None:
    poset = ac.Poset.from_relations([("a", "c"), ("b", "c"), ("c", "d")])
    html = poset._repr_html_()
    assert html.count("<rect") == 4
    assert html.count("M") == 3
    assert '<g fill="white"><title>a</title>' in html


def test_large_things_stay_short() -> None:
    size = 3000
    above = np.zeros((size, size), bool)
    above[0, 1:] = True
    poset = ac.Poset(tuple(f"item {k} with a rather long name" for k in range(size)), above)
    rows = [(f"item {k}", f"item {k + 1}", "left") for k in range(size)]
    for thing in (poset, ac.read_votes(rows), ac.front(rows, likely=False)):
        assert len(repr(thing)) < 200
        assert len(str(thing)) < 2000
        assert len(thing._repr_html_()) < 30_000  # type: ignore[attr-defined]
