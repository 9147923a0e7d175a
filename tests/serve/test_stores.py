"""Every store passes one contract suite, and databases keep their tables across versions."""

from __future__ import annotations

import itertools
import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

import pytest

from antichain import Study
from antichain import _journal as _journal_file
from antichain.errors import FileError, ParameterError, StoreError
from antichain.serve._databases import Database
from antichain.serve._stores import JournalStore, MemoryStore, Store
from antichain.study._records import STUDY
from antichain.testing import check_store, store_checks
from tests.serve.postgres import new_database

_NAMES = map(str, itertools.count())
_WHERE: dict[Store, Callable[[], Store]] = {}


def _journal() -> Store:
    path = Path(mkdtemp()) / "a.duels"
    return _remembered(lambda: JournalStore(path))


def _sqlite() -> Store:
    path = Path(mkdtemp()) / "a.sqlite"

    def make() -> Store:
        _OPEN.append(Database(path))
        return _OPEN[-1].store("study")

    return _remembered(make)


_OPEN: list[Database] = []
_POSTGRES: list[Database] = []


@pytest.fixture(autouse=True)
def _databases_are_closed():
    yield
    while _OPEN:
        _OPEN.pop().close()


def _postgres() -> Store:
    if not _POSTGRES:
        _POSTGRES.append(Database(new_database()))
    name = next(_NAMES)
    return _remembered(lambda: _POSTGRES[0].store(name))


def _remembered(make: Callable[[], Store]) -> Store:
    store = make()
    _WHERE[store] = make
    return store


def _again(store: Store) -> Store:
    store.close()
    return _WHERE[store]()


_CHECKS = [
    *((f"memory-{check}", check) for check in store_checks(MemoryStore)),
    *((f"journal-{check}", check) for check in store_checks(_journal, _again)),
    *((f"sqlite-{check}", check) for check in store_checks(_sqlite, _again)),
    *((f"postgres-{check}", check) for check in store_checks(_postgres, _again)),
]


@pytest.mark.parametrize(
    "check", [check for _, check in _CHECKS], ids=[name for name, _ in _CHECKS]
)
def test_contract(check: Callable[[], None]) -> None:
    check()


def test_the_suite_finds_a_store_that_forgets() -> None:
    class Forgets(MemoryStore):
        def _write(self, lines) -> None:
            super()._write(lines[:1])

    with pytest.raises(AssertionError, match="comes back changed"):
        check_store(Forgets)


def test_sqlite_is_set_to_lose_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.sqlite")
    with database.engine.connect() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "secure_delete")
        }
    assert (tmp_path / "a.sqlite").stat().st_mode & 0o077 == 0
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}
    database.close()


def test_what_is_deleted_is_not_left_in_the_file(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.sqlite")
    store = database.store("study")
    store.begin({"format": "x"})
    store.append(1, [{"voter": "Rumpelstilzchen"}, {"k": 1}])
    store.redact({2: {"event": "gone"}})
    database.close()
    for file in tmp_path.iterdir():
        assert b"Rumpelstilzchen" not in file.read_bytes()


def test_tables_of_a_newer_version_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    Database(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE antichain_schema SET version = 99")
    connection.close()
    with pytest.raises(StoreError, match="open it with a newer antichain"):
        Database(path)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("mysql://localhost/x", "--database begins with mysql://, but sqlite or postgresql"),
        ("://", "cannot be read"),
    ],
)
def test_addresses_that_cannot_be(address: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Database(address)


def test_a_database_that_is_not_there_says_so_without_its_password() -> None:
    with pytest.raises(StoreError) as caught:
        Database("postgresql://ann:hushhush@127.0.0.1:1/x")
    assert "cannot be used" in str(caught.value)
    assert "check that the server runs, and the address: postgresql://" in str(caught.value)
    assert "hushhush" not in str(caught.value)


def test_a_folder_without_a_database_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"\(the path of an SQLite database, or of a new one in a"):
        Database(tmp_path / "none" / "a.sqlite")


