"""Journals of every kind: cut off anywhere, held by one writer, refused when they are foreign."""

import json
import os
from pathlib import Path

import pytest

from antichain._journal import Journal, JournalKind, read
from antichain.arenas._recorded import RECORDING
from antichain.errors import FileError
from antichain.experiments._engine import SWEEP
from antichain.study._records import STUDY

KINDS = pytest.mark.parametrize("kind", [STUDY, RECORDING, SWEEP], ids=lambda kind: kind.noun)
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
    with pytest.raises(FileError, match=f"written by process {os.getpid()} on "):
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
    for open_it in (Journal, read):
        with pytest.raises(FileError, match=f"is not a {kind.noun}"):
            open_it(path, kind)
    assert path.read_bytes() == content
    journal = Journal(path, kind, anew=True)
    assert (journal.content.header, path.read_bytes()) == (None, b"")
    journal.close()


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
        with pytest.raises((ValueError, TypeError)):
            journal.append([{"fine": 1}, {"value": value}])
    assert path.read_bytes() == content
    journal.append([{"fine": 1}])
    journal.close()
    assert json.loads(path.read_bytes().splitlines()[-1]) == {"fine": 1}
