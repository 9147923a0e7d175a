"""A certificate as Markdown, for a README."""

from __future__ import annotations

import re

from antichain.certify.certificate import Certificate
from antichain.certify.wording import (
    basis,
    headline,
    named_pairs,
    on_pairs,
    percent,
    promise,
    rows,
)
from antichain.text import names

# Characters that GitHub's Markdown takes as markup, HTML or the end of a table cell.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$@])")


def markdown(certificate: Certificate) -> str:
    """Return one Markdown section: a summary, a table of items, and the assumptions."""
    lines = [
        f"## Front of {escaped(certificate.source)}",
        "",
        f"**{headline(certificate)}**. {escaped(basis(certificate))}.",
        "",
        "| item | verdict | votes | score | why |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    lines += [
        f"| {escaped(row.item)} | {'**in**' if row.status == 'in' else row.status} "
        f"| {row.votes:,} | {percent(row.share)} | {escaped(row.why)} |"
        for row in rows(certificate)
    ]
    lines += ["", "Pairs: " + "; ".join(f"{text}: {n:,}" for text, n in on_pairs(certificate)), ""]
    for title, pairs in named_pairs(certificate):
        lines += [f"{title}: {escaped(names(pairs))}.", ""]
    lines += [f"{promise(certificate)}, if:", ""]
    lines += [f"- {escaped(sentence)}" for sentence in certificate.assumptions]
    if certificate.notes:
        lines += ["", "Notes:", "", *(f"- {escaped(note)}" for note in certificate.notes)]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Escape the text so that Markdown shows it as it is, on one line.

    >>> print(escaped("a|b *c*"))
    a\|b \*c\*
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
