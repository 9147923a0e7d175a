"""Verifying a certificate: everything is recomputed from the votes and compared."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from antichain import _files
from antichain._text import short
from antichain.certify._certificate import FORMAT, VERSION, Certificate, Likely, digest_of
from antichain.certify._certifier import certify
from antichain.certify._first_rule import NOT_MADE_AGAIN, by_the_first_rule
from antichain.errors import AntichainError, FileError
from antichain.votes._vote_log import VoteLog

TOLERANCE = 1e-9
"""The relative difference allowed between numbers: another machine may round differently."""

_NAMES_ONLY = ("items", "front", "among")  # they are in the order of the log, which may be shuffled
# Compared separately, or by the digest only. An estimate is no claim, and another machine may come
# to a slightly different one.
_PROMISED = ("delta", "epsilon", "assume", "decoy_gap")
_NOT_COMPARED = (
    "source",
    "reading",
    "notes",
    "checks",
    "digest",
    "fingerprint",
    "qualities",
    *Likely._fields,
)
# In these versions sentences have other words; what they say of numbers is the same.
_WORDED_OTHERWISE = (2, 3, 4)
_SENTENCES = ("method", "promise", "assumptions", "warnings", "conclusion")
_LATER = ("conclusion", "fewest_votes")  # fields that earlier certificates do not have
_LONGEST = 80  # characters of a value that a difference quotes
_ABSENT = object()  # stands for a field that is not there


def read_certificate(path: str | Path) -> dict[str, Any]:
    """Read a certificate file; only its format and version are checked."""
    try:
        document = _files.read_json(path)
    except FileError as error:
        if not _files.is_other_than_json(error):
            raise  # such as a certificate that was cut off, or edited
        raise FileError(
            f"{path} is not a certificate, but a certificate (a file written by antichain front "
            "-o) was expected first, followed by the votes"
        ) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileError(_files.other_format(path, document, FORMAT))
    if document.get("version") not in range(1, VERSION + 1):
        raise FileError(
            f"{path} has version {document.get('version')!r} of the certificate format, but "
            f"a version from 1 to {VERSION} was expected"
        )
    return document


def verify(certificate: Certificate | Mapping[str, Any], log: VoteLog) -> list[str]:
    """List what differs between a certificate and what the votes show; empty if nothing does.

    The name of the file, the options it was read with, the notes and the estimate of the likely
    front are covered by the digest only: the same votes under another name are the same votes.
    Sentences are compared word for word, or by their numbers in a certificate of version 2, 3 or
    4, which had other words. A certificate of version 1 is held against its own rule.
    """
    document = certificate.to_dict() if isinstance(certificate, Certificate) else dict(certificate)
    earlier = document.get("version") == 1
    differences = []
    if document.get("digest") != digest_of(document):
        differences.append("the file was changed after it was written: its digest does not match")
    # Earlier certificates know nothing of the order.
    known = log.order_free_fingerprint if earlier else log.fingerprint
    if document.get("fingerprint") != known:
        differences.append(
            "these are not the votes that the certificate was made from: the fingerprints differ"
        )
    try:
        anew = _first_again(document, log) if earlier else _again(document, log)
    except AntichainError as error:
        return [*differences, f"the certificate cannot be recomputed: {str(error).rstrip('.')}"]
    if earlier:
        document = _as_made_again(document)
    elif (version := document.get("version")) in _WORDED_OTHERWISE:
        document, anew = (_without_words(made, version) for made in (document, anew))
    for key in {**document, **anew}:
        if key not in _NOT_COMPARED and not (key in _LATER and key not in document):
            _compare(key, _entry(document, key), _entry(anew, key), differences)
    return differences


def _entry(document: Mapping[str, Any], key: str) -> Any:
    value = document.get(key, _ABSENT)
    if key in _NAMES_ONLY and isinstance(value, list):
        return sorted(value, key=str)
    if key == "clusters" and isinstance(value, Mapping):
        return value.get("column")  # of ratings, earlier certificates count users without a vote
    return value


def _again(document: Mapping[str, Any], log: VoteLog) -> dict[str, Any]:
    delta, epsilon, assume = (document.get(key) for key in ("delta", "epsilon", "assume"))
    if not isinstance(assume, list) or not all(isinstance(name, str) for name in assume):
        raise FileError(f"assume is {_shown(assume)}, but a list of names was expected")
    if delta is None or epsilon is None:
        raise FileError(
            f"delta is {_shown(delta)} and epsilon is {_shown(epsilon)}, but two numbers were "
            "expected"
        )
    gap = document.get("decoy_gap")
    if log.terms is not None:  # what an export promises is not what the certificate does
        told = {key: value for key, value in log.terms.items() if key not in _PROMISED}
        log = replace(log, terms=told)
    # `certify` itself refuses a delta, an epsilon or a gap that is not a number.
    return certify(log, delta, epsilon, assume=assume, decoy_gap=gap, likely=False).to_dict()


def _first_again(document: Mapping[str, Any], log: VoteLog) -> dict[str, Any]:
    delta, epsilon, spent = (document.get(key) for key in ("delta", "epsilon", "split"))
    gap = document.get("decoy_gap")
    numbers = (delta, epsilon, *(() if gap is None else (gap,)))
    if not isinstance(spent, Mapping) or not all(map(_is_number, (*numbers, *spent.values()))):
        raise FileError(
            f"delta is {_shown(delta)} and split is {_shown(spent)}, but numbers were expected"
        )
    made = by_the_first_rule(log, delta, epsilon, spent, gap)  # type: ignore[arg-type]
    return {"format": FORMAT, "version": 1, **made}


def _as_made_again(document: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate of version 1 without what is not made again."""
    found = {key: value for key, value in document.items() if key not in NOT_MADE_AGAIN}
    undecided = document.get("undecided", _ABSENT)
    found["undecided"] = sorted(undecided) if isinstance(undecided, Mapping) else undecided
    return found


def _without_words(document: Mapping[str, Any], version: int) -> dict[str, Any]:
    """A certificate with the numbers of its sentences, as one of this version.

    The conclusion of version 2 had other numbers; what it says is in other fields.
    """
    facts = {key: _numbers_in(document.get(key)) for key in _SENTENCES}
    if version == 2:
        facts["conclusion"] = None
    return {**document, **facts, "version": version}


def _numbers_in(sentences: Any) -> Any:
    if isinstance(sentences, str):
        return sorted(re.findall(r"\d+(?:[.,]\d+)*", sentences))
    return [*map(_numbers_in, sentences)] if isinstance(sentences, list) else sentences


def _compare(where: str, written: Any, found: Any, differences: list[str]) -> None:
    if isinstance(written, dict) and isinstance(found, dict):
        for key in {**written, **found}:
            old, new = written.get(key, _ABSENT), found.get(key, _ABSENT)
            _compare(f"{where}, {key!r}", old, new, differences)
    elif isinstance(written, list) and isinstance(found, list) and len(written) == len(found):
        for n, (old, new) in enumerate(zip(written, found, strict=True), start=1):
            _compare(f"{where}, entry {n}", old, new, differences)
    elif not _same(written, found):
        differences.append(
            f"{where}: the certificate has {_shown(written)}, but the votes give {_shown(found)}"
        )


def _same(written: Any, found: Any) -> bool:
    if _is_number(written) and _is_number(found):
        try:
            return math.isclose(written, found, rel_tol=TOLERANCE, abs_tol=1e-300)
        except OverflowError:  # a number of hundreds of digits, which no float holds
            return False
    return type(written) is type(found) and bool(written == found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return "nothing" if value is _ABSENT else short(repr(value), _LONGEST)
