"""People vote in real browsers: by keyboard, mouse and thumb, offline and on two devices."""

from __future__ import annotations

import csv
import io
import re
import time
import wave
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from tests.serve.browser import PHONE, chromium, dashboard, person, write_study
from tests.serve.served import Server

FILMS = ["Alien", "Brazil", "Casablanca", "Fargo"]
HEAD = """
title = "Films"
question = "Which would you rather see?"
session = 6
[end]
text = "See you at the cinema."
code = "C0FFEE"
redirect = "https://example.org/done?who={voter}&code={code}"
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A study that several tests vote in, each as voters of its own."""
    path = write_study(tmp_path_factory.mktemp("films") / "films.toml", FILMS, HEAD)
    with Server(path) as study:
        yield study


@pytest.mark.slow
def test_three_people_vote_until_the_front_is_certified(browser: Any, tmp_path: Path) -> None:
    head = 'title = "Films"\ndelta = 0.2\nepsilon = 0.3\n[end]\ncode = "C0FFEE"\n'
    head += 'text = "Thank you!"'
    with (
        Server(write_study(tmp_path / "films.toml", FILMS[:3], head)) as study,
        person(browser, study.links["owner"]) as owner,
        person(browser, study.links["vote"]) as ann,
        person(browser, study.links["vote"], color_scheme="dark") as bob,
        person(browser, study.links["vote"], **PHONE) as cem,
    ):
        people = (ann, bob, cem)
        owner.page.wait_for_selector("#first:not([hidden])")
        for one in (owner, *people):
            assert one.serious() == []
        ways = {
            id(ann): lambda side: ann.press({"left": "ArrowLeft", "right": "ArrowRight"}[side]),
            id(bob): bob.click,
            id(cem): cem.tap,
        }
        votes, end = 0, time.monotonic() + 300
        while any(one.page.locator("#end-code").is_hidden() for one in people):
            assert time.monotonic() < end
            for one in people:
                if one.ask is None:  # the end, or others have what is left to ask
                    one.page.wait_for_timeout(100)
                    continue
                left, right = one.names
                ways[id(one)]("left" if left < right else "right")
                votes += 1
        for one in people:
            assert one.page.locator("#end-heading").inner_text() == "Thank you!"
            assert one.page.locator("#end-own").is_hidden()  # it would say the same again
            assert one.page.locator("#end-code code").inner_text() == "C0FFEE"
            assert one.page.evaluate("document.activeElement.id") == "end-heading"
            assert one.serious() == []
        owner.page.wait_for_function(
            "() => document.querySelector('#state').textContent === 'Complete'"
        )
        assert "The front is decided: Alien." in owner.page.locator(".lead").inner_text()
        assert owner.page.locator("#front li").all_inner_texts() == ["Alien"]
        assert owner.page.locator("#voters tbody tr").count() == 3
        assert owner.page.locator("#live").inner_text() == "Live"
        assert owner.serious() == []
        # Some of the votes came when everything was decided already.
        assert 0 < study.result()["votes"] <= votes == len(_answers(study))
        for one in (owner, *people):
            assert one.complaints == []
            assert all(url.startswith((f"{study.base}/", "blob:")) for url in one.requests)


@pytest.mark.slow
def test_an_answer_is_taken_back_and_given_anew(browser: Any, films: Server) -> None:
    with person(browser, f"{films.links['vote']}?voter=undoing") as ann:
        ann.arrive()
        assert ann.page.locator('#bar [data-answer="undo"]').is_disabled()
        pair = ann.names
        ann.press("ArrowLeft")
        ann._next(lambda: ann.page.keyboard.press("u"))
        assert ann.names == pair
        assert ann.page.locator("#progress").inner_text() == "0 of 6"
        ann.press("ArrowRight")
        ann.saved()
        assert _of(films, "undoing")["votes"] == 1
        assert ann.complaints == []


@pytest.mark.slow
def test_answers_outlast_a_lost_connection_and_a_reload(browser: Any, films: Server) -> None:
    with person(browser, f"{films.links['vote']}?voter=lost") as ann:
        ann.arrive()
        ann.page.context.set_offline(True)
        ann.press("ArrowLeft")
        ann.page.keyboard.press("ArrowRight")  # the last duel that was here
        trouble = ann.page.locator("#trouble")
        trouble.wait_for()
        assert "connection was lost" in trouble.inner_text()
        assert ann.serious() == []
        ann.page.context.set_offline(False)
        ann.saved()
        ann.page.wait_for_selector("#duel:not([hidden])")
        assert _of(films, "lost")["votes"] == 2

        # The confirmation of an answer is lost: it is sent again, and counts once.
        ann.page.route("**/answer", lambda route: (route.fetch(), route.abort())[1])
        ann.press("ArrowLeft")
        ann.page.wait_for_timeout(300)
        ann.page.unroute("**/answer")
        ann.saved()
        assert _of(films, "lost")["votes"] == 3

        # The answer does not get through, and the voter reloads.
        ann.page.route("**/answer", lambda route: route.abort())
        ann.press("ArrowLeft")
        ann.page.wait_for_timeout(300)
        ann.page.unroute("**/answer")
        ann.page.reload()
        ann.arrive()
        ann.saved()
        ann.page.wait_for_function(
            "() => document.querySelector('#progress').textContent === '4 of 6'"
        )
        assert _of(films, "lost")["votes"] == 4
        assert all("Failed to load resource" in text for text in ann.complaints)


