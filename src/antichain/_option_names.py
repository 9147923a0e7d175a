"""Options by the names that the reader knows: keyword arguments in Python, flags when typed.

Errors are written with the flags of the command line, and values as in `--item=model`. Python users
see the keyword arguments instead (`item='model'`), users of the command what they would type
(--item model). Sentences that are kept, such as the notes of a certificate, name each option by
`option`.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from antichain._text import as_argument

_CHOICES = {  # which a message may give after their flag, as people type them
    "answers": ("names", "sides"),
    "assume": ("strong", "cannot-compare"),
    "unanswered": ("stop", "ignore"),
}
_TYPED = "|".join(f"(?<=--{flag}) (?:{'|'.join(words)})" for flag, words in _CHOICES.items())
_VALUE = r"=(?:'[^']*'|[^\s'();]*[^\s'(),;:.?])"
_FLAG = re.compile(rf"(?<![\w-])--([a-z][a-z0-9-]*\b)({_VALUE}|{_TYPED})?")
_SAID_OTHERWISE = {
    "lower": "higher=False",
    "unordered": "ordered=False",
    "decoy-suffix": "decoys",
    "ties": "tie",
    "attribute": "directions",
    "grades": "antichain.votes_from_ratings_counts",  # a function, which also takes the items
    **{flag: f"{flag.replace('-', '_')}=True"
       for flag in ("ordered", "higher", "wide", "fold", "skip-bad", "force")},
}  # fmt: skip
_TWICE = re.compile(r"(`[^`]+`) or \1")
_OF_TWO_COLUMNS = {"scores", "ranks"}
_ONLY_TYPED = {"export", "key", "database", "name", "study"}  # commands have these, functions not
_typed = False


@contextmanager
def typed() -> Iterator[None]:
    """Within this, options are named as they are typed on the command line."""
    global _typed
    before, _typed = _typed, True
    try:
        yield
    finally:
        _typed = before


def option(flag: str, value: object = None) -> str:
    """An option, and its value if there is one, as the reader would give it.

    >>> option("min-votes", 3), option("voter", "Annotator ID"), option("fold")
    ('`min_votes=3`', "`voter='Annotator ID'`", '`fold=True`')
    >>> with typed():
    ...     option("min-votes", 3)
    '--min-votes 3'
    """
    if _typed:
        return f"--{flag}" if value is None else f"--{flag} {as_argument(str(value))}"
    keyword = _SAID_OTHERWISE.get(flag, flag.replace("-", "_"))
    return f"`{keyword}`" if value is None else f"`{keyword}={value!r}`"


def in_python(words: str, typed: str) -> str:
    """The words for a reader who writes Python, or those for one who types commands.

    >>> in_python("antichain.ReadOptions", typed="antichain help reading")
    'antichain.ReadOptions'
    """
    return typed if _typed else words


def call_on(path: object, function: str, command: str) -> str:
    """What reads a file: a call for a reader who writes Python, or a command.

    >>> call_on("a b.csv", "read_matrix", "matrix")
    "antichain.read_matrix('a b.csv')"
    """
    typed = f"antichain {command} {as_argument(str(path))}"
    return in_python(f"antichain.{function}({str(path)!r})", typed)


def as_read(message: str) -> str:
    """An error's message, with the options in it as the reader would give them."""
    if _typed:
        return _FLAG.sub(_flag, message)
    # Two flags may be one keyword argument.
    return _TWICE.sub(r"\1", _FLAG.sub(_keyword, message))


def _flag(found: re.Match[str]) -> str:
    flag, value = found.groups()
    return f"--{flag}" if value is None else f"--{flag} {value[1:]}"


def _keyword(found: re.Match[str]) -> str:
    flag, value = found.groups()
    if flag in _ONLY_TYPED:
        return found[0]
    if value is None:
        return option(flag)
    plain = value[1:].strip("'")
    if flag in _OF_TWO_COLUMNS and "," in plain:
        return option(flag, tuple(plain.split(",")))
    return option(flag, int(plain) if plain.isdecimal() else plain)
