"""The gallery: every picture is shown, described, small, and can be made again."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "images" / "gallery"
SHOWN = re.compile(r"!\[([^\]]*)\]\(\S*images/gallery/([\w-]+\.png)\)")
(PAGE,) = (ROOT / "docs").rglob("gallery.md")


def test_every_picture_is_shown_once_and_described() -> None:
    shown = SHOWN.findall(PAGE.read_text("utf-8"))
    assert sorted(name for _, name in shown) == sorted(path.name for path in FOLDER.iterdir())
    assert all(len(words) > 25 for words, _ in shown)


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert max(sizes.values()) <= 150_000
    assert sum(sizes.values()) <= 1_500_000


def test_a_picture_is_made_again_the_same(tmp_path: Path) -> None:
    made = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        command = [sys.executable, str(ROOT / "tools" / "gallery.py"), str(folder)]
        subprocess.run([*command, "--only", "found"], check=True, capture_output=True)
        made.append((folder / "found.png").read_bytes())
    assert made[0] == made[1]
    assert made[0].startswith(b"\x89PNG")
