"""Small numbers, lists and foreign texts as words, the same wherever they are shown."""

import codecs
import difflib
import html
import json
import re
import shlex
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

_MOST_SHOWN = 60  # characters of a value in a sentence
_MOST_GROUPS = 3  # of names that look alike in a sentence
_HARDLY_KNOWN, _WELL_KNOWN = 2, 10  # votes on a name that may be misspelt, and on what it may mean
_SHORTEST_START = 3  # letters of a word that may be told by its start
_SAME_START = 5  # letters that are the same in words that start alike
_NEAR = 0.75  # how alike a word and the one that may be meant are at least
_MOST_COMPARED = 500  # items whose names are compared
_DIGITS = re.compile(r"\d+")  # names that differ in a number are different on purpose

# Control characters move the cursor, recolour or retitle a terminal; line separators break lines;
# bidi embeddings, overrides and isolates reorder what is around them; zero-width characters hide;
# halves of surrogate pairs cannot be written. Joiners and marks that scripts and emoji need stay.
_HIDDEN = "\x7f-\x9f\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff"
_UNSAFE = re.compile(f"[\x00-\x1f{_HIDDEN}]")
_UNSAFE_IN_JSON = re.compile(f"[{_HIDDEN}]")  # JSON has escaped the others, and ends with a newline

# What our own sentences and pictures use beyond ASCII, for streams that cannot have it.
_SPELT_OUT = {
    "α": "alpha", "γ": "gamma", "δ": "delta", "ε": "epsilon", "Δ": "Delta", "½": "1/2", "₀": "0",
    "–": "-", "—": "-", "−": "-", "…": "...", "×": "x", "÷": "/", "·": "-", "≤": "<=", "≥": ">=",
    "“": '"', "”": '"', "‘": "'", "’": "'", "←": "<-", "→": "->", "↑": "^", "↓": "v",
    "─": "-", "━": "=", "█": "#", "┃": "|",
}  # fmt: skip
SPELL_OUT = "antichain-spell-out"
"""The name of the handler of encoding errors that writes what cannot be encoded in ASCII."""


def as_argument(word: str) -> str:
    r"""A word of a command line to type, in quotes where a shell needs them, and in one line.

    >>> as_argument("voter"), as_argument("Annotator ID")
    ('voter', "'Annotator ID'")
    >>> print(as_argument("left\n"))
    'left\n'
    """
    word = printable(word)
    if sys.platform != "win32":
        return shlex.quote(word)
    import subprocess

    return subprocess.list2cmdline([word])


def counted(number: int, thing: str) -> str:
    """The number with the noun in its singular or plural."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def percent_chance(value: float) -> str:
    """An estimated chance as a whole percentage: never 0% or 100%, as estimates are not certain.

    >>> percent_chance(0.42), percent_chance(1.0), percent_chance(0.0)
    ('42%', '>99%', '<1%')
    """
    if not 0.01 <= value <= 0.99:
        return "<1%" if value < 0.5 else ">99%"
    return f"{100 * value:.0f}%"


def names(items: Sequence[str], most: int = 12) -> str:
    """The items' names in one line, only the first ones of many."""
    if len(items) <= most:
        return ", ".join(items)
    return ", ".join(items[:most]) + f" and {len(items) - most:,} more"


