"""Links that open nothing any more, and voters who are deleted for good, in every process."""

from __future__ import annotations

import io
import json
import sqlite3
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from antichain.errors import StoreError
from antichain.serve import _service
from antichain.serve._databases import Database, _SqlTurn
from antichain.serve._exports import packed
from antichain.serve._house import House, OpenStudy
from antichain.serve._stores import Store
from antichain.study._study_file import ballot_from
from tests.serve.postgres import new_database
from tests.serve.served import Server

_KEY = b"k" * 32


@contextmanager
def served(database: str | Path, voters: Any = None) -> Iterator[tuple[House, OpenStudy]]:
    """A house with one study, which keeps nobody from opening another one on its database."""
    house = House(_KEY, str(database))
    document = {"items": ["a", "b", "c"]} | ({} if voters is None else {"voters": voters})
    try:
        yield house, house.open("study", ballot_from(document, "the study"))
    finally:
        house.close()


def secrets_of(house: House) -> dict[str, str]:
    links = house.links("study", "")
    each = links.get("voters") or {"": links["vote"]}
    return {voter: link.rpartition("/")[2] for voter, link in each.items()}


def opens(house: House, secret: str) -> bool:
    return bool(house.known(secret) or house.find(secret))


def vote(study: OpenStudy, voter: str) -> None:
    (ask,) = study.service.ask(voter).result(30)["asks"]
    study.service.answer(ask["id"], "left").result(30)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


