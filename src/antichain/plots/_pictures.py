"""What all pictures share: the kinds of files, fonts for names in any script, the bytes."""

import io
import logging
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from antichain._interrupts import interrupts_wait
from antichain.errors import FileError, MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontEntry

SUFFIXES = ("svg", "png", "pdf")
_DPI = 150


def suffix_of(path: str | PurePath) -> str:
    """The kind of picture that a file name asks for, as one of `SUFFIXES`."""
    suffix = PurePath(path).suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        raise FileError(
            f"cannot draw to {str(path)!r}: a name that ends in .svg, .png or .pdf was expected"
        )
    return suffix


def require_matplotlib() -> None:
    """Raise a `MissingExtraError` that says how to install matplotlib, unless it is there."""
    log = logging.getLogger("matplotlib")
    level = log.level
    # Where the home folder is not writable, it makes do with a temporary one, and tells at length.
    log.setLevel(logging.ERROR)
    try:
        with interrupts_wait():  # an import that Ctrl-C breaks off looks like a missing library
            import matplotlib.font_manager  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "drawing needs matplotlib, which is not installed: pip install 'antichain[plots]'"
        ) from error
    except OSError as error:
        raise FileError(
            "drawing needs a folder that matplotlib can write to, and there is none: give one in "
            "the environment variable MPLCONFIGDIR or TMPDIR"
        ) from error
    finally:
        log.setLevel(level)


def content(figure: "Figure", suffix: str, about: Mapping[str, str | None] | None) -> bytes:
    """A figure as the content of a picture file that says `about` itself what is given.

    The caller leaves the date out of `about`, so that the same figure gives the same bytes.
    """
    stream = io.BytesIO()
    figure.savefig(stream, format=suffix, dpi=_DPI, metadata=about)
    return stream.getvalue()


_BOXES = ("last resort", "lastresort")  # fonts that have every letter, and each one as a box


def families(texts: Iterable[str]) -> list[str]:
    """The font families to draw `texts` with: the usual one, then others for what it lacks."""
    return _search(texts)[0]


def missing(texts: Iterable[str]) -> list[str]:
    """The letters of `texts` that no installed font has, sorted."""
    return sorted(_search(texts)[1])


def _search(texts: Iterable[str]) -> tuple[list[str], set[str]]:
    """The families that have the letters of `texts`, and the letters that none has.

    matplotlib goes through a list of families for each letter, so that it is enough to append to
    its own font those that have what it lacks.
    """
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties, findfont, fontManager

    found = list(rcParams["font.family"])
    letters = {letter for text in texts for letter in text if letter.isprintable()}
    lacking = letters - _drawn_by(findfont(FontProperties()), letters)
    if not lacking:
        return found, lacking
    # Opened only now: there may be hundreds of files.
    offers = {
        entry.name: _drawn_by(entry.fname, lacking)
        for entry in sorted(fontManager.ttflist, key=lambda entry: entry.fname)
        if _is_upright(entry)
    }
    while lacking and offers:
        best = max(offers, key=lambda name: len(offers[name] & lacking))
        if not offers[best] & lacking:
            break
        found.append(best)
        lacking -= offers.pop(best)
    return found, lacking


def _is_upright(entry: "FontEntry") -> bool:
    return entry.style == "normal" and not entry.name.lower().startswith(_BOXES)


def _drawn_by(path: str, letters: set[str]) -> set[str]:
    """Those of `letters` that the font in a file has; none of a file that cannot be read."""
    from matplotlib.font_manager import get_font

    try:
        font = get_font(path)
    except (OSError, RuntimeError):  # a font that was removed, or is damaged
        return set()
    return {letter for letter in letters if font.get_char_index(ord(letter))}
