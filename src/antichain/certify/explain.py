"""`explain`: why an item is in, out or undecided, in words."""

from __future__ import annotations

from antichain.certify.certificate import Certificate, Group, Missing
from antichain.certify.wording import level_odds, needed, odds, percent
from antichain.words import counted, names

_SHOWN = 5


def explain(certificate: Certificate, item: str) -> str:
    """A few sentences on one item, for a reader who was not there.

    Args:
        certificate: The certificate.
        item: The item's name; an unknown one is an error that names similar ones.
    """
    status = certificate.status(item)
    words = {"out": _out, "in": _in, "undecided": _undecided, "cycle": _cycle}[status]
    lines = [*words(certificate, item), *_by_decoys(certificate, item), _footing(certificate)]
    return "\n".join(lines)


def _by_decoys(certificate: Certificate, item: str) -> list[str]:
    """What decoys show of the item's pairs."""
    pairs = certificate.pairs
    told = (
        ("By duels against decoys it is incomparable to", pairs.incomparable_by_decoys),
        ("By duels against decoys it can be compared with", pairs.comparable_by_decoys),
        ("Comparable, but too close to order", pairs.too_close),
    )
    lines = []
    for words, listed in told:
        ends = [claim[:2] for claim in listed if item in claim[:2]]
        others = [second if first == item else first for first, second in ends]
        if others:
            lines.append(f"{words}: {names(sorted(others))}.")
    return lines


def _out(certificate: Certificate, item: str) -> list[str]:
    why = certificate.out[item]
    lines = []
    if why.by is None:
        lines.append(
            f"{item} is out: it is not maximal. It took {percent(why.share)} of its "
            f"{counted(why.votes, 'vote')} against all opponents together (ties half), and a "
            "maximal item takes at least half against whomever it meets. No single opponent is "
            "shown to be the one above it."
        )
    else:
        lines.append(
            f"{item} is out: {why.by} is above it. {item} took {percent(why.share)} of their "
            f"{counted(why.votes, 'vote')} (ties half)."
        )
    lines.append(_strength(why.log_evidence, why.level))
    if why.also_by:
        lines.append(f"Also shown to be above it: {names(why.also_by)}.")
    if why.by is not None and why.pooled:
        lines.append("All its duels together show on their own that it is not maximal.")
    if item in certificate.inside:
        lines.append(f"Even so, no item beats it by more than {certificate.epsilon:g}.")
    return lines


def _in(certificate: Certificate, item: str) -> list[str]:
    why = certificate.inside[item]
    return [
        f"{item} is in: no item beats it by more than {certificate.epsilon:g}, that is, in more "
        f"than {percent(0.5 + certificate.epsilon)} of duels (ties half). This was shown against "
        f"each of the {counted(len(certificate.items) - 1, 'other item')}, and is least certain "
        f"against {why.weakest}: {item} took {percent(why.share)} of their "
        f"{counted(why.votes, 'vote')}.",
        _strength(why.log_evidence, why.level),
        "Nothing is shown to be above it; that something is, by less than that, is not excluded.",
    ]


def _undecided(certificate: Certificate, item: str) -> list[str]:
    entries = certificate.undecided[item]
    missing = certificate.missing[item]
    others = len(certificate.items) - 1
    lines = [
        f"{item} is undecided: nothing is shown to be above it, but {missing:,} of its "
        f"{counted(others, 'opponent')} may still beat it by more than {certificate.epsilon:g}."
    ]
    unit = certificate.unit
    threats = sorted((e for e in entries if e.to_lose is not None), key=_soonest)
    if threats:
        told = "; ".join(
            f"{e.opponent} ({item} took {percent(e.share)} of {counted(e.votes, 'vote')}; "
            f"{needed(e.to_lose)} more {unit}s at that rate would put it above)"
            for e in threats[:_SHOWN]
        )
        lines.append(f"Ahead of it so far: {told}{_more(len(threats))}.")
    never = others - certificate.records[item].opponents
    listed = [e for e in entries if not e.votes]
    if never:
        some = [e.opponent for e in listed[:_SHOWN]]
        more = f" and {never - len(some):,} more" if never > len(some) else ""
        lines.append(
            f"Never asked: {', '.join(some)}{more}; if even, "
            f"{needed(listed[0].if_even)} {unit}s each would settle it."
            if some
            else f"Never asked: {counted(never, 'opponent')}."
        )
    close = [e for e in entries if e.votes and e.at_rate is not None]
    if close:
        told = "; ".join(
            f"{e.opponent} ({needed(e.at_rate)} more at the rate so far, {needed(e.if_even)} if "
            "the two are even)"
            for e in close[:_SHOWN]
        )
        lines.append(f"Nearest to being cleared: {told}{_more(len(close))}.")
    return lines


def _soonest(entry: Missing) -> tuple[int, str]:
    return entry.to_lose or 0, entry.opponent


def _more(count: int) -> str:
    return f"; and {count - _SHOWN:,} more" if count > _SHOWN else ""


def _cycle(certificate: Certificate, item: str) -> list[str]:
    group = next(group for group in certificate.groups if item in group.items)
    where = (
        "Nothing from outside is shown to be above the group."
        if group.top
        else "Something from outside is shown to be above the group, though not above this item."
    )
    return [
        f"{item} belongs to a group of {counted(len(group.items), 'item')} that no order fits: "
        f"{_steps(group)}.",
        "Each of these is shown on its own, so the votes contradict the assumption that there is "
        f"an order; the items are reported together, neither in nor out. {where}",
    ]


def _steps(group: Group) -> str:
    return "; ".join(
        f"{step.first} beats {step.second} ({percent(step.share)} of "
        f"{counted(step.votes, 'vote')}, {odds(step.log_evidence)})"
        for step in group.steps
    )


def _strength(log_evidence: float, level: float) -> str:
    return (
        f"If that were not so, chance would show as much at most {odds(log_evidence)} times, "
        f"however often one looks; {level_odds(level)} was required, so that all claims hold "
        "together."
    )


def _footing(certificate: Certificate) -> str:
    basis = (
        "single votes taken as independent"
        if certificate.clusters is None
        else f"clusters of equal {certificate.clusters[0]!r}, taken as independent"
    )
    return (
        f"All claims together are false with probability at most {certificate.delta:g}; this rests "
        f"on {basis}, and on the certificate's other assumptions."
    )
