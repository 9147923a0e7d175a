"""The file: what a crash, a second writer, a full disk or a slip of an editor can do to it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import zlib
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain._journal import parse
from antichain.errors import (
    AntichainError,
    FileError,
    InputError,
    ParameterError,
    ProtocolError,
)
from antichain.study import Study
from antichain.study._records import STUDY, Settings

from .world import ITEMS, QUICK, everything, opened, played, ticking

KILL_MANY = Path(__file__).with_name("kill_many.py")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A study with asks, answers, an expiry, an undo and a spare answer."""
    path = tmp_path / "small.duels"
    with opened(path) as study:
        first, second, third = study.ask(3)
        study.tell(first, "left", voter="ann", reason="kälter")
        study.tell(first, "right", voter="bob")
        study.expire(third, reason="nobody came")
        study.tell(second, "tie", voter="ann", cost=0.25)
        study.undo(voter="ann")
        study.tell(second, "skipped", voter="ann")
    return path


class TestLines:
    """A line is JSON, and fits the lines before it."""

    @given(
        st.dictionaries(st.text(min_size=1), st.integers() | st.text() | st.none(), min_size=1),
        st.integers(0, 2**32 - 1),
    )
    def test_there_and_back(self, line: dict[str, object], before: int) -> None:
        line = {key: value for key, value in line.items() if key != "crc"} or {"a": 1}
        try:
            raw, checksum = STUDY.encode(line, before)
        except UnicodeEncodeError:
            return  # half a character, which callers refuse
        assert raw.endswith(b"\n")
        assert b"\n" not in raw[:-1]
        assert json.loads(raw) == line | {"crc": f"{checksum:08x}"}
        assert STUDY.decode(raw[:-1], before) == (line, checksum)
        with pytest.raises(ValueError, match="checksum"):
            STUDY.decode(raw[:-1], before ^ 1)

    def test_the_checksum_is_the_documented_one(self) -> None:
        first, before = STUDY.encode({"a": 1}, 0)
        second, _ = STUDY.encode({"b": "é"}, before)
        assert first == b'{"a":1,"crc":"%08x"}\n' % zlib.crc32(b'{"a":1}')
        assert second.endswith(b',"crc":"%08x"}\n' % zlib.crc32('{"b":"é"}'.encode(), before))


class TestCutOff:
    """Wherever a file ends, what whole lines said is kept and the rest is cut off."""

    @pytest.mark.slow
    def test_at_every_byte(self, small: Path) -> None:
        content = small.read_bytes()
        ends = [k + 1 for k, byte in enumerate(content) if byte == ord("\n")]
        assert len(ends) == 10
        for size in range(len(content) + 1):
            small.write_bytes(content[:size])
            whole = max([end for end in ends if end <= size], default=0)
            with opened(small) as study:
                shown = list(everything(study))
                assert (study.note is not None) == (size != whole)
                if study.note:
                    assert f"({size - whole} bytes)" in study.note
            if whole:
                assert small.read_bytes() == content[:whole]
                small.write_bytes(content[:whole])
                assert shown == list(everything(Study.read(small)))
            else:
                assert small.read_bytes() == content[: ends[0]]  # begun anew, by the same clock

    @pytest.mark.slow
    def test_at_every_byte_it_goes_on(self, small: Path) -> None:
        content = small.read_bytes()
        for size in range(0, len(content) + 1, 7):
            small.write_bytes(content[:size])
            with opened(small) as study:
                played(study)
                assert study.finished
                shown = list(everything(study))
            assert list(everything(Study.read(small))) == shown

    def test_a_reader_leaves_a_torn_line_alone(self, small: Path) -> None:
        content = small.read_bytes()
        small.write_bytes(content + b'{"event":"ans')
        study = Study.read(small)
        assert study.progress.answers == 3
        assert small.read_bytes() == content + b'{"event":"ans'

    def test_a_torn_first_line_leaves_nothing_to_read(self, small: Path) -> None:
        small.write_bytes(small.read_bytes()[:40])
        with pytest.raises(FileError, match=r"first line is incomplete\. Restore the file"):
            Study.read(small)

    def test_a_last_line_with_a_page_of_zeros_is_torn(self, small: Path) -> None:
        content = small.read_bytes()
        small.write_bytes(content + b"\0" * 40 + b'"crc":"01234567"}\n')
        with opened(small) as study:
            assert study.note is not None
        assert small.read_bytes() == content

    def test_a_file_killed_in_its_first_line_needs_items(self, small: Path) -> None:
        small.write_bytes(small.read_bytes()[:20])
        with pytest.raises(FileError, match="new study needs items"):
            Study.open(small)
        with pytest.raises(FileError, match="no study yet"):
            Study.read(small)