@pytest.mark.slow
def test_a_busy_server_is_met_with_patience(browser: Any, films: Server) -> None:
    with person(browser, f"{films.links['vote']}?voter=patient") as ann:
        ann.arrive()
        away = {"status": 503, "json": {"error": "The database is away."}}
        ann.page.route("**/answer", lambda route: route.fulfill(**away))
        ann.press("ArrowLeft")
        ann.page.wait_for_function(
            "() => document.querySelector('#trouble').textContent.includes('busy')"
        )
        ann.page.unroute("**/answer")
        ann.saved()
        assert _of(films, "patient")["votes"] == 1


@pytest.mark.slow
def test_a_server_that_dies_and_comes_back_loses_nothing(browser: Any, tmp_path: Path) -> None:
    path = write_study(tmp_path / "films.toml", FILMS, HEAD)
    with Server(path) as study, person(browser, study.links["vote"] + "?voter=ann") as ann:
        ann.arrive()
        ann.press("ArrowLeft")
        ann.saved()
        study.kill()
        ann.page.keyboard.press("ArrowLeft")
        ann.page.locator("#trouble").wait_for()
        study.start()
        ann.saved()
        ann.page.wait_for_selector("#duel:not([hidden])")
        ann.press("ArrowLeft")
        ann.saved()
        assert len(_answers(study)) == 3


@pytest.mark.slow
def test_a_second_device_goes_on_as_the_same_voter(browser: Any, films: Server) -> None:
    address = f"{films.links['vote']}?voter=two%20devices"
    with person(browser, address) as desk, person(browser, address, **PHONE) as phone:
        desk.arrive()
        phone.arrive()
        assert desk.ask == phone.ask
        assert desk.names == phone.names
        desk.press("ArrowLeft")
        desk.saved()
        phone.click("right")  # the desk was first
        phone.page.locator("#trouble").wait_for()
        assert "already" in phone.page.locator("#trouble").inner_text()
        phone.page.wait_for_function(
            "() => document.querySelector('#progress').textContent === '1 of 6'"
        )
        assert phone.ask == desk.ask
        assert _of(films, "two devices")["votes"] == 1


def test_a_return_visit_goes_on_as_the_same_voter(browser: Any, films: Server) -> None:
    with person(browser, films.links["vote"]) as ann:
        ann.arrive()
        ann.press("ArrowLeft")
        ann.saved()
        waiting = ann.ask
        ann.page.close()
        again = type(ann)(ann_page := browser.contexts[-1].new_page())
        ann_page.goto(films.links["vote"])
        again.arrive()
        assert again.ask == waiting
        assert ann_page.locator("#progress").inner_text() == "1 of 6"


def test_keys_can_be_switched_off_and_leave_shortcuts_alone(browser: Any, films: Server) -> None:
    with person(browser, f"{films.links['vote']}?voter=keys") as ann:
        ann.arrive()
        first = ann.ask
        ann.page.keyboard.press("Control+ArrowLeft")
        ann.page.locator("#keys summary").click()
        ann.page.locator("#keys-on").uncheck()
        ann.page.keyboard.press("ArrowLeft")
        assert ann.ask == first
        ann.page.locator("#keys-on").check()
        ann.press("ArrowLeft")
        # Without a mouse and without shortcuts: Tab leads to the buttons, Enter presses them.
        ann.page.locator('button.choose[data-answer="left"]').focus()
        ann.press("Enter")
        assert ann.page.evaluate("document.activeElement.dataset.answer") == "left"
        for key in ("ArrowUp", "ArrowDown", "s"):
            ann.press(key)
        ann.press("ArrowRight")
        assert ann.page.locator("#progress").inner_text() == "6 of 6"
        ann.page.wait_for_selector("#end-code:not([hidden])")
        assert ann.page.locator("#end-own").inner_text() == "See you at the cinema."
        away = "https://example.org/done?who=keys&code=C0FFEE"
        assert ann.page.locator("#end-on a").get_attribute("href") == away
        ann.page.get_by_role("button", name="Stay here").click()
        # An export has other names for voters.
        given = groupby(sorted(_answers(films), key=itemgetter("voter")), itemgetter("voter"))
        wanted = ["left", "left", "tie", "incomparable", "skipped", "right"]
        assert wanted in [[row["answer"] for row in rows] for _, rows in given]


