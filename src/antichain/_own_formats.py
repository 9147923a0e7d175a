"""The files that antichain writes itself, and the command that reads each of them."""

import re

from antichain._text import as_argument

_FORMAT = re.compile(r'^\s*\{\s*"format"\s*:\s*"antichain-([a-z-]+)')
_POSET = re.compile(r'^\s*\{\s*"(items|relations)"\s*:\s*\[')
_READ_BY = {
    "certificate": ("a certificate", "antichain verify {} VOTES"),
    "poset": ("a poset file", "antichain draw {}, or antichain simulate {}"),
    "study": ("a study", "antichain study {} --export votes.csv"),
    "decoys": ("a list of decoys", "--decoys {}"),
    "ratings-front": ("what antichain ratings found", "antichain ratings, with the ratings"),
    "pair-counts": ("counts of antichain ratings", "antichain ratings, with the ratings"),
    "matrix": ("what antichain matrix found", "antichain matrix, with the matrix"),
    "runs": ("a record of antichain simulate", "antichain simulate"),
    "experiment": ("the record of an experiment", "antichain reproduce"),
    "sweep": ("the journal of an experiment", "antichain reproduce"),
    "recording": ("a recording of duels", "antichain.Replay, in Python"),
}


def described(form: str) -> str:
    """What a file of one of our formats is, with its article.

    >>> described("antichain-decoys")
    'a list of decoys'
    """
    return _READ_BY[form.removeprefix("antichain-")][0]


def read_by(path: object, start: str) -> str | None:
    """What a file is, by how it begins, and what reads it; None if it is none of our own.

    >>> read_by("c.json", '{"format": "antichain-certificate", "version": 2')
    'c.json is a certificate (read by: antichain verify c.json VOTES)'
    """
    found = _FORMAT.match(start)
    known = _READ_BY.get(found[1]) if found else None
    if known is None and _POSET.match(start):
        known = _READ_BY["poset"]
    if known is None:
        return None
    what, command = known
    return f"{path} is {what} (read by: {command.replace('{}', as_argument(str(path)))})"
