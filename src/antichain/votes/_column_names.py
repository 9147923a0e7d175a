"""Names of columns as people choose them: any noun with a side, and the places of a ballot."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OTHER_SIDE = {"left": "right", "a": "b", "1": "2", "first": "second", "home": "away"}
_NO_PAIR = {"a": ("c",), "1": ("0", "3"), "first": ("third",)}  # q1, q2, q3, … are no two items
_SIDE = f"(?P<side>{'|'.join(_OTHER_SIDE)})"
_ANY_NOUN = (rf"(?P<noun>.+?)_?{_SIDE}(_?(id|name|title))?", rf"{_SIDE}_(?P<noun>.+)")
# What an item has, and what is about the voter: no items.
_NO_ITEM = re.compile(
    r"(.*_)?(scores?|rank|ranking|rating|elo|points|goals|votes?|wins?|winner|won|count|prob|"
    r"probability|conf|confidence|time|date|conversation|reason|rationale|comment|url|length|len|"
    r"tokens?|price|cost|age|turn|judge|annotator|voter|worker|user|question|tie|weight|feature|"
    r"order|side|position|id|logprob)"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_PLACE = r"(?:rank|choice|place|preference|pref|position|pos)"
_PLACES = (rf"{_PLACE}_?(\d+)", rf"(\d+)(?:st|nd|rd|th)(?:_{_PLACE})?",
           rf"({'|'.join(_ORDINALS)})_{_PLACE}")  # fmt: skip
_IN_FORM = re.compile(r"^.+\[([^\[\]]+)\]$")  # as a form asks: Your order [1st choice]
_QUESTION = re.compile(  # as forms ask it: Who won? Which film do you prefer?
    r"(who|which|what)(_\w+?)??_(won|wins|((is|was)_)?(the_)?(better|best|preferred|winner)|"
    r"(do|did|would)_you_(prefer|choose|pick|like_(more|better|best)))(_(one|overall))?"
)
_CHOSEN = re.compile(
    r"(your_|my_|voters?_)?(pick|picked|choice|preference|preferred|selected|better|best)"
    r"(_(one|item|option|side))?"
)
_RANKINGS = ("ballot", "ranking", "rankings", "preference_order", "rank_order", "ranked_list")


def plain_name(name: str) -> str:
    """A column's name as names are compared: no case, and _ for what is no letter or digit."""
    return re.sub(r"\W+", "_", name.strip().casefold()).strip("_")


def answer_in_other_words(header: Sequence[str]) -> str | None:
    """The only column that asks who won in words of its own, or holds what was picked, or None.

    >>> answer_in_other_words(["film a", "film b", "Which film is better?"])
    'Which film is better?'
    """
    for words in (_QUESTION, _CHOSEN):
        found = [name for name in header if words.fullmatch(plain_name(name))]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def sides_of_any_noun(header: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of columns with any noun and a side, as in film_a and film_b or p1 and p2."""
    columns = {plain_name(name): name for name in reversed(header)}
    found = []
    for name in header:
        for pattern in _ANY_NOUN:
            match = re.fullmatch(pattern, plain := plain_name(name))
            if match is None or _NO_ITEM.fullmatch(match["noun"]):
                continue
            start, end = match.span("side")
            like = [
                columns.get(plain[:start] + side + plain[end:])
                for side in (_OTHER_SIDE[match["side"]], *_NO_PAIR.get(match["side"], ()))
            ]
            if (other := like[0]) is not None and not any(like[1:]):
                found.append((name, other))
    return found


def places_of_ballots(header: Sequence[str]) -> tuple[str, ...]:
    """The columns that look like the places of a ballot, the best first, or like a whole ranking.

    >>> places_of_ballots(["voter", "rank1", "rank2", "rank3"]), places_of_ballots(["Ballot"])
    (('rank1', 'rank2', 'rank3'), ('Ballot',))
    """
    for pattern in _PLACES:
        found: dict[int, str] = {}
        for name in header:
            said = _IN_FORM.sub(r"\1", name.strip())
            match = re.fullmatch(pattern, plain_name(said))
            if match is not None:
                place = match[1]
                number = int(place) if place.isdigit() else _ORDINALS.index(place) + 1
                found.setdefault(number, name)
        if len(found) > 1 and sorted(found) == list(range(1, len(found) + 1)):
            return tuple(found[number] for number in sorted(found))
    whole = [name for name in header if plain_name(name) in _RANKINGS]
    return tuple(whole) if len(whole) == 1 else ()
