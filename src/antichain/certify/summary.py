"""A certificate as rows of words: what the terminal, Markdown and the page show alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from antichain.certify.certificate import Certificate, Claim, DecoyClaim, Missing
from antichain.certify.wording import needed, odds, percent
from antichain.words import counted

ORDER = ("in", "cycle", "undecided", "out")
"""The statuses as they are listed."""


class Row(NamedTuple):
    """One item: its verdict, and why in a few words."""

    item: str
    status: str
    votes: int
    share: float | None
    why: str


def rows(certificate: Certificate) -> list[Row]:
    """A row an item: certified ones first, those out last; within these by their mean score."""
    found = []
    for item in certificate.items:
        status = certificate.status(item)
        record = certificate.records[item]
        why = _WHY[status](certificate, item)
        found.append(Row(item, status, record.votes, record.share, why))
    return sorted(found, key=lambda row: (ORDER.index(row.status), -(row.share or 0.0), row.item))


def headline(certificate: Certificate) -> str:
    """How many items are in, out and undecided, in a sentence."""
    grouped = sum(certificate.status(item) == "cycle" for item in certificate.items)
    parts = [
        f"{len(certificate.front):,} in",
        f"{len(certificate.out):,} out",
        f"{len(certificate.undecided):,} undecided",
    ]
    if grouped:
        parts.append(f"{grouped:,} in cycles")
    return (
        f"{counted(len(certificate.items), 'item')}: {', '.join(parts)} "
        f"(δ = {certificate.delta:g}, ε = {certificate.epsilon:g})"
    )


def basis(certificate: Certificate) -> str:
    """What votes there were, in a sentence."""
    size = len(certificate.items)
    votes = ", ".join(
        f"{count:,} {_FORMS[form][count > 1]}"
        for form, count in certificate.answers.items()
        if count
    )
    text = (
        f"{counted(certificate.votes, 'vote')} ({votes or 'none'}) on {certificate.pairs_seen:,} "
        f"of {counted(size * (size - 1) // 2, 'pair')}"
    )
    if certificate.clusters is not None:
        column, clusters = certificate.clusters
        text += f", in {counted(clusters, 'cluster')} of {column!r}"
    if certificate.decoy_gap is not None:
        text += f", and {counted(certificate.decoy_votes, 'vote')} against decoys of others"
    return text


def on_pairs(certificate: Certificate) -> list[tuple[str, int]]:
    """Each thing a pair can show, with how many pairs show it; a pair may show several."""
    pairs = certificate.pairs
    by_decoys = [
        ("incomparable, as decoys show", len(pairs.incomparable_by_decoys)),
        ("comparable, as decoys show", len(pairs.comparable_by_decoys)),
        ("comparable, but too close to order", len(pairs.too_close)),
    ]
    return [
        ("one is above the other", len(pairs.dominated)),
        (f"neither is ahead by more than {certificate.epsilon:g}", len(pairs.indistinguishable)),
        ("most voters cannot compare them", len(pairs.incomparable)),
        *(by_decoys if certificate.decoy_gap is not None else ()),
        ("asked, not enough to show any of these", pairs.not_enough),
        ("never asked", pairs.never_asked),
    ]


def named_pairs(certificate: Certificate) -> list[tuple[str, list[str]]]:
    """The pairs that cannot be compared, can be, or cannot be ordered, by name; none left empty."""
    pairs = certificate.pairs
    kinds: list[tuple[str, Sequence[Claim | DecoyClaim | tuple[str, str]]]] = [
        ("Most voters cannot compare", pairs.incomparable),
        ("Incomparable, as decoys show", pairs.incomparable_by_decoys),
        ("Comparable, as decoys show", pairs.comparable_by_decoys),
        ("Comparable, but too close to order", pairs.too_close),
    ]
    return [
        (title, [f"{claim[0]} and {claim[1]}" for claim in listed])
        for title, listed in kinds
        if listed
    ]


_FORMS = {
    "wins": ("win", "wins"),
    "tie": ("tie", "ties"),
    "both_bad": ("“both bad”", "“both bad”"),
    "incomparable": ("“cannot compare”", "“cannot compare”"),
    "skipped": ("skipped", "skipped"),
}


def _why_out(certificate: Certificate, item: str) -> str:
    why = certificate.out[item]
    against = f"below {why.by}" if why.by is not None else "all its duels together"
    more = f"; also below {counted(len(why.also_by), 'other')}" if why.also_by else ""
    return (
        f"{against}: {percent(why.share)} of {counted(why.votes, 'vote')}, "
        f"{odds(why.log_evidence)}{more}"
    )


def _why_in(certificate: Certificate, item: str) -> str:
    why = certificate.inside[item]
    return (
        f"nothing beats it by more than {certificate.epsilon:g}; least certain against "
        f"{why.weakest} ({odds(why.log_evidence)})"
    )


def _why_undecided(certificate: Certificate, item: str) -> str:
    entries, unit = certificate.undecided[item], certificate.unit
    missing, others = certificate.missing[item], len(certificate.items) - 1
    never = others - certificate.records[item].opponents
    text = f"{missing:,} of {counted(others, 'opponent')} not cleared"
    if never:
        text += f", {never:,} never met"
    threat = min((e for e in entries if e.to_lose is not None), key=_to_lose, default=None)
    if threat is not None:
        text += f"; {threat.opponent} ahead ({needed(threat.to_lose)} more {unit}s to show it)"
    elif entries:
        text += f"; {entries[0].opponent} needs {needed(entries[0].at_rate)} more {unit}s"
    return text


def _to_lose(entry: Missing) -> int:
    return entry.to_lose or 0


def _why_cycle(certificate: Certificate, item: str) -> str:
    group = next(group for group in certificate.groups if item in group.items)
    return f"in a cycle: {' > '.join([*group.cycle, group.cycle[0]])}"


_WHY = {"out": _why_out, "in": _why_in, "undecided": _why_undecided, "cycle": _why_cycle}
