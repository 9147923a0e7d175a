"""Requests that no page would send: none makes the server fail."""

from __future__ import annotations

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
