"""The words people use for an answer, and what they mean."""

from __future__ import annotations

import re

from antichain.votes._vote_log import ANSWERS, GIVEN_UP

SIDES = (("left", "right"), ("a", "b"), ("1", "2"), ("first", "second"), ("home", "away"),
         ("x", "y"), ("white", "black"))  # fmt: skip
"""What the two sides of a duel are called."""

LEFT, RIGHT, TIE, BOTH_BAD, INCOMPARABLE, SKIPPED = range(len(ANSWERS))

_ANSWER_NOUNS = ("", "model", "item", "option", "player", "team", "system", "candidate", "response",
          "answer", "assistant", "output", "choice", "text", "image")  # fmt: skip
_OTHERS = {
    TIE: "tie, tied, tievote, draw, drawn, equal, equals, even, both, both good, bothgood, "
    "tie (bothgood), tie (both good), both are good, equally good, same, about the same, similar, "
    "no preference, =, ==, a=b, [[c]], 0.5, 1/2, ½, 1/2-1/2, ½-½, 0.5-0.5",
    BOTH_BAD: "both bad, bothbad, bothbad vote, tie (bothbad), tie (both bad), tie bothbad, "
    "tie both bad, both are bad, equally bad, neither",
    INCOMPARABLE: "incomparable, cannot compare, can't compare, cant compare, not comparable, "
    "cannot be compared, can't be compared, uncomparable",
    SKIPPED: "skip, skipped, pass, passed, abstain, abstained, don't know, dont know, do not know, "
    "no answer, not sure, unsure, no opinion",
}
_BETTER = re.compile(r" (wins?|won|(is )?((much|slightly) )?better)$")  # behind a side
_GIVEN_UP = ("given up", "gave up", "expired", "lost", "no answer")


def _folded(text: str) -> str:
    """A text as words are compared: no case, no difference between space, _ and -."""
    return re.sub(r"[\s_-]+", " ", text.casefold().replace("’", "'")).strip()


def _vocabulary() -> dict[str, int]:
    known = dict.fromkeys(("l", ">", "1-0", "leftvote", "a>b", "a>>b", "[[a]]"), LEFT)
    known |= dict.fromkeys(("r", "<", "0-1", "rightvote", "b>a", "b>>a", "[[b]]"), RIGHT)
    for noun in _ANSWER_NOUNS:
        for side, words in zip((LEFT, RIGHT), zip(*SIDES, strict=True), strict=True):
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


def says_given_up(text: str) -> bool:
    """Whether an answer says that its ask was given up, if it has the number of one."""
    return _folded(text) in _GIVEN_UP


def form_of(
    text: str, left_column: str, right_column: str, *, numbered: bool = False
) -> int | None:
    """The place in `ANSWERS` of an answer in words, or None where it is no known word.

    Where asks are `numbered`, it may also be `GIVEN_UP`.

    The names of the columns of the two items are words for their sides. Where these are about
    home and away, H, D and A are home, draw and away.

    >>> form_of("Model_B", "model_a", "model_b"), form_of("A", "HomeTeam", "AwayTeam")
    (1, 1)
    """
    if numbered and says_given_up(text):
        return GIVEN_UP
    plain, folded = text.strip().casefold(), _folded(text)
    for side, column in ((LEFT, left_column), (RIGHT, right_column)):
        if folded == _folded(column) and _folded(left_column) != _folded(right_column):
            return side
    if "home" in left_column.casefold() and plain in _HOME_AND_AWAY:
        return _HOME_AND_AWAY[plain]
    if plain in _KNOWN or not plain[:1].isalnum():  # -1 is not the word 1
        return _KNOWN.get(plain)
    return _KNOWN.get(folded, _KNOWN.get(_BETTER.sub("", folded)))
