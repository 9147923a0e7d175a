"""What an owner takes away: votes, certificate, report, or the whole study; and what they add."""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
import json
import re
import zipfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from antichain import _files, _journal
from antichain._text import refusal
from antichain.errors import FileError, StoreError
from antichain.serve._ballot_desk import RefusalError
from antichain.serve._house import House, OpenStudy
from antichain.serve._service import Service
from antichain.serve._showing import sniffed
from antichain.study._ballot_entries import Ballot
from antichain.study._conduct import is_web_address
from antichain.study._records import STUDY
from antichain.study._study_file import ballot_from

Kind = Literal["votes.csv", "votes.parquet", "certificate.json", "report.html", "study.zip"]
KINDS: dict[str, str] = {
    "votes.csv": "text/csv; charset=utf-8",
    "votes.parquet": "application/vnd.apache.parquet",
    "certificate.json": "application/json",
    "report.html": "text/html; charset=utf-8",
    "study.zip": "application/zip",
}
_UNPACKED = 4 << 30  # bytes of a study that is restored
_FILE = re.compile(r"files/[\w-][\w.-]{0,100}")
_UPLOAD = 8 << 20  # bytes of a file that is added


async def looked(service: Service, what: str, **options: Any) -> Any:
    """What somebody wants to see, with what other servers have written until now."""
    if service.store.glance is not None:
        with suppress(StoreError):  # then as far as it is known here
            await asyncio.wrap_future(service.submit(lambda desk, now: ([], dict)))
    return await asyncio.wrap_future(service.follower.look(what, **options))


async def exported(house: House, study: OpenStudy, name: str) -> bytes:
    """The content of that file, from all votes so far."""
    service = study.service
    if name == "study.zip":
        return await asyncio.to_thread(packed, house, study)
    if name == "certificate.json":
        found = await looked(service, "result")
        return _files.json_text(found).encode()
    if name == "report.html":
        return str(await looked(service, "report")).encode()
    salt = house.doors.derive(study.id, "alias")
    text: str = await looked(service, "votes", salt=salt)
    return text.encode() if name == "votes.csv" else await asyncio.to_thread(_parquet, text)


def _parquet(text: str) -> bytes:
    try:
        import polars
    except ImportError:
        raise RefusalError(
            "bad", "Parquet needs Polars on the server: pip install 'antichain[tables]'."
        ) from None
    table = polars.read_csv(io.StringIO(text), infer_schema=False)
    out = io.BytesIO()
    table.with_columns(polars.col("ask").cast(polars.Int64)).write_parquet(out)
    return out.getvalue()


# -- the whole study -----------------------------------------------------------------------------


def packed(house: House, study: OpenStudy) -> bytes:
    """The study as one file: its journal, what it shows, and the files of its items.

    The journal has the voters by the names they gave, so that they can go on after a restore.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        lines = map(json.loads, study.service.store.read(0))
        archive.writestr("study.duels", STUDY.text(lines))
        named = _packed_names(study.ballot)
        for file, name in named.items():
            try:
                archive.write(file, name)
            except OSError as error:
                reason = refusal(error)
                raise RefusalError(
                    "bad",
                    f"The study cannot be exported as one file: {file.name!r}, which an item "
                    f"shows, cannot be read ({reason}). Put it back and try again.",
                ) from error
        document = study.ballot.document(named)
        if voters := study.ballot.conduct.voters:
            kept = [voter for voter in voters if not house.was_deleted(study.id, voter)]
            document["voters"] = kept or 1  # a link that nobody has: it must not become open
        for name, content in house.media(study.id).items():
            archive.writestr(f"files/{name}", content)
        archive.writestr(
            "study.json", json.dumps(document, ensure_ascii=False, indent=1, default=str)
        )
    return out.getvalue()


def _packed_names(ballot: Ballot) -> dict[Path, str]:
    """What the files of items and decoys are called in an exported study."""
    named: dict[Path, str] = {}
    for k, entry in enumerate(ballot.entries):
        for place, shown in ((f"{k}", entry), (f"{k}d", entry.decoy)):
            if shown is not None and shown.file is not None:
                named.setdefault(shown.file, f"files/{place}{shown.file.suffix.lower()}")
    return named


def is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and zipfile.is_zipfile(path)


def unpacked(path: Path) -> Packed:
    """A study that was exported as one file; its items' files are put into a folder beside it.

    What they hold names the folder, so that another study of that name has its own.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            if sum(entry.file_size for entry in entries.values()) > _UNPACKED:
                raise FileError(f"{path} holds more than {_UNPACKED >> 30} GB, which is too much")
            content = _journal.parse(archive.read("study.duels"), path, STUDY)
            document = json.loads(archive.read("study.json"))
            files = {name: archive.read(name) for name in entries if _FILE.fullmatch(name)}
    except (KeyError, ValueError, RecursionError, zipfile.BadZipFile, OSError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path} is not an exported study ({error})") from error
    if content.header is None:
        raise FileError(f"{path} holds no study: its first line is incomplete")
    digests = (
        sha256(part).digest() for name in sorted(files) for part in (name.encode(), files[name])
    )
    folder = path.with_name(f"{path.stem}-files") / sha256(b"".join(digests)).hexdigest()[:12]
    for name, body in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            _files.write_bytes(target, body)
    named = {name.rpartition("/")[2]: body for name, body in files.items()}
    ballot = ballot_from(document, path.name, folder)
    return Packed(ballot, [content.header, *content.lines], named)


class Packed(NamedTuple):
    """An exported study: what voters see, the lines of its journal, and its files."""

    ballot: Ballot
    lines: list[dict[str, Any]]
    files: dict[str, bytes]

    def restore(self, house: House, study: str) -> None:
        """Put the study into the house's store, unless it is there; all of it or nothing."""
        store = house.store(study)
        header = store.header()
        if header is None:
            added = [line.get("entry") or {} for line in self.lines if line.get("event") == "item"]
            for name in {entry["media"] for entry in added if "media" in entry} & self.files.keys():
                house.keep_media(study, name, self.files[name])
            store.begin(self.lines[0], self.lines[1:])
        store.close()
        if header is not None and header != self.lines[0]:
            raise FileError(
                f"the database already has a different study {study!r}; give another "
                "--name, or another file to --database"
            )


# -- what is added -------------------------------------------------------------------------------


def new_entry(
    house: House, study: str, name: str, text: str, link: str | None, data: str | None
) -> dict[str, Any]:
    """What is kept of an item that is added, its file in the database."""
    try:
        _files.check_new_name("the item", name)
    except FileError as error:
        raise RefusalError("bad", f"{error}.") from error
    if link is not None and not is_web_address(link):
        raise RefusalError("bad", "link: an address with https:// or http:// was expected.")
    entry: dict[str, Any] = {"text": text, "link": link}
    if data is not None:
        try:
            content = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise RefusalError("bad", "file.data: base64 was expected.") from None
        extension = sniffed(content)
        if extension is None or len(content) > _UPLOAD:
            raise RefusalError(
                "bad",
                "file.data: a picture (PNG, JPEG, GIF, WebP), a sound (MP3, WAV, FLAC, Ogg) or a "
                f"video (MP4, WebM) of at most {_UPLOAD >> 20} MB was expected.",
            )
        entry["media"] = sha256(content).hexdigest()[:24] + extension
        house.keep_media(study, entry["media"], content)
    return {key: value for key, value in entry.items() if value}
