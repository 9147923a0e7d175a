"""The owner's page in a real browser."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.serve.browser import PHONE, chromium, dashboard, person, write_study
from tests.serve.served import Server

FILMS = ["Alien", "Brazil", "Casablanca", "Fargo"]
EVEN = itertools.cycle(FILMS[:2])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A study that is not decided, however many of the votes below are given."""
    path = tmp_path_factory.mktemp("films") / "films.toml"
    write_study(path, FILMS, "epsilon = 0.01")
    with Server(path) as study:
        yield study


def vote(study: Server, voter: str, times: int) -> None:
    """Answer as somebody would who likes the films in the order of their names.

    The first two are liked equally: with so small an epsilon that takes thousands of votes to show.
    """
    with study.client() as client:
        for _ in range(times):
            for ask in client.post("/api/asks", json={"voter": voter, "n": 1}).json()["asks"]:
                names = sorted((ask["left"], ask["right"]))
                liked = next(EVEN) if names == FILMS[:2] else names[0]
                answer = "left" if ask["left"] == liked else "right"
                client.post(f"/api/asks/{ask['id']}/answer", json={"answer": answer})


@pytest.mark.slow
def test_the_owner_pauses_excludes_adds_and_exports(browser: Any, tmp_path: Path) -> None:
    with (
        Server(write_study(tmp_path / "films.toml", FILMS)) as films,
        person(browser, films.links["owner"]) as owner,
        person(browser, f"{films.links['vote']}?voter=ann") as ann,
    ):
        page = owner.page
        page.wait_for_selector("#first:not([hidden])")
        assert page.locator("#first .link").inner_text() == films.links["vote"]
        assert page.locator("#hasse-figure").is_hidden()
        assert "at least 90% likely" in page.locator("#hasse-empty").inner_text()

        ann.arrive()
        for _ in range(4):
            ann.press("ArrowLeft")
        vote(films, "bob", 6)
        page.wait_for_function("() => document.querySelectorAll('#voters tbody tr').length === 2")
        page.wait_for_function("() => document.querySelector('#tiles b').textContent === '10'")

        page.locator("#pause").click()
        page.wait_for_function("() => document.querySelector('#state').textContent === 'Paused'")
        for _ in range(3):  # the duels that were here already
            if ann.ask is not None:
                ann.press("ArrowRight")
        ann.page.wait_for_selector('#end[data-view="paused"]:not([hidden])')
        assert ann.serious() == []
        page.locator("#pause").click()
        ann.page.wait_for_selector("#duel:not([hidden])")

        page.get_by_role("button", name="Exclude bob").click()
        page.locator("#dialog input").fill("clicked at random")
        assert owner.serious() == []
        page.locator("#dialog").get_by_role("button", name="Exclude").click()
        page.get_by_role("button", name="Include bob").wait_for()
        assert "clicked at random" in page.locator("tr.excluded").inner_text()
        page.get_by_role("button", name="Include bob").click()
        page.get_by_role("button", name="Exclude bob").wait_for()

        page.locator('#add input[name="name"]').fill("Gilda")
        page.locator('#add textarea[name="text"]').fill("A *casino*.")
        Image.new("RGB", (8, 8)).save(tmp_path / "gilda.png")
        page.locator('#add input[name="file"]').set_input_files(tmp_path / "gilda.png")
        page.get_by_role("button", name="Add it").click()
        page.wait_for_function(
            "() => document.querySelector('#undecided').innerText.includes('Gilda')"
        )
        for _ in range(30):  # those who are voting get to see it
            if "Gilda" in ann.names:
                break
            ann.press("ArrowLeft")
        card = ann.page.locator(".card", has_text="Gilda")
        assert "A casino." in card.inner_text()
        ann.page.wait_for_function(
            "() => [...document.querySelectorAll('.card img')].some(one => one.naturalWidth === 8)"
        )
        page.locator('#add input[name="name"]').fill("Gilda")
        page.get_by_role("button", name="Add it").click()
        page.wait_for_function(
            "() => !/is in the study now/.test(document.querySelector('#add-said').textContent)"
        )

        for button in page.locator("#exports button").all():
            with page.expect_download() as waiting:
                button.click()
            assert waiting.value.path().stat().st_size > 0
        refused = [text for text in owner.complaints if "Failed to load resource" not in text]
        assert refused == []
        assert ann.complaints == []


