"""Requests that no page would send: none makes the server fail."""

from __future__ import annotations

import asyncio
import json
import threading
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from antichain.serve import _showing
from antichain.serve._house import House
from antichain.serve._showing import rendered
from antichain.serve._web import create_app
from antichain.study._ballot import read_ballot
from tests.serve.served import Server

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    schemathesis = pytest.importorskip("schemathesis")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("hostile") / "films.txt"
    path.write_text("a\nb\nc\n")
    with Server(path) as server:
        yield server


def attack(server: Server, role: str, examples: int) -> int:
    """Send what the description of the interface allows, and what it does not; count requests."""
    schema = schemathesis.openapi.from_url(f"{server.base}/openapi.json")
    headers = {"Authorization": f"Bearer {server.secret(role)}"}
    sent = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path == "/api/events":
            continue  # a stream that does not end
        for mode in schemathesis.GenerationMode:

            @settings(
                max_examples=examples,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def try_out(case) -> None:
                nonlocal sent
                sent += 1
                reply = case.call(headers=headers, timeout=300)
                assert reply.status_code < 500, (case.as_curl_command(), reply.text)

            with suppress(Unsatisfiable):
                try_out()
    return sent


@pytest.mark.parametrize("role", ["vote", "owner"])
@pytest.mark.slow
def test_no_request_makes_the_server_fail(server: Server, role: str) -> None:
    assert attack(server, role, 4) > 100


@pytest.mark.slow
@pytest.mark.parametrize("role", ["vote", "owner"])
def test_no_request_of_many_makes_the_server_fail(server: Server, role: str) -> None:
    assert attack(server, role, 100) > 2_000


_TWO = ["a", "b"]


@pytest.mark.parametrize(
    "document",
    [
        {"items": {"a": 1}},
        {"items": [{"name": "a", "file": "/etc/passwd"}, "b"]},
        {"items": [{"name": "a", "price": "x"}, "b"], "attributes": {"price": "min"}},
        {"items": _TWO, "attributes": {"price": "min"}},
        {"items": _TWO, "attributes": {"price": 1}},
        {"items": _TWO, "title": ["x"]},
        {"items": _TWO, "delta": None},
        {"items": _TWO, "assume": [5]},
        {"items": _TWO, "budget": 10**30},
        {"items": _TWO, "decoy_gap": 0.1},
        {"items": _TWO, "questions": {"x": "?", "": "y"}},
        {"items": _TWO, "questions": {"x": "?", "y": 5}},
        {"items": _TWO, "stop": 5},
        {"items": _TWO, "stop": {"date": "0000-00-00"}},
        {"items": _TWO, "voters": 10**9},
        {"items": _TWO, "voters": ["a\nb"]},
        {"items": _TWO, "voters": "/etc/passwd"},
        {"items": _TWO, "title": "\ud800"},
        {"items": _TWO, "unanswered": ["x"]},
        {"items": _TWO, "language": {}},
        {"items": _TWO, "session": True},
        {"items": _TWO, "end": {"redirect": "http://[bad"}},
        {"items": [f"i{k}" for k in range(1500)]},
        {"items": ["a\u202eb", "c"]},
        [1],
    ],
    ids=lambda document: str(document)[:60].encode("ascii", "replace").decode(),
)
def test_studies_that_cannot_be(server: Server, document: object) -> None:
    content, kind = json.dumps(document).encode(), {"Content-Type": "application/json"}
    with server.client("owner") as owner:
        reply = owner.post("/api/studies", content=content, headers=kind)
        assert reply.status_code == 422, reply.text
        assert reply.json()["error"]
        assert owner.get("/health").status_code == 200


def test_texts_that_cannot_be(server: Server) -> None:
    kind = {"Content-Type": "application/json"}
    with server.client() as voter, server.client("owner") as owner:
        nested = b"[" * 100_000 + b"]" * 100_000
        assert owner.post("/api/studies", content=nested, headers=kind).status_code == 400
        for name in (".", ".."):  # no address could name them, to exclude or delete them
            reply = voter.post("/api/asks", json={"voter": name})
            assert (reply.status_code, "a name was expected" in reply.text) == (422, True)
        for name in ("...", "a/b", "%00", "\u202e", "<script>"):
            asks = voter.post("/api/asks", json={"voter": name}).json()["asks"]
            path = f"/api/asks/{asks[0]['id']}/answer"
            body = {"answer": "left", "reason": "a\0b"}  # which is none of those offered
            assert voter.post(path, json=body).status_code == 422
            assert voter.post(path, json={"answer": "left"}).status_code == 200
        reply = owner.post("/api/voters/a%2Fb/exclude", json={})
        assert reply.json() == {"voter": "a/b", "excluded": True}
        body = json.dumps({"voter": "ann", "n": 1, "x": "\ud800"}).encode()
        assert voter.post("/api/asks", content=body, headers=kind).status_code == 422
        assert owner.get("/static/%2e%2e/_web.py").status_code == 404
        assert len(server.export().splitlines()) == 5  # a header, and four who are not left out


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Two items in memory, for an application that no process serves."""
    path = tmp_path / "a.txt"
    path.write_text("a\nb\n")
    house = House(b"k" * 32, "memory:")
    house.open("a", read_ballot(path))
    yield house
    house.close()


def replies(house: House, requests: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
    """Send requests to the application that serves a house."""

    async def main() -> None:
        transport = httpx.ASGITransport(create_app(house))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            await requests(client)

    asyncio.run(main())


def test_what_nobody_thought_of(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, and no browser sees more than a sentence."""
    links = house.links("a", "http://test")
    monkeypatch.setattr(house, "known", lambda _: 1 / 0)

    async def requests(client: httpx.AsyncClient) -> None:
        headers = {"Authorization": "Bearer x"}
        plain = await client.get("/api/ballot", headers=headers)
        page = await client.get(links["owner"], headers={"Accept": "text/html"})
        assert "Something went wrong on the server" in plain.json()["error"]
        assert page.text.startswith("<!doctype html>")
        for reply in (plain, page):
            assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
            assert "default-src 'none'" in reply.headers["content-security-policy"]
            assert "Traceback" not in reply.text
            assert "division" not in reply.text

    replies(house, requests)
    assert caplog.text.count("ZeroDivisionError") == 2


def test_a_long_text_keeps_nobody_waiting(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    began, go, calls = threading.Event(), threading.Event(), []
    study = house.studies["a"]
    entry = {"text": "[ " * 500_000}
    study.service.submit(lambda desk, now: desk.add_item("c", entry, now)).result(30)
    assert rendered(entry["text"]).startswith("<pre>[ [ ")  # as Markdown, it takes 9 seconds
    assert rendered("<b>" + "x" * 20_000).startswith("<pre>&lt;b&gt;")

    def slow(text: str) -> str:
        calls.append(text)
        began.set()
        assert go.wait(30)
        return "c"

    monkeypatch.setattr(_showing, "rendered", slow)
    secret = house.links("a", "")["vote"].rpartition("/")[2]

    async def requests(client: httpx.AsyncClient) -> None:
        headers = {"Authorization": f"Bearer {secret}"}
        both = asyncio.gather(*(client.get("/api/ballot", headers=headers) for _ in range(2)))
        await asyncio.to_thread(began.wait, 30)
        assert (await client.get("/health")).status_code == 200
        assert not both.done()
        go.set()
        assert [reply.json()["items"]["c"]["html"] for reply in await both] == ["c", "c"]

    replies(house, requests)
    assert len(calls) == 1
