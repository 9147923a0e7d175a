"""Requests that no page would send: none makes the server fail."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

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
        for name in ("..", "a/b", "%00", "\u202e", "<script>"):
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