def test_a_served_study_is_a_study_file(tmp_path: Path) -> None:
    path = tmp_path / "a.duels"
    Study.open(path, ["tea", "milk"]).close()
    store = JournalStore(path)
    store.append(
        1,
        [
            {
                "event": "ask",
                "time": 1,
                "ask": 1,
                "left": "tea",
                "right": "milk",
                "flipped": False,
                "voter": "ann",
                "until": 9,
            }
        ],
    )
    assert json.loads(next(store.read(1)))["voter"] == "ann"
    store.close()
    assert [ask.left for ask in Study.read(path).outstanding] == ["tea"]


def _in_database(path: Path, *studies: Path) -> None:
    """Put the files of studies into a database, each under the name of its file."""
    database = Database(path)
    for file in studies:
        content = _journal_file.read(file, STUDY)
        assert content.header is not None
        database.store(file.stem).begin(content.header, content.lines)
    database.close()


@pytest.fixture
def voted(tmp_path: Path) -> Path:
    path = tmp_path / "drinks.duels"
    with Study.open(path, ["tea", "milk"]) as study:
        for ask in study.ask(3):
            study.tell(ask, "left", voter="ann")
    return path


def test_the_database_of_a_served_study_is_read_as_its_file(tmp_path: Path, voted: Path) -> None:
    path = tmp_path / "drinks.sqlite"
    _in_database(path, voted)
    study = Study.read(path)
    assert study.votes_csv() == Study.read(voted).votes_csv()
    assert (study.path, study.progress.answers) == (path, 3)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["drinks.duels", "drinks.sqlite"]
    serving = Database(path)  # and while a server has it open
    assert Study.read(path).progress.answers == 3
    serving.close()


@pytest.mark.parametrize("minutes", [-1, 5])
def test_an_ask_that_nobody_answers_holds_votes_up_only_for_its_time(
    tmp_path: Path, minutes: int
) -> None:
    with Study.open(tmp_path / "held.duels", ["tea", "milk"]) as study:
        _, *later = study.ask(4)
        for ask in later:
            study.tell(ask, "left", voter="ben")
    content = _journal_file.read(tmp_path / "held.duels", STUDY)
    assert content.header is not None
    lines = [dict(line) for line in content.lines]
    lines[0] |= {"voter": "ann", "until": time.time() + 60 * minutes}
    database = Database(tmp_path / "held.sqlite")
    database.store("held").begin(content.header, lines)
    database.close()
    read = Study.read(tmp_path / "held.sqlite")
    over = minutes < 0
    assert (read.result().duels, read.progress.expired) == ((3, 1) if over else (0, 0))
    assert ("given up" in read.votes_csv()) is over
    if over:
        assert read.note is None
    else:
        assert read.note is not None
        assert read.note.startswith("3 votes will count once ann has answered “")
        assert read.note.endswith("or when the time for that is over, in 5 minutes at most.")


def test_of_several_studies_in_a_database_one_is_named(tmp_path: Path, voted: Path) -> None:
    path, other = tmp_path / "both.sqlite", tmp_path / "food.duels"
    Study.open(other, ["ham", "spam"]).close()
    _in_database(path, voted, other)
    assert Study.read(path, "food").progress.answers == 0
    with pytest.raises(FileError, match=r"holds 2 studies, .*: --name 'drinks' or 'food'"):
        Study.read(path)
    with pytest.raises(FileError, match=r"holds no study 'cars', .*: --name 'drinks' or 'food'"):
        Study.read(path, "cars")
    with pytest.raises(ParameterError, match="is not the database of a served study"):
        Study.read(voted, "drinks")


def test_databases_without_a_study_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    Database(path).close()
    with pytest.raises(FileError, match="holds no study that has begun"):
        Study.read(path)
    with sqlite3.connect(tmp_path / "b.sqlite") as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(FileError, match="one that antichain serve wrote was expected"):
        Study.read(tmp_path / "b.sqlite")