@pytest.mark.slow
def test_the_dashboard_of_a_study_under_way(browser: Any, films: Server) -> None:
    for voter in ("ann", "bob", "cem"):
        vote(films, voter, 20)
    for screen in ({}, PHONE | {"color_scheme": "dark"}):
        with person(browser, films.links["owner"], reduced_motion="reduce", **screen) as owner:
            owner.page.wait_for_selector("#hasse-figure:not([hidden])")
            assert owner.page.locator("#hasse .node").count() >= 2
            owner.page.get_by_text("The same in words").click()
            assert "Alien is" in owner.page.locator("#hasse-words").inner_text()
            assert not re.search(r"%\. [a-z]", owner.page.locator("#undecided").inner_text())
            assert owner.page.locator("#conclusion .lead").inner_text()
            assert "estimate" in owner.page.locator("#likely-heading").inner_text()
            out = int(owner.page.locator("#tiles li").last.locator("b").inner_text())
            assert owner.page.locator("#likely li").count() == 4 - out
            assert owner.page.locator("#time").is_visible()
            assert owner.serious() == []
            width = owner.page.evaluate("document.documentElement.scrollWidth")
            assert width <= owner.page.viewport_size["width"]
            assert owner.complaints == []


@pytest.mark.slow
def test_the_dashboard_looks_by_itself_where_no_stream_gets_through(
    browser: Any, tmp_path: Path
) -> None:
    path = write_study(tmp_path / "films.toml", FILMS)
    with Server(path) as films, person(browser, "about:blank") as owner:
        owner.page.route("**/api/events", lambda route: route.abort())
        owner.page.goto(films.links["owner"])
        votes = "() => Number(document.querySelector('#tiles b')?.textContent ?? -1)"
        before = owner.page.wait_for_function(f"() => ({votes})() + 1").json_value() - 1
        vote(films, "dan", 3)
        owner.page.wait_for_function(f"before => ({votes})() === before + 3", arg=before)
        assert "every few seconds" in owner.page.locator("#live").inner_text()


@pytest.mark.slow
def test_each_voter_has_a_link_of_their_own(browser: Any, tmp_path: Path) -> None:
    path = write_study(tmp_path / "films.toml", FILMS, 'voters = ["ann", "bob"]')
    with Server(path) as study, person(browser, study.links["owner"]) as owner:
        owner.page.get_by_text("Each voter’s link").click()
        links = owner.page.locator("#personal code").all_inner_texts()
        assert len(set(links)) == 2
        assert owner.serious() == []
        with person(browser, links[1] + "?voter=ann") as bob:  # the link says who it is
            bob.arrive()
            bob.press("ArrowLeft")
            bob.saved()
        owner.page.get_by_role("button", name="Exclude bob").wait_for()
        assert owner.complaints == []


def test_the_first_look_says_that_it_takes_a_while(browser: Any, films: Server) -> None:
    waiting: list[Any] = []
    with person(browser, "about:blank") as owner:
        owner.page.route("**/api/dashboard", lambda route: waiting.append(route))
        owner.page.goto(films.links["owner"])
        said = owner.page.locator("main").inner_text()
        assert "Working out what the votes show" in said
        assert "The first calculation takes up to a minute. Voting can go on" in said
        assert "Likely front" not in said  # no panels with nothing in them
        assert owner.serious() == []
        while not waiting:
            owner.page.wait_for_timeout(50)
        waiting[0].continue_()
        owner.page.wait_for_selector("#likely-heading")
        assert "takes up to a minute" not in owner.page.locator("main").inner_text()


