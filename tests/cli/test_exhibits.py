"""Pictures inside terminals, texts, and files opened outside."""

from __future__ import annotations

import base64
import io
import os
import re
import sys
import time
from pathlib import Path

import pytest

from antichain.cli import _exhibits
from antichain.cli._exhibits import Box, drawing, open_outside, picture_protocol, side_by_side

BOX = Box(30, 10)
# A picture of one pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def png(tmp_path: Path) -> Path:
    path = tmp_path / "dot.png"
    path.write_bytes(PNG)
    return path


@pytest.fixture
def jpeg(tmp_path: Path) -> Path:
    pillow = pytest.importorskip("PIL.Image")
    path = tmp_path / "blue.jpg"
    pillow.new("RGB", (400, 100), "blue").save(path)
    return path


def kitty_content(sequence: str) -> bytes:
    return base64.b64decode("".join(re.findall(r"\x1b_G[^;]*;([^\x1b]*)\x1b\\", sequence)))


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "dumb"}, None),
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, "kitty"),
        ({"TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({"TERM_PROGRAM": "Apple_Terminal"}, None),
        ({"LC_TERMINAL": "iTerm2", "TERM": "xterm"}, "iterm"),
        ({"TERM": "foot-extra"}, "sixel"),
        ({"TERM": "xterm-sixel"}, "sixel"),
        ({"TERM": "screen-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, None),
    ],
)
def test_the_environment_tells_how(environment: dict[str, str], expected: str | None) -> None:
    assert picture_protocol(environment) == expected


class TestDrawing:
    def test_kitty_gets_png_as_it_is_and_never_replies(self, png: Path) -> None:
        sequence = drawing(png, "kitty", BOX)
        assert kitty_content(sequence) == PNG
        assert "q=2" in sequence
        assert "c=20,r=10," in sequence  # a square, of characters twice as high as wide

    def test_kitty_gets_others_as_png_in_pieces(self, tmp_path: Path) -> None:
        pillow = pytest.importorskip("PIL.Image")
        pillow.effect_noise((300, 100), 80).save(tmp_path / "noise.jpg")
        sequence = drawing(tmp_path / "noise.jpg", "kitty", BOX)
        with pillow.open(io.BytesIO(kitty_content(sequence))) as picture:
            assert (picture.format, picture.size) == ("PNG", (240, 80))
        pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)", sequence)
        assert len(pieces) > 2
        assert all(len(piece) <= 4096 for _, piece in pieces)
        assert [keys[-3:] for keys, _ in pieces] == ["m=1"] * (len(pieces) - 1) + ["m=0"]

    def test_iterm_gets_jpeg_as_it_is(self, jpeg: Path) -> None:
        sequence = drawing(jpeg, "iterm", BOX)
        head, _, content = sequence.removesuffix("\x07").partition(":")
        assert base64.b64decode(content) == jpeg.read_bytes()
        assert head.startswith("\x1b]1337;File=inline=1;")
        assert "width=30;height=10;preserveAspectRatio=1" in head

    def test_sixels(self, jpeg: Path) -> None:
        sequence = drawing(jpeg, "sixel", BOX)
        assert sequence.startswith('\x1bPq"1;1;240;60')
        assert sequence.endswith("\x1b\\")
        assert sequence.count("-") == 10  # bands of six rows
        assert ";2;0;0;100" in sequence  # blue, all over
        assert "!240~$" in sequence

    def test_side_by_side(self, png: Path) -> None:
        sequence, drawn = side_by_side([png, png], "kitty", BOX)
        assert drawn == [True, True]
        assert sequence.startswith("\n" * 10 + "\x1b[10A\x1b7\x1b_G")
        assert "\x1b8\x1b7\x1b[32C\x1b_G" in sequence
        assert sequence.endswith("\x1b8\x1b[10B\r")
        assert side_by_side([None, png], "kitty", BOX)[1] == [False, True]

    @pytest.mark.parametrize("protocol", _exhibits.PROTOCOLS)
    def test_what_cannot_be_drawn(self, tmp_path: Path, protocol: str) -> None:
        for name, content in (("a.png", b"no"), ("b.png", PNG[:18] if protocol == "kitty" else b""),
                              ("c.svg", b"<svg/>"), ("d.mp3", PNG)):  # fmt: skip
            (tmp_path / name).write_bytes(content)
        files = [*tmp_path.iterdir(), tmp_path / "none.png", None]
        assert side_by_side(files, protocol, BOX) == ("", [False] * 6)

    def test_without_pillow(self, png: Path, jpeg: Path, monkeypatch) -> None:
        monkeypatch.setitem(sys.modules, "PIL", None)
        drawing.cache_clear()
        assert side_by_side([png, jpeg], "kitty", BOX)[1] == [True, False]
        assert side_by_side([png, jpeg], "iterm", BOX)[1] == [True, True]
        assert side_by_side([png, jpeg], "sixel", BOX)[1] == [False, False]
        drawing.cache_clear()

    def test_no_room(self) -> None:
        assert _exhibits.picture_box(80, 24, (8, 16), 9) == Box(39, 15)
        assert _exhibits.picture_box(80, 12, (8, 16), 9) is None
        assert _exhibits.picture_box(10, 24, (8, 16), 9) is None


@pytest.mark.skipif(sys.platform != "linux", reason="other desktops have openers of their own")
class TestOpening:
    @pytest.fixture
    def opened(self, tmp_path: Path, monkeypatch) -> Path:
        """Where a desktop's opener notes what it opens, before it hangs."""
        bin_, log = tmp_path / "bin", tmp_path / "log"
        bin_.mkdir()
        (bin_ / "xdg-open").write_text(f'#!/bin/sh\necho "$1" >> {log}\nexec sleep 2\n')
        (bin_ / "xdg-open").chmod(0o755)
        monkeypatch.setenv("PATH", str(bin_), prepend=os.pathsep)
        monkeypatch.setenv("DISPLAY", ":0")
        return log

    def test_both_at_once_without_waiting(self, opened: Path, png: Path, tmp_path: Path) -> None:
        other = tmp_path / "-x.txt"
        other.touch()
        assert open_outside([png, other]) == "opened dot.png, -x.txt"
        end = time.monotonic() + 30
        while not opened.exists() or len(opened.read_text().splitlines()) < 2:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert set(opened.read_text().splitlines()) == {str(png), str(other)}

    def test_no_desktop(self, png: Path, monkeypatch) -> None:
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            monkeypatch.delenv(name, raising=False)
        assert open_outside([png]) == "cannot open dot.png: there is no desktop here"

    def test_no_opener(self, png: Path, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.setenv("DISPLAY", ":0")
        monkeypatch.setenv("PATH", str(tmp_path))
        assert open_outside([png]).startswith("cannot open dot.png: ")

    def test_what_is_not_opened(self, opened: Path, tmp_path: Path) -> None:
        (tmp_path / "run.sh").touch()
        assert open_outside([]) == "neither of the two has a file to open"
        assert "can be opened from here; the files are " in open_outside([tmp_path / "run.sh"])
        assert "cannot open gone.png: " in open_outside([tmp_path / "gone.png"])
        time.sleep(0.1)
        assert not opened.exists()