class TestDamage:
    """Anything but a torn last line is an error with its line, and the file is left alone."""

    @settings(max_examples=300, deadline=None)
    @given(data=st.data())
    @pytest.mark.slow
    def test_a_changed_byte(self, tmp_path_factory: pytest.TempPathFactory, data) -> None:
        path = tmp_path_factory.mktemp("damage") / "some.duels"
        with opened(path) as study:
            played(study, most=4)
        content = bytearray(path.read_bytes())
        where = data.draw(st.integers(0, len(content) - 1))
        new = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[where]))
        content[where] = new
        line = bytes(content[:where]).count(b"\n") + 1
        last = bytes(content).count(b"\n")
        path.write_bytes(content)
        try:
            Study.read(path)
        except FileError as error:
            message = str(error)
            assert f"line {line} " in message or line == 1
        else:  # the last line has become a torn one
            assert content[-1] != ord("\n") or (new == 0 and line == last)
        assert path.read_bytes() == bytes(content)

    @pytest.mark.parametrize("change", ["drop", "double", "swap"])
    def test_a_line_lost_doubled_or_moved(self, small: Path, change: str) -> None:
        lines = small.read_bytes().splitlines(keepends=True)
        changed = {
            "drop": [*lines[:4], *lines[5:]],
            "double": [*lines[:4], lines[3], *lines[4:]],
            "swap": [*lines[:3], lines[4], lines[3], *lines[5:]],
        }[change]
        small.write_bytes(b"".join(changed))
        before = small.read_bytes()
        number = {"drop": 5, "double": 5, "swap": 4}[change]
        for open_it in (Study.open, Study.read):
            with pytest.raises(FileError, match=f"line {number} is damaged"):
                open_it(small)
        assert small.read_bytes() == before

    @pytest.mark.parametrize(
        ("event", "words"),
        [
            ({"event": "dance"}, "event is 'dance'"),
            ({}, "event is None"),
            ({"event": "answer", "ask": 1, "time": 5}, "expected to have 'answer'"),
            ({"event": "answer", "ask": "1", "answer": "left", "time": 5}, "ask is '1'"),
            ({"event": "answer", "ask": True, "answer": "left", "time": 5}, "ask is True"),
            ({"event": "answer", "ask": 1, "answer": "up", "time": 5}, "'up'"),
            ({"event": "answer", "ask": 99, "answer": "left", "time": 5}, "number 99"),
            ({"event": "answer", "ask": 1, "answer": "left", "time": 1e30}, "time is 1e"),
            ({"event": "expire", "ask": 99, "time": 5}, "number 99"),
            ({"event": "expire", "ask": 1, "time": 5, "mood": 1}, "does not take 'mood'"),
            ({"event": "undo", "line": 2, "time": 5}, "line of an earlier answer was expected"),
            ({"event": "undo", "line": 99, "time": 5}, "line of an earlier answer was expected"),
            (
                {"event": "ask", "ask": 9, "left": "ale", "right": "beer", "flipped": False,
                 "time": 5},
                "about two items of the study was expected",
            ),
            (
                {"event": "ask", "ask": 4, "left": "ale", "right": "ale", "flipped": False,
                 "time": 5},
                "about two items of the study was expected",
            ),
        ],
    )  # fmt: skip
    def test_a_line_that_says_what_cannot_be(
        self, small: Path, event: dict[str, object], words: str
    ) -> None:
        content = small.read_bytes()
        raw, _ = STUDY.encode(event or {"x": 1}, parse(content, small, STUDY).checksum)
        small.write_bytes(content + raw)
        with pytest.raises(FileError) as caught:
            Study.read(small)
        assert words in str(caught.value)

    @pytest.mark.parametrize(
        "content",
        [b"precious", b"\n", b"[1]\n", b"\xff\xfe\n", b'{"format":"antichain-poset"}\n', b"{}\n"],
    )
    def test_what_is_no_study_is_kept(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "other"
        path.write_bytes(content)
        for open_it in (opened, Study.read):
            with pytest.raises(FileError, match=r"a study (was expected)?|is not a study") as told:
                open_it(path)
        ours = b"format" in content
        assert (f"(if it holds votes: antichain front {path})" in str(told.value)) != ours
        assert (f"antichain draw {path} -o" in str(told.value)) == ours
        assert path.read_bytes() == content

    def test_a_newer_version(self, small: Path) -> None:
        small.write_bytes(small.read_bytes().replace(b'"version":1', b'"version":7'))
        with pytest.raises(FileError, match=r"version 7.*newer antichain"):
            Study.open(small)

    @pytest.mark.parametrize("lost", ["items", "algorithm", "seed"])
    def test_a_header_without_something(self, tmp_path: Path, lost: str) -> None:
        path = tmp_path / "study"
        with opened(path):
            pass
        header = json.loads(path.read_text())
        del header["crc"], header[lost]
        path.write_bytes(STUDY.encode(header, 0)[0])
        with pytest.raises(FileError, match="line 1 lacks items, algorithm or seed"):
            Study.read(path)


class TestOneWriter:
    """One process writes; the others are told who, or read."""

    def test_a_second_writer_is_told_who_is_first(self, small: Path) -> None:
        with opened(small) as study:
            with pytest.raises(FileError, match=f"written by process {os.getpid()}"):
                opened(small)
            ask = study.ask(1)[0]
            study.tell(ask, "tie")  # the first is not disturbed
            assert list(everything(Study.read(small))) == list(everything(study))
        with opened(small):
            pass
        assert sorted(path.name for path in small.parent.iterdir()) == ["small.duels"]

    def test_another_process(self, small: Path) -> None:
        program = (
            "import sys; from antichain import Study; from antichain.errors import FileError\n"
            "try: Study.open(sys.argv[1])\n"
            "except FileError as error: print(error)\n"
        )
        with opened(small):
            done = subprocess.run(
                [sys.executable, "-c", program, str(small)],
                capture_output=True, text=True, timeout=200,
            )  # fmt: skip
        assert f"process {os.getpid()}." in done.stdout, done.stderr

    def test_a_link_is_the_same_file(self, small: Path) -> None:
        link = small.with_name("link")
        link.symlink_to(small)
        with opened(link), pytest.raises(FileError, match="being written by process"):
            opened(small)

    def test_a_failed_opening_lets_go(self, small: Path) -> None:
        with pytest.raises(FileError, match="seed"):
            Study.open(small, seed=99)
        with opened(small):
            pass

    def test_reading_only(self, small: Path) -> None:
        study = Study.read(small)
        for move in (
            lambda: study.ask(1),
            lambda: study.tell(1, "left"),
            lambda: study.expire(1),
            lambda: study.undo(),
        ):
            with pytest.raises(ProtocolError, match="opened for reading only"):
                move()

    def test_a_closed_study(self, small: Path) -> None:
        study = opened(small)
        study.close()
        study.close()
        with pytest.raises(ProtocolError, match="closed"):
            study.ask(1)


class TestManyHands:
    """Threads take turns; a forked process is refused and disturbs nothing."""

    @pytest.mark.parametrize("kept", ["file", "memory"])
    def test_threads(self, tmp_path: Path, kept: str) -> None:
        path = tmp_path / "shared.duels"
        tight = replace(QUICK, epsilon=0.05)
        study = Study.open(path, ITEMS, tight) if kept == "file" else Study.in_memory(ITEMS, tight)
        told: list[str] = []
        errors: list[BaseException] = []

        def vote(name: str) -> None:
            try:
                for _ in range(15):
                    for ask in study.ask(2):
                        study.tell(ask, "tie", voter=name)
                        told.append(name)
                    list(study.votes()), study.progress, study.outstanding, study.result()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=vote, args=(f"voter {n}",)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(100)
        assert errors == []
        assert len(told) == study.progress.answers > 0
        shown = list(everything(study))
        study.close()
        if kept == "file":
            assert list(everything(Study.read(path))) == shown

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
    def test_a_forked_process(self, small: Path) -> None:
        program = (
            "import os, sys; from antichain import Study\n"
            "study = Study.open(sys.argv[1])\n"
            "if os.fork() == 0:\n"
            "    for move in (lambda: study.ask(1), lambda: study.tell(1, 'left'),\n"
            "                 lambda: study.expire(1), lambda: study.undo(voter='ann')):\n"
            "        try: move()\n"
            "        except Exception as error: print(type(error).__name__, error, flush=True)\n"
            "    study.close()\n"
            "    os._exit(0)\n"
            "os.wait()\n"
            "study.tell(study.ask(1)[0], 'tie', voter='eve')\n"
        )
        before = Study.read(small).progress.answers
        done = subprocess.run(
            [sys.executable, "-c", program, str(small)],
            capture_output=True, text=True, timeout=200,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("ProtocolError") == done.stdout.count("forked from it") == 4
        assert Study.read(small).progress.answers == before + 1


class TestWhatIsWrittenIsRead:
    """Whatever a study accepts can be read again, and what it refuses is not in the file."""

    @pytest.mark.parametrize(
        "time", [-5, 1e18, float("nan"), float("inf"), "5", None, True, 10**400, 2**300]
    )
    def test_a_clock_that_is_wrong(self, tmp_path: Path, time: object) -> None:
        path = tmp_path / "some.duels"
        with pytest.raises(ParameterError, match=r"clock .now. is .*, but seconds since 1970"):
            Study.open(path, ITEMS, QUICK, now=lambda: time)  # type: ignore[arg-type,return-value]
        assert not path.exists()
        shown = [1e6]
        for study in (
            Study.open(path, ITEMS, QUICK, now=lambda: shown[0]),
            Study.in_memory(ITEMS, QUICK, now=lambda: shown[0]),
        ):
            shown[0] = 1e6
            study.ask(2)
            before, content = list(everything(study)), path.read_bytes()
            shown[0] = time  # type: ignore[call-overload]
            for move in (
                lambda: study.ask(1),  # noqa: B023
                lambda: study.tell(1, "left"),  # noqa: B023
                lambda: study.expire(1),  # noqa: B023
            ):
                with pytest.raises(ParameterError, match="nothing was written"):
                    move()
            assert path.read_bytes() == content
            assert list(everything(study)) == before
            study.close()
        assert list(everything(Study.read(path))) == before

    @pytest.mark.parametrize("cost", [-1, float("nan"), 1e200, 10**400, "1", True, Decimal(1)])
    def test_a_cost_that_is_none(self, small: Path, cost: object) -> None:
        with opened(small) as study:
            content = small.read_bytes()
            for move in (study.tell, study.expire):
                given = {"answer": "left"} if move == study.tell else {}
                with pytest.raises(ParameterError, match=r"cost is .* from 0 to"):
                    move(1, cost=cost, **given)  # type: ignore[operator]
            assert small.read_bytes() == content

    @settings(max_examples=60, deadline=None)
    @given(data=st.data())
    def test_anything(self, tmp_path_factory: pytest.TempPathFactory, data) -> None:
        odd = st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3),
            st.just(10**400), st.sampled_from(["\ud800", "left", "ann"]), st.lists(st.integers()),
        )  # fmt: skip
        path = tmp_path_factory.mktemp("odd") / "odd.duels"
        with opened(path) as study:
            study.ask(3)
            for _ in range(8):
                act, ask = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 4) | odd)
                options = {"reason": data.draw(odd), "cost": data.draw(odd)}
                before = path.read_bytes()
                try:
                    if act == 0:
                        study.ask(ask)
                    elif act == 1:
                        study.expire(ask, **options)
                    elif act == 2:
                        study.undo(voter=ask)
                    else:
                        answer = data.draw(st.sampled_from(["left", "tie"]) | odd)
                        study.tell(ask, answer, voter=data.draw(odd), **options)
                except AntichainError:
                    assert path.read_bytes() == before
            shown = list(everything(study))
        assert list(everything(Study.read(path))) == shown

    def test_parameters_that_json_does_not_know(self, tmp_path: Path) -> None:
        path = tmp_path / "some.duels"
        for value in (object(), float("nan"), "\ud800", {1, 2}, 10**5000):
            with pytest.raises(InputError, match="has parameters that a study's file cannot hold"):
                Study.open(path, ITEMS, Noted(delta=0.3, decoy_gap=None, epsilon=0.3, note=value))
            assert not path.exists()


