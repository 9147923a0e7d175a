"""Fonts that have the letters of the items' names, whatever script these are in.

matplotlib goes through a list of families for each letter, so that it is enough to append to its
own font those that have what it lacks.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.font_manager import FontEntry

_BOXES = ("last resort", "lastresort")  # fonts that have every letter, and each one as a box


def families(texts: Iterable[str]) -> list[str]:
    """The font families to draw `texts` with: the usual one, then others for what it lacks."""
    return _search(texts)[0]


def missing(texts: Iterable[str]) -> list[str]:
    """The letters of `texts` that no installed font has, sorted."""
    return sorted(_search(texts)[1])


def _search(texts: Iterable[str]) -> tuple[list[str], set[str]]:
    """The families that have the letters of `texts`, and the letters that none has."""
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
