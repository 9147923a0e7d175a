"""The example that asks a language model, against a stub of its endpoint."""

from __future__ import annotations

import importlib.util
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from antichain.errors import JudgeError
from antichain.study import Study, _judging

EXAMPLE = Path(__file__).parents[2] / "examples" / "judge_llm.py"
ITEMS = {"short": "x", "long": "xxxxxx", "longest": "xxxxxxxxxxxx"}

Reply = tuple[int, dict[str, str], Any]


class Stub:
    """An endpoint that prefers the shorter text, after whatever `trouble` says of a request."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()
        self.paths: set[str] = set()
        self.trouble: Callable[[int], Reply | str | None] = lambda number: None
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                status, headers, body = stub.reply(
                    json.loads(self.rfile.read(length)), self.headers["Authorization"], self.path
                )
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # So that closing the server waits for slow requests, whose sockets would stay open.
        self.server.daemon_threads = False
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def reply(self, request: dict[str, Any], key: str | None, path: str) -> Reply:
        with self._lock:
            self.requests.append(request)
            self.keys.add(key)
            self.paths.add(path)
            number = len(self.requests)
        trouble = self.trouble(number)
        if isinstance(trouble, tuple):
            return trouble
        _, left, right = request["messages"][0]["content"].split("\n\n")
        text = trouble or ("A" if len(left) < len(right) else "The better one is B.")
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 1000, "completion_tokens": 10}
        return 200, {}, {"choices": [{"message": message}], "usage": usage}


@pytest.fixture
def stub() -> Iterator[Stub]:
    stub = Stub()
    thread = threading.Thread(target=stub.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield stub
    stub.server.shutdown()
    stub.server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("judge_llm", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run(stub: Stub, example: ModuleType, tmp_path: Path, monkeypatch) -> Callable[..., int]:
    monkeypatch.setenv("TEST_KEY", "sesame")
    monkeypatch.setattr(_judging, "_FIRST_PAUSE", 0.001)
    (tmp_path / "items.json").write_text(json.dumps(ITEMS))

    def call(*more: str) -> int:
        return example.main(
            ["--base-url", stub.url, "--model", "stub-1", "--key-variable", "TEST_KEY",
             "--items", str(tmp_path / "items.json"), "--study", str(tmp_path / "s.duels"),
             "--price-in", "1", "--price-out", "10", *more]
        )  # fmt: skip

    return call


def test_it_finds_the_best(run, stub: Stub, tmp_path: Path, capsys) -> None:
    assert run() == 0
    assert "best: short (certified)" in capsys.readouterr().out
    assert stub.keys == {"Bearer sesame"}
    assert stub.paths == {"/v1/chat/completions"}
    assert {request["model"] for request in stub.requests} == {"stub-1"}
    study = Study.read(tmp_path / "s.duels")
    assert len(stub.requests) == study.progress.answers
    assert {vote.voter for vote in study.votes()} == {"stub-1"}
    assert study.progress.cost == pytest.approx(len(stub.requests) * 0.0011)
    # Sides are tossed: the better text was shown as A and as B.
    assert {vote.answer for vote in study.votes()} == {"left", "right"}
    assert run() == 0
    assert len(stub.requests) == study.progress.answers  # nothing was asked or paid again


@pytest.mark.parametrize(
    "trouble",
    [
        (429, {"Retry-After": "0"}, {"error": "slow down"}),
        (500, {}, b"<html>oops</html>"),
        (200, {}, b"not json"),
        (200, {}, {"choices": []}),
        "I like both A and B",
        "hm",
    ],
)
def test_trouble_is_retried(run, stub: Stub, tmp_path: Path, trouble: Reply | str) -> None:
    stub.trouble = lambda number: trouble if number % 3 == 1 else None
    assert run() == 0
    study = Study.read(tmp_path / "s.duels")
    assert study.result().front == ("short",)
    assert len(stub.requests) > study.progress.answers
    if isinstance(trouble, str):  # garbage has its price
        assert study.progress.cost == pytest.approx(len(stub.requests) * 0.0011)


def test_a_wish_to_be_left_alone_is_heard(stub: Stub, example: ModuleType) -> None:
    stub.trouble = lambda number: (429, {"Retry-After": "7"}, {})
    options = example.argparse.Namespace(
        base_url=stub.url, key_variable="NONE", model="m", timeout=5, price_in=0, price_out=0
    )
    with pytest.raises(example.RefusedError, match="429") as caught:
        example.Model(options)("x", "y")
    assert caught.value.retry_after == 7


def test_slow_answers_are_given_up(run, stub: Stub, tmp_path: Path) -> None:
    def slow(number: int) -> None:
        if number in (2, 5):
            time.sleep(0.6)

    stub.trouble = slow
    assert run("--timeout", "0.3") == 0
    study = Study.read(tmp_path / "s.duels")
    assert study.result().front == ("short",)
    assert len(stub.requests) == study.progress.answers + 2  # two were heard by nobody


def test_a_server_that_is_down(run, stub: Stub, tmp_path: Path) -> None:
    stub.trouble = lambda number: (503, {}, {}) if number > 5 else None
    with pytest.raises(JudgeError, match="503"):
        run()
    stub.trouble = lambda number: None
    assert Study.read(tmp_path / "s.duels").progress.answers > 0
    assert run() == 0


def test_the_budget(run, stub: Stub, tmp_path: Path, capsys) -> None:
    assert run("--max-cost", "0.0056", "--expected-cost", "0.0011") == 1
    assert "(so far)" in capsys.readouterr().out
    assert len(stub.requests) == 5
    assert Study.read(tmp_path / "s.duels").progress.cost <= 0.0056
    assert run("--max-votes", "7") == 1
    assert len(stub.requests) == 7
