"""Kills, databases that go away, full disks: no acknowledged vote is lost or counts twice."""

from __future__ import annotations

import io
import json
import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

import antichain as ac
from antichain.serve._databases import Database
from antichain.study._exported import certificate_of
from antichain.study._records import AnswerRecord, Settings, UndoRecord, record_from
from antichain.study._state import StudyState
from tests.serve.postgres import Line, new_database
from tests.serve.served import Crowd, Server

KILLS = int(os.environ.get("ANTICHAIN_KILLS", "10"))  # 50 were tried on both databases
_SHOWN = ("votes", "in", "out", "undecided", "front", "records", "pairs")


def a_study(folder: Path, **more: object) -> Path:
    path = folder / "films.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in more.items()]
    path.write_text("\n".join([*lines, 'items = ["a", "b", "c", "d", "e", "f"]']))
    return path


def log_of(database: str | Path) -> StudyState:
    """A replay of the log, as it stands in the database."""
    found = Database(database)
    lines = [json.loads(line) for line in found.store("films").read(0)]
    found.close()
    settings = Settings.from_header(Path("films"), lines[0])
    return StudyState(settings, [record_from(line) for line in lines[1:]])


def check_nothing_lost(server: Server, crowd: Crowd, database: str | Path) -> None:
    assert not crowd.wrong, crowd.wrong[:3]
    state = log_of(database)
    undone = {record.line for record in state.records if isinstance(record, UndoRecord)}
    given = [
        (record.ask, record.answer.value)
        for line, record in enumerate(state.records, start=2)
        if isinstance(record, AnswerRecord) and line not in undone
    ]
    assert max(Counter(ask for ask, _ in given).values()) == 1  # no ask is answered twice
    missing = set(crowd.acknowledged.items()) - set(given)
    assert not missing, f"{len(missing)} of {len(crowd.acknowledged)} acknowledged votes are lost"
    shown = server.result(likely=False)
    replayed = certificate_of(state, "x", likely=False).to_dict()
    exported = ac.front(io.StringIO(server.export().decode()), likely=False).to_dict()
    for name in _SHOWN:
        assert shown[name] == replayed[name] == exported[name], name


def killed(folder: Path, database: str | None, kills: int, seed: int) -> None:
    study, rng = a_study(folder, epsilon=0.02, delta=0.001), random.Random(seed)
    options = [] if database is None else ["--database", database]
    with Server(study, *options) as server, Crowd(server) as crowd:
        links = server.links
        for _ in range(kills):
            before = len(crowd.acknowledged)
            time.sleep(rng.uniform(0.2, 0.8))
            server.kill()
            server.start()
            assert server.links == links
            end = time.monotonic() + 60
            while len(crowd.acknowledged) == before and time.monotonic() < end:
                time.sleep(0.05)
            assert len(crowd.acknowledged) > before, "The study does not go on."
        crowd.__exit__()
        check_nothing_lost(server, crowd, database or study.with_suffix(".sqlite"))


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.slow
def test_a_server_killed_under_load(tmp_path: Path, kind: str) -> None:
    killed(tmp_path, None if kind == "sqlite" else new_database(), 2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_server_killed_many_times_under_load(tmp_path: Path, kind: str) -> None:
    killed(tmp_path, None if kind == "sqlite" else new_database(), KILLS, 2)


def away(folder: Path, seconds: float) -> None:
    study, database = a_study(folder, epsilon=0.02), new_database()
    line = Line(database)
    with Server(study, "--database", line.address) as server, Crowd(server) as crowd:
        time.sleep(1.0)
        line.cut()
        time.sleep(0.3)
        with server.client() as client:
            reply = client.post("/api/asks", json={"voter": "late"})
            assert reply.status_code == 503
            assert "nothing is lost" in reply.json()["error"]
            assert int(reply.headers["retry-after"]) > 0
            assert client.get("/health").status_code == 503
            assert client.get("/api/ballot").status_code == 200
        before = len(crowd.acknowledged)
        time.sleep(seconds)
        assert len(crowd.acknowledged) <= before + crowd.voters
        line.mend()
        end = time.monotonic() + 60
        while len(crowd.acknowledged) < before + 50 and time.monotonic() < end:
            time.sleep(0.05)
        assert len(crowd.acknowledged) >= before + 50
        crowd.__exit__()
        check_nothing_lost(server, crowd, database)
    line.close()


@pytest.mark.slow
def test_the_database_goes_away_for_a_moment(tmp_path: Path) -> None:
    away(tmp_path, 1.0)


@pytest.mark.slow
def test_the_database_goes_away_for_ten_seconds(tmp_path: Path) -> None:
    away(tmp_path, 10.0)


@pytest.mark.slow
def test_a_full_disk(tmp_path: Path) -> None:
    """No file of the server may grow beyond some size: SQLite then finds the disk full."""
    study = a_study(tmp_path, epsilon=0.02)
    with Server(study, largest=600_000) as server, Crowd(server) as crowd:
        end = time.monotonic() + 60
        with server.client() as client:
            while client.get("/health").is_success and time.monotonic() < end:
                time.sleep(0.05)
            reply = client.post("/api/asks", json={"voter": "late"})
        assert reply.status_code == 503
        assert "disk is full" in reply.json()["hint"]
        assert len(crowd.acknowledged) > 20
        server.kill()
        server.largest = None
        server.start()
        before = len(crowd.acknowledged)
        while len(crowd.acknowledged) < before + 20 and time.monotonic() < end:
            time.sleep(0.05)
        crowd.__exit__()
        assert len(crowd.acknowledged) >= before + 20
        check_nothing_lost(server, crowd, study.with_suffix(".sqlite"))
