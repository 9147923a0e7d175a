"""What voters look at besides names: pictures inside the terminal, texts, files opened outside.

Which terminal shows pictures, and how, is taken from the environment. To ask the terminal itself
would mix its reply with the voter's keys.
"""

from __future__ import annotations

import base64
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from antichain._text import names, refusal
from antichain.errors import InputError, MissingExtraError
from antichain.study._ballot import EXHIBITS, PICTURES, TEXTS

if TYPE_CHECKING:
    from PIL.Image import Image

PROTOCOLS = ("kitty", "iterm", "sixel")
_AS_IT_IS = 4 << 20  # bytes of a picture that is sent unchanged
_LARGEST = 64 << 20  # bytes of a picture that is made smaller first
_CHUNK = 4096  # letters of a piece of a picture, as kitty wants it
_KEPT = 16  # pictures that are not read again: the same items come up again and again
_LEAST_ROWS = 5  # below which a picture is no help
_MOST_ROWS = 24
_COLOURS = 64
_MOST_LETTERS = 4_000  # of a text that is shown
_PNG, _JPEG, _GIF = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8"


# -- pictures --------------------------------------------------------------------------------------


def picture_protocol(environment: Mapping[str, str]) -> str | None:
    """How the terminal shows pictures, as far as the environment tells; None if it does not."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("TMUX") or environment.get("STY") or term.startswith(("screen", "tmux")):
        return None  # these stand between, and have the outer terminal's variables
    if term in ("xterm-kitty", "xterm-ghostty") or environment.get("KITTY_WINDOW_ID"):
        return "kitty"
    if program == "ghostty":
        return "kitty"
    if program in ("iTerm.app", "WezTerm", "mintty") or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    if term.startswith(("foot", "mlterm", "contour")) or "sixel" in term:
        return "sixel"
    return None


@dataclass(frozen=True)
class Box:
    """The room for a picture in columns and rows, and the size of a character in pixels."""

    columns: int
    rows: int
    cell: tuple[int, int] = (8, 16)

    @property
    def pixels(self) -> tuple[int, int]:
        return self.columns * self.cell[0], self.rows * self.cell[1]

    def fitted(self, width: int, height: int) -> tuple[int, int]:
        """The columns and rows that a picture of that many pixels takes up, none of them lost."""
        scale = min(self.pixels[0] / width, self.pixels[1] / height)
        columns, rows = width * scale / self.cell[0], height * scale / self.cell[1]
        return max(1, round(columns)), max(1, round(rows))


def picture_box(columns: int, rows: int, cell: tuple[int, int], taken: int) -> Box | None:
    """The room for each of two pictures side by side, beside `taken` rows of text."""
    box = Box(columns // 2 - 1, min(_MOST_ROWS, rows - taken), cell)
    return box if box.rows >= _LEAST_ROWS and box.columns >= _LEAST_ROWS else None


def side_by_side(files: Sequence[Path | None], protocol: str, box: Box) -> tuple[str, list[bool]]:
    """What makes a terminal show pictures beside each other, and which of the files it shows."""
    drawn = ["" if file is None else drawing(file, protocol, box) for file in files]
    if not any(drawn):
        return "", [False] * len(files)
    parts = [
        "\n" * box.rows,
        f"\x1b[{box.rows}A",
    ]  # first scroll, so that places stay what they are
    for place, picture in enumerate(drawn):
        right = f"\x1b[{place * (box.columns + 2)}C" if place else ""
        parts.append(f"\x1b7{right}{picture}\x1b8")
    parts.append(f"\x1b[{box.rows}B\r")
    return "".join(parts), [bool(picture) for picture in drawn]


@lru_cache(maxsize=_KEPT)
def drawing(file: Path, protocol: str, box: Box) -> str:
    """The escape sequence that shows a picture at the cursor; nothing if that cannot be done."""
    if file.suffix.lower() not in PICTURES:
        return ""
    try:
        with open(file, "rb") as stream:
            content = stream.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            return ""
        return {"kitty": _kitty, "iterm": _iterm, "sixel": _sixel}[protocol](content, box)
    except (OSError, InputError, MissingExtraError, MemoryError):
        return ""  # the voter is shown where the file is


def _kitty(content: bytes, box: Box) -> str:
    if not content.startswith(_PNG) or len(content) > _AS_IT_IS:  # this protocol knows PNG only
        content = _smaller_png(content, box)
    width, height = struct.unpack(">II", content[16:24].ljust(8, b"\0"))
    if not width or not height:
        return ""
    columns, rows = box.fitted(width, height)
    letters = base64.b64encode(content).decode("ascii")
    pieces = [letters[start : start + _CHUNK] for start in range(0, len(letters), _CHUNK)]
    # q=2: no reply, which would arrive as keys; C=1: the cursor stays.
    head = f"a=T,f=100,q=2,C=1,c={columns},r={rows},"
    return "".join(
        f"\x1b_G{head if not n else ''}m={int(n < len(pieces) - 1)};{piece}\x1b\\"
        for n, piece in enumerate(pieces)
    )


def _iterm(content: bytes, box: Box) -> str:
    if not content.startswith((_PNG, _JPEG, _GIF)) or len(content) > _AS_IT_IS:
        content = _smaller_png(content, box)
    letters = base64.b64encode(content).decode("ascii")
    size = f"size={len(content)};width={box.columns};height={box.rows}"
    return f"\x1b]1337;File=inline=1;{size};preserveAspectRatio=1:{letters}\x07"


def _sixel(content: bytes, box: Box) -> str:
    import numpy as np

    picture = _smaller(content, box).quantize(_COLOURS)
    width, height = picture.size
    palette, pixels = picture.getpalette() or [], np.asarray(picture)
    parts = [f'\x1bPq"1;1;{width};{height}']
    for colour in range(len(palette) // 3):
        red, green, blue = (round(value / 2.55) for value in palette[3 * colour : 3 * colour + 3])
        parts.append(f"#{colour};2;{red};{green};{blue}")
    for top in range(0, height, 6):
        band = pixels[top : top + 6]
        bits = 1 << np.arange(len(band))[:, None]
        for colour in np.unique(band):
            column = np.where(band == colour, bits, 0).sum(axis=0) + 63
            parts.append(f"#{colour}{''.join(_runs(bytes(column.tolist()).decode('ascii')))}$")
        parts.append("-")
    return "".join((*parts, "\x1b\\"))


def _runs(letters: str) -> Iterator[str]:
    for letter, run in groupby(letters):
        times = sum(1 for _ in run)
        yield letter * times if times < 4 else f"!{times}{letter}"


def _smaller_png(content: bytes, box: Box) -> bytes:
    from antichain.decoys._images import as_png

    return as_png(_smaller(content, box))


def _smaller(content: bytes, box: Box) -> Image:
    """The picture, upright, opaque, and no larger than the room for it. Needs Pillow."""
    from antichain.decoys._images import opened_image

    picture = opened_image(content)
    picture.thumbnail(box.pixels)
    if "A" in picture.getbands():
        from PIL import Image as pillow  # noqa: N813

        white = pillow.new("RGBA", picture.size, "white")
        picture = pillow.alpha_composite(white, picture)
    return picture.convert("RGB")


# -- texts -----------------------------------------------------------------------------------------


def text_of(file: Path) -> tuple[list[str], bool] | None:
    """The first lines of a text file, and whether they are all; None if it is no text."""
    if file.suffix.lower() not in TEXTS:
        return None
    try:
        with open(file, encoding="utf-8-sig", errors="replace") as stream:
            text = stream.read(_MOST_LETTERS + 1)
    except (OSError, ValueError):
        return None
    return text[:_MOST_LETTERS].split("\n"), len(text) <= _MOST_LETTERS


# -- files opened outside --------------------------------------------------------------------------


def open_outside(files: Sequence[Path]) -> str:
    """Open files with the desktop's programs, without waiting for them; says what was done."""
    if not files:
        return "neither of the two has a file to open"
    strange = [file for file in files if file.suffix.lower() not in EXHIBITS]
    if strange:  # a program or script would be run
        listed = names([str(file) for file in strange])
        return (
            "only pictures, texts, sounds, videos and PDFs can be opened from here; the files are "
            f"{listed}"
        )
    listed = names([file.name for file in files])
    try:
        for file in files:
            _open(file.resolve(strict=True))
    except OSError as error:
        return f"cannot open {listed}: {refusal(error)}"
    return f"opened {listed}"


def _open(file: Path) -> None:
    if sys.platform == "win32":
        os.startfile(file)
        return
    if sys.platform == "darwin":
        command = "open"
    elif os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        command = "xdg-open"
    else:
        raise OSError("there is no desktop here")
    # In a session of its own, so that no program it finds can take the terminal over.
    child = subprocess.Popen(
        [command, str(file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    threading.Thread(target=child.wait, daemon=True).start()
