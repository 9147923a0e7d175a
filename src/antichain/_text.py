"""Small numbers and lists as words, the same wherever they are shown."""

from collections.abc import Sequence


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