@pytest.mark.slow
def test_the_owner_learns_who_is_waited_for_and_what_helps(browser: Any, films: Server) -> None:
    slow = {"voter": "slow", "left": "Alien", "right": "Fargo", "held": 12, "since": 100}
    advice = "More voters would help."

    vote(films, "eve", 1)
    found = dashboard(films) | {"waiting": slow | {"seconds": 230}, "advice": advice}
    with person(browser, "about:blank") as owner:
        owner.page.route("**/api/dashboard", lambda route: route.fulfill(json=found))
        owner.page.goto(films.links["owner"])
        owner.page.wait_for_selector("#waiting:not([hidden])")
        said = owner.page.locator("#waiting").inner_text()
        assert "slow to answer “Alien or Fargo?”, for up to 4 more minutes" in said
        assert "12 of" in said
        assert owner.page.locator("#advice").inner_text() == advice
        assert owner.serious() == []


def test_the_forecast_may_be_of_one_vote(browser: Any, films: Server) -> None:
    vote(films, "eve", 1)
    found = dashboard(films) | {"forecast": {"low": 1, "median": 1.2, "high": 3}}
    with person(browser, "about:blank") as owner:
        owner.page.route("**/api/dashboard", lambda route: route.fulfill(json=found))
        owner.page.goto(films.links["owner"])
        owner.page.wait_for_selector("#forecast:not(:empty)")
        assert owner.page.locator("#forecast").inner_text() == "About 1"
        note = owner.page.locator("#forecast-note").inner_text()
        assert note.startswith("more vote until every item is decided; probably 1 to 3.")


@pytest.mark.slow
def test_many_voters_are_listed_on_demand(browser: Any, films: Server) -> None:
    vote(films, "eve", 1)
    fast = "answers every 0.5 seconds"
    flags = [{"kind": "voter", "text": f"voter 25 {fast}."}]
    with films.client("owner") as client:
        found = client.get("/api/dashboard").json()

    def told(route: Any) -> None:
        voters = [
            found["voters"][0] | {"voter": f"voter {k}", "flags": []} for k in range(30, 0, -1)
        ]
        voters[5]["flags"] = [fast]
        route.fulfill(json=found | {"voters": voters, "flags": flags})

    with person(browser, "about:blank") as owner:
        owner.page.route("**/api/dashboard", told)
        owner.page.goto(films.links["owner"])
        more = owner.page.get_by_role("button", name="Show all 30 voters")
        more.wait_for()
        rows = owner.page.locator("#voters tbody th")
        assert rows.all_inner_texts() == [f"voter {k}" for k in (*range(1, 21), 25)]
        said = owner.page.locator("main").inner_text()
        assert said.count(fast) == 1
        assert "See the remarks on voter 25 in the table of voters." in said
        more.click()
        assert rows.all_inner_texts() == [f"voter {k}" for k in range(1, 31)]
        assert owner.serious() == []


@pytest.mark.slow
def test_the_owner_learns_what_is_not_erased_yet(browser: Any, films: Server) -> None:
    vote(films, "fay", 2)
    hint = "Another program reads the file."
    left = {"voter": "fay", "deleted": 2, "erased": False, "hint": hint}

    def told(route: Any) -> None:
        if route.request.method == "DELETE":
            route.fulfill(json=left)
        else:
            route.continue_()

    with person(browser, films.links["owner"]) as owner:
        owner.page.route("**/api/voters/fay", told)
        owner.page.get_by_role("button", name="Delete fay").click()
        owner.page.locator("#dialog").get_by_role("button", name="Delete for good").click()
        owner.page.locator("#notice").wait_for()
        votes = owner.page.locator("#tiles b").first.inner_text()
        vote(films, "gus", 1)  # the page is drawn again, and the notice stays
        owner.page.wait_for_function(
            "votes => document.querySelector('#tiles b').textContent !== votes", arg=votes
        )
        assert hint in owner.page.locator("#notice").inner_text()
        assert owner.serious() == []
        owner.page.get_by_role("button", name="Close this notice").click()
        assert owner.page.locator("#notice").is_hidden()
