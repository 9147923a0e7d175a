"""A fingerprint of a log of votes: the same for the same evidence, however it was written down."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from antichain.votes._vote_log import AskedVotes, VoteLog

_TURNED = np.array([1, 0, 2, 3, 4, 5, 6])  # the forms of answer, as the other side sees them


def fingerprint_of(log: VoteLog, ordered: bool) -> str:
    """A SHA-256 of the items (in no order), the counts and the cluster scores.

    Args:
        log: The votes.
        ordered: Whether to cover the order of the answers, and the asks given up, where the order
            is evidence. A log whose order is not has the same fingerprint either way.
    """
    order = np.argsort(np.array(log.items, dtype=object), kind="stable")
    place = np.argsort(order)
    digest = hashlib.sha256()
    for name in (log.items[k].encode() for k in order):
        digest.update(len(name).to_bytes(8, "little") + name)
    pairs, table = log.pairs, log.pairs.table
    ends = np.sort(np.column_stack([place[pairs.first], place[pairs.second]]), axis=1)
    turned = place[pairs.first] > place[pairs.second]
    table[turned] = table[turned][:, _TURNED[:6]]
    _add_sorted(digest, *ends.T, *table.T)
    if log.clusters is not None:
        unit = log.clusters.unit
        of_pairs, of_items = ([] if times is None else [times] for times in log.clusters.times)
        row, score, votes = log.clusters.pairs
        score = np.where(turned[row], 1 - score, score)
        _add_sorted(digest, *ends[row].T, votes, _units(score, votes, unit), *of_pairs)
        item, score, votes = log.clusters.items
        _add_sorted(digest, place[item], votes, _units(score, votes, unit), *of_items)
    if log.scores is not None:
        row, score, count = log.scores
        score = np.where(turned[row], 1 - score, score)
        _add_sorted(digest, *ends[row].T, np.rint(score * 10**9).astype(np.int64), count)
    if log.sides is not None:
        score, count = log.sides
        _add_sorted(digest, np.rint(score * 10**9).astype(np.int64), count)
    digest.update(b"pooled" if log.pooling else b"not pooled")
    if log.decoys is not None:
        duels = log.decoys
        ends = np.column_stack([place[duels.item], place[duels.original]])
        _add_sorted(digest, *ends.T, *duels.table.T)
        if duels.clusters is not None:
            row, score, votes = duels.clusters
            _add_sorted(digest, *ends[row].T, votes, _units(score, votes, 2))
    if ordered and log.asks is not None:
        digest.update(b"ordered")
        _add_rows(digest, *_sequence(log.asks, place))
    if log.criteria is not None:
        for name, part in log.criteria.logs.items():
            digest.update(f"criterion {name} ".encode() + fingerprint_of(part, False).encode())
    if log.attributes is not None:
        known = {item: log.attributes.values[item] for item in sorted(log.items)}
        digest.update(repr((sorted(log.attributes.directions.items()), known)).encode())
    return digest.hexdigest()


def _sequence(asks: AskedVotes, place: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    first, second = place[asks.first], place[asks.second]
    turned = (first > second) & (asks.decoy == 0)
    return (
        np.where(turned, second, first),
        np.where(turned, first, second),
        np.where(turned, _TURNED[asks.form], asks.form),
        asks.decoy,
    )


def _units(score: NDArray[np.float64], votes: NDArray[np.int64], unit: int) -> NDArray[np.int64]:
    """Sums of scores in units (halves, as a rule), which are whole numbers."""
    return np.rint(score * unit * votes).astype(np.int64)


def _add_sorted(digest: Any, *columns: NDArray[np.int64]) -> None:
    rows = np.lexsort(columns[::-1])
    _add_rows(digest, *(column[rows] for column in columns))


def _add_rows(digest: Any, *columns: NDArray[np.int64]) -> None:
    table = np.column_stack(columns).astype("<i8")
    digest.update(table.shape[0].to_bytes(8, "little"))
    digest.update(np.ascontiguousarray(table).tobytes())
