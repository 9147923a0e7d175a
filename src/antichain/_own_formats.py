"""The files that antichain writes itself, and the command that reads or writes each of them."""

import re
from pathlib import PurePath

from antichain._text import as_argument

_FORMAT = re.compile(r'^\s*\{\s*"format"\s*:\s*"antichain-([a-z-]+)')
_POSET = re.compile(r'^\s*\{\s*"(items|relations)"\s*:\s*\[')
_KNOWN = {  # what each is, and what reads it, or writes it if nothing reads it again
    "certificate": ("a certificate", "read by: antichain verify {} VOTES"),
    "poset": (
        "a poset file",
        "read by: antichain draw {} -o {picture}, or antichain simulate --poset {}",
    ),
    "study": ("a study", "read by: antichain study {} --export votes.csv"),
    "decoys": ("a list of decoys", "read by: antichain front VOTES --decoys {}"),
    "ratings-front": (
        "what antichain ratings found",
        "written by: antichain ratings RATINGS --json",
    ),
    "pair-counts": (
        "counts of antichain ratings",
        "written by: antichain ratings RATINGS --counts {}",
    ),
    "matrix": ("what antichain matrix found", "written by: antichain matrix MATRIX --json"),
    "runs": ("a record of antichain simulate", "written by: antichain simulate --output {}"),
    "experiment": ("the record of an experiment", "written by: antichain reproduce"),
    "sweep": ("the journal of an experiment", "written by: antichain reproduce"),
    "recording": ("a recording of duels", "read by: antichain.Replay, in Python"),
}


def described(form: str) -> str:
    """What a file of one of our formats is, with its article.

    >>> described("antichain-decoys")
    'a list of decoys'
    """
    return _KNOWN[form.removeprefix("antichain-")][0]


def form_of(start: str) -> str | None:
    """Which of our formats a file that begins so is of, if it is of any.

    >>> form_of('{"format": "antichain-decoys", "version": 1')
    'antichain-decoys'
    """
    found = _FORMAT.match(start)
    if found and found[1] in _KNOWN:
        return f"antichain-{found[1]}"
    return "antichain-poset" if _POSET.match(start) else None


def read_by(path: object, start: str) -> str | None:
    """What a file is, by how it begins, and what reads or writes it; None if it is not our own.

    >>> read_by("c.json", '{"format": "antichain-certificate", "version": 2')
    'c.json is a certificate (read by: antichain verify c.json VOTES)'
    """
    form = form_of(start)
    if form is None:
        return None
    what, command = _KNOWN[form.removeprefix("antichain-")]
    picture = as_argument(f"{PurePath(str(path)).stem}.svg")
    typed = command.replace("{}", as_argument(str(path))).replace("{picture}", picture)
    return f"{path} is {what} ({typed})"
