"""Links: secrets that are worked out from a key, so that they stay the same, and known by hash.

The key is in a file that only its owner can read, or in the environment; the database has hashes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from antichain import _disks
from antichain._text import refusal
from antichain.errors import FileError
from antichain.serve._databases import SECRETS, Database

KEY_VARIABLE = "ANTICHAIN_KEY"
_LONGEST = 200  # characters of a secret that is looked up
_KNOWN = 50_000  # hashes of unknown secrets that are remembered as such
_SOME = 500  # hashes in one statement
_GONE = "gone"  # the role of a link whose voter was deleted: it opens nothing ever again


class Access(NamedTuple):
    """What a secret opens: a study, as its owner or as a voter (one of them, or any)."""

    study: str
    role: str
    voter: str | None = None


def read_key(path: Path) -> bytes:
    """The key in that file, which is made if it is not there; the environment's goes first."""
    if given := os.environ.get(KEY_VARIABLE):
        if len(given) < 32:
            raise FileError(
                f"{KEY_VARIABLE} has {len(given)} characters, but 32 or more were expected"
            )
        return given.encode()
    try:
        opener = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(opener, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
            file.flush()
            _disks.sync(file.fileno())
    except FileExistsError:
        pass
    except OSError as error:
        raise FileError(f"cannot write the key {path}: {refusal(error)}") from error
    try:
        if path.is_dir():
            raise FileError(
                f"{path} is a folder, but the file of a key was expected: name a file in it with "
                f"--key, such as {path / 'study.key'}, which is made if it is not there"
            )
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise FileError(
                f"{path} can be read by other users, and whoever reads it can open the study: run "
                f"chmod 600 {path}, or give another file to --key"
            )
        key = path.read_bytes().strip()
    except OSError as error:
        raise FileError(f"cannot read the key {path}: {refusal(error)}") from error
    if len(key) < 32:
        raise FileError(f"{path} is not a key: 32 characters or more were expected")
    return key


class Doors:
    """Which secret opens what.

    Args:
        key: What the secrets are worked out from.
        database: Where hashes are kept; None to keep them in memory.
    """

    def __init__(self, key: bytes, database: Database | None = None) -> None:
        self._key, self._database = key, database
        self._known: dict[str, Access] = {}
        self._unknown: set[str] = set()
        self._closed: set[str] = set()  # hashes of the links of voters who were deleted

    def derive(self, *parts: str) -> str:
        """A secret for this purpose: the same again for the same key."""
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        digest = hmac.new(self._key, text, hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode()[:32]

    def secret_of(self, access: Access) -> str:
        return self.derive(access.study, access.role, access.voter or "")

    def open(self, study: str, wanted: Mapping[Access, str | None]) -> None:
        """Let in those who have a link to a study, and nobody who had one before.

        Args:
            study: The study.
            wanted: What links open, and the token that the owner chose, or None.
        """
        hashes = {_hashed(token or self.secret_of(who)): who for who, token in wanted.items()}
        if self._database is not None:
            mine = SECRETS.c.study == study
            rows = self._database.execute(sa.select(SECRETS.c.hash, SECRETS.c.role).where(mine))
            self._closed |= {digest for digest, role in rows if role == _GONE}
            old = [key for key, role in rows if role == "voter" and key not in hashes]
            for k in range(0, len(old), _SOME):
                revoked = SECRETS.c.hash.in_(old[k : k + _SOME])
                self._database.execute(SECRETS.delete().where(revoked))
            for digest in hashes.keys() - {row[0] for row in rows}:
                self._database.add(SECRETS, {"hash": digest, **hashes[digest]._asdict()})
        self._known |= {key: who for key, who in hashes.items() if key not in self._closed}

    def check_owner(self, study: str) -> None:
        """Raise if the database knows the study by the links of another key."""
        if self._database is None:
            return
        owners = (SECRETS.c.study == study) & (SECRETS.c.role == "owner")
        rows = self._database.execute(sa.select(SECRETS.c.hash).where(owners))
        if rows and _hashed(self.secret_of(Access(study, "owner"))) not in {row[0] for row in rows}:
            raise FileError(
                f"the links of the study {study!r} in the database were made with another key; "
                f"give the file of that key with --key, or the key itself in {KEY_VARIABLE}"
            )

    def is_for(self, secret: str, *parts: str) -> bool:
        """Whether this is the secret for that purpose."""
        return hmac.compare_digest(secret.encode(), self.derive(*parts).encode())

    def close(self, access: Access) -> set[str]:
        """Let nobody in by the links of one voter ever again; returns the hashes of them."""
        closed = {key for key, value in self._known.items() if value == access}
        if self._database is not None:
            theirs = (SECRETS.c.study == access.study) & (SECRETS.c.voter == access.voter)
            rows = self._database.execute(sa.select(SECRETS.c.hash).where(theirs))
            closed |= {row[0] for row in rows}
            self._database.execute(SECRETS.update().where(theirs).values(role=_GONE, voter=None))
        self.keep_closed(closed)
        return closed

    def keep_closed(self, hashes: Collection[str]) -> None:
        """Let nobody in by links with these hashes."""
        self._closed |= {*hashes}
        self._known = {key: who for key, who in self._known.items() if key not in self._closed}

    def is_closed(self, access: Access, token: str | None = None) -> bool:
        """Whether the link of that voter was closed."""
        return _hashed(token or self.secret_of(access)) in self._closed

    def look_again(self, study: str) -> None:
        """Look the links of a study up anew: another process may have closed some."""
        if self._database is not None:
            mine = (SECRETS.c.study == study) & (SECRETS.c.role == _GONE)
            rows = self._database.execute(sa.select(SECRETS.c.hash).where(mine))
            self.keep_closed({row[0] for row in rows})

    def known(self, secret: str) -> Access | None:
        """What a secret opens, as far as that is in memory."""
        return self._known.get(_hashed(secret)) if len(secret) <= _LONGEST else None

    def find(self, secret: str) -> Access | None:
        """What a secret opens, or None."""
        if not 0 < len(secret) <= _LONGEST:
            return None
        digest = _hashed(secret)
        found = self._known.get(digest)
        if found is None and self._database is not None and digest not in self._unknown:
            columns = sa.select(SECRETS.c.study, SECRETS.c.role, SECRETS.c.voter)
            known = (SECRETS.c.hash == digest) & (SECRETS.c.role != _GONE)
            rows = self._database.execute(columns.where(known))
            if rows and digest not in self._closed:
                found = self._known[digest] = Access(*rows[0])
            elif len(self._unknown) < _KNOWN:
                self._unknown.add(digest)
        return found


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
