"""The house: the studies of one server, their links and what is shown of them."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy as sa

from antichain.algorithms._certifying import Certifying
from antichain.errors import InputError
from antichain.referee._referee import MOST_ITEMS
from antichain.serve._ballot_desk import RefusalError
from antichain.serve._databases import MEDIA, STUDIES, Database
from antichain.serve._follower_link import FollowerLink, FollowerProcess
from antichain.serve._secrets import Access, Doors
from antichain.serve._service import Service
from antichain.serve._showing import Gallery
from antichain.serve._stores import JournalStore, MemoryStore, Store
from antichain.serve._taking_up import announced, check_same, noted
from antichain.study._ballot_entries import Ballot, BallotEntry
from antichain.study._records import Settings
from antichain.study._study_file import ballot_from

_MOST_STUDIES = 500  # of one server


@dataclass
class OpenStudy:
    """A study that is being served, and how it is shown."""

    id: str
    ballot: Ballot
    service: Service
    gallery: Gallery
    shown: dict[str, Any]  # items as the page gets them
    notes: tuple[str, ...] = ()  # how the study file differs from what was served before
    _showing: Lock = field(default_factory=Lock)

    def items(self) -> dict[str, Any]:
        """All items as the page gets them; a thread may have to wait for this."""
        desk = self.service.desk
        with self._showing:  # each text is rendered once, however many voters come for it
            for name, entry in [] if desk is None else list(desk.added.items()):
                if name not in self.shown:
                    self.shown[name] = self.gallery.shown(
                        "",
                        BallotEntry(name, entry.get("text", ""), link=entry.get("link")),
                        entry.get("media"),
                    )
            return dict(self.shown)


class House:
    """All studies of a server, by the secrets that open them.

    Args:
        key: What links are worked out from.
        database: An address, a file (`.duels` for a study's file, otherwise SQLite) or "memory:".
    """

    def __init__(self, key: bytes, database: str) -> None:
        self._where = database
        plain = database == "memory:" or database.endswith(".duels")
        self.database = None if plain else Database(database)
        self.doors = Doors(key, self.database)
        self.studies: dict[str, OpenStudy] = {}
        self.followers = FollowerProcess()
        self.main: str | None = None  # whose owner may create others

    def store(self, study: str) -> Store:
        """Where a study of that name is kept, or will be."""
        if self.database is not None:
            return self.database.store(study)
        if self._where == "memory:":
            return MemoryStore()
        return JournalStore(self._where)

    def open(self, study: str, ballot: Ballot, seed: int | None = None) -> OpenStudy:
        """Serve a study: the one of that name in the store, or a new one."""
        if len(ballot.entries) > MOST_ITEMS:
            raise InputError(
                f"{len(ballot.entries):,} items were given, but a study of at most {MOST_ITEMS:,} "
                "can be served."
            )
        self.doors.check_owner(study)
        store = self.store(study)
        header = store.header()
        if header is None:
            names = [entry.name for entry in ballot.entries]
            seed = secrets.randbits(40) if seed is None else seed
            fresh = replace(Settings.new(names, ballot.algorithm, seed), said=ballot.said)
            fresh.check_begins()
            store.begin(fresh.to_header(round(time.time(), 3)))
            header = store.header()
            assert header is not None
        settings = Settings.from_header(Path(study), header)
        if not isinstance(settings.algorithm, Certifying):
            raise InputError("Only a study that is judged by its certificate can be served.")
        link = partial(FollowerLink, self.followers, study, settings, ballot.title)
        service = Service(settings, ballot, store, link, partial(self.doors.look_again, study))
        desk = service.load()
        unsaid = check_same(settings, desk.added, ballot)
        self.doors.keep_closed(desk.closed)
        gallery = Gallery(f"items/{self.doors.derive(study, 'items')}")
        shown = {e.name: gallery.shown(str(k), e) for k, e in enumerate(ballot.entries)}
        self._let_in(study, ballot)
        service.start()
        found = self.studies[study] = OpenStudy(study, ballot, service, gallery, shown)
        said = service.submit(partial(noted, ballot.said)).result()
        notes = (unsaid, announced(ballot.at(), said["changed"]))
        found.notes = tuple(note for note in notes if note is not None)
        return found

    def _let_in(self, study: str, ballot: Ballot) -> None:
        wanted: dict[Access, str | None] = {Access(study, "owner"): None}
        if ballot.conduct.voters is None:
            wanted[Access(study, "voter")] = None
        for voter, token in (ballot.conduct.voters or {}).items():
            wanted[Access(study, "voter", voter)] = token
        self.doors.open(study, wanted)

    def links(self, study: str, base: str) -> dict[str, Any]:
        """The addresses of a study, given what they begin with."""
        ballot, doors = self.studies[study].ballot, self.doors
        owner = f"{base}/o/{doors.secret_of(Access(study, 'owner'))}"
        if ballot.conduct.voters is None:
            return {"vote": f"{base}/v/{doors.secret_of(Access(study, 'voter'))}", "owner": owner}
        each = {
            voter: f"{base}/v/{token or doors.secret_of(Access(study, 'voter', voter))}"
            for voter, token in ballot.conduct.voters.items()
            if not self.was_deleted(study, voter)
        }
        # Nobody can vote there: it says that each voter has a link of their own.
        return {"vote": f"{base}/", "owner": owner, "voters": each}

    def was_deleted(self, study: str, voter: str) -> bool:
        """Whether this is a voter with a link of their own, who was deleted."""
        token = (self.studies[study].ballot.conduct.voters or {}).get(voter)
        return self.doors.is_closed(Access(study, "voter", voter), token)

    def create(self, document: dict[str, Any]) -> OpenStudy:
        """Begin a further study, from a document with the keys of a study file."""
        if self.database is None:
            raise RefusalError("bad", "Further studies need a server with a database.")
        if len(self.studies) >= _MOST_STUDIES:
            raise RefusalError("bad", f"A server has at most {_MOST_STUDIES} studies.")
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise RefusalError("bad", "The study has a text that is not Unicode.") from None
        ballot = ballot_from(document, "the study")
        study = f"s-{secrets.token_hex(8)}"
        found = self.open(study, ballot)
        mine = STUDIES.update().where(STUDIES.c.id == study)
        self.database.execute(mine.values(ballot=json.dumps(document)))
        return found

    def take_up(self) -> None:
        """Serve the studies again that were created on this server."""
        if self.database is None:
            return
        rows = self.database.execute(sa.select(STUDIES.c.id, STUDIES.c.ballot))
        for study, text in rows:
            if text != "{}" and study not in self.studies:
                self.open(study, ballot_from(json.loads(text), f"the study {study}"))

    def known(self, secret: str) -> tuple[OpenStudy, Access] | None:
        """What a secret opens, as far as this process knows without looking it up."""
        access = self.doors.known(secret)
        study = None if access is None else self.studies.get(access.study)
        return None if study is None or access is None else (study, access)

    def find(self, secret: str) -> tuple[OpenStudy, Access] | None:
        """What a secret opens, looked up; another process may have let it in."""
        access = self.doors.find(secret)
        if access is None:
            return None
        if access.study not in self.studies and access.study.startswith("s-"):
            self.take_up()  # created by another process
        study = self.studies.get(access.study)
        return None if study is None else (study, access)

    def forget_voter(self, study: str, voter: str) -> set[str]:
        """Close the links of a voter who is deleted; returns the hashes of them."""
        return self.doors.close(Access(study, "voter", voter))

    def keep_media(self, study: str, name: str, content: bytes) -> None:
        if self.database is None:
            raise RefusalError("bad", "Files can be added only where the study is in a database.")
        self.database.add(MEDIA, {"study": study, "name": name, "body": content})

    def media(self, study: str, name: str | None = None) -> dict[str, bytes]:
        """The files that were uploaded."""
        if self.database is None:
            return {}
        where = MEDIA.c.study == study
        if name is not None:
            where &= MEDIA.c.name == name
        rows = self.database.execute(sa.select(MEDIA.c.name, MEDIA.c.body).where(where))
        return {row[0]: bytes(row[1]) for row in rows}

    def close(self) -> None:
        for study in self.studies.values():
            study.service.close()
        self.followers.close()
        if self.database is not None:
            self.database.close()
