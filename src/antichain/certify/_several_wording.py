"""Verdicts on several criteria in words: the counterpart of `_wording` for those certificates."""

from __future__ import annotations

from antichain._text import counted, names
from antichain.certify._certificate import Against, Certificate, Criteria, threats_among
from antichain.certify._wording import more, odds, percent


def in_short(certificate: Certificate, item: str) -> str | None:
    """Why an item is in, out or undecided, for a table; None where `_wording` says it."""
    criteria, status = certificate.criteria, certificate.status(item)
    if criteria is None or status == "cycle":
        return None
    against = criteria.against.get(item)
    if status == "out":
        why = certificate.out[item]
        rival = "below" if why.by is not None else "below some item, most likely"
        shown = (
            f"{rival} {_fared(criteria, item, against)}"
            if against
            else "below some item: all its duels together show it"
        )
        return f"{shown}; {odds(why.log_evidence)}"
    if status == "in":
        if item in criteria.without_votes or against is None:
            return f"without votes: {_alone(criteria)}"
        evidence = odds(certificate.inside[item].log_evidence)
        fared = _fared(criteria, item, against)
        return f"no item is clearly better on everything; least certain against {fared}; {evidence}"
    return _undecided(certificate, item)


def _alone(criteria: Criteria) -> str:
    return f"every other item is worse on {' or '.join(criteria.attributes)}"


def _fared(criteria: Criteria, item: str, against: Against) -> str:
    """The opponent, and how the item fared against it on everything."""
    parts = [
        f"{name + ' ' if name else ''}{percent(share)} of {counted(votes, 'vote')}"
        for name, (votes, share) in against.records.items()
    ]
    for name in criteria.attributes:
        ours, theirs = (criteria.values[who][name] for who in (item, against.opponent))
        parts.append(f"{name} {ours:g} against {theirs:g}")
    return f"{against.opponent} ({', '.join(parts)})"


def _undecided(certificate: Certificate, item: str) -> str:
    entries, unit = certificate.undecided[item], certificate.unit
    text = f"{counted(certificate.missing[item], 'item')} may be above it"
    if threats := threats_among(entries):
        votes = more(threats[0].to_lose or 0, unit)
        return f"{text}; most likely {threats[0].opponent} ({votes} would confirm that)"
    if entries and entries[0].at_rate is not None:
        text += f"; {more(entries[0].at_rate, unit)} would show that {entries[0].opponent} is not"
    return text


def at_length(certificate: Certificate, item: str) -> list[str] | None:
    """The same in a few sentences, with the numbers by criterion."""
    criteria, status = certificate.criteria, certificate.status(item)
    why = in_short(certificate, item)
    if criteria is None or why is None:
        return None
    lines = [f"{item} is {status}: {why}."]
    records = [
        f"{name or 'votes'} {percent(record.share)} of {counted(record.votes, 'vote')}"
        for name, record in criteria.records[item].items()
    ]
    known = [f"{name} {value:g}" for name, value in criteria.values.get(item, {}).items()]
    lines.append(f"Overall: {', '.join([*records, *known])} (ties count half).")
    lines.append(f"What “above” means: {certificate.assumptions[0]}")
    return lines


def summary(certificate: Certificate) -> list[str]:
    """What the criteria are, and who is in without votes, in sentences."""
    criteria = certificate.criteria
    if criteria is None:
        return []
    found = []
    if criteria.column is not None:
        found.append(f"Criteria ({criteria.column}): {names(criteria.names)}.")
    if criteria.attributes:
        better = {"min": "lower is better", "max": "higher is better"}
        listed = [f"{name} ({better[way]})" for name, way in criteria.attributes.items()]
        free = criteria.without_votes
        found.append(
            f"Known attributes: {names(listed)}. "
            + (
                f"In without any vote, because every other item is worse on one of them: "
                f"{names(free)}."
                if free
                else "For every item there is another that is no worse on any of them."
            )
        )
    return found
