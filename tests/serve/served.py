"""A served study in a process of its own, which can be killed and started again; and its voters."""

from __future__ import annotations

import json
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from antichain.serve._guard import ask_number
from antichain.serve._secrets import Doors, read_key

_SERVE = "import sys; from antichain.cli import main; sys.exit(main())"
_READY = 120.0  # seconds
_PATIENCE = 600.0  # seconds: the first use compiles kernels, in several processes at once


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Server:
    """`antichain serve` on one port, as often as it is started."""

    def __init__(
        self, study: Path, *options: str, port: int | None = None, largest: int | None = None
    ) -> None:
        self.largest = largest  # bytes that a file of the server can have
        self.study = study
        self.port = port or free_port()
        self._command = [sys.executable, "-c", _SERVE, "serve", str(study), "--json"]
        self._command += ["--port", str(self.port), *options]
        self._process: subprocess.Popen[str] | None = None
        self.errors: Path | None = None  # where its messages are written
        self.links: dict[str, Any] = {}
        self.base = f"http://127.0.0.1:{self.port}"

    def start(self) -> Server:
        with ExitStack() as stack:
            errors = self.errors and stack.enter_context(self.errors.open("w"))
            self._process = subprocess.Popen(
                self._command,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                preexec_fn=self._limit,
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self.kill()
            raise AssertionError("The server said nothing.")
        self.links = json.loads(line)
        end = time.monotonic() + _READY
        while time.monotonic() < end:
            try:
                if httpx.get(f"{self.base}/health", timeout=5).is_success:
                    return self
            except httpx.TransportError:
                time.sleep(0.02)
        raise AssertionError("The server did not get ready.")

    def _limit(self) -> None:
        if self.largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.largest, self.largest))

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()  # type: ignore[union-attr]
        self._process = None

    def stop(self, sign: signal.Signals = signal.SIGINT) -> int:
        """Stop it as Ctrl-C does, and return its exit code."""
        if self._process is None:
            return 0
        self._process.send_signal(sign)
        code = self._process.wait(30)
        self._process.stdout.close()  # type: ignore[union-attr]
        self._process = None
        return code

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self.kill()

    def secret(self, role: str) -> str:
        return str(self.links[role]).rsplit("/", 1)[1]

    def client(self, role: str = "vote") -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.secret(role)}"}
        return httpx.Client(base_url=self.base, headers=headers, timeout=_PATIENCE)

    def number(self, ask: int) -> int:
        """The number that the log has for an ask, by its id."""
        doors = Doors(read_key(self.study.with_suffix(".key")))
        return ask_number(doors.derive(self.study.stem, "asks"), ask)

    def result(self, **options: Any) -> dict[str, Any]:
        with self.client("owner") as owner:
            reply = owner.get("/api/result", params=options)
            assert reply.status_code == 200, reply.text
            return dict(reply.json())

    def export(self, name: str = "votes.csv") -> bytes:
        with self.client("owner") as owner:
            reply = owner.get(f"/api/export/{name}")
            assert reply.status_code == 200, reply.text
            return reply.content


@dataclass
class Crowd:
    """Voters who vote as fast as they can, and remember what was acknowledged.

    They repeat what was not acknowledged until it is, or until the server says why it cannot be.
    """

    server: Server
    voters: int = 8
    name: str = "voter"
    acknowledged: dict[int, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    undos: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Crowd:
        for k in range(self.voters):
            thread = threading.Thread(
                target=self._vote, args=(f"{self.name} {k}", random.Random(k))
            )
            thread.start()
            self._threads.append(thread)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(120)

    def _send(self, client: httpx.Client, path: str, body: dict[str, Any]) -> httpx.Response | None:
        """The first reply that is not a failure of the server; None if it is time to stop."""
        while not self._stop.is_set():
            try:
                reply = client.post(path, json=body)
                if reply.status_code != 503:
                    return reply
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        return None

    def _vote(self, voter: str, rng: random.Random) -> None:
        with self.server.client() as client:
            while not self._stop.is_set():
                reply = self._send(client, "/api/asks", {"voter": voter, "n": 2})
                if reply is None:
                    return
                if reply.status_code != 200:
                    self.wrong.append(f"{reply.status_code} {reply.text}")
                    return
                asks = reply.json()["asks"]
                if not asks:
                    time.sleep(0.05)
                for ask in asks:
                    good = 0.8 if ask["left"] < ask["right"] else 0.2
                    answer = "left" if rng.random() < good else "right"
                    said = self._send(client, f"/api/asks/{ask['id']}/answer", {"answer": answer})
                    if said is None:
                        return
                    if said.status_code == 200:
                        self.acknowledged[self.server.number(ask["id"])] = answer
                    elif said.status_code != 410:
                        self.wrong.append(f"{said.status_code} {said.text}")
