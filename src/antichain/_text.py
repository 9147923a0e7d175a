"""Small numbers and lists as words, the same wherever they are shown."""

import unicodedata
from collections.abc import Iterable, Sequence

_MOST_SHOWN = 60  # characters of a value in a sentence
_MOST_GROUPS = 3  # of names that look alike in a sentence


def counted(number: int, thing: str) -> str:
    """The number with the noun in its singular or plural."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def names(items: Sequence[str], most: int = 12) -> str:
    """The items' names in one line, only the first ones of many."""
    if len(items) <= most:
        return ", ".join(items)
    return ", ".join(items[:most]) + f" and {len(items) - most:,} more"


def short(text: str, most: int) -> str:
    """The text, cut to at most this many characters with an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shown(value: object) -> str:
    """Any value in a sentence, in quotes if it is a text, and not too long."""
    try:
        return short(ascii(value), _MOST_SHOWN)
    except ValueError:  # Python writes no number of more than some thousand digits
        return f"a very long {type(value).__name__}"


def look_alikes(items: Iterable[str]) -> str | None:
    """A sentence on names that differ only in case or in how Unicode writes them, or None.

    >>> look_alikes(["Alien", "alien", "Saw"])
    "'Alien' and 'alien' differ only in case or Unicode form, and are different items."
    """
    groups: dict[str, list[str]] = {}
    for item in items:
        groups.setdefault(_folded(item), []).append(item)
    alike = [" and ".join(map(shown, group)) for group in groups.values() if len(group) > 1]
    if not alike:
        return None
    more = len(alike) - _MOST_GROUPS
    also = f" (and {counted(more, 'more group')})" if more > 0 else ""
    listed = "; ".join(alike[:_MOST_GROUPS])
    return f"{listed}{also} differ only in case or Unicode form, and are different items."


def _folded(name: str) -> str:
    if name.isascii():
        return name.lower()
    # Folding may undo the normal form, and composing may undo the folding.
    for _ in range(2):
        name = unicodedata.normalize("NFC", name.casefold())
    return name
