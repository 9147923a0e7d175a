"""How many votes undecided items still need, as bars."""

from __future__ import annotations

import math
from typing import NamedTuple

from antichain.certify.certificate import Certificate, threats_among
from antichain.certify.report.svg import LETTER, short, svg, text
from antichain.certify.wording import needed

MOST_BARS = 40
"""The largest number of items for which bars are drawn."""

_ROW = 20
_BAR = 260
_LONGEST = 24


class Need(NamedTuple):
    """The votes that an undecided item needs.

    Attributes:
        item: The item.
        to_clear: The votes until every missing opponent is cleared, if each pair is even.
        to_lose: The votes until the opponent furthest ahead is shown to be above, at the rate so
            far; None if nobody is ahead.
    """

    item: str
    to_clear: int | None
    to_lose: int | None


def needs(certificate: Certificate) -> list[Need]:
    """Return what each undecided item needs, those nearest to any decision first."""
    found = []
    for item, entries in certificate.undecided.items():
        clear = [entry.if_even for entry in entries]
        known = [votes for votes in clear if votes is not None]
        # Opponents that are not listed need about as much as the last listed one.
        beyond = (certificate.missing[item] - len(entries)) * (known[-1] if known else 0)
        total = sum(known) + beyond if len(known) == len(clear) else None
        threats = threats_among(entries)
        found.append(Need(item, total, threats[0].to_lose if threats else None))
    return sorted(found, key=lambda need: (_soonest(need), need.item))


def _soonest(need: Need) -> float:
    return min(math.inf if votes is None else votes for votes in (need.to_clear, need.to_lose))


def bars(certificate: Certificate) -> str:
    """Draw the bars; the result is empty if nothing is undecided."""
    shown = needs(certificate)[:MOST_BARS]
    if not shown:
        return ""
    names = max(len(short(need.item, _LONGEST)) for need in shown) * LETTER + 14
    largest = max([10.0, *(votes for need in shown for votes in need[1:] if votes is not None)])
    parts = []
    for k, need in enumerate(shown):
        y = k * _ROW + 4
        parts.append(text(names - 8, y + 13, short(need.item, _LONGEST), "end"))
        parts.append(_bar(names, y + 1, need.to_clear, largest, "in"))
        parts.append(_bar(names, y + 9, need.to_lose, largest, "out"))
        words = " / ".join("–" if v is None else needed(v) for v in (need.to_clear, need.to_lose))
        parts.append(text(names + _BAR + 8, y + 13, words, css="small"))
    label = "Votes that undecided items still need, on a logarithmic scale; numbers beside the bars"
    return svg(names + _BAR + 170, len(shown) * _ROW + 8, label, "".join(parts), "bars")


def _bar(x: float, y: float, votes: int | None, largest: float, css: str) -> str:
    if votes is None:
        return ""
    wide = max(2.0, _BAR * math.log10(1 + votes) / math.log10(1 + largest))
    return f'<rect class="{css}" x="{x:.1f}" y="{y}" width="{wide:.1f}" height="7" rx="2"/>'