@dataclass(frozen=True)
class Noted(ac.UnchainedBandits):
    """A method with a parameter that may be anything."""

    name: ClassVar[str] = "noted"
    note: Any = None


class TestOddLines:
    """Lines with a right checksum that no study writes."""

    @pytest.mark.parametrize(
        ("place", "change", "words"),
        [
            (1, {"event": ["ask"]}, r"line 2: event is \['ask'\], but one of ask, answer"),
            (1, {"time": int("9" * 400)}, "line 2: time is 9999.*…, but seconds since 1970"),
            (1, {"ask": 10**400}, "cannot have happened: Line 2"),
            (1, {"left": None}, "line 2: left is None, but str"),
            (1, {"more": 1}, "line 2: .* does not take 'more'"),
            (4, {"answer": "maybe"}, "line 5: answer is 'maybe', but one of left, right"),
            (4, {"cost": -1}, "line 5: cost is -1, but a number from 0"),
            (4, {"cost": 1e308}, r"line 5: cost is 1e\+308"),
            (4, {"voter": "x" * 10**6, "ask": "x" * 10**6}, "line 5: ask is 'xxx.*…, but int"),
            (0, {"items": "abc"}, "line 1 lacks items"),
            (0, {"items": ["a", "a"]}, "line 1 does not begin a study"),
            (0, {"items": [1, 2]}, "line 1 lacks items"),
            (0, {"seed": True}, "line 1 does not begin a study: seed is True"),
            (0, {"algorithm": {"name": ["x"], "parameters": {}}}, "line 1 lacks items"),
            (0, {"algorithm": {"name": "witness", "parameters": {"rules": 3}}}, "cannot be made"),
        ],
    )
    def test_are_named(self, small: Path, place: int, change: dict[str, Any], words: str) -> None:
        lines = [json.loads(line) for line in small.read_bytes().splitlines()]
        lines[place] |= change
        checksum, content = 0, b""
        for line in lines:
            del line["crc"]
            raw, checksum = STUDY.encode(line, checksum)
            content += raw
        small.write_bytes(content)
        for open_it in (Study.open, Study.read):
            with pytest.raises(FileError, match=words) as caught:
                open_it(small)
            assert len(str(caught.value)) < 1000
        assert small.read_bytes() == content


