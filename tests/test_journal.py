"""Journals of every kind: cut off anywhere, held by one writer, refused when they are foreign."""

import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from antichain._journal import Journal, JournalKind, read
from antichain.arenas._recorded import RECORDING
from antichain.errors import FileError, InputError
from antichain.experiments._engine import SWEEP
from antichain.study._records import STUDY

KINDS = pytest.mark.parametrize("kind", [STUDY, RECORDING, SWEEP], ids=lambda kind: kind.noun)
HOLDER = f"process {os.getpid()}" if Path("/proc/locks").exists() else "another process"
DEVICES = [f"/dev/{name}" for name in ("full", "zero", "null")]
LINES = [{"a": 1}, {"b": "é", "c": [1.5, None]}, {"d": {"e": True}}]


def written(path: Path, kind: JournalKind) -> bytes:
    journal = Journal(path, kind)
    journal.append([kind.header(seed=3)])
    for line in LINES:
        journal.append([line])
    journal.close()
    return path.read_bytes()


@KINDS
def test_lines_come_back(tmp_path: Path, kind: JournalKind) -> None:
    path = tmp_path / "some"
    content = written(path, kind)
    found = read(path, kind)
    assert found.header == {"format": kind.format, "version": 1, "seed": 3}
    assert found.lines == LINES
    assert (found.whole, found.torn) == (len(content), 0)
    assert content.startswith(kind.start)
    assert [path.name for path in tmp_path.iterdir()] == ["some"]


@KINDS
def test_cut_off_at_every_byte_it_goes_on_after_the_last_whole_line(
    tmp_path: Path, kind: JournalKind
) -> None:
    path = tmp_path / "some"
    content = written(path, kind)
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        whole = content[:size].rfind(b"\n") + 1
        journal = Journal(path, kind)
        assert path.read_bytes() == content[:size]  # whoever opened it may yet refuse it
        journal.claim()
        assert (journal.note is not None) == (size != whole)
        assert path.read_bytes() == content[:whole]
        done = content[:whole].count(b"\n")
        assert journal.content.lines == LINES[: max(0, done - 1)]
        journal.append([kind.header(seed=3), *LINES][done:])
        journal.close()
        assert path.read_bytes() == content


@KINDS
def test_one_writes_and_all_read(tmp_path: Path, kind: JournalKind) -> None:
    path = tmp_path / "some"
    written(path, kind)
    journal = Journal(path, kind)
    with pytest.raises(FileError, match=f"written by {HOLDER}\\."):
        Journal(path, kind)
    journal.append([{"more": 1}])
    assert read(path, kind).lines[-1] == {"more": 1}
    journal.close()
    Journal(path, kind).close()


