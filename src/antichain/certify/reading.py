"""From any table of votes to a certificate, and the options of reading as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from antichain.certify.budget import Split
from antichain.certify.certificate import Certificate
from antichain.certify.certifier import certify
from antichain.errors import FileError
from antichain.votes import ReadOptions, read_votes
from antichain.votes.vote_log import Meanings, VoteLog

_NOT_KEPT = ("history", "order")  # what was drawn is no part of what was read


def front(
    votes: Any,
    *,
    delta: float = 0.05,
    epsilon: float = 0.05,
    split: Split | None = None,
    decoy_gap: float | None = None,
    **options: Any,
) -> Certificate:
    """The certificate of a table of votes: which items are in, out or undecided, and why.

    Args:
        votes: A path, an open file, "-" for standard input, a pandas, polars or pyarrow table,
            rows (left, right, answer), dictionaries, or a `VoteLog`.
        delta: The probability of any false claim, at most.
        epsilon: The gap up to which an item may be beaten and still be in.
        split: The share of δ for each kind of claim.
        decoy_gap: Δ, by how much at least decoys lose; None to leave duels against decoys out.
        options: Which column is what, and so on (`antichain.votes:ReadOptions`).

    >>> front([("tea", "rain", "left")] * 60).out["rain"].votes
    60
    """
    if isinstance(votes, VoteLog):
        return certify(votes, delta, epsilon, split, decoy_gap=decoy_gap)
    options = {"history": False, **options}
    log = read_votes(votes, **options)
    return certify(log, delta, epsilon, split, kept(options), decoy_gap)


def kept(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not as they are by default, as JSON values for a certificate."""
    if "graded" in options:
        return dict(options)
    plain = asdict(ReadOptions(**options))
    usual = asdict(ReadOptions())
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in plain.items()
        if value != usual[name] and name not in _NOT_KEPT
    }


def restored(where: str | Path, reading: object) -> dict[str, Any]:
    """The options that a certificate was read with, from what `kept` made of them."""
    if isinstance(reading, Mapping) and "graded" in reading:
        return _restored_grades(where, reading)
    known = {field.name for field in fields(ReadOptions)} - set(_NOT_KEPT)
    if not isinstance(reading, Mapping) or not set(reading) <= known:
        raise FileError(f"{where} was read with {reading!r}, which are no options of reading votes")
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in reading.items()
    }
    try:
        if "meanings" in options:
            options["meanings"] = Meanings(**options["meanings"])
        ReadOptions(**options)
    except (TypeError, AttributeError) as error:
        raise FileError(
            f"{where} was read with {reading!r}, which are no options of reading votes"
        ) from error
    return options


def _restored_grades(where: str | Path, reading: Mapping[str, Any]) -> dict[str, Any]:
    match reading:
        case {"graded": {"item": str(), "grades": [*columns], "seed": int(), **rest}} if (
            len(reading) == 1
            and set(rest) <= {"delimiter"}
            and all(isinstance(text, str) for text in (*columns, *rest.values()))
        ):
            return dict(reading)
    raise FileError(f"{where} was read with {reading!r}, which are no options of reading votes")