def listing(words: Sequence[str]) -> str:
    """All the words, as a sentence lists them.

    >>> listing(["tea"]), listing(["tea", "rain"]), listing(["tea", "rain", "fog"])
    ('tea', 'tea and rain', 'tea, rain and fog')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def short(text: str, most: int) -> str:
    """The text in one printable line, cut to at most this many characters with an ellipsis."""
    line = printable(text[: most + 1])
    return line if len(line) <= most else line[: most - 1] + "…"


def labels(texts: Sequence[str], most: int) -> list[str]:
    """A label of at most `most` characters for each text, no two alike.

    Where texts are too long, what all of them begin and end with is left out, and then their
    middles are; labels that are still alike get the number of their place.

    >>> labels(["org/model-a-instruct", "org/model-b-instruct", "org/mine-instruct"], 12)
    ['model-a', 'model-b', 'mine']
    """
    lines = [printable(text) for text in texts]
    if max(map(len, lines), default=0) > most:
        lines = _without_common(lines)
    found = [_ends(line, most) for line in lines]
    times = Counter(found)
    for k, label in enumerate(found):
        if times[label] > 1 or re.search(r"…\d+$", label):
            place = f"…{k + 1}"
            found[k] = label[: most - len(place)] + place
    return found


def _ends(line: str, most: int) -> str:
    if len(line) <= most:
        return line
    tail = (most - 1) // 3
    return f"{line[: most - 1 - tail]}…{line[-tail:]}"


def _without_common(lines: list[str]) -> list[str]:
    """The texts without the words that all of them begin and end with."""
    if len(set(lines)) < 2:
        return lines
    start = _alike(lines)
    while start and lines[0][start - 1].isalnum():
        start -= 1
    end = _alike([line[start:][::-1] for line in lines])
    while end and lines[0][-end].isalnum():
        end -= 1
    cut = [line[start : len(line) - end] for line in lines]
    return cut if all(text.strip() for text in cut) else lines


def _alike(lines: list[str]) -> int:
    """How many characters all of the texts begin with."""
    low, high = min(lines), max(lines)
    return next((k for k, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))


def wide(text: str) -> float:
    """The width of a text in characters of the mean width: an ideograph takes nearly two."""
    return sum(1.8 if unicodedata.east_asian_width(c) in "WF" else 1.0 for c in text)


def printable(text: str) -> str:
    r"""The text in one line, with everything in it that acts instead of being seen as an escape.

    Whatever others wrote (names, titles, paths, cells) goes through this before it is shown.

    >>> print(printable("tea\x1b[31m\n\u202eaet"))
    tea\x1b[31m\n\u202eaet
    """
    return _UNSAFE.sub(lambda found: _escape(found[0]), text)


def html_text(text: str) -> str:
    """The same in HTML or SVG, as text or as the value of an attribute."""
    return html.escape(printable(text))


def printable_json(text: str) -> str:
    r"""JSON with the same as escapes of JSON, so that it says what it said.

    >>> print(printable_json('"\x9b"'))
    "\u009b"
    """
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def encodable(text: str, encoding: str) -> str:
    """The text as a stream with this encoding can have it.

    >>> encodable("δ ≥ 0.1: Ærø", "latin-1")
    'delta >= 0.1: Ærø'
    """
    return text.encode(encoding, SPELL_OUT).decode(encoding)


def _escape(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii")


def _spell_out(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_SPELT_OUT.get(letter, _escape(letter)) for letter in letters), error.end


codecs.register_error(SPELL_OUT, _spell_out)


def without_middle(text: str, most: int) -> str:
    """The text; if it is longer than `most` characters, its two ends with an ellipsis between."""
    if len(text) <= most:
        return text
    half = (most - 3) // 2
    return f"{text[:half]} … {text[-half:]}"


def refusal(error: BaseException) -> str:
    """Why the system refused, in its own words without the error's number.

    >>> refusal(FileNotFoundError(2, "No such file or directory")), refusal(ValueError("Too long"))
    ('no such file or directory', 'too long')
    """
    return str(getattr(error, "strerror", None) or error).lower()


def shown(value: object) -> str:
    """Any value in a sentence, in quotes if it is a text, and not too long."""
    try:
        return short(repr(value), _MOST_SHOWN)
    except Exception:  # a value's own repr may do anything, as that of a very long number does
        return f"a very long {type(value).__name__}"


def shown_json(value: object) -> str:
    """A value that came out of JSON, in a sentence, as JSON writes it."""
    try:
        return short(json.dumps(value), _MOST_SHOWN)
    except (ValueError, RecursionError):  # a number of thousands of digits
        return f"a very long {type(value).__name__}"


def fold_key(name: str) -> str:
    """What names that differ only by case, spaces or punctuation have in common.

    What stands between two digits, and a minus before a number, tell names apart, and so do symbols
    such as + # % & and @. A number is the same with and without .0.

    >>> fold_key("GPT-4 (Turbo)") == fold_key("gpt4 turbo"), fold_key("v1.1") == fold_key("v11")
    (True, False)
    """
    plain = unicodedata.normalize("NFKC", _folded(name))
    plain = re.sub(r"^([-−]?\d+)\.0$", r"\1", plain)  # a number that became a fraction on its way
    marks = [c if c in "#%&@" or unicodedata.category(c)[0] not in "PZC" else " " for c in plain]
    bare = re.sub(r"(?<!\d) +| +(?!\d)", "", "".join(marks))
    bare = re.sub(" +", " ", bare)
    return (f"-{bare}" if re.match(r"\s*[-−]\d", plain) else bare) or name


def nearest(word: str, known: Iterable[str], by_start: bool = False) -> str | None:
    """The known word that may be meant by an unknown one, or None.

    Args:
        word: The unknown word.
        known: The known ones.
        by_start: Whether, if none looks much alike, the only one that starts alike is meant.

    >>> nearest("rep", ["epsilon", "report"]), nearest("rep", ["epsilon", "report"], by_start=True)
    (None, 'report')
    """
    key, by_key = fold_key(word), {fold_key(name): name for name in known}
    found = difflib.get_close_matches(key, by_key, 1, _NEAR)
    if not found and by_start and len(key) >= _SHORTEST_START:
        found = [other for other in by_key if other.startswith(key[:_SAME_START])]
        found = found if len(found) == 1 else []
    return by_key[found[0]] if found else None


def did_you_mean(
    word: str, known: Iterable[str], form: Callable[[str], str] = str, by_start: bool = False
) -> str:
    """The end of a sentence about an unknown word: the known one that may be meant, if any.

    Args:
        word: The unknown word.
        known: The known ones.
        form: How to write the one that may be meant, such as `repr` for a name.
        by_start: Whether, if none looks much alike, the only one that starts alike is meant.

    >>> did_you_mean("epsilo", ["delta", "epsilon", "report"])
    '; did you mean epsilon?'
    """
    meant = nearest(word, known, by_start)
    return "" if meant is None else f"; did you mean {form(meant)}?"


def folded_alikes(items: Iterable[str], fold: str) -> str | None:
    """A sentence on names that differ only by case, spaces or punctuation, or None.

    Args:
        items: The names.
        fold: The option that treats such names as one.
    """
    return _on_groups(
        items,
        fold_key,
        f"differ only by case, spaces or punctuation, but are different items ({fold} treats them "
        "as one).",
    )


IF_THE_SAME = "If they are the same, correct the name."
"""How a sentence on names that may be misspelt ends."""


def misspelt(votes: Mapping[str, int]) -> str | None:
    """A sentence on names with hardly a vote that are nearly those of much-voted items, or None.

    >>> misspelt({"Leap": 40, "Laep": 1, "gpt-4": 1, "gpt-5": 60})
    "'Laep' (1 vote) looks like 'Leap' (40 votes). If they are the same, correct the name."
    """
    known = {name: count for name, count in votes.items() if count >= _WELL_KNOWN}
    found = []
    for name, count in votes.items():
        if count <= _HARDLY_KNOWN and len(votes) <= _MOST_COMPARED:
            alike = [other for other in known if _DIGITS.findall(other) == _DIGITS.findall(name)]
            found += [(name, other) for other in difflib.get_close_matches(name, alike, 1, 0.75)]
    said = "; ".join(
        f"{shown(name)} ({counted(votes[name], 'vote')}) looks like {shown(other)} "
        f"({counted(votes[other], 'vote')})"
        for name, other in found[:_MOST_GROUPS]
    )
    return f"{said}. {IF_THE_SAME}" if found else None


def look_alikes(items: Iterable[str]) -> str | None:
    """A sentence on names that differ only in case or in how Unicode writes them, or None.

    >>> look_alikes(["Alien", "alien", "Saw"])
    "'Alien' and 'alien' differ only in case or Unicode form, but are different items."
    """
    return _on_groups(
        items, _folded, "differ only in case or Unicode form, but are different items."
    )


def _on_groups(items: Iterable[str], key: Callable[[str], str], what: str) -> str | None:
    groups: dict[str, list[str]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    alike = [" and ".join(_told_apart(group)) for group in groups.values() if len(group) > 1]
    if not alike:
        return None
    more = len(alike) - _MOST_GROUPS
    also = f" (and {counted(more, 'more group')})" if more > 0 else ""
    listed = "; ".join(alike[:_MOST_GROUPS])
    return f"{listed}{also} {what}"


def _told_apart(names: Sequence[str]) -> list[str]:
    """The names as `shown`, or with escapes where two of them look the same."""
    seen = {unicodedata.normalize("NFC", name) for name in names}
    return [shown(name) if len(seen) == len(names) else ascii(name) for name in names]


def _folded(name: str) -> str:
    if name.isascii():
        return name.lower()
    name = _UNSAFE.sub("", name)  # most of which nobody sees
    # Folding may undo the normal form, and composing may undo the folding.
    for _ in range(2):
        name = unicodedata.normalize("NFC", name.casefold())
    return name
