"""A few sentences on one item: why it is in, out or undecided, and what would decide it."""

from __future__ import annotations

from collections.abc import Sequence

from antichain._text import counted, names
from antichain.certify._certificate import Certificate, Missing, threats_among
from antichain.certify._several_wording import at_length
from antichain.certify._wording import (
    BY_DECOYS,
    CAUTIOUS,
    ESTIMATE,
    WAITS,
    beats,
    ends_of,
    few_percent,
    front_means,
    is_open,
    level_odds,
    more,
    needed,
    odds,
    opponents_left,
    percent,
    title_of,
)

_MOST_NAMED = 5  # opponents named


def explain(certificate: Certificate, item: str) -> str:
    """Explain in a few sentences why an item is in, out or undecided.

    If there is no such item, the error names similar ones.
    """
    sentences = at_length(certificate, item) or _AT_LENGTH[certificate.status(item)](
        certificate, item
    )
    estimate = []
    if certificate.likely is not None and is_open(certificate, item):
        share = certificate.likely.chances[item]
        estimate = [f"Its chance of being on the front is {few_percent(share)} ({ESTIMATE})."]
    decoys, footing = _by_decoys(certificate, item), _footing(certificate)
    return "\n".join([*sentences, *decoys, *estimate, footing])


def _out(certificate: Certificate, item: str) -> list[str]:
    why = certificate.out[item]
    if why.by is None:
        first = (
            f"{item} is out: it is not maximal. A maximal item wins at least half of the votes "
            f"against every opponent, and the losses of {item}, taken together, show that it does "
            "not. No single opponent is shown to be above it"
            f"{_suspected(certificate, item)}. Overall, it took {percent(why.share)} of its "
            f"{counted(why.votes, 'vote')} (ties count half)."
        )
    else:
        first = (
            f"{item} is out: {why.by} is above it. {item} took {percent(why.share)} of their "
            f"{counted(why.votes, 'vote')} (ties count half)."
        )
    lines = [first, _strength(why.log_evidence, why.level)]
    if why.also_by:
        lines.append(f"Also shown to be above it: {names(why.also_by)}.")
    return lines


def _suspected(certificate: Certificate, item: str) -> str:
    rival = certificate.likely_by.get(item)
    return "" if rival is None else f"; {rival} is the most likely one, but that is not certified"


def _in(certificate: Certificate, item: str) -> list[str]:
    why = certificate.inside[item]
    if why.weakest is None:
        return [f"{item} is in: every other item is out, and some item must be maximal."]
    rival = f"{why.weakest}, which is out" if why.weakest in certificate.out else why.weakest
    return [
        f"{item} is in: {front_means(certificate)}. (To beat it by {certificate.epsilon:g} is to "
        f"win {percent(0.5 + certificate.epsilon)} of the duels against it, where ties count "
        f"half.) This is least certain against {rival}: {item} took {percent(why.share)} of their "
        f"{counted(why.votes, 'vote')}.",
        _strength(why.log_evidence, why.level),
        "No item is shown to be above it, though one may be, by a smaller margin.",
    ]


def _undecided(certificate: Certificate, item: str) -> list[str]:
    entries, unit = certificate.undecided[item], certificate.unit
    if not certificate.missing[item]:
        return [f"{item} is undecided: {WAITS}."]
    lines = [
        f"{item} is undecided: no item is shown to be above it, but "
        f"{opponents_left(certificate, item)} may still beat it by more than "
        f"{certificate.epsilon:g}."
    ]
    ahead = [
        f"{e.opponent} ({item} took {percent(e.share)} of {counted(e.votes, 'vote')}; "
        f"{more(e.to_lose or 0, unit)} would probably prove it)"
        for e in threats_among(entries)
    ]
    if ahead:
        lines.append(f"Ahead of it so far: {_first_few(ahead)}.")
    if never := certificate.never_met(item):
        lines.append(_never_met([e for e in entries if not e.votes], never, unit))
    close = [
        f"{e.opponent} ({more(e.at_rate, unit)}{_if_even(e)})"
        for e in entries
        if e.votes and e.at_rate is not None and e.to_lose is None
    ]
    if close:
        lines.append(f"Soonest shown not to beat it: {_first_few(close)}.")
    if ahead or close:
        lines.append(CAUTIOUS)
    return lines


def _never_met(listed: Sequence[Missing], never: int, unit: str) -> str:
    if not listed:
        return f"No votes count yet against {counted(never, 'opponent')}."
    some = [e.opponent for e in listed[:_MOST_NAMED]]
    others = f" and {never - len(some):,} more" if never > len(some) else ""
    votes = listed[0].if_even
    each = (
        ""
        if votes is None
        else f"{'; for each,' if never > 1 else ';'} {needed(votes)} {unit}s would show that it "
        "does not beat it, if the two are even"
    )
    return f"No votes count yet against {', '.join(some)}{others}{each}."


def _if_even(entry: Missing) -> str:
    return "" if entry.if_even is None else f", {needed(entry.if_even)} if the two are even"


def _first_few(parts: Sequence[str]) -> str:
    others = len(parts) - _MOST_NAMED
    return "; ".join(parts[:_MOST_NAMED]) + (f"; and {others:,} more" if others > 0 else "")


def _cycle(certificate: Certificate, item: str) -> list[str]:
    group = certificate.group_of(item)
    where = (
        "No item outside the group is shown to be above it."
        if group.top
        else "Some item outside is shown to be above the group, but not above this item."
    )
    return [
        f"{item} belongs to a group of {counted(len(group.items), 'item')} that fits no order: "
        f"{'; '.join(map(beats, group.steps))}.",
        "Each of these is shown on its own, so the votes contradict the assumption that there is "
        f"an order. The group is reported as a whole, neither in nor out. {where}",
    ]


_AT_LENGTH = {"out": _out, "in": _in, "undecided": _undecided, "cycle": _cycle}


def _by_decoys(certificate: Certificate, item: str) -> list[str]:
    lines = []
    for field in BY_DECOYS:
        ends = [pair for pair in ends_of(certificate, field) if item in pair]
        others = [second if first == item else first for first, second in ends]
        if others:
            lines.append(f"{title_of(field)}: {names(sorted(others))}.")
    return lines


def _strength(log_evidence: float, level: float) -> str:
    return (
        f"If this were false, chance alone would produce evidence this strong with probability at "
        f"most {odds(log_evidence)}, however often you look. With this many items, "
        f"{level_odds(level)} is enough."
    )


def _footing(certificate: Certificate) -> str:
    independent = (
        "votes are independent of each other"
        if certificate.clusters is None
        else f"votes with different {certificate.clusters[0]!r} are independent"
    )
    return (
        f"The probability that any claim is false is at most {certificate.delta:g}, provided that "
        f"{independent} and the certificate's other assumptions hold."
    )
