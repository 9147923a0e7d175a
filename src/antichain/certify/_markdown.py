"""A certificate as Markdown, for a README."""

from __future__ import annotations

import re
from collections.abc import Sequence

from antichain._text import names, printable
from antichain.certify._certificate import Certificate
from antichain.certify._several_wording import summary
from antichain.certify._wording import (
    ESTIMATE,
    READ_WITH,
    any_open,
    basis,
    headline,
    likely_summary,
    named_pairs,
    on_pairs,
    percent,
    rows,
)

# Characters that GitHub's Markdown takes as markup, HTML or the end of a table cell.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$@])")


def markdown(certificate: Certificate, read_with: Sequence[str] = ()) -> str:
    """Return one Markdown section: a summary, a table of items, and the assumptions.

    Args:
        certificate: The certificate to show.
        read_with: One sentence for each reading option that is not the default.
    """
    estimated = any_open(certificate)
    lines = [
        f"## Front of {escaped(certificate.source)}",
        "",
        f"**{escaped(certificate.conclusion)}**",
        "",
        f"{headline(certificate)}. {escaped(basis(certificate))}.",
        "",
        *(f"{escaped(sentence)}\n" for sentence in summary(certificate)),
        *(f"{escaped(sentence)}\n" for sentence in likely_summary(certificate)),
        *(f"**Warning: {escaped(sentence)}**\n" for sentence in certificate.warnings),
        f"| item | verdict | votes | score | {'chance | ' if estimated else ''}why |",
        f"| --- | --- | ---: | ---: | {'---: | ' if estimated else ''}--- |",
    ]
    lines += [
        f"| {escaped(row.item)} | {'**in**' if row.status == 'in' else row.status} "
        f"| {row.votes:,} | {percent(row.share)} | {row.chance + ' | ' if estimated else ''}"
        f"{escaped(row.why)} |"
        for row in rows(certificate)
    ]
    if estimated:
        lines += ["", f"Verdicts are certified; chances are {ESTIMATE}."]
    lines += ["", "Pairs: " + "; ".join(f"{text} ({n:,})" for text, n in on_pairs(certificate)), ""]
    for title, pairs in named_pairs(certificate):
        lines += [f"{title}: {escaped(names(pairs))}.", ""]
    lines += [f"{escaped(certificate.promise)} The assumptions:", ""]
    lines += [f"- {escaped(sentence)}" for sentence in certificate.assumptions]
    lines += ["", escaped(certificate.method)]
    if read_with:
        lines += ["", f"{READ_WITH}:", "", *(f"- {escaped(sentence)}" for sentence in read_with)]
    if certificate.checks:
        checks = (f"- {check.name}: {escaped(check.finding)}" for check in certificate.checks)
        lines += ["", "Checks (not part of the guarantee):", "", *checks]
    if certificate.notes:
        lines += ["", "Notes:", "", *(f"- {escaped(note)}" for note in certificate.notes)]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Escape the text so that Markdown shows it as it is, on one line.

    >>> print(escaped("a|b *c*"))
    a\|b \*c\*
    """
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))
