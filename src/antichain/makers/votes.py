"""Votes between items and decoys, by their names."""

from __future__ import annotations

from collections.abc import Mapping

from antichain.errors import InputError
from antichain.evidence.answers import Tally
from antichain.sources.chunks import one_line
from antichain.votes.decoy_names import DecoyNaming
from antichain.votes.vote_log import VoteLog


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
    naming = DecoyNaming(suffix)
    named = {item: name for name in counts.names if (item := naming.item_of(name)) is not None}
    if not named:
        raise InputError(
            f"no name in the votes ends with {suffix!r}, but the decoys' names were expected to"
        )
    return named
