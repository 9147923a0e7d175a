"""The example that asks a language model, against a stub of its endpoint."""

from __future__ import annotations

import importlib.util
import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from antichain.errors import JudgeError
from antichain.study import Study, _judge_calls

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
    monkeypatch.setattr(_judge_calls, "_FIRST_PAUSE", 0.001)
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
        (200, {}, []),
        (200, {}, b"[" * 100_000),
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


@pytest.fixture
def model(stub: Stub, example: ModuleType, monkeypatch) -> Any:
    """The example's judge, at one euro for a million tokens either way."""
    monkeypatch.setenv("TEST_KEY", "sesame")
    return example.Model(
        example.argparse.Namespace(
            base_url=stub.url,
            key_variable="TEST_KEY",
            model="m",
            timeout=5,
            price_in=1,
            price_out=1,
        )
    )


@pytest.mark.parametrize(
    ("wish", "least", "most"),
    [("7", 7, 7), ("0", 0, 0), ("-3", -3, -3), ("1e9", 1e9, 1e9), ("²", None, None),
     ("soon", None, None), ("Wed, 21 Oct 2015 07:28:00 GMT", -math.inf, -1e6),
     ("Fri, 31 Dec 9999 23:59:59 GMT", 1e9, math.inf)],
)  # fmt: skip
def test_a_wish_to_be_left_alone_is_heard(model, stub: Stub, example, wish, least, most) -> None:
    stub.trouble = lambda number: (429, {"Retry-After": wish.encode().decode("latin-1")}, {})
    with pytest.raises(example.CallError, match="429") as caught:
        model("x", "y")
    assert caught.value.cost == 0  # it refused to work
    heard = caught.value.retry_after
    assert heard is None if least is None else least <= heard <= most


USAGE = {"prompt_tokens": 70, "completion_tokens": 30}


@pytest.mark.parametrize(
    "reply",
    [
        {"usage": USAGE},
        {"usage": USAGE, "choices": []},
        {"usage": USAGE, "choices": None},
        {"usage": USAGE, "choices": [{"message": None}]},
        {"usage": USAGE, "choices": [{"message": {"content": None, "refusal": "I must not"}}]},
        {"usage": USAGE, "choices": [{"message": {"content": ["A"]}}]},
    ],
)
def test_a_paid_reply_without_an_answer_is_booked(model, stub: Stub, example, reply) -> None:
    stub.trouble = lambda number: (200, {}, reply)
    with pytest.raises(example.CallError, match="no answer in the reply") as caught:
        model("x", "y")
    assert caught.value.cost == pytest.approx(100 / 1e6)


@pytest.mark.parametrize(
    "usage",
    [None, [], {}, {"prompt_tokens": "many", "completion_tokens": 1},
     {"prompt_tokens": -70, "completion_tokens": 1},
     {"prompt_tokens": 1e400, "completion_tokens": 1}],
)  # fmt: skip
def test_a_reply_that_does_not_say_what_it_cost(model, stub: Stub, usage) -> None:
    message = {"message": {"content": "A"}}
    stub.trouble = lambda number: (200, {}, {"choices": [message], "usage": usage})
    assert model("x", "y") == ("left", None)


def test_such_a_reply_counts_at_the_expected_cost(run, stub: Stub, tmp_path: Path) -> None:
    stub.trouble = lambda number: (200, {}, {"choices": [{"message": {"content": "TIE"}}]})
    assert run("--max-cost", "0.0056", "--expected-cost", "0.0011") == 1
    assert len(stub.requests) == 5
    assert Study.read(tmp_path / "s.duels").progress.cost == pytest.approx(0.0055)


def test_the_budget_holds_when_no_reply_can_be_used(run, stub: Stub, tmp_path: Path) -> None:
    stub.trouble = lambda number: (200, {}, b"not json")
    assert run("--max-cost", "0.0056", "--expected-cost", "0.0011") == 1
    assert len(stub.requests) == 5
    assert Study.read(tmp_path / "s.duels").progress.cost == pytest.approx(0.0055)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_does_not_carry_the_key(model, stub: Stub, example, status: int) -> None:
    other = Stub()
    thread = threading.Thread(target=other.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        stub.trouble = lambda number: (status, {"Location": f"{other.url}/v1/steal"}, {})
        with pytest.raises(example.CallError, match="redirects are not followed") as caught:
            model("x", "y")
        assert other.url in str(caught.value)
    finally:
        other.server.shutdown()
        other.server.server_close()
        thread.join()
    assert (stub.keys, other.requests) == ({"Bearer sesame"}, [])


def test_a_reply_that_does_not_end_is_not_read_on(model, stub: Stub, example) -> None:
    stub.trouble = lambda number: (200, {}, b" " * (example.LARGEST_REPLY + 1))
    with pytest.raises(example.CallError, match="larger than 1,000,000 bytes") as caught:
        model("x", "y")
    assert not hasattr(caught.value, "cost")  # it may have been paid


def test_nobody_is_paid_where_nobody_is(model, stub: Stub, example) -> None:
    model.url = "http://127.0.0.1:9/v1/chat/completions"
    with pytest.raises(example.CallError, match="refused") as caught:
        model("x", "y")
    assert caught.value.cost == 0


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
