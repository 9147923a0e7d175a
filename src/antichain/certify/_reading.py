"""From any table of votes to a certificate; the options of reading as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from antichain.certify._certificate import Certificate
from antichain.certify._certifier import certify
from antichain.certify._claims import Split
from antichain.errors import FileError
from antichain.votes import ReadOptions, read_votes
from antichain.votes._vote_log import Meanings, VoteLog

_NOT_KEPT = ("history", "order")  # these do not change which votes are read


def front(
    votes: Any,
    *,
    delta: float = 0.05,
    epsilon: float = 0.05,
    split: Split | None = None,
    decoy_gap: float | None = None,
    **options: Any,
) -> Certificate:
    """Certify which items of a table of votes are in, out or undecided, and why.

    Args:
        votes: A path, an open file, "-" for standard input, a pandas, polars or pyarrow table,
            rows (left, right, answer), dictionaries, or a `VoteLog`.
        delta: An upper bound on the probability that any claim is false.
        epsilon: The gap up to which an item may be beaten and still be in.
        split: The share of δ for each kind of claim.
        decoy_gap: Δ: at least by this much decoys lose to whatever is at or above their items;
            None to leave out the duels against decoys.
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
    """Return the options that differ from their defaults, as JSON values for a certificate."""
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
    """Return the options of reading that `kept` stored; errors name the file `where`."""
    try:
        return _restored(reading)
    except (TypeError, AttributeError) as error:
        raise FileError(
            f"{where} was read with {reading!r}, but options of reading votes were expected"
        ) from error


def _restored(reading: object) -> dict[str, Any]:
    if not isinstance(reading, Mapping):
        raise TypeError("not a mapping")
    match reading:
        case {"graded": {"item": str(), "grades": [*columns], "seed": int(), **rest}} if (
            len(reading) == 1
            and set(rest) <= {"delimiter"}
            and all(isinstance(text, str) for text in (*columns, *rest.values()))
        ):
            return dict(reading)
    known = {field.name for field in fields(ReadOptions)} - set(_NOT_KEPT)
    if not set(reading) <= known:
        raise TypeError("unknown options")
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in reading.items()
    }
    if "meanings" in options:
        options["meanings"] = Meanings(**options["meanings"])
    ReadOptions(**options)
    return options
