"""Texts that are not in UTF-8: what their letters tell of the encoding they are in."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WESTERN = "windows-1252"  # as Excel saves CSV where people write é, ö and ß
_LETTERS = re.compile(rb"[A-Za-z]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def other_encoding(label: str, fields: Iterable[bytes]) -> str | None:
    """A sentence on a text in another encoding than UTF-8; None if its fields do not show that.

    They do if no field with bytes beyond ASCII is UTF-8. Where ASCII letters stand between most of
    these bytes, the words are of a language that windows-1252 can write.
    """
    beyond = [field for field in fields if not field.isascii()]
    if not beyond or any(_decodes(field, "utf-8") for field in beyond):
        return None
    text = b" ".join(beyond)
    western = len(_LETTERS.findall(text)) >= len(_BEYOND_ASCII.findall(text))
    if western and _decodes(text, _WESTERN):
        return f"{label} is not in UTF-8, and probably in {_WESTERN}: add --encoding={_WESTERN}"
    return f"{label} is not in UTF-8: name its encoding with --encoding, such as windows-1251"


def _decodes(text: bytes, encoding: str) -> bool:
    try:
        text.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