@KINDS
@pytest.mark.parametrize("content", [b"precious", b"\n", b"[1]\n", b"\xff\xfe\n", b"{}\n"])
def test_what_is_foreign_is_left_alone(tmp_path: Path, kind: JournalKind, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    link = tmp_path / "link"
    link.symlink_to(path)
    for place in (path, link):
        for open_it in (Journal, read, partial(Journal, anew=True)):
            with pytest.raises(FileError, match=f"is not a {kind.noun}"):
                open_it(place, kind)
    assert path.read_bytes() == content
    assert link.is_symlink()


@KINDS
def test_beginning_anew_empties_a_journal_with_the_first_line(
    tmp_path: Path, kind: JournalKind
) -> None:
    path = tmp_path / "some"
    before = written(path, kind) + b'{"torn'
    path.write_bytes(before)
    journal = Journal(path, kind, anew=True)
    assert journal.content.header is None
    assert (journal.replaced or {}).get("seed") == 3
    with pytest.raises(InputError, match="cannot be written as JSON"):
        journal.append([kind.header(seed=float("inf"))])
    assert path.read_bytes() == before
    journal.append([kind.header(seed=4)])
    journal.close()
    found = read(path, kind)
    assert found.header == {"format": kind.format, "version": 1, "seed": 4}
    assert found.lines == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
@KINDS
def test_nothing_beside_the_journal_is_touched(tmp_path: Path, kind: JournalKind) -> None:
    """Earlier versions wrote the name of the writer to a file beside it, whatever that was."""
    path, beside = tmp_path / "some", tmp_path / "some.writer"
    beside.write_text("my notes")
    written(path, kind)
    assert beside.read_text() == "my notes"
    beside.unlink()
    os.mkfifo(beside)
    Journal(path, kind).close()
    assert stat.S_ISFIFO(beside.stat().st_mode)


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (make_pipe, "not a regular file"),
        (make_socket, "not a regular file"),
        (Path.mkdir, "a directory"),
        *((partial(os.symlink, device), "not a regular file") for device in DEVICES),
    ],
)
@KINDS
def test_what_is_no_ordinary_file_is_refused_at_once(
    kind: JournalKind, make: Callable[[Path], object], words: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:  # the name of a socket must be short
        path = Path(folder) / "some"
        make(path)
        for open_it in (Journal, read, partial(Journal, anew=True)):
            with pytest.raises(FileError, match=f"it is {words}, but"):
                open_it(path, kind)


@KINDS
def test_a_large_foreign_file_is_refused_by_its_first_bytes(
    tmp_path: Path, kind: JournalKind
) -> None:
    path = tmp_path / "some"
    with path.open("wb") as stream:
        stream.truncate(2**36)  # a hole; nobody could read all of it into memory
    for open_it in (Journal, read):
        with pytest.raises(FileError, match="is not a"):
            open_it(path, kind)


FORKED = """
import os, sys
from pathlib import Path
from antichain._journal import Journal, JournalKind
from antichain.errors import FileError, ProtocolError

path, kind = Path(sys.argv[1]), JournalKind("journal", "some", 1)
journal = Journal(path, kind)
journal.append([kind.header()])
waits, ends = os.pipe()
child = os.fork()
if child == 0:
    try:
        journal.append([{"more": 1}])
    except ProtocolError as error:
        print(error, flush=True)
    journal.close()
    os._exit(0)
os.wait()
try:
    Journal(path, kind)
except FileError:
    journal.append([{"more": 2}])
if os.fork() == 0:  # a process that lives on
    os.close(ends)
    os.read(waits, 1)
    os._exit(0)
journal.close()
Journal(path, kind).close()
os.close(ends)
os.wait()
print(os.getpid(), child)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
def test_a_forked_process_can_neither_write_nor_let_go_nor_hold_on(tmp_path: Path) -> None:
    path = tmp_path / "some"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, str(path)],
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    message, numbers = done.stdout.splitlines()
    parent, child = numbers.split()
    assert f"was opened by process {parent}, and this is process {child}, forked" in message
    assert read(path, JournalKind("journal", "some", 1)).lines == [{"more": 2}]


@KINDS
def test_another_version_is_refused(tmp_path: Path, kind: JournalKind) -> None:
    path = tmp_path / "some"
    header = {"format": kind.format, "version": 7}
    path.write_bytes(kind.encode(header, 0)[0])
    with pytest.raises(FileError, match=r"version 7, but version 1.*newer antichain"):
        read(path, kind)


@KINDS
def test_a_damaged_line_is_named(tmp_path: Path, kind: JournalKind) -> None:
    path = tmp_path / "some"
    lines = written(path, kind).splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"nonsense\n", *lines[3:]]))
    with pytest.raises(FileError, match="line 3 is damaged"):
        read(path, kind)


def test_what_cannot_be_written_as_json_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "some"
    content = written(path, RECORDING)
    journal = Journal(path, RECORDING)
    for value in (float("nan"), object()):
        with pytest.raises(InputError, match="cannot be written as JSON"):
            journal.append([{"fine": 1}, {"value": value}])
    assert path.read_bytes() == content
    journal.append([{"fine": 1}])
    journal.close()
    assert json.loads(path.read_bytes().splitlines()[-1]) == {"fine": 1}
