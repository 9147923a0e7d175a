"""Verifying a certificate: everything is recomputed from the votes and compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antichain import _files
from antichain._text import short
from antichain.certify._certificate import FORMAT, VERSION, Certificate, digest_of
from antichain.certify._certifier import certify
from antichain.certify._claims import Split
from antichain.errors import AntichainError, FileError
from antichain.votes._vote_log import VoteLog

TOLERANCE = 1e-9
"""The relative difference allowed between numbers: another machine may round differently."""

_NAMES_ONLY = ("items", "front")  # they are in the order of the log, which may be shuffled
_NOT_COMPARED = ("source", "reading", "notes", "digest", "fingerprint")  # or compared separately
_LONGEST = 80  # characters of a value that a difference quotes
_ABSENT = object()  # stands for a field that is not there


def read_certificate(path: str | Path) -> dict[str, Any]:
    """Read a certificate file; only its format and version are checked."""
    document = _files.read_json(path)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileError(f"{path} is not a certificate: the format {FORMAT!r} was expected")
    if document.get("version") != VERSION:
        raise FileError(
            f"{path} has version {document.get('version')!r} of the certificate format, but "
            f"{VERSION} was expected"
        )
    return document


def verify(certificate: Certificate | Mapping[str, Any], log: VoteLog) -> list[str]:
    """List what differs between a certificate and what the votes show; empty if nothing does.

    The name of the file, the options it was read with and the notes are covered by the digest
    only: the same votes under another name are the same votes.
    """
    document = certificate.to_dict() if isinstance(certificate, Certificate) else dict(certificate)
    differences = []
    if document.get("digest") != digest_of(document):
        differences.append("the file was changed after it was written: its digest does not match")
    # Earlier certificates know nothing of the order.
    if document.get("fingerprint") not in (log.fingerprint, log.order_free_fingerprint):
        differences.append("the votes are not those of the certificate: fingerprints differ")
    try:
        anew = _again(document, log)
    except AntichainError as error:
        return [*differences, f"it cannot be recomputed: {str(error).rstrip('.')}"]
    for key in {**document, **anew}:
        if key not in _NOT_COMPARED:
            _compare(key, _entry(document, key), _entry(anew, key), differences)
    return differences


def _entry(document: Mapping[str, Any], key: str) -> Any:
    value = document.get(key, _ABSENT)
    if key in _NAMES_ONLY and isinstance(value, list):
        return sorted(value, key=str)
    return value


def _again(document: Mapping[str, Any], log: VoteLog) -> dict[str, Any]:
    delta, epsilon, spent = (document.get(key) for key in ("delta", "epsilon", "split"))
    if not isinstance(spent, Mapping) or not _is_number(delta) or not delta:
        raise FileError(f"delta is {_shown(delta)} and split is {_shown(spent)}")
    known = set(Split().of(1.0))
    if set(spent) != known or not all(_is_number(value) for value in spent.values()):
        raise FileError(f"split is {_shown(spent)}, not a number for each of {sorted(known)}")
    split = Split(**{name: value / delta for name, value in spent.items()})
    gap = document.get("decoy_gap")
    # `certify` itself refuses an epsilon or a gap that is not a number.
    return certify(log, delta, epsilon, split, decoy_gap=gap).to_dict()  # type: ignore[arg-type]


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
            f"{where}: the certificate has {_shown(written)}, the votes give {_shown(found)}"
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
