"""The words people use for an answer."""

from __future__ import annotations

import re

from antichain.votes.vote_log import ANSWERS

LEFT, RIGHT, TIE, BOTH_BAD, INCOMPARABLE, SKIPPED = range(len(ANSWERS))

_NOUNS = ("", "model", "item", "option", "player", "team", "system", "candidate", "response",
          "answer", "assistant", "output", "choice", "text", "image")  # fmt: skip
_SIDES = (("left", "right"), ("a", "b"), ("1", "2"), ("x", "y"), ("first", "second"),
          ("home", "away"), ("white", "black"))  # fmt: skip
_OTHERS = {
    TIE: "tie, tied, draw, drawn, equal, equals, even, both, both good, bothgood, tie (bothgood), "
    "tie (both good), same, =, ==, 0.5, 1/2, ½, 1/2-1/2, ½-½, 0.5-0.5",
    BOTH_BAD: "both bad, bothbad, tie (bothbad), tie (both bad), both are bad, neither",
    INCOMPARABLE: "incomparable, cannot compare, can't compare, cant compare, not comparable, "
    "cannot be compared, can't be compared, uncomparable",
    SKIPPED: "skip, skipped, pass, passed, abstain, abstained, don't know, dont know, do not know, "
    "no answer, not sure, unsure, no opinion",
}


def _folded(text: str) -> str:
    """A text as words are compared: no case, no difference between space, _ and -."""
    return re.sub(r"[\s_-]+", " ", text.casefold().replace("’", "'")).strip()


def _vocabulary() -> dict[str, int]:
    known = {"l": LEFT, ">": LEFT, "1-0": LEFT, "r": RIGHT, "<": RIGHT, "0-1": RIGHT}
    for noun in _NOUNS:
        for side, words in zip((LEFT, RIGHT), zip(*_SIDES, strict=True), strict=True):
            for word in words:
                known[f"{noun} {word}".strip()] = side
                known[f"{noun}{word}"] = side
                known[f"{word} {noun}".strip()] = side
    for form, listed in _OTHERS.items():
        known |= dict.fromkeys(listed.split(", "), form)
    # Only what is compared after folding; "1-0" and the like are looked up as they are.
    return known | {_folded(word): form for word, form in known.items() if word[0].isalpha()}


_KNOWN = _vocabulary()
_HOME_AND_AWAY = {"h": LEFT, "a": RIGHT, "d": TIE}


def form_of(text: str, left_column: str, right_column: str) -> int | None:
    """The place in `ANSWERS` of an answer in words, or None where it is no known word.

    The names of the columns of the two items are words for their sides. Where these are about
    home and away, H, D and A are home, draw and away.

    >>> form_of("Model_B", "model_a", "model_b"), form_of("A", "HomeTeam", "AwayTeam")
    (1, 1)
    """
    plain, folded = text.strip().casefold(), _folded(text)
    for side, column in ((LEFT, left_column), (RIGHT, right_column)):
        if folded == _folded(column) and _folded(left_column) != _folded(right_column):
            return side
    if "home" in left_column.casefold() and plain in _HOME_AND_AWAY:
        return _HOME_AND_AWAY[plain]
    return _KNOWN.get(plain, _KNOWN.get(folded))
