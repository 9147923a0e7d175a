"""A certificate in short: what `print` and a notebook show of it."""

from __future__ import annotations

from dataclasses import replace

from antichain._markup import Summary, listed
from antichain._text import counted, short
from antichain.certify._certificate import Certificate
from antichain.certify._wording import (
    ESTIMATE,
    any_open,
    likely_items,
    misspelt,
    percent,
    rows,
)
from antichain.likely import not_estimated

_LONGEST = 300  # characters of a sentence


def brief(certificate: Certificate) -> Summary:
    """Return the verdicts, the terms, and what is wrong."""
    facts = [(word, listed(items)) for word, items in certificate.by_verdict().items()]
    if any_open(certificate):
        likely = listed(likely_items(certificate))
        facts.append(("likely front", f"{likely} ({ESTIMATE})"))
    elif certificate.undecided and (why := not_estimated(len(certificate.items))):
        facts.append(("likely front", f"unknown. {why}"))
    facts.append(("terms", f"δ = {certificate.delta:g}, ε = {certificate.epsilon:g}"))
    sentences = [short(certificate.conclusion, _LONGEST)]
    wrong = (*certificate.alarms, *misspelt(certificate), *certificate.warnings)
    sentences += [f"Warning: {short(sentence, _LONGEST)}" for sentence in wrong]
    votes, size = counted(certificate.votes, "vote"), counted(len(certificate.items), "item")
    return Summary(f"Certificate of {votes} on {size}", facts, sentences)


def brief_with_items(certificate: Certificate) -> Summary:
    """Return the same with one row per item, those that matter first."""
    heads = ["item", "verdict", "votes", "score", "chance", "why"]
    cells = [
        [row.item, row.status, f"{row.votes:,}", percent(row.share), row.chance, row.why]
        for row in rows(certificate)
    ]
    if not any_open(certificate):
        heads, *cells = ([*row[:4], *row[5:]] for row in (heads, *cells))
    return replace(brief(certificate), heads=heads, rows=cells)
