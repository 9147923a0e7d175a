"""Votes between items and decoys, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from antichain.errors import InputError
from antichain.evidence.answers import Tally
from antichain.logs.duels import read_votes
from antichain.logs.duels.chunks import one_line
from antichain.logs.votes import VoteLog


def read_decoy_votes(source: Any, suffix: str, decoys: Mapping[str, str] | None = None) -> VoteLog:
    """The votes in a log between items and decoys, each by its own name.

    In an exported study a duel against a decoy names the original: the decoy is then called by
    its name in `decoys` if there is one that the log does not have yet, else as the original with
    the suffix.
    """
    log = read_votes(source, history=False, named_decoys=suffix or None)
    if decoys is None or log.columns is None or log.columns.decoy is None:
        return log
    new = {item + suffix: one_line(decoy) for item, decoy in decoys.items()}
    known = set(log.items)
    named = (new[name] if new.get(name, name) not in known else name for name in log.items)
    return replace(log, items=tuple(named))


class VoteCounts:
    """How often each of two names won against the other, whichever side they were shown on."""

    def __init__(self, log: VoteLog) -> None:
        self.names = tuple(sorted(log.items))
        self.votes = log.votes
        self._place = {name: k for k, name in enumerate(log.items)}
        pairs = log.pairs
        ends = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        self._row = {pair: row for row, pair in enumerate(ends)}
        self._table = pairs.table

    def of_pair(self, left: str, right: str) -> Tally:
        """The votes on a pair, seen from `left`; "both bad" is a tie."""
        ends = [self._place.get(one_line(name), -1) for name in (left, right)]
        row = self._row.get((min(ends), max(ends)))
        if row is None:
            return Tally()
        first, second, ties, both_bad, incomparable, skipped = self._table[row].tolist()
        if ends[0] > ends[1]:
            first, second = second, first
        return Tally(first, second, ties + both_bad, incomparable, skipped)


def decoys_by_suffix(counts: VoteCounts, suffix: str) -> Mapping[str, str]:
    """The decoy of each item, told by how its name ends."""
    if not suffix:
        raise InputError("the suffix of decoys is empty, but a text they end with was expected")
    ends = [name for name in counts.names if name.endswith(suffix) and name != suffix]
    if not ends:
        raise InputError(
            f"no name in the votes ends with {suffix!r}, but the decoys' names were expected to"
        )
    return {name.removesuffix(suffix): name for name in ends}
