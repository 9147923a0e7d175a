"""Worse texts: sentences left out or out of order, or the end cut off."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from numpy.random import Generator

from antichain.decoys._makers import Maker
from antichain.errors import InputError

# A sentence, with its closing marks and the white space after it. No sentence begins with a small
# letter, so "e.g. this" and "(really!) this" do not end one. The lookbehind keeps long rows of
# dots from taking quadratic time.
_SENTENCE = re.compile(
    r"\S.*?(?:(?<![.!?…])[.!?…]+[\"'”’)\]]*(?=\s)(?!\s+[a-zß-öø-ÿ])|\Z)\s*", re.DOTALL
)
_WORD = re.compile(r"\S+\s*")


def sentences(text: str) -> list[str]:
    """Return the sentences, each with the white space after it; joined, they give the text."""
    start = len(text) - len(text.lstrip())
    found = _SENTENCE.findall(text[start:])
    if found:
        found[0] = text[:start] + found[0]
    return found


def drop_sentences(text: str, strength: float, rng: Generator) -> str:
    """Leave out a share `strength` of the sentences; at least one stays.

    Sentences go in one random order, so a greater strength drops what a smaller one drops.
    """
    parts = sentences(text)
    gone = min(round(strength * len(parts)), len(parts) - 1)
    dropped = set(rng.permutation(len(parts))[: max(0, gone)].tolist())
    if not dropped:
        return text
    kept: list[tuple[str, str]] = []
    for place, part in enumerate(parts):
        words, behind = part.strip(), _space_after(part)
        if place not in dropped:
            kept.append((words, behind))
        elif kept and behind.count("\n") > kept[-1][1].count("\n"):
            kept[-1] = kept[-1][0], behind  # the paragraph still ends here
    return "".join(f"{words}{behind}" for words, behind in kept).rstrip() + _space_after(text)


def shuffle_sentences(text: str, strength: float, rng: Generator) -> str:
    """Move sentences by up to about a share `strength` of the length of the text.

    A pair of sentences that a smaller strength swaps is swapped by a greater one too.
    """
    parts = sentences(text)
    lots = rng.random(len(parts)).tolist()
    # With keys i + s·n·u, a pair i < j is swapped once s·n·(u_i − u_j) exceeds j − i.
    keys = [place + strength * len(parts) * lot for place, lot in enumerate(lots)]
    order = sorted(range(len(parts)), key=keys.__getitem__)
    if order == sorted(order):
        return text
    # The white space stays in place: each paragraph keeps its number of sentences.
    placed = zip(order, parts, strict=True)
    return "".join(f"{parts[place].strip()}{_space_after(part)}" for place, part in placed)


def truncate(text: str, strength: float, rng: Generator) -> str:
    """Cut off the last share `strength` of the words; at least one stays."""
    words = _WORD.findall(text.lstrip())
    kept = max(1, math.ceil((1 - strength) * len(words) - 1e-9))
    start = text[: len(text) - len(text.lstrip())]
    return (
        start + "".join(words[:kept]).rstrip() + _space_after(text) if kept < len(words) else text
    )


def _space_after(text: str) -> str:
    return text[len(text.rstrip()) :]


def _decoded(item: bytes) -> str:
    try:
        text = item.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"it is not UTF-8 text (byte {error.start} is invalid), but text was expected"
        ) from error
    if not text.strip():
        raise InputError("it holds no words, but a text was expected")
    return text


def _one_sentence(what_it_does: str) -> Callable[[str], str | None]:
    def why(text: str) -> str | None:
        if len(sentences(text)) > 1:
            return None
        return f"it has one sentence, but {what_it_does} whole sentences"

    return why


def _one_word(text: str) -> str | None:
    return None if len(text.split()) > 1 else "it has one word, but truncate leaves at least one"


_WAYS = {
    "drop": (drop_sentences, _one_sentence("drop leaves out")),
    "shuffle": (shuffle_sentences, _one_sentence("shuffle moves")),
    "truncate": (truncate, _one_word),
}
MAKERS = [
    Maker("text", how, _decoded, work, str.encode, too_short=too_short)
    for how, (work, too_short) in _WAYS.items()
]