def test_a_link_that_the_study_no_longer_has(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with served(path) as (house, _):
        everybody = secrets_of(house)[""]
        assert opens(house, everybody)
    with served(path, ["ann", "bob"]) as (house, _):
        assert not opens(house, everybody)
        both = secrets_of(house)
        assert all(opens(house, secret) for secret in both.values())
    with served(path, ["ann"]) as (house, _):
        assert opens(house, both["ann"])
        assert not opens(house, both["bob"])
    with served(path, ["ann", "bob"]) as (house, _):
        assert opens(house, both["bob"])


@pytest.mark.slow
def test_a_deleted_voter_stays_deleted(tmp_path: Path) -> None:
    path = tmp_path / "films.toml"
    path.write_text('voters = ["ann", "bob", "cy"]\nitems = ["a", "b", "c"]')
    with Server(path) as server, server.client("owner") as owner:
        links = server.links["voters"]
        server.links["ann"], server.links["bob"] = links["ann"], links["bob"]
        with server.client("ann") as ann:
            ann.post("/api/asks", json={}).raise_for_status()
        deleted = owner.delete("/api/voters/ann").json()
        assert deleted == {"voter": "ann", "deleted": 1, "erased": True}
        assert owner.delete("/api/voters/bob").json()["deleted"] == 0  # who has only a link
        assert owner.delete("/api/voters/dan").status_code == 404
        assert set(owner.get("/api/dashboard").json()["voter_links"]) == {"cy"}
        server.kill()
        server.start()
        assert set(server.links["voters"]) == {"cy"}
        assert server.links["vote"] == f"{server.base}/"  # where nobody can vote
        assert "a link of their own" in httpx.get(server.links["vote"]).text
        server.links |= links
        for voter, code in (("ann", 401), ("bob", 401), ("cy", 200)):
            with server.client(voter) as client:
                assert client.get("/api/ballot").status_code == code
    for file in tmp_path.glob("films.sqlite*"):
        assert b'"ann"' not in file.read_bytes()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.slow
def test_other_processes_notice(tmp_path: Path, kind: str) -> None:
    database = str(tmp_path / "a.sqlite") if kind == "sqlite" else new_database()
    voters = ["ann", "bob"]
    with served(database, voters) as (one, here), served(database, voters) as (other, there):
        ann = secrets_of(other)["ann"]
        vote(here, "ann")
        vote(there, "bob")
        assert opens(other, ann)
        heard: list[int] = []
        there.service.listen(heard.append)
        wait_for(lambda: there.service.desk is not None and there.service.desk.line == 5)
        heard.clear()
        assert one.forget_voter("study", "ann")
        assert here.service.delete_voter("ann").result(30)["deleted"] == 2
        wait_for(lambda: there.service.desk is not None and "ann" not in there.service.desk.voters)
        wait_for(lambda: there.service.edition == 1 and bool(heard))
        assert not opens(other, ann)
        assert set(secrets_of(other)) == {"bob"}
        vote(there, "bob")  # and it goes on
        assert there.service.follower.look("result", likely=False).result(120)["votes"] == 2


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_nobody_appends_while_a_voter_is_deleted(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process that appended between the reading and the writing would be overlooked."""
    database = str(tmp_path / "a.sqlite") if kind == "sqlite" else new_database()
    other, landed = Database(database), threading.Event()
    find = _service._of_voter

    def append() -> None:
        with other.store("study").turn(0) as turn:
            turn.append([{"event": "pause", "time": 1.0}])
        landed.set()

    def slowly(*given: Any) -> Any:
        threading.Thread(target=append).start()
        assert not landed.wait(1.0)
        return find(*given)

    with served(database) as (_, study):
        vote(study, "ann")
        monkeypatch.setattr(_service, "_of_voter", slowly)
        assert study.service.delete_voter("ann").result(30)["deleted"] == 2
        assert landed.wait(30)
        events = [json.loads(line)["event"] for line in study.service.store.read(1)]
        assert events == ["gone", "gone", "pause"]
    other.close()


@pytest.mark.parametrize("name", ["a.duels", "a.sqlite"])
@pytest.mark.slow
def test_the_link_of_a_deleted_voter_stays_closed(tmp_path: Path, name: str) -> None:
    """Also in a store that knows no links, and in what is exported."""
    path, voters = tmp_path / name, ["ann", "bob", "cy"]
    with served(path, voters) as (house, study):
        both = secrets_of(house)
        vote(study, "ann")
        vote(study, "cy")
        for voter in ("ann", "bob"):
            doors = house.forget_voter("study", voter)
            assert study.service.delete_voter(voter, doors=doors).result(30)["voter"] == voter
        exported = packed(house, study)
    with served(path, voters) as (house, study):
        assert [voter for voter, secret in both.items() if opens(house, secret)] == ["cy"]
        assert set(secrets_of(house)) == {"cy"}
        assert house.links("study", "http://x")["vote"] == "http://x/"
        notes = study.service.follower.look("result", likely=False).result(120)["notes"]
        assert any("votes of 1 voter were deleted" in note for note in notes)  # bob had none
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        texts = [archive.read(name) for name in archive.namelist()]
    assert all(voter not in text for voter in (b'"ann"', b'"bob"') for text in texts)
    assert any(b'"cy"' in text for text in texts)


def test_a_reader_keeps_no_voter_waiting(tmp_path: Path) -> None:
    """What was deleted is in the write-ahead log for as long as an old state is being read."""
    path = tmp_path / "a.sqlite"
    with served(path) as (_, study):
        vote(study, "Rumpelstilzchen")
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM antichain_records").fetchone()
            started = time.monotonic()
            reply = study.service.delete_voter("Rumpelstilzchen").result(60)
            assert not reply["erased"]
            assert "the server removes them" in reply["hint"]
            vote(study, "ann")
            assert time.monotonic() - started < 15  # SQLite would wait for 30 s
        wait_for(lambda: study.service._erase_at is None)
        for file in tmp_path.iterdir():
            assert b"Rumpelstilzchen" not in file.read_bytes()


def test_a_deletion_that_fails_or_that_nobody_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with served(tmp_path / "a.sqlite") as (_, study):
        vote(study, "ann")
        with monkeypatch.context() as patch:
            patch.setattr(_SqlTurn, "redact", fail)
            with pytest.raises(StoreError, match="could not be deleted"):
                study.service.delete_voter("ann").result(30)
        study.service.delete_voter("ann").cancel()
        vote(study, "bob")
        assert study.service._thread.is_alive()


@pytest.mark.slow
def test_an_open_dashboard_hears_of_a_deletion(tmp_path: Path) -> None:
    path = tmp_path / "films.txt"
    path.write_text("a\nb\n")
    with Server(path) as server, server.client("owner") as owner, server.client() as voter:
        voter.post("/api/asks", json={"voter": "ann"}).raise_for_status()
        headers = {"Last-Event-ID": "2"}
        with owner.stream("GET", "/api/events", headers=headers) as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith("retry")
            assert owner.delete("/api/voters/ann").status_code == 200
            found = next(line for line in lines if line.startswith((":", "event")))
            assert found == "event: change"


@pytest.mark.parametrize("then", ["deleted", "replaced"])
@pytest.mark.slow
def test_a_file_that_is_gone_takes_no_votes(tmp_path: Path, then: str) -> None:
    path, away = tmp_path / "films.txt", tmp_path / "away"
    path.write_text("a\nb\nc\n")
    file = tmp_path / "films.sqlite"
    with Server(path) as server, server.client() as voter:
        body = {"voter": "ann"}
        assert voter.post("/api/asks", json=body).status_code == 200
        file.rename(away)
        if then == "replaced":
            Database(file).close()
        reply = voter.post("/api/asks", json={"voter": "bob"})
        assert reply.status_code == 503
        assert "could not be saved" in reply.json()["error"]
        assert voter.get("/health").status_code == 503
        with server.client("owner") as owner:
            hint = owner.post("/api/pause").json()["hint"]
        assert "deleted or replaced; put it back" in hint
        if then == "deleted":
            away.rename(file)
            wait_for(lambda: voter.post("/api/asks", json=body).status_code == 200)


def test_a_database_of_the_first_version(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    database = Database(path)
    database.store("study").begin({"format": "x"})
    database.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE antichain_studies DROP COLUMN edition")
        connection.execute("UPDATE antichain_schema SET version = 1")
    database = Database(path)
    store: Store = database.store("study")
    store.append(1, [{"k": 1}])
    store.redact({2: {"k": 2}})
    assert [json.loads(line) for line in store.read(1)] == [{"k": 2}]
    assert store.edition() == 1
    database.close()
