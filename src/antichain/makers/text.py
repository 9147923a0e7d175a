"""Worse texts: sentences left out or out of order, or an end that is missing."""

from __future__ import annotations

import math
import re

from numpy.random import Generator

from antichain.errors import InputError
from antichain.makers.base import Maker

# A sentence: up to and with its closing marks, and the white space behind it. No sentence begins
# with a small letter, so that "e.g. this" and "(really!) this" go on. Looking behind keeps long
# rows of dots from taking quadratic time.
_SENTENCE = re.compile(
    r"\S.*?(?:(?<![.!?…])[.!?…]+[\"'”’)\]]*(?=\s)(?!\s+[a-zß-öø-ÿ])|\Z)\s*", re.DOTALL
)
_WORD = re.compile(r"\S+\s*")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with the white space behind it; joined, they are the text."""
    start = len(text) - len(text.lstrip())
    found = _SENTENCE.findall(text[start:])
    if found:
        found[0] = text[:start] + found[0]
    return found


def drop_sentences(text: str, strength: float, rng: Generator) -> str:
    """The text without a share `strength` of its sentences; one is always left.

    Sentences go in one random order, so that what a smaller strength drops a greater one drops.
    """
    parts = sentences(text)
    gone = min(round(strength * len(parts)), len(parts) - 1)
    dropped = set(rng.permutation(len(parts))[: max(0, gone)].tolist())
    if not dropped:
        return text
    kept: list[tuple[str, str]] = []
    for place, part in enumerate(parts):
        words, behind = part.strip(), _behind(part)
        if place not in dropped:
            kept.append((words, behind))
        elif kept and behind.count("\n") > kept[-1][1].count("\n"):
            kept[-1] = kept[-1][0], behind  # a paragraph ends where it did
    return "".join(f"{words}{behind}" for words, behind in kept).rstrip() + _behind(text)


def shuffle_sentences(text: str, strength: float, rng: Generator) -> str:
    """The text with its sentences displaced, by up to about a share `strength` of its length.

    A pair of sentences that a smaller strength has turned round a greater one turns round too.
    """
    parts = sentences(text)
    lots = rng.random(len(parts)).tolist()
    # Keys i + s·n·u: a pair i < j is turned round once s·n·(u_i − u_j) passes j − i.
    keys = [place + strength * len(parts) * lot for place, lot in enumerate(lots)]
    order = sorted(range(len(parts)), key=keys.__getitem__)
    if order == sorted(order):
        return text
    # The white space stays where it is: paragraphs are as long as they were.
    placed = zip(order, parts, strict=True)
    return "".join(f"{parts[place].strip()}{_behind(part)}" for place, part in placed)


def truncate(text: str, strength: float, rng: Generator) -> str:
    """The text without the last share `strength` of its words; one is always left."""
    words = _WORD.findall(text.lstrip())
    kept = max(1, math.ceil((1 - strength) * len(words) - 1e-9))
    start = text[: len(text) - len(text.lstrip())]
    return start + "".join(words[:kept]).rstrip() + _behind(text) if kept < len(words) else text


def _behind(text: str) -> str:
    """The white space behind a text."""
    return text[len(text.rstrip()) :]


class _OnText:
    """A function on text as one on the contents of a file."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, item: bytes, strength: float, rng: Generator) -> bytes:
        """The contents of a text file, degraded."""
        try:
            text = item.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(
                f"it is not UTF-8 text (byte {error.start} is not), but text was expected"
            ) from error
        if not text.strip():
            raise InputError("it holds no words, but a text was expected")
        worse: str = _WAYS[self.name](text, strength, rng)
        return worse.encode()


_WAYS = {"drop": drop_sentences, "shuffle": shuffle_sentences, "truncate": truncate}
_MEANINGS = {
    "drop": "the share of sentences left out",
    "shuffle": "how far sentences move, as a share of the text",
    "truncate": "the share of words cut off at the end",
}
MAKERS = [Maker("text", how, meaning, _OnText(how)) for how, meaning in _MEANINGS.items()]
