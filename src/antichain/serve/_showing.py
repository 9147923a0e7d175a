"""What voters see of items: Markdown as harmless HTML, and files by names nobody guesses."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from antichain import _files
from antichain._text import counted, refusal
from antichain.errors import FileError
from antichain.study._ballot import TEXTS
from antichain.study._ballot_entries import Ballot, BallotEntry, fingerprint

_TYPES = {
    **{
        f".{name}": f"image/{name}" for name in ("png", "gif", "webp", "bmp", "avif", "heic", "jxl")
    },
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".svg": "image/svg+xml",
    ".heif": "image/heif",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".wav": "audio/wav",
    ".mp3": "audio/mpeg",
    ".flac": "audio/flac",
    ".ogg": "audio/ogg",
    ".oga": "audio/ogg",
    ".opus": "audio/ogg",
    ".m4a": "audio/mp4",
    ".aac": "audio/aac",
    ".aif": "audio/aiff",
    ".aiff": "audio/aiff",
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/quicktime",
    ".webm": "video/webm",
    ".mkv": "video/x-matroska",
    ".avi": "video/x-msvideo",
    ".ogv": "video/ogg",
    ".mpg": "video/mpeg",
    ".mpeg": "video/mpeg",
    ".pdf": "application/pdf",
}
PAGES = Path(__file__).parent / "pages"
_LONG = 20_000  # characters of a text that is not read as Markdown
_TEXT_BYTES = 2 << 20  # of a text file that is an item
_MARKS = (
    (b"\x89PNG\r\n\x1a\n", 0, ".png"),
    (b"\xff\xd8\xff", 0, ".jpg"),
    (b"GIF8", 0, ".gif"),
    (b"WEBP", 8, ".webp"),
    (b"WAVE", 8, ".wav"),
    (b"ID3", 0, ".mp3"),
    *((bytes((0xFF, byte)), 0, ".mp3") for byte in (0xFB, 0xF3, 0xF2, 0xFA)),
    (b"fLaC", 0, ".flac"),
    (b"OggS", 0, ".ogg"),
    (b"ftyp", 4, ".mp4"),
    (b"\x1aE\xdf\xa3", 0, ".webm"),
)


_PICTURES = (".png", ".jpg", ".gif", ".webp")  # browsers tell these apart by themselves
_TOLD = {  # what files with these extensions may turn out to be
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp"), _PICTURES),
    **dict.fromkeys((".wav", ".mp3", ".flac"), (".wav", ".mp3", ".flac", ".ogg", ".mp4")),
    **dict.fromkeys((".ogg", ".oga", ".opus", ".ogv"), (".ogg",)),
    **dict.fromkeys((".mp4", ".m4v", ".m4a"), (".mp4",)),
    **dict.fromkeys((".webm", ".mkv"), (".webm", ".mp4")),
}


@cache
def words(language: str) -> dict[str, str]:
    """The few words of the pages in that language."""
    file = PAGES / "words" / f"{language}.json"
    found: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


def media_type(name: str) -> str:
    """What kind of file this is by its extension; never a page that could run something."""
    return _TYPES.get(Path(name).suffix.lower(), "application/octet-stream")


def sniffed(content: bytes) -> str | None:
    """The extension of an uploaded file by its first bytes, if it is a kind that is taken."""
    return next((ext for mark, at, ext in _MARKS if content[at : at + len(mark)] == mark), None)


def check_files(ballot: Ballot) -> None:
    """Raise if a file is something else than its name says, as far as its first bytes tell."""
    for k, entry in enumerate(ballot.entries, start=1):
        for seen in (entry, entry.decoy):
            if seen is not None and seen.file is not None:
                line = ballot.at.line("items", "file", k)
                _check_file(f"{ballot.at()}, {line}", seen.file)


def _check_file(where: str, file: Path) -> None:
    kind = file.suffix.lower()
    try:
        with file.open("rb") as stream:
            content = stream.read(32)
    except OSError as error:
        raise FileError(f"{where}: cannot read {file}: {refusal(error)}.") from error
    found = sniffed(content)
    broken = found == ".png" and content[12:16] != b"IHDR"
    if kind in _TOLD and (broken or found not in _TOLD[kind]):
        says = f"does not begin like a {_kind(file)}, but its name ends in {kind}"
        says = says if content else f"is empty, but a {_kind(file)} was expected"
        raise FileError(f"{where}: {file} {says}.")


def _kind(file: Path) -> str:
    """What people call such a file."""
    if file.suffix.lower() in TEXTS:
        return "text"
    kinds = {"image": "picture", "audio": "sound", "video": "video"}
    return kinds.get(media_type(file.name).partition("/")[0], "file")


def counted_items(ballot: Ballot) -> str:
    """How many items there are, and of what kinds."""
    kinds = Counter(_kind(entry.file) for entry in ballot.entries if entry.file is not None)
    kinds["text"] += sum(entry.file is None and bool(entry.text) for entry in ballot.entries)
    kinds["name only"] = len(ballot.entries) - kinds.total()
    if set(+kinds) == {"name only"}:
        del kinds["name only"]
    listed = [
        f"{n:,} {kind}" if kind == "name only" else counted(n, kind)
        for kind, n in kinds.items()
        if n
    ]
    return f"{len(ballot.entries):,} items" + (f": {', '.join(listed)}" if listed else "")


def rendered(text: str) -> str:
    """Markdown as HTML in which nothing runs and nothing is loaded: no tags, no pictures.

    A very long text is shown as it is: Markdown made to be slow would keep everybody waiting.
    """
    if not text:
        return ""
    if len(text) > _LONG:
        return f"<pre>{escape(text)}</pre>\n"
    return str(_markdown().render(text))


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    found = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": 20})
    found.enable("table").disable(["image", "html_block", "html_inline"])
    found.validateLink = _is_outward  # type: ignore[method-assign]
    found.add_render_rule("link_open", _outward)
    return found


def _is_outward(url: str) -> bool:
    return url.strip().lower().startswith(("http://", "https://", "mailto:"))


def _outward(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    tokens[index].attrSet("target", "_blank")
    return str(renderer.renderToken(tokens, index, options, env))


class Gallery:
    """The files of a study's items, by the names under which they are served.

    Args:
        root: What the addresses begin with; it holds a secret.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self.files: dict[str, Path] = {}

    def shown(self, place: str, entry: BallotEntry, media: str | None = None) -> dict[str, Any]:
        """An item as the voting page gets it.

        Args:
            place: A name for its file, without an extension.
            entry: The item.
            media: The name of an uploaded file.
        """
        text, address, kind = entry.text, None, ""
        if entry.file is not None and entry.file.suffix.lower() in TEXTS:
            text = _read_text(entry.file)
        elif entry.file is not None:
            # Browsers keep it for a while: another file at this place gets another address.
            name = f"{place}-{fingerprint(entry.file)}{entry.file.suffix.lower()}"
            self.files[name] = entry.file
            address, kind = f"{self._root}/{name}", media_type(name)
        elif media is not None:
            address, kind = f"{self._root}/{media}", media_type(media)
        found: dict[str, Any] = {"html": rendered(text)}
        for key in ("image", "audio", "video"):
            found[key] = address if kind.startswith(key) else None
        other = address if not kind.startswith(("image", "audio", "video")) else None
        found["link"] = entry.link or other
        if entry.decoy is not None:
            found["decoy"] = self.shown(f"{place}d", entry.decoy)
        return found


def _read_text(path: Path) -> str:
    try:
        return _files.read_text(path, _TEXT_BYTES, "a shorter text")
    except FileError as error:
        return f"({error})"
