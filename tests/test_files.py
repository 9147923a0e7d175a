"""Poset files: what is written is read back, and whatever else is read is refused in a sentence."""

import json
import os
import stat
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from antichain import _files
from antichain.errors import AntichainError, FileError, InputError, OrderError
from antichain.orders import _generators

VALID: dict[str, Any] = {
    "format": "antichain-poset",
    "version": 1,
    "items": ["a", "b", "c", "d"],
    "relations": [["a", "b", 0.25], ["b", "c", 0.125], ["a", "c", 0.4]],
    "meta": {"note": "d stands alone"},
}


def written(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "poset.json"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def complaint_about(path: Path) -> str:
    """What antichain says against a file; any other exception is a failure of the test."""
    try:
        assert _files.read_poset(path).size >= 1
    except AntichainError as error:
        return str(error)
    return ""


def changed(**changes: object) -> dict[str, object]:
    return VALID | changes


@given(seed=st.integers(0, 1000), front=st.integers(1, 4), height=st.integers(1, 4))
def test_what_is_written_is_read_back_exactly(tmp_path_factory, seed, front, height):
    path = tmp_path_factory.mktemp("files") / "poset.json"
    model = _generators.layered(front=front, width=front + 1, height=height, seed=seed)
    _files.write_poset(path, model, {"seed": seed})
    again = _files.read_poset(path)
    assert again.items == model.items
    assert (again.gaps == model.gaps).all()
    document = json.loads(path.read_text())
    assert (document["format"], document["version"]) == ("antichain-poset", 1)
    assert document["meta"] == {"seed": seed}


def test_every_closed_pair_is_listed(tmp_path):
    path = tmp_path / "chain.json"
    _files.write_poset(path, _generators.total_order(5, seed=1))
    assert len(json.loads(path.read_text())["relations"]) == 10


def test_a_file_written_by_hand_needs_neither_format_nor_items(tmp_path):
    model = _files.read_poset(written(tmp_path, {"relations": [["x", "y", 0.1], ["x", "z", 0.2]]}))
    assert model.items == ("x", "y", "z")
    assert model.gap("x", "z") == 0.2


def test_a_byte_order_mark_is_no_obstacle(tmp_path):
    path = written(tmp_path, b"\xef\xbb\xbf" + json.dumps(VALID).encode())
    assert _files.read_poset(path).front == ("a", "d")


def test_items_alone_are_an_antichain(tmp_path):
    assert _files.read_poset(written(tmp_path, {"items": ["é", "$x$"]})).front == ("é", "$x$")


BAD = {
    "cycle": (
        changed(relations=[["a", "b", 0.1], ["b", "c", 0.1], ["c", "a", 0.1]]),
        OrderError,
        ["cycle", "a ≻ b"],
    ),
    "both ways": (
        changed(relations=[["a", "b", 0.1], ["b", "a", 0.1]]),
        OrderError,
        ["'a'", "'b'"],
    ),
    "self": (changed(relations=[["a", "a", 0.1]]), OrderError, ["'a'", "itself"]),
    "not closed": (
        changed(relations=[["a", "b", 0.1], ["b", "c", 0.1]]),
        OrderError,
        ["'a'", "'c'", "transitive"],
    ),
    "gap of a half": (changed(relations=[["a", "b", 0.5]]), OrderError, ["relation 1", "0.5"]),
    "gap of zero": (changed(relations=[["a", "b", 0]]), OrderError, ["relation 1", "gap 0"]),
    "negative gap": (changed(relations=[["a", "b", -0.1]]), OrderError, ["relation 1", "-0.1"]),
    "NaN": ('{"relations": [["a", "b", NaN]]}', FileError, ["NaN", "finite"]),
    "infinity": ('{"relations": [["a", "b", -Infinity]]}', FileError, ["Infinity"]),
    "number too large": ('{"relations": [["a", "b", 1e999]]}', OrderError, ["Infinity"]),
    "digits without end": ('{"version": 1' + "0" * 5000 + "}", FileError, ["digits"]),
    "gap as text": (changed(relations=[["a", "b", "0.1"]]), FileError, ["relation 1"]),
    "gap as truth": (changed(relations=[["a", "b", True]]), FileError, ["relation 1", "true"]),
    "no gap": (changed(relations=[["a", "b"]]), FileError, ["relation 1", '["a", "b"]']),
    "relation as text": (changed(relations=["a>b"]), FileError, ["relation 1"]),
    "relations as object": (changed(relations={"a": "b"}), FileError, ["an object", "a list"]),
    "relation twice": (
        changed(relations=[["a", "b", 0.1], ["a", "b", 0.2]]),
        OrderError,
        ["relation 2", "relation 1"],
    ),
    "item twice": (changed(items=["a", "b", "c", "a"]), OrderError, ["item 4", "'a'"]),
    "unknown item": (changed(items=["a", "b"]), OrderError, ["'c'"]),
    "item as number": (changed(items=["a", 7]), FileError, ["item 2", "7"]),
    "items as text": (changed(items="abc"), FileError, ["text", "list"]),
    "blank name": (changed(items=[" "]), FileError, ["item 1"]),
    "name of two lines": (changed(items=["a\nb"]), FileError, ["item 1", "one line"]),
    "half a character": ('{"items": ["\\ud800"]}', FileError, ["item 1"]),
    "no items at all": ({"items": [], "relations": []}, InputError, ["items"]),
    "no poset": ({"a": 1}, FileError, ["items", "relations"]),
    "a list": ([1], FileError, ["a list"]),
    "a number": ("12", FileError, ["a number"]),
    "null": ("null", FileError, ["null"]),
    "another format": (changed(format="antichain-runs"), FileError, ["antichain simulate"]),
    "newer version": (changed(version=2), FileError, ["version 2", "newer"]),
    "no version": (changed(version="one"), FileError, ["'one'"]),
    "key twice": ('{"items": ["a"], "items": ["b"]}', FileError, ["'items'", "twice"]),
    "truncated": (json.dumps(VALID)[:60], FileError, ["line 1, column"]),
    "empty": ("", FileError, ["empty"]),
    "blank": (" \n", FileError, ["empty"]),
    "not UTF-8": (b'{"items": ["\xff"]}', FileError, ["UTF-8", "byte 12"]),
    "nested": ("[" * 100_000, FileError, ["nested"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_content_is_refused_in_a_sentence_with_the_files_name(tmp_path, case):
    content, kind, words = BAD[case]
    path = written(tmp_path, content)
    with pytest.raises(kind) as caught:
        _files.read_poset(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    for word in words:
        assert word in message


def test_a_missing_file_and_a_directory_are_named(tmp_path):
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(FileError, match="cannot read") as caught:
            _files.read_poset(path)
        assert str(path) in str(caught.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(
    cut=st.integers(0, 300),
    splices=st.lists(st.tuples(st.integers(0, 300), st.binary(max_size=4)), max_size=4),
)
@example(cut=0, splices=[])
def test_mutations_of_a_valid_file_raise_nothing_unexpected(tmp_path, cut, splices):
    content = json.dumps(VALID).encode()
    for place, piece in splices:
        content = content[:place] + piece + content[place + len(piece) :]
    complaint = complaint_about(written(tmp_path, content[: len(content) - cut]))
    assert "\n" not in complaint


_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from(["a", "b", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(part=st.sampled_from(sorted(VALID)), value=_values)
def test_any_value_anywhere_raises_nothing_unexpected(tmp_path, part, value):
    path = written(tmp_path, changed(**{part: value}))
    complaint = complaint_about(path)
    assert complaint == "" or complaint.startswith(str(path))


def test_nothing_is_overwritten_without_force(tmp_path):
    path = tmp_path / "kept.json"
    path.write_text("mine")
    with pytest.raises(FileError, match="already exists"):
        _files.write_json(path, {"a": 1})
    assert path.read_text() == "mine"
    _files.write_json(path, {"a": 1}, force=True)
    assert _files.read_json(path) == {"a": 1}
    assert os.listdir(tmp_path) == ["kept.json"]


def test_a_file_that_appears_while_writing_is_kept(tmp_path, monkeypatch):
    path = tmp_path / "raced.json"
    sync = os.fsync

    def overtaken(descriptor: int) -> None:
        sync(descriptor)
        path.write_text("theirs")

    monkeypatch.setattr(os, "fsync", overtaken)
    with pytest.raises(FileError, match="already exists"):
        _files.write_json(path, {"a": 1})
    assert path.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["raced.json"]


def test_a_write_that_fails_leaves_the_old_file_and_no_draft(tmp_path, monkeypatch):
    path = tmp_path / "old.json"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="no space left"):
        _files.write_json(path, {"a": 1}, force=True)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["old.json"]


def test_unwritable_targets_are_refused(tmp_path):
    with pytest.raises(FileError, match="directory"):
        _files.write_json(tmp_path, {})
    with pytest.raises(FileError, match="no directory"):
        _files.write_json(tmp_path / "no" / "file.json", {})
    with pytest.raises(FileError, match="not a regular file"):
        _files.write_json("/dev/null", {}, force=True)


def test_a_link_is_followed_and_stays_a_link(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("{}")
    link.symlink_to(target)
    _files.write_json(link, {"a": 1}, force=True)
    assert link.is_symlink()
    assert _files.read_json(target) == {"a": 1}


def test_new_files_obey_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        _files.write_json(tmp_path / "file.json", {})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file.json").stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "fchown"), reason="this system has no owners of files")
def test_a_file_that_is_replaced_keeps_its_mode_and_owner(tmp_path, monkeypatch):
    path, link = tmp_path / "private.json", tmp_path / "link.json"
    path.write_text("secret")
    path.chmod(0o600)
    link.symlink_to(path)
    own = [os.geteuid(), os.getegid()]
    if os.geteuid() == 0:
        own = [12345, 54321]
        os.chown(path, *own)
    drafts = []
    sync = os.fsync

    def look(descriptor):
        sync(descriptor)
        drafts.append(stat.S_IMODE(os.fstat(descriptor).st_mode))

    monkeypatch.setattr(os, "fsync", look)
    for place in (path, link):
        _files.write_json(place, {"a": 1}, force=True)
        found = path.stat()
        assert (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) == (0o600, *own)
    assert drafts == [0o600, 0o600]
    path.chmod(0o444)
    _files.write_json(path, {"a": 2}, force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o444


def test_a_draft_of_a_private_file_is_private_from_its_first_byte_on(tmp_path):
    path = tmp_path / "private"
    path.write_text("secret")
    path.chmod(0o600)
    modes = []

    def blocks():
        (draft,) = set(tmp_path.iterdir()) - {path}
        modes.append(stat.S_IMODE(draft.stat().st_mode))
        yield b"more secret"

    _files.write_bytes(path, blocks(), force=True)
    assert modes == [0o600]
    assert path.read_bytes() == b"more secret"


@pytest.mark.skipif(not hasattr(os, "fchown"), reason="this system has no owners of files")
def test_where_the_group_cannot_be_kept_another_group_may_do_no_more_than_anybody(
    tmp_path, monkeypatch
):
    path = tmp_path / "team.json"
    path.write_text("ours")
    path.chmod(0o664)
    found = path.stat()
    monkeypatch.setattr(os, "fchown", _refused)
    real = os.fstat

    def of_another_group(descriptor):
        values = list(real(descriptor))
        values[5] = found.st_gid + 1
        return os.stat_result(values)

    monkeypatch.setattr(os, "fstat", of_another_group)
    _files.write_json(path, {}, force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def _refused(*_):
    raise PermissionError(1, "Operation not permitted")


def test_a_read_only_disk_is_told_in_a_sentence(tmp_path, monkeypatch):
    def read_only(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "open", read_only)
    monkeypatch.setattr(os, "unlink", read_only)  # there it fails even if there is nothing
    with pytest.raises(FileError, match=r"cannot write .*new\.json: read-only file system"):
        _files.write_json(tmp_path / "new.json", {})


def test_numbers_that_json_does_not_know_are_never_written(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        _files.write_json(tmp_path / "nan.json", {"a": float("nan")})
    assert os.listdir(tmp_path) == []


def test_a_poset_too_large_for_a_file_is_neither_read_nor_written(tmp_path):
    path = tmp_path / "poset.json"
    path.write_text(json.dumps({"items": [f"i{k}" for k in range(60_000)]}))
    with pytest.raises(FileError, match=r"has 60,000 items, but a poset file with at most 5,000"):
        _files.read_poset(path)
    with mock.patch.object(_files, "POSET_RELATIONS", 2):
        path.write_text('{"relations": [["a", "b", 0.1], ["a", "c", 0.1], ["a", "d", 0.1]]}')
        with pytest.raises(FileError, match="has 3 relations, but a poset file with at most 2"):
            _files.read_poset(path)
        with pytest.raises(FileError, match="has 3 relations"):
            _files.write_poset(tmp_path / "new.json", _generators.total_order(3))
    assert not (tmp_path / "new.json").exists()


def test_a_document_of_too_many_values_or_bytes_is_refused(tmp_path):
    path = tmp_path / "document.json"
    path.write_text("[" + "[]," * 5000 + "[]]")
    with (
        mock.patch.object(_files, "DOCUMENT_VALUES", 5000),
        pytest.raises(FileError, match=r"has 10,002 values, but at most 5,000"),
    ):
        _files.read_json(path)
    with (
        mock.patch.object(_files, "DOCUMENT_BYTES", 1 << 10),
        pytest.raises(FileError, match="is larger than 0 MB"),
    ):
        _files.read_json(path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a=" + "[" * 5000, "is nested too deeply to be read"),
        ("a=" + "9" * 5000, "is not TOML: a number has thousands of digits"),
        ("a=1979-99-99", "is not TOML"),
    ],
)
def test_toml_that_cannot_be_read_gets_a_sentence(tmp_path, text, sentence):
    path = tmp_path / "b.toml"
    path.write_text(text)
    with pytest.raises(FileError, match=sentence):
        _files.read_toml(path)