class TestNames:
    """A study begins with names that its export gives back."""

    @pytest.mark.parametrize(
        "name",
        ["", " ", "a ", "\ta", "\xa0a", "a\nb", "\x07", "\u2028", "\x85", "\u202e", "b\u200b"],
    )
    def test_others_are_refused(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / "some.duels"
        for begin in (lambda: Study.open(path, ["a", name]), lambda: Study.in_memory(["a", name])):
            with pytest.raises(FileError, match=r"a study has the name .* was expected"):
                begin()
        with pytest.raises(ParameterError, match="valid Unicode text"):
            Study.open(path, ["a", "\ud800"])
        assert not path.exists()

    def test_a_study_of_an_earlier_version_may_have_them(self, tmp_path: Path) -> None:
        path = tmp_path / "some.duels"
        items = ["a", "a ", "b\nc"]
        header = Settings.new(items, QUICK).to_header(1e6)
        path.write_bytes(STUDY.encode(header, 0)[0])
        for said in (None, items):
            with Study.open(path, said) as study:
                played(study, most=3)
                assert study.items == tuple(items)
                assert study.note is None

    def test_those_that_look_alike_are_told(self, tmp_path: Path) -> None:
        path = tmp_path / "some.duels"
        with Study.open(path, ["Alien", "alien", "caf\xe9", "cafe\u0301", "x"]) as study:
            assert study.note == (
                "'Alien' and 'alien'; 'caf\\xe9' and 'cafe\\u0301' differ only in case or Unicode "
                "form, but are different items."
            )
        assert Study.in_memory(["a", "b"]).note is None


class TestDisk:
    """An answer is acknowledged when it is on the disk, and a failed write changes nothing."""

    def test_flushed_before_it_is_acknowledged(self, small: Path, monkeypatch) -> None:
        flushed: list[bytes] = []
        real = os.fsync

        def fsync(number: int) -> None:
            real(number)
            flushed.append(small.read_bytes())

        with opened(small) as study:
            monkeypatch.setattr(os, "fsync", fsync)
            for act in (
                lambda: study.ask(2),
                lambda: study.tell(4, "left", voter="eve"),
                lambda: study.expire(5),
                lambda: study.undo(voter="eve"),
            ):
                flushed.clear()
                before = small.stat().st_size
                act()
                assert flushed[-1] == small.read_bytes()
                assert len(flushed[-1]) > before

    @pytest.mark.parametrize("act", ["ask", "tell", "expire", "undo"])
    @pytest.mark.parametrize("half", [False, True])
    def test_a_full_disk(self, small: Path, monkeypatch, act: str, half: bool) -> None:
        with opened(small) as study:
            study.ask(2)
            acts = {
                "ask": lambda: study.ask(2),
                "tell": lambda: study.tell(4, "left"),
                "expire": lambda: study.expire(4),
                "undo": lambda: study.undo(voter="ann"),
            }
            before, content = list(everything(study)), small.read_bytes()

            def write(text: bytes) -> None:
                if half:
                    study._store._stream.write(text[: len(text) // 2])
                raise OSError(errno.ENOSPC, "No space left on device")

            monkeypatch.setattr(study._store, "_write", write)
            with pytest.raises(FileError, match="no space left"):
                acts[act]()
            assert small.read_bytes() == content
            assert list(everything(study)) == before
            monkeypatch.undo()
            acts[act]()
            after = list(everything(study))
            assert after != before
        assert list(everything(Study.read(small))) == after

    def test_a_disk_that_cannot_even_be_cut(self, small: Path, monkeypatch) -> None:
        def broken(*_: object) -> None:
            raise OSError(errno.EIO, "Input/output error")

        with opened(small) as study:
            monkeypatch.setattr(os, "fsync", broken)
            with pytest.raises(FileError, match="input/output"):
                study.ask(1)
            monkeypatch.undo()
            with pytest.raises(ProtocolError, match="open it again"):
                study.ask(1)

    def test_ctrl_c_while_writing(self, small: Path, monkeypatch) -> None:
        with opened(small) as study:
            before = list(everything(study))

            def write(text: bytes) -> None:
                study._store._stream.write(text[:9])
                raise KeyboardInterrupt

            monkeypatch.setattr(study._store, "_write", write)
            with pytest.raises(KeyboardInterrupt):
                study.ask(1)
            assert list(everything(study)) == before
            monkeypatch.undo()
            played(study)
            assert study.finished

    def test_no_such_folder(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="cannot write"):
            opened(tmp_path / "no" / "study")
        with pytest.raises(FileError, match="cannot read"):
            Study.read(tmp_path / "no")
        with pytest.raises(FileError, match="cannot"):
            opened(tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked, to be killed quickly")
@pytest.mark.slow
def test_killing_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(KILL_MANY), str(tmp_path / "killed.duels"), "60"],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["kills"] == 60
    assert report["acknowledged"] > 60
    assert report["lost"] == 0
    assert report["unacknowledged"] <= 60
    assert report["most_unacknowledged_at_once"] <= 1
    assert report["alike"]


def test_items_and_algorithm_come_from_the_file(small: Path) -> None:
    with opened(small) as study:
        shown = list(everything(study))
    with Study.open(small, now=ticking()) as again:
        assert list(everything(again)) == shown
        assert again.items == tuple(ITEMS)
        assert (again.algorithm, again.seed) == (QUICK, 3)