@pytest.mark.slow
def test_hostile_items_are_shown_and_do_nothing(browser: Any, tmp_path: Path) -> None:
    evil = "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
    items = [
        {"name": "<script>window.pwned=3</script>", "text": evil},
        {"name": "abc \u05d0\u05d1 \U0001f469\u200d\U0001f680", "text": "\u202eRTL\u202c " * 40},
        {"name": "x" * 2_000, "text": "y" * 1_000_000},
        {
            "name": "[link](javascript:alert(1))",
            "text": "[a](javascript:window.pwned=4) ![b](//x/y)",
        },
    ]
    head = 'title = "<script>window.pwned=5</script>"\nquestion = "</h1><script>alert(1)</script>"'
    met = set()
    with (
        Server(write_study(tmp_path / "evil.toml", items, head)) as study,
        person(browser, study.links["vote"]) as ann,
        person(browser, study.links["owner"]) as owner,
    ):
        ann.arrive()
        assert ann.page.locator("#question").inner_text() == "</h1><script>alert(1)</script>"
        for turn in range(12):
            met |= set(ann.names)
            bodies = ann.page.locator(".card .body").all_inner_texts()
            assert all(len(text) < 4_000 for text in bodies)
            if turn == 0:
                assert ann.serious() == []
            if (more := ann.page.locator(".more")).count() and "all" in more.first.inner_text():
                more.first.click()
                shown = ann.page.locator(".card:has(.more) .text").first
                assert shown.evaluate("text => text.textContent.length") >= 1_000_000
            ann.press("ArrowLeft")
            width = ann.page.evaluate("document.documentElement.scrollWidth")
            assert width <= 1280
        assert len(met) == 4
        owner.page.wait_for_function("() => document.querySelector('#voters tbody tr')")
        assert owner.page.locator("h1").inner_text().startswith("<script>")
        for one in (ann, owner):
            assert one.page.evaluate("window.pwned") is None
            assert (
                one.page.evaluate("document.querySelectorAll('main script, main img').length") == 0
            )
            assert one.complaints == []


@pytest.mark.slow
def test_questions_reasons_and_words_of_another_language(browser: Any, tmp_path: Path) -> None:
    head = """
title = "Filme"
language = "de"
reasons = ["Handlung", "Bilder"]
[questions]
spass = "Was macht mehr Spaß?"
tiefe = "Was hat mehr Tiefe?"
[answers]
tie = false
dont_know = true
"""
    with (
        Server(write_study(tmp_path / "filme.toml", FILMS, head)) as study,
        person(browser, f"{study.links['vote']}?voter=ann", **PHONE) as ann,
    ):
        ann.arrive()
        assert ann.page.locator("html").get_attribute("lang") == "de"
        assert ann.page.locator('button[data-answer="dont_know"]').inner_text() == "Weiß nicht"
        assert not ann.page.locator('button[data-answer="tie"]').is_visible()
        first = ann.ask
        ann.page.keyboard.press("ArrowUp")  # not offered
        assert ann.ask == first
        asked = {ann.page.locator("#question").inner_text()}
        ann.page.get_by_role("button", name="Bilder").click()
        assert ann.serious() == []
        for answer in ("left", "dont_know", "right", "left", "right", "left"):
            ann.click(answer)
            asked.add(ann.page.locator("#question").inner_text())
        assert asked == {"Was macht mehr Spaß?", "Was hat mehr Tiefe?"}
        ann.saved()
        assert ann.complaints == []


@pytest.mark.slow
def test_pictures_are_there_before_their_duel(browser: Any, tmp_path: Path) -> None:
    from PIL import Image

    for k, name in enumerate(("red", "green", "blue", "white")):
        (tmp_path / "shots").mkdir(exist_ok=True)
        Image.new("RGB", (300, 200), (70 * k, 250 - 70 * k, 90)).save(
            tmp_path / f"shots/{name}.png"
        )
    with Server(tmp_path / "shots") as study, person(browser, study.links["vote"]) as ann:
        ann.arrive()
        for _ in range(3):
            ann.page.wait_for_timeout(500)
            fetched = {url for url in ann.requests if "/items/" in url}
            with ann.page.expect_response("**/api/asks"):
                ann.press("ArrowLeft")
            sources = ann.page.locator(".card img").evaluate_all("all => all.map(one => one.src)")
            assert len(sources) == 2
            assert set(sources) <= fetched
            ann.page.wait_for_function(
                "() => [...document.querySelectorAll('.card img')].every(one => one.naturalWidth)"
            )
        assert ann.serious() == []
        assert ann.complaints == []


