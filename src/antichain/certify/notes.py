"""What a reader of a certificate should know besides: how votes were read, what contradicts."""

from __future__ import annotations

from antichain.certify.certificate import Pairs
from antichain.votes.decoy_names import DECOY_SUFFIX
from antichain.votes.vote_log import Repeats, VoteLog
from antichain.words import names

_MOST_NAMED = 3


def _most_often(again: Repeats) -> str:
    most: dict[tuple[str, str, str], int] = {}  # in several clusters perhaps: told once
    for voter, left, right, times in again.top:
        most.setdefault((voter, left, right), times)
    return "; ".join(
        f"{voter} on {left} and {right} ({times:,} times)"
        for (voter, left, right), times in list(most.items())[:_MOST_NAMED]
    )


def contradictions(pairs: Pairs) -> tuple[str, ...]:
    """Sentences on pairs that cannot be what they are shown to be, if all assumptions hold."""
    ordered = {frozenset(claim[:2]) for claim in pairs.dominated}
    both = [claim for claim in pairs.incomparable_by_decoys if frozenset(claim[:2]) in ordered]
    return tuple(
        f"{claim.first} and {claim.second} are incomparable as their decoys show, but direct duels "
        "put one above the other: their decoys lose by less than was assumed."
        for claim in both
    )


def undeclared_decoys(log: VoteLog) -> tuple[str, ...]:
    """A sentence on names that look like decoys', if nothing was said of decoys."""
    if log.decoys is not None or not any(name.endswith(DECOY_SUFFIX) for name in log.items):
        return ()
    return (
        f"Names that end with {DECOY_SUFFIX!r} were taken as items; if they are decoys: "
        f'--decoy-suffix "{DECOY_SUFFIX}".',
    )


def notes_on(log: VoteLog, decoy_gap: float | None) -> tuple[str, ...]:
    """What whoever relies on a log should know of how its votes were read, in sentences."""
    found = list(log.guessed)
    if log.other_rows:
        found.append(f"Rows about other items, not counted: {log.other_rows:,}.")
    if log.apart.spare:
        found.append(
            f"Spare answers, not counted as they came too late to be evidence: {log.apart.spare:,}."
        )
    if log.apart.decoys and decoy_gap is None:
        found.append(
            f"Duels against decoys, not counted: {log.apart.decoys:,}. They can show that items "
            "are incomparable, once it is said by how much decoys lose (--decoy-gap)."
        )
    elif log.apart.decoys:
        found.append(
            f"Duels against decoys: {log.apart.decoys:,}. Those of an item against the decoy of "
            "another are evidence on whether the two can be compared, and on nothing else; those "
            "against an item's own decoy, or of two decoys, are none."
        )
    if log.apart.items:
        found.append(
            f"Only there {names(log.apart.items)} occur: no item is compared with them; name all "
            "items (--items) to have them counted."
        )
    if log.skipped_rows.rows:
        kinds = ", ".join(f"{kind}: {count:,}" for kind, count in log.skipped_rows.kinds.items())
        places = ", ".join(log.skipped_rows.places)
        found.append(
            f"Bad rows passed over: {log.skipped_rows.rows:,} ({kinds}); the first: {places}."
        )
    if log.repeated is not None and log.repeated.votes:
        again = log.repeated
        where = "pair" if log.clusters is None else f"pair and {log.clusters.column!r}"
        found.append(
            f"{again.votes:,} votes repeat a voter's earlier vote on the same {where} "
            f"({again.voters:,} of {again.most:,} voters did so): they are hardly independent."
            f" Most often: {_most_often(again)}."
        )
    return tuple(found)
