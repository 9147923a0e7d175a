"""A study that is served again, from a file that may have been changed: what must be the same.

What decides the certificate was settled when the study began: its items, and the keys of `_terms`.
Everything else may change; the log has what was said before (`Ballot.said`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from antichain._text import names, shown
from antichain.algorithms._base import Algorithm
from antichain.algorithms._certifying import Certifying
from antichain.errors import FileError
from antichain.serve._ballot_desk import BallotDesk, Decision
from antichain.study._ballot_entries import Ballot
from antichain.study._records import BallotRecord, Settings, StudyRecord
from antichain.study._state import WORDING

_ON = "put it back, or start another study, with another --database or --name"


def check_same(settings: Settings, added: Collection[str], ballot: Ballot) -> str | None:
    """Raise if the file contradicts what the study was begun with.

    Args:
        settings: What it was begun with.
        added: Items that were added since.
        ballot: What the file says now.

    Returns:
        What the study was begun with and the file does not say, in a sentence, or None.
    """
    _check_items(settings, added, ballot)
    kept, given = _terms(settings.algorithm), _terms(ballot.algorithm or Certifying())
    unsaid = []
    for key, value in kept.items():
        if value == given[key]:
            continue
        if key in ballot.source or key in ("questions", "attributes"):
            raise FileError(
                f"{ballot.at('', key)}: {key} is {_written(given[key])}, but the study was started "
                f"with {_written(value)}, which holds for all of its votes: {_ON}."
            )
        unsaid.append(f"{key} = {_written(value)}")
    if not unsaid:
        return None
    begun = f"The study was started with {names(unsaid)}"
    return f"{begun}, which stays as it is, because {ballot.at()} does not mention it."


def _terms(algorithm: Algorithm) -> dict[str, Any]:
    """What decides the certificate, by the keys of a study file."""
    assert isinstance(algorithm, Certifying)
    names = ("delta", "epsilon", "decoy_gap", "budget")
    return {
        **{name: getattr(algorithm, name) for name in names},
        "assume": sorted(algorithm.assume),
        "unanswered": "ignore" if algorithm.rules.lost == "ignore" else "against",
        "questions": sorted(getattr(algorithm, "criteria", ())),
        "attributes": dict(getattr(algorithm, "directions", {})),
    }


def _check_items(settings: Settings, added: Collection[str], ballot: Ballot) -> None:
    numbers = {entry.name: k for k, entry in enumerate(ballot.entries, start=1)}
    gone = [name for name in settings.items if name not in numbers]
    if gone:
        lacking = names([shown(name) for name in gone], 3)
        raise FileError(
            f"{ballot.at('items')} has no {lacking}, which the study was started with: {_ON}."
        )
    known = {*settings.items, *added}
    for name, number in numbers.items():
        if name not in known:
            raise FileError(
                f"{ballot.at('items', 'name', number)}: {shown(name)} is not an item of the study, "
                "which has already started: remove it here, serve the study and add it on the "
                "owner's page (after that, it may be listed here), or start another study, with "
                "another --database or --name."
            )
    values = getattr(settings.algorithm, "values", {})
    for entry in ballot.entries:
        for key, value in entry.values.items():
            if (kept := values.get(entry.name, {}).get(key)) != value:
                raise FileError(
                    f"{ballot.at('items', key, numbers[entry.name])}: {key} is {shown(value)}, but "
                    f"the study was started with {_written(kept)} for {shown(entry.name)}: {_ON}."
                )


def _written(value: object) -> str:
    return "none" if value is None or value in ([], {}) else shown(value)


def noted(said: dict[str, Any], desk: BallotDesk, now: float) -> Decision:
    """Note what the study file says now, if that is new; the reply names what has changed."""
    changed = [] if desk.said is None else list(_differing(desk.said, said))
    new: list[StudyRecord] = [BallotRecord(now, said, changed)]
    return new if desk.said != said else [], lambda: {"changed": changed}


def _differing(before: Mapping[str, Any], said: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a study file that say something else; items that are new do not count."""
    for key in {**said, **before}:
        old, new = before.get(key), said.get(key)
        if key == "items" and isinstance(old, dict) and isinstance(new, dict):
            old = {name: old.get(name, digest) for name, digest in new.items()}
        if old != new:
            yield key


def announced(source: str, changed: Collection[str]) -> str | None:
    """What to tell the owner of keys that were changed, in a sentence or two."""
    if not changed:
        return None
    found = (
        f"Changed in {source} since this study was last served: {names(list(changed))}. The change "
        "applies from now on."
    )
    if set(changed) & set(WORDING):
        found += " Earlier votes still count, and the certificate mentions the change."
    return found