_FILM = """async () => {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  const film = new MediaRecorder(canvas.captureStream(10), { mimeType: "video/webm" });
  const parts = [];
  film.ondataavailable = ({ data }) => parts.push(data);
  const over = new Promise((resolve) => { film.onstop = resolve; });
  film.start();
  for (let k = 0; k < 10; k += 1) {
    pen.fillRect(9 * k, 0, 20, 20);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  film.stop();
  await over;
  return Array.from(new Uint8Array(await new Blob(parts).arrayBuffer()));
}"""


@pytest.mark.slow
def test_keys_in_a_player_are_for_the_player(browser: Any, tmp_path: Path) -> None:
    with person(browser, "about:blank") as maker:
        film = bytes(maker.page.evaluate(_FILM))
    with wave.open(str(tmp_path / "sound.wav"), "wb") as sound:
        sound.setparams((1, 1, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(range(256)) * 60)
    (tmp_path / "film.webm").write_bytes(film)
    items = [{"name": "Film", "file": "film.webm"}, {"name": "Sound", "file": "sound.wav"}]
    study = write_study(tmp_path / "media.toml", items)
    with Server(study) as served, person(browser, served.links["vote"]) as ann:
        ann.arrive()
        asked = ann.ask
        for kind in ("video", "audio"):
            player = ann.page.locator(f".card {kind}[controls]")
            ann.page.wait_for_function(
                "kind => document.querySelector(`.card ${kind}`).readyState >= 1", arg=kind
            )
            for take in (player.click, player.focus):
                take()
                for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "s"):
                    ann.page.keyboard.press(key)
                assert ann.ask == asked
        assert ann.serious() == []
        ann.page.locator("#question").click()  # whoever leaves the player votes by key again
        ann.press("ArrowLeft")
        assert ann.complaints == []


@pytest.mark.slow
def test_a_voter_learns_why_nothing_is_taken_back(browser: Any, tmp_path: Path) -> None:
    path = write_study(tmp_path / "filme.toml", FILMS, 'language = "de"')
    with Server(path) as study, person(browser, study.links["vote"]) as ann:
        ann.arrive()
        ann.press("ArrowLeft")
        ann.saved()
        no = {"status": 409, "json": {"error": "You have no answer to take back."}}
        ann.page.route("**/api/undo", lambda route: route.fulfill(**no))
        said = "text => document.querySelector('#trouble').textContent.includes(text)"
        ann.page.keyboard.press("u")
        ann.page.wait_for_function(said, arg="keine Antwort, die sich")
        over = {"asks": [], "state": "finished", "answered": 1, "of": None, "end": {}}
        ann.page.route("**/api/asks", lambda route: route.fulfill(json=over))
        ann.page.keyboard.press("u")
        ann.page.wait_for_function(said, arg="Die Umfrage ist beendet")
        ann.page.wait_for_selector('#end[data-view="finished"]:not([hidden])')


@pytest.mark.slow
def test_voting_goes_on_while_a_new_item_is_fetched(browser: Any, tmp_path: Path) -> None:
    path = write_study(tmp_path / "films.toml", FILMS)
    with Server(path) as study, person(browser, study.links["vote"]) as ann:
        ann.arrive()
        with study.client("owner") as owner:
            assert owner.post("/api/items", json={"name": "Gilda"}).status_code == 200
        asked: list[Any] = []
        ann.page.route("**/api/ballot", lambda route: asked.append(route))
        while not asked:
            ann.page.keyboard.press("ArrowLeft")
            ann.page.wait_for_timeout(500)
        ann.page.keyboard.press("ArrowLeft")  # the pair that is still here
        asked[0].continue_()
        ann.page.unroute("**/api/ballot")
        for _ in range(20):
            ann.arrive()
            if "Gilda" in ann.names:
                break
            ann.press("ArrowLeft")
        assert "Gilda" in ann.names
        assert ann.complaints == []


def test_a_wrong_link_gets_a_friendly_page(browser: Any, films: Server) -> None:
    with person(browser, films.links["vote"][:-3] + "xyz") as ann:
        assert ann.page.locator("h1").count() == 1
        assert ann.serious() == []
        assert not re.search(r"Traceback|\{|Internal", ann.page.locator("body").inner_text())


def _answers(study: Server) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(study.export().decode())))


def _of(study: Server, voter: str) -> dict[str, Any]:
    voters = dashboard(study)["voters"]
    return next(row for row in voters if row["voter"] == voter)
