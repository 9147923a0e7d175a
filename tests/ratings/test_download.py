"""Fetching, against a server on this machine: checksum, resuming, and what goes wrong."""

import hashlib
import os
import stat
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from antichain.errors import FileError, ParameterError
from antichain.ratings._download import PUBLISHER, download

ARCHIVE = b"PK\x03\x04" + bytes(range(256)) * 3000


class Publisher(BaseHTTPRequestHandler):
    ranges = True
    cut_at = None
    checksum = hashlib.md5(ARCHIVE).hexdigest()
    asked: list[str | None]

    def do_GET(self):
        kind = type(self)
        if self.path.endswith("ml-test.zip.md5"):
            return self._send(200, f"{kind.checksum}  ml-test.zip\n".encode())
        if not self.path.endswith("/ml-test.zip"):
            return self._send(404, b"")
        wanted = self.headers.get("Range")
        kind.asked.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and kind.ranges else 0
        if start >= len(ARCHIVE):
            return self._send(416, b"")
        return self._send(206 if start else 200, ARCHIVE[start:], kind.cut_at)

    def _send(self, code, body, cut_at=None):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:cut_at])

    def log_message(self, *_):
        pass


@pytest.fixture
def publisher():
    kind = type("Fresh", (Publisher,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kind.base = f"http://127.0.0.1:{server.server_port}/data/"
    yield kind
    server.shutdown()
    server.server_close()


def test_an_archive_is_fetched_and_nothing_else_is_left(publisher, tmp_path):
    heard = []
    folder = tmp_path / "new"
    path = download("ml-test", folder, base=publisher.base, progress=lambda *n: heard.append(n))
    assert path == folder / "ml-test.zip"
    assert path.read_bytes() == ARCHIVE
    assert heard[-1] == (len(ARCHIVE), len(ARCHIVE))
    assert [child.name for child in folder.iterdir()] == ["ml-test.zip"]
    with pytest.raises(FileError, match="already exists"):
        download("ml-test", folder, base=publisher.base)
    download("ml-test", folder, base=publisher.base, force=True)


@pytest.mark.parametrize("ranges", [True, False])
def test_an_interrupted_fetch_goes_on_where_it_ended(publisher, tmp_path, ranges):
    publisher.cut_at, publisher.ranges = 100_000, ranges
    with pytest.raises(FileError, match=r"cannot reach .* continue later"):
        download("ml-test", tmp_path, base=publisher.base)
    here = (tmp_path / "ml-test.zip.part").stat().st_size
    assert 0 < here <= 100_000
    publisher.cut_at = None
    bare = publisher.base.rstrip("/")  # as people type it
    assert download("ml-test", tmp_path, base=bare).read_bytes() == ARCHIVE
    assert publisher.asked == [None, f"bytes={here}-"]


def test_a_part_that_is_whole_already_is_only_checked(publisher, tmp_path):
    (tmp_path / "ml-test.zip.part").write_bytes(ARCHIVE)
    assert download("ml-test", tmp_path, base=publisher.base).read_bytes() == ARCHIVE


def test_a_wrong_checksum_is_refused_and_the_bytes_removed(publisher, tmp_path):
    (tmp_path / "ml-test.zip.part").write_bytes(b"PK\x03\x04 of another release")
    with pytest.raises(FileError, match=f"{publisher.checksum} was expected"):
        download("ml-test", tmp_path, base=publisher.base)
    assert list(tmp_path.iterdir()) == []
    publisher.checksum = "no checksum"
    with pytest.raises(FileError, match="an MD5 checksum was expected"):
        download("ml-test", tmp_path, base=publisher.base)


def link_to_notes(part):
    part.with_name("notes").write_bytes(ARCHIVE[:1000])
    part.symlink_to("notes")


def link_to_nothing(part):
    part.symlink_to("nothing")


def second_name(part):
    part.with_name("notes").write_bytes(ARCHIVE[:1000])
    os.link(part.with_name("notes"), part)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (link_to_notes, "is a link"),
        (link_to_nothing, "is a link"),
        (second_name, "has other names too"),
        (lambda part: os.mkfifo(part), "not a regular file"),
        (lambda part: part.mkdir(), "a directory"),
        (lambda part: part.write_bytes(b"my notes"), "begins with b'my n'"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_a_part_that_is_not_ours_is_left_alone(publisher, tmp_path, make, words, force):
    part = tmp_path / "ml-test.zip.part"
    make(part)
    before = {path.name: path.lstat() for path in tmp_path.iterdir()}
    with pytest.raises(FileError, match=words):
        download("ml-test", tmp_path, base=publisher.base, force=force)
    assert {path.name for path in tmp_path.iterdir()} == before.keys()
    for name, status in before.items():
        found = (tmp_path / name).lstat()
        for field in ("st_ino", "st_mode", "st_size", "st_mtime_ns"):
            assert getattr(found, field) == getattr(status, field)


def test_an_archive_that_is_replaced_keeps_its_mode(publisher, tmp_path):
    (tmp_path / "ml-test.zip").write_bytes(b"old")
    (tmp_path / "ml-test.zip").chmod(0o600)
    path = download("ml-test", tmp_path, base=publisher.base, force=True)
    assert path.read_bytes() == ARCHIVE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_such_release_no_network_and_no_release_at_all(publisher, tmp_path):
    with pytest.raises(FileError, match=r"ml-other\.zip\.md5 answers 404: .* no checksum"):
        download("ml-other", tmp_path, base=publisher.base)
    with pytest.raises(FileError, match=r"cannot reach .* put ml-20m\.zip into .* yourself"):
        download("ml-20m", tmp_path, base="http://127.0.0.1:9/")
    with pytest.raises(ParameterError, match=r"'\.\./etc'"):
        download("../etc", tmp_path, base=publisher.base)


def test_the_publisher_is_asked_over_an_encrypted_connection():
    assert PUBLISHER.startswith("https://")
