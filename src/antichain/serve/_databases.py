"""Studies in a database: SQLite for one machine, PostgreSQL for servers on several.

On SQLite one thread of a server writes, under BEGIN IMMEDIATE (a transaction that reads before it
writes under plain BEGIN fails when another one was faster), with the write-ahead log and
synchronous=FULL: what is committed survives a power cut. On PostgreSQL a writer locks the study's
row. With either, it then reads what other processes have appended since, and appends: two servers
on one SQLite file take turns as well, since BEGIN IMMEDIATE waits for the lock of the whole file.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from antichain.errors import ParameterError, StoreError
from antichain.serve._stores import Line, Store, Turn

_META = sa.MetaData()
_VERSION = sa.Table("antichain_schema", _META, sa.Column("version", sa.Integer, nullable=False))
STUDIES = sa.Table(
    "antichain_studies",
    _META,
    sa.Column("id", sa.String(80), primary_key=True),
    sa.Column("ballot", sa.Text, nullable=False, server_default="{}"),  # as a study file has it
    sa.Column("line", sa.Integer, nullable=False),  # the number of the last line
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("edition", sa.Integer, nullable=False, server_default="0"),  # counts redactions
)
_RECORDS = sa.Table(
    "antichain_records",
    _META,
    sa.Column("study", sa.String(80), primary_key=True),
    sa.Column("line", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("body", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
SECRETS = sa.Table(
    "antichain_secrets",
    _META,
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("study", sa.String(80), nullable=False),
    sa.Column("role", sa.String(10), nullable=False),
    sa.Column("voter", sa.Text),
)
MEDIA = sa.Table(
    "antichain_media",
    _META,
    sa.Column("study", sa.String(80), primary_key=True),
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),
)


def _first_tables(connection: Connection) -> None:
    _META.create_all(connection, [STUDIES, _RECORDS, SECRETS, MEDIA], checkfirst=True)


def _count_editions(connection: Connection) -> None:
    columns = {column["name"] for column in sa.inspect(connection).get_columns(STUDIES.name)}
    if "edition" not in columns:
        add = f"ALTER TABLE {STUDIES.name} ADD COLUMN edition INTEGER DEFAULT 0 NOT NULL"
        connection.execute(sa.text(add))


_MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_first_tables, _count_editions)
"""What takes the tables from each version to the next; entries are added, and never changed."""

_BUSY = 30_000  # milliseconds to wait for another process that writes the same SQLite file
_MOMENT = 0.05  # seconds to wait for those who read it, before what was redacted is cleared away
_WANTED = {  # what else to look at where a database cannot be opened, by its kind
    True: "the path of an SQLite database, or of a new one in a folder that can be written to, was "
    "expected",
    False: "check that the server runs, and the address: postgresql://USER:PASSWORD@HOST:PORT/NAME",
}
_PATIENCE = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,
    "options": "-c statement_timeout=20000 -c lock_timeout=20000",
}
_AT_ONCE = 5_000  # lines read from a database at a time
_LOCK = 0x616E7469  # keeps others from migrating at the same time


class Database:
    """A database with any number of studies."""

    def __init__(self, url: str | Path) -> None:
        self.url = _address(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.engine = self._engine()
        self._file: tuple[int, int] | None = None
        if self.is_sqlite and self.url.database:
            with suppress(OSError):  # votes and voters are nobody else's business
                os.close(os.open(self.url.database, os.O_CREAT | os.O_EXCL, 0o600))
        try:
            with self.failures(f" ({_WANTED[self.is_sqlite]})"):
                self._migrate()
            self._file = self._file_now()
            self.erase()
        except BaseException:
            self.close()
            raise

    def _file_now(self) -> tuple[int, int] | None:
        """Which file it is, by device and number; None if there is none, or it is no file."""
        if not self.is_sqlite or not self.url.database:
            return None
        with suppress(OSError):
            found = os.stat(self.url.database)
            return found.st_dev, found.st_ino
        return None

    def _engine(self) -> Engine:
        if not self.is_sqlite:
            return sa.create_engine(self.url, pool_pre_ping=True, connect_args=_PATIENCE)
        engine = sa.create_engine(self.url, connect_args={"check_same_thread": False})

        @sa.event.listens_for(engine, "connect")
        def _set_up(connection: Any, _: Any) -> None:
            connection.isolation_level = None  # transactions begin where we say so, below
            for pragma in (
                f"busy_timeout={_BUSY}", "journal_mode=WAL", "synchronous=FULL", "secure_delete=ON",
                "fullfsync=ON", "checkpoint_fullfsync=ON",  # macOS: past the memory of the drive
            ):  # fmt: skip
                connection.execute(f"PRAGMA {pragma}")

        @sa.event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            reads = connection.get_execution_options().get("reads")
            connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

        return engine

    @contextmanager
    def failures(self, lead: str = "") -> Iterator[None]:
        """What the database refuses, as an error of ours that says no secret, and what to do."""
        if self._file is not None and self._file_now() != self._file:
            raise StoreError(  # SQLite would go on writing to a file that nobody finds any more
                f"the database {self.url.database} cannot be used: the file was deleted or "
                "replaced; put it back, or start the server again."
            )
        try:
            yield
        except sa.exc.SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or type(error).__name__).split("\n")[0]
            where = self.url.render_as_string(hide_password=True)
            raise StoreError(
                f"the database {where} cannot be used: {reason[:200]}{lead}."
            ) from error

    def _migrate(self) -> None:
        with self.engine.begin() as connection:
            if not self.is_sqlite:
                connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            _META.create_all(connection, [_VERSION], checkfirst=True)
            version = connection.execute(sa.select(_VERSION.c.version)).scalar()
            if version is None:
                version = 0
                connection.execute(_VERSION.insert().values(version=0))
            if version > len(_MIGRATIONS):
                raise StoreError(
                    f"the database has tables of version {version}, but {len(_MIGRATIONS)} was "
                    "expected: open it with a newer antichain."
                )
            for step in _MIGRATIONS[version:]:
                step(connection)
            connection.execute(_VERSION.update().values(version=len(_MIGRATIONS)))

    def store(self, study: str) -> SqlStore:
        return SqlStore(self, study)

    def execute(self, statement: sa.Executable) -> Sequence[Any]:
        """Run one statement in a transaction of its own, and return the rows it gives."""
        with self.failures(), self.engine.begin() as connection:
            result = connection.execute(statement)
            return result.all() if result.returns_rows else ()

    def add(self, table: sa.Table, row: Mapping[str, Any]) -> None:
        """Insert a row, unless one with its key is there."""
        keys = [column.name for column in table.primary_key]
        same = sa.and_(*(table.c[key] == row[key] for key in keys))
        values = sa.select(*(sa.literal(value, table.c[key].type) for key, value in row.items()))
        new = values.where(~sa.exists().where(same))
        # An IntegrityError means that another process was faster.
        with self.failures(), suppress(sa.exc.IntegrityError), self.engine.begin() as connection:
            connection.execute(table.insert().from_select(list(row), new))

    def erase(self) -> bool:
        """Empty SQLite's write-ahead log, which has the old content of what was overwritten.

        Returns:
            Whether it is empty: not while others read an earlier state of the file.
        """
        if self._file is None or self.url.database is None:
            return True
        if self._file_now() != self._file:
            return False
        with suppress(sqlite3.Error):
            connection = sqlite3.connect(self.url.database, timeout=_MOMENT)
            try:
                busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                return not busy
            finally:
                connection.close()
        return False

    def close(self) -> None:
        self.engine.dispose()


class _SqlTurn(Turn):
    def __init__(
        self, connection: Connection, study: str, after: int, last: int, edition: int
    ) -> None:
        self._connection, self._study, self._last = connection, study, last
        self.edition = edition
        self.fresh = []
        if last > after:
            self.fresh = list(_lines(connection, study, after))

    def append(self, lines: Sequence[Line]) -> None:
        if not lines:
            return
        rows = [
            {"study": self._study, "line": number, "body": _written(line)}
            for number, line in enumerate(lines, start=self._last + 1)
        ]
        self._connection.execute(_RECORDS.insert(), rows)
        self._last += len(lines)
        mine = STUDIES.c.id == self._study
        self._connection.execute(STUDIES.update().where(mine).values(line=self._last))

    def redact(self, lines: Mapping[int, Line]) -> None:
        where = (_RECORDS.c.study == self._study) & (_RECORDS.c.line == sa.bindparam("at"))
        change = _RECORDS.update().where(where).values(body=sa.bindparam("new"))
        if lines:
            rows = [{"at": number, "new": _written(line)} for number, line in lines.items()]
            self._connection.execute(change, rows)
        mine = STUDIES.update().where(STUDIES.c.id == self._study)
        self._connection.execute(mine.values(edition=self.edition + 1))


class SqlStore(Store):
    """The records of one study in a database."""

    def __init__(self, database: Database, study: str) -> None:
        # A second server on one SQLite file is rare, and does no harm.
        self.glance = 5.0 if database.is_sqlite else 0.5
        self._database, self._study = database, study

    def header(self) -> dict[str, Any] | None:
        first = (_RECORDS.c.study == self._study) & (_RECORDS.c.line == 1)
        rows = self._database.execute(sa.select(_RECORDS.c.body).where(first))
        return json.loads(rows[0][0]) if rows else None

    def begin(self, header: Line, lines: Sequence[Line] = ()) -> None:
        row = {"id": self._study, "line": 0, "created": time.time(), "ballot": "{}"}
        self._database.add(STUDIES, row)
        with self.turn(0) as turn:
            if not turn.fresh:
                turn.append([header, *lines])

    def read(self, after: int) -> Iterator[str]:
        reading = self._database.engine.execution_options(reads=True)
        with self._database.failures(), reading.connect() as connection:
            yield from _lines(connection, self._study, after)

    @contextmanager
    def turn(self, after: int) -> Iterator[Turn]:
        mine = sa.select(STUDIES.c.line, STUDIES.c.edition).where(STUDIES.c.id == self._study)
        with self._database.failures(), self._database.engine.begin() as connection:
            found = connection.execute(mine.with_for_update()).first()
            if found is None:
                raise StoreError(f"the database has no study {self._study!r}.")
            yield _SqlTurn(connection, self._study, after, *found)

    def edition(self) -> int:
        mine = sa.select(STUDIES.c.edition).where(STUDIES.c.id == self._study)
        reading = self._database.engine.execution_options(reads=True)
        with self._database.failures(), reading.connect() as connection:
            return int(connection.execute(mine).scalar() or 0)

    def erase(self) -> bool:
        return self._database.erase()


def _lines(connection: Connection, study: str, after: int) -> Iterator[str]:
    ours = sa.select(_RECORDS.c.line, _RECORDS.c.body).where(_RECORDS.c.study == study)
    while True:
        part = ours.where(_RECORDS.c.line > after).order_by(_RECORDS.c.line).limit(_AT_ONCE)
        rows = connection.execute(part).all()
        yield from (body for _, body in rows)
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1][0]


def _written(line: Line) -> str:
    return json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _address(url: str | Path) -> sa.URL:
    text = str(url)
    if "://" not in text:
        return sa.URL.create("sqlite", database=text)
    try:
        found = sa.make_url(text)
    except sa.exc.ArgumentError as error:
        raise ParameterError(
            "the address that --database gives cannot be read; postgresql://… was expected"
        ) from error
    if found.drivername in ("postgres", "postgresql"):
        found = found.set(drivername="postgresql+psycopg")
    if found.get_backend_name() not in ("sqlite", "postgresql"):
        raise ParameterError(
            f"--database begins with {found.drivername}://, but sqlite or postgresql was expected"
        )
    return found
